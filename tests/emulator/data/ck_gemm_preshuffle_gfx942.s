; A CK Tile GEMM for gfx942 (64 x 64 x 64 tile, fp16) that reads B as ck_tile_n32_v8, compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_load_dwordx2 s[16:17], s[0:1], 0x8c
	s_mov_b32 s12, 0
	s_waitcnt lgkmcnt(0)
	s_add_i32 s18, s4, -1
	s_cmp_lt_u32 s18, 64
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s8, s5, -1
	s_cmp_lt_u32 s8, 64
	s_mov_b32 s8, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s12, s4, 63
	s_ashr_i32 s13, s12, 31
	s_lshr_b32 s8, s13, 26
	s_add_i32 s8, s12, s8
	s_ashr_i32 s11, s8, 6
	s_add_i32 s8, s5, 63
	s_ashr_i32 s9, s8, 31
	s_lshr_b32 s9, s9, 26
	s_add_i32 s8, s8, s9
	s_ashr_i32 s10, s8, 6
	s_mul_i32 s8, s10, s11
	s_add_i32 s9, s8, 7
	s_ashr_i32 s14, s9, 31
	s_lshr_b32 s14, s14, 29
	s_add_i32 s9, s9, s14
	s_ashr_i32 s14, s9, 3
	s_and_b32 s9, s9, -8
	s_sub_i32 s15, s8, s9
	s_ashr_i32 s8, s2, 31
	s_lshr_b32 s8, s8, 29
	s_add_i32 s20, s2, s8
	s_and_b32 s8, s20, -8
	s_add_i32 s15, s15, 8
	s_sub_i32 s19, s2, s8
	s_cmp_gt_i32 s19, s15
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s14, s19
	s_ashr_i32 s8, s20, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s8, s20, 3
.LBB1_5:
	s_add_i32 s2, s14, -1
	s_mul_i32 s2, s2, s19
	s_add_i32 s2, s15, s2
.LBB1_6:
	s_abs_i32 s9, s10
	v_cvt_f32_u32_e32 v1, s9
	s_sub_i32 s15, 0, s9
	s_add_i32 s2, s2, s8
	s_abs_i32 s14, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s8, s2, s10
	s_ashr_i32 s8, s8, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s19, v1
	s_mul_i32 s15, s15, s19
	s_mul_hi_u32 s15, s19, s15
	s_add_i32 s19, s19, s15
	s_mul_hi_u32 s15, s14, s19
	s_mul_i32 s19, s15, s9
	s_sub_i32 s14, s14, s19
	s_add_i32 s20, s15, 1
	s_sub_i32 s19, s14, s9
	s_cmp_ge_u32 s14, s9
	s_cselect_b32 s15, s20, s15
	s_cselect_b32 s14, s19, s14
	s_add_i32 s19, s15, 1
	s_cmp_ge_u32 s14, s9
	s_cselect_b32 s9, s19, s15
	s_xor_b32 s9, s9, s8
	s_lshr_b32 s13, s13, 24
	s_sub_i32 s8, s9, s8
	s_add_i32 s12, s12, s13
	s_mul_i32 s9, s8, s10
	s_sub_i32 s2, s2, s9
	s_ashr_i32 s9, s12, 8
	s_lshl_b32 s9, s9, 2
	s_sub_i32 s11, s11, s9
	s_cmp_ge_i32 s8, s9
	s_cselect_b32 s9, s11, 4
	s_abs_i32 s12, s9
	v_cvt_f32_u32_e32 v1, s12
	s_ashr_i32 s11, s8, 31
	s_lshr_b32 s11, s11, 30
	s_add_i32 s11, s8, s11
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s11, s11, -4
	s_sub_i32 s8, s8, s11
	s_sub_i32 s13, 0, s12
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s8, s8, s10
	s_add_i32 s2, s8, s2
	s_abs_i32 s10, s2
	v_readfirstlane_b32 s14, v1
	s_mul_i32 s13, s13, s14
	s_mul_hi_u32 s13, s14, s13
	s_add_i32 s14, s14, s13
	s_mul_hi_u32 s13, s10, s14
	s_mul_i32 s14, s13, s12
	s_xor_b32 s8, s2, s9
	s_sub_i32 s10, s10, s14
	s_ashr_i32 s8, s8, 31
	s_add_i32 s14, s13, 1
	s_sub_i32 s15, s10, s12
	s_cmp_ge_u32 s10, s12
	s_cselect_b32 s13, s14, s13
	s_cselect_b32 s10, s15, s10
	s_add_i32 s14, s13, 1
	s_cmp_ge_u32 s10, s12
	s_cselect_b32 s10, s14, s13
	s_xor_b32 s10, s10, s8
	s_sub_i32 s8, s10, s8
	s_mul_i32 s9, s9, s8
	s_sub_i32 s9, s11, s9
	s_add_i32 s2, s9, s2
