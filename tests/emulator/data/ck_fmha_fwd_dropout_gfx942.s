; A CK Tile attention (fp16, heads of 64, dropout, LSE), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
ck_fmha_fwd_dropout:
	s_load_dwordx8 s[8:15], s[0:1], 0x20
	s_abs_i32 s7, s3
	s_load_dword s33, s[0:1], 0x58
	s_load_dwordx4 s[24:27], s[0:1], 0xb8
	s_load_dwordx2 s[48:49], s[0:1], 0x50
	s_load_dwordx4 s[36:39], s[0:1], 0x40
	s_waitcnt lgkmcnt(0)
	s_add_i32 s5, s11, 63
	s_ashr_i32 s6, s5, 31
	s_lshr_b32 s6, s6, 26
	s_add_i32 s5, s5, s6
	s_ashr_i32 s6, s5, 6
	s_abs_i32 s5, s6
	v_cvt_f32_u32_e32 v1, s5
	s_sub_i32 s17, 0, s5
	s_xor_b32 s16, s3, s6
	s_ashr_i32 s16, s16, 31
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s18, v1
	s_mul_i32 s17, s17, s18
	s_mul_hi_u32 s17, s18, s17
	s_add_i32 s18, s18, s17
	s_mul_hi_u32 s17, s7, s18
	s_mul_i32 s18, s17, s5
	s_sub_i32 s7, s7, s18
	s_add_i32 s19, s17, 1
	s_sub_i32 s18, s7, s5
	s_cmp_ge_u32 s7, s5
	s_cselect_b32 s17, s19, s17
	s_cselect_b32 s7, s18, s7
	s_add_i32 s18, s17, 1
	s_cmp_ge_u32 s7, s5
	s_cselect_b32 s5, s18, s17
	s_xor_b32 s5, s5, s16
	s_sub_i32 s55, s5, s16
	s_ashr_i32 s5, s4, 31
	s_cmp_eq_u64 s[24:25], 0
	s_mul_i32 s56, s55, s6
	s_cbranch_scc1 .LBB0_2
	s_lshl_b64 s[6:7], s[4:5], 2
	s_add_u32 s6, s24, s6
	s_addc_u32 s7, s25, s7
	s_load_dwordx2 s[16:17], s[6:7], 0x0
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s8, s17, s16
.LBB0_2:
	s_load_dwordx8 s[16:23], s[0:1], 0x98
	s_load_dwordx4 s[40:43], s[0:1], 0x70
	s_load_dword s6, s[0:1], 0x80
	s_cmp_eq_u64 s[26:27], 0
	s_cbranch_scc1 .LBB0_4
	s_lshl_b64 s[24:25], s[4:5], 2
	s_add_u32 s24, s26, s24
	s_addc_u32 s25, s27, s25
	s_load_dwordx2 s[26:27], s[24:25], 0x0
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s9, s27, s26
.LBB0_4:
	s_abs_i32 s50, s13
	v_cvt_f32_u32_e32 v1, s50
	s_load_dwordx4 s[44:47], s[0:1], 0x60
	s_waitcnt lgkmcnt(0)
	s_bitcmp1_b32 s6, 0
	s_cselect_b64 s[24:25], -1, 0
	v_rcp_iflag_f32_e32 v1, v1
	v_mov_b64_e32 v[2:3], s[40:41]
	s_xor_b64 s[6:7], s[24:25], -1
	s_and_b64 vcc, exec, s[24:25]
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s51, v1
	s_cbranch_vccnz .LBB0_6
	v_mov_b64_e32 v[2:3], s[40:41]
	flat_load_dwordx2 v[2:3], v[2:3]
.LBB0_6:
	s_load_dwordx8 s[24:31], s[0:1], 0x0
	s_andn2_b64 vcc, exec, s[6:7]
	v_mov_b64_e32 v[4:5], s[42:43]
	s_cbranch_vccnz .LBB0_8
	v_mov_b64_e32 v[4:5], s[42:43]
	flat_load_dwordx2 v[4:5], v[4:5]
