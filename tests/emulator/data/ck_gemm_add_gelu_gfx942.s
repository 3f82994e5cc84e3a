; A CK Tile GEMM for gfx942 (64 x 64 x 32 tile, fp16) that adds one D operand, then gelu_tanh; cshuffle epilogue, compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_load_dwordx4 s[8:11], s[0:1], 0x58
	s_load_dwordx2 s[6:7], s[0:1], 0x68
	s_load_dwordx4 s[16:19], s[0:1], 0x0
	s_load_dwordx2 s[12:13], s[0:1], 0x10
	s_load_dwordx2 s[20:21], s[0:1], 0x8c
	s_waitcnt lgkmcnt(0)
	s_add_i32 s23, s8, -1
	s_mov_b32 s22, s9
	s_cmp_lt_u32 s23, 64
	s_mov_b32 s24, 0
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s4, s9, -1
	s_cmp_lt_u32 s4, 64
	s_mov_b32 s4, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s24, s8, 63
	s_ashr_i32 s25, s24, 31
	s_lshr_b32 s4, s25, 26
	s_add_i32 s4, s24, s4
	s_ashr_i32 s15, s4, 6
	s_add_i32 s4, s9, 63
	s_ashr_i32 s5, s4, 31
	s_lshr_b32 s5, s5, 26
	s_add_i32 s4, s4, s5
	s_ashr_i32 s14, s4, 6
	s_mul_i32 s4, s14, s15
	s_add_i32 s5, s4, 7
	s_ashr_i32 s26, s5, 31
	s_lshr_b32 s26, s26, 29
	s_add_i32 s5, s5, s26
	s_ashr_i32 s26, s5, 3
	s_and_b32 s5, s5, -8
	s_sub_i32 s27, s4, s5
	s_ashr_i32 s4, s2, 31
	s_lshr_b32 s4, s4, 29
	s_add_i32 s29, s2, s4
	s_and_b32 s4, s29, -8
	s_add_i32 s27, s27, 8
	s_sub_i32 s28, s2, s4
	s_cmp_gt_i32 s28, s27
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s26, s28
	s_ashr_i32 s4, s29, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s4, s29, 3
.LBB1_5:
	s_add_i32 s2, s26, -1
	s_mul_i32 s2, s2, s28
	s_add_i32 s2, s27, s2
.LBB1_6:
	s_abs_i32 s5, s14
	v_cvt_f32_u32_e32 v1, s5
	s_sub_i32 s27, 0, s5
	s_add_i32 s2, s2, s4
	s_abs_i32 s26, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s4, s2, s14
	s_ashr_i32 s4, s4, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s28, v1
	s_mul_i32 s27, s27, s28
	s_mul_hi_u32 s27, s28, s27
	s_add_i32 s28, s28, s27
	s_mul_hi_u32 s27, s26, s28
	s_mul_i32 s28, s27, s5
	s_sub_i32 s26, s26, s28
	s_add_i32 s29, s27, 1
	s_sub_i32 s28, s26, s5
	s_cmp_ge_u32 s26, s5
	s_cselect_b32 s27, s29, s27
	s_cselect_b32 s26, s28, s26
	s_add_i32 s28, s27, 1
	s_cmp_ge_u32 s26, s5
	s_cselect_b32 s5, s28, s27
	s_xor_b32 s5, s5, s4
	s_lshr_b32 s25, s25, 24
	s_sub_i32 s4, s5, s4
	s_add_i32 s24, s24, s25
	s_mul_i32 s5, s4, s14
	s_sub_i32 s2, s2, s5
	s_ashr_i32 s5, s24, 8
	s_lshl_b32 s5, s5, 2
	s_sub_i32 s15, s15, s5
	s_cmp_ge_i32 s4, s5
	s_cselect_b32 s5, s15, 4
	s_abs_i32 s24, s5
	v_cvt_f32_u32_e32 v1, s24
	s_ashr_i32 s15, s4, 31
	s_lshr_b32 s15, s15, 30
	s_add_i32 s15, s4, s15
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s15, s15, -4
	s_sub_i32 s4, s4, s15
	s_sub_i32 s25, 0, s24
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s4, s4, s14
	s_add_i32 s2, s4, s2
	s_abs_i32 s14, s2
	v_readfirstlane_b32 s26, v1
	s_mul_i32 s25, s25, s26
	s_mul_hi_u32 s25, s26, s25
	s_add_i32 s26, s26, s25
	s_mul_hi_u32 s25, s14, s26
	s_mul_i32 s26, s25, s24
	s_xor_b32 s4, s2, s5
	s_sub_i32 s14, s14, s26
	s_ashr_i32 s4, s4, 31
	s_add_i32 s26, s25, 1
	s_sub_i32 s27, s14, s24
	s_cmp_ge_u32 s14, s24
	s_cselect_b32 s25, s26, s25
	s_cselect_b32 s14, s27, s14
	s_add_i32 s26, s25, 1
	s_cmp_ge_u32 s14, s24
	s_cselect_b32 s14, s26, s25
	s_xor_b32 s14, s14, s4
	s_sub_i32 s4, s14, s4
	s_mul_i32 s5, s5, s4
	s_sub_i32 s5, s15, s5
	s_add_i32 s2, s5, s2
.LBB1_7:
	s_mov_b32 s24, s2
	s_mov_b32 s2, s4
.LBB1_8:
	s_lshl_b32 s4, s21, 3
	s_abs_i32 s5, s4
	v_cvt_f32_u32_e32 v1, s5
	s_sub_i32 s15, 0, s5
	s_add_i32 s14, s10, s4
	s_add_i32 s14, s14, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s4, s14, s4
	s_abs_i32 s14, s14
	s_ashr_i32 s4, s4, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s25, v1
	s_mul_i32 s15, s15, s25
	s_mul_hi_u32 s15, s25, s15
	s_add_i32 s25, s25, s15
	s_mul_hi_u32 s15, s14, s25
	s_mul_i32 s25, s15, s5
	s_sub_i32 s14, s14, s25
	s_add_i32 s26, s15, 1
	s_sub_i32 s25, s14, s5
	s_cmp_ge_u32 s14, s5
	s_cselect_b32 s15, s26, s15
	s_cselect_b32 s14, s25, s14
	s_add_i32 s25, s15, 1
	s_cmp_ge_u32 s14, s5
	s_cselect_b32 s5, s25, s15
	s_xor_b32 s5, s5, s4
	s_sub_i32 s4, s5, s4
	s_lshl_b32 s25, s4, 3
	s_add_i32 s4, s21, -1
	s_cmp_ge_u32 s3, s4
	s_mul_i32 s3, s25, s3
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s4, s25, s4
	s_sub_i32 s10, s10, s4
	s_load_dwordx2 s[4:5], s[0:1], 0x50
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
	s_load_dwordx2 s[4:5], s[0:1], 0x50
.LBB1_11:
	s_mov_b32 s10, s25
