; A CK Tile GEMM (128 x 128 tile, fp16, A and B^T row-major), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
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
ck_gemm:
	s_load_dwordx4 s[4:7], s[0:1], 0x58
	s_load_dword s18, s[0:1], 0x68
	s_load_dwordx2 s[16:17], s[0:1], 0x8c
	s_mov_b32 s20, 0
	s_waitcnt lgkmcnt(0)
	s_add_i32 s19, s4, -1
	s_cmpk_lt_u32 s19, 0x80
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s8, s5, -1
	s_cmpk_lt_u32 s8, 0x80
	s_mov_b32 s8, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s12, s4, 0x7f
	s_ashr_i32 s13, s12, 31
	s_lshr_b32 s8, s13, 25
	s_add_i32 s8, s12, s8
	s_ashr_i32 s11, s8, 7
	s_add_i32 s8, s5, 0x7f
	s_ashr_i32 s9, s8, 31
	s_lshr_b32 s9, s9, 25
	s_add_i32 s8, s8, s9
	s_ashr_i32 s10, s8, 7
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
	s_add_i32 s21, s2, s8
	s_and_b32 s8, s21, -8
	s_add_i32 s15, s15, 8
	s_sub_i32 s20, s2, s8
	s_cmp_gt_i32 s20, s15
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s14, s20
	s_ashr_i32 s8, s21, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s8, s21, 3
.LBB1_5:
	s_add_i32 s2, s14, -1
	s_mul_i32 s2, s2, s20
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
	v_readfirstlane_b32 s20, v1
	s_mul_i32 s15, s15, s20
	s_mul_hi_u32 s15, s20, s15
	s_add_i32 s20, s20, s15
	s_mul_hi_u32 s15, s14, s20
	s_mul_i32 s20, s15, s9
	s_sub_i32 s14, s14, s20
	s_add_i32 s21, s15, 1
	s_sub_i32 s20, s14, s9
	s_cmp_ge_u32 s14, s9
	s_cselect_b32 s15, s21, s15
	s_cselect_b32 s14, s20, s14
	s_add_i32 s20, s15, 1
	s_cmp_ge_u32 s14, s9
	s_cselect_b32 s9, s20, s15
	s_xor_b32 s9, s9, s8
	s_lshr_b32 s13, s13, 23
	s_sub_i32 s8, s9, s8
	s_add_i32 s12, s12, s13
	s_mul_i32 s9, s8, s10
	s_sub_i32 s2, s2, s9
	s_ashr_i32 s9, s12, 9
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
	s_mov_b32 s20, s2
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
	v_readfirstlane_b32 s12, v1
	s_mul_i32 s11, s11, s12
	s_mul_hi_u32 s11, s12, s11
	s_add_i32 s12, s12, s11
	s_mul_hi_u32 s11, s10, s12
	s_mul_i32 s12, s11, s9
	s_sub_i32 s10, s10, s12
	s_add_i32 s13, s11, 1
	s_sub_i32 s12, s10, s9
	s_cmp_ge_u32 s10, s9
	s_cselect_b32 s11, s13, s11
	s_cselect_b32 s10, s12, s10
	s_add_i32 s12, s11, 1
	s_cmp_ge_u32 s10, s9
	s_cselect_b32 s9, s12, s11
	s_xor_b32 s9, s9, s8
	s_sub_i32 s8, s9, s8
	s_lshl_b32 s21, s8, 4
	s_add_i32 s8, s17, -1
	s_cmp_ge_u32 s3, s8
	s_mul_i32 s3, s21, s3
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s8, s21, s8
	s_sub_i32 s17, s6, s8
	s_load_dwordx2 s[8:9], s[0:1], 0x50
	s_load_dwordx4 s[12:15], s[0:1], 0x0
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
	s_load_dwordx2 s[8:9], s[0:1], 0x50
	s_load_dwordx4 s[12:15], s[0:1], 0x0
.LBB1_11:
	s_mov_b32 s17, s21
