; A CK Tile attention (128 x 64 tile, fp16, heads of 64, mask, LSE), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
ck_fmha_fwd:
	s_load_dwordx4 s[24:27], s[0:1], 0x20
	s_load_dwordx8 s[8:15], s[0:1], 0x34
	s_abs_i32 s18, s3
	s_load_dword s47, s[0:1], 0xa4
	s_load_dwordx2 s[34:35], s[0:1], 0x88
	s_load_dwordx4 s[28:31], s[0:1], 0x90
	s_waitcnt lgkmcnt(0)
	s_add_i32 s5, s27, 63
	s_ashr_i32 s6, s5, 31
	s_lshr_b32 s6, s6, 26
	s_add_i32 s5, s5, s6
	s_ashr_i32 s16, s5, 6
	s_abs_i32 s5, s16
	v_cvt_f32_u32_e32 v1, s5
	s_sub_i32 s19, 0, s5
	s_xor_b32 s17, s3, s16
	s_ashr_i32 s17, s17, 31
	v_rcp_iflag_f32_e32 v1, v1
	s_load_dwordx2 s[44:45], s[0:1], 0x54
	s_load_dwordx4 s[40:43], s[0:1], 0x60
	s_load_dwordx2 s[6:7], s[0:1], 0x70
	s_load_dwordx4 s[36:39], s[0:1], 0x78
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
	s_sub_i32 s33, s5, s17
	s_not_b32 s5, s33
	s_add_i32 s47, s47, s5
	s_ashr_i32 s5, s4, 31
	s_cmp_eq_u64 s[28:29], 0
	s_mul_i32 s33, s33, s16
	s_cbranch_scc1 .LBB0_2
	s_lshl_b64 s[16:17], s[4:5], 2
	s_add_u32 s16, s28, s16
	s_addc_u32 s17, s29, s17
	s_load_dwordx2 s[18:19], s[16:17], 0x0
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s24, s19, s18
.LBB0_2:
	s_load_dwordx8 s[16:23], s[0:1], 0x0
	s_cmp_eq_u64 s[30:31], 0
	s_cbranch_scc1 .LBB0_4
	s_lshl_b64 s[0:1], s[4:5], 2
	s_add_u32 s0, s30, s0
	s_addc_u32 s1, s31, s1
	s_load_dwordx2 s[28:29], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s25, s29, s28
