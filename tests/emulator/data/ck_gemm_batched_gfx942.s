; CK's batched GEMM for gfx942 (64 x 64 x 64 tile, fp16), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_load_dwordx4 s[8:11], s[0:1], 0x58
	s_load_dword s24, s[0:1], 0x68
	s_load_dwordx2 s[20:21], s[0:1], 0x8c
	s_load_dwordx4 s[12:15], s[0:1], 0x98
	s_mov_b32 s16, 0
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s8, -1
	s_cmp_lt_u32 s15, 64
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
	s_sub_i32 s22, s6, s7
	s_ashr_i32 s6, s2, 31
	s_lshr_b32 s6, s6, 29
	s_add_i32 s25, s2, s6
	s_and_b32 s6, s25, -8
	s_add_i32 s22, s22, 8
	s_sub_i32 s23, s2, s6
	s_cmp_gt_i32 s23, s22
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s19, s23
	s_ashr_i32 s6, s25, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s6, s25, 3
.LBB1_5:
	s_add_i32 s2, s19, -1
	s_mul_i32 s2, s2, s23
	s_add_i32 s2, s22, s2
.LBB1_6:
	s_abs_i32 s7, s5
	v_cvt_f32_u32_e32 v1, s7
	s_sub_i32 s22, 0, s7
	s_add_i32 s2, s2, s6
	s_abs_i32 s19, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s6, s2, s5
	s_ashr_i32 s6, s6, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s23, v1
	s_mul_i32 s22, s22, s23
	s_mul_hi_u32 s22, s23, s22
	s_add_i32 s23, s23, s22
	s_mul_hi_u32 s22, s19, s23
	s_mul_i32 s23, s22, s7
	s_sub_i32 s19, s19, s23
	s_add_i32 s25, s22, 1
	s_sub_i32 s23, s19, s7
	s_cmp_ge_u32 s19, s7
	s_cselect_b32 s22, s25, s22
	s_cselect_b32 s19, s23, s19
	s_add_i32 s23, s22, 1
	s_cmp_ge_u32 s19, s7
	s_cselect_b32 s7, s23, s22
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
	s_sub_i32 s22, s6, s17
	s_cmp_ge_u32 s6, s17
	s_cselect_b32 s18, s19, s18
	s_cselect_b32 s6, s22, s6
	s_add_i32 s19, s18, 1
	s_cmp_ge_u32 s6, s17
	s_cselect_b32 s6, s19, s18
	s_xor_b32 s6, s6, s5
	s_sub_i32 s5, s6, s5
	s_mul_i32 s7, s7, s5
	s_sub_i32 s6, s16, s7
	s_add_i32 s2, s6, s2
.LBB1_7:
	s_mov_b32 s16, s2
	s_mov_b32 s2, s5
.LBB1_8:
	s_lshl_b32 s5, s21, 4
	s_abs_i32 s6, s5
	v_cvt_f32_u32_e32 v1, s6
	s_sub_i32 s17, 0, s6
	s_add_i32 s7, s10, s5
	s_add_i32 s7, s7, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s5, s7, s5
	s_abs_i32 s7, s7
	s_ashr_i32 s5, s5, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s18, v1
	s_mul_i32 s17, s17, s18
	s_mul_hi_u32 s17, s18, s17
	s_add_i32 s18, s18, s17
	s_mul_hi_u32 s17, s7, s18
	s_mul_i32 s18, s17, s6
	s_sub_i32 s7, s7, s18
	s_add_i32 s19, s17, 1
	s_sub_i32 s18, s7, s6
	s_cmp_ge_u32 s7, s6
	s_cselect_b32 s17, s19, s17
	s_cselect_b32 s7, s18, s7
	s_add_i32 s18, s17, 1
	s_cmp_ge_u32 s7, s6
	s_cselect_b32 s6, s18, s17
	s_xor_b32 s6, s6, s5
	s_sub_i32 s5, s6, s5
	s_lshl_b32 s25, s5, 4
	s_add_i32 s5, s21, -1
	s_cmp_ge_u32 s4, s5
	s_mul_i32 s17, s25, s4
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s4, s25, s5
	s_sub_i32 s21, s10, s4
	s_load_dwordx2 s[22:23], s[0:1], 0x50
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
	s_load_dwordx2 s[22:23], s[0:1], 0x50
	s_load_dwordx4 s[4:7], s[0:1], 0x0
