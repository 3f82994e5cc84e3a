; CK's grouped GEMM for gfx942 (64 x 64 x 64 tile, fp16), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.section	.text._ZN7ck_tileL11flush_cacheEv,"axG",@progbits,_ZN7ck_tileL11flush_cacheEv,comdat
_ZN7ck_tileL11flush_cacheEv:
	s_icache_inv 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_nop 0 
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel _ZN7ck_tileL11flush_cacheEv
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 0
		.amdhsa_user_sgpr_count 0
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 0
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 0
		.amdhsa_accum_offset 4
		.amdhsa_reserve_vcc 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
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
	.section	.text._ZN7ck_tileL11flush_cacheEv,"axG",@progbits,_ZN7ck_tileL11flush_cacheEv,comdat
.Lfunc_end0:
	.set _ZN7ck_tileL11flush_cacheEv.num_vgpr, 0
	.set _ZN7ck_tileL11flush_cacheEv.num_agpr, 0
	.set _ZN7ck_tileL11flush_cacheEv.numbered_sgpr, 0
	.set _ZN7ck_tileL11flush_cacheEv.num_named_barrier, 0
	.set _ZN7ck_tileL11flush_cacheEv.private_seg_size, 0
	.set _ZN7ck_tileL11flush_cacheEv.uses_vcc, 0
	.set _ZN7ck_tileL11flush_cacheEv.uses_flat_scratch, 0
	.set _ZN7ck_tileL11flush_cacheEv.has_dyn_sized_stack, 0
	.set _ZN7ck_tileL11flush_cacheEv.has_recursion, 0
	.set _ZN7ck_tileL11flush_cacheEv.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.section	.text.ck_gemm,"axG",@progbits,ck_gemm,comdat
ck_gemm:
	s_load_dword s3, s[0:1], 0x58
	s_load_dword s33, s[0:1], 0xa8
	s_waitcnt lgkmcnt(0)
	s_min_i32 s4, s33, s3
	s_cmp_lt_i32 s4, 1
	s_cbranch_scc1 .LBB1_23
	s_load_dwordx4 s[4:7], s[0:1], 0x60
	s_load_dwordx4 s[8:11], s[0:1], 0x0
	s_load_dwordx2 s[24:25], s[0:1], 0x50
	s_waitcnt lgkmcnt(0)
	s_load_dword s7, s[0:1], 0x5c
	s_load_dwordx2 s[26:27], s[0:1], 0x8c
	s_load_dwordx4 s[12:15], s[0:1], 0x98
	s_ashr_i32 s39, s5, 31
	s_mov_b32 s29, 0
	s_mov_b32 s36, s5
	s_waitcnt lgkmcnt(0)
	s_add_i32 s0, s7, 63
	s_ashr_i32 s1, s0, 31
	s_lshr_b32 s1, s1, 26
	s_add_i32 s0, s0, s1
	s_ashr_i32 s38, s0, 6
	s_ashr_i32 s41, s26, 31
	s_add_i32 s1, s7, -1
	s_cmp_lt_u32 s1, 64
	s_cselect_b64 s[30:31], -1, 0
	s_abs_i32 s44, s38
	v_cvt_f32_u32_e32 v1, s44
	s_add_i32 s1, s7, 0x7fffffff
	s_add_u32 s46, s1, 1
	s_ashr_i32 s49, s0, 31
	v_rcp_iflag_f32_e32 v1, v1
	s_sub_i32 s0, 0, s44
	s_mov_b32 s37, s6
	s_mov_b32 s40, s5
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mov_b32 s42, s26
	s_add_i32 s43, s4, -1
	s_add_i32 s34, s27, -1
	v_readfirstlane_b32 s1, v1
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v1, -1, v1
	v_lshrrev_b32_e32 v2, 2, v1
	v_and_b32_e32 v21, 30, v2
	v_and_b32_e32 v3, 7, v1
	v_and_b32_e32 v2, 6, v2
	v_xor_b32_e32 v6, v2, v3
	v_or_b32_e32 v2, 1, v2
	v_lshrrev_b32_e32 v4, 5, v1
	v_xor_b32_e32 v2, v2, v3
	v_sub_u32_e32 v24, v2, v6
	v_add_u32_e32 v2, 2, v4
	v_xor_b32_e32 v5, v3, v4
	v_xor_b32_e32 v2, v2, v3
	v_sub_u32_e32 v2, v2, v5
	v_lshlrev_b32_e32 v27, 4, v2
	v_or_b32_e32 v2, 4, v4
	v_xor_b32_e32 v2, v2, v3
	v_sub_u32_e32 v2, v2, v5
	v_lshlrev_b32_e32 v28, 4, v2
	v_add_u32_e32 v2, 6, v4
	s_mul_i32 s0, s0, s1
	v_xor_b32_e32 v2, v2, v3
	s_mul_hi_u32 s0, s1, s0
	v_and_b32_e32 v22, 31, v1
	v_lshlrev_b32_e32 v7, 3, v6
	v_sub_u32_e32 v2, v2, v5
	v_lshrrev_b32_e32 v31, 3, v1
	v_lshlrev_b32_e32 v1, 3, v1
	s_mov_b32 s35, s29
	s_mov_b32 s45, s6
	s_mov_b32 s47, s26
	s_mov_b32 s48, s7
	s_add_i32 s50, s1, s0
	s_mov_b64 s[16:17], 0
	v_mov_b32_e32 v19, 0
	s_mov_b32 s19, 0x20000
	v_lshlrev_b32_e32 v18, 3, v3
	v_lshlrev_b32_e32 v23, 4, v6
	v_lshlrev_b32_e32 v25, 3, v24
	v_lshlrev_b32_e32 v26, 4, v5
	v_lshlrev_b32_e32 v29, 4, v2
	v_lshlrev_b32_e32 v30, 1, v7
	v_lshlrev_b32_e32 v32, 1, v22
	v_and_b32_e32 v33, 56, v1
	s_mov_b32 s51, s29
	s_mov_b32 s28, s29
	s_branch .LBB1_3
