; The gradients of a CK Tile attention with dropout (32 x 128 tile, fp16, heads of 64), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
ck_fmha_dq_dk_dv_dropout:
	s_load_dwordx2 s[6:7], s[0:1], 0x58
	s_load_dwordx4 s[52:55], s[0:1], 0x48
	s_load_dwordx4 s[56:59], s[0:1], 0xa8
	s_load_dword s8, s[0:1], 0xb8
	s_abs_i32 s33, s3
	s_waitcnt lgkmcnt(0)
	s_abs_i32 s5, s7
	v_cvt_f32_u32_e32 v1, s5
	s_sub_i32 s9, 0, s5
	v_mov_b64_e32 v[2:3], s[56:57]
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s10, v1
	s_mul_i32 s9, s9, s10
	s_mul_hi_u32 s9, s10, s9
	s_add_i32 s10, s10, s9
	s_bitcmp1_b32 s8, 0
	s_cselect_b64 s[8:9], -1, 0
	s_mul_hi_u32 s62, s33, s10
	s_xor_b64 s[60:61], s[8:9], -1
	s_and_b64 vcc, exec, s[8:9]
	s_cbranch_vccnz .LBB0_2
	v_mov_b64_e32 v[2:3], s[56:57]
	flat_load_dwordx2 v[2:3], v[2:3]
.LBB0_2:
	s_load_dwordx2 s[34:35], s[0:1], 0xc0
	s_load_dwordx16 s[8:23], s[0:1], 0x0
	s_load_dwordx16 s[36:51], s[0:1], 0x64
	s_load_dwordx8 s[24:31], s[0:1], 0xe4
	s_ashr_i32 s63, s3, 31
	s_ashr_i32 s7, s7, 31
	s_andn2_b64 vcc, exec, s[60:61]
	v_mov_b64_e32 v[4:5], s[58:59]
	s_cbranch_vccnz .LBB0_4
	v_mov_b64_e32 v[4:5], s[58:59]
	flat_load_dwordx2 v[4:5], v[4:5]
.LBB0_4:
	s_waitcnt lgkmcnt(0)
	s_mul_hi_i32 s57, s24, s4
	s_mul_i32 s56, s24, s4
	s_mul_hi_i32 s59, s25, s4
	s_mul_i32 s58, s25, s4
	s_mul_hi_i32 s25, s26, s4
	s_mul_i32 s24, s26, s4
	s_mul_hi_i32 s65, s27, s4
	s_mul_i32 s64, s27, s4
	s_mul_hi_i32 s27, s28, s4
	s_mul_i32 s26, s28, s4
	s_mul_hi_i32 s67, s29, s4
	s_mul_i32 s66, s29, s4
	s_mul_hi_i32 s29, s44, s3
	s_mul_i32 s28, s44, s3
	s_lshl_b32 s69, s2, 7
	s_lshl_b64 s[28:29], s[28:29], 1
	s_add_u32 s28, s8, s28
	s_addc_u32 s29, s9, s29
	s_lshl_b64 s[8:9], s[56:57], 1
	s_add_u32 s56, s28, s8
	s_mul_i32 s8, s62, s5
	s_addc_u32 s57, s29, s9
	s_sub_i32 s8, s33, s8
	s_xor_b32 s7, s63, s7
	s_add_i32 s9, s62, 1
	s_sub_i32 s28, s8, s5
	s_cmp_ge_u32 s8, s5
	s_cselect_b32 s9, s9, s62
	s_cselect_b32 s8, s28, s8
	s_add_i32 s28, s9, 1
	s_cmp_ge_u32 s8, s5
	s_cselect_b32 s5, s28, s9
	s_xor_b32 s5, s5, s7
	s_sub_i32 s5, s5, s7
	s_mul_hi_i32 s9, s5, s45
	s_mul_i32 s8, s5, s45
	s_lshl_b64 s[8:9], s[8:9], 1
	s_add_u32 s7, s10, s8
	s_addc_u32 s10, s11, s9
	s_lshl_b64 s[8:9], s[58:59], 1
	s_add_u32 s8, s7, s8
	s_addc_u32 s9, s10, s9
	s_mul_hi_i32 s11, s5, s46
	s_mul_i32 s10, s5, s46
	s_lshl_b64 s[10:11], s[10:11], 1
	s_add_u32 s5, s12, s10
	s_addc_u32 s7, s13, s11
	s_lshl_b64 s[10:11], s[24:25], 1
	s_add_u32 s12, s5, s10
	s_addc_u32 s13, s7, s11
	s_mul_hi_i32 s11, s48, s3
	s_mul_i32 s10, s48, s3
	s_lshl_b64 s[10:11], s[10:11], 2
	s_add_u32 s5, s14, s10
	s_addc_u32 s7, s15, s11
	s_lshl_b64 s[14:15], s[26:27], 2
	s_add_u32 s44, s5, s14
	s_addc_u32 s45, s7, s15
	s_add_u32 s5, s18, s10
	s_addc_u32 s7, s19, s11
	s_add_u32 s60, s5, s14
	s_mul_hi_i32 s11, s47, s3
	s_mul_i32 s10, s47, s3
	s_addc_u32 s61, s7, s15
	s_lshl_b64 s[10:11], s[10:11], 1
	s_add_u32 s5, s16, s10
	s_addc_u32 s7, s17, s11
	s_lshl_b64 s[10:11], s[64:65], 1
	s_add_u32 s64, s5, s10
	s_addc_u32 s65, s7, s11
	s_add_i32 s5, s53, -1
	s_add_i32 s10, s55, -1
	s_add_i32 s14, s52, -1
	s_mul_i32 s7, s5, s39
	s_add_u32 s68, s10, 1
	s_add_i32 s10, s54, -1
	s_add_i32 s18, s7, s68
	s_mul_i32 s7, s14, s41
	s_add_u32 s48, s10, 1
	s_mul_hi_i32 s11, s49, s3
	s_mul_i32 s10, s49, s3
	s_add_i32 s16, s52, 0x7fffffff
	s_add_u32 s33, s7, s48
	s_lshl_b64 s[10:11], s[10:11], 2
	s_add_u32 s7, s20, s10
	s_addc_u32 s17, s21, s11
	s_lshl_b64 s[10:11], s[66:67], 2
	s_add_u32 s24, s7, s10
	v_readfirstlane_b32 s7, v0
	s_addc_u32 s25, s17, s11
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_lshr_b32 s10, s7, 1
	v_mbcnt_hi_u32_b32 v7, -1, v1
	s_and_b32 s19, s10, 0x7fffffe0
	v_lshrrev_b32_e32 v6, 3, v7
	v_lshlrev_b32_e32 v1, 3, v7
	s_add_i32 s10, s19, s69
	v_and_b32_e32 v24, 56, v1
	v_lshl_add_u32 v1, v6, 2, s10
	s_mul_i32 s15, s5, s38
	v_mad_u64_u32 v[12:13], s[10:11], v1, s38, v[24:25]
	s_add_i32 s10, s54, s15
	s_lshl_b32 s10, s10, 1
	s_mov_b32 s11, 0x20000
	v_lshlrev_b32_e32 v1, 1, v12
	s_nop 0
	buffer_load_dwordx4 v[8:11], v1, s[8:11], 0 offen
	v_add_u32_e32 v1, s38, v12
	v_lshlrev_b32_e32 v12, 1, v1
	buffer_load_dwordx4 v[12:15], v12, s[8:11], 0 offen
	v_add_u32_e32 v1, s38, v1
	v_lshlrev_b32_e32 v16, 1, v1
	v_add_lshl_u32 v1, v1, s38, 1
	buffer_load_dwordx4 v[16:19], v16, s[8:11], 0 offen
	s_nop 0
	buffer_load_dwordx4 v[20:23], v1, s[8:11], 0 offen
	v_lshrrev_b32_e32 v103, 4, v7
	v_and_b32_e32 v102, 15, v7
	s_lshr_b32 s8, s7, 2
	v_lshlrev_b32_e32 v28, 3, v103
	v_and_or_b32 v26, s8, 48, v102
	s_lshr_b32 s8, s7, 3
	v_lshrrev_b16_e32 v27, 3, v28
	v_and_b32_e32 v1, 7, v7
	s_and_b32 s17, s8, 0x1ffffff8
	v_xor_b32_e32 v29, v1, v27
	v_lshlrev_b32_e32 v25, 6, v26
	s_add_i32 s8, s17, s69
	v_lshl_or_b32 v30, v29, 3, v25
	v_add_u32_e32 v25, s8, v6
	v_lshrrev_b32_e32 v32, 6, v7
	v_mad_u64_u32 v[24:25], s[8:9], v25, s39, v[24:25]
	v_lshrrev_b32_e32 v31, 3, v26
	v_lshl_or_b32 v34, v32, 3, v1
	v_and_b32_e32 v33, 3, v27
	v_xor_b32_e32 v35, v34, v31
	v_mov_b32_e32 v25, 11
	v_lshlrev_b32_sdwa v25, v25, v33 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	v_lshlrev_b32_e32 v26, 6, v34
	v_lshlrev_b32_e32 v27, 2, v35
	s_lshl_b32 s8, s39, 5
	v_or3_b32 v36, v25, v26, v27
	v_lshlrev_b32_e32 v25, 1, v24
	v_add_u32_e32 v24, s8, v24
	s_mul_i32 s10, s14, s37
	s_lshl_b32 s14, s18, 1
	s_mov_b32 s15, s11
	v_lshlrev_b32_e32 v26, 1, v24
	v_add_u32_e32 v24, s8, v24
	buffer_load_dwordx4 v[42:45], v25, s[12:15], 0 offen
	buffer_load_dwordx4 v[46:49], v26, s[12:15], 0 offen
	v_lshlrev_b32_e32 v25, 1, v24
	v_add_lshl_u32 v24, v24, s8, 1
	v_lshrrev_b32_e32 v37, 1, v7
	buffer_load_dwordx4 v[50:53], v25, s[12:15], 0 offen
	buffer_load_dwordx4 v[54:57], v24, s[12:15], 0 offen
	v_and_b32_e32 v24, 60, v37
	v_add_u32_e32 v38, s19, v24
	v_ashrrev_i32_e32 v39, 31, v38
	v_lshrrev_b32_e32 v24, 29, v39
	v_add_u32_e32 v25, v38, v24
	v_and_b32_e32 v25, -8, v25
	v_sub_u32_e32 v25, v38, v25
	v_xor_b32_e32 v25, v25, v1
	v_lshlrev_b32_e32 v26, 6, v38
	v_lshl_add_u32 v26, v25, 3, v26
	v_lshlrev_b32_e32 v27, 1, v26
	s_mov_b32 s8, 0x1000504
	s_mov_b32 s9, 0x3020706
	v_or_b32_e32 v164, 64, v28
	v_add_u32_e32 v104, 0x60, v28
	s_add_i32 s10, s54, s10
	s_lshl_b32 s58, s10, 1
	s_mov_b32 s59, s11
	s_mul_i32 s6, s6, s4
	s_add_i32 s6, s6, s3
	s_mul_i32 s16, s16, s40
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s39, v3
	v_readfirstlane_b32 s54, v2
	s_mov_b32 s67, s11
	s_lshl_b32 s46, s52, 2
	s_mov_b32 s47, s11
	s_mov_b32 s62, s46
	s_mov_b32 s63, s11
	v_xor_b32_e32 v109, v103, v102
	v_bfe_u32 v131, v7, 1, 4
	s_load_dword s49, s[0:1], 0xc8
	v_lshrrev_b32_e32 v111, 5, v7
	v_bfe_u32 v113, v7, 3, 1
	ds_write_b128 v27, v[8:11]
	v_or_b32_e32 v27, 1, v38
	v_add_u32_e32 v40, v27, v24
	v_and_b32_e32 v40, -8, v40
	v_sub_u32_e32 v27, v27, v40
	v_xor_b32_e32 v27, v27, v1
	v_sub_u32_e32 v25, v27, v25
	v_lshl_add_u32 v25, v25, 3, v26
	v_lshlrev_b32_e32 v26, 1, v25
	ds_write_b128 v26, v[12:15] offset:128
	v_or_b32_e32 v26, 2, v38
	v_add_u32_e32 v40, v26, v24
	v_and_b32_e32 v40, -8, v40
	v_sub_u32_e32 v26, v26, v40
	v_xor_b32_e32 v26, v26, v1
	v_sub_u32_e32 v27, v26, v27
	v_lshlrev_b32_e32 v27, 3, v27
	v_add_lshl_u32 v25, v25, v27, 1
	v_or_b32_e32 v27, 3, v38
	v_add_u32_e32 v24, v27, v24
	v_and_b32_e32 v24, 0xffffff8, v24
	v_sub_u32_e32 v24, v27, v24
	v_xor_b32_e32 v24, v24, v1
	v_sub_u32_e32 v24, v24, v26
	v_lshl_add_u32 v24, v24, 4, v25
	ds_write_b128 v25, v[16:19] offset:256
	ds_write_b128 v24, v[20:23] offset:384
	v_perm_b32 v24, v8, v12, s8
	v_perm_b32 v26, v8, v12, s9
	v_perm_b32 v8, v9, v13, s8
	v_perm_b32 v12, v9, v13, s9
	v_perm_b32 v9, v17, v21, s8
	v_perm_b32 v13, v17, v21, s9
	v_perm_b32 v17, v18, v22, s8
	v_perm_b32 v21, v18, v22, s9
	v_lshrrev_b32_e32 v18, 27, v39
	v_add_u32_e32 v18, v38, v18
	v_and_b32_e32 v22, 0xffffffe0, v18
	v_perm_b32 v25, v16, v20, s8
	v_perm_b32 v27, v16, v20, s9
	v_perm_b32 v16, v10, v14, s8
	v_perm_b32 v20, v10, v14, s9
	v_perm_b32 v10, v11, v15, s8
	v_perm_b32 v14, v11, v15, s9
	v_perm_b32 v11, v19, v23, s8
	v_perm_b32 v15, v19, v23, s9
	v_sub_u32_e32 v22, v38, v22
	v_mov_b32_e32 v23, 12
	v_lshrrev_b16_sdwa v38, v23, sext(v22) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v38, 7, v38
	v_add_u16_e32 v38, v22, v38
	v_mov_b32_e32 v39, 3
	v_ashrrev_i16_sdwa v39, v39, sext(v38) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v38, 0xf8, v38
	v_ashrrev_i32_e32 v19, 5, v18
	v_sub_u16_e32 v22, v22, v38
	v_mov_b32_e32 v38, 2
	v_ashrrev_i32_e32 v18, 31, v18
	v_ashrrev_i16_sdwa v22, v38, sext(v22) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_lshlrev_b32_e32 v38, 3, v19
	v_lshrrev_b32_e32 v18, 28, v18
	v_add_u32_e32 v40, v38, v18
	v_bfe_i32 v22, v22, 0, 16
	v_and_b32_e32 v40, -16, v40
	v_bfe_i32 v39, v39, 0, 16
	v_lshl_or_b32 v22, v22, 3, v1
	v_sub_u32_e32 v40, v38, v40
	v_lshlrev_b32_e32 v19, 9, v19
	v_xor_b32_e32 v40, v22, v40
	v_lshl_add_u32 v19, v39, 11, v19
	v_lshl_add_u32 v19, v40, 2, v19
	v_lshlrev_b32_e32 v39, 1, v19
	ds_write_b64 v39, v[24:25] offset:16384
	v_or_b32_e32 v24, 1, v38
	v_add_u32_e32 v25, v24, v18
	v_and_b32_e32 v25, -16, v25
	v_sub_u32_e32 v24, v24, v25
	v_xor_b32_e32 v24, v22, v24
	v_or_b32_e32 v39, 2, v38
	v_sub_u32_e32 v25, v24, v40
	v_add_u32_e32 v40, v39, v18
	v_and_b32_e32 v40, -16, v40
	v_sub_u32_e32 v39, v39, v40
	v_lshlrev_b32_e32 v25, 2, v25
	v_xor_b32_e32 v39, v22, v39
	v_add3_u32 v19, v19, v25, 64
	v_sub_u32_e32 v24, v39, v24
	v_lshlrev_b32_e32 v25, 1, v19
	v_lshl_add_u32 v24, v24, 2, 64
	v_lshl_add_u32 v40, v24, 1, v25
	ds_write_b64 v25, v[26:27] offset:16384
	v_or_b32_e32 v25, 3, v38
	v_add_u32_e32 v26, v25, v18
	v_and_b32_e32 v26, -16, v26
	v_sub_u32_e32 v25, v25, v26
	v_xor_b32_e32 v25, v22, v25
	v_sub_u32_e32 v26, v25, v39
	v_lshl_add_u32 v26, v26, 2, 64
	v_lshl_add_u32 v27, v26, 1, v40
	ds_write_b64 v40, v[8:9] offset:16384
	ds_write_b64 v27, v[12:13] offset:16384
	v_or_b32_e32 v12, 4, v38
	v_add_u32_e32 v13, v12, v18
	v_and_b32_e32 v13, -16, v13
	v_sub_u32_e32 v12, v12, v13
	v_xor_b32_e32 v12, v22, v12
	v_sub_u32_e32 v13, v12, v25
	v_add_u32_e32 v9, 0xffffff80, v27
	v_lshl_add_u32 v13, v13, 2, 64
	v_lshl_add_u32 v9, v13, 1, v9
	ds_write_b64 v9, v[16:17] offset:16512
	v_or_b32_e32 v16, 5, v38
	v_add_u32_e32 v17, v16, v18
	v_and_b32_e32 v17, -16, v17
	v_sub_u32_e32 v16, v16, v17
	v_xor_b32_e32 v16, v22, v16
	v_sub_u32_e32 v12, v16, v12
	v_lshl_add_u32 v12, v12, 2, 64
	v_lshl_add_u32 v9, v12, 1, v9
	v_add3_u32 v8, v24, v19, v26
	ds_write_b64 v9, v[20:21] offset:16512
	v_or_b32_e32 v9, 6, v38
	v_add3_u32 v8, v13, v8, v12
	v_add_u32_e32 v12, v9, v18
	v_and_b32_e32 v12, -16, v12
	v_sub_u32_e32 v9, v9, v12
	v_xor_b32_e32 v9, v22, v9
	v_sub_u32_e32 v12, v9, v16
	v_lshlrev_b32_e32 v12, 2, v12
	v_add_lshl_u32 v8, v12, v8, 1
	ds_write_b64 v8, v[10:11] offset:16512
	v_or_b32_e32 v10, 7, v38
	v_add_u32_e32 v11, v10, v18
	v_and_b32_e32 v11, 0x1ffffff0, v11
	v_sub_u32_e32 v10, v10, v11
	v_xor_b32_e32 v10, v22, v10
	v_sub_u32_e32 v9, v10, v9
	v_lshl_add_u32 v8, v9, 3, v8
	v_add_u32_e32 v9, 32, v28
	ds_write_b64 v8, v[14:15] offset:16640
	v_lshrrev_b16_e32 v8, 3, v9
	v_and_b32_e32 v8, 7, v8
	v_xor_b32_sdwa v8, v1, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	v_lshrrev_b32_e32 v20, 6, v9
	v_sub_u32_e32 v10, v8, v29
	v_sub_u32_e32 v8, v29, v8
	v_lshlrev_b32_e32 v12, 13, v20
	v_lshlrev_b32_e32 v8, 3, v8
	v_lshl_add_u32 v13, v10, 3, v12
	v_sub_u32_e32 v8, v8, v12
	v_lshlrev_b32_e32 v12, 14, v20
	v_add3_u32 v8, v13, v30, v8
	v_lshl_add_u32 v10, v10, 4, v12
	v_lshrrev_b32_e32 v17, 2, v9
	v_lshl_add_u32 v22, v8, 1, v10
	v_or_b32_e32 v10, 8, v31
	v_lshrrev_b32_e32 v15, 5, v9
	v_and_or_b32 v17, v17, 8, v1
	v_lshlrev_b32_e32 v11, 1, v30
	v_xor_b32_e32 v12, v10, v34
	v_sub_u32_e32 v16, v15, v32
	v_xor_b32_e32 v17, v17, v31
	v_add_u32_e32 v24, 36, v28
	v_lshl_add_u32 v21, v13, 1, v11
	v_sub_u32_e32 v13, v12, v35
	v_sub_u32_e32 v12, v17, v12
	v_lshlrev_b32_e32 v16, 9, v16
	v_lshrrev_b16_e32 v18, 3, v24
	v_lshl_add_u32 v12, v12, 2, v16
	v_lshrrev_b32_e32 v16, 5, v24
	v_and_b32_e32 v18, 3, v18
	v_sub_u32_e32 v15, v16, v15
	v_sub_u16_e32 v19, v18, v33
	v_bfe_i32 v19, v19, 0, 16
	v_lshrrev_b32_e32 v25, 2, v24
	v_lshlrev_b32_e32 v15, 9, v15
	v_and_or_b32 v26, v25, 8, v1
	v_lshl_add_u32 v15, v19, 11, v15
	v_lshrrev_b32_e32 v19, 5, v164
	v_lshlrev_b32_e32 v27, 1, v103
	v_lshlrev_b32_e32 v8, 1, v36
	v_xor_b32_e32 v26, v26, v10
	v_sub_u32_e32 v16, v19, v16
	v_sub_u16_e32 v18, v33, v18
	v_and_or_b32 v29, v27, 8, v1
	v_lshlrev_b32_e32 v14, 2, v13
	v_lshl_add_u32 v13, v13, 3, v8
	v_sub_u32_e32 v17, v26, v17
	v_bfe_i32 v18, v18, 0, 16
	v_xor_b32_e32 v30, v29, v31
	v_lshlrev_b32_e32 v16, 9, v16
	v_add3_u32 v14, v36, v14, v12
	v_lshl_add_u32 v12, v12, 1, v13
	v_lshl_add_u32 v15, v17, 2, v15
	v_sub_u32_e32 v26, v30, v26
	v_lshl_add_u32 v16, v18, 11, v16
	v_lshl_add_u32 v17, v15, 1, v12
	v_lshl_add_u32 v16, v26, 2, v16
	v_add3_u32 v14, v15, v14, v16
	v_lshl_add_u32 v15, v16, 1, v17
	v_xor_b32_e32 v16, v29, v10
	v_sub_u32_e32 v18, v16, v30
	v_lshrrev_b32_e32 v30, 2, v104
	v_lshrrev_b32_e32 v29, 5, v104
	v_and_or_b32 v30, v30, 8, v1
	v_sub_u32_e32 v19, v29, v19
	v_xor_b32_e32 v30, v30, v31
	v_sub_u32_e32 v16, v30, v16
	v_lshlrev_b32_e32 v19, 9, v19
	v_lshlrev_b32_e32 v26, 2, v18
	v_lshl_add_u32 v18, v18, 3, v15
	v_lshl_add_u32 v16, v16, 2, v19
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[204:207], v11
	ds_read_b128 v[200:203], v11 offset:8192
	ds_read_b128 v[196:199], v21
	ds_read_b128 v[192:195], v22 offset:8192
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add3_u32 v14, v26, v14, v16
	v_lshl_add_u32 v16, v16, 1, v18
	ds_read_b64 v[242:243], v12 offset:16384
	ds_read_b64 v[244:245], v17 offset:16384
	ds_read_b64 v[240:241], v15 offset:16384
	ds_read_b64 v[238:239], v16 offset:16384
	v_add_u32_e32 v12, 0x64, v28
	v_lshrrev_b16_e32 v16, 3, v12
	v_lshrrev_b32_e32 v15, 5, v12
	v_and_b32_e32 v16, 3, v16
	v_lshrrev_b32_e32 v12, 2, v12
	v_sub_u16_e32 v16, v16, v33
	v_and_or_b32 v12, v12, 8, v1
	v_sub_u32_e32 v15, v15, v29
	v_xor_b32_e32 v10, v12, v10
	v_lshlrev_b32_sdwa v12, v23, sext(v16) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	v_sub_u32_e32 v10, v10, v30
	v_lshl_add_u32 v12, v15, 10, v12
	v_lshl_add_u32 v10, v10, 3, v12
	v_lshl_add_u32 v10, v14, 1, v10
	ds_read_b64 v[250:251], v8 offset:16384
	ds_read_b64 v[248:249], v13 offset:16384
	ds_read_b64 v[246:247], v18 offset:16384
	ds_read_b64 v[236:237], v10 offset:16384
	v_bfe_u32 v8, v7, 3, 3
	v_xor_b32_e32 v8, v1, v8
	v_add_lshl_u32 v10, v6, s17, 7
	v_lshl_or_b32 v8, v8, 4, v10
	ds_write_b128 v8, v[42:45]
	ds_write_b128 v8, v[46:49] offset:4096
	ds_write_b128 v8, v[50:53] offset:8192
	ds_write_b128 v8, v[54:57] offset:12288
	v_lshlrev_b32_e32 v10, 2, v102
	v_add_u32_e32 v8, s17, v27
	v_mad_u64_u32 v[12:13], s[12:13], v8, s37, v[10:11]
	v_lshlrev_b32_e32 v13, 1, v12
	v_add_lshl_u32 v12, v12, s37, 1
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_load_dwordx2 v[14:15], v13, s[56:59], 0 offen
	buffer_load_dwordx2 v[16:17], v12, s[56:59], 0 offen
	s_lshl_b32 s12, s6, 6
	s_ashr_i32 s13, s12, 31
	v_lshl_add_u64 v[2:3], v[4:5], 0, s[12:13]
	v_mad_u64_u32 v[4:5], s[12:13], v8, s40, v[10:11]
	v_readfirstlane_b32 s21, v3
	v_and_b32_e32 v3, 31, v7
	s_add_i32 s6, s55, s16
	v_lshlrev_b32_e32 v130, 2, v3
	s_lshl_b32 s66, s6, 1
	v_lshlrev_b32_e32 v3, 1, v4
	v_add_lshl_u32 v10, v4, s40, 1
	buffer_load_dwordx2 v[4:5], v3, s[64:67], 0 offen
	buffer_load_dwordx2 v[18:19], v10, s[64:67], 0 offen
	buffer_load_dword v31, v130, s[44:47], 0 offen
	buffer_load_dword v32, v130, s[60:63], 0 offen
	s_lshr_b32 s6, s7, 4
	v_lshrrev_b16_e32 v10, 2, v28
	ds_read_b128 v[188:191], v11
	ds_read_b128 v[184:187], v11 offset:8192
	ds_read_b128 v[180:183], v21
	ds_read_b128 v[176:179], v22 offset:8192
	s_and_b32 s6, s6, 0xffffff0
	v_xor_b32_e32 v21, v102, v10
	v_or_b32_e32 v3, s6, v102
	v_lshlrev_b32_e32 v10, 2, v21
	v_lshlrev_b32_e32 v23, 3, v109
	v_lshl_or_b32 v22, v3, 6, v10
	v_lshl_or_b32 v108, v3, 7, v23
	v_and_b32_e32 v3, 14, v8
	v_xor_b32_e32 v23, v3, v102
	v_or_b32_e32 v3, 1, v3
	v_lshlrev_b32_e32 v26, 7, v8
	v_xor_b32_e32 v3, v3, v102
	v_lshl_or_b32 v26, v23, 3, v26
	v_sub_u32_e32 v3, v3, v23
	v_lshl_add_u32 v3, v3, 3, v26
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_lshrrev_b32_e32 v28, 1, v8
	v_lshlrev_b32_e32 v30, 5, v8
	v_and_b32_e32 v28, 12, v28
	v_and_b32_e32 v30, 0xffffff00, v30
	v_xor_b32_e32 v29, v28, v131
	v_readfirstlane_b32 s20, v2
	v_and_b32_e32 v2, 56, v9
	v_lshrrev_b16_e32 v2, 2, v2
	v_lshlrev_b32_e32 v133, 1, v22
	v_xor_b32_e32 v2, v102, v2
	v_lshlrev_b32_e32 v10, 2, v103
	v_add_lshl_u32 v136, v10, s6, 2
	v_and_b32_e32 v11, 3, v7
	v_lshl_or_b32 v114, v111, 2, v11
	v_bfe_u32 v112, v7, 4, 1
	v_xor_b32_e32 v140, v114, v113
	v_and_b32_e32 v13, 2, v37
	s_mov_b32 s18, 0
	v_lshlrev_b32_e32 v11, 6, v114
	v_lshlrev_b32_e32 v12, 2, v140
	v_lshl_or_b32 v13, v112, 10, v13
	s_waitcnt vmcnt(5)
	ds_write_b64 v26, v[14:15] offset:12288
	s_waitcnt vmcnt(4)
	ds_write_b64 v3, v[16:17] offset:12416
	v_perm_b32 v23, v14, v16, s8
	v_perm_b32 v14, v14, v16, s9
	v_perm_b32 v16, v15, v17, s8
	v_perm_b32 v15, v15, v17, s9
	v_lshlrev_b32_e32 v17, 5, v7
	v_lshl_or_b32 v17, v7, 1, v17
	v_and_b32_e32 v132, 0x402, v17
	v_add_u32_e32 v17, v30, v132
	v_lshl_or_b32 v17, v29, 2, v17
	v_lshlrev_b32_e32 v30, 1, v17
	ds_write_b32 v30, v23
	v_or_b32_e32 v23, 1, v28
	v_xor_b32_e32 v23, v23, v131
	v_sub_u32_e32 v29, v23, v29
	v_lshlrev_b32_e32 v29, 2, v29
	v_add_lshl_u32 v17, v29, v17, 1
	ds_write_b32 v17, v14 offset:128
	v_or_b32_e32 v14, 2, v28
	v_xor_b32_e32 v14, v14, v131
	v_add_u32_e32 v29, 0x80, v17
	v_sub_u32_e32 v23, v14, v23
	v_lshl_add_u32 v23, v23, 3, v29
	ds_write_b32 v23, v16 offset:128
	v_or_b32_e32 v16, 3, v28
	v_xor_b32_e32 v16, v16, v131
	v_add_u32_e32 v29, 0x80, v23
	v_sub_u32_e32 v14, v16, v14
	v_lshl_add_u32 v14, v14, 3, v29
	ds_write_b32 v14, v15 offset:128
	s_waitcnt vmcnt(1)
	ds_write_b32 v130, v31 offset:16384
	ds_write_b64 v26, v[4:5] offset:4096
	ds_write_b64 v3, v[18:19] offset:4224
	v_perm_b32 v3, v4, v18, s8
	v_perm_b32 v4, v4, v18, s9
	v_perm_b32 v15, v5, v19, s8
	v_perm_b32 v5, v5, v19, s9
	ds_write_b32 v30, v3 offset:8192
	ds_write_b32 v17, v4 offset:8320
	ds_write_b32 v23, v15 offset:8320
	ds_write_b32 v14, v5 offset:8320
	s_waitcnt vmcnt(0)
	ds_write_b32 v130, v32 offset:16512
	v_or_b32_e32 v3, 1, v27
	v_xor_b32_e32 v3, v3, v102
	v_sub_u32_e32 v4, v3, v21
	v_lshlrev_b32_e32 v5, 2, v4
	v_lshl_add_u32 v134, v4, 3, v133
	v_sub_u32_e32 v3, v2, v3
	v_lshlrev_b32_e32 v4, 11, v20
	v_lshl_add_u32 v3, v3, 2, v4
	v_add3_u32 v14, v22, v5, v3
	v_lshl_add_u32 v135, v3, 1, v134
	v_lshrrev_b32_e32 v3, 6, v24
	v_sub_u32_e32 v15, v3, v20
	v_xor_b32_e32 v3, v25, v7
	v_and_b32_e32 v3, 15, v3
	v_sub_u32_e32 v16, v3, v2
	v_lshlrev_b32_e32 v2, 2, v16
	v_lshlrev_b32_e32 v3, 11, v15
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_lshl_u32 v17, v2, v3, 1
	ds_read_b128 v[232:235], v136 offset:16384
	ds_read_b128 v[228:231], v136 offset:16448
	ds_read_b128 v[70:73], v136 offset:16512
	ds_read_b128 v[2:5], v136 offset:16576
	v_lshlrev_b32_e32 v15, 12, v15
	v_lshl_add_u32 v15, v16, 3, v15
	v_add_u32_e32 v137, v135, v17
	v_lshl_add_u32 v138, v14, 1, v15
	s_cmp_gt_i32 s52, 32
	s_cbranch_scc1 .LBB0_6
	s_add_i32 s55, s69, 0x80
	s_mov_b64 s[6:7], 0
	s_branch .LBB0_7