.LBB1_7:
	s_mov_b32 s12, s2
	s_mov_b32 s2, s8
.LBB1_8:
	s_lshl_b32 s8, s17, 4
	s_abs_i32 s9, s8
	v_cvt_f32_u32_e32 v1, s9
	s_sub_i32 s11, 0, s9
	s_add_i32 s10, s6, s8
	s_add_i32 s10, s10, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s8, s10, s8
	s_abs_i32 s10, s10
	s_ashr_i32 s8, s8, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s13, v1
	s_mul_i32 s11, s11, s13
	s_mul_hi_u32 s11, s13, s11
	s_add_i32 s13, s13, s11
	s_mul_hi_u32 s11, s10, s13
	s_mul_i32 s13, s11, s9
	s_sub_i32 s10, s10, s13
	s_add_i32 s14, s11, 1
	s_sub_i32 s13, s10, s9
	s_cmp_ge_u32 s10, s9
	s_cselect_b32 s11, s14, s11
	s_cselect_b32 s10, s13, s10
	s_add_i32 s13, s11, 1
	s_cmp_ge_u32 s10, s9
	s_cselect_b32 s9, s13, s11
	s_xor_b32 s9, s9, s8
	s_sub_i32 s8, s9, s8
	s_lshl_b32 s20, s8, 4
	s_add_i32 s8, s17, -1
	s_cmp_ge_u32 s3, s8
	s_mul_i32 s13, s20, s3
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s3, s20, s8
	s_sub_i32 s19, s6, s3
	s_load_dwordx4 s[8:11], s[0:1], 0x0
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
	s_load_dwordx4 s[8:11], s[0:1], 0x0
.LBB1_11:
	s_mov_b32 s19, s20