.LBB0_4:
	s_sub_i32 s1, s24, s25
	s_sub_i32 s0, s25, s24
	s_add_i32 s1, s1, 1
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s42, 1
	s_cselect_b32 s50, 1, s1
	s_add_i32 s0, s0, 1
	s_cmp_eq_u32 s42, 1
	s_cselect_b32 s0, 1, s0
	s_add_i32 s43, s24, -1
	s_add_i32 s46, s25, -1
	s_cmp_eq_u32 s42, 1
	s_cselect_b32 s42, s43, s46
	s_cselect_b32 s51, s46, s43
	s_add_i32 s1, s26, -1
	s_add_i32 s26, s27, -1
	s_mul_hi_i32 s29, s14, s2
	s_mul_i32 s28, s14, s2
	s_lshl_b32 s5, s47, 7
	s_add_u32 s1, s1, 1
	s_add_u32 s26, s26, 1
	s_lshl_b64 s[28:29], s[28:29], 1
	s_mul_hi_i32 s49, s38, s4
	s_mul_i32 s48, s38, s4
	s_add_u32 s14, s16, s28
	s_addc_u32 s27, s17, s29
	s_lshl_b64 s[16:17], s[48:49], 1
	s_mul_hi_i32 s31, s37, s4
	s_mul_i32 s30, s37, s4
	s_mul_hi_i32 s37, s36, s2
	s_mul_i32 s36, s36, s2
	s_add_u32 s28, s14, s16
	s_addc_u32 s29, s27, s17
	s_lshl_b64 s[16:17], s[36:37], 2
	s_add_u32 s14, s6, s16
	s_addc_u32 s17, s7, s17
	s_lshl_b64 s[6:7], s[30:31], 2
	s_add_u32 s16, s14, s6
	s_addc_u32 s17, s17, s7
	s_cmp_lt_i32 s40, 0
	s_cselect_b32 s14, s42, s40
	s_cmp_lt_i32 s41, 0
	s_cselect_b32 s6, s51, s41
	s_add_i32 s27, s6, s0
	s_add_i32 s27, s27, s5
	s_add_i32 s6, s27, 0x7f
	s_min_i32 s6, s6, s25
	s_add_i32 s14, s14, s50
	s_add_i32 s6, s6, 63
	s_sub_i32 s0, s5, s14
	s_ashr_i32 s30, s6, 31
	s_max_i32 s0, s0, -1
	s_lshr_b32 s30, s30, 26
	s_add_i32 s0, s0, 1
	s_add_i32 s6, s6, s30
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_andn2_b32 s0, s0, 63
	s_andn2_b32 s6, s6, 63
	v_mbcnt_hi_u32_b32 v1, -1, v1
	s_sub_i32 s6, s6, s0
	v_readfirstlane_b32 s7, v0
	s_cmp_gt_i32 s6, 0
	v_and_b32_e32 v83, 31, v1
	s_cbranch_scc0 .LBB0_9
	s_lshr_b32 s7, s7, 1
	s_and_b32 s7, s7, 0x7fffffe0
	v_or_b32_e32 v2, s7, v83
	s_mul_i32 s30, s10, s43
	v_lshrrev_b32_e32 v85, 2, v1
	v_add_u32_e32 v18, s5, v2
	s_add_i32 s30, s30, s1
	v_and_b32_e32 v90, 24, v85
	v_mul_lo_u32 v2, v18, s10
	s_lshl_b32 s30, s30, 1
	s_mov_b32 s31, 0x20000
	v_add_lshl_u32 v14, v2, v90, 1
	buffer_load_dwordx4 v[2:5], v14, s[28:31], 0 offen offset:96
	buffer_load_dwordx4 v[6:9], v14, s[28:31], 0 offen offset:64
	buffer_load_dwordx4 v[10:13], v14, s[28:31], 0 offen offset:32
	s_xor_b32 s38, s2, s8
	s_abs_i32 s8, s8
	v_cvt_f32_u32_e32 v15, s8
	s_mul_hi_i32 s37, s34, s4
	s_mul_i32 s36, s34, s4
	s_abs_i32 s40, s2
	v_rcp_iflag_f32_e32 v19, v15
	buffer_load_dwordx4 v[14:17], v14, s[28:31], 0 offen
	s_sub_i32 s30, 0, s8
	s_mul_i32 s7, s12, s46
	v_mul_f32_e32 v19, 0x4f7ffffe, v19
	v_cvt_u32_f32_e32 v19, v19
	s_mul_i32 s10, s11, s46
	s_mul_hi_i32 s29, s39, s4
	s_mul_i32 s28, s39, s4
	v_readfirstlane_b32 s34, v19
	s_mul_i32 s30, s30, s34
	s_mul_hi_u32 s30, s34, s30
	s_add_i32 s34, s34, s30
	s_mul_hi_u32 s30, s40, s34
	s_mul_i32 s34, s30, s8
	s_sub_i32 s34, s40, s34
	s_add_i32 s7, s7, s26
	s_add_i32 s1, s10, s1
	s_ashr_i32 s10, s38, 31
	s_add_i32 s38, s30, 1
	s_sub_i32 s39, s34, s8
	s_cmp_ge_u32 s34, s8
	s_cselect_b32 s30, s38, s30
	s_cselect_b32 s34, s39, s34
	s_add_i32 s38, s30, 1
	s_cmp_ge_u32 s34, s8
	s_cselect_b32 s8, s38, s30
	s_xor_b32 s8, s8, s10
	s_sub_i32 s8, s8, s10
	s_mul_hi_i32 s39, s8, s44
	s_mul_i32 s38, s8, s44
	s_lshl_b64 s[38:39], s[38:39], 1
	s_mul_hi_i32 s41, s8, s15
	s_mul_i32 s40, s8, s15
	s_add_u32 s8, s20, s38
	s_addc_u32 s10, s21, s39
	s_lshl_b64 s[20:21], s[36:37], 1
	s_add_u32 s36, s8, s20
	s_addc_u32 s37, s10, s21
	s_lshl_b64 s[20:21], s[40:41], 1
	s_add_u32 s8, s18, s20
	s_addc_u32 s10, s19, s21
	s_lshl_b64 s[18:19], s[28:29], 1
	v_cmp_gt_i32_e32 vcc, s24, v18
	s_add_u32 s28, s8, s18
	s_addc_u32 s29, s10, s19
	s_lshl_b32 s30, s1, 1
	s_mov_b32 s1, 0x5040100
	s_lshr_b32 s10, s6, 6
	v_readfirstlane_b32 s6, v0
	s_lshr_b32 s6, s6, 6
	v_lshrrev_b32_e32 v91, 6, v1
	v_add_u32_e32 v35, s6, v91
	v_and_b32_e32 v34, 3, v1
	s_movk_i32 s6, 0x410
	s_lshl_b32 s38, s7, 1
	s_mov_b32 s39, s31
	s_add_i32 s15, s5, 0x80
	s_min_i32 s18, s27, s25
	s_movk_i32 s19, 0x480
	s_lshl_b32 s11, s11, 1
	s_mov_b32 s8, s9
	s_lshl_b32 s20, s12, 7
	s_mov_b32 s21, 0xff800000
	s_mov_b32 s34, 0x1000504
	s_mov_b32 s40, 0x3020706
	v_or_b32_e32 v102, 7, v85
	v_mul_u32_u24_e32 v103, 0x410, v34
	v_lshlrev_b32_e32 v84, 4, v34
	v_mov_b32_e32 v106, 0xff800000
	v_mov_b32_e32 v105, 0
	s_waitcnt vmcnt(3)
	v_lshrrev_b32_e32 v19, 16, v5
	v_lshrrev_b32_e32 v20, 16, v2
	s_waitcnt vmcnt(1)
	v_cndmask_b32_e32 v27, 0, v10, vcc
	v_lshrrev_b32_e32 v10, 16, v10
	v_cndmask_b32_e32 v29, 0, v12, vcc
	v_lshrrev_b32_e32 v12, 16, v12
	v_lshrrev_b32_e32 v26, 16, v13
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cndmask_b32_e32 v28, 0, v11, vcc
	v_lshrrev_b32_e32 v11, 16, v11
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_cndmask_b32_e32 v13, 0, v13, vcc
	v_perm_b32 v70, v10, v27, s1
	v_perm_b32 v72, v12, v29, s1
	v_lshlrev_b32_e32 v10, 1, v1
	v_lshrrev_b32_e32 v12, 1, v1
	v_lshrrev_b32_e32 v21, 16, v3
	v_lshrrev_b32_e32 v22, 16, v4
	v_lshrrev_b32_e32 v23, 16, v9
	v_lshrrev_b32_e32 v24, 16, v6
	v_perm_b32 v71, v11, v28, s1
	v_perm_b32 v73, v26, v13, s1
	v_and_b32_e32 v11, 8, v10
	v_and_b32_e32 v12, 4, v12
	v_and_b32_e32 v13, 19, v1
	v_cndmask_b32_e32 v18, 0, v19, vcc
	v_cndmask_b32_e32 v19, 0, v20, vcc
	v_cndmask_b32_e32 v20, 0, v21, vcc
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_cndmask_b32_e32 v21, 0, v22, vcc
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_cndmask_b32_e32 v22, 0, v23, vcc
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_cndmask_b32_e32 v23, 0, v24, vcc
	v_or3_b32 v11, v13, v12, v11
	v_lshrrev_b32_e32 v12, 5, v1
	v_lshrrev_b32_e32 v25, 16, v7
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_perm_b32 v74, v23, v6, s1
	v_perm_b32 v81, v18, v5, s1
	v_perm_b32 v80, v21, v4, s1
	v_lshrrev_b32_e32 v4, 3, v83
	v_mul_u32_u24_e32 v5, 0x240, v12
	v_lshlrev_b32_e32 v6, 3, v83
	v_cndmask_b32_e32 v24, 0, v25, vcc
	v_cndmask_b32_e32 v25, 0, v8, vcc
	v_lshrrev_b32_e32 v8, 16, v8
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v30, 16, v17
	v_cndmask_b32_e32 v31, 0, v14, vcc
	v_lshrrev_b32_e32 v14, 16, v14
	v_cndmask_b32_e32 v32, 0, v15, vcc
	v_lshrrev_b32_e32 v15, 16, v15
	v_cndmask_b32_e32 v33, 0, v16, vcc
	v_lshrrev_b32_e32 v16, 16, v16
	v_perm_b32 v78, v19, v2, s1
	v_lshlrev_b32_e32 v2, 2, v1
	v_mul_u32_u24_e32 v4, 0x48, v4
	v_and_or_b32 v5, v6, 56, v5
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_cndmask_b32_e32 v17, 0, v17, vcc
	v_add_u32_e32 v94, 0x80, v2
	v_add_lshl_u32 v95, v5, v4, 1
	v_lshlrev_b32_e32 v4, 4, v1
	v_and_b32_e32 v2, 12, v2
	v_perm_b32 v67, v15, v32, s1
	v_perm_b32 v66, v14, v31, s1
	v_perm_b32 v69, v30, v17, s1
	v_perm_b32 v68, v16, v33, s1
	v_perm_b32 v75, v24, v7, s1
	v_perm_b32 v77, v22, v9, s1
	v_perm_b32 v76, v8, v25, s1
	v_perm_b32 v79, v20, v3, s1
	v_bfe_u32 v3, v1, 3, 3
	v_and_or_b32 v2, v4, 64, v2
	s_movk_i32 s1, 0x90
	v_mad_u32_u24 v82, v3, s1, v2
	v_lshl_add_u32 v2, v35, 3, s0
	v_lshl_add_u32 v2, v34, 1, v2
	v_add_u32_e32 v14, 16, v85
	v_add_u32_e32 v3, 32, v2
	v_lshrrev_b32_e32 v14, 3, v14
	v_mul_lo_u32 v3, s12, v3
	v_mul_u32_u24_e32 v13, 0x208, v12
	v_lshlrev_b32_e32 v11, 3, v11
	v_sub_u32_e32 v14, v14, v12
	v_lshlrev_b32_e32 v96, 1, v3
	v_add_u32_e32 v3, 33, v2
	v_add_lshl_u32 v92, v11, v13, 1
	v_mul_i32_i24_e32 v36, 0x480, v14
	v_mul_lo_u32 v3, s12, v3
	v_mul_lo_u32 v2, s12, v2
	v_mad_i32_i24 v93, v14, s6, v92
	v_and_b32_e32 v97, 0x78, v10
	v_lshlrev_b32_e32 v98, 1, v3
	v_add_lshl_u32 v99, v2, s12, 1
	v_lshlrev_b32_e32 v100, 1, v2
	s_add_i32 s12, s0, 64
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
	v_add_u32_e32 v101, v95, v36
	v_mov_b32_e32 v104, 0xff800000
	s_branch .LBB0_7
