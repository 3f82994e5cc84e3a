; CK's persistent grouped GEMM for gfx942 (64 x 64 x 64 tile, fp16), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_cbranch_scc1 .LBB1_28
	s_load_dwordx4 s[4:7], s[0:1], 0x60
	s_load_dwordx4 s[8:11], s[0:1], 0x0
	s_load_dwordx2 s[28:29], s[0:1], 0x50
	s_waitcnt lgkmcnt(0)
	s_load_dword s7, s[0:1], 0x5c
	s_load_dwordx2 s[30:31], s[0:1], 0x8c
	s_load_dwordx4 s[12:15], s[0:1], 0x98
	s_ashr_i32 s49, s5, 31
	s_mov_b32 s38, 0
	s_mov_b32 s46, s5
	s_waitcnt lgkmcnt(0)
	s_add_i32 s16, s7, 63
	s_ashr_i32 s17, s16, 31
	s_lshr_b32 s17, s17, 26
	s_add_i32 s16, s16, s17
	s_ashr_i32 s48, s16, 6
	s_ashr_i32 s50, s30, 31
	s_add_i32 s17, s7, -1
	s_cmp_lt_u32 s17, 64
	s_cselect_b64 s[34:35], -1, 0
	s_add_i32 s17, s7, 0x7fffffff
	s_add_i32 s51, s4, -1
	s_add_i32 s36, s31, -1
	s_add_u32 s52, s17, 1
	s_add_u32 s0, s0, 0xb0
	s_addc_u32 s1, s1, 0
	s_abs_i32 s53, s48
	v_cvt_f32_u32_e32 v1, s53
	s_ashr_i32 s59, s16, 31
	s_sub_i32 s16, 0, s53
	s_mov_b32 s47, s6
	v_rcp_iflag_f32_e32 v1, v1
	s_mov_b32 s54, s5
	s_mov_b32 s55, s30
	s_mov_b32 s37, s38
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mov_b32 s56, s6
	s_mov_b32 s57, s30
	s_mov_b32 s58, s7
	v_readfirstlane_b32 s17, v1
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v1, -1, v1
	v_lshrrev_b32_e32 v6, 2, v1
	v_and_b32_e32 v3, 7, v1
	v_and_b32_e32 v20, 30, v6
	v_and_b32_e32 v6, 6, v6
	v_xor_b32_e32 v7, v6, v3
	v_or_b32_e32 v6, 1, v6
	v_xor_b32_e32 v6, v6, v3
	v_lshrrev_b32_e32 v2, 5, v1
	v_sub_u32_e32 v6, v6, v7
	v_lshlrev_b32_e32 v24, 3, v6
	v_add_u32_e32 v6, 2, v2
	v_xor_b32_e32 v4, v3, v2
	v_xor_b32_e32 v6, v6, v3
	v_sub_u32_e32 v6, v6, v4
	v_lshlrev_b32_e32 v25, 4, v6
	v_or_b32_e32 v6, 4, v2
	v_add_u32_e32 v2, 6, v2
	v_xor_b32_e32 v2, v2, v3
	v_sub_u32_e32 v2, v2, v4
	s_mul_i32 s16, s16, s17
	v_and_b32_e32 v23, 31, v1
	v_xor_b32_e32 v6, v6, v3
	v_lshlrev_b32_e32 v27, 4, v2
	v_lshrrev_b32_e32 v2, 3, v1
	v_lshlrev_b32_e32 v1, 3, v1
	s_mul_hi_u32 s16, s17, s16
	v_lshlrev_b32_e32 v5, 3, v4
	v_lshlrev_b32_e32 v8, 3, v7
	v_sub_u32_e32 v6, v6, v4
	v_and_b32_e32 v29, 56, v1
	s_add_i32 s60, s17, s16
	s_mov_b64 s[16:17], 0
	v_mov_b32_e32 v21, 0
	s_mov_b32 s19, 0x20000
	v_lshlrev_b32_e32 v18, 3, v3
	v_lshlrev_b32_e32 v26, 4, v6
	v_and_b32_e32 v28, 12, v2
	v_lshlrev_b32_e32 v30, 1, v29
	v_lshlrev_b32_e32 v31, 1, v23
	v_lshlrev_b32_e32 v32, 1, v8
	v_lshlrev_b32_e32 v33, 1, v5
	s_mov_b32 s18, 0
	s_mov_b32 s40, 0
	s_branch .LBB1_3
