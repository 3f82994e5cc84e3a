; CK's batched contraction for gfx942 (64 x 64 x 64 tile, fp16, two D operands, relu), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	.section	.text.ck_gemm,"axG",@progbits,ck_gemm,comdat
ck_gemm:
	s_load_dwordx8 s[8:15], s[0:1], 0x58
	s_load_dwordx2 s[28:29], s[0:1], 0x8c
	s_load_dwordx4 s[24:27], s[0:1], 0x98
	s_mov_b32 s6, 0
	s_waitcnt lgkmcnt(0)
	s_add_i32 s33, s8, -1
	s_mov_b32 s15, s9
	s_cmp_lt_u32 s33, 64
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s5, s9, -1
	s_cmp_lt_u32 s5, 64
	s_mov_b32 s5, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s17, s8, 63
	s_ashr_i32 s18, s17, 31
	s_lshr_b32 s5, s18, 26
	s_add_i32 s5, s17, s5
	s_ashr_i32 s16, s5, 6
	s_add_i32 s5, s9, 63
	s_ashr_i32 s6, s5, 31
	s_lshr_b32 s6, s6, 26
	s_add_i32 s5, s5, s6
	s_ashr_i32 s5, s5, 6
	s_mul_i32 s6, s5, s16
	s_add_i32 s7, s6, 7
	s_ashr_i32 s19, s7, 31
	s_lshr_b32 s19, s19, 29
	s_add_i32 s7, s7, s19
	s_ashr_i32 s19, s7, 3
	s_and_b32 s7, s7, -8
	s_sub_i32 s20, s6, s7
	s_ashr_i32 s6, s2, 31
	s_lshr_b32 s6, s6, 29
	s_add_i32 s22, s2, s6
	s_and_b32 s6, s22, -8
	s_add_i32 s20, s20, 8
	s_sub_i32 s21, s2, s6
	s_cmp_gt_i32 s21, s20
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s19, s21
	s_ashr_i32 s6, s22, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s6, s22, 3
.LBB1_5:
	s_add_i32 s2, s19, -1
	s_mul_i32 s2, s2, s21
	s_add_i32 s2, s20, s2
.LBB1_6:
	s_abs_i32 s7, s5
	v_cvt_f32_u32_e32 v1, s7
	s_sub_i32 s20, 0, s7
	s_add_i32 s2, s2, s6
	s_abs_i32 s19, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s6, s2, s5
	s_ashr_i32 s6, s6, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s21, v1
	s_mul_i32 s20, s20, s21
	s_mul_hi_u32 s20, s21, s20
	s_add_i32 s21, s21, s20
	s_mul_hi_u32 s20, s19, s21
	s_mul_i32 s21, s20, s7
	s_sub_i32 s19, s19, s21
	s_add_i32 s22, s20, 1
	s_sub_i32 s21, s19, s7
	s_cmp_ge_u32 s19, s7
	s_cselect_b32 s20, s22, s20
	s_cselect_b32 s19, s21, s19
	s_add_i32 s21, s20, 1
	s_cmp_ge_u32 s19, s7
	s_cselect_b32 s7, s21, s20
	s_xor_b32 s7, s7, s6
	s_lshr_b32 s18, s18, 24
	s_sub_i32 s6, s7, s6
	s_add_i32 s17, s17, s18
	s_mul_i32 s7, s6, s5
	s_sub_i32 s2, s2, s7
	s_ashr_i32 s7, s17, 8
	s_lshl_b32 s7, s7, 2
	s_sub_i32 s16, s16, s7
	s_cmp_ge_i32 s6, s7
	s_cselect_b32 s7, s16, 4
	s_abs_i32 s17, s7
	v_cvt_f32_u32_e32 v1, s17
	s_ashr_i32 s16, s6, 31
	s_lshr_b32 s16, s16, 30
	s_add_i32 s16, s6, s16
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s16, s16, -4
	s_sub_i32 s6, s6, s16
	s_sub_i32 s18, 0, s17
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s5, s6, s5
	s_add_i32 s2, s5, s2
	s_abs_i32 s6, s2
	v_readfirstlane_b32 s19, v1
	s_mul_i32 s18, s18, s19
	s_mul_hi_u32 s18, s19, s18
	s_add_i32 s19, s19, s18
	s_mul_hi_u32 s18, s6, s19
	s_mul_i32 s19, s18, s17
	s_xor_b32 s5, s2, s7
	s_sub_i32 s6, s6, s19
	s_ashr_i32 s5, s5, 31
	s_add_i32 s19, s18, 1
	s_sub_i32 s20, s6, s17
	s_cmp_ge_u32 s6, s17
	s_cselect_b32 s18, s19, s18
	s_cselect_b32 s6, s20, s6
	s_add_i32 s19, s18, 1
	s_cmp_ge_u32 s6, s17
	s_cselect_b32 s6, s19, s18
	s_xor_b32 s6, s6, s5
	s_sub_i32 s5, s6, s5
	s_mul_i32 s7, s7, s5
	s_sub_i32 s6, s16, s7
	s_add_i32 s2, s6, s2