.LBB0_6:
	s_waitcnt vmcnt(0)
	v_perm_b32 v108, v87, v89, s34
	v_perm_b32 v89, v87, v89, s40
	s_nop 5
	v_max3_f32 v87, v50, s21, v51
	v_max3_f32 v87, v87, v52, v53
	v_max3_f32 v87, v87, v54, v55
	v_max3_f32 v87, v87, v56, v57
	v_max3_f32 v87, v87, v58, v59
	v_max3_f32 v87, v87, v60, v61
	v_max3_f32 v87, v87, v62, v63
	v_max3_f32 v87, v87, v64, v65
	v_max3_f32 v87, v87, v34, v35
	v_max3_f32 v87, v87, v36, v37
	v_max3_f32 v87, v87, v38, v39
	v_max3_f32 v87, v87, v40, v41
	v_max3_f32 v87, v87, v42, v43
	v_max3_f32 v87, v87, v44, v45
	v_max3_f32 v87, v87, v46, v47
	v_max3_f32 v109, v87, v48, v49
	ds_bpermute_b32 v110, v94, v109
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 6
	v_perm_b32 v107, v86, v88, s34
	v_perm_b32 v88, v86, v88, s40
	v_add_u32_e32 v86, s0, v91
	v_mad_u64_u32 v[86:87], s[0:1], v86, s19, v[82:83]
	s_waitcnt lgkmcnt(0)
	v_max3_f32 v87, v106, v109, v110
	v_cmp_neq_f32_e32 vcc, s21, v87
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write2_b32 v86, v107, v88 offset1:4
	ds_write2_b32 v86, v108, v89 offset0:8 offset1:12
	v_cndmask_b32_e32 v89, 0, v87, vcc
	v_mov_b32_e32 v88, v65
	v_pk_mul_f32 v[88:89], s[8:9], v[88:89]
	s_add_i32 s12, s12, 64
	v_fma_f32 v50, s9, v50, -v89
	v_exp_f32_e32 v107, v50
	v_fma_f32 v50, s9, v51, -v89
	v_exp_f32_e32 v108, v50
	v_fma_f32 v50, s9, v52, -v89
	v_exp_f32_e32 v109, v50
	v_fma_f32 v50, s9, v53, -v89
	v_exp_f32_e32 v110, v50
	v_fma_f32 v50, s9, v54, -v89
	v_exp_f32_e32 v111, v50
	v_fma_f32 v50, s9, v55, -v89
	v_exp_f32_e32 v112, v50
	v_fma_f32 v50, s9, v56, -v89
	v_exp_f32_e32 v113, v50
	v_fma_f32 v50, s9, v57, -v89
	v_exp_f32_e32 v114, v50
	v_fma_f32 v50, s9, v58, -v89
	v_exp_f32_e32 v65, v50
	v_fma_f32 v50, s9, v59, -v89
	v_exp_f32_e32 v51, v50
	v_fma_f32 v50, s9, v60, -v89
	v_fma_f32 v53, s9, v63, -v89
	v_fma_f32 v34, s9, v34, -v89
	v_exp_f32_e32 v54, v50
	v_fma_f32 v50, s9, v61, -v89
	v_exp_f32_e32 v55, v53
	v_fma_f32 v53, s9, v64, -v89
	v_exp_f32_e32 v61, v34
	v_fma_f32 v34, s9, v35, -v89
	v_fma_f32 v52, s9, v62, -v89
	v_exp_f32_e32 v57, v53
	v_sub_f32_e32 v53, v88, v89
	v_exp_f32_e32 v62, v34
	v_fma_f32 v34, s9, v36, -v89
	v_exp_f32_e32 v59, v53
	v_exp_f32_e32 v53, v34
	v_fma_f32 v34, s9, v37, -v89
	v_exp_f32_e32 v56, v34
	v_fma_f32 v34, s9, v38, -v89
	v_add_u32_e32 v36, v96, v97
	v_add_u32_e32 v38, v98, v97
	v_exp_f32_e32 v58, v34
	v_fma_f32 v34, s9, v39, -v89
	buffer_load_dwordx2 v[36:37], v36, s[36:39], 0 offen
	s_nop 0
	buffer_load_dwordx2 v[38:39], v38, s[36:39], 0 offen
	v_exp_f32_e32 v60, v34
	v_fma_f32 v34, s9, v40, -v89
	v_exp_f32_e32 v40, v34
	v_fma_f32 v34, s9, v41, -v89
	v_exp_f32_e32 v35, v34
	v_fma_f32 v34, s9, v42, -v89
	v_exp_f32_e32 v41, v34
	v_fma_f32 v34, s9, v43, -v89
	v_exp_f32_e32 v63, v34
	v_fma_f32 v34, s9, v44, -v89
	v_exp_f32_e32 v64, v34
	v_fma_f32 v34, s9, v45, -v89
	v_exp_f32_e32 v88, v34
	v_fma_f32 v34, s9, v106, -v89
	v_exp_f32_e32 v34, v34
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_cvt_f16_f32_e32 v42, v107
	v_cvt_f16_f32_e32 v44, v108
	v_cvt_f16_f32_e32 v43, v109
	v_cvt_f16_f32_e32 v45, v110
	ds_read_b128 v[116:119], v95
	ds_read_b128 v[120:123], v95 offset:576
	v_pack_b32_f16 v42, v42, v44
	v_pk_mul_f32 v[32:33], v[32:33], v[34:35] op_sel_hi:[1,0]
	v_pack_b32_f16 v43, v43, v45
	v_pk_mul_f32 v[30:31], v[30:31], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[28:29], v[28:29], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[26:27], v[26:27], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[24:25], v[24:25], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[22:23], v[22:23], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[20:21], v[20:21], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[18:19], v[18:19], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[16:17], v[16:17], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[14:15], v[14:15], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[12:13], v[12:13], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[10:11], v[10:11], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[8:9], v[8:9], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[6:7], v[6:7], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[4:5], v[4:5], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[2:3], v[2:3], v[34:35] op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[116:117], v[42:43], v[18:33]
	v_cvt_f16_f32_e32 v106, v111
	v_cvt_f16_f32_e32 v44, v113
	v_cvt_f16_f32_e32 v45, v114
	v_cvt_f16_f32_e32 v115, v112
	v_exp_f32_e32 v50, v50
	v_exp_f32_e32 v52, v52
	v_pack_b32_f16 v45, v44, v45
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[120:121], v[42:43], v[2:17]
	v_pack_b32_f16 v44, v106, v115
	v_fma_f32 v42, s9, v47, -v89
	v_exp_f32_e32 v47, v42
	v_fma_f32 v42, s9, v48, -v89
	v_exp_f32_e32 v48, v42
	v_cvt_f16_f32_e32 v42, v65
	v_cvt_f16_f32_e32 v43, v54
	v_mfma_f32_32x32x8_f16 v[18:33], v[118:119], v[44:45], v[18:33]
	ds_read_b128 v[116:119], v101
	v_fma_f32 v46, s9, v46, -v89
	v_fma_f32 v49, s9, v49, -v89
	v_cvt_f16_f32_e32 v89, v52
	v_cvt_f16_f32_e32 v106, v55
	v_add_f32_e32 v107, v107, v108
	v_exp_f32_e32 v46, v46
	v_mfma_f32_32x32x8_f16 v[2:17], v[122:123], v[44:45], v[2:17]
	ds_read_b128 v[120:123], v101 offset:576
	v_cvt_f16_f32_e32 v44, v50
	v_cvt_f16_f32_e32 v45, v51
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_pack_b32_f16 v43, v43, v44
	v_pack_b32_f16 v42, v42, v45
	v_cvt_f16_f32_e32 v44, v57
	v_cvt_f16_f32_e32 v45, v59
	v_mfma_f32_32x32x8_f16 v[18:33], v[116:117], v[42:43], v[18:33]
	v_exp_f32_e32 v49, v49
	s_add_i32 s10, s10, -1
	v_pack_b32_f16 v45, v44, v45
	v_pack_b32_f16 v44, v89, v106
	v_add_f32_e32 v89, v109, v107
	v_add_f32_e32 v89, v110, v89
	v_add_f32_e32 v89, v111, v89
	v_mfma_f32_32x32x8_f16 v[2:17], v[120:121], v[42:43], v[2:17]
	v_add_f32_e32 v89, v112, v89
	s_waitcnt vmcnt(0)
	v_perm_b32 v42, v36, v38, s34
	v_perm_b32 v36, v36, v38, s40
	v_add_f32_e32 v89, v113, v89
	v_perm_b32 v38, v37, v39, s34
	v_perm_b32 v37, v37, v39, s40
	ds_write2_b32 v86, v42, v36 offset1:4
	ds_write2_b32 v86, v38, v37 offset0:8 offset1:12
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[106:109], v95
	ds_read_b128 v[110:113], v95 offset:576
	v_mfma_f32_32x32x8_f16 v[18:33], v[118:119], v[44:45], v[18:33]
	v_cvt_f16_f32_e32 v36, v56
	v_cvt_f16_f32_e32 v37, v53
	v_cvt_f16_f32_e32 v38, v62
	v_cvt_f16_f32_e32 v39, v61
	v_add_f32_e32 v89, v114, v89
	v_add_f32_e32 v42, v65, v89
	v_pack_b32_f16 v37, v37, v36
	v_mfma_f32_32x32x8_f16 v[2:17], v[122:123], v[44:45], v[2:17]
	v_pack_b32_f16 v36, v39, v38
	v_add_f32_e32 v39, v51, v42
	v_add_f32_e32 v42, v54, v39
	v_add_f32_e32 v42, v50, v42
	v_add_f32_e32 v42, v52, v42
	v_add_f32_e32 v42, v55, v42
	v_add_f32_e32 v42, v57, v42
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[106:107], v[36:37], v[18:33]
	v_cvt_f16_f32_e32 v43, v35
	v_cvt_f16_f32_e32 v38, v40
	v_cvt_f16_f32_e32 v44, v60
	v_cvt_f16_f32_e32 v45, v58
	v_add_f32_e32 v42, v59, v42
	v_add_f32_e32 v42, v61, v42
	v_add_f32_e32 v42, v62, v42
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[110:111], v[36:37], v[2:17]
	v_add_f32_e32 v36, v53, v42
	v_pack_b32_f16 v39, v38, v43
	v_pack_b32_f16 v38, v45, v44
	v_add_f32_e32 v36, v56, v36
	ds_read_b128 v[50:53], v101
	ds_read_b128 v[54:57], v101 offset:576
	v_cvt_f16_f32_e32 v37, v88
	v_mfma_f32_32x32x8_f16 v[18:33], v[108:109], v[38:39], v[18:33]
	v_cvt_f16_f32_e32 v42, v64
	v_add_f32_e32 v36, v58, v36
	v_add_f32_e32 v36, v60, v36
	v_add_f32_e32 v40, v40, v36
	v_pack_b32_f16 v37, v42, v37
	v_add_f32_e32 v35, v35, v40
	v_add_f32_e32 v35, v41, v35
	v_mfma_f32_32x32x8_f16 v[2:17], v[112:113], v[38:39], v[2:17]
	v_cvt_f16_f32_e32 v38, v63
	v_cvt_f16_f32_e32 v39, v41
	v_add_f32_e32 v35, v63, v35
	v_add_f32_e32 v35, v64, v35
	v_cvt_f16_f32_e32 v43, v49
	v_pack_b32_f16 v36, v39, v38
	v_cvt_f16_f32_e32 v38, v48
	v_cvt_f16_f32_e32 v42, v47
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[50:51], v[36:37], v[18:33]
	v_cvt_f16_f32_e32 v44, v46
	v_add_f32_e32 v35, v88, v35
	v_add_f32_e32 v35, v46, v35
	v_add_f32_e32 v35, v47, v35
	v_add_f32_e32 v35, v48, v35
	v_pack_b32_f16 v39, v38, v43
	v_pack_b32_f16 v38, v44, v42
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[36:37], v[2:17]
	v_add_f32_e32 v35, v49, v35
	ds_bpermute_b32 v36, v94, v35
	v_add_u32_e32 v97, s20, v97
	s_cmp_lg_u32 s10, 0
	v_mov_b32_e32 v106, v87
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v35, v35, v36
	v_mfma_f32_32x32x8_f16 v[18:33], v[52:53], v[38:39], v[18:33]
	v_fmac_f32_e32 v35, v105, v34
	v_mov_b32_e32 v105, v35
	s_barrier
	v_mfma_f32_32x32x8_f16 v[2:17], v[56:57], v[38:39], v[2:17]
	s_cbranch_scc0 .LBB0_10
