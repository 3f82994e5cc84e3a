; A CK Tile GEMM for gfx942 (64 x 64 x 32 tile, fp16) that multiplies two D operands (fp16, fp32), then silu; cshuffle epilogue, compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_load_dwordx8 s[4:11], s[0:1], 0x58
	s_load_dwordx2 s[24:25], s[0:1], 0x8c
	s_mov_b32 s27, 0
	s_waitcnt lgkmcnt(0)
	s_add_i32 s26, s4, -1
	s_mov_b32 s11, s5
	s_cmp_lt_u32 s26, 64
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s12, s5, -1
	s_cmp_lt_u32 s12, 64
	s_mov_b32 s12, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s16, s4, 63
	s_ashr_i32 s17, s16, 31
	s_lshr_b32 s12, s17, 26
	s_add_i32 s12, s16, s12
	s_ashr_i32 s15, s12, 6
	s_add_i32 s12, s5, 63
	s_ashr_i32 s13, s12, 31
	s_lshr_b32 s13, s13, 26
	s_add_i32 s12, s12, s13
	s_ashr_i32 s14, s12, 6
	s_mul_i32 s12, s14, s15
	s_add_i32 s13, s12, 7
	s_ashr_i32 s18, s13, 31
	s_lshr_b32 s18, s18, 29
	s_add_i32 s13, s13, s18
	s_ashr_i32 s18, s13, 3
	s_and_b32 s13, s13, -8
	s_sub_i32 s19, s12, s13
	s_ashr_i32 s12, s2, 31
	s_lshr_b32 s12, s12, 29
	s_add_i32 s21, s2, s12
	s_and_b32 s12, s21, -8
	s_add_i32 s19, s19, 8
	s_sub_i32 s20, s2, s12
	s_cmp_gt_i32 s20, s19
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s18, s20
	s_ashr_i32 s12, s21, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s12, s21, 3
.LBB1_5:
	s_add_i32 s2, s18, -1
	s_mul_i32 s2, s2, s20
	s_add_i32 s2, s19, s2
.LBB1_6:
	s_abs_i32 s13, s14
	v_cvt_f32_u32_e32 v1, s13
	s_sub_i32 s19, 0, s13
	s_add_i32 s2, s2, s12
	s_abs_i32 s18, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s12, s2, s14
	s_ashr_i32 s12, s12, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s20, v1
	s_mul_i32 s19, s19, s20
	s_mul_hi_u32 s19, s20, s19
	s_add_i32 s20, s20, s19
	s_mul_hi_u32 s19, s18, s20
	s_mul_i32 s20, s19, s13
	s_sub_i32 s18, s18, s20
	s_add_i32 s21, s19, 1
	s_sub_i32 s20, s18, s13
	s_cmp_ge_u32 s18, s13
	s_cselect_b32 s19, s21, s19
	s_cselect_b32 s18, s20, s18
	s_add_i32 s20, s19, 1
	s_cmp_ge_u32 s18, s13
	s_cselect_b32 s13, s20, s19
	s_xor_b32 s13, s13, s12
	s_lshr_b32 s17, s17, 24
	s_sub_i32 s12, s13, s12
	s_add_i32 s16, s16, s17
	s_mul_i32 s13, s12, s14
	s_sub_i32 s2, s2, s13
	s_ashr_i32 s13, s16, 8
	s_lshl_b32 s13, s13, 2
	s_sub_i32 s15, s15, s13
	s_cmp_ge_i32 s12, s13
	s_cselect_b32 s13, s15, 4
	s_abs_i32 s16, s13
	v_cvt_f32_u32_e32 v1, s16
	s_ashr_i32 s15, s12, 31
	s_lshr_b32 s15, s15, 30
	s_add_i32 s15, s12, s15
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s15, s15, -4
	s_sub_i32 s12, s12, s15
	s_sub_i32 s17, 0, s16
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s12, s12, s14
	s_add_i32 s2, s12, s2
	s_abs_i32 s14, s2
	v_readfirstlane_b32 s18, v1
	s_mul_i32 s17, s17, s18
	s_mul_hi_u32 s17, s18, s17
	s_add_i32 s18, s18, s17
	s_mul_hi_u32 s17, s14, s18
	s_mul_i32 s18, s17, s16
	s_xor_b32 s12, s2, s13
	s_sub_i32 s14, s14, s18
	s_ashr_i32 s12, s12, 31
	s_add_i32 s18, s17, 1
	s_sub_i32 s19, s14, s16
	s_cmp_ge_u32 s14, s16
	s_cselect_b32 s17, s18, s17
	s_cselect_b32 s14, s19, s14
	s_add_i32 s18, s17, 1
	s_cmp_ge_u32 s14, s16
	s_cselect_b32 s14, s18, s17
	s_xor_b32 s14, s14, s12
	s_sub_i32 s12, s14, s12
	s_mul_i32 s13, s13, s12
	s_sub_i32 s13, s15, s13
	s_add_i32 s2, s13, s2
.LBB1_7:
	s_mov_b32 s27, s2
	s_mov_b32 s2, s12
.LBB1_8:
	s_lshl_b32 s12, s25, 3
	s_abs_i32 s13, s12
	v_cvt_f32_u32_e32 v1, s13
	s_sub_i32 s15, 0, s13
	s_add_i32 s14, s6, s12
	s_add_i32 s14, s14, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s12, s14, s12
	s_abs_i32 s14, s14
	s_ashr_i32 s12, s12, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s16, v1
	s_mul_i32 s15, s15, s16
	s_mul_hi_u32 s15, s16, s15
	s_add_i32 s16, s16, s15
	s_mul_hi_u32 s15, s14, s16
	s_mul_i32 s16, s15, s13
	s_sub_i32 s14, s14, s16
	s_add_i32 s17, s15, 1
	s_sub_i32 s16, s14, s13
	s_cmp_ge_u32 s14, s13
	s_cselect_b32 s15, s17, s15
	s_cselect_b32 s14, s16, s14
	s_add_i32 s16, s15, 1
	s_cmp_ge_u32 s14, s13
	s_cselect_b32 s13, s16, s15
	s_xor_b32 s13, s13, s12
	s_sub_i32 s12, s13, s12
	s_lshl_b32 s28, s12, 3
	s_add_i32 s12, s25, -1
	s_cmp_ge_u32 s3, s12
	s_mul_i32 s3, s28, s3
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s12, s28, s12
	s_sub_i32 s25, s6, s12
	s_load_dwordx2 s[20:21], s[0:1], 0x50
	s_load_dwordx8 s[12:19], s[0:1], 0x0
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
	s_load_dwordx2 s[20:21], s[0:1], 0x50
	s_load_dwordx8 s[12:19], s[0:1], 0x0