.LBB0_6:
	s_mov_b64 s[6:7], -1
.LBB0_7:
	ds_read2st64_b64 v[76:79], v133 offset0:24 offset1:28
	ds_read2st64_b64 v[80:83], v134 offset0:24 offset1:28
	ds_read2st64_b64 v[94:97], v135 offset0:24 offset1:28
	ds_read2st64_b64 v[212:215], v137 offset0:8 offset1:24
	ds_read2st64_b64 v[208:211], v138 offset0:12 offset1:28
	ds_read2st64_b64 v[220:223], v133 offset0:8 offset1:12
	ds_read2st64_b64 v[224:227], v134 offset0:8 offset1:12
	ds_read2st64_b64 v[216:219], v135 offset0:8 offset1:12
	s_load_dwordx2 s[28:29], s[0:1], 0x40
	v_or3_b32 v141, v13, v11, v12
	s_andn2_b64 vcc, exec, s[6:7]
	v_or_b32_e32 v106, s69, v102
	v_lshlrev_b32_e32 v115, 1, v141
	v_or_b32_e32 v123, 8, v113
	v_add_u32_e32 v142, 16, v10
	v_add_u32_e32 v125, 18, v10
	v_or_b32_e32 v122, 2, v113
	v_or_b32_e32 v121, 10, v113
	v_or_b32_e32 v120, 4, v113
	v_or_b32_e32 v119, 12, v113
	v_or_b32_e32 v118, 6, v113
	v_or_b32_e32 v117, 14, v113
	v_and_b32_e32 v129, 47, v7
	v_or_b32_e32 v126, 2, v112
	v_lshrrev_b32_e32 v165, 2, v7
	v_lshrrev_b32_e32 v107, 3, v9
	v_cmp_ne_u32_e64 s[0:1], 0, v112
	v_cmp_eq_u32_e64 s[14:15], 2, v112
	v_cmp_eq_u32_e64 s[16:17], 3, v112
	s_cbranch_vccnz .LBB0_12
	v_lshrrev_b32_e32 v9, 3, v142
	v_sub_u32_e32 v10, v9, v111
	v_lshlrev_b32_e32 v11, 2, v10
	v_add_u32_e32 v12, v11, v114
	v_ashrrev_i32_e32 v13, 31, v12
	v_lshrrev_b32_e32 v13, 28, v13
	v_add_u32_e32 v13, v12, v13
	v_and_b32_e32 v139, 14, v6
	v_xor_b32_e32 v6, v114, v123
	v_and_b32_e32 v13, -16, v13
	v_sub_u32_e32 v7, v6, v140
	v_sub_u32_e32 v13, v12, v13
	v_lshl_add_u32 v7, v7, 2, v141
	v_xor_b32_e32 v13, v13, v113
	v_lshlrev_b32_e32 v10, 8, v10
	v_accvgpr_write_b32 a28, v140
	v_lshlrev_b32_e32 v140, 1, v7
	v_sub_u32_e32 v6, v13, v6
	v_add_u32_e32 v7, v7, v10
	v_lshl_add_u32 v6, v6, 2, v7
	v_lshrrev_b32_e32 v7, 3, v125
	v_sub_u32_e32 v9, v7, v9
	v_lshlrev_b32_e32 v16, 2, v9
	v_add_u32_e32 v12, v12, v16
	v_ashrrev_i32_e32 v17, 31, v12
	v_lshrrev_b32_e32 v17, 28, v17
	v_add_u32_e32 v17, v12, v17
	v_and_b32_e32 v17, -16, v17
	v_sub_u32_e32 v17, v12, v17
	v_bfe_u32 v14, v125, 2, 1
	v_xor_b32_e32 v17, v17, v123
	v_sub_u32_e32 v15, v14, v112
	v_sub_u32_e32 v13, v17, v13
	v_lshlrev_b32_e32 v9, 8, v9
	v_lshlrev_b32_e32 v13, 2, v13
	v_lshl_add_u32 v9, v15, 10, v9
	v_sub_u32_e32 v7, v111, v7
	v_accvgpr_write_b32 a29, v141
	v_lshlrev_b32_e32 v141, 1, v6
	v_add3_u32 v6, v13, v9, v6
	v_sub_u32_e32 v13, v112, v14
	v_lshlrev_b32_e32 v14, 2, v7
	v_add_u32_e32 v12, v12, v14
	v_ashrrev_i32_e32 v15, 31, v12
	v_lshrrev_b32_e32 v15, 28, v15
	v_add_u32_e32 v15, v12, v15
	v_and_b32_e32 v15, -16, v15
	v_sub_u32_e32 v15, v12, v15
	v_xor_b32_e32 v18, v15, v122
	v_sub_u32_e32 v17, v18, v17
	v_lshlrev_b32_e32 v7, 8, v7
	v_lshlrev_b32_e32 v17, 2, v17
	v_lshl_add_u32 v7, v13, 10, v7
	v_xor_b32_e32 v13, v15, v121
	v_accvgpr_write_b32 a30, v142
	v_lshlrev_b32_e32 v142, 1, v6
	v_add3_u32 v6, v17, v7, v6
	v_sub_u32_e32 v15, v13, v18
	v_add_u32_e32 v12, v12, v11
	v_lshlrev_b32_e32 v143, 1, v6
	v_lshl_add_u32 v6, v15, 2, v6
	v_ashrrev_i32_e32 v15, 31, v12
	v_lshrrev_b32_e32 v15, 28, v15
	v_add_u32_e32 v15, v12, v15
	v_and_b32_e32 v15, -16, v15
	v_sub_u32_e32 v15, v12, v15
	v_xor_b32_e32 v15, v15, v122
	v_sub_u32_e32 v13, v15, v13
	v_lshlrev_b32_e32 v13, 2, v13
	v_add_u32_e32 v12, v12, v16
	v_lshlrev_b32_e32 v144, 1, v6
	v_add3_u32 v6, v13, v10, v6
	v_ashrrev_i32_e32 v13, 31, v12
	v_lshrrev_b32_e32 v13, 28, v13
	v_add_u32_e32 v13, v12, v13
	v_and_b32_e32 v13, -16, v13
	v_sub_u32_e32 v13, v12, v13
	v_xor_b32_e32 v13, v13, v121
	v_sub_u32_e32 v15, v13, v15
	v_lshlrev_b32_e32 v15, 2, v15
	v_add_u32_e32 v12, v12, v14
	v_lshlrev_b32_e32 v145, 1, v6
	v_add3_u32 v6, v15, v9, v6
	v_ashrrev_i32_e32 v15, 31, v12
	v_lshrrev_b32_e32 v15, 28, v15
	v_add_u32_e32 v15, v12, v15
	v_and_b32_e32 v15, -16, v15
	v_sub_u32_e32 v15, v12, v15
	v_xor_b32_e32 v17, v15, v120
	v_sub_u32_e32 v13, v17, v13
	v_lshlrev_b32_e32 v13, 2, v13
	v_lshlrev_b32_e32 v146, 1, v6
	v_add3_u32 v6, v13, v7, v6
	v_xor_b32_e32 v13, v15, v119
	v_sub_u32_e32 v15, v13, v17
	v_add_u32_e32 v12, v12, v11
	v_lshlrev_b32_e32 v147, 1, v6
	v_lshl_add_u32 v6, v15, 2, v6
	v_ashrrev_i32_e32 v15, 31, v12
	v_lshrrev_b32_e32 v15, 28, v15
	v_add_u32_e32 v15, v12, v15
	v_and_b32_e32 v15, -16, v15
	v_sub_u32_e32 v15, v12, v15
	v_xor_b32_e32 v15, v15, v120
	v_sub_u32_e32 v13, v15, v13
	v_lshlrev_b32_e32 v13, 2, v13
	v_add_u32_e32 v12, v12, v16
	v_lshlrev_b32_e32 v148, 1, v6
	v_add3_u32 v6, v13, v10, v6
	v_ashrrev_i32_e32 v13, 31, v12
	v_lshrrev_b32_e32 v13, 28, v13
	v_add_u32_e32 v13, v12, v13
	v_and_b32_e32 v13, -16, v13
	v_sub_u32_e32 v13, v12, v13
	v_add_u32_e32 v12, v12, v14
	v_ashrrev_i32_e32 v14, 31, v12
	v_lshrrev_b32_e32 v14, 28, v14
	v_add_u32_e32 v14, v12, v14
	v_xor_b32_e32 v13, v13, v119
	v_and_b32_e32 v14, -16, v14
	v_add_u32_e32 v11, v12, v11
	v_sub_u32_e32 v15, v13, v15
	v_sub_u32_e32 v14, v12, v14
	v_ashrrev_i32_e32 v12, 31, v11
	v_lshlrev_b32_e32 v15, 2, v15
	v_lshrrev_b32_e32 v12, 28, v12
	v_lshlrev_b32_e32 v149, 1, v6
	v_add3_u32 v6, v15, v9, v6
	v_xor_b32_e32 v15, v14, v118
	v_add_u32_e32 v12, v11, v12
	v_sub_u32_e32 v13, v15, v13
	v_and_b32_e32 v12, -16, v12
	v_lshlrev_b32_e32 v13, 2, v13
	v_sub_u32_e32 v12, v11, v12
	v_lshlrev_b32_e32 v150, 1, v6
	v_add3_u32 v6, v13, v7, v6
	v_xor_b32_e32 v7, v14, v117
	v_xor_b32_e32 v12, v12, v118
	v_sub_u32_e32 v13, v7, v15
	v_sub_u32_e32 v7, v12, v7
	v_lshlrev_b32_e32 v151, 1, v6
	v_lshl_add_u32 v6, v13, 2, v6
	v_lshlrev_b32_e32 v7, 2, v7
	v_lshlrev_b32_e32 v152, 1, v6
	v_add3_u32 v6, v7, v10, v6
	v_add_u32_e32 v7, v11, v16
	v_ashrrev_i32_e32 v10, 31, v7
	v_lshrrev_b32_e32 v10, 28, v10
	v_add_u32_e32 v10, v7, v10
	v_and_b32_e32 v10, 0x3ffffff0, v10
	v_sub_u32_e32 v7, v7, v10
	v_xor_b32_e32 v7, v7, v117
	v_sub_u32_e32 v7, v7, v12
	v_lshl_add_u32 v7, v7, 2, v9
	v_lshlrev_b32_e32 v153, 1, v6
	v_add_lshl_u32 v154, v7, v6, 1
	v_lshrrev_b32_e32 v6, 3, v164
	v_lshrrev_b32_e32 v7, 7, v104
	v_bfe_u32 v9, v104, 3, 4
	v_sub_u32_e32 v160, v6, v107
	v_sub_u32_e32 v161, v9, v6
	v_sub_u32_e32 v6, 0, v7
	s_add_i32 s8, s52, 31
	s_add_i32 s55, s69, 0x80
	v_accvgpr_write_b32 a26, v164
	v_lshlrev_b32_e32 v164, 12, v6
	v_add_u32_e32 v6, 33, v8
	s_cmp_gt_i32 s55, s53
	v_lshlrev_b32_e32 v162, 12, v7
	v_mul_lo_u32 v7, s37, v6
	s_cselect_b64 s[6:7], -1, 0
	v_and_b32_e32 v155, 28, v165
	v_accvgpr_write_b32 a27, v165
	v_and_b32_e32 v156, 12, v165
	s_lshr_b32 s8, s8, 4
	v_lshlrev_b32_e32 v165, 1, v7
	v_add_u32_e32 v7, 32, v8
	v_mul_lo_u32 v6, s40, v6
	s_lshl_b32 s52, s2, 3
	s_and_b32 s82, s8, 0xffffffe
	v_lshlrev_b32_e32 v166, 3, v102
	v_mul_lo_u32 v8, s37, v7
	v_lshlrev_b32_e32 v168, 1, v6
	v_mul_lo_u32 v6, s40, v7
	v_cndmask_b32_e64 v74, 0, 1, s[6:7]
	s_lshl_b32 s26, s33, 2
	s_mov_b32 s27, 0x20000
	s_mul_i32 s69, s41, 13
	v_or_b32_e32 v157, 1, v156
	v_or_b32_e32 v158, 2, v156
	v_or_b32_e32 v159, 3, v156
	s_mov_b32 s38, 0
	v_sub_u32_e32 v163, v103, v9
	s_add_u32 s70, s54, 0x9e3779b9
	s_add_u32 s71, s39, 0xbb67ae85
	s_add_u32 s72, s54, 0x3c6ef372
	s_add_u32 s73, s39, 0x76cf5d0a
	s_add_u32 s74, s54, 0xdaa66d2b
	s_add_u32 s75, s39, 0x32370b8f
	s_add_u32 s76, s54, 0x78dde6e4
	s_add_u32 s77, s39, 0xed9eba14
	s_add_u32 s78, s54, 0x1715609d
	s_add_u32 s79, s39, 0xa9066899
	s_add_i32 s80, s54, 0xb54cda56
	s_add_i32 s81, s39, 0x646e171e
	s_add_i32 s82, s82, -2
	s_lshl_b32 s83, s37, 6
	v_lshlrev_b32_e32 v167, 1, v8
	s_lshl_b32 s37, s40, 6
	v_lshlrev_b32_e32 v169, 1, v6
	v_or_b32_e32 v170, 0x80, v130
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v90, s36
	v_mov_b32_e32 v93, 0x3fb8aa3b
	s_mov_b32 s40, 0xcd9e8d57
	s_mov_b32 s84, 0xd2511f53
	s_movk_i32 s85, 0xff
	s_mov_b32 s86, 0x1000504
	s_mov_b32 s87, 0x3020706
	v_cmp_ne_u32_e64 s[6:7], 1, v74
	v_mov_b32_e32 v171, 0xff800000
	s_lshr_b32 s88, s52, 31
	v_cmp_eq_u32_e64 s[8:9], 1, v126
	v_cmp_eq_u32_e64 s[10:11], 2, v126
	v_accvgpr_write_b32 a31, v126
	v_cmp_eq_u32_e64 s[12:13], 3, v126
	s_and_b32 s89, s49, 0xff
	v_mov_b32_e32 v172, v166
	s_mov_b32 s90, 0
	v_mov_b32_e32 v128, v103
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v91, v232
	s_branch .LBB0_10