.LBB1_2:
	s_andn2_b64 vcc, exec, s[20:21]
	s_cbranch_vccz .LBB1_23
.LBB1_3:
	s_lshl_b64 s[0:1], s[28:29], 2
	s_add_u32 s0, s12, s0
	s_addc_u32 s1, s13, s1
	global_load_dword v1, v19, s[0:1]
	s_mov_b64 s[20:21], -1
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s0, v1
	s_min_i32 s1, s0, s3
	s_cmp_lt_i32 s0, s51
	s_cselect_b32 s54, s51, s1
	s_sub_i32 s52, s54, s51
	s_add_i32 s18, s52, 63
	s_ashr_i32 s23, s18, 31
	s_lshr_b32 s0, s23, 26
	s_add_i32 s0, s18, s0
	s_ashr_i32 s22, s0, 6
	s_mul_i32 s53, s22, s38
	s_mul_i32 s56, s53, s27
	s_cmp_ge_i32 s2, s56
	s_cselect_b64 s[0:1], -1, 0
	s_and_b64 s[0:1], exec, s[0:1]
	s_mov_b64 vcc, s[0:1]
	s_cbranch_vccz .LBB1_5
	s_sub_i32 s55, s2, s56
	s_mov_b64 s[20:21], 0
.LBB1_5:
	s_andn2_b64 vcc, exec, s[20:21]
	s_cbranch_vccnz .LBB1_21
	s_andn2_b64 vcc, exec, s[16:17]
	s_cbranch_vccnz .LBB1_8
	s_waitcnt lgkmcnt(0)
	s_barrier
