; A CK Tile attention (fp8, heads of 128, one scale per tensor), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.p2align	8
ck_fmha_fwd_fp8:
	s_load_dwordx4 s[36:39], s[0:1], 0x20
	s_load_dwordx8 s[8:15], s[0:1], 0x34
	s_abs_i32 s18, s3
	s_load_dwordx2 s[44:45], s[0:1], 0x98
	s_load_dwordx8 s[24:31], s[0:1], 0x78
	s_waitcnt lgkmcnt(0)
	s_add_i32 s5, s39, 0x7f
	s_ashr_i32 s6, s5, 31
	s_lshr_b32 s6, s6, 25
	s_add_i32 s5, s5, s6
	s_ashr_i32 s16, s5, 7
	s_abs_i32 s5, s16
	v_cvt_f32_u32_e32 v1, s5
	s_sub_i32 s19, 0, s5
	s_xor_b32 s17, s3, s16
	s_ashr_i32 s17, s17, 31
	v_rcp_iflag_f32_e32 v1, v1
	s_load_dwordx2 s[6:7], s[0:1], 0x70
	s_load_dwordx2 s[34:35], s[0:1], 0x54
	s_load_dwordx4 s[40:43], s[0:1], 0x60
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s20, v1
	s_mul_i32 s19, s19, s20
	s_mul_hi_u32 s19, s20, s19
	s_add_i32 s20, s20, s19
	s_mul_hi_u32 s19, s18, s20
	s_mul_i32 s20, s19, s5
	s_sub_i32 s18, s18, s20
	s_add_i32 s20, s19, 1
	s_sub_i32 s21, s18, s5
	s_cmp_ge_u32 s18, s5
	s_cselect_b32 s19, s20, s19
	s_cselect_b32 s18, s21, s18
	s_add_i32 s20, s19, 1
	s_cmp_ge_u32 s18, s5
	s_cselect_b32 s5, s20, s19
	s_xor_b32 s5, s5, s17
	s_sub_i32 s46, s5, s17
	s_ashr_i32 s5, s4, 31
	s_cmp_eq_u64 s[24:25], 0
	s_mul_i32 s33, s46, s16
	s_cbranch_scc1 .LBB0_2
	s_lshl_b64 s[16:17], s[4:5], 2
	s_add_u32 s16, s24, s16
	s_addc_u32 s17, s25, s17
	s_load_dwordx2 s[18:19], s[16:17], 0x0
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s36, s19, s18
.LBB0_2:
	s_load_dwordx8 s[16:23], s[0:1], 0x0
	s_cmp_eq_u64 s[26:27], 0
	s_cbranch_scc1 .LBB0_4
	s_lshl_b64 s[0:1], s[4:5], 2
	s_add_u32 s0, s26, s0
	s_addc_u32 s1, s27, s1
	s_load_dwordx2 s[24:25], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s37, s25, s24