.LBB0_9:
	v_add_u32_e32 v92, v167, v172
	buffer_load_dwordx2 v[98:99], v92, s[56:59], 0 offen
	v_add_u32_e32 v92, v165, v172
	buffer_load_dwordx2 v[100:101], v92, s[56:59], 0 offen
	v_add_u32_e32 v92, v169, v166
	buffer_load_dwordx2 v[94:95], v92, s[64:67], 0 offen
	v_add_u32_e32 v92, v168, v166
	buffer_load_dwordx2 v[96:97], v92, s[64:67], 0 offen
	buffer_load_dword a24, v170, s[44:47], 0 offen
	buffer_load_dword a25, v170, s[60:63], 0 offen
	v_mov_b32_e32 v92, v82
	v_pk_mul_f32 v[174:175], v[90:91], v[92:93]
	v_mov_b32_e32 v91, v233
	v_fma_f32 v78, s36, v78, -v175
	v_mov_b32_e32 v92, v83
	v_exp_f32_e32 v173, v78
	v_sub_f32_e32 v78, v174, v175
	v_pk_mul_f32 v[82:83], v[90:91], v[92:93]
	v_exp_f32_e32 v174, v78
	v_fma_f32 v78, s36, v79, -v83
	v_exp_f32_e32 v175, v78
	v_sub_f32_e32 v78, v82, v83
	v_mov_b32_e32 v91, v234
	v_mov_b32_e32 v92, v84
	v_exp_f32_e32 v232, v78
	v_pk_mul_f32 v[78:79], v[90:91], v[92:93]
	v_mov_b32_e32 v91, v235
	v_sub_f32_e32 v78, v78, v79
	v_mov_b32_e32 v92, v85
	v_fma_f32 v80, s36, v80, -v79
	v_exp_f32_e32 v234, v78
	v_pk_mul_f32 v[78:79], v[90:91], v[92:93]
	v_mov_b32_e32 v91, v228
	v_sub_f32_e32 v78, v78, v79
	v_mov_b32_e32 v92, v86
	v_exp_f32_e32 v233, v80
	v_fma_f32 v80, s36, v81, -v79
	v_exp_f32_e32 v116, v78
	v_pk_mul_f32 v[78:79], v[90:91], v[92:93]
	v_mov_b32_e32 v91, v229
	v_fma_f32 v74, s36, v74, -v79
	v_mov_b32_e32 v92, v87
	v_exp_f32_e32 v228, v74
	v_sub_f32_e32 v74, v78, v79
	v_pk_mul_f32 v[78:79], v[90:91], v[92:93]
	v_exp_f32_e32 v126, v74
	v_fma_f32 v74, s36, v75, -v79
	v_readfirstlane_b32 s18, v0
	v_exp_f32_e32 v229, v74
	v_sub_f32_e32 v74, v78, v79
	v_mov_b32_e32 v91, v230
	v_mov_b32_e32 v92, v88
	s_bfe_u32 s19, s18, 0x20006
	v_exp_f32_e32 v105, v74
	v_pk_mul_f32 v[74:75], v[90:91], v[92:93]
	s_or_b32 s19, s19, s52
	v_sub_f32_e32 v74, v74, v75
	v_mov_b32_e32 v91, v231
	v_mov_b32_e32 v92, v89
	s_add_i32 s94, s19, s88
	v_fma_f32 v76, s36, v76, -v75
	v_exp_f32_e32 v230, v74
	v_pk_mul_f32 v[74:75], v[90:91], v[92:93]
	s_and_b32 s93, s94, 0xffffffe
	v_sub_f32_e32 v74, v74, v75
	s_sub_i32 s19, s19, s93
	v_exp_f32_e32 v231, v74
	v_lshl_add_u32 v74, s19, 4, v129
	v_exp_f32_e32 v88, v76
	v_fma_f32 v76, s36, v77, -v75
	s_lshr_b32 s91, s18, 7
	v_ashrrev_i32_e32 v75, 31, v74
	s_add_i32 s91, s90, s91
	s_ashr_i32 s92, s94, 1
	v_lshl_add_u64 v[74:75], s[20:21], 0, v[74:75]
	v_exp_f32_e32 v89, v76
	s_lshr_b32 s91, s91, 1
	s_xor_b32 s95, s39, s92
	v_mad_u64_u32 v[76:77], s[92:93], v74, s84, 0
	s_mul_i32 s19, s91, 0xcd9e8d57
	v_xor_b32_e32 v74, s95, v77
	s_mul_hi_u32 s91, s91, 0xcd9e8d57
	v_mad_u64_u32 v[78:79], s[92:93], v74, s40, 0
	s_xor_b32 s19, s19, s70
	s_xor_b32 s91, s91, s54
	v_xor_b32_e32 v74, s19, v79
	v_exp_f32_e32 v235, v80
	v_mad_u64_u32 v[80:81], s[92:93], v74, s84, 0
	v_xor_b32_e32 v74, s91, v75
	v_mad_u64_u32 v[74:75], s[92:93], v74, s84, 0
	v_xor_b32_e32 v75, s71, v75
	v_xor_b32_e32 v75, v75, v76
	v_mad_u64_u32 v[86:87], s[92:93], v75, s40, 0
	v_xor_b32_e32 v75, s72, v87
	v_xor_b32_e32 v76, v75, v78
	v_xor_b32_e32 v78, s73, v81
	v_xor_b32_e32 v81, v78, v74
	v_mad_u64_u32 v[78:79], s[92:93], v76, s84, 0
	v_mad_u64_u32 v[82:83], s[92:93], v81, s40, 0
	v_xor_b32_e32 v79, s75, v79
	v_xor_b32_e32 v76, s74, v83
	v_xor_b32_e32 v79, v79, v80
	v_xor_b32_e32 v76, v76, v86
	v_mad_u64_u32 v[84:85], s[92:93], v79, s40, 0
	v_mad_u64_u32 v[80:81], s[92:93], v76, s84, 0
	v_xor_b32_e32 v76, s76, v85
	v_xor_b32_e32 v76, v76, v82
	v_xor_b32_e32 v79, s77, v81
	v_xor_b32_e32 v81, v79, v78
	v_mad_u64_u32 v[78:79], s[92:93], v76, s84, 0
	v_mad_u64_u32 v[82:83], s[92:93], v81, s40, 0
	v_xor_b32_e32 v79, s79, v79
	v_xor_b32_e32 v76, s78, v83
	v_xor_b32_e32 v79, v79, v80
	v_xor_b32_e32 v76, v76, v84
	v_mad_u64_u32 v[84:85], s[92:93], v79, s40, 0
	v_mad_u64_u32 v[80:81], s[92:93], v76, s84, 0
	v_xor_b32_e32 v76, v85, v82
	v_xor_b32_e32 v76, s80, v76
	v_xor_b32_e32 v78, v81, v78
	v_xor_b32_e32 v78, s81, v78
	v_cndmask_b32_e64 v79, v76, v84, s[0:1]
	v_cndmask_b32_e64 v79, v79, v78, s[14:15]
	v_cndmask_b32_e64 v79, v79, v80, s[16:17]
	v_cndmask_b32_e64 v76, v76, v84, s[8:9]
	v_cndmask_b32_e64 v76, v76, v78, s[10:11]
	v_cmp_lt_u16_sdwa s[92:93], s89, v79 src0_sel:DWORD src1_sel:BYTE_0
	v_lshrrev_b32_e32 v78, 8, v79
	v_cndmask_b32_e64 v76, v76, v80, s[12:13]
	v_cndmask_b32_e64 v127, v173, -v173, s[92:93]
	v_cmp_lt_u16_sdwa s[92:93], s89, v78 src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_sdwa v78, v79, s85 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	s_add_i32 s94, s94, 4
	v_cndmask_b32_e64 v84, v175, -v175, s[92:93]
	v_cmp_lt_u16_sdwa s[92:93], s89, v79 src0_sel:DWORD src1_sel:BYTE_3
	v_cmp_lt_u16_e32 vcc, s89, v78
	v_lshrrev_b32_e32 v78, 8, v76
	v_cndmask_b32_e64 v85, v235, -v235, s[92:93]
	v_cmp_lt_u16_sdwa s[92:93], s89, v76 src0_sel:DWORD src1_sel:BYTE_0
	s_ashr_i32 s91, s94, 1
	s_xor_b32 s91, s39, s91
	v_cndmask_b32_e64 v92, v228, -v228, s[92:93]
	v_cmp_lt_u16_sdwa s[92:93], s89, v78 src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_sdwa v78, v76, s85 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_cndmask_b32_e64 v175, v233, -v233, vcc
	v_cndmask_b32_e64 v82, v229, -v229, s[92:93]
	v_cmp_lt_u16_sdwa s[92:93], s89, v76 src0_sel:DWORD src1_sel:BYTE_3
	v_xor_b32_e32 v76, s91, v77
	v_cmp_lt_u16_e32 vcc, s89, v78
	v_cndmask_b32_e64 v83, v89, -v89, s[92:93]
	v_mad_u64_u32 v[76:77], s[92:93], v76, s40, 0
	v_xor_b32_e32 v77, s19, v77
	v_mad_u64_u32 v[78:79], s[92:93], v77, s84, 0
	v_xor_b32_e32 v75, v75, v76
	v_xor_b32_e32 v76, s73, v79
	v_xor_b32_e32 v76, v76, v74
	v_mad_u64_u32 v[74:75], s[92:93], v75, s84, 0
	v_mad_u64_u32 v[76:77], s[92:93], v76, s40, 0
	v_xor_b32_e32 v75, s75, v75
	v_xor_b32_e32 v77, s74, v77
	v_xor_b32_e32 v75, v75, v78
	v_xor_b32_e32 v77, v77, v86
	v_mad_u64_u32 v[80:81], s[92:93], v75, s40, 0
	v_mad_u64_u32 v[78:79], s[92:93], v77, s84, 0
	v_xor_b32_e32 v75, s76, v81
	v_xor_b32_e32 v75, v75, v76
	v_xor_b32_e32 v76, s77, v79
	v_xor_b32_e32 v76, v76, v74
	v_mad_u64_u32 v[74:75], s[92:93], v75, s84, 0
	v_mad_u64_u32 v[76:77], s[92:93], v76, s40, 0
	v_xor_b32_e32 v75, s79, v75
	v_xor_b32_e32 v77, s78, v77
	v_xor_b32_e32 v75, v75, v78
	v_xor_b32_e32 v77, v77, v80
	v_mad_u64_u32 v[80:81], s[92:93], v75, s40, 0
	v_mad_u64_u32 v[78:79], s[92:93], v77, s84, 0
	v_xor_b32_e32 v75, v81, v76
	v_xor_b32_e32 v75, s80, v75
	v_xor_b32_e32 v74, v79, v74
	v_xor_b32_e32 v74, s81, v74
	v_cndmask_b32_e64 v76, v75, v80, s[0:1]
	v_cndmask_b32_e64 v76, v76, v74, s[14:15]
	v_cndmask_b32_e64 v76, v76, v78, s[16:17]
	v_cndmask_b32_e64 v75, v75, v80, s[8:9]
	v_cndmask_b32_e64 v74, v75, v74, s[10:11]
	v_cmp_lt_u16_sdwa s[92:93], s89, v76 src0_sel:DWORD src1_sel:BYTE_0
	v_lshrrev_b32_e32 v75, 8, v76
	ds_read2st64_b32 v[254:255], v115 offset1:32
	ds_read2st64_b32 a[10:11], v140 offset1:32
	ds_read2st64_b32 v[210:211], v141 offset1:32
	ds_read2st64_b32 a[2:3], v142 offset1:32
	ds_read2st64_b32 a[6:7], v143 offset1:32
	ds_read2st64_b32 a[14:15], v144 offset1:32
	ds_read2st64_b32 v[214:215], v145 offset1:32
	v_cndmask_b32_e64 v124, v174, -v174, s[92:93]
	v_cmp_lt_u16_sdwa s[92:93], s89, v75 src0_sel:DWORD src1_sel:BYTE_0
	ds_read2st64_b32 a[4:5], v146 offset1:32
	ds_read2st64_b32 a[12:13], v147 offset1:32
	ds_read2st64_b32 a[20:21], v148 offset1:32
	ds_read2st64_b32 v[252:253], v149 offset1:32
	ds_read2st64_b32 a[8:9], v150 offset1:32
	ds_read2st64_b32 a[18:19], v151 offset1:32
	ds_read2st64_b32 a[22:23], v152 offset1:32
	ds_read2st64_b32 a[0:1], v153 offset1:32
	ds_read2st64_b32 a[16:17], v154 offset1:32
	v_cndmask_b32_e64 v91, v88, -v88, vcc
	v_cndmask_b32_e64 v74, v74, v78, s[12:13]
	v_cndmask_b32_e64 v88, v232, -v232, s[92:93]
	v_and_b32_sdwa v75, v76, s85 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_cmp_lt_u16_sdwa s[92:93], s89, v76 src0_sel:DWORD src1_sel:BYTE_3
	v_cmp_lt_u16_e32 vcc, s89, v75
	v_lshrrev_b32_e32 v75, 8, v74
	v_cndmask_b32_e64 v89, v116, -v116, s[92:93]
	v_cmp_lt_u16_sdwa s[92:93], s89, v74 src0_sel:DWORD src1_sel:BYTE_0
	v_cndmask_b32_e64 v110, v234, -v234, vcc
	s_nop 0
	v_cndmask_b32_e64 v174, v126, -v126, s[92:93]
	v_cmp_lt_u16_sdwa s[92:93], s89, v75 src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_sdwa v75, v74, s85 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_cmp_lt_u16_e32 vcc, s89, v75
	v_cndmask_b32_e64 v86, v105, -v105, s[92:93]
	v_cmp_lt_u16_sdwa s[92:93], s89, v74 src0_sel:DWORD src1_sel:BYTE_3
	v_cndmask_b32_e64 v173, v230, -v230, vcc
	s_nop 0
	v_cndmask_b32_e64 v87, v231, -v231, s[92:93]
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x16_f16 v[74:77], v[220:221], v[188:189], 0
	s_lshr_b32 s19, s18, 3
	s_and_b32 s19, s19, 0x1ffffff8
	v_add_u32_e32 v105, s19, v139
	v_mfma_f32_16x16x16_f16 v[74:77], v[224:225], v[190:191], v[74:77]
	v_and_b32_e32 v116, 14, v105
	v_xor_b32_e32 v126, v116, v102
	v_or_b32_e32 v116, 1, v116
	v_mfma_f32_16x16x16_f16 v[78:81], v[220:221], v[184:185], 0
	v_xor_b32_e32 v116, v116, v102
	v_sub_u32_e32 v116, v116, v126
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[78:81], v[224:225], v[186:187], v[78:81]
	s_barrier
	v_mfma_f32_16x16x16_f16 v[228:231], v[222:223], v[188:189], 0
	v_mfma_f32_16x16x16_f16 v[228:231], v[226:227], v[190:191], v[228:231]
	v_mfma_f32_16x16x16_f16 v[220:223], v[222:223], v[184:185], 0
	v_mfma_f32_16x16x16_f16 v[220:223], v[226:227], v[186:187], v[220:223]
	v_mfma_f32_16x16x16_f16 v[74:77], v[216:217], v[180:181], v[74:77]
	v_mfma_f32_16x16x16_f16 v[224:227], v[212:213], v[182:183], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[216:217], v[176:177], v[78:81]
	v_mfma_f32_16x16x16_f16 v[232:235], v[212:213], v[178:179], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[218:219], v[180:181], v[228:231]
	v_mfma_f32_16x16x16_f16 v[78:81], v[208:209], v[182:183], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[218:219], v[176:177], v[220:223]
	v_mfma_f32_16x16x16_f16 v[74:77], v[208:209], v[178:179], v[74:77]
	v_lshlrev_b32_e32 v208, 7, v105
	v_lshl_or_b32 v208, v126, 3, v208
	v_lshl_add_u32 v116, v116, 3, v208
	s_waitcnt vmcnt(5)
	ds_write_b64 v208, v[98:99] offset:12288
	s_waitcnt vmcnt(4)
	ds_write_b64 v116, v[100:101] offset:12416
	v_perm_b32 v126, v98, v100, s86
	v_perm_b32 v98, v98, v100, s87
	v_perm_b32 v100, v99, v101, s86
	v_perm_b32 v99, v99, v101, s87
	v_lshrrev_b32_e32 v101, 1, v105
	v_lshlrev_b32_e32 v105, 5, v105
	v_and_b32_e32 v101, 12, v101
	v_and_b32_e32 v105, 0xffffff00, v105
	v_xor_b32_e32 v209, v101, v131
	v_add_u32_e32 v105, v105, v132
	v_lshl_or_b32 v105, v209, 2, v105
	v_lshlrev_b32_e32 v212, 1, v105
	ds_write_b32 v212, v126
	v_or_b32_e32 v126, 1, v101
	v_xor_b32_e32 v126, v126, v131
	v_sub_u32_e32 v209, v126, v209
	v_lshlrev_b32_e32 v209, 2, v209
	v_add_lshl_u32 v105, v209, v105, 1
	ds_write_b32 v105, v98 offset:128
	v_or_b32_e32 v98, 2, v101
	v_xor_b32_e32 v98, v98, v131
	v_add_u32_e32 v209, 0x80, v105
	v_sub_u32_e32 v126, v98, v126
	v_lshl_add_u32 v126, v126, 3, v209
	ds_write_b32 v126, v100 offset:128
	v_or_b32_e32 v100, 3, v101
	v_xor_b32_e32 v100, v100, v131
	v_add_u32_e32 v209, 0x80, v126
	v_sub_u32_e32 v98, v100, v98
	v_lshl_add_u32 v98, v98, 3, v209
	ds_write_b32 v98, v99 offset:128
	s_waitcnt vmcnt(1)
	ds_write_b32 v130, a24 offset:16384
	ds_write_b64 v208, v[94:95] offset:4096
	ds_write_b64 v116, v[96:97] offset:4224
	v_perm_b32 v99, v94, v96, s86
	v_perm_b32 v94, v94, v96, s87
	v_perm_b32 v96, v95, v97, s86
	v_perm_b32 v95, v95, v97, s87
	ds_write_b32 v212, v99 offset:8192
	ds_write_b32 v105, v94 offset:8320
	ds_write_b32 v126, v96 offset:8320
	ds_write_b32 v98, v95 offset:8320
	s_waitcnt vmcnt(0)
	ds_write_b32 v130, a25 offset:16512
	v_cmp_nle_f32_e32 vcc, 0, v127
	v_sub_f32_e32 v94, v224, v70
	v_sub_f32_e32 v95, v232, v70
	v_cndmask_b32_e32 v94, v94, v70, vcc
	v_cmp_nle_f32_e32 vcc, 0, v124
	v_sub_f32_e32 v96, v233, v71
	v_sub_f32_e32 v97, v234, v72
	v_cndmask_b32_e32 v70, v95, v70, vcc
	v_cmp_nle_f32_e32 vcc, 0, v84
	v_sub_f32_e32 v95, v225, v71
	s_lshr_b32 s19, s18, 2
	v_cndmask_b32_e32 v95, v95, v71, vcc
	v_cmp_nle_f32_e32 vcc, 0, v88
	v_max_f32_e32 v209, 0, v84
	v_cvt_f16_f32_e32 v209, v209
	v_cndmask_b32_e32 v96, v96, v71, vcc
	v_cmp_nle_f32_e32 vcc, 0, v175
	v_sub_f32_e32 v71, v226, v72
	v_max_f32_e32 v212, 0, v85
	v_cndmask_b32_e32 v71, v71, v72, vcc
	v_cmp_nle_f32_e32 vcc, 0, v110
	s_lshr_b32 s18, s18, 4
	v_cvt_f16_f32_e32 v212, v212
	v_cndmask_b32_e32 v97, v97, v72, vcc
	v_cmp_nle_f32_e32 vcc, 0, v85
	v_sub_f32_e32 v72, v227, v73
	s_and_b32 s18, s18, 0xffffff0
	v_cndmask_b32_e32 v98, v72, v73, vcc
	v_cmp_nle_f32_e32 vcc, 0, v89
	v_sub_f32_e32 v72, v235, v73
	v_mov_b32_e32 v218, v255
	v_cndmask_b32_e32 v99, v72, v73, vcc
	v_cmp_nle_f32_e32 vcc, 0, v92
	v_sub_f32_e32 v72, v78, v2
	v_fma_mixlo_f16 v73, v175, v71, 0
	v_cndmask_b32_e32 v78, v72, v2, vcc
	v_cmp_nle_f32_e32 vcc, 0, v174
	v_sub_f32_e32 v72, v74, v2
	v_and_or_b32 v74, s19, 48, v102
	v_cndmask_b32_e32 v100, v72, v2, vcc
	v_cmp_nle_f32_e32 vcc, 0, v82
	v_sub_f32_e32 v2, v79, v3
	v_fma_mixlo_f16 v72, v127, v94, 0
	v_max_f32_e32 v127, 0, v127
	v_cndmask_b32_e32 v101, v2, v3, vcc
	v_cmp_nle_f32_e32 vcc, 0, v86
	v_sub_f32_e32 v2, v75, v3
	v_cvt_f16_f32_e32 v127, v127
	v_max_f32_e32 v175, 0, v175
	v_cndmask_b32_e32 v75, v2, v3, vcc
	v_cmp_nle_f32_e32 vcc, 0, v91
	v_sub_f32_e32 v2, v80, v4
	v_lshrrev_b32_e32 v126, 3, v74
	v_cvt_f16_f32_e32 v175, v175
	v_cndmask_b32_e32 v3, v2, v4, vcc
	v_cmp_nle_f32_e32 vcc, 0, v83
	v_sub_f32_e32 v2, v81, v5
	v_xor_b32_e32 v208, v126, v156
	v_cndmask_b32_e32 v105, v2, v5, vcc
	v_fma_mixlo_f16 v2, v92, v78, 0
	v_lshlrev_b32_e32 v78, 3, v208
	v_add_lshl_u32 v79, s18, v155, 7
	v_accvgpr_read_b32 v219, a11
	v_accvgpr_read_b32 v220, a7
	v_accvgpr_read_b32 v221, a15
	v_or3_b32 v213, v78, v79, v1
	v_pack_b32_f16 v78, v127, v209
	v_xor_b32_e32 v127, v126, v157
	v_pack_b32_f16 v79, v175, v212
	v_sub_u32_e32 v175, v127, v208
	v_lshlrev_b32_e32 v175, 3, v175
	v_fma_mixlo_f16 v80, v84, v95, 0
	v_lshlrev_b32_e32 v216, 1, v213
	v_add_lshl_u32 v175, v175, v213, 1
	v_xor_b32_e32 v208, v126, v158
	v_mfma_f32_16x16x16_f16 v[66:69], v[218:219], v[78:79], v[66:69]
	ds_write_b16 v216, v72 offset:16640
	v_sub_u32_e32 v127, v208, v127
	v_lshl_add_u32 v127, v127, 4, v175
	v_mfma_f32_16x16x16_f16 v[62:65], v[220:221], v[78:79], v[62:65]
	ds_write_b16 v175, v80 offset:16896
	v_xor_b32_e32 v80, v126, v159
	v_or_b32_e32 v126, 8, v126
	v_sub_u32_e32 v208, v80, v208
	v_xor_b32_e32 v209, v126, v156
	v_accvgpr_read_b32 v222, a13
	v_accvgpr_read_b32 v223, a21
	v_lshl_add_u32 v208, v208, 4, v127
	v_sub_u32_e32 v80, v209, v80
	v_accvgpr_read_b32 v224, a19
	v_accvgpr_read_b32 v225, a23
	v_fma_mixlo_f16 v70, v124, v70, 0
	v_lshl_add_u32 v212, v80, 4, v208
	v_max_f32_e32 v80, 0, v124
	v_max_f32_e32 v124, 0, v88
	v_fma_mixlo_f16 v71, v110, v97, 0
	v_cvt_f16_f32_e32 v80, v80
	v_cvt_f16_f32_e32 v124, v124
	v_max_f32_e32 v110, 0, v110
	v_max_f32_e32 v213, 0, v89
	v_cvt_f16_f32_e32 v110, v110
	v_cvt_f16_f32_e32 v213, v213
	v_fma_mixlo_f16 v81, v85, v98, 0
	v_mfma_f32_16x16x16_f16 v[58:61], v[222:223], v[78:79], v[58:61]
	ds_write_b16 v127, v73 offset:17152
	v_fma_mixlo_f16 v94, v88, v96, 0
	v_fma_mixlo_f16 v97, v89, v99, 0
	v_mfma_f32_16x16x16_f16 v[38:41], v[224:225], v[78:79], v[38:41]
	ds_write_b16 v208, v81 offset:17408
	v_xor_b32_e32 v81, v126, v157
	v_pack_b32_f16 v78, v80, v124
	v_sub_u32_e32 v80, v81, v209
	v_pack_b32_f16 v79, v110, v213
	v_lshl_add_u32 v110, v80, 4, v212
	v_xor_b32_e32 v80, v126, v158
	v_sub_u32_e32 v81, v80, v81
	v_mfma_f32_16x16x16_f16 v[42:45], v[218:219], v[78:79], v[42:45]
	ds_write_b16 v212, v70 offset:16640
	v_mov_b32_e32 v218, v211
	v_accvgpr_read_b32 v219, a3
	v_mfma_f32_16x16x16_f16 v[54:57], v[220:221], v[78:79], v[54:57]
	ds_write_b16 v110, v94 offset:16896
	v_lshl_add_u32 v94, v81, 4, v110
	v_xor_b32_e32 v81, v126, v159
	v_sub_u32_e32 v80, v81, v80
	v_mfma_f32_16x16x16_f16 v[50:53], v[222:223], v[78:79], v[50:53]
	v_lshl_add_u32 v124, v80, 4, v94
	ds_write_b16 v94, v71 offset:17152
	v_max_f32_e32 v80, 0, v91
	v_mfma_f32_16x16x16_f16 v[46:49], v[224:225], v[78:79], v[46:49]
	v_max_f32_e32 v78, 0, v92
	v_max_f32_e32 v79, 0, v82
	v_max_f32_e32 v81, 0, v83
	v_cvt_f16_f32_e32 v78, v78
	v_cvt_f16_f32_e32 v79, v79
	v_cvt_f16_f32_e32 v80, v80
	v_cvt_f16_f32_e32 v81, v81
	ds_write_b16 v124, v97 offset:17408
	v_pack_b32_f16 v78, v78, v79
	v_mov_b32_e32 v220, v215
	v_pack_b32_f16 v79, v80, v81
	v_accvgpr_read_b32 v221, a5
	v_accvgpr_read_b32 v217, a9
	v_mfma_f32_16x16x16_f16 v[66:69], v[218:219], v[78:79], v[66:69]
	ds_write_b16 v216, v2 offset:20736
	v_mov_b32_e32 v216, v253
	v_fma_mixlo_f16 v116, v82, v101, 0
	v_fma_mixlo_f16 v3, v91, v3, 0
	v_accvgpr_read_b32 v255, a10
	v_accvgpr_mov_b32 a7, a14
	v_accvgpr_mov_b32 a13, a20
	v_accvgpr_mov_b32 a19, a22
	v_mfma_f32_16x16x16_f16 v[62:65], v[220:221], v[78:79], v[62:65]
	ds_write_b16 v175, v116 offset:20992
	v_max_f32_e32 v81, 0, v174
	v_max_f32_e32 v91, 0, v86
	v_mfma_f32_16x16x16_f16 v[58:61], v[216:217], v[78:79], v[58:61]
	ds_write_b16 v127, v3 offset:21248
	v_accvgpr_read_b32 v126, a1
	v_accvgpr_read_b32 v127, a17
	v_max_f32_e32 v92, 0, v173
	v_max_f32_e32 v97, 0, v87
	v_cvt_f16_f32_e32 v81, v81
	v_cvt_f16_f32_e32 v91, v91
	v_cvt_f16_f32_e32 v92, v92
	v_cvt_f16_f32_e32 v97, v97
	v_fma_mixhi_f16 v72, v84, v95, 0
	v_fma_mixhi_f16 v73, v85, v98, 0
	v_accvgpr_read_b32 v211, a2
	v_accvgpr_read_b32 v215, a4
	v_accvgpr_read_b32 v253, a8
	v_accvgpr_mov_b32 a1, a16
	v_fma_mixlo_f16 v80, v83, v105, 0
	v_cmp_nle_f32_e32 vcc, 0, v173
	v_sub_f32_e32 v76, v76, v4
	v_mfma_f32_16x16x16_f16 v[6:9], v[254:255], v[72:73], v[6:9]
	v_cndmask_b32_e32 v4, v76, v4, vcc
	v_fma_mixhi_f16 v70, v88, v96, 0
	v_fma_mixhi_f16 v71, v89, v99, 0
	v_mfma_f32_16x16x16_f16 v[10:13], a[6:7], v[72:73], v[10:13]
	v_cmp_nle_f32_e32 vcc, 0, v87
	v_fma_mixhi_f16 v2, v82, v101, 0
	v_fma_mixhi_f16 v3, v83, v105, 0
	v_mfma_f32_16x16x16_f16 v[14:17], a[12:13], v[72:73], v[14:17]
	v_mfma_f32_16x16x16_f16 v[18:21], a[18:19], v[72:73], v[18:21]
	v_mfma_f32_16x16x16_f16 v[38:41], v[126:127], v[78:79], v[38:41]
	ds_write_b16 v208, v80 offset:21504
	v_pack_b32_f16 v78, v81, v91
	v_pack_b32_f16 v79, v92, v97
	v_fma_mixlo_f16 v80, v174, v100, 0
	v_fma_mixlo_f16 v81, v86, v75, 0
	v_mfma_f32_16x16x16_f16 v[42:45], v[218:219], v[78:79], v[42:45]
	ds_write_b16 v212, v80 offset:20736
	v_fma_mixhi_f16 v80, v86, v75, 0
	v_mfma_f32_16x16x16_f16 v[54:57], v[220:221], v[78:79], v[54:57]
	ds_write_b16 v110, v81 offset:20992
	v_fma_mixlo_f16 v81, v173, v4, 0
	v_sub_f32_e32 v4, v77, v5
	v_mfma_f32_16x16x16_f16 v[22:25], v[254:255], v[70:71], v[22:25]
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_mfma_f32_16x16x16_f16 v[26:29], a[6:7], v[70:71], v[26:29]
	v_mfma_f32_16x16x16_f16 v[30:33], a[12:13], v[70:71], v[30:33]
	v_mfma_f32_16x16x16_f16 v[34:37], a[18:19], v[70:71], v[34:37]
	v_mfma_f32_16x16x16_f16 v[6:9], v[210:211], v[2:3], v[6:9]
	v_mfma_f32_16x16x16_f16 v[10:13], v[214:215], v[2:3], v[10:13]
	v_mfma_f32_16x16x16_f16 v[14:17], v[252:253], v[2:3], v[14:17]
	v_mfma_f32_16x16x16_f16 v[18:21], a[0:1], v[2:3], v[18:21]
	v_fma_mixlo_f16 v2, v87, v4, 0
	v_xor_b32_e32 v3, v128, v102
	v_sub_u32_e32 v3, v3, v109
	v_mfma_f32_16x16x16_f16 v[50:53], v[216:217], v[78:79], v[50:53]
	ds_write_b16 v94, v81 offset:21248
	v_fma_mixhi_f16 v81, v87, v4, 0
	v_mfma_f32_16x16x16_f16 v[46:49], v[126:127], v[78:79], v[46:49]
	ds_write_b16 v124, v2 offset:21504
	v_lshlrev_b32_e32 v2, 1, v108
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[22:25], v[210:211], v[80:81], v[22:25]
	s_barrier
	ds_read_b128 v[84:87], v2 offset:16640
	v_lshl_add_u32 v2, v3, 4, v2
	v_mfma_f32_16x16x16_f16 v[26:29], v[214:215], v[80:81], v[26:29]
	ds_read2st64_b64 v[76:79], v133 offset0:24 offset1:28
	ds_read2st64_b64 v[94:97], v135 offset0:24 offset1:28
	ds_read_b64 v[214:215], v137 offset:12288
	v_mfma_f32_16x16x16_f16 v[30:33], v[252:253], v[80:81], v[30:33]
	ds_read_b64 v[210:211], v138 offset:14336
	ds_read_b128 v[232:235], v136 offset:16384
	ds_read_b128 v[228:231], v136 offset:16448
	v_mfma_f32_16x16x16_f16 v[34:37], a[0:1], v[80:81], v[34:37]
	ds_read2st64_b64 v[80:83], v134 offset0:24 offset1:28
	ds_read_b128 v[98:101], v2 offset:20736
	v_sub_u32_e32 v2, v107, v103
	v_add_u32_e32 v2, v128, v2
	v_xor_b32_e32 v70, v2, v102
	v_sub_u32_e32 v3, v70, v109
	v_lshl_add_u32 v88, v3, 3, v108
	v_lshlrev_b32_e32 v71, 1, v88
	v_add_u32_e32 v72, v2, v160
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_16x16x16_f16 v[2:5], v[84:85], v[250:251], 0
	ds_read_b128 v[216:219], v71 offset:16640
	v_xor_b32_e32 v75, v72, v102
	v_sub_u32_e32 v89, v75, v70
	v_mfma_f32_16x16x16_f16 v[2:5], v[86:87], v[248:249], v[2:5]
	ds_read_b128 v[222:225], v71 offset:20736
	v_lshl_add_u32 v84, v89, 4, v71
	v_add_u32_e32 v91, v72, v161
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[70:73], v[98:99], v[250:251], 0
	ds_read_b128 v[252:255], v84 offset:16640
	v_xor_b32_e32 v92, v91, v102
	v_sub_u32_e32 v75, v92, v75
	v_mfma_f32_16x16x16_f16 v[70:73], v[100:101], v[248:249], v[70:73]
	ds_read_b128 v[98:101], v84 offset:20736
	v_lshl_add_u32 v105, v75, 3, v162
	v_lshl_add_u32 v75, v105, 1, v84
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[2:5], v[216:217], v[242:243], v[2:5]
	ds_read_b128 a[0:3], v75 offset:16640
	s_add_i32 s18, s18, s38
	v_add_u32_e32 v128, v91, v163
	v_mfma_f32_16x16x16_f16 v[2:5], v[218:219], v[244:245], v[2:5]
	ds_read_b128 a[4:7], v75 offset:20736
	v_add_u32_e32 v75, s18, v155
	v_mad_u64_u32 v[74:75], s[18:19], v75, s41, v[74:75]
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[70:73], v[222:223], v[242:243], v[70:73]
	ds_read2st64_b64 v[220:223], v133 offset0:8 offset1:12
	v_lshlrev_b32_e32 v75, 2, v74
	v_add_u32_e32 v74, s41, v74
	v_mfma_f32_16x16x16_f16 v[70:73], v[224:225], v[244:245], v[70:73]
	ds_read2st64_b64 v[224:227], v134 offset0:8 offset1:12
	v_xor_b32_e32 v109, v128, v102
	s_add_i32 s38, s38, 32
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_16x16x16_f16 v[2:5], v[252:253], v[240:241], v[2:5]
	ds_read2st64_b64 v[216:219], v135 offset0:8 offset1:12
	s_add_i32 s90, s90, 2
	v_add_u32_e32 v172, s83, v172
	v_mfma_f32_16x16x16_f16 v[2:5], v[254:255], v[246:247], v[2:5]
	ds_read_b64 v[212:213], v137 offset:4096
	v_add_u32_e32 v166, s37, v166
	v_add_u32_e32 v170, 0x80, v170
	s_waitcnt lgkmcnt(6)
	v_mfma_f32_16x16x16_f16 v[70:73], v[98:99], v[240:241], v[70:73]
	ds_read_b64 v[208:209], v138 offset:6144
	s_cmp_lg_u32 s82, s90
	v_mov_b32_e32 v91, v232
	v_mfma_f32_16x16x16_f16 v[84:87], v[100:101], v[246:247], v[70:73]
	s_nop 2
	ds_read_b128 v[70:73], v136 offset:16512
	s_waitcnt lgkmcnt(7)
	v_mfma_f32_16x16x16_f16 v[98:101], a[0:1], v[238:239], v[2:5]
	s_nop 2
	ds_read_b128 v[2:5], v136 offset:16576
	v_mfma_f32_16x16x16_f16 v[98:101], a[2:3], v[236:237], v[98:101]
	s_waitcnt lgkmcnt(7)
	v_mfma_f32_16x16x16_f16 v[84:87], a[4:5], v[238:239], v[84:87]
	v_mfma_f32_16x16x16_f16 v[84:87], a[6:7], v[236:237], v[84:87]
	s_nop 3
	v_mul_f32_e32 v98, s35, v98
	v_mul_f32_e32 v99, s35, v99
	buffer_atomic_add_f32 v98, v75, s[24:27], 0 offen
	v_lshlrev_b32_e32 v75, 2, v74
	v_add_u32_e32 v74, s41, v74
	v_mul_f32_e32 v100, s35, v100
	buffer_atomic_add_f32 v99, v75, s[24:27], 0 offen
	v_lshlrev_b32_e32 v75, 2, v74
	v_add_u32_e32 v74, s41, v74
	v_mul_f32_e32 v101, s35, v101
	buffer_atomic_add_f32 v100, v75, s[24:27], 0 offen
	v_lshlrev_b32_e32 v75, 2, v74
	v_add_u32_e32 v74, s69, v74
	v_mul_f32_e32 v84, s35, v84
	buffer_atomic_add_f32 v101, v75, s[24:27], 0 offen
	v_lshlrev_b32_e32 v75, 2, v74
	v_add_u32_e32 v74, s41, v74
	v_mul_f32_e32 v85, s35, v85
	buffer_atomic_add_f32 v84, v75, s[24:27], 0 offen
	v_lshlrev_b32_e32 v75, 2, v74
	v_add_u32_e32 v74, s41, v74
	v_mul_f32_e32 v86, s35, v86
	buffer_atomic_add_f32 v85, v75, s[24:27], 0 offen
	v_lshlrev_b32_e32 v75, 2, v74
	v_mul_f32_e32 v87, s35, v87
	buffer_atomic_add_f32 v86, v75, s[24:27], 0 offen
	v_add_lshl_u32 v74, v74, s41, 2
	buffer_atomic_add_f32 v87, v74, s[24:27], 0 offen
	v_lshlrev_b32_e32 v74, 3, v89
	v_sub_u32_e32 v75, v109, v92
	v_add3_u32 v74, v74, v88, v105
	v_lshlrev_b32_e32 v75, 3, v75
	v_add3_u32 v108, v75, v164, v74
	s_cbranch_scc0 .LBB0_13