.LBB1_11:
	s_mov_b32 s25, s28
.LBB1_12:
	s_lshl_b32 s22, s2, 6
	s_mov_b32 s2, 0
	s_lshl_b32 s6, s27, 6
	s_ashr_i64 s[2:3], s[2:3], 31
	s_waitcnt lgkmcnt(0)
	s_add_u32 s0, s12, s2
	s_addc_u32 s1, s13, s3
	s_add_u32 s12, s14, s2
	s_mul_i32 s2, s7, s26
	v_readfirstlane_b32 s26, v0
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_addc_u32 s13, s15, s3
	v_mbcnt_hi_u32_b32 v29, -1, v1
	s_lshr_b32 s27, s26, 2
	s_add_i32 s3, s25, -1
	v_lshrrev_b32_e32 v19, 2, v29
	s_and_b32 s28, s27, 0x3ffffff0
	s_add_i32 s14, s3, 1
	v_lshlrev_b32_e32 v28, 3, v29
	v_add_u32_e32 v1, s28, v19
	s_add_i32 s15, s2, s14
	s_add_i32 s2, s5, -1
	v_and_b32_e32 v18, 24, v28
	v_add_u32_e32 v2, s6, v1
	s_mul_i32 s23, s8, s2
	v_mad_u64_u32 v[20:21], s[2:3], v2, s7, v[18:19]
	s_lshl_b32 s2, s15, 1
	s_mov_b32 s3, 0x20000
	v_lshlrev_b32_e32 v14, 1, v20
	s_add_i32 s28, s28, s22
	s_nop 0
	buffer_load_dwordx4 v[2:5], v14, s[0:3], 0 offen
	v_add_u32_e32 v6, s28, v19
	s_add_i32 s23, s23, s14
	v_mad_u64_u32 v[22:23], s[14:15], v6, s8, v[18:19]
	s_lshl_b32 s14, s23, 1
	s_mov_b32 s15, s3
	v_lshlrev_b32_e32 v15, 1, v22
	s_nop 1
	buffer_load_dwordx4 v[6:9], v15, s[12:15], 0 offen
	buffer_load_dwordx4 v[10:13], v14, s[0:3], 0 offen offset:64
	v_cmp_gt_i32_e32 vcc, s25, v18
	buffer_load_dwordx4 v[14:17], v15, s[12:15], 0 offen offset:64
	s_mov_b32 s7, 0x5040100
	v_and_b32_e32 v30, 31, v29
	v_lshrrev_b32_e32 v21, 5, v29
	v_or_b32_e32 v23, 32, v18
	s_and_b32 s27, s27, 0x3fffffe0
	v_and_or_b32 v21, v28, 8, v21
	s_lshr_b32 s23, s26, 1
	v_or_b32_e32 v25, s27, v30
	v_and_or_b32 v24, s23, 32, v30
	v_lshrrev_b32_e32 v27, 1, v25
	v_bfe_u32 v25, v25, 1, 4
	v_lshrrev_b32_e32 v26, 1, v24
	v_bfe_u32 v24, v24, 1, 4
	v_xor_b32_e32 v37, v24, v21
	v_xor_b32_e32 v33, v25, v21
	s_add_i32 s8, s25, 31
	s_ashr_i32 s26, s8, 31
	s_lshr_b32 s23, s26, 27
	s_add_i32 s8, s8, s23
	s_ashr_i32 s8, s8, 5
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
	v_perm_b32 v2, v31, v2, s7
	v_perm_b32 v4, v34, v4, s7
	v_lshrrev_b32_e32 v31, 2, v18
	v_lshlrev_b32_e32 v34, 1, v29
	v_lshrrev_b32_e32 v35, 16, v5
	v_perm_b32 v3, v32, v3, s7
	v_lshrrev_b32_e32 v32, 1, v1
	v_and_or_b32 v31, v34, 8, v31
	v_bfe_u32 v1, v1, 1, 4
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_cndmask_b32_e32 v35, 0, v35, vcc
	v_xor_b32_e32 v34, v1, v31
	v_lshlrev_b32_e32 v32, 7, v32
	v_perm_b32 v5, v35, v5, s7
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
	v_perm_b32 v7, v38, v7, s7
	v_perm_b32 v6, v36, v6, s7
	v_perm_b32 v9, v40, v9, s7
	v_perm_b32 v8, v39, v8, s7
	ds_write_b64 v1, v[4:5]
	ds_write2st64_b64 v35, v[2:3], v[6:7] offset1:8
	ds_write_b64 v1, v[8:9] offset:4096
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v1, 16, v10
	v_cmp_gt_i32_e32 vcc, s25, v23
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
	s_max_i32 s8, s8, 2
	v_perm_b32 v22, v17, v14, s7
	v_perm_b32 v23, v10, v15, s7
	v_perm_b32 v20, v11, v16, s7
	v_perm_b32 v21, v12, v13, s7
	v_perm_b32 v24, v8, v9, s7
	v_perm_b32 v25, v2, v7, s7
	v_perm_b32 v26, v3, v6, s7
	v_perm_b32 v27, v4, v5, s7
	s_add_i32 s8, s8, -1
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
	v_readfirstlane_b32 s23, v0
	s_lshr_b32 s23, s23, 2
	s_and_b32 s23, s23, 0x3ffffff0
	v_add_u32_e32 v58, s23, v19
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
	v_cmp_gt_i32_e32 vcc, s25, v41
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
	buffer_load_dwordx4 v[58:61], v20, s[12:15], 0 offen
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
	s_add_i32 s8, s8, -1
	v_perm_b32 v22, v20, v58, s7
	v_perm_b32 v23, v21, v59, s7
	v_perm_b32 v20, v66, v60, s7
	v_perm_b32 v21, v67, v61, s7
	v_perm_b32 v24, v65, v24, s7
	v_perm_b32 v25, v64, v25, s7
	v_perm_b32 v26, v26, v63, s7
	s_cmp_lg_u32 s8, 0
	v_perm_b32 v27, v27, v62, s7
	s_cbranch_scc1 .LBB1_13
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[56:57], v[2:17]
	s_add_i32 s2, s4, -1
	s_add_i32 s0, s11, -1
	s_add_i32 s3, s0, 1
	s_mul_i32 s0, s2, s10
	s_add_i32 s4, s0, s3
	s_mul_i32 s0, s2, s9
	v_readfirstlane_b32 s8, v0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[52:53], v[2:17]
	s_add_i32 s7, s0, s3
	s_lshr_b32 s0, s8, 2
	v_lshrrev_b32_e32 v0, 3, v29
	s_and_b32 s1, s0, 0x1ffffe0
	v_and_or_b32 v18, v0, 12, s1
	s_and_b32 s0, s0, 0x3ffffff0
	v_and_b32_e32 v0, 30, v19
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[50:51], v[2:17]
	v_and_b32_e32 v26, 56, v28
	v_add_u32_e32 v19, s0, v0
	v_add_u32_e32 v29, s6, v19
	v_or_b32_e32 v28, s22, v26
	v_mad_u64_u32 v[0:1], s[0:1], v29, s9, v[28:29]
	v_mad_u64_u32 v[24:25], s[0:1], v29, s10, v[28:29]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[44:45], v[2:17]
	s_and_b32 s0, s8, 64
	v_lshlrev_b32_e32 v18, 7, v18
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_lshl_b32 s14, s7, 1
	s_mov_b32 s15, 0x20000
	s_mov_b32 s12, s16
	s_nop 3
	v_cvt_f16_f32_e32 v1, v2
	v_cvt_f16_f32_e32 v2, v3
	v_cvt_f16_f32_e32 v3, v4
	v_cvt_f16_f32_e32 v4, v5
	v_cvt_f16_f32_e32 v5, v6
	v_cvt_f16_f32_e32 v6, v7
	v_cvt_f16_f32_e32 v7, v8
	v_cvt_f16_f32_e32 v8, v9
	v_cvt_f16_f32_e32 v9, v10
	v_cvt_f16_f32_e32 v10, v11
	v_cvt_f16_f32_e32 v11, v12
	v_cvt_f16_f32_e32 v12, v13
	v_cvt_f16_f32_e32 v13, v14
	v_cvt_f16_f32_e32 v14, v15
	v_cvt_f16_f32_e32 v15, v16
	v_cvt_f16_f32_e32 v16, v17
	v_lshlrev_b32_e32 v17, 1, v30
	v_or3_b32 v17, s0, v17, v18
	ds_write_b16 v17, v1
	ds_write_b16 v17, v2 offset:128
	ds_write_b16 v17, v3 offset:256
	ds_write_b16 v17, v4 offset:384
	ds_write_b16 v17, v5 offset:1024
	ds_write_b16 v17, v6 offset:1152
	ds_write_b16 v17, v7 offset:1280
	ds_write_b16 v17, v8 offset:1408
	ds_write_b16 v17, v9 offset:2048
	ds_write_b16 v17, v10 offset:2176
	ds_write_b16 v17, v11 offset:2304
	ds_write_b16 v17, v12 offset:2432
	ds_write_b16 v17, v13 offset:3072
	ds_write_b16 v17, v14 offset:3200
	ds_write_b16 v17, v15 offset:3328
	ds_write_b16 v17, v16 offset:3456
	s_mov_b32 s13, s17
	v_lshlrev_b32_e32 v4, 1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_lshl_u32 v5, v0, s9, 1
	buffer_load_dwordx4 v[8:11], v4, s[12:15], 0 offen
	buffer_load_dwordx4 v[0:3], v5, s[12:15], 0 offen
	s_lshl_b32 s14, s4, 2
	s_mov_b32 s12, s18
	s_mov_b32 s13, s19
	v_lshlrev_b32_e32 v4, 2, v24
	buffer_load_dwordx4 v[20:23], v4, s[12:15], 0 offen
	v_lshlrev_b32_e32 v4, 7, v19
	v_lshl_or_b32 v4, v26, 1, v4
	ds_read_b128 v[16:19], v4
	v_add_u32_e32 v24, 4, v24
	v_lshlrev_b32_e32 v12, 2, v24
	buffer_load_dwordx4 v[32:35], v12, s[12:15], 0 offen
	v_cmp_gt_i32_e64 s[0:1], s5, v28
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_f16_e32 v12, v16
	v_cvt_f32_f16_sdwa v13, v16 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_mov_b32 s9, 0xbfb8aa3b
	s_mov_b32 s7, 0x42ce8ed0
	s_mov_b32 s8, 0xc2b17218
	v_mov_b32_e32 v30, 0x7f800000
	s_mul_i32 s6, s2, s24
	s_add_i32 s6, s6, s3
	v_add_lshl_u32 v38, v24, s10, 2
	v_add_u32_e32 v39, -16, v38
	v_or_b32_e32 v31, 4, v28
	ds_read_b128 v[4:7], v4 offset:128
	s_lshl_b32 s22, s6, 1
	s_mov_b32 s23, s15
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16_sdwa v16, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v8, v8
	v_cvt_f32_f16_sdwa v41, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_waitcnt vmcnt(1)
	v_cndmask_b32_e64 v15, 0, v21, s[0:1]
	v_cndmask_b32_e64 v14, 0, v20, s[0:1]
	v_cndmask_b32_e64 v20, 0, v8, s[0:1]
	v_cndmask_b32_e64 v21, 0, v16, s[0:1]
	v_pk_mul_f32 v[12:13], v[20:21], v[12:13]
	v_cndmask_b32_e64 v23, 0, v23, s[0:1]
	v_pk_mul_f32 v[20:21], v[14:15], v[12:13]
	v_cndmask_b32_e64 v22, 0, v22, s[0:1]
	v_mul_f32_e32 v8, 0xbfb8aa3b, v20
	v_mul_f32_e32 v12, 0xbfb8aa3b, v21
	v_fma_f32 v13, v20, s9, -v8
	v_rndne_f32_e32 v14, v8
	v_fma_f32 v15, v21, s9, -v12
	v_rndne_f32_e32 v16, v12
	v_fmac_f32_e32 v13, 0xb2a5705f, v20
	v_sub_f32_e32 v8, v8, v14
	v_fmac_f32_e32 v15, 0xb2a5705f, v21
	v_sub_f32_e32 v12, v12, v16
	v_add_f32_e32 v8, v8, v13
	v_cvt_i32_f32_e32 v14, v14
	v_add_f32_e32 v12, v12, v15
	v_exp_f32_e32 v8, v8
	v_cvt_i32_f32_e32 v16, v16
	v_exp_f32_e32 v12, v12
	v_cmp_nlt_f32_e32 vcc, s7, v20
	v_ldexp_f32 v8, v8, v14
	v_ldexp_f32 v12, v12, v16
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_cmp_nlt_f32_e32 vcc, s7, v21
	s_nop 1
	v_cndmask_b32_e32 v13, 0, v12, vcc
	v_cmp_ngt_f32_e32 vcc, s8, v20
	s_nop 1
	v_cndmask_b32_e32 v12, v30, v8, vcc
	v_cmp_ngt_f32_e32 vcc, s8, v21
	s_nop 1
	v_cndmask_b32_e32 v13, v30, v13, vcc
	v_pk_add_f32 v[36:37], v[12:13], 1.0 op_sel_hi:[1,0]
	buffer_load_dwordx4 v[24:27], v39, s[12:15], 0 offen
	buffer_load_dwordx4 v[12:15], v38, s[12:15], 0 offen
	v_div_scale_f32 v8, s[2:3], v36, v36, v20
	v_rcp_f32_e32 v16, v8
	v_div_scale_f32 v38, vcc, v20, v36, v20
	v_fma_f32 v39, -v8, v16, 1.0
	v_fmac_f32_e32 v16, v39, v16
	v_mul_f32_e32 v39, v38, v16
	v_fma_f32 v40, -v8, v39, v38
	v_fmac_f32_e32 v39, v40, v16
	v_fma_f32 v8, -v8, v39, v38
	v_div_scale_f32 v38, s[2:3], v37, v37, v21
	v_rcp_f32_e32 v40, v38
	v_div_fmas_f32 v8, v8, v16, v39
	v_div_fixup_f32 v20, v8, v36, v20
	v_div_scale_f32 v36, vcc, v21, v37, v21
	v_fma_f32 v8, -v38, v40, 1.0
	v_fmac_f32_e32 v40, v8, v40
	v_mul_f32_e32 v39, v36, v40
	v_fma_f32 v8, -v38, v39, v36
	v_cvt_f32_f16_e32 v16, v9
	v_fmac_f32_e32 v39, v8, v40
	v_cvt_f32_f16_e32 v8, v17
	v_cvt_f32_f16_sdwa v9, v17 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v16, 0, v16, s[0:1]
	v_cndmask_b32_e64 v17, 0, v41, s[0:1]
	v_pk_mul_f32 v[8:9], v[16:17], v[8:9]
	s_nop 0
	v_pk_mul_f32 v[8:9], v[22:23], v[8:9]
	s_nop 0
	v_mul_f32_e32 v16, 0xbfb8aa3b, v8
	v_fma_f32 v17, v8, s9, -v16
	v_rndne_f32_e32 v22, v16
	v_fmac_f32_e32 v17, 0xb2a5705f, v8
	v_sub_f32_e32 v16, v16, v22
	v_add_f32_e32 v16, v16, v17
	v_exp_f32_e32 v16, v16
	v_cvt_i32_f32_e32 v17, v22
	v_fma_f32 v22, -v38, v39, v36
	v_div_fmas_f32 v22, v22, v40, v39
	v_cmp_nlt_f32_e32 vcc, s7, v8
	v_ldexp_f32 v16, v16, v17
	v_mul_f32_e32 v17, 0xbfb8aa3b, v9
	v_fma_f32 v23, v9, s9, -v17
	v_rndne_f32_e32 v36, v17
	v_fmac_f32_e32 v23, 0xb2a5705f, v9
	v_sub_f32_e32 v17, v17, v36
	v_add_f32_e32 v17, v17, v23
	v_exp_f32_e32 v17, v17
	v_cvt_i32_f32_e32 v23, v36
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_cmp_ngt_f32_e32 vcc, s8, v8
	v_cvt_f16_f32_e32 v38, v20
	v_ldexp_f32 v17, v17, v23
	v_cndmask_b32_e32 v16, v30, v16, vcc
	v_cmp_nlt_f32_e32 vcc, s7, v9
	v_div_fixup_f32 v21, v22, v37, v21
	v_cvt_f16_f32_e32 v37, v21
	v_cndmask_b32_e32 v17, 0, v17, vcc
	v_cmp_ngt_f32_e32 vcc, s8, v9
	s_nop 1
	v_cndmask_b32_e32 v17, v30, v17, vcc
	v_pk_add_f32 v[16:17], v[16:17], 1.0 op_sel_hi:[1,0]
	s_nop 0
	v_div_scale_f32 v23, s[2:3], v16, v16, v8
	v_rcp_f32_e32 v36, v23
	v_div_scale_f32 v39, s[2:3], v17, v17, v9
	v_rcp_f32_e32 v40, v39
	v_fma_f32 v20, -v23, v36, 1.0
	v_fmac_f32_e32 v36, v20, v36
	v_div_scale_f32 v20, vcc, v8, v16, v8
	v_mul_f32_e32 v21, v20, v36
	v_fma_f32 v22, -v23, v21, v20
	v_fmac_f32_e32 v21, v22, v36
	v_fma_f32 v20, -v23, v21, v20
	v_div_fmas_f32 v20, v20, v36, v21
	v_div_fixup_f32 v8, v20, v16, v8
	v_fma_f32 v16, -v39, v40, 1.0
	v_cmp_gt_i32_e64 s[2:3], s5, v31
	v_cvt_f32_f16_sdwa v31, v10 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v10, v10
	v_fmac_f32_e32 v40, v16, v40
	v_div_scale_f32 v16, vcc, v9, v17, v9
	v_cvt_f32_f16_e32 v22, v18
	v_cvt_f32_f16_sdwa v23, v18 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_mul_f32_e32 v36, v16, v40
	v_fma_f32 v20, -v39, v36, v16
	v_fmac_f32_e32 v36, v20, v40
	s_waitcnt vmcnt(2)
	v_cndmask_b32_e64 v21, 0, v33, s[2:3]
	v_cndmask_b32_e64 v20, 0, v32, s[2:3]
	v_cndmask_b32_e64 v33, 0, v31, s[0:1]
	v_cndmask_b32_e64 v32, 0, v10, s[0:1]
	v_pk_mul_f32 v[22:23], v[32:33], v[22:23]
	v_fma_f32 v16, -v39, v36, v16
	v_pk_mul_f32 v[20:21], v[22:23], v[20:21]
	v_div_fmas_f32 v16, v16, v40, v36
	v_mul_f32_e32 v10, 0xbfb8aa3b, v20
	v_fma_f32 v18, v20, s9, -v10
	v_rndne_f32_e32 v22, v10
	v_fmac_f32_e32 v18, 0xb2a5705f, v20
	v_sub_f32_e32 v10, v10, v22
	v_add_f32_e32 v10, v10, v18
	v_exp_f32_e32 v10, v10
	v_cvt_i32_f32_e32 v18, v22
	v_cmp_nlt_f32_e32 vcc, s7, v20
	v_cvt_f16_f32_e32 v32, v8
	v_div_fixup_f32 v9, v16, v17, v9
	v_ldexp_f32 v10, v10, v18
	v_mul_f32_e32 v18, 0xbfb8aa3b, v21
	v_fma_f32 v22, v21, s9, -v18
	v_rndne_f32_e32 v23, v18
	v_fmac_f32_e32 v22, 0xb2a5705f, v21
	v_sub_f32_e32 v18, v18, v23
	v_add_f32_e32 v18, v18, v22
	v_exp_f32_e32 v18, v18
	v_cvt_i32_f32_e32 v23, v23
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cmp_ngt_f32_e32 vcc, s8, v20
	v_cvt_f16_f32_e32 v31, v9
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v13, 0, v13, s[2:3]
	v_cndmask_b32_e32 v22, v30, v10, vcc
	v_ldexp_f32 v10, v18, v23
	v_cmp_nlt_f32_e32 vcc, s7, v21
	v_cndmask_b32_e64 v12, 0, v12, s[2:3]
	s_nop 0
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cmp_ngt_f32_e32 vcc, s8, v21
	s_nop 1
	v_cndmask_b32_e32 v23, v30, v10, vcc
	v_pk_add_f32 v[22:23], v[22:23], 1.0 op_sel_hi:[1,0]
	s_nop 0
	v_div_scale_f32 v10, s[4:5], v22, v22, v20
	v_rcp_f32_e32 v18, v10
	v_div_scale_f32 v33, s[4:5], v23, v23, v21
	v_rcp_f32_e32 v36, v33
	v_fma_f32 v8, -v10, v18, 1.0
	v_fmac_f32_e32 v18, v8, v18
	v_div_scale_f32 v8, vcc, v20, v22, v20
	v_mul_f32_e32 v9, v8, v18
	v_fma_f32 v16, -v10, v9, v8
	v_fmac_f32_e32 v9, v16, v18
	v_fma_f32 v8, -v10, v9, v8
	v_div_fmas_f32 v8, v8, v18, v9
	v_cndmask_b32_e64 v9, 0, v35, s[2:3]
	v_cvt_f32_f16_sdwa v16, v11 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v35, v11
	v_cvt_f32_f16_e32 v10, v19
	v_cvt_f32_f16_sdwa v11, v19 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_div_fixup_f32 v18, v8, v22, v20
	v_fma_f32 v8, -v33, v36, 1.0
	v_cndmask_b32_e64 v17, 0, v16, s[0:1]
	v_cndmask_b32_e64 v16, 0, v35, s[0:1]
	v_fmac_f32_e32 v36, v8, v36
	v_cndmask_b32_e64 v8, 0, v34, s[2:3]
	v_pk_mul_f32 v[10:11], v[16:17], v[10:11]
	v_div_scale_f32 v20, vcc, v21, v23, v21
	v_pk_mul_f32 v[8:9], v[10:11], v[8:9]
	v_mul_f32_e32 v22, v20, v36
	v_mul_f32_e32 v10, 0xbfb8aa3b, v8
	v_fma_f32 v11, v8, s9, -v10
	v_rndne_f32_e32 v16, v10
	v_fmac_f32_e32 v11, 0xb2a5705f, v8
	v_sub_f32_e32 v10, v10, v16
	v_add_f32_e32 v10, v10, v11
	v_exp_f32_e32 v10, v10
	v_cvt_i32_f32_e32 v11, v16
	v_cmp_nlt_f32_e64 s[4:5], s7, v8
	v_fma_f32 v16, -v33, v22, v20
	v_fmac_f32_e32 v22, v16, v36
	v_ldexp_f32 v10, v10, v11
	v_mul_f32_e32 v11, 0xbfb8aa3b, v9
	v_fma_f32 v17, v9, s9, -v11
	v_rndne_f32_e32 v19, v11
	v_fmac_f32_e32 v17, 0xb2a5705f, v9
	v_sub_f32_e32 v11, v11, v19
	v_add_f32_e32 v11, v11, v17
	v_exp_f32_e32 v11, v11
	v_cvt_i32_f32_e32 v17, v19
	v_cndmask_b32_e64 v10, 0, v10, s[4:5]
	v_cmp_ngt_f32_e64 s[4:5], s8, v8
	v_fma_f32 v16, -v33, v22, v20
	v_ldexp_f32 v11, v11, v17
	v_cndmask_b32_e64 v10, v30, v10, s[4:5]
	v_cmp_nlt_f32_e64 s[4:5], s7, v9
	v_div_fmas_f32 v16, v16, v36, v22
	v_div_fixup_f32 v20, v16, v23, v21
	v_cndmask_b32_e64 v11, 0, v11, s[4:5]
	v_cmp_ngt_f32_e64 s[4:5], s8, v9
	s_nop 1
	v_cndmask_b32_e64 v11, v30, v11, s[4:5]
	v_pk_add_f32 v[10:11], v[10:11], 1.0 op_sel_hi:[1,0]
	s_nop 0
	v_div_scale_f32 v17, s[4:5], v10, v10, v8
	v_rcp_f32_e32 v19, v17
	s_nop 0
	v_fma_f32 v16, -v17, v19, 1.0
	v_fmac_f32_e32 v19, v16, v19
	v_div_scale_f32 v16, vcc, v8, v10, v8
	v_mul_f32_e32 v21, v16, v19
	v_fma_f32 v22, -v17, v21, v16
	v_fmac_f32_e32 v21, v22, v19
	v_fma_f32 v16, -v17, v21, v16
	v_div_scale_f32 v17, s[4:5], v11, v11, v9
	v_rcp_f32_e32 v22, v17
	v_div_fmas_f32 v16, v16, v19, v21
	v_div_fixup_f32 v8, v16, v10, v8
	v_cvt_f16_f32_e32 v21, v8
	v_fma_f32 v10, -v17, v22, 1.0
	v_fmac_f32_e32 v22, v10, v22
	v_div_scale_f32 v10, vcc, v9, v11, v9
	v_mul_f32_e32 v16, v10, v22
	v_fma_f32 v19, -v17, v16, v10
	v_fmac_f32_e32 v16, v19, v22
	v_fma_f32 v10, -v17, v16, v10
	v_div_fmas_f32 v10, v10, v22, v16
	v_cvt_f32_f16_e32 v16, v0
	v_cvt_f32_f16_sdwa v0, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_div_fixup_f32 v9, v10, v11, v9
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_f16_e32 v10, v4
	v_cvt_f32_f16_sdwa v11, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v16, 0, v16, s[0:1]
	v_cndmask_b32_e64 v17, 0, v0, s[0:1]
	v_cvt_f16_f32_e32 v19, v9
	v_cndmask_b32_e64 v9, 0, v25, s[0:1]
	v_cndmask_b32_e64 v8, 0, v24, s[0:1]
	v_pk_mul_f32 v[10:11], v[16:17], v[10:11]
	v_cvt_f32_f16_sdwa v25, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_pk_mul_f32 v[16:17], v[10:11], v[8:9]
	v_cvt_f16_f32_e32 v10, v20
	v_mul_f32_e32 v0, 0xbfb8aa3b, v16
	v_fma_f32 v4, v16, s9, -v0
	v_rndne_f32_e32 v8, v0
	v_fmac_f32_e32 v4, 0xb2a5705f, v16
	v_sub_f32_e32 v0, v0, v8
	v_add_f32_e32 v0, v0, v4
	v_exp_f32_e32 v0, v0
	v_cvt_i32_f32_e32 v4, v8
	v_cmp_nlt_f32_e32 vcc, s7, v16
	v_cvt_f16_f32_e32 v20, v18
	v_pack_b32_f16 v11, v21, v19
	v_ldexp_f32 v0, v0, v4
	v_mul_f32_e32 v4, 0xbfb8aa3b, v17
	v_fma_f32 v8, v17, s9, -v4
	v_rndne_f32_e32 v9, v4
	v_fmac_f32_e32 v8, 0xb2a5705f, v17
	v_sub_f32_e32 v4, v4, v9
	v_add_f32_e32 v4, v4, v8
	v_exp_f32_e32 v4, v4
	v_cvt_i32_f32_e32 v9, v9
	v_cndmask_b32_e32 v0, 0, v0, vcc
	v_cmp_ngt_f32_e32 vcc, s8, v16
	v_pack_b32_f16 v10, v20, v10
	s_nop 0
	v_cndmask_b32_e32 v8, v30, v0, vcc
	v_ldexp_f32 v0, v4, v9
	v_cmp_nlt_f32_e32 vcc, s7, v17
	s_nop 1
	v_cndmask_b32_e32 v0, 0, v0, vcc
	v_cmp_ngt_f32_e32 vcc, s8, v17
	s_nop 1
	v_cndmask_b32_e32 v9, v30, v0, vcc
	v_pk_add_f32 v[18:19], v[8:9], 1.0 op_sel_hi:[1,0]
	v_pack_b32_f16 v9, v32, v31
	v_div_scale_f32 v0, s[4:5], v18, v18, v16
	v_rcp_f32_e32 v4, v0
	v_pack_b32_f16 v8, v38, v37
	v_fma_f32 v20, -v0, v4, 1.0
	v_fmac_f32_e32 v4, v20, v4
	v_div_scale_f32 v20, vcc, v16, v18, v16
	v_mul_f32_e32 v21, v20, v4
	v_fma_f32 v22, -v0, v21, v20
	v_fmac_f32_e32 v21, v22, v4
	v_div_scale_f32 v22, s[4:5], v19, v19, v17
	v_rcp_f32_e32 v23, v22
	v_fma_f32 v0, -v0, v21, v20
	v_div_fmas_f32 v0, v0, v4, v21
	v_div_fixup_f32 v24, v0, v18, v16
	v_fma_f32 v0, -v22, v23, 1.0
	v_cvt_f32_f16_e32 v4, v1
	v_fmac_f32_e32 v23, v0, v23
	v_cvt_f32_f16_e32 v0, v5
	v_cvt_f32_f16_sdwa v1, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v4, 0, v4, s[0:1]
	v_cndmask_b32_e64 v5, 0, v25, s[0:1]
	v_cndmask_b32_e64 v21, 0, v27, s[0:1]
	v_cndmask_b32_e64 v20, 0, v26, s[0:1]
	v_pk_mul_f32 v[0:1], v[4:5], v[0:1]
	v_div_scale_f32 v16, vcc, v17, v19, v17
	v_pk_mul_f32 v[0:1], v[0:1], v[20:21]
	v_mul_f32_e32 v18, v16, v23
	v_mul_f32_e32 v4, 0xbfb8aa3b, v0
	v_fma_f32 v5, v0, s9, -v4
	v_rndne_f32_e32 v20, v4
	v_fmac_f32_e32 v5, 0xb2a5705f, v0
	v_sub_f32_e32 v4, v4, v20
	v_add_f32_e32 v4, v4, v5
	v_exp_f32_e32 v4, v4
	v_cvt_i32_f32_e32 v5, v20
	v_fma_f32 v20, -v22, v18, v16
	v_fmac_f32_e32 v18, v20, v23
	v_cmp_nlt_f32_e64 s[4:5], s7, v0
	v_ldexp_f32 v4, v4, v5
	v_mul_f32_e32 v5, 0xbfb8aa3b, v1
	v_fma_f32 v20, v1, s9, -v5
	v_rndne_f32_e32 v21, v5
	v_fmac_f32_e32 v20, 0xb2a5705f, v1
	v_sub_f32_e32 v5, v5, v21
	v_add_f32_e32 v5, v5, v20
	v_exp_f32_e32 v5, v5
	v_cvt_i32_f32_e32 v20, v21
	v_cndmask_b32_e64 v4, 0, v4, s[4:5]
	v_cmp_ngt_f32_e64 s[4:5], s8, v0
	v_fma_f32 v16, -v22, v18, v16
	v_ldexp_f32 v5, v5, v20
	v_cndmask_b32_e64 v4, v30, v4, s[4:5]
	v_cmp_nlt_f32_e64 s[4:5], s7, v1
	v_div_fmas_f32 v16, v16, v23, v18
	v_div_fixup_f32 v16, v16, v19, v17
	v_cndmask_b32_e64 v5, 0, v5, s[4:5]
	v_cmp_ngt_f32_e64 s[4:5], s8, v1
	v_cvt_f16_f32_e32 v22, v16
	s_nop 0
	v_cndmask_b32_e64 v5, v30, v5, s[4:5]
	v_pk_add_f32 v[4:5], v[4:5], 1.0 op_sel_hi:[1,0]
	s_nop 0
	v_div_scale_f32 v20, s[4:5], v4, v4, v0
	v_rcp_f32_e32 v21, v20
	s_nop 0
	v_fma_f32 v16, -v20, v21, 1.0
	v_fmac_f32_e32 v21, v16, v21
	v_div_scale_f32 v16, vcc, v0, v4, v0
	v_mul_f32_e32 v17, v16, v21
	v_fma_f32 v18, -v20, v17, v16
	v_fmac_f32_e32 v17, v18, v21
	v_fma_f32 v16, -v20, v17, v16
	v_div_fmas_f32 v16, v16, v21, v17
	v_cvt_f32_f16_sdwa v18, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v2, v2
	v_div_fixup_f32 v21, v16, v4, v0
	v_cvt_f32_f16_e32 v16, v6
	v_cvt_f32_f16_sdwa v17, v6 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v19, 0, v18, s[0:1]
	v_cndmask_b32_e64 v18, 0, v2, s[0:1]
	v_div_scale_f32 v20, s[4:5], v5, v5, v1
	v_pk_mul_f32 v[16:17], v[18:19], v[16:17]
	v_rcp_f32_e32 v23, v20
	v_pk_mul_f32 v[12:13], v[16:17], v[12:13]
	v_fma_f32 v0, -v20, v23, 1.0
	v_mul_f32_e32 v2, 0xbfb8aa3b, v12
	v_fma_f32 v6, v12, s9, -v2
	v_rndne_f32_e32 v16, v2
	v_fmac_f32_e32 v6, 0xb2a5705f, v12
	v_sub_f32_e32 v2, v2, v16
	v_add_f32_e32 v2, v2, v6
	v_exp_f32_e32 v2, v2
	v_cvt_i32_f32_e32 v6, v16
	v_fmac_f32_e32 v23, v0, v23
	v_div_scale_f32 v0, vcc, v1, v5, v1
	v_mul_f32_e32 v4, v0, v23
	v_fma_f32 v16, -v20, v4, v0
	v_ldexp_f32 v2, v2, v6
	v_mul_f32_e32 v6, 0xbfb8aa3b, v13
	v_fmac_f32_e32 v4, v16, v23
	v_fma_f32 v16, v13, s9, -v6
	v_rndne_f32_e32 v17, v6
	v_fmac_f32_e32 v16, 0xb2a5705f, v13
	v_sub_f32_e32 v6, v6, v17
	v_add_f32_e32 v6, v6, v16
	v_exp_f32_e32 v6, v6
	v_cvt_i32_f32_e32 v17, v17
	v_cmp_nlt_f32_e64 s[4:5], s7, v12
	v_fma_f32 v0, -v20, v4, v0
	v_div_fmas_f32 v0, v0, v23, v4
	v_cndmask_b32_e64 v2, 0, v2, s[4:5]
	v_cmp_ngt_f32_e64 s[4:5], s8, v12
	v_div_fixup_f32 v0, v0, v5, v1
	v_cvt_f16_f32_e32 v18, v0
	v_cndmask_b32_e64 v16, v30, v2, s[4:5]
	v_ldexp_f32 v2, v6, v17
	v_cmp_nlt_f32_e64 s[4:5], s7, v13
	s_nop 1
	v_cndmask_b32_e64 v2, 0, v2, s[4:5]
	v_cmp_ngt_f32_e64 s[4:5], s8, v13
	s_nop 1
	v_cndmask_b32_e64 v17, v30, v2, s[4:5]
	v_pk_add_f32 v[16:17], v[16:17], 1.0 op_sel_hi:[1,0]
	s_nop 0
	v_div_scale_f32 v2, s[4:5], v16, v16, v12
	v_rcp_f32_e32 v6, v2
	v_div_scale_f32 v19, s[4:5], v17, v17, v13
	v_rcp_f32_e32 v20, v19
	v_fma_f32 v0, -v2, v6, 1.0
	v_fmac_f32_e32 v6, v0, v6
	v_div_scale_f32 v0, vcc, v12, v16, v12
	v_mul_f32_e32 v1, v0, v6
	v_fma_f32 v4, -v2, v1, v0
	v_fmac_f32_e32 v1, v4, v6
	v_fma_f32 v0, -v2, v1, v0
	v_div_fmas_f32 v0, v0, v6, v1
	v_cndmask_b32_e64 v1, 0, v15, s[2:3]
	v_cvt_f32_f16_sdwa v4, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v15, v3
	v_cvt_f32_f16_e32 v2, v7
	v_cvt_f32_f16_sdwa v3, v7 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_div_fixup_f32 v6, v0, v16, v12
	v_fma_f32 v0, -v19, v20, 1.0
	v_cndmask_b32_e64 v5, 0, v4, s[0:1]
	v_cndmask_b32_e64 v4, 0, v15, s[0:1]
	v_fmac_f32_e32 v20, v0, v20
	v_cndmask_b32_e64 v0, 0, v14, s[2:3]
	v_pk_mul_f32 v[2:3], v[4:5], v[2:3]
	v_div_scale_f32 v12, vcc, v13, v17, v13
	v_pk_mul_f32 v[0:1], v[2:3], v[0:1]
	v_mul_f32_e32 v16, v12, v20
	v_mul_f32_e32 v2, 0xbfb8aa3b, v0
	v_fma_f32 v3, v0, s9, -v2
	v_rndne_f32_e32 v4, v2
	v_fmac_f32_e32 v3, 0xb2a5705f, v0
	v_sub_f32_e32 v2, v2, v4
	v_add_f32_e32 v2, v2, v3
	v_exp_f32_e32 v2, v2
	v_cvt_i32_f32_e32 v3, v4
	v_cmp_nlt_f32_e64 s[2:3], s7, v0
	v_fma_f32 v4, -v19, v16, v12
	v_fmac_f32_e32 v16, v4, v20
	v_ldexp_f32 v2, v2, v3
	v_mul_f32_e32 v3, 0xbfb8aa3b, v1
	v_fma_f32 v5, v1, s9, -v3
	v_rndne_f32_e32 v7, v3
	v_fmac_f32_e32 v5, 0xb2a5705f, v1
	v_sub_f32_e32 v3, v3, v7
	v_add_f32_e32 v3, v3, v5
	v_exp_f32_e32 v3, v3
	v_cvt_i32_f32_e32 v5, v7
	v_cndmask_b32_e64 v2, 0, v2, s[2:3]
	v_cmp_ngt_f32_e64 s[2:3], s8, v0
	v_fma_f32 v4, -v19, v16, v12
	v_ldexp_f32 v3, v3, v5
	v_cndmask_b32_e64 v2, v30, v2, s[2:3]
	v_cmp_nlt_f32_e64 s[2:3], s7, v1
	v_div_fmas_f32 v4, v4, v20, v16
	v_div_fixup_f32 v4, v4, v17, v13
	v_cndmask_b32_e64 v3, 0, v3, s[2:3]
	v_cmp_ngt_f32_e64 s[2:3], s8, v1
	v_cvt_f16_f32_e32 v4, v4
	s_nop 0
	v_cndmask_b32_e64 v3, v30, v3, s[2:3]
	v_pk_add_f32 v[2:3], v[2:3], 1.0 op_sel_hi:[1,0]
	s_nop 0
	v_div_scale_f32 v5, s[2:3], v2, v2, v0
	v_rcp_f32_e32 v7, v5
	s_nop 0
	v_fma_f32 v12, -v5, v7, 1.0
	v_fmac_f32_e32 v7, v12, v7
	v_div_scale_f32 v12, vcc, v0, v2, v0
	v_mul_f32_e32 v13, v12, v7
	v_fma_f32 v14, -v5, v13, v12
	v_fmac_f32_e32 v13, v14, v7
	v_fma_f32 v5, -v5, v13, v12
	v_div_scale_f32 v12, s[2:3], v3, v3, v1
	v_rcp_f32_e32 v14, v12
	v_div_fmas_f32 v5, v5, v7, v13
	v_div_fixup_f32 v0, v5, v2, v0
	v_cvt_f16_f32_e32 v0, v0
	v_fma_f32 v2, -v12, v14, 1.0
	v_fmac_f32_e32 v14, v2, v14
	v_div_scale_f32 v2, vcc, v1, v3, v1
	v_mul_f32_e32 v5, v2, v14
	v_fma_f32 v7, -v12, v5, v2
	v_fmac_f32_e32 v5, v7, v14
	v_fma_f32 v2, -v12, v5, v2
	v_div_fmas_f32 v2, v2, v14, v5
	v_div_fixup_f32 v1, v2, v3, v1
	v_cvt_f16_f32_e32 v1, v1
	v_cvt_f16_f32_e32 v2, v6
	v_cvt_f16_f32_e32 v5, v21
	v_cvt_f16_f32_e32 v6, v24
	v_pack_b32_f16 v3, v0, v1
	v_pack_b32_f16 v2, v2, v4
	v_pack_b32_f16 v1, v5, v18
	v_mad_u64_u32 v[4:5], s[2:3], v29, s24, v[28:29]
	v_bfrev_b32_e32 v5, 1
	v_cndmask_b32_e64 v5, v5, 0, s[0:1]
	v_lshl_add_u32 v4, v4, 1, v5
	v_pack_b32_f16 v0, v6, v22
	buffer_store_dwordx4 v[8:11], v4, s[20:23], 0 offen
	v_lshl_add_u32 v4, s24, 1, v4
	buffer_store_dwordx4 v[0:3], v4, s[20:23], 0 offen
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
		.amdhsa_next_free_sgpr 29
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
    .vgpr_count:     68
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