.LBB1_2:
	s_sub_i32 s2, s2, s61
	s_add_i32 s40, s40, 1
	s_cmp_lt_i32 s40, s33
	s_cselect_b64 s[20:21], -1, 0
	s_cmp_lt_i32 s41, s3
	s_cselect_b64 s[22:23], -1, 0
	s_and_b64 s[20:21], s[20:21], s[22:23]
	s_and_b64 vcc, exec, s[20:21]
	s_mov_b32 s18, s41
	s_cbranch_vccz .LBB1_28
.LBB1_3:
	s_mov_b32 s41, s38
	s_lshl_b64 s[20:21], s[40:41], 2
	s_add_u32 s20, s12, s20
	s_addc_u32 s21, s13, s21
	global_load_dword v1, v21, s[20:21]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s20, v1
	s_min_i32 s21, s20, s3
	s_cmp_lt_i32 s20, s18
	s_cselect_b32 s41, s18, s21
	s_sub_i32 s62, s41, s18
	s_add_i32 s22, s62, 63
	s_ashr_i32 s24, s22, 31
	s_lshr_b32 s20, s24, 26
	s_add_i32 s20, s22, s20
	s_ashr_i32 s23, s20, 6
	s_mul_i32 s63, s23, s48
	s_mul_i32 s61, s63, s31
	s_cmp_ge_i32 s2, s61
	s_cbranch_scc1 .LBB1_2
	s_mul_i32 s20, s18, s49
	s_mul_hi_u32 s21, s18, s54
	s_add_i32 s21, s21, s20
	s_mul_i32 s20, s18, s54
	s_lshl_b64 s[20:21], s[20:21], 1
	s_add_u32 s64, s8, s20
	s_addc_u32 s65, s9, s21
	s_mul_i32 s20, s15, s40
	s_mul_hi_u32 s21, s14, s40
	s_add_i32 s21, s21, s20
	s_mul_i32 s20, s14, s40
	s_lshl_b64 s[20:21], s[20:21], 1
	s_add_u32 s66, s10, s20
	s_addc_u32 s67, s11, s21
	s_mul_i32 s20, s18, s50
	s_mul_hi_u32 s21, s18, s55
	s_add_i32 s21, s21, s20
	s_mul_i32 s20, s18, s55
	s_lshl_b64 s[20:21], s[20:21], 1
	s_add_u32 s20, s28, s20
	s_addc_u32 s21, s29, s21
	s_add_i32 s18, s62, -1
	s_cmp_lt_u32 s18, 64
	s_cselect_b64 s[42:43], -1, 0
	s_add_i32 s18, s63, 7
	s_ashr_i32 s25, s18, 31
	s_lshr_b32 s25, s25, 29
	s_add_i32 s18, s18, s25
	s_ashr_i32 s68, s18, 3
	s_and_b32 s18, s18, -8
	s_sub_i32 s69, s63, s18
	s_lshr_b32 s18, s24, 24
	s_add_i32 s22, s22, s18
	s_ashr_i32 s18, s22, 8
	s_lshl_b32 s71, s18, 2
	s_add_i32 s69, s69, 8
	s_add_i32 s70, s68, -1
	s_sub_i32 s72, s23, s71
	s_add_u32 s18, -1, s62
	s_addc_u32 s22, s58, 0
	s_abs_i32 s73, s63
	v_cvt_f32_u32_e32 v1, s73
	s_mul_i32 s22, s22, 0
	s_mul_hi_u32 s23, 0, s18
	s_add_i32 s22, s23, s22
	v_rcp_iflag_f32_e32 v1, v1
	s_mul_i32 s18, s57, s18
	s_add_i32 s22, s22, s18
	s_add_i32 s18, s52, s22
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v2, v1
	s_load_dword s74, s[0:1], 0x0
	s_lshl_b32 s22, s18, 1
	s_sub_i32 s18, 0, s73
	v_readfirstlane_b32 s24, v2
	s_mul_i32 s18, s18, s24
	s_mul_hi_u32 s18, s24, s18
	s_mov_b32 s23, s19
	v_mov_b32_e32 v1, v20
	s_ashr_i32 s75, s63, 31
	s_add_i32 s76, s24, s18
	s_nor_b64 s[44:45], s[42:43], s[34:35]
	s_branch .LBB1_6
