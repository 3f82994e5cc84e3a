; CK's GEMM with block scales of A for gfx942 (16 x 64 x 128 tile, fp8), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_load_dwordx4 s[4:7], s[0:1], 0x28
	s_load_dwordx4 s[8:11], s[0:1], 0x0
	s_load_dwordx2 s[12:13], s[0:1], 0x10
	s_load_dword s16, s[0:1], 0x50
	s_mov_b32 s18, 0
	s_waitcnt lgkmcnt(0)
	s_add_i32 s19, s4, -1
	s_cmp_lt_u32 s19, 16
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s14, s5, -1
	s_cmp_lt_u32 s14, 64
	s_mov_b32 s14, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s20, s4, 15
	s_ashr_i32 s21, s20, 31
	s_lshr_b32 s14, s21, 28
	s_add_i32 s14, s20, s14
	s_ashr_i32 s18, s14, 4
	s_add_i32 s14, s5, 63
	s_ashr_i32 s15, s14, 31
	s_lshr_b32 s15, s15, 26
	s_add_i32 s14, s14, s15
	s_ashr_i32 s17, s14, 6
	s_mul_i32 s14, s17, s18
	s_add_i32 s15, s14, 7
	s_ashr_i32 s22, s15, 31
	s_lshr_b32 s22, s22, 29
	s_add_i32 s15, s15, s22
	s_ashr_i32 s22, s15, 3
	s_and_b32 s15, s15, -8
	s_sub_i32 s23, s14, s15
	s_ashr_i32 s14, s2, 31
	s_lshr_b32 s14, s14, 29
	s_add_i32 s25, s2, s14
	s_and_b32 s14, s25, -8
	s_add_i32 s23, s23, 8
	s_sub_i32 s24, s2, s14
	s_cmp_gt_i32 s24, s23
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s22, s24
	s_ashr_i32 s14, s25, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s14, s25, 3
.LBB1_5:
	s_add_i32 s2, s22, -1
	s_mul_i32 s2, s2, s24
	s_add_i32 s2, s23, s2
.LBB1_6:
	s_abs_i32 s15, s17
	v_cvt_f32_u32_e32 v1, s15
	s_sub_i32 s23, 0, s15
	s_add_i32 s2, s2, s14
	s_abs_i32 s22, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s14, s2, s17
	s_ashr_i32 s14, s14, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s24, v1
	s_mul_i32 s23, s23, s24
	s_mul_hi_u32 s23, s24, s23
	s_add_i32 s24, s24, s23
	s_mul_hi_u32 s23, s22, s24
	s_mul_i32 s24, s23, s15
	s_sub_i32 s22, s22, s24
	s_add_i32 s25, s23, 1
	s_sub_i32 s24, s22, s15
	s_cmp_ge_u32 s22, s15
	s_cselect_b32 s23, s25, s23
	s_cselect_b32 s22, s24, s22
	s_add_i32 s24, s23, 1
	s_cmp_ge_u32 s22, s15
	s_cselect_b32 s15, s24, s23
	s_xor_b32 s15, s15, s14
	s_lshr_b32 s21, s21, 26
	s_sub_i32 s14, s15, s14
	s_add_i32 s20, s20, s21
	s_mul_i32 s15, s14, s17
	s_sub_i32 s2, s2, s15
	s_ashr_i32 s15, s20, 6
	s_lshl_b32 s15, s15, 2
	s_sub_i32 s18, s18, s15
	s_cmp_ge_i32 s14, s15
	s_cselect_b32 s15, s18, 4
	s_abs_i32 s20, s15
	v_cvt_f32_u32_e32 v1, s20
	s_ashr_i32 s18, s14, 31
	s_lshr_b32 s18, s18, 30
	s_add_i32 s18, s14, s18
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s18, s18, -4
	s_sub_i32 s14, s14, s18
	s_sub_i32 s21, 0, s20
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s14, s14, s17
	s_add_i32 s2, s14, s2
	s_abs_i32 s17, s2
	v_readfirstlane_b32 s22, v1
	s_mul_i32 s21, s21, s22
	s_mul_hi_u32 s21, s22, s21
	s_add_i32 s22, s22, s21
	s_mul_hi_u32 s21, s17, s22
	s_mul_i32 s22, s21, s20
	s_xor_b32 s14, s2, s15
	s_sub_i32 s17, s17, s22
	s_ashr_i32 s14, s14, 31
	s_add_i32 s22, s21, 1
	s_sub_i32 s23, s17, s20
	s_cmp_ge_u32 s17, s20
	s_cselect_b32 s21, s22, s21
	s_cselect_b32 s17, s23, s17
	s_add_i32 s22, s21, 1
	s_cmp_ge_u32 s17, s20
	s_cselect_b32 s17, s22, s21
	s_xor_b32 s17, s17, s14
	s_sub_i32 s14, s17, s14
	s_mul_i32 s15, s15, s14
	s_sub_i32 s15, s18, s15
	s_add_i32 s2, s15, s2