.LBB0_10:
	v_mfma_f32_16x16x16_f16 v[84:87], v[76:77], v[204:205], 0
	v_mfma_f32_16x16x16_f16 v[84:87], v[80:81], v[206:207], v[84:87]
	v_mfma_f32_16x16x16_f16 v[74:77], v[76:77], v[200:201], 0
	v_mfma_f32_16x16x16_f16 v[74:77], v[80:81], v[202:203], v[74:77]
	v_mfma_f32_16x16x16_f16 v[98:101], v[78:79], v[204:205], 0
	v_mfma_f32_16x16x16_f16 v[98:101], v[82:83], v[206:207], v[98:101]
	v_mfma_f32_16x16x16_f16 v[78:81], v[78:79], v[200:201], 0
	v_mfma_f32_16x16x16_f16 v[252:255], v[82:83], v[202:203], v[78:81]
	v_mfma_f32_16x16x16_f16 v[78:81], v[94:95], v[196:197], v[84:87]
	v_mfma_f32_16x16x16_f16 v[78:81], v[214:215], v[198:199], v[78:81]
	v_mfma_f32_16x16x16_f16 v[74:77], v[94:95], v[192:193], v[74:77]
	v_mfma_f32_16x16x16_f16 v[82:85], v[214:215], v[194:195], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[96:97], v[196:197], v[98:101]
	v_mfma_f32_16x16x16_f16 v[74:77], v[210:211], v[198:199], v[74:77]
	v_mfma_f32_16x16x16_f16 v[86:89], v[96:97], v[192:193], v[252:255]
	v_mfma_f32_16x16x16_f16 v[86:89], v[210:211], v[194:195], v[86:89]
	s_and_b64 vcc, exec, s[6:7]
	s_cbranch_vccnz .LBB0_9
	v_readfirstlane_b32 s18, v0
	s_lshr_b32 s18, s18, 2
	s_nop 0
	v_and_or_b32 v92, s18, 48, v106
	v_cmp_gt_i32_e32 vcc, s53, v92
	v_or_b32_e32 v92, 64, v92
	v_cmp_gt_i32_e64 s[18:19], s53, v92
	v_cndmask_b32_e32 v78, v171, v78, vcc
	v_cndmask_b32_e32 v79, v171, v79, vcc
	v_cndmask_b32_e64 v82, v171, v82, s[18:19]
	v_cndmask_b32_e64 v83, v171, v83, s[18:19]
	v_cndmask_b32_e32 v80, v171, v80, vcc
	v_cndmask_b32_e64 v84, v171, v84, s[18:19]
	v_cndmask_b32_e32 v81, v171, v81, vcc
	v_cndmask_b32_e64 v85, v171, v85, s[18:19]
	v_cndmask_b32_e32 v74, v171, v74, vcc
	v_cndmask_b32_e64 v86, v171, v86, s[18:19]
	v_cndmask_b32_e32 v75, v171, v75, vcc
	v_cndmask_b32_e64 v87, v171, v87, s[18:19]
	v_cndmask_b32_e32 v76, v171, v76, vcc
	v_cndmask_b32_e64 v88, v171, v88, s[18:19]
	v_cndmask_b32_e32 v77, v171, v77, vcc
	v_cndmask_b32_e64 v89, v171, v89, s[18:19]
	s_branch .LBB0_9
