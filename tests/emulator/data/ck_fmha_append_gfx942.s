; A CK Tile append (fp16, heads of 64, half rope), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
ck_fmha_append:
	s_load_dwordx8 s[52:59], s[0:1], 0x0
	s_load_dwordx4 s[72:75], s[0:1], 0x20
	s_load_dwordx4 s[60:63], s[0:1], 0x38
	s_load_dwordx16 s[36:51], s[0:1], 0x48
	s_load_dwordx2 s[6:7], s[0:1], 0xa0
	s_load_dwordx4 s[8:11], s[0:1], 0x88
	s_load_dword s35, s[0:1], 0x98
	s_ashr_i32 s5, s4, 31
	s_mov_b64 s[26:27], s[4:5]
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 s[6:7], 0
	s_cbranch_scc1 .LBB0_2
	s_lshl_b64 s[12:13], s[4:5], 2
	s_add_u32 s6, s6, s12
	s_addc_u32 s7, s7, s13
	s_load_dword s26, s[6:7], 0x0
.LBB0_2:
	s_lshl_b32 s2, s2, 6
	s_lshl_b64 s[6:7], s[4:5], 2
	s_add_u32 s12, s74, s6
	s_addc_u32 s13, s75, s7
	s_abs_i32 s6, s36
	v_cvt_f32_u32_e32 v1, s6
	s_load_dword s27, s[12:13], 0x0
	s_lshr_b32 s7, s35, 31
	s_add_i32 s7, s35, s7
	v_rcp_iflag_f32_e32 v1, v1
	s_ashr_i32 s34, s7, 1
	s_add_i32 s12, s34, -1
	s_add_u32 s63, s12, 1
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s12, s27, s34
	s_add_i32 s5, s61, -1
	s_ashr_i32 s13, s12, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	s_add_u32 s5, s5, 1
	s_lshl_b64 s[12:13], s[12:13], 1
	s_load_dword s33, s[0:1], 0x30
	v_cvt_u32_f32_e32 v1, v1
	s_add_u32 s68, s8, s12
	s_addc_u32 s69, s9, s13
	s_add_u32 s64, s10, s12
	s_addc_u32 s65, s11, s13
	v_readfirstlane_b32 s7, v1
	s_cmp_le_i32 s60, s2
	v_mbcnt_lo_u32_b32 v22, -1, 0
	v_lshlrev_b32_e32 v1, 3, v0
	s_cbranch_scc0 .LBB0_5
	s_waitcnt lgkmcnt(0)
	s_cmp_le_i32 s33, s2
	s_cbranch_scc0 .LBB0_8
.LBB0_4:
	s_endpgm