.LBB0_4:
	s_add_i32 s0, s38, -1
	s_add_u32 s1, s0, 1
	s_add_i32 s0, s39, -1
	s_add_i32 s39, s36, -1
	s_add_u32 s38, s0, 1
	s_mul_i32 s0, s10, s39
	s_lshl_b32 s5, s46, 7
	s_add_i32 s26, s0, s1
	s_mul_hi_i32 s0, s14, s2
	s_mul_i32 s14, s14, s2
	s_waitcnt lgkmcnt(0)
	s_add_u32 s14, s16, s14
	s_addc_u32 s0, s17, s0
	s_mul_i32 s17, s42, s4
	s_mul_hi_i32 s16, s42, s4
	s_add_u32 s24, s14, s17
	s_addc_u32 s25, s0, s16
	v_readfirstlane_b32 s0, v0
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v131, -1, v1
	s_lshr_b32 s0, s0, 1
	v_and_b32_e32 v1, 31, v131
	s_and_b32 s0, s0, 0x7fffffe0
	v_or_b32_e32 v2, s0, v1
	v_lshrrev_b32_e32 v151, 1, v131
	v_add_u32_e32 v42, s5, v2
	v_and_b32_e32 v130, 48, v151
	s_mov_b32 s27, 0x20000
	v_mad_u64_u32 v[18:19], s[16:17], v42, s10, v[130:131]
	buffer_load_dwordx4 v[2:5], v18, s[24:27], 0 offen
	buffer_load_dwordx4 v[6:9], v18, s[24:27], 0 offen offset:32
	buffer_load_dwordx4 v[10:13], v18, s[24:27], 0 offen offset:64
	buffer_load_dwordx4 v[14:17], v18, s[24:27], 0 offen offset:96
	s_cmp_lt_i32 s37, 1
	v_mov_b32_e32 v105, 0
	v_mov_b32_e32 v104, 0
	v_mov_b32_e32 v103, 0
	v_mov_b32_e32 v102, 0
	v_mov_b32_e32 v101, 0
	v_mov_b32_e32 v100, 0
	v_mov_b32_e32 v99, 0
	v_mov_b32_e32 v98, 0
	v_mov_b32_e32 v97, 0
	v_mov_b32_e32 v96, 0
	v_mov_b32_e32 v95, 0
	v_mov_b32_e32 v94, 0
	v_mov_b32_e32 v93, 0
	v_mov_b32_e32 v92, 0
	v_mov_b32_e32 v91, 0
	v_mov_b32_e32 v90, 0
	v_mov_b32_e32 v89, 0
	v_mov_b32_e32 v88, 0
	v_mov_b32_e32 v87, 0
	v_mov_b32_e32 v86, 0
	v_mov_b32_e32 v85, 0
	v_mov_b32_e32 v84, 0
	v_mov_b32_e32 v83, 0
	v_mov_b32_e32 v82, 0
	v_mov_b32_e32 v81, 0
	v_mov_b32_e32 v80, 0
	v_mov_b32_e32 v79, 0
	v_mov_b32_e32 v78, 0
	v_mov_b32_e32 v77, 0
	v_mov_b32_e32 v76, 0
	v_mov_b32_e32 v75, 0
	v_mov_b32_e32 v74, 0
	v_mov_b32_e32 v73, 0
	v_mov_b32_e32 v72, 0
	v_mov_b32_e32 v71, 0
	v_mov_b32_e32 v70, 0
	v_mov_b32_e32 v69, 0
	v_mov_b32_e32 v68, 0
	v_mov_b32_e32 v67, 0
	v_mov_b32_e32 v66, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
	s_cbranch_scc1 .LBB0_10
	s_abs_i32 s16, s8
	v_cvt_f32_u32_e32 v18, s16
	v_cmp_gt_i32_e32 vcc, s36, v42
	s_waitcnt vmcnt(3)
	v_lshrrev_b32_e32 v59, 8, v3
	v_lshrrev_b32_e32 v60, 16, v3
	v_cndmask_b32_e32 v58, 0, v3, vcc
	v_lshrrev_b32_e32 v3, 24, v3
	v_cndmask_b32_e32 v59, 0, v59, vcc
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cndmask_b32_e32 v55, 0, v2, vcc
	v_lshrrev_b32_e32 v56, 8, v2
	v_lshrrev_b32_e32 v57, 16, v2
	v_lshrrev_b32_e32 v2, 24, v2
	v_cndmask_b32_e32 v60, 0, v60, vcc
	v_lshlrev_b16_e32 v3, 8, v3
	v_lshlrev_b16_e32 v59, 8, v59
	v_rcp_iflag_f32_e32 v18, v18
	v_cndmask_b32_e32 v56, 0, v56, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_or_b32_sdwa v3, v60, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v58, v58, v59 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshrrev_b32_e32 v54, 24, v5
	v_cndmask_b32_e32 v57, 0, v57, vcc
	v_lshrrev_b32_e32 v65, 8, v5
	v_or_b32_sdwa v135, v58, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v2
	v_lshlrev_b16_e32 v3, 8, v56
	s_load_dword s10, s[30:31], 0x0
	s_load_dword s14, s[28:29], 0x0
	s_load_dword s0, s[44:45], 0x0
	v_cndmask_b32_e32 v54, 0, v54, vcc
	v_cndmask_b32_e32 v64, 0, v5, vcc
	v_cndmask_b32_e32 v65, 0, v65, vcc
	v_lshrrev_b32_e32 v5, 16, v5
	v_or_b32_sdwa v2, v57, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v55, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_cndmask_b32_e32 v61, 0, v4, vcc
	v_lshrrev_b32_e32 v62, 8, v4
	v_lshrrev_b32_e32 v63, 16, v4
	v_lshrrev_b32_e32 v4, 24, v4
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_or_b32_sdwa v134, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v54
	v_lshlrev_b16_e32 v3, 8, v65
	v_mul_f32_e32 v18, 0x4f7ffffe, v18
	v_cndmask_b32_e32 v62, 0, v62, vcc
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_or_b32_sdwa v2, v5, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v64, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v19, s10
	v_cvt_u32_f32_e32 v18, v18
	s_waitcnt vmcnt(2)
	v_cndmask_b32_e32 v46, 0, v7, vcc
	v_lshrrev_b32_e32 v47, 8, v7
	v_lshrrev_b32_e32 v48, 16, v7
	v_lshrrev_b32_e32 v7, 24, v7
	v_cndmask_b32_e32 v63, 0, v63, vcc
	v_or_b32_sdwa v137, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v4
	v_lshlrev_b16_e32 v3, 8, v62
	v_mul_f32_e32 v19, s14, v19
	v_cndmask_b32_e32 v47, 0, v47, vcc
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_or_b32_sdwa v2, v63, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v61, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_mul_f32_e32 v132, s9, v19
	s_add_i32 s9, s37, -1
	v_cndmask_b32_e32 v43, 0, v6, vcc
	v_lshrrev_b32_e32 v44, 8, v6
	v_lshrrev_b32_e32 v45, 16, v6
	v_lshrrev_b32_e32 v6, 24, v6
	v_cndmask_b32_e32 v48, 0, v48, vcc
	v_or_b32_sdwa v136, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v7
	v_lshlrev_b16_e32 v3, 8, v47
	s_mul_i32 s10, s12, s9
	s_mul_i32 s9, s11, s9
	v_cndmask_b32_e32 v44, 0, v44, vcc
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_or_b32_sdwa v2, v48, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v46, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_add_i32 s30, s10, s38
	s_add_i32 s26, s9, s1
	s_sub_i32 s9, 0, s16
	v_readfirstlane_b32 s10, v18
	v_lshrrev_b32_e32 v42, 24, v9
	v_cndmask_b32_e32 v45, 0, v45, vcc
	v_lshrrev_b32_e32 v53, 8, v9
	v_or_b32_sdwa v139, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v6
	v_lshlrev_b16_e32 v3, 8, v44
	s_mul_i32 s9, s9, s10
	v_cndmask_b32_e32 v42, 0, v42, vcc
	v_cndmask_b32_e32 v52, 0, v9, vcc
	v_cndmask_b32_e32 v53, 0, v53, vcc
	v_lshrrev_b32_e32 v9, 16, v9
	v_or_b32_sdwa v2, v45, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v43, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_mul_hi_u32 s9, s10, s9
	v_cndmask_b32_e32 v49, 0, v8, vcc
	v_lshrrev_b32_e32 v50, 8, v8
	v_lshrrev_b32_e32 v51, 16, v8
	v_lshrrev_b32_e32 v8, 24, v8
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_or_b32_sdwa v138, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v42
	v_lshlrev_b16_e32 v3, 8, v53
	s_xor_b32 s1, s2, s8
	s_abs_i32 s8, s2
	s_add_i32 s10, s10, s9
	v_cndmask_b32_e32 v50, 0, v50, vcc
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_or_b32_sdwa v2, v9, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v52, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_mul_hi_u32 s9, s8, s10
	s_waitcnt vmcnt(1)
	v_cndmask_b32_e32 v34, 0, v11, vcc
	v_lshrrev_b32_e32 v35, 8, v11
	v_lshrrev_b32_e32 v36, 16, v11
	v_lshrrev_b32_e32 v11, 24, v11
	v_cndmask_b32_e32 v51, 0, v51, vcc
	v_or_b32_sdwa v141, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v8
	v_lshlrev_b16_e32 v3, 8, v50
	s_mul_i32 s10, s9, s16
	v_cndmask_b32_e32 v35, 0, v35, vcc
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_or_b32_sdwa v2, v51, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v49, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_sub_i32 s8, s8, s10
	v_cndmask_b32_e32 v31, 0, v10, vcc
	v_lshrrev_b32_e32 v32, 8, v10
	v_lshrrev_b32_e32 v33, 16, v10
	v_lshrrev_b32_e32 v10, 24, v10
	v_cndmask_b32_e32 v36, 0, v36, vcc
	v_or_b32_sdwa v140, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v11
	v_lshlrev_b16_e32 v3, 8, v35
	s_ashr_i32 s1, s1, 31
	s_add_i32 s10, s9, 1
	s_sub_i32 s14, s8, s16
	v_cndmask_b32_e32 v32, 0, v32, vcc
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_or_b32_sdwa v2, v36, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v34, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_cmp_ge_u32 s8, s16
	v_lshrrev_b32_e32 v30, 24, v13
	v_cndmask_b32_e32 v33, 0, v33, vcc
	v_lshrrev_b32_e32 v41, 8, v13
	v_or_b32_sdwa v143, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v10
	v_lshlrev_b16_e32 v3, 8, v32
	s_cselect_b32 s9, s10, s9
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_cndmask_b32_e32 v40, 0, v13, vcc
	v_cndmask_b32_e32 v41, 0, v41, vcc
	v_lshrrev_b32_e32 v13, 16, v13
	v_or_b32_sdwa v2, v33, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v31, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_cselect_b32 s8, s14, s8
	s_add_i32 s10, s9, 1
	v_cndmask_b32_e32 v37, 0, v12, vcc
	v_lshrrev_b32_e32 v38, 8, v12
	v_lshrrev_b32_e32 v39, 16, v12
	v_lshrrev_b32_e32 v12, 24, v12
	v_cndmask_b32_e32 v13, 0, v13, vcc
	v_or_b32_sdwa v142, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v30
	v_lshlrev_b16_e32 v3, 8, v41
	s_cmp_ge_u32 s8, s16
	v_cndmask_b32_e32 v38, 0, v38, vcc
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_or_b32_sdwa v2, v13, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v40, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_cselect_b32 s8, s10, s9
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e32 v22, 0, v15, vcc
	v_lshrrev_b32_e32 v23, 8, v15
	v_lshrrev_b32_e32 v24, 16, v15
	v_lshrrev_b32_e32 v15, 24, v15
	v_cndmask_b32_e32 v39, 0, v39, vcc
	v_or_b32_sdwa v145, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v12
	v_lshlrev_b16_e32 v3, 8, v38
	s_xor_b32 s8, s8, s1
	v_cndmask_b32_e32 v23, 0, v23, vcc
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_or_b32_sdwa v2, v39, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v37, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_sub_i32 s1, s8, s1
	v_cndmask_b32_e32 v19, 0, v14, vcc
	v_lshrrev_b32_e32 v20, 8, v14
	v_lshrrev_b32_e32 v21, 16, v14
	v_lshrrev_b32_e32 v14, 24, v14
	v_cndmask_b32_e32 v24, 0, v24, vcc
	v_or_b32_sdwa v144, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v15
	v_lshlrev_b16_e32 v3, 8, v23
	s_mul_i32 s9, s1, s34
	v_cndmask_b32_e32 v20, 0, v20, vcc
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_or_b32_sdwa v2, v24, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v22, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_mul_hi_i32 s8, s1, s34
	s_add_u32 s9, s20, s9
	v_lshrrev_b32_e32 v18, 24, v17
	v_cndmask_b32_e32 v21, 0, v21, vcc
	v_lshrrev_b32_e32 v29, 8, v17
	v_or_b32_sdwa v147, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v14
	v_lshlrev_b16_e32 v3, 8, v20
	s_addc_u32 s8, s21, s8
	s_mul_hi_i32 s10, s6, s4
	s_mul_i32 s6, s6, s4
	v_cndmask_b32_e32 v18, 0, v18, vcc
	v_cndmask_b32_e32 v28, 0, v17, vcc
	v_cndmask_b32_e32 v29, 0, v29, vcc
	v_lshrrev_b32_e32 v17, 16, v17
	v_or_b32_sdwa v2, v21, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v19, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_add_u32 s28, s9, s6
	v_cndmask_b32_e32 v25, 0, v16, vcc
	v_lshrrev_b32_e32 v26, 8, v16
	v_lshrrev_b32_e32 v27, 16, v16
	v_lshrrev_b32_e32 v16, 24, v16
	v_cndmask_b32_e32 v17, 0, v17, vcc
	v_or_b32_sdwa v146, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v18
	v_lshlrev_b16_e32 v3, 8, v29
	s_addc_u32 s29, s8, s10
	s_mul_hi_i32 s6, s1, s15
	s_mul_i32 s1, s1, s15
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_or_b32_sdwa v2, v17, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v28, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_add_u32 s1, s18, s1
	v_cndmask_b32_e32 v27, 0, v27, vcc
	v_and_b32_e32 v66, 1, v131
	v_or_b32_sdwa v149, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v16
	v_lshlrev_b16_e32 v3, 8, v26
	s_addc_u32 s6, s19, s6
	s_mul_i32 s9, s43, s4
	v_mov_b32_e32 v67, 0x810
	v_cmp_eq_u32_e32 vcc, 1, v66
	v_lshlrev_b32_e32 v68, 2, v131
	v_or_b32_sdwa v2, v27, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v25, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_mul_hi_i32 s8, s43, s4
	s_add_u32 s24, s1, s9
	v_cndmask_b32_e32 v156, 0, v67, vcc
	v_and_b32_e32 v67, 3, v131
	v_and_b32_e32 v69, 16, v68
	v_and_b32_e32 v70, 12, v151
	v_or_b32_sdwa v148, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b32_e32 v3, 1, v131
	v_and_b32_e32 v7, 19, v131
	s_addc_u32 s25, s6, s8
	v_readfirstlane_b32 s6, v0
	v_or3_b32 v67, v70, v67, v69
	v_lshrrev_b32_e32 v69, 5, v131
	v_lshrrev_b32_e32 v4, 6, v131
	v_lshlrev_b32_e32 v6, 5, v131
	v_and_or_b32 v3, v3, 8, v7
	v_and_or_b32 v7, v151, 4, v7
	s_lshr_b32 s6, s6, 3
	v_and_b32_e32 v2, 4, v68
	v_mul_u32_u24_e32 v4, 0x1200, v4
	v_and_b32_e32 v6, 64, v6
	v_mul_u32_u24_e32 v8, 0x900, v69
	v_lshlrev_b32_e32 v7, 4, v7
	s_movk_i32 s9, 0x70
	s_and_b32 s8, s6, 0x1ffffff8
	v_bfe_u32 v5, v131, 2, 4
	v_and_or_b32 v7, v7, s9, v8
	s_movk_i32 s9, 0x90
	v_or3_b32 v2, v4, v6, v2
	v_lshrrev_b32_e32 v3, 3, v3
	v_mad_u32_u24 v159, v5, s9, v2
	v_lshl_or_b32 v2, v66, 2, s8
	v_mad_u32_u24 v158, v3, s9, v7
	v_or_b32_e32 v3, 2, v2
	v_mul_lo_u32 v160, s12, v3
	v_or_b32_e32 v3, 3, v2
	v_mul_lo_u32 v161, s12, v3
	v_add_u32_e32 v3, 32, v2
	v_mul_lo_u32 v162, s12, v3
	v_add_u32_e32 v3, 34, v2
	v_mul_lo_u32 v163, s12, v3
	v_add_u32_e32 v3, 35, v2
	v_mul_lo_u32 v164, s12, v3
	v_add_u32_e32 v3, 64, v2
	v_mul_lo_u32 v165, s12, v3
	v_add_u32_e32 v3, 0x42, v2
	v_mul_lo_u32 v166, s12, v3
	v_add_u32_e32 v3, 0x43, v2
	v_mul_lo_u32 v167, s12, v3
	v_add_u32_e32 v3, 0x60, v2
	v_mul_lo_u32 v168, s12, v3
	v_add_u32_e32 v3, 0x62, v2
	v_mul_lo_u32 v169, s12, v3
	v_add_u32_e32 v3, 0x63, v2
	v_mul_lo_u32 v170, s12, v3
	v_add_u32_e32 v3, 0x61, v2
	v_mul_lo_u32 v171, s12, v3
	v_add_u32_e32 v3, 0x41, v2
	s_add_i32 s1, s37, 0x7f
	v_mul_u32_u24_e32 v70, 0x810, v69
	v_lshlrev_b32_e32 v67, 4, v67
	v_mul_lo_u32 v172, s12, v3
	v_add_u32_e32 v3, 33, v2
	v_mul_lo_u32 v174, s12, v2
	s_lshr_b32 s1, s1, 7
	s_mov_b32 s31, s27
	s_movk_i32 s6, 0x80
	v_add_u32_e32 v157, 0x80, v68
	v_mov_b32_e32 v133, v132
	s_lshl_b32 s8, s12, 7
	v_mul_lo_u32 v173, s12, v3
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v35, 0
	v_add_u32_e32 v175, v67, v70
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v51, 0
	s_mov_b32 s9, 0xff800000
	s_mov_b32 s10, 0x5010400
	s_mov_b32 s14, 0x7030602
	s_mov_b32 s15, 0x5040100
	s_mov_b32 s16, 0x7060302
	v_lshlrev_b32_e32 v176, 2, v151
	v_lshlrev_b32_e32 v150, 4, v66
	v_or_b32_e32 v177, 15, v151
	v_add_u32_e32 v178, s12, v174
	v_mov_b32_e32 v180, 0
	v_mov_b32_e32 v179, 0xff800000
	v_mov_b32_e32 v152, 0xff800000
	s_branch .LBB0_7
