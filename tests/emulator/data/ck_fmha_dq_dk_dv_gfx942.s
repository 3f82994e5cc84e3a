; The gradients of a CK Tile attention (32 x 128 tile, fp16, heads of 64), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
ck_fmha_dq_dk_dv:
	s_load_dwordx8 s[24:31], s[0:1], 0xa8
	s_load_dwordx16 s[36:51], s[0:1], 0x0
	s_load_dwordx4 s[52:55], s[0:1], 0x48
	s_load_dwordx16 s[8:23], s[0:1], 0x5c
	s_lshl_b32 s34, s2, 7
	s_waitcnt lgkmcnt(0)
	s_mul_hi_i32 s7, s24, s4
	s_mul_i32 s6, s24, s4
	s_mul_hi_i32 s57, s25, s4
	s_mul_i32 s56, s25, s4
	s_mul_hi_i32 s25, s18, s3
	s_mul_i32 s24, s18, s3
	s_lshl_b64 s[24:25], s[24:25], 1
	s_add_u32 s2, s36, s24
	s_addc_u32 s5, s37, s25
	s_lshl_b64 s[6:7], s[6:7], 1
	s_add_u32 s24, s2, s6
	s_addc_u32 s25, s5, s7
	s_abs_i32 s2, s8
	v_cvt_f32_u32_e32 v1, s2
	s_mul_hi_i32 s7, s28, s4
	s_mul_i32 s6, s28, s4
	s_sub_i32 s18, 0, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s5, s3, s8
	s_abs_i32 s8, s3
	s_mul_hi_i32 s59, s26, s4
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s58, s26, s4
	s_mul_hi_i32 s63, s27, s4
	s_mul_i32 s62, s27, s4
	v_readfirstlane_b32 s28, v1
	s_mul_i32 s18, s18, s28
	s_mul_hi_u32 s18, s28, s18
	s_add_i32 s28, s28, s18
	s_mul_hi_u32 s18, s8, s28
	s_mul_i32 s28, s18, s2
	s_sub_i32 s8, s8, s28
	s_mul_hi_i32 s27, s29, s4
	s_mul_i32 s26, s29, s4
	s_ashr_i32 s5, s5, 31
	s_add_i32 s28, s18, 1
	s_sub_i32 s29, s8, s2
	s_cmp_ge_u32 s8, s2
	s_cselect_b32 s18, s28, s18
	s_cselect_b32 s8, s29, s8
	s_add_i32 s28, s18, 1
	s_cmp_ge_u32 s8, s2
	s_cselect_b32 s2, s28, s18
	s_xor_b32 s2, s2, s5
	s_sub_i32 s2, s2, s5
	s_mul_hi_i32 s29, s2, s19
	s_mul_i32 s28, s2, s19
	s_lshl_b64 s[18:19], s[28:29], 1
	s_add_u32 s5, s38, s18
	s_addc_u32 s8, s39, s19
	s_lshl_b64 s[18:19], s[56:57], 1
	s_add_u32 s56, s5, s18
	s_addc_u32 s57, s8, s19
	s_mul_hi_i32 s19, s2, s20
	s_mul_i32 s18, s2, s20
	s_lshl_b64 s[18:19], s[18:19], 1
	s_add_u32 s2, s40, s18
	s_addc_u32 s5, s41, s19
	s_lshl_b64 s[18:19], s[58:59], 1
	s_add_u32 s60, s2, s18
	s_addc_u32 s61, s5, s19
	s_mul_hi_i32 s19, s22, s3
	s_mul_i32 s18, s22, s3
	s_lshl_b64 s[18:19], s[18:19], 2
	s_add_u32 s2, s42, s18
	s_addc_u32 s5, s43, s19
	s_lshl_b64 s[6:7], s[6:7], 2
	s_add_u32 s36, s2, s6
	s_addc_u32 s37, s5, s7
	s_add_u32 s2, s46, s18
	s_addc_u32 s5, s47, s19
	s_add_u32 s40, s2, s6
	s_addc_u32 s41, s5, s7
	s_mul_hi_i32 s7, s21, s3
	s_mul_i32 s6, s21, s3
	s_lshl_b64 s[6:7], s[6:7], 1
	s_add_u32 s2, s44, s6
	s_addc_u32 s5, s45, s7
	s_lshl_b64 s[6:7], s[62:63], 1
	s_add_u32 s44, s2, s6
	s_addc_u32 s45, s5, s7
	s_add_i32 s2, s53, -1
	s_add_i32 s6, s55, -1
	s_mul_i32 s5, s2, s13
	s_add_u32 s29, s6, 1
	s_add_i32 s22, s52, -1
	s_add_i32 s33, s5, s29
	s_add_i32 s5, s54, -1
	s_mul_i32 s6, s22, s15
	s_add_u32 s5, s5, 1
	s_mul_hi_i32 s19, s23, s3
	s_mul_i32 s18, s23, s3
	s_add_i32 s7, s52, 0x7fffffff
	s_add_u32 s8, s6, s5
	s_lshl_b64 s[18:19], s[18:19], 2
	s_add_u32 s6, s48, s18
	s_addc_u32 s21, s49, s19
	s_lshl_b64 s[18:19], s[26:27], 2
	s_add_u32 s20, s6, s18
	v_readfirstlane_b32 s6, v0
	s_addc_u32 s21, s21, s19
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_lshr_b32 s18, s6, 1
	v_mbcnt_hi_u32_b32 v7, -1, v1
	s_and_b32 s26, s18, 0x7fffffe0
	v_lshrrev_b32_e32 v6, 3, v7
	v_lshlrev_b32_e32 v1, 3, v7
	s_add_i32 s18, s26, s34
	v_and_b32_e32 v20, 56, v1
	v_lshl_add_u32 v1, v6, 2, s18
	s_mul_i32 s28, s2, s12
	v_mad_u64_u32 v[8:9], s[18:19], v1, s12, v[20:21]
	s_add_i32 s18, s54, s28
	s_lshl_b32 s58, s18, 1
	s_mov_b32 s59, 0x20000
	v_lshlrev_b32_e32 v1, 1, v8
	buffer_load_dwordx4 v[2:5], v1, s[56:59], 0 offen
	v_add_u32_e32 v1, s12, v8
	v_lshlrev_b32_e32 v8, 1, v1
	buffer_load_dwordx4 v[8:11], v8, s[56:59], 0 offen
	v_add_u32_e32 v1, s12, v1
	v_lshlrev_b32_e32 v21, 1, v1
	v_add_lshl_u32 v1, v1, s12, 1
	buffer_load_dwordx4 v[12:15], v21, s[56:59], 0 offen
	buffer_load_dwordx4 v[16:19], v1, s[56:59], 0 offen
	v_lshrrev_b32_e32 v111, 4, v7
	v_and_b32_e32 v110, 15, v7
	s_lshr_b32 s12, s6, 2
	v_lshlrev_b32_e32 v24, 3, v111
	v_and_or_b32 v22, s12, 48, v110
	s_lshr_b32 s12, s6, 3
	v_lshrrev_b16_e32 v23, 3, v24
	v_and_b32_e32 v1, 7, v7
	s_and_b32 s19, s12, 0x1ffffff8
	v_xor_b32_e32 v25, v1, v23
	v_lshlrev_b32_e32 v21, 6, v22
	s_add_i32 s12, s19, s34
	v_lshl_or_b32 v26, v25, 3, v21
	v_add_u32_e32 v21, s12, v6
	v_lshrrev_b32_e32 v28, 6, v7
	s_mul_i32 s18, s22, s11
	v_mad_u64_u32 v[20:21], s[22:23], v21, s13, v[20:21]
	v_lshrrev_b32_e32 v27, 3, v22
	v_lshl_or_b32 v30, v28, 3, v1
	v_and_b32_e32 v29, 3, v23
	v_xor_b32_e32 v31, v30, v27
	v_mov_b32_e32 v21, 11
	v_lshlrev_b32_sdwa v21, v21, v29 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	v_lshlrev_b32_e32 v22, 6, v30
	v_lshlrev_b32_e32 v23, 2, v31
	s_lshl_b32 s12, s13, 5
	v_or3_b32 v32, v21, v22, v23
	v_lshlrev_b32_e32 v21, 1, v20
	v_add_u32_e32 v20, s12, v20
	s_lshl_b32 s62, s33, 1
	s_mov_b32 s63, s59
	v_lshlrev_b32_e32 v22, 1, v20
	v_add_u32_e32 v20, s12, v20
	buffer_load_dwordx4 v[38:41], v21, s[60:63], 0 offen
	buffer_load_dwordx4 v[42:45], v22, s[60:63], 0 offen
	v_lshlrev_b32_e32 v21, 1, v20
	v_add_lshl_u32 v20, v20, s12, 1
	v_lshrrev_b32_e32 v33, 1, v7
	buffer_load_dwordx4 v[46:49], v21, s[60:63], 0 offen
	buffer_load_dwordx4 v[50:53], v20, s[60:63], 0 offen
	v_and_b32_e32 v20, 60, v33
	v_add_u32_e32 v34, s26, v20
	v_ashrrev_i32_e32 v35, 31, v34
	v_lshrrev_b32_e32 v20, 29, v35
	v_add_u32_e32 v21, v34, v20
	v_and_b32_e32 v21, -8, v21
	v_sub_u32_e32 v21, v34, v21
	v_xor_b32_e32 v21, v21, v1
	v_lshlrev_b32_e32 v22, 6, v34
	v_lshl_add_u32 v22, v21, 3, v22
	v_lshlrev_b32_e32 v23, 1, v22
	s_mov_b32 s12, 0x1000504
	s_mov_b32 s13, 0x3020706
	v_or_b32_e32 v168, 64, v24
	v_add_u32_e32 v112, 0x60, v24
	s_add_i32 s18, s54, s18
	s_lshl_b32 s26, s18, 1
	s_mov_b32 s27, s59
	s_mul_i32 s7, s7, s14
	s_add_i32 s7, s55, s7
	s_lshl_b32 s46, s7, 1
	s_mov_b32 s47, s59
	s_lshl_b32 s38, s52, 2
	s_mov_b32 s39, s59
	s_mov_b32 s42, s38
	s_mov_b32 s43, s59
	s_lshr_b32 s6, s6, 4
	s_and_b32 s6, s6, 0xffffff0
	v_xor_b32_e32 v117, v111, v110
	v_bfe_u32 v137, v7, 1, 4
	v_lshrrev_b32_e32 v119, 5, v7
	v_bfe_u32 v121, v7, 3, 1
	v_bfe_u32 v120, v7, 4, 1
	s_waitcnt vmcnt(7)
	ds_write_b128 v23, v[2:5]
	v_or_b32_e32 v23, 1, v34
	v_add_u32_e32 v36, v23, v20
	v_and_b32_e32 v36, -8, v36
	v_sub_u32_e32 v23, v23, v36
	v_xor_b32_e32 v23, v23, v1
	v_sub_u32_e32 v21, v23, v21
	v_lshl_add_u32 v21, v21, 3, v22
	v_lshlrev_b32_e32 v22, 1, v21
	s_waitcnt vmcnt(6)
	ds_write_b128 v22, v[8:11] offset:128
	v_or_b32_e32 v22, 2, v34
	v_add_u32_e32 v36, v22, v20
	v_and_b32_e32 v36, -8, v36
	v_sub_u32_e32 v22, v22, v36
	v_xor_b32_e32 v22, v22, v1
	v_sub_u32_e32 v23, v22, v23
	v_lshlrev_b32_e32 v23, 3, v23
	v_add_lshl_u32 v21, v21, v23, 1
	v_or_b32_e32 v23, 3, v34
	v_add_u32_e32 v20, v23, v20
	v_and_b32_e32 v20, 0xffffff8, v20
	v_sub_u32_e32 v20, v23, v20
	v_xor_b32_e32 v20, v20, v1
	v_sub_u32_e32 v20, v20, v22
	v_lshl_add_u32 v20, v20, 4, v21
	s_waitcnt vmcnt(5)
	ds_write_b128 v21, v[12:15] offset:256
	s_waitcnt vmcnt(4)
	ds_write_b128 v20, v[16:19] offset:384
	v_perm_b32 v20, v2, v8, s12
	v_perm_b32 v22, v2, v8, s13
	v_perm_b32 v2, v3, v9, s12
	v_perm_b32 v8, v3, v9, s13
	v_perm_b32 v3, v13, v17, s12
	v_perm_b32 v9, v13, v17, s13
	v_perm_b32 v13, v14, v18, s12
	v_perm_b32 v17, v14, v18, s13
	v_lshrrev_b32_e32 v14, 27, v35
	v_add_u32_e32 v14, v34, v14
	v_and_b32_e32 v18, 0xffffffe0, v14
	v_perm_b32 v21, v12, v16, s12
	v_perm_b32 v23, v12, v16, s13
	v_perm_b32 v12, v4, v10, s12
	v_perm_b32 v16, v4, v10, s13
	v_perm_b32 v4, v5, v11, s12
	v_perm_b32 v10, v5, v11, s13
	v_perm_b32 v5, v15, v19, s12
	v_perm_b32 v11, v15, v19, s13
	v_sub_u32_e32 v18, v34, v18
	v_mov_b32_e32 v19, 12
	v_lshrrev_b16_sdwa v34, v19, sext(v18) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v34, 7, v34
	v_add_u16_e32 v34, v18, v34
	v_mov_b32_e32 v35, 3
	v_ashrrev_i16_sdwa v35, v35, sext(v34) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v34, 0xf8, v34
	v_ashrrev_i32_e32 v15, 5, v14
	v_sub_u16_e32 v18, v18, v34
	v_mov_b32_e32 v34, 2
	v_ashrrev_i32_e32 v14, 31, v14
	v_ashrrev_i16_sdwa v18, v34, sext(v18) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_lshlrev_b32_e32 v34, 3, v15
	v_lshrrev_b32_e32 v14, 28, v14
	v_add_u32_e32 v36, v34, v14
	v_bfe_i32 v18, v18, 0, 16
	v_and_b32_e32 v36, -16, v36
	v_bfe_i32 v35, v35, 0, 16
	v_lshl_or_b32 v18, v18, 3, v1
	v_sub_u32_e32 v36, v34, v36
	v_lshlrev_b32_e32 v15, 9, v15
	v_xor_b32_e32 v36, v18, v36
	v_lshl_add_u32 v15, v35, 11, v15
	v_lshl_add_u32 v15, v36, 2, v15
	v_lshlrev_b32_e32 v35, 1, v15
	ds_write_b64 v35, v[20:21] offset:16384
	v_or_b32_e32 v20, 1, v34
	v_add_u32_e32 v21, v20, v14
	v_and_b32_e32 v21, -16, v21
	v_sub_u32_e32 v20, v20, v21
	v_xor_b32_e32 v20, v18, v20
	v_or_b32_e32 v35, 2, v34
	v_sub_u32_e32 v21, v20, v36
	v_add_u32_e32 v36, v35, v14
	v_and_b32_e32 v36, -16, v36
	v_sub_u32_e32 v35, v35, v36
	v_lshlrev_b32_e32 v21, 2, v21
	v_xor_b32_e32 v35, v18, v35
	v_add3_u32 v15, v15, v21, 64
	v_sub_u32_e32 v20, v35, v20
	v_lshlrev_b32_e32 v21, 1, v15
	v_lshl_add_u32 v20, v20, 2, 64
	v_lshl_add_u32 v36, v20, 1, v21
	ds_write_b64 v21, v[22:23] offset:16384
	v_or_b32_e32 v21, 3, v34
	v_add_u32_e32 v22, v21, v14
	v_and_b32_e32 v22, -16, v22
	v_sub_u32_e32 v21, v21, v22
	v_xor_b32_e32 v21, v18, v21
	v_sub_u32_e32 v22, v21, v35
	v_lshl_add_u32 v22, v22, 2, 64
	v_lshl_add_u32 v23, v22, 1, v36
	ds_write_b64 v36, v[2:3] offset:16384
	ds_write_b64 v23, v[8:9] offset:16384
	v_or_b32_e32 v8, 4, v34
	v_add_u32_e32 v9, v8, v14
	v_and_b32_e32 v9, -16, v9
	v_sub_u32_e32 v8, v8, v9
	v_xor_b32_e32 v8, v18, v8
	v_sub_u32_e32 v9, v8, v21
	v_add_u32_e32 v3, 0xffffff80, v23
	v_lshl_add_u32 v9, v9, 2, 64
	v_lshl_add_u32 v3, v9, 1, v3
	ds_write_b64 v3, v[12:13] offset:16512
	v_or_b32_e32 v12, 5, v34
	v_add_u32_e32 v13, v12, v14
	v_and_b32_e32 v13, -16, v13
	v_sub_u32_e32 v12, v12, v13
	v_xor_b32_e32 v12, v18, v12
	v_sub_u32_e32 v8, v12, v8
	v_lshl_add_u32 v8, v8, 2, 64
	v_lshl_add_u32 v3, v8, 1, v3
	v_add3_u32 v2, v20, v15, v22
	ds_write_b64 v3, v[16:17] offset:16512
	v_or_b32_e32 v3, 6, v34
	v_add3_u32 v2, v9, v2, v8
	v_add_u32_e32 v8, v3, v14
	v_and_b32_e32 v8, -16, v8
	v_sub_u32_e32 v3, v3, v8
	v_xor_b32_e32 v3, v18, v3
	v_sub_u32_e32 v8, v3, v12
	v_lshlrev_b32_e32 v8, 2, v8
	v_add_lshl_u32 v2, v8, v2, 1
	ds_write_b64 v2, v[4:5] offset:16512
	v_or_b32_e32 v4, 7, v34
	v_add_u32_e32 v5, v4, v14
	v_and_b32_e32 v5, 0x1ffffff0, v5
	v_sub_u32_e32 v4, v4, v5
	v_xor_b32_e32 v4, v18, v4
	v_sub_u32_e32 v3, v4, v3
	v_lshl_add_u32 v2, v3, 3, v2
	v_add_u32_e32 v9, 32, v24
	ds_write_b64 v2, v[10:11] offset:16640
	v_lshrrev_b16_e32 v2, 3, v9
	v_and_b32_e32 v2, 7, v2
	v_xor_b32_sdwa v2, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	v_lshrrev_b32_e32 v18, 6, v9
	v_sub_u32_e32 v3, v2, v25
	v_sub_u32_e32 v2, v25, v2
	v_lshlrev_b32_e32 v4, 13, v18
	v_lshlrev_b32_e32 v2, 3, v2
	v_lshl_add_u32 v5, v3, 3, v4
	v_sub_u32_e32 v2, v2, v4
	v_lshlrev_b32_e32 v4, 14, v18
	v_add3_u32 v2, v5, v26, v2
	v_lshl_add_u32 v3, v3, 4, v4
	v_lshrrev_b32_e32 v15, 2, v9
	v_lshl_add_u32 v12, v2, 1, v3
	v_or_b32_e32 v3, 8, v27
	v_lshrrev_b32_e32 v13, 5, v9
	v_and_or_b32 v15, v15, 8, v1
	v_lshlrev_b32_e32 v10, 1, v26
	v_xor_b32_e32 v4, v3, v30
	v_sub_u32_e32 v14, v13, v28
	v_xor_b32_e32 v15, v15, v27
	v_add_u32_e32 v20, 36, v24
	v_lshl_add_u32 v11, v5, 1, v10
	v_sub_u32_e32 v5, v4, v31
	v_sub_u32_e32 v4, v15, v4
	v_lshlrev_b32_e32 v14, 9, v14
	v_lshrrev_b16_e32 v16, 3, v20
	v_lshl_add_u32 v4, v4, 2, v14
	v_lshrrev_b32_e32 v14, 5, v20
	v_and_b32_e32 v16, 3, v16
	v_sub_u32_e32 v13, v14, v13
	v_sub_u16_e32 v17, v16, v29
	v_bfe_i32 v17, v17, 0, 16
	v_lshrrev_b32_e32 v21, 2, v20
	v_lshlrev_b32_e32 v13, 9, v13
	v_and_or_b32 v22, v21, 8, v1
	v_lshl_add_u32 v13, v17, 11, v13
	v_lshrrev_b32_e32 v17, 5, v168
	v_lshlrev_b32_e32 v23, 1, v111
	v_lshlrev_b32_e32 v2, 1, v32
	v_xor_b32_e32 v22, v22, v3
	v_sub_u32_e32 v14, v17, v14
	v_sub_u16_e32 v16, v29, v16
	v_and_or_b32 v25, v23, 8, v1
	v_lshlrev_b32_e32 v8, 2, v5
	v_lshl_add_u32 v5, v5, 3, v2
	v_sub_u32_e32 v15, v22, v15
	v_bfe_i32 v16, v16, 0, 16
	v_xor_b32_e32 v26, v25, v27
	v_lshlrev_b32_e32 v14, 9, v14
	v_add3_u32 v8, v32, v8, v4
	v_lshl_add_u32 v4, v4, 1, v5
	v_lshl_add_u32 v13, v15, 2, v13
	v_sub_u32_e32 v22, v26, v22
	v_lshl_add_u32 v14, v16, 11, v14
	v_lshl_add_u32 v15, v13, 1, v4
	v_lshl_add_u32 v14, v22, 2, v14
	v_add3_u32 v8, v13, v8, v14
	v_lshl_add_u32 v13, v14, 1, v15
	v_xor_b32_e32 v14, v25, v3
	v_sub_u32_e32 v16, v14, v26
	v_lshrrev_b32_e32 v26, 2, v112
	v_lshrrev_b32_e32 v25, 5, v112
	v_and_or_b32 v26, v26, 8, v1
	v_sub_u32_e32 v17, v25, v17
	v_xor_b32_e32 v26, v26, v27
	v_sub_u32_e32 v14, v26, v14
	v_lshlrev_b32_e32 v17, 9, v17
	v_lshlrev_b32_e32 v22, 2, v16
	v_lshl_add_u32 v16, v16, 3, v13
	v_lshl_add_u32 v14, v14, 2, v17
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[208:211], v10
	ds_read_b128 v[204:207], v10 offset:8192
	ds_read_b128 v[200:203], v11
	ds_read_b128 v[196:199], v12 offset:8192
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add3_u32 v8, v22, v8, v14
	v_lshl_add_u32 v14, v14, 1, v16
	ds_read_b64 v[242:243], v4 offset:16384
	ds_read_b64 v[244:245], v15 offset:16384
	ds_read_b64 v[240:241], v13 offset:16384
	ds_read_b64 v[238:239], v14 offset:16384
	v_add_u32_e32 v4, 0x64, v24
	v_lshrrev_b16_e32 v14, 3, v4
	v_lshrrev_b32_e32 v13, 5, v4
	v_and_b32_e32 v14, 3, v14
	v_lshrrev_b32_e32 v4, 2, v4
	v_sub_u16_e32 v14, v14, v29
	v_and_or_b32 v4, v4, 8, v1
	v_sub_u32_e32 v13, v13, v25
	v_xor_b32_e32 v3, v4, v3
	v_lshlrev_b32_sdwa v4, v19, sext(v14) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	v_sub_u32_e32 v3, v3, v26
	v_lshl_add_u32 v4, v13, 10, v4
	v_lshl_add_u32 v3, v3, 3, v4
	v_lshl_add_u32 v3, v8, 1, v3
	ds_read_b64 v[250:251], v2 offset:16384
	ds_read_b64 v[248:249], v5 offset:16384
	ds_read_b64 v[246:247], v16 offset:16384
	ds_read_b64 v[236:237], v3 offset:16384
	v_bfe_u32 v2, v7, 3, 3
	v_xor_b32_e32 v2, v1, v2
	v_add_lshl_u32 v3, v6, s19, 7
	v_lshl_or_b32 v2, v2, 4, v3
	s_waitcnt vmcnt(3)
	ds_write_b128 v2, v[38:41]
	s_waitcnt vmcnt(2)
	ds_write_b128 v2, v[42:45] offset:4096
	s_waitcnt vmcnt(1)
	ds_write_b128 v2, v[46:49] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v2, v[50:53] offset:12288
	v_lshlrev_b32_e32 v2, 2, v110
	v_add_u32_e32 v8, s19, v23
	v_mad_u64_u32 v[4:5], s[22:23], v8, s11, v[2:3]
	v_lshlrev_b32_e32 v3, 1, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_load_dwordx2 v[14:15], v3, s[24:27], 0 offen
	v_add_lshl_u32 v3, v4, s11, 1
	buffer_load_dwordx2 v[4:5], v3, s[24:27], 0 offen
	v_mad_u64_u32 v[2:3], s[18:19], v8, s14, v[2:3]
	v_and_b32_e32 v3, 31, v7
	v_lshlrev_b32_e32 v13, 1, v2
	v_lshlrev_b32_e32 v136, 2, v3
	v_add_lshl_u32 v19, v2, s14, 1
	buffer_load_dwordx2 v[2:3], v13, s[44:47], 0 offen
	buffer_load_dwordx2 v[16:17], v19, s[44:47], 0 offen
	buffer_load_dword v31, v136, s[36:39], 0 offen
	buffer_load_dword v32, v136, s[40:43], 0 offen
	ds_read_b128 v[192:195], v10
	ds_read_b128 v[188:191], v10 offset:8192
	ds_read_b128 v[184:187], v11
	ds_read_b128 v[180:183], v12 offset:8192
	v_lshrrev_b16_e32 v10, 2, v24
	v_xor_b32_e32 v24, v110, v10
	v_or_b32_e32 v22, s6, v110
	v_lshlrev_b32_e32 v10, 2, v24
	v_lshlrev_b32_e32 v26, 3, v117
	v_lshl_or_b32 v25, v22, 6, v10
	v_lshl_or_b32 v116, v22, 7, v26
	v_and_b32_e32 v22, 14, v8
	v_xor_b32_e32 v26, v22, v110
	v_or_b32_e32 v22, 1, v22
	v_lshlrev_b32_e32 v27, 7, v8
	v_xor_b32_e32 v22, v22, v110
	v_lshl_or_b32 v27, v26, 3, v27
	v_sub_u32_e32 v22, v22, v26
	v_lshl_add_u32 v22, v22, 3, v27
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_lshrrev_b32_e32 v28, 1, v8
	v_lshlrev_b32_e32 v30, 5, v8
	v_and_b32_e32 v28, 12, v28
	v_and_b32_e32 v30, 0xffffff00, v30
	v_xor_b32_e32 v29, v28, v137
	v_and_b32_e32 v19, 56, v9
	v_lshlrev_b32_e32 v139, 1, v25
	v_lshlrev_b32_e32 v10, 2, v111
	v_add_lshl_u32 v142, v10, s6, 2
	v_and_b32_e32 v11, 3, v7
	v_lshl_or_b32 v122, v119, 2, v11
	v_xor_b32_e32 v106, v122, v121
	v_and_b32_e32 v13, 2, v33
	s_mov_b32 s28, 0
	v_lshlrev_b32_e32 v11, 6, v122
	v_lshlrev_b32_e32 v12, 2, v106
	v_lshl_or_b32 v13, v120, 10, v13
	s_waitcnt vmcnt(5)
	ds_write_b64 v27, v[14:15] offset:12288
	s_waitcnt vmcnt(4)
	ds_write_b64 v22, v[4:5] offset:12416
	v_perm_b32 v26, v14, v4, s12
	v_perm_b32 v4, v14, v4, s13
	v_perm_b32 v14, v15, v5, s12
	v_perm_b32 v5, v15, v5, s13
	v_lshlrev_b32_e32 v15, 5, v7
	v_lshl_or_b32 v15, v7, 1, v15
	v_and_b32_e32 v138, 0x402, v15
	v_add_u32_e32 v15, v30, v138
	v_lshl_or_b32 v15, v29, 2, v15
	v_lshlrev_b32_e32 v30, 1, v15
	ds_write_b32 v30, v26
	v_or_b32_e32 v26, 1, v28
	v_xor_b32_e32 v26, v26, v137
	v_sub_u32_e32 v29, v26, v29
	v_lshlrev_b32_e32 v29, 2, v29
	v_add_lshl_u32 v15, v29, v15, 1
	ds_write_b32 v15, v4 offset:128
	v_or_b32_e32 v4, 2, v28
	v_xor_b32_e32 v4, v4, v137
	v_add_u32_e32 v29, 0x80, v15
	v_sub_u32_e32 v26, v4, v26
	v_lshl_add_u32 v26, v26, 3, v29
	ds_write_b32 v26, v14 offset:128
	v_or_b32_e32 v14, 3, v28
	v_xor_b32_e32 v14, v14, v137
	v_add_u32_e32 v29, 0x80, v26
	v_sub_u32_e32 v4, v14, v4
	v_lshl_add_u32 v4, v4, 3, v29
	ds_write_b32 v4, v5 offset:128
	s_waitcnt vmcnt(1)
	ds_write_b32 v136, v31 offset:16384
	ds_write_b64 v27, v[2:3] offset:4096
	ds_write_b64 v22, v[16:17] offset:4224
	v_perm_b32 v5, v2, v16, s12
	v_perm_b32 v2, v2, v16, s13
	v_perm_b32 v14, v3, v17, s12
	v_perm_b32 v3, v3, v17, s13
	ds_write_b32 v30, v5 offset:8192
	ds_write_b32 v15, v2 offset:8320
	ds_write_b32 v26, v14 offset:8320
	ds_write_b32 v4, v3 offset:8320
	s_waitcnt vmcnt(0)
	ds_write_b32 v136, v32 offset:16512
	v_or_b32_e32 v2, 1, v23
	v_xor_b32_e32 v2, v2, v110
	v_sub_u32_e32 v3, v2, v24
	v_lshlrev_b32_e32 v4, 2, v3
	v_lshl_add_u32 v140, v3, 3, v139
	v_lshrrev_b16_e32 v3, 2, v19
	v_xor_b32_e32 v3, v110, v3
	v_sub_u32_e32 v2, v3, v2
	v_lshlrev_b32_e32 v5, 11, v18
	v_lshl_add_u32 v2, v2, 2, v5
	v_add3_u32 v14, v25, v4, v2
	v_lshl_add_u32 v141, v2, 1, v140
	v_lshrrev_b32_e32 v2, 6, v20
	v_sub_u32_e32 v15, v2, v18
	v_xor_b32_e32 v2, v21, v7
	v_and_b32_e32 v2, 15, v2
	v_sub_u32_e32 v16, v2, v3
	v_lshlrev_b32_e32 v2, 2, v16
	v_lshlrev_b32_e32 v3, 11, v15
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_lshl_u32 v17, v2, v3, 1
	ds_read_b128 v[94:97], v142 offset:16384
	ds_read_b128 v[232:235], v142 offset:16448
	ds_read_b128 v[70:73], v142 offset:16512
	ds_read_b128 v[2:5], v142 offset:16576
	v_lshlrev_b32_e32 v15, 12, v15
	v_lshl_add_u32 v15, v16, 3, v15
	v_add_u32_e32 v143, v141, v17
	v_lshl_add_u32 v144, v14, 1, v15
	s_cmp_gt_i32 s52, 32
	s_cbranch_scc1 .LBB0_2
	s_add_i32 s33, s34, 0x80
	s_mov_b64 s[6:7], 0
	s_branch .LBB0_3