.LBB1_12:
	s_lshl_b32 s3, s12, 6
	s_mov_b32 s12, 0
	s_ashr_i64 s[14:15], s[12:13], 31
	s_waitcnt lgkmcnt(0)
	s_add_u32 s12, s8, s14
	s_addc_u32 s13, s9, s15
	s_add_u32 s8, s10, s14
	s_addc_u32 s9, s11, s15
	s_ashr_i32 s10, s19, 31
	s_lshr_b32 s10, s10, 28
	s_add_i32 s10, s19, s10
	s_ashr_i32 s17, s10, 4
	s_lshl_b32 s10, s17, 9
	s_abs_i32 s11, s10
	v_cvt_f32_u32_e32 v1, s11
	s_mul_i32 s14, s7, s18
	s_sub_i32 s18, 0, s11
	s_add_i32 s15, s19, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_mul_i32 s6, s6, s5
	s_add_i32 s15, s15, s14
	s_xor_b32 s14, s6, s10
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_abs_i32 s6, s6
	s_ashr_i32 s14, s14, 31
	v_readfirstlane_b32 s20, v1
	s_mul_i32 s18, s18, s20
	s_mul_hi_u32 s18, s20, s18
	s_add_i32 s20, s20, s18
	s_mul_hi_u32 s18, s6, s20
	s_mul_i32 s20, s18, s11
	s_sub_i32 s6, s6, s20
	s_add_i32 s20, s18, 1
	s_sub_i32 s21, s6, s11
	s_cmp_ge_u32 s6, s11
	s_cselect_b32 s18, s20, s18
	s_cselect_b32 s6, s21, s6
	s_add_i32 s20, s18, 1
	s_cmp_ge_u32 s6, s11
	s_cselect_b32 s6, s20, s18
	s_xor_b32 s6, s6, s14
	s_not_b32 s11, s14
	s_add_i32 s6, s11, s6
	s_mul_i32 s6, s6, s10
	s_add_i32 s11, s10, -1
	s_add_i32 s11, s11, s6
	s_add_i32 s6, s19, 63
	s_lshl_b32 s18, s2, 1
	v_readfirstlane_b32 s19, v0
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v2, -1, v1
	s_lshr_b32 s14, s19, 3
	v_lshrrev_b32_e32 v34, 3, v2
	s_and_b32 s20, s14, 0x1ffffff8
	v_add_u32_e32 v10, s20, v34
	v_lshlrev_b32_e32 v5, 3, v2
	v_add_u32_e32 v3, s3, v10
	v_and_b32_e32 v1, 56, v5
	v_mul_lo_u32 v3, v3, s7
	v_add_u32_e32 v4, v3, v1
	s_lshl_b32 s21, s7, 4
	v_lshlrev_b32_e32 v11, 1, v4
	v_add_u32_e32 v4, s21, v4
	v_lshlrev_b32_e32 v12, 1, v4
	v_add_u32_e32 v4, s21, v4
	v_add_lshl_u32 v14, v4, s21, 1
	s_bfe_u32 s21, s19, 0x10006
	s_or_b32 s21, s21, s18
	v_lshlrev_b32_e32 v13, 1, v4
	v_and_b32_e32 v4, 0x1f8, v5
	s_mul_i32 s10, s21, s10
	s_lshl1_add_u32 s14, s15, 2
	s_mov_b32 s15, 0x20000
	v_or_b32_e32 v15, s10, v4
	s_lshl1_add_u32 s10, s11, 2
	s_mov_b32 s11, s15
	v_lshlrev_b32_e32 v4, 1, v15
	buffer_load_dwordx4 v[70:73], v4, s[8:11], 0 offen
	buffer_load_dwordx4 v[66:69], v4, s[8:11], 0 offen offset:1024
	buffer_load_dwordx4 v[62:65], v4, s[8:11], 0 offen offset:2048
	buffer_load_dwordx4 v[58:61], v4, s[8:11], 0 offen offset:3072
	buffer_load_dwordx4 v[20:23], v11, s[12:15], 0 offen
	buffer_load_dwordx4 v[24:27], v12, s[12:15], 0 offen
	buffer_load_dwordx4 v[28:31], v13, s[12:15], 0 offen
	buffer_load_dwordx4 v[44:47], v14, s[12:15], 0 offen
	s_lshr_b32 s18, s19, 2
	v_lshrrev_b32_e32 v35, 2, v2
	v_xor_b32_e32 v7, v5, v2
	s_and_b32 s18, s18, 0x3ffffe0
	v_and_b32_e32 v36, 31, v2
	v_lshrrev_b32_e32 v6, 5, v2
	v_and_b32_e32 v4, 7, v2
	v_add_u32_e32 v8, 16, v35
	v_add_u32_e32 v17, 48, v35
	v_and_b32_e32 v18, 56, v7
	v_or_b32_e32 v16, s18, v36
	v_xor_b32_e32 v5, v6, v4
	v_or_b32_e32 v6, 4, v6
	v_lshrrev_b32_e32 v7, 3, v8
	v_lshrrev_b32_e32 v17, 3, v17
	v_add_u32_e32 v42, 0x800, v15
	v_lshlrev_b32_e32 v15, 1, v18
	v_lshlrev_b32_e32 v9, 6, v16
	v_xor_b32_e32 v6, v6, v4
	v_xor_b32_e32 v8, v7, v4
	v_xor_b32_e32 v7, v17, v4
	v_lshl_or_b32 v41, v10, 7, v15
	s_waitcnt vmcnt(3)
	ds_write_b128 v41, v[20:23]
	s_waitcnt vmcnt(2)
	ds_write_b128 v41, v[24:27] offset:2048
	s_waitcnt vmcnt(1)
	ds_write_b128 v41, v[28:31] offset:4096
	s_waitcnt vmcnt(0)
	ds_write_b128 v41, v[44:47] offset:6144
	buffer_load_dwordx4 v[82:85], v11, s[12:15], 0 offen offset:128
	buffer_load_dwordx4 v[86:89], v12, s[12:15], 0 offen offset:128
	buffer_load_dwordx4 v[74:77], v13, s[12:15], 0 offen offset:128
	buffer_load_dwordx4 v[78:81], v14, s[12:15], 0 offen offset:128
	v_lshlrev_b32_e32 v10, 7, v16
	v_lshl_or_b32 v39, v5, 4, v10
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_cmpk_gt_i32 s6, 0xbf
	s_cbranch_scc1 .LBB1_14
	s_mov_b64 s[18:19], 0
	s_branch .LBB1_15