.LBB0_6:
	s_waitcnt vmcnt(2)
	v_perm_b32 v182, v154, v153, s10
	s_waitcnt vmcnt(0)
	v_perm_b32 v183, v181, v155, s10
	v_perm_b32 v153, v154, v153, s14
	v_perm_b32 v154, v181, v155, s14
	v_perm_b32 v155, v183, v182, s15
	v_perm_b32 v182, v183, v182, s16
	v_perm_b32 v183, v154, v153, s15
	v_perm_b32 v153, v154, v153, s16
	v_max3_f32 v154, v114, s9, v115
	v_max3_f32 v154, v154, v116, v117
	v_max3_f32 v154, v154, v118, v119
	v_max3_f32 v154, v154, v120, v121
	v_max3_f32 v154, v154, v122, v123
	v_max3_f32 v154, v154, v124, v125
	v_max3_f32 v154, v154, v126, v127
	v_max3_f32 v154, v154, v128, v129
	v_max3_f32 v154, v154, v98, v99
	v_max3_f32 v154, v154, v100, v101
	v_max3_f32 v154, v154, v102, v103
	v_max3_f32 v154, v154, v104, v105
	v_max3_f32 v154, v154, v106, v107
	v_max3_f32 v154, v154, v108, v109
	v_max3_f32 v154, v154, v110, v111
	v_max3_f32 v154, v154, v112, v113
	v_max3_f32 v154, v154, v82, v83
	v_max3_f32 v154, v154, v84, v85
	v_max3_f32 v154, v154, v86, v87
	v_max3_f32 v154, v154, v88, v89
	v_max3_f32 v154, v154, v90, v91
	v_max3_f32 v154, v154, v92, v93
	v_max3_f32 v154, v154, v94, v95
	v_max3_f32 v154, v154, v96, v97
	v_max3_f32 v154, v154, v66, v67
	v_max3_f32 v154, v154, v68, v69
	v_max3_f32 v154, v154, v70, v71
	v_max3_f32 v154, v154, v72, v73
	v_max3_f32 v154, v154, v74, v75
	v_max3_f32 v154, v154, v76, v77
	v_max3_f32 v154, v154, v78, v79
	v_max3_f32 v154, v154, v80, v81
	v_readfirstlane_b32 s12, v0
	ds_bpermute_b32 v184, v157, v154
	s_lshr_b32 s17, s12, 3
	s_lshr_b32 s12, s12, 7
	s_and_b32 s17, s17, 8
	s_mulk_i32 s12, 0x900
	s_or_b32 s12, s12, s17
	v_add_u32_e32 v181, s12, v159
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write2_b32 v181, v155, v182 offset1:4
	ds_write2_b32 v181, v183, v153 offset0:8 offset1:12
	v_max3_f32 v153, v152, v154, v184
	v_pk_mul_f32 v[154:155], v[132:133], v[152:153]
	v_add_u32_e32 v207, v176, v172
	v_fma_f32 v116, v132, v116, -v155
	v_exp_f32_e32 v152, v116
	v_fma_f32 v116, v132, v117, -v155
	v_exp_f32_e32 v182, v116
	v_fma_f32 v116, v132, v118, -v155
	v_exp_f32_e32 v183, v116
	v_fma_f32 v116, v132, v119, -v155
	v_fma_f32 v98, v132, v98, -v155
	v_exp_f32_e32 v184, v116
	v_fma_f32 v116, v132, v120, -v155
	v_fma_f32 v120, v132, v125, -v155
	v_exp_f32_e32 v125, v98
	v_fma_f32 v98, v132, v99, -v155
	v_exp_f32_e32 v185, v116
	v_fma_f32 v116, v132, v121, -v155
	v_exp_f32_e32 v121, v120
	v_fma_f32 v120, v132, v126, -v155
	v_exp_f32_e32 v126, v98
	v_fma_f32 v98, v132, v100, -v155
	v_fma_f32 v118, v132, v123, -v155
	v_exp_f32_e32 v123, v120
	v_fma_f32 v120, v132, v127, -v155
	v_exp_f32_e32 v127, v98
	v_fma_f32 v98, v132, v101, -v155
	v_fma_f32 v101, v132, v104, -v155
	v_add_u32_e32 v104, v176, v162
	v_fma_f32 v117, v132, v122, -v155
	v_fma_f32 v122, v132, v128, -v155
	v_fma_f32 v99, v132, v102, -v155
	v_fma_f32 v100, v132, v103, -v155
	v_fma_f32 v102, v132, v105, -v155
	v_fma_f32 v103, v132, v106, -v155
	v_add_u32_e32 v105, v176, v173
	v_add_u32_e32 v106, v176, v163
	v_add_u32_e32 v128, v176, v164
	buffer_load_dword v202, v104, s[28:31], 0 offen
	buffer_load_dword v203, v105, s[28:31], 0 offen
	buffer_load_dword v204, v106, s[28:31], 0 offen
	buffer_load_dword v205, v128, s[28:31], 0 offen
	v_exp_f32_e32 v194, v103
	v_fma_f32 v103, v132, v107, -v155
	v_exp_f32_e32 v196, v103
	v_fma_f32 v103, v132, v108, -v155
	v_fma_f32 v82, v132, v82, -v155
	v_exp_f32_e32 v195, v103
	v_fma_f32 v103, v132, v109, -v155
	v_exp_f32_e32 v109, v82
	v_fma_f32 v82, v132, v83, -v155
	v_fma_f32 v105, v132, v112, -v155
	v_exp_f32_e32 v112, v82
	v_fma_f32 v82, v132, v84, -v155
	v_fma_f32 v119, v132, v124, -v155
	v_fma_f32 v124, v132, v129, -v155
	v_exp_f32_e32 v129, v82
	v_fma_f32 v82, v132, v85, -v155
	v_exp_f32_e32 v188, v82
	v_fma_f32 v82, v132, v86, -v155
	v_exp_f32_e32 v190, v82
	v_fma_f32 v82, v132, v87, -v155
	v_fma_f32 v66, v132, v66, -v155
	v_exp_f32_e32 v106, v105
	v_fma_f32 v105, v132, v113, -v155
	v_exp_f32_e32 v192, v82
	v_fma_f32 v82, v132, v88, -v155
	v_exp_f32_e32 v191, v66
	v_fma_f32 v66, v132, v67, -v155
	v_exp_f32_e32 v107, v105
	v_exp_f32_e32 v105, v82
	v_fma_f32 v82, v132, v89, -v155
	v_exp_f32_e32 v193, v66
	v_fma_f32 v66, v132, v68, -v155
	v_exp_f32_e32 v108, v82
	v_fma_f32 v82, v132, v90, -v155
	v_exp_f32_e32 v90, v66
	v_fma_f32 v66, v132, v69, -v155
	v_exp_f32_e32 v197, v103
	v_fma_f32 v103, v132, v110, -v155
	v_exp_f32_e32 v110, v82
	v_fma_f32 v82, v132, v91, -v155
	v_exp_f32_e32 v91, v66
	v_fma_f32 v66, v132, v70, -v155
	v_exp_f32_e32 v113, v82
	v_fma_f32 v82, v132, v92, -v155
	v_exp_f32_e32 v92, v66
	v_fma_f32 v66, v132, v71, -v155
	v_exp_f32_e32 v186, v82
	v_fma_f32 v82, v132, v93, -v155
	v_exp_f32_e32 v93, v66
	v_fma_f32 v66, v132, v72, -v155
	v_exp_f32_e32 v189, v82
	v_fma_f32 v82, v132, v94, -v155
	v_exp_f32_e32 v94, v66
	v_fma_f32 v66, v132, v73, -v155
	v_fma_f32 v104, v132, v111, -v155
	v_exp_f32_e32 v111, v82
	v_fma_f32 v82, v132, v95, -v155
	v_exp_f32_e32 v95, v66
	v_fma_f32 v66, v132, v74, -v155
	v_exp_f32_e32 v128, v82
	v_fma_f32 v82, v132, v96, -v155
	v_exp_f32_e32 v96, v66
	v_fma_f32 v66, v132, v75, -v155
	v_exp_f32_e32 v187, v82
	v_fma_f32 v82, v132, v97, -v155
	v_exp_f32_e32 v75, v66
	v_sub_f32_e32 v66, v154, v155
	v_add_u32_e32 v208, v176, v166
	v_add_u32_e32 v209, v176, v167
	v_exp_f32_e32 v97, v82
	v_exp_f32_e32 v74, v66
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[198:201], v158
	ds_read_b128 v[82:85], v158 offset:576
	ds_read_b128 v[70:73], v158 offset:1152
	ds_read_b128 v[66:69], v158 offset:1728
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_fma_f32 v114, v132, v114, -v155
	s_waitcnt vmcnt(2)
	v_perm_b32 v154, v203, v202, s10
	v_perm_b32 v202, v203, v202, s14
	s_waitcnt vmcnt(0)
	v_perm_b32 v206, v205, v204, s10
	v_perm_b32 v203, v205, v204, s14
	v_add_u32_e32 v205, v176, v165
	buffer_load_dword v205, v205, s[28:31], 0 offen
	s_nop 0
	buffer_load_dword v207, v207, s[28:31], 0 offen
	s_nop 0
	buffer_load_dword v208, v208, s[28:31], 0 offen
	s_nop 0
	buffer_load_dword v209, v209, s[28:31], 0 offen
	v_fma_f32 v115, v132, v115, -v155
	v_exp_f32_e32 v114, v114
	v_exp_f32_e32 v115, v115
	v_exp_f32_e32 v116, v116
	v_mul_f32_e32 v89, s40, v183
	v_mul_f32_e32 v86, s40, v114
	v_mul_f32_e32 v87, s40, v115
	v_mul_f32_e32 v212, s40, v184
	v_cvt_pk_fp8_f32 v88, v86, v87
	v_cvt_pk_fp8_f32 v89, v89, v212
	v_exp_f32_e32 v117, v117
	v_exp_f32_e32 v118, v118
	v_exp_f32_e32 v120, v120
	v_mul_f32_e32 v210, s40, v152
	v_mul_f32_e32 v211, s40, v182
	v_mul_f32_e32 v213, s40, v185
	v_mul_f32_e32 v214, s40, v116
	v_cvt_pk_fp8_f32 v88, v210, v211 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v89, v213, v214 op_sel:[0,0,1]
	v_exp_f32_e32 v119, v119
	v_exp_f32_e32 v122, v122
	v_exp_f32_e32 v124, v124
	v_mul_f32_e32 v215, s40, v117
	v_mul_f32_e32 v216, s40, v118
	v_mul_f32_e32 v219, s40, v123
	v_mul_f32_e32 v220, s40, v120
	v_pk_mul_f32 v[16:17], v[16:17], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[14:15], v[14:15], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[12:13], v[12:13], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[10:11], v[10:11], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[8:9], v[8:9], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[6:7], v[6:7], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[4:5], v[4:5], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[2:3], v[2:3], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[32:33], v[32:33], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[30:31], v[30:31], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[28:29], v[28:29], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[26:27], v[26:27], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[24:25], v[24:25], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[22:23], v[22:23], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[20:21], v[20:21], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[18:19], v[18:19], v[74:75] op_sel_hi:[1,0]
	v_cvt_pk_fp8_f32 v86, v215, v216
	v_cvt_pk_fp8_f32 v87, v219, v220
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[198:199], v[88:89], v[2:17]
	v_exp_f32_e32 v99, v99
	v_exp_f32_e32 v100, v100
	v_mul_f32_e32 v217, s40, v119
	v_mul_f32_e32 v218, s40, v121
	v_mul_f32_e32 v221, s40, v122
	v_mul_f32_e32 v198, s40, v124
	v_cvt_pk_fp8_f32 v86, v217, v218 op_sel:[0,0,1]
	v_mfma_f32_32x32x16_fp8_fp8 v[18:33], v[82:83], v[88:89], v[18:33]
	v_cvt_pk_fp8_f32 v87, v221, v198 op_sel:[0,0,1]
	v_perm_b32 v204, v206, v154, s15
	v_perm_b32 v82, v206, v154, s16
	v_pk_mul_f32 v[48:49], v[48:49], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[46:47], v[46:47], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[44:45], v[44:45], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[42:43], v[42:43], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[40:41], v[40:41], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[38:39], v[38:39], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[36:37], v[36:37], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[34:35], v[34:35], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[64:65], v[64:65], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[62:63], v[62:63], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[60:61], v[60:61], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[58:59], v[58:59], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[56:57], v[56:57], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[54:55], v[54:55], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[52:53], v[52:53], v[74:75] op_sel_hi:[1,0]
	v_pk_mul_f32 v[50:51], v[50:51], v[74:75] op_sel_hi:[1,0]
	v_exp_f32_e32 v98, v98
	v_exp_f32_e32 v101, v101
	v_exp_f32_e32 v102, v102
	v_perm_b32 v83, v203, v202, s15
	v_perm_b32 v154, v203, v202, s16
	ds_write2_b32 v181, v204, v82 offset1:4
	ds_write2_b32 v181, v83, v154 offset0:8 offset1:12
	v_mfma_f32_32x32x16_fp8_fp8 v[34:49], v[70:71], v[88:89], v[34:49]
	v_mul_f32_e32 v70, s40, v125
	v_mul_f32_e32 v71, s40, v126
	v_mul_f32_e32 v203, s40, v99
	v_mul_f32_e32 v204, s40, v100
	v_exp_f32_e32 v103, v103
	v_exp_f32_e32 v104, v104
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x16_fp8_fp8 v[50:65], v[66:67], v[88:89], v[50:65]
	v_cvt_pk_fp8_f32 v88, v70, v71
	v_cvt_pk_fp8_f32 v89, v203, v204
	s_barrier
	v_mul_f32_e32 v154, s40, v127
	v_mul_f32_e32 v202, s40, v98
	v_mul_f32_e32 v66, s40, v101
	v_mul_f32_e32 v67, s40, v102
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[200:201], v[86:87], v[2:17]
	v_cvt_pk_fp8_f32 v88, v154, v202 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v89, v66, v67 op_sel:[0,0,1]
	v_mul_f32_e32 v66, s40, v104
	v_mul_f32_e32 v206, s40, v195
	v_mul_f32_e32 v67, s40, v107
	v_fma_f32 v76, v132, v76, -v155
	v_exp_f32_e32 v154, v76
	v_mfma_f32_32x32x16_fp8_fp8 v[18:33], v[84:85], v[86:87], v[18:33]
	ds_read_b128 v[82:85], v158
	ds_read_b128 v[198:201], v158 offset:576
	s_waitcnt vmcnt(2)
	v_perm_b32 v76, v207, v205, s10
	s_addk_i32 s6, 0x80
	s_add_i32 s1, s1, -1
	v_add_u32_e32 v160, s8, v160
	v_add_u32_e32 v161, s8, v161
	v_add_u32_e32 v162, s8, v162
	v_mfma_f32_32x32x16_fp8_fp8 v[34:49], v[72:73], v[86:87], v[34:49]
	v_mul_f32_e32 v72, s40, v194
	v_mul_f32_e32 v73, s40, v196
	v_add_u32_e32 v163, s8, v163
	v_add_u32_e32 v164, s8, v164
	v_add_u32_e32 v165, s8, v165
	v_add_u32_e32 v166, s8, v166
	v_add_u32_e32 v167, s8, v167
	v_mfma_f32_32x32x16_fp8_fp8 v[50:65], v[68:69], v[86:87], v[50:65]
	v_mul_f32_e32 v69, s40, v103
	v_cvt_pk_fp8_f32 v86, v72, v73
	v_cvt_pk_fp8_f32 v87, v69, v66
	v_mul_f32_e32 v68, s40, v197
	v_mul_f32_e32 v66, s40, v106
	v_cvt_pk_fp8_f32 v86, v206, v68 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v87, v66, v67 op_sel:[0,0,1]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[82:83], v[88:89], v[2:17]
	v_fma_f32 v66, v132, v77, -v155
	v_exp_f32_e32 v202, v66
	v_fma_f32 v66, v132, v78, -v155
	v_exp_f32_e32 v203, v66
	v_fma_f32 v66, v132, v79, -v155
	v_add_u32_e32 v83, v176, v168
	v_exp_f32_e32 v204, v66
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x16_fp8_fp8 v[18:33], v[198:199], v[88:89], v[18:33]
	v_add_u32_e32 v198, v176, v170
	ds_read_b128 v[66:69], v158 offset:1152
	ds_read_b128 v[70:73], v158 offset:1728
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(0)
	v_perm_b32 v77, v209, v208, s10
	v_perm_b32 v78, v207, v205, s14
	v_perm_b32 v79, v209, v208, s14
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[84:85], v[86:87], v[2:17]
	v_add_u32_e32 v84, v176, v171
	v_add_u32_e32 v85, v176, v169
	v_perm_b32 v82, v77, v76, s15
	v_mul_f32_e32 v205, s40, v190
	v_mul_f32_e32 v206, s40, v192
	v_mul_f32_e32 v207, s40, v186
	v_add_u32_e32 v168, s8, v168
	v_mfma_f32_32x32x16_fp8_fp8 v[18:33], v[200:201], v[86:87], v[18:33]
	buffer_load_dword v199, v83, s[28:31], 0 offen
	buffer_load_dword v200, v84, s[28:31], 0 offen
	buffer_load_dword v201, v85, s[28:31], 0 offen
	s_nop 0
	buffer_load_dword v198, v198, s[28:31], 0 offen
	v_mul_f32_e32 v83, s40, v112
	v_mul_f32_e32 v84, s40, v129
	v_mul_f32_e32 v85, s40, v188
	v_add_u32_e32 v169, s8, v169
	v_add_u32_e32 v170, s8, v170
	v_add_u32_e32 v171, s8, v171
	v_mfma_f32_32x32x16_fp8_fp8 v[34:49], v[66:67], v[88:89], v[34:49]
	v_perm_b32 v66, v77, v76, s16
	v_perm_b32 v67, v79, v78, s15
	v_perm_b32 v76, v79, v78, s16
	ds_write2_b32 v181, v82, v66 offset1:4
	ds_write2_b32 v181, v67, v76 offset0:8 offset1:12
	v_mul_f32_e32 v82, s40, v109
	v_cvt_pk_fp8_f32 v82, v82, v83
	v_cvt_pk_fp8_f32 v83, v205, v206
	v_mfma_f32_32x32x16_fp8_fp8 v[50:65], v[70:71], v[88:89], v[50:65]
	v_mul_f32_e32 v70, s40, v105
	v_mul_f32_e32 v71, s40, v108
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_cvt_pk_fp8_f32 v82, v84, v85 op_sel:[0,0,1]
	v_cvt_pk_fp8_f32 v83, v70, v71 op_sel:[0,0,1]
	v_mul_f32_e32 v70, s40, v128
	v_mfma_f32_32x32x16_fp8_fp8 v[34:49], v[68:69], v[86:87], v[34:49]
	ds_read_b128 v[66:69], v158
	ds_read_b128 v[76:79], v158 offset:576
	v_mul_f32_e32 v88, s40, v110
	v_mul_f32_e32 v89, s40, v113
	v_cvt_pk_fp8_f32 v84, v88, v89
	v_add_u32_e32 v172, s8, v172
	v_add_u32_e32 v173, s8, v173
	v_add_u32_e32 v178, s8, v178
	v_mfma_f32_32x32x16_fp8_fp8 v[50:65], v[72:73], v[86:87], v[50:65]
	v_mul_f32_e32 v73, s40, v111
	v_cvt_pk_fp8_f32 v85, v73, v70
	v_mul_f32_e32 v72, s40, v189
	v_cvt_pk_fp8_f32 v84, v207, v72 op_sel:[0,0,1]
	v_add_u32_e32 v174, s8, v174
	s_cmp_lg_u32 s1, 0
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[66:67], v[82:83], v[2:17]
	v_mul_f32_e32 v66, s40, v187
	v_mul_f32_e32 v67, s40, v97
	v_cvt_pk_fp8_f32 v85, v66, v67 op_sel:[0,0,1]
	v_fma_f32 v66, v132, v80, -v155
	v_exp_f32_e32 v80, v66
	v_fma_f32 v66, v132, v81, -v155
	v_exp_f32_e32 v81, v66
	v_add_f32_e32 v66, v114, v115
	v_add_f32_e32 v66, v152, v66
	v_add_f32_e32 v66, v182, v66
	v_add_f32_e32 v66, v183, v66
	v_add_f32_e32 v66, v184, v66
	v_add_f32_e32 v66, v185, v66
	v_add_f32_e32 v66, v116, v66
	v_add_f32_e32 v66, v117, v66
	v_add_f32_e32 v66, v118, v66
	v_add_f32_e32 v66, v119, v66
	v_add_f32_e32 v66, v121, v66
	v_add_f32_e32 v70, v123, v66
	v_add_f32_e32 v70, v120, v70
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[68:69], v[84:85], v[2:17]
	ds_read_b128 v[66:69], v158 offset:1152
	v_add_f32_e32 v70, v122, v70
	v_add_f32_e32 v70, v124, v70
	v_add_f32_e32 v70, v125, v70
	v_add_f32_e32 v70, v126, v70
	v_mov_b32_e32 v152, v153
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x16_fp8_fp8 v[18:33], v[76:77], v[82:83], v[18:33]
	v_add_f32_e32 v76, v127, v70
	ds_read_b128 v[70:73], v158 offset:1728
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x16_fp8_fp8 v[34:49], v[66:67], v[82:83], v[34:49]
	v_add_f32_e32 v66, v98, v76
	v_add_f32_e32 v66, v99, v66
	v_add_f32_e32 v66, v100, v66
	v_add_f32_e32 v66, v101, v66
	v_add_f32_e32 v66, v102, v66
	v_add_f32_e32 v66, v194, v66
	v_add_f32_e32 v66, v196, v66
	v_mfma_f32_32x32x16_fp8_fp8 v[50:65], v[70:71], v[82:83], v[50:65]
	v_add_f32_e32 v66, v195, v66
	v_add_f32_e32 v86, v197, v66
	s_waitcnt vmcnt(2)
	v_perm_b32 v66, v200, v199, s10
	s_waitcnt vmcnt(0)
	v_perm_b32 v67, v198, v201, s10
	v_perm_b32 v70, v67, v66, s15
	v_perm_b32 v66, v67, v66, s16
	v_mul_f32_e32 v76, s40, v193
	v_mfma_f32_32x32x16_fp8_fp8 v[34:49], v[68:69], v[84:85], v[34:49]
	v_perm_b32 v68, v200, v199, s14
	v_perm_b32 v69, v198, v201, s14
	v_perm_b32 v67, v69, v68, s15
	v_perm_b32 v68, v69, v68, s16
	ds_write2_b32 v181, v70, v66 offset1:4
	ds_write2_b32 v181, v67, v68 offset0:8 offset1:12
	v_mul_f32_e32 v66, s40, v203
	v_mul_f32_e32 v67, s40, v204
	v_cvt_pk_fp8_f32 v77, v66, v67
	v_mul_f32_e32 v66, s40, v92
	v_mul_f32_e32 v67, s40, v93
	v_mfma_f32_32x32x16_fp8_fp8 v[18:33], v[78:79], v[84:85], v[18:33]
	v_cvt_pk_fp8_f32 v79, v66, v67
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[66:69], v158
	v_mul_f32_e32 v71, s40, v94
	v_mul_f32_e32 v70, s40, v96
	v_mul_f32_e32 v82, s40, v80
	v_mfma_f32_32x32x16_fp8_fp8 v[50:65], v[72:73], v[84:85], v[50:65]
	v_mul_f32_e32 v73, s40, v191
	v_cvt_pk_fp8_f32 v78, v73, v76
	v_mul_f32_e32 v72, s40, v95
	v_cvt_pk_fp8_f32 v79, v71, v72 op_sel:[0,0,1]
	v_mul_f32_e32 v71, s40, v90
	v_mul_f32_e32 v72, s40, v91
	v_cvt_pk_fp8_f32 v78, v71, v72 op_sel:[0,0,1]
	v_mul_f32_e32 v71, s40, v75
	v_cvt_pk_fp8_f32 v76, v70, v71
	ds_read_b128 v[70:73], v158 offset:576
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[66:67], v[78:79], v[2:17]
	v_mul_f32_e32 v66, s40, v154
	v_mul_f32_e32 v67, s40, v202
	v_cvt_pk_fp8_f32 v76, v66, v67 op_sel:[0,0,1]
	v_add_f32_e32 v66, v103, v86
	v_add_f32_e32 v66, v104, v66
	v_add_f32_e32 v66, v106, v66
	v_add_f32_e32 v66, v107, v66
	v_add_f32_e32 v66, v109, v66
	v_add_f32_e32 v66, v112, v66
	v_add_f32_e32 v66, v129, v66
	v_add_f32_e32 v66, v188, v66
	v_add_f32_e32 v66, v190, v66
	v_add_f32_e32 v66, v192, v66
	v_mul_f32_e32 v83, s40, v81
	v_add_f32_e32 v66, v105, v66
	v_cvt_pk_fp8_f32 v77, v82, v83 op_sel:[0,0,1]
	v_add_f32_e32 v66, v108, v66
	v_add_f32_e32 v66, v110, v66
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x16_fp8_fp8 v[18:33], v[70:71], v[78:79], v[18:33]
	v_add_f32_e32 v66, v113, v66
	v_add_f32_e32 v66, v186, v66
	v_add_f32_e32 v70, v189, v66
	v_add_f32_e32 v70, v111, v70
	v_add_f32_e32 v70, v128, v70
	v_add_f32_e32 v70, v187, v70
	v_add_f32_e32 v70, v97, v70
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[68:69], v[76:77], v[2:17]
	ds_read_b128 v[66:69], v158 offset:1152
	v_add_f32_e32 v70, v191, v70
	v_add_f32_e32 v82, v193, v70
	v_mfma_f32_32x32x16_fp8_fp8 v[18:33], v[72:73], v[76:77], v[18:33]
	ds_read_b128 v[70:73], v158 offset:1728
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x16_fp8_fp8 v[34:49], v[66:67], v[78:79], v[34:49]
	v_add_f32_e32 v66, v90, v82
	v_add_f32_e32 v66, v91, v66
	v_add_f32_e32 v66, v92, v66
	v_add_f32_e32 v66, v93, v66
	v_add_f32_e32 v66, v94, v66
	v_add_f32_e32 v66, v95, v66
	v_add_f32_e32 v66, v96, v66
	v_mfma_f32_32x32x16_fp8_fp8 v[50:65], v[70:71], v[78:79], v[50:65]
	v_add_f32_e32 v66, v75, v66
	v_add_f32_e32 v66, v154, v66
	v_add_f32_e32 v66, v202, v66
	v_add_f32_e32 v66, v203, v66
	v_add_f32_e32 v66, v204, v66
	v_add_f32_e32 v66, v80, v66
	v_add_f32_e32 v66, v81, v66
	v_mfma_f32_32x32x16_fp8_fp8 v[34:49], v[68:69], v[76:77], v[34:49]
	ds_bpermute_b32 v67, v157, v66
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v66, v66, v67
	v_fmac_f32_e32 v66, v180, v74
	v_mfma_f32_32x32x16_fp8_fp8 v[50:65], v[72:73], v[76:77], v[50:65]
	v_mov_b32_e32 v180, v66
	s_cbranch_scc0 .LBB0_9