.LBB1_5:
	v_readfirstlane_b32 s16, v0
	s_lshr_b32 s17, s16, 2
	s_and_b32 s18, s17, 0x1ffffe0
	s_nop 6
	v_cvt_f16_f32_e32 v2, v2
	v_or_b32_e32 v19, s18, v28
	v_cvt_f16_f32_e32 v3, v3
	v_cvt_f16_f32_e32 v4, v4
	s_and_b32 s16, s16, 64
	v_lshlrev_b32_e32 v19, 7, v19
	v_cvt_f16_f32_e32 v5, v5
	v_or3_b32 v19, v31, s16, v19
	s_and_b32 s16, s17, 0x3ffffff0
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
	ds_write_b16 v19, v2
	ds_write_b16 v19, v3 offset:128
	ds_write_b16 v19, v4 offset:256
	ds_write_b16 v19, v5 offset:384
	ds_write_b16 v19, v6 offset:1024
	ds_write_b16 v19, v7 offset:1152
	ds_write_b16 v19, v8 offset:1280
	ds_write_b16 v19, v9 offset:1408
	ds_write_b16 v19, v10 offset:2048
	ds_write_b16 v19, v11 offset:2176
	ds_write_b16 v19, v12 offset:2304
	ds_write_b16 v19, v13 offset:2432
	ds_write_b16 v19, v14 offset:3072
	ds_write_b16 v19, v15 offset:3200
	ds_write_b16 v19, v16 offset:3328
	ds_write_b16 v19, v17 offset:3456
	v_add_u32_e32 v2, s16, v20
	v_lshl_or_b32 v3, v2, 7, v30
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[4:7], v3 offset:128
	ds_read_b128 v[8:11], v3
	v_add_u32_e32 v3, s77, v2
	v_or_b32_e32 v2, s78, v29
	v_mad_u64_u32 v[2:3], s[16:17], v3, s30, v[2:3]
	s_add_i32 s2, s2, s74
	v_lshlrev_b32_e32 v3, 1, v2
	v_add_lshl_u32 v2, v2, s30, 1
	s_cmp_lt_i32 s2, s61
	s_mov_b64 s[16:17], -1
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[8:11], v3, s[20:23], 0 offen
	buffer_store_dwordx4 v[4:7], v2, s[20:23], 0 offen
	s_cbranch_scc0 .LBB1_2
.LBB1_6:
	s_andn2_b64 vcc, exec, s[16:17]
	s_cbranch_vccnz .LBB1_8
	s_waitcnt lgkmcnt(0)
	s_barrier
.LBB1_8:
	s_abs_i32 s17, s2
	s_mul_hi_u32 s18, s17, s76
	s_mul_i32 s24, s18, s73
	s_ashr_i32 s16, s2, 31
	s_sub_i32 s17, s17, s24
	s_xor_b32 s16, s16, s75
	s_add_i32 s24, s18, 1
	s_sub_i32 s25, s17, s73
	s_cmp_ge_u32 s17, s73
	s_cselect_b32 s18, s24, s18
	s_cselect_b32 s17, s25, s17
	s_add_i32 s24, s18, 1
	s_cmp_ge_u32 s17, s73
	s_cselect_b32 s17, s24, s18
	s_xor_b32 s17, s17, s16
	s_sub_i32 s16, s17, s16
	s_mul_i32 s17, s16, s63
	s_sub_i32 s18, s2, s17
	s_and_b64 s[24:25], s[42:43], exec
	s_cselect_b32 s24, 0, s18
	s_cselect_b32 s25, s18, 0
	s_andn2_b64 vcc, exec, s[44:45]
	s_cbranch_vccnz .LBB1_14
	s_ashr_i32 s17, s18, 31
	s_lshr_b32 s17, s17, 29
	s_add_i32 s17, s18, s17
	s_and_b32 s24, s17, -8
	s_sub_i32 s18, s18, s24
	s_cmp_gt_i32 s18, s69
	s_mov_b64 s[24:25], -1
	s_cbranch_scc1 .LBB1_11
	s_mul_i32 s26, s18, s68
	s_mov_b64 s[24:25], 0
