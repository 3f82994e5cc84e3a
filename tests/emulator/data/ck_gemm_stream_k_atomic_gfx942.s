; CK's Stream-K GEMM for gfx942 (64 x 64 x 32 tile, fp16), atomic reduction, compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_load_dwordx4 s[8:11], s[0:1], 0x0
	s_load_dwordx4 s[4:7], s[0:1], 0x50
	s_load_dwordx2 s[22:23], s[0:1], 0x64
	s_load_dwordx2 s[24:25], s[0:1], 0xcc
	s_load_dword s26, s[0:1], 0x8c
	s_load_dword s27, s[0:1], 0xbc
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[20:21], s[6:7]
	s_mov_b64 s[6:7], -1
	s_cmp_ge_i32 s2, s25
	s_cbranch_scc1 .LBB1_3
	s_andn2_b64 vcc, exec, s[6:7]
	s_cbranch_vccz .LBB1_17
.LBB1_2:
	s_endpgm
.LBB1_3:
	s_load_dwordx4 s[12:15], s[0:1], 0xc0
	s_sub_i32 s3, s2, s25
	s_waitcnt lgkmcnt(0)
	s_min_i32 s6, s3, s13
	s_mul_i32 s7, s12, s3
	s_add_i32 s6, s6, s14
	s_add_i32 s25, s6, s7
	s_cmp_lt_i32 s3, s13
	s_addc_u32 s3, s25, s12
	s_cmp_ge_i32 s25, s3
	s_cbranch_scc1 .LBB1_16
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v2, -1, v1
	v_lshrrev_b32_e32 v3, 5, v2
	v_lshlrev_b32_e32 v4, 2, v2
	v_and_b32_e32 v1, 31, v2
	v_and_or_b32 v18, v4, 4, v3
	v_lshlrev_b32_e32 v3, 3, v2
	v_lshrrev_b32_e32 v20, 2, v2
	v_and_b32_e32 v21, 7, v2
	v_lshrrev_b32_e32 v2, 3, v2
	s_abs_i32 s30, s27
	v_and_b32_e32 v23, 12, v2
	v_cvt_f32_u32_e32 v2, s30
	s_add_i32 s6, s24, 63
	s_ashr_i32 s7, s6, 31
	s_lshr_b32 s7, s7, 26
	v_rcp_iflag_f32_e32 v2, v2
	s_add_i32 s6, s6, s7
	s_ashr_i32 s28, s6, 6
	s_add_i32 s6, s20, 0x7fffffff
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_sub_i32 s12, 0, s30
	s_mul_i32 s6, s6, s26
	v_and_b32_e32 v25, 56, v3
	v_readfirstlane_b32 s13, v2
	s_mul_i32 s12, s12, s13
	s_add_i32 s6, s21, s6
	s_mov_b32 s15, 0x20000
	s_mul_hi_u32 s12, s13, s12
	v_and_b32_e32 v19, 24, v3
	v_add_u32_e32 v22, 2, v18
	v_lshlrev_b32_e32 v24, 1, v1
	v_and_b32_e32 v26, 30, v20
	v_lshlrev_b32_e32 v27, 1, v25
	s_mov_b32 s29, s22
	s_mov_b32 s31, s21
	s_lshl_b32 s6, s6, 1
	s_mov_b32 s7, s15
	s_ashr_i32 s33, s27, 31
	s_add_i32 s34, s13, s12
	v_mov_b32_e32 v28, s28
	s_branch .LBB1_6
