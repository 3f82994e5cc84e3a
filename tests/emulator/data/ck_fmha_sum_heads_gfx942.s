; The sum over grouped heads (fp16) of tilewright, compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
ck_fmha_sum_heads:
	s_load_dword s28, s[0:1], 0x50
	s_load_dwordx4 s[20:23], s[0:1], 0x40
	s_add_u32 s4, s0, 0x50
	s_addc_u32 s5, s1, 0
	v_mov_b32_e32 v2, 0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_u32 s2, s28
	s_cselect_b32 s6, 12, 18
	s_add_u32 s4, s4, s6
	s_addc_u32 s5, s5, 0
	global_load_ushort v3, v2, s[4:5]
	s_mul_i32 s5, s21, s20
	s_ashr_i32 s25, s22, 31
	s_mul_hi_i32 s4, s21, s20
	s_mul_hi_u32 s6, s5, s22
	s_mul_i32 s26, s5, s22
	s_mul_i32 s5, s5, s25
	s_mul_i32 s4, s4, s22
	s_add_i32 s5, s6, s5
	v_mov_b32_e32 v1, v2
	s_add_i32 s27, s5, s4
	s_mov_b32 s33, 0
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s4, v3
	v_and_b32_e32 v3, 0xffff, v3
	v_mad_u64_u32 v[0:1], s[6:7], v3, s2, v[0:1]
	v_cmp_gt_i64_e32 vcc, s[26:27], v[0:1]
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz .LBB0_15
	s_and_b32 s2, s4, 0xffff
	s_load_dwordx16 s[4:19], s[0:1], 0x0
	s_mov_b32 s24, s22
	s_mul_i32 s0, s28, 0
	s_mul_hi_u32 s1, s2, s28
	s_ashr_i32 s22, s21, 31
	s_mov_b32 s38, s21
	s_add_i32 s21, s1, s0
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s0, s15, s3
	s_mul_hi_u32 s1, s14, s3
	v_cvt_f32_u32_e32 v3, s24
	s_add_i32 s1, s1, s0
	s_mul_i32 s0, s14, s3
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s6, s6, s0
	s_mul_i32 s20, s2, s28
	s_addc_u32 s7, s7, s1
	s_ashr_i32 s28, s23, 31
	v_rcp_iflag_f32_e32 v3, v3
	s_cmp_gt_i32 s23, 0
	s_mul_i32 s0, s9, s3
	s_mul_hi_u32 s1, s8, s3
	s_cselect_b64 s[14:15], -1, 0
	s_add_i32 s1, s1, s0
	s_mul_i32 s0, s8, s3
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s2, s4, s0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	s_addc_u32 s3, s5, s1
	s_mul_hi_u32 s0, s12, s23
	s_mul_i32 s1, s12, s28
	v_cvt_u32_f32_e32 v9, v3
	s_add_i32 s0, s0, s1
	s_mul_i32 s1, s13, s23
	s_add_i32 s1, s0, s1
	s_mul_i32 s0, s12, s23
	s_lshl_b64 s[4:5], s[0:1], 1
	s_lshl_b64 s[8:9], s[10:11], 1
	s_lshl_b64 s[10:11], s[24:25], 1
	s_lshl_b64 s[12:13], s[12:13], 1
	s_mov_b64 s[28:29], 0
	s_branch .LBB0_3
.LBB0_2:
	v_mul_lo_u32 v11, v5, s24
	v_mul_lo_u32 v12, v4, s25
	v_mad_u64_u32 v[4:5], s[0:1], v4, s24, 0
	v_add3_u32 v5, v5, v12, v11
	v_mul_lo_u32 v11, v7, s16
	v_mul_lo_u32 v12, v6, s17
	v_mad_u64_u32 v[6:7], s[0:1], v6, s16, 0
	v_sub_co_u32_e32 v4, vcc, v0, v4
	v_add3_u32 v7, v7, v12, v11
	v_mul_lo_u32 v3, v3, s18
	v_mul_lo_u32 v11, v8, s19
	v_mad_u64_u32 v[12:13], s[0:1], v8, s18, 0
	v_subb_co_u32_e32 v5, vcc, v1, v5, vcc
	v_add3_u32 v13, v13, v11, v3
	v_lshl_add_u64 v[6:7], v[6:7], 1, s[6:7]
	v_lshl_add_u64 v[0:1], v[0:1], 0, s[20:21]
	v_lshl_add_u64 v[6:7], v[12:13], 1, v[6:7]
	v_cmp_le_i64_e32 vcc, s[26:27], v[0:1]
	v_lshl_add_u64 v[4:5], v[4:5], 1, v[6:7]
	s_or_b64 s[28:29], vcc, s[28:29]
	global_store_short v[4:5], v10, off
	s_andn2_b64 exec, exec, s[28:29]
	s_cbranch_execz .LBB0_15
