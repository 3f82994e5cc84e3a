; A CK Tile GEMM for gfx942 (64 x 64 x 32 tile, fp16) that column-major output, adds one D operand, then relu; default epilogue, compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_load_dwordx4 s[4:7], s[0:1], 0x58
	s_load_dwordx2 s[22:23], s[0:1], 0x68
	s_load_dwordx4 s[12:15], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	s_load_dwordx2 s[20:21], s[0:1], 0x8c
	s_waitcnt lgkmcnt(0)
	s_add_i32 s18, s4, -1
	s_mov_b32 s24, s5
	s_cmp_lt_u32 s18, 64
	s_mov_b32 s16, 0
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s10, s5, -1
	s_cmp_lt_u32 s10, 64
	s_mov_b32 s10, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s19, s4, 63
	s_ashr_i32 s25, s19, 31
	s_lshr_b32 s10, s25, 26
	s_add_i32 s10, s19, s10
	s_ashr_i32 s17, s10, 6
	s_add_i32 s10, s5, 63
	s_ashr_i32 s11, s10, 31
	s_lshr_b32 s11, s11, 26
	s_add_i32 s10, s10, s11
	s_ashr_i32 s16, s10, 6
	s_mul_i32 s10, s16, s17
	s_add_i32 s11, s10, 7
	s_ashr_i32 s26, s11, 31
	s_lshr_b32 s26, s26, 29
	s_add_i32 s11, s11, s26
	s_ashr_i32 s26, s11, 3
	s_and_b32 s11, s11, -8
	s_sub_i32 s27, s10, s11
	s_ashr_i32 s10, s2, 31
	s_lshr_b32 s10, s10, 29
	s_add_i32 s29, s2, s10
	s_and_b32 s10, s29, -8
	s_add_i32 s27, s27, 8
	s_sub_i32 s28, s2, s10
	s_cmp_gt_i32 s28, s27
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s26, s28
	s_ashr_i32 s10, s29, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s10, s29, 3
.LBB1_5:
	s_add_i32 s2, s26, -1
	s_mul_i32 s2, s2, s28
	s_add_i32 s2, s27, s2
.LBB1_6:
	s_abs_i32 s11, s16
	v_cvt_f32_u32_e32 v1, s11
	s_sub_i32 s27, 0, s11
	s_add_i32 s2, s2, s10
	s_abs_i32 s26, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s10, s2, s16
	s_ashr_i32 s10, s10, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s28, v1
	s_mul_i32 s27, s27, s28
	s_mul_hi_u32 s27, s28, s27
	s_add_i32 s28, s28, s27
	s_mul_hi_u32 s27, s26, s28
	s_mul_i32 s28, s27, s11
	s_sub_i32 s26, s26, s28
	s_add_i32 s29, s27, 1
	s_sub_i32 s28, s26, s11
	s_cmp_ge_u32 s26, s11
	s_cselect_b32 s27, s29, s27
	s_cselect_b32 s26, s28, s26
	s_add_i32 s28, s27, 1
	s_cmp_ge_u32 s26, s11
	s_cselect_b32 s11, s28, s27
	s_xor_b32 s11, s11, s10
	s_lshr_b32 s25, s25, 24
	s_sub_i32 s10, s11, s10
	s_add_i32 s19, s19, s25
	s_mul_i32 s11, s10, s16
	s_sub_i32 s2, s2, s11
	s_ashr_i32 s11, s19, 8
	s_lshl_b32 s11, s11, 2
	s_sub_i32 s17, s17, s11
	s_cmp_ge_i32 s10, s11
	s_cselect_b32 s11, s17, 4
	s_abs_i32 s19, s11
	v_cvt_f32_u32_e32 v1, s19
	s_ashr_i32 s17, s10, 31
	s_lshr_b32 s17, s17, 30
	s_add_i32 s17, s10, s17
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s17, s17, -4
	s_sub_i32 s10, s10, s17
	s_sub_i32 s25, 0, s19
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s10, s10, s16
	s_add_i32 s2, s10, s2
	s_abs_i32 s16, s2
	v_readfirstlane_b32 s26, v1
	s_mul_i32 s25, s25, s26
	s_mul_hi_u32 s25, s26, s25
	s_add_i32 s26, s26, s25
	s_mul_hi_u32 s25, s16, s26
	s_mul_i32 s26, s25, s19
	s_xor_b32 s10, s2, s11
	s_sub_i32 s16, s16, s26
	s_ashr_i32 s10, s10, 31
	s_add_i32 s26, s25, 1
	s_sub_i32 s27, s16, s19
	s_cmp_ge_u32 s16, s19
	s_cselect_b32 s25, s26, s25
	s_cselect_b32 s16, s27, s16
	s_add_i32 s26, s25, 1
	s_cmp_ge_u32 s16, s19
	s_cselect_b32 s16, s26, s25
	s_xor_b32 s16, s16, s10
	s_sub_i32 s10, s16, s10
	s_mul_i32 s11, s11, s10
	s_sub_i32 s11, s17, s11
	s_add_i32 s2, s11, s2