.LBB0_7:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s6, s0, 2
	s_and_b32 s0, s6, 0x3ffffff0
	s_add_i32 s0, s0, s12
	v_add_u32_e32 v34, s0, v85
	v_subrev_u32_e32 v34, 64, v34
	v_mad_u64_u32 v[34:35], s[0:1], s11, v34, v[84:85]
	buffer_load_dwordx4 v[36:39], v34, s[28:31], 0 offen
	buffer_load_dwordx4 v[108:111], v34, s[28:31], 0 offen offset:64
	v_add_u32_e32 v34, v100, v97
	v_add_u32_e32 v35, v99, v97
	buffer_load_dwordx2 v[86:87], v34, s[36:39], 0 offen
	buffer_load_dwordx2 v[88:89], v35, s[36:39], 0 offen
	s_and_b32 s0, s6, 0xffffff0
	v_add_u32_e32 v34, s0, v85
	v_lshl_add_u32 v107, v34, 4, v103
	s_cmp_gt_i32 s12, s18
	s_cselect_b64 s[0:1], -1, 0
	s_add_i32 s6, s14, s12
	s_sub_i32 s6, s6, 64
	s_min_i32 s6, s6, s24
	s_cmp_gt_i32 s15, s6
	s_cselect_b64 s[6:7], -1, 0
	s_or_b64 s[0:1], s[0:1], s[6:7]
	s_andn2_b64 vcc, exec, s[0:1]
	s_waitcnt vmcnt(3)
	ds_write_b128 v107, v[36:39]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[112:115], v92
	ds_read_b128 v[116:119], v92 offset:512
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[50:65], v[112:113], v[66:67], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[34:49], v[116:117], v[66:67], 0
	v_mfma_f32_32x32x8_f16 v[50:65], v[114:115], v[68:69], v[50:65]
	ds_read_b128 v[112:115], v93
	v_mfma_f32_32x32x8_f16 v[34:49], v[118:119], v[68:69], v[34:49]
	ds_read_b128 v[116:119], v93 offset:512
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(2)
	ds_write_b128 v107, v[108:111]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[108:111], v92
	v_mfma_f32_32x32x8_f16 v[50:65], v[112:113], v[70:71], v[50:65]
	v_mfma_f32_32x32x8_f16 v[34:49], v[116:117], v[70:71], v[34:49]
	v_mfma_f32_32x32x8_f16 v[50:65], v[114:115], v[72:73], v[50:65]
	ds_read_b128 v[112:115], v92 offset:512
	v_mfma_f32_32x32x8_f16 v[34:49], v[118:119], v[72:73], v[34:49]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[50:65], v[108:109], v[74:75], v[50:65]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[34:49], v[112:113], v[74:75], v[34:49]
	v_mfma_f32_32x32x8_f16 v[50:65], v[110:111], v[76:77], v[50:65]
	ds_read_b128 v[108:111], v93
	v_mfma_f32_32x32x8_f16 v[34:49], v[114:115], v[76:77], v[34:49]
	ds_read_b128 v[112:115], v93 offset:512
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[50:65], v[108:109], v[78:79], v[50:65]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[34:49], v[112:113], v[78:79], v[34:49]
	v_mfma_f32_32x32x8_f16 v[50:65], v[110:111], v[80:81], v[50:65]
	v_mfma_f32_32x32x8_f16 v[34:49], v[114:115], v[80:81], v[34:49]
	s_cbranch_vccnz .LBB0_6
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 1
	s_and_b32 s0, s0, 0x7fffffe0
	v_or_b32_e32 v107, s0, v83
	v_add_u32_e32 v108, s5, v107
	v_add_u32_e32 v109, s12, v90
	v_add_u32_e32 v107, s27, v107
	v_subrev_u32_e32 v110, 64, v109
	v_min_i32_e32 v107, s25, v107
	v_subrev_u32_e32 v111, s14, v108
	v_cmp_lt_i32_e64 s[6:7], v110, v107
	v_cmp_gt_i32_e32 vcc, s24, v108
	v_cmp_gt_i32_e64 s[0:1], v110, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 63, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v50, v104, v50, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 62, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v51, v104, v51, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 61, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v52, v104, v52, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 60, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v53, v104, v53, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 59, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v54, v104, v54, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_subrev_u32_e32 v108, 58, v109
	v_cndmask_b32_e64 v55, v104, v55, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_add_u32_e32 v108, s12, v102
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 64, v108
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v56, v104, v56, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 48, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v57, v104, v57, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 47, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v58, v104, v58, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 46, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v59, v104, v59, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 45, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v60, v104, v60, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 44, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v61, v104, v61, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 43, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v62, v104, v62, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 42, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v63, v104, v63, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 41, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v64, v104, v64, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 32, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v65, v104, v65, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 31, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v34, v104, v34, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 30, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v35, v104, v35, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 29, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v36, v104, v36, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 28, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v37, v104, v37, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 27, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v38, v104, v38, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 26, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v39, v104, v39, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_subrev_u32_e32 v108, 25, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v40, v104, v40, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_add_u32_e32 v108, -16, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v41, v104, v41, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_add_u32_e32 v108, -15, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v42, v104, v42, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_add_u32_e32 v108, -14, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v43, v104, v43, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_add_u32_e32 v108, -13, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v44, v104, v44, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_add_u32_e32 v108, -12, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v45, v104, v45, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_add_u32_e32 v108, -11, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v46, v104, v46, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_add_u32_e32 v108, -10, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v47, v104, v47, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	v_add_u32_e32 v108, -9, v109
	s_and_b64 s[0:1], s[6:7], s[0:1]
	v_cmp_lt_i32_e64 s[6:7], v108, v107
	v_cndmask_b32_e64 v48, v104, v48, s[0:1]
	v_cmp_gt_i32_e64 s[0:1], v108, v111
	s_and_b64 s[6:7], s[6:7], vcc
	s_and_b64 vcc, s[6:7], s[0:1]
	v_cndmask_b32_e32 v49, v104, v49, vcc
	s_branch .LBB0_6