.LBB0_8:
	s_mul_hi_i32 s41, s39, s2
	s_mul_i32 s40, s39, s2
	s_lshl_b64 s[40:41], s[40:41], 1
	s_mul_hi_i32 s7, s19, s4
	s_mul_i32 s6, s19, s4
	s_waitcnt lgkmcnt(0)
	s_add_u32 s5, s24, s40
	s_addc_u32 s19, s25, s41
	s_lshl_b64 s[6:7], s[6:7], 1
	s_add_u32 s40, s5, s6
	s_addc_u32 s41, s19, s7
	s_add_i32 s5, s10, -1
	s_add_u32 s10, s5, 1
	s_add_i32 s5, s11, -1
	s_mul_hi_i32 s25, s46, s2
	s_mul_i32 s24, s46, s2
	s_add_u32 s19, s5, 1
	s_lshl_b64 s[24:25], s[24:25], 2
	s_mul_hi_i32 s35, s47, s4
	s_mul_i32 s34, s47, s4
	s_add_u32 s5, s44, s24
	s_addc_u32 s7, s45, s25
	s_lshl_b64 s[24:25], s[34:35], 2
	s_add_u32 s24, s5, s24
	s_addc_u32 s25, s7, s25
	s_mul_i32 s7, s12, s4
	s_add_i32 s7, s7, s2
	s_lshl_b32 s34, s7, 6
	s_ashr_i32 s35, s34, 31
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_lshl_b32 s5, s55, 7
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s23, v3
	v_readfirstlane_b32 s39, v2
	v_lshl_add_u64 v[2:3], v[4:5], 0, s[34:35]
	v_mbcnt_hi_u32_b32 v38, -1, v1
	s_mov_b32 s6, 0
	v_readfirstlane_b32 s35, v3
	v_readfirstlane_b32 s34, v2
	v_readfirstlane_b32 s7, v0
	s_cmp_gt_i32 s9, 0
	v_and_b32_e32 v161, 31, v38
	s_cbranch_scc0 .LBB0_17
	s_lshr_b32 s7, s7, 1
	s_and_b32 s7, s7, 0x7fffffe0
	s_add_i32 s11, s8, -1
	v_or_b32_e32 v2, s7, v161
	s_mul_i32 s12, s15, s11
	v_lshrrev_b32_e32 v18, 5, v38
	v_add_u32_e32 v19, s5, v2
	s_add_i32 s12, s12, s10
	v_lshlrev_b32_e32 v2, 4, v18
	v_mul_lo_u32 v3, s15, v19
	s_lshl_b32 s42, s12, 1
	s_mov_b32 s43, 0x20000
	v_lshl_add_u32 v14, v3, 1, v2
	buffer_load_dwordx4 v[2:5], v14, s[40:43], 0 offen offset:96
	buffer_load_dwordx4 v[6:9], v14, s[40:43], 0 offen offset:64
	buffer_load_dwordx4 v[10:13], v14, s[40:43], 0 offen
	s_nop 0
	buffer_load_dwordx4 v[14:17], v14, s[40:43], 0 offen offset:32
	s_sub_i32 s15, 0, s50
	s_mul_i32 s15, s15, s51
	s_load_dwordx4 s[44:47], s[0:1], 0x88
	s_mul_hi_u32 s15, s51, s15
	s_abs_i32 s52, s2
	s_add_i32 s51, s51, s15
	s_mul_hi_u32 s15, s52, s51
	s_mul_hi_i32 s1, s21, s4
	s_mul_i32 s0, s21, s4
	s_mul_i32 s21, s15, s50
	s_ashr_i32 s53, s2, 31
	s_ashr_i32 s54, s13, 31
	s_sub_i32 s21, s52, s21
	s_mul_hi_i32 s13, s20, s4
	s_mul_i32 s12, s20, s4
	s_xor_b32 s20, s53, s54
	s_waitcnt lgkmcnt(0)
	s_bfe_u32 s58, s45, 0x80008
	s_add_i32 s40, s15, 1
	s_sub_i32 s41, s21, s50
	s_cmp_ge_u32 s21, s50
	s_cselect_b32 s15, s40, s15
	s_cselect_b32 s21, s41, s21
	s_add_i32 s40, s15, 1
	s_cmp_ge_u32 s21, s50
	s_cselect_b32 s15, s40, s15
	s_xor_b32 s15, s15, s20
	s_sub_i32 s15, s15, s20
	s_mul_hi_i32 s21, s15, s48
	s_mul_i32 s20, s15, s48
	s_lshl_b64 s[20:21], s[20:21], 1
	s_mul_hi_i32 s51, s15, s49
	s_mul_i32 s50, s15, s49
	s_add_u32 s15, s26, s20
	s_addc_u32 s20, s27, s21
	s_lshl_b64 s[12:13], s[12:13], 1
	s_add_u32 s40, s15, s12
	s_addc_u32 s41, s20, s13
	s_lshl_b64 s[12:13], s[50:51], 1
	s_add_u32 s12, s28, s12
	s_addc_u32 s13, s29, s13
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s48, s12, s0
	s_mul_i32 s11, s16, s11
	s_addc_u32 s49, s13, s1
	s_add_i32 s0, s9, -1
	s_mul_i32 s1, s36, s0
	s_mul_i32 s12, s37, s0
	s_add_i32 s0, s0, s11
	s_mul_hi_i32 s57, s17, s2
	s_mul_i32 s17, s17, s2
	s_add_i32 s1, s1, s10
	s_add_i32 s12, s12, s19
	s_add_i32 s54, s0, 1
	s_add_u32 s0, s46, s17
	s_mul_hi_i32 s42, s18, s4
	s_mul_i32 s18, s18, s4
	s_addc_u32 s10, s47, s57
	s_add_u32 s52, s0, s18
	s_addc_u32 s53, s10, s42
	s_add_i32 s0, s9, 63
	s_lshr_b32 s17, s0, 6
	v_cmp_gt_i32_e32 vcc, s8, v19
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 6
	v_lshrrev_b32_e32 v87, 6, v38
	v_add_u32_e32 v36, s0, v87
	s_mov_b32 s0, 0x5040100
	v_and_b32_e32 v35, 3, v38
	v_lshlrev_b32_e32 v37, 1, v35
	v_lshrrev_b32_e32 v85, 2, v38
	s_lshl_b32 s42, s1, 1
	s_lshl_b32 s50, s12, 1
	s_lshl_b32 s18, s55, 2
	s_lshl_b32 s26, s36, 1
	s_movk_i32 s1, 0x410
	s_bitcmp1_b32 s58, 0
	s_mov_b32 s7, 1
	s_waitcnt vmcnt(3)
	v_lshrrev_b32_e32 v20, 16, v5
	v_lshrrev_b32_e32 v21, 16, v2
	v_lshrrev_b32_e32 v22, 16, v3
	v_cndmask_b32_e32 v19, 0, v20, vcc
	v_cndmask_b32_e32 v20, 0, v21, vcc
	v_cndmask_b32_e32 v21, 0, v22, vcc
	v_cndmask_b32_e32 v22, 0, v4, vcc
	v_lshrrev_b32_e32 v4, 16, v4
	s_waitcnt vmcnt(2)
	v_lshrrev_b32_e32 v23, 16, v9
	v_cndmask_b32_e32 v24, 0, v6, vcc
	v_lshrrev_b32_e32 v6, 16, v6
	v_cndmask_b32_e32 v25, 0, v7, vcc
	v_lshrrev_b32_e32 v7, 16, v7
	v_cndmask_b32_e32 v26, 0, v8, vcc
	v_lshrrev_b32_e32 v8, 16, v8
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v27, 16, v17
	v_cndmask_b32_e32 v28, 0, v14, vcc
	v_lshrrev_b32_e32 v14, 16, v14
	v_cndmask_b32_e32 v29, 0, v15, vcc
	v_lshrrev_b32_e32 v15, 16, v15
	v_cndmask_b32_e32 v30, 0, v16, vcc
	v_lshrrev_b32_e32 v16, 16, v16
	v_lshrrev_b32_e32 v31, 16, v13
	v_cndmask_b32_e32 v32, 0, v10, vcc
	v_lshrrev_b32_e32 v10, 16, v10
	v_cndmask_b32_e32 v33, 0, v11, vcc
	v_lshrrev_b32_e32 v11, 16, v11
	v_cndmask_b32_e32 v34, 0, v12, vcc
	v_lshrrev_b32_e32 v12, 16, v12
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_cndmask_b32_e32 v23, 0, v23, vcc
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cndmask_b32_e32 v27, 0, v27, vcc
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_cndmask_b32_e32 v17, 0, v17, vcc
	v_cndmask_b32_e32 v31, 0, v31, vcc
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_cndmask_b32_e32 v13, 0, v13, vcc
	v_perm_b32 v69, v11, v33, s0
	v_perm_b32 v68, v10, v32, s0
	v_perm_b32 v71, v31, v13, s0
	v_perm_b32 v70, v12, v34, s0
	v_perm_b32 v73, v15, v29, s0
	v_perm_b32 v72, v14, v28, s0
	v_perm_b32 v75, v27, v17, s0
	v_perm_b32 v74, v16, v30, s0
	v_perm_b32 v77, v7, v25, s0
	v_perm_b32 v76, v6, v24, s0
	v_perm_b32 v79, v23, v9, s0
	v_perm_b32 v78, v8, v26, s0
	v_perm_b32 v81, v21, v3, s0
	v_perm_b32 v80, v20, v2, s0
	v_perm_b32 v83, v19, v5, s0
	v_perm_b32 v82, v4, v22, s0
	v_lshlrev_b32_e32 v3, 3, v161
	s_movk_i32 s0, 0x408
	v_lshrrev_b32_e32 v5, 3, v161
	v_mul_u32_u24_e32 v6, 0x240, v18
	v_mad_u32_u24 v101, v18, s0, v3
	v_mul_u32_u24_e32 v7, 0x48, v5
	v_and_or_b32 v3, v3, 56, v6
	v_lshlrev_b32_e32 v2, 2, v38
	v_add_lshl_u32 v102, v3, v7, 1
	v_mul_u32_u24_e32 v3, 0x408, v5
	v_add_u32_e32 v100, 0x80, v2
	v_and_or_b32 v105, v38, 7, v3
	v_lshlrev_b32_e32 v3, 4, v38
	v_and_b32_e32 v2, 12, v2
	v_lshlrev_b32_e32 v10, 1, v38
	v_lshrrev_b32_e32 v12, 1, v38
	v_bfe_u32 v4, v38, 3, 3
	v_and_or_b32 v2, v3, 64, v2
	s_movk_i32 s0, 0x90
	v_and_b32_e32 v11, 8, v10
	v_and_b32_e32 v12, 4, v12
	v_and_b32_e32 v13, 19, v38
	v_mad_u32_u24 v162, v4, s0, v2
	v_lshl_or_b32 v2, v36, 3, v37
	v_or3_b32 v11, v13, v12, v11
	v_add_u32_e32 v13, 16, v85
	v_add_u32_e32 v3, 32, v2
	v_mul_u32_u24_e32 v12, 0x208, v18
	v_lshlrev_b32_e32 v11, 3, v11
	v_lshrrev_b32_e32 v13, 3, v13
	v_mul_lo_u32 v3, s37, v3
	v_sub_u32_e32 v13, v13, v18
	v_add_lshl_u32 v89, v11, v12, 1
	v_lshlrev_b32_e32 v84, 1, v3
	v_add_u32_e32 v3, 33, v2
	v_mad_i32_i24 v109, v13, s1, v89
	v_mul_i32_i24_e32 v34, 0x480, v13
	v_mov_b32_e32 v39, 0
	s_cselect_b64 s[0:1], -1, 0
	v_mul_lo_u32 v3, s37, v3
	v_mul_lo_u32 v2, s37, v2
	s_mov_b32 s51, s43
	s_movk_i32 s20, 0x480
	v_mul_i32_i24_e32 v103, 0x408, v13
	s_mov_b32 s55, s43
	s_mov_b32 s21, 64
	s_xor_b64 s[10:11], s[0:1], -1
	s_add_u32 s27, s39, 0x9e3779b9
	s_add_u32 s28, s23, 0xbb67ae85
	s_add_u32 s29, s39, 0x3c6ef372
	s_add_u32 s36, s23, 0x76cf5d0a
	s_add_u32 s46, s39, 0xdaa66d2b
	s_add_u32 s47, s23, 0x32370b8f
	s_add_u32 s57, s39, 0x78dde6e4
	s_add_u32 s58, s23, 0xed9eba14
	s_add_u32 s59, s39, 0x1715609d
	s_add_u32 s60, s23, 0xa9066899
	s_add_i32 s61, s39, 0xb54cda56
	s_add_i32 s62, s23, 0x646e171e
	s_mov_b32 s15, s14
	v_and_b32_e32 v106, 0x78, v10
	s_lshl_b32 s63, s37, 7
	v_lshlrev_b32_e32 v107, 1, v3
	v_add_lshl_u32 v108, v2, s37, 1
	v_lshlrev_b32_e32 v104, 1, v2
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
	s_mov_b32 s37, 0xff800000
	s_mov_b32 s64, 0xcd9e8d57
	s_mov_b32 s65, 0xd2511f53
	s_movk_i32 s66, 0xff
	s_mov_b32 s67, 0x1000504
	s_mov_b32 s68, 0x3020706
	s_and_b32 s45, s45, 0xff
	v_add_u32_e32 v110, v102, v34
	s_mov_b64 s[12:13], s[6:7]
	v_and_b32_e32 v99, 24, v85
	v_mul_u32_u24_e32 v88, 0x410, v35
	v_lshlrev_b32_e32 v98, 4, v35
	v_mov_b32_e32 v116, 0
	v_mov_b32_e32 v113, 0xff800000
	v_bfrev_b32_e32 v114, 1
	v_mov_b32_e32 v34, v38
	v_lshl_add_u64 v[164:165], s[34:35], 0, v[38:39]
	v_mov_b32_e32 v90, 0xff800000
	scratch_store_dwordx2 off, v[34:35], off
	s_branch .LBB0_11
