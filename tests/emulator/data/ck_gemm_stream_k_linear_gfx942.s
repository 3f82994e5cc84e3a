; CK's Stream-K GEMM for gfx942 (32 x 64 x 32 tile, one wave, fp16), linear reduction, compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_load_dwordx4 s[16:19], s[0:1], 0x0
	s_load_dwordx4 s[8:11], s[0:1], 0x50
	s_load_dwordx4 s[12:15], s[0:1], 0xbc
	s_load_dwordx2 s[6:7], s[0:1], 0xcc
	s_load_dwordx2 s[40:41], s[0:1], 0x64
	s_waitcnt lgkmcnt(0)
	s_load_dword s15, s[0:1], 0x8c
	s_mov_b64 s[34:35], s[10:11]
	s_mov_b64 s[4:5], -1
	s_cmp_ge_i32 s2, s7
	s_cbranch_scc1 .LBB1_3
	s_andn2_b64 vcc, exec, s[4:5]
	s_cbranch_vccz .LBB1_30
.LBB1_2:
	s_endpgm
.LBB1_3:
	s_load_dword s3, s[0:1], 0xc8
	s_sub_i32 s42, s2, s7
	s_min_i32 s4, s42, s14
	s_mul_i32 s5, s42, s13
	s_add_i32 s4, s5, s4
	s_waitcnt lgkmcnt(0)
	s_add_i32 s63, s4, s3
	s_cmp_lt_i32 s42, s14
	s_addc_u32 s3, s63, s13
	s_cmp_ge_i32 s63, s3
	s_cbranch_scc1 .LBB1_29
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, _ZN7ck_tile26StreamKTilePartitionerBaseINS_13TileGemmShapeINS_8sequenceIJLi32ELi64ELi32EEEENS2_IJLi1ELi1ELi1EEEENS2_IJLi32ELi32ELi16EEEELb0ELb0EEELNS_24StreamKReductionStrategyE1EE9NPerBlockE@rel32@lo+4
	s_addc_u32 s5, s5, _ZN7ck_tile26StreamKTilePartitionerBaseINS_13TileGemmShapeINS_8sequenceIJLi32ELi64ELi32EEEENS2_IJLi1ELi1ELi1EEEENS2_IJLi32ELi32ELi16EEEELb0ELb0EEELNS_24StreamKReductionStrategyE1EE9NPerBlockE@rel32@hi+12
	s_load_dword s7, s[4:5], 0x0
	s_load_dwordx2 s[44:45], s[0:1], 0x98
	s_load_dword s20, s[0:1], 0xb4
	s_add_i32 s21, s6, 63
	s_ashr_i32 s23, s21, 31
	s_lshr_b32 s23, s23, 26
	s_ashr_i32 s43, s42, 31
	s_waitcnt lgkmcnt(0)
	s_mul_i32 s4, s7, 0x7c
	s_mul_i32 s48, s7, 0xffffffe5
	s_add_i32 s21, s21, s23
	s_lshl_b64 s[10:11], s[42:43], 13
	s_add_i32 s22, s4, 0x100
	s_add_i32 s48, s48, 32
	s_ashr_i32 s49, s21, 6
	s_add_i32 s21, s34, 0x7fffffff
	s_add_u32 s10, s44, s10
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_addc_u32 s11, s45, s11
	s_lshl_b32 s20, s20, 2
	v_mbcnt_hi_u32_b32 v2, -1, v1
	s_ashr_i32 s26, s20, 31
	s_mov_b32 s43, 0
	v_lshrrev_b32_e32 v1, 5, v2
	v_lshlrev_b32_e32 v3, 2, v2
	s_add_u32 s24, s10, s20
	v_and_or_b32 v1, v3, 4, v1
	v_lshlrev_b32_e32 v3, 3, v2
	s_addc_u32 s25, s11, s26
	s_lshl_b64 s[10:11], s[42:43], 2
	v_and_b32_e32 v34, 31, v2
	v_and_b32_e32 v36, 24, v3
	v_lshrrev_b32_e32 v3, 1, v2
	s_add_u32 s46, s44, s10
	v_and_b32_e32 v35, 62, v3
	v_bfe_u32 v3, v2, 1, 4
	v_bfe_u32 v4, v34, 1, 3
	v_add_u32_e32 v41, 2, v1
	s_addc_u32 s47, s45, s11
	v_xor_b32_e32 v5, v1, v4
	v_lshlrev_b32_e32 v3, 7, v3
	v_xor_b32_e32 v4, v41, v4
	s_add_u32 s52, s44, s20
	v_and_b32_e32 v37, 0x7c, v2
	v_and_b32_e32 v40, 3, v2
	v_lshl_or_b32 v42, v5, 4, v3
	v_lshl_add_u32 v43, v4, 4, v3
	v_bfe_u32 v3, v2, 1, 3
	v_lshrrev_b32_e32 v2, 3, v2
	s_addc_u32 s53, s45, s26
	s_abs_i32 s54, s12
	v_and_b32_e32 v44, 12, v2
	v_cvt_f32_u32_e32 v2, s54
	s_mul_i32 s21, s21, s15
	v_xor_b32_e32 v5, v1, v3
	v_xor_b32_e32 v3, v41, v3
	v_rcp_iflag_f32_e32 v2, v2
	s_add_i32 s10, s35, s21
	s_sub_i32 s20, 0, s54
	v_sub_u32_e32 v5, v5, v4
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_sub_u32_e32 v3, v3, v4
	v_lshlrev_b32_e32 v5, 4, v5
	v_lshlrev_b32_e32 v3, 4, v3
	v_readfirstlane_b32 s21, v2
	s_mul_i32 s20, s20, s21
	s_mov_b32 s23, 0x20000
	s_mul_hi_u32 s20, s21, s20
	s_mul_i32 s33, s7, 5
	v_cmp_eq_u32_e64 s[4:5], 0, v0
	s_mov_b32 s50, s40
	s_mov_b32 s51, s35
	s_mov_b32 s26, s22
	s_mov_b32 s27, s23
	v_lshlrev_b32_e32 v45, 1, v34
	v_lshlrev_b32_e32 v46, 1, v36
	s_lshl_b32 s10, s10, 1
	s_mov_b32 s11, s23
	s_ashr_i32 s55, s12, 31
	s_add_i32 s56, s21, s20
	v_lshlrev_b32_e32 v47, 4, v40
	s_lshl_b32 s57, s41, 1
	v_or_b32_e32 v48, 2, v37
	v_or_b32_e32 v49, 3, v37
	v_or_b32_e32 v50, 1, v37
	s_lshl_b32 s58, s40, 1
	v_or_b32_e32 v51, 1, v35
	v_mov_b32_e32 v52, s49
	v_add_u32_e32 v53, v43, v5
	v_add_u32_e32 v54, v43, v3
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v38, 1
	s_branch .LBB1_7
.LBB1_5:
	v_readfirstlane_b32 s20, v0
	s_lshr_b32 s20, s20, 1
	v_cvt_f16_f32_e32 v18, v18
	s_and_b32 s21, s20, 0x3ffffe0
	v_cvt_f16_f32_e32 v19, v19
	v_or_b32_e32 v55, s21, v44
	v_cvt_f16_f32_e32 v20, v20
	v_cvt_f16_f32_e32 v21, v21
	v_lshl_or_b32 v55, v55, 6, v45
	s_and_b32 s20, s20, 0x7fffffe0
	s_waitcnt lgkmcnt(0)
	v_cvt_f16_f32_e32 v22, v22
	v_cvt_f16_f32_e32 v23, v23
	v_cvt_f16_f32_e32 v24, v24
	v_cvt_f16_f32_e32 v25, v25
	v_cvt_f16_f32_e32 v26, v26
	v_cvt_f16_f32_e32 v27, v27
	v_cvt_f16_f32_e32 v28, v28
	v_cvt_f16_f32_e32 v29, v29
	v_cvt_f16_f32_e32 v30, v30
	v_cvt_f16_f32_e32 v31, v31
	v_cvt_f16_f32_e32 v32, v32
	v_cvt_f16_f32_e32 v33, v33
	ds_write_b16 v55, v18
	ds_write_b16 v55, v19 offset:64
	ds_write_b16 v55, v20 offset:128
	ds_write_b16 v55, v21 offset:192
	ds_write_b16 v55, v22 offset:512
	ds_write_b16 v55, v23 offset:576
	ds_write_b16 v55, v24 offset:640
	ds_write_b16 v55, v25 offset:704
	ds_write_b16 v55, v26 offset:1024
	ds_write_b16 v55, v27 offset:1088
	ds_write_b16 v55, v28 offset:1152
	ds_write_b16 v55, v29 offset:1216
	ds_write_b16 v55, v30 offset:1536
	ds_write_b16 v55, v31 offset:1600
	ds_write_b16 v55, v32 offset:1664
	ds_write_b16 v55, v33 offset:1728
	v_add_u32_e32 v18, s20, v35
	v_lshl_or_b32 v20, v18, 6, v46
	s_waitcnt lgkmcnt(0)
	ds_read_b128 v[22:25], v20 offset:64
	ds_read_b128 v[26:29], v20
	v_cvt_f16_f32_e32 v2, v2
	v_add_u32_e32 v19, s60, v18
	v_or_b32_e32 v18, s61, v36
	v_cvt_f16_f32_e32 v3, v3
	v_mad_u64_u32 v[18:19], s[20:21], v19, s15, v[18:19]
	v_cvt_f16_f32_e32 v4, v4
	v_lshlrev_b32_e32 v19, 1, v18
	v_add_lshl_u32 v18, v18, s15, 1
	v_cvt_f16_f32_e32 v5, v5
	v_cvt_f16_f32_e32 v6, v6
	v_cvt_f16_f32_e32 v7, v7
	v_cvt_f16_f32_e32 v8, v8
	v_cvt_f16_f32_e32 v9, v9
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[26:29], v19, s[8:11], 0 offen
	buffer_store_dwordx4 v[22:25], v18, s[8:11], 0 offen
	s_waitcnt lgkmcnt(0)
	v_cvt_f16_f32_e32 v10, v10
	v_cvt_f16_f32_e32 v11, v11
	v_cvt_f16_f32_e32 v12, v12
	v_cvt_f16_f32_e32 v13, v13
	v_cvt_f16_f32_e32 v14, v14
	v_cvt_f16_f32_e32 v15, v15
	v_cvt_f16_f32_e32 v16, v16
	v_cvt_f16_f32_e32 v17, v17
	ds_write_b16 v55, v2
	ds_write_b16 v55, v3 offset:64
	ds_write_b16 v55, v4 offset:128
	ds_write_b16 v55, v5 offset:192
	ds_write_b16 v55, v6 offset:512
	ds_write_b16 v55, v7 offset:576
	ds_write_b16 v55, v8 offset:640
	ds_write_b16 v55, v9 offset:704
	ds_write_b16 v55, v10 offset:1024
	ds_write_b16 v55, v11 offset:1088
	ds_write_b16 v55, v12 offset:1152
	ds_write_b16 v55, v13 offset:1216
	ds_write_b16 v55, v14 offset:1536
	ds_write_b16 v55, v15 offset:1600
	ds_write_b16 v55, v16 offset:1664
	ds_write_b16 v55, v17 offset:1728
	s_waitcnt lgkmcnt(0)
	ds_read_b128 v[2:5], v20
	ds_read_b128 v[6:9], v20 offset:64
	s_waitcnt lgkmcnt(1)
	buffer_store_dwordx4 v[2:5], v19, s[8:11], 0 offen offset:64
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[6:9], v18, s[8:11], 0 offen offset:64
.LBB1_6:
	s_cmp_lt_i32 s59, s3
	s_mov_b32 s63, s59
	s_waitcnt lgkmcnt(0)
	s_cbranch_scc0 .LBB1_29