.LBB0_5:
	s_sub_i32 s11, 0, s6
	s_mul_i32 s11, s11, s7
	s_mul_hi_u32 s11, s7, s11
	s_abs_i32 s10, s3
	s_add_i32 s7, s7, s11
	s_ashr_i32 s8, s3, 31
	s_ashr_i32 s9, s36, 31
	s_mul_hi_u32 s7, s10, s7
	s_xor_b32 s8, s8, s9
	s_mul_i32 s9, s7, s6
	s_sub_i32 s9, s10, s9
	s_add_i32 s10, s7, 1
	s_sub_i32 s11, s9, s6
	s_cmp_ge_u32 s9, s6
	s_cselect_b32 s7, s10, s7
	s_cselect_b32 s9, s11, s9
	s_add_i32 s10, s7, 1
	s_cmp_ge_u32 s9, s6
	s_cselect_b32 s6, s10, s7
	s_xor_b32 s6, s6, s8
	s_sub_i32 s74, s6, s8
	s_add_u32 s36, s60, -1
	s_mul_i32 s6, s36, s39
	s_addc_u32 s66, 0, 0
	s_add_i32 s8, s6, s5
	s_mul_hi_i32 s7, s74, s44
	s_mul_i32 s6, s74, s44
	s_lshl_b64 s[6:7], s[6:7], 1
	s_add_u32 s9, s56, s6
	s_addc_u32 s10, s57, s7
	s_mul_hi_i32 s7, s49, s4
	s_mul_i32 s6, s49, s4
	s_lshl_b64 s[6:7], s[6:7], 1
	s_add_u32 s28, s9, s6
	v_readfirstlane_b32 s6, v0
	s_addc_u32 s29, s10, s7
	s_lshr_b32 s6, s6, 3
	v_mbcnt_hi_u32_b32 v23, -1, v22
	s_and_b32 s6, s6, 0x1ffffff8
	v_lshrrev_b32_e32 v25, 3, v23
	v_and_b32_e32 v24, 7, v23
	s_add_i32 s6, s6, s2
	v_lshlrev_b32_e32 v2, 3, v24
	v_add_u32_e32 v7, s6, v25
	v_mad_u64_u32 v[4:5], s[6:7], v7, s39, v[2:3]
	v_lshl_add_u32 v5, s39, 5, v4
	s_lshl_b32 s30, s8, 1
	s_mov_b32 s31, 0x20000
	v_lshlrev_b32_e32 v8, 1, v4
	v_lshlrev_b32_e32 v3, 1, v5
	buffer_load_ushort v6, v8, s[28:31], 0 offen
	buffer_load_ushort v9, v8, s[28:31], 0 offen offset:2
	buffer_load_ushort v10, v8, s[28:31], 0 offen offset:4
	buffer_load_ushort v11, v8, s[28:31], 0 offen offset:6
	buffer_load_ushort v12, v8, s[28:31], 0 offen offset:8
	buffer_load_ushort v13, v8, s[28:31], 0 offen offset:10
	buffer_load_ushort v14, v8, s[28:31], 0 offen offset:12
	buffer_load_ushort v15, v8, s[28:31], 0 offen offset:14
	buffer_load_ushort v16, v3, s[28:31], 0 offen
	buffer_load_ushort v17, v3, s[28:31], 0 offen offset:2
	buffer_load_ushort v18, v3, s[28:31], 0 offen offset:4
	buffer_load_ushort v19, v3, s[28:31], 0 offen offset:6
	buffer_load_ushort v21, v3, s[28:31], 0 offen offset:8
	buffer_load_ushort v26, v3, s[28:31], 0 offen offset:10
	buffer_load_ushort v27, v3, s[28:31], 0 offen offset:12
	buffer_load_ushort v29, v3, s[28:31], 0 offen offset:14
	v_or_b32_e32 v20, 1, v2
	v_cmp_gt_i32_e64 s[10:11], s61, v20
	v_add_u32_e32 v20, 32, v7
	v_cmp_gt_i32_e64 s[8:9], s61, v2
	v_cmp_gt_i32_e64 s[6:7], s60, v7
	v_cmp_gt_i32_e32 vcc, s60, v20
	v_or_b32_e32 v28, 2, v2
	s_and_b64 s[24:25], s[8:9], s[6:7]
	s_and_b64 s[8:9], s[8:9], vcc
	v_or_b32_e32 v30, 3, v2
	v_cmp_gt_i32_e64 s[12:13], s61, v28
	v_or_b32_e32 v31, 4, v2
	v_cmp_gt_i32_e64 s[14:15], s61, v30
	v_or_b32_e32 v32, 5, v2
	v_or_b32_e32 v34, 7, v2
	v_cmp_gt_i32_e64 s[16:17], s61, v31
	v_or_b32_e32 v33, 6, v2
	v_cmp_gt_i32_e64 s[18:19], s61, v32
	v_cmp_gt_i32_e64 s[22:23], s61, v34
	v_cmp_gt_i32_e64 s[20:21], s61, v33
	s_waitcnt vmcnt(15)
	v_cndmask_b32_e64 v37, 0, v6, s[24:25]
	s_and_b64 s[24:25], s[6:7], s[10:11]
	s_waitcnt vmcnt(7)
	v_cndmask_b32_e64 v6, 0, v16, s[8:9]
	s_and_b64 s[8:9], s[10:11], vcc
	v_cndmask_b32_e64 v36, 0, v9, s[24:25]
	s_and_b64 s[24:25], s[6:7], s[12:13]
	s_waitcnt vmcnt(6)
	v_cndmask_b32_e64 v30, 0, v17, s[8:9]
	s_and_b64 s[8:9], s[12:13], vcc
	v_cndmask_b32_e64 v35, 0, v10, s[24:25]
	s_and_b64 s[24:25], s[6:7], s[14:15]
	s_waitcnt vmcnt(5)
	v_cndmask_b32_e64 v28, 0, v18, s[8:9]
	s_and_b64 s[8:9], s[14:15], vcc
	v_cndmask_b32_e64 v34, 0, v11, s[24:25]
	s_and_b64 s[24:25], s[6:7], s[16:17]
	s_waitcnt vmcnt(4)
	v_cndmask_b32_e64 v19, 0, v19, s[8:9]
	s_and_b64 s[8:9], s[16:17], vcc
	v_cndmask_b32_e64 v33, 0, v12, s[24:25]
	s_and_b64 s[24:25], s[6:7], s[18:19]
	s_waitcnt vmcnt(3)
	v_cndmask_b32_e64 v21, 0, v21, s[8:9]
	s_and_b64 s[8:9], s[18:19], vcc
	v_cndmask_b32_e64 v31, 0, v13, s[24:25]
	s_and_b64 s[24:25], s[6:7], s[20:21]
	s_waitcnt vmcnt(2)
	v_cndmask_b32_e64 v26, 0, v26, s[8:9]
	s_and_b64 s[8:9], s[20:21], vcc
	v_and_b32_e32 v9, 56, v1
	v_cndmask_b32_e64 v32, 0, v14, s[24:25]
	s_and_b64 s[24:25], s[6:7], s[22:23]
	s_waitcnt vmcnt(1)
	v_cndmask_b32_e64 v27, 0, v27, s[8:9]
	s_and_b64 s[8:9], s[22:23], vcc
	v_add_u32_e32 v9, 8, v9
	v_cndmask_b32_e64 v20, 0, v15, s[24:25]
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v29, 0, v29, s[8:9]
	v_cmp_ge_i32_e64 s[8:9], s35, v9
	s_and_saveexec_b64 s[24:25], s[8:9]
	s_cbranch_execz .LBB0_7
	s_add_u32 s8, 0, s36
	s_addc_u32 s9, s34, s66
	s_mul_i32 s10, s8, s34
	s_mul_hi_u32 s8, s8, 0
	s_add_i32 s8, s8, s10
	s_mul_i32 s9, s9, 0
	s_add_i32 s8, s8, s9
	s_lshr_b32 s9, s35, 1
	s_sub_i32 s10, 0, s9
	v_mov_b32_e32 v10, s9
	v_mov_b32_e32 v11, s10
	v_cmp_lt_u32_e64 s[14:15], s9, v9
	v_add_u32_e32 v8, 2, v8
	s_add_i32 s8, s63, s8
	v_cndmask_b32_e64 v9, v10, v11, s[14:15]
	v_cndmask_b32_e64 v10, 0, v10, s[14:15]
	v_add_lshl_u32 v4, v4, v9, 1
	v_lshlrev_b32_e32 v18, 1, v9
	v_add_lshl_u32 v5, v5, v9, 1
	v_mul_lo_u32 v7, v7, s34
	v_add_u32_e32 v8, v8, v18
	buffer_load_ushort v39, v5, s[28:31], 0 offen
	buffer_load_ushort v41, v4, s[28:31], 0 offen
	buffer_load_ushort v43, v8, s[28:31], 0 offen
	buffer_load_ushort v45, v8, s[28:31], 0 offen offset:2
	buffer_load_ushort v46, v8, s[28:31], 0 offen offset:4
	buffer_load_ushort v47, v8, s[28:31], 0 offen offset:6
	v_sub_u32_e32 v4, v2, v10
	s_lshl_b32 s70, s8, 1
	s_mov_b32 s71, s31
	v_add_lshl_u32 v5, v7, v4, 1
	buffer_load_dwordx4 v[10:13], v5, s[68:71], 0 offen
	s_mov_b32 s66, s70
	s_mov_b32 s67, s31
	buffer_load_dwordx4 v[14:17], v5, s[64:67], 0 offen
	buffer_load_ushort v48, v8, s[28:31], 0 offen offset:8
	buffer_load_ushort v49, v8, s[28:31], 0 offen offset:10
	buffer_load_ushort v50, v8, s[28:31], 0 offen offset:12
	v_add_u32_e32 v3, 2, v3
	v_add_u32_e32 v3, v3, v18
	buffer_load_ushort v52, v3, s[28:31], 0 offen
	v_cvt_f32_f16_e32 v42, v33
	buffer_load_ushort v33, v3, s[28:31], 0 offen offset:2
	buffer_load_ushort v53, v3, s[28:31], 0 offen offset:4
	buffer_load_ushort v55, v3, s[28:31], 0 offen offset:6
	buffer_load_ushort v56, v3, s[28:31], 0 offen offset:8
	buffer_load_ushort v57, v3, s[28:31], 0 offen offset:10
	buffer_load_ushort v59, v3, s[28:31], 0 offen offset:12
	v_add_u32_e32 v54, v2, v9
	v_add_u32_e32 v2, 1, v54
	v_cvt_f32_f16_e32 v18, v6
	v_add_u32_e32 v6, 2, v54
	v_cmp_gt_i32_e64 s[18:19], s61, v2
	v_lshl_add_u32 v2, s34, 6, v5
	v_cmp_gt_i32_e64 s[8:9], s34, v4
	v_cmp_gt_i32_e64 s[12:13], s61, v6
	buffer_load_dwordx4 v[6:9], v2, s[68:71], 0 offen
	s_nop 0
	buffer_load_dwordx4 v[2:5], v2, s[64:67], 0 offen
	v_cvt_f32_f16_e32 v44, v31
	v_cmp_gt_i32_e64 s[16:17], s61, v54
	s_and_b64 s[10:11], s[6:7], s[16:17]
	v_cvt_f32_f16_e32 v40, v35
	v_cvt_f32_f16_e32 v38, v37
	s_and_b64 s[16:17], s[16:17], vcc
	s_and_b64 s[20:21], s[6:7], s[18:19]
	v_cvt_f32_f16_e32 v36, v36
	s_and_b64 s[18:19], vcc, s[18:19]
	v_cvt_f32_f16_e32 v34, v34
	v_cvt_f32_f16_e32 v32, v32
	v_cvt_f32_f16_e32 v20, v20
	v_cvt_f32_f16_e32 v28, v28
	v_cvt_f32_f16_e32 v26, v26
	s_waitcnt vmcnt(19)
	v_cvt_f32_f16_e32 v35, v39
	s_waitcnt vmcnt(18)
	v_cvt_f32_f16_e32 v31, v41
	s_waitcnt vmcnt(17)
	v_cvt_f32_f16_e32 v37, v43
	s_waitcnt vmcnt(16)
	v_cvt_f32_f16_e32 v41, v45
	s_waitcnt vmcnt(15)
	v_cvt_f32_f16_e32 v43, v46
	s_waitcnt vmcnt(14)
	v_cvt_f32_f16_e32 v45, v47
	v_cndmask_b32_e64 v47, 0, v31, s[10:11]
	s_and_b64 s[10:11], s[6:7], s[8:9]
	s_waitcnt vmcnt(12)
	v_cvt_f32_f16_e32 v31, v14
	v_cvt_f32_f16_e32 v39, v10
	v_cvt_f32_f16_sdwa v10, v10 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v14, v14 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v31, 0, v31, s[10:11]
	v_cndmask_b32_e64 v46, 0, v39, s[10:11]
	v_cndmask_b32_e64 v39, -v31, v31, s[14:15]
	s_waitcnt vmcnt(10)
	v_cvt_f32_f16_e32 v58, v49
	v_pk_mul_f32 v[38:39], v[46:47], v[38:39]
	v_cndmask_b32_e64 v46, 0, v10, s[10:11]
	v_cndmask_b32_e64 v49, 0, v35, s[16:17]
	v_cndmask_b32_e64 v10, 0, v14, s[10:11]
	s_and_b64 s[16:17], s[6:7], s[12:13]
	v_add_u32_e32 v14, 3, v54
	v_cndmask_b32_e64 v51, 0, v41, s[16:17]
	v_cmp_gt_i32_e64 s[16:17], s61, v14
	v_cvt_f32_f16_e32 v14, v15
	v_cndmask_b32_e64 v47, 0, v37, s[20:21]
	s_and_b64 s[20:21], s[6:7], s[16:17]
	v_cndmask_b32_e64 v37, -v10, v10, s[14:15]
	v_cndmask_b32_e64 v14, 0, v14, s[10:11]
	v_cndmask_b32_e64 v41, -v14, v14, s[14:15]
	v_add_u32_e32 v14, 4, v54
	v_cvt_f32_f16_e32 v10, v11
	s_waitcnt vmcnt(8)
	v_cvt_f32_f16_e32 v35, v52
	v_cndmask_b32_e64 v31, 0, v43, s[20:21]
	v_cvt_f32_f16_sdwa v11, v11 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cmp_gt_i32_e64 s[20:21], s61, v14
	v_cvt_f32_f16_sdwa v14, v15 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v60, v50
	v_cndmask_b32_e64 v50, 0, v10, s[10:11]
	v_cvt_f32_f16_e32 v10, v30
	v_cndmask_b32_e64 v30, 0, v11, s[10:11]
	v_cndmask_b32_e64 v15, 0, v35, s[18:19]
	v_cndmask_b32_e64 v11, 0, v14, s[10:11]
	s_and_b64 s[18:19], s[6:7], s[20:21]
	v_add_u32_e32 v14, 5, v54
	v_pk_mul_f32 v[36:37], v[46:47], v[36:37]
	v_cndmask_b32_e64 v47, 0, v45, s[18:19]
	v_cmp_gt_i32_e64 s[18:19], s61, v14
	v_cvt_f32_f16_e32 v14, v16
	v_cvt_f32_f16_e32 v48, v48
	v_cndmask_b32_e64 v35, -v11, v11, s[14:15]
	v_cvt_f32_f16_e32 v11, v12
	v_cndmask_b32_e64 v14, 0, v14, s[10:11]
	v_cndmask_b32_e64 v43, -v14, v14, s[14:15]
	s_and_b64 s[22:23], s[6:7], s[18:19]
	v_add_u32_e32 v14, 6, v54
	v_pk_mul_f32 v[30:31], v[30:31], v[34:35]
	v_cndmask_b32_e64 v46, 0, v11, s[10:11]
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16_e32 v11, v33
	v_cndmask_b32_e64 v35, 0, v48, s[22:23]
	v_cmp_gt_i32_e64 s[22:23], s61, v14
	v_cvt_f32_f16_sdwa v14, v16 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_and_b64 s[12:13], vcc, s[12:13]
	v_pk_mul_f32 v[42:43], v[46:47], v[42:43]
	v_cvt_f32_f16_sdwa v12, v12 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v47, 0, v11, s[12:13]
	v_cndmask_b32_e64 v11, 0, v14, s[10:11]
	v_cndmask_b32_e64 v45, -v11, v11, s[14:15]
	v_cvt_f32_f16_e32 v11, v13
	v_cndmask_b32_e64 v34, 0, v12, s[10:11]
	v_pk_mul_f32 v[44:45], v[34:35], v[44:45]
	s_and_b64 s[12:13], s[6:7], s[22:23]
	v_cndmask_b32_e64 v34, 0, v11, s[10:11]
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16_e32 v11, v53
	v_cndmask_b32_e64 v35, 0, v58, s[12:13]
	s_and_b64 s[12:13], vcc, s[16:17]
	v_pk_mul_f32 v[40:41], v[50:51], v[40:41]
	v_cndmask_b32_e64 v51, 0, v11, s[12:13]
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16_e32 v11, v55
	v_cvt_f32_f16_e32 v14, v17
	s_and_b64 s[12:13], vcc, s[20:21]
	s_and_b64 s[16:17], vcc, s[18:19]
	v_cndmask_b32_e64 v55, 0, v11, s[12:13]
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16_e32 v11, v56
	v_cndmask_b32_e64 v14, 0, v14, s[10:11]
	v_cndmask_b32_e64 v33, -v14, v14, s[14:15]
	v_add_u32_e32 v14, 7, v54
	v_cmp_gt_i32_e64 s[12:13], s61, v14
	v_add_f32_e32 v14, v38, v39
	v_cndmask_b32_e64 v39, 0, v11, s[16:17]
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16_e32 v11, v57
	s_and_b64 s[16:17], vcc, s[22:23]
	v_cvt_f32_f16_e32 v16, v21
	v_add_f32_e32 v21, v40, v41
	v_cndmask_b32_e64 v41, 0, v11, s[16:17]
	v_add_f32_e32 v11, v30, v31
	v_pk_mul_f32 v[52:53], v[34:35], v[32:33]
	v_cvt_f16_f32_e32 v34, v11
	v_add_f32_e32 v11, v44, v45
	v_cvt_f16_f32_e32 v31, v11
	v_cvt_f32_f16_sdwa v11, v13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v13, v17 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v12, v19
	v_add_f32_e32 v19, v36, v37
	v_cvt_f16_f32_e32 v37, v14
	v_add_f32_e32 v14, v52, v53
	v_cvt_f32_f16_e32 v56, v27
	v_add_f32_e32 v27, v42, v43
	s_and_b64 s[6:7], s[6:7], s[12:13]
	v_cvt_f16_f32_e32 v32, v14
	v_cndmask_b32_e64 v42, 0, v11, s[10:11]
	v_cndmask_b32_e64 v11, 0, v13, s[10:11]
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v14, v2
	v_cndmask_b32_e64 v43, 0, v60, s[6:7]
	v_cvt_f16_f32_e32 v35, v21
	v_cndmask_b32_e64 v21, -v11, v11, s[14:15]
	v_pk_mul_f32 v[20:21], v[42:43], v[20:21]
	s_and_b64 s[6:7], s[8:9], vcc
	v_add_f32_e32 v11, v20, v21
	v_cvt_f16_f32_e32 v20, v11
	v_cndmask_b32_e64 v11, 0, v14, s[6:7]
	v_cvt_f32_f16_sdwa v2, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f16_f32_e32 v36, v19
	v_cvt_f32_f16_e32 v13, v6
	v_cndmask_b32_e64 v19, -v11, v11, s[14:15]
	v_cvt_f32_f16_sdwa v11, v6 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v2, 0, v2, s[6:7]
	v_cndmask_b32_e64 v48, 0, v13, s[6:7]
	v_cvt_f32_f16_e32 v13, v3
	v_cndmask_b32_e64 v14, 0, v11, s[6:7]
	v_cndmask_b32_e64 v11, -v2, v2, s[14:15]
	v_cvt_f32_f16_e32 v2, v7
	v_cvt_f32_f16_e32 v58, v29
	v_pk_mul_f32 v[10:11], v[14:15], v[10:11]
	v_cvt_f32_f16_sdwa v3, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v46, 0, v2, s[6:7]
	v_cndmask_b32_e64 v2, 0, v13, s[6:7]
	v_cndmask_b32_e64 v29, -v2, v2, s[14:15]
	v_cvt_f32_f16_sdwa v2, v7 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_add_f32_e32 v10, v10, v11
	v_cvt_f16_f32_e32 v30, v10
	v_pk_mul_f32 v[10:11], v[46:47], v[28:29]
	v_cndmask_b32_e64 v50, 0, v2, s[6:7]
	v_add_f32_e32 v7, v10, v11
	v_cvt_f16_f32_e32 v28, v7
	v_cndmask_b32_e64 v2, 0, v3, s[6:7]
	v_cvt_f32_f16_e32 v7, v8
	v_cvt_f32_f16_e32 v10, v4
	v_cndmask_b32_e64 v13, -v2, v2, s[14:15]
	v_pk_mul_f32 v[2:3], v[50:51], v[12:13]
	v_pk_mul_f32 v[18:19], v[48:49], v[18:19]
	v_add_f32_e32 v2, v2, v3
	v_add_f32_e32 v6, v18, v19
	v_cvt_f16_f32_e32 v19, v2
	v_cndmask_b32_e64 v54, 0, v7, s[6:7]
	v_cndmask_b32_e64 v2, 0, v10, s[6:7]
	v_cvt_f32_f16_sdwa v7, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v4, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v17, -v2, v2, s[14:15]
	v_pk_mul_f32 v[2:3], v[54:55], v[16:17]
	v_cndmask_b32_e64 v38, 0, v7, s[6:7]
	v_add_f32_e32 v2, v2, v3
	v_cvt_f16_f32_e32 v21, v2
	v_cndmask_b32_e64 v2, 0, v4, s[6:7]
	v_cvt_f32_f16_e32 v7, v5
	v_cvt_f16_f32_e32 v33, v27
	v_cndmask_b32_e64 v27, -v2, v2, s[14:15]
	v_cvt_f32_f16_e32 v4, v9
	v_pk_mul_f32 v[2:3], v[38:39], v[26:27]
	v_cvt_f32_f16_sdwa v5, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_add_f32_e32 v2, v2, v3
	v_cvt_f16_f32_e32 v26, v2
	v_cndmask_b32_e64 v2, 0, v7, s[6:7]
	v_cndmask_b32_e64 v40, 0, v4, s[6:7]
	v_cndmask_b32_e64 v57, -v2, v2, s[14:15]
	v_pk_mul_f32 v[2:3], v[40:41], v[56:57]
	v_cvt_f32_f16_sdwa v4, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_add_f32_e32 v2, v2, v3
	v_cvt_f16_f32_e32 v27, v2
	v_cvt_f32_f16_e32 v2, v59
	s_and_b64 vcc, vcc, s[12:13]
	v_cvt_f16_f32_e32 v6, v6
	v_cndmask_b32_e32 v3, 0, v2, vcc
	v_cndmask_b32_e64 v2, 0, v4, s[6:7]
	v_cndmask_b32_e64 v4, 0, v5, s[6:7]
	v_cndmask_b32_e64 v59, -v4, v4, s[14:15]
	v_pk_mul_f32 v[2:3], v[2:3], v[58:59]
	s_nop 0
	v_add_f32_e32 v2, v2, v3
	v_cvt_f16_f32_e32 v29, v2