.LBB1_7:
	s_mov_b32 s6, s2
	s_mov_b32 s2, s5
.LBB1_8:
	s_lshl_b32 s7, s29, 4
	s_abs_i32 s16, s7
	v_cvt_f32_u32_e32 v1, s16
	s_sub_i32 s18, 0, s16
	s_add_i32 s17, s10, s7
	s_add_i32 s17, s17, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s7, s17, s7
	s_abs_i32 s17, s17
	s_ashr_i32 s5, s4, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_ashr_i32 s7, s7, 31
	v_mov_b32_e32 v3, 0
	v_readfirstlane_b32 s19, v1
	s_mul_i32 s18, s18, s19
	s_mul_hi_u32 s18, s19, s18
	s_add_i32 s19, s19, s18
	s_mul_hi_u32 s18, s17, s19
	s_mul_i32 s19, s18, s16
	s_sub_i32 s17, s17, s19
	s_add_i32 s20, s18, 1
	s_sub_i32 s19, s17, s16
	s_cmp_ge_u32 s17, s16
	s_cselect_b32 s18, s20, s18
	s_cselect_b32 s17, s19, s17
	s_add_i32 s19, s18, 1
	s_cmp_ge_u32 s17, s16
	s_cselect_b32 s16, s19, s18
	s_xor_b32 s16, s16, s7
	s_sub_i32 s7, s16, s7
	s_add_i32 s16, s29, -1
	v_mov_b32_e32 v2, s16
	s_lshl_b32 s36, s7, 4
	v_cmp_ge_u64_e32 vcc, s[4:5], v[2:3]
	s_mul_i32 s7, s36, s4
	s_cbranch_vccz .LBB1_10
	s_mul_i32 s4, s36, s16
	s_sub_i32 s27, s10, s4
	s_mov_b64 s[4:5], 0
	s_branch .LBB1_11
.LBB1_10:
	s_mov_b64 s[4:5], -1
.LBB1_11:
	s_load_dwordx2 s[30:31], s[0:1], 0x50
	s_load_dwordx2 s[34:35], s[0:1], 0xa8
	s_load_dwordx8 s[16:23], s[0:1], 0x0
	s_andn2_b64 vcc, exec, s[4:5]
	s_cbranch_vccnz .LBB1_13
	s_mov_b32 s27, s36