.LBB0_2:
	s_mov_b64 s[6:7], -1
.LBB0_3:
	ds_read2st64_b64 v[74:77], v139 offset0:24 offset1:28
	ds_read2st64_b64 v[80:83], v140 offset0:24 offset1:28
	ds_read2st64_b64 v[98:101], v141 offset0:24 offset1:28
	ds_read2st64_b64 v[216:219], v143 offset0:8 offset1:24
	ds_read2st64_b64 v[212:215], v144 offset0:12 offset1:28
	ds_read2st64_b64 v[224:227], v139 offset0:8 offset1:12
	ds_read2st64_b64 v[228:231], v140 offset0:8 offset1:12
	ds_read2st64_b64 v[220:223], v141 offset0:8 offset1:12
	s_load_dwordx2 s[18:19], s[0:1], 0x40
	s_load_dwordx2 s[12:13], s[0:1], 0x9c
	v_or3_b32 v132, v13, v11, v12
	s_andn2_b64 vcc, exec, s[6:7]
	v_or_b32_e32 v114, s34, v110
	v_lshlrev_b32_e32 v124, 1, v132
	v_or_b32_e32 v131, 8, v121
	v_add_u32_e32 v107, 16, v10
	v_add_u32_e32 v133, 18, v10
	v_or_b32_e32 v130, 2, v121
	v_or_b32_e32 v113, 10, v121
	v_or_b32_e32 v134, 4, v121
	v_or_b32_e32 v123, 12, v121
	v_or_b32_e32 v179, 6, v121
	v_or_b32_e32 v125, 14, v121
	v_lshrrev_b32_e32 v118, 2, v7
	v_lshrrev_b32_e32 v115, 3, v9
	s_cbranch_vccnz .LBB0_8
	v_lshrrev_b32_e32 v9, 3, v107
	v_sub_u32_e32 v10, v9, v119
	v_lshlrev_b32_e32 v11, 2, v10
	v_add_u32_e32 v12, v11, v122
	v_ashrrev_i32_e32 v13, 31, v12
	v_lshrrev_b32_e32 v13, 28, v13
	v_add_u32_e32 v13, v12, v13
	v_and_b32_e32 v145, 14, v6
	v_xor_b32_e32 v6, v122, v131
	v_and_b32_e32 v13, -16, v13
	v_sub_u32_e32 v7, v6, v106
	v_sub_u32_e32 v13, v12, v13
	v_lshl_add_u32 v7, v7, 2, v132
	v_xor_b32_e32 v13, v13, v121
	v_lshlrev_b32_e32 v10, 8, v10
	v_lshlrev_b32_e32 v146, 1, v7
	v_sub_u32_e32 v6, v13, v6
	v_add_u32_e32 v7, v7, v10
	v_lshl_add_u32 v6, v6, 2, v7
	v_lshrrev_b32_e32 v7, 3, v133
	v_sub_u32_e32 v9, v7, v9
	v_lshlrev_b32_e32 v16, 2, v9
	v_add_u32_e32 v12, v12, v16
	v_ashrrev_i32_e32 v17, 31, v12
	v_lshrrev_b32_e32 v17, 28, v17
	v_add_u32_e32 v17, v12, v17
	v_and_b32_e32 v17, -16, v17
	v_sub_u32_e32 v17, v12, v17
	v_bfe_u32 v14, v133, 2, 1
	v_xor_b32_e32 v17, v17, v131
	v_sub_u32_e32 v15, v14, v120
	v_sub_u32_e32 v13, v17, v13
	v_lshlrev_b32_e32 v9, 8, v9
	v_lshlrev_b32_e32 v13, 2, v13
	v_lshl_add_u32 v9, v15, 10, v9
	v_sub_u32_e32 v7, v119, v7
	v_lshlrev_b32_e32 v147, 1, v6
	v_add3_u32 v6, v13, v9, v6
	v_sub_u32_e32 v13, v120, v14
	v_lshlrev_b32_e32 v14, 2, v7
	v_add_u32_e32 v12, v12, v14
	v_ashrrev_i32_e32 v15, 31, v12
	v_lshrrev_b32_e32 v15, 28, v15
	v_add_u32_e32 v15, v12, v15
	v_and_b32_e32 v15, -16, v15
	v_sub_u32_e32 v15, v12, v15
	v_xor_b32_e32 v18, v15, v130
	v_sub_u32_e32 v17, v18, v17
	v_lshlrev_b32_e32 v7, 8, v7
	v_lshlrev_b32_e32 v17, 2, v17
	v_lshl_add_u32 v7, v13, 10, v7
	v_xor_b32_e32 v13, v15, v113
	v_lshlrev_b32_e32 v148, 1, v6
	v_add3_u32 v6, v17, v7, v6
	v_sub_u32_e32 v15, v13, v18
	v_add_u32_e32 v12, v12, v11
	v_lshlrev_b32_e32 v149, 1, v6
	v_lshl_add_u32 v6, v15, 2, v6
	v_ashrrev_i32_e32 v15, 31, v12
	v_lshrrev_b32_e32 v15, 28, v15
	v_add_u32_e32 v15, v12, v15
	v_and_b32_e32 v15, -16, v15
	v_sub_u32_e32 v15, v12, v15
	v_xor_b32_e32 v15, v15, v130
	v_sub_u32_e32 v13, v15, v13
	v_lshlrev_b32_e32 v13, 2, v13
	v_add_u32_e32 v12, v12, v16
	v_lshlrev_b32_e32 v150, 1, v6
	v_add3_u32 v6, v13, v10, v6
	v_ashrrev_i32_e32 v13, 31, v12
	v_lshrrev_b32_e32 v13, 28, v13
	v_add_u32_e32 v13, v12, v13
	v_and_b32_e32 v13, -16, v13
	v_sub_u32_e32 v13, v12, v13
	v_xor_b32_e32 v13, v13, v113
	v_sub_u32_e32 v15, v13, v15
	v_lshlrev_b32_e32 v15, 2, v15
	v_add_u32_e32 v12, v12, v14
	v_lshlrev_b32_e32 v151, 1, v6
	v_add3_u32 v6, v15, v9, v6
	v_ashrrev_i32_e32 v15, 31, v12
	v_lshrrev_b32_e32 v15, 28, v15
	v_add_u32_e32 v15, v12, v15
	v_and_b32_e32 v15, -16, v15
	v_sub_u32_e32 v15, v12, v15
	v_xor_b32_e32 v17, v15, v134
	v_sub_u32_e32 v13, v17, v13
	v_lshlrev_b32_e32 v13, 2, v13
	v_lshlrev_b32_e32 v152, 1, v6
	v_add3_u32 v6, v13, v7, v6
	v_xor_b32_e32 v13, v15, v123
	v_sub_u32_e32 v15, v13, v17
	v_add_u32_e32 v12, v12, v11
	v_lshlrev_b32_e32 v153, 1, v6
	v_lshl_add_u32 v6, v15, 2, v6
	v_ashrrev_i32_e32 v15, 31, v12
	v_lshrrev_b32_e32 v15, 28, v15
	v_add_u32_e32 v15, v12, v15
	v_and_b32_e32 v15, -16, v15
	v_sub_u32_e32 v15, v12, v15
	v_xor_b32_e32 v15, v15, v134
	v_sub_u32_e32 v13, v15, v13
	v_lshlrev_b32_e32 v13, 2, v13
	v_add_u32_e32 v12, v12, v16
	v_lshlrev_b32_e32 v154, 1, v6
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
	v_xor_b32_e32 v13, v13, v123
	v_and_b32_e32 v14, -16, v14
	v_add_u32_e32 v11, v12, v11
	v_sub_u32_e32 v15, v13, v15
	v_sub_u32_e32 v14, v12, v14
	v_ashrrev_i32_e32 v12, 31, v11
	v_lshlrev_b32_e32 v15, 2, v15
	v_lshrrev_b32_e32 v12, 28, v12
	v_lshlrev_b32_e32 v155, 1, v6
	v_add3_u32 v6, v15, v9, v6
	v_xor_b32_e32 v15, v14, v179
	v_add_u32_e32 v12, v11, v12
	v_sub_u32_e32 v13, v15, v13
	v_and_b32_e32 v12, -16, v12
	v_lshlrev_b32_e32 v13, 2, v13
	v_sub_u32_e32 v12, v11, v12
	v_lshlrev_b32_e32 v156, 1, v6
	v_add3_u32 v6, v13, v7, v6
	v_xor_b32_e32 v7, v14, v125
	v_xor_b32_e32 v12, v12, v179
	v_sub_u32_e32 v13, v7, v15
	v_sub_u32_e32 v7, v12, v7
	v_lshlrev_b32_e32 v157, 1, v6
	v_lshl_add_u32 v6, v13, 2, v6
	v_lshlrev_b32_e32 v7, 2, v7
	v_lshlrev_b32_e32 v158, 1, v6
	v_add3_u32 v6, v7, v10, v6
	v_add_u32_e32 v7, v11, v16
	v_ashrrev_i32_e32 v10, 31, v7
	v_lshrrev_b32_e32 v10, 28, v10
	v_add_u32_e32 v10, v7, v10
	v_and_b32_e32 v10, 0x3ffffff0, v10
	v_sub_u32_e32 v7, v7, v10
	v_xor_b32_e32 v7, v7, v125
	v_sub_u32_e32 v7, v7, v12
	v_lshl_add_u32 v7, v7, 2, v9
	v_lshlrev_b32_e32 v159, 1, v6
	v_add_lshl_u32 v160, v7, v6, 1
	v_lshrrev_b32_e32 v6, 3, v168
	v_lshrrev_b32_e32 v7, 7, v112
	v_bfe_u32 v9, v112, 3, 4
	s_add_i32 s0, s52, 31
	v_sub_u32_e32 v166, v6, v115
	v_sub_u32_e32 v167, v9, v6
	v_sub_u32_e32 v6, 0, v7
	s_lshr_b32 s6, s0, 5
	s_add_i32 s33, s34, 0x80
	v_lshlrev_b32_e32 v170, 12, v6
	v_add_u32_e32 v6, 33, v8
	s_cmp_gt_i32 s33, s53
	v_accvgpr_write_b32 a26, v168
	v_lshlrev_b32_e32 v168, 12, v7
	v_mul_lo_u32 v7, s11, v6
	s_cselect_b64 s[0:1], -1, 0
	v_lshlrev_b32_e32 v171, 1, v7
	v_add_u32_e32 v7, 32, v8
	v_mul_lo_u32 v6, s14, v6
	v_and_b32_e32 v162, 12, v118
	v_lshlrev_b32_e32 v172, 3, v110
	v_mul_lo_u32 v8, s11, v7
	v_lshlrev_b32_e32 v174, 1, v6
	v_mul_lo_u32 v6, s14, v7
	v_cndmask_b32_e64 v78, 0, 1, s[0:1]
	v_accvgpr_write_b32 a27, v106
	v_accvgpr_write_b32 a28, v107
	v_and_b32_e32 v161, 28, v118
	s_lshl_b32 s22, s8, 2
	s_mov_b32 s23, 0x20000
	s_mul_i32 s34, s15, 13
	v_or_b32_e32 v163, 1, v162
	v_or_b32_e32 v164, 2, v162
	v_or_b32_e32 v165, 3, v162
	v_sub_u32_e32 v169, v111, v9
	s_add_i32 s35, s6, -1
	s_lshl_b32 s48, s11, 6
	v_lshlrev_b32_e32 v173, 1, v8
	s_lshl_b32 s11, s14, 6
	v_lshlrev_b32_e32 v175, 1, v6
	v_or_b32_e32 v176, 0x80, v136
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
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v53, 0
	v_cmp_ne_u32_e64 s[0:1], 1, v78
	v_mov_b32_e32 v90, s10
	v_mov_b32_e32 v93, 0x3fb8aa3b
	s_mov_b32 s14, 0x1000504
	s_mov_b32 s49, 0x3020706
	v_mov_b32_e32 v177, 0xff800000
	v_mov_b32_e32 v178, v172
	v_mov_b32_e32 v135, v111
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v91, v94
	s_branch .LBB0_6