.LBB1_8:
	s_abs_i32 s16, s53
	v_cvt_f32_u32_e32 v1, s16
	s_sub_i32 s21, 0, s16
	s_abs_i32 s20, s2
	s_xor_b32 s17, s2, s53
	v_rcp_iflag_f32_e32 v1, v1
	s_ashr_i32 s17, s17, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s54, v1
	s_mul_i32 s21, s21, s54
	s_mul_hi_u32 s21, s54, s21
	s_add_i32 s54, s54, s21
	s_mul_hi_u32 s21, s20, s54
	s_mul_i32 s54, s21, s16
	s_sub_i32 s20, s20, s54
	s_add_i32 s55, s21, 1
	s_sub_i32 s54, s20, s16
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s21, s55, s21
	s_cselect_b32 s20, s54, s20
	s_add_i32 s54, s21, 1
	s_cmp_ge_u32 s20, s16
	s_cselect_b32 s16, s54, s21
	s_xor_b32 s16, s16, s17
	s_sub_i32 s16, s16, s17
	s_mul_i32 s17, s16, s53
	s_add_i32 s20, s52, -1
	s_sub_i32 s55, s2, s17
	s_cmp_lt_u32 s20, 64
	s_cselect_b64 s[56:57], -1, 0
	s_and_b64 s[20:21], s[56:57], exec
	s_cselect_b32 s20, 0, s55
	s_cselect_b32 s21, s55, 0
	s_or_b64 s[56:57], s[56:57], s[30:31]
	s_and_b64 vcc, exec, s[56:57]
	s_cbranch_vccnz .LBB1_14
	s_add_i32 s17, s53, 7
	s_ashr_i32 s20, s17, 31
	s_lshr_b32 s20, s20, 29
	s_add_i32 s20, s17, s20
	s_ashr_i32 s17, s20, 3
	s_and_b32 s20, s20, -8
	s_sub_i32 s54, s53, s20
	s_ashr_i32 s20, s55, 31
	s_lshr_b32 s20, s20, 29
	s_add_i32 s53, s55, s20
	s_and_b32 s20, s53, -8
	s_add_i32 s54, s54, 8
	s_sub_i32 s55, s55, s20
	s_cmp_gt_i32 s55, s54
	s_mov_b64 s[20:21], -1
	s_cbranch_scc1 .LBB1_11
	s_mul_i32 s56, s55, s17
	s_mov_b64 s[20:21], 0
.LBB1_11:
	s_andn2_b64 vcc, exec, s[20:21]
	s_cbranch_vccnz .LBB1_13
	s_add_i32 s17, s17, -1
	s_mul_i32 s17, s55, s17
	s_add_i32 s56, s17, s54
.LBB1_13:
	s_ashr_i32 s17, s53, 3
	s_add_i32 s17, s56, s17
	s_abs_i32 s21, s17
	s_mul_hi_u32 s53, s21, s50
	s_mul_i32 s54, s53, s44
	s_ashr_i32 s20, s17, 31
	s_sub_i32 s21, s21, s54
	s_xor_b32 s20, s20, s49
	s_add_i32 s54, s53, 1
	s_sub_i32 s55, s21, s44
	s_cmp_ge_u32 s21, s44
	s_cselect_b32 s53, s54, s53
	s_cselect_b32 s21, s55, s21
	s_add_i32 s54, s53, 1
	s_cmp_ge_u32 s21, s44
	s_cselect_b32 s21, s54, s53
	s_xor_b32 s21, s21, s20
	s_sub_i32 s20, s21, s20
	s_mul_i32 s21, s20, s38
	s_sub_i32 s17, s17, s21
	s_lshr_b32 s21, s23, 24
	s_add_i32 s18, s18, s21
	s_ashr_i32 s18, s18, 8
	s_lshl_b32 s18, s18, 2
	s_sub_i32 s21, s22, s18
	s_cmp_ge_i32 s20, s18
	s_cselect_b32 s18, s21, 4
	s_abs_i32 s22, s18
	v_cvt_f32_u32_e32 v1, s22
	s_ashr_i32 s21, s20, 31
	s_lshr_b32 s21, s21, 30
	s_add_i32 s21, s20, s21
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s23, s21, -4
	s_sub_i32 s20, s20, s23
	s_sub_i32 s53, 0, s22
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s20, s20, s38
	s_add_i32 s20, s20, s17
	s_abs_i32 s21, s20
	v_readfirstlane_b32 s54, v1
	s_mul_i32 s53, s53, s54
	s_mul_hi_u32 s53, s54, s53
	s_add_i32 s54, s54, s53
	s_mul_hi_u32 s53, s21, s54
	s_mul_i32 s54, s53, s22
	s_xor_b32 s17, s20, s18
	s_sub_i32 s21, s21, s54
	s_ashr_i32 s17, s17, 31
	s_add_i32 s54, s53, 1
	s_sub_i32 s55, s21, s22
	s_cmp_ge_u32 s21, s22
	s_cselect_b32 s53, s54, s53
	s_cselect_b32 s21, s55, s21
	s_add_i32 s54, s53, 1
	s_cmp_ge_u32 s21, s22
	s_cselect_b32 s21, s54, s53
	s_xor_b32 s21, s21, s17
	s_sub_i32 s21, s21, s17
	s_mul_i32 s18, s18, s21
	s_sub_i32 s17, s23, s18
	s_add_i32 s20, s17, s20