.LBB1_11:
	s_andn2_b64 vcc, exec, s[24:25]
	s_cbranch_vccnz .LBB1_13
	s_mul_i32 s18, s18, s70
	s_add_i32 s26, s18, s69
.LBB1_13:
	s_ashr_i32 s17, s17, 3
	s_add_i32 s17, s26, s17
	s_abs_i32 s24, s17
	s_mul_hi_u32 s25, s24, s60
	s_mul_i32 s26, s25, s53
	s_ashr_i32 s18, s17, 31
	s_sub_i32 s24, s24, s26
	s_xor_b32 s18, s18, s59
	s_add_i32 s26, s25, 1
	s_sub_i32 s27, s24, s53
	s_cmp_ge_u32 s24, s53
	s_cselect_b32 s25, s26, s25
	s_cselect_b32 s24, s27, s24
	s_add_i32 s26, s25, 1
	s_cmp_ge_u32 s24, s53
	s_cselect_b32 s24, s26, s25
	s_xor_b32 s24, s24, s18
	s_sub_i32 s18, s24, s18
	s_mul_i32 s24, s18, s48
	s_sub_i32 s17, s17, s24
	s_cmp_ge_i32 s18, s71
	s_cselect_b32 s24, s72, 4
	s_abs_i32 s26, s24
	v_cvt_f32_u32_e32 v2, s26
	s_ashr_i32 s25, s18, 31
	s_lshr_b32 s25, s25, 30
	s_add_i32 s25, s18, s25
	v_rcp_iflag_f32_e32 v2, v2
	s_and_b32 s27, s25, -4
	s_sub_i32 s18, s18, s27
	s_sub_i32 s39, 0, s26
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_mul_i32 s18, s18, s48
	s_add_i32 s18, s18, s17
	s_abs_i32 s25, s18
	v_readfirstlane_b32 s77, v2
	s_mul_i32 s39, s39, s77
	s_mul_hi_u32 s39, s77, s39
	s_add_i32 s77, s77, s39
	s_mul_hi_u32 s39, s25, s77
	s_mul_i32 s77, s39, s26
	s_xor_b32 s17, s18, s24
	s_sub_i32 s25, s25, s77
	s_ashr_i32 s17, s17, 31
	s_add_i32 s77, s39, 1
	s_sub_i32 s78, s25, s26
	s_cmp_ge_u32 s25, s26
	s_cselect_b32 s39, s77, s39
	s_cselect_b32 s25, s78, s25
	s_add_i32 s77, s39, 1
	s_cmp_ge_u32 s25, s26
	s_cselect_b32 s25, s77, s39
	s_xor_b32 s25, s25, s17
	s_sub_i32 s25, s25, s17
	s_mul_i32 s24, s24, s25
	s_sub_i32 s17, s27, s24
	s_add_i32 s24, s17, s18