.LBB0_3:
                                        ;     Child Loop BB0_13 Depth 2
	v_or_b32_e32 v3, s25, v1
	v_cmp_ne_u64_e32 vcc, 0, v[2:3]
                                        ; implicit-def: $vgpr4_vgpr5
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[30:31], exec, s[0:1]
	s_cbranch_execz .LBB0_5
	s_ashr_i32 s34, s25, 31
	s_add_u32 s0, s24, s34
	s_mov_b32 s35, s34
	s_addc_u32 s1, s25, s34
	s_xor_b64 s[36:37], s[0:1], s[34:35]
	v_cvt_f32_u32_e32 v3, s36
	v_cvt_f32_u32_e32 v4, s37
	s_sub_u32 s0, 0, s36
	s_subb_u32 s1, 0, s37
	v_mov_b32_e32 v11, v2
	v_fmac_f32_e32 v3, 0x4f800000, v4
	v_rcp_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v4, 0x2f800000, v3
	v_trunc_f32_e32 v4, v4
	v_fmac_f32_e32 v3, 0xcf800000, v4
	v_cvt_u32_f32_e32 v4, v4
	v_cvt_u32_f32_e32 v3, v3
	v_readfirstlane_b32 s35, v4
	v_readfirstlane_b32 s39, v3
	s_mul_i32 s40, s0, s35
	s_mul_hi_u32 s42, s0, s39
	s_mul_i32 s41, s1, s39
	s_add_i32 s40, s42, s40
	s_add_i32 s40, s40, s41
	s_mul_i32 s43, s0, s39
	s_mul_i32 s42, s39, s40
	s_mul_hi_u32 s44, s39, s43
	s_mul_hi_u32 s41, s39, s40
	s_add_u32 s42, s44, s42
	s_addc_u32 s41, 0, s41
	s_mul_hi_u32 s45, s35, s43
	s_mul_i32 s43, s35, s43
	s_add_u32 s42, s42, s43
	s_mul_hi_u32 s44, s35, s40
	s_addc_u32 s41, s41, s45
	s_addc_u32 s42, s44, 0
	s_mul_i32 s40, s35, s40
	s_add_u32 s40, s41, s40
	s_addc_u32 s41, 0, s42
	s_add_u32 s39, s39, s40
	s_addc_u32 s35, s35, s41
	s_mul_i32 s40, s0, s35
	s_mul_hi_u32 s41, s0, s39
	s_add_i32 s40, s41, s40
	s_mul_i32 s1, s1, s39
	s_add_i32 s40, s40, s1
	s_mul_i32 s0, s0, s39
	s_mul_hi_u32 s41, s35, s0
	s_mul_i32 s42, s35, s0
	s_mul_i32 s44, s39, s40
	s_mul_hi_u32 s0, s39, s0
	s_mul_hi_u32 s43, s39, s40
	s_add_u32 s0, s0, s44
	s_addc_u32 s43, 0, s43
	s_add_u32 s0, s0, s42
	s_mul_hi_u32 s1, s35, s40
	s_addc_u32 s0, s43, s41
	s_addc_u32 s1, s1, 0
	s_mul_i32 s40, s35, s40
	s_add_u32 s0, s0, s40
	v_ashrrev_i32_e32 v4, 31, v1
	s_addc_u32 s1, 0, s1
	v_mov_b32_e32 v5, v4
	s_add_u32 s39, s39, s0
	v_lshl_add_u64 v[6:7], v[0:1], 0, v[4:5]
	s_addc_u32 s35, s35, s1
	v_xor_b32_e32 v5, v6, v4
	v_xor_b32_e32 v3, v7, v4
	v_mad_u64_u32 v[6:7], s[0:1], v5, s35, 0
	v_mul_hi_u32 v10, v5, s39
	v_lshl_add_u64 v[6:7], v[10:11], 0, v[6:7]
	v_mad_u64_u32 v[12:13], s[0:1], v3, s39, 0
	v_add_co_u32_e32 v6, vcc, v6, v12
	v_mad_u64_u32 v[10:11], s[0:1], v3, s35, 0
	s_nop 0
	v_addc_co_u32_e32 v6, vcc, v7, v13, vcc
	v_mov_b32_e32 v7, s33
	s_nop 0
	v_addc_co_u32_e32 v11, vcc, 0, v11, vcc
	v_lshl_add_u64 v[6:7], v[6:7], 0, v[10:11]
	v_mul_lo_u32 v8, s37, v6
	v_mul_lo_u32 v12, s36, v7
	v_mad_u64_u32 v[10:11], s[0:1], s36, v6, 0
	v_add3_u32 v8, v11, v12, v8
	v_sub_u32_e32 v11, v3, v8
	v_mov_b32_e32 v12, s37
	v_sub_co_u32_e32 v5, vcc, v5, v10
	s_nop 1
	v_subb_co_u32_e64 v10, s[0:1], v11, v12, vcc
	v_subrev_co_u32_e64 v11, s[0:1], s36, v5
	v_subb_co_u32_e32 v3, vcc, v3, v8, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v10, s[0:1], 0, v10, s[0:1]
	v_cmp_le_u32_e64 s[0:1], s37, v10
	v_cmp_le_u32_e32 vcc, s37, v3
	s_nop 0
	v_cndmask_b32_e64 v12, 0, -1, s[0:1]
	v_cmp_le_u32_e64 s[0:1], s36, v11
	v_cndmask_b32_e64 v8, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s36, v5
	v_cndmask_b32_e64 v11, 0, -1, s[0:1]
	v_cmp_eq_u32_e64 s[0:1], s37, v10
	v_cndmask_b32_e64 v5, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s37, v3
	v_cndmask_b32_e64 v14, v12, v11, s[0:1]
	v_lshl_add_u64 v[10:11], v[6:7], 0, 2
	v_lshl_add_u64 v[12:13], v[6:7], 0, 1
	v_cmp_ne_u32_e64 s[0:1], 0, v14
	v_cndmask_b32_e32 v3, v8, v5, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	v_cndmask_b32_e64 v5, v12, v10, s[0:1]
	v_cndmask_b32_e64 v11, v13, v11, s[0:1]
	v_cndmask_b32_e32 v5, v6, v5, vcc
	v_xor_b32_e32 v6, s34, v4
	v_cndmask_b32_e32 v3, v7, v11, vcc
	v_xor_b32_e32 v4, v5, v6
	v_xor_b32_e32 v3, v3, v6
	v_sub_co_u32_e32 v4, vcc, v4, v6
	s_nop 1
	v_subb_co_u32_e32 v5, vcc, v3, v6, vcc