.LBB0_7:
	s_or_b64 exec, exec, s[24:25]
	s_mul_hi_i32 s13, s74, s43
	s_mul_i32 s12, s74, s43
	s_lshl_b64 s[12:13], s[12:13], 1
	s_mul_hi_i32 s7, s26, s48
	s_mul_i32 s6, s26, s48
	s_add_u32 s12, s54, s12
	s_addc_u32 s13, s55, s13
	s_lshl_b64 s[6:7], s[6:7], 1
	s_add_u32 s28, s12, s6
	s_addc_u32 s29, s13, s7
	s_mul_hi_i32 s7, s74, s45
	s_mul_i32 s6, s74, s45
	s_lshl_b64 s[6:7], s[6:7], 1
	s_mul_hi_i32 s9, s26, s50
	s_mul_i32 s8, s26, s50
	s_add_u32 s12, s58, s6
	s_addc_u32 s13, s59, s7
	s_lshl_b64 s[6:7], s[8:9], 1
	s_add_u32 s24, s12, s6
	s_addc_u32 s25, s13, s7
	s_mul_hi_i32 s7, s74, s46
	s_mul_i32 s6, s74, s46
	s_lshl_b64 s[6:7], s[6:7], 1
	s_mul_hi_i32 s11, s51, s4
	s_mul_i32 s10, s51, s4
	s_add_u32 s8, s72, s6
	s_addc_u32 s9, s73, s7
	s_lshl_b64 s[6:7], s[10:11], 1
	s_add_u32 s48, s8, s6
	s_addc_u32 s49, s9, s7
	s_add_i32 s39, s27, s60
	s_add_i32 s26, s39, -1
	s_add_i32 s6, s26, 0
	s_mul_i32 s6, s38, s6
	s_add_i32 s8, s6, s5
	s_add_i32 s6, s62, -1
	s_add_i32 s43, s6, 1
	s_mul_i32 s36, s36, s41
	s_mul_hi_u32 s6, 0, s41
	v_readfirstlane_b32 s7, v0
	s_add_i32 s6, s6, s36
	s_lshr_b32 s7, s7, 3
	s_add_i32 s36, s6, s43
	s_add_i32 s6, s27, s2
	s_and_b32 s44, s7, 0x1ffffff8
	v_lshlrev_b32_e32 v2, 3, v23
	s_add_i32 s6, s44, s6
	v_and_b32_e32 v2, 56, v2
	v_add_u32_e32 v3, s6, v25
	v_cmp_gt_i32_e32 vcc, s61, v2
	v_cmp_gt_i32_e64 s[6:7], s39, v3
	v_mul_lo_u32 v4, v3, s38
	s_lshl_b32 s30, s8, 1
	v_bfrev_b32_e32 v7, 1
	s_and_b64 s[8:9], vcc, s[6:7]
	v_add_lshl_u32 v4, v4, v2, 1
	v_cndmask_b32_e64 v5, v7, 0, s[8:9]
	v_add_u32_e32 v5, v5, v4
	buffer_store_short v37, v5, s[28:31], 0 offen
	v_or_b32_e32 v5, 1, v2
	v_cmp_gt_i32_e64 s[8:9], s61, v5
	s_and_b64 s[10:11], s[8:9], s[6:7]
	v_add_u32_e32 v5, 2, v4
	v_cndmask_b32_e64 v8, v7, 0, s[10:11]
	v_add_u32_e32 v8, v5, v8
	buffer_store_short v36, v8, s[28:31], 0 offen
	v_or_b32_e32 v8, 2, v2
	v_cmp_gt_i32_e64 s[10:11], s61, v8
	s_and_b64 s[12:13], s[10:11], s[6:7]
	v_cndmask_b32_e64 v8, v7, 0, s[12:13]
	v_add_u32_e32 v8, v5, v8
	buffer_store_short v35, v8, s[28:31], 0 offen offset:2
	v_or_b32_e32 v8, 3, v2
	v_cmp_gt_i32_e64 s[12:13], s61, v8
	s_and_b64 s[14:15], s[12:13], s[6:7]
	v_cndmask_b32_e64 v8, v7, 0, s[14:15]
	v_add_u32_e32 v8, v5, v8
	buffer_store_short v34, v8, s[28:31], 0 offen offset:4
	v_or_b32_e32 v8, 4, v2
	v_cmp_gt_i32_e64 s[14:15], s61, v8
	s_and_b64 s[16:17], s[14:15], s[6:7]
	v_cndmask_b32_e64 v8, v7, 0, s[16:17]
	v_add_u32_e32 v8, v5, v8
	buffer_store_short v33, v8, s[28:31], 0 offen offset:6
	v_or_b32_e32 v8, 5, v2
	v_cmp_gt_i32_e64 s[16:17], s61, v8
	s_and_b64 s[18:19], s[16:17], s[6:7]
	v_cndmask_b32_e64 v8, v7, 0, s[18:19]
	v_add_u32_e32 v8, v5, v8
	buffer_store_short v31, v8, s[28:31], 0 offen offset:8
	v_or_b32_e32 v8, 6, v2
	v_cmp_gt_i32_e64 s[18:19], s61, v8
	s_and_b64 s[20:21], s[18:19], s[6:7]
	v_or_b32_e32 v2, 7, v2
	v_cndmask_b32_e64 v8, v7, 0, s[20:21]
	v_cmp_gt_i32_e64 s[20:21], s61, v2
	s_and_b64 s[6:7], s[20:21], s[6:7]
	v_cndmask_b32_e64 v2, v7, 0, s[6:7]
	v_add_u32_e32 v8, v5, v8
	v_add_u32_e32 v2, v5, v2
	buffer_store_short v32, v8, s[28:31], 0 offen offset:10
	buffer_store_short v20, v2, s[28:31], 0 offen offset:12
	v_add_u32_e32 v2, 32, v3
	v_cmp_gt_i32_e64 s[6:7], s39, v2
	s_and_b64 s[22:23], vcc, s[6:7]
	v_lshl_add_u32 v2, s38, 6, v4
	v_cndmask_b32_e64 v3, v7, 0, s[22:23]
	v_add_u32_e32 v3, v2, v3
	s_and_b64 s[8:9], s[8:9], s[6:7]
	buffer_store_short v6, v3, s[28:31], 0 offen
	v_cndmask_b32_e64 v3, v7, 0, s[8:9]
	v_add_u32_e32 v3, v2, v3
	s_and_b64 s[8:9], s[10:11], s[6:7]
	buffer_store_short v30, v3, s[28:31], 0 offen offset:2
	v_cndmask_b32_e64 v3, v7, 0, s[8:9]
	v_add_u32_e32 v3, v2, v3
	s_and_b64 s[8:9], s[12:13], s[6:7]
	buffer_store_short v28, v3, s[28:31], 0 offen offset:4
	v_cndmask_b32_e64 v3, v7, 0, s[8:9]
	v_add_u32_e32 v3, v2, v3
	s_and_b64 s[8:9], s[14:15], s[6:7]
	buffer_store_short v19, v3, s[28:31], 0 offen offset:6
	v_cndmask_b32_e64 v3, v7, 0, s[8:9]
	v_add_u32_e32 v3, v2, v3
	s_and_b64 s[8:9], s[16:17], s[6:7]
	buffer_store_short v21, v3, s[28:31], 0 offen offset:8
	v_cndmask_b32_e64 v3, v7, 0, s[8:9]
	v_add_u32_e32 v3, v2, v3
	s_and_b64 s[8:9], s[18:19], s[6:7]
	buffer_store_short v26, v3, s[28:31], 0 offen offset:10
	v_cndmask_b32_e64 v3, v7, 0, s[8:9]
	v_add_u32_e32 v3, v2, v3
	s_and_b64 s[6:7], s[20:21], s[6:7]
	buffer_store_short v27, v3, s[28:31], 0 offen offset:12
	v_cndmask_b32_e64 v3, v7, 0, s[6:7]
	v_add_u32_e32 v2, v2, v3
	v_or_b32_e32 v3, s44, v24
	buffer_store_short v29, v2, s[28:31], 0 offen offset:14
	v_and_b32_e32 v2, 0x78, v23
	v_add_u32_e32 v3, s2, v3
	v_mad_u64_u32 v[4:5], s[6:7], v3, s41, v[2:3]
	s_lshl_b32 s50, s36, 1
	s_mov_b32 s51, s31
	v_lshlrev_b32_e32 v5, 1, v4
	buffer_load_ushort v6, v5, s[48:51], 0 offen
	s_lshl_b32 s6, s41, 5
	v_add_lshl_u32 v4, v4, s6, 1
	buffer_load_ushort v8, v4, s[48:51], 0 offen
	buffer_load_ushort v9, v5, s[48:51], 0 offen offset:2
	buffer_load_ushort v10, v4, s[48:51], 0 offen offset:2
	buffer_load_ushort v11, v5, s[48:51], 0 offen offset:4
	buffer_load_ushort v12, v4, s[48:51], 0 offen offset:4
	buffer_load_ushort v13, v5, s[48:51], 0 offen offset:6
	buffer_load_ushort v14, v4, s[48:51], 0 offen offset:6
	buffer_load_ushort v15, v5, s[48:51], 0 offen offset:8
	buffer_load_ushort v16, v4, s[48:51], 0 offen offset:8
	buffer_load_ushort v17, v5, s[48:51], 0 offen offset:10
	buffer_load_ushort v18, v4, s[48:51], 0 offen offset:10
	buffer_load_ushort v19, v5, s[48:51], 0 offen offset:12
	buffer_load_ushort v20, v4, s[48:51], 0 offen offset:12
	buffer_load_ushort v21, v5, s[48:51], 0 offen offset:14
	buffer_load_ushort v24, v4, s[48:51], 0 offen offset:14
	s_mul_i32 s6, s40, s26
	s_add_i32 s26, s6, s43
	v_cmp_gt_i32_e32 vcc, s60, v3
	v_cmp_gt_i32_e64 s[6:7], s62, v2
	s_and_b64 s[8:9], s[6:7], vcc
	v_add_u32_e32 v5, 32, v3
	s_lshl_b32 s26, s26, 1
	s_lshl_b32 s28, s40, 5
	s_waitcnt vmcnt(15)
	v_cndmask_b32_e64 v4, 0, v6, s[8:9]
	v_cmp_gt_i32_e64 s[8:9], s60, v5
	s_and_b64 s[10:11], s[6:7], s[8:9]
	v_or_b32_e32 v6, 1, v2
	s_waitcnt vmcnt(14)
	v_cndmask_b32_e64 v5, 0, v8, s[10:11]
	v_cmp_gt_i32_e64 s[10:11], s62, v6
	s_and_b64 s[12:13], s[10:11], vcc
	s_waitcnt vmcnt(13)
	v_cndmask_b32_e64 v6, 0, v9, s[12:13]
	s_and_b64 s[12:13], s[10:11], s[8:9]
	v_or_b32_e32 v9, 2, v2
	s_waitcnt vmcnt(12)
	v_cndmask_b32_e64 v8, 0, v10, s[12:13]
	v_cmp_gt_i32_e64 s[12:13], s62, v9
	s_and_b64 s[14:15], s[12:13], vcc
	s_waitcnt vmcnt(11)
	v_cndmask_b32_e64 v9, 0, v11, s[14:15]
	s_and_b64 s[14:15], s[12:13], s[8:9]
	v_or_b32_e32 v11, 3, v2
	s_waitcnt vmcnt(10)
	v_cndmask_b32_e64 v10, 0, v12, s[14:15]
	v_cmp_gt_i32_e64 s[14:15], s62, v11
	s_and_b64 s[16:17], s[14:15], vcc
	s_waitcnt vmcnt(9)
	v_cndmask_b32_e64 v11, 0, v13, s[16:17]
	s_and_b64 s[16:17], s[14:15], s[8:9]
	v_or_b32_e32 v13, 4, v2
	s_waitcnt vmcnt(8)
	v_cndmask_b32_e64 v12, 0, v14, s[16:17]
	v_cmp_gt_i32_e64 s[16:17], s62, v13
	s_and_b64 s[18:19], s[16:17], vcc
	s_waitcnt vmcnt(7)
	v_cndmask_b32_e64 v13, 0, v15, s[18:19]
	s_and_b64 s[18:19], s[16:17], s[8:9]
	v_or_b32_e32 v15, 5, v2
	s_waitcnt vmcnt(6)
	v_cndmask_b32_e64 v14, 0, v16, s[18:19]
	v_cmp_gt_i32_e64 s[18:19], s62, v15
	s_and_b64 s[20:21], s[18:19], vcc
	s_waitcnt vmcnt(5)
	v_cndmask_b32_e64 v15, 0, v17, s[20:21]
	s_and_b64 s[20:21], s[18:19], s[8:9]
	v_or_b32_e32 v17, 6, v2
	s_waitcnt vmcnt(4)
	v_cndmask_b32_e64 v16, 0, v18, s[20:21]
	v_cmp_gt_i32_e64 s[20:21], s62, v17
	s_and_b64 s[22:23], s[20:21], vcc
	s_waitcnt vmcnt(3)
	v_cndmask_b32_e64 v17, 0, v19, s[22:23]
	s_and_b64 s[22:23], s[20:21], s[8:9]
	v_or_b32_e32 v19, 7, v23
	s_waitcnt vmcnt(2)
	v_cndmask_b32_e64 v18, 0, v20, s[22:23]
	v_cmp_gt_i32_e64 s[22:23], s62, v19
	s_and_b64 vcc, s[22:23], vcc
	s_waitcnt vmcnt(1)
	v_cndmask_b32_e32 v19, 0, v21, vcc
	s_and_b64 vcc, s[22:23], s[8:9]
	v_add_u32_e32 v21, s27, v3
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e32 v20, 0, v24, vcc
	v_mad_u64_u32 v[2:3], s[8:9], v21, s40, v[2:3]
	v_cmp_gt_i32_e32 vcc, s39, v21
	s_and_b64 s[8:9], s[6:7], vcc
	v_lshlrev_b32_e32 v3, 1, v2
	v_cndmask_b32_e64 v23, v7, 0, s[8:9]
	s_mov_b32 s27, s31
	v_add_u32_e32 v23, v23, v3
	buffer_store_short v4, v23, s[24:27], 0 offen
	v_add_u32_e32 v4, 32, v21
	v_cmp_gt_i32_e64 s[8:9], s39, v4
	s_and_b64 s[6:7], s[6:7], s[8:9]
	v_add_lshl_u32 v2, v2, s28, 1
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v4, v2
	s_and_b64 s[6:7], s[10:11], vcc
	buffer_store_short v5, v4, s[24:27], 0 offen
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v3, v4
	s_and_b64 s[6:7], s[10:11], s[8:9]
	buffer_store_short v6, v4, s[24:27], 0 offen offset:2
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v2, v4
	s_and_b64 s[6:7], s[12:13], vcc
	buffer_store_short v8, v4, s[24:27], 0 offen offset:2
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v3, v4
	s_and_b64 s[6:7], s[12:13], s[8:9]
	buffer_store_short v9, v4, s[24:27], 0 offen offset:4
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v2, v4
	s_and_b64 s[6:7], s[14:15], vcc
	buffer_store_short v10, v4, s[24:27], 0 offen offset:4
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v3, v4
	s_and_b64 s[6:7], s[14:15], s[8:9]
	buffer_store_short v11, v4, s[24:27], 0 offen offset:6
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v2, v4
	s_and_b64 s[6:7], s[16:17], vcc
	buffer_store_short v12, v4, s[24:27], 0 offen offset:6
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v3, v4
	s_and_b64 s[6:7], s[16:17], s[8:9]
	buffer_store_short v13, v4, s[24:27], 0 offen offset:8
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v2, v4
	s_and_b64 s[6:7], s[18:19], vcc
	buffer_store_short v14, v4, s[24:27], 0 offen offset:8
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v3, v4
	s_and_b64 s[6:7], s[18:19], s[8:9]
	buffer_store_short v15, v4, s[24:27], 0 offen offset:10
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v2, v4
	s_and_b64 s[6:7], s[20:21], vcc
	buffer_store_short v16, v4, s[24:27], 0 offen offset:10
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v4, v3, v4
	s_and_b64 s[6:7], s[20:21], s[8:9]
	buffer_store_short v17, v4, s[24:27], 0 offen offset:12
	v_cndmask_b32_e64 v4, v7, 0, s[6:7]
	v_add_u32_e32 v2, v2, v4
	s_and_b64 s[6:7], s[22:23], vcc
	buffer_store_short v18, v2, s[24:27], 0 offen offset:12
	v_add_u32_e32 v2, 14, v3
	v_cndmask_b32_e64 v3, v7, 0, s[6:7]
	v_add_u32_e32 v3, v2, v3
	s_and_b64 s[6:7], s[22:23], s[8:9]
	buffer_store_short v19, v3, s[24:27], 0 offen
	s_lshl_b32 s10, s40, 6
	v_cndmask_b32_e64 v3, v7, 0, s[6:7]
	v_add3_u32 v2, v3, s10, v2
	buffer_store_short v20, v2, s[24:27], 0 offen
	s_waitcnt lgkmcnt(0)
	s_cmp_le_i32 s33, s2
	s_cbranch_scc1 .LBB0_4
