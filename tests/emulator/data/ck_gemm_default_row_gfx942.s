; A CK Tile GEMM for gfx942 (64 x 64 x 32 tile, fp16) that B row-major, adds one D operand; default epilogue, compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
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
	s_load_dwordx2 s[14:15], s[0:1], 0x68
	s_load_dwordx4 s[8:11], s[0:1], 0x58
	s_load_dwordx4 s[16:19], s[0:1], 0x0
	s_load_dwordx2 s[4:5], s[0:1], 0x10
	s_load_dwordx2 s[24:25], s[0:1], 0x8c
	s_mov_b32 s6, 0
	s_waitcnt lgkmcnt(0)
	s_add_i32 s22, s8, -1
	s_cmp_lt_u32 s22, 64
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s6, s9, -1
	s_cmp_lt_u32 s6, 64
	s_mov_b32 s7, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s20, s8, 63
	s_ashr_i32 s21, s20, 31
	s_lshr_b32 s6, s21, 26
	s_add_i32 s6, s20, s6
	s_ashr_i32 s13, s6, 6
	s_add_i32 s6, s9, 63
	s_ashr_i32 s7, s6, 31
	s_lshr_b32 s7, s7, 26
	s_add_i32 s6, s6, s7
	s_ashr_i32 s12, s6, 6
	s_mul_i32 s6, s12, s13
	s_add_i32 s7, s6, 7
	s_ashr_i32 s23, s7, 31
	s_lshr_b32 s23, s23, 29
	s_add_i32 s7, s7, s23
	s_ashr_i32 s23, s7, 3
	s_and_b32 s7, s7, -8
	s_sub_i32 s26, s6, s7
	s_ashr_i32 s6, s2, 31
	s_lshr_b32 s6, s6, 29
	s_add_i32 s28, s2, s6
	s_and_b32 s6, s28, -8
	s_add_i32 s26, s26, 8
	s_sub_i32 s27, s2, s6
	s_cmp_gt_i32 s27, s26
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s23, s27
	s_ashr_i32 s6, s28, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s6, s28, 3
.LBB1_5:
	s_add_i32 s2, s23, -1
	s_mul_i32 s2, s2, s27
	s_add_i32 s2, s26, s2
.LBB1_6:
	s_abs_i32 s7, s12
	v_cvt_f32_u32_e32 v1, s7
	s_sub_i32 s26, 0, s7
	s_add_i32 s2, s2, s6
	s_abs_i32 s23, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s6, s2, s12
	s_ashr_i32 s6, s6, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s27, v1
	s_mul_i32 s26, s26, s27
	s_mul_hi_u32 s26, s27, s26
	s_add_i32 s27, s27, s26
	s_mul_hi_u32 s26, s23, s27
	s_mul_i32 s27, s26, s7
	s_sub_i32 s23, s23, s27
	s_add_i32 s28, s26, 1
	s_sub_i32 s27, s23, s7
	s_cmp_ge_u32 s23, s7
	s_cselect_b32 s26, s28, s26
	s_cselect_b32 s23, s27, s23
	s_add_i32 s27, s26, 1
	s_cmp_ge_u32 s23, s7
	s_cselect_b32 s7, s27, s26
	s_xor_b32 s7, s7, s6
	s_lshr_b32 s21, s21, 24
	s_sub_i32 s6, s7, s6
	s_add_i32 s20, s20, s21
	s_mul_i32 s7, s6, s12
	s_sub_i32 s2, s2, s7
	s_ashr_i32 s7, s20, 8
	s_lshl_b32 s7, s7, 2
	s_sub_i32 s13, s13, s7
	s_cmp_ge_i32 s6, s7
	s_cselect_b32 s13, s13, 4
	s_abs_i32 s20, s13
	v_cvt_f32_u32_e32 v1, s20
	s_ashr_i32 s7, s6, 31
	s_lshr_b32 s7, s7, 30
	s_add_i32 s7, s6, s7
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s21, s7, -4
	s_sub_i32 s6, s6, s21
	s_mul_i32 s6, s6, s12
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_sub_i32 s12, 0, s20
	s_add_i32 s6, s6, s2
	s_abs_i32 s7, s6
	v_readfirstlane_b32 s23, v1
	s_mul_i32 s12, s12, s23
	s_mul_hi_u32 s12, s23, s12
	s_add_i32 s23, s23, s12
	s_mul_hi_u32 s12, s7, s23
	s_mul_i32 s23, s12, s20
	s_xor_b32 s2, s6, s13
	s_sub_i32 s7, s7, s23
	s_ashr_i32 s2, s2, 31
	s_add_i32 s23, s12, 1
	s_sub_i32 s26, s7, s20
	s_cmp_ge_u32 s7, s20
	s_cselect_b32 s12, s23, s12
	s_cselect_b32 s7, s26, s7
	s_add_i32 s23, s12, 1
	s_cmp_ge_u32 s7, s20
	s_cselect_b32 s7, s23, s12
	s_xor_b32 s7, s7, s2
	s_sub_i32 s7, s7, s2
	s_mul_i32 s13, s13, s7
	s_sub_i32 s2, s21, s13
	s_add_i32 s2, s2, s6