.LBB0_10:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s1, s0, 1
	v_sub_f32_e32 v1, v92, v93
	s_and_b32 s1, s1, 0x1fffffe0
	v_exp_f32_e32 v38, v1
	v_or_b32_e32 v1, s1, v99
	v_lshl_add_u32 v1, v1, 3, v105
	s_lshr_b32 s0, s0, 6
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v62, v42, v128
	ds_write_b8 v1, v39
	ds_write_b8 v1, v43 offset:8
	ds_write_b8 v1, v66 offset:16
	ds_write_b8 v1, v65 offset:24
	ds_write_b8 v1, v134 offset:32
	ds_write_b8 v1, v135 offset:40
	ds_write_b8 v1, v136 offset:48
	ds_write_b8 v1, v129 offset:56
	ds_write_b8 v1, v41 offset:128
	ds_write_b8 v1, v137 offset:136
	ds_write_b8 v1, v138 offset:144
	ds_write_b8 v1, v130 offset:152
	ds_write_b8 v1, v139 offset:160
	ds_write_b8 v1, v140 offset:168
	ds_write_b8 v1, v141 offset:176
	ds_write_b8 v1, v131 offset:184
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[40:41], v45
	ds_read_b64 v[42:43], v44
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b8 v1, v35
	ds_write_b8 v1, v146 offset:8
	ds_write_b8 v1, v147 offset:16
	ds_write_b8 v1, v142 offset:24
	ds_write_b8 v1, v148 offset:32
	ds_write_b8 v1, v149 offset:40
	ds_write_b8 v1, v150 offset:48
	ds_write_b8 v1, v143 offset:56
	ds_write_b8 v1, v37 offset:128
	ds_write_b8 v1, v151 offset:136
	ds_write_b8 v1, v152 offset:144
	ds_write_b8 v1, v144 offset:152
	ds_write_b8 v1, v153 offset:160
	ds_write_b8 v1, v154 offset:168
	ds_write_b8 v1, v155 offset:176
	ds_write_b8 v1, v145 offset:184
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[34:35], v45
	ds_read_b64 v[36:37], v44
	v_add_u32_e32 v44, s0, v87
	s_waitcnt vmcnt(0)
	v_perm_b32 v1, v94, v96, s67
	v_perm_b32 v94, v94, v96, s68
	v_mad_u64_u32 v[44:45], s[0:1], v44, s20, v[162:163]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_perm_b32 v96, v95, v97, s67
	v_perm_b32 v95, v95, v97, s68
	ds_write2_b32 v44, v1, v94 offset1:4
	ds_write2_b32 v44, v96, v95 offset0:8 offset1:12
	v_add_u32_e32 v1, v84, v106
	buffer_load_dwordx2 v[146:147], v1, s[48:51], 0 offen
	v_add_u32_e32 v1, v107, v106
	buffer_load_dwordx2 v[148:149], v1, s[48:51], 0 offen
	v_lshrrev_b32_e32 v66, 8, v40
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[142:145], v102
	ds_read_b128 v[138:141], v102 offset:576
	ds_read_b128 v[134:137], v110
	ds_read_b128 v[94:97], v110 offset:576
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_cmp_le_u16_sdwa vcc, v40, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_and_b32_sdwa v115, v40, s66 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_lshrrev_b32_e32 v133, 8, v41
	v_and_b32_sdwa v156, v41, s66 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_lshrrev_b32_e32 v157, 8, v42
	v_and_b32_sdwa v158, v42, s66 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_lshrrev_b32_e32 v39, 8, v34
	v_pk_mul_f32 v[32:33], v[32:33], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[30:31], v[30:31], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[28:29], v[28:29], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[26:27], v[26:27], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[24:25], v[24:25], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[22:23], v[22:23], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[20:21], v[20:21], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[18:19], v[18:19], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[16:17], v[16:17], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[14:15], v[14:15], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[12:13], v[12:13], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[10:11], v[10:11], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[8:9], v[8:9], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[6:7], v[6:7], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[4:5], v[4:5], v[38:39] op_sel_hi:[1,0]
	v_pk_mul_f32 v[2:3], v[2:3], v[38:39] op_sel_hi:[1,0]
	v_lshrrev_b32_e32 v159, 8, v43
	v_fma_mixlo_f16 v90, s44, v90, 0
	v_and_b32_sdwa v160, v43, s66 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_fma_mixlo_f16 v64, s44, v64, 0
	v_and_b32_sdwa v132, v37, s66 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_fmac_f32_e32 v62, v116, v38
	v_lshrrev_b32_e32 v131, 8, v37
	v_fma_mixlo_f16 v38, s44, v48, 0
	v_and_b32_sdwa v130, v36, s66 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_lshrrev_b32_e32 v129, 8, v36
	v_and_b32_sdwa v116, v35, s66 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	v_lshrrev_b32_e32 v92, 8, v35
	v_and_b32_sdwa v65, v34, s66 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD
	s_add_i32 s21, s21, 64
	s_add_i32 s17, s17, -1
	s_add_i32 s13, s13, 2
	v_add_u32_e32 v106, s63, v106
	s_cmp_lg_u32 s17, 0
	s_waitcnt vmcnt(0)
	v_perm_b32 v1, v146, v148, s67
	v_perm_b32 v45, v146, v148, s68
	v_perm_b32 v146, v147, v149, s67
	v_perm_b32 v147, v147, v149, s68
	ds_write2_b32 v44, v1, v45 offset1:4
	ds_write2_b32 v44, v146, v147 offset0:8 offset1:12
	v_fma_mixlo_f16 v1, s44, v125, 0
	v_cndmask_b32_e32 v1, 0, v1, vcc
	v_fma_mixlo_f16 v44, s44, v123, 0
	v_cmp_le_u16_sdwa vcc, v66, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_fma_mixlo_f16 v45, s44, v124, 0
	v_fma_mixlo_f16 v66, s44, v121, 0
	v_cndmask_b32_e32 v44, 0, v44, vcc
	v_cmp_ge_u16_e32 vcc, s45, v115
	v_fma_mixlo_f16 v115, s44, v119, 0
	v_fma_mixlo_f16 v121, s44, v118, 0
	v_cndmask_b32_e32 v45, 0, v45, vcc
	v_cmp_le_u16_sdwa vcc, v40, s45 src0_sel:BYTE_3 src1_sel:DWORD
	v_fma_mixlo_f16 v119, s44, v117, 0
	v_fma_mixlo_f16 v118, s44, v51, 0
	v_cndmask_b32_e32 v40, 0, v66, vcc
	v_fma_mixlo_f16 v66, s44, v122, 0
	v_cmp_le_u16_sdwa vcc, v41, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_fma_mixlo_f16 v122, s44, v120, 0
	v_fma_mixlo_f16 v120, s44, v67, 0
	v_cndmask_b32_e32 v66, 0, v66, vcc
	v_cmp_le_u16_sdwa vcc, v133, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_fma_mixlo_f16 v117, s44, v112, 0
	v_fma_mixlo_f16 v67, s44, v63, 0
	v_cndmask_b32_e32 v115, 0, v115, vcc
	v_cmp_ge_u16_e32 vcc, s45, v156
	v_fma_mixlo_f16 v63, s44, v111, 0
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v122, 0, v122, vcc
	v_cmp_le_u16_sdwa vcc, v41, s45 src0_sel:BYTE_3 src1_sel:DWORD
	s_barrier
	s_nop 0
	v_cndmask_b32_e32 v41, 0, v121, vcc
	v_cmp_le_u16_sdwa vcc, v42, s45 src0_sel:BYTE_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v120, 0, v120, vcc
	v_cmp_le_u16_sdwa vcc, v157, s45 src0_sel:BYTE_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v121, 0, v119, vcc
	v_cmp_ge_u16_e32 vcc, s45, v158
	v_pack_b32_f16 v119, v45, v40
	v_pack_b32_f16 v45, v122, v41
	v_cndmask_b32_e32 v123, 0, v118, vcc
	v_pack_b32_f16 v118, v1, v44
	v_pack_b32_f16 v44, v66, v115
	v_cmp_le_u16_sdwa vcc, v42, s45 src0_sel:BYTE_3 src1_sel:DWORD
	v_mfma_f32_32x32x8_f16 v[18:33], v[142:143], v[118:119], v[18:33]
	v_fma_mixlo_f16 v1, s44, v49, 0
	v_cndmask_b32_e32 v42, 0, v117, vcc
	v_cmp_le_u16_sdwa vcc, v43, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_fma_mixlo_f16 v49, s44, v52, 0
	s_nop 0
	v_cndmask_b32_e32 v90, 0, v90, vcc
	v_cmp_le_u16_sdwa vcc, v159, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_mfma_f32_32x32x8_f16 v[2:17], v[138:139], v[118:119], v[2:17]
	s_nop 0
	v_cndmask_b32_e32 v67, 0, v67, vcc
	v_cmp_ge_u16_e32 vcc, s45, v160
	v_pack_b32_f16 v40, v90, v67
	v_mov_b32_e32 v90, v91
	v_cndmask_b32_e32 v64, 0, v64, vcc
	v_cmp_le_u16_sdwa vcc, v43, s45 src0_sel:BYTE_3 src1_sel:DWORD
	v_mfma_f32_32x32x8_f16 v[18:33], v[144:145], v[44:45], v[18:33]
	v_pack_b32_f16 v43, v123, v42
	v_cndmask_b32_e32 v63, 0, v63, vcc
	v_pack_b32_f16 v42, v120, v121
	v_cmp_le_u16_sdwa vcc, v37, s45 src0_sel:BYTE_3 src1_sel:DWORD
	v_pack_b32_f16 v41, v64, v63
	s_nop 0
	v_cndmask_b32_e32 v1, 0, v1, vcc
	v_mfma_f32_32x32x8_f16 v[2:17], v[140:141], v[44:45], v[2:17]
	v_cmp_ge_u16_e32 vcc, s45, v132
	v_mfma_f32_32x32x8_f16 v[18:33], v[134:135], v[42:43], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[94:95], v[42:43], v[2:17]
	v_cndmask_b32_e32 v42, 0, v38, vcc
	v_fma_mixlo_f16 v38, s44, v47, 0
	v_cmp_le_u16_sdwa vcc, v131, s45 src0_sel:BYTE_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v43, 0, v38, vcc
	v_fma_mixlo_f16 v38, s44, v46, 0
	v_cmp_le_u16_sdwa vcc, v37, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_fma_mixlo_f16 v37, s44, v57, 0
	v_mfma_f32_32x32x8_f16 v[18:33], v[136:137], v[40:41], v[18:33]
	v_cndmask_b32_e32 v44, 0, v38, vcc
	v_cmp_le_u16_sdwa vcc, v36, s45 src0_sel:BYTE_3 src1_sel:DWORD
	v_fma_mixlo_f16 v38, s44, v53, 0
	s_nop 0
	v_cndmask_b32_e32 v37, 0, v37, vcc
	v_cmp_ge_u16_e32 vcc, s45, v130
	v_mfma_f32_32x32x8_f16 v[2:17], v[96:97], v[40:41], v[2:17]
	s_nop 0
	v_cndmask_b32_e32 v45, 0, v38, vcc
	v_fma_mixlo_f16 v38, s44, v61, 0
	v_cmp_le_u16_sdwa vcc, v129, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_fma_mixlo_f16 v40, s44, v86, 0
	v_fma_mixlo_f16 v41, s44, v54, 0
	v_cndmask_b32_e32 v46, 0, v38, vcc
	v_fma_mixlo_f16 v38, s44, v55, 0
	v_cmp_le_u16_sdwa vcc, v36, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_pack_b32_f16 v37, v45, v37
	s_nop 0
	v_cndmask_b32_e32 v36, 0, v38, vcc
	v_fma_mixlo_f16 v38, s44, v59, 0
	v_cmp_le_u16_sdwa vcc, v35, s45 src0_sel:BYTE_3 src1_sel:DWORD
	v_pack_b32_f16 v36, v36, v46
	s_nop 0
	v_cndmask_b32_e32 v38, 0, v38, vcc
	v_cmp_ge_u16_e32 vcc, s45, v116
	v_mov_b32_e32 v116, v62
	s_nop 0
	v_cndmask_b32_e32 v47, 0, v40, vcc
	v_fma_mixlo_f16 v40, s44, v60, 0
	v_cmp_le_u16_sdwa vcc, v92, s45 src0_sel:BYTE_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v48, 0, v40, vcc
	v_fma_mixlo_f16 v40, s44, v58, 0
	v_cmp_le_u16_sdwa vcc, v35, s45 src0_sel:BYTE_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v35, 0, v40, vcc
	v_fma_mixlo_f16 v40, s44, v56, 0
	v_cmp_le_u16_sdwa vcc, v34, s45 src0_sel:BYTE_3 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v40, 0, v40, vcc
	v_cmp_ge_u16_e32 vcc, s45, v65
	s_nop 1
	v_cndmask_b32_e32 v41, 0, v41, vcc
	v_cmp_le_u16_sdwa vcc, v39, s45 src0_sel:BYTE_0 src1_sel:DWORD
	v_pack_b32_f16 v41, v41, v40
	s_nop 0
	v_cndmask_b32_e32 v39, 0, v49, vcc
	v_fma_mixlo_f16 v49, s44, v50, 0
	v_cmp_le_u16_sdwa vcc, v34, s45 src0_sel:BYTE_0 src1_sel:DWORD
	s_nop 1
	v_cndmask_b32_e32 v34, 0, v49, vcc
	v_pack_b32_f16 v40, v34, v39
	v_pack_b32_f16 v39, v47, v38
	v_pack_b32_f16 v38, v35, v48
	v_pack_b32_f16 v35, v42, v1
	v_pack_b32_f16 v34, v44, v43
	ds_read_b128 v[42:45], v102
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[18:33], v[42:43], v[40:41], v[18:33]
	v_mfma_f32_32x32x8_f16 v[18:33], v[44:45], v[38:39], v[18:33]
	ds_read_b128 v[42:45], v102 offset:576
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[40:41], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[38:39], v[2:17]
	ds_read_b128 v[38:41], v110
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[18:33], v[38:39], v[36:37], v[18:33]
	v_mfma_f32_32x32x8_f16 v[18:33], v[40:41], v[34:35], v[18:33]
	ds_read_b128 v[38:41], v110 offset:576
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x8_f16 v[2:17], v[38:39], v[36:37], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[34:35], v[2:17]
	s_cbranch_scc0 .LBB0_18