.LBB1_12:
	s_lshl_b32 s14, s2, 6
	s_mov_b32 s2, 0
	s_lshl_b32 s15, s24, 6
	s_ashr_i64 s[2:3], s[2:3], 31
	s_add_u32 s0, s16, s2
	s_addc_u32 s1, s17, s3
	s_add_u32 s16, s18, s2
	s_mul_i32 s2, s11, s23
	v_readfirstlane_b32 s23, v0
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_addc_u32 s17, s19, s3
	v_mbcnt_hi_u32_b32 v19, -1, v1
	s_lshr_b32 s24, s23, 2
	s_add_i32 s3, s10, -1
	v_lshrrev_b32_e32 v29, 2, v19
	s_and_b32 s25, s24, 0x3ffffff0
	s_add_i32 s18, s3, 1
	v_lshlrev_b32_e32 v28, 3, v19
	v_add_u32_e32 v1, s25, v29
	s_add_i32 s19, s2, s18
	s_add_i32 s2, s9, -1
	v_and_b32_e32 v18, 24, v28
	v_add_u32_e32 v2, s15, v1
	s_mul_i32 s21, s6, s2
	v_mad_u64_u32 v[20:21], s[2:3], v2, s11, v[18:19]
	s_lshl_b32 s2, s19, 1
	s_mov_b32 s3, 0x20000
	v_lshlrev_b32_e32 v14, 1, v20
	s_add_i32 s25, s25, s14
	s_nop 0
	buffer_load_dwordx4 v[2:5], v14, s[0:3], 0 offen
	v_add_u32_e32 v6, s25, v29
	s_add_i32 s21, s21, s18
	v_mad_u64_u32 v[22:23], s[18:19], v6, s6, v[18:19]
	s_lshl_b32 s18, s21, 1
	s_mov_b32 s19, s3
	v_lshlrev_b32_e32 v15, 1, v22
	s_nop 1
	buffer_load_dwordx4 v[6:9], v15, s[16:19], 0 offen
	buffer_load_dwordx4 v[10:13], v14, s[0:3], 0 offen offset:64
	v_cmp_gt_i32_e32 vcc, s10, v18
	buffer_load_dwordx4 v[14:17], v15, s[16:19], 0 offen offset:64
	s_mov_b32 s6, 0x5040100
	v_and_b32_e32 v30, 31, v19
	v_lshrrev_b32_e32 v21, 5, v19
	v_or_b32_e32 v23, 32, v18
	s_and_b32 s24, s24, 0x3fffffe0
	v_and_or_b32 v21, v28, 8, v21
	s_lshr_b32 s21, s23, 1
	v_or_b32_e32 v25, s24, v30
	v_and_or_b32 v24, s21, 32, v30
	v_lshrrev_b32_e32 v27, 1, v25
	v_bfe_u32 v25, v25, 1, 4
	v_lshrrev_b32_e32 v26, 1, v24
	v_bfe_u32 v24, v24, 1, 4
	v_xor_b32_e32 v37, v24, v21
	v_xor_b32_e32 v33, v25, v21
	s_add_i32 s11, s10, 31
	s_ashr_i32 s23, s11, 31
	s_lshr_b32 s21, s23, 27
	s_add_i32 s11, s11, s21
	s_ashr_i32 s11, s11, 5
	v_or_b32_e32 v41, 64, v18
	s_waitcnt vmcnt(3)
	v_lshrrev_b32_e32 v31, 16, v2
	v_lshrrev_b32_e32 v34, 16, v4
	v_lshrrev_b32_e32 v32, 16, v3
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e32 v34, 0, v34, vcc
	v_cndmask_b32_e32 v31, 0, v31, vcc
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cndmask_b32_e32 v32, 0, v32, vcc
	v_perm_b32 v2, v31, v2, s6
	v_perm_b32 v4, v34, v4, s6
	v_lshrrev_b32_e32 v31, 2, v18
	v_lshlrev_b32_e32 v34, 1, v19
	v_lshrrev_b32_e32 v35, 16, v5
	v_perm_b32 v3, v32, v3, s6
	v_lshrrev_b32_e32 v32, 1, v1
	v_and_or_b32 v31, v34, 8, v31
	v_bfe_u32 v1, v1, 1, 4
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_cndmask_b32_e32 v35, 0, v35, vcc
	v_xor_b32_e32 v34, v1, v31
	v_lshlrev_b32_e32 v32, 7, v32
	v_perm_b32 v5, v35, v5, s6
	v_lshl_or_b32 v35, v34, 3, v32
	v_or_b32_e32 v32, 1, v31
	v_xor_b32_e32 v1, v32, v1
	s_waitcnt vmcnt(2)
	v_lshrrev_b32_e32 v36, 16, v6
	v_lshrrev_b32_e32 v38, 16, v7
	v_lshrrev_b32_e32 v39, 16, v8
	v_lshrrev_b32_e32 v40, 16, v9
	v_sub_u32_e32 v1, v1, v34
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_cndmask_b32_e32 v39, 0, v39, vcc
	v_cndmask_b32_e32 v38, 0, v38, vcc
	v_cndmask_b32_e32 v36, 0, v36, vcc
	v_cndmask_b32_e32 v40, 0, v40, vcc
	v_lshl_add_u32 v1, v1, 3, v35
	v_perm_b32 v7, v38, v7, s6
	v_perm_b32 v6, v36, v6, s6
	v_perm_b32 v9, v40, v9, s6
	v_perm_b32 v8, v39, v8, s6
	ds_write_b64 v1, v[4:5]
	ds_write2st64_b64 v35, v[2:3], v[6:7] offset1:8
	ds_write_b64 v1, v[8:9] offset:4096
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v1, 16, v10
	v_cmp_gt_i32_e32 vcc, s10, v23
	v_add_u32_e32 v23, 2, v21
	v_lshrrev_b32_e32 v3, 16, v12
	v_cndmask_b32_e32 v8, 0, v1, vcc
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v1, 16, v14
	v_lshrrev_b32_e32 v4, 16, v13
	v_cndmask_b32_e32 v5, 0, v13, vcc
	v_cndmask_b32_e32 v6, 0, v12, vcc
	v_lshrrev_b32_e32 v12, 16, v17
	v_cndmask_b32_e32 v13, 0, v17, vcc
	v_cndmask_b32_e32 v17, 0, v1, vcc
	v_lshlrev_b32_e32 v1, 7, v27
	v_xor_b32_e32 v27, v23, v25
	v_lshl_add_u32 v34, v27, 3, v1
	v_or_b32_e32 v27, 4, v21
	v_add_u32_e32 v21, 6, v21
	v_xor_b32_e32 v35, v27, v25
	v_xor_b32_e32 v25, v21, v25
	v_lshl_or_b32 v33, v33, 3, v1
	v_lshl_add_u32 v35, v35, 3, v1
	v_lshl_add_u32 v36, v25, 3, v1
	v_lshlrev_b32_e32 v1, 7, v26
	v_xor_b32_e32 v23, v24, v23
	v_lshl_add_u32 v38, v23, 3, v1
	v_xor_b32_e32 v23, v24, v27
	v_xor_b32_e32 v21, v24, v21
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_lshl_or_b32 v37, v37, 3, v1
	ds_read_b64 v[48:49], v34
	ds_read_b64 v[46:47], v35
	ds_read_b64 v[42:43], v36
	ds_read_b64 v[52:53], v38 offset:4096
	v_lshl_add_u32 v39, v23, 3, v1
	v_lshl_add_u32 v40, v21, 3, v1
	ds_read_b64 v[54:55], v33
	ds_read_b64 v[56:57], v37 offset:4096
	ds_read_b64 v[50:51], v39 offset:4096
	ds_read_b64 v[44:45], v40 offset:4096
	v_lshrrev_b32_e32 v2, 16, v11
	v_cndmask_b32_e32 v7, 0, v11, vcc
	v_cndmask_b32_e32 v9, 0, v10, vcc
	v_lshrrev_b32_e32 v10, 16, v15
	v_lshrrev_b32_e32 v11, 16, v16
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_add_u32_e32 v1, 64, v22
	v_add_u32_e32 v18, 64, v20
	s_max_i32 s11, s11, 2
	v_perm_b32 v22, v17, v14, s6
	v_perm_b32 v23, v10, v15, s6
	v_perm_b32 v20, v11, v16, s6
	v_perm_b32 v21, v12, v13, s6
	v_perm_b32 v24, v8, v9, s6
	v_perm_b32 v25, v2, v7, s6
	v_perm_b32 v26, v3, v6, s6
	v_perm_b32 v27, v4, v5, s6
	s_add_i32 s11, s11, -1
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
.LBB1_13:
	v_readfirstlane_b32 s21, v0
	s_lshr_b32 s21, s21, 2
	s_and_b32 s21, s21, 0x3ffffff0
	v_add_u32_e32 v58, s21, v29
	v_lshrrev_b32_e32 v59, 1, v58
	v_bfe_u32 v58, v58, 1, 4
	v_xor_b32_e32 v60, v58, v31
	v_lshlrev_b32_e32 v59, 7, v59
	v_xor_b32_e32 v58, v58, v32
	v_lshl_or_b32 v59, v60, 3, v59
	v_sub_u32_e32 v58, v58, v60
	v_lshl_add_u32 v58, v58, 3, v59
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b64 v58, v[26:27]
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[56:57], v[2:17]
	ds_write2st64_b64 v59, v[24:25], v[22:23] offset1:8
	v_lshlrev_b32_e32 v22, 1, v18
	v_cmp_gt_i32_e32 vcc, s10, v41
	v_add_u32_e32 v41, 32, v41
	v_add_u32_e32 v18, 32, v18
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[52:53], v[2:17]
	buffer_load_dwordx4 v[22:25], v22, s[0:3], 0 offen
	ds_write_b64 v58, v[20:21] offset:4096
	v_lshlrev_b32_e32 v20, 1, v1
	v_add_u32_e32 v1, 32, v1
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v21, 16, v23
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[50:51], v[2:17]
	v_lshrrev_b32_e32 v26, 16, v24
	v_lshrrev_b32_e32 v27, 16, v25
	v_cndmask_b32_e32 v64, 0, v21, vcc
	v_cndmask_b32_e32 v62, 0, v25, vcc
	v_cndmask_b32_e32 v63, 0, v24, vcc
	v_cndmask_b32_e32 v25, 0, v23, vcc
	v_cndmask_b32_e32 v24, 0, v22, vcc
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[44:45], v[2:17]
	buffer_load_dwordx4 v[58:61], v20, s[16:19], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[54:55], v33
	ds_read_b64 v[48:49], v34
	ds_read_b64 v[46:47], v35
	ds_read_b64 v[42:43], v36
	ds_read_b64 v[56:57], v37 offset:4096
	ds_read_b64 v[52:53], v38 offset:4096
	ds_read_b64 v[50:51], v39 offset:4096
	ds_read_b64 v[44:45], v40 offset:4096
	v_lshrrev_b32_e32 v20, 16, v22
	v_cndmask_b32_e32 v65, 0, v20, vcc
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_cndmask_b32_e32 v27, 0, v27, vcc
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v20, 16, v58
	v_lshrrev_b32_e32 v21, 16, v59
	v_lshrrev_b32_e32 v22, 16, v60
	v_lshrrev_b32_e32 v23, 16, v61
	v_cndmask_b32_e32 v21, 0, v21, vcc
	v_cndmask_b32_e32 v20, 0, v20, vcc
	v_cndmask_b32_e32 v61, 0, v61, vcc
	v_cndmask_b32_e32 v60, 0, v60, vcc
	v_cndmask_b32_e32 v59, 0, v59, vcc
	v_cndmask_b32_e32 v58, 0, v58, vcc
	v_cndmask_b32_e32 v66, 0, v22, vcc
	v_cndmask_b32_e32 v67, 0, v23, vcc
	s_add_i32 s11, s11, -1
	v_perm_b32 v22, v20, v58, s6
	v_perm_b32 v23, v21, v59, s6
	v_perm_b32 v20, v66, v60, s6
	v_perm_b32 v21, v67, v61, s6
	v_perm_b32 v24, v65, v24, s6
	v_perm_b32 v25, v64, v25, s6
	v_perm_b32 v26, v26, v63, s6
	s_cmp_lg_u32 s11, 0
	v_perm_b32 v27, v27, v62, s6
	s_cbranch_scc1 .LBB1_13
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[56:57], v[2:17]
	v_readfirstlane_b32 s2, v0
	s_lshr_b32 s0, s2, 2
	v_and_b32_e32 v22, 30, v29
	s_add_i32 s6, s8, -1
	s_add_i32 s1, s22, -1
	s_and_b32 s3, s0, 0x1ffffe0
	v_lshrrev_b32_e32 v18, 3, v19
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[52:53], v[2:17]
	v_and_b32_e32 v19, 56, v28
	s_and_b32 s10, s0, 0x3ffffff0
	v_add_u32_e32 v1, s15, v22
	s_mul_i32 s0, s6, s7
	s_add_u32 s8, s1, 1
	v_and_or_b32 v23, v18, 12, s3
	v_add_u32_e32 v20, s10, v1
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[50:51], v[2:17]
	v_or_b32_e32 v18, s14, v19
	s_add_i32 s3, s0, s8
	v_mad_u64_u32 v[20:21], s[0:1], v20, s7, v[18:19]
	s_and_b32 s0, s2, 64
	v_lshlrev_b32_e32 v21, 1, v30
	v_lshlrev_b32_e32 v23, 7, v23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[44:45], v[2:17]
	v_or3_b32 v21, s0, v21, v23
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_lshl_b32 s14, s3, 1
	s_mov_b32 s15, 0x20000
	v_cmp_gt_i32_e32 vcc, s9, v18
	s_mov_b32 s0, 0x3f200000
	s_nop 3
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
	ds_write_b16 v21, v2
	ds_write_b16 v21, v3 offset:128
	ds_write_b16 v21, v4 offset:256
	ds_write_b16 v21, v5 offset:384
	ds_write_b16 v21, v6 offset:1024
	ds_write_b16 v21, v7 offset:1152
	ds_write_b16 v21, v8 offset:1280
	ds_write_b16 v21, v9 offset:1408
	ds_write_b16 v21, v10 offset:2048
	ds_write_b16 v21, v11 offset:2176
	ds_write_b16 v21, v12 offset:2304
	ds_write_b16 v21, v13 offset:2432
	ds_write_b16 v21, v14 offset:3072
	ds_write_b16 v21, v15 offset:3200
	ds_write_b16 v21, v16 offset:3328
	ds_write_b16 v21, v17 offset:3456
	v_lshlrev_b32_e32 v2, 1, v20
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_load_dwordx4 v[10:13], v2, s[12:15], 0 offen
	v_add_lshl_u32 v2, v20, s7, 1
	buffer_load_dwordx4 v[2:5], v2, s[12:15], 0 offen
	v_add_lshl_u32 v6, s10, v22, 7
	v_lshl_or_b32 v6, v19, 1, v6
	ds_read_b128 v[14:17], v6
	ds_read_b128 v[6:9], v6 offset:128
	s_waitcnt lgkmcnt(1)
	v_cvt_f32_f16_e32 v20, v14
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16_e32 v19, v10
	v_cndmask_b32_e32 v19, 0, v19, vcc
	v_add_f32_e32 v20, v19, v20
	v_mul_f32_e32 v19, 0x3d372713, v20
	v_mul_f32_e32 v19, v20, v19
	v_fma_f32 v19, v20, v19, v20
	v_mul_f32_e32 v19, 0x3f4c422a, v19
	v_cmp_nlt_f32_e64 s[0:1], |v19|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_16
	v_add_f32_e64 v21, |v19|, |v19|
	v_mul_f32_e32 v22, 0x3fb8aa3b, v21
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v23, v22
	v_sub_f32_e32 v24, v22, v23
	v_fma_f32 v22, v21, s0, -v22
	v_fmamk_f32 v22, v21, 0x32a5705f, v22
	v_add_f32_e32 v22, v24, v22
	v_exp_f32_e32 v22, v22
	v_cvt_i32_f32_e32 v23, v23
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v21
	v_ldexp_f32 v22, v22, v23
	s_nop 0
	v_cndmask_b32_e64 v22, 0, v22, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v23, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v21
	s_nop 1
	v_cndmask_b32_e64 v21, v23, v22, s[0:1]
	v_add_f32_e32 v21, 1.0, v21
	v_rcp_f32_e32 v21, v21
	s_nop 0
	v_fma_f32 v22, v21, -2.0, 1.0