.LBB0_7:
	v_readfirstlane_b32 s12, v0
	s_lshr_b32 s12, s12, 1
	s_and_b32 s12, s12, 0x7fffffe0
	s_add_i32 s17, s12, s6
	v_add_u32_e32 v66, s17, v151
	v_add_u32_e32 v66, 0xffffff80, v66
	v_mad_u64_u32 v[154:155], s[18:19], v66, s11, v[150:151]
	buffer_load_dwordx4 v[68:71], v154, s[24:27], 0 offen
	buffer_load_dwordx4 v[200:203], v154, s[24:27], 0 offen offset:32
	v_add_u32_e32 v66, s12, v151
	v_lshl_add_u32 v198, v66, 4, v156
	v_add_u32_e32 v153, v176, v174
	v_add_u32_e32 v155, v176, v160
	v_add_u32_e32 v181, v176, v161
	s_cmp_le_i32 s6, s37
	s_waitcnt vmcnt(1)
	ds_write_b128 v198, v[68:71]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[182:185], v175
	ds_read_b128 v[186:189], v175 offset:512
	ds_read_b128 v[190:193], v175 offset:1024
	ds_read_b128 v[194:197], v175 offset:1536
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_load_dwordx4 v[204:207], v154, s[24:27], 0 offen offset:64
	v_mfma_f32_32x32x16_fp8_fp8 v[114:129], v[182:183], v[134:135], 0
	s_waitcnt vmcnt(1)
	ds_write_b128 v198, v[200:203]
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x16_fp8_fp8 v[98:113], v[186:187], v[134:135], 0
	v_mfma_f32_32x32x16_fp8_fp8 v[82:97], v[190:191], v[134:135], 0
	v_mfma_f32_32x32x16_fp8_fp8 v[66:81], v[194:195], v[134:135], 0
	v_mfma_f32_32x32x16_fp8_fp8 v[114:129], v[184:185], v[136:137], v[114:129]
	ds_read_b128 v[182:185], v175
	v_mfma_f32_32x32x16_fp8_fp8 v[98:113], v[188:189], v[136:137], v[98:113]
	ds_read_b128 v[186:189], v175 offset:512
	v_mfma_f32_32x32x16_fp8_fp8 v[82:97], v[192:193], v[136:137], v[82:97]
	ds_read_b128 v[190:193], v175 offset:1024
	v_mfma_f32_32x32x16_fp8_fp8 v[66:81], v[196:197], v[136:137], v[66:81]
	ds_read_b128 v[194:197], v175 offset:1536
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_load_dwordx4 v[200:203], v154, s[24:27], 0 offen offset:96
	v_add_u32_e32 v154, v176, v178
	buffer_load_dword v153, v153, s[28:31], 0 offen
	s_nop 0
	buffer_load_dword v154, v154, s[28:31], 0 offen
	s_nop 0
	buffer_load_dword v155, v155, s[28:31], 0 offen
	s_nop 0
	buffer_load_dword v181, v181, s[28:31], 0 offen
	s_waitcnt vmcnt(5)
	ds_write_b128 v198, v[204:207]
	v_mfma_f32_32x32x16_fp8_fp8 v[114:129], v[182:183], v[138:139], v[114:129]
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x16_fp8_fp8 v[114:129], v[184:185], v[140:141], v[114:129]
	ds_read_b128 v[182:185], v175
	v_mfma_f32_32x32x16_fp8_fp8 v[98:113], v[186:187], v[138:139], v[98:113]
	v_mfma_f32_32x32x16_fp8_fp8 v[82:97], v[190:191], v[138:139], v[82:97]
	v_mfma_f32_32x32x16_fp8_fp8 v[66:81], v[194:195], v[138:139], v[66:81]
	v_mfma_f32_32x32x16_fp8_fp8 v[98:113], v[188:189], v[140:141], v[98:113]
	ds_read_b128 v[186:189], v175 offset:512
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x16_fp8_fp8 v[114:129], v[182:183], v[142:143], v[114:129]
	v_mfma_f32_32x32x16_fp8_fp8 v[82:97], v[192:193], v[140:141], v[82:97]
	ds_read_b128 v[190:193], v175 offset:1024
	v_mfma_f32_32x32x16_fp8_fp8 v[66:81], v[196:197], v[140:141], v[66:81]
	ds_read_b128 v[194:197], v175 offset:1536
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(4)
	ds_write_b128 v198, v[200:203]
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x16_fp8_fp8 v[114:129], v[184:185], v[144:145], v[114:129]
	ds_read_b128 v[182:185], v175
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x16_fp8_fp8 v[114:129], v[182:183], v[146:147], v[114:129]
	v_mfma_f32_32x32x16_fp8_fp8 v[98:113], v[186:187], v[142:143], v[98:113]
	v_mfma_f32_32x32x16_fp8_fp8 v[114:129], v[184:185], v[148:149], v[114:129]
	ds_read_b128 v[182:185], v175 offset:512
	v_mfma_f32_32x32x16_fp8_fp8 v[98:113], v[188:189], v[144:145], v[98:113]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x16_fp8_fp8 v[98:113], v[182:183], v[146:147], v[98:113]
	v_mfma_f32_32x32x16_fp8_fp8 v[82:97], v[190:191], v[142:143], v[82:97]
	v_mfma_f32_32x32x16_fp8_fp8 v[98:113], v[184:185], v[148:149], v[98:113]
	ds_read_b128 v[182:185], v175 offset:1024
	v_mfma_f32_32x32x16_fp8_fp8 v[82:97], v[192:193], v[144:145], v[82:97]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x16_fp8_fp8 v[82:97], v[182:183], v[146:147], v[82:97]
	v_mfma_f32_32x32x16_fp8_fp8 v[66:81], v[194:195], v[142:143], v[66:81]
	v_mfma_f32_32x32x16_fp8_fp8 v[82:97], v[184:185], v[148:149], v[82:97]
	ds_read_b128 v[182:185], v175 offset:1536
	v_mfma_f32_32x32x16_fp8_fp8 v[66:81], v[196:197], v[144:145], v[66:81]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x16_fp8_fp8 v[66:81], v[182:183], v[146:147], v[66:81]
	v_mfma_f32_32x32x16_fp8_fp8 v[66:81], v[184:185], v[148:149], v[66:81]
	s_cbranch_scc1 .LBB0_6
	v_add_u32_e32 v182, s6, v130
	v_add_u32_e32 v183, 0xffffff80, v182
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff81, v182
	s_nop 0
	v_cndmask_b32_e32 v114, v179, v114, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff82, v182
	s_nop 0
	v_cndmask_b32_e32 v115, v179, v115, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff83, v182
	s_nop 0
	v_cndmask_b32_e32 v116, v179, v116, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff84, v182
	s_nop 0
	v_cndmask_b32_e32 v117, v179, v117, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff85, v182
	s_nop 0
	v_cndmask_b32_e32 v118, v179, v118, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff86, v182
	s_nop 0
	v_cndmask_b32_e32 v119, v179, v119, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff87, v182
	s_nop 0
	v_cndmask_b32_e32 v120, v179, v120, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff88, v182
	s_nop 0
	v_cndmask_b32_e32 v121, v179, v121, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff89, v182
	s_nop 0
	v_cndmask_b32_e32 v122, v179, v122, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff8a, v182
	s_nop 0
	v_cndmask_b32_e32 v123, v179, v123, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff8b, v182
	s_nop 0
	v_cndmask_b32_e32 v124, v179, v124, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff8c, v182
	s_nop 0
	v_cndmask_b32_e32 v125, v179, v125, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff8d, v182
	s_nop 0
	v_cndmask_b32_e32 v126, v179, v126, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffff8e, v182
	s_nop 0
	v_cndmask_b32_e32 v127, v179, v127, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, s6, v177
	v_add_u32_e32 v183, 0xffffff80, v183
	v_cndmask_b32_e32 v128, v179, v128, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa0, v182
	s_nop 0
	v_cndmask_b32_e32 v129, v179, v129, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa1, v182
	s_nop 0
	v_cndmask_b32_e32 v98, v179, v98, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa2, v182
	s_nop 0
	v_cndmask_b32_e32 v99, v179, v99, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa3, v182
	s_nop 0
	v_cndmask_b32_e32 v100, v179, v100, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa4, v182
	s_nop 0
	v_cndmask_b32_e32 v101, v179, v101, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa5, v182
	s_nop 0
	v_cndmask_b32_e32 v102, v179, v102, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa6, v182
	s_nop 0
	v_cndmask_b32_e32 v103, v179, v103, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa7, v182
	s_nop 0
	v_cndmask_b32_e32 v104, v179, v104, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa8, v182
	s_nop 0
	v_cndmask_b32_e32 v105, v179, v105, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffa9, v182
	s_nop 0
	v_cndmask_b32_e32 v106, v179, v106, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffaa, v182
	s_nop 0
	v_cndmask_b32_e32 v107, v179, v107, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffab, v182
	s_nop 0
	v_cndmask_b32_e32 v108, v179, v108, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffac, v182
	s_nop 0
	v_cndmask_b32_e32 v109, v179, v109, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffad, v182
	s_nop 0
	v_cndmask_b32_e32 v110, v179, v110, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffae, v182
	s_nop 0
	v_cndmask_b32_e32 v111, v179, v111, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_add_u32_e32 v183, 0xffffffaf, v182
	s_nop 0
	v_cndmask_b32_e32 v112, v179, v112, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 64, v182
	s_nop 0
	v_cndmask_b32_e32 v113, v179, v113, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 63, v182
	s_nop 0
	v_cndmask_b32_e32 v82, v179, v82, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 62, v182
	s_nop 0
	v_cndmask_b32_e32 v83, v179, v83, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 61, v182
	s_nop 0
	v_cndmask_b32_e32 v84, v179, v84, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 60, v182
	s_nop 0
	v_cndmask_b32_e32 v85, v179, v85, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 59, v182
	s_nop 0
	v_cndmask_b32_e32 v86, v179, v86, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 58, v182
	s_nop 0
	v_cndmask_b32_e32 v87, v179, v87, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 57, v182
	s_nop 0
	v_cndmask_b32_e32 v88, v179, v88, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 56, v182
	s_nop 0
	v_cndmask_b32_e32 v89, v179, v89, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 55, v182
	s_nop 0
	v_cndmask_b32_e32 v90, v179, v90, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 54, v182
	s_nop 0
	v_cndmask_b32_e32 v91, v179, v91, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 53, v182
	s_nop 0
	v_cndmask_b32_e32 v92, v179, v92, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 52, v182
	s_nop 0
	v_cndmask_b32_e32 v93, v179, v93, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 51, v182
	s_nop 0
	v_cndmask_b32_e32 v94, v179, v94, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 50, v182
	s_nop 0
	v_cndmask_b32_e32 v95, v179, v95, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 49, v182
	s_nop 0
	v_cndmask_b32_e32 v96, v179, v96, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 32, v182
	s_nop 0
	v_cndmask_b32_e32 v97, v179, v97, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 31, v182
	s_nop 0
	v_cndmask_b32_e32 v66, v179, v66, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 30, v182
	s_nop 0
	v_cndmask_b32_e32 v67, v179, v67, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 29, v182
	s_nop 0
	v_cndmask_b32_e32 v68, v179, v68, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 28, v182
	s_nop 0
	v_cndmask_b32_e32 v69, v179, v69, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 27, v182
	s_nop 0
	v_cndmask_b32_e32 v70, v179, v70, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 26, v182
	s_nop 0
	v_cndmask_b32_e32 v71, v179, v71, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 25, v182
	s_nop 0
	v_cndmask_b32_e32 v72, v179, v72, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 24, v182
	s_nop 0
	v_cndmask_b32_e32 v73, v179, v73, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 23, v182
	s_nop 0
	v_cndmask_b32_e32 v74, v179, v74, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 22, v182
	s_nop 0
	v_cndmask_b32_e32 v75, v179, v75, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 21, v182
	s_nop 0
	v_cndmask_b32_e32 v76, v179, v76, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 20, v182
	s_nop 0
	v_cndmask_b32_e32 v77, v179, v77, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 19, v182
	s_nop 0
	v_cndmask_b32_e32 v78, v179, v78, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	v_subrev_u32_e32 v183, 18, v182
	v_subrev_u32_e32 v182, 17, v182
	v_cndmask_b32_e32 v79, v179, v79, vcc
	v_cmp_gt_i32_e32 vcc, s37, v183
	s_nop 1
	v_cndmask_b32_e32 v80, v179, v80, vcc
	v_cmp_gt_i32_e32 vcc, s37, v182
	s_nop 1
	v_cndmask_b32_e32 v81, v179, v81, vcc
	s_branch .LBB0_6