.LBB1_7:
	s_mov_b32 s18, s2
	s_mov_b32 s2, s14
.LBB1_8:
	s_lshl_b32 s14, s16, 5
	s_abs_i32 s15, s14
	v_cvt_f32_u32_e32 v1, s15
	s_sub_i32 s20, 0, s15
	s_add_i32 s17, s6, s14
	s_add_i32 s17, s17, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s14, s17, s14
	s_abs_i32 s17, s17
	s_ashr_i32 s14, s14, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s21, v1
	s_mul_i32 s20, s20, s21
	s_mul_hi_u32 s20, s21, s20
	s_add_i32 s21, s21, s20
	s_mul_hi_u32 s20, s17, s21
	s_mul_i32 s21, s20, s15
	s_sub_i32 s17, s17, s21
	s_add_i32 s22, s20, 1
	s_sub_i32 s21, s17, s15
	s_cmp_ge_u32 s17, s15
	s_cselect_b32 s20, s22, s20
	s_cselect_b32 s17, s21, s17
	s_add_i32 s21, s20, 1
	s_cmp_ge_u32 s17, s15
	s_cselect_b32 s15, s21, s20
	s_xor_b32 s15, s15, s14
	s_sub_i32 s14, s15, s14
	s_lshl_b32 s25, s14, 5
	s_add_i32 s16, s16, -1
	s_cmp_ge_u32 s3, s16
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s3, s25, s16
	s_sub_i32 s24, s6, s3
	s_load_dwordx2 s[16:17], s[0:1], 0x20
	s_load_dwordx4 s[20:23], s[0:1], 0x3c
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
	s_load_dwordx2 s[16:17], s[0:1], 0x20
	s_load_dwordx4 s[20:23], s[0:1], 0x3c
.LBB1_11:
	s_mov_b32 s24, s25