.LBB0_5:
	v_add_u32_e32 v92, v173, v178
	buffer_load_dwordx2 v[106:107], v92, s[24:27], 0 offen
	v_add_u32_e32 v92, v171, v178
	buffer_load_dwordx2 v[108:109], v92, s[24:27], 0 offen
	v_add_u32_e32 v92, v175, v172
	buffer_load_dwordx2 v[102:103], v92, s[44:47], 0 offen
	v_add_u32_e32 v92, v174, v172
	buffer_load_dword a24, v176, s[36:39], 0 offen
	buffer_load_dwordx2 v[104:105], v92, s[44:47], 0 offen
	buffer_load_dword a25, v176, s[40:43], 0 offen
	v_mov_b32_e32 v92, v82
	v_pk_mul_f32 v[100:101], v[90:91], v[92:93]
	v_mov_b32_e32 v91, v95
	v_fma_f32 v78, s10, v78, -v101
	v_mov_b32_e32 v92, v83
	v_exp_f32_e32 v98, v78
	v_sub_f32_e32 v78, v100, v101
	v_pk_mul_f32 v[82:83], v[90:91], v[92:93]
	v_exp_f32_e32 v94, v78
	v_fma_f32 v78, s10, v79, -v83
	v_exp_f32_e32 v99, v78
	v_sub_f32_e32 v78, v82, v83
	v_mov_b32_e32 v91, v96
	v_mov_b32_e32 v92, v84
	v_exp_f32_e32 v95, v78
	v_pk_mul_f32 v[78:79], v[90:91], v[92:93]
	v_mov_b32_e32 v91, v97
	v_sub_f32_e32 v78, v78, v79
	v_mov_b32_e32 v92, v85
	v_fma_f32 v80, s10, v80, -v79
	v_exp_f32_e32 v96, v78
	v_pk_mul_f32 v[78:79], v[90:91], v[92:93]
	v_mov_b32_e32 v91, v232
	v_sub_f32_e32 v78, v78, v79
	v_mov_b32_e32 v92, v86
	v_exp_f32_e32 v100, v80
	v_fma_f32 v80, s10, v81, -v79
	v_exp_f32_e32 v97, v78
	v_pk_mul_f32 v[78:79], v[90:91], v[92:93]
	v_mov_b32_e32 v91, v233
	v_fma_f32 v74, s10, v74, -v79
	v_mov_b32_e32 v92, v87
	v_exp_f32_e32 v86, v74
	v_sub_f32_e32 v74, v78, v79
	v_pk_mul_f32 v[78:79], v[90:91], v[92:93]
	v_exp_f32_e32 v82, v74
	v_fma_f32 v74, s10, v75, -v79
	ds_read2st64_b32 v[254:255], v124 offset1:32
	ds_read2st64_b32 a[10:11], v146 offset1:32
	ds_read2st64_b32 v[214:215], v147 offset1:32
	ds_read2st64_b32 a[0:1], v148 offset1:32
	ds_read2st64_b32 a[6:7], v149 offset1:32
	ds_read2st64_b32 a[16:17], v150 offset1:32
	ds_read2st64_b32 v[218:219], v151 offset1:32
	v_exp_f32_e32 v87, v74
	v_sub_f32_e32 v74, v78, v79
	v_mov_b32_e32 v91, v234
	v_mov_b32_e32 v92, v88
	ds_read2st64_b32 a[4:5], v152 offset1:32
	ds_read2st64_b32 a[12:13], v153 offset1:32
	ds_read2st64_b32 a[20:21], v154 offset1:32
	ds_read2st64_b32 v[252:253], v155 offset1:32
	ds_read2st64_b32 a[8:9], v156 offset1:32
	ds_read2st64_b32 a[18:19], v157 offset1:32
	ds_read2st64_b32 a[22:23], v158 offset1:32
	ds_read2st64_b32 a[2:3], v159 offset1:32
	ds_read2st64_b32 a[14:15], v160 offset1:32
	v_exp_f32_e32 v101, v80
	v_exp_f32_e32 v83, v74
	v_pk_mul_f32 v[74:75], v[90:91], v[92:93]
	v_mov_b32_e32 v91, v235
	v_sub_f32_e32 v74, v74, v75
	v_mov_b32_e32 v92, v89
	v_fma_f32 v76, s10, v76, -v75
	v_exp_f32_e32 v84, v74
	v_pk_mul_f32 v[74:75], v[90:91], v[92:93]
	v_exp_f32_e32 v88, v76
	v_fma_f32 v76, s10, v77, -v75
	v_sub_f32_e32 v74, v74, v75
	v_exp_f32_e32 v89, v76
	v_exp_f32_e32 v85, v74
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x16_f16 v[74:77], v[224:225], v[192:193], 0
	v_readfirstlane_b32 s6, v0
	s_lshr_b32 s7, s6, 3
	s_and_b32 s7, s7, 0x1ffffff8
	v_mfma_f32_16x16x16_f16 v[74:77], v[228:229], v[194:195], v[74:77]
	v_add_u32_e32 v91, s7, v145
	v_and_b32_e32 v92, 14, v91
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[78:81], v[224:225], v[188:189], 0
	s_barrier
	v_mfma_f32_16x16x16_f16 v[78:81], v[228:229], v[190:191], v[78:81]
	v_mfma_f32_16x16x16_f16 v[232:235], v[226:227], v[192:193], 0
	v_mfma_f32_16x16x16_f16 v[232:235], v[230:231], v[194:195], v[232:235]
	v_mfma_f32_16x16x16_f16 v[224:227], v[226:227], v[188:189], 0
	v_mfma_f32_16x16x16_f16 v[224:227], v[230:231], v[190:191], v[224:227]
	v_mfma_f32_16x16x16_f16 v[74:77], v[220:221], v[184:185], v[74:77]
	v_mfma_f32_16x16x16_f16 v[228:231], v[216:217], v[186:187], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[220:221], v[180:181], v[78:81]
	v_mfma_f32_16x16x16_f16 v[126:129], v[216:217], v[182:183], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[222:223], v[184:185], v[232:235]
	v_mfma_f32_16x16x16_f16 v[78:81], v[212:213], v[186:187], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[222:223], v[180:181], v[224:227]
	v_mfma_f32_16x16x16_f16 v[74:77], v[212:213], v[182:183], v[74:77]
	v_xor_b32_e32 v212, v92, v110
	v_or_b32_e32 v92, 1, v92
	v_lshlrev_b32_e32 v213, 7, v91
	v_xor_b32_e32 v92, v92, v110
	v_lshl_or_b32 v213, v212, 3, v213
	v_sub_u32_e32 v92, v92, v212
	v_lshl_add_u32 v92, v92, 3, v213
	s_waitcnt vmcnt(5)
	ds_write_b64 v213, v[106:107] offset:12288
	s_waitcnt vmcnt(4)
	ds_write_b64 v92, v[108:109] offset:12416
	v_perm_b32 v212, v106, v108, s14
	v_perm_b32 v106, v106, v108, s49
	v_perm_b32 v108, v107, v109, s14
	v_perm_b32 v107, v107, v109, s49
	v_lshrrev_b32_e32 v109, 1, v91
	v_lshlrev_b32_e32 v91, 5, v91
	v_and_b32_e32 v109, 12, v109
	v_and_b32_e32 v91, 0xffffff00, v91
	v_xor_b32_e32 v216, v109, v137
	v_add_u32_e32 v91, v91, v138
	v_lshl_or_b32 v91, v216, 2, v91
	v_lshlrev_b32_e32 v217, 1, v91
	ds_write_b32 v217, v212
	v_or_b32_e32 v212, 1, v109
	v_xor_b32_e32 v212, v212, v137
	v_sub_u32_e32 v216, v212, v216
	v_lshlrev_b32_e32 v216, 2, v216
	v_add_lshl_u32 v91, v216, v91, 1
	ds_write_b32 v91, v106 offset:128
	v_or_b32_e32 v106, 2, v109
	v_xor_b32_e32 v106, v106, v137
	v_add_u32_e32 v216, 0x80, v91
	v_sub_u32_e32 v212, v106, v212
	v_lshl_add_u32 v212, v212, 3, v216
	ds_write_b32 v212, v108 offset:128
	v_or_b32_e32 v108, 3, v109
	v_xor_b32_e32 v108, v108, v137
	v_add_u32_e32 v216, 0x80, v212
	v_sub_u32_e32 v106, v108, v106
	v_lshl_add_u32 v106, v106, 3, v216
	ds_write_b32 v106, v107 offset:128
	s_waitcnt vmcnt(2)
	ds_write_b32 v136, a24 offset:16384
	ds_write_b64 v213, v[102:103] offset:4096
	s_waitcnt vmcnt(1)
	ds_write_b64 v92, v[104:105] offset:4224
	v_perm_b32 v92, v102, v104, s14
	v_perm_b32 v102, v102, v104, s49
	v_perm_b32 v104, v103, v105, s14
	v_perm_b32 v103, v103, v105, s49
	ds_write_b32 v217, v92 offset:8192
	ds_write_b32 v91, v102 offset:8320
	ds_write_b32 v212, v104 offset:8320
	ds_write_b32 v106, v103 offset:8320
	s_waitcnt vmcnt(0)
	ds_write_b32 v136, a25 offset:16512
	v_pk_add_f32 v[104:105], v[230:231], v[72:73] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[72:73], v[128:129], v[72:73] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_mul_f32 v[104:105], v[100:101], v[104:105]
	v_pk_mul_f32 v[72:73], v[96:97], v[72:73]
	v_cvt_f16_f32_e32 v92, v105
	v_cvt_f16_f32_e32 v105, v73
	v_cvt_f16_f32_e32 v106, v72
	v_pk_add_f32 v[72:73], v[78:79], v[2:3] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[78:79], v[80:81], v[4:5] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[102:103], v[228:229], v[70:71] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_mul_f32 v[78:79], v[88:89], v[78:79]
	s_lshr_b32 s7, s6, 2
	v_pk_mul_f32 v[102:103], v[98:99], v[102:103]
	v_pk_mul_f32 v[72:73], v[86:87], v[72:73]
	v_cvt_f16_f32_e32 v80, v78
	v_and_or_b32 v78, s7, 48, v110
	v_cvt_f16_f32_e32 v98, v98
	v_cvt_f16_f32_e32 v99, v99
	v_pk_add_f32 v[70:71], v[126:127], v[70:71] neg_lo:[0,1] neg_hi:[0,1]
	v_cvt_f16_f32_e32 v107, v72
	s_lshr_b32 s6, s6, 4
	v_lshrrev_b32_e32 v72, 3, v78
	v_pk_mul_f32 v[70:71], v[94:95], v[70:71]
	v_cvt_f16_f32_e32 v108, v73
	s_and_b32 s6, s6, 0xffffff0
	v_xor_b32_e32 v73, v72, v162
	v_cvt_f16_f32_e32 v91, v102
	v_cvt_f16_f32_e32 v102, v104
	v_cvt_f16_f32_e32 v104, v70
	v_cvt_f16_f32_e32 v81, v103
	v_cvt_f16_f32_e32 v103, v71
	v_lshlrev_b32_e32 v70, 3, v73
	v_add_lshl_u32 v71, s6, v161, 7
	v_cvt_f16_f32_e32 v100, v100
	v_cvt_f16_f32_e32 v101, v101
	v_or3_b32 v109, v70, v71, v1
	v_pack_b32_f16 v70, v98, v99
	v_xor_b32_e32 v98, v72, v163
	v_mov_b32_e32 v128, v255
	v_accvgpr_read_b32 v129, a11
	v_sub_u32_e32 v73, v98, v73
	v_accvgpr_read_b32 v212, a7
	v_accvgpr_read_b32 v213, a17
	v_accvgpr_read_b32 v216, a13
	v_accvgpr_read_b32 v217, a21
	v_accvgpr_read_b32 v220, a19
	v_accvgpr_read_b32 v221, a23
	v_lshlrev_b32_e32 v73, 3, v73
	v_xor_b32_e32 v99, v72, v164
	v_cvt_f16_f32_e32 v94, v94
	v_cvt_f16_f32_e32 v95, v95
	v_pack_b32_f16 v71, v100, v101
	v_add_lshl_u32 v73, v73, v109, 1
	v_sub_u32_e32 v98, v99, v98
	v_xor_b32_e32 v100, v72, v165
	v_or_b32_e32 v72, 8, v72
	v_cvt_f16_f32_e32 v96, v96
	v_cvt_f16_f32_e32 v97, v97
	v_lshl_add_u32 v98, v98, 4, v73
	v_sub_u32_e32 v99, v100, v99
	v_xor_b32_e32 v101, v72, v162
	v_lshlrev_b32_e32 v126, 1, v109
	v_lshl_add_u32 v99, v99, 4, v98
	v_sub_u32_e32 v100, v101, v100
	v_xor_b32_e32 v109, v72, v163
	v_mfma_f32_16x16x16_f16 v[66:69], v[128:129], v[70:71], v[66:69]
	ds_write_b16 v126, v91 offset:16640
	v_lshl_add_u32 v100, v100, 4, v99
	v_accvgpr_read_b32 v127, a9
	v_mfma_f32_16x16x16_f16 v[62:65], v[212:213], v[70:71], v[62:65]
	ds_write_b16 v73, v81 offset:16896
	v_pk_add_f32 v[2:3], v[74:75], v[2:3] neg_lo:[0,1] neg_hi:[0,1]
	v_cvt_f16_f32_e32 v74, v84
	v_mfma_f32_16x16x16_f16 v[58:61], v[216:217], v[70:71], v[58:61]
	ds_write_b16 v98, v102 offset:17152
	v_cvt_f16_f32_e32 v75, v85
	v_pk_mul_f32 v[2:3], v[82:83], v[2:3]
	v_mfma_f32_16x16x16_f16 v[38:41], v[220:221], v[70:71], v[38:41]
	v_pack_b32_f16 v70, v94, v95
	v_sub_u32_e32 v94, v109, v101
	v_xor_b32_e32 v95, v72, v164
	v_pack_b32_f16 v71, v96, v97
	v_lshl_add_u32 v94, v94, 4, v100
	v_sub_u32_e32 v96, v95, v109
	v_xor_b32_e32 v72, v72, v165
	v_lshl_add_u32 v96, v96, 4, v94
	v_sub_u32_e32 v72, v72, v95
	ds_write_b16 v99, v92 offset:17408
	v_mfma_f32_16x16x16_f16 v[42:45], v[128:129], v[70:71], v[42:45]
	ds_write_b16 v100, v104 offset:16640
	v_lshl_add_u32 v95, v72, 4, v96
	v_cvt_f16_f32_e32 v72, v88
	v_mfma_f32_16x16x16_f16 v[54:57], v[212:213], v[70:71], v[54:57]
	ds_write_b16 v94, v103 offset:16896
	v_mov_b32_e32 v88, v215
	v_accvgpr_read_b32 v128, a3
	v_mfma_f32_16x16x16_f16 v[46:49], v[216:217], v[70:71], v[46:49]
	ds_write_b16 v96, v106 offset:17152
	v_accvgpr_read_b32 v129, a15
	v_cvt_f16_f32_e32 v79, v79
	v_mfma_f32_16x16x16_f16 v[50:53], v[220:221], v[70:71], v[50:53]
	v_cvt_f16_f32_e32 v70, v86
	v_cvt_f16_f32_e32 v71, v87
	v_cvt_f16_f32_e32 v86, v89
	v_accvgpr_read_b32 v89, a1
	v_accvgpr_read_b32 v87, a5
	v_pack_b32_f16 v70, v70, v71
	v_pack_b32_f16 v71, v72, v86
	v_mov_b32_e32 v86, v219
	ds_write_b16 v95, v105 offset:17408
	v_mfma_f32_16x16x16_f16 v[66:69], v[88:89], v[70:71], v[66:69]
	ds_write_b16 v126, v107 offset:20736
	v_mov_b32_e32 v126, v253
	v_cvt_f16_f32_e32 v72, v82
	v_mfma_f32_16x16x16_f16 v[62:65], v[86:87], v[70:71], v[62:65]
	ds_write_b16 v73, v108 offset:20992
	v_cvt_f16_f32_e32 v73, v83
	v_accvgpr_read_b32 v255, a10
	v_mfma_f32_16x16x16_f16 v[58:61], v[126:127], v[70:71], v[58:61]
	ds_write_b16 v98, v80 offset:21248
	v_accvgpr_mov_b32 a7, a16
	v_accvgpr_mov_b32 a13, a20
	v_mfma_f32_16x16x16_f16 v[38:41], v[128:129], v[70:71], v[38:41]
	v_pack_b32_f16 v71, v74, v75
	v_cvt_f16_f32_e32 v74, v2
	v_cvt_f16_f32_e32 v75, v3
	v_pk_add_f32 v[2:3], v[76:77], v[4:5] neg_lo:[0,1] neg_hi:[0,1]
	v_pack_b32_f16 v70, v72, v73
	v_pk_mul_f32 v[72:73], v[84:85], v[2:3]
	v_accvgpr_mov_b32 a19, a22
	v_cvt_f16_f32_e32 v72, v72
	ds_write_b16 v99, v79 offset:21504
	v_mfma_f32_16x16x16_f16 v[42:45], v[88:89], v[70:71], v[42:45]
	ds_write_b16 v100, v74 offset:20736
	v_accvgpr_read_b32 v215, a0
	v_accvgpr_read_b32 v219, a4
	v_mfma_f32_16x16x16_f16 v[54:57], v[86:87], v[70:71], v[54:57]
	ds_write_b16 v94, v75 offset:20992
	v_accvgpr_read_b32 v253, a8
	v_accvgpr_mov_b32 a3, a14
	v_mfma_f32_16x16x16_f16 v[46:49], v[126:127], v[70:71], v[46:49]
	ds_write_b16 v96, v72 offset:21248
	v_mfma_f32_16x16x16_f16 v[50:53], v[128:129], v[70:71], v[50:53]
	v_pack_b32_f16 v71, v102, v92
	v_pack_b32_f16 v70, v91, v81
	s_nop 1
	v_mfma_f32_16x16x16_f16 v[2:5], v[254:255], v[70:71], v[6:9]
	v_mfma_f32_16x16x16_f16 v[10:13], a[6:7], v[70:71], v[10:13]
	s_nop 1
	v_pack_b32_f16 v7, v106, v105
	v_pack_b32_f16 v6, v104, v103
	v_mfma_f32_16x16x16_f16 v[14:17], a[12:13], v[70:71], v[14:17]
	v_mfma_f32_16x16x16_f16 v[18:21], a[18:19], v[70:71], v[18:21]
	v_pack_b32_f16 v71, v80, v79
	v_pack_b32_f16 v70, v107, v108
	v_mfma_f32_16x16x16_f16 v[22:25], v[254:255], v[6:7], v[22:25]
	v_mfma_f32_16x16x16_f16 v[26:29], a[6:7], v[6:7], v[26:29]
	v_mfma_f32_16x16x16_f16 v[30:33], a[12:13], v[6:7], v[30:33]
	v_mfma_f32_16x16x16_f16 v[34:37], a[18:19], v[6:7], v[34:37]
	v_mfma_f32_16x16x16_f16 v[6:9], v[214:215], v[70:71], v[2:5]
	s_nop 2
	v_cvt_f16_f32_e32 v4, v73
	v_xor_b32_e32 v5, v135, v110
	v_pack_b32_f16 v2, v74, v75
	v_sub_u32_e32 v5, v5, v117
	v_pack_b32_f16 v3, v72, v4
	ds_write_b16 v95, v4 offset:21504
	v_lshlrev_b32_e32 v4, 1, v116
	v_mfma_f32_16x16x16_f16 v[10:13], v[218:219], v[70:71], v[10:13]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[84:87], v4 offset:16640
	v_mfma_f32_16x16x16_f16 v[22:25], v[214:215], v[2:3], v[22:25]
	v_lshl_add_u32 v4, v5, 4, v4
	ds_read2st64_b64 v[74:77], v139 offset0:24 offset1:28
	ds_read2st64_b64 v[80:83], v140 offset0:24 offset1:28
	v_mfma_f32_16x16x16_f16 v[26:29], v[218:219], v[2:3], v[26:29]
	ds_read2st64_b64 v[98:101], v141 offset0:24 offset1:28
	ds_read_b64 v[218:219], v143 offset:12288
	ds_read_b64 v[214:215], v144 offset:14336
	ds_read_b128 v[94:97], v142 offset:16384
	ds_read_b128 v[232:235], v142 offset:16448
	v_mfma_f32_16x16x16_f16 v[14:17], v[252:253], v[70:71], v[14:17]
	ds_read_b128 v[102:105], v4 offset:20736
	v_mfma_f32_16x16x16_f16 v[18:21], a[2:3], v[70:71], v[18:21]
	v_mfma_f32_16x16x16_f16 v[30:33], v[252:253], v[2:3], v[30:33]
	v_mfma_f32_16x16x16_f16 v[34:37], a[2:3], v[2:3], v[34:37]
	v_sub_u32_e32 v2, v115, v111
	v_add_u32_e32 v2, v135, v2
	v_xor_b32_e32 v70, v2, v110
	v_sub_u32_e32 v3, v70, v117
	v_lshl_add_u32 v88, v3, 3, v116
	v_lshlrev_b32_e32 v71, 1, v88
	v_add_u32_e32 v72, v2, v166
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_16x16x16_f16 v[2:5], v[84:85], v[250:251], 0
	ds_read_b128 v[126:129], v71 offset:16640
	v_xor_b32_e32 v79, v72, v110
	v_sub_u32_e32 v89, v79, v70
	v_mfma_f32_16x16x16_f16 v[2:5], v[86:87], v[248:249], v[2:5]
	ds_read_b128 v[220:223], v71 offset:20736
	v_lshl_add_u32 v84, v89, 4, v71
	v_add_u32_e32 v91, v72, v167
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[70:73], v[102:103], v[250:251], 0
	ds_read_b128 v[252:255], v84 offset:16640
	v_xor_b32_e32 v92, v91, v110
	v_sub_u32_e32 v79, v92, v79
	v_mfma_f32_16x16x16_f16 v[70:73], v[104:105], v[248:249], v[70:73]
	ds_read_b128 v[102:105], v84 offset:20736
	v_lshl_add_u32 v106, v79, 3, v168
	v_lshl_add_u32 v79, v106, 1, v84
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[2:5], v[126:127], v[242:243], v[2:5]
	ds_read_b128 a[0:3], v79 offset:16640
	s_add_i32 s6, s6, s28
	v_add_u32_e32 v135, v91, v169
	v_mfma_f32_16x16x16_f16 v[2:5], v[128:129], v[244:245], v[2:5]
	ds_read_b128 v[126:129], v79 offset:20736
	v_add_u32_e32 v79, s6, v161
	v_mad_u64_u32 v[78:79], s[6:7], v79, s15, v[78:79]
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[70:73], v[220:221], v[242:243], v[70:73]
	ds_read2st64_b64 v[224:227], v139 offset0:8 offset1:12
	v_lshlrev_b32_e32 v79, 2, v78
	v_add_u32_e32 v78, s15, v78
	v_mfma_f32_16x16x16_f16 v[70:73], v[222:223], v[244:245], v[70:73]
	ds_read2st64_b64 v[228:231], v140 offset0:8 offset1:12
	v_xor_b32_e32 v117, v135, v110
	s_add_i32 s28, s28, 32
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_16x16x16_f16 v[2:5], v[252:253], v[240:241], v[2:5]
	ds_read2st64_b64 v[220:223], v141 offset0:8 offset1:12
	s_add_i32 s35, s35, -1
	v_add_u32_e32 v178, s48, v178
	v_mfma_f32_16x16x16_f16 v[2:5], v[254:255], v[246:247], v[2:5]
	ds_read_b64 v[216:217], v143 offset:4096
	v_add_u32_e32 v172, s11, v172
	v_add_u32_e32 v176, 0x80, v176
	s_waitcnt lgkmcnt(6)
	v_mfma_f32_16x16x16_f16 v[70:73], v[102:103], v[240:241], v[70:73]
	ds_read_b64 v[212:213], v144 offset:6144
	s_cmp_lg_u32 s35, 0
	v_mov_b32_e32 v91, v94
	v_mfma_f32_16x16x16_f16 v[84:87], v[104:105], v[246:247], v[70:73]
	s_nop 2
	ds_read_b128 v[70:73], v142 offset:16512
	s_waitcnt lgkmcnt(7)
	v_mfma_f32_16x16x16_f16 v[102:105], a[0:1], v[238:239], v[2:5]
	s_nop 2
	ds_read_b128 v[2:5], v142 offset:16576
	v_mfma_f32_16x16x16_f16 v[102:105], a[2:3], v[236:237], v[102:105]
	s_waitcnt lgkmcnt(7)
	v_mfma_f32_16x16x16_f16 v[84:87], v[126:127], v[238:239], v[84:87]
	v_mfma_f32_16x16x16_f16 v[84:87], v[128:129], v[236:237], v[84:87]
	s_nop 3
	v_mul_f32_e32 v102, s9, v102
	v_mul_f32_e32 v103, s9, v103
	buffer_atomic_add_f32 v102, v79, s[20:23], 0 offen
	v_lshlrev_b32_e32 v79, 2, v78
	v_add_u32_e32 v78, s15, v78
	v_mul_f32_e32 v104, s9, v104
	buffer_atomic_add_f32 v103, v79, s[20:23], 0 offen
	v_lshlrev_b32_e32 v79, 2, v78
	v_add_u32_e32 v78, s15, v78
	v_mul_f32_e32 v105, s9, v105
	buffer_atomic_add_f32 v104, v79, s[20:23], 0 offen
	v_lshlrev_b32_e32 v79, 2, v78
	v_add_u32_e32 v78, s34, v78
	v_mul_f32_e32 v84, s9, v84
	buffer_atomic_add_f32 v105, v79, s[20:23], 0 offen
	v_lshlrev_b32_e32 v79, 2, v78
	v_add_u32_e32 v78, s15, v78
	v_mul_f32_e32 v85, s9, v85
	buffer_atomic_add_f32 v84, v79, s[20:23], 0 offen
	v_lshlrev_b32_e32 v79, 2, v78
	v_add_u32_e32 v78, s15, v78
	v_mul_f32_e32 v86, s9, v86
	buffer_atomic_add_f32 v85, v79, s[20:23], 0 offen
	v_lshlrev_b32_e32 v79, 2, v78
	v_mul_f32_e32 v87, s9, v87
	buffer_atomic_add_f32 v86, v79, s[20:23], 0 offen
	v_add_lshl_u32 v78, v78, s15, 2
	buffer_atomic_add_f32 v87, v78, s[20:23], 0 offen
	v_lshlrev_b32_e32 v78, 3, v89
	v_sub_u32_e32 v79, v117, v92
	v_add3_u32 v78, v78, v88, v106
	v_lshlrev_b32_e32 v79, 3, v79
	v_add3_u32 v116, v79, v170, v78
	s_cbranch_scc0 .LBB0_9