.LBB1_14:
	s_lshl_b32 s18, s31, 4
	s_abs_i32 s26, s18
	v_cvt_f32_u32_e32 v2, s26
	s_sub_i32 s39, 0, s26
	s_add_i32 s27, s51, s18
	s_xor_b32 s18, s27, s18
	v_rcp_iflag_f32_e32 v4, v2
	s_abs_i32 s27, s27
	s_ashr_i32 s17, s16, 31
	s_ashr_i32 s18, s18, 31
	v_mul_f32_e32 v4, 0x4f7ffffe, v4
	v_cvt_u32_f32_e32 v4, v4
	v_mov_b64_e32 v[2:3], s[36:37]
	v_cmp_ge_u64_e32 vcc, s[16:17], v[2:3]
	v_readfirstlane_b32 s77, v4
	s_mul_i32 s39, s39, s77
	s_mul_hi_u32 s39, s77, s39
	s_add_i32 s77, s77, s39
	s_mul_hi_u32 s39, s27, s77
	s_mul_i32 s77, s39, s26
	s_sub_i32 s27, s27, s77
	s_add_i32 s78, s39, 1
	s_sub_i32 s77, s27, s26
	s_cmp_ge_u32 s27, s26
	s_cselect_b32 s39, s78, s39
	s_cselect_b32 s27, s77, s27
	s_add_i32 s77, s39, 1
	s_cmp_ge_u32 s27, s26
	s_cselect_b32 s26, s77, s39
	s_xor_b32 s26, s26, s18
	s_sub_i32 s18, s26, s18
	s_lshl_b32 s26, s18, 4
	s_mul_i32 s39, s26, s16
	s_mov_b64 s[16:17], -1
	s_cbranch_vccz .LBB1_16
	s_mul_i32 s16, s26, s36
	s_sub_i32 s18, s4, s16
	s_mov_b64 s[16:17], 0
.LBB1_16:
	s_andn2_b64 vcc, exec, s[16:17]
	s_cbranch_vccnz .LBB1_18
	s_mov_b32 s18, s26