.LBB1_14:
	s_lshl_b32 s18, s27, 4
	s_abs_i32 s22, s18
	v_cvt_f32_u32_e32 v1, s22
	s_sub_i32 s53, 0, s22
	s_add_i32 s23, s43, s18
	s_xor_b32 s18, s23, s18
	v_rcp_iflag_f32_e32 v1, v1
	s_abs_i32 s23, s23
	s_ashr_i32 s17, s16, 31
	s_ashr_i32 s18, s18, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	v_mov_b64_e32 v[2:3], s[34:35]
	v_cmp_ge_u64_e32 vcc, s[16:17], v[2:3]
	v_readfirstlane_b32 s54, v1
	s_mul_i32 s53, s53, s54
	s_mul_hi_u32 s53, s54, s53
	s_add_i32 s54, s54, s53
	s_mul_hi_u32 s53, s23, s54
	s_mul_i32 s54, s53, s22
	s_sub_i32 s23, s23, s54
	s_add_i32 s55, s53, 1
	s_sub_i32 s54, s23, s22
	s_cmp_ge_u32 s23, s22
	s_cselect_b32 s53, s55, s53
	s_cselect_b32 s23, s54, s23
	s_add_i32 s54, s53, 1
	s_cmp_ge_u32 s23, s22
	s_cselect_b32 s22, s54, s53
	s_xor_b32 s22, s22, s18
	s_sub_i32 s18, s22, s18
	s_lshl_b32 s18, s18, 4
	s_mul_i32 s23, s18, s16
	s_mov_b64 s[16:17], -1
	s_cbranch_vccz .LBB1_16
	s_mul_i32 s16, s18, s34
	s_sub_i32 s55, s4, s16
	s_mov_b64 s[16:17], 0
.LBB1_16:
	s_andn2_b64 vcc, exec, s[16:17]
	s_cbranch_vccnz .LBB1_18
	s_mov_b32 s55, s18