.LBB0_5:
	s_andn2_saveexec_b64 s[0:1], s[30:31]
	s_cbranch_execz .LBB0_7
	s_sub_i32 s30, 0, s24
	v_mul_lo_u32 v3, s30, v9
	v_mul_hi_u32 v3, v9, v3
	v_add_u32_e32 v3, v9, v3
	v_mul_hi_u32 v3, v0, v3
	v_mul_lo_u32 v4, v3, s24
	v_sub_u32_e32 v4, v0, v4
	v_subrev_u32_e32 v5, s24, v4
	v_cmp_le_u32_e32 vcc, s24, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_add_u32_e32 v5, 1, v3
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_add_u32_e32 v5, 1, v3
	v_cmp_le_u32_e32 vcc, s24, v4
	s_nop 1
	v_cndmask_b32_e32 v4, v3, v5, vcc
	v_mov_b32_e32 v5, v2
.LBB0_7:
	s_or_b64 exec, exec, s[0:1]
	v_or_b32_e32 v3, s22, v5
	v_cmp_ne_u64_e32 vcc, 0, v[2:3]
                                        ; implicit-def: $vgpr6_vgpr7
	s_and_saveexec_b64 s[0:1], vcc
	s_xor_b64 s[30:31], exec, s[0:1]
	s_cbranch_execz .LBB0_9
	s_ashr_i32 s34, s22, 31
	s_add_u32 s0, s38, s34
	s_mov_b32 s35, s34
	s_addc_u32 s1, s22, s34
	s_xor_b64 s[36:37], s[0:1], s[34:35]
	v_cvt_f32_u32_e32 v3, s36
	v_cvt_f32_u32_e32 v6, s37
	s_sub_u32 s0, 0, s36
	s_subb_u32 s1, 0, s37
	v_mov_b32_e32 v13, v2
	v_fmac_f32_e32 v3, 0x4f800000, v6
	v_rcp_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x5f7ffffc, v3
	v_mul_f32_e32 v6, 0x2f800000, v3
	v_trunc_f32_e32 v6, v6
	v_fmac_f32_e32 v3, 0xcf800000, v6
	v_cvt_u32_f32_e32 v6, v6
	v_cvt_u32_f32_e32 v3, v3
	v_readfirstlane_b32 s35, v6
	v_readfirstlane_b32 s39, v3
	s_mul_i32 s40, s0, s35
	s_mul_hi_u32 s42, s0, s39
	s_mul_i32 s41, s1, s39
	s_add_i32 s40, s42, s40
	s_add_i32 s40, s40, s41
	s_mul_i32 s43, s0, s39
	s_mul_i32 s42, s39, s40
	s_mul_hi_u32 s44, s39, s43
	s_mul_hi_u32 s41, s39, s40
	s_add_u32 s42, s44, s42
	s_addc_u32 s41, 0, s41
	s_mul_hi_u32 s45, s35, s43
	s_mul_i32 s43, s35, s43
	s_add_u32 s42, s42, s43
	s_mul_hi_u32 s44, s35, s40
	s_addc_u32 s41, s41, s45
	s_addc_u32 s42, s44, 0
	s_mul_i32 s40, s35, s40
	s_add_u32 s40, s41, s40
	s_addc_u32 s41, 0, s42
	s_add_u32 s39, s39, s40
	s_addc_u32 s35, s35, s41
	s_mul_i32 s40, s0, s35
	s_mul_hi_u32 s41, s0, s39
	s_add_i32 s40, s41, s40
	s_mul_i32 s1, s1, s39
	s_add_i32 s40, s40, s1
	s_mul_i32 s0, s0, s39
	s_mul_hi_u32 s41, s35, s0
	s_mul_i32 s42, s35, s0
	s_mul_i32 s44, s39, s40
	s_mul_hi_u32 s0, s39, s0
	s_mul_hi_u32 s43, s39, s40
	s_add_u32 s0, s0, s44
	s_addc_u32 s43, 0, s43
	s_add_u32 s0, s0, s42
	s_mul_hi_u32 s1, s35, s40
	s_addc_u32 s0, s43, s41
	s_addc_u32 s1, s1, 0
	s_mul_i32 s40, s35, s40
	s_add_u32 s0, s0, s40
	v_ashrrev_i32_e32 v6, 31, v5
	s_addc_u32 s1, 0, s1
	v_mov_b32_e32 v7, v6
	s_add_u32 s39, s39, s0
	v_lshl_add_u64 v[10:11], v[4:5], 0, v[6:7]
	s_addc_u32 s35, s35, s1
	v_xor_b32_e32 v7, v10, v6
	v_xor_b32_e32 v3, v11, v6
	v_mad_u64_u32 v[10:11], s[0:1], v7, s35, 0
	v_mul_hi_u32 v12, v7, s39
	v_lshl_add_u64 v[10:11], v[12:13], 0, v[10:11]
	v_mad_u64_u32 v[14:15], s[0:1], v3, s39, 0
	v_add_co_u32_e32 v8, vcc, v10, v14
	v_mad_u64_u32 v[12:13], s[0:1], v3, s35, 0
	s_nop 0
	v_addc_co_u32_e32 v10, vcc, v11, v15, vcc
	v_mov_b32_e32 v11, s33
	s_nop 0
	v_addc_co_u32_e32 v13, vcc, 0, v13, vcc
	v_lshl_add_u64 v[10:11], v[10:11], 0, v[12:13]
	v_mul_lo_u32 v8, s37, v10
	v_mul_lo_u32 v14, s36, v11
	v_mad_u64_u32 v[12:13], s[0:1], s36, v10, 0
	v_add3_u32 v8, v13, v14, v8
	v_sub_u32_e32 v13, v3, v8
	v_mov_b32_e32 v14, s37
	v_sub_co_u32_e32 v7, vcc, v7, v12
	s_nop 1
	v_subb_co_u32_e64 v12, s[0:1], v13, v14, vcc
	v_subrev_co_u32_e64 v13, s[0:1], s36, v7
	v_subb_co_u32_e32 v3, vcc, v3, v8, vcc
	s_nop 0
	v_subbrev_co_u32_e64 v12, s[0:1], 0, v12, s[0:1]
	v_cmp_le_u32_e64 s[0:1], s37, v12
	v_cmp_le_u32_e32 vcc, s37, v3
	s_nop 0
	v_cndmask_b32_e64 v14, 0, -1, s[0:1]
	v_cmp_le_u32_e64 s[0:1], s36, v13
	v_cndmask_b32_e64 v8, 0, -1, vcc
	v_cmp_le_u32_e32 vcc, s36, v7
	v_cndmask_b32_e64 v13, 0, -1, s[0:1]
	v_cmp_eq_u32_e64 s[0:1], s37, v12
	v_cndmask_b32_e64 v7, 0, -1, vcc
	v_cmp_eq_u32_e32 vcc, s37, v3
	v_cndmask_b32_e64 v16, v14, v13, s[0:1]
	v_lshl_add_u64 v[12:13], v[10:11], 0, 2
	v_lshl_add_u64 v[14:15], v[10:11], 0, 1
	v_cmp_ne_u32_e64 s[0:1], 0, v16
	v_cndmask_b32_e32 v3, v8, v7, vcc
	v_cmp_ne_u32_e32 vcc, 0, v3
	v_cndmask_b32_e64 v7, v14, v12, s[0:1]
	v_cndmask_b32_e64 v13, v15, v13, s[0:1]
	v_cndmask_b32_e32 v7, v10, v7, vcc
	v_xor_b32_e32 v8, s34, v6
	v_cndmask_b32_e32 v3, v11, v13, vcc
	v_xor_b32_e32 v6, v7, v8
	v_xor_b32_e32 v3, v3, v8
	v_sub_co_u32_e32 v6, vcc, v6, v8
	s_nop 1
	v_subb_co_u32_e32 v7, vcc, v3, v8, vcc