.LBB0_11:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s7, s0, 2
	s_and_b32 s0, s7, 0x3ffffff0
	s_add_i32 s0, s0, s21
	v_add_u32_e32 v34, s0, v85
	v_subrev_u32_e32 v34, 64, v34
	v_mad_u64_u32 v[34:35], s[0:1], s26, v34, v[98:99]
	buffer_load_dwordx4 v[36:39], v34, s[40:43], 0 offen
	buffer_load_dwordx4 v[118:121], v34, s[40:43], 0 offen offset:64
	v_add_u32_e32 v34, v104, v106
	v_add_u32_e32 v35, v108, v106
	buffer_load_dwordx2 v[94:95], v34, s[48:51], 0 offen
	buffer_load_dwordx2 v[96:97], v35, s[48:51], 0 offen
	s_and_b32 s0, s7, 0xffffff0
	v_add_u32_e32 v34, s0, v85
	v_lshl_add_u32 v67, v34, 4, v88
	s_cmp_le_i32 s21, s9
	s_waitcnt vmcnt(3)
	ds_write_b128 v67, v[36:39]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[122:125], v89
	ds_read_b128 v[126:129], v89 offset:512
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[50:65], v[122:123], v[68:69], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[34:49], v[126:127], v[68:69], 0
	v_mfma_f32_32x32x8_f16 v[50:65], v[124:125], v[70:71], v[50:65]
	v_mfma_f32_32x32x8_f16 v[34:49], v[128:129], v[70:71], v[34:49]
	ds_read_b128 v[122:125], v109
	ds_read_b128 v[126:129], v109 offset:512
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(2)
	ds_write_b128 v67, v[118:121]
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x8_f16 v[50:65], v[122:123], v[72:73], v[50:65]
	v_mfma_f32_32x32x8_f16 v[34:49], v[126:127], v[72:73], v[34:49]
	v_mfma_f32_32x32x8_f16 v[50:65], v[124:125], v[74:75], v[50:65]
	ds_read_b128 v[118:121], v89
	ds_read_b128 v[122:125], v89 offset:512
	v_mfma_f32_32x32x8_f16 v[34:49], v[128:129], v[74:75], v[34:49]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[50:65], v[118:119], v[76:77], v[50:65]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[34:49], v[122:123], v[76:77], v[34:49]
	v_mfma_f32_32x32x8_f16 v[50:65], v[120:121], v[78:79], v[50:65]
	v_mfma_f32_32x32x8_f16 v[34:49], v[124:125], v[78:79], v[34:49]
	ds_read_b128 v[118:121], v109
	ds_read_b128 v[122:125], v109 offset:512
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[50:65], v[118:119], v[80:81], v[50:65]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[34:49], v[122:123], v[80:81], v[34:49]
	v_mfma_f32_32x32x8_f16 v[50:65], v[120:121], v[82:83], v[50:65]
	v_mfma_f32_32x32x8_f16 v[34:49], v[124:125], v[82:83], v[34:49]
	s_cbranch_scc1 .LBB0_13
	v_add_u32_e32 v67, s21, v99
	v_subrev_u32_e32 v91, 64, v67
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 63, v67
	s_nop 4
	v_cndmask_b32_e32 v50, v113, v50, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 62, v67
	s_nop 0
	v_cndmask_b32_e32 v51, v113, v51, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 61, v67
	s_nop 0
	v_cndmask_b32_e32 v52, v113, v52, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 60, v67
	s_nop 0
	v_cndmask_b32_e32 v53, v113, v53, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 59, v67
	s_nop 0
	v_cndmask_b32_e32 v54, v113, v54, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 58, v67
	s_nop 0
	v_cndmask_b32_e32 v55, v113, v55, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_or_b32_e32 v91, 7, v85
	v_add_u32_e32 v91, s21, v91
	v_subrev_u32_e32 v91, 64, v91
	v_cndmask_b32_e32 v56, v113, v56, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 48, v67
	s_nop 0
	v_cndmask_b32_e32 v57, v113, v57, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 47, v67
	s_nop 0
	v_cndmask_b32_e32 v58, v113, v58, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 46, v67
	s_nop 0
	v_cndmask_b32_e32 v59, v113, v59, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 45, v67
	s_nop 0
	v_cndmask_b32_e32 v60, v113, v60, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 44, v67
	s_nop 0
	v_cndmask_b32_e32 v61, v113, v61, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 43, v67
	s_nop 0
	v_cndmask_b32_e32 v62, v113, v62, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 42, v67
	s_nop 0
	v_cndmask_b32_e32 v63, v113, v63, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 41, v67
	s_nop 0
	v_cndmask_b32_e32 v64, v113, v64, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 32, v67
	s_nop 0
	v_cndmask_b32_e32 v65, v113, v65, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 31, v67
	s_nop 0
	v_cndmask_b32_e32 v34, v113, v34, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 30, v67
	s_nop 0
	v_cndmask_b32_e32 v35, v113, v35, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 29, v67
	s_nop 0
	v_cndmask_b32_e32 v36, v113, v36, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 28, v67
	s_nop 0
	v_cndmask_b32_e32 v37, v113, v37, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 27, v67
	s_nop 0
	v_cndmask_b32_e32 v38, v113, v38, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 26, v67
	s_nop 0
	v_cndmask_b32_e32 v39, v113, v39, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_subrev_u32_e32 v91, 25, v67
	s_nop 0
	v_cndmask_b32_e32 v40, v113, v40, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_add_u32_e32 v91, -16, v67
	s_nop 0
	v_cndmask_b32_e32 v41, v113, v41, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_add_u32_e32 v91, -15, v67
	s_nop 0
	v_cndmask_b32_e32 v42, v113, v42, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_add_u32_e32 v91, -14, v67
	s_nop 0
	v_cndmask_b32_e32 v43, v113, v43, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_add_u32_e32 v91, -13, v67
	s_nop 0
	v_cndmask_b32_e32 v44, v113, v44, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_add_u32_e32 v91, -12, v67
	s_nop 0
	v_cndmask_b32_e32 v45, v113, v45, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_add_u32_e32 v91, -11, v67
	s_nop 0
	v_cndmask_b32_e32 v46, v113, v46, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	v_add_u32_e32 v91, -10, v67
	v_add_u32_e32 v67, -9, v67
	v_cndmask_b32_e32 v47, v113, v47, vcc
	v_cmp_gt_i32_e32 vcc, s9, v91
	s_nop 1
	v_cndmask_b32_e32 v48, v113, v48, vcc
	v_cmp_gt_i32_e32 vcc, s9, v67
	s_nop 1
	v_cndmask_b32_e32 v49, v113, v49, vcc