.LBB0_9:
	v_mov_b32_e32 v67, s0
	v_mul_f32_e32 v106, s41, v67
	v_div_scale_f32 v67, s[0:1], v66, v66, 1.0
	v_rcp_f32_e32 v68, v67
	v_div_scale_f32 v69, vcc, 1.0, v66, 1.0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
	v_fma_f32 v70, -v67, v68, 1.0
	v_fmac_f32_e32 v68, v70, v68
	v_mul_f32_e32 v70, v69, v68
	v_fma_f32 v71, -v67, v70, v69
	v_fmac_f32_e32 v70, v71, v68
	v_fma_f32 v67, -v67, v70, v69
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
	v_div_fmas_f32 v67, v67, v68, v70
	v_div_fixup_f32 v108, v67, v66, 1.0
	v_pk_mul_f32 v[2:3], v[108:109], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[104:105], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[4:5] op_sel_hi:[0,1]
	v_pk_mul_f32 v[102:103], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[6:7] op_sel_hi:[0,1]
	v_pk_mul_f32 v[100:101], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[8:9] op_sel_hi:[0,1]
	v_pk_mul_f32 v[98:99], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[10:11] op_sel_hi:[0,1]
	v_pk_mul_f32 v[96:97], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[12:13] op_sel_hi:[0,1]
	v_pk_mul_f32 v[94:95], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[14:15] op_sel_hi:[0,1]
	v_pk_mul_f32 v[92:93], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[16:17] op_sel_hi:[0,1]
	v_pk_mul_f32 v[90:91], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[18:19] op_sel_hi:[0,1]
	v_pk_mul_f32 v[88:89], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[20:21] op_sel_hi:[0,1]
	v_pk_mul_f32 v[86:87], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[22:23] op_sel_hi:[0,1]
	v_pk_mul_f32 v[84:85], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[24:25] op_sel_hi:[0,1]
	v_pk_mul_f32 v[82:83], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[26:27] op_sel_hi:[0,1]
	v_pk_mul_f32 v[80:81], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[28:29] op_sel_hi:[0,1]
	v_pk_mul_f32 v[78:79], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[30:31] op_sel_hi:[0,1]
	v_pk_mul_f32 v[76:77], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[32:33] op_sel_hi:[0,1]
	v_pk_mul_f32 v[74:75], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[34:35] op_sel_hi:[0,1]
	v_pk_mul_f32 v[72:73], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[36:37] op_sel_hi:[0,1]
	v_pk_mul_f32 v[70:71], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[38:39] op_sel_hi:[0,1]
	v_pk_mul_f32 v[68:69], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[40:41] op_sel_hi:[0,1]
	v_pk_mul_f32 v[66:67], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[42:43] op_sel_hi:[0,1]
	v_pk_mul_f32 v[40:41], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[44:45] op_sel_hi:[0,1]
	v_pk_mul_f32 v[38:39], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[46:47] op_sel_hi:[0,1]
	v_pk_mul_f32 v[36:37], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[48:49] op_sel_hi:[0,1]
	v_pk_mul_f32 v[34:35], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[50:51] op_sel_hi:[0,1]
	v_pk_mul_f32 v[32:33], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[52:53] op_sel_hi:[0,1]
	v_pk_mul_f32 v[30:31], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[54:55] op_sel_hi:[0,1]
	v_pk_mul_f32 v[28:29], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[56:57] op_sel_hi:[0,1]
	v_pk_mul_f32 v[26:27], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[58:59] op_sel_hi:[0,1]
	v_pk_mul_f32 v[24:25], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[60:61] op_sel_hi:[0,1]
	v_pk_mul_f32 v[22:23], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[62:63] op_sel_hi:[0,1]
	v_pk_mul_f32 v[20:21], v[106:107], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[108:109], v[64:65] op_sel_hi:[0,1]
	v_pk_mul_f32 v[18:19], v[106:107], v[2:3] op_sel_hi:[0,1]