.LBB0_9:
	s_cbranch_execnz .LBB0_11
	s_branch .LBB0_12
.LBB0_10:
	v_mul_f32_e32 v34, s9, v87
	s_mov_b32 s0, 0x652b82fe
	v_cvt_f64_f32_e32 v[36:37], v34
	s_mov_b32 s1, 0x3ff71547
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0
	v_div_scale_f64 v[38:39], s[6:7], s[0:1], s[0:1], v[36:37]
	v_rcp_f64_e32 v[40:41], v[38:39]
	v_log_f32_e32 v34, v35
	s_lshl_b32 s18, s24, 2
	s_mov_b32 s19, 0x20000
	v_fma_f64 v[42:43], -v[38:39], v[40:41], 1.0
	v_fmac_f64_e32 v[40:41], v[40:41], v[42:43]
	v_fma_f64 v[42:43], -v[38:39], v[40:41], 1.0
	v_fmac_f64_e32 v[40:41], v[40:41], v[42:43]
	v_div_scale_f64 v[42:43], vcc, v[36:37], s[0:1], v[36:37]
	v_mul_f64 v[44:45], v[42:43], v[40:41]
	v_fma_f64 v[38:39], -v[38:39], v[44:45], v[42:43]
	s_nop 1
	v_div_fmas_f64 v[38:39], v[38:39], v[40:41], v[44:45]
	v_div_fixup_f64 v[36:37], v[38:39], s[0:1], v[36:37]
	s_mov_b32 s0, 0x3f317217
	v_mul_f32_e32 v38, 0x3f317217, v34
	v_fma_f32 v39, v34, s0, -v38
	v_fmamk_f32 v39, v34, 0x3377d1cf, v39
	s_mov_b32 s0, 0x7f800000
	v_add_f32_e32 v38, v38, v39
	v_cmp_lt_f32_e64 vcc, |v34|, s0
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 1
	v_cndmask_b32_e32 v34, v34, v38, vcc
	v_cvt_f64_f32_e32 v[38:39], v34
	v_add_f64 v[36:37], v[36:37], v[38:39]
	s_and_b32 s0, s0, 0x7fffffe0
	v_cvt_f32_f64_e32 v34, v[36:37]
	v_or_b32_e32 v36, s0, v83
	v_add_u32_e32 v36, s5, v36
	v_bfrev_b32_e32 v37, 1
	v_cmp_gt_i32_e32 vcc, s24, v36
	s_nop 1
	v_cndmask_b32_e64 v37, v37, 0, vcc
	v_lshl_add_u32 v36, v36, 2, v37
	buffer_store_dword v34, v36, s[16:19], 0 offen
	v_div_scale_f32 v34, s[0:1], v35, v35, 1.0
	v_rcp_f32_e32 v36, v34
	v_div_scale_f32 v37, vcc, 1.0, v35, 1.0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
	v_fma_f32 v38, -v34, v36, 1.0
	v_fmac_f32_e32 v36, v38, v36
	v_mul_f32_e32 v38, v37, v36
	v_fma_f32 v39, -v34, v38, v37
	v_fmac_f32_e32 v38, v39, v36
	v_fma_f32 v34, -v34, v38, v37
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
	v_div_fmas_f32 v34, v34, v36, v38
	v_div_fixup_f32 v34, v34, v35, 1.0
	v_cmp_neq_f32_e32 vcc, 0, v35
	s_nop 1
	v_cndmask_b32_e32 v34, 0, v34, vcc
	v_pk_mul_f32 v[20:21], v[20:21], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[24:25], v[24:25], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[36:37], v[4:5], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[38:39], v[8:9], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[40:41], v[12:13], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[42:43], v[16:17], v[34:35] op_sel_hi:[1,0]
	v_cvt_f16_f32_e32 v5, v21
	v_cvt_f16_f32_e32 v9, v20
	v_cvt_f16_f32_e32 v13, v25
	v_cvt_f16_f32_e32 v16, v24
	v_pk_mul_f32 v[28:29], v[28:29], v[34:35] op_sel_hi:[1,0]
	v_pk_mul_f32 v[32:33], v[32:33], v[34:35] op_sel_hi:[1,0]
	v_fma_mixlo_f16 v4, v18, v34, 0
	v_pack_b32_f16 v5, v9, v5
	v_fma_mixlo_f16 v12, v22, v34, 0
	v_fma_mixlo_f16 v18, v23, v34, 0
	v_pack_b32_f16 v9, v16, v13
	v_cvt_f16_f32_e32 v13, v29
	v_cvt_f16_f32_e32 v17, v28
	v_cvt_f16_f32_e32 v22, v33
	v_cvt_f16_f32_e32 v23, v32
	v_fma_mixlo_f16 v16, v26, v34, 0
	v_pack_b32_f16 v13, v17, v13
	v_cvt_f16_f32_e32 v24, v36
	v_pack_b32_f16 v17, v23, v22
	v_cvt_f16_f32_e32 v23, v37
	v_cvt_f16_f32_e32 v25, v39
	v_cvt_f16_f32_e32 v26, v38
	v_fma_mixlo_f16 v8, v19, v34, 0
	v_fma_mixlo_f16 v19, v27, v34, 0
	v_fma_mixlo_f16 v22, v3, v34, 0
	v_pack_b32_f16 v3, v24, v23
	v_fma_mixlo_f16 v23, v7, v34, 0
	v_pack_b32_f16 v7, v26, v25
	v_cvt_f16_f32_e32 v25, v41
	v_cvt_f16_f32_e32 v26, v40
	v_cvt_f16_f32_e32 v27, v43
	v_cvt_f16_f32_e32 v28, v42
	v_fma_mixlo_f16 v20, v30, v34, 0
	v_fma_mixlo_f16 v21, v31, v34, 0
	v_fma_mixlo_f16 v2, v2, v34, 0
	v_fma_mixlo_f16 v6, v6, v34, 0
	v_fma_mixlo_f16 v10, v10, v34, 0
	v_fma_mixlo_f16 v24, v11, v34, 0
	v_pack_b32_f16 v11, v26, v25
	v_fma_mixlo_f16 v14, v14, v34, 0
	v_fma_mixlo_f16 v25, v15, v34, 0
	v_pack_b32_f16 v15, v28, v27
	s_branch .LBB0_12