.LBB1_12:
	s_lshl_b32 s6, s2, 7
	s_mov_b32 s2, 0
	s_lshl_b32 s10, s20, 7
	s_ashr_i64 s[2:3], s[2:3], 31
	s_waitcnt lgkmcnt(0)
	s_add_u32 s0, s12, s2
	s_addc_u32 s1, s13, s3
	s_add_u32 s12, s14, s2
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_addc_u32 s13, s15, s3
	s_mul_i32 s2, s7, s19
	s_add_i32 s3, s17, -1
	s_add_i32 s11, s5, -1
	v_readfirstlane_b32 s19, v0
	v_mbcnt_hi_u32_b32 v68, -1, v1
	s_add_i32 s3, s3, 1
	s_mul_i32 s11, s18, s11
	s_lshr_b32 s20, s19, 1
	v_lshrrev_b32_e32 v1, 1, v68
	s_add_i32 s2, s2, s3
	s_add_i32 s11, s11, s3
	s_and_b32 s3, s20, 0x7fffffe0
	v_and_b32_e32 v71, 62, v1
	v_lshlrev_b32_e32 v67, 3, v68
	v_add_u32_e32 v1, s3, v71
	v_and_b32_e32 v2, 24, v67
	v_add_u32_e32 v3, s10, v1
	v_add_u32_e32 v4, s6, v1
	v_mad_u64_u32 v[4:5], s[14:15], v4, s18, v[2:3]
	v_mad_u64_u32 v[2:3], s[14:15], v3, s7, v[2:3]
	s_lshl_b32 s2, s2, 1
	s_mov_b32 s3, 0x20000
	v_lshlrev_b32_e32 v3, 1, v2
	buffer_load_dwordx4 v[18:21], v3, s[0:3], 0 offen
	v_add_lshl_u32 v5, v2, s7, 1
	buffer_load_dwordx4 v[22:25], v5, s[0:3], 0 offen
	s_lshl_b32 s14, s11, 1
	s_mov_b32 s15, s3
	v_lshlrev_b32_e32 v6, 1, v4
	buffer_load_dwordx4 v[26:29], v6, s[12:15], 0 offen
	v_add_lshl_u32 v7, v4, s18, 1
	buffer_load_dwordx4 v[30:33], v7, s[12:15], 0 offen
	v_ashrrev_i32_e32 v10, 31, v1
	v_or_b32_e32 v11, 1, v1
	v_lshrrev_b32_e32 v10, 30, v10
	v_add_u32_e32 v12, v1, v10
	v_add_u32_e32 v10, v11, v10
	v_ashrrev_i32_e32 v13, 2, v12
	v_and_b32_e32 v14, 0x3ffffffc, v12
	v_ashrrev_i32_e32 v12, 31, v12
	v_ashrrev_i32_e32 v15, 2, v10
	v_and_b32_e32 v16, 0x3ffffffc, v10
	v_ashrrev_i32_e32 v10, 31, v10
	v_lshrrev_b32_e32 v12, 28, v12
	v_lshrrev_b32_e32 v10, 28, v10
	v_add_u32_e32 v12, v13, v12
	v_add_u32_e32 v10, v15, v10
	v_sub_u32_e32 v1, v1, v14
	v_sub_u32_e32 v11, v11, v16
	v_and_b32_e32 v12, -16, v12
	v_and_b32_e32 v10, 0x1ffffff0, v10
	v_and_b32_e32 v72, 3, v68
	v_lshlrev_b32_e32 v1, 2, v1
	v_lshlrev_b32_e32 v11, 2, v11
	v_sub_u32_e32 v12, v13, v12
	v_sub_u32_e32 v10, v15, v10
	v_bitop3_b32 v1, v1, v12, v72 bitop3:0x36
	v_bitop3_b32 v10, v11, v10, v72 bitop3:0x36
	v_lshlrev_b32_e32 v14, 7, v13
	v_lshlrev_b32_e32 v11, 3, v1
	v_sub_u32_e32 v1, v10, v1
	v_add_lshl_u32 v10, v11, v14, 1
	v_lshlrev_b32_e32 v1, 3, v1
	v_lshl_add_u32 v11, v15, 7, v11
	buffer_load_dwordx4 v[34:37], v3, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[38:41], v5, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[42:45], v6, s[12:15], 0 offen offset:64
	buffer_load_dwordx4 v[46:49], v7, s[12:15], 0 offen offset:64
	v_add_lshl_u32 v1, v11, v1, 1
	s_lshr_b32 s11, s19, 2
	v_and_b32_e32 v70, 31, v68
	v_lshrrev_b32_e32 v69, 2, v68
	s_and_b32 s11, s11, 0x3fffffe0
	v_or_b32_e32 v9, s11, v70
	v_lshlrev_b32_e32 v12, 2, v68
	v_and_or_b32 v15, s20, 32, v70
	v_add_u32_e32 v16, 16, v69
	v_lshrrev_b32_e32 v8, 5, v68
	v_lshrrev_b32_e32 v11, 2, v9
	v_and_b32_e32 v12, 12, v12
	v_lshrrev_b32_e32 v15, 2, v15
	v_lshrrev_b32_e32 v16, 3, v16
	v_add_u32_e32 v9, 64, v9
	v_or_b32_e32 v13, v12, v8
	s_waitcnt vmcnt(7)
	ds_write_b128 v10, v[18:21]
	s_waitcnt vmcnt(6)
	ds_write_b128 v1, v[22:25]
	s_waitcnt vmcnt(5)
	ds_write_b128 v10, v[26:29] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v1, v[30:33] offset:8192
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_load_dwordx4 v[104:107], v3, s[0:3], 0 offen offset:128
	buffer_load_dwordx4 v[92:95], v5, s[0:3], 0 offen offset:128
	buffer_load_dwordx4 v[96:99], v6, s[12:15], 0 offen offset:128
	buffer_load_dwordx4 v[100:103], v7, s[12:15], 0 offen offset:128
	v_bitop3_b32 v8, v12, v15, v8 bitop3:0x36
	v_add_u32_e32 v12, v16, v12
	v_lshrrev_b32_e32 v9, 2, v9
	v_bitop3_b32 v14, v11, v13, 15 bitop3:0x6c
	v_lshlrev_b32_e32 v78, 8, v11
	v_bitop3_b32 v16, v12, v11, 15 bitop3:0x78
	v_sub_u32_e32 v11, v9, v11
	v_bitop3_b32 v13, v9, v13, 15 bitop3:0x6c
	v_bitop3_b32 v9, v9, v12, 15 bitop3:0x6c
	v_lshl_add_u32 v73, v16, 4, v78
	v_sub_u32_e32 v9, v9, v16
	v_lshl_add_u32 v11, v11, 8, v73
	v_lshlrev_b32_e32 v9, 4, v9
	v_lshlrev_b32_e32 v128, 8, v15
	v_lshlrev_b32_e32 v129, 4, v8
	v_add_u32_e32 v75, v11, v9
	v_or_b32_e32 v9, v128, v129
	ds_read_b128 v[80:83], v75
	ds_read_b128 v[120:123], v9 offset:8192
	v_xor_b32_e32 v9, v12, v15
	v_lshlrev_b32_e32 v79, 4, v14
	v_sub_u32_e32 v13, v13, v16
	v_sub_u32_e32 v8, v8, v9
	v_or_b32_e32 v14, v78, v79
	v_lshlrev_b32_e32 v13, 4, v13
	v_lshl_add_u32 v76, v9, 4, v128
	v_lshlrev_b32_e32 v8, 4, v8
	s_add_i32 s11, s17, 31
	v_add_u32_e32 v74, v11, v13
	ds_read_b128 v[124:127], v14
	ds_read_b128 v[84:87], v74
	v_add_u32_e32 v77, v76, v8
	ds_read_b128 v[88:91], v76 offset:8192
	ds_read_b128 v[112:115], v77 offset:12288
	ds_read_b128 v[116:119], v73
	ds_read_b128 v[108:111], v76 offset:12288
	s_ashr_i32 s17, s11, 31
	s_lshr_b32 s17, s17, 27
	s_add_i32 s11, s11, s17
	s_ashr_i32 s11, s11, 5
	s_waitcnt vmcnt(7)
	ds_write_b128 v10, v[34:37] offset:16384
	s_waitcnt vmcnt(6)
	ds_write_b128 v1, v[38:41] offset:16384
	s_waitcnt vmcnt(5)
	ds_write_b128 v10, v[42:45] offset:24576
	s_waitcnt vmcnt(4)
	ds_write_b128 v1, v[46:49] offset:24576
	v_add_u32_e32 v1, 0x60, v4
	v_add_u32_e32 v66, 0x60, v2
	s_add_i32 s11, s11, 2
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
	v_mov_b32_e32 v49, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v65, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v50, 0
	v_add_u32_e32 v79, v78, v79
	v_add_u32_e32 v78, v128, v129