.LBB0_6:
	v_mfma_f32_16x16x16_f16 v[84:87], v[74:75], v[208:209], 0
	v_mfma_f32_16x16x16_f16 v[84:87], v[80:81], v[210:211], v[84:87]
	v_mfma_f32_16x16x16_f16 v[102:105], v[74:75], v[204:205], 0
	v_mfma_f32_16x16x16_f16 v[102:105], v[80:81], v[206:207], v[102:105]
	v_mfma_f32_16x16x16_f16 v[78:81], v[76:77], v[208:209], 0
	v_mfma_f32_16x16x16_f16 v[106:109], v[82:83], v[210:211], v[78:81]
	v_mfma_f32_16x16x16_f16 v[74:77], v[76:77], v[204:205], 0
	v_mfma_f32_16x16x16_f16 v[252:255], v[82:83], v[206:207], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[98:99], v[200:201], v[84:87]
	v_mfma_f32_16x16x16_f16 v[78:81], v[218:219], v[202:203], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[98:99], v[196:197], v[102:105]
	v_mfma_f32_16x16x16_f16 v[82:85], v[218:219], v[198:199], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[100:101], v[200:201], v[106:109]
	v_mfma_f32_16x16x16_f16 v[74:77], v[214:215], v[202:203], v[74:77]
	v_mfma_f32_16x16x16_f16 v[86:89], v[100:101], v[196:197], v[252:255]
	v_mfma_f32_16x16x16_f16 v[86:89], v[214:215], v[198:199], v[86:89]
	s_and_b64 vcc, exec, s[0:1]
	s_cbranch_vccnz .LBB0_5
	v_readfirstlane_b32 s6, v0
	s_lshr_b32 s6, s6, 2
	s_nop 0
	v_and_or_b32 v92, s6, 48, v114
	v_cmp_gt_i32_e32 vcc, s53, v92
	v_or_b32_e32 v92, 64, v92
	v_cmp_gt_i32_e64 s[6:7], s53, v92
	v_cndmask_b32_e32 v78, v177, v78, vcc
	v_cndmask_b32_e32 v79, v177, v79, vcc
	v_cndmask_b32_e64 v82, v177, v82, s[6:7]
	v_cndmask_b32_e64 v83, v177, v83, s[6:7]
	v_cndmask_b32_e32 v80, v177, v80, vcc
	v_cndmask_b32_e64 v84, v177, v84, s[6:7]
	v_cndmask_b32_e32 v81, v177, v81, vcc
	v_cndmask_b32_e64 v85, v177, v85, s[6:7]
	v_cndmask_b32_e32 v74, v177, v74, vcc
	v_cndmask_b32_e64 v86, v177, v86, s[6:7]
	v_cndmask_b32_e32 v75, v177, v75, vcc
	v_cndmask_b32_e64 v87, v177, v87, s[6:7]
	v_cndmask_b32_e32 v76, v177, v76, vcc
	v_cndmask_b32_e64 v88, v177, v88, s[6:7]
	v_cndmask_b32_e32 v77, v177, v77, vcc
	v_cndmask_b32_e64 v89, v177, v89, s[6:7]
	s_branch .LBB0_5