.LBB0_13:
	s_nop 8
	v_max3_f32 v67, v50, s37, v51
	v_max3_f32 v67, v67, v52, v53
	v_max3_f32 v67, v67, v54, v55
	v_max3_f32 v67, v67, v56, v57
	v_max3_f32 v67, v67, v58, v59
	v_max3_f32 v67, v67, v60, v61
	v_max3_f32 v67, v67, v62, v63
	v_max3_f32 v67, v67, v64, v65
	v_max3_f32 v67, v67, v34, v35
	v_max3_f32 v67, v67, v36, v37
	v_max3_f32 v67, v67, v38, v39
	v_max3_f32 v67, v67, v40, v41
	v_max3_f32 v67, v67, v42, v43
	v_max3_f32 v67, v67, v44, v45
	v_max3_f32 v67, v67, v46, v47
	v_max3_f32 v67, v67, v48, v49
	ds_bpermute_b32 v91, v100, v67
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 6
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_max3_f32 v91, v90, v67, v91
	v_pk_mul_f32 v[92:93], s[14:15], v[90:91]
	s_nop 0
	v_fma_f32 v50, s14, v50, -v93
	v_exp_f32_e32 v125, v50
	v_fma_f32 v50, s14, v53, -v93
	v_exp_f32_e32 v121, v50
	v_fma_f32 v50, s14, v54, -v93
	v_exp_f32_e32 v122, v50
	v_fma_f32 v50, s14, v55, -v93
	v_exp_f32_e32 v119, v50
	v_fma_f32 v50, s14, v56, -v93
	v_exp_f32_e32 v120, v50
	v_fma_f32 v50, s14, v57, -v93
	v_exp_f32_e32 v118, v50
	v_fma_f32 v50, s14, v58, -v93
	v_exp_f32_e32 v67, v50
	v_fma_f32 v50, s14, v59, -v93
	v_fma_f32 v51, s14, v51, -v93
	v_exp_f32_e32 v117, v50
	v_fma_f32 v50, s14, v60, -v93
	v_exp_f32_e32 v123, v51
	v_exp_f32_e32 v51, v50
	v_fma_f32 v50, s14, v61, -v93
	v_exp_f32_e32 v112, v50
	v_fma_f32 v50, s14, v62, -v93
	v_exp_f32_e32 v90, v50
	v_fma_f32 v50, s14, v63, -v93
	v_exp_f32_e32 v63, v50
	v_fma_f32 v50, s14, v64, -v93
	v_exp_f32_e32 v64, v50
	v_fma_f32 v50, s14, v65, -v93
	v_fma_f32 v34, s14, v34, -v93
	v_fma_f32 v52, s14, v52, -v93
	v_exp_f32_e32 v111, v50
	v_exp_f32_e32 v50, v34
	v_fma_f32 v34, s14, v35, -v93
	v_exp_f32_e32 v124, v52
	v_exp_f32_e32 v52, v34
	v_fma_f32 v34, s14, v36, -v93
	v_exp_f32_e32 v54, v34
	v_fma_f32 v34, s14, v37, -v93
	v_exp_f32_e32 v56, v34
	v_fma_f32 v34, s14, v38, -v93
	v_exp_f32_e32 v58, v34
	v_fma_f32 v34, s14, v39, -v93
	v_exp_f32_e32 v60, v34
	v_fma_f32 v34, s14, v40, -v93
	v_exp_f32_e32 v86, v34
	v_fma_f32 v34, s14, v41, -v93
	v_exp_f32_e32 v59, v34
	v_fma_f32 v34, s14, v42, -v93
	v_exp_f32_e32 v55, v34
	v_fma_f32 v34, s14, v43, -v93
	v_exp_f32_e32 v61, v34
	v_fma_f32 v34, s14, v44, -v93
	v_exp_f32_e32 v53, v34
	v_fma_f32 v34, s14, v45, -v93
	v_exp_f32_e32 v57, v34
	v_fma_f32 v34, s14, v46, -v93
	v_exp_f32_e32 v46, v34
	v_fma_f32 v34, s14, v47, -v93
	v_exp_f32_e32 v47, v34
	v_fma_f32 v34, s14, v48, -v93
	v_exp_f32_e32 v48, v34
	v_fma_f32 v34, s14, v49, -v93
	v_exp_f32_e32 v49, v34
	v_add_f32_e32 v34, v125, v123
	v_add_f32_e32 v34, v124, v34
	v_add_f32_e32 v34, v121, v34
	v_add_f32_e32 v34, v122, v34
	v_add_f32_e32 v34, v119, v34
	v_add_f32_e32 v34, v120, v34
	v_add_f32_e32 v34, v118, v34
	v_add_f32_e32 v34, v67, v34
	v_add_f32_e32 v34, v117, v34
	v_add_f32_e32 v34, v51, v34
	v_add_f32_e32 v34, v112, v34
	v_add_f32_e32 v34, v90, v34
	v_add_f32_e32 v34, v63, v34
	v_add_f32_e32 v34, v64, v34
	v_add_f32_e32 v34, v111, v34
	v_add_f32_e32 v34, v50, v34
	v_add_f32_e32 v34, v52, v34
	v_add_f32_e32 v34, v54, v34
	v_add_f32_e32 v34, v56, v34
	v_add_f32_e32 v34, v58, v34
	v_add_f32_e32 v34, v60, v34
	v_add_f32_e32 v34, v86, v34
	v_add_f32_e32 v34, v59, v34
	v_add_f32_e32 v34, v55, v34
	v_add_f32_e32 v34, v61, v34
	v_add_f32_e32 v34, v53, v34
	v_add_f32_e32 v34, v57, v34
	v_add_f32_e32 v34, v46, v34
	v_add_f32_e32 v34, v47, v34
	v_add_f32_e32 v34, v48, v34
	v_add_f32_e32 v42, v49, v34
	ds_bpermute_b32 v128, v100, v42
	v_lshl_add_u32 v45, s0, 8, v101
	s_add_i32 s0, s0, s18
	s_add_u32 s1, s12, s0
	s_addc_u32 s7, s13, 0
	s_add_i32 s34, s7, -1
	s_andn2_b64 vcc, exec, s[10:11]
	v_add_u32_e32 v44, v45, v103
	s_mul_i32 s35, s0, 0xcd9e8d57
	s_mul_hi_u32 s69, s0, 0xcd9e8d57
	s_cbranch_vccnz .LBB0_15
	s_xor_b32 s71, s23, s34
	v_mad_u64_u32 v[34:35], s[0:1], v164, s65, 0
	v_xor_b32_e32 v36, s71, v35
	v_mad_u64_u32 v[36:37], s[0:1], v36, s64, 0
	s_xor_b32 s71, s35, s27
	s_xor_b32 s70, s69, s39
	v_xor_b32_e32 v37, s71, v37
	v_mad_u64_u32 v[38:39], s[0:1], v37, s65, 0
	v_xor_b32_e32 v37, s70, v165
	v_mad_u64_u32 v[40:41], s[0:1], v37, s65, 0
	v_xor_b32_e32 v37, s28, v41
	v_xor_b32_e32 v34, v37, v34
	v_mad_u64_u32 v[142:143], s[0:1], v34, s64, 0
	v_xor_b32_e32 v62, s29, v143
	v_xor_b32_e32 v34, v62, v36
	v_xor_b32_e32 v36, s36, v39
	v_xor_b32_e32 v39, v36, v40
	v_mad_u64_u32 v[36:37], s[0:1], v34, s65, 0
	v_mad_u64_u32 v[130:131], s[0:1], v39, s64, 0
	v_xor_b32_e32 v37, s47, v37
	v_xor_b32_e32 v34, s46, v131
	v_xor_b32_e32 v37, v37, v38
	v_xor_b32_e32 v34, v34, v142
	v_mad_u64_u32 v[132:133], s[0:1], v37, s64, 0
	v_mad_u64_u32 v[38:39], s[0:1], v34, s65, 0
	v_xor_b32_e32 v34, s57, v133
	v_xor_b32_e32 v34, v34, v130
	v_xor_b32_e32 v37, s58, v39
	v_xor_b32_e32 v39, v37, v36
	v_mad_u64_u32 v[36:37], s[0:1], v34, s65, 0
	v_mad_u64_u32 v[130:131], s[0:1], v39, s64, 0
	v_xor_b32_e32 v37, s60, v37
	v_xor_b32_e32 v34, s59, v131
	v_xor_b32_e32 v37, v37, v38
	v_xor_b32_e32 v34, v34, v132
	v_mad_u64_u32 v[38:39], s[0:1], v37, s64, 0
	v_mad_u64_u32 v[144:145], s[0:1], v34, s65, 0
	v_xor_b32_e32 v34, v39, v130
	v_xor_b32_e32 v39, s61, v34
	v_xor_b32_e32 v34, v145, v36
	s_xor_b32 s0, s23, s7
	v_xor_b32_e32 v41, s62, v34
	v_xor_b32_e32 v34, s0, v35
	v_mad_u64_u32 v[34:35], s[0:1], v34, s64, 0
	v_xor_b32_e32 v35, s71, v35
	v_mad_u64_u32 v[36:37], s[0:1], v35, s65, 0
	v_xor_b32_e32 v35, s36, v37
	v_xor_b32_e32 v34, v62, v34
	v_xor_b32_e32 v37, v35, v40
	v_lshrrev_b32_e32 v131, 24, v144
	v_and_b32_e32 v139, 0xff, v144
	v_bfe_u32 v140, v144, 8, 8
	v_bfe_u32 v141, v144, 16, 8
	v_mad_u64_u32 v[34:35], s[0:1], v34, s65, 0
	v_mad_u64_u32 v[144:145], s[0:1], v37, s64, 0
	v_xor_b32_e32 v37, s46, v145
	v_xor_b32_e32 v35, s47, v35
	v_xor_b32_e32 v37, v37, v142
	v_xor_b32_e32 v35, v35, v36
	v_mad_u64_u32 v[36:37], s[0:1], v37, s65, 0
	v_mad_u64_u32 v[142:143], s[0:1], v35, s64, 0
	v_xor_b32_e32 v35, s57, v143
	v_xor_b32_e32 v37, s58, v37
	v_xor_b32_e32 v35, v35, v144
	v_xor_b32_e32 v37, v37, v34
	v_mad_u64_u32 v[34:35], s[0:1], v35, s65, 0
	v_mad_u64_u32 v[144:145], s[0:1], v37, s64, 0
	v_xor_b32_e32 v37, s59, v145
	v_xor_b32_e32 v35, s60, v35
	v_xor_b32_e32 v37, v37, v142
	v_xor_b32_e32 v35, v35, v36
	v_mad_u64_u32 v[36:37], s[0:1], v37, s65, 0
	v_mad_u64_u32 v[150:151], s[0:1], v35, s64, 0
	v_xor_b32_e32 v35, v151, v144
	v_xor_b32_e32 v34, v37, v34
	v_xor_b32_e32 v35, s61, v35
	v_xor_b32_e32 v37, s62, v34
	v_lshrrev_b32_e32 v65, 24, v39
	v_lshrrev_b32_e32 v129, 24, v38
	v_lshrrev_b32_e32 v130, 24, v41
	v_bfe_u32 v43, v39, 8, 8
	v_bfe_u32 v66, v39, 16, 8
	v_and_b32_e32 v134, 0xff, v38
	v_bfe_u32 v135, v38, 8, 8
	v_bfe_u32 v136, v38, 16, 8
	v_bfe_u32 v137, v41, 8, 8
	v_bfe_u32 v138, v41, 16, 8
	v_lshrrev_b32_e32 v142, 24, v35
	v_lshrrev_b32_e32 v143, 24, v150
	v_lshrrev_b32_e32 v144, 24, v37
	v_lshrrev_b32_e32 v145, 24, v36
	v_bfe_u32 v146, v35, 8, 8
	v_bfe_u32 v147, v35, 16, 8
	v_and_b32_e32 v148, 0xff, v150
	v_bfe_u32 v149, v150, 8, 8
	v_bfe_u32 v150, v150, 16, 8
	v_bfe_u32 v151, v37, 8, 8
	v_bfe_u32 v152, v37, 16, 8
	v_and_b32_e32 v153, 0xff, v36
	v_bfe_u32 v154, v36, 8, 8
	v_bfe_u32 v155, v36, 16, 8
	s_cbranch_execnz .LBB0_10
	s_branch .LBB0_16