.LBB1_16:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v21, v19, v19
	v_mov_b32_e32 v22, 0x3ca908c9
	v_fmac_f32_e32 v22, 0xbbbac73d, v21
	v_fmaak_f32 v22, v21, v22, 0xbd5c1c4e
	v_fmaak_f32 v22, v21, v22, 0x3e088382
	v_fmaak_f32 v22, v21, v22, 0xbeaaaa99
	v_mul_f32_e64 v22, |v19|, v22
	v_fma_f32 v22, v21, v22, |v19|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_sdwa v10, v10 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v14, v14 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_add_f32_e32 v21, v10, v14
	v_mul_f32_e32 v10, 0x3d372713, v21
	v_mul_f32_e32 v10, v21, v10
	v_fma_f32 v10, v21, v10, v21
	v_mul_f32_e32 v23, 0x3f4c422a, v10
	v_cmp_nlt_f32_e64 s[0:1], |v23|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_20
	v_add_f32_e64 v10, |v23|, |v23|
	v_mul_f32_e32 v14, 0x3fb8aa3b, v10
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v24, v14
	v_sub_f32_e32 v25, v14, v24
	v_fma_f32 v14, v10, s0, -v14
	v_fmamk_f32 v14, v10, 0x32a5705f, v14
	v_add_f32_e32 v14, v25, v14
	v_exp_f32_e32 v14, v14
	v_cvt_i32_f32_e32 v24, v24
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v10
	v_ldexp_f32 v14, v14, v24
	s_nop 0
	v_cndmask_b32_e64 v14, 0, v14, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v24, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v10
	s_nop 1
	v_cndmask_b32_e64 v10, v24, v14, s[0:1]
	v_add_f32_e32 v10, 1.0, v10
	v_rcp_f32_e32 v10, v10
	s_nop 0
	v_fma_f32 v24, v10, -2.0, 1.0