.LBB1_5:
	v_readfirstlane_b32 s12, v0
	s_lshr_b32 s13, s12, 2
	s_and_b32 s14, s13, 0x1ffffe0
	s_nop 6
	v_cvt_f16_f32_e32 v2, v2
	v_or_b32_e32 v29, s14, v23
	v_cvt_f16_f32_e32 v3, v3
	v_cvt_f16_f32_e32 v4, v4
	s_and_b32 s12, s12, 64
	v_lshlrev_b32_e32 v29, 7, v29
	v_cvt_f16_f32_e32 v5, v5
	v_or3_b32 v29, v24, s12, v29
	s_and_b32 s12, s13, 0x3ffffff0
	s_waitcnt lgkmcnt(0)
	s_barrier
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
	ds_write_b16 v29, v2
	ds_write_b16 v29, v3 offset:128
	ds_write_b16 v29, v4 offset:256
	ds_write_b16 v29, v5 offset:384
	ds_write_b16 v29, v6 offset:1024
	ds_write_b16 v29, v7 offset:1152
	ds_write_b16 v29, v8 offset:1280
	ds_write_b16 v29, v9 offset:1408
	ds_write_b16 v29, v10 offset:2048
	ds_write_b16 v29, v11 offset:2176
	ds_write_b16 v29, v12 offset:2304
	ds_write_b16 v29, v13 offset:2432
	ds_write_b16 v29, v14 offset:3072
	ds_write_b16 v29, v15 offset:3200
	ds_write_b16 v29, v16 offset:3328
	ds_write_b16 v29, v17 offset:3456
	v_add_u32_e32 v2, s12, v26
	v_lshl_or_b32 v3, v2, 7, v27
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[4:7], v3
	ds_read_b128 v[8:11], v3 offset:128
	v_add_u32_e32 v3, s36, v2
	v_or_b32_e32 v2, s35, v25
	v_mad_u64_u32 v[2:3], s[12:13], v3, s26, v[2:3]
	v_lshlrev_b32_e32 v3, 1, v2
	s_waitcnt lgkmcnt(1)
	buffer_atomic_pk_add_f16 v4, v3, s[4:7], 0 offen
	buffer_atomic_pk_add_f16 v5, v3, s[4:7], 4 offen
	buffer_atomic_pk_add_f16 v6, v3, s[4:7], 8 offen
	buffer_atomic_pk_add_f16 v7, v3, s[4:7], 12 offen
	v_add_lshl_u32 v2, v2, s26, 1
	s_waitcnt lgkmcnt(0)
	buffer_atomic_pk_add_f16 v8, v2, s[4:7], 0 offen
	buffer_atomic_pk_add_f16 v9, v2, s[4:7], 4 offen
	buffer_atomic_pk_add_f16 v10, v2, s[4:7], 8 offen
	buffer_atomic_pk_add_f16 v11, v2, s[4:7], 12 offen
	s_cmp_lt_i32 s25, s3
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_cbranch_scc0 .LBB1_16
.LBB1_6:
	s_abs_i32 s14, s25
	s_mul_hi_u32 s16, s14, s34
	s_mul_i32 s17, s16, s30
	s_ashr_i32 s13, s25, 31
	s_sub_i32 s14, s14, s17
	s_xor_b32 s13, s13, s33
	s_add_i32 s17, s16, 1
	s_sub_i32 s18, s14, s30
	s_cmp_ge_u32 s14, s30
	s_cselect_b32 s16, s17, s16
	s_cselect_b32 s14, s18, s14
	s_add_i32 s17, s16, 1
	s_cmp_ge_u32 s14, s30
	s_cselect_b32 s14, s17, s16
	v_readfirstlane_b32 s16, v28
	s_abs_i32 s17, s16
	v_cvt_f32_u32_e32 v2, s17
	s_sub_i32 s19, 0, s17
	s_xor_b32 s14, s14, s13
	s_sub_i32 s13, s14, s13
	v_rcp_iflag_f32_e32 v2, v2
	s_mul_i32 s14, s13, s27
	s_abs_i32 s18, s13
	s_mov_b32 s12, s25
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_add_i32 s25, s14, s27
	s_sub_i32 s37, s12, s14
	s_min_i32 s12, s3, s25
	v_readfirstlane_b32 s35, v2
	s_mul_i32 s19, s19, s35
	s_mul_hi_u32 s19, s35, s19
	s_add_i32 s35, s35, s19
	s_mul_hi_u32 s19, s18, s35
	s_mul_i32 s35, s19, s17
	s_sub_i32 s38, s12, s14
	s_xor_b32 s16, s13, s16
	s_sub_i32 s18, s18, s35
	s_sub_i32 s14, s38, s37
	s_lshl_b32 s12, s37, 5
	s_ashr_i32 s16, s16, 31
	s_add_i32 s35, s19, 1
	s_sub_i32 s36, s18, s17
	s_cmp_ge_u32 s18, s17
	s_cselect_b32 s19, s35, s19
	s_cselect_b32 s18, s36, s18
	s_add_i32 s35, s19, 1
	s_cmp_ge_u32 s18, s17
	s_cselect_b32 s17, s35, s19
	s_xor_b32 s17, s17, s16
	s_sub_i32 s18, s17, s16
	s_mul_i32 s16, s18, s28
	s_sub_i32 s19, s13, s16
	s_ashr_i32 s13, s12, 31
	s_lshl_b64 s[16:17], s[12:13], 1
	s_add_u32 s12, s8, s16
	s_addc_u32 s13, s9, s17
	s_add_u32 s16, s10, s16
	s_addc_u32 s17, s11, s17
	s_lshl_b32 s35, s19, 6
	s_lshl_b32 s36, s18, 6
	s_lshl_b32 s18, s14, 5
	s_add_u32 s19, -1, s20
	s_addc_u32 s39, s18, 0
	s_mul_i32 s39, s39, 0
	s_mul_hi_u32 s40, 0, s19
	s_add_i32 s39, s40, s39
	s_mul_i32 s19, s29, s19
	s_add_i32 s39, s39, s19
	s_add_i32 s19, s18, -1
	s_add_u32 s19, s19, 1
	s_add_u32 s39, s39, s19
	s_add_u32 s40, -1, s31
	s_addc_u32 s18, s18, 0
	s_mul_i32 s18, s18, 0
	s_mul_hi_u32 s41, 0, s40
	s_add_i32 s18, s41, s18
	s_mul_i32 s40, s23, s40
	s_add_i32 s18, s18, s40
	s_add_u32 s40, s18, s19
	s_cmp_lt_i32 s14, 3
	s_cbranch_scc0 .LBB1_9
	s_cmp_lg_u32 s14, 1
	v_add_u32_e32 v29, s35, v20
	s_cbranch_scc0 .LBB1_10
	v_readfirstlane_b32 s41, v0
	s_lshr_b32 s42, s41, 2
	s_and_b32 s43, s42, 0x3ffffff0
	s_add_i32 s14, s36, s43
	v_add_u32_e32 v3, s43, v29
	v_add_u32_e32 v2, s14, v20
	v_mul_lo_u32 v3, v3, s23
	v_mul_lo_u32 v2, v2, s22
	s_lshl_b32 s18, s40, 1
	s_mov_b32 s19, s15
	v_add_lshl_u32 v3, v3, v19, 1
	s_lshl_b32 s14, s39, 1
	v_add_lshl_u32 v2, v2, v19, 1
	buffer_load_dwordx4 v[10:13], v3, s[16:19], 0 offen
	buffer_load_dwordx4 v[14:17], v2, s[12:15], 0 offen
	buffer_load_dwordx4 v[36:39], v3, s[16:19], 0 offen offset:64
	buffer_load_dwordx4 v[40:43], v2, s[12:15], 0 offen offset:64
	s_and_b32 s18, s42, 0x3fffffe0
	s_lshr_b32 s14, s41, 1
	v_or_b32_e32 v3, s18, v1
	v_add_u32_e32 v5, s43, v20
	v_and_or_b32 v2, s14, 32, v1
	v_lshrrev_b32_e32 v6, 1, v3
	v_bfe_u32 v3, v3, 1, 3
	v_lshrrev_b32_e32 v8, 1, v5
	v_bfe_u32 v5, v5, 1, 3
	v_lshrrev_b32_e32 v4, 1, v2
	v_bfe_u32 v2, v2, 1, 3
	v_xor_b32_e32 v9, v3, v18
	v_xor_b32_e32 v5, v5, v21
	v_lshlrev_b32_e32 v8, 7, v8
	v_lshlrev_b32_e32 v6, 7, v6
	v_xor_b32_e32 v7, v2, v18
	v_lshlrev_b32_e32 v4, 7, v4
	v_xor_b32_e32 v2, v2, v22
	v_xor_b32_e32 v3, v3, v22
	v_lshl_or_b32 v32, v5, 4, v8
	v_lshl_or_b32 v33, v9, 4, v6
	v_lshl_or_b32 v30, v7, 4, v4
	v_lshl_add_u32 v31, v2, 4, v4
	v_lshl_add_u32 v34, v3, 4, v6
	s_waitcnt vmcnt(3)
	ds_write_b128 v32, v[10:13] offset:4096
	s_waitcnt vmcnt(2)
	ds_write_b128 v32, v[14:17]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[44:47], v33
	ds_read_b128 v[48:51], v30 offset:4096
	ds_read_b128 v[52:55], v34
	ds_read_b128 v[56:59], v31 offset:4096
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[48:49], 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(0)
	ds_write_b128 v32, v[40:43]
	ds_write_b128 v32, v[36:39] offset:4096
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[36:39], v33
	ds_read_b128 v[40:43], v30 offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[50:51], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[58:59], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[36:37], v[40:41], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[38:39], v[42:43], v[2:17]
	ds_read_b128 v[32:35], v34
	ds_read_b128 v[36:39], v31 offset:4096
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[32:33], v[36:37], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[38:39], v[2:17]
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_9:
	s_branch .LBB1_13