.LBB0_10:
	s_mov_b32 s0, 0x7f800000
	s_waitcnt vmcnt(3)
	v_and_b32_e32 v2, 0x7f800000, v104
	v_cmp_ne_u32_e32 vcc, s0, v2
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v2, v104, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v2, v104, v2, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v2, 0
	v_or_b32_e32 v3, 0x10000, v104
	v_cmp_eq_u32_sdwa vcc, v104, v2 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v2, v3, v104, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v3, 0x7f800000, v105
	v_cmp_ne_u32_e32 vcc, s0, v3
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v3, v105, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v3, v105, v3, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v3, 0
	v_or_b32_e32 v4, 0x10000, v105
	v_cmp_eq_u32_sdwa vcc, v105, v3 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v3, v4, v105, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v4, 0x7f800000, v102
	v_cmp_ne_u32_e32 vcc, s0, v4
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v4, v102, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v4, v102, v4, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v4, 0
	v_or_b32_e32 v5, 0x10000, v102
	v_cmp_eq_u32_sdwa vcc, v102, v4 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v4, v5, v102, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v5, 0x7f800000, v103
	v_cmp_ne_u32_e32 vcc, s0, v5
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v5, v103, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v5, v103, v5, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_26
	v_mov_b32_e32 v5, 0
	s_waitcnt vmcnt(2)
	v_or_b32_e32 v6, 0x10000, v103
	v_cmp_eq_u32_sdwa vcc, v103, v5 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v5, v6, v103, vcc
.LBB0_26:
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	s_waitcnt vmcnt(2)
	v_and_b32_e32 v6, 0x7f800000, v100
	v_cmp_ne_u32_e32 vcc, s0, v6
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v6, v100, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v6, v100, v6, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v6, 0
	v_or_b32_e32 v7, 0x10000, v100
	v_cmp_eq_u32_sdwa vcc, v100, v6 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v6, v7, v100, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v7, 0x7f800000, v101
	v_cmp_ne_u32_e32 vcc, s0, v7
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v7, v101, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v7, v101, v7, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v7, 0
	v_or_b32_e32 v8, 0x10000, v101
	v_cmp_eq_u32_sdwa vcc, v101, v7 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v7, v8, v101, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v8, 0x7f800000, v98
	v_cmp_ne_u32_e32 vcc, s0, v8
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v8, v98, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v8, v98, v8, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v8, 0
	v_or_b32_e32 v9, 0x10000, v98
	v_cmp_eq_u32_sdwa vcc, v98, v8 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v8, v9, v98, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v9, 0x7f800000, v99
	v_cmp_ne_u32_e32 vcc, s0, v9
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v9, v99, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v9, v99, v9, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_42
	v_mov_b32_e32 v9, 0
	s_waitcnt vmcnt(1)
	v_or_b32_e32 v10, 0x10000, v99
	v_cmp_eq_u32_sdwa vcc, v99, v9 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v9, v10, v99, vcc