.LBB0_12:
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v128, v103
	s_mov_b32 s38, 0
	s_branch .LBB0_14
.LBB0_13:
	s_lshr_b32 s18, s38, 4
	v_accvgpr_read_b32 v164, a26
	v_accvgpr_read_b32 v165, a27
	v_accvgpr_read_b32 v140, a28
	v_accvgpr_read_b32 v141, a29
	v_accvgpr_read_b32 v142, a30
	v_accvgpr_read_b32 v126, a31
.LBB0_14:
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[84:87], v[76:77], v[204:205], 0
	s_cmp_gt_i32 s55, s53
	v_mfma_f32_16x16x16_f16 v[74:77], v[76:77], v[200:201], 0
	v_mfma_f32_16x16x16_f16 v[84:87], v[80:81], v[206:207], v[84:87]
	v_mfma_f32_16x16x16_f16 v[74:77], v[80:81], v[202:203], v[74:77]
	v_mfma_f32_16x16x16_f16 v[88:91], v[78:79], v[204:205], 0
	v_mfma_f32_16x16x16_f16 v[78:81], v[78:79], v[200:201], 0
	v_mfma_f32_16x16x16_f16 v[90:93], v[82:83], v[206:207], v[88:91]
	v_mfma_f32_16x16x16_f16 v[78:81], v[82:83], v[202:203], v[78:81]
	v_mfma_f32_16x16x16_f16 v[74:77], v[94:95], v[192:193], v[74:77]
	v_mfma_f32_16x16x16_f16 v[82:85], v[94:95], v[196:197], v[84:87]
	v_mfma_f32_16x16x16_f16 v[86:89], v[214:215], v[194:195], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[96:97], v[196:197], v[90:93]
	v_mfma_f32_16x16x16_f16 v[78:81], v[96:97], v[192:193], v[78:81]
	v_mfma_f32_16x16x16_f16 v[82:85], v[214:215], v[198:199], v[82:85]
	v_mfma_f32_16x16x16_f16 v[74:77], v[210:211], v[198:199], v[74:77]
	v_mfma_f32_16x16x16_f16 v[78:81], v[210:211], v[194:195], v[78:81]
	s_cbranch_scc1 .LBB0_16
	s_cbranch_execz .LBB0_17
	s_branch .LBB0_18