.LBB1_10:
.LBB1_11:
	v_readfirstlane_b32 s41, v0
	s_lshr_b32 s42, s41, 2
	s_and_b32 s43, s42, 0x3ffffff0
	s_add_i32 s14, s36, s43
	s_nop 4
	v_add_u32_e32 v3, s43, v29
	v_add_u32_e32 v2, s14, v20
	v_mul_lo_u32 v3, v3, s23
	v_mul_lo_u32 v2, v2, s22
	s_lshl_b32 s18, s40, 1
	s_mov_b32 s19, s15
	v_add_lshl_u32 v3, v3, v19, 1
	s_lshl_b32 s14, s39, 1
	v_add_lshl_u32 v2, v2, v19, 1
	buffer_load_dwordx4 v[10:13], v3, s[16:19], 0 offen
	buffer_load_dwordx4 v[14:17], v2, s[12:15], 0 offen
	s_lshr_b32 s14, s41, 1
	s_and_b32 s18, s42, 0x3fffffe0
	v_and_or_b32 v2, s14, 32, v1
	v_or_b32_e32 v3, s18, v1
	v_add_u32_e32 v5, s43, v20
	v_lshrrev_b32_e32 v4, 1, v2
	v_bfe_u32 v2, v2, 1, 3
	v_lshrrev_b32_e32 v6, 1, v3
	v_bfe_u32 v3, v3, 1, 3
	v_lshrrev_b32_e32 v8, 1, v5
	v_bfe_u32 v5, v5, 1, 3
	v_xor_b32_e32 v7, v2, v18
	v_lshlrev_b32_e32 v4, 7, v4
	v_xor_b32_e32 v2, v2, v22
	v_xor_b32_e32 v9, v3, v18
	v_xor_b32_e32 v5, v5, v21
	v_lshlrev_b32_e32 v8, 7, v8
	v_lshlrev_b32_e32 v6, 7, v6
	v_xor_b32_e32 v3, v3, v22
	v_lshl_or_b32 v7, v7, 4, v4
	v_lshl_add_u32 v2, v2, 4, v4
	v_lshl_or_b32 v4, v5, 4, v8
	v_lshl_or_b32 v5, v9, 4, v6
	v_lshl_add_u32 v3, v3, 4, v6
	s_waitcnt vmcnt(1)
	ds_write_b128 v4, v[10:13] offset:4096
	s_waitcnt vmcnt(0)
	ds_write_b128 v4, v[14:17]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[30:33], v5
	ds_read_b128 v[34:37], v7 offset:4096
	ds_read_b128 v[38:41], v3
	ds_read_b128 v[42:45], v2 offset:4096
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[30:31], v[34:35], 0
	v_mfma_f32_32x32x8_f16 v[2:17], v[32:33], v[36:37], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[38:39], v[42:43], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[44:45], v[2:17]