.LBB1_12:
	s_add_i32 s3, s24, -1
	s_lshl_b32 s6, s18, 4
	s_lshl_b32 s18, s2, 6
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s2, s20, s19
	s_add_i32 s3, s3, 1
	s_mov_b32 s0, s10
	s_add_i32 s10, s2, s3
	s_add_i32 s2, s5, -1
	v_readfirstlane_b32 s19, v0
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_mul_i32 s2, s21, s2
	v_mbcnt_hi_u32_b32 v6, -1, v1
	s_lshr_b32 s26, s19, 4
	s_add_i32 s2, s2, s3
	v_lshrrev_b32_e32 v1, 4, v6
	s_and_b32 s3, s26, 0xffffffc
	v_add_u32_e32 v3, s3, v1
	v_add_u32_e32 v2, s6, v3
	v_mul_lo_u32 v2, v2, s20
	v_lshrrev_b32_e32 v9, 2, v6
	s_lshr_b32 s20, s19, 2
	v_and_b32_e32 v7, 15, v6
	v_and_b32_e32 v8, 30, v9
	s_and_b32 s27, s20, 0x3ffffff0
	v_lshl_add_u32 v20, v7, 3, v2
	v_add_u32_e32 v13, s27, v8
	v_lshlrev_b32_e32 v2, 4, v6
	s_mov_b32 s1, s11
	v_add_u32_e32 v4, s18, v13
	v_and_b32_e32 v2, 0x70, v2
	s_mov_b32 s11, 0x20000
	v_mad_u64_u32 v[4:5], s[14:15], v4, s21, v[2:3]
	buffer_load_dwordx2 v[26:27], v20, s[8:11], 0 offen
	s_mov_b32 s3, s11
	buffer_load_dwordx4 v[22:25], v4, s[0:3], 0 offen
	v_add_u32_e32 v5, s21, v4
	buffer_load_dwordx4 v[42:45], v5, s[0:3], 0 offen
	s_add_i32 s4, s4, 0x3fffffff
	s_mul_i32 s14, s4, s23
	s_add_i32 s7, s7, s14
	s_lshr_b32 s14, s19, 8
	v_add_lshl_u32 v28, v1, s14, 4
	v_or_b32_e32 v10, s6, v7
	v_add_u32_e32 v10, v10, v28
	v_mul_lo_u32 v10, v10, s23
	s_lshl_b32 s14, s7, 2
	s_mov_b32 s15, s11
	v_lshlrev_b32_e32 v10, 2, v10
	buffer_load_dword v11, v10, s[12:15], 0 offen
	buffer_load_dwordx2 v[40:41], v20, s[8:11], 0 offen offset:128
	buffer_load_dwordx4 v[36:39], v4, s[0:3], 0 offen offset:128
	buffer_load_dwordx4 v[32:35], v5, s[0:3], 0 offen offset:128
	s_add_i32 s19, s24, 0x7f
	s_getpc_b64 s[24:25]
	s_add_u32 s24, s24, _ZN7ck_tile30AQuantGemmPipelineAgBgCrCompV3INS_28GemmQuantPipelineProblemBaseIDB8_fS2_vfNS_13TileGemmShapeINS_8sequenceIJLi16ELi64ELi128EEEENS4_IJLi1ELi4ELi1EEEENS4_IJLi16ELi16ELi32EEEELb0ELb0EEENS_19TileGemmQuantTraitsILb0ELb0ELb0ELb0ELb0ENS_13tensor_layout4gemm8RowMajorENSB_11ColumnMajorESC_LNS_9QuantTypeE0ESC_SD_Lb0ELb0ELb0EEENS_15QuantGroupShapeINS4_IJLi1ELi1ELi128EEEEEELb0ES2_LNS_21GemmPipelineSchedulerE1ELb1ELNS_10TailNumberE10EEENS_37GemmAQuantPipelineAgBgCrDefaultPolicyEE11KPerBlockAQE@rel32@lo+4
	s_addc_u32 s25, s25, _ZN7ck_tile30AQuantGemmPipelineAgBgCrCompV3INS_28GemmQuantPipelineProblemBaseIDB8_fS2_vfNS_13TileGemmShapeINS_8sequenceIJLi16ELi64ELi128EEEENS4_IJLi1ELi4ELi1EEEENS4_IJLi16ELi16ELi32EEEELb0ELb0EEENS_19TileGemmQuantTraitsILb0ELb0ELb0ELb0ELb0ENS_13tensor_layout4gemm8RowMajorENSB_11ColumnMajorESC_LNS_9QuantTypeE0ESC_SD_Lb0ELb0ELb0EEENS_15QuantGroupShapeINS4_IJLi1ELi1ELi128EEEEEELb0ES2_LNS_21GemmPipelineSchedulerE1ELb1ELNS_10TailNumberE10EEENS_37GemmAQuantPipelineAgBgCrDefaultPolicyEE11KPerBlockAQE@rel32@hi+12
	s_and_b32 s26, s26, 0x1fffff0
	v_xor_b32_e32 v18, v7, v1
	v_or_b32_e32 v5, s26, v7
	v_and_b32_e32 v14, 14, v9
	v_lshlrev_b32_e32 v12, 3, v18
	v_xor_b32_e32 v15, v3, v6
	v_lshrrev_b32_e32 v16, 3, v2
	s_movk_i32 s7, 0x78
	v_and_or_b32 v10, s20, 48, v7
	v_lshlrev_b32_e32 v3, 7, v3
	v_lshl_or_b32 v9, v5, 7, v12
	v_lshlrev_b32_e32 v5, 3, v15
	v_xor_b32_e32 v15, v16, v14
	v_or_b32_e32 v19, 1, v16
	v_or_b32_e32 v17, 1, v14
	v_lshl_or_b32 v10, v10, 7, v12
	v_and_or_b32 v3, v5, s7, v3
	v_lshlrev_b32_e32 v12, 3, v15
	v_xor_b32_e32 v5, v19, v14
	v_xor_b32_e32 v16, v17, v16
	v_lshl_or_b32 v21, v13, 7, v12
	v_sub_u32_e32 v13, v5, v15
	v_sub_u32_e32 v5, v16, v5
	v_lshlrev_b32_e32 v13, 3, v13
	v_lshlrev_b32_e32 v14, 3, v5
	v_add_u32_e32 v5, v21, v13
	s_ashr_i32 s28, s19, 31
	s_load_dword s24, s[24:25], 0x0
	s_lshr_b32 s25, s28, 25
	s_add_i32 s19, s19, s25
	s_ashr_i32 s19, s19, 7
	s_movk_i32 s20, 0x100
	s_waitcnt vmcnt(6)
	ds_write_b64 v3, v[26:27]
	s_waitcnt vmcnt(5)
	ds_write_b64 v21, v[22:23] offset:2048
	ds_write_b64 v5, v[24:25] offset:2048
	v_add_u32_e32 v3, v5, v14
	v_xor_b32_e32 v5, v19, v17
	v_sub_u32_e32 v5, v5, v16
	v_lshlrev_b32_e32 v15, 3, v5
	s_waitcnt vmcnt(4)
	ds_write_b64 v3, v[42:43] offset:2176
	v_add_u32_e32 v3, v3, v15
	ds_write_b64 v3, v[44:45] offset:2176
	v_add_u32_e32 v3, 4, v1
	v_xor_b32_e32 v3, v3, v7
	v_or_b32_e32 v5, 8, v1
	v_add_u32_e32 v19, 12, v1
	v_sub_u32_e32 v3, v3, v18
	v_xor_b32_e32 v5, v5, v7
	v_xor_b32_e32 v19, v19, v7
	v_lshlrev_b32_e32 v3, 3, v3
	v_sub_u32_e32 v5, v5, v18
	v_sub_u32_e32 v18, v19, v18
	v_add_u32_e32 v16, v3, v9
	v_lshlrev_b32_e32 v5, 3, v5
	v_lshlrev_b32_e32 v21, 3, v18
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_u32_e32 v17, v5, v9
	v_add_u32_e32 v18, v21, v9
	v_add_u32_e32 v19, v3, v10
	ds_read_b64 v[48:49], v16
	ds_read_b64 v[46:47], v17
	ds_read_b64 v[42:43], v18
	ds_read_b64 v[52:53], v19 offset:2048
	v_add_u32_e32 v24, v5, v10
	ds_read_b64 v[54:55], v9
	ds_read_b64 v[56:57], v10 offset:2048
	v_add_u32_e32 v25, v21, v10
	ds_read_b64 v[50:51], v24 offset:2048
	ds_read_b64 v[44:45], v25 offset:2048
	v_add_u32_e32 v26, 0x100, v20
	v_add_u32_e32 v27, 0x100, v4
	v_add_u32_e32 v3, s6, v28
	v_or_b32_e32 v3, v3, v7
	s_max_i32 s25, s19, 2
	v_mul_lo_u32 v3, s23, v3
	s_lshl_b32 s19, s24, 2
	s_add_i32 s23, s18, s27
	v_lshl_add_u32 v28, v3, 2, s19
	v_add_u32_e32 v3, s23, v8
	v_mul_lo_u32 v3, s21, v3
	v_and_b32_e32 v23, 0x70, v6
	v_add_u32_e32 v3, s21, v3
	v_or_b32_e32 v20, 4, v23
	v_or_b32_e32 v21, 8, v23
	v_or_b32_e32 v22, 12, v23
	v_add3_u32 v29, v3, v2, s20
	s_add_i32 s20, s25, -1
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
.LBB1_13:
	v_readfirstlane_b32 s21, v0
	s_lshr_b32 s23, s21, 4
	s_lshr_b32 s21, s21, 2
	s_and_b32 s23, s23, 0xffffffc
	s_and_b32 s21, s21, 0x1fffff0
	v_add_u32_e32 v31, s23, v1
	v_add_u32_e32 v58, s21, v8
	v_xor_b32_e32 v59, v31, v6
	v_lshl_or_b32 v58, v58, 7, v12
	v_lshlrev_b32_e32 v31, 7, v31
	v_lshlrev_b32_e32 v59, 3, v59
	v_add_u32_e32 v60, v58, v13
	v_and_or_b32 v31, v59, s7, v31
	v_add_u32_e32 v59, v14, v60
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_load_dword v30, v28, s[12:15], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b64 v31, v[40:41]
	s_waitcnt vmcnt(2)
	ds_write_b64 v58, v[36:37] offset:2048
	ds_write_b64 v60, v[38:39] offset:2048
	s_waitcnt vmcnt(1)
	ds_write_b64 v59, v[32:33] offset:2176
	v_add_u32_e32 v31, v59, v15
	buffer_load_dwordx2 v[40:41], v26, s[8:11], 0 offen
	buffer_load_dwordx4 v[36:39], v27, s[0:3], 0 offen
	ds_write_b64 v31, v[34:35] offset:2176
	buffer_load_dwordx4 v[32:35], v29, s[0:3], 0 offen
	v_mfma_f32_16x16x32_fp8_fp8 v[54:57], v[54:55], v[56:57], 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_bpermute_b32 v62, v23, v11
	v_mfma_f32_16x16x32_fp8_fp8 v[52:55], v[48:49], v[52:53], v[54:57]
	ds_bpermute_b32 v63, v20, v11
	ds_bpermute_b32 v64, v21, v11
	ds_bpermute_b32 v65, v22, v11
	v_mfma_f32_16x16x32_fp8_fp8 v[50:53], v[46:47], v[50:51], v[52:55]
	s_nop 2
	ds_read_b64 v[54:55], v9
	ds_read_b64 v[48:49], v16
	ds_read_b64 v[46:47], v17
	ds_read_b64 v[56:57], v10 offset:2048
	v_add_u32_e32 v26, 0x80, v26
	v_add_u32_e32 v27, 0x80, v27
	v_mfma_f32_16x16x32_fp8_fp8 v[58:61], v[42:43], v[44:45], v[50:53]
	ds_read_b64 v[42:43], v18
	s_nop 1
	ds_read_b64 v[52:53], v19 offset:2048
	ds_read_b64 v[50:51], v24 offset:2048
	ds_read_b64 v[44:45], v25 offset:2048
	s_waitcnt lgkmcnt(10)
	v_pk_fma_f32 v[4:5], v[58:59], v[62:63], v[4:5]
	s_waitcnt lgkmcnt(8)
	v_pk_fma_f32 v[2:3], v[60:61], v[64:65], v[2:3]
	s_add_i32 s20, s20, -1
	v_add_u32_e32 v28, s19, v28
	v_add_u32_e32 v29, 0x80, v29
	s_cmp_lg_u32 s20, 0
	s_waitcnt vmcnt(3)
	v_mov_b32_e32 v11, v30
	s_cbranch_scc1 .LBB1_13
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x32_fp8_fp8 v[8:11], v[54:55], v[56:57], 0
	s_add_i32 s0, s4, 2.0
	s_mul_i32 s0, s0, s22
	s_mul_hi_u32 s1, 0, s22
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x32_fp8_fp8 v[8:11], v[48:49], v[52:53], v[8:11]
	ds_bpermute_b32 v12, v23, v30
	ds_bpermute_b32 v13, v20, v30
	s_add_i32 s1, s1, s0
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x32_fp8_fp8 v[8:11], v[46:47], v[50:51], v[8:11]
	v_readfirstlane_b32 s0, v0
	ds_bpermute_b32 v14, v21, v30
	ds_bpermute_b32 v15, v22, v30
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x32_fp8_fp8 v[8:11], v[42:43], v[44:45], v[8:11]
	s_lshl_b32 s2, s0, 3
	s_lshr_b32 s3, s0, 1
	s_and_b32 s2, s2, 0xfffff800
	s_and_b32 s3, s3, 0x60
	s_or_b32 s2, s3, s2
	s_waitcnt lgkmcnt(3)
	s_nop 0
	v_fma_mixlo_f16 v0, v8, v12, v4
	s_waitcnt lgkmcnt(2)
	v_fma_mixlo_f16 v4, v9, v13, v5
	v_lshl_add_u32 v5, v1, 9, s2
	v_lshl_or_b32 v5, v7, 1, v5
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_fma_mixlo_f16 v2, v10, v14, v2
	v_fma_mixlo_f16 v3, v11, v15, v3
	ds_write_b16 v5, v0
	ds_write_b16 v5, v4 offset:128
	ds_write_b16 v5, v2 offset:256
	ds_write_b16 v5, v3 offset:384
	v_lshlrev_b32_e32 v0, 2, v6
	s_lshr_b32 s0, s0, 4
	v_and_b32_e32 v0, 60, v0
	s_and_b32 s0, s0, 0xffffffc
	v_add_u32_e32 v1, s0, v1
	v_lshlrev_b32_e32 v2, 1, v0
	v_lshl_or_b32 v2, v1, 7, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[2:3], v2
	v_add_u32_e32 v1, s6, v1
	v_or_b32_e32 v0, s18, v0
	v_mul_lo_u32 v1, v1, s22
	s_add_i32 s0, s5, s1
	s_lshl_b32 s18, s0, 1
	s_mov_b32 s19, 0x20000
	v_add_lshl_u32 v0, v0, v1, 1
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx2 v[2:3], v0, s[16:19], 0 offen
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 10240
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 88
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
		.amdhsa_next_free_vgpr 73
		.amdhsa_next_free_sgpr 91
		.amdhsa_accum_offset 68
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
	.section	.text.ck_gemm,"axG",@progbits,ck_gemm,comdat