.LBB0_11:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 1
	s_and_b32 s0, s0, 0x7fffffe0
	v_or_b32_e32 v2, s0, v83
	v_add_u32_e32 v2, s5, v2
	v_bfrev_b32_e32 v3, 1
	v_cmp_gt_i32_e32 vcc, s24, v2
	s_lshl_b32 s18, s24, 2
	s_mov_b32 s19, 0x20000
	v_cndmask_b32_e64 v3, v3, 0, vcc
	v_lshl_add_u32 v2, v2, 2, v3
	v_mov_b32_e32 v3, 0xff800000
	buffer_store_dword v3, v2, s[16:19], 0 offen
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v5, 0
.LBB0_12:
	s_sub_i32 s0, s3, s33
	s_lshl_b32 s3, s0, 6
	s_mul_i32 s0, s13, s43
	s_add_i32 s8, s0, s26
	s_mul_hi_i32 s1, s45, s2
	s_mul_i32 s0, s45, s2
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s2, s22, s0
	s_addc_u32 s9, s23, s1
	s_mul_hi_i32 s1, s35, s4
	s_mul_i32 s0, s35, s4
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s0, s2, s0
	s_mov_b32 s2, 0x5040100
	v_perm_b32 v4, v8, v4, s2
	v_perm_b32 v8, v18, v12, s2
	v_perm_b32 v12, v19, v16, s2
	v_perm_b32 v16, v21, v20, s2
	v_perm_b32 v2, v22, v2, s2
	v_perm_b32 v6, v23, v6, s2
	v_perm_b32 v10, v24, v10, s2
	v_perm_b32 v14, v25, v14, s2
	v_readfirstlane_b32 s2, v0
	s_addc_u32 s1, s9, s1
	s_lshr_b32 s2, s2, 1
	s_and_b32 s2, s2, 0x7fffffe0
	v_lshrrev_b32_e32 v0, 3, v1
	v_or_b32_e32 v1, s2, v83
	v_add_u32_e32 v1, s5, v1
	v_and_or_b32 v0, v0, 12, s3
	v_mul_lo_u32 v18, v1, s13
	v_cmp_gt_i32_e32 vcc, s24, v1
	s_mov_b64 s[6:7], exec
	s_lshl_b32 s2, s8, 1
	s_mov_b32 s3, 0x20000
	v_add_lshl_u32 v0, v0, v18, 1
	v_cndmask_b32_e64 v1, 0, 1, vcc
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[4:5], v0, s[0:3], 0 offen offset:0
s_mov_b64 exec s[6:7]
	v_add_u32_e32 v4, 16, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[8:9], v4, s[0:3], 0 offen offset:0