.LBB1_12:
	s_cbranch_execnz .LBB1_5
.LBB1_13:
	v_readfirstlane_b32 s41, v0
	s_lshr_b32 s42, s41, 2
	s_and_b32 s14, s42, 0x3ffffff0
	s_nop 6
	v_add_u32_e32 v2, s14, v20
	v_add_u32_e32 v3, s36, v2
	v_mul_lo_u32 v3, v3, s22
	v_add_u32_e32 v4, s35, v2
	s_lshl_b32 s14, s39, 1
	v_add_lshl_u32 v3, v3, v19, 1
	v_mul_lo_u32 v4, v4, s23
	buffer_load_dwordx4 v[12:15], v3, s[12:15], 0 offen
	s_lshl_b32 s18, s40, 1
	s_mov_b32 s19, s15
	v_add_lshl_u32 v4, v4, v19, 1
	buffer_load_dwordx4 v[40:43], v4, s[16:19], 0 offen
	buffer_load_dwordx4 v[48:51], v3, s[12:15], 0 offen offset:64
	buffer_load_dwordx4 v[36:39], v4, s[16:19], 0 offen offset:64
	s_and_b32 s40, s42, 0x3fffffe0
	s_lshr_b32 s39, s41, 1
	v_or_b32_e32 v6, s40, v1
	v_and_or_b32 v5, s39, 32, v1
	v_lshrrev_b32_e32 v8, 1, v6
	v_bfe_u32 v6, v6, 1, 3
	v_lshrrev_b32_e32 v10, 1, v2
	v_bfe_u32 v2, v2, 1, 3
	v_lshrrev_b32_e32 v7, 1, v5
	v_bfe_u32 v5, v5, 1, 3
	v_xor_b32_e32 v11, v6, v18
	v_xor_b32_e32 v2, v2, v21
	v_lshlrev_b32_e32 v10, 7, v10
	v_lshlrev_b32_e32 v8, 7, v8
	v_xor_b32_e32 v9, v5, v18
	v_lshlrev_b32_e32 v7, 7, v7
	v_xor_b32_e32 v5, v5, v22
	v_xor_b32_e32 v6, v6, v22
	v_lshl_or_b32 v2, v2, 4, v10
	v_lshl_or_b32 v31, v11, 4, v8
	v_lshl_or_b32 v29, v9, 4, v7
	v_lshl_add_u32 v30, v5, 4, v7
	v_lshl_add_u32 v32, v6, 4, v8
	s_waitcnt vmcnt(3)
	ds_write_b128 v2, v[12:15]
	s_waitcnt vmcnt(2)
	ds_write_b128 v2, v[40:43] offset:4096
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[52:55], v31
	ds_read_b128 v[56:59], v29 offset:4096
	ds_read_b128 v[40:43], v32
	ds_read_b128 v[44:47], v30 offset:4096
	s_not_b32 s37, s37
	v_add_u32_e32 v33, 0x80, v4
	v_add_u32_e32 v34, 0x80, v3
	s_add_i32 s37, s37, s38
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
.LBB1_14:
	v_readfirstlane_b32 s38, v0
	s_lshr_b32 s38, s38, 2
	s_and_b32 s38, s38, 0x3ffffff0
	v_add_u32_e32 v35, s38, v20
	v_lshrrev_b32_e32 v60, 1, v35
	v_bfe_u32 v35, v35, 1, 3
	v_xor_b32_e32 v35, v35, v21
	v_lshlrev_b32_e32 v60, 7, v60
	v_lshl_or_b32 v35, v35, 4, v60
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(1)
	ds_write_b128 v35, v[48:51]
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	buffer_load_dwordx4 v[48:51], v34, s[12:15], 0 offen
	s_waitcnt vmcnt(1)
	ds_write_b128 v35, v[36:39] offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[58:59], v[2:17]
	buffer_load_dwordx4 v[36:39], v33, s[16:19], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[52:55], v31
	ds_read_b128 v[56:59], v29 offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[44:45], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[46:47], v[2:17]
	ds_read_b128 v[40:43], v32
	ds_read_b128 v[44:47], v30 offset:4096
	s_add_i32 s37, s37, -1
	v_add_u32_e32 v33, 64, v33
	s_cmp_lg_u32 s37, 0
	v_add_u32_e32 v34, 64, v34
	s_cbranch_scc1 .LBB1_14
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[58:59], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[44:45], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[46:47], v[2:17]
	s_branch .LBB1_5