.LBB1_11:
	s_mov_b32 s21, s25
.LBB1_12:
	s_mul_i32 s0, s3, s12
	s_mov_b32 s1, 0
	s_lshl_b32 s10, s16, 6
	s_lshl_b32 s2, s2, 6
	s_lshl_b64 s[18:19], s[0:1], 1
	s_waitcnt lgkmcnt(0)
	s_add_u32 s0, s4, s18
	s_mov_b32 s16, s1
	s_addc_u32 s5, s5, s19
	s_ashr_i64 s[16:17], s[16:17], 31
	s_add_u32 s4, s0, s16
	s_mul_i32 s0, s13, s3
	s_addc_u32 s5, s5, s17
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s0, s6, s0
	s_addc_u32 s1, s7, s1
	s_add_u32 s16, s0, s16
	s_addc_u32 s17, s1, s17
	s_add_i32 s1, s21, -1
	s_mul_i32 s0, s11, s15
	s_add_i32 s1, s1, 1
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_add_i32 s6, s0, s1
	s_add_i32 s0, s9, -1
	v_readfirstlane_b32 s13, v0
	v_mbcnt_hi_u32_b32 v19, -1, v1
	s_mul_i32 s0, s24, s0
	v_lshrrev_b32_e32 v1, 2, v19
	s_lshr_b32 s15, s13, 2
	s_add_i32 s12, s0, s1
	v_and_b32_e32 v20, 30, v1
	s_and_b32 s0, s15, 0x3ffffff0
	v_and_b32_e32 v6, 7, v19
	s_add_i32 s1, s0, s2
	v_add_u32_e32 v7, s0, v20
	v_lshlrev_b32_e32 v2, 3, v6
	v_add_u32_e32 v3, s10, v7
	v_add_u32_e32 v4, s1, v20
	v_mad_u64_u32 v[4:5], s[0:1], v4, s24, v[2:3]
	v_mad_u64_u32 v[2:3], s[0:1], v3, s11, v[2:3]
	s_lshl_b32 s6, s6, 1
	s_mov_b32 s7, 0x20000
	v_lshlrev_b32_e32 v3, 1, v2
	buffer_load_dwordx4 v[24:27], v3, s[4:7], 0 offen
	v_add_lshl_u32 v5, v2, s11, 1
	buffer_load_dwordx4 v[28:31], v5, s[4:7], 0 offen
	s_lshl_b32 s18, s12, 1
	s_mov_b32 s19, s7
	v_lshlrev_b32_e32 v8, 1, v4
	buffer_load_dwordx4 v[32:35], v8, s[16:19], 0 offen
	v_add_lshl_u32 v9, v4, s24, 1
	buffer_load_dwordx4 v[36:39], v9, s[16:19], 0 offen
	buffer_load_dwordx4 v[72:75], v3, s[4:7], 0 offen offset:128
	buffer_load_dwordx4 v[48:51], v5, s[4:7], 0 offen offset:128
	buffer_load_dwordx4 v[60:63], v8, s[16:19], 0 offen offset:128
	buffer_load_dwordx4 v[52:55], v9, s[16:19], 0 offen offset:128
	v_lshrrev_b32_e32 v3, 5, v19
	v_and_b32_e32 v1, 6, v1
	v_or_b32_e32 v9, 4, v3
	v_xor_b32_e32 v10, v1, v6
	v_or_b32_e32 v1, 1, v1
	v_and_b32_e32 v21, 31, v19
	v_xor_b32_e32 v5, v6, v3
	v_add_u32_e32 v8, 2, v3
	v_xor_b32_e32 v9, v9, v6
	v_lshlrev_b32_e32 v12, 4, v10
	v_xor_b32_e32 v1, v1, v6
	s_lshr_b32 s1, s13, 1
	s_and_b32 s13, s15, 0x1ffffe0
	v_add_u32_e32 v3, 6, v3
	v_lshlrev_b32_e32 v11, 4, v5
	v_xor_b32_e32 v8, v8, v6
	v_sub_u32_e32 v9, v9, v5
	v_sub_u32_e32 v1, v1, v10
	v_and_or_b32 v13, s1, 32, v21
	v_or_b32_e32 v14, s13, v21
	v_lshl_or_b32 v7, v7, 7, v12
	v_xor_b32_e32 v3, v3, v6
	v_sub_u32_e32 v8, v8, v5
	v_lshlrev_b32_e32 v9, 4, v9
	v_lshl_or_b32 v22, v14, 7, v11
	v_lshl_add_u32 v12, v1, 4, v7
	v_sub_u32_e32 v3, v3, v5
	v_lshlrev_b32_e32 v8, 4, v8
	v_lshlrev_b32_e32 v3, 4, v3
	s_add_i32 s0, s21, 63
	v_add_u32_e32 v23, v22, v8
	s_ashr_i32 s12, s0, 31
	s_lshr_b32 s1, s12, 26
	s_add_i32 s0, s0, s1
	s_ashr_i32 s0, s0, 6
	v_add_u32_e32 v18, 0x80, v2
	s_waitcnt vmcnt(7)
	ds_write_b128 v7, v[24:27]
	s_waitcnt vmcnt(6)
	ds_write_b128 v12, v[28:31] offset:128
	s_waitcnt vmcnt(5)
	ds_write_b128 v7, v[32:35] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v12, v[36:39] offset:8320
	v_lshl_or_b32 v26, v13, 7, v11
	v_add_u32_e32 v24, v22, v9
	v_add_u32_e32 v28, v26, v9
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[68:71], v22
	ds_read_b128 v[44:47], v23
	v_add_u32_e32 v25, v22, v3
	ds_read_b128 v[40:43], v24
	ds_read_b128 v[32:35], v25
	v_add_u32_e32 v27, v26, v8
	ds_read_b128 v[76:79], v26 offset:8192
	ds_read_b128 v[64:67], v27 offset:8192
	v_add_u32_e32 v29, v26, v3
	ds_read_b128 v[56:59], v28 offset:8192
	ds_read_b128 v[36:39], v29 offset:8192
	v_lshlrev_b32_e32 v31, 3, v10
	v_lshlrev_b32_e32 v30, 3, v1
	v_add_u32_e32 v1, 0x80, v4
	s_max_i32 s0, s0, 2
	s_add_i32 s0, s0, -1
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
	v_lshlrev_b32_e32 v31, 1, v31