.LBB0_8:
	s_mul_hi_i32 s9, s42, s3
	s_mul_i32 s8, s42, s3
	s_lshl_b64 s[8:9], s[8:9], 1
	s_mul_hi_i32 s7, s47, s4
	s_mul_i32 s6, s47, s4
	s_add_u32 s3, s52, s8
	s_addc_u32 s4, s53, s9
	s_lshl_b64 s[6:7], s[6:7], 1
	s_add_u32 s40, s3, s6
	s_addc_u32 s41, s4, s7
	s_add_i32 s22, s33, 0x7fffffff
	s_mul_i32 s3, s22, s37
	s_add_i32 s4, s3, s5
	v_readfirstlane_b32 s3, v0
	v_mbcnt_hi_u32_b32 v2, -1, v22
	v_lshrrev_b32_e32 v3, 3, v2
	s_lshr_b32 s3, s3, 3
	v_lshlrev_b32_e32 v2, 3, v2
	s_and_b32 s3, s3, 0x1ffffff8
	v_add_u32_e32 v15, s2, v3
	v_and_b32_e32 v14, 56, v2
	v_add_u32_e32 v6, s3, v15
	v_mad_u64_u32 v[2:3], s[2:3], v6, s37, v[14:15]
	s_lshl_b32 s42, s4, 1
	s_mov_b32 s43, 0x20000
	v_lshlrev_b32_e32 v3, 1, v2
	buffer_load_ushort v7, v3, s[40:43], 0 offen
	buffer_load_ushort v8, v3, s[40:43], 0 offen offset:2
	buffer_load_ushort v9, v3, s[40:43], 0 offen offset:4
	buffer_load_ushort v10, v3, s[40:43], 0 offen offset:6
	buffer_load_ushort v11, v3, s[40:43], 0 offen offset:8
	buffer_load_ushort v12, v3, s[40:43], 0 offen offset:10
	buffer_load_ushort v13, v3, s[40:43], 0 offen offset:12
	buffer_load_ushort v17, v3, s[40:43], 0 offen offset:14
	s_lshl_b32 s36, s37, 5
	v_add_u32_e32 v5, s36, v2
	v_lshlrev_b32_e32 v4, 1, v5
	buffer_load_ushort v18, v4, s[40:43], 0 offen
	buffer_load_ushort v19, v4, s[40:43], 0 offen offset:2
	buffer_load_ushort v21, v4, s[40:43], 0 offen offset:4
	buffer_load_ushort v24, v4, s[40:43], 0 offen offset:6
	buffer_load_ushort v25, v4, s[40:43], 0 offen offset:8
	buffer_load_ushort v26, v4, s[40:43], 0 offen offset:10
	buffer_load_ushort v27, v4, s[40:43], 0 offen offset:12
	buffer_load_ushort v32, v4, s[40:43], 0 offen offset:14
	v_cmp_gt_i32_e64 s[12:13], s61, v14
	v_or_b32_e32 v16, 1, v14
	v_cmp_gt_i32_e64 s[18:19], s33, v6
	v_or_b32_e32 v20, 2, v14
	v_cmp_gt_i32_e64 s[14:15], s61, v16
	s_and_b64 s[20:21], s[12:13], s[18:19]
	v_or_b32_e32 v22, 3, v14
	v_or_b32_e32 v30, 7, v14
	v_cmp_gt_i32_e64 s[10:11], s61, v20
	v_or_b32_e32 v23, 4, v14
	v_or_b32_e32 v29, 6, v14
	v_cmp_gt_i32_e64 s[8:9], s61, v22
	v_cmp_gt_i32_e32 vcc, s61, v30
	v_or_b32_e32 v28, 5, v14
	v_cmp_gt_i32_e64 s[6:7], s61, v23
	v_cmp_gt_i32_e64 s[2:3], s61, v29
	v_cmp_gt_i32_e64 s[4:5], s61, v28
	v_add_u32_e32 v16, 32, v6
	v_cmp_gt_i32_e64 s[16:17], s33, v16
	v_and_b32_e32 v1, 56, v1
	v_add_u32_e32 v1, 8, v1
	s_waitcnt vmcnt(15)
	v_cndmask_b32_e64 v31, 0, v7, s[20:21]
	s_and_b64 s[20:21], s[18:19], s[14:15]
	s_waitcnt vmcnt(14)
	v_cndmask_b32_e64 v30, 0, v8, s[20:21]
	s_and_b64 s[20:21], s[18:19], s[10:11]
	s_waitcnt vmcnt(13)
	v_cndmask_b32_e64 v29, 0, v9, s[20:21]
	s_and_b64 s[20:21], s[18:19], s[8:9]
	s_waitcnt vmcnt(12)
	v_cndmask_b32_e64 v28, 0, v10, s[20:21]
	s_and_b64 s[20:21], s[18:19], s[6:7]
	s_waitcnt vmcnt(11)
	v_cndmask_b32_e64 v22, 0, v11, s[20:21]
	s_and_b64 s[20:21], s[18:19], s[4:5]
	s_waitcnt vmcnt(10)
	v_cndmask_b32_e64 v20, 0, v12, s[20:21]
	s_and_b64 s[20:21], s[18:19], s[2:3]
	s_waitcnt vmcnt(9)
	v_cndmask_b32_e64 v16, 0, v13, s[20:21]
	s_and_b64 s[20:21], s[18:19], vcc
	s_waitcnt vmcnt(8)
	v_cndmask_b32_e64 v17, 0, v17, s[20:21]
	s_and_b64 s[20:21], s[12:13], s[16:17]
	s_waitcnt vmcnt(7)
	v_cndmask_b32_e64 v23, 0, v18, s[20:21]
	s_and_b64 s[20:21], s[14:15], s[16:17]
	s_waitcnt vmcnt(6)
	v_cndmask_b32_e64 v18, 0, v19, s[20:21]
	s_and_b64 s[20:21], s[10:11], s[16:17]
	s_waitcnt vmcnt(5)
	v_cndmask_b32_e64 v19, 0, v21, s[20:21]
	s_and_b64 s[20:21], s[8:9], s[16:17]
	s_waitcnt vmcnt(4)
	v_cndmask_b32_e64 v21, 0, v24, s[20:21]
	s_and_b64 s[20:21], s[6:7], s[16:17]
	s_waitcnt vmcnt(3)
	v_cndmask_b32_e64 v24, 0, v25, s[20:21]
	s_and_b64 s[20:21], s[4:5], s[16:17]
	s_waitcnt vmcnt(2)
	v_cndmask_b32_e64 v25, 0, v26, s[20:21]
	s_and_b64 s[20:21], s[2:3], s[16:17]
	s_waitcnt vmcnt(1)
	v_cndmask_b32_e64 v26, 0, v27, s[20:21]
	s_and_b64 s[20:21], vcc, s[16:17]
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v27, 0, v32, s[20:21]
	v_cmp_ge_i32_e64 s[20:21], s35, v1
	s_and_saveexec_b64 s[38:39], s[20:21]
	s_cbranch_execz .LBB0_10
	s_load_dword s0, s[0:1], 0x9c
	s_lshr_b32 s1, s35, 1
	s_sub_i32 s20, 0, s1
	v_mov_b32_e32 v7, s1
	v_mov_b32_e32 v8, s20
	s_waitcnt lgkmcnt(0)
	s_and_b32 s0, s0, 0xff
	s_mul_i32 s30, s34, s0
	s_mul_i32 s0, s22, s30
	s_mul_hi_u32 s21, 0, s30
	s_add_i32 s21, s21, s0
	v_cmp_lt_u32_e64 s[0:1], s1, v1
	v_add_u32_e32 v3, 2, v3
	v_mul_lo_u32 v6, v6, s30
	v_cndmask_b32_e64 v1, v7, v8, s[0:1]
	v_lshlrev_b32_e32 v32, 1, v1
	v_add_u32_e32 v3, v3, v32
	buffer_load_ushort v39, v3, s[40:43], 0 offen
	buffer_load_ushort v40, v3, s[40:43], 0 offen offset:2
	v_add_lshl_u32 v5, v5, v1, 1
	buffer_load_ushort v41, v3, s[40:43], 0 offen offset:4
	buffer_load_ushort v43, v3, s[40:43], 0 offen offset:6
	buffer_load_ushort v44, v3, s[40:43], 0 offen offset:8
	buffer_load_ushort v45, v3, s[40:43], 0 offen offset:10
	buffer_load_ushort v46, v3, s[40:43], 0 offen offset:12
	buffer_load_ushort v47, v5, s[40:43], 0 offen
	v_add_u32_e32 v3, 2, v4
	v_cndmask_b32_e64 v7, 0, v7, s[0:1]
	v_add_lshl_u32 v2, v2, v1, 1
	v_add_u32_e32 v48, v3, v32
	s_add_i32 s63, s63, s21
	buffer_load_ushort v33, v2, s[40:43], 0 offen
	buffer_load_ushort v49, v48, s[40:43], 0 offen
	buffer_load_ushort v59, v48, s[40:43], 0 offen offset:10
	buffer_load_ushort v60, v48, s[40:43], 0 offen offset:12
	v_sub_u32_e32 v2, v14, v7
	s_lshl_b32 s70, s63, 1
	s_mov_b32 s71, s43
	v_add_lshl_u32 v35, v6, v2, 1
	buffer_load_dwordx4 v[10:13], v35, s[68:71], 0 offen
	s_mov_b32 s66, s70
	s_mov_b32 s67, s43
	buffer_load_dwordx4 v[6:9], v35, s[64:67], 0 offen
	buffer_load_ushort v50, v48, s[40:43], 0 offen offset:2
	buffer_load_ushort v51, v48, s[40:43], 0 offen offset:4
	buffer_load_ushort v52, v48, s[40:43], 0 offen offset:6
	buffer_load_ushort v53, v48, s[40:43], 0 offen offset:8
	v_add_u32_e32 v1, v14, v1
	v_cvt_f32_f16_e32 v34, v29
	v_add_u32_e32 v3, 1, v1
	v_add_u32_e32 v4, 2, v1
	v_add_u32_e32 v5, 3, v1
	v_lshl_add_u32 v29, s30, 6, v35
	v_cvt_f32_f16_e32 v32, v31
	v_cmp_gt_i32_e64 s[20:21], s34, v2
	v_cmp_gt_i32_e64 s[26:27], s61, v3
	v_cmp_gt_i32_e64 s[24:25], s61, v4
	v_cmp_gt_i32_e64 s[22:23], s61, v5
	buffer_load_dwordx4 v[2:5], v29, s[68:71], 0 offen
	v_cmp_gt_i32_e64 s[28:29], s61, v1
	s_and_b64 s[30:31], s[18:19], s[28:29]
	v_cvt_f32_f16_e32 v38, v20
	s_and_b64 s[34:35], s[18:19], s[26:27]
	v_cvt_f32_f16_e32 v30, v30
	v_cvt_f32_f16_e32 v28, v28
	s_and_b64 s[28:29], s[28:29], s[16:17]
	s_and_b64 s[26:27], s[16:17], s[26:27]
	v_cvt_f32_f16_e32 v22, v22
	v_cvt_f32_f16_e32 v18, v18
	v_cvt_f32_f16_e32 v24, v24
	v_cvt_f32_f16_e32 v26, v26
	s_waitcnt vmcnt(18)
	v_cvt_f32_f16_e32 v20, v39
	s_waitcnt vmcnt(14)
	v_cvt_f32_f16_e32 v39, v44
	s_waitcnt vmcnt(10)
	v_cvt_f32_f16_e32 v31, v33
	v_cndmask_b32_e64 v37, 0, v31, s[30:31]
	s_and_b64 s[30:31], s[18:19], s[20:21]
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16_e32 v33, v10
	v_cvt_f32_f16_sdwa v35, v10 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v42, v11
	v_cvt_f32_f16_sdwa v54, v11 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v55, v12
	v_cvt_f32_f16_sdwa v56, v12 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v57, v13
	v_cvt_f32_f16_sdwa v58, v13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	buffer_load_dwordx4 v[10:13], v29, s[64:67], 0 offen
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16_e32 v29, v6
	v_cvt_f32_f16_sdwa v6, v6 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v36, 0, v33, s[30:31]
	v_cndmask_b32_e64 v29, 0, v29, s[30:31]
	v_cndmask_b32_e64 v33, -v29, v29, s[0:1]
	v_cndmask_b32_e64 v6, 0, v6, s[30:31]
	v_pk_mul_f32 v[32:33], v[36:37], v[32:33]
	v_cndmask_b32_e64 v37, 0, v20, s[34:35]
	v_cndmask_b32_e64 v31, -v6, v6, s[0:1]
	v_cvt_f32_f16_e32 v6, v16
	v_cvt_f32_f16_e32 v16, v40
	v_cvt_f32_f16_e32 v20, v7
	v_cndmask_b32_e64 v36, 0, v35, s[30:31]
	s_and_b64 s[34:35], s[18:19], s[24:25]
	v_pk_mul_f32 v[30:31], v[36:37], v[30:31]
	v_cndmask_b32_e64 v37, 0, v16, s[34:35]
	v_cndmask_b32_e64 v16, 0, v20, s[30:31]
	v_cvt_f32_f16_e32 v20, v41
	v_cvt_f32_f16_sdwa v7, v7 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v29, v47
	v_cndmask_b32_e64 v36, 0, v42, s[30:31]
	v_cndmask_b32_e64 v35, -v16, v16, s[0:1]
	v_cvt_f32_f16_e32 v42, v23
	v_cvt_f32_f16_e32 v23, v43
	s_and_b64 s[34:35], s[18:19], s[22:23]
	v_cvt_f32_f16_e32 v40, v17
	v_pk_mul_f32 v[16:17], v[36:37], v[34:35]
	v_cndmask_b32_e64 v35, 0, v20, s[34:35]
	v_add_u32_e32 v20, 4, v1
	v_cmp_gt_i32_e64 s[34:35], s61, v20
	v_cndmask_b32_e64 v7, 0, v7, s[30:31]
	v_cndmask_b32_e64 v34, 0, v54, s[30:31]
	v_cndmask_b32_e64 v37, 0, v29, s[28:29]
	v_cndmask_b32_e64 v29, -v7, v7, s[0:1]
	s_and_b64 s[28:29], s[18:19], s[34:35]
	v_add_u32_e32 v20, 5, v1
	v_cvt_f32_f16_e32 v7, v49
	v_pk_mul_f32 v[28:29], v[34:35], v[28:29]
	v_cndmask_b32_e64 v35, 0, v23, s[28:29]
	v_cmp_gt_i32_e64 s[28:29], s61, v20
	v_cvt_f32_f16_e32 v20, v8
	v_cvt_f32_f16_e32 v41, v45
	v_cndmask_b32_e64 v45, 0, v7, s[26:27]
	v_cvt_f32_f16_sdwa v8, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v7, 0, v20, s[30:31]
	v_cndmask_b32_e64 v23, -v7, v7, s[0:1]
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16_e32 v7, v50
	s_and_b64 s[24:25], s[16:17], s[24:25]
	v_cndmask_b32_e64 v34, 0, v55, s[30:31]
	s_and_b64 s[26:27], s[18:19], s[28:29]
	v_cndmask_b32_e64 v49, 0, v7, s[24:25]
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16_e32 v7, v51
	v_cndmask_b32_e64 v8, 0, v8, s[30:31]
	v_pk_mul_f32 v[22:23], v[34:35], v[22:23]
	v_cndmask_b32_e64 v35, 0, v39, s[26:27]
	v_cndmask_b32_e64 v34, 0, v56, s[30:31]
	v_cndmask_b32_e64 v39, -v8, v8, s[0:1]
	s_and_b64 s[22:23], s[16:17], s[22:23]
	v_cvt_f32_f16_e32 v8, v21
	v_pk_mul_f32 v[20:21], v[34:35], v[38:39]
	v_cndmask_b32_e64 v35, 0, v7, s[22:23]
	v_add_u32_e32 v7, 6, v1
	v_cmp_gt_i32_e64 s[24:25], s61, v7
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16_e32 v7, v52
	v_add_u32_e32 v1, 7, v1
	v_cmp_gt_i32_e64 s[22:23], s61, v1
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16_e32 v1, v53
	s_and_b64 s[26:27], s[16:17], s[34:35]
	v_cndmask_b32_e64 v39, 0, v7, s[26:27]
	s_and_b64 s[26:27], s[16:17], s[28:29]
	v_cvt_f32_f16_e32 v7, v59
	v_add_f32_e32 v20, v20, v21
	v_cvt_f32_f16_e32 v21, v9
	v_cndmask_b32_e64 v51, 0, v1, s[26:27]
	v_add_f32_e32 v1, v16, v17
	v_add_f32_e32 v28, v28, v29
	v_cvt_f16_f32_e32 v29, v1
	v_cvt_f32_f16_sdwa v1, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v43, v46
	s_and_b64 s[26:27], s[18:19], s[24:25]
	s_and_b64 s[24:25], s[16:17], s[24:25]
	v_cndmask_b32_e64 v53, 0, v7, s[24:25]
	v_cndmask_b32_e64 v7, 0, v21, s[30:31]
	v_cndmask_b32_e64 v17, 0, v41, s[26:27]
	v_cndmask_b32_e64 v16, 0, v57, s[30:31]
	v_cndmask_b32_e64 v7, -v7, v7, s[0:1]
	s_and_b64 s[18:19], s[18:19], s[22:23]
	v_pk_mul_f32 v[6:7], v[16:17], v[6:7]
	v_cndmask_b32_e64 v1, 0, v1, s[30:31]
	v_cndmask_b32_e64 v57, 0, v43, s[18:19]
	v_add_f32_e32 v6, v6, v7
	v_cndmask_b32_e64 v56, 0, v58, s[30:31]
	v_cndmask_b32_e64 v41, -v1, v1, s[0:1]
	v_cvt_f16_f32_e32 v16, v6
	v_pk_mul_f32 v[6:7], v[56:57], v[40:41]
	s_and_b64 s[18:19], s[20:21], s[16:17]
	v_add_f32_e32 v1, v6, v7
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v7, v10
	v_cvt_f16_f32_e32 v17, v1
	v_cvt_f32_f16_e32 v6, v2
	v_cvt_f32_f16_e32 v46, v19
	v_cndmask_b32_e64 v1, 0, v7, s[18:19]
	v_cndmask_b32_e64 v43, -v1, v1, s[0:1]
	v_cvt_f32_f16_sdwa v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v2, v10 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_add_f32_e32 v19, v32, v33
	v_cvt_f32_f16_e32 v32, v25
	v_cndmask_b32_e64 v44, 0, v1, s[18:19]
	v_cndmask_b32_e64 v1, 0, v2, s[18:19]
	v_add_f32_e32 v25, v30, v31
	v_cvt_f16_f32_e32 v31, v19
	v_cndmask_b32_e64 v19, -v1, v1, s[0:1]
	v_cvt_f32_f16_e32 v1, v3
	v_cvt_f32_f16_e32 v2, v11
	v_cndmask_b32_e64 v36, 0, v6, s[18:19]
	v_pk_mul_f32 v[6:7], v[36:37], v[42:43]
	v_cndmask_b32_e64 v48, 0, v1, s[18:19]
	v_cndmask_b32_e64 v1, 0, v2, s[18:19]
	v_cndmask_b32_e64 v47, -v1, v1, s[0:1]
	v_cvt_f32_f16_sdwa v1, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v2, v11 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_add_f32_e32 v6, v6, v7
	v_add_f32_e32 v22, v22, v23
	v_cvt_f16_f32_e32 v23, v6
	v_pk_mul_f32 v[6:7], v[44:45], v[18:19]
	v_cndmask_b32_e64 v34, 0, v1, s[18:19]
	v_add_f32_e32 v6, v6, v7
	v_cvt_f16_f32_e32 v18, v6
	v_pk_mul_f32 v[6:7], v[48:49], v[46:47]
	v_cndmask_b32_e64 v1, 0, v2, s[18:19]
	v_add_f32_e32 v3, v6, v7
	v_cndmask_b32_e64 v9, -v1, v1, s[0:1]
	v_cvt_f32_f16_e32 v1, v4
	v_cvt_f32_f16_e32 v6, v12
	v_cvt_f16_f32_e32 v30, v25
	v_cvt_f16_f32_e32 v19, v3
	v_cndmask_b32_e64 v38, 0, v1, s[18:19]
	v_cndmask_b32_e64 v1, 0, v6, s[18:19]
	v_cndmask_b32_e64 v25, -v1, v1, s[0:1]
	v_cvt_f32_f16_sdwa v1, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v4, v12 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_pk_mul_f32 v[2:3], v[34:35], v[8:9]
	v_cvt_f32_f16_e32 v54, v27
	v_cndmask_b32_e64 v50, 0, v1, s[18:19]
	v_cndmask_b32_e64 v1, 0, v4, s[18:19]
	v_cndmask_b32_e64 v33, -v1, v1, s[0:1]
	v_cvt_f32_f16_e32 v1, v5
	v_cvt_f32_f16_e32 v4, v13
	v_add_f32_e32 v2, v2, v3
	v_cvt_f16_f32_e32 v21, v2
	v_pk_mul_f32 v[2:3], v[38:39], v[24:25]
	v_cndmask_b32_e64 v52, 0, v1, s[18:19]
	v_add_f32_e32 v2, v2, v3
	v_cvt_f16_f32_e32 v24, v2
	v_pk_mul_f32 v[2:3], v[50:51], v[32:33]
	v_cndmask_b32_e64 v1, 0, v4, s[18:19]
	v_add_f32_e32 v2, v2, v3
	v_cndmask_b32_e64 v27, -v1, v1, s[0:1]
	v_cvt_f16_f32_e32 v25, v2
	v_pk_mul_f32 v[2:3], v[52:53], v[26:27]
	v_cvt_f32_f16_sdwa v4, v13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_add_f32_e32 v1, v2, v3
	v_cvt_f16_f32_e32 v26, v1
	v_cvt_f32_f16_e32 v1, v60
	v_cvt_f32_f16_sdwa v2, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_and_b64 s[16:17], s[16:17], s[22:23]
	v_cvt_f16_f32_e32 v28, v28
	v_cndmask_b32_e64 v3, 0, v1, s[16:17]
	v_cndmask_b32_e64 v1, 0, v4, s[18:19]
	v_cndmask_b32_e64 v2, 0, v2, s[18:19]
	v_cndmask_b32_e64 v55, -v1, v1, s[0:1]
	v_pk_mul_f32 v[2:3], v[2:3], v[54:55]
	v_cvt_f16_f32_e32 v22, v22
	v_add_f32_e32 v1, v2, v3
	v_cvt_f16_f32_e32 v20, v20
	v_cvt_f16_f32_e32 v27, v1