.LBB1_18:
	s_lshr_b64 s[16:17], s[20:21], 26
	s_and_b32 s54, s16, 0xffffffc0
	s_mul_i32 s16, s51, s39
	s_mul_hi_u32 s17, s51, s40
	s_add_i32 s17, s17, s16
	s_mul_i32 s16, s51, s40
	s_lshl_b32 s53, s20, 6
	s_lshl_b64 s[16:17], s[16:17], 1
	s_add_u32 s18, s8, s16
	s_addc_u32 s56, s9, s17
	s_mul_i32 s16, s15, s28
	s_mul_hi_u32 s17, s14, s28
	s_add_i32 s17, s17, s16
	s_mul_i32 s16, s14, s28
	s_lshl_b64 s[16:17], s[16:17], 1
	s_add_u32 s57, s10, s16
	s_mov_b32 s22, s29
	s_addc_u32 s58, s11, s17
	s_ashr_i64 s[20:21], s[22:23], 31
	s_add_u32 s16, s18, s20
	s_addc_u32 s17, s56, s21
	s_add_u32 s20, s57, s20
	s_addc_u32 s21, s58, s21
	s_add_u32 s18, -1, s52
	s_addc_u32 s22, s55, 0
	s_mul_i32 s22, s22, 0
	s_mul_hi_u32 s23, 0, s18
	s_add_i32 s22, s23, s22
	s_mul_i32 s18, s5, s18
	s_add_i32 s18, s22, s18
	s_add_i32 s22, s55, -1
	s_add_i32 s22, s22, 1
	s_add_i32 s18, s18, s22
	s_add_u32 s23, -1, s7
	s_addc_u32 s56, s55, 0
	s_mul_i32 s56, s56, 0
	s_mul_hi_u32 s57, 0, s23
	s_add_i32 s56, s57, s56
	s_mul_i32 s23, s45, s23
	v_readfirstlane_b32 s57, v0
	s_add_i32 s23, s56, s23
	s_lshr_b32 s58, s57, 2
	s_add_i32 s56, s23, s22
	s_and_b32 s22, s58, 0x3ffffff0
	s_add_i32 s23, s22, s54
	v_add_u32_e32 v1, s22, v21
	v_add_u32_e32 v4, s53, v1
	v_add_u32_e32 v2, s23, v21
	v_mad_u64_u32 v[2:3], s[22:23], v2, s37, v[18:19]
	v_mad_u64_u32 v[4:5], s[22:23], v4, s36, v[18:19]
	s_lshl_b32 s18, s18, 1
	v_lshlrev_b32_e32 v3, 1, v4
	buffer_load_dwordx4 v[8:11], v3, s[16:19], 0 offen
	v_add_lshl_u32 v5, v4, s40, 1
	buffer_load_dwordx4 v[12:15], v5, s[16:19], 0 offen
	s_lshl_b32 s22, s56, 1
	s_mov_b32 s23, s19
	v_lshlrev_b32_e32 v6, 1, v2
	buffer_load_dwordx4 v[42:45], v6, s[20:23], 0 offen
	v_add_lshl_u32 v7, v2, s6, 1
	buffer_load_dwordx4 v[46:49], v7, s[20:23], 0 offen
	buffer_load_dwordx4 v[86:89], v3, s[16:19], 0 offen offset:128
	buffer_load_dwordx4 v[66:69], v5, s[16:19], 0 offen offset:128
	buffer_load_dwordx4 v[74:77], v6, s[20:23], 0 offen offset:128
	buffer_load_dwordx4 v[70:73], v7, s[20:23], 0 offen offset:128
	s_lshr_b32 s56, s57, 1
	s_and_b32 s58, s58, 0x1ffffe0
	v_and_or_b32 v3, s56, 32, v22
	v_or_b32_e32 v5, s58, v22
	v_lshl_or_b32 v34, v3, 7, v26
	v_lshl_or_b32 v1, v1, 7, v23
	v_lshl_or_b32 v35, v5, 7, v26
	v_add_u32_e32 v36, v34, v27
	v_add_u32_e32 v37, v34, v28
	v_add_u32_e32 v38, v34, v29
	v_lshl_add_u32 v3, v24, 4, v1
	v_add_u32_e32 v39, v35, v27
	v_add_u32_e32 v40, v35, v28
	v_add_u32_e32 v41, v35, v29
	s_add_i32 s55, s55, 63
	s_ashr_i32 s57, s55, 31
	s_lshr_b32 s56, s57, 26
	s_add_i32 s55, s55, s56
	s_ashr_i32 s55, s55, 6
	v_add_u32_e32 v20, 0x80, v4
	s_waitcnt vmcnt(7)
	ds_write_b128 v1, v[8:11]
	s_waitcnt vmcnt(6)
	ds_write_b128 v3, v[12:15] offset:128
	s_waitcnt vmcnt(5)
	ds_write_b128 v1, v[42:45] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v3, v[46:49] offset:8320
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[78:81], v35
	ds_read_b128 v[58:61], v39
	ds_read_b128 v[50:53], v40
	ds_read_b128 v[42:45], v41
	ds_read_b128 v[82:85], v34 offset:8192
	ds_read_b128 v[62:65], v36 offset:8192
	ds_read_b128 v[54:57], v37 offset:8192
	ds_read_b128 v[46:49], v38 offset:8192
	v_add_u32_e32 v1, 0x80, v2
	s_max_i32 s55, s55, 2
	s_add_i32 s55, s55, -1
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v2, 0
.LBB1_19:
	v_readfirstlane_b32 s56, v0
	s_lshr_b32 s56, s56, 2
	s_and_b32 s56, s56, 0x1fffff0
	v_add_u32_e32 v90, s56, v21
	v_lshl_or_b32 v90, v90, 7, v30
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(3)
	ds_write_b128 v90, v[86:89]
	v_mfma_f32_32x32x8_f16 v[2:17], v[78:79], v[82:83], v[2:17]
	v_lshlrev_b32_e32 v78, 1, v20
	v_lshl_add_u32 v79, v25, 1, v90
	buffer_load_dwordx4 v[86:89], v78, s[16:19], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b128 v79, v[66:69] offset:128
	v_add_lshl_u32 v66, v20, s40, 1
	v_add_u32_e32 v20, 64, v20
	v_mfma_f32_32x32x8_f16 v[2:17], v[80:81], v[84:85], v[2:17]
	buffer_load_dwordx4 v[66:69], v66, s[16:19], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b128 v90, v[74:77] offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[58:59], v[62:63], v[2:17]
	v_lshlrev_b32_e32 v58, 1, v1
	v_add_lshl_u32 v59, v1, s6, 1
	buffer_load_dwordx4 v[74:77], v58, s[20:23], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b128 v79, v[70:73] offset:8320
	v_add_u32_e32 v1, 64, v1
	v_mfma_f32_32x32x8_f16 v[2:17], v[60:61], v[64:65], v[2:17]
	buffer_load_dwordx4 v[70:73], v59, s[20:23], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[78:81], v35
	ds_read_b128 v[58:61], v39
	v_mfma_f32_32x32x8_f16 v[2:17], v[50:51], v[54:55], v[2:17]
	ds_read_b128 v[82:85], v34 offset:8192
	ds_read_b128 v[62:65], v36 offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	ds_read_b128 v[50:53], v40
	ds_read_b128 v[54:57], v37 offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[46:47], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[48:49], v[2:17]
	ds_read_b128 v[42:45], v41
	ds_read_b128 v[46:49], v38 offset:8192
	s_add_i32 s55, s55, -1
	s_cmp_lg_u32 s55, 0
	s_cbranch_scc1 .LBB1_19
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 v[2:17], v[78:79], v[82:83], v[2:17]
	s_mul_i32 s16, s51, s41
	s_mul_hi_u32 s17, s51, s42
	s_add_i32 s17, s17, s16
	s_mul_i32 s16, s51, s42
	s_lshl_b64 s[16:17], s[16:17], 1
	s_add_u32 s16, s24, s16
	s_addc_u32 s17, s25, s17
	v_mfma_f32_32x32x8_f16 v[2:17], v[80:81], v[84:85], v[2:17]
	s_add_u32 s18, -1, s52
	v_readfirstlane_b32 s20, v0
	s_addc_u32 s21, s48, 0
	s_lshr_b32 s22, s20, 2
	s_and_b32 s23, s22, 0x1ffffe0
	s_and_b32 s22, s22, 0x3ffffff0
	v_and_or_b32 v1, v31, 12, s23
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 v[2:17], v[58:59], v[62:63], v[2:17]
	v_add_u32_e32 v20, s22, v21
	s_and_b32 s20, s20, 64
	v_lshlrev_b32_e32 v1, 7, v1
	v_lshlrev_b32_e32 v34, 7, v20
	v_or3_b32 v1, s20, v32, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x8_f16 v[2:17], v[60:61], v[64:65], v[2:17]
	s_mul_i32 s21, s21, 0
	s_mul_hi_u32 s22, 0, s18
	s_add_i32 s21, s22, s21
	s_mul_i32 s18, s47, s18
	s_add_i32 s21, s21, s18
	s_add_i32 s18, s46, s21
	s_lshl_b32 s18, s18, 1
	v_mfma_f32_32x32x8_f16 v[2:17], v[50:51], v[54:55], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[46:47], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[48:49], v[2:17]
	s_nop 10
	v_cvt_f16_f32_e32 v2, v2
	v_cvt_f16_f32_e32 v3, v3
	v_cvt_f16_f32_e32 v4, v4
	v_cvt_f16_f32_e32 v5, v5
	v_cvt_f16_f32_e32 v6, v6
	v_cvt_f16_f32_e32 v7, v7
	v_cvt_f16_f32_e32 v8, v8
	v_cvt_f16_f32_e32 v9, v9
	v_cvt_f16_f32_e32 v10, v10
	v_cvt_f16_f32_e32 v11, v11
	v_cvt_f16_f32_e32 v12, v12
	v_cvt_f16_f32_e32 v13, v13
	v_cvt_f16_f32_e32 v14, v14
	v_cvt_f16_f32_e32 v15, v15
	v_cvt_f16_f32_e32 v16, v16
	v_cvt_f16_f32_e32 v17, v17
	ds_write_b16 v1, v2
	ds_write_b16 v1, v3 offset:128
	ds_write_b16 v1, v4 offset:256
	ds_write_b16 v1, v5 offset:384
	ds_write_b16 v1, v6 offset:1024
	ds_write_b16 v1, v7 offset:1152
	ds_write_b16 v1, v8 offset:1280
	ds_write_b16 v1, v9 offset:1408
	ds_write_b16 v1, v10 offset:2048
	ds_write_b16 v1, v11 offset:2176
	ds_write_b16 v1, v12 offset:2304
	ds_write_b16 v1, v13 offset:2432
	ds_write_b16 v1, v14 offset:3072
	ds_write_b16 v1, v15 offset:3200
	ds_write_b16 v1, v16 offset:3328
	ds_write_b16 v1, v17 offset:3456
	v_lshl_or_b32 v1, v33, 1, v34
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[4:7], v1 offset:128
	ds_read_b128 v[8:11], v1
	v_add_u32_e32 v1, s53, v20
	v_or_b32_e32 v2, s54, v33
	v_mad_u64_u32 v[2:3], s[20:21], v1, s26, v[2:3]
	v_lshlrev_b32_e32 v1, 1, v2
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[8:11], v1, s[16:19], 0 offen
	v_add_lshl_u32 v1, v2, s26, 1
	buffer_store_dwordx4 v[4:7], v1, s[16:19], 0 offen
	s_mov_b64 s[16:17], -1
	s_mov_b64 s[20:21], -1
	s_mov_b64 vcc, s[0:1]
	s_cbranch_vccz .LBB1_2
	s_branch .LBB1_22