.LBB0_9:
	s_andn2_saveexec_b64 s[0:1], s[30:31]
	s_cbranch_execz .LBB0_11
	v_cvt_f32_u32_e32 v3, s38
	s_sub_i32 s30, 0, s38
	v_rcp_iflag_f32_e32 v3, v3
	s_nop 0
	v_mul_f32_e32 v3, 0x4f7ffffe, v3
	v_cvt_u32_f32_e32 v3, v3
	v_mul_lo_u32 v6, s30, v3
	v_mul_hi_u32 v6, v3, v6
	v_add_u32_e32 v3, v3, v6
	v_mul_hi_u32 v3, v4, v3
	v_mul_lo_u32 v6, v3, s38
	v_sub_u32_e32 v6, v4, v6
	v_add_u32_e32 v7, 1, v3
	v_subrev_u32_e32 v8, s38, v6
	v_cmp_le_u32_e32 vcc, s38, v6
	s_nop 1
	v_cndmask_b32_e32 v6, v6, v8, vcc
	v_cndmask_b32_e32 v3, v3, v7, vcc
	v_add_u32_e32 v7, 1, v3
	v_cmp_le_u32_e32 vcc, s38, v6
	s_nop 1
	v_cndmask_b32_e32 v6, v3, v7, vcc
	v_mov_b32_e32 v7, v2