.LBB1_18:
	s_lshr_b64 s[16:17], s[24:25], 26
	s_lshl_b32 s77, s24, 6
	s_and_b32 s78, s16, 0xffffffc0
	s_ashr_i64 s[24:25], s[38:39], 31
	s_add_u32 s16, s64, s24
	s_addc_u32 s17, s65, s25
	s_add_u32 s24, s66, s24
	s_addc_u32 s25, s67, s25
	s_add_u32 s26, -1, s62
	s_addc_u32 s27, s18, 0
	s_mul_i32 s27, s27, 0
	s_mul_hi_u32 s39, 0, s26
	s_add_i32 s27, s39, s27
	s_mul_i32 s26, s5, s26
	s_add_i32 s27, s27, s26
	s_add_i32 s26, s18, -1
	s_add_u32 s39, s26, 1
	s_add_u32 s80, s27, s39
	s_add_u32 s27, -1, s7
	s_addc_u32 s79, s18, 0
	s_mul_i32 s79, s79, 0
	s_mul_hi_u32 s81, 0, s27
	s_add_i32 s79, s81, s79
	s_mul_i32 s27, s56, s27
	s_add_i32 s79, s79, s27
	s_add_u32 s79, s79, s39
	s_add_i32 s39, s18, 63
	s_cmpk_lt_i32 s39, 0xc0
	s_cbranch_scc0 .LBB1_21
	s_cmp_gt_u32 s26, 63
	s_cbranch_scc0 .LBB1_22
	v_readfirstlane_b32 s81, v0
	s_lshr_b32 s82, s81, 2
	s_and_b32 s18, s82, 0x3ffffff0
	v_add_u32_e32 v6, s18, v20
	v_add_u32_e32 v2, s77, v6
	v_mad_u64_u32 v[2:3], s[26:27], v2, s54, v[18:19]
	v_add_u32_e32 v3, s78, v6
	v_mad_u64_u32 v[4:5], s[26:27], v3, s6, v[18:19]
	s_lshl_b32 s18, s80, 1
	v_lshlrev_b32_e32 v3, 1, v2
	buffer_load_dwordx4 v[8:11], v3, s[16:19], 0 offen
	v_add_lshl_u32 v2, v2, s54, 1
	buffer_load_dwordx4 v[12:15], v2, s[16:19], 0 offen
	s_lshl_b32 s26, s79, 1
	s_mov_b32 s27, s19
	v_lshlrev_b32_e32 v5, 1, v4
	buffer_load_dwordx4 v[42:45], v5, s[24:27], 0 offen
	v_add_lshl_u32 v4, v4, s6, 1
	buffer_load_dwordx4 v[46:49], v4, s[24:27], 0 offen
	buffer_load_dwordx4 v[50:53], v3, s[16:19], 0 offen offset:128
	buffer_load_dwordx4 v[54:57], v2, s[16:19], 0 offen offset:128
	buffer_load_dwordx4 v[58:61], v5, s[24:27], 0 offen offset:128
	buffer_load_dwordx4 v[62:65], v4, s[24:27], 0 offen offset:128
	s_lshr_b32 s18, s81, 1
	s_and_b32 s26, s82, 0x1ffffe0
	v_and_or_b32 v2, s18, 32, v23
	v_or_b32_e32 v3, s26, v23
	v_lshl_or_b32 v19, v2, 7, v33
	v_lshl_or_b32 v22, v6, 7, v32
	v_lshl_or_b32 v34, v3, 7, v33
	v_add_u32_e32 v35, v25, v19
	v_add_u32_e32 v36, v26, v19
	v_add_u32_e32 v37, v27, v19
	v_lshl_add_u32 v38, v24, 1, v22
	v_add_u32_e32 v39, v25, v34
	v_add_u32_e32 v40, v26, v34
	v_add_u32_e32 v41, v27, v34
	s_waitcnt vmcnt(7)
	ds_write_b128 v22, v[8:11]
	s_waitcnt vmcnt(6)
	ds_write_b128 v38, v[12:15] offset:128
	s_waitcnt vmcnt(5)
	ds_write_b128 v22, v[42:45] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v38, v[46:49] offset:8320
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[42:45], v34
	ds_read_b128 v[46:49], v39
	ds_read_b128 v[66:69], v40
	ds_read_b128 v[70:73], v41
	ds_read_b128 v[74:77], v19 offset:8192
	ds_read_b128 v[78:81], v35 offset:8192
	ds_read_b128 v[82:85], v36 offset:8192
	ds_read_b128 v[86:89], v37 offset:8192
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[74:75], 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(3)
	ds_write_b128 v22, v[50:53]
	s_waitcnt vmcnt(2)
	ds_write_b128 v38, v[54:57] offset:128
	s_waitcnt vmcnt(1)
	ds_write_b128 v22, v[58:61] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v38, v[62:65] offset:8320
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[76:77], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[78:79], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[80:81], v[2:17]
	ds_read_b128 v[42:45], v34
	ds_read_b128 v[46:49], v19 offset:8192
	ds_read_b128 v[50:53], v39
	ds_read_b128 v[54:57], v35 offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[66:67], v[82:83], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[68:69], v[84:85], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[86:87], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[72:73], v[88:89], v[2:17]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[46:47], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[48:49], v[2:17]
	ds_read_b128 v[42:45], v40
	ds_read_b128 v[46:49], v36 offset:8192
	ds_read_b128 v[38:41], v41
	ds_read_b128 v[34:37], v37 offset:8192
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 v[2:17], v[50:51], v[54:55], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[46:47], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[48:49], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[38:39], v[34:35], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[36:37], v[2:17]
	s_cbranch_execz .LBB1_23
	s_branch .LBB1_24
.LBB1_21:
	s_branch .LBB1_25