.LBB1_16:
	s_cbranch_execnz .LBB1_2
.LBB1_17:
	s_add_i32 s3, s24, 63
	s_ashr_i32 s6, s3, 31
	s_lshr_b32 s6, s6, 26
	s_add_i32 s3, s3, s6
	s_ashr_i32 s3, s3, 6
	s_abs_i32 s6, s3
	v_cvt_f32_u32_e32 v1, s6
	s_sub_i32 s12, 0, s6
	s_load_dword s0, s[0:1], 0x60
	s_abs_i32 s1, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s7, s2, s3
	s_ashr_i32 s7, s7, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s13, v1
	s_mul_i32 s12, s12, s13
	s_mul_hi_u32 s12, s13, s12
	s_add_i32 s13, s13, s12
	s_mul_hi_u32 s12, s1, s13
	s_mul_i32 s13, s12, s6
	s_sub_i32 s1, s1, s13
	s_add_i32 s14, s12, 1
	s_sub_i32 s13, s1, s6
	s_cmp_ge_u32 s1, s6
	s_cselect_b32 s12, s14, s12
	s_cselect_b32 s1, s13, s1
	s_add_i32 s13, s12, 1
	s_cmp_ge_u32 s1, s6
	s_cselect_b32 s1, s13, s12
	s_xor_b32 s1, s1, s7
	s_sub_i32 s1, s1, s7
	s_mul_i32 s3, s1, s3
	s_add_i32 s12, s20, -1
	s_lshl_b32 s6, s1, 6
	s_sub_i32 s1, s2, s3
	s_waitcnt lgkmcnt(0)
	s_add_i32 s0, s0, -1
	s_lshl_b32 s7, s1, 6
	s_mul_i32 s1, s22, s12
	s_add_u32 s0, s0, 1
	s_add_u32 s2, s1, s0
	s_add_i32 s1, s21, -1
	s_mul_i32 s1, s23, s1
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_add_u32 s12, s1, s0
	v_mbcnt_hi_u32_b32 v22, -1, v1
	s_cmp_lt_i32 s27, 3
	v_and_b32_e32 v21, 31, v22
	v_lshrrev_b32_e32 v1, 5, v22
	v_lshlrev_b32_e32 v18, 2, v22
	v_lshlrev_b32_e32 v20, 3, v22
	v_lshrrev_b32_e32 v19, 2, v22
	s_cbranch_scc0 .LBB1_20
	v_and_or_b32 v23, v18, 4, v1
	v_and_b32_e32 v26, 24, v20
	s_cmp_lg_u32 s27, 1
	v_add_u32_e32 v27, s7, v19
	v_lshrrev_b32_e32 v25, 3, v26
	v_add_u32_e32 v24, 2, v23
	s_cbranch_scc0 .LBB1_21
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s1, s0, 2
	s_and_b32 s3, s1, 0x3ffffff0
	s_add_i32 s13, s6, s3
	v_add_u32_e32 v3, s3, v27
	v_add_u32_e32 v2, s13, v19
	v_mul_lo_u32 v3, v3, s23
	s_mov_b32 s19, 0x20000
	v_mul_lo_u32 v2, v2, s22
	s_lshl_b32 s30, s12, 1
	s_mov_b32 s28, s10
	s_mov_b32 s29, s11
	s_mov_b32 s31, s19
	v_add_lshl_u32 v3, v3, v26, 1
	s_lshl_b32 s18, s2, 1
	s_mov_b32 s16, s8
	s_mov_b32 s17, s9
	v_add_lshl_u32 v2, v2, v26, 1
	buffer_load_dwordx4 v[12:15], v3, s[28:31], 0 offen
	buffer_load_dwordx4 v[34:37], v2, s[16:19], 0 offen
	buffer_load_dwordx4 v[38:41], v3, s[28:31], 0 offen offset:64
	buffer_load_dwordx4 v[42:45], v2, s[16:19], 0 offen offset:64
	s_and_b32 s1, s1, 0x3fffffe0
	s_lshr_b32 s0, s0, 1
	v_or_b32_e32 v4, s1, v21
	v_add_u32_e32 v6, s3, v19
	v_and_or_b32 v2, v22, 4, v25
	v_and_or_b32 v3, s0, 32, v21
	v_lshrrev_b32_e32 v7, 1, v4
	v_bfe_u32 v4, v4, 1, 3
	v_lshrrev_b32_e32 v9, 1, v6
	v_bfe_u32 v6, v6, 1, 3
	v_lshrrev_b32_e32 v5, 1, v3
	v_bfe_u32 v3, v3, 1, 3
	v_xor_b32_e32 v10, v4, v23
	v_xor_b32_e32 v2, v6, v2
	v_lshlrev_b32_e32 v6, 7, v9
	v_lshlrev_b32_e32 v7, 7, v7
	v_xor_b32_e32 v8, v3, v23
	v_lshlrev_b32_e32 v5, 7, v5
	v_xor_b32_e32 v3, v3, v24
	v_xor_b32_e32 v4, v4, v24
	v_lshl_or_b32 v30, v2, 4, v6
	v_lshl_or_b32 v31, v10, 4, v7
	v_lshl_or_b32 v28, v8, 4, v5
	v_lshl_add_u32 v29, v3, 4, v5
	v_lshl_add_u32 v32, v4, 4, v7
	s_waitcnt vmcnt(3)
	ds_write_b128 v30, v[12:15] offset:4096
	s_waitcnt vmcnt(2)
	ds_write_b128 v30, v[34:37]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[34:37], v31
	ds_read_b128 v[46:49], v28 offset:4096
	ds_read_b128 v[50:53], v32
	ds_read_b128 v[54:57], v29 offset:4096
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[46:47], 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(0)
	ds_write_b128 v30, v[42:45]
	ds_write_b128 v30, v[38:41] offset:4096
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x8_f16 v[2:17], v[36:37], v[48:49], v[2:17]
	ds_read_b128 v[34:37], v31
	ds_read_b128 v[38:41], v28 offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[50:51], v[54:55], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[38:39], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[36:37], v[40:41], v[2:17]
	ds_read_b128 v[30:33], v32
	ds_read_b128 v[34:37], v29 offset:4096
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[30:31], v[34:35], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[32:33], v[36:37], v[2:17]
	s_cbranch_execz .LBB1_22
	s_branch .LBB1_23