.LBB1_20:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v10, v23, v23
	v_mov_b32_e32 v14, 0x3ca908c9
	v_fmac_f32_e32 v14, 0xbbbac73d, v10
	v_fmaak_f32 v14, v10, v14, 0xbd5c1c4e
	v_fmaak_f32 v14, v10, v14, 0x3e088382
	v_fmaak_f32 v14, v10, v14, 0xbeaaaa99
	v_mul_f32_e64 v14, |v23|, v14
	v_fma_f32 v24, v10, v14, |v23|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_e32 v10, v11
	v_cvt_f32_f16_e32 v14, v15
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_add_f32_e32 v10, v10, v14
	v_mul_f32_e32 v14, 0x3d372713, v10
	v_mul_f32_e32 v14, v10, v14
	v_fma_f32 v14, v10, v14, v10
	v_mul_f32_e32 v25, 0x3f4c422a, v14
	v_cmp_nlt_f32_e64 s[0:1], |v25|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_24
	v_add_f32_e64 v14, |v25|, |v25|
	v_mul_f32_e32 v26, 0x3fb8aa3b, v14
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v27, v26
	v_sub_f32_e32 v28, v26, v27
	v_fma_f32 v26, v14, s0, -v26
	v_fmamk_f32 v26, v14, 0x32a5705f, v26
	v_add_f32_e32 v26, v28, v26
	v_exp_f32_e32 v26, v26
	v_cvt_i32_f32_e32 v27, v27
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v14
	v_ldexp_f32 v26, v26, v27
	s_nop 0
	v_cndmask_b32_e64 v26, 0, v26, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v27, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v14
	s_nop 1
	v_cndmask_b32_e64 v14, v27, v26, s[0:1]
	v_add_f32_e32 v14, 1.0, v14
	v_rcp_f32_e32 v14, v14
	s_nop 0
	v_fma_f32 v26, v14, -2.0, 1.0
.LBB1_24:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v14, v25, v25
	v_mov_b32_e32 v26, 0x3ca908c9
	v_fmac_f32_e32 v26, 0xbbbac73d, v14
	v_fmaak_f32 v26, v14, v26, 0xbd5c1c4e
	v_fmaak_f32 v26, v14, v26, 0x3e088382
	v_fmaak_f32 v26, v14, v26, 0xbeaaaa99
	v_mul_f32_e64 v26, |v25|, v26
	v_fma_f32 v26, v14, v26, |v25|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_sdwa v11, v11 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v14, v15 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_add_f32_e32 v11, v11, v14
	v_mul_f32_e32 v14, 0x3d372713, v11
	v_mul_f32_e32 v14, v11, v14
	v_fma_f32 v14, v11, v14, v11
	v_mul_f32_e32 v27, 0x3f4c422a, v14
	v_cmp_nlt_f32_e64 s[0:1], |v27|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_28
	v_add_f32_e64 v14, |v27|, |v27|
	v_mul_f32_e32 v15, 0x3fb8aa3b, v14
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v28, v15
	v_sub_f32_e32 v29, v15, v28
	v_fma_f32 v15, v14, s0, -v15
	v_fmamk_f32 v15, v14, 0x32a5705f, v15
	v_add_f32_e32 v15, v29, v15
	v_exp_f32_e32 v15, v15
	v_cvt_i32_f32_e32 v28, v28
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v14
	v_ldexp_f32 v15, v15, v28
	s_nop 0
	v_cndmask_b32_e64 v15, 0, v15, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v28, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v14
	s_nop 1
	v_cndmask_b32_e64 v14, v28, v15, s[0:1]
	v_add_f32_e32 v14, 1.0, v14
	v_rcp_f32_e32 v14, v14
	s_nop 0
	v_fma_f32 v28, v14, -2.0, 1.0