.LBB1_7:
	s_mov_b32 s6, s2
	s_mov_b32 s2, s7
.LBB1_8:
	s_lshl_b32 s7, s25, 3
	s_abs_i32 s12, s7
	v_cvt_f32_u32_e32 v1, s12
	s_sub_i32 s20, 0, s12
	s_add_i32 s13, s10, s7
	s_add_i32 s13, s13, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s7, s13, s7
	s_abs_i32 s13, s13
	s_ashr_i32 s7, s7, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s21, v1
	s_mul_i32 s20, s20, s21
	s_mul_hi_u32 s20, s21, s20
	s_add_i32 s21, s21, s20
	s_mul_hi_u32 s20, s13, s21
	s_mul_i32 s21, s20, s12
	s_sub_i32 s13, s13, s21
	s_add_i32 s23, s20, 1
	s_sub_i32 s21, s13, s12
	s_cmp_ge_u32 s13, s12
	s_cselect_b32 s20, s23, s20
	s_cselect_b32 s13, s21, s13
	s_add_i32 s21, s20, 1
	s_cmp_ge_u32 s13, s12
	s_cselect_b32 s13, s21, s20
	s_xor_b32 s13, s13, s7
	s_sub_i32 s7, s13, s7
	s_add_i32 s12, s25, -1
	s_lshl_b32 s25, s7, 3
	s_mul_i32 s7, s25, s3
	s_cmp_ge_u32 s3, s12
	s_mul_i32 s23, s7, s14
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s3, s25, s12
	s_sub_i32 s10, s10, s3
	s_load_dwordx2 s[12:13], s[0:1], 0x50
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
	s_load_dwordx2 s[12:13], s[0:1], 0x50
.LBB1_11:
	s_mov_b32 s10, s25