.LBB0_42:
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	s_waitcnt vmcnt(1)
	v_and_b32_e32 v10, 0x7f800000, v96
	v_cmp_ne_u32_e32 vcc, s0, v10
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v10, v96, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v10, v96, v10, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v10, 0
	v_or_b32_e32 v11, 0x10000, v96
	v_cmp_eq_u32_sdwa vcc, v96, v10 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v10, v11, v96, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v11, 0x7f800000, v97
	v_cmp_ne_u32_e32 vcc, s0, v11
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v11, v97, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v11, v97, v11, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v11, 0
	v_or_b32_e32 v12, 0x10000, v97
	v_cmp_eq_u32_sdwa vcc, v97, v11 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v11, v12, v97, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v12, 0x7f800000, v94
	v_cmp_ne_u32_e32 vcc, s0, v12
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v12, v94, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v12, v94, v12, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v12, 0
	v_or_b32_e32 v13, 0x10000, v94
	v_cmp_eq_u32_sdwa vcc, v94, v12 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v12, v13, v94, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v13, 0x7f800000, v95
	v_cmp_ne_u32_e32 vcc, s0, v13
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v13, v95, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v13, v95, v13, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	s_cbranch_execz .LBB0_58
	v_mov_b32_e32 v13, 0
	s_waitcnt vmcnt(0)
	v_or_b32_e32 v14, 0x10000, v95
	v_cmp_eq_u32_sdwa vcc, v95, v13 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v13, v14, v95, vcc