.LBB1_28:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v14, v27, v27
	v_mov_b32_e32 v15, 0x3ca908c9
	v_fmac_f32_e32 v15, 0xbbbac73d, v14
	v_fmaak_f32 v15, v14, v15, 0xbd5c1c4e
	v_fmaak_f32 v15, v14, v15, 0x3e088382
	v_fmaak_f32 v15, v14, v15, 0xbeaaaa99
	v_mul_f32_e64 v15, |v27|, v15
	v_fma_f32 v28, v14, v15, |v27|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_e32 v14, v12
	v_cvt_f32_f16_e32 v15, v16
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_add_f32_e32 v14, v14, v15
	v_mul_f32_e32 v15, 0x3d372713, v14
	v_mul_f32_e32 v15, v14, v15
	v_fma_f32 v15, v14, v15, v14
	v_mul_f32_e32 v29, 0x3f4c422a, v15
	v_cmp_nlt_f32_e64 s[0:1], |v29|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_32
	v_add_f32_e64 v15, |v29|, |v29|
	v_mul_f32_e32 v30, 0x3fb8aa3b, v15
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v31, v30
	v_sub_f32_e32 v32, v30, v31
	v_fma_f32 v30, v15, s0, -v30
	v_fmamk_f32 v30, v15, 0x32a5705f, v30
	v_add_f32_e32 v30, v32, v30
	v_exp_f32_e32 v30, v30
	v_cvt_i32_f32_e32 v31, v31
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v15
	v_ldexp_f32 v30, v30, v31
	s_nop 0
	v_cndmask_b32_e64 v30, 0, v30, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v31, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v15
	s_nop 1
	v_cndmask_b32_e64 v15, v31, v30, s[0:1]
	v_add_f32_e32 v15, 1.0, v15
	v_rcp_f32_e32 v15, v15
	s_nop 0
	v_fma_f32 v30, v15, -2.0, 1.0
.LBB1_32:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v15, v29, v29
	v_mov_b32_e32 v30, 0x3ca908c9
	v_fmac_f32_e32 v30, 0xbbbac73d, v15
	v_fmaak_f32 v30, v15, v30, 0xbd5c1c4e
	v_fmaak_f32 v30, v15, v30, 0x3e088382
	v_fmaak_f32 v30, v15, v30, 0xbeaaaa99
	v_mul_f32_e64 v30, |v29|, v30
	v_fma_f32 v30, v15, v30, |v29|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_sdwa v12, v12 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v15, v16 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_add_f32_e32 v15, v12, v15
	v_mul_f32_e32 v12, 0x3d372713, v15
	v_mul_f32_e32 v12, v15, v12
	v_fma_f32 v12, v15, v12, v15
	v_mul_f32_e32 v31, 0x3f4c422a, v12
	v_cmp_nlt_f32_e64 s[0:1], |v31|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_36
	v_add_f32_e64 v12, |v31|, |v31|
	v_mul_f32_e32 v16, 0x3fb8aa3b, v12
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v32, v16
	v_sub_f32_e32 v33, v16, v32
	v_fma_f32 v16, v12, s0, -v16
	v_fmamk_f32 v16, v12, 0x32a5705f, v16
	v_add_f32_e32 v16, v33, v16
	v_exp_f32_e32 v16, v16
	v_cvt_i32_f32_e32 v32, v32
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v12
	v_ldexp_f32 v16, v16, v32
	s_nop 0
	v_cndmask_b32_e64 v16, 0, v16, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v32, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v12
	s_nop 1
	v_cndmask_b32_e64 v12, v32, v16, s[0:1]
	v_add_f32_e32 v12, 1.0, v12
	v_rcp_f32_e32 v12, v12
	s_nop 0
	v_fma_f32 v32, v12, -2.0, 1.0
.LBB1_36:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v12, v31, v31
	v_mov_b32_e32 v16, 0x3ca908c9
	v_fmac_f32_e32 v16, 0xbbbac73d, v12
	v_fmaak_f32 v16, v12, v16, 0xbd5c1c4e
	v_fmaak_f32 v16, v12, v16, 0x3e088382
	v_fmaak_f32 v16, v12, v16, 0xbeaaaa99
	v_mul_f32_e64 v16, |v31|, v16
	v_fma_f32 v32, v12, v16, |v31|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_e32 v12, v13
	v_cvt_f32_f16_e32 v16, v17
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_add_f32_e32 v12, v12, v16
	v_mul_f32_e32 v16, 0x3d372713, v12
	v_mul_f32_e32 v16, v12, v16
	v_fma_f32 v16, v12, v16, v12
	v_mul_f32_e32 v33, 0x3f4c422a, v16
	v_cmp_nlt_f32_e64 s[0:1], |v33|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_40
	v_add_f32_e64 v16, |v33|, |v33|
	v_mul_f32_e32 v34, 0x3fb8aa3b, v16
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v35, v34
	v_sub_f32_e32 v36, v34, v35
	v_fma_f32 v34, v16, s0, -v34
	v_fmamk_f32 v34, v16, 0x32a5705f, v34
	v_add_f32_e32 v34, v36, v34
	v_exp_f32_e32 v34, v34
	v_cvt_i32_f32_e32 v35, v35
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v16
	v_ldexp_f32 v34, v34, v35
	s_nop 0
	v_cndmask_b32_e64 v34, 0, v34, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v35, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v16
	s_nop 1
	v_cndmask_b32_e64 v16, v35, v34, s[0:1]
	v_add_f32_e32 v16, 1.0, v16
	v_rcp_f32_e32 v16, v16
	s_nop 0
	v_fma_f32 v34, v16, -2.0, 1.0
.LBB1_40:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v16, v33, v33
	v_mov_b32_e32 v34, 0x3ca908c9
	v_fmac_f32_e32 v34, 0xbbbac73d, v16
	v_fmaak_f32 v34, v16, v34, 0xbd5c1c4e
	v_fmaak_f32 v34, v16, v34, 0x3e088382
	v_fmaak_f32 v34, v16, v34, 0xbeaaaa99
	v_mul_f32_e64 v34, |v33|, v34
	v_fma_f32 v34, v16, v34, |v33|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_sdwa v13, v13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v16, v17 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v13, 0, v13, vcc
	v_add_f32_e32 v13, v13, v16
	v_mul_f32_e32 v16, 0x3d372713, v13
	v_mul_f32_e32 v16, v13, v16
	v_fma_f32 v16, v13, v16, v13
	v_mul_f32_e32 v35, 0x3f4c422a, v16
	v_cmp_nlt_f32_e64 s[0:1], |v35|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_44
	v_add_f32_e64 v16, |v35|, |v35|
	v_mul_f32_e32 v17, 0x3fb8aa3b, v16
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v36, v17
	v_sub_f32_e32 v37, v17, v36
	v_fma_f32 v17, v16, s0, -v17
	v_fmamk_f32 v17, v16, 0x32a5705f, v17
	v_add_f32_e32 v17, v37, v17
	v_exp_f32_e32 v17, v17
	v_cvt_i32_f32_e32 v36, v36
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v16
	v_ldexp_f32 v17, v17, v36
	s_nop 0
	v_cndmask_b32_e64 v17, 0, v17, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v36, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v16
	s_nop 1
	v_cndmask_b32_e64 v16, v36, v17, s[0:1]
	v_add_f32_e32 v16, 1.0, v16
	v_rcp_f32_e32 v16, v16
	s_nop 0
	v_fma_f32 v36, v16, -2.0, 1.0