.LBB1_13:
	s_mul_i32 s0, s24, s3
	s_ashr_i32 s1, s0, 31
	s_lshl_b32 s10, s6, 6
	s_lshl_b32 s2, s2, 6
	s_lshl_b64 s[0:1], s[0:1], 1
	s_mul_i32 s4, s25, s3
	s_waitcnt lgkmcnt(0)
	s_add_u32 s16, s16, s0
	s_addc_u32 s17, s17, s1
	s_ashr_i32 s5, s4, 31
	s_lshl_b64 s[0:1], s[4:5], 1
	s_add_u32 s18, s18, s0
	s_mov_b32 s6, 0
	s_addc_u32 s19, s19, s1
	s_ashr_i64 s[0:1], s[6:7], 31
	s_add_u32 s4, s16, s0
	s_addc_u32 s5, s17, s1
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_add_u32 s16, s18, s0
	v_readfirstlane_b32 s24, v0
	v_mbcnt_hi_u32_b32 v36, -1, v1
	s_addc_u32 s17, s19, s1
	v_lshrrev_b32_e32 v1, 2, v36
	s_lshr_b32 s25, s24, 2
	v_and_b32_e32 v35, 30, v1
	s_and_b32 s29, s25, 0x3ffffff0
	s_add_i32 s1, s27, -1
	v_and_b32_e32 v3, 7, v36
	v_add_u32_e32 v32, s29, v35
	s_mul_i32 s0, s11, s33
	s_add_i32 s18, s1, 1
	v_lshlrev_b32_e32 v2, 3, v3
	v_add_u32_e32 v4, s10, v32
	s_add_i32 s6, s0, s18
	v_mad_u64_u32 v[4:5], s[0:1], v4, s11, v[2:3]
	s_lshl_b32 s6, s6, 1
	s_mov_b32 s7, 0x20000
	v_lshlrev_b32_e32 v5, 1, v4
	v_add_lshl_u32 v33, v4, s11, 1
	buffer_load_dwordx4 v[8:11], v5, s[4:7], 0 offen
	buffer_load_dwordx4 v[12:15], v33, s[4:7], 0 offen
	s_add_i32 s0, s9, -1
	s_mul_i32 s0, s12, s0
	s_add_i32 s29, s29, s2
	s_add_i32 s0, s0, s18
	v_add_u32_e32 v6, s29, v35
	s_lshl_b32 s18, s0, 1
	v_mad_u64_u32 v[6:7], s[0:1], v6, s12, v[2:3]
	s_mov_b32 s19, s7
	v_lshlrev_b32_e32 v7, 1, v6
	buffer_load_dwordx4 v[16:19], v7, s[16:19], 0 offen
	v_add_lshl_u32 v34, v6, s12, 1
	buffer_load_dwordx4 v[20:23], v34, s[16:19], 0 offen
	v_cmp_gt_i32_e32 vcc, s27, v2
	s_mov_b32 s0, 0x5040100
	buffer_load_dwordx4 v[24:27], v5, s[4:7], 0 offen offset:128
	buffer_load_dwordx4 v[28:31], v33, s[4:7], 0 offen offset:128
	buffer_load_dwordx4 v[40:43], v7, s[16:19], 0 offen offset:128
	v_and_b32_e32 v1, 6, v1
	v_lshrrev_b32_e32 v48, 5, v36
	v_and_b32_e32 v37, 31, v36
	v_xor_b32_e32 v49, v3, v48
	s_lshr_b32 s24, s24, 1
	s_and_b32 s25, s25, 0x1ffffe0
	v_and_or_b32 v54, s24, 32, v37
	v_or_b32_e32 v39, s25, v37
	s_add_i32 s1, s27, 63
	s_ashr_i32 s29, s1, 31
	s_lshr_b32 s24, s29, 26
	s_add_i32 s1, s1, s24
	s_ashr_i32 s1, s1, 6
	s_waitcnt vmcnt(6)
	v_lshrrev_b32_e32 v7, 16, v9
	s_waitcnt vmcnt(5)
	v_lshrrev_b32_e32 v44, 16, v12
	v_lshrrev_b32_e32 v45, 16, v13
	v_lshrrev_b32_e32 v46, 16, v14
	v_lshrrev_b32_e32 v47, 16, v15
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cndmask_b32_e32 v13, 0, v13, vcc
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_cndmask_b32_e32 v46, 0, v46, vcc
	v_cndmask_b32_e32 v45, 0, v45, vcc
	v_cndmask_b32_e32 v44, 0, v44, vcc
	v_cndmask_b32_e32 v47, 0, v47, vcc
	v_perm_b32 v15, v47, v15, s0
	v_perm_b32 v14, v46, v14, s0
	v_perm_b32 v13, v45, v13, s0
	v_perm_b32 v12, v44, v12, s0
	buffer_load_dwordx4 v[44:47], v34, s[16:19], 0 offen offset:128
	v_lshrrev_b32_e32 v33, 16, v10
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cndmask_b32_e32 v33, 0, v33, vcc
	v_perm_b32 v9, v7, v9, s0
	s_waitcnt vmcnt(5)
	v_lshrrev_b32_e32 v7, 16, v16
	v_lshrrev_b32_e32 v38, 16, v11
	v_perm_b32 v10, v33, v10, s0
	v_lshrrev_b32_e32 v33, 16, v17
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_cndmask_b32_e32 v38, 0, v38, vcc
	v_cndmask_b32_e32 v33, 0, v33, vcc
	v_cndmask_b32_e32 v17, 0, v17, vcc
	v_perm_b32 v16, v7, v16, s0
	v_xor_b32_e32 v7, v1, v3
	v_or_b32_e32 v1, 1, v1
	v_lshrrev_b32_e32 v5, 16, v8
	v_perm_b32 v11, v38, v11, s0
	v_lshrrev_b32_e32 v38, 16, v18
	v_lshrrev_b32_e32 v50, 16, v19
	v_perm_b32 v17, v33, v17, s0
	v_lshlrev_b32_e32 v33, 4, v7
	v_xor_b32_e32 v1, v1, v3
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_cndmask_b32_e32 v19, 0, v19, vcc
	v_cndmask_b32_e32 v34, 0, v38, vcc
	v_cndmask_b32_e32 v38, 0, v50, vcc
	s_waitcnt vmcnt(4)
	v_lshrrev_b32_e32 v50, 16, v20
	v_lshrrev_b32_e32 v51, 16, v21
	v_lshrrev_b32_e32 v52, 16, v22
	v_lshrrev_b32_e32 v53, 16, v23
	v_lshl_or_b32 v32, v32, 7, v33
	v_sub_u32_e32 v1, v1, v7
	v_perm_b32 v8, v5, v8, s0
	v_or_b32_e32 v5, 64, v2
	v_cndmask_b32_e32 v18, 0, v18, vcc
	v_cndmask_b32_e32 v23, 0, v23, vcc
	v_cndmask_b32_e32 v52, 0, v52, vcc
	v_cndmask_b32_e32 v22, 0, v22, vcc
	v_cndmask_b32_e32 v51, 0, v51, vcc
	v_cndmask_b32_e32 v21, 0, v21, vcc
	v_cndmask_b32_e32 v50, 0, v50, vcc
	v_cndmask_b32_e32 v20, 0, v20, vcc
	v_cndmask_b32_e32 v53, 0, v53, vcc
	v_perm_b32 v19, v38, v19, s0
	v_lshlrev_b32_e32 v38, 3, v1
	v_lshl_add_u32 v1, v1, 4, v32
	v_perm_b32 v18, v34, v18, s0
	v_perm_b32 v23, v53, v23, s0
	v_perm_b32 v22, v52, v22, s0
	v_perm_b32 v21, v51, v21, s0
	v_perm_b32 v20, v50, v20, s0
	ds_write_b128 v32, v[8:11]
	ds_write_b128 v1, v[12:15] offset:128
	ds_write_b128 v32, v[16:19] offset:8192
	ds_write_b128 v1, v[20:23] offset:8320
	s_waitcnt vmcnt(3)
	v_lshrrev_b32_e32 v1, 16, v24
	v_cmp_gt_i32_e32 vcc, s27, v5
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v20, 16, v43
	v_lshrrev_b32_e32 v8, 16, v26
	v_cndmask_b32_e32 v12, 0, v1, vcc
	v_lshrrev_b32_e32 v1, 16, v28
	v_lshrrev_b32_e32 v9, 16, v27
	v_cndmask_b32_e32 v5, 0, v27, vcc
	v_cndmask_b32_e32 v10, 0, v26, vcc
	v_lshrrev_b32_e32 v14, 16, v29
	v_cndmask_b32_e32 v27, 0, v29, vcc
	v_cndmask_b32_e32 v26, 0, v1, vcc
	v_lshrrev_b32_e32 v1, 16, v40
	v_lshrrev_b32_e32 v18, 16, v41
	v_lshrrev_b32_e32 v19, 16, v42
	v_cndmask_b32_e32 v29, 0, v20, vcc
	v_or_b32_e32 v34, 4, v48
	v_cndmask_b32_e32 v22, 0, v19, vcc
	v_cndmask_b32_e32 v23, 0, v42, vcc
	v_cndmask_b32_e32 v19, 0, v18, vcc
	v_cndmask_b32_e32 v18, 0, v1, vcc
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v20, 16, v45
	v_lshrrev_b32_e32 v1, 16, v44
	v_cndmask_b32_e32 v84, 0, v20, vcc
	v_add_u32_e32 v20, 2, v48
	v_xor_b32_e32 v34, v34, v3
	v_add_u32_e32 v42, 6, v48
	v_cndmask_b32_e32 v86, 0, v1, vcc
	v_lshlrev_b32_e32 v1, 4, v49
	v_xor_b32_e32 v20, v20, v3
	v_sub_u32_e32 v34, v34, v49
	v_xor_b32_e32 v3, v42, v3
	v_cndmask_b32_e32 v21, 0, v43, vcc
	v_lshl_or_b32 v39, v39, 7, v1
	v_sub_u32_e32 v20, v20, v49
	v_lshlrev_b32_e32 v34, 4, v34
	v_sub_u32_e32 v3, v3, v49
	v_lshl_or_b32 v43, v54, 7, v1
	v_cndmask_b32_e32 v13, 0, v24, vcc
	v_cndmask_b32_e32 v24, 0, v41, vcc
	v_cndmask_b32_e32 v85, 0, v45, vcc
	v_lshlrev_b32_e32 v20, 4, v20
	v_add_u32_e32 v41, v39, v34
	v_lshlrev_b32_e32 v3, 4, v3
	v_add_u32_e32 v45, v43, v34
	v_lshlrev_b32_e32 v82, 3, v7
	v_lshrrev_b32_e32 v7, 16, v25
	v_cndmask_b32_e32 v11, 0, v25, vcc
	v_lshrrev_b32_e32 v15, 16, v30
	v_cndmask_b32_e32 v83, 0, v30, vcc
	v_cndmask_b32_e32 v25, 0, v40, vcc
	v_lshrrev_b32_e32 v30, 16, v46
	v_cndmask_b32_e32 v33, 0, v46, vcc
	v_cndmask_b32_e32 v87, 0, v44, vcc
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_u32_e32 v40, v39, v20
	ds_read_b128 v[70:73], v39
	ds_read_b128 v[62:65], v40
	v_add_u32_e32 v42, v39, v3
	ds_read_b128 v[58:61], v41
	ds_read_b128 v[50:53], v42
	v_add_u32_e32 v44, v43, v20
	ds_read_b128 v[78:81], v43 offset:8192
	ds_read_b128 v[74:77], v44 offset:8192
	v_add_u32_e32 v46, v43, v3
	ds_read_b128 v[66:69], v45 offset:8192
	ds_read_b128 v[54:57], v46 offset:8192
	v_lshrrev_b32_e32 v16, 16, v31
	v_cndmask_b32_e32 v17, 0, v31, vcc
	v_lshrrev_b32_e32 v31, 16, v47
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cndmask_b32_e32 v28, 0, v28, vcc
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_cndmask_b32_e32 v32, 0, v47, vcc
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_cndmask_b32_e32 v3, 0, v31, vcc
	v_or_b32_e32 v47, 0x80, v2
	v_add_u32_e32 v1, 0x80, v6
	v_add_u32_e32 v34, 0x80, v4
	s_max_i32 s1, s1, 2
	v_perm_b32 v18, v18, v25, s0
	v_perm_b32 v19, v19, v24, s0
	v_perm_b32 v20, v22, v23, s0
	v_perm_b32 v21, v29, v21, s0
	v_perm_b32 v22, v86, v87, s0
	v_perm_b32 v23, v84, v85, s0
	v_perm_b32 v24, v30, v33, s0
	v_perm_b32 v25, v3, v32, s0
	v_perm_b32 v30, v12, v13, s0
	v_perm_b32 v31, v7, v11, s0
	v_perm_b32 v32, v8, v10, s0
	v_perm_b32 v33, v9, v5, s0
	v_perm_b32 v26, v26, v28, s0
	v_perm_b32 v27, v14, v27, s0
	v_perm_b32 v28, v15, v83, s0
	v_perm_b32 v29, v16, v17, s0
	s_add_i32 s1, s1, -1
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
	v_lshlrev_b32_e32 v48, 1, v82