.LBB0_15:
                                        ; implicit-def: $vgpr39
                                        ; implicit-def: $vgpr43
                                        ; implicit-def: $vgpr66
                                        ; implicit-def: $vgpr65
                                        ; implicit-def: $vgpr134
                                        ; implicit-def: $vgpr135
                                        ; implicit-def: $vgpr136
                                        ; implicit-def: $vgpr129
                                        ; implicit-def: $vgpr41
                                        ; implicit-def: $vgpr137
                                        ; implicit-def: $vgpr138
                                        ; implicit-def: $vgpr130
                                        ; implicit-def: $vgpr139
                                        ; implicit-def: $vgpr140
                                        ; implicit-def: $vgpr141
                                        ; implicit-def: $vgpr131
                                        ; implicit-def: $vgpr35
                                        ; implicit-def: $vgpr146
                                        ; implicit-def: $vgpr147
                                        ; implicit-def: $vgpr142
                                        ; implicit-def: $vgpr148
                                        ; implicit-def: $vgpr149
                                        ; implicit-def: $vgpr150
                                        ; implicit-def: $vgpr143
                                        ; implicit-def: $vgpr37
                                        ; implicit-def: $vgpr151
                                        ; implicit-def: $vgpr152
                                        ; implicit-def: $vgpr144
                                        ; implicit-def: $vgpr153
                                        ; implicit-def: $vgpr154
                                        ; implicit-def: $vgpr155
                                        ; implicit-def: $vgpr145