.LBB0_16:
.LBB0_17:
	v_readfirstlane_b32 s6, v0
	s_lshr_b32 s6, s6, 2
	v_mov_b32_e32 v91, 0xff800000
	v_and_or_b32 v90, s6, 48, v106
	v_cmp_gt_i32_e32 vcc, s53, v90
	v_or_b32_e32 v90, 64, v90
	v_cmp_gt_i32_e64 s[6:7], s53, v90
	v_cndmask_b32_e32 v82, v91, v82, vcc
	v_cndmask_b32_e32 v83, v91, v83, vcc
	v_cndmask_b32_e64 v86, v91, v86, s[6:7]
	v_cndmask_b32_e64 v87, v91, v87, s[6:7]
	v_cndmask_b32_e32 v84, v91, v84, vcc
	v_cndmask_b32_e64 v88, v91, v88, s[6:7]
	v_cndmask_b32_e32 v85, v91, v85, vcc
	v_cndmask_b32_e64 v89, v91, v89, s[6:7]
	v_cndmask_b32_e32 v74, v91, v74, vcc
	v_cndmask_b32_e64 v78, v91, v78, s[6:7]
	v_cndmask_b32_e32 v75, v91, v75, vcc
	v_cndmask_b32_e64 v79, v91, v79, s[6:7]
	v_cndmask_b32_e32 v76, v91, v76, vcc
	v_cndmask_b32_e64 v80, v91, v80, s[6:7]
	v_cndmask_b32_e32 v77, v91, v77, vcc
	v_cndmask_b32_e64 v81, v91, v81, s[6:7]