.LBB1_14:
	s_mov_b64 s[18:19], -1
.LBB1_15:
	ds_read_b128 v[94:97], v39
	ds_read_b128 v[90:93], v39 offset:4096
	s_load_dwordx2 s[0:1], s[0:1], 0x50
	v_lshl_add_u32 v10, v8, 3, v9
	v_lshl_or_b32 v11, v6, 3, v9
	v_lshl_add_u32 v9, v7, 3, v9
	s_andn2_b64 vcc, exec, s[18:19]
	v_lshlrev_b32_e32 v40, 1, v10
	v_lshlrev_b32_e32 v38, 1, v11
	v_lshlrev_b32_e32 v37, 1, v9
	s_cbranch_vccnz .LBB1_18
	v_and_b32_e32 v2, 63, v2
	s_mul_i32 s17, s17, s21
	v_lshlrev_b32_e32 v2, 4, v2
	v_lshl_or_b32 v2, s17, 10, v2
	s_add_i32 s20, s20, s3
	v_add_u32_e32 v52, 0x1800, v2
	s_movk_i32 s17, 0x180
	v_add_u32_e32 v2, s20, v34
	v_lshl_add_u32 v54, v3, 1, s17
	v_add_u32_e32 v3, 16, v2
	s_lshr_b32 s6, s6, 6
	v_mul_lo_u32 v3, s7, v3
	v_sub_u32_e32 v8, v8, v5
	v_sub_u32_e32 v6, v6, v5
	v_sub_u32_e32 v5, v7, v5
	s_add_i32 s6, s6, -1
	v_lshlrev_b32_e32 v55, 1, v3
	v_add_u32_e32 v3, 32, v2
	v_add_u32_e32 v2, 48, v2
	s_lshr_b32 s6, s6, 1
	v_lshlrev_b32_e32 v7, 4, v8
	v_lshlrev_b32_e32 v6, 4, v6
	v_lshlrev_b32_e32 v5, 4, v5
	v_add_u32_e32 v8, 0x2000, v39
	v_mul_lo_u32 v3, s7, v3
	v_mul_lo_u32 v2, s7, v2
	v_add_u32_e32 v43, v39, v7
	v_add_u32_e32 v44, v39, v6
	v_add_u32_e32 v45, v39, v5
	v_add_u32_e32 v46, 0x2000, v40
	v_add_u32_e32 v47, v8, v7
	v_add_u32_e32 v48, 0x2000, v38
	v_add_u32_e32 v49, v8, v6
	v_add_u32_e32 v50, 0x2000, v37
	v_add_u32_e32 v51, v8, v5
	s_add_i32 s6, s6, 1
	v_lshlrev_b32_e32 v53, 4, v4
	v_lshlrev_b32_e32 v56, 1, v3
	v_lshlrev_b32_e32 v57, 1, v2
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
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
.LBB1_17:
	s_waitcnt vmcnt(7) lgkmcnt(0)
	s_nop 0
	v_mfma_f32_32x32x8_f16 v[18:33], v[94:95], v[70:71], v[18:33]
	s_waitcnt vmcnt(3)
	ds_write_b128 v41, v[82:85] offset:8192
	v_add_u32_e32 v82, 0xfffff800, v52
	s_waitcnt vmcnt(2)
	ds_write_b128 v41, v[86:89] offset:10240
	v_mfma_f32_32x32x8_f16 v[18:33], v[96:97], v[72:73], v[18:33]
	buffer_load_dwordx4 v[82:85], v82, s[8:11], 0 offen
	ds_read_b128 v[86:89], v40
	v_mfma_f32_32x32x8_f16 v[2:17], v[90:91], v[70:71], v[2:17]
	v_add_u32_e32 v70, 0xfffffc00, v52
	buffer_load_dwordx4 v[94:97], v70, s[8:11], 0 offen
	v_mfma_f32_32x32x8_f16 v[2:17], v[92:93], v[72:73], v[2:17]
	ds_read_b128 v[70:73], v43 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[86:87], v[66:67], v[18:33]
	s_waitcnt vmcnt(3)
	ds_write_b128 v41, v[74:77] offset:12288
	s_waitcnt vmcnt(2)
	ds_write_b128 v41, v[78:81] offset:14336
	v_add_u32_e32 v74, v53, v54
	v_add_u32_e32 v75, v53, v55
	v_mfma_f32_32x32x8_f16 v[18:33], v[88:89], v[68:69], v[18:33]
	buffer_load_dwordx4 v[76:79], v52, s[8:11], 0 offen
	ds_read_b128 v[86:89], v38
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[66:67], v[2:17]
	buffer_load_dwordx4 v[98:101], v52, s[8:11], 0 offen offset:1024
	v_add_u32_e32 v66, 0xffffff80, v74
	v_mfma_f32_32x32x8_f16 v[2:17], v[72:73], v[68:69], v[2:17]
	ds_read_b128 v[68:71], v44 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[86:87], v[62:63], v[18:33]
	v_mfma_f32_32x32x8_f16 v[18:33], v[88:89], v[64:65], v[18:33]
	buffer_load_dwordx4 v[86:89], v66, s[12:15], 0 offen
	ds_read_b128 v[90:93], v37
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[68:69], v[62:63], v[2:17]
	buffer_load_dwordx4 v[66:69], v75, s[12:15], 0 offen offset:256
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[64:65], v[2:17]
	ds_read_b128 v[62:65], v45 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[90:91], v[58:59], v[18:33]
	v_add_u32_e32 v90, v53, v56
	v_add_u32_e32 v91, v53, v57
	v_mfma_f32_32x32x8_f16 v[18:33], v[92:93], v[60:61], v[18:33]
	buffer_load_dwordx4 v[102:105], v90, s[12:15], 0 offen offset:256
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[62:63], v[58:59], v[2:17]
	buffer_load_dwordx4 v[106:109], v91, s[12:15], 0 offen offset:256
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x8_f16 v[2:17], v[64:65], v[60:61], v[2:17]
	ds_read_b128 v[58:61], v39 offset:8192
	ds_read_b128 v[110:113], v39 offset:12288
	s_waitcnt vmcnt(7) lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[58:59], v[82:83], v[18:33]
	s_waitcnt vmcnt(3)
	ds_write_b128 v41, v[86:89]
	s_waitcnt vmcnt(2)
	ds_write_b128 v41, v[66:69] offset:2048
	v_add_u32_e32 v42, 0x1000, v42
	v_mfma_f32_32x32x8_f16 v[18:33], v[60:61], v[84:85], v[18:33]
	buffer_load_dwordx4 v[70:73], v52, s[8:11], 0 offen offset:2048
	ds_read_b128 v[58:61], v46
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[110:111], v[82:83], v[2:17]
	buffer_load_dwordx4 v[66:69], v52, s[8:11], 0 offen offset:3072
	v_mfma_f32_32x32x8_f16 v[2:17], v[112:113], v[84:85], v[2:17]
	ds_read_b128 v[80:83], v47 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[58:59], v[94:95], v[18:33]
	v_add_u32_e32 v58, 0x1000, v52
	s_waitcnt vmcnt(3)
	ds_write_b128 v41, v[102:105] offset:4096
	s_waitcnt vmcnt(2)
	ds_write_b128 v41, v[106:109] offset:6144
	v_mfma_f32_32x32x8_f16 v[18:33], v[60:61], v[96:97], v[18:33]
	buffer_load_dwordx4 v[62:65], v58, s[8:11], 0 offen
	ds_read_b128 v[84:87], v48
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[80:81], v[94:95], v[2:17]
	buffer_load_dwordx4 v[58:61], v58, s[8:11], 0 offen offset:1024
	v_mfma_f32_32x32x8_f16 v[2:17], v[82:83], v[96:97], v[2:17]
	ds_read_b128 v[92:95], v49 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[84:85], v[76:77], v[18:33]
	v_mfma_f32_32x32x8_f16 v[18:33], v[86:87], v[78:79], v[18:33]
	buffer_load_dwordx4 v[82:85], v74, s[12:15], 0 offen
	ds_read_b128 v[102:105], v50
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[92:93], v[76:77], v[2:17]
	buffer_load_dwordx4 v[86:89], v75, s[12:15], 0 offen offset:384
	v_mfma_f32_32x32x8_f16 v[2:17], v[94:95], v[78:79], v[2:17]
	ds_read_b128 v[94:97], v51 offset:4096
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[102:103], v[98:99], v[18:33]
	v_mfma_f32_32x32x8_f16 v[18:33], v[104:105], v[100:101], v[18:33]
	buffer_load_dwordx4 v[74:77], v90, s[12:15], 0 offen offset:384
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 v[2:17], v[94:95], v[98:99], v[2:17]
	buffer_load_dwordx4 v[78:81], v91, s[12:15], 0 offen offset:384
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x8_f16 v[2:17], v[96:97], v[100:101], v[2:17]
	ds_read_b128 v[94:97], v39
	ds_read_b128 v[90:93], v39 offset:4096
	s_add_i32 s6, s6, -1
	v_add_u32_e32 v52, 0x2000, v52
	v_add_u32_e32 v54, 0x100, v54
	v_add_u32_e32 v55, 0x100, v55
	v_add_u32_e32 v56, 0x100, v56
	s_cmp_gt_u32 s6, 1
	v_add_u32_e32 v57, 0x100, v57
	s_cbranch_scc1 .LBB1_17
	s_branch .LBB1_19