.LBB0_8:
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
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v135, v111
	s_branch .LBB0_10
.LBB0_9:
	v_accvgpr_read_b32 v168, a26
	v_accvgpr_read_b32 v106, a27
	v_accvgpr_read_b32 v107, a28
.LBB0_10:
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[84:87], v[74:75], v[208:209], 0
	s_cmp_gt_i32 s33, s53
	v_mfma_f32_16x16x16_f16 v[88:91], v[74:75], v[204:205], 0
	v_mfma_f32_16x16x16_f16 v[84:87], v[80:81], v[210:211], v[84:87]
	v_mfma_f32_16x16x16_f16 v[78:81], v[80:81], v[206:207], v[88:91]
	v_mfma_f32_16x16x16_f16 v[88:91], v[76:77], v[208:209], 0
	v_mfma_f32_16x16x16_f16 v[74:77], v[76:77], v[204:205], 0
	v_mfma_f32_16x16x16_f16 v[102:105], v[82:83], v[206:207], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[98:99], v[200:201], v[84:87]
	v_mfma_f32_16x16x16_f16 v[90:93], v[82:83], v[210:211], v[88:91]
	v_mfma_f32_16x16x16_f16 v[82:85], v[218:219], v[202:203], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[98:99], v[196:197], v[78:81]
	v_mfma_f32_16x16x16_f16 v[86:89], v[218:219], v[198:199], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[100:101], v[200:201], v[90:93]
	v_mfma_f32_16x16x16_f16 v[78:81], v[100:101], v[196:197], v[102:105]
	v_mfma_f32_16x16x16_f16 v[74:77], v[214:215], v[202:203], v[74:77]
	v_mfma_f32_16x16x16_f16 v[78:81], v[214:215], v[198:199], v[78:81]
	s_cbranch_scc1 .LBB0_12
	s_cbranch_execz .LBB0_13
	s_branch .LBB0_14