.LBB1_44:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v16, v35, v35
	v_mov_b32_e32 v17, 0x3ca908c9
	v_fmac_f32_e32 v17, 0xbbbac73d, v16
	v_fmaak_f32 v17, v16, v17, 0xbd5c1c4e
	v_fmaak_f32 v17, v16, v17, 0x3e088382
	v_fmaak_f32 v17, v16, v17, 0xbeaaaa99
	v_mul_f32_e64 v17, |v35|, v17
	v_fma_f32 v36, v16, v17, |v35|
	s_or_b64 exec, exec, s[0:1]
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v16, v2
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_f16_e32 v17, v6
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_add_f32_e32 v16, v16, v17
	v_mul_f32_e32 v17, 0x3d372713, v16
	v_mul_f32_e32 v17, v16, v17
	v_fma_f32 v17, v16, v17, v16
	v_mul_f32_e32 v37, 0x3f4c422a, v17
	v_cmp_nlt_f32_e64 s[0:1], |v37|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_48
	v_add_f32_e64 v17, |v37|, |v37|
	v_mul_f32_e32 v38, 0x3fb8aa3b, v17
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v39, v38
	v_sub_f32_e32 v40, v38, v39
	v_fma_f32 v38, v17, s0, -v38
	v_fmamk_f32 v38, v17, 0x32a5705f, v38
	v_add_f32_e32 v38, v40, v38
	v_exp_f32_e32 v38, v38
	v_cvt_i32_f32_e32 v39, v39
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v17
	v_ldexp_f32 v38, v38, v39
	s_nop 0
	v_cndmask_b32_e64 v38, 0, v38, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v39, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v17
	s_nop 1
	v_cndmask_b32_e64 v17, v39, v38, s[0:1]
	v_add_f32_e32 v17, 1.0, v17
	v_rcp_f32_e32 v17, v17
	s_nop 0
	v_fma_f32 v38, v17, -2.0, 1.0
.LBB1_48:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v17, v37, v37
	v_mov_b32_e32 v38, 0x3ca908c9
	v_fmac_f32_e32 v38, 0xbbbac73d, v17
	v_fmaak_f32 v38, v17, v38, 0xbd5c1c4e
	v_fmaak_f32 v38, v17, v38, 0x3e088382
	v_fmaak_f32 v38, v17, v38, 0xbeaaaa99
	v_mul_f32_e64 v38, |v37|, v38
	v_fma_f32 v38, v17, v38, |v37|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_sdwa v2, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v6, v6 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_add_f32_e32 v17, v2, v6
	v_mul_f32_e32 v2, 0x3d372713, v17
	v_mul_f32_e32 v2, v17, v2
	v_fma_f32 v2, v17, v2, v17
	v_mul_f32_e32 v39, 0x3f4c422a, v2
	v_cmp_nlt_f32_e64 s[0:1], |v39|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_52
	v_add_f32_e64 v2, |v39|, |v39|
	v_mul_f32_e32 v6, 0x3fb8aa3b, v2
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v40, v6
	v_sub_f32_e32 v41, v6, v40
	v_fma_f32 v6, v2, s0, -v6
	v_fmamk_f32 v6, v2, 0x32a5705f, v6
	v_add_f32_e32 v6, v41, v6
	v_exp_f32_e32 v6, v6
	v_cvt_i32_f32_e32 v40, v40
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v2
	v_ldexp_f32 v6, v6, v40
	s_nop 0
	v_cndmask_b32_e64 v6, 0, v6, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v40, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v2
	s_nop 1
	v_cndmask_b32_e64 v2, v40, v6, s[0:1]
	v_add_f32_e32 v2, 1.0, v2
	v_rcp_f32_e32 v2, v2
	s_nop 0
	v_fma_f32 v40, v2, -2.0, 1.0
.LBB1_52:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v2, v39, v39
	v_mov_b32_e32 v6, 0x3ca908c9
	v_fmac_f32_e32 v6, 0xbbbac73d, v2
	v_fmaak_f32 v6, v2, v6, 0xbd5c1c4e
	v_fmaak_f32 v6, v2, v6, 0x3e088382
	v_fmaak_f32 v6, v2, v6, 0xbeaaaa99
	v_mul_f32_e64 v6, |v39|, v6
	v_fma_f32 v40, v2, v6, |v39|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_e32 v2, v3
	v_cvt_f32_f16_e32 v6, v7
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_add_f32_e32 v2, v2, v6
	v_mul_f32_e32 v6, 0x3d372713, v2
	v_mul_f32_e32 v6, v2, v6
	v_fma_f32 v6, v2, v6, v2
	v_mul_f32_e32 v41, 0x3f4c422a, v6
	v_cmp_nlt_f32_e64 s[0:1], |v41|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_56
	v_add_f32_e64 v6, |v41|, |v41|
	v_mul_f32_e32 v42, 0x3fb8aa3b, v6
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v43, v42
	v_sub_f32_e32 v44, v42, v43
	v_fma_f32 v42, v6, s0, -v42
	v_fmamk_f32 v42, v6, 0x32a5705f, v42
	v_add_f32_e32 v42, v44, v42
	v_exp_f32_e32 v42, v42
	v_cvt_i32_f32_e32 v43, v43
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v6
	v_ldexp_f32 v42, v42, v43
	s_nop 0
	v_cndmask_b32_e64 v42, 0, v42, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v43, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v6
	s_nop 1
	v_cndmask_b32_e64 v6, v43, v42, s[0:1]
	v_add_f32_e32 v6, 1.0, v6
	v_rcp_f32_e32 v6, v6
	s_nop 0
	v_fma_f32 v42, v6, -2.0, 1.0
.LBB1_56:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v6, v41, v41
	v_mov_b32_e32 v42, 0x3ca908c9
	v_fmac_f32_e32 v42, 0xbbbac73d, v6
	v_fmaak_f32 v42, v6, v42, 0xbd5c1c4e
	v_fmaak_f32 v42, v6, v42, 0x3e088382
	v_fmaak_f32 v42, v6, v42, 0xbeaaaa99
	v_mul_f32_e64 v42, |v41|, v42
	v_fma_f32 v42, v6, v42, |v41|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_sdwa v3, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v6, v7 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_add_f32_e32 v3, v3, v6
	v_mul_f32_e32 v6, 0x3d372713, v3
	v_mul_f32_e32 v6, v3, v6
	v_fma_f32 v6, v3, v6, v3
	v_mul_f32_e32 v43, 0x3f4c422a, v6
	v_cmp_nlt_f32_e64 s[0:1], |v43|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_60
	v_add_f32_e64 v6, |v43|, |v43|
	v_mul_f32_e32 v7, 0x3fb8aa3b, v6
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v44, v7
	v_sub_f32_e32 v45, v7, v44
	v_fma_f32 v7, v6, s0, -v7
	v_fmamk_f32 v7, v6, 0x32a5705f, v7
	v_add_f32_e32 v7, v45, v7
	v_exp_f32_e32 v7, v7
	v_cvt_i32_f32_e32 v44, v44
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v6
	v_ldexp_f32 v7, v7, v44
	s_nop 0
	v_cndmask_b32_e64 v7, 0, v7, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v44, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v6
	s_nop 1
	v_cndmask_b32_e64 v6, v44, v7, s[0:1]
	v_add_f32_e32 v6, 1.0, v6
	v_rcp_f32_e32 v6, v6
	s_nop 0
	v_fma_f32 v44, v6, -2.0, 1.0