.LBB1_22:
.LBB1_23:
	v_readfirstlane_b32 s81, v0
	s_lshr_b32 s82, s81, 2
	s_and_b32 s18, s82, 0x3ffffff0
	s_nop 5
	v_add_u32_e32 v6, s18, v20
	v_add_u32_e32 v2, s77, v6
	v_mad_u64_u32 v[2:3], s[26:27], v2, s54, v[18:19]
	v_add_u32_e32 v3, s78, v6
	v_mad_u64_u32 v[4:5], s[26:27], v3, s6, v[18:19]
	s_lshl_b32 s18, s80, 1
	v_lshlrev_b32_e32 v3, 1, v2
	v_add_lshl_u32 v2, v2, s54, 1
	buffer_load_dwordx4 v[12:15], v3, s[16:19], 0 offen
	buffer_load_dwordx4 v[34:37], v2, s[16:19], 0 offen
	s_lshl_b32 s26, s79, 1
	s_mov_b32 s27, s19
	v_lshlrev_b32_e32 v2, 1, v4
	v_add_lshl_u32 v3, v4, s6, 1
	buffer_load_dwordx4 v[38:41], v2, s[24:27], 0 offen
	buffer_load_dwordx4 v[42:45], v3, s[24:27], 0 offen
	s_lshr_b32 s18, s81, 1
	s_and_b32 s26, s82, 0x1ffffe0
	v_and_or_b32 v2, s18, 32, v23
	v_or_b32_e32 v3, s26, v23
	v_lshl_or_b32 v2, v2, 7, v33
	v_lshl_or_b32 v4, v6, 7, v32
	v_lshl_or_b32 v3, v3, 7, v33
	v_add_u32_e32 v5, v25, v2
	v_add_u32_e32 v6, v26, v2
	v_add_u32_e32 v7, v27, v2
	v_lshl_add_u32 v8, v24, 1, v4
	v_add_u32_e32 v9, v25, v3
	v_add_u32_e32 v10, v26, v3
	v_add_u32_e32 v11, v27, v3
	s_waitcnt vmcnt(3)
	ds_write_b128 v4, v[12:15]
	s_waitcnt vmcnt(2)
	ds_write_b128 v8, v[34:37] offset:128
	s_waitcnt vmcnt(1)
	ds_write_b128 v4, v[38:41] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v8, v[42:45] offset:8320
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[34:37], v3
	ds_read_b128 v[38:41], v9
	ds_read_b128 v[42:45], v10
	ds_read_b128 v[46:49], v11
	ds_read_b128 v[50:53], v2 offset:8192
	ds_read_b128 v[54:57], v5 offset:8192
	ds_read_b128 v[58:61], v6 offset:8192
	ds_read_b128 v[62:65], v7 offset:8192
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[34:35], v[50:51], 0
	v_mfma_f32_32x32x8_f16 v[2:17], v[36:37], v[52:53], v[2:17]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[38:39], v[54:55], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[56:57], v[2:17]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[58:59], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[60:61], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[62:63], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[64:65], v[2:17]
.LBB1_24:
	s_cbranch_execnz .LBB1_5