.LBB0_12:
.LBB0_13:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 2
	v_mov_b32_e32 v91, 0xff800000
	v_and_or_b32 v90, s0, 48, v114
	v_cmp_gt_i32_e32 vcc, s53, v90
	v_or_b32_e32 v90, 64, v90
	v_cmp_gt_i32_e64 s[0:1], s53, v90
	v_cndmask_b32_e32 v82, v91, v82, vcc
	v_cndmask_b32_e32 v83, v91, v83, vcc
	v_cndmask_b32_e64 v86, v91, v86, s[0:1]
	v_cndmask_b32_e64 v87, v91, v87, s[0:1]
	v_cndmask_b32_e32 v84, v91, v84, vcc
	v_cndmask_b32_e64 v88, v91, v88, s[0:1]
	v_cndmask_b32_e32 v85, v91, v85, vcc
	v_cndmask_b32_e64 v89, v91, v89, s[0:1]
	v_cndmask_b32_e32 v74, v91, v74, vcc
	v_cndmask_b32_e64 v78, v91, v78, s[0:1]
	v_cndmask_b32_e32 v75, v91, v75, vcc
	v_cndmask_b32_e64 v79, v91, v79, s[0:1]
	v_cndmask_b32_e32 v76, v91, v76, vcc
	v_cndmask_b32_e64 v80, v91, v80, s[0:1]
	v_cndmask_b32_e32 v77, v91, v77, vcc
	v_cndmask_b32_e64 v81, v91, v81, s[0:1]