.LBB1_18:
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
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v18, 0
.LBB1_19:
	s_waitcnt vmcnt(7) lgkmcnt(0)
	s_nop 0
	v_mfma_f32_32x32x8_f16 v[18:33], v[94:95], v[70:71], v[18:33]
	v_lshlrev_b32_e32 v42, 1, v42
	s_waitcnt vmcnt(3)
	ds_write_b128 v41, v[82:85] offset:8192
	s_waitcnt vmcnt(2)
	ds_write_b128 v41, v[86:89] offset:10240
	s_add_i32 s4, s4, 0x7fffffff
	s_mul_i32 s4, s4, s16
	s_add_i32 s4, s5, s4
	v_mfma_f32_32x32x8_f16 v[18:33], v[96:97], v[72:73], v[18:33]
	buffer_load_dwordx4 v[44:47], v42, s[8:11], 0 offen
	ds_read_b128 v[48:51], v40
	v_mfma_f32_32x32x8_f16 v[2:17], v[90:91], v[70:71], v[2:17]
	ds_read_b128 v[52:55], v40 offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[92:93], v[72:73], v[2:17]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[48:49], v[66:67], v[18:33]
	s_waitcnt vmcnt(2)
	ds_write_b128 v41, v[74:77] offset:12288
	s_waitcnt vmcnt(1)
	ds_write_b128 v41, v[78:81] offset:14336
	v_mfma_f32_32x32x8_f16 v[18:33], v[50:51], v[68:69], v[18:33]
	buffer_load_dwordx4 v[48:51], v42, s[8:11], 0 offen offset:1024
	ds_read_b128 v[70:73], v38
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[66:67], v[2:17]
	ds_read_b128 v[74:77], v38 offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[68:69], v[2:17]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[70:71], v[62:63], v[18:33]
	v_mfma_f32_32x32x8_f16 v[18:33], v[72:73], v[64:65], v[18:33]
	buffer_load_dwordx4 v[52:55], v42, s[8:11], 0 offen offset:2048
	ds_read_b128 v[66:69], v37
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[74:75], v[62:63], v[2:17]
	ds_read_b128 v[70:73], v37 offset:4096
	v_mfma_f32_32x32x8_f16 v[2:17], v[76:77], v[64:65], v[2:17]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[66:67], v[58:59], v[18:33]
	v_mfma_f32_32x32x8_f16 v[18:33], v[68:69], v[60:61], v[18:33]
	buffer_load_dwordx4 v[62:65], v42, s[8:11], 0 offen offset:3072
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[66:69], v39 offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[70:71], v[58:59], v[2:17]
	ds_read_b128 v[56:59], v39 offset:12288
	v_mfma_f32_32x32x8_f16 v[2:17], v[72:73], v[60:61], v[2:17]
	s_waitcnt vmcnt(3) lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[66:67], v[44:45], v[18:33]
	ds_read_b128 v[70:73], v40 offset:8192
	v_readfirstlane_b32 s5, v0
	s_lshr_b32 s6, s5, 2
	s_and_b32 s7, s6, 0x1ffffe0
	v_and_or_b32 v0, v34, 12, s7
	s_and_b32 s5, s5, 64
	v_lshlrev_b32_e32 v34, 1, v36
	v_mfma_f32_32x32x8_f16 v[18:33], v[68:69], v[46:47], v[18:33]
	v_lshlrev_b32_e32 v0, 7, v0
	v_or3_b32 v34, s5, v34, v0
	s_and_b32 s5, s6, 0x3ffffff0
	v_and_b32_e32 v0, 30, v35
	v_add_u32_e32 v0, s5, v0
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[56:57], v[44:45], v[2:17]
	ds_read_b128 v[40:43], v40 offset:12288
	v_mfma_f32_32x32x8_f16 v[2:17], v[58:59], v[46:47], v[2:17]
	s_waitcnt vmcnt(2) lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[70:71], v[48:49], v[18:33]
	ds_read_b128 v[44:47], v38 offset:8192
	v_mfma_f32_32x32x8_f16 v[18:33], v[72:73], v[50:51], v[18:33]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[48:49], v[2:17]
	ds_read_b128 v[38:41], v38 offset:12288
	v_mfma_f32_32x32x8_f16 v[2:17], v[42:43], v[50:51], v[2:17]
	s_waitcnt vmcnt(1) lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[18:33], v[44:45], v[52:53], v[18:33]
	ds_read_b128 v[42:45], v37 offset:8192
	v_mfma_f32_32x32x8_f16 v[18:33], v[46:47], v[54:55], v[18:33]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 v[2:17], v[38:39], v[52:53], v[2:17]
	ds_read_b128 v[46:49], v37 offset:12288
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x8_f16 v[2:17], v[40:41], v[54:55], v[2:17]
	s_waitcnt vmcnt(0)
	v_mfma_f32_32x32x8_f16 v[18:33], v[42:43], v[62:63], v[18:33]
	v_mfma_f32_32x32x8_f16 v[18:33], v[44:45], v[64:65], v[18:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[46:47], v[62:63], v[2:17]
	s_nop 9
	v_cvt_f16_f32_e32 v18, v18
	v_cvt_f16_f32_e32 v20, v20
	v_cvt_f16_f32_e32 v19, v19
	v_cvt_f16_f32_e32 v21, v21
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
	v_mfma_f32_32x32x8_f16 v[2:17], v[48:49], v[64:65], v[2:17]
	ds_write_b16 v34, v18
	v_lshlrev_b32_e32 v18, 7, v0
	ds_write_b16 v34, v20 offset:256
	v_lshl_or_b32 v20, v1, 1, v18
	ds_write_b16 v34, v19 offset:128
	ds_write_b16 v34, v21 offset:384
	ds_write_b16 v34, v22 offset:1024
	ds_write_b16 v34, v23 offset:1152
	ds_write_b16 v34, v24 offset:1280
	ds_write_b16 v34, v25 offset:1408
	ds_write_b16 v34, v26 offset:2048
	ds_write_b16 v34, v27 offset:2176
	ds_write_b16 v34, v28 offset:2304
	ds_write_b16 v34, v29 offset:2432
	ds_write_b16 v34, v30 offset:3072
	ds_write_b16 v34, v31 offset:3200
	ds_write_b16 v34, v32 offset:3328
	ds_write_b16 v34, v33 offset:3456
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[26:29], v20
	ds_read_b128 v[22:25], v20 offset:128
	v_add_u32_e32 v21, s3, v0
	v_lshl_or_b32 v0, s2, 6, v1
	v_mad_u64_u32 v[18:19], s[2:3], v21, s16, v[0:1]
	s_lshl_b32 s2, s4, 1
	s_mov_b32 s3, 0x20000
	v_lshlrev_b32_e32 v1, 1, v18
	s_waitcnt lgkmcnt(1)
	s_nop 0
	buffer_store_dwordx4 v[26:29], v1, s[0:3], 0 offen
	v_add_lshl_u32 v1, v18, s16, 1
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[22:25], v1, s[0:3], 0 offen
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
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b16 v34, v1
	ds_write_b16 v34, v2 offset:128
	ds_write_b16 v34, v3 offset:256
	ds_write_b16 v34, v4 offset:384
	ds_write_b16 v34, v5 offset:1024
	ds_write_b16 v34, v6 offset:1152
	ds_write_b16 v34, v7 offset:1280
	ds_write_b16 v34, v8 offset:1408
	ds_write_b16 v34, v9 offset:2048
	ds_write_b16 v34, v10 offset:2176
	ds_write_b16 v34, v11 offset:2304
	ds_write_b16 v34, v12 offset:2432
	ds_write_b16 v34, v13 offset:3072
	ds_write_b16 v34, v14 offset:3200
	ds_write_b16 v34, v15 offset:3328
	ds_write_b16 v34, v16 offset:3456
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[2:5], v20 offset:128
	ds_read_b128 v[6:9], v20
	v_add_u32_e32 v1, 32, v21
	v_mad_u64_u32 v[0:1], s[4:5], v1, s16, v[0:1]
	v_lshlrev_b32_e32 v1, 1, v0
	v_add_lshl_u32 v0, v0, s16, 1
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[6:9], v1, s[0:3], 0 offen
	buffer_store_dwordx4 v[2:5], v0, s[0:3], 0 offen
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 16384
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
		.amdhsa_next_free_vgpr 169
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 116
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
	.set ck_gemm.num_vgpr, 114
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 22
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
    .group_segment_fixed_size: 16384
    .kernarg_segment_align: 8
    .kernarg_segment_size: 152
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 128
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     28
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     114
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