.LBB0_16:
	s_xor_b32 s34, s23, s34
	v_mad_u64_u32 v[34:35], s[0:1], v164, s65, 0
	v_xor_b32_e32 v36, s34, v35
	v_mad_u64_u32 v[36:37], s[0:1], v36, s64, 0
	s_xor_b32 s34, s35, s27
	s_xor_b32 s69, s69, s39
	v_xor_b32_e32 v37, s34, v37
	v_mad_u64_u32 v[130:131], s[0:1], v37, s65, 0
	v_xor_b32_e32 v37, s69, v165
	v_mad_u64_u32 v[40:41], s[0:1], v37, s65, 0
	v_xor_b32_e32 v37, s28, v41
	v_xor_b32_e32 v34, v37, v34
	v_mad_u64_u32 v[38:39], s[0:1], v34, s64, 0
	v_xor_b32_e32 v62, s29, v39
	v_xor_b32_e32 v34, v62, v36
	v_xor_b32_e32 v36, s36, v131
	v_xor_b32_e32 v39, v36, v40
	v_mad_u64_u32 v[36:37], s[0:1], v34, s65, 0
	v_mad_u64_u32 v[132:133], s[0:1], v39, s64, 0
	v_xor_b32_e32 v34, s46, v133
	v_xor_b32_e32 v37, s47, v37
	v_xor_b32_e32 v34, v34, v38
	v_xor_b32_e32 v37, v37, v130
	v_mad_u64_u32 v[130:131], s[0:1], v34, s65, 0
	v_mad_u64_u32 v[134:135], s[0:1], v37, s64, 0
	v_xor_b32_e32 v34, s57, v135
	v_xor_b32_e32 v37, s58, v131
	v_xor_b32_e32 v34, v34, v132
	v_xor_b32_e32 v39, v37, v36
	v_mad_u64_u32 v[36:37], s[0:1], v34, s65, 0
	v_mad_u64_u32 v[132:133], s[0:1], v39, s64, 0
	v_xor_b32_e32 v34, s59, v133
	v_xor_b32_e32 v37, s60, v37
	v_xor_b32_e32 v34, v34, v134
	v_xor_b32_e32 v37, v37, v130
	v_mad_u64_u32 v[142:143], s[0:1], v34, s65, 0
	v_mad_u64_u32 v[138:139], s[0:1], v37, s64, 0
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 1
	v_xor_b32_e32 v34, v139, v132
	s_and_b32 s0, s0, 0x7fffffe0
	v_xor_b32_e32 v39, s61, v34
	v_xor_b32_e32 v34, v143, v36
	v_or_b32_e32 v132, s0, v99
	v_xor_b32_e32 v41, s62, v34
	v_lshrrev_b32_e32 v34, 8, v39
	v_lshl_add_u32 v154, v132, 3, v105
	v_lshrrev_b32_e32 v65, 24, v39
	ds_write_b8 v154, v39
	ds_write_b8 v154, v34 offset:8
	ds_write_b8_d16_hi v154, v39 offset:16
	ds_write_b8 v154, v65 offset:24
	v_or_b32_e32 v34, s0, v161
	v_lshrrev_b32_e32 v36, 8, v138
	v_lshrrev_b32_e32 v37, 8, v41
	v_add_u32_e32 v159, s5, v34
	v_add_u32_e32 v34, s6, v99
	v_lshrrev_b32_e32 v129, 24, v138
	v_lshrrev_b32_e32 v130, 24, v41
	v_lshrrev_b32_e32 v139, 8, v142
	v_lshrrev_b32_e32 v131, 24, v142
	ds_write_b8 v154, v138 offset:32
	ds_write_b8 v154, v36 offset:40
	ds_write_b8_d16_hi v154, v138 offset:48
	ds_write_b8 v154, v129 offset:56
	ds_write_b8 v154, v41 offset:128
	ds_write_b8 v154, v37 offset:136
	ds_write_b8_d16_hi v154, v41 offset:144
	ds_write_b8 v154, v130 offset:152
	ds_write_b8 v154, v142 offset:160
	ds_write_b8 v154, v139 offset:168
	ds_write_b8_d16_hi v154, v142 offset:176
	ds_write_b8 v154, v131 offset:184
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[144:145], v45
	v_mad_u64_u32 v[36:37], s[0:1], v159, s16, v[34:35]
	v_cmp_gt_i32_e64 s[0:1], s9, v34
	v_cmp_gt_i32_e32 vcc, s8, v159
	s_and_b64 s[0:1], s[0:1], vcc
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v37, v36
	v_and_b32_e32 v139, 0xff, v142
	v_bfe_u32 v140, v142, 8, 8
	v_bfe_u32 v141, v142, 16, 8
	ds_read_b64 v[142:143], v44
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_store_byte v144, v37, s[52:55], 0 offen
	v_add_u32_e32 v37, 1, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v146, 8, v144
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v146, v37, s[52:55], 0 offen offset:1
	v_add_u32_e32 v37, 2, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v147, 16, v144
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v147, v37, s[52:55], 0 offen offset:2
	v_add_u32_e32 v37, 3, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v148, 24, v144
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v148, v37, s[52:55], 0 offen offset:3
	v_add_u32_e32 v37, 4, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v149, 8, v145
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v145, v37, s[52:55], 0 offen offset:4
	v_add_u32_e32 v37, 5, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v150, 16, v145
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v149, v37, s[52:55], 0 offen offset:5
	v_add_u32_e32 v37, 6, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v151, 24, v145
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v150, v37, s[52:55], 0 offen offset:6
	v_add_u32_e32 v37, 7, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v152, 8, v142
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v151, v37, s[52:55], 0 offen offset:7
	v_add_u32_e32 v37, 16, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v153, 16, v142
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v142, v37, s[52:55], 0 offen offset:16
	v_add_u32_e32 v37, 17, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v155, 24, v142
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v152, v37, s[52:55], 0 offen offset:17
	v_add_u32_e32 v37, 18, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v156, 8, v143
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v153, v37, s[52:55], 0 offen offset:18
	v_add_u32_e32 v37, 19, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_add_u32_e32 v142, 22, v36
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v155, v37, s[52:55], 0 offen offset:19
	v_add_u32_e32 v37, 20, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v157, 16, v143
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v143, v37, s[52:55], 0 offen offset:20
	v_add_u32_e32 v37, 21, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_mov_b32_e32 v43, 0x80000001
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v36, v37
	buffer_store_byte v156, v37, s[52:55], 0 offen offset:21
	v_add_u32_e32 v37, 22, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v158, 24, v143
	v_cndmask_b32_e64 v37, v114, 0, s[0:1]
	v_add_u32_e32 v37, v142, v37
	buffer_store_byte v157, v37, s[52:55], 0 offen
	v_add_u32_e32 v37, 23, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v37
	s_and_b64 s[0:1], s[0:1], vcc
	v_add_u32_e32 v115, 32, v34
	v_cndmask_b32_e64 v37, v43, 1, s[0:1]
	s_xor_b32 s0, s23, s7
	v_xor_b32_e32 v35, s0, v35
	v_add_u32_e32 v37, v37, v142
	v_mad_u64_u32 v[142:143], s[0:1], v35, s64, 0
	v_xor_b32_e32 v35, s34, v143
	v_mad_u64_u32 v[144:145], s[0:1], v35, s65, 0
	buffer_store_byte v158, v37, s[52:55], 0 offen
	v_xor_b32_e32 v37, s36, v145
	v_xor_b32_e32 v35, v62, v142
	v_xor_b32_e32 v37, v37, v40
	v_mad_u64_u32 v[142:143], s[0:1], v35, s65, 0
	v_mad_u64_u32 v[146:147], s[0:1], v37, s64, 0
	v_xor_b32_e32 v35, s46, v147
	v_xor_b32_e32 v37, s47, v143
	v_xor_b32_e32 v35, v35, v38
	v_xor_b32_e32 v37, v37, v144
	v_mad_u64_u32 v[144:145], s[0:1], v35, s65, 0
	v_mad_u64_u32 v[148:149], s[0:1], v37, s64, 0
	v_xor_b32_e32 v35, s57, v149
	v_xor_b32_e32 v37, s58, v145
	v_xor_b32_e32 v35, v35, v146
	v_xor_b32_e32 v37, v37, v142
	v_mad_u64_u32 v[142:143], s[0:1], v35, s65, 0
	v_mad_u64_u32 v[146:147], s[0:1], v37, s64, 0
	v_xor_b32_e32 v35, s59, v147
	v_xor_b32_e32 v37, s60, v143
	v_xor_b32_e32 v35, v35, v148
	v_xor_b32_e32 v37, v37, v144
	v_mad_u64_u32 v[156:157], s[0:1], v35, s65, 0
	v_mad_u64_u32 v[152:153], s[0:1], v37, s64, 0
	v_xor_b32_e32 v35, v153, v146
	v_xor_b32_e32 v37, v157, v142
	v_xor_b32_e32 v35, s61, v35
	v_xor_b32_e32 v37, s62, v37
	v_lshrrev_b32_e32 v38, 8, v35
	v_lshrrev_b32_e32 v40, 8, v152
	v_lshrrev_b32_e32 v62, 8, v37
	v_lshrrev_b32_e32 v142, 24, v35
	v_lshrrev_b32_e32 v143, 24, v152
	v_lshrrev_b32_e32 v144, 24, v37
	v_lshrrev_b32_e32 v153, 8, v156
	v_lshrrev_b32_e32 v145, 24, v156
	ds_write_b8 v154, v35
	ds_write_b8 v154, v38 offset:8
	ds_write_b8_d16_hi v154, v35 offset:16
	ds_write_b8 v154, v142 offset:24
	ds_write_b8 v154, v152 offset:32
	ds_write_b8 v154, v40 offset:40
	ds_write_b8_d16_hi v154, v152 offset:48
	ds_write_b8 v154, v143 offset:56
	ds_write_b8 v154, v37 offset:128
	ds_write_b8 v154, v62 offset:136
	ds_write_b8_d16_hi v154, v37 offset:144
	ds_write_b8 v154, v144 offset:152
	ds_write_b8 v154, v156 offset:160
	ds_write_b8 v154, v153 offset:168
	ds_write_b8_d16_hi v154, v156 offset:176
	ds_write_b8 v154, v145 offset:184
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[158:159], v45
	v_cmp_gt_i32_e64 s[0:1], s9, v115
	s_and_b64 s[0:1], s[0:1], vcc
	v_add_u32_e32 v1, 32, v36
	v_cndmask_b32_e64 v115, v114, 0, s[0:1]
	v_add_u32_e32 v115, v115, v1
	v_and_b32_e32 v153, 0xff, v156
	v_bfe_u32 v154, v156, 8, 8
	v_bfe_u32 v155, v156, 16, 8
	ds_read_b64 v[156:157], v44
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_store_byte v158, v115, s[52:55], 0 offen
	v_add_u32_e32 v115, 33, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v115
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v38, 8, v158
	v_cndmask_b32_e64 v115, v114, 0, s[0:1]
	v_add_u32_e32 v115, v1, v115
	buffer_store_byte v38, v115, s[52:55], 0 offen offset:1
	v_add_u32_e32 v38, 34, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v40, 16, v158
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v40, v38, s[52:55], 0 offen offset:2
	v_add_u32_e32 v38, 35, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v62, 24, v158
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v62, v38, s[52:55], 0 offen offset:3
	v_add_u32_e32 v38, 36, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v160, 8, v159
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v159, v38, s[52:55], 0 offen offset:4
	v_add_u32_e32 v38, 37, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_mov_b32_e32 v133, v107
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v160, v38, s[52:55], 0 offen offset:5
	v_add_u32_e32 v38, 38, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_mov_b32_e32 v107, v84
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_mov_b32_e32 v84, v87
	v_mov_b32_e32 v87, v103
	v_mov_b32_e32 v103, v101
	v_mov_b32_e32 v101, v161
	v_lshrrev_b32_e32 v161, 16, v159
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v161, v38, s[52:55], 0 offen offset:6
	v_add_u32_e32 v38, 39, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_mov_b32_e32 v132, v162
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_lshrrev_b32_e32 v162, 24, v159
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v162, v38, s[52:55], 0 offen offset:7
	v_add_u32_e32 v38, 48, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v163, 8, v156
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v156, v38, s[52:55], 0 offen offset:16
	v_add_u32_e32 v38, 49, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_mov_b32_e32 v126, v98
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v163, v38, s[52:55], 0 offen offset:17
	v_add_u32_e32 v38, 50, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_mov_b32_e32 v127, v85
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_mov_b32_e32 v85, v100
	v_mov_b32_e32 v100, v105
	v_mov_b32_e32 v105, v99
	v_mov_b64_e32 v[98:99], v[164:165]
	v_lshrrev_b32_e32 v164, 16, v156
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v164, v38, s[52:55], 0 offen offset:18
	v_add_u32_e32 v38, 51, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v165, 24, v156
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v165, v38, s[52:55], 0 offen offset:19
	v_add_u32_e32 v38, 52, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v166, 8, v157
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_add_u32_e32 v38, v1, v38
	buffer_store_byte v157, v38, s[52:55], 0 offen offset:20
	v_add_u32_e32 v38, 53, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v38
	s_and_b64 s[0:1], s[0:1], vcc
	v_add_u32_e32 v36, 54, v36
	v_cndmask_b32_e64 v38, v114, 0, s[0:1]
	v_add_u32_e32 v1, v1, v38
	buffer_store_byte v166, v1, s[52:55], 0 offen offset:21
	v_add_u32_e32 v1, 54, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v1
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v167, 16, v157
	v_cndmask_b32_e64 v1, v114, 0, s[0:1]
	v_add_u32_e32 v1, v36, v1
	buffer_store_byte v167, v1, s[52:55], 0 offen
	v_add_u32_e32 v1, 55, v34
	v_cmp_gt_i32_e64 s[0:1], s9, v1
	s_and_b64 s[0:1], s[0:1], vcc
	v_lshrrev_b32_e32 v66, 24, v157
	v_cndmask_b32_e64 v1, v43, 1, s[0:1]
	v_add_u32_e32 v1, v1, v36
	v_and_b32_e32 v134, 0xff, v138
	v_bfe_u32 v135, v138, 8, 8
	v_bfe_u32 v136, v138, 16, 8
	v_bfe_u32 v137, v41, 8, 8
	v_bfe_u32 v138, v41, 16, 8
	v_bfe_u32 v146, v35, 8, 8
	v_bfe_u32 v147, v35, 16, 8
	v_and_b32_e32 v148, 0xff, v152
	v_bfe_u32 v149, v152, 8, 8
	v_bfe_u32 v150, v152, 16, 8
	v_bfe_u32 v151, v37, 8, 8
	v_bfe_u32 v152, v37, 16, 8
	v_mov_b32_e32 v161, v101
	v_mov_b32_e32 v101, v103
	v_mov_b32_e32 v103, v87
	v_mov_b32_e32 v87, v84
	v_mov_b32_e32 v84, v107
	v_mov_b32_e32 v107, v133
	v_mov_b32_e32 v162, v132
	v_mov_b64_e32 v[164:165], v[98:99]
	v_mov_b32_e32 v99, v105
	v_mov_b32_e32 v105, v100
	v_mov_b32_e32 v100, v85
	v_mov_b32_e32 v85, v127
	v_mov_b32_e32 v98, v126
	v_bfe_u32 v43, v39, 8, 8
	buffer_store_byte v66, v1, s[52:55], 0 offen
	v_bfe_u32 v66, v39, 16, 8
	s_add_i32 s6, s6, 64
	s_branch .LBB0_10
.LBB0_17:
                                        ; implicit-def: $vgpr5
                                        ; implicit-def: $vgpr9
                                        ; implicit-def: $vgpr13
                                        ; implicit-def: $vgpr17
                                        ; implicit-def: $vgpr3
                                        ; implicit-def: $vgpr7
                                        ; implicit-def: $vgpr11
                                        ; implicit-def: $vgpr15
                                        ; implicit-def: $vgpr25
                                        ; implicit-def: $vgpr14
                                        ; implicit-def: $vgpr24
                                        ; implicit-def: $vgpr10
                                        ; implicit-def: $vgpr23
                                        ; implicit-def: $vgpr6
                                        ; implicit-def: $vgpr22
                                        ; implicit-def: $vgpr2
                                        ; implicit-def: $vgpr21
                                        ; implicit-def: $vgpr20
                                        ; implicit-def: $vgpr19
                                        ; implicit-def: $vgpr16
                                        ; implicit-def: $vgpr18
                                        ; implicit-def: $vgpr12
                                        ; implicit-def: $vgpr8
                                        ; implicit-def: $vgpr4
	s_cbranch_execnz .LBB0_19
	s_branch .LBB0_20