.LBB0_10:
	s_or_b64 exec, exec, s[38:39]
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 3
	s_and_b32 s0, s0, 0x1ffffff8
	v_add_u32_e32 v2, s0, v15
	v_mad_u64_u32 v[0:1], s[0:1], v2, s37, v[14:15]
	v_cmp_gt_i32_e64 s[0:1], s33, v2
	v_bfrev_b32_e32 v3, 1
	s_and_b64 s[16:17], s[12:13], s[0:1]
	v_lshlrev_b32_e32 v1, 1, v0
	v_cndmask_b32_e64 v4, v3, 0, s[16:17]
	v_add_u32_e32 v4, v4, v1
	s_and_b64 s[16:17], s[14:15], s[0:1]
	buffer_store_short v31, v4, s[40:43], 0 offen
	v_add_u32_e32 v1, 2, v1
	v_cndmask_b32_e64 v4, v3, 0, s[16:17]
	v_add_u32_e32 v4, v1, v4
	s_and_b64 s[16:17], s[10:11], s[0:1]
	buffer_store_short v30, v4, s[40:43], 0 offen
	v_cndmask_b32_e64 v4, v3, 0, s[16:17]
	v_add_u32_e32 v4, v1, v4
	s_and_b64 s[16:17], s[8:9], s[0:1]
	buffer_store_short v29, v4, s[40:43], 0 offen offset:2
	v_cndmask_b32_e64 v4, v3, 0, s[16:17]
	v_add_u32_e32 v4, v1, v4
	s_and_b64 s[16:17], s[6:7], s[0:1]
	buffer_store_short v28, v4, s[40:43], 0 offen offset:4
	v_cndmask_b32_e64 v4, v3, 0, s[16:17]
	v_add_u32_e32 v4, v1, v4
	s_and_b64 s[16:17], s[4:5], s[0:1]
	buffer_store_short v22, v4, s[40:43], 0 offen offset:6
	v_cndmask_b32_e64 v4, v3, 0, s[16:17]
	v_add_u32_e32 v4, v1, v4
	s_and_b64 s[16:17], s[2:3], s[0:1]
	buffer_store_short v20, v4, s[40:43], 0 offen offset:8
	v_cndmask_b32_e64 v4, v3, 0, s[16:17]
	v_add_u32_e32 v4, v1, v4
	s_and_b64 s[0:1], vcc, s[0:1]
	buffer_store_short v16, v4, s[40:43], 0 offen offset:10
	v_cndmask_b32_e64 v4, v3, 0, s[0:1]
	v_add_u32_e32 v1, v1, v4
	buffer_store_short v17, v1, s[40:43], 0 offen offset:12
	v_add_u32_e32 v1, 32, v2
	v_cmp_gt_i32_e64 s[0:1], s33, v1
	s_and_b64 s[12:13], s[12:13], s[0:1]
	v_add_lshl_u32 v0, v0, s36, 1
	v_cndmask_b32_e64 v1, v3, 0, s[12:13]
	v_add_u32_e32 v1, v0, v1
	s_and_b64 s[12:13], s[14:15], s[0:1]
	buffer_store_short v23, v1, s[40:43], 0 offen
	v_add_u32_e32 v0, 2, v0
	v_cndmask_b32_e64 v1, v3, 0, s[12:13]
	v_add_u32_e32 v1, v0, v1
	s_and_b64 s[10:11], s[10:11], s[0:1]
	buffer_store_short v18, v1, s[40:43], 0 offen
	v_cndmask_b32_e64 v1, v3, 0, s[10:11]
	v_add_u32_e32 v1, v0, v1
	s_and_b64 s[8:9], s[8:9], s[0:1]
	buffer_store_short v19, v1, s[40:43], 0 offen offset:2
	v_cndmask_b32_e64 v1, v3, 0, s[8:9]
	v_add_u32_e32 v1, v0, v1
	s_and_b64 s[6:7], s[6:7], s[0:1]
	buffer_store_short v21, v1, s[40:43], 0 offen offset:4
	v_cndmask_b32_e64 v1, v3, 0, s[6:7]
	v_add_u32_e32 v1, v0, v1
	s_and_b64 s[4:5], s[4:5], s[0:1]
	buffer_store_short v24, v1, s[40:43], 0 offen offset:6
	v_cndmask_b32_e64 v1, v3, 0, s[4:5]
	v_add_u32_e32 v1, v0, v1
	s_and_b64 s[2:3], s[2:3], s[0:1]
	buffer_store_short v25, v1, s[40:43], 0 offen offset:8
	v_cndmask_b32_e64 v1, v3, 0, s[2:3]
	v_add_u32_e32 v1, v0, v1
	s_and_b64 s[0:1], vcc, s[0:1]
	buffer_store_short v26, v1, s[40:43], 0 offen offset:10
	v_cndmask_b32_e64 v1, v3, 0, s[0:1]
	v_add_u32_e32 v0, v0, v1
	buffer_store_short v27, v0, s[40:43], 0 offen offset:12
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel ck_fmha_append
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 168
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
		.amdhsa_next_free_vgpr 61
		.amdhsa_next_free_sgpr 76
		.amdhsa_accum_offset 64
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
	.section	.text.ck_fmha_append,"axG",@progbits,ck_fmha_append,comdat