.LBB1_60:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v6, v43, v43
	v_mov_b32_e32 v7, 0x3ca908c9
	v_fmac_f32_e32 v7, 0xbbbac73d, v6
	v_fmaak_f32 v7, v6, v7, 0xbd5c1c4e
	v_fmaak_f32 v7, v6, v7, 0x3e088382
	v_fmaak_f32 v7, v6, v7, 0xbeaaaa99
	v_mul_f32_e64 v7, |v43|, v7
	v_fma_f32 v44, v6, v7, |v43|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_e32 v6, v4
	v_cvt_f32_f16_e32 v7, v8
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_add_f32_e32 v6, v6, v7
	v_mul_f32_e32 v7, 0x3d372713, v6
	v_mul_f32_e32 v7, v6, v7
	v_fma_f32 v7, v6, v7, v6
	v_mul_f32_e32 v45, 0x3f4c422a, v7
	v_cmp_nlt_f32_e64 s[0:1], |v45|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_64
	v_add_f32_e64 v7, |v45|, |v45|
	v_mul_f32_e32 v46, 0x3fb8aa3b, v7
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v47, v46
	v_sub_f32_e32 v48, v46, v47
	v_fma_f32 v46, v7, s0, -v46
	v_fmamk_f32 v46, v7, 0x32a5705f, v46
	v_add_f32_e32 v46, v48, v46
	v_exp_f32_e32 v46, v46
	v_cvt_i32_f32_e32 v47, v47
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v7
	v_ldexp_f32 v46, v46, v47
	s_nop 0
	v_cndmask_b32_e64 v46, 0, v46, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v47, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v7
	s_nop 1
	v_cndmask_b32_e64 v7, v47, v46, s[0:1]
	v_add_f32_e32 v7, 1.0, v7
	v_rcp_f32_e32 v7, v7
	s_nop 0
	v_fma_f32 v46, v7, -2.0, 1.0
.LBB1_64:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v7, v45, v45
	v_mov_b32_e32 v46, 0x3ca908c9
	v_fmac_f32_e32 v46, 0xbbbac73d, v7
	v_fmaak_f32 v46, v7, v46, 0xbd5c1c4e
	v_fmaak_f32 v46, v7, v46, 0x3e088382
	v_fmaak_f32 v46, v7, v46, 0xbeaaaa99
	v_mul_f32_e64 v46, |v45|, v46
	v_fma_f32 v46, v7, v46, |v45|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_sdwa v4, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v7, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_add_f32_e32 v7, v4, v7
	v_mul_f32_e32 v4, 0x3d372713, v7
	v_mul_f32_e32 v4, v7, v4
	v_fma_f32 v4, v7, v4, v7
	v_mul_f32_e32 v8, 0x3f4c422a, v4
	v_cmp_nlt_f32_e64 s[0:1], |v8|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_68
	v_add_f32_e64 v4, |v8|, |v8|
	v_mul_f32_e32 v47, 0x3fb8aa3b, v4
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v48, v47
	v_sub_f32_e32 v49, v47, v48
	v_fma_f32 v47, v4, s0, -v47
	v_fmamk_f32 v47, v4, 0x32a5705f, v47
	v_add_f32_e32 v47, v49, v47
	v_exp_f32_e32 v47, v47
	v_cvt_i32_f32_e32 v48, v48
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v4
	v_ldexp_f32 v47, v47, v48
	s_nop 0
	v_cndmask_b32_e64 v47, 0, v47, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v48, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v4
	s_nop 1
	v_cndmask_b32_e64 v4, v48, v47, s[0:1]
	v_add_f32_e32 v4, 1.0, v4
	v_rcp_f32_e32 v4, v4
	s_nop 0
	v_fma_f32 v47, v4, -2.0, 1.0
.LBB1_68:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v4, v8, v8
	v_mov_b32_e32 v47, 0x3ca908c9
	v_fmac_f32_e32 v47, 0xbbbac73d, v4
	v_fmaak_f32 v47, v4, v47, 0xbd5c1c4e
	v_fmaak_f32 v47, v4, v47, 0x3e088382
	v_fmaak_f32 v47, v4, v47, 0xbeaaaa99
	v_mul_f32_e64 v47, |v8|, v47
	v_fma_f32 v47, v4, v47, |v8|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_e32 v4, v5
	v_cvt_f32_f16_e32 v48, v9
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_add_f32_e32 v4, v4, v48
	v_mul_f32_e32 v48, 0x3d372713, v4
	v_mul_f32_e32 v48, v4, v48
	v_fma_f32 v48, v4, v48, v4
	v_mul_f32_e32 v48, 0x3f4c422a, v48
	v_cmp_nlt_f32_e64 s[0:1], |v48|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_72
	v_add_f32_e64 v49, |v48|, |v48|
	v_mul_f32_e32 v50, 0x3fb8aa3b, v49
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v51, v50
	v_sub_f32_e32 v52, v50, v51
	v_fma_f32 v50, v49, s0, -v50
	v_fmamk_f32 v50, v49, 0x32a5705f, v50
	v_add_f32_e32 v50, v52, v50
	v_exp_f32_e32 v50, v50
	v_cvt_i32_f32_e32 v51, v51
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v49
	v_ldexp_f32 v50, v50, v51
	s_nop 0
	v_cndmask_b32_e64 v50, 0, v50, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v51, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v49
	s_nop 1
	v_cndmask_b32_e64 v49, v51, v50, s[0:1]
	v_add_f32_e32 v49, 1.0, v49
	v_rcp_f32_e32 v49, v49
	s_nop 0
	v_fma_f32 v49, v49, -2.0, 1.0
.LBB1_72:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v49, v48, v48
	v_mov_b32_e32 v50, 0x3ca908c9
	v_fmac_f32_e32 v50, 0xbbbac73d, v49
	v_fmaak_f32 v50, v49, v50, 0xbd5c1c4e
	v_fmaak_f32 v50, v49, v50, 0x3e088382
	v_fmaak_f32 v50, v49, v50, 0xbeaaaa99
	v_mul_f32_e64 v50, |v48|, v50
	v_fma_f32 v49, v49, v50, |v48|
	s_or_b64 exec, exec, s[0:1]
	v_cvt_f32_f16_sdwa v5, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_sdwa v9, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_mov_b32 s0, 0x3f200000
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_add_f32_e32 v5, v5, v9
	v_mul_f32_e32 v9, 0x3d372713, v5
	v_mul_f32_e32 v9, v5, v9
	v_fma_f32 v9, v5, v9, v5
	v_mul_f32_e32 v9, 0x3f4c422a, v9
	v_cmp_nlt_f32_e64 s[0:1], |v9|, s0
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_xor_b64 s[2:3], exec, s[2:3]
	s_cbranch_execz .LBB1_76
	v_add_f32_e64 v50, |v9|, |v9|
	v_mul_f32_e32 v51, 0x3fb8aa3b, v50
	s_mov_b32 s0, 0x3fb8aa3b
	v_rndne_f32_e32 v52, v51
	v_sub_f32_e32 v53, v51, v52
	v_fma_f32 v51, v50, s0, -v51
	v_fmamk_f32 v51, v50, 0x32a5705f, v51
	v_add_f32_e32 v51, v53, v51
	v_exp_f32_e32 v51, v51
	v_cvt_i32_f32_e32 v52, v52
	s_mov_b32 s0, 0xc2ce8ed0
	v_cmp_ngt_f32_e64 s[0:1], s0, v50
	v_ldexp_f32 v51, v51, v52
	s_nop 0
	v_cndmask_b32_e64 v51, 0, v51, s[0:1]
	s_mov_b32 s0, 0x42b17218
	v_mov_b32_e32 v52, 0x7f800000
	v_cmp_nlt_f32_e64 s[0:1], s0, v50
	s_nop 1
	v_cndmask_b32_e64 v50, v52, v51, s[0:1]
	v_add_f32_e32 v50, 1.0, v50
	v_rcp_f32_e32 v50, v50
	s_nop 0
	v_fma_f32 v50, v50, -2.0, 1.0