.LBB1_7:
	s_mov_b32 s16, s2
	s_mov_b32 s2, s10
.LBB1_8:
	s_lshl_b32 s10, s21, 3
	s_abs_i32 s11, s10
	v_cvt_f32_u32_e32 v1, s11
	s_sub_i32 s19, 0, s11
	s_add_i32 s17, s6, s10
	s_add_i32 s17, s17, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s10, s17, s10
	s_abs_i32 s17, s17
	s_ashr_i32 s10, s10, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s25, v1
	s_mul_i32 s19, s19, s25
	s_mul_hi_u32 s19, s25, s19
	s_add_i32 s25, s25, s19
	s_mul_hi_u32 s19, s17, s25
	s_mul_i32 s25, s19, s11
	s_sub_i32 s17, s17, s25
	s_add_i32 s26, s19, 1
	s_sub_i32 s25, s17, s11
	s_cmp_ge_u32 s17, s11
	s_cselect_b32 s19, s26, s19
	s_cselect_b32 s17, s25, s17
	s_add_i32 s25, s19, 1
	s_cmp_ge_u32 s17, s11
	s_cselect_b32 s11, s25, s19
	s_xor_b32 s11, s11, s10
	s_sub_i32 s10, s11, s10
	s_lshl_b32 s17, s10, 3
	s_add_i32 s10, s21, -1
	s_cmp_ge_u32 s3, s10
	s_mul_i32 s3, s17, s3
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s10, s17, s10
	s_sub_i32 s25, s6, s10
	s_load_dwordx2 s[0:1], s[0:1], 0x50
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
	s_load_dwordx2 s[0:1], s[0:1], 0x50
.LBB1_11:
	s_mov_b32 s25, s17