.LBB1_13:
	v_lshlrev_b32_e32 v128, 1, v66
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_32x32x16_f16 v[50:65], v[124:127], v[120:123], v[50:65]
	v_add_lshl_u32 v129, v66, s7, 1
	v_lshlrev_b32_e32 v130, 1, v1
	v_add_lshl_u32 v131, v1, s18, 1
	v_readfirstlane_b32 s17, v0
	s_lshr_b32 s17, s17, 1
	s_and_b32 s17, s17, 0x7fffffe0
	ds_read_b128 v[150:153], v73 offset:16384
	v_mfma_f32_32x32x16_f16 v[34:49], v[124:127], v[112:115], v[34:49]
	ds_read_b128 v[154:157], v74 offset:16384
	ds_read_b128 v[158:161], v75 offset:16384
	ds_read_b128 v[162:165], v78 offset:24576
	ds_read_b128 v[166:169], v76 offset:24576
	ds_read_b128 v[170:173], v77 offset:28672
	ds_read_b128 v[174:177], v76 offset:28672
	v_mfma_f32_32x32x16_f16 v[2:17], v[84:87], v[120:123], v[2:17]
	buffer_load_dwordx4 v[134:137], v128, s[0:3], 0 offen
	v_mfma_f32_32x32x16_f16 v[18:33], v[84:87], v[112:115], v[18:33]
	v_mfma_f32_32x32x16_f16 v[50:65], v[116:119], v[88:91], v[50:65]
	v_mfma_f32_32x32x16_f16 v[34:49], v[116:119], v[108:111], v[34:49]
	buffer_load_dwordx4 v[138:141], v129, s[0:3], 0 offen
	v_mfma_f32_32x32x16_f16 v[2:17], v[80:83], v[88:91], v[2:17]
	ds_read_b128 v[86:89], v79 offset:16384
	v_mfma_f32_32x32x16_f16 v[18:33], v[80:83], v[108:111], v[18:33]
	buffer_load_dwordx4 v[142:145], v130, s[12:15], 0 offen
	buffer_load_dwordx4 v[146:149], v131, s[12:15], 0 offen
	v_add_u32_e32 v80, s17, v71
	v_ashrrev_i32_e32 v81, 31, v80
	v_lshrrev_b32_e32 v81, 30, v81
	v_add_u32_e32 v82, v80, v81
	v_ashrrev_i32_e32 v83, 2, v82
	v_and_b32_e32 v84, 0x3ffffffc, v82
	v_ashrrev_i32_e32 v82, 31, v82
	v_lshrrev_b32_e32 v82, 28, v82
	v_add_u32_e32 v82, v83, v82
	v_sub_u32_e32 v84, v80, v84
	v_and_b32_e32 v82, -16, v82
	v_lshlrev_b32_e32 v84, 2, v84
	v_sub_u32_e32 v82, v83, v82
	v_bitop3_b32 v82, v84, v82, v72 bitop3:0x36
	v_or_b32_e32 v80, 1, v80
	v_lshlrev_b32_e32 v84, 3, v82
	v_lshlrev_b32_e32 v83, 7, v83
	v_add_u32_e32 v81, v80, v81
	v_add_lshl_u32 v132, v84, v83, 1
	v_ashrrev_i32_e32 v83, 2, v81
	v_and_b32_e32 v85, 0x3ffffffc, v81
	v_ashrrev_i32_e32 v81, 31, v81
	v_lshrrev_b32_e32 v81, 28, v81
	v_add_u32_e32 v81, v83, v81
	v_sub_u32_e32 v80, v80, v85
	v_and_b32_e32 v81, 0x1ffffff0, v81
	v_lshlrev_b32_e32 v80, 2, v80
	v_sub_u32_e32 v81, v83, v81
	v_bitop3_b32 v80, v80, v81, v72 bitop3:0x36
	v_sub_u32_e32 v80, v80, v82
	v_lshlrev_b32_e32 v80, 3, v80
	v_lshl_add_u32 v81, v83, 7, v84
	s_waitcnt vmcnt(7)
	ds_write_b128 v132, v[104:107]
	v_add_lshl_u32 v104, v81, v80, 1
	s_waitcnt vmcnt(6)
	ds_write_b128 v104, v[92:95]
	s_waitcnt vmcnt(5)
	ds_write_b128 v132, v[96:99] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v104, v[100:103] offset:8192
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x16_f16 v[50:65], v[86:89], v[162:165], v[50:65]
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[124:127], v79
	ds_read_b128 v[116:119], v73
	ds_read_b128 v[80:83], v75
	ds_read_b128 v[120:123], v78 offset:8192
	ds_read_b128 v[112:115], v77 offset:12288
	v_mfma_f32_32x32x16_f16 v[34:49], v[86:89], v[170:173], v[34:49]
	ds_read_b128 v[84:87], v74
	ds_read_b128 v[88:91], v76 offset:8192
	ds_read_b128 v[108:111], v76 offset:12288
	s_waitcnt vmcnt(3)
	ds_write_b128 v132, v[134:137] offset:16384
	s_waitcnt vmcnt(2)
	ds_write_b128 v104, v[138:141] offset:16384
	s_waitcnt vmcnt(1)
	ds_write_b128 v132, v[142:145] offset:24576
	s_waitcnt vmcnt(0)
	ds_write_b128 v104, v[146:149] offset:24576
	v_mfma_f32_32x32x16_f16 v[2:17], v[154:157], v[162:165], v[2:17]
	s_waitcnt lgkmcnt(0)
	s_barrier
	buffer_load_dwordx4 v[104:107], v128, s[0:3], 0 offen offset:64
	v_add_u32_e32 v1, 64, v1
	v_add_u32_e32 v66, 64, v66
	v_mfma_f32_32x32x16_f16 v[18:33], v[154:157], v[170:173], v[18:33]
	v_mfma_f32_32x32x16_f16 v[50:65], v[150:153], v[166:169], v[50:65]
	v_mfma_f32_32x32x16_f16 v[34:49], v[150:153], v[174:177], v[34:49]
	buffer_load_dwordx4 v[92:95], v129, s[0:3], 0 offen offset:64
	v_mfma_f32_32x32x16_f16 v[2:17], v[158:161], v[166:169], v[2:17]
	v_mfma_f32_32x32x16_f16 v[18:33], v[158:161], v[174:177], v[18:33]
	buffer_load_dwordx4 v[96:99], v130, s[12:15], 0 offen offset:64
	buffer_load_dwordx4 v[100:103], v131, s[12:15], 0 offen offset:64
	s_add_i32 s11, s11, -2
	s_cmp_gt_i32 s11, 5
	s_cbranch_scc1 .LBB1_13
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_waitcnt vmcnt(2)
	ds_read_b128 v[92:95], v79 offset:16384
	v_mfma_f32_32x32x16_f16 v[50:65], v[124:127], v[120:123], v[50:65]
	s_add_i32 s0, s4, 0x7fffffff
	s_mul_i32 s2, s0, s16
	v_mfma_f32_32x32x16_f16 v[34:49], v[124:127], v[112:115], v[34:49]
	v_mfma_f32_32x32x16_f16 v[2:17], v[84:87], v[120:123], v[2:17]
	v_mfma_f32_32x32x16_f16 v[18:33], v[84:87], v[112:115], v[18:33]
	v_mfma_f32_32x32x16_f16 v[50:65], v[116:119], v[88:91], v[50:65]
	v_mfma_f32_32x32x16_f16 v[34:49], v[116:119], v[108:111], v[34:49]
	v_mfma_f32_32x32x16_f16 v[2:17], v[80:83], v[88:91], v[2:17]
	v_mfma_f32_32x32x16_f16 v[18:33], v[80:83], v[108:111], v[18:33]
	ds_read_b128 v[80:83], v73 offset:16384
	ds_read_b128 v[84:87], v74 offset:16384
	ds_read_b128 v[72:75], v75 offset:16384
	ds_read_b128 v[88:91], v78 offset:24576
	s_waitcnt vmcnt(1)
	ds_read_b128 v[96:99], v76 offset:24576
	s_waitcnt vmcnt(0)
	ds_read_b128 v[100:103], v77 offset:28672
	ds_read_b128 v[76:79], v76 offset:28672
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x16_f16 v[50:65], v[92:95], v[88:91], v[50:65]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x16_f16 v[34:49], v[92:95], v[100:103], v[34:49]
	v_mfma_f32_32x32x16_f16 v[2:17], v[84:87], v[88:91], v[2:17]
	v_mfma_f32_32x32x16_f16 v[18:33], v[84:87], v[100:103], v[18:33]
	v_mfma_f32_32x32x16_f16 v[50:65], v[80:83], v[96:99], v[50:65]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x16_f16 v[34:49], v[80:83], v[76:79], v[34:49]
	v_mfma_f32_32x32x16_f16 v[2:17], v[72:75], v[96:99], v[2:17]
	v_mfma_f32_32x32x16_f16 v[18:33], v[72:75], v[76:79], v[18:33]
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s1, s0, 2
	v_lshrrev_b32_e32 v0, 3, v68
	s_and_b32 s3, s1, 0x1ffffe0
	s_nop 3
	v_cvt_f16_f32_e32 v1, v50
	v_and_or_b32 v0, v0, 12, s3
	v_cvt_f16_f32_e32 v50, v51
	v_cvt_f16_f32_e32 v51, v52
	v_cvt_f16_f32_e32 v52, v53
	v_cvt_f16_f32_e32 v53, v54
	v_cvt_f16_f32_e32 v54, v55
	v_cvt_f16_f32_e32 v55, v56
	v_cvt_f16_f32_e32 v56, v57
	v_cvt_f16_f32_e32 v57, v58
	v_cvt_f16_f32_e32 v58, v59
	v_cvt_f16_f32_e32 v59, v60
	v_cvt_f16_f32_e32 v60, v61
	v_cvt_f16_f32_e32 v61, v62
	v_cvt_f16_f32_e32 v62, v63
	v_cvt_f16_f32_e32 v63, v64
	v_cvt_f16_f32_e32 v64, v65
	s_and_b32 s0, s0, 64
	v_lshlrev_b32_e32 v65, 1, v70
	v_lshlrev_b32_e32 v0, 7, v0
	v_or3_b32 v65, s0, v65, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b16 v65, v1
	s_and_b32 s0, s1, 0x3ffffff0
	v_and_b32_e32 v1, 30, v69
	v_add_u32_e32 v1, s0, v1
	ds_write_b16 v65, v50 offset:128
	v_and_b32_e32 v0, 56, v67
	v_lshlrev_b32_e32 v50, 7, v1
	ds_write_b16 v65, v52 offset:384
	v_lshl_or_b32 v52, v0, 1, v50
	ds_write_b16 v65, v51 offset:256
	ds_write_b16 v65, v53 offset:1024
	ds_write_b16 v65, v54 offset:1152
	ds_write_b16 v65, v55 offset:1280
	ds_write_b16 v65, v56 offset:1408
	ds_write_b16 v65, v57 offset:2048
	ds_write_b16 v65, v58 offset:2176
	ds_write_b16 v65, v59 offset:2304
	ds_write_b16 v65, v60 offset:2432
	ds_write_b16 v65, v61 offset:3072
	ds_write_b16 v65, v62 offset:3200
	ds_write_b16 v65, v63 offset:3328
	ds_write_b16 v65, v64 offset:3456
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[54:57], v52 offset:128
	ds_read_b128 v[58:61], v52
	v_add_u32_e32 v1, s10, v1
	v_or_b32_e32 v0, s6, v0
	v_cvt_f16_f32_e32 v34, v34
	v_cvt_f16_f32_e32 v35, v35
	v_cvt_f16_f32_e32 v36, v36
	v_cvt_f16_f32_e32 v37, v37
	v_cvt_f16_f32_e32 v38, v38
	v_cvt_f16_f32_e32 v39, v39
	v_cvt_f16_f32_e32 v40, v40
	v_cvt_f16_f32_e32 v41, v41
	v_cvt_f16_f32_e32 v42, v42
	v_cvt_f16_f32_e32 v43, v43
	v_cvt_f16_f32_e32 v44, v44
	v_cvt_f16_f32_e32 v45, v45
	v_cvt_f16_f32_e32 v46, v46
	v_cvt_f16_f32_e32 v47, v47
	v_cvt_f16_f32_e32 v48, v48
	v_cvt_f16_f32_e32 v49, v49
	v_mad_u64_u32 v[50:51], s[0:1], v1, s16, v[0:1]
	s_add_i32 s0, s5, s2
	s_lshl_b32 s10, s0, 1
	s_mov_b32 s11, 0x20000
	v_lshlrev_b32_e32 v51, 1, v50
	v_add_lshl_u32 v50, v50, s16, 1
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[58:61], v51, s[8:11], 0 offen
	buffer_store_dwordx4 v[54:57], v50, s[8:11], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b16 v65, v34
	ds_write_b16 v65, v35 offset:128
	ds_write_b16 v65, v36 offset:256
	ds_write_b16 v65, v37 offset:384
	ds_write_b16 v65, v38 offset:1024
	ds_write_b16 v65, v39 offset:1152
	ds_write_b16 v65, v40 offset:1280
	ds_write_b16 v65, v41 offset:1408
	ds_write_b16 v65, v42 offset:2048
	ds_write_b16 v65, v43 offset:2176
	ds_write_b16 v65, v44 offset:2304
	ds_write_b16 v65, v45 offset:2432
	ds_write_b16 v65, v46 offset:3072
	ds_write_b16 v65, v47 offset:3200
	ds_write_b16 v65, v48 offset:3328
	ds_write_b16 v65, v49 offset:3456
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[34:37], v52
	ds_read_b128 v[38:41], v52 offset:128
	v_cvt_f16_f32_e32 v18, v18
	v_cvt_f16_f32_e32 v19, v19
	v_cvt_f16_f32_e32 v20, v20
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
	s_waitcnt lgkmcnt(1)
	buffer_store_dwordx4 v[34:37], v51, s[8:11], 0 offen offset:128
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[38:41], v50, s[8:11], 0 offen offset:128
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b16 v65, v18
	ds_write_b16 v65, v19 offset:128
	ds_write_b16 v65, v20 offset:256
	ds_write_b16 v65, v21 offset:384
	ds_write_b16 v65, v22 offset:1024
	ds_write_b16 v65, v23 offset:1152
	ds_write_b16 v65, v24 offset:1280
	ds_write_b16 v65, v25 offset:1408
	ds_write_b16 v65, v26 offset:2048
	ds_write_b16 v65, v27 offset:2176
	ds_write_b16 v65, v28 offset:2304
	ds_write_b16 v65, v29 offset:2432
	ds_write_b16 v65, v30 offset:3072
	ds_write_b16 v65, v31 offset:3200
	ds_write_b16 v65, v32 offset:3328
	ds_write_b16 v65, v33 offset:3456
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[18:21], v52 offset:128
	ds_read_b128 v[22:25], v52
	v_add_u32_e32 v1, 64, v1
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
	v_mul_lo_u32 v1, v1, s16
	v_add3_u32 v0, v1, v0, 64
	v_lshlrev_b32_e32 v1, 1, v0
	v_add_lshl_u32 v0, v0, s16, 1
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[22:25], v1, s[8:11], 0 offen
	buffer_store_dwordx4 v[18:21], v0, s[8:11], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b16 v65, v2
	ds_write_b16 v65, v3 offset:128
	ds_write_b16 v65, v4 offset:256
	ds_write_b16 v65, v5 offset:384
	ds_write_b16 v65, v6 offset:1024
	ds_write_b16 v65, v7 offset:1152
	ds_write_b16 v65, v8 offset:1280
	ds_write_b16 v65, v9 offset:1408
	ds_write_b16 v65, v10 offset:2048
	ds_write_b16 v65, v11 offset:2176
	ds_write_b16 v65, v12 offset:2304
	ds_write_b16 v65, v13 offset:2432
	ds_write_b16 v65, v14 offset:3072
	ds_write_b16 v65, v15 offset:3200
	ds_write_b16 v65, v16 offset:3328
	ds_write_b16 v65, v17 offset:3456
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[2:5], v52
	ds_read_b128 v[6:9], v52 offset:128
	v_add_u32_e32 v1, 0xffffff80, v1
	v_add_u32_e32 v0, 0xffffff80, v0
	s_waitcnt lgkmcnt(1)
	buffer_store_dwordx4 v[2:5], v1, s[8:11], 0 offen
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[6:9], v0, s[8:11], 0 offen
	s_endpgm
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 32768
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
		.amdhsa_next_free_vgpr 178
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 180
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
.Lfunc_end1:
	.set ck_gemm.num_vgpr, 178
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 22
	.set ck_gemm.num_named_barrier, 0
	.set ck_gemm.private_seg_size, 0
	.set ck_gemm.uses_vcc, 0
	.set ck_gemm.uses_flat_scratch, 0
	.set ck_gemm.has_dyn_sized_stack, 0
	.set ck_gemm.has_recursion, 0
	.set ck_gemm.has_indirect_call, 0
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
    .group_segment_fixed_size: 32768
    .kernarg_segment_align: 8
    .kernarg_segment_size: 152
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     28
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     178
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx950
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