.LBB0_14:
	v_mov_b32_e32 v98, s10
	v_mov_b32_e32 v99, v94
	v_mov_b32_e32 v101, 0x3fb8aa3b
	v_mov_b32_e32 v100, v86
	v_pk_mul_f32 v[92:93], v[98:99], v[100:101]
	v_mov_b32_e32 v99, v95
	v_mov_b32_e32 v100, v87
	v_pk_mul_f32 v[86:87], v[98:99], v[100:101]
	v_mov_b32_e32 v99, v96
	v_fma_f32 v83, s10, v83, -v87
	v_mov_b32_e32 v100, v88
	v_exp_f32_e32 v91, v83
	v_sub_f32_e32 v83, v86, v87
	v_pk_mul_f32 v[86:87], v[98:99], v[100:101]
	v_fma_f32 v82, s10, v82, -v93
	v_fma_f32 v84, s10, v84, -v87
	v_mov_b32_e32 v99, v97
	v_mov_b32_e32 v100, v89
	v_exp_f32_e32 v90, v82
	v_sub_f32_e32 v82, v92, v93
	v_exp_f32_e32 v92, v84
	v_sub_f32_e32 v84, v86, v87
	v_pk_mul_f32 v[88:89], v[98:99], v[100:101]
	v_exp_f32_e32 v86, v84
	v_fma_f32 v84, s10, v85, -v89
	v_mov_b32_e32 v99, v232
	v_mov_b32_e32 v100, v78
	v_exp_f32_e32 v93, v84
	v_sub_f32_e32 v84, v88, v89
	v_pk_mul_f32 v[88:89], v[98:99], v[100:101]
	v_mov_b32_e32 v99, v233
	v_fma_f32 v74, s10, v74, -v89
	v_mov_b32_e32 v100, v79
	v_exp_f32_e32 v87, v84
	v_exp_f32_e32 v84, v74
	v_sub_f32_e32 v74, v88, v89
	v_pk_mul_f32 v[88:89], v[98:99], v[100:101]
	v_exp_f32_e32 v78, v74
	v_fma_f32 v74, s10, v75, -v89
	v_exp_f32_e32 v85, v74
	v_sub_f32_e32 v74, v88, v89
	v_mov_b32_e32 v99, v234
	v_mov_b32_e32 v100, v80
	v_exp_f32_e32 v79, v74
	v_pk_mul_f32 v[74:75], v[98:99], v[100:101]
	v_mov_b32_e32 v99, v235
	v_sub_f32_e32 v74, v74, v75
	v_mov_b32_e32 v100, v81
	v_fma_f32 v76, s10, v76, -v75
	v_exp_f32_e32 v80, v74
	v_pk_mul_f32 v[74:75], v[98:99], v[100:101]
	v_exp_f32_e32 v88, v76
	v_fma_f32 v76, s10, v77, -v75
	v_sub_f32_e32 v74, v74, v75
	v_xor_b32_e32 v75, v122, v131
	v_exp_f32_e32 v89, v76
	v_sub_u32_e32 v76, v75, v106
	v_lshlrev_b32_e32 v77, 2, v76
	v_lshl_add_u32 v95, v76, 3, v124
	v_lshrrev_b32_e32 v76, 3, v107
	v_sub_u32_e32 v81, v76, v119
	v_lshl_add_u32 v94, v81, 2, v122
	v_ashrrev_i32_e32 v96, 31, v94
	v_lshrrev_b32_e32 v96, 28, v96
	v_add_u32_e32 v96, v94, v96
	v_and_b32_e32 v96, -16, v96
	v_sub_u32_e32 v96, v94, v96
	v_xor_b32_e32 v97, v96, v121
	v_lshlrev_b32_e32 v81, 8, v81
	v_sub_u32_e32 v75, v97, v75
	v_add3_u32 v77, v132, v77, v81
	v_lshl_add_u32 v75, v75, 2, v77
	v_lshrrev_b32_e32 v77, 3, v133
	v_sub_u32_e32 v76, v77, v76
	v_lshl_add_u32 v94, v76, 2, v94
	v_ashrrev_i32_e32 v100, 31, v94
	v_lshrrev_b32_e32 v100, 28, v100
	v_add_u32_e32 v100, v94, v100
	v_bfe_u32 v98, v133, 2, 1
	v_and_b32_e32 v100, -16, v100
	v_sub_u32_e32 v77, v119, v77
	v_sub_u32_e32 v99, v98, v120
	v_sub_u32_e32 v100, v94, v100
	v_lshlrev_b32_e32 v76, 8, v76
	v_lshl_add_u32 v94, v77, 2, v94
	v_lshl_add_u32 v76, v99, 10, v76
	v_ashrrev_i32_e32 v99, 31, v94
	v_lshrrev_b32_e32 v99, 28, v99
	v_add_u32_e32 v99, v94, v99
	v_and_b32_e32 v99, -16, v99
	v_sub_u32_e32 v94, v94, v99
	v_xor_b32_e32 v101, v100, v131
	v_sub_u32_e32 v98, v120, v98
	v_xor_b32_e32 v99, v94, v130
	v_lshlrev_b32_e32 v77, 8, v77
	v_sub_u32_e32 v97, v101, v97
	v_sub_u32_e32 v101, v99, v101
	v_lshl_add_u32 v77, v98, 10, v77
	v_lshlrev_b32_e32 v108, 1, v75
	v_lshl_add_u32 v97, v97, 2, v76
	v_lshl_add_u32 v98, v101, 2, v77
	v_lshl_add_u32 v109, v97, 1, v108
	v_add3_u32 v75, v97, v75, v98
	v_xor_b32_e32 v97, v94, v113
	v_lshl_add_u32 v119, v98, 1, v109
	v_sub_u32_e32 v98, v97, v99
	v_lshl_add_u32 v75, v98, 2, v75
	v_xor_b32_e32 v98, v96, v130
	v_sub_u32_e32 v97, v98, v97
	v_lshlrev_b32_e32 v128, 1, v75
	v_lshl_add_u32 v97, v97, 2, v81
	v_add_u32_e32 v75, v97, v75
	v_lshl_add_u32 v129, v97, 1, v128
	v_xor_b32_e32 v97, v100, v113
	v_sub_u32_e32 v98, v97, v98
	v_xor_b32_e32 v99, v94, v134
	v_lshl_add_u32 v98, v98, 2, v76
	v_sub_u32_e32 v97, v99, v97
	v_lshl_add_u32 v113, v98, 1, v129
	v_lshl_add_u32 v97, v97, 2, v77
	v_add3_u32 v75, v98, v75, v97
	v_lshl_add_u32 v130, v97, 1, v113
	v_xor_b32_e32 v97, v94, v123
	v_sub_u32_e32 v98, v97, v99
	v_lshl_add_u32 v75, v98, 2, v75
	v_xor_b32_e32 v98, v96, v134
	v_sub_u32_e32 v97, v98, v97
	v_lshlrev_b32_e32 v131, 1, v75
	v_lshl_add_u32 v97, v97, 2, v81
	v_add_u32_e32 v75, v97, v75
	v_lshl_add_u32 v132, v97, 1, v131
	v_xor_b32_e32 v97, v100, v123
	v_sub_u32_e32 v98, v97, v98
	v_xor_b32_e32 v99, v94, v179
	v_lshl_add_u32 v98, v98, 2, v76
	v_sub_u32_e32 v97, v99, v97
	v_lshl_add_u32 v133, v98, 1, v132
	v_lshl_add_u32 v77, v97, 2, v77
	v_add3_u32 v75, v98, v75, v77
	v_lshl_add_u32 v134, v77, 1, v133
	v_xor_b32_e32 v77, v94, v125
	s_mul_i32 s0, s2, s17
	s_mul_hi_u32 s1, 0, s17
	v_sub_u32_e32 v94, v77, v99
	s_add_i32 s11, s1, s0
	s_mul_hi_i32 s1, s13, s3
	s_mul_i32 s0, s13, s3
	v_lshlrev_b32_e32 v94, 2, v94
	s_add_i32 s11, s11, s29
	s_lshl_b64 s[0:1], s[0:1], 1
	v_add_lshl_u32 v136, v75, v94, 1
	v_xor_b32_e32 v75, v96, v179
	s_add_u32 s6, s18, s0
	v_sub_u32_e32 v77, v75, v77
	s_addc_u32 s7, s19, s1
	s_mul_hi_i32 s1, s31, s4
	s_mul_i32 s0, s31, s4
	v_lshl_add_u32 v77, v77, 2, v81
	s_lshl_b64 s[0:1], s[0:1], 1
	v_lshl_add_u32 v137, v77, 1, v136
	v_xor_b32_e32 v77, v100, v125
	s_add_u32 s0, s6, s0
	s_mul_i32 s2, s2, s16
	s_mul_hi_u32 s6, 0, s16
	v_sub_u32_e32 v75, v77, v75
	s_addc_u32 s1, s7, s1
	s_add_i32 s6, s6, s2
	s_mul_hi_i32 s13, s12, s3
	s_mul_i32 s12, s12, s3
	v_lshl_add_u32 v75, v75, 2, v76
	s_add_i32 s6, s6, s5
	s_lshl_b64 s[2:3], s[12:13], 1
	v_lshl_add_u32 v138, v75, 1, v137
	s_add_u32 s5, s50, s2
	ds_read_b32 v140, v124 offset:8192
	ds_read_b32 v141, v95 offset:8192
	ds_read_b32 v142, v108 offset:8192
	ds_read_b32 v143, v109 offset:8192
	ds_read_b32 v144, v119 offset:8192
	ds_read_b32 v145, v128 offset:8192
	ds_read_b32 v146, v129 offset:8192
	ds_read_b32 v147, v113 offset:8192
	ds_read_b32 v148, v130 offset:8192
	ds_read_b32 v149, v131 offset:8192
	ds_read_b32 v150, v132 offset:8192
	ds_read_b32 v151, v133 offset:8192
	ds_read_b32 v152, v134 offset:8192
	ds_read_b32 v153, v136 offset:8192
	ds_read_b32 v94, v137 offset:8192
	ds_read_b32 v139, v138 offset:8192
	s_addc_u32 s7, s51, s3
	s_mul_hi_i32 s3, s30, s4
	s_mul_i32 s2, s30, s4
	s_lshl_b64 s[2:3], s[2:3], 1
	s_add_u32 s4, s5, s2
	v_exp_f32_e32 v82, v82
	v_exp_f32_e32 v83, v83
	v_exp_f32_e32 v81, v74
	s_addc_u32 s5, s7, s3
	v_mfma_f32_16x16x16_f16 v[74:77], v[224:225], v[192:193], 0
	ds_read_b32 v154, v124
	ds_read_b32 v155, v95
	ds_read_b32 v156, v108
	v_mfma_f32_16x16x16_f16 v[74:77], v[228:229], v[194:195], v[74:77]
	ds_read_b32 v157, v109
	ds_read_b32 v158, v119
	ds_read_b32 v159, v128
	v_mfma_f32_16x16x16_f16 v[96:99], v[224:225], v[188:189], 0
	ds_read_b32 v160, v129
	ds_read_b32 v161, v113
	ds_read_b32 v162, v130
	v_mfma_f32_16x16x16_f16 v[96:99], v[228:229], v[190:191], v[96:99]
	ds_read_b32 v163, v131
	ds_read_b32 v164, v132
	ds_read_b32 v165, v133
	v_mfma_f32_16x16x16_f16 v[100:103], v[226:227], v[192:193], 0
	ds_read_b32 v166, v134
	ds_read_b32 v167, v136
	v_mfma_f32_16x16x16_f16 v[100:103], v[230:231], v[194:195], v[100:103]
	v_mfma_f32_16x16x16_f16 v[104:107], v[226:227], v[188:189], 0
	v_mfma_f32_16x16x16_f16 v[104:107], v[230:231], v[190:191], v[104:107]
	v_mfma_f32_16x16x16_f16 v[74:77], v[220:221], v[184:185], v[74:77]
	v_mfma_f32_16x16x16_f16 v[120:123], v[216:217], v[186:187], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[220:221], v[180:181], v[96:99]
	v_mfma_f32_16x16x16_f16 v[124:127], v[216:217], v[182:183], v[74:77]
	s_nop 1
	ds_read_b32 v96, v137
	ds_read_b32 v97, v138
	v_mfma_f32_16x16x16_f16 v[74:77], v[222:223], v[184:185], v[100:103]
	v_mfma_f32_16x16x16_f16 v[98:101], v[212:213], v[186:187], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[222:223], v[180:181], v[104:107]
	v_mfma_f32_16x16x16_f16 v[74:77], v[212:213], v[182:183], v[74:77]
	s_nop 1
	v_add_f32_e64 v104, v122, -v72
	v_add_f32_e64 v105, v123, -v73
	v_pk_add_f32 v[72:73], v[126:127], v[72:73] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[102:103], v[120:121], v[70:71] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_mul_f32 v[72:73], v[86:87], v[72:73]
	v_pk_add_f32 v[70:71], v[124:125], v[70:71] neg_lo:[0,1] neg_hi:[0,1]
	v_cvt_f16_f32_e32 v124, v73
	v_cvt_f16_f32_e32 v125, v72
	v_pk_add_f32 v[72:73], v[98:99], v[2:3] neg_lo:[0,1] neg_hi:[0,1]
	v_readfirstlane_b32 s3, v0
	v_pk_mul_f32 v[72:73], v[84:85], v[72:73]
	s_lshr_b32 s2, s3, 2
	v_pk_mul_f32 v[102:103], v[90:91], v[102:103]
	v_pk_mul_f32 v[70:71], v[82:83], v[70:71]
	v_cvt_f16_f32_e32 v126, v72
	v_pk_add_f32 v[98:99], v[100:101], v[4:5] neg_lo:[0,1] neg_hi:[0,1]
	v_and_or_b32 v72, s2, 48, v110
	s_lshr_b32 s3, s3, 4
	v_cvt_f16_f32_e32 v90, v90
	v_cvt_f16_f32_e32 v91, v91
	v_cvt_f16_f32_e32 v123, v70
	v_pk_mul_f32 v[120:121], v[88:89], v[98:99]
	s_and_b32 s3, s3, 0xffffff0
	v_and_b32_e32 v70, 28, v118
	v_lshrrev_b32_e32 v95, 3, v72
	v_and_b32_e32 v98, 12, v118
	v_add_u32_e32 v128, s3, v70
	v_xor_b32_e32 v99, v95, v98
	v_lshlrev_b32_e32 v0, 3, v99
	v_lshlrev_b32_e32 v100, 7, v128
	v_or_b32_e32 v101, 1, v98
	v_or3_b32 v100, v0, v100, v1
	v_pack_b32_f16 v0, v90, v91
	v_xor_b32_e32 v90, v95, v101
	v_sub_u32_e32 v91, v90, v99
	v_lshlrev_b32_e32 v91, 3, v91
	v_or_b32_e32 v106, 2, v98
	v_pk_mul_f32 v[104:105], v[92:93], v[104:105]
	v_cvt_f16_f32_e32 v92, v92
	v_cvt_f16_f32_e32 v93, v93
	v_add_lshl_u32 v129, v91, v100, 1
	v_xor_b32_e32 v91, v95, v106
	v_cvt_f16_f32_e32 v113, v102
	v_cvt_f16_f32_e32 v122, v104
	v_cvt_f16_f32_e32 v127, v103
	v_sub_u32_e32 v90, v91, v90
	v_or_b32_e32 v107, 3, v98
	v_lshl_add_u32 v130, v90, 4, v129
	v_xor_b32_e32 v90, v95, v107
	v_or_b32_e32 v95, 8, v95
	v_sub_u32_e32 v91, v90, v91
	v_xor_b32_e32 v102, v95, v98
	v_cvt_f16_f32_e32 v82, v82
	v_cvt_f16_f32_e32 v83, v83
	v_lshlrev_b32_e32 v118, 1, v100
	v_pack_b32_f16 v1, v92, v93
	v_lshl_add_u32 v131, v91, 4, v130
	v_sub_u32_e32 v90, v102, v90
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_16x16x16_f16 v[66:69], v[140:141], v[0:1], v[66:69]
	ds_write_b16 v118, v113 offset:16640
	v_lshl_add_u32 v132, v90, 4, v131
	v_cvt_f16_f32_e32 v86, v86
	v_mfma_f32_16x16x16_f16 v[62:65], v[144:145], v[0:1], v[62:65]
	ds_write_b16 v129, v127 offset:16896
	v_cvt_f16_f32_e32 v87, v87
	v_cvt_f16_f32_e32 v119, v105
	v_mfma_f32_16x16x16_f16 v[58:61], v[148:149], v[0:1], v[58:61]
	ds_write_b16 v130, v122 offset:17152
	v_cvt_f16_f32_e32 v71, v71
	s_mov_b32 s3, 0xffff
	v_mfma_f32_16x16x16_f16 v[90:93], v[152:153], v[0:1], v[38:41]
	v_pack_b32_f16 v0, v82, v83
	v_pack_b32_f16 v1, v86, v87
	ds_write_b16 v131, v119 offset:17408
	v_xor_b32_e32 v38, v95, v101
	v_sub_u32_e32 v39, v38, v102
	v_lshl_add_u32 v82, v39, 4, v132
	v_xor_b32_e32 v39, v95, v106
	v_sub_u32_e32 v38, v39, v38
	v_lshl_add_u32 v83, v38, 4, v82
	v_xor_b32_e32 v38, v95, v107
	v_sub_u32_e32 v38, v38, v39
	v_lshl_add_u32 v86, v38, 4, v83
	v_cvt_f16_f32_e32 v38, v84
	v_cvt_f16_f32_e32 v39, v85
	v_cvt_f16_f32_e32 v40, v88
	v_cvt_f16_f32_e32 v41, v89
	v_mfma_f32_16x16x16_f16 v[98:101], v[140:141], v[0:1], v[42:45]
	ds_write_b16 v132, v123 offset:16640
	v_pk_add_f32 v[4:5], v[76:77], v[4:5] neg_lo:[0,1] neg_hi:[0,1]
	v_bfi_b32 v95, s3, v139, v139
	v_mfma_f32_16x16x16_f16 v[102:105], v[144:145], v[0:1], v[54:57]
	ds_write_b16 v82, v71 offset:16896
	v_cvt_f16_f32_e32 v121, v121
	v_cvt_f16_f32_e32 v84, v120
	v_mfma_f32_16x16x16_f16 v[106:109], v[148:149], v[0:1], v[46:49]
	ds_write_b16 v83, v125 offset:17152
	v_cvt_f16_f32_e32 v54, v78
	v_cvt_f16_f32_e32 v55, v79
	v_mfma_f32_16x16x16_f16 v[50:53], v[152:153], v[0:1], v[50:53]
	v_pack_b32_f16 v46, v38, v39
	v_pack_b32_f16 v47, v40, v41
	v_pk_add_f32 v[0:1], v[74:75], v[2:3] neg_lo:[0,1] neg_hi:[0,1]
	ds_write_b16 v86, v124 offset:17408
	v_mfma_f32_16x16x16_f16 v[38:41], v[142:143], v[46:47], v[66:69]
	ds_write_b16 v118, v126 offset:20736
	v_cvt_f16_f32_e32 v56, v80
	v_cvt_f16_f32_e32 v57, v81
	v_mfma_f32_16x16x16_f16 v[42:45], v[146:147], v[46:47], v[62:65]
	v_cvt_f16_f32_e32 v73, v73
	v_pack_b32_f16 v66, v54, v55
	v_pack_b32_f16 v67, v56, v57
	v_pk_mul_f32 v[62:63], v[78:79], v[0:1]
	v_pk_mul_f32 v[78:79], v[80:81], v[4:5]
	v_cvt_f16_f32_e32 v85, v62
	v_cvt_f16_f32_e32 v87, v63
	v_cvt_f16_f32_e32 v78, v78
	v_pack_b32_f16 v75, v122, v119
	v_pack_b32_f16 v74, v113, v127
	ds_write_b16 v129, v73 offset:20992
	v_mfma_f32_16x16x16_f16 v[0:3], v[150:151], v[46:47], v[58:61]
	ds_write_b16 v130, v84 offset:21248
	v_bfi_b32 v97, s3, v97, v97
	v_mfma_f32_16x16x16_f16 v[46:49], v[94:95], v[46:47], v[90:93]
	ds_write_b16 v131, v121 offset:21504
	v_mfma_f32_16x16x16_f16 v[54:57], v[142:143], v[66:67], v[98:101]
	ds_write_b16 v132, v85 offset:20736
	v_mfma_f32_16x16x16_f16 v[58:61], v[146:147], v[66:67], v[102:105]
	ds_write_b16 v82, v87 offset:20992
	v_mfma_f32_16x16x16_f16 v[62:65], v[150:151], v[66:67], v[106:109]
	ds_write_b16 v83, v78 offset:21248
	v_mfma_f32_16x16x16_f16 v[50:53], v[94:95], v[66:67], v[50:53]
	v_mfma_f32_16x16x16_f16 v[4:7], v[154:155], v[74:75], v[6:9]
	v_mfma_f32_16x16x16_f16 v[66:69], v[162:163], v[74:75], v[14:17]
	v_mfma_f32_16x16x16_f16 v[8:11], v[158:159], v[74:75], v[10:13]
	s_nop 2
	v_pack_b32_f16 v13, v125, v124
	v_pack_b32_f16 v12, v123, v71
	v_mfma_f32_16x16x16_f16 v[74:77], v[166:167], v[74:75], v[18:21]
	s_nop 0
	v_mfma_f32_16x16x16_f16 v[20:23], v[154:155], v[12:13], v[22:25]
	v_mfma_f32_16x16x16_f16 v[24:27], v[158:159], v[12:13], v[26:29]
	v_mfma_f32_16x16x16_f16 v[28:31], v[162:163], v[12:13], v[30:33]
	v_mfma_f32_16x16x16_f16 v[32:35], v[166:167], v[12:13], v[34:37]
	s_nop 2
	v_pack_b32_f16 v37, v84, v121
	v_pack_b32_f16 v36, v126, v73
	s_nop 1
	v_mfma_f32_16x16x16_f16 v[16:19], v[156:157], v[36:37], v[4:7]
	v_mfma_f32_16x16x16_f16 v[4:7], v[164:165], v[36:37], v[66:69]
	s_nop 2
	v_cvt_f16_f32_e32 v66, v79
	v_xor_b32_e32 v67, v135, v110
	v_mfma_f32_16x16x16_f16 v[12:15], v[160:161], v[36:37], v[8:11]
	v_sub_u32_e32 v67, v67, v117
	ds_write_b16 v86, v66 offset:21504
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[8:11], v[96:97], v[36:37], v[74:77]
	v_pack_b32_f16 v37, v78, v66
	v_lshlrev_b32_e32 v66, 1, v116
	v_pack_b32_f16 v36, v85, v87
	s_barrier
	ds_read_b128 v[74:77], v66 offset:16640
	v_lshl_add_u32 v66, v67, 4, v66
	v_mfma_f32_16x16x16_f16 v[20:23], v[156:157], v[36:37], v[20:23]
	ds_read_b128 v[80:83], v66 offset:20736
	v_mfma_f32_16x16x16_f16 v[24:27], v[160:161], v[36:37], v[24:27]
	v_mfma_f32_16x16x16_f16 v[28:31], v[164:165], v[36:37], v[28:31]
	v_mfma_f32_16x16x16_f16 v[32:35], v[96:97], v[36:37], v[32:35]
	v_sub_u32_e32 v36, v115, v111
	v_add_u32_e32 v36, v135, v36
	v_xor_b32_e32 v37, v36, v110
	v_sub_u32_e32 v66, v37, v117
	v_lshlrev_b32_e32 v71, 3, v66
	v_add_lshl_u32 v71, v116, v71, 1
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[66:69], v[74:75], v[250:251], 0
	ds_read_b128 v[84:87], v71 offset:16640
	v_lshrrev_b16_e32 v73, 3, v168
	v_sub_u32_e32 v74, v73, v115
	v_add_u32_e32 v36, v36, v74
	v_xor_b32_e32 v78, v36, v110
	v_mfma_f32_16x16x16_f16 v[66:69], v[76:77], v[248:249], v[66:69]
	ds_read_b128 v[88:91], v71 offset:20736
	v_sub_u32_e32 v37, v78, v37
	v_lshl_add_u32 v37, v37, 4, v71
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[74:77], v[80:81], v[250:251], 0
	v_lshrrev_b16_e32 v71, 3, v112
	v_and_b32_e32 v71, 15, v71
	v_sub_u16_e32 v71, v71, v73
	ds_read_b128 v[92:95], v37 offset:16640
	v_add_u32_sdwa v36, v36, sext(v71) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0
	v_mfma_f32_16x16x16_f16 v[74:77], v[82:83], v[248:249], v[74:77]
	ds_read_b128 v[80:83], v37 offset:20736
	v_xor_b32_e32 v36, v36, v110
	v_lshlrev_b32_e32 v71, 5, v112
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[66:69], v[84:85], v[242:243], v[66:69]
	v_sub_u32_e32 v36, v36, v78
	v_and_b32_e32 v71, 0x1000, v71
	v_lshl_add_u32 v36, v36, 3, v71
	v_lshl_add_u32 v36, v36, 1, v37
	ds_read_b128 v[96:99], v36 offset:16640
	v_mfma_f32_16x16x16_f16 v[66:69], v[86:87], v[244:245], v[66:69]
	ds_read_b128 v[84:87], v36 offset:20736
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[74:77], v[88:89], v[242:243], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[90:91], v[244:245], v[74:77]
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[66:69], v[92:93], v[240:241], v[66:69]
	v_mfma_f32_16x16x16_f16 v[66:69], v[94:95], v[246:247], v[66:69]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[74:77], v[80:81], v[240:241], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[82:83], v[246:247], v[74:77]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[66:69], v[96:97], v[238:239], v[66:69]
	v_mfma_f32_16x16x16_f16 v[66:69], v[98:99], v[236:237], v[66:69]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[74:77], v[84:85], v[238:239], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[86:87], v[236:237], v[74:77]
	s_nop 6
	v_mul_f32_e32 v73, s9, v75
	v_add_u32_e32 v36, s28, v128
	v_mad_u64_u32 v[36:37], s[12:13], v36, s15, v[72:73]
	v_mul_f32_e32 v66, s9, v66
	s_lshl_b32 s22, s8, 2
	s_mov_b32 s23, 0x20000
	v_lshlrev_b32_e32 v37, 2, v36
	v_add_u32_e32 v36, s15, v36
	v_mul_f32_e32 v67, s9, v67
	buffer_atomic_add_f32 v66, v37, s[20:23], 0 offen
	v_lshlrev_b32_e32 v37, 2, v36
	v_add_u32_e32 v36, s15, v36
	v_mul_f32_e32 v68, s9, v68
	buffer_atomic_add_f32 v67, v37, s[20:23], 0 offen
	v_lshlrev_b32_e32 v37, 2, v36
	v_add_u32_e32 v36, s15, v36
	v_mul_f32_e32 v69, s9, v69
	buffer_atomic_add_f32 v68, v37, s[20:23], 0 offen
	v_lshlrev_b32_e32 v37, 2, v36
	buffer_atomic_add_f32 v69, v37, s[20:23], 0 offen
	v_mad_u64_u32 v[36:37], s[12:13], s15, 13, v[36:37]
	v_mul_f32_e32 v71, s9, v74
	v_lshlrev_b32_e32 v37, 2, v36
	v_add_u32_e32 v36, s15, v36
	buffer_atomic_add_f32 v71, v37, s[20:23], 0 offen
	v_lshlrev_b32_e32 v37, 2, v36
	v_add_u32_e32 v36, s15, v36
	v_mul_f32_e32 v74, s9, v76
	buffer_atomic_add_f32 v73, v37, s[20:23], 0 offen
	v_lshlrev_b32_e32 v37, 2, v36
	v_mul_f32_e32 v75, s9, v77
	buffer_atomic_add_f32 v74, v37, s[20:23], 0 offen
	v_add_lshl_u32 v36, v36, s15, 2
	buffer_atomic_add_f32 v75, v36, s[20:23], 0 offen
	s_mov_b32 s8, s9
	v_pk_mul_f32 v[18:19], s[8:9], v[18:19] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v19, v19
	v_cvt_f16_f32_e32 v18, v18
	v_pk_mul_f32 v[14:15], s[8:9], v[14:15] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v36, v15
	v_cvt_f16_f32_e32 v37, v14
	v_pk_mul_f32 v[6:7], s[8:9], v[6:7] op_sel_hi:[0,1]
	v_fma_mixlo_f16 v14, s9, v16, 0
	v_pack_b32_f16 v15, v18, v19
	v_fma_mixlo_f16 v18, s9, v12, 0
	v_cvt_f16_f32_e32 v12, v7
	v_cvt_f16_f32_e32 v16, v6
	v_pk_mul_f32 v[6:7], s[8:9], v[10:11] op_sel_hi:[0,1]
	v_pk_mul_f32 v[22:23], s[8:9], v[22:23] op_sel_hi:[0,1]
	v_pack_b32_f16 v19, v37, v36
	v_cvt_f16_f32_e32 v36, v6
	v_fma_mixlo_f16 v6, s9, v4, 0
	v_fma_mixlo_f16 v10, s9, v8, 0
	v_cvt_f16_f32_e32 v4, v23
	v_cvt_f16_f32_e32 v8, v22
	v_pk_mul_f32 v[22:23], s[8:9], v[26:27] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v11, v7
	v_pack_b32_f16 v7, v16, v12
	v_cvt_f16_f32_e32 v12, v23
	v_cvt_f16_f32_e32 v16, v22
	v_pk_mul_f32 v[30:31], s[8:9], v[30:31] op_sel_hi:[0,1]
	v_pack_b32_f16 v23, v8, v4
	v_cvt_f16_f32_e32 v4, v31
	v_cvt_f16_f32_e32 v8, v30
	v_pk_mul_f32 v[30:31], s[8:9], v[34:35] op_sel_hi:[0,1]
	v_pack_b32_f16 v27, v16, v12
	v_cvt_f16_f32_e32 v12, v31
	v_cvt_f16_f32_e32 v16, v30
	s_and_b32 s2, s2, 0x3ffffff0
	v_pack_b32_f16 v31, v8, v4
	v_fma_mixhi_f16 v6, s9, v5, 0
	v_pack_b32_f16 v35, v16, v12
	v_add_u32_e32 v16, s2, v114
	v_mad_u64_u32 v[4:5], s[2:3], v16, s16, v[70:71]
	s_lshl_b32 s2, s16, 6
	v_fma_mixlo_f16 v22, s9, v20, 0
	v_fma_mixlo_f16 v26, s9, v24, 0
	v_fma_mixlo_f16 v30, s9, v28, 0
	v_fma_mixlo_f16 v34, s9, v32, 0
	v_fma_mixhi_f16 v14, s9, v17, 0
	v_fma_mixhi_f16 v18, s9, v13, 0
	s_lshl_b32 s6, s6, 1
	s_mov_b32 s7, s23
	v_lshlrev_b32_e32 v5, 1, v4
	v_add_u32_e32 v4, 48, v4
	s_add_i32 s2, s2, 0x7fffffd0
	v_pack_b32_f16 v11, v36, v11
	v_fma_mixhi_f16 v10, s9, v9, 0
	v_fma_mixhi_f16 v22, s9, v21, 0
	v_fma_mixhi_f16 v26, s9, v25, 0
	v_fma_mixhi_f16 v30, s9, v29, 0
	v_fma_mixhi_f16 v34, s9, v33, 0
	buffer_store_dwordx2 v[14:15], v5, s[4:7], 0 offen
	buffer_store_dwordx2 v[18:19], v5, s[4:7], 0 offen offset:32
	buffer_store_dwordx2 v[6:7], v5, s[4:7], 0 offen offset:64
	v_lshlrev_b32_e32 v5, 1, v4
	v_add_lshl_u32 v4, s2, v4, 1
	v_cvt_f16_f32_e32 v6, v40
	v_cvt_f16_f32_e32 v7, v41
	v_cvt_f16_f32_e32 v17, v46
	v_cvt_f16_f32_e32 v18, v47
	buffer_store_dwordx2 v[10:11], v5, s[4:7], 0 offen
	buffer_store_dwordx2 v[22:23], v4, s[4:7], 0 offen
	buffer_store_dwordx2 v[26:27], v4, s[4:7], 0 offen offset:32
	buffer_store_dwordx2 v[30:31], v4, s[4:7], 0 offen offset:64
	buffer_store_dwordx2 v[34:35], v4, s[4:7], 0 offen offset:96
	v_cvt_f16_f32_e32 v4, v38
	v_cvt_f16_f32_e32 v5, v39
	v_cvt_f16_f32_e32 v8, v42
	v_cvt_f16_f32_e32 v9, v43
	v_cvt_f16_f32_e32 v10, v44
	v_cvt_f16_f32_e32 v11, v45
	v_cvt_f16_f32_e32 v12, v0
	v_cvt_f16_f32_e32 v13, v1
	v_cvt_f16_f32_e32 v14, v2
	v_cvt_f16_f32_e32 v15, v3
	v_cvt_f16_f32_e32 v19, v48
	v_cvt_f16_f32_e32 v20, v49
	v_cvt_f16_f32_e32 v21, v54
	v_cvt_f16_f32_e32 v22, v55
	v_cvt_f16_f32_e32 v23, v56
	v_cvt_f16_f32_e32 v24, v57
	v_cvt_f16_f32_e32 v25, v58
	v_cvt_f16_f32_e32 v26, v59
	v_cvt_f16_f32_e32 v27, v60
	v_cvt_f16_f32_e32 v28, v61
	v_cvt_f16_f32_e32 v29, v62
	v_cvt_f16_f32_e32 v30, v63
	v_cvt_f16_f32_e32 v31, v64
	v_cvt_f16_f32_e32 v32, v65
	v_cvt_f16_f32_e32 v33, v50
	v_cvt_f16_f32_e32 v34, v51
	v_cvt_f16_f32_e32 v35, v52
	v_cvt_f16_f32_e32 v36, v53
	v_pack_b32_f16 v1, v6, v7
	v_pack_b32_f16 v6, v17, v18
	v_mad_u64_u32 v[16:17], s[2:3], v16, s17, v[70:71]
	v_pack_b32_f16 v0, v4, v5
	s_lshl_b32 s2, s11, 1
	s_mov_b32 s3, s23
	v_lshlrev_b32_e32 v17, 1, v16
	s_lshl_b32 s4, s17, 6
	buffer_store_dwordx2 v[0:1], v17, s[0:3], 0 offen
	v_add_u32_e32 v0, 48, v16
	s_add_i32 s4, s4, 0x7fffffd0
	v_pack_b32_f16 v3, v10, v11
	v_pack_b32_f16 v2, v8, v9
	v_pack_b32_f16 v5, v14, v15
	v_pack_b32_f16 v4, v12, v13
	v_pack_b32_f16 v7, v19, v20
	v_pack_b32_f16 v9, v23, v24
	v_pack_b32_f16 v8, v21, v22
	v_pack_b32_f16 v11, v27, v28
	v_pack_b32_f16 v10, v25, v26
	v_pack_b32_f16 v13, v31, v32
	v_pack_b32_f16 v12, v29, v30
	v_pack_b32_f16 v15, v35, v36
	v_pack_b32_f16 v14, v33, v34
	v_lshlrev_b32_e32 v1, 1, v0
	v_add_lshl_u32 v0, s4, v0, 1
	buffer_store_dwordx2 v[2:3], v17, s[0:3], 0 offen offset:32
	buffer_store_dwordx2 v[4:5], v17, s[0:3], 0 offen offset:64
	buffer_store_dwordx2 v[6:7], v1, s[0:3], 0 offen
	buffer_store_dwordx2 v[8:9], v0, s[0:3], 0 offen
	buffer_store_dwordx2 v[10:11], v0, s[0:3], 0 offen offset:32
	buffer_store_dwordx2 v[12:13], v0, s[0:3], 0 offen offset:64
	buffer_store_dwordx2 v[14:15], v0, s[0:3], 0 offen offset:96
	s_endpgm
	.amdhsa_kernel ck_fmha_dq_dk_dv
		.amdhsa_group_segment_fixed_size 32768
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 200
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
		.amdhsa_next_free_vgpr 285
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
	.set ck_fmha_dq_dk_dv.num_vgpr, 256
	.set ck_fmha_dq_dk_dv.num_agpr, 29
	.set ck_fmha_dq_dk_dv.numbered_sgpr, 64
	.set ck_fmha_dq_dk_dv.num_named_barrier, 0
	.set ck_fmha_dq_dk_dv.private_seg_size, 0
	.set ck_fmha_dq_dk_dv.uses_vcc, 1
	.set ck_fmha_dq_dk_dv.uses_flat_scratch, 0
	.set ck_fmha_dq_dk_dv.has_dyn_sized_stack, 0
	.set ck_fmha_dq_dk_dv.has_recursion, 0
	.set ck_fmha_dq_dk_dv.has_indirect_call, 0
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
__hip_cuid_:
	.byte	0
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     29
    .args:
      - .offset:         0
        .size:           200
        .value_kind:     by_value
    .group_segment_fixed_size: 32768
    .kernarg_segment_align: 8
    .kernarg_segment_size: 200
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_fmha_dq_dk_dv
    .private_segment_fixed_size: 0
    .sgpr_count:     70
    .sgpr_spill_count: 0
    .symbol:         ck_fmha_dq_dk_dv.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     285
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