s_mov_b64 exec s[6:7]
	v_add_u32_e32 v4, 32, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[12:13], v4, s[0:3], 0 offen offset:0
s_mov_b64 exec s[6:7]
	v_add_u32_e32 v4, 48, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[16:17], v4, s[0:3], 0 offen offset:0
s_mov_b64 exec s[6:7]
	v_add_u32_e32 v4, 64, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[2:3], v4, s[0:3], 0 offen offset:0
s_mov_b64 exec s[6:7]
	v_add_u32_e32 v2, 0x50, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[6:7], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[6:7]
	v_add_u32_e32 v2, 0x60, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[10:11], v2, s[0:3], 0 offen offset:0
s_mov_b64 exec s[6:7]
	v_add_u32_e32 v0, 0x70, v0
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[14:15], v0, s[0:3], 0 offen offset:0
s_mov_b64 exec s[6:7]
	s_waitcnt vmcnt(0)
	s_endpgm
	.amdhsa_kernel ck_fmha_fwd
		.amdhsa_group_segment_fixed_size 4608
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 416
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
		.amdhsa_next_free_vgpr 124
		.amdhsa_next_free_sgpr 52
		.amdhsa_accum_offset 124
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
	.set ck_fmha_fwd.num_vgpr, 124
	.set ck_fmha_fwd.num_agpr, 0
	.set ck_fmha_fwd.numbered_sgpr, 52
	.set ck_fmha_fwd.num_named_barrier, 0
	.set ck_fmha_fwd.private_seg_size, 0
	.set ck_fmha_fwd.uses_vcc, 1
	.set ck_fmha_fwd.uses_flat_scratch, 0
	.set ck_fmha_fwd.has_dyn_sized_stack, 0
	.set ck_fmha_fwd.has_recursion, 0
	.set ck_fmha_fwd.has_indirect_call, 0
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
__hip_cuid_:
	.byte	0
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           160
        .value_kind:     by_value
      - .offset:         160
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         164
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         168
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         172
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         174
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         176
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         178
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         180
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         182
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         200
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         208
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         216
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         224
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 4608
    .kernarg_segment_align: 8
    .kernarg_segment_size: 416
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_fmha_fwd
    .private_segment_fixed_size: 0
    .sgpr_count:     58
    .sgpr_spill_count: 0
    .symbol:         ck_fmha_fwd.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     124
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