.LBB0_18:
	v_mov_b32_e32 v90, s36
	v_mov_b32_e32 v91, v232
	v_mov_b32_e32 v93, 0x3fb8aa3b
	v_mov_b32_e32 v92, v86
	v_pk_mul_f32 v[94:95], v[90:91], v[92:93]
	s_mul_i32 s6, s5, s43
	s_mul_hi_u32 s7, 0, s43
	v_fma_f32 v82, s36, v82, -v95
	v_mov_b32_e32 v91, v233
	v_mov_b32_e32 v92, v87
	s_add_i32 s10, s7, s6
	s_mul_hi_i32 s7, s51, s3
	s_mul_i32 s6, s51, s3
	v_exp_f32_e32 v96, v82
	v_sub_f32_e32 v82, v94, v95
	v_pk_mul_f32 v[86:87], v[90:91], v[92:93]
	s_add_i32 s10, s10, s68
	s_lshl_b64 s[6:7], s[6:7], 1
	v_exp_f32_e32 v94, v82
	v_fma_f32 v82, s36, v83, -v87
	s_add_u32 s8, s28, s6
	v_exp_f32_e32 v95, v82
	v_sub_f32_e32 v82, v86, v87
	v_mov_b32_e32 v91, v234
	v_mov_b32_e32 v92, v88
	s_addc_u32 s9, s29, s7
	s_mul_hi_i32 s7, s31, s4
	s_mul_i32 s6, s31, s4
	v_exp_f32_e32 v97, v82
	v_pk_mul_f32 v[82:83], v[90:91], v[92:93]
	s_lshl_b64 s[6:7], s[6:7], 1
	v_sub_f32_e32 v82, v82, v83
	v_mov_b32_e32 v91, v235
	v_mov_b32_e32 v92, v89
	s_add_u32 s8, s8, s6
	s_mul_i32 s5, s5, s42
	s_mul_hi_u32 s6, 0, s42
	v_fma_f32 v84, s36, v84, -v83
	v_exp_f32_e32 v98, v82
	v_pk_mul_f32 v[82:83], v[90:91], v[92:93]
	s_addc_u32 s9, s9, s7
	s_add_i32 s11, s6, s5
	s_mul_hi_i32 s7, s50, s3
	s_mul_i32 s6, s50, s3
	v_sub_f32_e32 v82, v82, v83
	v_mov_b32_e32 v91, v228
	v_mov_b32_e32 v92, v78
	s_add_i32 s11, s11, s48
	s_lshl_b64 s[6:7], s[6:7], 1
	v_exp_f32_e32 v88, v84
	v_fma_f32 v84, s36, v85, -v83
	v_exp_f32_e32 v99, v82
	v_pk_mul_f32 v[82:83], v[90:91], v[92:93]
	s_add_u32 s3, s22, s6
	s_mul_hi_i32 s5, s30, s4
	s_mul_i32 s4, s30, s4
	v_fma_f32 v74, s36, v74, -v83
	v_mov_b32_e32 v91, v229
	v_mov_b32_e32 v92, v79
	s_addc_u32 s6, s23, s7
	s_lshl_b64 s[4:5], s[4:5], 1
	v_exp_f32_e32 v100, v74
	v_sub_f32_e32 v74, v82, v83
	v_pk_mul_f32 v[78:79], v[90:91], v[92:93]
	s_add_u32 s12, s3, s4
	v_exp_f32_e32 v101, v74
	v_fma_f32 v74, s36, v75, -v79
	v_readfirstlane_b32 s19, v0
	s_addc_u32 s13, s6, s5
	v_exp_f32_e32 v105, v74
	v_sub_f32_e32 v74, v78, v79
	v_mov_b32_e32 v91, v230
	v_mov_b32_e32 v92, v80
	s_bfe_u32 s3, s19, 0x20006
	s_lshl_b32 s5, s2, 3
	v_exp_f32_e32 v110, v74
	v_pk_mul_f32 v[74:75], v[90:91], v[92:93]
	s_lshr_b32 s4, s19, 7
	s_or_b32 s3, s3, s5
	s_bfe_u32 s2, s2, 0x1001c
	v_sub_f32_e32 v74, v74, v75
	v_mov_b32_e32 v91, v231
	v_mov_b32_e32 v92, v81
	s_add_i32 s4, s4, s18
	s_add_i32 s18, s3, s2
	v_fma_f32 v76, s36, v76, -v75
	v_exp_f32_e32 v124, v74
	v_pk_mul_f32 v[74:75], v[90:91], v[92:93]
	s_and_b32 s5, s18, 0xffffffe
	v_sub_f32_e32 v74, v74, v75
	s_sub_i32 s3, s3, s5
	v_exp_f32_e32 v92, v74
	v_lshl_add_u32 v74, s3, 4, v129
	v_exp_f32_e32 v116, v76
	v_fma_f32 v76, s36, v77, -v75
	s_lshr_b32 s4, s4, 1
	v_ashrrev_i32_e32 v75, 31, v74
	s_ashr_i32 s2, s18, 1
	v_lshl_add_u64 v[74:75], s[20:21], 0, v[74:75]
	s_mul_hi_u32 s3, s4, 0xcd9e8d57
	s_mov_b32 s21, 0xd2511f53
	v_exp_f32_e32 v91, v76
	s_mul_i32 s5, s4, 0xcd9e8d57
	s_xor_b32 s4, s3, s54
	s_xor_b32 s6, s39, s2
	v_mad_u64_u32 v[76:77], s[2:3], v74, s21, 0
	s_mov_b32 s20, 0xcd9e8d57
	v_xor_b32_e32 v0, s6, v77
	s_add_i32 s6, s54, 0x9e3779b9
	v_mad_u64_u32 v[78:79], s[2:3], v0, s20, 0
	s_xor_b32 s22, s5, s6
	v_xor_b32_e32 v0, s22, v79
	v_mad_u64_u32 v[80:81], s[2:3], v0, s21, 0
	v_xor_b32_e32 v0, s4, v75
	s_add_i32 s7, s39, 0xbb67ae85
	v_mad_u64_u32 v[74:75], s[2:3], v0, s21, 0
	v_xor_b32_e32 v0, s7, v75
	v_xor_b32_e32 v0, v0, v76
	s_add_i32 s5, s54, 0x3c6ef372
	v_mad_u64_u32 v[82:83], s[2:3], v0, s20, 0
	s_add_i32 s23, s39, 0x76cf5d0a
	v_xor_b32_e32 v0, s5, v83
	v_xor_b32_e32 v75, v0, v78
	v_xor_b32_e32 v76, s23, v81
	v_xor_b32_e32 v76, v76, v74
	s_add_i32 s27, s39, 0x32370b8f
	v_mad_u64_u32 v[78:79], s[2:3], v75, s21, 0
	v_exp_f32_e32 v89, v84
	s_add_i32 s26, s54, 0xdaa66d2b
	v_mad_u64_u32 v[84:85], s[2:3], v76, s20, 0
	v_xor_b32_e32 v76, s27, v79
	v_xor_b32_e32 v75, s26, v85
	v_xor_b32_e32 v76, v76, v80
	v_xor_b32_e32 v75, v75, v82
	s_add_i32 s28, s54, 0x78dde6e4
	v_mad_u64_u32 v[86:87], s[2:3], v76, s20, 0
	s_add_i32 s29, s39, 0xed9eba14
	v_mad_u64_u32 v[80:81], s[2:3], v75, s21, 0
	v_xor_b32_e32 v75, s28, v87
	v_xor_b32_e32 v75, v75, v84
	v_xor_b32_e32 v76, s29, v81
	v_xor_b32_e32 v76, v76, v78
	s_add_i32 s31, s39, 0xa9066899
	v_mad_u64_u32 v[78:79], s[2:3], v75, s21, 0
	s_add_i32 s30, s54, 0x1715609d
	v_mad_u64_u32 v[84:85], s[2:3], v76, s20, 0
	v_xor_b32_e32 v76, s31, v79
	v_xor_b32_e32 v75, s30, v85
	v_xor_b32_e32 v76, v76, v80
	v_xor_b32_e32 v75, v75, v86
	v_mad_u64_u32 v[86:87], s[2:3], v76, s20, 0
	s_add_i32 s54, s54, 0xb54cda56
	v_mad_u64_u32 v[80:81], s[2:3], v75, s21, 0
	v_xor_b32_e32 v75, v87, v84
	s_add_i32 s36, s39, 0x646e171e
	v_xor_b32_e32 v75, s54, v75
	v_xor_b32_e32 v76, v81, v78
	v_xor_b32_e32 v76, s36, v76
	v_cndmask_b32_e64 v78, v75, v86, s[0:1]
	v_cndmask_b32_e64 v78, v78, v76, s[14:15]
	v_cmp_eq_u32_e32 vcc, 1, v126
	v_cndmask_b32_e64 v78, v78, v80, s[16:17]
	v_cmp_eq_u32_e64 s[2:3], 2, v126
	v_cndmask_b32_e32 v75, v75, v86, vcc
	s_and_b32 s40, s49, 0xff
	v_cndmask_b32_e64 v75, v75, v76, s[2:3]
	s_movk_i32 s37, 0xff
	v_cmp_lt_u16_sdwa s[6:7], s40, v78 src0_sel:DWORD src1_sel:BYTE_0
	v_lshrrev_b32_e32 v76, 8, v78
	v_cmp_eq_u32_e64 s[4:5], 3, v126
	v_cndmask_b32_e64 v126, v96, -v96, s[6:7]
	v_cmp_lt_u16_sdwa s[6:7], s40, v76 src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_sdwa v76, v78, s37 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_cndmask_b32_e64 v75, v75, v80, s[4:5]
	v_cndmask_b32_e64 v85, v95, -v95, s[6:7]
	v_cmp_lt_u16_e64 s[6:7], s40, v76
	v_lshrrev_b32_e32 v76, 8, v75
	s_add_i32 s18, s18, 4
	v_cndmask_b32_e64 v127, v88, -v88, s[6:7]
	v_cmp_lt_u16_sdwa s[6:7], s40, v78 src0_sel:DWORD src1_sel:BYTE_3
	ds_read_b32 v136, v115 offset:8192
	s_nop 0
	v_cndmask_b32_e64 v86, v89, -v89, s[6:7]
	v_cmp_lt_u16_sdwa s[6:7], s40, v75 src0_sel:DWORD src1_sel:BYTE_0
	s_nop 1
	v_cndmask_b32_e64 v79, v100, -v100, s[6:7]
	v_cmp_lt_u16_sdwa s[6:7], s40, v76 src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_sdwa v76, v75, s37 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	s_nop 0
	v_cndmask_b32_e64 v81, v105, -v105, s[6:7]
	v_cmp_lt_u16_e64 s[6:7], s40, v76
	s_nop 1
	v_cndmask_b32_e64 v90, v116, -v116, s[6:7]
	v_cmp_lt_u16_sdwa s[6:7], s40, v75 src0_sel:DWORD src1_sel:BYTE_3
	s_nop 1
	v_cndmask_b32_e64 v84, v91, -v91, s[6:7]
	s_ashr_i32 s6, s18, 1
	s_xor_b32 s6, s39, s6
	v_xor_b32_e32 v75, s6, v77
	v_mad_u64_u32 v[76:77], s[6:7], v75, s20, 0
	v_xor_b32_e32 v75, s22, v77
	v_mad_u64_u32 v[88:89], s[6:7], v75, s21, 0
	v_xor_b32_e32 v0, v0, v76
	v_xor_b32_e32 v75, s23, v89
	v_xor_b32_e32 v76, v75, v74
	v_mad_u64_u32 v[74:75], s[6:7], v0, s21, 0
	v_mad_u64_u32 v[76:77], s[6:7], v76, s20, 0
	v_xor_b32_e32 v75, s27, v75
	v_xor_b32_e32 v0, s26, v77
	v_xor_b32_e32 v75, v75, v88
	v_xor_b32_e32 v0, v0, v82
	v_mad_u64_u32 v[88:89], s[6:7], v75, s20, 0
	v_mad_u64_u32 v[82:83], s[6:7], v0, s21, 0
	v_xor_b32_e32 v0, s28, v89
	v_xor_b32_e32 v0, v0, v76
	v_xor_b32_e32 v75, s29, v83
	v_xor_b32_e32 v76, v75, v74
	v_mad_u64_u32 v[74:75], s[6:7], v0, s21, 0
	v_mad_u64_u32 v[76:77], s[6:7], v76, s20, 0
	v_xor_b32_e32 v75, s31, v75
	v_xor_b32_e32 v0, s30, v77
	v_xor_b32_e32 v75, v75, v82
	v_xor_b32_e32 v0, v0, v88
	v_mad_u64_u32 v[88:89], s[6:7], v75, s20, 0
	v_mad_u64_u32 v[82:83], s[6:7], v0, s21, 0
	v_xor_b32_e32 v0, v89, v76
	v_xor_b32_e32 v0, s54, v0
	v_xor_b32_e32 v74, v83, v74
	v_xor_b32_e32 v74, s36, v74
	v_cndmask_b32_e64 v75, v0, v88, s[0:1]
	v_cndmask_b32_e64 v75, v75, v74, s[14:15]
	v_cndmask_b32_e64 v75, v75, v82, s[16:17]
	v_cndmask_b32_e32 v0, v0, v88, vcc
	v_cndmask_b32_e64 v0, v0, v74, s[2:3]
	v_cmp_lt_u16_sdwa s[0:1], s40, v75 src0_sel:DWORD src1_sel:BYTE_0
	v_lshrrev_b32_e32 v74, 8, v75
	v_cndmask_b32_e64 v0, v0, v82, s[4:5]
	v_cndmask_b32_e64 v100, v94, -v94, s[0:1]
	v_cmp_lt_u16_sdwa s[0:1], s40, v74 src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_sdwa v74, v75, s37 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_bfe_u32 v94, v125, 2, 1
	v_cndmask_b32_e64 v88, v97, -v97, s[0:1]
	v_cmp_lt_u16_sdwa s[0:1], s40, v75 src0_sel:DWORD src1_sel:BYTE_3
	v_xor_b32_e32 v75, v114, v123
	v_sub_u32_e32 v76, v75, v140
	v_lshlrev_b32_e32 v77, 2, v76
	v_lshl_add_u32 v80, v76, 3, v115
	v_lshrrev_b32_e32 v76, 3, v142
	v_sub_u32_e32 v78, v76, v111
	v_lshl_add_u32 v82, v78, 2, v114
	v_ashrrev_i32_e32 v83, 31, v82
	v_lshrrev_b32_e32 v83, 28, v83
	v_add_u32_e32 v83, v82, v83
	v_and_b32_e32 v83, -16, v83
	v_sub_u32_e32 v83, v82, v83
	v_xor_b32_e32 v93, v83, v113
	v_lshlrev_b32_e32 v78, 8, v78
	v_sub_u32_e32 v75, v93, v75
	v_add3_u32 v77, v141, v77, v78
	v_lshl_add_u32 v75, v75, 2, v77
	v_lshrrev_b32_e32 v77, 3, v125
	v_sub_u32_e32 v76, v77, v76
	v_lshl_add_u32 v82, v76, 2, v82
	v_ashrrev_i32_e32 v96, 31, v82
	v_lshrrev_b32_e32 v96, 28, v96
	v_add_u32_e32 v96, v82, v96
	v_and_b32_e32 v96, -16, v96
	v_sub_u32_e32 v77, v111, v77
	v_sub_u32_e32 v95, v94, v112
	v_sub_u32_e32 v96, v82, v96
	v_lshlrev_b32_e32 v76, 8, v76
	v_lshl_add_u32 v82, v77, 2, v82
	v_lshl_add_u32 v76, v95, 10, v76
	v_ashrrev_i32_e32 v95, 31, v82
	v_lshrrev_b32_e32 v95, 28, v95
	v_add_u32_e32 v95, v82, v95
	v_and_b32_e32 v95, -16, v95
	v_sub_u32_e32 v82, v82, v95
	v_xor_b32_e32 v97, v96, v123
	v_sub_u32_e32 v94, v112, v94
	v_xor_b32_e32 v95, v82, v122
	v_lshlrev_b32_e32 v77, 8, v77
	v_cmp_lt_u16_e32 vcc, s40, v74
	v_cndmask_b32_e64 v89, v99, -v99, s[0:1]
	v_cmp_lt_u16_sdwa s[0:1], s40, v0 src0_sel:DWORD src1_sel:BYTE_0
	v_lshrrev_b32_e32 v74, 8, v0
	v_sub_u32_e32 v93, v97, v93
	v_sub_u32_e32 v97, v95, v97
	v_lshl_add_u32 v77, v94, 10, v77
	v_cndmask_b32_e64 v91, v101, -v101, s[0:1]
	v_cmp_lt_u16_sdwa s[0:1], s40, v74 src0_sel:DWORD src1_sel:BYTE_0
	v_lshlrev_b32_e32 v101, 1, v75
	v_lshl_add_u32 v93, v93, 2, v76
	v_lshl_add_u32 v94, v97, 2, v77
	v_cndmask_b32_e64 v87, v110, -v110, s[0:1]
	v_lshl_add_u32 v110, v93, 1, v101
	v_add3_u32 v75, v93, v75, v94
	v_xor_b32_e32 v93, v82, v121
	v_lshl_add_u32 v111, v94, 1, v110
	v_sub_u32_e32 v94, v93, v95
	v_lshl_add_u32 v75, v94, 2, v75
	v_xor_b32_e32 v94, v83, v122
	v_sub_u32_e32 v93, v94, v93
	v_lshlrev_b32_e32 v112, 1, v75
	v_lshl_add_u32 v93, v93, 2, v78
	v_add_u32_e32 v75, v93, v75
	v_lshl_add_u32 v113, v93, 1, v112
	v_xor_b32_e32 v93, v96, v121
	v_sub_u32_e32 v94, v93, v94
	v_xor_b32_e32 v95, v82, v120
	v_lshl_add_u32 v94, v94, 2, v76
	v_sub_u32_e32 v93, v95, v93
	v_lshl_add_u32 v114, v94, 1, v113
	v_lshl_add_u32 v93, v93, 2, v77
	v_add3_u32 v75, v94, v75, v93
	v_lshl_add_u32 v125, v93, 1, v114
	v_xor_b32_e32 v93, v82, v119
	v_sub_u32_e32 v94, v93, v95
	v_lshl_add_u32 v75, v94, 2, v75
	v_xor_b32_e32 v94, v83, v120
	v_sub_u32_e32 v93, v94, v93
	v_lshlrev_b32_e32 v129, 1, v75
	v_lshl_add_u32 v93, v93, 2, v78
	v_add_u32_e32 v75, v93, v75
	v_lshl_add_u32 v130, v93, 1, v129
	v_xor_b32_e32 v93, v96, v119
	v_sub_u32_e32 v94, v93, v94
	v_xor_b32_e32 v95, v82, v118
	v_lshl_add_u32 v94, v94, 2, v76
	v_sub_u32_e32 v93, v95, v93
	v_lshl_add_u32 v131, v94, 1, v130
	v_lshl_add_u32 v77, v93, 2, v77
	v_add3_u32 v75, v94, v75, v77
	v_lshl_add_u32 v132, v77, 1, v131
	v_xor_b32_e32 v77, v82, v117
	v_sub_u32_e32 v82, v77, v95
	v_lshlrev_b32_e32 v82, 2, v82
	v_add_lshl_u32 v82, v75, v82, 1
	v_xor_b32_e32 v75, v83, v118
	v_sub_u32_e32 v77, v75, v77
	v_lshl_add_u32 v77, v77, 2, v78
	v_lshl_add_u32 v83, v77, 1, v82
	v_xor_b32_e32 v77, v96, v117
	v_sub_u32_e32 v75, v77, v75
	v_lshl_add_u32 v75, v75, 2, v76
	v_lshl_add_u32 v133, v75, 1, v83
	ds_read_b32 v137, v80 offset:8192
	ds_read_b32 v138, v101 offset:8192
	ds_read_b32 v139, v110 offset:8192
	ds_read_b32 v140, v111 offset:8192
	ds_read_b32 v141, v112 offset:8192
	ds_read_b32 v142, v113 offset:8192
	ds_read_b32 v143, v114 offset:8192
	ds_read_b32 v144, v125 offset:8192
	ds_read_b32 v145, v129 offset:8192
	ds_read_b32 v146, v130 offset:8192
	ds_read_b32 v147, v131 offset:8192
	ds_read_b32 v148, v132 offset:8192
	ds_read_b32 v149, v82 offset:8192
	ds_read_b32 v78, v83 offset:8192
	ds_read_b32 v134, v133 offset:8192
	v_and_b32_sdwa v74, v0, s37 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_cndmask_b32_e64 v105, v98, -v98, vcc
	v_cmp_lt_u16_e32 vcc, s40, v74
	v_cmp_lt_u16_sdwa s[0:1], s40, v0 src0_sel:DWORD src1_sel:BYTE_3
	s_nop 0
	v_cndmask_b32_e64 v124, v124, -v124, vcc
	v_cndmask_b32_e64 v135, v92, -v92, s[0:1]
	v_mfma_f32_16x16x16_f16 v[74:77], v[220:221], v[188:189], 0
	ds_read_b32 v150, v115
	ds_read_b32 v151, v80
	ds_read_b32 v152, v101
	v_mfma_f32_16x16x16_f16 v[74:77], v[224:225], v[190:191], v[74:77]
	ds_read_b32 v153, v110
	ds_read_b32 v154, v111
	ds_read_b32 v155, v112
	v_mfma_f32_16x16x16_f16 v[92:95], v[220:221], v[184:185], 0
	ds_read_b32 v156, v113
	ds_read_b32 v157, v114
	ds_read_b32 v158, v125
	v_mfma_f32_16x16x16_f16 v[92:95], v[224:225], v[186:187], v[92:95]
	ds_read_b32 v159, v129
	ds_read_b32 v160, v130
	ds_read_b32 v161, v131
	v_mfma_f32_16x16x16_f16 v[96:99], v[222:223], v[188:189], 0
	ds_read_b32 v162, v132
	ds_read_b32 v163, v82
	ds_read_b32 v80, v83
	v_mfma_f32_16x16x16_f16 v[96:99], v[226:227], v[190:191], v[96:99]
	ds_read_b32 v114, v133
	v_mfma_f32_16x16x16_f16 v[116:119], v[222:223], v[184:185], 0
	v_mfma_f32_16x16x16_f16 v[116:119], v[226:227], v[186:187], v[116:119]
	v_mfma_f32_16x16x16_f16 v[74:77], v[216:217], v[180:181], v[74:77]
	v_mfma_f32_16x16x16_f16 v[120:123], v[212:213], v[182:183], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[216:217], v[176:177], v[92:95]
	v_mfma_f32_16x16x16_f16 v[92:95], v[212:213], v[178:179], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[218:219], v[180:181], v[96:99]
	v_mfma_f32_16x16x16_f16 v[96:99], v[208:209], v[182:183], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[218:219], v[176:177], v[116:119]
	v_mfma_f32_16x16x16_f16 v[74:77], v[208:209], v[178:179], v[74:77]
	v_cmp_nle_f32_e32 vcc, 0, v126
	v_sub_f32_e32 v0, v120, v70
	s_nop 0
	v_sub_f32_e32 v82, v92, v70
	v_cndmask_b32_e32 v0, v0, v70, vcc
	v_cmp_nle_f32_e32 vcc, 0, v100
	s_nop 0
	v_sub_f32_e32 v74, v74, v2
	v_max_f32_e32 v92, 0, v85
	v_cndmask_b32_e32 v70, v82, v70, vcc
	v_cmp_nle_f32_e32 vcc, 0, v85
	v_sub_f32_e32 v82, v121, v71
	v_max_f32_e32 v110, 0, v86
	v_cndmask_b32_e32 v115, v82, v71, vcc
	v_cmp_nle_f32_e32 vcc, 0, v88
	v_sub_f32_e32 v82, v93, v71
	v_max_f32_e32 v93, 0, v127
	v_cndmask_b32_e32 v71, v82, v71, vcc
	v_cmp_nle_f32_e32 vcc, 0, v127
	v_sub_f32_e32 v82, v122, v72
	s_lshr_b32 s0, s19, 2
	v_cndmask_b32_e32 v83, v82, v72, vcc
	v_cmp_nle_f32_e32 vcc, 0, v105
	v_sub_f32_e32 v82, v94, v72
	v_cvt_f16_f32_e32 v92, v92
	v_cndmask_b32_e32 v72, v82, v72, vcc
	v_cmp_nle_f32_e32 vcc, 0, v86
	v_sub_f32_e32 v82, v123, v73
	v_cvt_f16_f32_e32 v93, v93
	v_cndmask_b32_e32 v116, v82, v73, vcc
	v_cmp_nle_f32_e32 vcc, 0, v89
	v_sub_f32_e32 v82, v95, v73
	v_cvt_f16_f32_e32 v110, v110
	v_cndmask_b32_e32 v73, v82, v73, vcc
	v_cmp_nle_f32_e32 vcc, 0, v79
	v_sub_f32_e32 v82, v96, v2
	s_lshr_b32 s1, s19, 4
	v_cndmask_b32_e32 v101, v82, v2, vcc
	v_cmp_nle_f32_e32 vcc, 0, v91
	s_and_b32 s1, s1, 0xffffff0
	v_fma_mixlo_f16 v82, v126, v0, 0
	v_cndmask_b32_e32 v117, v74, v2, vcc
	v_cmp_nle_f32_e32 vcc, 0, v81
	v_sub_f32_e32 v2, v97, v3
	v_fma_mixlo_f16 v74, v100, v70, 0
	v_cndmask_b32_e32 v118, v2, v3, vcc
	v_cmp_nle_f32_e32 vcc, 0, v87
	v_sub_f32_e32 v2, v75, v3
	v_fma_mixlo_f16 v75, v105, v72, 0
	v_cndmask_b32_e32 v119, v2, v3, vcc
	v_max_f32_e32 v3, 0, v126
	v_cvt_f16_f32_e32 v3, v3
	v_and_or_b32 v72, s0, 48, v102
	v_cmp_nle_f32_e32 vcc, 0, v90
	v_sub_f32_e32 v2, v98, v4
	v_and_b32_e32 v70, 28, v165
	v_lshrrev_b32_e32 v97, 3, v72
	v_and_b32_e32 v98, 12, v165
	v_cndmask_b32_e32 v120, v2, v4, vcc
	v_cmp_nle_f32_e32 vcc, 0, v84
	v_sub_f32_e32 v2, v99, v5
	v_add_u32_e32 v123, s1, v70
	v_xor_b32_e32 v99, v97, v98
	v_cndmask_b32_e32 v121, v2, v5, vcc
	v_lshlrev_b32_e32 v0, 3, v99
	v_lshlrev_b32_e32 v2, 7, v123
	v_pack_b32_f16 v92, v3, v92
	v_pack_b32_f16 v93, v93, v110
	v_or_b32_e32 v110, 1, v98
	v_or3_b32 v111, v0, v2, v1
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x16_f16 v[0:3], v[136:137], v[92:93], v[66:69]
	v_lshlrev_b32_e32 v125, 1, v111
	v_fma_mixlo_f16 v83, v127, v83, 0
	v_fma_mixlo_f16 v94, v85, v115, 0
	v_xor_b32_e32 v66, v97, v110
	v_sub_u32_e32 v67, v66, v99
	v_lshlrev_b32_e32 v67, 3, v67
	v_or_b32_e32 v99, 2, v98
	v_add_lshl_u32 v126, v67, v111, 1
	v_xor_b32_e32 v67, v97, v99
	v_sub_u32_e32 v66, v67, v66
	v_or_b32_e32 v111, 3, v98
	v_lshl_add_u32 v127, v66, 4, v126
	v_xor_b32_e32 v66, v97, v111
	v_or_b32_e32 v97, 8, v97
	v_sub_u32_e32 v67, v66, v67
	v_xor_b32_e32 v98, v97, v98
	v_lshl_add_u32 v129, v67, 4, v127
	v_sub_u32_e32 v66, v98, v66
	v_lshl_add_u32 v130, v66, 4, v129
	v_max_f32_e32 v66, 0, v100
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b16 v125, v82 offset:16640
	v_mfma_f32_16x16x16_f16 v[62:65], v[140:141], v[92:93], v[62:65]
	ds_write_b16 v126, v94 offset:16896
	v_cvt_f16_f32_e32 v94, v66
	v_max_f32_e32 v66, 0, v88
	v_cvt_f16_f32_e32 v100, v66
	v_max_f32_e32 v66, 0, v105
	v_cvt_f16_f32_e32 v105, v66
	v_max_f32_e32 v66, 0, v89
	v_cvt_f16_f32_e32 v112, v66
	v_mfma_f32_16x16x16_f16 v[58:61], v[144:145], v[92:93], v[58:61]
	ds_write_b16 v127, v83 offset:17152
	v_fma_mixlo_f16 v95, v86, v116, 0
	v_fma_mixlo_f16 v96, v88, v71, 0
	v_mfma_f32_16x16x16_f16 v[66:69], v[148:149], v[92:93], v[38:41]
	ds_write_b16 v129, v95 offset:17408
	v_fma_mixlo_f16 v122, v89, v73, 0
	s_mov_b32 s1, 0xffff
	v_xor_b32_e32 v40, v97, v110
	v_sub_u32_e32 v41, v40, v98
	v_pack_b32_f16 v39, v105, v112
	v_lshl_add_u32 v105, v41, 4, v130
	v_xor_b32_e32 v41, v97, v99
	v_sub_u32_e32 v40, v41, v40
	v_lshl_add_u32 v131, v40, 4, v105
	v_xor_b32_e32 v40, v97, v111
	v_pack_b32_f16 v38, v94, v100
	v_sub_u32_e32 v40, v40, v41
	v_lshl_add_u32 v132, v40, 4, v131
	v_mfma_f32_16x16x16_f16 v[92:95], v[136:137], v[38:39], v[42:45]
	v_max_f32_e32 v40, 0, v79
	v_max_f32_e32 v41, 0, v81
	v_cvt_f16_f32_e32 v40, v40
	v_max_f32_e32 v42, 0, v90
	v_max_f32_e32 v43, 0, v84
	v_cvt_f16_f32_e32 v41, v41
	v_cvt_f16_f32_e32 v42, v42
	v_cvt_f16_f32_e32 v43, v43
	ds_write_b16 v130, v74 offset:16640
	v_mfma_f32_16x16x16_f16 v[54:57], v[140:141], v[38:39], v[54:57]
	ds_write_b16 v105, v96 offset:16896
	v_fma_mixlo_f16 v100, v79, v101, 0
	v_bfi_b32 v79, s1, v134, v134
	v_mfma_f32_16x16x16_f16 v[96:99], v[144:145], v[38:39], v[50:53]
	ds_write_b16 v131, v75 offset:17152
	v_cmp_nle_f32_e32 vcc, 0, v124
	v_fma_mixlo_f16 v101, v90, v120, 0
	v_mfma_f32_16x16x16_f16 v[110:113], v[148:149], v[38:39], v[46:49]
	ds_write_b16 v132, v122 offset:17408
	v_fma_mixlo_f16 v90, v91, v117, 0
	v_fma_mixlo_f16 v50, v84, v121, 0
	v_max_f32_e32 v48, 0, v91
	v_cvt_f16_f32_e32 v51, v48
	v_max_f32_e32 v48, 0, v87
	v_cvt_f16_f32_e32 v52, v48
	v_max_f32_e32 v48, 0, v124
	v_pack_b32_f16 v46, v40, v41
	v_pack_b32_f16 v47, v42, v43
	v_fma_mixlo_f16 v42, v81, v118, 0
	v_cvt_f16_f32_e32 v53, v48
	v_max_f32_e32 v48, 0, v135
	v_mfma_f32_16x16x16_f16 v[0:3], v[138:139], v[46:47], v[0:3]
	ds_write_b16 v125, v100 offset:20736
	v_fma_mixhi_f16 v82, v85, v115, 0
	v_fma_mixhi_f16 v83, v86, v116, 0
	v_mfma_f32_16x16x16_f16 v[38:41], v[142:143], v[46:47], v[62:65]
	ds_write_b16 v126, v42 offset:20992
	v_fma_mixhi_f16 v74, v88, v71, 0
	v_fma_mixhi_f16 v75, v89, v73, 0
	v_mfma_f32_16x16x16_f16 v[42:45], v[146:147], v[46:47], v[58:61]
	v_sub_f32_e32 v64, v76, v4
	v_cndmask_b32_e32 v4, v64, v4, vcc
	v_fma_mixlo_f16 v91, v124, v4, 0
	v_cvt_f16_f32_e32 v58, v48
	v_cmp_nle_f32_e32 vcc, 0, v135
	v_sub_f32_e32 v4, v77, v5
	v_pack_b32_f16 v62, v51, v52
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_pack_b32_f16 v63, v53, v58
	v_fma_mixlo_f16 v58, v87, v119, 0
	v_fma_mixlo_f16 v5, v135, v4, 0
	ds_write_b16 v127, v101 offset:21248
	v_mfma_f32_16x16x16_f16 v[46:49], v[78:79], v[46:47], v[66:69]
	ds_write_b16 v129, v50 offset:21504
	v_fma_mixhi_f16 v100, v81, v118, 0
	v_bfi_b32 v81, s1, v114, v114
	v_mfma_f32_16x16x16_f16 v[50:53], v[138:139], v[62:63], v[92:95]
	ds_write_b16 v130, v90 offset:20736
	v_fma_mixhi_f16 v101, v84, v121, 0
	v_fma_mixhi_f16 v90, v87, v119, 0
	v_mfma_f32_16x16x16_f16 v[54:57], v[142:143], v[62:63], v[54:57]
	ds_write_b16 v105, v58 offset:20992
	v_mfma_f32_16x16x16_f16 v[58:61], v[146:147], v[62:63], v[96:99]
	ds_write_b16 v131, v91 offset:21248
	v_fma_mixhi_f16 v91, v135, v4, 0
	v_lshlrev_b32_e32 v4, 1, v108
	v_mfma_f32_16x16x16_f16 v[62:65], v[78:79], v[62:63], v[110:113]
	ds_write_b16 v132, v5 offset:21504
	v_xor_b32_e32 v5, v128, v102
	v_sub_u32_e32 v5, v5, v109
	v_mfma_f32_16x16x16_f16 v[6:9], v[150:151], v[82:83], v[6:9]
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_16x16x16_f16 v[10:13], v[154:155], v[82:83], v[10:13]
	v_mfma_f32_16x16x16_f16 v[66:69], v[158:159], v[82:83], v[14:17]
	v_mfma_f32_16x16x16_f16 v[22:25], v[150:151], v[74:75], v[22:25]
	v_mfma_f32_16x16x16_f16 v[26:29], v[154:155], v[74:75], v[26:29]
	v_mfma_f32_16x16x16_f16 v[30:33], v[158:159], v[74:75], v[30:33]
	v_mfma_f32_16x16x16_f16 v[34:37], v[162:163], v[74:75], v[34:37]
	ds_read_b128 v[74:77], v4 offset:16640
	v_lshl_add_u32 v4, v5, 4, v4
	v_mfma_f32_16x16x16_f16 v[18:21], v[162:163], v[82:83], v[18:21]
	ds_read_b128 v[82:85], v4 offset:20736
	v_sub_u32_e32 v4, v107, v103
	v_add_u32_e32 v4, v128, v4
	v_xor_b32_e32 v5, v4, v102
	v_mfma_f32_16x16x16_f16 v[14:17], v[152:153], v[100:101], v[6:9]
	v_mfma_f32_16x16x16_f16 v[6:9], v[156:157], v[100:101], v[10:13]
	v_mfma_f32_16x16x16_f16 v[10:13], v[160:161], v[100:101], v[66:69]
	s_nop 2
	v_sub_u32_e32 v66, v5, v109
	v_mfma_f32_16x16x16_f16 v[18:21], v[80:81], v[100:101], v[18:21]
	v_lshlrev_b32_e32 v71, 3, v66
	v_mfma_f32_16x16x16_f16 v[22:25], v[152:153], v[90:91], v[22:25]
	v_mfma_f32_16x16x16_f16 v[26:29], v[156:157], v[90:91], v[26:29]
	v_mfma_f32_16x16x16_f16 v[30:33], v[160:161], v[90:91], v[30:33]
	v_mfma_f32_16x16x16_f16 v[34:37], v[80:81], v[90:91], v[34:37]
	v_add_lshl_u32 v71, v108, v71, 1
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[66:69], v[74:75], v[250:251], 0
	ds_read_b128 v[86:89], v71 offset:16640
	v_lshrrev_b16_e32 v73, 3, v164
	v_sub_u32_e32 v74, v73, v107
	v_add_u32_e32 v4, v4, v74
	v_xor_b32_e32 v78, v4, v102
	v_mfma_f32_16x16x16_f16 v[66:69], v[76:77], v[248:249], v[66:69]
	ds_read_b128 v[90:93], v71 offset:20736
	v_sub_u32_e32 v5, v78, v5
	v_lshl_add_u32 v5, v5, 4, v71
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[74:77], v[82:83], v[250:251], 0
	v_lshrrev_b16_e32 v71, 3, v104
	v_and_b32_e32 v71, 15, v71
	v_sub_u16_e32 v71, v71, v73
	ds_read_b128 v[80:83], v5 offset:16640
	v_add_u32_sdwa v4, v4, sext(v71) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	v_mfma_f32_16x16x16_f16 v[74:77], v[84:85], v[248:249], v[74:77]
	ds_read_b128 v[94:97], v5 offset:20736
	v_xor_b32_e32 v4, v4, v102
	v_lshlrev_b32_e32 v71, 5, v104
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[66:69], v[86:87], v[242:243], v[66:69]
	v_sub_u32_e32 v4, v4, v78
	v_and_b32_e32 v71, 0x1000, v71
	v_lshl_add_u32 v4, v4, 3, v71
	v_lshl_add_u32 v4, v4, 1, v5
	ds_read_b128 v[84:87], v4 offset:16640
	v_mfma_f32_16x16x16_f16 v[66:69], v[88:89], v[244:245], v[66:69]
	ds_read_b128 v[98:101], v4 offset:20736
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[74:77], v[90:91], v[242:243], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[92:93], v[244:245], v[74:77]
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[66:69], v[80:81], v[240:241], v[66:69]
	v_mfma_f32_16x16x16_f16 v[66:69], v[82:83], v[246:247], v[66:69]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[74:77], v[94:95], v[240:241], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[96:97], v[246:247], v[74:77]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[66:69], v[84:85], v[238:239], v[66:69]
	v_mfma_f32_16x16x16_f16 v[66:69], v[86:87], v[236:237], v[66:69]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[74:77], v[98:99], v[238:239], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[100:101], v[236:237], v[74:77]
	s_nop 6
	v_mul_f32_e32 v73, s35, v75
	v_add_u32_e32 v4, s38, v123
	v_mad_u64_u32 v[4:5], s[2:3], v4, s41, v[72:73]
	v_mul_f32_e32 v66, s35, v66
	s_lshl_b32 s26, s33, 2
	s_mov_b32 s27, 0x20000
	v_lshlrev_b32_e32 v5, 2, v4
	v_add_u32_e32 v4, s41, v4
	v_mul_f32_e32 v67, s35, v67
	buffer_atomic_add_f32 v66, v5, s[24:27], 0 offen
	v_lshlrev_b32_e32 v5, 2, v4
	v_add_u32_e32 v4, s41, v4
	v_mul_f32_e32 v68, s35, v68
	buffer_atomic_add_f32 v67, v5, s[24:27], 0 offen
	v_lshlrev_b32_e32 v5, 2, v4
	v_add_u32_e32 v4, s41, v4
	v_mul_f32_e32 v69, s35, v69
	buffer_atomic_add_f32 v68, v5, s[24:27], 0 offen
	v_lshlrev_b32_e32 v5, 2, v4
	buffer_atomic_add_f32 v69, v5, s[24:27], 0 offen
	v_mad_u64_u32 v[4:5], s[2:3], s41, 13, v[4:5]
	v_mul_f32_e32 v71, s35, v74
	v_lshlrev_b32_e32 v5, 2, v4
	v_add_u32_e32 v4, s41, v4
	buffer_atomic_add_f32 v71, v5, s[24:27], 0 offen
	v_lshlrev_b32_e32 v5, 2, v4
	v_add_u32_e32 v4, s41, v4
	v_mul_f32_e32 v74, s35, v76
	buffer_atomic_add_f32 v73, v5, s[24:27], 0 offen
	v_lshlrev_b32_e32 v5, 2, v4
	v_mul_f32_e32 v75, s35, v77
	buffer_atomic_add_f32 v74, v5, s[24:27], 0 offen
	v_add_lshl_u32 v4, v4, s41, 2
	buffer_atomic_add_f32 v75, v4, s[24:27], 0 offen
	s_mov_b32 s2, s35
	v_pk_mul_f32 v[4:5], s[2:3], v[16:17] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v16, v5
	v_cvt_f16_f32_e32 v17, v4
	v_pk_mul_f32 v[4:5], s[2:3], v[8:9] op_sel_hi:[0,1]
	v_pk_mul_f32 v[12:13], s[2:3], v[12:13] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v66, v4
	v_fma_mixlo_f16 v4, s35, v14, 0
	v_fma_mixlo_f16 v8, s35, v6, 0
	v_cvt_f16_f32_e32 v6, v13
	v_cvt_f16_f32_e32 v14, v12
	v_pk_mul_f32 v[12:13], s[2:3], v[20:21] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v9, v5
	v_pack_b32_f16 v5, v17, v16
	v_cvt_f16_f32_e32 v17, v13
	v_cvt_f16_f32_e32 v20, v12
	v_fma_mixlo_f16 v12, s35, v10, 0
	v_pack_b32_f16 v13, v14, v6
	v_fma_mixlo_f16 v16, s35, v18, 0
	v_pack_b32_f16 v17, v20, v17
	v_pk_mul_f32 v[20:21], s[2:3], v[24:25] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v6, v21
	v_cvt_f16_f32_e32 v10, v20
	v_pk_mul_f32 v[20:21], s[2:3], v[28:29] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v14, v21
	v_cvt_f16_f32_e32 v18, v20
	v_pk_mul_f32 v[28:29], s[2:3], v[32:33] op_sel_hi:[0,1]
	v_pack_b32_f16 v21, v10, v6
	v_cvt_f16_f32_e32 v6, v29
	v_cvt_f16_f32_e32 v10, v28
	v_pk_mul_f32 v[28:29], s[2:3], v[36:37] op_sel_hi:[0,1]
	v_pack_b32_f16 v25, v18, v14
	v_cvt_f16_f32_e32 v14, v29
	v_cvt_f16_f32_e32 v18, v28
	s_and_b32 s0, s0, 0x3ffffff0
	v_pack_b32_f16 v29, v10, v6
	v_fma_mixhi_f16 v8, s35, v7, 0
	v_pack_b32_f16 v33, v18, v14
	v_add_u32_e32 v18, s0, v106
	v_mad_u64_u32 v[6:7], s[0:1], v18, s42, v[70:71]
	v_fma_mixhi_f16 v4, s35, v15, 0
	s_lshl_b32 s14, s11, 1
	s_mov_b32 s15, s27
	v_lshlrev_b32_e32 v7, 1, v6
	s_lshl_b32 s0, s42, 6
	v_fma_mixlo_f16 v20, s35, v22, 0
	v_fma_mixlo_f16 v24, s35, v26, 0
	v_fma_mixlo_f16 v28, s35, v30, 0
	v_fma_mixlo_f16 v32, s35, v34, 0
	buffer_store_dwordx2 v[4:5], v7, s[12:15], 0 offen
	v_add_u32_e32 v4, 48, v6
	s_add_i32 s0, s0, 0x7fffffd0
	v_pack_b32_f16 v9, v66, v9
	v_fma_mixhi_f16 v12, s35, v11, 0
	v_fma_mixhi_f16 v16, s35, v19, 0
	v_fma_mixhi_f16 v20, s35, v23, 0
	v_fma_mixhi_f16 v24, s35, v27, 0
	v_fma_mixhi_f16 v28, s35, v31, 0
	v_fma_mixhi_f16 v32, s35, v35, 0
	v_lshlrev_b32_e32 v5, 1, v4
	v_add_lshl_u32 v4, s0, v4, 1
	v_pk_mul_f32 v[2:3], s[34:35], v[2:3] op_sel_hi:[0,1]
	buffer_store_dwordx2 v[8:9], v7, s[12:15], 0 offen offset:32
	buffer_store_dwordx2 v[12:13], v7, s[12:15], 0 offen offset:64
	buffer_store_dwordx2 v[16:17], v5, s[12:15], 0 offen
	buffer_store_dwordx2 v[20:21], v4, s[12:15], 0 offen
	buffer_store_dwordx2 v[24:25], v4, s[12:15], 0 offen offset:32
	buffer_store_dwordx2 v[28:29], v4, s[12:15], 0 offen offset:64
	buffer_store_dwordx2 v[32:33], v4, s[12:15], 0 offen offset:96
	v_cvt_f16_f32_e32 v4, v3
	v_cvt_f16_f32_e32 v5, v2
	v_pk_mul_f32 v[2:3], s[34:35], v[40:41] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v6, v3
	v_cvt_f16_f32_e32 v7, v2
	v_pack_b32_f16 v3, v5, v4
	v_fma_mixlo_f16 v2, s34, v0, 0
	v_fma_mixhi_f16 v2, s34, v1, 0
	v_pack_b32_f16 v5, v7, v6
	v_pk_mul_f32 v[6:7], s[34:35], v[44:45] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v0, v7
	v_cvt_f16_f32_e32 v8, v6
	v_pk_mul_f32 v[6:7], s[34:35], v[48:49] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v9, v7
	v_cvt_f16_f32_e32 v10, v6
	v_pack_b32_f16 v7, v8, v0
	v_fma_mixlo_f16 v4, s34, v38, 0
	v_fma_mixlo_f16 v6, s34, v42, 0
	v_pack_b32_f16 v9, v10, v9
	v_pk_mul_f32 v[10:11], s[34:35], v[52:53] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v0, v11
	v_cvt_f16_f32_e32 v12, v10
	v_pk_mul_f32 v[10:11], s[34:35], v[56:57] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v13, v11
	v_cvt_f16_f32_e32 v14, v10
	v_pack_b32_f16 v11, v12, v0
	v_fma_mixlo_f16 v8, s34, v46, 0
	v_fma_mixlo_f16 v10, s34, v50, 0
	v_pack_b32_f16 v13, v14, v13
	v_pk_mul_f32 v[14:15], s[34:35], v[60:61] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v0, v15
	v_cvt_f16_f32_e32 v16, v14
	v_pk_mul_f32 v[14:15], s[34:35], v[64:65] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v17, v15
	v_cvt_f16_f32_e32 v19, v14
	v_pack_b32_f16 v15, v16, v0
	v_mad_u64_u32 v[0:1], s[0:1], v18, s43, v[70:71]
	s_lshl_b32 s0, s43, 6
	v_fma_mixlo_f16 v12, s34, v54, 0
	v_fma_mixlo_f16 v14, s34, v58, 0
	v_fma_mixlo_f16 v16, s34, v62, 0
	v_fma_mixhi_f16 v4, s34, v39, 0
	v_fma_mixhi_f16 v6, s34, v43, 0
	s_lshl_b32 s10, s10, 1
	s_mov_b32 s11, s27
	v_lshlrev_b32_e32 v1, 1, v0
	v_add_u32_e32 v0, 48, v0
	s_add_i32 s0, s0, 0x7fffffd0
	v_pack_b32_f16 v17, v19, v17
	v_fma_mixhi_f16 v8, s34, v47, 0
	v_fma_mixhi_f16 v10, s34, v51, 0
	v_fma_mixhi_f16 v12, s34, v55, 0
	v_fma_mixhi_f16 v14, s34, v59, 0
	v_fma_mixhi_f16 v16, s34, v63, 0
	buffer_store_dwordx2 v[2:3], v1, s[8:11], 0 offen
	buffer_store_dwordx2 v[4:5], v1, s[8:11], 0 offen offset:32
	buffer_store_dwordx2 v[6:7], v1, s[8:11], 0 offen offset:64
	v_lshlrev_b32_e32 v1, 1, v0
	v_add_lshl_u32 v0, s0, v0, 1
	buffer_store_dwordx2 v[8:9], v1, s[8:11], 0 offen
	buffer_store_dwordx2 v[10:11], v0, s[8:11], 0 offen
	buffer_store_dwordx2 v[12:13], v0, s[8:11], 0 offen offset:32
	buffer_store_dwordx2 v[14:15], v0, s[8:11], 0 offen offset:64
	buffer_store_dwordx2 v[16:17], v0, s[8:11], 0 offen offset:96
	s_endpgm
	.amdhsa_kernel ck_fmha_dq_dk_dv_dropout
		.amdhsa_group_segment_fixed_size 32768
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 264
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 288
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 256
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 0
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
.Lfunc_end0:
	.set ck_fmha_dq_dk_dv_dropout.num_vgpr, 256
	.set ck_fmha_dq_dk_dv_dropout.num_agpr, 32
	.set ck_fmha_dq_dk_dv_dropout.numbered_sgpr, 96
	.set ck_fmha_dq_dk_dv_dropout.num_named_barrier, 0
	.set ck_fmha_dq_dk_dv_dropout.private_seg_size, 0
	.set ck_fmha_dq_dk_dv_dropout.uses_vcc, 1
	.set ck_fmha_dq_dk_dv_dropout.uses_flat_scratch, 0
	.set ck_fmha_dq_dk_dv_dropout.has_dyn_sized_stack, 0
	.set ck_fmha_dq_dk_dv_dropout.has_recursion, 0
	.set ck_fmha_dq_dk_dv_dropout.has_indirect_call, 0
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
__hip_cuid_:
	.byte	0
	.addrsig_sym __hip_cuid_
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     32
    .args:
      - .offset:         0
        .size:           264
        .value_kind:     by_value
    .group_segment_fixed_size: 32768
    .kernarg_segment_align: 8
    .kernarg_segment_size: 264
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_fmha_dq_dk_dv_dropout
    .private_segment_fixed_size: 0
    .sgpr_count:     102
    .sgpr_spill_count: 0
    .symbol:         ck_fmha_dq_dk_dv_dropout.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     288
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