.LBB1_76:
	s_andn2_saveexec_b64 s[0:1], s[2:3]
	v_mul_f32_e32 v50, v9, v9
	v_mov_b32_e32 v51, 0x3ca908c9
	v_fmac_f32_e32 v51, 0xbbbac73d, v50
	v_fmaak_f32 v51, v50, v51, 0xbd5c1c4e
	v_fmaak_f32 v51, v50, v51, 0x3e088382
	v_fmaak_f32 v51, v50, v51, 0xbeaaaa99
	v_mul_f32_e64 v51, |v9|, v51
	v_fma_f32 v50, v50, v51, |v9|
	s_or_b64 exec, exec, s[0:1]
	s_mul_i32 s0, s6, s20
	s_mul_hi_u32 s1, 0, s20
	s_add_i32 s0, s1, s0
	s_add_i32 s2, s0, s8
	s_brev_b32 s0, -2
	v_pk_mul_f32 v[52:53], v[4:5], 0.5 op_sel_hi:[1,0]
	v_pk_mul_f32 v[4:5], v[16:17], 0.5 op_sel_hi:[1,0]
	v_bfi_b32 v17, s0, v40, v39
	v_bfi_b32 v16, s0, v38, v37
	v_pk_add_f32 v[16:17], v[16:17], 1.0 op_sel_hi:[1,0]
	v_pk_mul_f32 v[2:3], v[2:3], 0.5 op_sel_hi:[1,0]
	v_pk_mul_f32 v[4:5], v[4:5], v[16:17]
	v_bfi_b32 v51, s0, v50, v9
	v_cvt_f16_f32_e32 v16, v5
	v_cvt_f16_f32_e32 v17, v4
	v_bfi_b32 v5, s0, v44, v43
	v_bfi_b32 v4, s0, v42, v41
	v_pk_add_f32 v[4:5], v[4:5], 1.0 op_sel_hi:[1,0]
	v_bfi_b32 v9, s0, v24, v23
	v_pk_mul_f32 v[2:3], v[2:3], v[4:5]
	v_bfi_b32 v5, s0, v47, v8
	v_bfi_b32 v4, s0, v46, v45
	v_bfi_b32 v8, s0, v22, v19
	v_cvt_f16_f32_e32 v37, v3
	v_cvt_f16_f32_e32 v38, v2
	v_pk_mul_f32 v[2:3], v[6:7], 0.5 op_sel_hi:[1,0]
	v_pk_add_f32 v[4:5], v[4:5], 1.0 op_sel_hi:[1,0]
	v_pk_mul_f32 v[6:7], v[20:21], 0.5 op_sel_hi:[1,0]
	v_pk_add_f32 v[8:9], v[8:9], 1.0 op_sel_hi:[1,0]
	v_pk_mul_f32 v[2:3], v[2:3], v[4:5]
	v_pk_mul_f32 v[6:7], v[6:7], v[8:9]
	v_bfi_b32 v9, s0, v28, v27
	v_bfi_b32 v8, s0, v26, v25
	v_cvt_f16_f32_e32 v39, v3
	v_cvt_f16_f32_e32 v40, v2
	v_pk_mul_f32 v[2:3], v[12:13], 0.5 op_sel_hi:[1,0]
	v_bfi_b32 v5, s0, v36, v35
	v_bfi_b32 v4, s0, v34, v33
	v_cvt_f16_f32_e32 v12, v7
	v_cvt_f16_f32_e32 v13, v6
	v_pk_mul_f32 v[6:7], v[10:11], 0.5 op_sel_hi:[1,0]
	v_pk_add_f32 v[8:9], v[8:9], 1.0 op_sel_hi:[1,0]
	v_pk_add_f32 v[4:5], v[4:5], 1.0 op_sel_hi:[1,0]
	v_pk_mul_f32 v[6:7], v[6:7], v[8:9]
	v_bfi_b32 v9, s0, v32, v31
	v_bfi_b32 v8, s0, v30, v29
	v_bfi_b32 v50, s0, v49, v48
	v_cvt_f16_f32_e32 v10, v7
	v_cvt_f16_f32_e32 v11, v6
	v_pk_mul_f32 v[6:7], v[14:15], 0.5 op_sel_hi:[1,0]
	v_pk_add_f32 v[8:9], v[8:9], 1.0 op_sel_hi:[1,0]
	v_pk_mul_f32 v[2:3], v[2:3], v[4:5]
	v_readfirstlane_b32 s0, v0
	v_cvt_f16_f32_e32 v4, v3
	v_cvt_f16_f32_e32 v5, v2
	v_pk_mul_f32 v[2:3], v[6:7], v[8:9]
	s_lshr_b32 s0, s0, 2
	v_cvt_f16_f32_e32 v6, v3
	v_cvt_f16_f32_e32 v7, v2
	v_pk_add_f32 v[2:3], v[50:51], 1.0 op_sel_hi:[1,0]
	s_and_b32 s0, s0, 0x3ffffff0
	v_pk_mul_f32 v[2:3], v[52:53], v[2:3]
	v_add_u32_e32 v0, s0, v1
	v_cvt_f16_f32_e32 v8, v3
	v_cvt_f16_f32_e32 v9, v2
	v_mad_u64_u32 v[0:1], s[0:1], v0, s20, v[18:19]
	v_bfrev_b32_e32 v1, 1
	v_cndmask_b32_e64 v1, v1, 0, vcc
	v_pack_b32_f16 v5, v5, v4
	v_pack_b32_f16 v4, v7, v6
	v_pack_b32_f16 v3, v11, v10
	v_pack_b32_f16 v2, v13, v12
	s_lshl_b32 s6, s2, 1
	s_mov_b32 s7, 0x20000
	v_lshl_add_u32 v0, v0, 1, v1
	v_pack_b32_f16 v9, v9, v8
	v_pack_b32_f16 v8, v40, v39
	v_pack_b32_f16 v7, v38, v37
	v_pack_b32_f16 v6, v17, v16
	buffer_store_dwordx4 v[2:5], v0, s[4:7], 0 offen
	v_lshl_add_u32 v0, s20, 1, v0
	buffer_store_dwordx4 v[6:9], v0, s[4:7], 0 offen
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
		.amdhsa_next_free_vgpr 68
		.amdhsa_next_free_sgpr 30
		.amdhsa_accum_offset 68
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
	.set ck_gemm.num_vgpr, 68
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 30
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
    .sgpr_count:     36
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     68
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