.Lfunc_end0:
	.size	ck_fmha_append, .Lfunc_end0-ck_fmha_append
                                        ; -- End function
	.set ck_fmha_append.num_vgpr, 61
	.set ck_fmha_append.num_agpr, 0
	.set ck_fmha_append.numbered_sgpr, 76
	.set ck_fmha_append.num_named_barrier, 0
	.set ck_fmha_append.private_seg_size, 0
	.set ck_fmha_append.uses_vcc, 1
	.set ck_fmha_append.uses_flat_scratch, 0
	.set ck_fmha_append.has_dyn_sized_stack, 0
	.set ck_fmha_append.has_recursion, 0
	.set ck_fmha_append.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.section	.AMDGPU.csdata,"",@progbits
	.type	__hip_cuid_,@object
	.section	.bss,"aw",@nobits
	.globl	__hip_cuid_
__hip_cuid_:
	.byte	0
	.size	__hip_cuid_, 1
	.ident	"clang version 22.1.8"
	.ident	"clang version 19.0.0git (https://github.com/ROCm/llvm-project.git d8e4e4e0a829ae8b5db3492257fb95b9c2ad2bbc)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym __hip_cuid_
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           168
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 168
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_fmha_append
    .private_segment_fixed_size: 0
    .sgpr_count:     82
    .sgpr_spill_count: 0
    .symbol:         ck_fmha_append.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     61
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