.LBB1_14:
	v_readfirstlane_b32 s24, v0
	s_lshr_b32 s24, s24, 2
	s_and_b32 s24, s24, 0x1fffff0
	v_add_u32_e32 v85, s24, v35
	v_lshl_or_b32 v85, v85, 7, v48
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b128 v85, v[30:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[78:79], v[2:17]
	v_lshlrev_b32_e32 v49, 1, v34
	buffer_load_dwordx4 v[30:33], v49, s[4:7], 0 offen
	v_lshl_add_u32 v49, v38, 1, v85
	ds_write_b128 v49, v[26:29] offset:128
	v_add_lshl_u32 v82, v34, s11, 1
	v_lshlrev_b32_e32 v83, 1, v1
	v_add_lshl_u32 v84, v1, s12, 1
	v_mfma_f32_32x32x8_f16 v[2:17], v[72:73], v[80:81], v[2:17]
	buffer_load_dwordx4 v[26:29], v82, s[4:7], 0 offen
	ds_write_b128 v85, v[18:21] offset:8192
	v_cmp_gt_i32_e32 vcc, s27, v47
	v_add_u32_e32 v47, 64, v47
	v_add_u32_e32 v1, 64, v1
	v_add_u32_e32 v34, 64, v34
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v82, 16, v31
	v_mfma_f32_32x32x8_f16 v[2:17], v[62:63], v[74:75], v[2:17]
	buffer_load_dwordx4 v[18:21], v83, s[16:19], 0 offen
	ds_write_b128 v49, v[22:25] offset:8320
	v_lshrrev_b32_e32 v49, 16, v30
	v_lshrrev_b32_e32 v83, 16, v32
	v_cndmask_b32_e32 v32, 0, v32, vcc
	v_cndmask_b32_e32 v31, 0, v31, vcc
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_mfma_f32_32x32x8_f16 v[2:17], v[64:65], v[76:77], v[2:17]
	buffer_load_dwordx4 v[22:25], v84, s[16:19], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[70:73], v39
	ds_read_b128 v[62:65], v40
	v_lshrrev_b32_e32 v84, 16, v33
	v_cndmask_b32_e32 v33, 0, v33, vcc
	v_mfma_f32_32x32x8_f16 v[2:17], v[58:59], v[66:67], v[2:17]
	ds_read_b128 v[78:81], v43 offset:8192
	ds_read_b128 v[74:77], v44 offset:8192
	s_waitcnt vmcnt(2)
	v_lshrrev_b32_e32 v85, 16, v26
	v_lshrrev_b32_e32 v86, 16, v27
	v_lshrrev_b32_e32 v87, 16, v28
	v_lshrrev_b32_e32 v88, 16, v29
	v_cndmask_b32_e32 v29, 0, v29, vcc
	v_mfma_f32_32x32x8_f16 v[2:17], v[60:61], v[68:69], v[2:17]
	ds_read_b128 v[58:61], v41
	ds_read_b128 v[66:69], v45 offset:8192
	v_cndmask_b32_e32 v28, 0, v28, vcc
	v_cndmask_b32_e32 v27, 0, v27, vcc
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_cndmask_b32_e32 v83, 0, v83, vcc
	v_cndmask_b32_e32 v82, 0, v82, vcc
	v_mfma_f32_32x32x8_f16 v[2:17], v[50:51], v[54:55], v[2:17]
	v_cndmask_b32_e32 v49, 0, v49, vcc
	v_cndmask_b32_e32 v84, 0, v84, vcc
	v_cndmask_b32_e32 v87, 0, v87, vcc
	v_cndmask_b32_e32 v86, 0, v86, vcc
	v_cndmask_b32_e32 v85, 0, v85, vcc
	v_cndmask_b32_e32 v88, 0, v88, vcc
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v89, 16, v18
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	ds_read_b128 v[50:53], v42
	ds_read_b128 v[54:57], v46 offset:8192
	v_lshrrev_b32_e32 v90, 16, v19
	v_lshrrev_b32_e32 v91, 16, v20
	v_lshrrev_b32_e32 v92, 16, v21
	v_cndmask_b32_e32 v21, 0, v21, vcc
	v_cndmask_b32_e32 v20, 0, v20, vcc
	v_cndmask_b32_e32 v19, 0, v19, vcc
	v_cndmask_b32_e32 v18, 0, v18, vcc
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v93, 16, v22
	v_lshrrev_b32_e32 v94, 16, v23
	v_lshrrev_b32_e32 v95, 16, v24
	v_lshrrev_b32_e32 v96, 16, v25
	v_cndmask_b32_e32 v25, 0, v25, vcc
	v_cndmask_b32_e32 v24, 0, v24, vcc
	v_cndmask_b32_e32 v23, 0, v23, vcc
	v_cndmask_b32_e32 v22, 0, v22, vcc
	v_cndmask_b32_e32 v91, 0, v91, vcc
	v_cndmask_b32_e32 v90, 0, v90, vcc
	v_cndmask_b32_e32 v89, 0, v89, vcc
	v_cndmask_b32_e32 v92, 0, v92, vcc
	v_cndmask_b32_e32 v95, 0, v95, vcc
	v_cndmask_b32_e32 v94, 0, v94, vcc
	v_cndmask_b32_e32 v93, 0, v93, vcc
	v_cndmask_b32_e32 v96, 0, v96, vcc
	s_add_i32 s1, s1, -1
	v_perm_b32 v18, v89, v18, s0
	v_perm_b32 v19, v90, v19, s0
	v_perm_b32 v20, v91, v20, s0
	v_perm_b32 v21, v92, v21, s0
	v_perm_b32 v22, v93, v22, s0
	v_perm_b32 v23, v94, v23, s0
	v_perm_b32 v24, v95, v24, s0
	v_perm_b32 v25, v96, v25, s0
	v_perm_b32 v30, v49, v30, s0
	v_perm_b32 v31, v82, v31, s0
	v_perm_b32 v32, v83, v32, s0
	v_perm_b32 v33, v84, v33, s0
	v_perm_b32 v26, v85, v26, s0
	v_perm_b32 v27, v86, v27, s0
	v_perm_b32 v28, v87, v28, s0
	s_cmp_lg_u32 s1, 0
	v_perm_b32 v29, v88, v29, s0
	s_cbranch_scc1 .LBB1_14
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[78:79], v[2:17]
	s_mul_i32 s0, s35, s3
	s_ashr_i32 s1, s0, 31
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s16, s22, s0
	s_mul_i32 s0, s34, s3
	s_addc_u32 s17, s23, s1
	s_ashr_i32 s1, s0, 31
	v_mfma_f32_32x32x8_f16 v[2:17], v[72:73], v[80:81], v[2:17]
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s0, s20, s0
	s_mul_i32 s4, s26, s3
	s_addc_u32 s1, s21, s1
	s_ashr_i32 s5, s4, 31
	s_lshl_b64 s[4:5], s[4:5], 1
	s_add_u32 s4, s30, s4
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 v[2:17], v[62:63], v[74:75], v[2:17]
	s_addc_u32 s5, s31, s5
	s_add_i32 s6, s8, -1
	s_add_i32 s3, s15, -1
	s_add_i32 s7, s3, 1
	s_mul_i32 s3, s6, s14
	s_add_i32 s8, s3, s7
	s_mul_i32 s3, s6, s13
	v_mfma_f32_32x32x8_f16 v[2:17], v[64:65], v[76:77], v[2:17]
	v_readfirstlane_b32 s12, v0
	s_add_i32 s11, s3, s7
	s_lshr_b32 s3, s12, 2
	v_lshrrev_b32_e32 v0, 3, v36
	s_and_b32 s15, s3, 0x1ffffe0
	v_and_or_b32 v19, v0, 12, s15
	v_lshlrev_b32_e32 v0, 3, v36
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[58:59], v[66:67], v[2:17]
	s_and_b32 s3, s3, 0x3ffffff0
	v_and_b32_e32 v20, 56, v0
	v_add_u32_e32 v21, s3, v35
	v_add_u32_e32 v38, s10, v21
	v_or_b32_e32 v18, s2, v20
	v_mad_u64_u32 v[0:1], s[2:3], v38, s13, v[18:19]
	v_mfma_f32_32x32x8_f16 v[2:17], v[60:61], v[68:69], v[2:17]
	v_mad_u64_u32 v[24:25], s[2:3], v38, s14, v[18:19]
	s_and_b32 s2, s12, 64
	v_lshlrev_b32_e32 v1, 1, v37
	v_lshlrev_b32_e32 v19, 7, v19
	v_or3_b32 v1, s2, v1, v19
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[50:51], v[54:55], v[2:17]
	s_barrier
	s_lshl_b32 s2, s11, 1
	s_mov_b32 s3, 0x20000
	s_lshl_b32 s18, s8, 1
	s_mov_b32 s19, s3
	v_add_lshl_u32 v19, v24, s14, 1
	v_cmp_gt_i32_e32 vcc, s9, v18
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	s_mul_i32 s6, s6, s28
	s_add_i32 s6, s6, s7
	s_lshl_b32 s6, s6, 1
	s_mov_b32 s7, s3
	s_nop 6
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
	v_lshlrev_b32_e32 v1, 1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_load_dwordx4 v[8:11], v1, s[0:3], 0 offen
	v_lshlrev_b32_e32 v1, 1, v24
	buffer_load_dwordx4 v[12:15], v1, s[16:19], 0 offen
	v_lshlrev_b32_e32 v1, 7, v21
	v_add_lshl_u32 v17, v0, s13, 1
	v_lshl_or_b32 v16, v20, 1, v1
	buffer_load_dwordx4 v[4:7], v17, s[0:3], 0 offen
	buffer_load_dwordx4 v[0:3], v19, s[16:19], 0 offen
	ds_read_b128 v[20:23], v16
	ds_read_b128 v[24:27], v16 offset:128
	s_waitcnt lgkmcnt(1)
	v_cvt_f32_f16_e32 v16, v20
	v_cvt_f32_f16_sdwa v17, v20 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v20, v21
	v_cvt_f32_f16_sdwa v21, v21 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v28, v22
	v_cvt_f32_f16_sdwa v29, v22 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v22, v23
	v_cvt_f32_f16_sdwa v23, v23 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16_sdwa v19, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v8, v8
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16_sdwa v30, v12 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v12, v12
	v_cvt_f32_f16_sdwa v31, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v32, v9
	v_cvt_f32_f16_sdwa v33, v13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v34, v13
	v_cvt_f32_f16_sdwa v35, v10 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v10, v10
	v_cvt_f32_f16_sdwa v37, v14 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v14, v14
	v_cndmask_b32_e32 v9, 0, v19, vcc
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_cndmask_b32_e32 v13, 0, v30, vcc
	v_pk_add_f32 v[8:9], v[8:9], v[16:17]
	v_cndmask_b32_e32 v31, 0, v31, vcc
	v_cndmask_b32_e32 v30, 0, v32, vcc
	v_pk_add_f32 v[8:9], v[8:9], v[12:13]
	v_cndmask_b32_e32 v32, 0, v34, vcc
	v_cndmask_b32_e32 v33, 0, v33, vcc
	v_pk_add_f32 v[16:17], v[30:31], v[20:21]
	v_cmp_ngt_f32_e64 s[0:1], 0, v8
	v_cndmask_b32_e32 v35, 0, v35, vcc
	v_cndmask_b32_e32 v34, 0, v10, vcc
	v_cndmask_b32_e32 v36, 0, v14, vcc
	v_pk_add_f32 v[12:13], v[16:17], v[32:33]
	v_cndmask_b32_e64 v14, 0, v8, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v9
	v_cndmask_b32_e32 v37, 0, v37, vcc
	v_pk_add_f32 v[20:21], v[34:35], v[28:29]
	v_cndmask_b32_e64 v8, 0, v9, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v12
	v_pk_add_f32 v[16:17], v[20:21], v[36:37]
	v_cvt_f32_f16_sdwa v39, v11 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v12, 0, v12, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v13
	v_cvt_f16_f32_e32 v12, v12
	s_nop 0
	v_cndmask_b32_e64 v9, 0, v13, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v16
	s_nop 1
	v_cndmask_b32_e64 v13, 0, v16, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v17
	v_cvt_f16_f32_e32 v16, v8
	v_cvt_f32_f16_e32 v8, v11
	v_cndmask_b32_e64 v10, 0, v17, s[0:1]
	v_cvt_f16_f32_e32 v19, v10
	v_cvt_f32_f16_e32 v10, v15
	v_cvt_f32_f16_sdwa v11, v15 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f16_f32_e32 v17, v9
	v_cndmask_b32_e32 v9, 0, v39, vcc
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_pk_add_f32 v[8:9], v[8:9], v[22:23]
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_pk_add_f32 v[8:9], v[8:9], v[10:11]
	v_cvt_f16_f32_e32 v10, v13
	v_cmp_ngt_f32_e64 s[0:1], 0, v8
	v_cvt_f16_f32_e32 v13, v14
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16_sdwa v14, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v8, 0, v8, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v9
	v_cvt_f16_f32_e32 v8, v8
	v_cvt_f32_f16_e32 v4, v4
	v_cndmask_b32_e64 v9, 0, v9, s[0:1]
	v_cvt_f16_f32_e32 v9, v9
	v_cndmask_b32_e32 v15, 0, v14, vcc
	v_cndmask_b32_e32 v14, 0, v4, vcc
	v_cvt_f32_f16_e32 v4, v5
	v_pack_b32_f16 v11, v8, v9
	v_pack_b32_f16 v9, v12, v17
	v_pack_b32_f16 v8, v13, v16
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_f16_e32 v12, v24
	v_cvt_f32_f16_sdwa v13, v24 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v16, v0
	v_cvt_f32_f16_sdwa v0, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v17, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_pk_add_f32 v[12:13], v[14:15], v[12:13]
	v_cndmask_b32_e32 v14, 0, v16, vcc
	v_cndmask_b32_e32 v15, 0, v0, vcc
	v_pk_add_f32 v[12:13], v[12:13], v[14:15]
	v_cvt_f32_f16_e32 v16, v1
	v_cmp_ngt_f32_e64 s[0:1], 0, v12
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_pack_b32_f16 v10, v10, v19
	v_cndmask_b32_e64 v14, 0, v12, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v13
	v_cvt_f32_f16_e32 v12, v25
	s_nop 0
	v_cndmask_b32_e64 v0, 0, v13, s[0:1]
	v_cvt_f16_f32_e32 v15, v0
	v_cvt_f32_f16_sdwa v0, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v13, v25 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v5, 0, v0, vcc
	v_pk_add_f32 v[0:1], v[4:5], v[12:13]
	v_cndmask_b32_e32 v4, 0, v16, vcc
	v_cndmask_b32_e32 v5, 0, v17, vcc
	v_pk_add_f32 v[0:1], v[0:1], v[4:5]
	v_cvt_f32_f16_sdwa v4, v6 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cmp_ngt_f32_e64 s[0:1], 0, v0
	v_cvt_f32_f16_e32 v6, v6
	v_cvt_f32_f16_e32 v16, v2
	v_cndmask_b32_e64 v12, 0, v0, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v1
	v_cvt_f32_f16_sdwa v2, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v5, 0, v4, vcc
	v_cndmask_b32_e64 v0, 0, v1, s[0:1]
	v_cvt_f16_f32_e32 v13, v0
	v_cvt_f32_f16_e32 v0, v26
	v_cvt_f32_f16_sdwa v1, v26 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v4, 0, v6, vcc
	v_pk_add_f32 v[0:1], v[4:5], v[0:1]
	v_cndmask_b32_e32 v4, 0, v16, vcc
	v_cndmask_b32_e32 v5, 0, v2, vcc
	v_pk_add_f32 v[0:1], v[0:1], v[4:5]
	v_cvt_f32_f16_sdwa v2, v7 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cmp_ngt_f32_e64 s[0:1], 0, v0
	v_cvt_f32_f16_e32 v4, v7
	v_cndmask_b32_e32 v5, 0, v2, vcc
	v_cndmask_b32_e64 v6, 0, v0, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v1
	v_cvt_f32_f16_e32 v2, v3
	v_cvt_f32_f16_sdwa v3, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v0, 0, v1, s[0:1]
	v_cvt_f16_f32_e32 v16, v0
	v_cvt_f32_f16_e32 v0, v27
	v_cvt_f32_f16_sdwa v1, v27 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_pk_add_f32 v[0:1], v[4:5], v[0:1]
	v_cvt_f16_f32_e32 v4, v12
	v_pk_add_f32 v[0:1], v[0:1], v[2:3]
	v_cvt_f16_f32_e32 v5, v14
	v_cmp_ngt_f32_e64 s[0:1], 0, v0
	v_cvt_f16_f32_e32 v2, v6
	v_pack_b32_f16 v2, v2, v16
	v_cndmask_b32_e64 v0, 0, v0, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v1
	v_cvt_f16_f32_e32 v0, v0
	s_nop 0
	v_cndmask_b32_e64 v1, 0, v1, s[0:1]
	v_cvt_f16_f32_e32 v1, v1
	v_pack_b32_f16 v3, v0, v1
	v_pack_b32_f16 v1, v4, v13
	v_pack_b32_f16 v0, v5, v15
	v_mad_u64_u32 v[4:5], s[0:1], v38, s28, v[18:19]
	v_bfrev_b32_e32 v5, 1
	v_cndmask_b32_e64 v5, v5, 0, vcc
	v_lshl_add_u32 v4, v4, 1, v5
	buffer_store_dwordx4 v[8:11], v4, s[4:7], 0 offen
	v_lshl_add_u32 v4, s28, 1, v4
	buffer_store_dwordx4 v[0:3], v4, s[4:7], 0 offen
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 16384
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
		.amdhsa_next_free_vgpr 97
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 100
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
	.section	.bss,"aw",@nobits
__hip_cuid_:
	.byte	0
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
        .size:           200
        .value_kind:     by_value
    .group_segment_fixed_size: 16384
    .kernarg_segment_align: 8
    .kernarg_segment_size: 200
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     43
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     97
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