.LBB1_7:
	s_abs_i32 s21, s63
	s_mul_hi_u32 s28, s21, s56
	s_mul_i32 s29, s28, s54
	s_ashr_i32 s20, s63, 31
	s_sub_i32 s21, s21, s29
	s_xor_b32 s20, s20, s55
	s_add_i32 s29, s28, 1
	s_sub_i32 s30, s21, s54
	s_cmp_ge_u32 s21, s54
	s_cselect_b32 s28, s29, s28
	s_cselect_b32 s21, s30, s21
	s_add_i32 s29, s28, 1
	s_cmp_ge_u32 s21, s54
	s_cselect_b32 s21, s29, s28
	s_xor_b32 s21, s21, s20
	s_sub_i32 s67, s21, s20
	v_readfirstlane_b32 s21, v52
	s_abs_i32 s28, s21
	v_cvt_f32_u32_e32 v2, s28
	s_sub_i32 s29, 0, s28
	s_xor_b32 s21, s67, s21
	s_mul_i32 s64, s67, s12
	v_rcp_iflag_f32_e32 v2, v2
	s_ashr_i32 s68, s21, 31
	s_abs_i32 s21, s67
	s_add_i32 s59, s64, s12
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	s_min_i32 s20, s3, s59
	s_sub_i32 s65, s63, s64
	s_sub_i32 s66, s20, s64
	v_readfirstlane_b32 s30, v2
	s_mul_i32 s29, s29, s30
	s_mul_hi_u32 s29, s30, s29
	s_add_i32 s30, s30, s29
	s_mul_hi_u32 s29, s21, s30
	s_mul_i32 s30, s29, s28
	s_sub_i32 s21, s21, s30
	s_sub_i32 s62, s66, s65
	s_lshl_b32 s20, s65, 5
	s_add_i32 s30, s29, 1
	s_sub_i32 s31, s21, s28
	s_cmp_ge_u32 s21, s28
	s_cselect_b32 s29, s30, s29
	s_cselect_b32 s21, s31, s21
	s_add_i32 s30, s29, 1
	s_cmp_ge_u32 s21, s28
	s_cselect_b32 s21, s30, s29
	s_xor_b32 s69, s21, s68
	s_sub_i32 s21, s69, s68
	s_mul_i32 s70, s21, s49
	s_sub_i32 s28, s67, s70
	s_lshl_b32 s60, s21, 5
	s_ashr_i32 s21, s20, 31
	s_lshl_b32 s61, s28, 6
	s_lshl_b64 s[20:21], s[20:21], 1
	s_add_u32 s28, s16, s20
	s_addc_u32 s29, s17, s21
	s_add_u32 s36, s18, s20
	s_addc_u32 s37, s19, s21
	s_lshl_b32 s20, s62, 5
	s_add_u32 s21, -1, s34
	s_addc_u32 s30, s20, 0
	s_mul_i32 s30, s30, 0
	s_mul_hi_u32 s31, 0, s21
	s_add_i32 s30, s31, s30
	s_mul_i32 s21, s50, s21
	s_add_i32 s30, s30, s21
	s_add_i32 s21, s20, -1
	s_add_u32 s21, s21, 1
	s_add_u32 s72, s30, s21
	s_add_u32 s30, -1, s51
	s_addc_u32 s20, s20, 0
	s_mul_i32 s20, s20, 0
	s_mul_hi_u32 s31, 0, s30
	s_add_i32 s20, s31, s20
	s_mul_i32 s30, s41, s30
	s_add_i32 s20, s20, s30
	s_add_u32 s71, s20, s21
	s_cmp_lt_i32 s62, 3
	s_cbranch_scc0 .LBB1_10
	s_lshl_b32 s30, s72, 1
	s_cmp_lg_u32 s62, 1
	s_mov_b32 s31, s23
	s_cbranch_scc0 .LBB1_11
	v_readfirstlane_b32 s38, v0
	s_lshr_b32 s20, s38, 1
	s_and_b32 s73, s20, 0x7fffffe0
	v_add_u32_e32 v6, s73, v35
	v_add_u32_e32 v2, s60, v6
	v_mad_u64_u32 v[2:3], s[20:21], v2, s40, v[36:37]
	s_andn2_b32 s38, s38, 63
	v_add_u32_e32 v3, s38, v37
	v_add_u32_e32 v4, s61, v3
	v_mad_u64_u32 v[4:5], s[20:21], v4, s41, v[36:37]
	v_lshlrev_b32_e32 v5, 1, v2
	buffer_load_dwordx4 v[30:33], v5, s[28:31], 0 offen
	v_add_lshl_u32 v2, v2, s40, 1
	buffer_load_dwordx4 v[58:61], v2, s[28:31], 0 offen
	s_lshl_b32 s38, s71, 1
	s_mov_b32 s39, s23
	v_lshlrev_b32_e32 v7, 1, v4
	buffer_load_dwordx4 v[62:65], v7, s[36:39], 0 offen
	v_add_u32_e32 v4, s41, v4
	v_lshlrev_b32_e32 v8, 1, v4
	v_add_u32_e32 v4, s41, v4
	v_lshlrev_b32_e32 v11, 1, v4
	v_add_lshl_u32 v4, v4, s41, 1
	buffer_load_dwordx4 v[66:69], v8, s[36:39], 0 offen
	buffer_load_dwordx4 v[70:73], v11, s[36:39], 0 offen
	buffer_load_dwordx4 v[74:77], v4, s[36:39], 0 offen
	buffer_load_dwordx4 v[78:81], v7, s[36:39], 0 offen offset:64
	buffer_load_dwordx4 v[82:85], v5, s[28:31], 0 offen offset:64
	buffer_load_dwordx4 v[86:89], v2, s[28:31], 0 offen offset:64
	buffer_load_dwordx4 v[90:93], v8, s[36:39], 0 offen offset:64
	buffer_load_dwordx4 v[94:97], v11, s[36:39], 0 offen offset:64
	buffer_load_dwordx4 v[98:101], v4, s[36:39], 0 offen offset:64
	v_ashrrev_i32_e32 v17, 1, v6
	v_ashrrev_i32_e32 v18, 31, v6
	v_lshlrev_b32_e32 v19, 6, v6
	v_or_b32_e32 v20, 1, v6
	v_lshrrev_b32_e32 v6, 31, v6
	v_or_b32_e32 v14, 1, v3
	v_lshrrev_b32_e32 v15, 31, v3
	v_add_u32_e32 v6, v20, v6
	v_ashrrev_i32_e32 v12, 31, v3
	v_add_u32_e32 v21, v14, v15
	v_lshrrev_b32_e32 v18, 29, v18
	v_ashrrev_i32_e32 v26, 1, v6
	v_and_b32_e32 v27, 0x3ffffffe, v6
	v_ashrrev_i32_e32 v6, 31, v6
	v_ashrrev_i32_e32 v10, 1, v3
	v_lshrrev_b32_e32 v12, 29, v12
	v_ashrrev_i32_e32 v24, 1, v21
	v_and_b32_e32 v25, 0x3ffffffe, v21
	v_ashrrev_i32_e32 v21, 31, v21
	v_add_u32_e32 v18, v17, v18
	v_lshrrev_b32_e32 v6, 29, v6
	v_add_u32_e32 v23, v10, v12
	v_lshrrev_b32_e32 v4, 29, v21
	v_and_b32_e32 v5, -8, v18
	v_add_u32_e32 v6, v26, v6
	v_and_b32_e32 v23, -8, v23
	v_sub_u32_e32 v8, v20, v27
	v_add_u32_e32 v4, v24, v4
	v_sub_u32_e32 v5, v17, v5
	v_and_b32_e32 v6, 0xffffff8, v6
	v_sub_u32_e32 v2, v14, v25
	v_sub_u32_e32 v11, v10, v23
	v_lshl_or_b32 v8, v8, 2, v40
	v_xor_b32_e32 v5, v5, v40
	v_sub_u32_e32 v6, v26, v6
	v_and_b32_e32 v4, -8, v4
	v_lshlrev_b32_e32 v13, 5, v3
	v_sub_u32_e32 v7, v26, v17
	v_lshl_or_b32 v2, v2, 2, v40
	v_xor_b32_e32 v11, v11, v40
	v_lshl_add_u32 v55, v5, 4, v19
	v_xor_b32_e32 v6, v8, v6
	v_sub_u32_e32 v4, v24, v4
	v_sub_u32_e32 v28, v24, v10
	v_lshl_add_u32 v13, v11, 3, v13
	v_lshl_add_u32 v7, v7, 7, v55
	v_sub_u32_e32 v5, v6, v5
	v_xor_b32_e32 v2, v2, v4
	v_lshl_add_u32 v57, v5, 4, v7
	v_sub_u32_e32 v4, v2, v11
	v_lshl_add_u32 v5, v28, 6, v13
	v_lshl_add_u32 v4, v4, 3, v5
	v_or_b32_e32 v5, 1, v10
	v_add_u32_e32 v7, v5, v12
	v_and_b32_e32 v7, -8, v7
	v_sub_u32_e32 v7, v5, v7
	v_sub_u32_e32 v6, v5, v24
	v_xor_b32_e32 v7, v7, v40
	v_sub_u32_e32 v2, v7, v2
	v_lshlrev_b32_e32 v6, 6, v6
	v_lshlrev_b32_e32 v56, 1, v13
	s_waitcnt vmcnt(11)
	ds_write_b128 v55, v[30:33]
	s_waitcnt vmcnt(10)
	ds_write_b128 v57, v[58:61]
	s_waitcnt vmcnt(9)
	ds_write_b128 v56, v[62:65] offset:2048
	v_lshlrev_b32_e32 v58, 1, v4
	v_lshl_add_u32 v2, v2, 3, v6
	v_add_u32_e32 v4, v2, v4
	v_lshl_add_u32 v59, v2, 1, v58
	v_or_b32_e32 v2, 3, v3
	v_add_u32_e32 v3, v2, v15
	v_ashrrev_i32_e32 v6, 1, v3
	v_and_b32_e32 v8, 0x3ffffffe, v3
	v_ashrrev_i32_e32 v3, 31, v3
	v_lshrrev_b32_e32 v3, 29, v3
	v_add_u32_e32 v3, v6, v3
	v_sub_u32_e32 v2, v2, v8
	v_and_b32_e32 v3, 0xffffff8, v3
	v_lshl_or_b32 v2, v2, 2, v40
	v_sub_u32_e32 v3, v6, v3
	v_sub_u32_e32 v5, v6, v5
	v_xor_b32_e32 v2, v2, v3
	v_or_b32_e32 v9, s73, v34
	v_sub_u32_e32 v2, v2, v7
	v_lshlrev_b32_e32 v3, 7, v5
	v_lshrrev_b32_e32 v16, 1, v9
	v_bfe_u32 v9, v9, 1, 3
	v_lshl_add_u32 v2, v2, 4, v3
	v_xor_b32_e32 v22, v9, v1
	v_lshl_add_u32 v60, v4, 1, v2
	v_lshlrev_b32_e32 v2, 7, v16
	v_lshl_or_b32 v61, v22, 4, v2
	v_xor_b32_e32 v3, v9, v41
	s_waitcnt vmcnt(8)
	ds_write_b128 v58, v[66:69] offset:2048
	s_waitcnt vmcnt(7)
	ds_write_b128 v59, v[70:73] offset:2048
	s_waitcnt vmcnt(6)
	ds_write_b128 v60, v[74:77] offset:2048
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v62, v3, 4, v2
	ds_read_b128 v[64:67], v61
	ds_read_b128 v[2:5], v42 offset:2048
	ds_read_b128 v[68:71], v62
	ds_read_b128 v[72:75], v43 offset:2048
	ds_read_b128 v[102:105], v53 offset:4096
	ds_read_b128 v[106:109], v54 offset:4096
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 v[18:33], v[64:65], v[2:3], 0
	s_waitcnt vmcnt(4) lgkmcnt(0)
	ds_write_b128 v55, v[82:85]
	s_waitcnt vmcnt(3)
	ds_write_b128 v57, v[86:89]
	ds_write_b128 v56, v[78:81] offset:2048
	s_waitcnt vmcnt(2)
	ds_write_b128 v58, v[90:93] offset:2048
	s_waitcnt vmcnt(1)
	ds_write_b128 v59, v[94:97] offset:2048
	s_waitcnt vmcnt(0)
	ds_write_b128 v60, v[98:101] offset:2048
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[18:33], v[66:67], v[4:5], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[64:65], v[102:103], 0
	v_mfma_f32_32x32x8_f16 v[18:33], v[68:69], v[72:73], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[66:67], v[104:105], v[2:17]
	ds_read_b128 v[56:59], v61
	ds_read_b128 v[64:67], v42 offset:2048
	v_mfma_f32_32x32x8_f16 v[18:33], v[70:71], v[74:75], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[68:69], v[106:107], v[2:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[18:33], v[56:57], v[64:65], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[108:109], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[58:59], v[66:67], v[18:33]
	ds_read_b128 v[64:67], v53 offset:4096
	ds_read_b128 v[68:71], v54 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[56:57], v[64:65], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[58:59], v[66:67], v[2:17]
	ds_read_b128 v[56:59], v62
	ds_read_b128 v[60:63], v43 offset:2048
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[18:33], v[56:57], v[60:61], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[56:57], v[68:69], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[58:59], v[62:63], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[58:59], v[70:71], v[2:17]
	s_cbranch_execz .LBB1_12
	s_branch .LBB1_13
.LBB1_10:
	s_branch .LBB1_14
.LBB1_11:
.LBB1_12:
	v_readfirstlane_b32 s38, v0
	s_lshr_b32 s20, s38, 1
	s_and_b32 s73, s20, 0x7fffffe0
	s_nop 5
	v_add_u32_e32 v6, s73, v35
	v_add_u32_e32 v2, s60, v6
	v_mad_u64_u32 v[2:3], s[20:21], v2, s40, v[36:37]
	s_andn2_b32 s38, s38, 63
	v_add_u32_e32 v3, s38, v37
	v_add_u32_e32 v4, s61, v3
	v_mad_u64_u32 v[4:5], s[20:21], v4, s41, v[36:37]
	v_lshlrev_b32_e32 v5, 1, v2
	v_add_lshl_u32 v2, v2, s40, 1
	buffer_load_dwordx4 v[24:27], v5, s[28:31], 0 offen
	buffer_load_dwordx4 v[28:31], v2, s[28:31], 0 offen
	s_lshl_b32 s38, s71, 1
	s_mov_b32 s39, s23
	v_lshlrev_b32_e32 v2, 1, v4
	buffer_load_dwordx4 v[56:59], v2, s[36:39], 0 offen
	v_add_u32_e32 v2, s41, v4
	v_lshlrev_b32_e32 v4, 1, v2
	v_add_u32_e32 v2, s41, v2
	buffer_load_dwordx4 v[60:63], v4, s[36:39], 0 offen
	v_lshlrev_b32_e32 v4, 1, v2
	buffer_load_dwordx4 v[64:67], v4, s[36:39], 0 offen
	v_add_lshl_u32 v2, v2, s41, 1
	buffer_load_dwordx4 v[68:71], v2, s[36:39], 0 offen
	v_or_b32_e32 v15, 1, v6
	v_lshrrev_b32_e32 v2, 31, v6
	v_ashrrev_i32_e32 v7, 31, v3
	v_or_b32_e32 v9, 1, v3
	v_lshrrev_b32_e32 v10, 31, v3
	v_ashrrev_i32_e32 v13, 31, v6
	v_add_u32_e32 v2, v15, v2
	v_ashrrev_i32_e32 v5, 1, v3
	v_ashrrev_i32_e32 v12, 1, v6
	v_lshlrev_b32_e32 v14, 6, v6
	v_lshrrev_b32_e32 v6, 29, v7
	v_add_u32_e32 v7, v9, v10
	v_lshrrev_b32_e32 v13, 29, v13
	v_ashrrev_i32_e32 v20, 1, v2
	v_and_b32_e32 v21, 0x3ffffffe, v2
	v_ashrrev_i32_e32 v2, 31, v2
	v_add_u32_e32 v17, v5, v6
	v_ashrrev_i32_e32 v18, 1, v7
	v_and_b32_e32 v19, 0x3ffffffe, v7
	v_ashrrev_i32_e32 v7, 31, v7
	v_add_u32_e32 v13, v12, v13
	v_lshrrev_b32_e32 v2, 29, v2
	v_and_b32_e32 v17, -8, v17
	v_lshrrev_b32_e32 v7, 29, v7
	v_and_b32_e32 v13, -8, v13
	v_add_u32_e32 v2, v20, v2
	v_sub_u32_e32 v22, v18, v5
	v_sub_u32_e32 v9, v9, v19
	v_sub_u32_e32 v19, v20, v12
	v_sub_u32_e32 v15, v15, v21
	v_sub_u32_e32 v17, v5, v17
	v_add_u32_e32 v7, v18, v7
	v_sub_u32_e32 v12, v12, v13
	v_and_b32_e32 v2, 0xffffff8, v2
	v_or_b32_e32 v5, 1, v5
	v_lshl_or_b32 v13, v15, 2, v40
	v_and_b32_e32 v7, -8, v7
	v_xor_b32_e32 v12, v12, v40
	v_sub_u32_e32 v2, v20, v2
	v_add_u32_e32 v6, v5, v6
	v_lshlrev_b32_e32 v8, 5, v3
	v_lshl_or_b32 v9, v9, 2, v40
	v_xor_b32_e32 v15, v17, v40
	v_sub_u32_e32 v7, v18, v7
	v_lshl_add_u32 v14, v12, 4, v14
	v_xor_b32_e32 v2, v13, v2
	v_and_b32_e32 v6, -8, v6
	v_lshl_add_u32 v8, v15, 3, v8
	v_xor_b32_e32 v7, v9, v7
	v_lshl_add_u32 v9, v19, 7, v14
	v_sub_u32_e32 v2, v2, v12
	v_sub_u32_e32 v6, v5, v6
	v_lshlrev_b32_e32 v17, 1, v8
	v_lshl_add_u32 v8, v22, 6, v8
	v_sub_u32_e32 v13, v7, v15
	v_lshl_add_u32 v2, v2, 4, v9
	v_sub_u32_e32 v9, v5, v18
	v_xor_b32_e32 v6, v6, v40
	v_lshl_add_u32 v8, v13, 3, v8
	v_sub_u32_e32 v7, v6, v7
	v_lshlrev_b32_e32 v9, 6, v9
	v_lshl_add_u32 v7, v7, 3, v9
	v_or_b32_e32 v4, s73, v34
	s_waitcnt vmcnt(5)
	ds_write_b128 v14, v[24:27]
	s_waitcnt vmcnt(4)
	ds_write_b128 v2, v[28:31]
	s_waitcnt vmcnt(3)
	ds_write_b128 v17, v[56:59] offset:2048
	v_lshlrev_b32_e32 v2, 1, v8
	v_add_u32_e32 v8, v7, v8
	v_lshrrev_b32_e32 v11, 1, v4
	v_bfe_u32 v4, v4, 1, 3
	v_xor_b32_e32 v16, v4, v1
	s_waitcnt vmcnt(2)
	ds_write_b128 v2, v[60:63] offset:2048
	v_lshl_add_u32 v2, v7, 1, v2
	s_waitcnt vmcnt(1)
	ds_write_b128 v2, v[64:67] offset:2048
	v_or_b32_e32 v2, 3, v3
	v_add_u32_e32 v3, v2, v10
	v_ashrrev_i32_e32 v7, 1, v3
	v_and_b32_e32 v9, 0x3ffffffe, v3
	v_ashrrev_i32_e32 v3, 31, v3
	v_lshrrev_b32_e32 v3, 29, v3
	v_add_u32_e32 v3, v7, v3
	v_sub_u32_e32 v2, v2, v9
	v_and_b32_e32 v3, 0xffffff8, v3
	v_lshl_or_b32 v2, v2, 2, v40
	v_sub_u32_e32 v3, v7, v3
	v_sub_u32_e32 v5, v7, v5
	v_xor_b32_e32 v2, v2, v3
	v_sub_u32_e32 v2, v2, v6
	v_lshlrev_b32_e32 v3, 7, v5
	v_lshl_add_u32 v2, v2, 4, v3
	v_lshl_add_u32 v2, v8, 1, v2
	s_waitcnt vmcnt(0)
	ds_write_b128 v2, v[68:71] offset:2048
	v_lshlrev_b32_e32 v2, 7, v11
	v_xor_b32_e32 v4, v4, v41
	v_lshl_or_b32 v3, v16, 4, v2
	v_lshl_add_u32 v2, v4, 4, v2
	s_waitcnt lgkmcnt(0)
	ds_read_b128 v[56:59], v2
	ds_read_b128 v[60:63], v43 offset:2048
	ds_read_b128 v[4:7], v42 offset:2048
	ds_read_b128 v[64:67], v53 offset:4096
	ds_read_b128 v[68:71], v3
	ds_read_b128 v[72:75], v54 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[68:69], v[4:5], 0
	v_mfma_f32_32x32x8_f16 v[18:33], v[70:71], v[6:7], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[68:69], v[64:65], 0
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[66:67], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[56:57], v[60:61], v[18:33]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[56:57], v[72:73], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[58:59], v[62:63], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[58:59], v[74:75], v[2:17]
.LBB1_13:
	s_cbranch_execnz .LBB1_17
.LBB1_14:
	v_readfirstlane_b32 s21, v0
	s_lshr_b32 s20, s21, 1
	s_and_b32 s20, s20, 0x7fffffe0
	s_nop 6
	v_add_u32_e32 v6, s20, v35
	v_add_u32_e32 v7, s60, v6
	v_mad_u64_u32 v[2:3], s[30:31], v7, s40, v[36:37]
	s_andn2_b32 s21, s21, 63
	v_add_u32_e32 v3, s21, v37
	v_add_u32_e32 v8, s61, v3
	v_mad_u64_u32 v[4:5], s[30:31], v8, s41, v[36:37]
	s_lshl_b32 s30, s72, 1
	s_mov_b32 s31, s23
	v_lshlrev_b32_e32 v5, 1, v2
	v_add_lshl_u32 v2, v2, s40, 1
	s_nop 0
	buffer_load_dwordx4 v[56:59], v5, s[28:31], 0 offen
	buffer_load_dwordx4 v[60:63], v2, s[28:31], 0 offen
	s_lshl_b32 s38, s71, 1
	s_mov_b32 s39, s23
	v_lshlrev_b32_e32 v9, 1, v4
	buffer_load_dwordx4 v[88:91], v9, s[36:39], 0 offen
	v_add_u32_e32 v4, s41, v4
	v_lshlrev_b32_e32 v10, 1, v4
	v_add_u32_e32 v4, s41, v4
	v_lshlrev_b32_e32 v13, 1, v4
	buffer_load_dwordx4 v[92:95], v10, s[36:39], 0 offen
	buffer_load_dwordx4 v[96:99], v13, s[36:39], 0 offen
	v_add_lshl_u32 v4, v4, s41, 1
	buffer_load_dwordx4 v[100:103], v4, s[36:39], 0 offen
	buffer_load_dwordx4 v[84:87], v9, s[36:39], 0 offen offset:64
	buffer_load_dwordx4 v[80:83], v5, s[28:31], 0 offen offset:64
	buffer_load_dwordx4 v[68:71], v2, s[28:31], 0 offen offset:64
	buffer_load_dwordx4 v[72:75], v10, s[36:39], 0 offen offset:64
	buffer_load_dwordx4 v[76:79], v13, s[36:39], 0 offen offset:64
	buffer_load_dwordx4 v[64:67], v4, s[36:39], 0 offen offset:64
	v_ashrrev_i32_e32 v19, 1, v6
	v_ashrrev_i32_e32 v20, 31, v6
	v_lshlrev_b32_e32 v21, 6, v6
	v_or_b32_e32 v22, 1, v6
	v_lshrrev_b32_e32 v6, 31, v6
	v_ashrrev_i32_e32 v14, 31, v3
	v_add_u32_e32 v6, v22, v6
	v_ashrrev_i32_e32 v12, 1, v3
	v_lshrrev_b32_e32 v14, 29, v14
	v_lshrrev_b32_e32 v20, 29, v20
	v_ashrrev_i32_e32 v28, 1, v6
	v_and_b32_e32 v29, 0x3ffffffe, v6
	v_ashrrev_i32_e32 v6, 31, v6
	v_add_u32_e32 v25, v12, v14
	v_add_u32_e32 v20, v19, v20
	v_lshrrev_b32_e32 v6, 29, v6
	v_and_b32_e32 v25, -8, v25
	v_and_b32_e32 v4, -8, v20
	v_add_u32_e32 v6, v28, v6
	v_sub_u32_e32 v9, v22, v29
	v_sub_u32_e32 v10, v12, v25
	v_sub_u32_e32 v4, v19, v4
	v_and_b32_e32 v6, 0xffffff8, v6
	v_lshlrev_b32_e32 v15, 5, v3
	v_lshl_or_b32 v9, v9, 2, v40
	v_xor_b32_e32 v10, v10, v40
	v_xor_b32_e32 v4, v4, v40
	v_sub_u32_e32 v6, v28, v6
	v_or_b32_e32 v16, 1, v3
	v_lshrrev_b32_e32 v17, 31, v3
	v_sub_u32_e32 v5, v28, v19
	v_lshl_add_u32 v13, v10, 3, v15
	v_lshl_add_u32 v15, v4, 4, v21
	v_xor_b32_e32 v6, v9, v6
	v_add_u32_e32 v23, v16, v17
	v_lshl_add_u32 v5, v5, 7, v15
	v_sub_u32_e32 v4, v6, v4
	v_ashrrev_i32_e32 v26, 1, v23
	v_and_b32_e32 v27, 0x3ffffffe, v23
	v_ashrrev_i32_e32 v23, 31, v23
	v_lshl_add_u32 v4, v4, 4, v5
	v_sub_u32_e32 v2, v16, v27
	v_lshlrev_b32_e32 v16, 1, v13
	v_lshl_or_b32 v2, v2, 2, v40
	v_or_b32_e32 v6, 1, v12
	v_sub_u32_e32 v30, v26, v12
	v_lshl_add_u32 v5, v30, 6, v13
	v_sub_u32_e32 v9, v6, v26
	v_lshlrev_b32_e32 v9, 6, v9
	v_or_b32_e32 v11, s20, v34
	v_lshrrev_b32_e32 v18, 1, v11
	v_bfe_u32 v11, v11, 1, 3
	v_xor_b32_e32 v24, v11, v1
	s_waitcnt vmcnt(11)
	ds_write_b128 v15, v[56:59]
	s_waitcnt vmcnt(10)
	ds_write_b128 v4, v[60:63]
	s_waitcnt vmcnt(9)
	ds_write_b128 v16, v[88:91] offset:2048
	v_lshrrev_b32_e32 v4, 29, v23
	v_add_u32_e32 v4, v26, v4
	v_and_b32_e32 v4, -8, v4
	v_sub_u32_e32 v4, v26, v4
	v_xor_b32_e32 v2, v2, v4
	v_sub_u32_e32 v4, v2, v10
	v_add_u32_e32 v10, v6, v14
	v_and_b32_e32 v10, -8, v10
	v_sub_u32_e32 v10, v6, v10
	v_xor_b32_e32 v10, v10, v40
	v_lshl_add_u32 v4, v4, 3, v5
	v_sub_u32_e32 v2, v10, v2
	v_lshlrev_b32_e32 v5, 1, v4
	v_lshl_add_u32 v2, v2, 3, v9
	v_add_u32_e32 v4, v2, v4
	v_lshl_add_u32 v2, v2, 1, v5
	s_waitcnt vmcnt(8)
	ds_write_b128 v5, v[92:95] offset:2048
	s_waitcnt vmcnt(7)
	ds_write_b128 v2, v[96:99] offset:2048
	v_or_b32_e32 v2, 3, v3
	v_add_u32_e32 v3, v2, v17
	v_ashrrev_i32_e32 v5, 1, v3
	v_and_b32_e32 v9, 0x3ffffffe, v3
	v_ashrrev_i32_e32 v3, 31, v3
	v_lshrrev_b32_e32 v3, 29, v3
	v_add_u32_e32 v3, v5, v3
	v_sub_u32_e32 v2, v2, v9
	v_and_b32_e32 v3, 0xffffff8, v3
	v_lshl_or_b32 v2, v2, 2, v40
	v_sub_u32_e32 v3, v5, v3
	v_sub_u32_e32 v6, v5, v6
	v_xor_b32_e32 v2, v2, v3
	v_sub_u32_e32 v2, v2, v10
	v_lshlrev_b32_e32 v3, 7, v6
	v_lshl_add_u32 v2, v2, 4, v3
	v_lshl_add_u32 v2, v4, 1, v2
	s_waitcnt vmcnt(6)
	ds_write_b128 v2, v[100:103] offset:2048
	v_lshlrev_b32_e32 v2, 7, v18
	v_xor_b32_e32 v3, v11, v41
	v_lshl_add_u32 v56, v3, 4, v2
	s_waitcnt lgkmcnt(0)
	v_lshl_or_b32 v55, v24, 4, v2
	ds_read_b128 v[88:91], v56
	ds_read_b128 v[96:99], v43 offset:2048
	ds_read_b128 v[108:111], v42 offset:2048
	ds_read_b128 v[104:107], v53 offset:4096
	ds_read_b128 v[100:103], v55
	ds_read_b128 v[92:95], v54 offset:4096
	s_lshl_b32 s67, s67, 6
	s_add_i32 s21, s21, s67
	v_add_u32_e32 v2, s21, v48
	s_lshl_b32 s67, s70, 6
	v_subrev_u32_e32 v2, s67, v2
	v_mul_lo_u32 v2, s57, v2
	v_add_u32_e32 v57, 0x80, v2
	v_add_u32_e32 v2, s21, v49
	v_subrev_u32_e32 v2, s67, v2
	v_mul_lo_u32 v2, s57, v2
	v_add_u32_e32 v58, 0x80, v2
	v_add_u32_e32 v2, s21, v50
	v_subrev_u32_e32 v2, s67, v2
	v_mul_lo_u32 v2, s57, v2
	s_lshl_b32 s21, s69, 5
	v_add_u32_e32 v59, 0x80, v2
	v_mul_lo_u32 v2, s57, v8
	s_add_i32 s20, s20, s21
	v_add_u32_e32 v60, 0x80, v2
	v_add_u32_e32 v2, s20, v51
	s_lshl_b32 s20, s68, 5
	v_subrev_u32_e32 v2, s20, v2
	v_mul_lo_u32 v2, s58, v2
	v_add_u32_e32 v61, 0x80, v2
	v_mul_lo_u32 v2, s58, v7
	s_not_b32 s20, s65
	v_add_u32_e32 v62, 0x80, v2
	s_add_i32 s20, s20, s66
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
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
.LBB1_15:
	v_readfirstlane_b32 s21, v0
	s_lshr_b32 s65, s21, 1
	s_and_b32 s65, s65, 0x7fffffe0
	s_andn2_b32 s21, s21, 63
	v_add_u32_e32 v118, s65, v35
	v_add_u32_e32 v117, s21, v37
	v_ashrrev_i32_e32 v125, 31, v118
	v_ashrrev_i32_e32 v119, 1, v117
	v_ashrrev_i32_e32 v120, 31, v117
	v_lshlrev_b32_e32 v121, 5, v117
	v_or_b32_e32 v122, 1, v117
	v_lshrrev_b32_e32 v123, 31, v117
	v_or_b32_e32 v117, 3, v117
	v_ashrrev_i32_e32 v124, 1, v118
	v_lshlrev_b32_e32 v126, 6, v118
	v_or_b32_e32 v127, 1, v118
	v_lshrrev_b32_e32 v118, 31, v118
	v_lshrrev_b32_e32 v125, 29, v125
	v_add_u32_e32 v128, v122, v123
	v_add_u32_e32 v123, v117, v123
	v_add_u32_e32 v118, v127, v118
	v_add_u32_e32 v125, v124, v125
	v_and_b32_e32 v134, 0x3ffffffe, v123
	v_ashrrev_i32_e32 v135, 1, v118
	v_and_b32_e32 v125, -8, v125
	v_sub_u32_e32 v117, v117, v134
	v_sub_u32_e32 v134, v135, v124
	v_sub_u32_e32 v124, v124, v125
	v_xor_b32_e32 v124, v124, v40
	v_lshl_add_u32 v126, v124, 4, v126
	s_waitcnt lgkmcnt(0)
	v_and_b32_e32 v136, 0x3ffffffe, v118
	v_ashrrev_i32_e32 v118, 31, v118
	s_waitcnt vmcnt(4)
	ds_write_b128 v126, v[80:83]
	v_mfma_f32_32x32x8_f16 v[18:33], v[100:101], v[108:109], v[18:33]
	v_lshrrev_b32_e32 v118, 29, v118
	v_lshrrev_b32_e32 v120, 29, v120
	v_add_u32_e32 v118, v135, v118
	v_add_u32_e32 v130, v119, v120
	v_sub_u32_e32 v127, v127, v136
	v_and_b32_e32 v118, 0xffffff8, v118
	v_ashrrev_i32_e32 v131, 1, v128
	v_and_b32_e32 v130, -8, v130
	v_lshl_or_b32 v125, v127, 2, v40
	v_sub_u32_e32 v80, v135, v118
	v_add_u32_e32 v63, v47, v62
	v_or_b32_e32 v129, 1, v119
	v_sub_u32_e32 v137, v131, v119
	v_sub_u32_e32 v119, v119, v130
	v_xor_b32_e32 v108, v125, v80
	v_xor_b32_e32 v119, v119, v40
	v_lshl_add_u32 v109, v134, 7, v126
	buffer_load_dwordx4 v[80:83], v63, s[28:31], 0 offen
	v_sub_u32_e32 v63, v108, v124
	v_and_b32_e32 v132, 0x3ffffffe, v128
	v_ashrrev_i32_e32 v128, 31, v128
	v_lshl_add_u32 v63, v63, 4, v109
	v_lshl_add_u32 v109, v119, 3, v121
	v_add_u32_e32 v112, v47, v61
	v_lshrrev_b32_e32 v128, 29, v128
	s_waitcnt vmcnt(4)
	ds_write_b128 v63, v[68:71]
	v_mfma_f32_32x32x8_f16 v[18:33], v[102:103], v[110:111], v[18:33]
	v_lshlrev_b32_e32 v110, 1, v109
	v_add_u32_e32 v128, v131, v128
	buffer_load_dwordx4 v[68:71], v112, s[28:31], 0 offen
	ds_write_b128 v110, v[84:87] offset:2048
	v_add_u32_e32 v120, v129, v120
	v_sub_u32_e32 v122, v122, v132
	v_and_b32_e32 v63, -8, v128
	v_mfma_f32_32x32x8_f16 v[2:17], v[100:101], v[104:105], v[2:17]
	v_and_b32_e32 v120, -8, v120
	v_lshl_or_b32 v122, v122, 2, v40
	v_sub_u32_e32 v63, v131, v63
	v_sub_u32_e32 v120, v129, v120
	v_xor_b32_e32 v63, v122, v63
	v_ashrrev_i32_e32 v133, 1, v123
	v_ashrrev_i32_e32 v123, 31, v123
	v_sub_u32_e32 v132, v129, v131
	v_xor_b32_e32 v108, v120, v40
	v_lshl_add_u32 v84, v137, 6, v109
	v_sub_u32_e32 v85, v63, v119
	v_sub_u32_e32 v138, v133, v129
	v_lshrrev_b32_e32 v123, 29, v123
	v_lshlrev_b32_e32 v129, 6, v132
	v_lshl_add_u32 v100, v85, 3, v84
	v_sub_u32_e32 v63, v108, v63
	v_add_u32_e32 v113, v47, v60
	v_add_u32_e32 v123, v133, v123
	v_lshlrev_b32_e32 v101, 1, v100
	v_lshl_add_u32 v63, v63, 3, v129
	v_add_u32_e32 v114, v47, v59
	buffer_load_dwordx4 v[84:87], v113, s[36:39], 0 offen
	s_waitcnt vmcnt(5)
	ds_write_b128 v101, v[72:75] offset:2048
	v_and_b32_e32 v72, 0xffffff8, v123
	v_lshl_add_u32 v101, v63, 1, v101
	v_mfma_f32_32x32x8_f16 v[2:17], v[102:103], v[106:107], v[2:17]
	v_sub_u32_e32 v102, v133, v72
	buffer_load_dwordx4 v[72:75], v114, s[36:39], 0 offen
	s_waitcnt vmcnt(5)
	ds_write_b128 v101, v[76:79] offset:2048
	v_lshl_or_b32 v117, v117, 2, v40
	v_xor_b32_e32 v76, v117, v102
	v_lshlrev_b32_e32 v130, 7, v138
	v_sub_u32_e32 v76, v76, v108
	v_mfma_f32_32x32x8_f16 v[18:33], v[88:89], v[96:97], v[18:33]
	v_lshl_add_u32 v76, v76, 4, v130
	v_add_u32_e32 v63, v63, v100
	v_add_u32_e32 v115, v47, v57
	v_add_u32_e32 v116, v47, v58
	v_lshl_add_u32 v63, v63, 1, v76
	buffer_load_dwordx4 v[76:79], v115, s[36:39], 0 offen
	s_waitcnt vmcnt(5)
	ds_write_b128 v63, v[64:67] offset:2048
	v_mfma_f32_32x32x8_f16 v[18:33], v[90:91], v[98:99], v[18:33]
	buffer_load_dwordx4 v[64:67], v116, s[36:39], 0 offen
	s_waitcnt lgkmcnt(0)
	ds_read_b128 v[100:103], v55
	ds_read_b128 v[108:111], v42 offset:2048
	v_mfma_f32_32x32x8_f16 v[2:17], v[88:89], v[92:93], v[2:17]
	ds_read_b128 v[96:99], v43 offset:2048
	ds_read_b128 v[104:107], v53 offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[90:91], v[94:95], v[2:17]
	ds_read_b128 v[88:91], v56
	ds_read_b128 v[92:95], v54 offset:4096
	s_add_i32 s20, s20, -1
	v_add_u32_e32 v57, 64, v57
	v_add_u32_e32 v58, 64, v58
	v_add_u32_e32 v59, 64, v59
	v_add_u32_e32 v60, 64, v60
	v_add_u32_e32 v61, 64, v61
	s_cmp_lg_u32 s20, 0
	v_add_u32_e32 v62, 64, v62
	s_cbranch_scc1 .LBB1_15
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 v[18:33], v[100:101], v[108:109], v[18:33]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[100:101], v[104:105], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[102:103], v[110:111], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[102:103], v[106:107], v[2:17]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[88:89], v[96:97], v[18:33]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[88:89], v[92:93], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[90:91], v[98:99], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[90:91], v[94:95], v[2:17]
.LBB1_17:
	s_cmp_eq_u32 s63, s64
	s_mov_b64 s[20:21], -1
	s_cbranch_scc0 .LBB1_19
	s_and_b64 vcc, exec, s[20:21]
	s_cbranch_vccz .LBB1_6
	s_branch .LBB1_23
.LBB1_19:
	v_readfirstlane_b32 s20, v0
	s_lshr_b32 s20, s20, 1
	s_and_b32 s20, s20, 0x7fffffe0
	v_or_b32_e32 v55, s20, v44
	v_mad_u64_u32 v[56:57], s[20:21], v55, s7, v[34:35]
	v_lshlrev_b32_e32 v55, 2, v56
	s_nop 0
	buffer_store_dword v18, v55, s[24:27], 0 offen
	v_add_u32_e32 v55, s7, v56
	v_lshlrev_b32_e32 v56, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v57, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v58, 2, v55
	v_add_u32_e32 v55, s33, v55
	v_lshlrev_b32_e32 v59, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v60, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v61, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v62, 2, v55
	v_add_u32_e32 v55, s33, v55
	v_lshlrev_b32_e32 v63, 2, v55
	v_add_u32_e32 v55, s7, v55
	s_waitcnt vmcnt(1)
	v_lshlrev_b32_e32 v64, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v65, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v66, 2, v55
	v_add_u32_e32 v55, s33, v55
	v_lshlrev_b32_e32 v67, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v68, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v69, 2, v55
	v_add_u32_e32 v55, s7, v55
	v_lshlrev_b32_e32 v70, 2, v55
	v_add_lshl_u32 v55, v55, s48, 2
	buffer_store_dword v19, v56, s[24:27], 0 offen
	buffer_store_dword v20, v57, s[24:27], 0 offen
	buffer_store_dword v21, v58, s[24:27], 0 offen
	buffer_store_dword v22, v59, s[24:27], 0 offen
	buffer_store_dword v23, v60, s[24:27], 0 offen
	buffer_store_dword v24, v61, s[24:27], 0 offen
	buffer_store_dword v25, v62, s[24:27], 0 offen
	buffer_store_dword v26, v63, s[24:27], 0 offen
	buffer_store_dword v27, v64, s[24:27], 0 offen
	buffer_store_dword v28, v65, s[24:27], 0 offen
	buffer_store_dword v29, v66, s[24:27], 0 offen
	buffer_store_dword v30, v67, s[24:27], 0 offen
	buffer_store_dword v31, v68, s[24:27], 0 offen
	buffer_store_dword v32, v69, s[24:27], 0 offen
	buffer_store_dword v33, v70, s[24:27], 0 offen
	buffer_store_dword v2, v55, s[24:27], 0 offen
	buffer_store_dword v3, v56, s[24:27], 0 offen offset:128
	buffer_store_dword v4, v57, s[24:27], 0 offen offset:128
	buffer_store_dword v5, v58, s[24:27], 0 offen offset:128
	buffer_store_dword v6, v59, s[24:27], 0 offen offset:128
	buffer_store_dword v7, v60, s[24:27], 0 offen offset:128
	buffer_store_dword v8, v61, s[24:27], 0 offen offset:128
	buffer_store_dword v9, v62, s[24:27], 0 offen offset:128
	buffer_store_dword v10, v63, s[24:27], 0 offen offset:128
	buffer_store_dword v11, v64, s[24:27], 0 offen offset:128
	buffer_store_dword v12, v65, s[24:27], 0 offen offset:128
	buffer_store_dword v13, v66, s[24:27], 0 offen offset:128
	buffer_store_dword v14, v67, s[24:27], 0 offen offset:128
	buffer_store_dword v15, v68, s[24:27], 0 offen offset:128
	buffer_store_dword v16, v69, s[24:27], 0 offen offset:128
	buffer_store_dword v17, v70, s[24:27], 0 offen offset:128
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	buffer_inv sc1
	s_and_saveexec_b64 s[20:21], s[4:5]
	s_cbranch_execz .LBB1_22
	s_mov_b64 s[28:29], 0
.LBB1_21:
	global_atomic_cmpswap v55, v39, v[38:39], s[46:47] sc0
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc, 0, v55
	s_or_b64 s[28:29], vcc, s[28:29]
	s_andn2_b64 exec, exec, s[28:29]
	s_cbranch_execnz .LBB1_21
.LBB1_22:
	s_or_b64 exec, exec, s[20:21]
	s_branch .LBB1_6
.LBB1_23:
	s_cmp_ge_i32 s3, s59
	s_cselect_b64 s[20:21], -1, 0
	s_cmp_ge_i32 s62, s12
	s_cselect_b64 s[28:29], -1, 0
	s_or_b64 s[20:21], s[20:21], s[28:29]
	s_and_b64 vcc, exec, s[20:21]
	s_cbranch_vccnz .LBB1_5
	s_mov_b32 s28, s42
	s_branch .LBB1_26
.LBB1_25:
	s_or_b64 exec, exec, s[20:21]
	s_ashr_i32 s29, s28, 31
	s_lshl_b64 s[20:21], s[28:29], 13
	s_add_u32 s20, s52, s20
	v_readfirstlane_b32 s29, v0
	s_addc_u32 s21, s53, s21
	s_lshr_b32 s29, s29, 1
	s_and_b32 s29, s29, 0x7fffffe0
	v_or_b32_e32 v55, s29, v44
	v_mad_u64_u32 v[56:57], s[30:31], v55, s7, v[34:35]
	v_lshlrev_b32_e32 v55, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v61, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v62, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v63, 2, v56
	v_add_u32_e32 v56, s33, v56
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v64, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v69, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v70, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v71, 2, v56
	v_add_u32_e32 v56, s33, v56
	v_lshlrev_b32_e32 v77, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v80, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v78, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v79, 2, v56
	v_add_u32_e32 v56, s33, v56
	v_lshlrev_b32_e32 v83, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v86, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_lshlrev_b32_e32 v84, 2, v56
	v_add_u32_e32 v56, s7, v56
	v_add_lshl_u32 v85, v56, s48, 2
	v_lshlrev_b32_e32 v88, 2, v56
	buffer_load_dword v56, v55, s[20:23], 0 offen
	buffer_load_dword v57, v61, s[20:23], 0 offen
	buffer_load_dword v58, v62, s[20:23], 0 offen
	buffer_load_dword v59, v63, s[20:23], 0 offen
	buffer_load_dword v60, v64, s[20:23], 0 offen
	s_nop 0
	buffer_load_dword v63, v63, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v62, v62, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v65, v61, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v61, v69, s[20:23], 0 offen
	buffer_load_dword v66, v70, s[20:23], 0 offen
	buffer_load_dword v67, v71, s[20:23], 0 offen
	buffer_load_dword v68, v77, s[20:23], 0 offen
	s_nop 0
	buffer_load_dword v71, v71, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v70, v70, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v73, v69, s[20:23], 0 offen offset:128
	buffer_load_dword v72, v64, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v69, v80, s[20:23], 0 offen
	buffer_load_dword v74, v78, s[20:23], 0 offen
	buffer_load_dword v75, v79, s[20:23], 0 offen
	buffer_load_dword v76, v83, s[20:23], 0 offen
	s_nop 0
	buffer_load_dword v79, v79, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v78, v78, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v81, v80, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v80, v77, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v77, v86, s[20:23], 0 offen
	buffer_load_dword v82, v84, s[20:23], 0 offen
	buffer_load_dword v64, v85, s[20:23], 0 offen
	s_nop 0
	buffer_load_dword v85, v88, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v84, v84, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v87, v86, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v86, v83, s[20:23], 0 offen offset:128
	s_nop 0
	buffer_load_dword v83, v88, s[20:23], 0 offen
	s_cmp_lt_i32 s28, s14
	s_addc_u32 s62, s62, s13
	s_cmp_lt_i32 s62, s12
	s_waitcnt vmcnt(30)
	v_pk_add_f32 v[18:19], v[18:19], v[56:57]
	s_waitcnt vmcnt(28)
	v_pk_add_f32 v[20:21], v[20:21], v[58:59]
	s_waitcnt vmcnt(25)
	v_pk_add_f32 v[4:5], v[4:5], v[62:63]
	s_waitcnt vmcnt(23)
	v_pk_add_f32 v[22:23], v[22:23], v[60:61]
	s_waitcnt vmcnt(21)
	v_pk_add_f32 v[24:25], v[24:25], v[66:67]
	s_waitcnt vmcnt(18)
	v_pk_add_f32 v[8:9], v[8:9], v[70:71]
	s_waitcnt vmcnt(16)
	v_pk_add_f32 v[6:7], v[6:7], v[72:73]
	s_waitcnt vmcnt(15)
	v_pk_add_f32 v[26:27], v[26:27], v[68:69]
	s_waitcnt vmcnt(13)
	v_pk_add_f32 v[28:29], v[28:29], v[74:75]
	s_waitcnt vmcnt(10)
	v_pk_add_f32 v[12:13], v[12:13], v[78:79]
	s_waitcnt vmcnt(8)
	v_pk_add_f32 v[10:11], v[10:11], v[80:81]
	s_waitcnt vmcnt(7)
	v_pk_add_f32 v[30:31], v[30:31], v[76:77]
	s_waitcnt vmcnt(5)
	v_pk_add_f32 v[2:3], v[2:3], v[64:65]
	s_waitcnt vmcnt(3)
	v_pk_add_f32 v[16:17], v[16:17], v[84:85]
	s_waitcnt vmcnt(1)
	v_pk_add_f32 v[14:15], v[14:15], v[86:87]
	s_waitcnt vmcnt(0)
	v_pk_add_f32 v[32:33], v[32:33], v[82:83]
	s_cbranch_scc0 .LBB1_5
.LBB1_26:
	s_add_i32 s28, s28, 1
	s_and_saveexec_b64 s[20:21], s[4:5]
	s_cbranch_execz .LBB1_25
	s_mov_b32 s29, s43
	s_lshl_b64 s[30:31], s[28:29], 2
	s_add_u32 s30, s44, s30
	s_addc_u32 s31, s45, s31
.LBB1_28:
	global_load_dword v55, v39, s[30:31] sc0 sc1
	s_waitcnt vmcnt(0)
	v_cmp_ne_u32_e32 vcc, 1, v55
	s_cbranch_vccnz .LBB1_28
	s_branch .LBB1_25
.LBB1_29:
	s_cbranch_execnz .LBB1_2
.LBB1_30:
	s_add_i32 s3, s6, 63
	s_ashr_i32 s4, s3, 31
	s_lshr_b32 s4, s4, 26
	s_add_i32 s3, s3, s4
	s_ashr_i32 s3, s3, 6
	s_abs_i32 s4, s3
	v_cvt_f32_u32_e32 v1, s4
	s_sub_i32 s6, 0, s4
	s_load_dword s0, s[0:1], 0x60
	s_abs_i32 s1, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s5, s2, s3
	s_ashr_i32 s5, s5, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s7, v1
	s_mul_i32 s6, s6, s7
	s_mul_hi_u32 s6, s7, s6
	s_add_i32 s7, s7, s6
	s_mul_hi_u32 s6, s1, s7
	s_mul_i32 s7, s6, s4
	s_sub_i32 s1, s1, s7
	s_add_i32 s10, s6, 1
	s_sub_i32 s7, s1, s4
	s_cmp_ge_u32 s1, s4
	s_cselect_b32 s6, s10, s6
	s_cselect_b32 s1, s7, s1
	s_add_i32 s7, s6, 1
	s_cmp_ge_u32 s1, s4
	s_cselect_b32 s1, s7, s6
	s_xor_b32 s1, s1, s5
	s_sub_i32 s1, s1, s5
	s_mul_i32 s3, s1, s3
	s_add_i32 s4, s34, -1
	s_lshl_b32 s10, s1, 5
	s_sub_i32 s1, s2, s3
	s_waitcnt lgkmcnt(0)
	s_add_i32 s0, s0, -1
	s_lshl_b32 s11, s1, 6
	s_mul_i32 s1, s40, s4
	s_add_u32 s0, s0, 1
	s_add_u32 s14, s1, s0
	s_add_i32 s1, s35, -1
	s_mul_i32 s1, s41, s1
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_add_u32 s13, s1, s0
	v_mbcnt_hi_u32_b32 v37, -1, v1
	s_cmp_lt_i32 s12, 3
	v_bfe_u32 v1, v37, 1, 4
	v_lshrrev_b32_e32 v36, 5, v37
	v_and_b32_e32 v35, 31, v37
	v_lshlrev_b32_e32 v39, 2, v37
	v_lshlrev_b32_e32 v41, 3, v37
	v_lshrrev_b32_e32 v40, 1, v37
	s_cbranch_scc0 .LBB1_33
	s_lshl_b32 s2, s14, 1
	v_and_or_b32 v42, v39, 4, v36
	v_and_b32_e32 v34, 24, v41
	v_bfe_u32 v44, v35, 1, 3
	v_lshlrev_b32_e32 v2, 6, v1
	s_cmp_lg_u32 s12, 1
	v_and_b32_e32 v38, 62, v40
	v_and_b32_e32 v48, 0x7c, v37
	v_xor_b32_e32 v45, v42, v44
	s_mov_b32 s3, 0x20000
	s_mov_b32 s0, s16
	s_mov_b32 s1, s17
	v_lshrrev_b32_e32 v47, 3, v34
	v_add_u32_e32 v43, 2, v42
	v_lshlrev_b32_e32 v46, 1, v2
	s_cbranch_scc0 .LBB1_34
	v_readfirstlane_b32 s6, v0
	s_lshr_b32 s4, s6, 1
	s_and_b32 s20, s4, 0x7fffffe0
	v_add_u32_e32 v6, s20, v38
	v_add_u32_e32 v2, s10, v6
	v_mad_u64_u32 v[2:3], s[4:5], v2, s40, v[34:35]
	s_andn2_b32 s6, s6, 63
	v_add_u32_e32 v3, s6, v48
	v_add_u32_e32 v4, s11, v3
	v_mad_u64_u32 v[4:5], s[4:5], v4, s41, v[34:35]
	v_lshlrev_b32_e32 v5, 1, v2
	buffer_load_dwordx4 v[30:33], v5, s[0:3], 0 offen
	v_add_lshl_u32 v2, v2, s40, 1
	buffer_load_dwordx4 v[52:55], v2, s[0:3], 0 offen
	s_lshl_b32 s6, s13, 1
	s_mov_b32 s4, s18
	s_mov_b32 s5, s19
	s_mov_b32 s7, s3
	v_lshlrev_b32_e32 v7, 1, v4
	buffer_load_dwordx4 v[56:59], v7, s[4:7], 0 offen
	v_add_u32_e32 v4, s41, v4
	v_lshlrev_b32_e32 v8, 1, v4
	v_add_u32_e32 v4, s41, v4
	v_lshlrev_b32_e32 v11, 1, v4
	v_add_lshl_u32 v4, v4, s41, 1
	buffer_load_dwordx4 v[60:63], v8, s[4:7], 0 offen
	buffer_load_dwordx4 v[64:67], v11, s[4:7], 0 offen
	buffer_load_dwordx4 v[68:71], v4, s[4:7], 0 offen
	buffer_load_dwordx4 v[76:79], v5, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[80:83], v2, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[84:87], v8, s[4:7], 0 offen offset:64
	buffer_load_dwordx4 v[88:91], v11, s[4:7], 0 offen offset:64
	buffer_load_dwordx4 v[92:95], v4, s[4:7], 0 offen offset:64
	buffer_load_dwordx4 v[72:75], v7, s[4:7], 0 offen offset:64
	v_ashrrev_i32_e32 v17, 1, v6
	v_ashrrev_i32_e32 v18, 31, v6
	v_lshlrev_b32_e32 v19, 6, v6
	v_or_b32_e32 v20, 1, v6
	v_lshrrev_b32_e32 v6, 31, v6
	v_add_u32_e32 v6, v20, v6
	v_lshrrev_b32_e32 v18, 29, v18
	v_ashrrev_i32_e32 v26, 1, v6
	v_and_b32_e32 v27, 0x3ffffffe, v6
	v_ashrrev_i32_e32 v6, 31, v6
	v_add_u32_e32 v18, v17, v18
	v_lshrrev_b32_e32 v6, 29, v6
	v_and_b32_e32 v7, -8, v18
	v_add_u32_e32 v6, v26, v6
	v_sub_u32_e32 v20, v20, v27
	v_sub_u32_e32 v2, v17, v7
	v_and_b32_e32 v6, 0xffffff8, v6
	v_or_b32_e32 v14, 1, v3
	v_lshrrev_b32_e32 v15, 31, v3
	v_lshl_or_b32 v5, v20, 2, v47
	v_xor_b32_e32 v2, v2, v47
	v_sub_u32_e32 v6, v26, v6
	v_ashrrev_i32_e32 v12, 31, v3
	v_add_u32_e32 v21, v14, v15
	v_sub_u32_e32 v18, v26, v17
	v_lshl_add_u32 v49, v2, 4, v19
	v_xor_b32_e32 v5, v5, v6
	v_ashrrev_i32_e32 v10, 1, v3
	v_lshrrev_b32_e32 v12, 29, v12
	v_ashrrev_i32_e32 v24, 1, v21
	v_and_b32_e32 v25, 0x3ffffffe, v21
	v_ashrrev_i32_e32 v21, 31, v21
	v_lshl_add_u32 v6, v18, 7, v49
	v_sub_u32_e32 v2, v5, v2
	v_add_u32_e32 v23, v10, v12
	v_lshl_add_u32 v51, v2, 4, v6
	v_lshrrev_b32_e32 v2, 29, v21
	v_and_b32_e32 v23, -8, v23
	v_add_u32_e32 v2, v24, v2
	v_sub_u32_e32 v14, v14, v25
	v_sub_u32_e32 v23, v10, v23
	v_and_b32_e32 v2, -8, v2
	v_lshlrev_b32_e32 v13, 5, v3
	v_lshl_or_b32 v14, v14, 2, v47
	v_xor_b32_e32 v4, v23, v47
	v_sub_u32_e32 v2, v24, v2
	v_sub_u32_e32 v28, v24, v10
	v_lshl_add_u32 v7, v4, 3, v13
	v_xor_b32_e32 v2, v14, v2
	v_sub_u32_e32 v4, v2, v4
	v_lshl_add_u32 v5, v28, 6, v7
	v_lshl_add_u32 v4, v4, 3, v5
	v_or_b32_e32 v5, 1, v10
	v_lshlrev_b32_e32 v50, 1, v7
	v_add_u32_e32 v7, v5, v12
	v_and_b32_e32 v7, -8, v7
	v_sub_u32_e32 v7, v5, v7
	v_sub_u32_e32 v6, v5, v24
	v_xor_b32_e32 v7, v7, v47
	v_sub_u32_e32 v2, v7, v2
	v_lshlrev_b32_e32 v6, 6, v6
	s_waitcnt vmcnt(11)
	ds_write_b128 v49, v[30:33]
	s_waitcnt vmcnt(10)
	ds_write_b128 v51, v[52:55]
	s_waitcnt vmcnt(9)
	ds_write_b128 v50, v[56:59] offset:2048
	v_lshlrev_b32_e32 v52, 1, v4
	v_lshl_add_u32 v2, v2, 3, v6
	v_add_u32_e32 v4, v2, v4
	v_lshl_add_u32 v53, v2, 1, v52
	v_or_b32_e32 v2, 3, v3
	v_add_u32_e32 v3, v2, v15
	v_ashrrev_i32_e32 v6, 1, v3
	v_and_b32_e32 v8, 0x3ffffffe, v3
	v_ashrrev_i32_e32 v3, 31, v3
	v_lshrrev_b32_e32 v3, 29, v3
	v_add_u32_e32 v3, v6, v3
	v_sub_u32_e32 v2, v2, v8
	v_and_b32_e32 v3, 0xffffff8, v3
	v_lshl_or_b32 v2, v2, 2, v47
	v_sub_u32_e32 v3, v6, v3
	v_sub_u32_e32 v5, v6, v5
	v_xor_b32_e32 v2, v2, v3
	v_or_b32_e32 v9, s20, v35
	v_sub_u32_e32 v2, v2, v7
	v_lshlrev_b32_e32 v3, 7, v5
	v_lshrrev_b32_e32 v16, 1, v9
	v_bfe_u32 v9, v9, 1, 3
	v_lshl_add_u32 v2, v2, 4, v3
	v_lshl_add_u32 v54, v4, 1, v2
	v_lshlrev_b32_e32 v2, 7, v16
	v_xor_b32_e32 v3, v9, v43
	v_xor_b32_e32 v22, v9, v42
	v_lshl_add_u32 v56, v3, 4, v2
	v_bfe_u32 v3, v37, 1, 3
	v_lshl_or_b32 v55, v22, 4, v2
	v_xor_b32_e32 v2, v43, v44
	v_xor_b32_e32 v4, v42, v3
	v_xor_b32_e32 v3, v43, v3
	v_lshl_add_u32 v58, v2, 4, v46
	v_sub_u32_e32 v4, v4, v2
	v_sub_u32_e32 v2, v3, v2
	s_waitcnt vmcnt(8)
	ds_write_b128 v52, v[60:63] offset:2048
	s_waitcnt vmcnt(7)
	ds_write_b128 v53, v[64:67] offset:2048
	s_waitcnt vmcnt(6)
	ds_write_b128 v54, v[68:71] offset:2048
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v57, v45, 4, v46
	ds_read_b128 v[62:65], v56
	ds_read_b128 v[6:9], v57 offset:2048
	v_lshl_add_u32 v59, v4, 4, v58
	ds_read_b128 v[66:69], v58 offset:2048
	ds_read_b128 v[96:99], v59 offset:4096
	v_lshl_add_u32 v60, v2, 4, v58
	ds_read_b128 v[100:103], v55
	ds_read_b128 v[104:107], v60 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[100:101], v[6:7], 0
	s_waitcnt vmcnt(5) lgkmcnt(0)
	ds_write_b128 v49, v[76:79]
	s_waitcnt vmcnt(4)
	ds_write_b128 v51, v[80:83]
	s_waitcnt vmcnt(0)
	ds_write_b128 v50, v[72:75] offset:2048
	ds_write_b128 v52, v[84:87] offset:2048
	ds_write_b128 v53, v[88:91] offset:2048
	ds_write_b128 v54, v[92:95] offset:2048
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[18:33], v[102:103], v[8:9], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[100:101], v[96:97], 0
	v_mfma_f32_32x32x8_f16 v[2:17], v[102:103], v[98:99], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[62:63], v[66:67], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[62:63], v[104:105], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[64:65], v[68:69], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[64:65], v[106:107], v[2:17]
	ds_read_b128 v[50:53], v55
	ds_read_b128 v[62:65], v57 offset:2048
	ds_read_b128 v[66:69], v60 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[50:51], v[62:63], v[18:33]
	ds_read_b128 v[60:63], v59 offset:4096
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[50:51], v[60:61], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[52:53], v[64:65], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[62:63], v[2:17]
	ds_read_b128 v[50:53], v56
	ds_read_b128 v[54:57], v58 offset:2048
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[18:33], v[50:51], v[54:55], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[50:51], v[66:67], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[52:53], v[56:57], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[68:69], v[2:17]
	s_cbranch_execz .LBB1_35
	s_branch .LBB1_36
.LBB1_33:
	s_branch .LBB1_37
.LBB1_34:
.LBB1_35:
	v_readfirstlane_b32 s6, v0
	s_lshr_b32 s4, s6, 1
	s_and_b32 s7, s4, 0x7fffffe0
	s_nop 5
	v_add_u32_e32 v6, s7, v38
	v_add_u32_e32 v2, s10, v6
	v_mad_u64_u32 v[2:3], s[4:5], v2, s40, v[34:35]
	s_andn2_b32 s6, s6, 63
	v_add_u32_e32 v3, s6, v48
	v_add_u32_e32 v4, s11, v3
	v_mad_u64_u32 v[4:5], s[4:5], v4, s41, v[34:35]
	v_lshlrev_b32_e32 v5, 1, v2
	v_add_lshl_u32 v2, v2, s40, 1
	buffer_load_dwordx4 v[24:27], v5, s[0:3], 0 offen
	buffer_load_dwordx4 v[28:31], v2, s[0:3], 0 offen
	s_lshl_b32 s2, s13, 1
	s_mov_b32 s0, s18
	s_mov_b32 s1, s19
	v_lshlrev_b32_e32 v2, 1, v4
	buffer_load_dwordx4 v[48:51], v2, s[0:3], 0 offen
	v_add_u32_e32 v2, s41, v4
	v_lshlrev_b32_e32 v4, 1, v2
	v_add_u32_e32 v2, s41, v2
	buffer_load_dwordx4 v[52:55], v4, s[0:3], 0 offen
	v_lshlrev_b32_e32 v4, 1, v2
	buffer_load_dwordx4 v[56:59], v4, s[0:3], 0 offen
	v_add_lshl_u32 v2, v2, s41, 1
	buffer_load_dwordx4 v[60:63], v2, s[0:3], 0 offen
	v_or_b32_e32 v15, 1, v6
	v_lshrrev_b32_e32 v2, 31, v6
	v_ashrrev_i32_e32 v7, 31, v3
	v_or_b32_e32 v9, 1, v3
	v_lshrrev_b32_e32 v10, 31, v3
	v_ashrrev_i32_e32 v13, 31, v6
	v_add_u32_e32 v2, v15, v2
	v_ashrrev_i32_e32 v12, 1, v6
	v_lshlrev_b32_e32 v14, 6, v6
	v_lshrrev_b32_e32 v6, 29, v7
	v_add_u32_e32 v7, v9, v10
	v_lshrrev_b32_e32 v13, 29, v13
	v_ashrrev_i32_e32 v20, 1, v2
	v_and_b32_e32 v21, 0x3ffffffe, v2
	v_ashrrev_i32_e32 v2, 31, v2
	v_ashrrev_i32_e32 v5, 1, v3
	v_ashrrev_i32_e32 v18, 1, v7
	v_and_b32_e32 v19, 0x3ffffffe, v7
	v_ashrrev_i32_e32 v7, 31, v7
	v_add_u32_e32 v13, v12, v13
	v_lshrrev_b32_e32 v2, 29, v2
	v_add_u32_e32 v17, v5, v6
	v_lshrrev_b32_e32 v7, 29, v7
	v_and_b32_e32 v13, -8, v13
	v_add_u32_e32 v2, v20, v2
	v_and_b32_e32 v17, -8, v17
	v_sub_u32_e32 v9, v9, v19
	v_sub_u32_e32 v19, v20, v12
	v_sub_u32_e32 v15, v15, v21
	v_add_u32_e32 v7, v18, v7
	v_sub_u32_e32 v12, v12, v13
	v_and_b32_e32 v2, 0xffffff8, v2
	v_sub_u32_e32 v22, v18, v5
	v_sub_u32_e32 v17, v5, v17
	v_lshl_or_b32 v13, v15, 2, v47
	v_and_b32_e32 v7, -8, v7
	v_xor_b32_e32 v12, v12, v47
	v_sub_u32_e32 v2, v20, v2
	v_or_b32_e32 v5, 1, v5
	v_lshl_or_b32 v9, v9, 2, v47
	v_sub_u32_e32 v7, v18, v7
	v_lshl_add_u32 v14, v12, 4, v14
	v_xor_b32_e32 v2, v13, v2
	v_add_u32_e32 v6, v5, v6
	v_lshlrev_b32_e32 v8, 5, v3
	v_xor_b32_e32 v15, v17, v47
	v_xor_b32_e32 v7, v9, v7
	v_lshl_add_u32 v9, v19, 7, v14
	v_sub_u32_e32 v2, v2, v12
	v_and_b32_e32 v6, -8, v6
	v_lshl_add_u32 v8, v15, 3, v8
	v_lshl_add_u32 v2, v2, 4, v9
	v_sub_u32_e32 v6, v5, v6
	v_lshlrev_b32_e32 v17, 1, v8
	v_sub_u32_e32 v13, v7, v15
	v_sub_u32_e32 v9, v5, v18
	v_xor_b32_e32 v6, v6, v47
	v_sub_u32_e32 v7, v6, v7
	v_lshlrev_b32_e32 v9, 6, v9
	v_lshl_add_u32 v7, v7, 3, v9
	v_or_b32_e32 v3, 3, v3
	v_or_b32_e32 v4, s7, v35
	s_waitcnt vmcnt(5)
	ds_write_b128 v14, v[24:27]
	s_waitcnt vmcnt(4)
	ds_write_b128 v2, v[28:31]
	s_waitcnt vmcnt(3)
	ds_write_b128 v17, v[48:51] offset:2048
	v_lshl_add_u32 v2, v22, 6, v8
	v_lshl_add_u32 v2, v13, 3, v2
	v_lshlrev_b32_e32 v8, 1, v2
	v_add_u32_e32 v2, v7, v2
	v_lshl_add_u32 v7, v7, 1, v8
	s_waitcnt vmcnt(2)
	ds_write_b128 v8, v[52:55] offset:2048
	v_lshrrev_b32_e32 v11, 1, v4
	s_waitcnt vmcnt(1)
	ds_write_b128 v7, v[56:59] offset:2048
	v_add_u32_e32 v7, v3, v10
	v_ashrrev_i32_e32 v8, 1, v7
	v_and_b32_e32 v9, 0x3ffffffe, v7
	v_ashrrev_i32_e32 v7, 31, v7
	v_lshrrev_b32_e32 v7, 29, v7
	v_add_u32_e32 v7, v8, v7
	v_sub_u32_e32 v3, v3, v9
	v_and_b32_e32 v7, 0xffffff8, v7
	v_lshl_or_b32 v3, v3, 2, v47
	v_sub_u32_e32 v7, v8, v7
	v_sub_u32_e32 v5, v8, v5
	v_xor_b32_e32 v3, v3, v7
	v_sub_u32_e32 v3, v3, v6
	v_lshlrev_b32_e32 v5, 7, v5
	v_lshl_add_u32 v3, v3, 4, v5
	v_bfe_u32 v4, v4, 1, 3
	v_lshl_add_u32 v2, v2, 1, v3
	v_xor_b32_e32 v16, v4, v42
	s_waitcnt vmcnt(0)
	ds_write_b128 v2, v[60:63] offset:2048
	v_lshlrev_b32_e32 v2, 7, v11
	v_xor_b32_e32 v4, v4, v43
	v_lshl_or_b32 v3, v16, 4, v2
	v_lshl_add_u32 v2, v4, 4, v2
	v_bfe_u32 v5, v37, 1, 3
	s_waitcnt lgkmcnt(0)
	v_lshl_add_u32 v4, v45, 4, v46
	ds_read_b128 v[48:51], v2
	ds_read_b128 v[8:11], v4 offset:2048
	v_xor_b32_e32 v2, v43, v44
	v_xor_b32_e32 v6, v42, v5
	v_xor_b32_e32 v5, v43, v5
	v_lshl_add_u32 v4, v2, 4, v46
	v_sub_u32_e32 v6, v6, v2
	v_sub_u32_e32 v2, v5, v2
	v_lshl_add_u32 v6, v6, 4, v4
	ds_read_b128 v[44:47], v4 offset:2048
	ds_read_b128 v[52:55], v6 offset:4096
	v_lshl_add_u32 v2, v2, 4, v4
	ds_read_b128 v[56:59], v3
	ds_read_b128 v[60:63], v2 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[56:57], v[8:9], 0
	v_mfma_f32_32x32x8_f16 v[18:33], v[58:59], v[10:11], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[56:57], v[52:53], 0
	v_mfma_f32_32x32x8_f16 v[2:17], v[58:59], v[54:55], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[48:49], v[44:45], v[18:33]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[60:61], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[50:51], v[46:47], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[50:51], v[62:63], v[2:17]
.LBB1_36:
	v_mov_b32_e32 v42, s11
	v_mov_b32_e32 v43, s10
	s_cbranch_execnz .LBB1_40
.LBB1_37:
	v_readfirstlane_b32 s1, v0
	s_mov_b32 s2, 0x7fffffe0
	s_lshr_b32 s0, s1, 1
	s_movk_i32 s3, 0xffc0
	v_and_b32_e32 v34, 24, v41
	s_and_b64 s[20:21], s[0:1], s[2:3]
	v_and_b32_e32 v41, -4, v37
	v_and_b32_e32 v38, 0x7ffffffe, v40
	v_add_u32_e32 v6, s21, v41
	v_add_u32_e32 v7, s20, v38
	v_add_u32_e32 v4, s10, v7
	v_add_u32_e32 v2, s11, v6
	v_mad_u64_u32 v[2:3], s[0:1], v2, s41, v[34:35]
	v_mad_u64_u32 v[4:5], s[0:1], v4, s40, v[34:35]
	s_lshl_b32 s2, s14, 1
	s_mov_b32 s3, 0x20000
	s_mov_b32 s0, s16
	s_mov_b32 s1, s17
	v_lshlrev_b32_e32 v3, 1, v4
	buffer_load_dwordx4 v[30:33], v3, s[0:3], 0 offen
	v_add_lshl_u32 v5, v4, s40, 1
	buffer_load_dwordx4 v[42:45], v5, s[0:3], 0 offen
	v_add_u32_e32 v9, s41, v2
	v_lshlrev_b32_e32 v10, 1, v9
	v_add_u32_e32 v9, s41, v9
	s_lshl_b32 s6, s13, 1
	s_mov_b32 s4, s18
	s_mov_b32 s5, s19
	s_mov_b32 s7, s3
	v_lshlrev_b32_e32 v8, 1, v2
	v_lshlrev_b32_e32 v16, 1, v9
	buffer_load_dwordx4 v[72:75], v8, s[4:7], 0 offen
	buffer_load_dwordx4 v[76:79], v10, s[4:7], 0 offen
	buffer_load_dwordx4 v[52:55], v10, s[4:7], 0 offen offset:64
	buffer_load_dwordx4 v[80:83], v16, s[4:7], 0 offen
	v_add_lshl_u32 v9, v9, s41, 1
	buffer_load_dwordx4 v[84:87], v9, s[4:7], 0 offen
	v_ashrrev_i32_e32 v17, 1, v7
	v_ashrrev_i32_e32 v18, 31, v7
	v_lshlrev_b32_e32 v19, 6, v7
	v_or_b32_e32 v20, 1, v7
	v_lshrrev_b32_e32 v7, 31, v7
	v_add_u32_e32 v7, v20, v7
	v_lshrrev_b32_e32 v18, 29, v18
	v_ashrrev_i32_e32 v25, 1, v7
	v_and_b32_e32 v26, 0x3ffffffe, v7
	v_ashrrev_i32_e32 v7, 31, v7
	v_add_u32_e32 v18, v17, v18
	v_lshrrev_b32_e32 v7, 29, v7
	v_and_b32_e32 v18, -8, v18
	v_add_u32_e32 v7, v25, v7
	v_and_or_b32 v11, v39, 4, v36
	v_and_b32_e32 v39, 3, v37
	v_sub_u32_e32 v20, v20, v26
	buffer_load_dwordx4 v[60:63], v3, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[48:51], v5, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[56:59], v8, s[4:7], 0 offen offset:64
	v_sub_u32_e32 v3, v17, v18
	v_and_b32_e32 v7, 0xffffff8, v7
	v_lshl_or_b32 v5, v20, 2, v39
	v_xor_b32_e32 v3, v3, v39
	v_sub_u32_e32 v7, v25, v7
	v_sub_u32_e32 v28, v25, v17
	v_lshl_add_u32 v10, v3, 4, v19
	v_xor_b32_e32 v5, v5, v7
	v_lshl_add_u32 v7, v28, 7, v10
	v_sub_u32_e32 v3, v5, v3
	v_lshl_add_u32 v3, v3, 4, v7
	v_lshrrev_b32_e32 v5, 31, v6
	v_ashrrev_i32_e32 v22, 31, v6
	v_ashrrev_i32_e32 v21, 1, v6
	v_lshrrev_b32_e32 v22, 29, v22
	v_add_u32_e32 v27, v21, v22
	v_and_b32_e32 v26, -8, v27
	v_sub_u32_e32 v8, v21, v26
	v_lshlrev_b32_e32 v23, 5, v6
	v_xor_b32_e32 v8, v8, v39
	v_lshl_add_u32 v17, v8, 3, v23
	v_lshlrev_b32_e32 v18, 1, v17
	v_or_b32_e32 v14, s20, v35
	v_lshrrev_b32_e32 v15, 1, v14
	v_bfe_u32 v14, v14, 1, 3
	v_bfe_u32 v12, v35, 1, 3
	v_xor_b32_e32 v24, v14, v11
	v_xor_b32_e32 v13, v11, v12
	v_lshlrev_b32_e32 v1, 7, v1
	v_add_u32_e32 v36, 64, v4
	s_waitcnt vmcnt(9)
	ds_write_b128 v10, v[30:33]
	s_waitcnt vmcnt(8)
	ds_write_b128 v3, v[42:45]
	buffer_load_dwordx4 v[68:71], v16, s[4:7], 0 offen offset:64
	buffer_load_dwordx4 v[64:67], v9, s[4:7], 0 offen offset:64
	v_or_b32_e32 v3, 1, v6
	v_add_u32_e32 v7, v3, v5
	v_ashrrev_i32_e32 v9, 1, v7
	v_and_b32_e32 v16, 0x3ffffffe, v7
	v_ashrrev_i32_e32 v7, 31, v7
	v_lshrrev_b32_e32 v7, 29, v7
	v_add_u32_e32 v7, v9, v7
	v_sub_u32_e32 v3, v3, v16
	v_and_b32_e32 v7, -8, v7
	v_lshl_or_b32 v3, v3, 2, v39
	v_sub_u32_e32 v7, v9, v7
	v_sub_u32_e32 v10, v9, v21
	v_xor_b32_e32 v3, v3, v7
	v_sub_u32_e32 v7, v3, v8
	v_lshl_add_u32 v8, v10, 6, v17
	v_or_b32_e32 v10, 1, v21
	v_add_u32_e32 v16, v10, v22
	v_and_b32_e32 v16, -8, v16
	v_sub_u32_e32 v16, v10, v16
	v_sub_u32_e32 v9, v10, v9
	v_xor_b32_e32 v16, v16, v39
	v_lshl_add_u32 v7, v7, 3, v8
	v_sub_u32_e32 v3, v16, v3
	v_lshlrev_b32_e32 v9, 6, v9
	v_lshlrev_b32_e32 v8, 1, v7
	v_lshl_add_u32 v3, v3, 3, v9
	v_add_u32_e32 v7, v3, v7
	v_lshl_add_u32 v3, v3, 1, v8
	s_waitcnt vmcnt(9)
	ds_write_b128 v18, v[72:75] offset:2048
	s_waitcnt vmcnt(8)
	ds_write_b128 v8, v[76:79] offset:2048
	s_waitcnt vmcnt(6)
	ds_write_b128 v3, v[80:83] offset:2048
	v_or_b32_e32 v3, 3, v6
	v_add_u32_e32 v5, v3, v5
	v_ashrrev_i32_e32 v6, 1, v5
	v_and_b32_e32 v9, 0x3ffffffe, v5
	v_ashrrev_i32_e32 v5, 31, v5
	v_lshrrev_b32_e32 v5, 29, v5
	v_add_u32_e32 v5, v6, v5
	v_sub_u32_e32 v3, v3, v9
	v_and_b32_e32 v5, 0xffffff8, v5
	v_lshl_or_b32 v3, v3, 2, v39
	v_sub_u32_e32 v5, v6, v5
	v_sub_u32_e32 v8, v6, v10
	v_xor_b32_e32 v3, v3, v5
	v_sub_u32_e32 v3, v3, v16
	v_lshlrev_b32_e32 v5, 7, v8
	v_lshl_add_u32 v3, v3, 4, v5
	v_lshl_add_u32 v3, v7, 1, v3
	v_add_u32_e32 v5, 2, v11
	s_waitcnt vmcnt(5)
	ds_write_b128 v3, v[84:87] offset:2048
	v_lshlrev_b32_e32 v3, 7, v15
	v_xor_b32_e32 v6, v14, v5
	v_lshl_or_b32 v40, v24, 4, v3
	v_lshl_add_u32 v42, v6, 4, v3
	v_xor_b32_e32 v3, v5, v12
	v_lshl_or_b32 v43, v13, 4, v1
	v_lshl_add_u32 v44, v3, 4, v1
	v_bfe_u32 v1, v37, 1, 3
	v_xor_b32_e32 v6, v11, v1
	v_sub_u32_e32 v6, v6, v3
	v_xor_b32_e32 v1, v5, v1
	v_lshlrev_b32_e32 v6, 4, v6
	v_sub_u32_e32 v1, v1, v3
	v_add_u32_e32 v45, v44, v6
	v_lshlrev_b32_e32 v1, 4, v1
	s_waitcnt lgkmcnt(0)
	ds_read_b128 v[84:87], v40
	ds_read_b128 v[92:95], v43 offset:2048
	ds_read_b128 v[72:75], v42
	ds_read_b128 v[80:83], v44 offset:2048
	v_add_u32_e32 v46, v44, v1
	ds_read_b128 v[88:91], v45 offset:4096
	ds_read_b128 v[76:79], v46 offset:4096
	v_add_u32_e32 v1, 64, v2
	s_add_i32 s12, s12, -1
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
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
.LBB1_38:
	v_readfirstlane_b32 s13, v0
	s_lshr_b32 s14, s13, 1
	s_and_b32 s14, s14, 0x7fffffe0
	s_andn2_b32 s13, s13, 63
	v_add_u32_e32 v102, s14, v38
	v_add_u32_e32 v100, s13, v41
	v_ashrrev_i32_e32 v109, 31, v102
	v_ashrrev_i32_e32 v103, 1, v100
	v_ashrrev_i32_e32 v104, 31, v100
	v_lshlrev_b32_e32 v105, 5, v100
	v_or_b32_e32 v106, 1, v100
	v_lshrrev_b32_e32 v107, 31, v100
	v_or_b32_e32 v100, 3, v100
	v_ashrrev_i32_e32 v108, 1, v102
	v_lshlrev_b32_e32 v110, 6, v102
	v_or_b32_e32 v111, 1, v102
	v_lshrrev_b32_e32 v102, 31, v102
	v_lshrrev_b32_e32 v109, 29, v109
	v_add_u32_e32 v112, v106, v107
	v_add_u32_e32 v107, v100, v107
	v_add_u32_e32 v102, v111, v102
	v_add_u32_e32 v109, v108, v109
	v_and_b32_e32 v118, 0x3ffffffe, v107
	v_ashrrev_i32_e32 v119, 1, v102
	v_and_b32_e32 v109, -8, v109
	v_sub_u32_e32 v100, v100, v118
	v_sub_u32_e32 v118, v119, v108
	v_sub_u32_e32 v108, v108, v109
	v_xor_b32_e32 v108, v108, v39
	v_lshl_add_u32 v110, v108, 4, v110
	s_waitcnt lgkmcnt(0)
	v_and_b32_e32 v120, 0x3ffffffe, v102
	v_ashrrev_i32_e32 v102, 31, v102
	s_waitcnt vmcnt(4)
	ds_write_b128 v110, v[60:63]
	v_mfma_f32_32x32x8_f16 v[18:33], v[84:85], v[92:93], v[18:33]
	v_lshrrev_b32_e32 v102, 29, v102
	v_lshrrev_b32_e32 v104, 29, v104
	v_add_u32_e32 v102, v119, v102
	v_add_u32_e32 v114, v103, v104
	v_sub_u32_e32 v111, v111, v120
	v_and_b32_e32 v102, 0xffffff8, v102
	v_ashrrev_i32_e32 v115, 1, v112
	v_and_b32_e32 v114, -8, v114
	v_lshl_or_b32 v109, v111, 2, v39
	v_sub_u32_e32 v60, v119, v102
	v_lshlrev_b32_e32 v47, 1, v36
	v_or_b32_e32 v113, 1, v103
	v_sub_u32_e32 v121, v115, v103
	v_sub_u32_e32 v103, v103, v114
	v_xor_b32_e32 v92, v109, v60
	v_xor_b32_e32 v103, v103, v39
	v_lshl_add_u32 v93, v118, 7, v110
	buffer_load_dwordx4 v[60:63], v47, s[0:3], 0 offen
	v_sub_u32_e32 v47, v92, v108
	v_and_b32_e32 v116, 0x3ffffffe, v112
	v_ashrrev_i32_e32 v112, 31, v112
	v_lshl_add_u32 v47, v47, 4, v93
	v_lshl_add_u32 v93, v103, 3, v105
	v_add_lshl_u32 v96, v36, s40, 1
	v_lshrrev_b32_e32 v112, 29, v112
	s_waitcnt vmcnt(4)
	ds_write_b128 v47, v[48:51]
	v_mfma_f32_32x32x8_f16 v[18:33], v[86:87], v[94:95], v[18:33]
	v_lshlrev_b32_e32 v94, 1, v93
	v_add_u32_e32 v112, v115, v112
	buffer_load_dwordx4 v[48:51], v96, s[0:3], 0 offen
	s_waitcnt vmcnt(4)
	ds_write_b128 v94, v[56:59] offset:2048
	v_add_u32_e32 v104, v113, v104
	v_sub_u32_e32 v106, v106, v116
	v_and_b32_e32 v47, -8, v112
	v_mfma_f32_32x32x8_f16 v[2:17], v[84:85], v[88:89], v[2:17]
	v_and_b32_e32 v104, -8, v104
	v_lshl_or_b32 v106, v106, 2, v39
	v_sub_u32_e32 v47, v115, v47
	v_sub_u32_e32 v104, v113, v104
	v_xor_b32_e32 v47, v106, v47
	v_ashrrev_i32_e32 v117, 1, v107
	v_ashrrev_i32_e32 v107, 31, v107
	v_sub_u32_e32 v116, v113, v115
	v_xor_b32_e32 v92, v104, v39
	v_lshl_add_u32 v56, v121, 6, v93
	v_sub_u32_e32 v57, v47, v103
	v_sub_u32_e32 v122, v117, v113
	v_lshrrev_b32_e32 v107, 29, v107
	v_lshlrev_b32_e32 v113, 6, v116
	v_lshl_add_u32 v84, v57, 3, v56
	v_sub_u32_e32 v47, v92, v47
	v_lshlrev_b32_e32 v97, 1, v1
	v_add_u32_e32 v98, s41, v1
	v_add_u32_e32 v107, v117, v107
	v_lshlrev_b32_e32 v85, 1, v84
	v_lshl_add_u32 v47, v47, 3, v113
	v_lshlrev_b32_e32 v99, 1, v98
	buffer_load_dwordx4 v[56:59], v97, s[4:7], 0 offen
	ds_write_b128 v85, v[52:55] offset:2048
	v_and_b32_e32 v52, 0xffffff8, v107
	v_lshl_add_u32 v85, v47, 1, v85
	v_mfma_f32_32x32x8_f16 v[2:17], v[86:87], v[90:91], v[2:17]
	v_sub_u32_e32 v86, v117, v52
	buffer_load_dwordx4 v[52:55], v99, s[4:7], 0 offen
	s_waitcnt vmcnt(5)
	ds_write_b128 v85, v[68:71] offset:2048
	v_lshl_or_b32 v100, v100, 2, v39
	v_xor_b32_e32 v68, v100, v86
	v_lshlrev_b32_e32 v114, 7, v122
	v_sub_u32_e32 v68, v68, v92
	v_mfma_f32_32x32x8_f16 v[18:33], v[72:73], v[80:81], v[18:33]
	v_add_u32_e32 v98, s41, v98
	v_lshl_add_u32 v68, v68, 4, v114
	v_add_u32_e32 v47, v47, v84
	v_lshlrev_b32_e32 v101, 1, v98
	v_add_lshl_u32 v98, v98, s41, 1
	v_lshl_add_u32 v47, v47, 1, v68
	buffer_load_dwordx4 v[68:71], v101, s[4:7], 0 offen
	s_waitcnt vmcnt(5)
	ds_write_b128 v47, v[64:67] offset:2048
	v_mfma_f32_32x32x8_f16 v[18:33], v[74:75], v[82:83], v[18:33]
	buffer_load_dwordx4 v[64:67], v98, s[4:7], 0 offen
	s_waitcnt lgkmcnt(0)
	ds_read_b128 v[84:87], v40
	ds_read_b128 v[92:95], v43 offset:2048
	v_add_u32_e32 v1, 32, v1
	v_add_u32_e32 v36, 32, v36
	v_mfma_f32_32x32x8_f16 v[2:17], v[72:73], v[76:77], v[2:17]
	ds_read_b128 v[80:83], v44 offset:2048
	ds_read_b128 v[88:91], v45 offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[74:75], v[78:79], v[2:17]
	ds_read_b128 v[72:75], v42
	ds_read_b128 v[76:79], v46 offset:4096
	s_add_i32 s12, s12, -1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .LBB1_38
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 v[18:33], v[84:85], v[92:93], v[18:33]
	v_mov_b32_e32 v42, s11
	v_mov_b32_e32 v43, s10
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 v[2:17], v[84:85], v[88:89], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[86:87], v[94:95], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[86:87], v[90:91], v[2:17]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[72:73], v[80:81], v[18:33]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[72:73], v[76:77], v[2:17]
	v_mfma_f32_32x32x8_f16 v[18:33], v[74:75], v[82:83], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[74:75], v[78:79], v[2:17]
.LBB1_40:
	s_add_i32 s0, s34, 0x7fffffff
	s_mul_i32 s2, s0, s15
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 1
	v_lshrrev_b32_e32 v0, 3, v37
	s_and_b32 s1, s0, 0x3ffffe0
	s_nop 3
	v_cvt_f16_f32_e32 v1, v18
	v_and_or_b32 v0, v0, 12, s1
	v_cvt_f16_f32_e32 v18, v19
	v_cvt_f16_f32_e32 v19, v20
	v_lshlrev_b32_e32 v0, 6, v0
	s_and_b32 s0, s0, 0x7fffffe0
	v_cvt_f16_f32_e32 v20, v21
	v_cvt_f16_f32_e32 v21, v22
	v_cvt_f16_f32_e32 v22, v23
	v_cvt_f16_f32_e32 v23, v24
	v_cvt_f16_f32_e32 v24, v25
	v_cvt_f16_f32_e32 v25, v26
	v_cvt_f16_f32_e32 v26, v27
	v_cvt_f16_f32_e32 v27, v28
	v_cvt_f16_f32_e32 v28, v29
	v_cvt_f16_f32_e32 v29, v30
	v_cvt_f16_f32_e32 v30, v31
	v_cvt_f16_f32_e32 v31, v32
	v_cvt_f16_f32_e32 v32, v33
	v_lshl_add_u32 v33, v35, 1, v0
	v_add_u32_e32 v0, s0, v38
	s_waitcnt lgkmcnt(0)
	ds_write_b16 v33, v1
	ds_write_b16 v33, v18 offset:64
	ds_write_b16 v33, v19 offset:128
	ds_write_b16 v33, v20 offset:192
	ds_write_b16 v33, v21 offset:512
	ds_write_b16 v33, v22 offset:576
	ds_write_b16 v33, v23 offset:640
	ds_write_b16 v33, v24 offset:704
	ds_write_b16 v33, v25 offset:1024
	ds_write_b16 v33, v26 offset:1088
	ds_write_b16 v33, v27 offset:1152
	ds_write_b16 v33, v28 offset:1216
	ds_write_b16 v33, v29 offset:1536
	ds_write_b16 v33, v30 offset:1600
	ds_write_b16 v33, v31 offset:1664
	ds_write_b16 v33, v32 offset:1728
	v_lshlrev_b32_e32 v1, 6, v0
	v_lshl_add_u32 v18, v34, 1, v1
	s_waitcnt lgkmcnt(0)
	ds_read_b128 v[20:23], v18 offset:64
	ds_read_b128 v[24:27], v18
	v_add_u32_e32 v1, v0, v43
	v_or_b32_e32 v0, v34, v42
	v_cvt_f16_f32_e32 v2, v2
	v_mad_u64_u32 v[0:1], s[0:1], v1, s15, v[0:1]
	v_cvt_f16_f32_e32 v3, v3
	s_add_i32 s0, s35, s2
	v_cvt_f16_f32_e32 v4, v4
	s_lshl_b32 s10, s0, 1
	s_mov_b32 s11, 0x20000
	v_lshlrev_b32_e32 v1, 1, v0
	v_add_lshl_u32 v0, v0, s15, 1
	v_cvt_f16_f32_e32 v5, v5
	v_cvt_f16_f32_e32 v6, v6
	v_cvt_f16_f32_e32 v7, v7
	v_cvt_f16_f32_e32 v8, v8
	v_cvt_f16_f32_e32 v9, v9
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[24:27], v1, s[8:11], 0 offen
	buffer_store_dwordx4 v[20:23], v0, s[8:11], 0 offen
	s_waitcnt lgkmcnt(0)
	v_cvt_f16_f32_e32 v10, v10
	v_cvt_f16_f32_e32 v11, v11
	v_cvt_f16_f32_e32 v12, v12
	v_cvt_f16_f32_e32 v13, v13
	v_cvt_f16_f32_e32 v14, v14
	v_cvt_f16_f32_e32 v15, v15
	v_cvt_f16_f32_e32 v16, v16
	v_cvt_f16_f32_e32 v17, v17
	ds_write_b16 v33, v2
	ds_write_b16 v33, v3 offset:64
	ds_write_b16 v33, v4 offset:128
	ds_write_b16 v33, v5 offset:192
	ds_write_b16 v33, v6 offset:512
	ds_write_b16 v33, v7 offset:576
	ds_write_b16 v33, v8 offset:640
	ds_write_b16 v33, v9 offset:704
	ds_write_b16 v33, v10 offset:1024
	ds_write_b16 v33, v11 offset:1088
	ds_write_b16 v33, v12 offset:1152
	ds_write_b16 v33, v13 offset:1216
	ds_write_b16 v33, v14 offset:1536
	ds_write_b16 v33, v15 offset:1600
	ds_write_b16 v33, v16 offset:1664
	ds_write_b16 v33, v17 offset:1728
	s_waitcnt lgkmcnt(0)
	ds_read_b128 v[2:5], v18
	ds_read_b128 v[6:9], v18 offset:64
	s_waitcnt lgkmcnt(1)
	buffer_store_dwordx4 v[2:5], v1, s[8:11], 0 offen offset:64
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[6:9], v0, s[8:11], 0 offen offset:64
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 6144
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
		.amdhsa_next_free_vgpr 139
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 140
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
	.set ck_gemm.num_vgpr, 139
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 74
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
	.section	.rodata._ZN7ck_tile26StreamKTilePartitionerBaseINS_13TileGemmShapeINS_8sequenceIJLi32ELi64ELi32EEEENS2_IJLi1ELi1ELi1EEEENS2_IJLi32ELi32ELi16EEEELb0ELb0EEELNS_24StreamKReductionStrategyE1EE9NPerBlockE,"aG",@progbits,_ZN7ck_tile26StreamKTilePartitionerBaseINS_13TileGemmShapeINS_8sequenceIJLi32ELi64ELi32EEEENS2_IJLi1ELi1ELi1EEEENS2_IJLi32ELi32ELi16EEEELb0ELb0EEELNS_24StreamKReductionStrategyE1EE9NPerBlockE,comdat
_ZN7ck_tile26StreamKTilePartitionerBaseINS_13TileGemmShapeINS_8sequenceIJLi32ELi64ELi32EEEENS2_IJLi1ELi1ELi1EEEENS2_IJLi32ELi32ELi16EEEELb0ELb0EEELNS_24StreamKReductionStrategyE1EE9NPerBlockE:
	.long	64
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
    .group_segment_fixed_size: 6144
    .kernarg_segment_align: 8
    .kernarg_segment_size: 224
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 64
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     80
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     139
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