.LBB1_12:
	s_lshl_b32 s21, s2, 6
	s_mov_b32 s2, 0
	s_lshl_b32 s6, s16, 6
	s_ashr_i64 s[2:3], s[2:3], 31
	s_add_u32 s12, s12, s2
	s_addc_u32 s13, s13, s3
	s_add_u32 s16, s14, s2
	v_readfirstlane_b32 s26, v0
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_addc_u32 s17, s15, s3
	v_mbcnt_hi_u32_b32 v19, -1, v1
	s_lshr_b32 s27, s26, 2
	s_mul_i32 s2, s7, s18
	s_add_i32 s3, s25, -1
	v_lshrrev_b32_e32 v28, 2, v19
	s_and_b32 s18, s27, 0x3ffffff0
	s_add_i32 s10, s3, 1
	v_lshlrev_b32_e32 v1, 3, v19
	v_add_u32_e32 v24, s18, v28
	s_add_i32 s11, s2, s10
	s_add_i32 s2, s5, -1
	v_and_b32_e32 v18, 24, v1
	v_add_u32_e32 v2, s6, v24
	s_mul_i32 s5, s22, s2
	v_mad_u64_u32 v[20:21], s[2:3], v2, s7, v[18:19]
	s_lshl_b32 s14, s11, 1
	s_mov_b32 s15, 0x20000
	v_lshlrev_b32_e32 v14, 1, v20
	buffer_load_dwordx4 v[2:5], v14, s[12:15], 0 offen
	s_add_i32 s18, s18, s21
	v_add_u32_e32 v6, s18, v28
	s_add_i32 s5, s5, s10
	v_mad_u64_u32 v[22:23], s[2:3], v6, s22, v[18:19]
	s_lshl_b32 s18, s5, 1
	s_mov_b32 s19, s15
	v_lshlrev_b32_e32 v15, 1, v22
	buffer_load_dwordx4 v[6:9], v15, s[16:19], 0 offen
	buffer_load_dwordx4 v[10:13], v14, s[12:15], 0 offen offset:64
	v_cmp_gt_i32_e32 vcc, s25, v18
	buffer_load_dwordx4 v[14:17], v15, s[16:19], 0 offen offset:64
	s_mov_b32 s2, 0x5040100
	v_and_b32_e32 v29, 31, v19
	v_lshrrev_b32_e32 v21, 5, v19
	s_and_b32 s10, s27, 0x3fffffe0
	v_and_or_b32 v1, v1, 8, v21
	s_lshr_b32 s5, s26, 1
	v_or_b32_e32 v25, s10, v29
	v_or_b32_e32 v21, 32, v18
	v_and_or_b32 v23, s5, 32, v29
	v_lshrrev_b32_e32 v27, 1, v25
	v_bfe_u32 v25, v25, 1, 4
	v_lshrrev_b32_e32 v26, 1, v23
	v_bfe_u32 v23, v23, 1, 4
	v_xor_b32_e32 v36, v23, v1
	v_xor_b32_e32 v32, v25, v1
	s_add_i32 s3, s25, 31
	s_ashr_i32 s7, s3, 31
	s_lshr_b32 s5, s7, 27
	s_add_i32 s3, s3, s5
	s_ashr_i32 s3, s3, 5
	v_or_b32_e32 v40, 64, v18
	s_waitcnt vmcnt(3)
	v_lshrrev_b32_e32 v30, 16, v2
	v_lshrrev_b32_e32 v33, 16, v4
	v_lshrrev_b32_e32 v31, 16, v3
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e32 v33, 0, v33, vcc
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cndmask_b32_e32 v31, 0, v31, vcc
	v_perm_b32 v2, v30, v2, s2
	v_perm_b32 v4, v33, v4, s2
	v_lshrrev_b32_e32 v30, 2, v18
	v_lshlrev_b32_e32 v33, 1, v19
	v_lshrrev_b32_e32 v34, 16, v5
	v_perm_b32 v3, v31, v3, s2
	v_lshrrev_b32_e32 v31, 1, v24
	v_and_or_b32 v30, v33, 8, v30
	v_bfe_u32 v24, v24, 1, 4
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_cndmask_b32_e32 v34, 0, v34, vcc
	v_xor_b32_e32 v33, v24, v30
	v_lshlrev_b32_e32 v31, 7, v31
	v_perm_b32 v5, v34, v5, s2
	v_lshl_or_b32 v34, v33, 3, v31
	v_or_b32_e32 v31, 1, v30
	v_xor_b32_e32 v24, v31, v24
	s_waitcnt vmcnt(2)
	v_lshrrev_b32_e32 v35, 16, v6
	v_lshrrev_b32_e32 v37, 16, v7
	v_lshrrev_b32_e32 v38, 16, v8
	v_lshrrev_b32_e32 v39, 16, v9
	v_sub_u32_e32 v24, v24, v33
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_cndmask_b32_e32 v38, 0, v38, vcc
	v_cndmask_b32_e32 v37, 0, v37, vcc
	v_cndmask_b32_e32 v35, 0, v35, vcc
	v_cndmask_b32_e32 v39, 0, v39, vcc
	v_lshl_add_u32 v24, v24, 3, v34
	v_perm_b32 v7, v37, v7, s2
	v_perm_b32 v6, v35, v6, s2
	v_perm_b32 v9, v39, v9, s2
	v_perm_b32 v8, v38, v8, s2
	ds_write_b64 v24, v[4:5]
	ds_write2st64_b64 v34, v[2:3], v[6:7] offset1:8
	ds_write_b64 v24, v[8:9] offset:4096
	v_add_u32_e32 v24, 2, v1
	v_cmp_gt_i32_e32 vcc, s25, v21
	v_lshlrev_b32_e32 v21, 7, v27
	v_xor_b32_e32 v27, v24, v25
	v_lshl_add_u32 v33, v27, 3, v21
	v_or_b32_e32 v27, 4, v1
	v_add_u32_e32 v1, 6, v1
	v_xor_b32_e32 v34, v27, v25
	v_xor_b32_e32 v25, v1, v25
	v_lshl_or_b32 v32, v32, 3, v21
	v_lshl_add_u32 v34, v34, 3, v21
	v_lshl_add_u32 v35, v25, 3, v21
	v_lshlrev_b32_e32 v21, 7, v26
	v_xor_b32_e32 v24, v23, v24
	v_lshl_add_u32 v37, v24, 3, v21
	v_xor_b32_e32 v24, v23, v27
	v_xor_b32_e32 v1, v23, v1
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_lshl_or_b32 v36, v36, 3, v21
	ds_read_b64 v[48:49], v33
	ds_read_b64 v[44:45], v34
	ds_read_b64 v[42:43], v35
	ds_read_b64 v[52:53], v37 offset:4096
	v_lshl_add_u32 v38, v24, 3, v21
	v_lshl_add_u32 v39, v1, 3, v21
	ds_read_b64 v[54:55], v32
	ds_read_b64 v[56:57], v36 offset:4096
	ds_read_b64 v[50:51], v38 offset:4096
	ds_read_b64 v[46:47], v39 offset:4096
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v2, 16, v10
	v_lshrrev_b32_e32 v3, 16, v11
	v_lshrrev_b32_e32 v4, 16, v12
	v_lshrrev_b32_e32 v5, 16, v13
	v_cndmask_b32_e32 v6, 0, v13, vcc
	v_cndmask_b32_e32 v7, 0, v12, vcc
	v_cndmask_b32_e32 v8, 0, v11, vcc
	v_cndmask_b32_e32 v9, 0, v10, vcc
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v10, 16, v14
	v_lshrrev_b32_e32 v11, 16, v15
	v_lshrrev_b32_e32 v12, 16, v16
	v_lshrrev_b32_e32 v13, 16, v17
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_cndmask_b32_e32 v17, 0, v17, vcc
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cndmask_b32_e32 v13, 0, v13, vcc
	v_add_u32_e32 v1, 64, v22
	v_add_u32_e32 v18, 64, v20
	s_max_i32 s3, s3, 2
	v_perm_b32 v22, v10, v14, s2
	v_perm_b32 v23, v11, v15, s2
	v_perm_b32 v20, v12, v16, s2
	v_perm_b32 v21, v13, v17, s2
	v_perm_b32 v24, v2, v9, s2
	v_perm_b32 v25, v3, v8, s2
	v_perm_b32 v26, v4, v7, s2
	v_perm_b32 v27, v5, v6, s2
	s_add_i32 s3, s3, -1
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
	v_readfirstlane_b32 s5, v0
	s_lshr_b32 s5, s5, 2
	s_and_b32 s5, s5, 0x3ffffff0
	v_add_u32_e32 v41, s5, v28
	v_lshrrev_b32_e32 v58, 1, v41
	v_bfe_u32 v41, v41, 1, 4
	v_xor_b32_e32 v59, v41, v30
	v_lshlrev_b32_e32 v58, 7, v58
	v_xor_b32_e32 v41, v41, v31
	v_lshl_or_b32 v58, v59, 3, v58
	v_sub_u32_e32 v41, v41, v59
	v_lshl_add_u32 v41, v41, 3, v58
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b64 v41, v[26:27]
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[56:57], v[2:17]
	ds_write2st64_b64 v58, v[24:25], v[22:23] offset1:8
	v_lshlrev_b32_e32 v22, 1, v18
	v_cmp_gt_i32_e32 vcc, s25, v40
	v_add_u32_e32 v40, 32, v40
	v_add_u32_e32 v18, 32, v18
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[52:53], v[2:17]
	buffer_load_dwordx4 v[22:25], v22, s[12:15], 0 offen
	ds_write_b64 v41, v[20:21] offset:4096
	v_lshlrev_b32_e32 v20, 1, v1
	v_add_u32_e32 v1, 32, v1
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v21, 16, v23
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[50:51], v[2:17]
	v_lshrrev_b32_e32 v26, 16, v24
	v_lshrrev_b32_e32 v27, 16, v25
	v_cndmask_b32_e32 v63, 0, v21, vcc
	v_cndmask_b32_e32 v41, 0, v25, vcc
	v_cndmask_b32_e32 v62, 0, v24, vcc
	v_cndmask_b32_e32 v25, 0, v23, vcc
	v_cndmask_b32_e32 v24, 0, v22, vcc
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[46:47], v[2:17]
	buffer_load_dwordx4 v[58:61], v20, s[16:19], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[54:55], v32
	ds_read_b64 v[48:49], v33
	ds_read_b64 v[44:45], v34
	ds_read_b64 v[42:43], v35
	ds_read_b64 v[56:57], v36 offset:4096
	ds_read_b64 v[52:53], v37 offset:4096
	ds_read_b64 v[50:51], v38 offset:4096
	ds_read_b64 v[46:47], v39 offset:4096
	v_lshrrev_b32_e32 v20, 16, v22
	v_cndmask_b32_e32 v64, 0, v20, vcc
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
	v_cndmask_b32_e32 v65, 0, v22, vcc
	v_cndmask_b32_e32 v66, 0, v23, vcc
	s_add_i32 s3, s3, -1
	v_perm_b32 v22, v20, v58, s2
	v_perm_b32 v23, v21, v59, s2
	v_perm_b32 v20, v65, v60, s2
	v_perm_b32 v21, v66, v61, s2
	v_perm_b32 v24, v64, v24, s2
	v_perm_b32 v25, v63, v25, s2
	v_perm_b32 v26, v26, v62, s2
	s_cmp_lg_u32 s3, 0
	v_perm_b32 v27, v27, v41, s2
	s_cbranch_scc1 .LBB1_13
	s_add_i32 s5, s24, -1
	s_add_i32 s2, s4, -1
	s_add_i32 s7, s2, 1
	s_mul_i32 s2, s5, s23
	s_add_i32 s10, s2, s7
	v_readfirstlane_b32 s2, v0
	s_lshr_b32 s3, s2, 1
	s_lshr_b32 s2, s2, 2
	s_and_b32 s2, s2, 0x3fffffe0
	v_lshrrev_b32_e32 v0, 3, v19
	v_and_or_b32 v1, s3, 32, v29
	v_and_or_b32 v20, v0, 12, s2
	v_add_u32_e32 v18, s21, v20
	v_or_b32_e32 v0, s6, v1
	v_mad_u64_u32 v[18:19], s[2:3], v18, s23, v[0:1]
	v_lshlrev_b32_e32 v19, 1, v18
	v_add_u32_e32 v18, s23, v18
	v_lshlrev_b32_e32 v21, 1, v18
	v_add_u32_e32 v18, s23, v18
	v_lshlrev_b32_e32 v22, 1, v18
	v_add_u32_e32 v18, s23, v18
	s_mul_i32 s2, s23, 5
	s_lshl_b32 s10, s10, 1
	s_mov_b32 s11, 0x20000
	v_lshlrev_b32_e32 v23, 1, v18
	v_add_u32_e32 v18, s2, v18
	buffer_load_ushort v24, v19, s[8:11], 0 offen
	buffer_load_ushort v25, v21, s[8:11], 0 offen
	buffer_load_ushort v26, v22, s[8:11], 0 offen
	buffer_load_ushort v27, v23, s[8:11], 0 offen
	v_lshlrev_b32_e32 v19, 1, v18
	buffer_load_ushort v19, v19, s[8:11], 0 offen
	v_add_u32_e32 v18, s23, v18
	v_lshlrev_b32_e32 v21, 1, v18
	v_add_u32_e32 v18, s23, v18
	buffer_load_ushort v21, v21, s[8:11], 0 offen
	v_lshlrev_b32_e32 v22, 1, v18
	buffer_load_ushort v22, v22, s[8:11], 0 offen
	v_add_u32_e32 v18, s23, v18
	v_lshlrev_b32_e32 v23, 1, v18
	buffer_load_ushort v23, v23, s[8:11], 0 offen
	v_add_u32_e32 v18, s2, v18
	v_lshlrev_b32_e32 v28, 1, v18
	buffer_load_ushort v28, v28, s[8:11], 0 offen
	v_add_u32_e32 v18, s23, v18
	v_lshlrev_b32_e32 v29, 1, v18
	buffer_load_ushort v29, v29, s[8:11], 0 offen
	v_add_u32_e32 v18, s23, v18
	v_lshlrev_b32_e32 v30, 1, v18
	buffer_load_ushort v30, v30, s[8:11], 0 offen
	v_add_u32_e32 v18, s23, v18
	v_lshlrev_b32_e32 v31, 1, v18
	buffer_load_ushort v31, v31, s[8:11], 0 offen
	v_add_u32_e32 v18, s2, v18
	v_lshlrev_b32_e32 v32, 1, v18
	buffer_load_ushort v32, v32, s[8:11], 0 offen
	v_add_u32_e32 v18, s23, v18
	v_lshlrev_b32_e32 v33, 1, v18
	buffer_load_ushort v33, v33, s[8:11], 0 offen
	v_add_u32_e32 v18, s23, v18
	v_lshlrev_b32_e32 v34, 1, v18
	buffer_load_ushort v34, v34, s[8:11], 0 offen
	v_add_lshl_u32 v18, v18, s23, 1
	buffer_load_ushort v18, v18, s[8:11], 0 offen
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[56:57], v[2:17]
	v_cmp_gt_i32_e32 vcc, s4, v0
	v_or_b32_e32 v1, s21, v1
	s_mul_i32 s2, s5, s20
	v_mul_lo_u32 v1, v1, s20
	s_add_i32 s2, s2, s7
	s_lshl_b32 s2, s2, 1
	s_mov_b32 s3, s11
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[52:53], v[2:17]
	s_waitcnt vmcnt(15)
	v_cvt_f32_f16_e32 v24, v24
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[50:51], v[2:17]
	s_waitcnt vmcnt(14)
	v_cvt_f32_f16_e32 v25, v25
	s_waitcnt vmcnt(13)
	v_cvt_f32_f16_e32 v26, v26
	s_waitcnt vmcnt(12)
	v_cvt_f32_f16_e32 v27, v27
	v_cndmask_b32_e32 v0, 0, v24, vcc
	s_waitcnt vmcnt(11)
	v_cvt_f32_f16_e32 v19, v19
	s_waitcnt vmcnt(10)
	v_cvt_f32_f16_e32 v21, v21
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[46:47], v[2:17]
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v18, v18
	s_nop 8
	v_add_f32_e32 v0, v2, v0
	v_cndmask_b32_e32 v2, 0, v25, vcc
	v_add_f32_e32 v2, v3, v2
	v_cndmask_b32_e32 v3, 0, v26, vcc
	v_add_f32_e32 v3, v4, v3
	v_cndmask_b32_e32 v4, 0, v27, vcc
	v_add_f32_e32 v4, v5, v4
	v_cndmask_b32_e32 v5, 0, v19, vcc
	v_cvt_f32_f16_e32 v19, v22
	v_add_f32_e32 v5, v6, v5
	v_cndmask_b32_e32 v6, 0, v21, vcc
	v_add_f32_e32 v6, v7, v6
	v_cndmask_b32_e32 v7, 0, v19, vcc
	v_cvt_f32_f16_e32 v19, v23
	v_add_f32_e32 v7, v8, v7
	v_max_f32_e32 v0, 0, v0
	v_cvt_f16_f32_e32 v0, v0
	v_cndmask_b32_e32 v8, 0, v19, vcc
	v_cvt_f32_f16_e32 v19, v28
	v_add_f32_e32 v8, v9, v8
	v_max_f32_e32 v2, 0, v2
	v_cvt_f16_f32_e32 v2, v2
	v_cndmask_b32_e32 v9, 0, v19, vcc
	v_cvt_f32_f16_e32 v19, v29
	v_add_f32_e32 v9, v10, v9
	v_max_f32_e32 v3, 0, v3
	v_cvt_f16_f32_e32 v3, v3
	v_cndmask_b32_e32 v10, 0, v19, vcc
	v_cvt_f32_f16_e32 v19, v30
	v_add_f32_e32 v10, v11, v10
	v_max_f32_e32 v4, 0, v4
	v_cvt_f16_f32_e32 v4, v4
	v_cndmask_b32_e32 v11, 0, v19, vcc
	v_cvt_f32_f16_e32 v19, v31
	v_add_f32_e32 v11, v12, v11
	v_max_f32_e32 v5, 0, v5
	v_cvt_f16_f32_e32 v5, v5
	v_cndmask_b32_e32 v12, 0, v19, vcc
	v_cvt_f32_f16_e32 v19, v32
	v_add_f32_e32 v12, v13, v12
	v_max_f32_e32 v6, 0, v6
	v_cvt_f16_f32_e32 v6, v6
	v_cndmask_b32_e32 v13, 0, v19, vcc
	v_cvt_f32_f16_e32 v19, v33
	v_add_f32_e32 v13, v14, v13
	v_max_f32_e32 v7, 0, v7
	v_cvt_f16_f32_e32 v7, v7
	v_cndmask_b32_e32 v14, 0, v19, vcc
	v_cvt_f32_f16_e32 v19, v34
	v_add_f32_e32 v14, v15, v14
	v_max_f32_e32 v8, 0, v8
	v_cvt_f16_f32_e32 v8, v8
	v_cndmask_b32_e32 v15, 0, v19, vcc
	v_add_f32_e32 v15, v16, v15
	v_cndmask_b32_e32 v16, 0, v18, vcc
	v_add_f32_e32 v16, v17, v16
	v_add_u32_e32 v17, s6, v20
	v_bfrev_b32_e32 v18, 1
	v_cmp_gt_i32_e32 vcc, s4, v17
	v_add_lshl_u32 v1, v1, v17, 1
	v_max_f32_e32 v9, 0, v9
	v_cndmask_b32_e64 v19, v18, 0, vcc
	v_add_u32_e32 v19, v1, v19
	buffer_store_short v0, v19, s[0:3], 0 offen
	v_or_b32_e32 v0, 1, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	v_add_u32_e32 v1, 2, v1
	v_cvt_f16_f32_e32 v9, v9
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v2, v0, s[0:3], 0 offen
	v_or_b32_e32 v0, 2, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	v_max_f32_e32 v10, 0, v10
	v_cvt_f16_f32_e32 v10, v10
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v3, v0, s[0:3], 0 offen offset:2
	v_or_b32_e32 v0, 3, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	v_max_f32_e32 v11, 0, v11
	v_cvt_f16_f32_e32 v11, v11
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v4, v0, s[0:3], 0 offen offset:4
	v_add_u32_e32 v0, 8, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	v_max_f32_e32 v12, 0, v12
	v_cvt_f16_f32_e32 v12, v12
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v5, v0, s[0:3], 0 offen offset:14
	v_add_u32_e32 v0, 9, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	v_max_f32_e32 v13, 0, v13
	v_cvt_f16_f32_e32 v13, v13
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v6, v0, s[0:3], 0 offen offset:16
	v_add_u32_e32 v0, 10, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	v_max_f32_e32 v14, 0, v14
	v_cvt_f16_f32_e32 v14, v14
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v7, v0, s[0:3], 0 offen offset:18
	v_add_u32_e32 v0, 11, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	v_max_f32_e32 v15, 0, v15
	v_cvt_f16_f32_e32 v15, v15
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v8, v0, s[0:3], 0 offen offset:20
	v_add_u32_e32 v0, 16, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	v_max_f32_e32 v16, 0, v16
	v_cvt_f16_f32_e32 v16, v16
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v9, v0, s[0:3], 0 offen offset:30
	v_add_u32_e32 v0, 17, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_nop 1
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v10, v0, s[0:3], 0 offen offset:32
	v_add_u32_e32 v0, 18, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_nop 1
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v11, v0, s[0:3], 0 offen offset:34
	v_add_u32_e32 v0, 19, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_nop 1
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v12, v0, s[0:3], 0 offen offset:36
	v_add_u32_e32 v0, 24, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_nop 1
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v13, v0, s[0:3], 0 offen offset:46
	v_add_u32_e32 v0, 25, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_nop 1
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v14, v0, s[0:3], 0 offen offset:48
	v_add_u32_e32 v0, 26, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_nop 1
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v15, v0, s[0:3], 0 offen offset:50
	v_add_u32_e32 v0, 27, v17
	v_cmp_gt_i32_e32 vcc, s4, v0
	s_nop 1
	v_cndmask_b32_e64 v0, v18, 0, vcc
	v_add_u32_e32 v0, v1, v0
	buffer_store_short v16, v0, s[0:3], 0 offen offset:52
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
		.amdhsa_next_free_vgpr 67
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
	.set ck_gemm.num_vgpr, 67
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
    .vgpr_count:     67
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