.LBB1_13:
	v_readfirstlane_b32 s1, v0
	s_lshr_b32 s1, s1, 2
	s_and_b32 s1, s1, 0x1fffff0
	v_add_u32_e32 v80, s1, v20
	v_lshl_or_b32 v80, v80, 7, v31
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(3)
	ds_write_b128 v80, v[72:75]
	v_mfma_f32_32x32x8_f16 v[2:17], v[68:69], v[76:77], v[2:17]
	v_lshlrev_b32_e32 v68, 1, v18
	v_lshl_add_u32 v69, v30, 1, v80
	buffer_load_dwordx4 v[72:75], v68, s[4:7], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b128 v69, v[48:51] offset:128
	v_add_lshl_u32 v48, v18, s11, 1
	v_add_u32_e32 v18, 64, v18
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[78:79], v[2:17]
	buffer_load_dwordx4 v[48:51], v48, s[4:7], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b128 v80, v[60:63] offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[64:65], v[2:17]
	v_lshlrev_b32_e32 v44, 1, v1
	v_add_lshl_u32 v45, v1, s24, 1
	buffer_load_dwordx4 v[60:63], v44, s[16:19], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b128 v69, v[52:55] offset:8320
	v_add_u32_e32 v1, 64, v1
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[66:67], v[2:17]
	buffer_load_dwordx4 v[52:55], v45, s[16:19], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[68:71], v22
	ds_read_b128 v[44:47], v23
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[56:57], v[2:17]
	ds_read_b128 v[76:79], v26 offset:8192
	ds_read_b128 v[64:67], v27 offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[58:59], v[2:17]
	ds_read_b128 v[40:43], v24
	ds_read_b128 v[56:59], v28 offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[32:33], v[36:37], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[38:39], v[2:17]
	ds_read_b128 v[32:35], v25
	ds_read_b128 v[36:39], v29 offset:8192
	s_add_i32 s0, s0, -1
	s_cmp_lg_u32 s0, 0
	s_cbranch_scc1 .LBB1_13
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 v[2:17], v[68:69], v[76:77], v[2:17]
	s_mul_i32 s0, s3, s14
	s_mov_b32 s1, 0
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s0, s22, s0
	v_readfirstlane_b32 s3, v0
	s_addc_u32 s1, s23, s1
	s_lshr_b32 s4, s3, 2
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[78:79], v[2:17]
	v_lshrrev_b32_e32 v0, 3, v19
	s_and_b32 s5, s4, 0x1ffffe0
	s_and_b32 s4, s4, 0x3ffffff0
	v_and_or_b32 v0, v0, 12, s5
	v_lshlrev_b32_e32 v1, 3, v19
	v_add_u32_e32 v18, s4, v20
	s_and_b32 s3, s3, 64
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[64:65], v[2:17]
	v_lshlrev_b32_e32 v19, 1, v21
	v_lshlrev_b32_e32 v0, 7, v0
	v_and_b32_e32 v1, 56, v1
	v_lshlrev_b32_e32 v20, 7, v18
	v_or3_b32 v0, s3, v19, v0
	v_lshl_or_b32 v19, v1, 1, v20
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[66:67], v[2:17]
	s_barrier
	s_add_i32 s3, s8, 0x7fffffff
	v_add_u32_e32 v18, s10, v18
	s_mul_i32 s4, s3, s20
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[56:57], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[58:59], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[32:33], v[36:37], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[38:39], v[2:17]
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
	ds_write_b16 v0, v2
	ds_write_b16 v0, v3 offset:128
	ds_write_b16 v0, v4 offset:256
	ds_write_b16 v0, v5 offset:384
	ds_write_b16 v0, v6 offset:1024
	ds_write_b16 v0, v7 offset:1152
	ds_write_b16 v0, v8 offset:1280
	ds_write_b16 v0, v9 offset:1408
	ds_write_b16 v0, v10 offset:2048
	ds_write_b16 v0, v11 offset:2176
	ds_write_b16 v0, v12 offset:2304
	ds_write_b16 v0, v13 offset:2432
	ds_write_b16 v0, v14 offset:3072
	ds_write_b16 v0, v15 offset:3200
	ds_write_b16 v0, v16 offset:3328
	ds_write_b16 v0, v17 offset:3456
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[2:5], v19 offset:128
	ds_read_b128 v[6:9], v19
	v_or_b32_e32 v0, s2, v1
	v_mad_u64_u32 v[0:1], s[2:3], v18, s20, v[0:1]
	s_add_i32 s2, s9, s4
	s_lshl_b32 s2, s2, 1
	s_mov_b32 s3, 0x20000
	v_lshlrev_b32_e32 v1, 1, v0
	v_add_lshl_u32 v0, v0, s20, 1
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[6:9], v1, s[0:3], 0 offen
	buffer_store_dwordx4 v[2:5], v0, s[0:3], 0 offen
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 16384
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 168
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
		.amdhsa_accum_offset 84
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
	.set ck_gemm.num_vgpr, 81
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 26
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
        .size:           168
        .value_kind:     by_value
    .group_segment_fixed_size: 16384
    .kernarg_segment_align: 8
    .kernarg_segment_size: 168
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     32
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     81
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