.LBB0_18:
	s_mov_b32 s0, 0x652b82fe
	v_cvt_f64_f32_e32 v[34:35], v93
	s_mov_b32 s1, 0x3ff71547
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0
	v_div_scale_f64 v[36:37], s[6:7], s[0:1], s[0:1], v[34:35]
	v_rcp_f64_e32 v[38:39], v[36:37]
	v_log_f32_e32 v1, v62
	s_lshl_b32 s26, s8, 2
	s_mov_b32 s27, 0x20000
	v_fma_f64 v[40:41], -v[36:37], v[38:39], 1.0
	v_fmac_f64_e32 v[38:39], v[38:39], v[40:41]
	v_fma_f64 v[40:41], -v[36:37], v[38:39], 1.0
	v_fmac_f64_e32 v[38:39], v[38:39], v[40:41]
	v_div_scale_f64 v[40:41], vcc, v[34:35], s[0:1], v[34:35]
	v_mul_f64 v[42:43], v[40:41], v[38:39]
	v_fma_f64 v[36:37], -v[36:37], v[42:43], v[40:41]
	s_nop 1
	v_div_fmas_f64 v[36:37], v[36:37], v[38:39], v[42:43]
	v_div_fixup_f64 v[34:35], v[36:37], s[0:1], v[34:35]
	s_mov_b32 s0, 0x3f317217
	v_mul_f32_e32 v36, 0x3f317217, v1
	v_fma_f32 v37, v1, s0, -v36
	v_fmamk_f32 v37, v1, 0x3377d1cf, v37
	s_mov_b32 s0, 0x7f800000
	v_add_f32_e32 v36, v36, v37
	v_cmp_lt_f32_e64 vcc, |v1|, s0
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 1
	v_cndmask_b32_e32 v1, v1, v36, vcc
	v_cvt_f64_f32_e32 v[36:37], v1
	v_add_f64 v[34:35], v[34:35], v[36:37]
	s_and_b32 s0, s0, 0x7fffffe0
	v_cvt_f32_f64_e32 v1, v[34:35]
	v_or_b32_e32 v34, s0, v161
	v_add_u32_e32 v34, s5, v34
	v_bfrev_b32_e32 v35, 1
	v_cmp_gt_i32_e32 vcc, s8, v34
	s_nop 1
	v_cndmask_b32_e64 v35, v35, 0, vcc
	v_lshl_add_u32 v34, v34, 2, v35
	buffer_store_dword v1, v34, s[24:27], 0 offen
	v_div_scale_f32 v1, s[0:1], v62, v62, 1.0
	v_rcp_f32_e32 v34, v1
	v_div_scale_f32 v35, vcc, 1.0, v62, 1.0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
	v_fma_f32 v36, -v1, v34, 1.0
	v_fmac_f32_e32 v34, v36, v34
	v_mul_f32_e32 v36, v35, v34
	v_fma_f32 v37, -v1, v36, v35
	v_fmac_f32_e32 v36, v37, v34
	v_fma_f32 v1, -v1, v36, v35
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
	v_div_fmas_f32 v1, v1, v34, v36
	v_div_fixup_f32 v34, v1, v62, 1.0
	v_pk_mul_f32 v[24:25], v[34:35], v[24:25] op_sel_hi:[0,1]
	v_pk_mul_f32 v[38:39], v[34:35], v[8:9] op_sel_hi:[0,1]
	v_pk_mul_f32 v[40:41], v[34:35], v[12:13] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v9, v25
	v_cvt_f16_f32_e32 v13, v24
	v_cvt_f16_f32_e32 v24, v39
	v_cvt_f16_f32_e32 v25, v38
	scratch_load_dwordx2 v[38:39], off, off
	v_pk_mul_f32 v[20:21], v[34:35], v[20:21] op_sel_hi:[0,1]
	v_pk_mul_f32 v[36:37], v[34:35], v[4:5] op_sel_hi:[0,1]
	v_cvt_f16_f32_e32 v1, v21
	v_cvt_f16_f32_e32 v5, v20
	v_pk_mul_f32 v[28:29], v[34:35], v[28:29] op_sel_hi:[0,1]
	v_pack_b32_f16 v9, v13, v9
	v_cvt_f16_f32_e32 v13, v28
	v_pack_b32_f16 v5, v5, v1
	v_cvt_f16_f32_e32 v1, v29
	v_pk_mul_f32 v[32:33], v[34:35], v[32:33] op_sel_hi:[0,1]
	v_pk_mul_f32 v[42:43], v[34:35], v[16:17] op_sel_hi:[0,1]
	v_fma_mixlo_f16 v4, v34, v18, 0
	v_fma_mixlo_f16 v12, v34, v22, 0
	v_fma_mixlo_f16 v18, v34, v23, 0
	v_cvt_f16_f32_e32 v17, v33
	v_cvt_f16_f32_e32 v22, v32
	v_pack_b32_f16 v13, v13, v1
	v_cvt_f16_f32_e32 v1, v37
	v_cvt_f16_f32_e32 v23, v36
	v_fma_mixlo_f16 v8, v34, v19, 0
	v_fma_mixlo_f16 v16, v34, v26, 0
	v_fma_mixlo_f16 v19, v34, v27, 0
	v_pack_b32_f16 v17, v22, v17
	v_fma_mixlo_f16 v22, v34, v3, 0
	v_pack_b32_f16 v3, v23, v1
	v_fma_mixlo_f16 v23, v34, v7, 0
	v_pack_b32_f16 v7, v25, v24
	v_cvt_f16_f32_e32 v1, v41
	v_cvt_f16_f32_e32 v25, v40
	v_cvt_f16_f32_e32 v26, v43
	v_cvt_f16_f32_e32 v27, v42
	v_fma_mixlo_f16 v20, v34, v30, 0
	v_fma_mixlo_f16 v21, v34, v31, 0
	v_fma_mixlo_f16 v2, v34, v2, 0
	v_fma_mixlo_f16 v6, v34, v6, 0
	v_fma_mixlo_f16 v10, v34, v10, 0
	v_fma_mixlo_f16 v24, v34, v11, 0
	v_pack_b32_f16 v11, v25, v1
	v_fma_mixlo_f16 v14, v34, v14, 0
	v_fma_mixlo_f16 v25, v34, v15, 0
	v_pack_b32_f16 v15, v27, v26
	s_branch .LBB0_20
.LBB0_19:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 1
	s_and_b32 s0, s0, 0x7fffffe0
	v_or_b32_e32 v2, s0, v161
	v_add_u32_e32 v2, s5, v2
	v_bfrev_b32_e32 v3, 1
	v_cmp_gt_i32_e32 vcc, s8, v2
	s_lshl_b32 s26, s8, 2
	s_mov_b32 s27, 0x20000
	v_cndmask_b32_e64 v3, v3, 0, vcc
	v_lshl_add_u32 v2, v2, 2, v3
	v_mov_b32_e32 v3, 0xff800000
	buffer_store_dword v3, v2, s[24:27], 0 offen
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
.LBB0_20:
	s_sub_i32 s0, s3, s56
	s_lshl_b32 s3, s0, 6
	s_add_i32 s0, s8, -1
	s_mul_i32 s0, s38, s0
	s_add_i32 s9, s0, s19
	s_mul_hi_i32 s1, s33, s2
	s_mul_i32 s0, s33, s2
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s2, s30, s0
	s_addc_u32 s10, s31, s1
	s_mul_hi_i32 s1, s22, s4
	s_mul_i32 s0, s22, s4
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
	s_addc_u32 s1, s10, s1
	s_lshr_b32 s2, s2, 1
	s_and_b32 s2, s2, 0x7fffffe0
	v_or_b32_e32 v1, s2, v161
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v0, 3, v38
	v_add_u32_e32 v1, s5, v1
	v_and_or_b32 v0, v0, 12, s3
	v_mul_lo_u32 v18, v1, s38
	v_cmp_gt_i32_e32 vcc, s8, v1
	s_mov_b64 s[6:7], exec
	s_lshl_b32 s2, s9, 1
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
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel ck_fmha_fwd_dropout
		.amdhsa_group_segment_fixed_size 4608
		.amdhsa_private_segment_fixed_size 12
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
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 168
		.amdhsa_next_free_sgpr 72
		.amdhsa_accum_offset 168
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
	.section	.text.ck_fmha_fwd_dropout,"axG",@progbits,ck_fmha_fwd_dropout,comdat
.Lfunc_end0:
	.size	ck_fmha_fwd_dropout, .Lfunc_end0-ck_fmha_fwd_dropout
                                        ; -- End function
	.set ck_fmha_fwd_dropout.num_vgpr, 168
	.set ck_fmha_fwd_dropout.num_agpr, 0
	.set ck_fmha_fwd_dropout.numbered_sgpr, 72
	.set ck_fmha_fwd_dropout.num_named_barrier, 0
	.set ck_fmha_fwd_dropout.private_seg_size, 12
	.set ck_fmha_fwd_dropout.uses_vcc, 1
	.set ck_fmha_fwd_dropout.uses_flat_scratch, 0
	.set ck_fmha_fwd_dropout.has_dyn_sized_stack, 0
	.set ck_fmha_fwd_dropout.has_recursion, 0
	.set ck_fmha_fwd_dropout.has_indirect_call, 0
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
        .size:           200
        .value_kind:     by_value
    .group_segment_fixed_size: 4608
    .kernarg_segment_align: 8
    .kernarg_segment_size: 200
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_fmha_fwd_dropout
    .private_segment_fixed_size: 12
    .sgpr_count:     78
    .sgpr_spill_count: 0
    .symbol:         ck_fmha_fwd_dropout.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     168
    .vgpr_spill_count: 2
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