.LBB1_20:
	s_branch .LBB1_24
.LBB1_21:
.LBB1_22:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s1, s0, 2
	s_and_b32 s3, s1, 0x3ffffff0
	s_add_i32 s13, s6, s3
	s_nop 4
	v_add_u32_e32 v2, s13, v19
	v_mul_lo_u32 v2, v2, s22
	v_add_u32_e32 v3, s3, v27
	v_mul_lo_u32 v3, v3, s23
	s_lshl_b32 s18, s2, 1
	s_mov_b32 s19, 0x20000
	s_mov_b32 s16, s8
	s_mov_b32 s17, s9
	v_add_lshl_u32 v2, v2, v26, 1
	buffer_load_dwordx4 v[12:15], v2, s[16:19], 0 offen
	s_lshl_b32 s18, s12, 1
	s_mov_b32 s16, s10
	s_mov_b32 s17, s11
	v_add_lshl_u32 v2, v3, v26, 1
	buffer_load_dwordx4 v[26:29], v2, s[16:19], 0 offen
	s_lshr_b32 s0, s0, 1
	s_and_b32 s1, s1, 0x3fffffe0
	v_and_or_b32 v3, s0, 32, v21
	v_or_b32_e32 v4, s1, v21
	v_add_u32_e32 v6, s3, v19
	v_and_or_b32 v2, v22, 4, v25
	v_lshrrev_b32_e32 v5, 1, v3
	v_bfe_u32 v3, v3, 1, 3
	v_lshrrev_b32_e32 v7, 1, v4
	v_bfe_u32 v4, v4, 1, 3
	v_lshrrev_b32_e32 v9, 1, v6
	v_bfe_u32 v6, v6, 1, 3
	v_xor_b32_e32 v8, v3, v23
	v_lshlrev_b32_e32 v5, 7, v5
	v_xor_b32_e32 v3, v3, v24
	v_xor_b32_e32 v10, v4, v23
	v_xor_b32_e32 v2, v6, v2
	v_lshlrev_b32_e32 v6, 7, v9
	v_lshlrev_b32_e32 v7, 7, v7
	v_xor_b32_e32 v4, v4, v24
	v_lshl_or_b32 v8, v8, 4, v5
	v_lshl_add_u32 v3, v3, 4, v5
	v_lshl_or_b32 v2, v2, 4, v6
	v_lshl_or_b32 v5, v10, 4, v7
	v_lshl_add_u32 v4, v4, 4, v7
	s_waitcnt vmcnt(1)
	ds_write_b128 v2, v[12:15]
	s_waitcnt vmcnt(0)
	ds_write_b128 v2, v[26:29] offset:4096
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[24:27], v5
	ds_read_b128 v[28:31], v8 offset:4096
	ds_read_b128 v[32:35], v4
	ds_read_b128 v[36:39], v3 offset:4096
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[24:25], v[28:29], 0
	v_mfma_f32_32x32x8_f16 v[2:17], v[26:27], v[30:31], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[32:33], v[36:37], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[38:39], v[2:17]