.LBB1_21:
	s_mov_b32 s2, s55
	s_mov_b32 s51, s54
	s_mov_b64 s[20:21], -1
	s_mov_b64 vcc, s[0:1]
	s_cbranch_vccz .LBB1_2
.LBB1_22:
	s_add_i32 s28, s28, 1
	s_cmp_ge_i32 s28, s33
	s_cselect_b64 s[0:1], -1, 0
	s_cmp_ge_i32 s51, s3
	s_cselect_b64 s[20:21], -1, 0
	s_or_b64 s[20:21], s[0:1], s[20:21]
	s_branch .LBB1_2
.LBB1_23:
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 16384
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 176
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
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 97
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 92
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
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
	.section	.text.ck_gemm,"axG",@progbits,ck_gemm,comdat
.Lfunc_end1:
	.set ck_gemm.num_vgpr, 91
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 59
	.set ck_gemm.num_named_barrier, 0
	.set ck_gemm.private_seg_size, 0
	.set ck_gemm.uses_vcc, 1
	.set ck_gemm.uses_flat_scratch, 0
	.set ck_gemm.has_dyn_sized_stack, 0
	.set ck_gemm.has_recursion, 0
	.set ck_gemm.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.section	.AMDGPU.csdata,"",@progbits
	.section	.bss,"aw",@nobits
__hip_cuid_:
	.byte	0
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym __hip_cuid_
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:           []
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 4
    .kernarg_segment_size: 0
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 1024
    .name:           _ZN7ck_tileL11flush_cacheEv
    .private_segment_fixed_size: 0
    .sgpr_count:     6
    .sgpr_spill_count: 0
    .symbol:         _ZN7ck_tileL11flush_cacheEv.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     0
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           176
        .value_kind:     by_value
    .group_segment_fixed_size: 16384
    .kernarg_segment_align: 8
    .kernarg_segment_size: 176
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     65
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     91
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