.LBB1_12:
	s_lshl_b32 s25, s6, 6
	s_mov_b32 s6, 0
	s_lshl_b32 s3, s2, 6
	s_ashr_i64 s[0:1], s[6:7], 31
	s_add_u32 s16, s16, s0
	s_mov_b32 s7, s23
	s_addc_u32 s17, s17, s1
	s_ashr_i64 s[0:1], s[6:7], 31
	s_add_u32 s20, s18, s0
	s_addc_u32 s21, s19, s1
	s_mul_i32 s0, s11, s22
	s_add_i32 s1, s10, -1
	v_readfirstlane_b32 s26, v0
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_add_i32 s6, s1, s0
	s_add_i32 s0, s9, -1
	v_mbcnt_hi_u32_b32 v1, -1, v1
	s_lshr_b32 s27, s26, 2
	s_add_u32 s2, s0, 1
	v_lshlrev_b32_e32 v5, 3, v1
	s_and_b32 s7, s27, 0x3ffffff0
	s_lshr_b32 s0, s26, 3
	v_lshrrev_b32_e32 v24, 2, v1
	v_and_b32_e32 v17, 56, v5
	v_lshrrev_b32_e32 v19, 3, v1
	s_add_i32 s28, s25, s7
	s_and_b32 s0, s0, 0x1ffffff8
	s_mul_i32 s1, s14, s1
	v_and_b32_e32 v4, 24, v5
	v_or_b32_e32 v16, s3, v17
	v_add_u32_e32 v18, s0, v19
	v_add_u32_e32 v6, s28, v24
	s_add_i32 s18, s1, s2
	v_mad_u64_u32 v[2:3], s[0:1], v18, s14, v[16:17]
	s_mov_b32 s19, 0x20000
	v_mad_u64_u32 v[6:7], s[0:1], v6, s11, v[4:5]
	s_lshl_b32 s22, s18, 1
	s_mov_b32 s23, s19
	v_lshlrev_b32_e32 v3, 1, v2
	s_lshl1_add_u32 s18, s6, 2
	v_lshlrev_b32_e32 v7, 1, v6
	buffer_load_dwordx4 v[8:11], v3, s[20:23], 0 offen
	buffer_load_dwordx4 v[12:15], v7, s[16:19], 0 offen
	v_and_b32_e32 v25, 31, v1
	v_lshrrev_b32_e32 v20, 5, v1
	s_lshr_b32 s1, s26, 1
	s_and_b32 s27, s27, 0x3fffffe0
	v_and_or_b32 v5, v5, 8, v20
	s_lshl_b32 s11, s14, 6
	v_and_or_b32 v20, s1, 32, v25
	v_or_b32_e32 v21, s27, v25
	v_lshrrev_b32_e32 v40, 1, v20
	v_bfe_u32 v44, v20, 1, 4
	v_lshrrev_b32_e32 v36, 1, v21
	v_bfe_u32 v39, v21, 1, 4
	v_add_u32_e32 v3, s11, v3
	buffer_load_dwordx4 v[20:23], v7, s[16:19], 0 offen offset:64
	buffer_load_dwordx4 v[68:71], v3, s[20:23], 0 offen
	s_add_i32 s0, s10, 31
	s_ashr_i32 s26, s0, 31
	s_lshr_b32 s1, s26, 27
	s_add_i32 s0, s0, s1
	s_ashr_i32 s26, s0, 5
	v_cmp_gt_i32_e32 vcc, s9, v16
	v_cmp_gt_i32_e64 s[0:1], s10, v4
	s_mov_b32 s6, 0x5040100
	v_or_b32_e32 v35, 32, v4
	v_xor_b32_e32 v37, v39, v5
	v_xor_b32_e32 v41, v44, v5
	s_waitcnt vmcnt(3)
	v_lshrrev_b32_e32 v26, 16, v10
	s_waitcnt vmcnt(2)
	v_lshrrev_b32_e32 v16, 16, v12
	v_lshrrev_b32_e32 v29, 16, v14
	v_lshrrev_b32_e32 v30, 16, v15
	v_lshrrev_b32_e32 v27, 16, v11
	v_lshrrev_b32_e32 v28, 16, v13
	v_cndmask_b32_e64 v15, 0, v15, s[0:1]
	v_cndmask_b32_e64 v14, 0, v14, s[0:1]
	v_cndmask_b32_e64 v12, 0, v12, s[0:1]
	v_cndmask_b32_e32 v34, 0, v26, vcc
	v_cndmask_b32_e64 v26, 0, v29, s[0:1]
	v_cndmask_b32_e64 v16, 0, v16, s[0:1]
	v_cndmask_b32_e64 v29, 0, v30, s[0:1]
	v_cndmask_b32_e64 v13, 0, v13, s[0:1]
	v_cndmask_b32_e64 v28, 0, v28, s[0:1]
	v_perm_b32 v12, v16, v12, s6
	v_perm_b32 v15, v29, v15, s6
	v_perm_b32 v14, v26, v14, s6
	v_cndmask_b32_e32 v16, 0, v27, vcc
	v_lshrrev_b32_e32 v26, 2, v4
	v_add_u32_e32 v27, s7, v24
	v_lshlrev_b32_e32 v29, 1, v1
	v_perm_b32 v13, v28, v13, s6
	v_lshrrev_b32_e32 v28, 1, v27
	v_and_or_b32 v26, v29, 8, v26
	v_bfe_u32 v29, v27, 1, 4
	v_xor_b32_e32 v30, v29, v26
	v_lshlrev_b32_e32 v27, 7, v28
	v_lshl_or_b32 v28, v30, 3, v27
	v_or_b32_e32 v27, 1, v26
	ds_write_b64 v28, v[12:13]
	v_xor_b32_e32 v12, v27, v29
	v_sub_u32_e32 v12, v12, v30
	v_lshl_add_u32 v12, v12, 3, v28
	v_bfe_u32 v1, v1, 3, 2
	v_lshrrev_b32_e32 v13, 1, v17
	ds_write_b64 v12, v[14:15]
	v_lshrrev_b32_e32 v12, 2, v18
	v_and_b32_e32 v28, 12, v13
	v_lshl_or_b32 v29, v17, 5, v1
	v_xor_b32_e32 v14, v28, v12
	v_lshlrev_b32_e32 v30, 1, v29
	v_lshrrev_b32_e32 v3, 16, v8
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_lshl_add_u32 v1, v14, 3, v30
	ds_write_b16 v1, v8 offset:4096
	v_add_u32_e32 v1, 8, v12
	v_xor_b32_e32 v8, v1, v28
	v_lshl_add_u32 v14, v8, 2, v29
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_lshlrev_b32_e32 v15, 1, v14
	ds_write_b16 v15, v3 offset:4096
	v_or_b32_e32 v3, 1, v13
	v_and_b32_e32 v31, 13, v3
	v_sub_u32_e32 v13, v3, v13
	v_xor_b32_e32 v3, v31, v12
	v_sub_u32_e32 v3, v3, v8
	v_lshrrev_b32_e32 v7, 16, v9
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_lshl_add_u32 v3, v3, 3, v15
	v_lshlrev_b32_e32 v32, 6, v13
	ds_write_b16 v3, v9 offset:4224
	v_xor_b32_e32 v3, v31, v1
	v_add_u32_e32 v13, v14, v32
	v_sub_u32_e32 v8, v3, v8
	v_lshl_add_u32 v8, v8, 2, v13
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_lshlrev_b32_e32 v9, 1, v8
	v_or_b32_e32 v33, 2, v28
	ds_write_b16 v9, v7 offset:4096
	v_xor_b32_e32 v7, v33, v12
	v_sub_u32_e32 v3, v7, v3
	v_lshlrev_b32_e32 v3, 2, v3
	v_add3_u32 v3, v3, v8, 64
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_lshlrev_b32_e32 v8, 1, v3
	ds_write_b16 v8, v10 offset:4096
	v_xor_b32_e32 v8, v33, v1
	v_sub_u32_e32 v7, v8, v7
	v_lshl_add_u32 v3, v7, 2, v3
	v_lshlrev_b32_e32 v7, 1, v3
	ds_write_b16 v7, v34 offset:4096
	v_or_b32_e32 v34, 3, v28
	v_xor_b32_e32 v7, v34, v12
	v_sub_u32_e32 v8, v7, v8
	v_lshlrev_b32_e32 v8, 2, v8
	v_xor_b32_e32 v1, v34, v1
	v_add_lshl_u32 v3, v8, v3, 1
	v_sub_u32_e32 v1, v1, v7
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_lshl_add_u32 v1, v1, 3, v3
	ds_write_b16 v3, v11 offset:4224
	ds_write_b16 v1, v16 offset:4224
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v1, 16, v20
	v_cmp_gt_i32_e64 s[0:1], s10, v35
	v_or_b32_e32 v35, 64, v4
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v4, 16, v69
	v_cndmask_b32_e64 v12, 0, v1, s[0:1]
	v_lshrrev_b32_e32 v1, 16, v68
	v_lshrrev_b32_e32 v14, 16, v70
	v_cndmask_b32_e32 v48, 0, v4, vcc
	v_add_u32_e32 v4, 2, v5
	v_cndmask_b32_e32 v46, 0, v14, vcc
	v_cndmask_b32_e32 v50, 0, v1, vcc
	v_lshlrev_b32_e32 v1, 7, v36
	v_xor_b32_e32 v14, v4, v39
	v_lshl_or_b32 v36, v37, 3, v1
	v_lshl_add_u32 v37, v14, 3, v1
	v_or_b32_e32 v14, 4, v5
	v_xor_b32_e32 v16, v14, v39
	v_add_u32_e32 v5, 6, v5
	v_lshl_add_u32 v38, v16, 3, v1
	v_xor_b32_e32 v16, v5, v39
	v_lshl_add_u32 v39, v16, 3, v1
	v_lshlrev_b32_e32 v1, 7, v40
	v_xor_b32_e32 v4, v44, v4
	v_lshl_or_b32 v40, v41, 3, v1
	v_lshl_add_u32 v41, v4, 3, v1
	v_xor_b32_e32 v4, v44, v14
	v_lshl_add_u32 v43, v4, 3, v1
	v_xor_b32_e32 v4, v44, v5
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[60:61], v37
	ds_read_b64 v[54:55], v38
	ds_read_b64 v[52:53], v39
	ds_read_b64 v[62:63], v41 offset:4096
	v_lshl_add_u32 v44, v4, 3, v1
	ds_read_b64 v[64:65], v36
	ds_read_b64 v[66:67], v40 offset:4096
	ds_read_b64 v[58:59], v43 offset:4096
	ds_read_b64 v[56:57], v44 offset:4096
	v_lshrrev_b32_e32 v3, 16, v21
	v_lshrrev_b32_e32 v7, 16, v22
	v_lshrrev_b32_e32 v8, 16, v23
	v_lshrrev_b32_e32 v15, 16, v71
	v_cndmask_b32_e64 v9, 0, v23, s[0:1]
	v_cndmask_b32_e64 v7, 0, v7, s[0:1]
	v_cndmask_b32_e64 v10, 0, v22, s[0:1]
	v_cndmask_b32_e64 v3, 0, v3, s[0:1]
	v_cndmask_b32_e64 v11, 0, v21, s[0:1]
	v_cndmask_b32_e64 v13, 0, v20, s[0:1]
	v_cndmask_b32_e64 v8, 0, v8, s[0:1]
	v_cndmask_b32_e32 v42, 0, v71, vcc
	v_cndmask_b32_e32 v45, 0, v70, vcc
	v_cndmask_b32_e32 v47, 0, v69, vcc
	v_cndmask_b32_e32 v51, 0, v68, vcc
	v_cndmask_b32_e32 v49, 0, v15, vcc
	v_add_u32_e32 v1, s11, v2
	v_add_u32_e32 v18, 64, v6
	s_max_i32 s0, s26, 2
	s_lshl_b32 s7, s14, 5
	v_perm_b32 v20, v7, v10, s6
	v_perm_b32 v21, v8, v9, s6
	v_perm_b32 v22, v12, v13, s6
	v_perm_b32 v23, v3, v11, s6
	s_add_i32 s11, s0, -1
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
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
.LBB1_13:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s1, s0, 2
	s_and_b32 s1, s1, 0x3ffffff0
	v_add_u32_e32 v68, s1, v24
	v_lshrrev_b32_e32 v69, 1, v68
	v_bfe_u32 v68, v68, 1, 4
	v_xor_b32_e32 v70, v68, v26
	v_lshlrev_b32_e32 v69, 7, v69
	v_lshl_or_b32 v69, v70, 3, v69
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b64 v69, v[22:23]
	v_mfma_f32_32x32x8_f16 v[2:17], v[64:65], v[66:67], v[2:17]
	v_xor_b32_e32 v23, v68, v27
	v_sub_u32_e32 v23, v23, v70
	v_lshl_add_u32 v23, v23, 3, v69
	ds_write_b64 v23, v[20:21]
	s_lshr_b32 s0, s0, 3
	s_and_b32 s0, s0, 0x1ffffff8
	v_add_u32_e32 v20, s0, v19
	v_mfma_f32_32x32x8_f16 v[2:17], v[60:61], v[62:63], v[2:17]
	v_lshrrev_b32_e32 v60, 2, v20
	v_xor_b32_e32 v20, v60, v28
	v_lshlrev_b32_e32 v22, 1, v18
	v_lshl_add_u32 v61, v20, 3, v30
	buffer_load_dwordx4 v[20:23], v22, s[16:19], 0 offen
	ds_write_b16 v61, v51 offset:4096
	v_lshlrev_b32_e32 v51, 1, v1
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[58:59], v[2:17]
	v_add_u32_e32 v54, 8, v60
	v_xor_b32_e32 v55, v54, v28
	v_lshl_add_u32 v58, v55, 3, v30
	ds_write_b16 v58, v50 offset:4096
	v_xor_b32_e32 v50, v60, v31
	v_cmp_gt_i32_e64 s[0:1], s10, v35
	v_add_u32_e32 v35, 32, v35
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	buffer_load_dwordx4 v[68:71], v51, s[20:23], 0 offen
	v_xor_b32_e32 v51, v60, v33
	v_xor_b32_e32 v52, v60, v34
	v_xor_b32_e32 v53, v54, v31
	v_xor_b32_e32 v56, v54, v33
	v_xor_b32_e32 v54, v54, v34
	v_lshlrev_b32_e32 v57, 2, v55
	v_sub_u32_e32 v55, v50, v55
	v_sub_u32_e32 v50, v53, v50
	v_sub_u32_e32 v53, v51, v53
	v_sub_u32_e32 v51, v56, v51
	v_sub_u32_e32 v56, v52, v56
	v_sub_u32_e32 v52, v54, v52
	v_lshl_add_u32 v54, v55, 2, v32
	v_lshlrev_b32_e32 v55, 2, v56
	v_add3_u32 v56, v57, v29, v54
	v_lshlrev_b32_e32 v53, 2, v53
	v_lshl_add_u32 v56, v50, 2, v56
	v_add3_u32 v53, v53, v56, 64
	v_lshl_add_u32 v51, v51, 2, v53
	v_lshl_add_u32 v54, v54, 1, v58
	v_lshlrev_b32_e32 v56, 1, v53
	v_lshlrev_b32_e32 v53, 1, v51
	v_add_lshl_u32 v51, v55, v51, 1
	v_lshl_add_u32 v50, v50, 3, v54
	v_lshl_add_u32 v52, v52, 3, v51
	ds_write_b16 v54, v47 offset:4096
	ds_write_b16 v50, v48 offset:4096
	ds_write_b16 v56, v45 offset:4096
	ds_write_b16 v53, v46 offset:4096
	ds_write_b16 v51, v42 offset:4224
	ds_write_b16 v52, v49 offset:4224
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[64:65], v36
	ds_read_b64 v[60:61], v37
	ds_read_b64 v[54:55], v38
	ds_read_b64 v[52:53], v39
	ds_read_b64 v[66:67], v40 offset:4096
	ds_read_b64 v[62:63], v41 offset:4096
	ds_read_b64 v[58:59], v43 offset:4096
	ds_read_b64 v[56:57], v44 offset:4096
	v_add_u32_e32 v1, s7, v1
	v_add_u32_e32 v18, 32, v18
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v46, 16, v22
	v_lshrrev_b32_e32 v42, 16, v20
	v_lshrrev_b32_e32 v45, 16, v21
	v_lshrrev_b32_e32 v47, 16, v23
	v_cndmask_b32_e64 v73, 0, v20, s[0:1]
	v_cndmask_b32_e64 v20, 0, v46, s[0:1]
	v_cndmask_b32_e64 v23, 0, v23, s[0:1]
	v_cndmask_b32_e64 v22, 0, v22, s[0:1]
	v_cndmask_b32_e64 v72, 0, v21, s[0:1]
	v_cndmask_b32_e64 v74, 0, v45, s[0:1]
	v_cndmask_b32_e64 v75, 0, v42, s[0:1]
	v_cndmask_b32_e64 v21, 0, v47, s[0:1]
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v49, 16, v68
	v_lshrrev_b32_e32 v48, 16, v69
	v_lshrrev_b32_e32 v46, 16, v70
	v_lshrrev_b32_e32 v76, 16, v71
	v_cndmask_b32_e32 v42, 0, v71, vcc
	v_cndmask_b32_e32 v45, 0, v70, vcc
	v_cndmask_b32_e32 v47, 0, v69, vcc
	v_cndmask_b32_e32 v51, 0, v68, vcc
	v_cndmask_b32_e32 v46, 0, v46, vcc
	v_cndmask_b32_e32 v48, 0, v48, vcc
	v_cndmask_b32_e32 v50, 0, v49, vcc
	v_cndmask_b32_e32 v49, 0, v76, vcc
	s_add_i32 s11, s11, -1
	v_perm_b32 v20, v20, v22, s6
	v_perm_b32 v21, v21, v23, s6
	v_perm_b32 v22, v75, v73, s6
	s_cmp_lg_u32 s11, 0
	v_perm_b32 v23, v74, v72, s6
	s_cbranch_scc1 .LBB1_13
	s_add_i32 s8, s8, -1
	s_mul_i32 s0, s8, s15
	s_add_i32 s6, s0, s2
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s1, s0, 1
	s_lshr_b32 s0, s0, 2
	s_and_b32 s0, s0, 0x3fffffe0
	s_and_b32 s1, s1, 32
	v_and_b32_e32 v0, 12, v19
	s_add_i32 s0, s0, s25
	v_add_u32_e32 v1, s0, v0
	s_or_b32 s0, s3, s1
	v_or_b32_e32 v0, s0, v25
	v_mad_u64_u32 v[18:19], s[0:1], v1, s15, v[0:1]
	v_lshlrev_b32_e32 v19, 1, v18
	v_add_u32_e32 v18, s15, v18
	v_lshlrev_b32_e32 v20, 1, v18
	v_add_u32_e32 v18, s15, v18
	v_lshlrev_b32_e32 v21, 1, v18
	v_add_u32_e32 v18, s15, v18
	s_mul_i32 s0, s15, 5
	s_lshl_b32 s6, s6, 1
	s_mov_b32 s7, 0x20000
	v_lshlrev_b32_e32 v22, 1, v18
	v_add_u32_e32 v18, s0, v18
	buffer_load_ushort v23, v19, s[4:7], 0 offen
	buffer_load_ushort v24, v20, s[4:7], 0 offen
	buffer_load_ushort v25, v21, s[4:7], 0 offen
	buffer_load_ushort v26, v22, s[4:7], 0 offen
	v_lshlrev_b32_e32 v19, 1, v18
	v_add_u32_e32 v18, s15, v18
	buffer_load_ushort v19, v19, s[4:7], 0 offen
	v_lshlrev_b32_e32 v20, 1, v18
	buffer_load_ushort v20, v20, s[4:7], 0 offen
	v_add_u32_e32 v18, s15, v18
	v_lshlrev_b32_e32 v21, 1, v18
	v_add_u32_e32 v18, s15, v18
	buffer_load_ushort v21, v21, s[4:7], 0 offen
	v_lshlrev_b32_e32 v22, 1, v18
	v_add_u32_e32 v18, s0, v18
	buffer_load_ushort v22, v22, s[4:7], 0 offen
	v_lshlrev_b32_e32 v27, 1, v18
	v_add_u32_e32 v18, s15, v18
	buffer_load_ushort v27, v27, s[4:7], 0 offen
	v_lshlrev_b32_e32 v28, 1, v18
	v_add_u32_e32 v18, s15, v18
	v_lshlrev_b32_e32 v29, 1, v18
	v_add_u32_e32 v18, s15, v18
	v_lshlrev_b32_e32 v30, 1, v18
	v_add_u32_e32 v18, s0, v18
	v_lshlrev_b32_e32 v31, 1, v18
	v_add_u32_e32 v18, s15, v18
	buffer_load_ushort v28, v28, s[4:7], 0 offen
	v_lshlrev_b32_e32 v32, 1, v18
	v_add_u32_e32 v18, s15, v18
	buffer_load_ushort v29, v29, s[4:7], 0 offen
	v_lshlrev_b32_e32 v33, 1, v18
	v_add_lshl_u32 v18, v18, s15, 1
	buffer_load_ushort v18, v18, s[4:7], 0 offen
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[64:65], v[66:67], v[2:17]
	buffer_load_ushort v30, v30, s[4:7], 0 offen
	v_cmp_gt_i32_e32 vcc, s9, v0
	buffer_load_ushort v31, v31, s[4:7], 0 offen
	s_mul_i32 s0, s8, s24
	buffer_load_ushort v32, v32, s[4:7], 0 offen
	s_add_i32 s2, s0, s2
	buffer_load_ushort v33, v33, s[4:7], 0 offen
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[60:61], v[62:63], v[2:17]
	v_mad_u64_u32 v[0:1], s[0:1], v1, s24, v[0:1]
	v_bfrev_b32_e32 v1, 1
	v_cndmask_b32_e64 v1, v1, 0, vcc
	s_lshl_b32 s14, s2, 1
	s_mov_b32 s15, s7
	s_lshl_b32 s0, s24, 1
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[58:59], v[2:17]
	s_lshl_b32 s1, s24, 3
	s_waitcnt vmcnt(15)
	v_cvt_f32_f16_e32 v23, v23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	s_waitcnt vmcnt(14)
	v_cvt_f32_f16_e32 v24, v24
	s_waitcnt vmcnt(13)
	v_cvt_f32_f16_e32 v25, v25
	s_waitcnt vmcnt(12)
	v_cvt_f32_f16_e32 v26, v26
	v_cndmask_b32_e32 v23, 0, v23, vcc
	s_waitcnt vmcnt(11)
	v_cvt_f32_f16_e32 v19, v19
	s_waitcnt vmcnt(10)
	v_cvt_f32_f16_e32 v20, v20
	v_add_f32_e32 v2, v2, v23
	v_cndmask_b32_e32 v19, 0, v19, vcc
	v_add_f32_e32 v6, v6, v19
	s_waitcnt vmcnt(9)
	v_cvt_f32_f16_e32 v21, v21
	v_cndmask_b32_e32 v19, 0, v20, vcc
	v_add_f32_e32 v7, v7, v19
	s_waitcnt vmcnt(8)
	v_cvt_f32_f16_e32 v22, v22
	v_cndmask_b32_e32 v19, 0, v21, vcc
	v_add_f32_e32 v8, v8, v19
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16_e32 v20, v27
	v_cndmask_b32_e32 v19, 0, v22, vcc
	v_add_f32_e32 v9, v9, v19
	v_cndmask_b32_e32 v23, 0, v24, vcc
	v_cndmask_b32_e32 v20, 0, v20, vcc
	v_add_f32_e32 v10, v10, v20
	v_cvt_f16_f32_e32 v2, v2
	v_add_f32_e32 v3, v3, v23
	v_cndmask_b32_e32 v23, 0, v25, vcc
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16_e32 v19, v28
	v_cvt_f16_f32_e32 v3, v3
	v_add_f32_e32 v4, v4, v23
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16_e32 v20, v29
	v_cndmask_b32_e32 v19, 0, v19, vcc
	v_cndmask_b32_e32 v23, 0, v26, vcc
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16_e32 v18, v18
	v_add_f32_e32 v11, v11, v19
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16_e32 v19, v30
	v_cndmask_b32_e32 v20, 0, v20, vcc
	v_cvt_f16_f32_e32 v4, v4
	v_add_f32_e32 v5, v5, v23
	v_add_f32_e32 v12, v12, v20
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16_e32 v20, v31
	v_cndmask_b32_e32 v18, 0, v18, vcc
	v_cvt_f16_f32_e32 v5, v5
	v_add_f32_e32 v17, v17, v18
	v_lshl_add_u32 v18, v0, 1, v1
	v_cvt_f16_f32_e32 v6, v6
	buffer_store_short v2, v18, s[12:15], 0 offen
	v_add_u32_e32 v2, s0, v18
	v_cvt_f16_f32_e32 v7, v7
	v_cndmask_b32_e32 v19, 0, v19, vcc
	buffer_store_short v3, v2, s[12:15], 0 offen
	v_add_u32_e32 v2, s0, v2
	v_cvt_f16_f32_e32 v8, v8
	v_add_f32_e32 v13, v13, v19
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16_e32 v19, v32
	v_cndmask_b32_e32 v20, 0, v20, vcc
	buffer_store_short v4, v2, s[12:15], 0 offen
	v_add_u32_e32 v2, s0, v2
	v_add_u32_e32 v0, s1, v0
	v_cvt_f16_f32_e32 v9, v9
	v_add_f32_e32 v14, v14, v20
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16_e32 v20, v33
	buffer_store_short v5, v2, s[12:15], 0 offen
	v_lshl_add_u32 v2, v0, 1, v1
	v_cvt_f16_f32_e32 v10, v10
	buffer_store_short v6, v2, s[12:15], 0 offen
	v_add_u32_e32 v2, s0, v2
	v_cvt_f16_f32_e32 v11, v11
	buffer_store_short v7, v2, s[12:15], 0 offen
	v_add_u32_e32 v2, s0, v2
	v_cvt_f16_f32_e32 v12, v12
	v_cndmask_b32_e32 v19, 0, v19, vcc
	buffer_store_short v8, v2, s[12:15], 0 offen
	v_add_u32_e32 v2, s0, v2
	v_add_u32_e32 v0, s1, v0
	v_cvt_f16_f32_e32 v13, v13
	v_cvt_f16_f32_e32 v14, v14
	v_add_f32_e32 v15, v15, v19
	v_cndmask_b32_e32 v19, 0, v20, vcc
	buffer_store_short v9, v2, s[12:15], 0 offen
	v_lshl_add_u32 v2, v0, 1, v1
	v_cvt_f16_f32_e32 v15, v15
	v_add_f32_e32 v16, v16, v19
	buffer_store_short v10, v2, s[12:15], 0 offen
	v_add_u32_e32 v2, s0, v2
	v_cvt_f16_f32_e32 v16, v16
	buffer_store_short v11, v2, s[12:15], 0 offen
	v_add_u32_e32 v2, s0, v2
	v_add_u32_e32 v0, s1, v0
	v_cvt_f16_f32_e32 v17, v17
	buffer_store_short v12, v2, s[12:15], 0 offen
	v_add_u32_e32 v2, s0, v2
	v_lshl_add_u32 v0, v0, 1, v1
	buffer_store_short v13, v2, s[12:15], 0 offen
	buffer_store_short v14, v0, s[12:15], 0 offen
	v_add_u32_e32 v0, s0, v0
	buffer_store_short v15, v0, s[12:15], 0 offen
	v_add_u32_e32 v0, s0, v0
	buffer_store_short v16, v0, s[12:15], 0 offen
	v_add_u32_e32 v0, s0, v0
	buffer_store_short v17, v0, s[12:15], 0 offen
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 8192
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 152
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
		.amdhsa_next_free_vgpr 77
		.amdhsa_next_free_sgpr 29
		.amdhsa_accum_offset 80
		.amdhsa_reserve_vcc 1
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
	.set ck_gemm.num_vgpr, 77
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 29
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
        .size:           152
        .value_kind:     by_value
    .group_segment_fixed_size: 8192
    .kernarg_segment_align: 8
    .kernarg_segment_size: 152
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     35
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     77
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