.LBB1_23:
	s_cbranch_execnz .LBB1_27
.LBB1_24:
	v_readfirstlane_b32 s16, v0
	s_lshr_b32 s17, s16, 2
	s_and_b32 s0, s17, 0x3ffffff0
	s_nop 6
	v_add_u32_e32 v6, s0, v19
	v_and_b32_e32 v2, 24, v20
	v_add_u32_e32 v3, s6, v6
	v_add_u32_e32 v4, s7, v6
	v_mad_u64_u32 v[4:5], s[0:1], v4, s23, v[2:3]
	v_mad_u64_u32 v[2:3], s[0:1], v3, s22, v[2:3]
	s_lshl_b32 s2, s2, 1
	s_mov_b32 s3, 0x20000
	s_mov_b32 s0, s8
	s_mov_b32 s1, s9
	v_lshlrev_b32_e32 v3, 1, v2
	buffer_load_dwordx4 v[12:15], v3, s[0:3], 0 offen
	s_lshl_b32 s14, s12, 1
	s_mov_b32 s12, s10
	s_mov_b32 s13, s11
	s_mov_b32 s15, s3
	v_lshlrev_b32_e32 v5, 1, v4
	buffer_load_dwordx4 v[32:35], v5, s[12:15], 0 offen
	buffer_load_dwordx4 v[40:43], v3, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[28:31], v5, s[12:15], 0 offen offset:64
	s_lshr_b32 s8, s16, 1
	s_and_b32 s9, s17, 0x3fffffe0
	v_and_or_b32 v1, v18, 4, v1
	v_and_or_b32 v5, s8, 32, v21
	v_or_b32_e32 v7, s9, v21
	v_and_b32_e32 v23, 7, v22
	v_add_u32_e32 v3, 2, v1
	v_lshrrev_b32_e32 v8, 1, v5
	v_bfe_u32 v5, v5, 1, 3
	v_lshrrev_b32_e32 v9, 1, v7
	v_bfe_u32 v7, v7, 1, 3
	v_lshrrev_b32_e32 v11, 1, v6
	v_bfe_u32 v6, v6, 1, 3
	v_xor_b32_e32 v10, v5, v1
	v_lshlrev_b32_e32 v8, 7, v8
	v_xor_b32_e32 v5, v5, v3
	v_xor_b32_e32 v1, v7, v1
	v_xor_b32_e32 v6, v6, v23
	v_lshlrev_b32_e32 v11, 7, v11
	v_lshlrev_b32_e32 v9, 7, v9
	v_xor_b32_e32 v3, v7, v3
	v_lshl_add_u32 v25, v5, 4, v8
	v_lshl_or_b32 v5, v6, 4, v11
	v_lshl_or_b32 v26, v1, 4, v9
	v_lshl_or_b32 v24, v10, 4, v8
	v_lshl_add_u32 v27, v3, 4, v9
	v_add_u32_e32 v1, 64, v4
	v_add_u32_e32 v18, 64, v2
	s_waitcnt vmcnt(3)
	ds_write_b128 v5, v[12:15]
	s_waitcnt vmcnt(2)
	ds_write_b128 v5, v[32:35] offset:4096
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[44:47], v26
	ds_read_b128 v[48:51], v24 offset:4096
	ds_read_b128 v[32:35], v27
	ds_read_b128 v[36:39], v25 offset:4096
	s_add_i32 s8, s27, -1
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
.LBB1_25:
	v_readfirstlane_b32 s9, v0
	s_lshr_b32 s9, s9, 2
	s_and_b32 s9, s9, 0x3ffffff0
	v_add_u32_e32 v52, s9, v19
	v_lshrrev_b32_e32 v53, 1, v52
	v_bfe_u32 v52, v52, 1, 3
	v_xor_b32_e32 v52, v52, v23
	v_lshlrev_b32_e32 v53, 7, v53
	v_lshl_or_b32 v52, v52, 4, v53
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(1)
	ds_write_b128 v52, v[40:43]
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[48:49], v[2:17]
	v_lshlrev_b32_e32 v40, 1, v18
	v_lshlrev_b32_e32 v44, 1, v1
	buffer_load_dwordx4 v[40:43], v40, s[0:3], 0 offen
	s_waitcnt vmcnt(1)
	ds_write_b128 v52, v[28:31] offset:4096
	v_add_u32_e32 v1, 32, v1
	v_add_u32_e32 v18, 32, v18
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[50:51], v[2:17]
	buffer_load_dwordx4 v[28:31], v44, s[12:15], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[44:47], v26
	ds_read_b128 v[48:51], v24 offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[32:33], v[36:37], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[38:39], v[2:17]
	ds_read_b128 v[32:35], v27
	ds_read_b128 v[36:39], v25 offset:4096
	s_add_i32 s8, s8, -1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 .LBB1_25
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[48:49], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[50:51], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[32:33], v[36:37], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[38:39], v[2:17]
.LBB1_27:
	s_add_i32 s0, s20, 0x7fffffff
	s_mul_i32 s2, s0, s26
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s1, s0, 2
	v_lshrrev_b32_e32 v0, 3, v22
	s_and_b32 s3, s1, 0x1ffffe0
	s_nop 4
	v_cvt_f16_f32_e32 v1, v2
	v_and_or_b32 v0, v0, 12, s3
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
	s_and_b32 s0, s0, 64
	v_lshlrev_b32_e32 v17, 1, v21
	v_lshlrev_b32_e32 v0, 7, v0
	v_or3_b32 v0, s0, v17, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b16 v0, v1
	ds_write_b16 v0, v2 offset:128
	ds_write_b16 v0, v3 offset:256
	ds_write_b16 v0, v4 offset:384
	ds_write_b16 v0, v5 offset:1024
	ds_write_b16 v0, v6 offset:1152
	ds_write_b16 v0, v7 offset:1280
	ds_write_b16 v0, v8 offset:1408
	ds_write_b16 v0, v9 offset:2048
	ds_write_b16 v0, v10 offset:2176
	ds_write_b16 v0, v11 offset:2304
	ds_write_b16 v0, v12 offset:2432
	ds_write_b16 v0, v13 offset:3072
	ds_write_b16 v0, v14 offset:3200
	ds_write_b16 v0, v15 offset:3328
	ds_write_b16 v0, v16 offset:3456
	s_and_b32 s0, s1, 0x3ffffff0
	v_and_b32_e32 v1, 0x3ffffffe, v19
	v_add_u32_e32 v1, s0, v1
	v_and_b32_e32 v0, 56, v20
	v_lshlrev_b32_e32 v2, 7, v1
	v_lshl_or_b32 v2, v0, 1, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[4:7], v2
	ds_read_b128 v[8:11], v2 offset:128
	v_add_u32_e32 v1, s6, v1
	v_or_b32_e32 v0, s7, v0
	v_mad_u64_u32 v[0:1], s[0:1], v1, s26, v[0:1]
	s_add_i32 s0, s21, s2
	s_lshl_b32 s6, s0, 1
	s_mov_b32 s7, 0x20000
	v_lshlrev_b32_e32 v1, 1, v0
	s_waitcnt lgkmcnt(1)
	buffer_atomic_pk_add_f16 v4, v1, s[4:7], 0 offen
	buffer_atomic_pk_add_f16 v5, v1, s[4:7], 4 offen
	buffer_atomic_pk_add_f16 v6, v1, s[4:7], 8 offen
	buffer_atomic_pk_add_f16 v7, v1, s[4:7], 12 offen
	v_add_lshl_u32 v0, v0, s26, 1
	s_waitcnt lgkmcnt(0)
	buffer_atomic_pk_add_f16 v8, v0, s[4:7], 0 offen
	buffer_atomic_pk_add_f16 v9, v0, s[4:7], 4 offen
	buffer_atomic_pk_add_f16 v10, v0, s[4:7], 8 offen
	buffer_atomic_pk_add_f16 v11, v0, s[4:7], 12 offen
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 8192
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 224
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
		.amdhsa_next_free_vgpr 61
		.amdhsa_next_free_sgpr 44
		.amdhsa_accum_offset 64
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
	.set ck_gemm.num_vgpr, 61
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 44
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
        .size:           224
        .value_kind:     by_value
    .group_segment_fixed_size: 8192
    .kernarg_segment_align: 8
    .kernarg_segment_size: 224
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     50
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     61
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