.LBB0_11:
	s_or_b64 exec, exec, s[0:1]
	v_mul_lo_u32 v3, v7, s38
	v_mul_lo_u32 v8, v6, s22
	v_mad_u64_u32 v[10:11], s[0:1], v6, s38, 0
	v_add3_u32 v3, v11, v8, v3
	v_sub_co_u32_e32 v8, vcc, v4, v10
	v_mov_b32_e32 v10, 0
	s_nop 0
	v_subb_co_u32_e32 v3, vcc, v5, v3, vcc
	s_andn2_b64 vcc, exec, s[14:15]
	s_cbranch_vccnz .LBB0_2
	v_mul_lo_u32 v12, s9, v6
	v_mul_lo_u32 v13, s8, v7
	v_mad_u64_u32 v[10:11], s[0:1], s8, v6, 0
	v_add3_u32 v11, v11, v13, v12
	v_mad_u64_u32 v[10:11], s[0:1], s4, v8, v[10:11]
	v_mul_lo_u32 v12, s4, v3
	v_mul_lo_u32 v13, s5, v8
	v_add3_u32 v11, v13, v11, v12
	v_lshl_add_u64 v[10:11], v[0:1], 1, v[10:11]
	v_mul_lo_u32 v14, s11, v4
	v_mul_lo_u32 v15, s10, v5
	v_mad_u64_u32 v[12:13], s[0:1], s10, v4, 0
	v_add3_u32 v13, v13, v15, v14
	v_sub_co_u32_e32 v10, vcc, v10, v12
	v_mov_b32_e32 v12, 0
	s_nop 0
	v_subb_co_u32_e32 v11, vcc, v11, v13, vcc
	v_lshl_add_u64 v[10:11], s[2:3], 0, v[10:11]
	s_mov_b32 s0, s23