.Lfunc_end1:
	.set ck_gemm.num_vgpr, 66
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 29
	.set ck_gemm.num_named_barrier, 0
	.set ck_gemm.private_seg_size, 0
	.set ck_gemm.uses_vcc, 0
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
	.section	.rodata._ZN7ck_tile30AQuantGemmPipelineAgBgCrCompV3INS_28GemmQuantPipelineProblemBaseIDB8_fS2_vfNS_13TileGemmShapeINS_8sequenceIJLi16ELi64ELi128EEEENS4_IJLi1ELi4ELi1EEEENS4_IJLi16ELi16ELi32EEEELb0ELb0EEENS_19TileGemmQuantTraitsILb0ELb0ELb0ELb0ELb0ENS_13tensor_layout4gemm8RowMajorENSB_11ColumnMajorESC_LNS_9QuantTypeE0ESC_SD_Lb0ELb0ELb0EEENS_15QuantGroupShapeINS4_IJLi1ELi1ELi128EEEEEELb0ES2_LNS_21GemmPipelineSchedulerE1ELb1ELNS_10TailNumberE10EEENS_37GemmAQuantPipelineAgBgCrDefaultPolicyEE11KPerBlockAQE,"aG",@progbits,_ZN7ck_tile30AQuantGemmPipelineAgBgCrCompV3INS_28GemmQuantPipelineProblemBaseIDB8_fS2_vfNS_13TileGemmShapeINS_8sequenceIJLi16ELi64ELi128EEEENS4_IJLi1ELi4ELi1EEEENS4_IJLi16ELi16ELi32EEEELb0ELb0EEENS_19TileGemmQuantTraitsILb0ELb0ELb0ELb0ELb0ENS_13tensor_layout4gemm8RowMajorENSB_11ColumnMajorESC_LNS_9QuantTypeE0ESC_SD_Lb0ELb0ELb0EEENS_15QuantGroupShapeINS4_IJLi1ELi1ELi128EEEEEELb0ES2_LNS_21GemmPipelineSchedulerE1ELb1ELNS_10TailNumberE10EEENS_37GemmAQuantPipelineAgBgCrDefaultPolicyEE11KPerBlockAQE,comdat
_ZN7ck_tile30AQuantGemmPipelineAgBgCrCompV3INS_28GemmQuantPipelineProblemBaseIDB8_fS2_vfNS_13TileGemmShapeINS_8sequenceIJLi16ELi64ELi128EEEENS4_IJLi1ELi4ELi1EEEENS4_IJLi16ELi16ELi32EEEELb0ELb0EEENS_19TileGemmQuantTraitsILb0ELb0ELb0ELb0ELb0ENS_13tensor_layout4gemm8RowMajorENSB_11ColumnMajorESC_LNS_9QuantTypeE0ESC_SD_Lb0ELb0ELb0EEENS_15QuantGroupShapeINS4_IJLi1ELi1ELi128EEEEEELb0ES2_LNS_21GemmPipelineSchedulerE1ELb1ELNS_10TailNumberE10EEENS_37GemmAQuantPipelineAgBgCrDefaultPolicyEE11KPerBlockAQE:
	.long	1
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
        .size:           88
        .value_kind:     by_value
    .group_segment_fixed_size: 10240
    .kernarg_segment_align: 8
    .kernarg_segment_size: 88
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
    .vgpr_count:     66
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