.LBB0_58:
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v14, 0x7f800000, v92
	v_cmp_ne_u32_e32 vcc, s0, v14
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v14, v92, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v14, v92, v14, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v14, 0
	v_or_b32_e32 v15, 0x10000, v92
	v_cmp_eq_u32_sdwa vcc, v92, v14 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v14, v15, v92, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v15, 0x7f800000, v93
	v_cmp_ne_u32_e32 vcc, s0, v15
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v15, v93, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v15, v93, v15, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v15, 0
	v_or_b32_e32 v16, 0x10000, v93
	v_cmp_eq_u32_sdwa vcc, v93, v15 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v15, v16, v93, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v16, 0x7f800000, v90
	v_cmp_ne_u32_e32 vcc, s0, v16
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v16, v90, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v16, v90, v16, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v16, 0
	v_or_b32_e32 v17, 0x10000, v90
	v_cmp_eq_u32_sdwa vcc, v90, v16 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v16, v17, v90, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v17, 0x7f800000, v91
	v_cmp_ne_u32_e32 vcc, s0, v17
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v17, v91, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v17, v91, v17, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v17, 0
	v_or_b32_e32 v42, 0x10000, v91
	v_cmp_eq_u32_sdwa vcc, v91, v17 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v17, v42, v91, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v42, 0x7f800000, v88
	v_cmp_ne_u32_e32 vcc, s0, v42
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v42, v88, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v42, v88, v42, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v42, 0
	v_or_b32_e32 v43, 0x10000, v88
	v_cmp_eq_u32_sdwa vcc, v88, v42 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v42, v43, v88, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v43, 0x7f800000, v89
	v_cmp_ne_u32_e32 vcc, s0, v43
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v43, v89, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v43, v89, v43, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v43, 0
	v_or_b32_e32 v44, 0x10000, v89
	v_cmp_eq_u32_sdwa vcc, v89, v43 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v43, v44, v89, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v44, 0x7f800000, v86
	v_cmp_ne_u32_e32 vcc, s0, v44
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v44, v86, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v44, v86, v44, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v44, 0
	v_or_b32_e32 v45, 0x10000, v86
	v_cmp_eq_u32_sdwa vcc, v86, v44 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v44, v45, v86, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v45, 0x7f800000, v87
	v_cmp_ne_u32_e32 vcc, s0, v45
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v45, v87, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v45, v87, v45, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v45, 0
	v_or_b32_e32 v46, 0x10000, v87
	v_cmp_eq_u32_sdwa vcc, v87, v45 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v45, v46, v87, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v46, 0x7f800000, v84
	v_cmp_ne_u32_e32 vcc, s0, v46
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v46, v84, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v46, v84, v46, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v46, 0
	v_or_b32_e32 v47, 0x10000, v84
	v_cmp_eq_u32_sdwa vcc, v84, v46 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v46, v47, v84, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v47, 0x7f800000, v85
	v_cmp_ne_u32_e32 vcc, s0, v47
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v47, v85, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v47, v85, v47, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v47, 0
	v_or_b32_e32 v48, 0x10000, v85
	v_cmp_eq_u32_sdwa vcc, v85, v47 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v47, v48, v85, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v48, 0x7f800000, v82
	v_cmp_ne_u32_e32 vcc, s0, v48
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v48, v82, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v48, v82, v48, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v48, 0
	v_or_b32_e32 v49, 0x10000, v82
	v_cmp_eq_u32_sdwa vcc, v82, v48 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v48, v49, v82, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v49, 0x7f800000, v83
	v_cmp_ne_u32_e32 vcc, s0, v49
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v49, v83, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v49, v83, v49, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v49, 0
	v_or_b32_e32 v50, 0x10000, v83
	v_cmp_eq_u32_sdwa vcc, v83, v49 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v49, v50, v83, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v50, 0x7f800000, v80
	v_cmp_ne_u32_e32 vcc, s0, v50
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v50, v80, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v50, v80, v50, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v50, 0
	v_or_b32_e32 v51, 0x10000, v80
	v_cmp_eq_u32_sdwa vcc, v80, v50 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v50, v51, v80, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v51, 0x7f800000, v81
	v_cmp_ne_u32_e32 vcc, s0, v51
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v51, v81, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v51, v81, v51, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v51, 0
	v_or_b32_e32 v52, 0x10000, v81
	v_cmp_eq_u32_sdwa vcc, v81, v51 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v51, v52, v81, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v52, 0x7f800000, v78
	v_cmp_ne_u32_e32 vcc, s0, v52
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v52, v78, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v52, v78, v52, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v52, 0
	v_or_b32_e32 v53, 0x10000, v78
	v_cmp_eq_u32_sdwa vcc, v78, v52 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v52, v53, v78, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v53, 0x7f800000, v79
	v_cmp_ne_u32_e32 vcc, s0, v53
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v53, v79, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v53, v79, v53, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v53, 0
	v_or_b32_e32 v54, 0x10000, v79
	v_cmp_eq_u32_sdwa vcc, v79, v53 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v53, v54, v79, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v54, 0x7f800000, v76
	v_cmp_ne_u32_e32 vcc, s0, v54
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v54, v76, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v54, v76, v54, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v54, 0
	v_or_b32_e32 v55, 0x10000, v76
	v_cmp_eq_u32_sdwa vcc, v76, v54 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v54, v55, v76, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v55, 0x7f800000, v77
	v_cmp_ne_u32_e32 vcc, s0, v55
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v55, v77, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v55, v77, v55, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v55, 0
	v_or_b32_e32 v56, 0x10000, v77
	v_cmp_eq_u32_sdwa vcc, v77, v55 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v55, v56, v77, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v56, 0x7f800000, v74
	v_cmp_ne_u32_e32 vcc, s0, v56
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v56, v74, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v56, v74, v56, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v56, 0
	v_or_b32_e32 v57, 0x10000, v74
	v_cmp_eq_u32_sdwa vcc, v74, v56 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v56, v57, v74, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v57, 0x7f800000, v75
	v_cmp_ne_u32_e32 vcc, s0, v57
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v57, v75, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v57, v75, v57, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v57, 0
	v_or_b32_e32 v58, 0x10000, v75
	v_cmp_eq_u32_sdwa vcc, v75, v57 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v57, v58, v75, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v58, 0x7f800000, v72
	v_cmp_ne_u32_e32 vcc, s0, v58
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v58, v72, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v58, v72, v58, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v58, 0
	v_or_b32_e32 v59, 0x10000, v72
	v_cmp_eq_u32_sdwa vcc, v72, v58 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v58, v59, v72, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v59, 0x7f800000, v73
	v_cmp_ne_u32_e32 vcc, s0, v59
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v59, v73, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v59, v73, v59, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v59, 0
	v_or_b32_e32 v60, 0x10000, v73
	v_cmp_eq_u32_sdwa vcc, v73, v59 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v59, v60, v73, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v60, 0x7f800000, v70
	v_cmp_ne_u32_e32 vcc, s0, v60
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v60, v70, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v60, v70, v60, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v60, 0
	v_or_b32_e32 v61, 0x10000, v70
	v_cmp_eq_u32_sdwa vcc, v70, v60 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v60, v61, v70, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v61, 0x7f800000, v71
	v_cmp_ne_u32_e32 vcc, s0, v61
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v61, v71, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v61, v71, v61, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v61, 0
	v_or_b32_e32 v62, 0x10000, v71
	v_cmp_eq_u32_sdwa vcc, v71, v61 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v61, v62, v71, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v62, 0x7f800000, v68
	v_cmp_ne_u32_e32 vcc, s0, v62
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v62, v68, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v62, v68, v62, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v62, 0
	v_or_b32_e32 v63, 0x10000, v68
	v_cmp_eq_u32_sdwa vcc, v68, v62 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v62, v63, v68, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v63, 0x7f800000, v69
	v_cmp_ne_u32_e32 vcc, s0, v63
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v63, v69, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v63, v69, v63, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v63, 0
	v_or_b32_e32 v64, 0x10000, v69
	v_cmp_eq_u32_sdwa vcc, v69, v63 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v63, v64, v69, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v64, 0x7f800000, v66
	v_cmp_ne_u32_e32 vcc, s0, v64
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v64, v66, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v64, v66, v64, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v64, 0
	v_or_b32_e32 v65, 0x10000, v66
	v_cmp_eq_u32_sdwa vcc, v66, v64 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v64, v65, v66, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v65, 0x7f800000, v67
	v_cmp_ne_u32_e32 vcc, s0, v65
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v65, v67, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v65, v67, v65, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v65, 0
	v_or_b32_e32 v66, 0x10000, v67
	v_cmp_eq_u32_sdwa vcc, v67, v65 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v65, v66, v67, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v66, 0x7f800000, v40
	v_cmp_ne_u32_e32 vcc, s0, v66
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v66, v40, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v66, v40, v66, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v66, 0
	v_or_b32_e32 v67, 0x10000, v40
	v_cmp_eq_u32_sdwa vcc, v40, v66 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v66, v67, v40, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v40, 0x7f800000, v41
	v_cmp_ne_u32_e32 vcc, s0, v40
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v40, v41, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v40, v41, v40, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v40, 0
	v_or_b32_e32 v67, 0x10000, v41
	v_cmp_eq_u32_sdwa vcc, v41, v40 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v40, v67, v41, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v41, 0x7f800000, v38
	v_cmp_ne_u32_e32 vcc, s0, v41
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v41, v38, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v41, v38, v41, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v41, 0
	v_or_b32_e32 v67, 0x10000, v38
	v_cmp_eq_u32_sdwa vcc, v38, v41 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v41, v67, v38, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v38, 0x7f800000, v39
	v_cmp_ne_u32_e32 vcc, s0, v38
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v38, v39, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v38, v39, v38, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v38, 0
	v_or_b32_e32 v67, 0x10000, v39
	v_cmp_eq_u32_sdwa vcc, v39, v38 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v38, v67, v39, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v39, 0x7f800000, v36
	v_cmp_ne_u32_e32 vcc, s0, v39
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v39, v36, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v39, v36, v39, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v39, 0
	v_or_b32_e32 v67, 0x10000, v36
	v_cmp_eq_u32_sdwa vcc, v36, v39 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v39, v67, v36, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v36, 0x7f800000, v37
	v_cmp_ne_u32_e32 vcc, s0, v36
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v36, v37, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v36, v37, v36, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v36, 0
	v_or_b32_e32 v67, 0x10000, v37
	v_cmp_eq_u32_sdwa vcc, v37, v36 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v36, v67, v37, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v37, 0x7f800000, v34
	v_cmp_ne_u32_e32 vcc, s0, v37
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v37, v34, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v37, v34, v37, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v37, 0
	v_or_b32_e32 v67, 0x10000, v34
	v_cmp_eq_u32_sdwa vcc, v34, v37 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v37, v67, v34, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v34, 0x7f800000, v35
	v_cmp_ne_u32_e32 vcc, s0, v34
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v34, v35, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v34, v35, v34, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v34, 0
	v_or_b32_e32 v67, 0x10000, v35
	v_cmp_eq_u32_sdwa vcc, v35, v34 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v34, v67, v35, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v35, 0x7f800000, v32
	v_cmp_ne_u32_e32 vcc, s0, v35
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v35, v32, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v35, v32, v35, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v35, 0
	v_or_b32_e32 v67, 0x10000, v32
	v_cmp_eq_u32_sdwa vcc, v32, v35 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v35, v67, v32, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v32, 0x7f800000, v33
	v_cmp_ne_u32_e32 vcc, s0, v32
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v32, v33, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v32, v33, v32, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v32, 0
	v_or_b32_e32 v67, 0x10000, v33
	v_cmp_eq_u32_sdwa vcc, v33, v32 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v32, v67, v33, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v33, 0x7f800000, v30
	v_cmp_ne_u32_e32 vcc, s0, v33
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v33, v30, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v33, v30, v33, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v33, 0
	v_or_b32_e32 v67, 0x10000, v30
	v_cmp_eq_u32_sdwa vcc, v30, v33 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v33, v67, v30, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v30, 0x7f800000, v31
	v_cmp_ne_u32_e32 vcc, s0, v30
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v30, v31, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v30, v31, v30, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v30, 0
	v_or_b32_e32 v67, 0x10000, v31
	v_cmp_eq_u32_sdwa vcc, v31, v30 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v30, v67, v31, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v31, 0x7f800000, v28
	v_cmp_ne_u32_e32 vcc, s0, v31
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v31, v28, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v31, v28, v31, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v31, 0
	v_or_b32_e32 v67, 0x10000, v28
	v_cmp_eq_u32_sdwa vcc, v28, v31 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v31, v67, v28, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v28, 0x7f800000, v29
	v_cmp_ne_u32_e32 vcc, s0, v28
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v28, v29, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v28, v29, v28, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v28, 0
	v_or_b32_e32 v67, 0x10000, v29
	v_cmp_eq_u32_sdwa vcc, v29, v28 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v28, v67, v29, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v29, 0x7f800000, v26
	v_cmp_ne_u32_e32 vcc, s0, v29
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v29, v26, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v29, v26, v29, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v29, 0
	v_or_b32_e32 v67, 0x10000, v26
	v_cmp_eq_u32_sdwa vcc, v26, v29 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v29, v67, v26, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v26, 0x7f800000, v27
	v_cmp_ne_u32_e32 vcc, s0, v26
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v26, v27, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v26, v27, v26, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v26, 0
	v_or_b32_e32 v67, 0x10000, v27
	v_cmp_eq_u32_sdwa vcc, v27, v26 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v26, v67, v27, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v27, 0x7f800000, v24
	v_cmp_ne_u32_e32 vcc, s0, v27
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v27, v24, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v27, v24, v27, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v27, 0
	v_or_b32_e32 v67, 0x10000, v24
	v_cmp_eq_u32_sdwa vcc, v24, v27 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v27, v67, v24, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v24, 0x7f800000, v25
	v_cmp_ne_u32_e32 vcc, s0, v24
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v24, v25, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v24, v25, v24, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v24, 0
	v_or_b32_e32 v67, 0x10000, v25
	v_cmp_eq_u32_sdwa vcc, v25, v24 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v24, v67, v25, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v25, 0x7f800000, v22
	v_cmp_ne_u32_e32 vcc, s0, v25
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v25, v22, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v25, v22, v25, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v25, 0
	v_or_b32_e32 v67, 0x10000, v22
	v_cmp_eq_u32_sdwa vcc, v22, v25 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v25, v67, v22, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v22, 0x7f800000, v23
	v_cmp_ne_u32_e32 vcc, s0, v22
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v22, v23, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v22, v23, v22, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v22, 0
	v_or_b32_e32 v67, 0x10000, v23
	v_cmp_eq_u32_sdwa vcc, v23, v22 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v22, v67, v23, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v23, 0x7f800000, v20
	v_cmp_ne_u32_e32 vcc, s0, v23
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v23, v20, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v23, v20, v23, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v23, 0
	v_or_b32_e32 v67, 0x10000, v20
	v_cmp_eq_u32_sdwa vcc, v20, v23 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v23, v67, v20, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v20, 0x7f800000, v21
	v_cmp_ne_u32_e32 vcc, s0, v20
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v20, v21, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v20, v21, v20, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v20, 0
	v_or_b32_e32 v67, 0x10000, v21
	v_cmp_eq_u32_sdwa vcc, v21, v20 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v20, v67, v21, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v21, 0x7f800000, v18
	v_cmp_ne_u32_e32 vcc, s0, v21
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v21, v18, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v21, v18, v21, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v21, 0
	v_or_b32_e32 v67, 0x10000, v18
	v_cmp_eq_u32_sdwa vcc, v18, v21 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v21, v67, v18, vcc
	s_or_b64 exec, exec, s[0:1]
	s_mov_b32 s0, 0x7f800000
	v_and_b32_e32 v18, 0x7f800000, v19
	v_cmp_ne_u32_e32 vcc, s0, v18
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[0:1], exec, s[0:1]
	v_bfe_u32 v18, v19, 16, 1
	s_movk_i32 s6, 0x7fff
	v_add3_u32 v18, v19, v18, s6
	s_andn2_saveexec_b64 s[0:1], s[0:1]
	v_mov_b32_e32 v18, 0
	v_or_b32_e32 v67, 0x10000, v19
	v_cmp_eq_u32_sdwa vcc, v19, v18 src0_sel:WORD_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v18, v67, v19, vcc
	s_or_b64 exec, exec, s[0:1]
	s_sub_i32 s0, s3, s33
	s_lshl_b32 s3, s0, 7
	s_mul_i32 s0, s13, s39
	s_add_i32 s6, s0, s38
	s_mul_hi_i32 s1, s35, s2
	s_mul_i32 s0, s35, s2
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s2, s22, s0
	s_addc_u32 s10, s23, s1
	s_mul_hi_i32 s1, s7, s4
	s_mul_i32 s0, s7, s4
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s0, s2, s0
	s_mov_b32 s2, 0x7060302
	v_perm_b32 v5, v5, v4, s2
	v_perm_b32 v4, v3, v2, s2
	v_perm_b32 v3, v9, v8, s2
	v_perm_b32 v2, v7, v6, s2
	v_perm_b32 v7, v13, v12, s2
	v_perm_b32 v6, v11, v10, s2
	v_perm_b32 v9, v17, v16, s2
	v_perm_b32 v8, v15, v14, s2
	v_perm_b32 v11, v45, v44, s2
	v_perm_b32 v10, v43, v42, s2
	v_perm_b32 v13, v49, v48, s2
	v_perm_b32 v12, v47, v46, s2
	v_perm_b32 v15, v53, v52, s2
	v_perm_b32 v14, v51, v50, s2
	v_perm_b32 v17, v57, v56, s2
	v_perm_b32 v16, v55, v54, s2
	v_perm_b32 v43, v61, v60, s2
	v_perm_b32 v42, v59, v58, s2
	v_perm_b32 v45, v65, v64, s2
	v_perm_b32 v44, v63, v62, s2
	v_perm_b32 v41, v38, v41, s2
	v_perm_b32 v40, v40, v66, s2
	v_perm_b32 v37, v34, v37, s2
	v_perm_b32 v36, v36, v39, s2
	v_perm_b32 v33, v30, v33, s2
	v_perm_b32 v32, v32, v35, s2
	v_perm_b32 v29, v26, v29, s2
	v_perm_b32 v28, v28, v31, s2
	v_perm_b32 v25, v22, v25, s2
	v_perm_b32 v24, v24, v27, s2
	v_perm_b32 v19, v18, v21, s2
	v_perm_b32 v18, v20, v23, s2
	v_readfirstlane_b32 s2, v0
	s_addc_u32 s1, s10, s1
	s_lshr_b32 s2, s2, 1
	s_and_b32 s2, s2, 0x7fffffe0
	v_or_b32_e32 v1, s2, v1
	v_lshrrev_b32_e32 v0, 2, v131
	v_add_u32_e32 v1, s5, v1
	v_and_or_b32 v0, v0, 24, s3
	v_mul_lo_u32 v20, v1, s13
	v_cmp_gt_i32_e32 vcc, s36, v1
	s_mov_b64 s[8:9], exec
	s_lshl_b32 s2, s6, 1
	s_mov_b32 s3, 0x20000
	v_add_lshl_u32 v0, v0, v20, 1
	v_cndmask_b32_e64 v1, 0, 1, vcc
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[4:5], v0, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v4, 8, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[2:3], v4, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 32, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[6:7], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 40, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[8:9], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 64, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[10:11], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0x48, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[12:13], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0x60, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[14:15], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0x68, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[16:17], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0x80, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[42:43], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0x88, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[44:45], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0xa0, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[40:41], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0xa8, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[36:37], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0xc0, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[32:33], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0xc8, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[28:29], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v2, 0xe0, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[24:25], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	v_add_u32_e32 v0, 0xe8, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[18:19], v0, s[0:3], 0 offen offset:0
s_mov_b64 exec s[8:9]
	s_waitcnt vmcnt(0)
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel ck_fmha_fwd_fp8
		.amdhsa_group_segment_fixed_size 4608
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 160
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
		.amdhsa_next_free_vgpr 222
		.amdhsa_next_free_sgpr 47
		.amdhsa_accum_offset 224
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_xnack_mask 1
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
	.section	.text.ck_fmha_fwd_fp8,"axG",@progbits,ck_fmha_fwd_fp8,comdat
.Lfunc_end0:
	.size	ck_fmha_fwd_fp8, .Lfunc_end0-ck_fmha_fwd_fp8
	.set ck_fmha_fwd_fp8.num_vgpr, 222
	.set ck_fmha_fwd_fp8.num_agpr, 0
	.set ck_fmha_fwd_fp8.numbered_sgpr, 47
	.set ck_fmha_fwd_fp8.num_named_barrier, 0
	.set ck_fmha_fwd_fp8.private_seg_size, 0
	.set ck_fmha_fwd_fp8.uses_vcc, 1
	.set ck_fmha_fwd_fp8.uses_flat_scratch, 0
	.set ck_fmha_fwd_fp8.has_dyn_sized_stack, 0
	.set ck_fmha_fwd_fp8.has_recursion, 0
	.set ck_fmha_fwd_fp8.has_indirect_call, 0
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
        .size:           160
        .value_kind:     by_value
    .group_segment_fixed_size: 4608
    .kernarg_segment_align: 8
    .kernarg_segment_size: 160
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_fmha_fwd_fp8
    .private_segment_fixed_size: 0
    .sgpr_count:     53
    .sgpr_spill_count: 0
    .symbol:         ck_fmha_fwd_fp8.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     222
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