.LBB0_13:
                                        ; =>  This Inner Loop Header: Depth=2
	global_load_ushort v13, v[10:11], off
	s_add_i32 s0, s0, -1
	v_lshl_add_u64 v[10:11], v[10:11], 0, s[12:13]
	s_cmp_eq_u32 s0, 0
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v13, v13
	v_add_f32_e32 v12, v12, v13
	s_cbranch_scc0 .LBB0_13
	v_cvt_f16_f32_e32 v10, v12
	s_branch .LBB0_2
.LBB0_15:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel ck_fmha_sum_heads
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 336
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
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 17
		.amdhsa_next_free_sgpr 46
		.amdhsa_accum_offset 20
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
	.section	.text.ck_fmha_sum_heads,"axG",@progbits,ck_fmha_sum_heads,comdat
.Lfunc_end0:
	.size	ck_fmha_sum_heads, .Lfunc_end0-ck_fmha_sum_heads
                                        ; -- End function
	.set ck_fmha_sum_heads.num_vgpr, 17
	.set ck_fmha_sum_heads.num_agpr, 0
	.set ck_fmha_sum_heads.numbered_sgpr, 46
	.set ck_fmha_sum_heads.num_named_barrier, 0
	.set ck_fmha_sum_heads.private_seg_size, 0
	.set ck_fmha_sum_heads.uses_vcc, 1
	.set ck_fmha_sum_heads.uses_flat_scratch, 0
	.set ck_fmha_sum_heads.has_dyn_sized_stack, 0
	.set ck_fmha_sum_heads.has_recursion, 0
	.set ck_fmha_sum_heads.has_indirect_call, 0
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
        .size:           80
        .value_kind:     by_value
      - .offset:         80
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         84
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         88
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         92
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         94
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         96
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         98
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         100
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         102
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         120
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         128
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         136
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         144
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 336
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_fmha_sum_heads
    .private_segment_fixed_size: 0
    .sgpr_count:     52
    .sgpr_spill_count: 0
    .symbol:         ck_fmha_sum_heads.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     17
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