.LBB1_25:
	v_readfirstlane_b32 s81, v0
	s_lshr_b32 s82, s81, 2
	s_and_b32 s18, s82, 0x3ffffff0
	s_nop 6
	v_add_u32_e32 v6, s18, v20
	s_add_i32 s18, s18, s78
	v_add_u32_e32 v4, s77, v6
	v_add_u32_e32 v2, s18, v1
	v_mad_u64_u32 v[2:3], s[26:27], v2, s47, v[18:19]
	v_mad_u64_u32 v[4:5], s[26:27], v4, s46, v[18:19]
	s_lshl_b32 s18, s80, 1
	v_lshlrev_b32_e32 v3, 1, v4
	buffer_load_dwordx4 v[10:13], v3, s[16:19], 0 offen
	v_add_lshl_u32 v5, v4, s54, 1
	buffer_load_dwordx4 v[14:17], v5, s[16:19], 0 offen
	s_lshl_b32 s26, s79, 1
	s_mov_b32 s27, s19
	v_lshlrev_b32_e32 v7, 1, v2
	buffer_load_dwordx4 v[42:45], v7, s[24:27], 0 offen
	v_add_lshl_u32 v8, v2, s6, 1
	buffer_load_dwordx4 v[46:49], v8, s[24:27], 0 offen
	buffer_load_dwordx4 v[86:89], v3, s[16:19], 0 offen offset:128
	buffer_load_dwordx4 v[58:61], v5, s[16:19], 0 offen offset:128
	buffer_load_dwordx4 v[66:69], v7, s[24:27], 0 offen offset:128
	buffer_load_dwordx4 v[62:65], v8, s[24:27], 0 offen offset:128
	s_lshr_b32 s79, s81, 1
	s_and_b32 s80, s82, 0x1ffffe0
	v_and_or_b32 v3, s79, 32, v23
	v_or_b32_e32 v5, s80, v23
	v_lshl_or_b32 v34, v3, 7, v33
	v_lshl_or_b32 v3, v6, 7, v32
	v_lshl_or_b32 v35, v5, 7, v33
	v_add_u32_e32 v36, v25, v34
	v_add_u32_e32 v37, v26, v34
	v_add_u32_e32 v38, v27, v34
	v_lshl_add_u32 v5, v24, 1, v3
	v_add_u32_e32 v39, v25, v35
	v_add_u32_e32 v40, v26, v35
	v_add_u32_e32 v41, v27, v35
	s_lshr_b32 s39, s39, 6
	v_add_u32_e32 v19, 0x80, v2
	v_add_u32_e32 v22, 0x80, v4
	s_waitcnt vmcnt(7)
	ds_write_b128 v3, v[10:13]
	s_waitcnt vmcnt(6)
	ds_write_b128 v5, v[14:17] offset:128
	s_waitcnt vmcnt(5)
	ds_write_b128 v3, v[42:45] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v5, v[46:49] offset:8320
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[78:81], v35
	ds_read_b128 v[70:73], v39
	ds_read_b128 v[46:49], v40
	ds_read_b128 v[42:45], v41
	ds_read_b128 v[82:85], v34 offset:8192
	ds_read_b128 v[74:77], v36 offset:8192
	ds_read_b128 v[54:57], v37 offset:8192
	ds_read_b128 v[50:53], v38 offset:8192
	s_add_i32 s39, s39, -1
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
.LBB1_26:
	v_readfirstlane_b32 s79, v0
	s_lshr_b32 s79, s79, 2
	s_and_b32 s79, s79, 0x1fffff0
	v_add_u32_e32 v90, s79, v20
	v_lshl_or_b32 v90, v90, 7, v32
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(3)
	ds_write_b128 v90, v[86:89]
	v_mfma_f32_32x32x8_f16 v[2:17], v[78:79], v[82:83], v[2:17]
	v_lshlrev_b32_e32 v78, 1, v22
	v_lshl_add_u32 v79, v24, 1, v90
	buffer_load_dwordx4 v[86:89], v78, s[16:19], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b128 v79, v[58:61] offset:128
	v_add_lshl_u32 v58, v22, s54, 1
	v_add_u32_e32 v22, 64, v22
	v_mfma_f32_32x32x8_f16 v[2:17], v[80:81], v[84:85], v[2:17]
	buffer_load_dwordx4 v[58:61], v58, s[16:19], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b128 v90, v[66:69] offset:8192
	v_lshlrev_b32_e32 v66, 1, v19
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[74:75], v[2:17]
	v_add_lshl_u32 v70, v19, s6, 1
	buffer_load_dwordx4 v[66:69], v66, s[24:27], 0 offen
	s_waitcnt vmcnt(3)
	ds_write_b128 v79, v[62:65] offset:8320
	v_add_u32_e32 v19, 64, v19
	v_mfma_f32_32x32x8_f16 v[2:17], v[72:73], v[76:77], v[2:17]
	buffer_load_dwordx4 v[62:65], v70, s[24:27], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[78:81], v35
	ds_read_b128 v[70:73], v39
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[54:55], v[2:17]
	ds_read_b128 v[82:85], v34 offset:8192
	ds_read_b128 v[74:77], v36 offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[56:57], v[2:17]
	ds_read_b128 v[46:49], v40
	ds_read_b128 v[54:57], v37 offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[50:51], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[52:53], v[2:17]
	ds_read_b128 v[42:45], v41
	ds_read_b128 v[50:53], v38 offset:8192
	s_add_i32 s39, s39, -1
	s_cmp_lg_u32 s39, 0
	s_cbranch_scc1 .LBB1_26
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 v[2:17], v[78:79], v[82:83], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[80:81], v[84:85], v[2:17]
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[74:75], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[72:73], v[76:77], v[2:17]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[54:55], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[56:57], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[50:51], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[44:45], v[52:53], v[2:17]
	s_branch .LBB1_5
.LBB1_28:
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 16384
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 432
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
	.set ck_gemm.numbered_sgpr, 83
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
      - .offset:         176
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         180
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         184
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         188
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         190
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         192
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         194
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         196
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         198
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         216
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         224
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         232
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         240
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 16384
    .kernarg_segment_align: 8
    .kernarg_segment_size: 432
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     89
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
