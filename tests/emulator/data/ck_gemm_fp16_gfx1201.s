; A CK Tile GEMM (128 x 128 tile, fp16, A and B^T row-major), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1201"
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
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 1
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 1
		.amdhsa_round_robin_scheduling 0
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
	s_clause 0x2
	s_load_b128 s[4:7], s[0:1], 0x58
	s_load_b32 s22, s[0:1], 0x68
	s_load_b64 s[20:21], s[0:1], 0x8c
	s_mov_b32 s23, ttmp9
	s_mov_b32 s15, -1
	s_mov_b32 s3, 0
	s_wait_kmcnt 0x0
	s_add_co_i32 s14, s4, -1
	s_delay_alu instid0(SALU_CYCLE_1)
	s_cmp_lt_u32 s14, 0x80
	s_cbranch_scc1 .LBB1_8
	s_add_co_i32 s2, s5, -1
	s_mov_b32 s11, -1
	s_cmp_lt_u32 s2, 0x80
	s_mov_b32 s2, 0
	s_cbranch_scc1 .LBB1_7
	s_add_co_i32 s8, s4, 0x7f
	s_add_co_i32 s2, s5, 0x7f
	s_ashr_i32 s10, s8, 31
	s_ashr_i32 s9, s2, 31
	s_lshr_b32 s12, s10, 25
	s_lshr_b32 s9, s9, 25
	s_add_co_i32 s12, s8, s12
	s_add_co_i32 s2, s2, s9
	s_ashr_i32 s9, s12, 7
	s_ashr_i32 s2, s2, 7
	s_ashr_i32 s17, ttmp9, 31
	s_mul_i32 s12, s2, s9
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_add_co_i32 s13, s12, 7
	s_ashr_i32 s16, s13, 31
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_lshr_b32 s16, s16, 29
	s_add_co_i32 s19, s13, s16
	s_lshr_b32 s13, s17, 29
	s_and_b32 s16, s19, -8
	s_add_co_i32 s18, ttmp9, s13
	s_sub_co_i32 s13, s12, s16
	s_and_b32 s12, s18, -8
	s_add_co_i32 s13, s13, 8
	s_sub_co_i32 s16, ttmp9, s12
	s_ashr_i32 s17, s19, 3
	s_cmp_gt_i32 s16, s13
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s12, s17, s16
	s_mov_b32 s11, 0
.LBB1_4:
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_not1_b32 vcc_lo, exec_lo, s11
	s_ashr_i32 s11, s18, 3
	s_cbranch_vccnz .LBB1_6
	s_add_co_i32 s12, s17, -1
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_i32 s12, s12, s16
	s_add_co_i32 s12, s13, s12
.LBB1_6:
	s_abs_i32 s13, s2
	s_add_co_i32 s11, s12, s11
	s_cvt_f32_u32 s16, s13
	s_sub_co_i32 s17, 0, s13
	s_delay_alu instid0(SALU_CYCLE_2) | instskip(NEXT) | instid1(TRANS32_DEP_1)
	v_rcp_iflag_f32_e32 v1, s16
	v_readfirstlane_b32 s16, v1
	s_mul_f32 s16, s16, 0x4f7ffffe
	s_wait_alu depctr_sa_sdst(0)
	s_delay_alu instid0(SALU_CYCLE_2) | instskip(SKIP_1) | instid1(SALU_CYCLE_2)
	s_cvt_u32_f32 s16, s16
	s_wait_alu depctr_sa_sdst(0)
	s_mul_i32 s17, s17, s16
	s_wait_alu depctr_sa_sdst(0)
	s_mul_hi_u32 s12, s16, s17
	s_abs_i32 s17, s11
	s_add_co_i32 s16, s16, s12
	s_wait_alu depctr_sa_sdst(0)
	s_mul_hi_u32 s12, s17, s16
	s_xor_b32 s16, s11, s2
	s_mul_i32 s18, s12, s13
	s_wait_alu depctr_sa_sdst(0)
	s_ashr_i32 s16, s16, 31
	s_sub_co_i32 s17, s17, s18
	s_add_co_i32 s18, s12, 1
	s_wait_alu depctr_sa_sdst(0)
	s_sub_co_i32 s19, s17, s13
	s_cmp_ge_u32 s17, s13
	s_cselect_b32 s12, s18, s12
	s_cselect_b32 s17, s19, s17
	s_add_co_i32 s18, s12, 1
	s_wait_alu depctr_sa_sdst(0)
	s_cmp_ge_u32 s17, s13
	s_cselect_b32 s12, s18, s12
	s_lshr_b32 s10, s10, 23
	s_xor_b32 s12, s12, s16
	s_add_co_i32 s8, s8, s10
	s_sub_co_i32 s10, s12, s16
	s_ashr_i32 s8, s8, 9
	s_mul_i32 s12, s10, s2
	s_lshl_b32 s8, s8, 2
	s_sub_co_i32 s11, s11, s12
	s_sub_co_i32 s9, s9, s8
	s_cmp_ge_i32 s10, s8
	s_cselect_b32 s8, s9, 4
	s_ashr_i32 s13, s10, 31
	s_abs_i32 s9, s8
	s_lshr_b32 s13, s13, 30
	s_cvt_f32_u32 s12, s9
	s_add_co_i32 s13, s10, s13
	s_sub_co_i32 s16, 0, s9
	s_and_b32 s13, s13, -4
	v_rcp_iflag_f32_e32 v1, s12
	s_sub_co_i32 s10, s10, s13
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_i32 s2, s10, s2
	s_add_co_i32 s10, s2, s11
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(TRANS32_DEP_1)
	s_abs_i32 s11, s10
	v_readfirstlane_b32 s12, v1
	s_mul_f32 s12, s12, 0x4f7ffffe
	s_wait_alu depctr_sa_sdst(0)
	s_delay_alu instid0(SALU_CYCLE_2) | instskip(SKIP_1) | instid1(SALU_CYCLE_2)
	s_cvt_u32_f32 s12, s12
	s_wait_alu depctr_sa_sdst(0)
	s_mul_i32 s16, s16, s12
	s_wait_alu depctr_sa_sdst(0)
	s_mul_hi_u32 s2, s12, s16
	s_delay_alu instid0(SALU_CYCLE_1)
	s_add_co_i32 s12, s12, s2
	s_wait_alu depctr_sa_sdst(0)
	s_mul_hi_u32 s2, s11, s12
	s_xor_b32 s12, s10, s8
	s_mul_i32 s16, s2, s9
	s_wait_alu depctr_sa_sdst(0)
	s_ashr_i32 s12, s12, 31
	s_sub_co_i32 s11, s11, s16
	s_add_co_i32 s16, s2, 1
	s_sub_co_i32 s17, s11, s9
	s_cmp_ge_u32 s11, s9
	s_wait_alu depctr_sa_sdst(0)
	s_cselect_b32 s2, s16, s2
	s_cselect_b32 s11, s17, s11
	s_add_co_i32 s16, s2, 1
	s_cmp_ge_u32 s11, s9
	s_wait_alu depctr_sa_sdst(0)
	s_cselect_b32 s2, s16, s2
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_xor_b32 s2, s2, s12
	s_sub_co_i32 s2, s2, s12
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_i32 s8, s8, s2
	s_sub_co_i32 s8, s13, s8
	s_delay_alu instid0(SALU_CYCLE_1)
	s_add_co_i32 s23, s8, s10
.LBB1_7:
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mov_b32 s24, s23
	s_mov_b32 s23, s2
	s_branch .LBB1_9
.LBB1_8:
	s_mov_b32 s24, 0
.LBB1_9:
	s_lshl_b32 s8, s21, 4
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_4) | instid1(SALU_CYCLE_1)
	s_abs_i32 s9, s8
	s_add_co_i32 s11, s6, s8
	s_cvt_f32_u32 s2, s9
	s_sub_co_i32 s10, 0, s9
	s_add_co_i32 s11, s11, -1
	s_abs_i32 s12, s11
	v_rcp_iflag_f32_e32 v1, s2
	s_xor_b32 s8, s11, s8
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(TRANS32_DEP_1)
	s_ashr_i32 s8, s8, 31
	v_readfirstlane_b32 s2, v1
	s_mul_f32 s2, s2, 0x4f7ffffe
	s_wait_alu depctr_sa_sdst(0)
	s_delay_alu instid0(SALU_CYCLE_2) | instskip(SKIP_1) | instid1(SALU_CYCLE_2)
	s_cvt_u32_f32 s2, s2
	s_wait_alu depctr_sa_sdst(0)
	s_mul_i32 s10, s10, s2
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_hi_u32 s10, s2, s10
	s_add_co_i32 s10, s2, s10
	s_lshr_b32 s2, ttmp7, 16
	s_mul_hi_u32 s10, s12, s10
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_i32 s11, s10, s9
	s_sub_co_i32 s11, s12, s11
	s_add_co_i32 s12, s10, 1
	s_sub_co_i32 s13, s11, s9
	s_cmp_ge_u32 s11, s9
	s_wait_alu depctr_sa_sdst(0)
	s_cselect_b32 s10, s12, s10
	s_cselect_b32 s11, s13, s11
	s_add_co_i32 s12, s10, 1
	s_cmp_ge_u32 s11, s9
	s_wait_alu depctr_sa_sdst(0)
	s_cselect_b32 s9, s12, s10
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_xor_b32 s9, s9, s8
	s_sub_co_i32 s8, s9, s8
	s_delay_alu instid0(SALU_CYCLE_1)
	s_lshl_b32 s12, s8, 4
	s_wait_alu depctr_sa_sdst(0)
	s_ashr_i32 s13, s12, 31
	s_wait_alu depctr_sa_sdst(0)
	s_mul_u64 s[10:11], s[12:13], s[2:3]
	s_add_co_i32 s3, s21, -1
	s_wait_alu depctr_sa_sdst(0)
	s_cmp_ge_u32 s2, s3
	s_cbranch_scc0 .LBB1_11
	s_mul_i32 s2, s12, s3
	s_mov_b32 s15, 0
	s_wait_alu depctr_sa_sdst(0)
	s_sub_co_i32 s21, s6, s2
.LBB1_11:
	s_clause 0x1
	s_load_b64 s[8:9], s[0:1], 0x50
	s_load_b128 s[16:19], s[0:1], 0x0
	s_and_not1_b32 vcc_lo, exec_lo, s15
	s_cbranch_vccnz .LBB1_13
	s_mov_b32 s21, s12
.LBB1_13:
	v_mbcnt_lo_u32_b32 v129, -1, 0
	v_readfirstlane_b32 s25, v0
	s_lshl_b32 s6, s24, 7
	s_lshl_b32 s11, s23, 7
	s_mov_b32 s1, s10
	v_lshrrev_b32_e32 v131, 1, v129
	s_lshr_b32 s24, s25, 1
	v_lshlrev_b32_e32 v130, 3, v129
	s_and_b32 s23, s24, 0x7ffffff0
	s_add_co_i32 s10, s21, -1
	v_and_b32_e32 v132, 14, v131
	s_mov_b32 s0, 0
	s_mul_i32 s2, s7, s14
	s_add_co_i32 s14, s5, -1
	s_add_co_i32 s10, s10, 1
	v_or_b32_e32 v25, s23, v132
	s_ashr_i64 s[12:13], s[0:1], 31
	s_mul_i32 s14, s22, s14
	s_wait_alu depctr_sa_sdst(0)
	s_add_co_i32 s2, s2, s10
	s_mov_b32 s3, 0x31004000
	v_add_nc_u32_e32 v1, s6, v25
	v_add_nc_u32_e32 v2, s11, v25
	s_wait_kmcnt 0x0
	s_add_nc_u64 s[0:1], s[16:17], s[12:13]
	s_add_co_i32 s14, s14, s10
	s_wait_alu depctr_sa_sdst(0)
	s_lshl_b32 s2, s2, 1
	v_mul_lo_u32 v26, v1, s7
	v_mul_lo_u32 v27, v2, s22
	v_and_b32_e32 v1, 24, v130
	s_mov_b32 s15, s3
	s_add_nc_u64 s[12:13], s[18:19], s[12:13]
	s_lshl_b32 s14, s14, 1
	v_or_b32_e32 v32, 1, v25
	v_and_b32_e32 v134, 3, v129
	v_add_nc_u32_e32 v2, v26, v1
	v_add_nc_u32_e32 v1, v27, v1
	v_lshrrev_b32_e32 v33, 2, v129
	v_sub_nc_u32_e32 v32, v32, v25
	v_lshlrev_b32_e32 v25, 5, v25
	v_lshlrev_b32_e32 v28, 1, v2
	v_add_lshl_u32 v29, v2, s7, 1
	v_lshlrev_b32_e32 v30, 1, v1
	v_add_lshl_u32 v31, v1, s22, 1
	v_lshl_or_b32 v32, v32, 2, v134
	s_clause 0x1
	buffer_load_b128 v[1:4], v28, s[0:3], null offen
	buffer_load_b128 v[5:8], v29, s[0:3], null offen
	s_clause 0x1
	buffer_load_b128 v[9:12], v30, s[12:15], null offen
	buffer_load_b128 v[13:16], v31, s[12:15], null offen
	s_clause 0x1
	buffer_load_b128 v[17:20], v28, s[0:3], null offen offset:64
	buffer_load_b128 v[21:24], v29, s[0:3], null offen offset:64
	v_xor_b32_e32 v34, v33, v134
	s_clause 0x1
	buffer_load_b128 v[156:159], v30, s[12:15], null offen offset:64
	buffer_load_b128 v[160:163], v31, s[12:15], null offen offset:64
	v_and_b32_e32 v133, 15, v129
	v_xor_b32_e32 v32, v32, v33
	s_lshr_b32 s10, s25, 3
	v_lshl_or_b32 v25, v34, 3, v25
	s_add_co_i32 s17, s11, s23
	v_lshl_add_u32 v148, v27, 1, 0x100
	v_sub_nc_u32_e32 v32, v32, v34
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_lshlrev_b32_e32 v164, 1, v25
	v_lshlrev_b32_e32 v32, 3, v32
	s_delay_alu instid0(VALU_DEP_1)
	v_add_lshl_u32 v165, v25, v32, 1
	s_wait_loadcnt 0x7
	ds_store_b128 v164, v[1:4]
	s_wait_loadcnt 0x6
	ds_store_b128 v165, v[5:8]
	s_wait_loadcnt 0x5
	ds_store_b128 v164, v[9:12] offset:8192
	s_wait_loadcnt 0x4
	ds_store_b128 v165, v[13:16] offset:8192
	v_lshrrev_b32_e32 v2, 4, v129
	v_lshlrev_b32_e32 v3, 2, v129
	s_wait_alu depctr_sa_sdst(0)
	v_and_or_b32 v1, 0x1ffffff0, s10, v133
	v_and_or_b32 v4, s24, 48, v133
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	s_add_co_i32 s10, s21, 31
	v_and_or_b32 v2, v3, 4, v2
	v_bfe_u32 v5, v1, 1, 3
	v_lshrrev_b32_e32 v6, 1, v1
	v_add_nc_u32_e32 v10, 32, v1
	v_add_nc_u32_e32 v12, 64, v1
	v_or_b32_e32 v8, 2, v2
	v_xor_b32_e32 v7, v5, v2
	v_lshlrev_b32_e32 v11, 7, v6
	v_lshrrev_b32_e32 v13, 1, v10
	v_bfe_u32 v10, v10, 1, 3
	v_xor_b32_e32 v5, v8, v5
	v_bfe_u32 v14, v12, 1, 3
	v_lshrrev_b32_e32 v12, 1, v12
	v_sub_nc_u32_e32 v6, v13, v6
	v_xor_b32_e32 v15, v10, v2
	v_lshl_or_b32 v136, v5, 4, v11
	v_xor_b32_e32 v10, v10, v8
	v_xor_b32_e32 v16, v14, v2
	v_sub_nc_u32_e32 v13, v12, v13
	v_add_nc_u32_e32 v1, 0x60, v1
	v_bfe_u32 v3, v4, 1, 3
	v_lshl_add_u32 v6, v6, 7, v136
	v_sub_nc_u32_e32 v25, v10, v5
	v_sub_nc_u32_e32 v10, v16, v10
	v_lshlrev_b32_e32 v13, 6, v13
	v_sub_nc_u32_e32 v5, v15, v5
	v_bfe_u32 v15, v1, 1, 3
	v_lshrrev_b32_e32 v1, 1, v1
	v_xor_b32_e32 v9, v3, v2
	v_lshl_add_u32 v135, v25, 4, v6
	v_lshl_add_u32 v10, v10, 3, v13
	v_xor_b32_e32 v13, v14, v8
	v_xor_b32_e32 v2, v15, v2
	v_sub_nc_u32_e32 v1, v1, v12
	v_lshrrev_b32_e32 v4, 1, v4
	v_lshl_add_u32 v137, v10, 1, v135
	v_sub_nc_u32_e32 v10, v13, v16
	v_sub_nc_u32_e32 v12, v2, v13
	v_lshlrev_b32_e32 v1, 6, v1
	v_xor_b32_e32 v13, v15, v8
	v_lshlrev_b32_e32 v5, 4, v5
	v_lshl_add_u32 v138, v10, 4, v137
	v_xor_b32_e32 v3, v8, v3
	v_lshl_add_u32 v1, v12, 3, v1
	v_sub_nc_u32_e32 v2, v13, v2
	v_add_nc_u32_e32 v139, v6, v5
	v_lshlrev_b32_e32 v4, 7, v4
	v_lshlrev_b32_e32 v5, 4, v9
	v_lshl_add_u32 v140, v1, 1, v138
	v_lshlrev_b32_e32 v2, 4, v2
	v_sub_nc_u32_e32 v1, v9, v3
	v_lshl_or_b32 v145, v3, 4, v4
	ds_load_b128 v[113:116], v137
	ds_load_b128 v[89:92], v135
	ds_load_b128 v[105:108], v140
	v_add_nc_u32_e32 v141, v140, v2
	v_sub_nc_u32_e32 v2, v3, v9
	v_lshlrev_b32_e32 v6, 4, v1
	v_or_b32_e32 v1, v4, v5
	s_wait_alu depctr_sa_sdst(0)
	s_ashr_i32 s16, s10, 31
	v_lshlrev_b32_e32 v2, 4, v2
	v_add_nc_u32_e32 v146, v145, v6
	ds_load_b128 v[65:68], v141
	ds_load_b128 v[125:128], v1 offset:8192
	ds_load_b128 v[101:104], v136
	ds_load_b128 v[97:100], v145 offset:8192
	ds_load_b128 v[93:96], v138
	ds_load_b128 v[121:124], v146 offset:12288
	ds_load_b128 v[77:80], v145 offset:12288
	v_or_b32_e32 v143, 0x4000, v1
	s_wait_alu depctr_sa_sdst(0)
	s_lshr_b32 s16, s16, 27
	v_add3_u32 v142, v2, v1, 0x4000
	v_mov_b32_e32 v1, 0
	v_or_b32_e32 v3, s17, v132
	s_add_co_i32 s17, s6, s23
	v_lshlrev_b32_e32 v7, 4, v7
	s_wait_alu depctr_sa_sdst(0)
	v_or_b32_e32 v8, s17, v132
	v_dual_mov_b32 v9, v1 :: v_dual_mov_b32 v10, v1
	v_mov_b32_e32 v16, v1
	v_mul_lo_u32 v3, s22, v3
	s_delay_alu instid0(VALU_DEP_4)
	v_mul_lo_u32 v8, s7, v8
	v_lshrrev_b32_e32 v152, 1, v132
	s_add_co_i32 s10, s10, s16
	v_dual_mov_b32 v2, v1 :: v_dual_lshlrev_b32 v151, 1, v26
	v_dual_mov_b32 v12, v1 :: v_dual_mov_b32 v13, v1
	v_lshlrev_b32_e32 v147, 4, v134
	v_add_lshl_u32 v153, v8, s7, 1
	v_mov_b32_e32 v8, v1
	v_or_b32_e32 v14, v11, v7
	v_dual_mov_b32 v11, v1 :: v_dual_add_nc_u32 v150, v11, v7
	s_clause 0x1
	buffer_load_b128 v[69:72], v28, s[0:3], null offen offset:128
	buffer_load_b128 v[73:76], v29, s[0:3], null offen offset:128
	s_clause 0x1
	buffer_load_b128 v[81:84], v30, s[12:15], null offen offset:128
	buffer_load_b128 v[85:88], v31, s[12:15], null offen offset:128
	ds_load_b128 v[117:120], v14
	ds_load_b128 v[109:112], v139
	s_wait_loadcnt 0x7
	ds_store_b128 v164, v[17:20] offset:16384
	s_wait_loadcnt 0x6
	ds_store_b128 v165, v[21:24] offset:16384
	v_add_lshl_u32 v149, v3, s22, 1
	v_xor_b32_e32 v154, v152, v134
	v_mov_b32_e32 v3, v1
	v_dual_mov_b32 v7, v1 :: v_dual_mov_b32 v14, v1
	v_mov_b32_e32 v15, v1
	v_dual_mov_b32 v17, v1 :: v_dual_mov_b32 v18, v1
	v_dual_mov_b32 v19, v1 :: v_dual_mov_b32 v20, v1
	v_dual_mov_b32 v21, v1 :: v_dual_mov_b32 v22, v1
	v_mov_b32_e32 v23, v1
	v_dual_mov_b32 v26, v1 :: v_dual_add_nc_u32 v155, v4, v5
	v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v5, v1
	v_dual_mov_b32 v24, v1 :: v_dual_mov_b32 v25, v1
	v_dual_mov_b32 v27, v1 :: v_dual_add_nc_u32 v144, v142, v6
	v_dual_mov_b32 v41, v1 :: v_dual_mov_b32 v6, v1
	v_dual_mov_b32 v28, v1 :: v_dual_mov_b32 v43, v1
	v_dual_mov_b32 v29, v1 :: v_dual_mov_b32 v30, v1
	v_mov_b32_e32 v45, v1
	v_dual_mov_b32 v31, v1 :: v_dual_mov_b32 v32, v1
	v_dual_mov_b32 v47, v1 :: v_dual_mov_b32 v42, v1
	v_dual_mov_b32 v33, v1 :: v_dual_mov_b32 v44, v1
	v_dual_mov_b32 v35, v1 :: v_dual_mov_b32 v46, v1
	v_dual_mov_b32 v37, v1 :: v_dual_mov_b32 v48, v1
	v_dual_mov_b32 v39, v1 :: v_dual_mov_b32 v34, v1
	v_dual_mov_b32 v49, v1 :: v_dual_mov_b32 v36, v1
	v_dual_mov_b32 v51, v1 :: v_dual_mov_b32 v38, v1
	v_dual_mov_b32 v53, v1 :: v_dual_mov_b32 v40, v1
	v_dual_mov_b32 v55, v1 :: v_dual_mov_b32 v50, v1
	v_dual_mov_b32 v57, v1 :: v_dual_mov_b32 v52, v1
	v_dual_mov_b32 v59, v1 :: v_dual_mov_b32 v54, v1
	v_dual_mov_b32 v61, v1 :: v_dual_mov_b32 v56, v1
	v_dual_mov_b32 v63, v1 :: v_dual_mov_b32 v58, v1
	v_mov_b32_e32 v60, v1
	v_mov_b32_e32 v62, v1
	v_mov_b32_e32 v64, v1
	s_ashr_i32 s7, s10, 5
	s_wait_loadcnt 0x5
	ds_store_b128 v164, v[156:159] offset:24576
	s_wait_alu depctr_sa_sdst(0)
	s_add_co_i32 s7, s7, 2
	s_wait_loadcnt 0x4
	ds_store_b128 v165, v[160:163] offset:24576
.LBB1_14:
	v_add_nc_u32_e32 v220, v147, v151
	v_add_nc_u32_e32 v222, v147, v148
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	s_wait_dscnt 0x2
	v_wmma_f32_16x16x16_f16 v[57:64], v[117:120], v[125:128], v[57:64]
	v_wmma_f32_16x16x16_f16 v[49:56], v[117:120], v[121:124], v[49:56]
	s_wait_dscnt 0x4
	v_wmma_f32_16x16x16_f16 v[33:40], v[109:112], v[125:128], v[33:40]
	buffer_load_b128 v[156:159], v220, s[0:3], null offen offset:192
	v_add_nc_u32_e32 v221, v147, v153
	v_wmma_f32_16x16x16_f16 v[41:48], v[109:112], v[121:124], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[113:116], v[125:128], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[113:116], v[121:124], v[17:24]
	v_wmma_f32_16x16x16_f16 v[9:16], v[105:108], v[125:128], v[9:16]
	v_subrev_nc_u32_e32 v109, 64, v222
	v_add_nc_u32_e32 v223, v147, v149
	buffer_load_b128 v[160:163], v221, s[0:3], null offen offset:192
	v_wmma_f32_16x16x16_f16 v[1:8], v[105:108], v[121:124], v[1:8]
	s_wait_dscnt 0x1
	v_wmma_f32_16x16x16_f16 v[57:64], v[101:104], v[97:100], v[57:64]
	s_wait_dscnt 0x0
	v_wmma_f32_16x16x16_f16 v[49:56], v[101:104], v[77:80], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[89:92], v[97:100], v[33:40]
	buffer_load_b128 v[164:167], v109, s[12:15], null offen
	v_wmma_f32_16x16x16_f16 v[41:48], v[89:92], v[77:80], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[93:96], v[97:100], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[93:96], v[77:80], v[17:24]
	v_wmma_f32_16x16x16_f16 v[9:16], v[65:68], v[97:100], v[9:16]
	buffer_load_b128 v[168:171], v223, s[12:15], null offen offset:192
	v_readfirstlane_b32 s10, v0
	ds_load_b128 v[172:175], v150 offset:16384
	ds_load_b128 v[176:179], v136 offset:16384
	ds_load_b128 v[180:183], v139 offset:16384
	ds_load_b128 v[184:187], v135 offset:16384
	s_lshr_b32 s10, s10, 1
	ds_load_b128 v[188:191], v137 offset:16384
	s_wait_alu depctr_sa_sdst(0)
	v_and_or_b32 v89, 0x7ffffff0, s10, v132
	ds_load_b128 v[192:195], v138 offset:16384
	ds_load_b128 v[196:199], v140 offset:16384
	ds_load_b128 v[200:203], v141 offset:16384
	ds_load_b128 v[204:207], v143 offset:8192
	v_or_b32_e32 v90, 1, v89
	v_and_b32_e32 v91, 0x3ffffffe, v89
	ds_load_b128 v[208:211], v142 offset:8192
	ds_load_b128 v[212:215], v144 offset:12288
	ds_load_b128 v[216:219], v142 offset:12288
	v_lshlrev_b32_e32 v89, 5, v89
	v_sub_nc_u32_e32 v90, v90, v91
	v_wmma_f32_16x16x16_f16 v[1:8], v[65:68], v[77:80], v[1:8]
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_3)
	v_lshl_add_u32 v89, v154, 3, v89
	v_lshl_or_b32 v90, v90, 2, v134
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_lshlrev_b32_e32 v224, 1, v89
	v_xor_b32_e32 v90, v90, v152
	s_wait_loadcnt 0x7
	ds_store_b128 v224, v[69:72]
	v_sub_nc_u32_e32 v90, v90, v154
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_lshlrev_b32_e32 v90, 3, v90
	v_add_lshl_u32 v225, v89, v90, 1
	s_wait_loadcnt 0x6
	ds_store_b128 v225, v[73:76]
	s_wait_loadcnt 0x5
	ds_store_b128 v224, v[81:84] offset:8192
	s_wait_loadcnt 0x4
	ds_store_b128 v225, v[85:88] offset:8192
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_load_b128 v[121:124], v146 offset:12288
	s_wait_loadcnt 0x3
	ds_store_b128 v224, v[156:159] offset:16384
	s_wait_loadcnt 0x2
	ds_store_b128 v225, v[160:163] offset:16384
	s_wait_loadcnt 0x1
	ds_store_b128 v224, v[164:167] offset:24576
	s_wait_loadcnt 0x0
	ds_store_b128 v225, v[168:171] offset:24576
	ds_load_b128 v[117:120], v150
	ds_load_b128 v[101:104], v136
	ds_load_b128 v[109:112], v139
	ds_load_b128 v[89:92], v135
	ds_load_b128 v[113:116], v137
	ds_load_b128 v[93:96], v138
	ds_load_b128 v[105:108], v140
	ds_load_b128 v[65:68], v141
	ds_load_b128 v[125:128], v155 offset:8192
	ds_load_b128 v[97:100], v145 offset:8192
	ds_load_b128 v[77:80], v145 offset:12288
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	s_wait_dscnt 0x17
	v_wmma_f32_16x16x16_f16 v[57:64], v[172:175], v[204:207], v[57:64]
	s_wait_dscnt 0x15
	v_wmma_f32_16x16x16_f16 v[49:56], v[172:175], v[212:215], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[180:183], v[204:207], v[33:40]
	buffer_load_b128 v[69:72], v220, s[0:3], null offen offset:256
	v_wmma_f32_16x16x16_f16 v[41:48], v[180:183], v[212:215], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[188:191], v[204:207], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[188:191], v[212:215], v[17:24]
	v_wmma_f32_16x16x16_f16 v[9:16], v[196:199], v[204:207], v[9:16]
	buffer_load_b128 v[73:76], v221, s[0:3], null offen offset:256
	v_wmma_f32_16x16x16_f16 v[1:8], v[196:199], v[212:215], v[1:8]
	v_wmma_f32_16x16x16_f16 v[57:64], v[176:179], v[208:211], v[57:64]
	s_wait_dscnt 0x14
	v_wmma_f32_16x16x16_f16 v[49:56], v[176:179], v[216:219], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[184:187], v[208:211], v[33:40]
	buffer_load_b128 v[81:84], v222, s[12:15], null offen
	v_wmma_f32_16x16x16_f16 v[41:48], v[184:187], v[216:219], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[192:195], v[208:211], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[192:195], v[216:219], v[17:24]
	v_wmma_f32_16x16x16_f16 v[9:16], v[200:203], v[208:211], v[9:16]
	buffer_load_b128 v[85:88], v223, s[12:15], null offen offset:256
	v_wmma_f32_16x16x16_f16 v[1:8], v[200:203], v[216:219], v[1:8]
	v_add_nc_u32_e32 v148, 0x80, v148
	v_add_nc_u32_e32 v149, 0x80, v149
	v_add_nc_u32_e32 v151, 0x80, v151
	v_add_nc_u32_e32 v153, 0x80, v153
	s_add_co_i32 s7, s7, -2
	s_wait_alu depctr_sa_sdst(0)
	s_cmp_gt_i32 s7, 5
	s_cbranch_scc1 .LBB1_14
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	s_wait_loadcnt 0x3
	ds_load_b128 v[69:72], v150 offset:16384
	s_wait_dscnt 0x3
	v_wmma_f32_16x16x16_f16 v[57:64], v[117:120], v[125:128], v[57:64]
	v_wmma_f32_16x16x16_f16 v[49:56], v[117:120], v[121:124], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[109:112], v[125:128], v[33:40]
	v_wmma_f32_16x16x16_f16 v[41:48], v[109:112], v[121:124], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[113:116], v[125:128], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[113:116], v[121:124], v[17:24]
	v_wmma_f32_16x16x16_f16 v[9:16], v[105:108], v[125:128], v[9:16]
	v_wmma_f32_16x16x16_f16 v[1:8], v[105:108], v[121:124], v[1:8]
	s_wait_loadcnt 0x2
	ds_load_b128 v[73:76], v136 offset:16384
	s_wait_dscnt 0x3
	v_wmma_f32_16x16x16_f16 v[57:64], v[101:104], v[97:100], v[57:64]
	s_wait_dscnt 0x2
	v_wmma_f32_16x16x16_f16 v[49:56], v[101:104], v[77:80], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[89:92], v[97:100], v[33:40]
	v_wmma_f32_16x16x16_f16 v[41:48], v[89:92], v[77:80], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[93:96], v[97:100], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[93:96], v[77:80], v[17:24]
	v_wmma_f32_16x16x16_f16 v[9:16], v[65:68], v[97:100], v[9:16]
	v_wmma_f32_16x16x16_f16 v[1:8], v[65:68], v[77:80], v[1:8]
	ds_load_b128 v[65:68], v139 offset:16384
	ds_load_b128 v[77:80], v135 offset:16384
	s_wait_loadcnt 0x1
	ds_load_b128 v[81:84], v137 offset:16384
	s_wait_loadcnt 0x0
	ds_load_b128 v[85:88], v138 offset:16384
	ds_load_b128 v[89:92], v140 offset:16384
	ds_load_b128 v[93:96], v141 offset:16384
	ds_load_b128 v[97:100], v143 offset:8192
	ds_load_b128 v[101:104], v142 offset:8192
	ds_load_b128 v[105:108], v144 offset:12288
	ds_load_b128 v[109:112], v142 offset:12288
	s_mov_b32 s21, 0
	s_add_co_i32 s1, s4, 0x7fffffff
	s_mov_b32 s0, s21
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mul_u64 s[0:1], s[0:1], s[20:21]
	s_wait_dscnt 0x3
	v_wmma_f32_16x16x16_f16 v[57:64], v[69:72], v[97:100], v[57:64]
	s_wait_dscnt 0x1
	v_wmma_f32_16x16x16_f16 v[49:56], v[69:72], v[105:108], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[65:68], v[97:100], v[33:40]
	v_wmma_f32_16x16x16_f16 v[41:48], v[65:68], v[105:108], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[81:84], v[97:100], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[81:84], v[105:108], v[17:24]
	v_wmma_f32_16x16x16_f16 v[9:16], v[89:92], v[97:100], v[9:16]
	v_wmma_f32_16x16x16_f16 v[1:8], v[89:92], v[105:108], v[1:8]
	v_wmma_f32_16x16x16_f16 v[57:64], v[73:76], v[101:104], v[57:64]
	s_wait_dscnt 0x0
	v_wmma_f32_16x16x16_f16 v[49:56], v[73:76], v[109:112], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[77:80], v[101:104], v[33:40]
	v_wmma_f32_16x16x16_f16 v[41:48], v[77:80], v[109:112], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[85:88], v[101:104], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[85:88], v[109:112], v[17:24]
	v_wmma_f32_16x16x16_f16 v[9:16], v[93:96], v[101:104], v[9:16]
	v_wmma_f32_16x16x16_f16 v[1:8], v[93:96], v[109:112], v[1:8]
	v_readfirstlane_b32 s0, v0
	v_and_b32_e32 v0, 8, v131
	v_lshrrev_b32_e32 v65, 3, v129
	v_lshlrev_b32_e32 v66, 1, v133
	v_and_b32_e32 v67, 56, v130
	s_lshr_b32 s2, s0, 3
	s_and_b32 s0, s0, 0x60
	s_wait_alu depctr_sa_sdst(0)
	v_and_or_b32 v0, 0x1fffff0, s2, v0
	v_and_or_b32 v65, 0x1ffffffc, s2, v65
	v_cvt_f16_f32_e32 v57, v57
	v_cvt_f16_f32_e32 v58, v58
	v_cvt_f16_f32_e32 v59, v59
	v_lshlrev_b32_e32 v0, 7, v0
	v_lshlrev_b32_e32 v68, 7, v65
	v_cvt_f16_f32_e32 v60, v60
	v_cvt_f16_f32_e32 v61, v61
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	v_or3_b32 v66, s0, v66, v0
	v_cvt_f16_f32_e32 v0, v62
	v_cvt_f16_f32_e32 v62, v63
	v_cvt_f16_f32_e32 v63, v64
	v_lshl_or_b32 v64, v67, 1, v68
	ds_store_b16 v66, v57
	ds_store_b16 v66, v58 offset:128
	ds_store_b16 v66, v59 offset:256
	ds_store_b16 v66, v60 offset:384
	ds_store_b16 v66, v61 offset:512
	ds_store_b16 v66, v0 offset:640
	ds_store_b16 v66, v62 offset:768
	ds_store_b16 v66, v63 offset:896
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_load_b128 v[57:60], v64
	v_add_nc_u32_e32 v61, s6, v65
	v_or_b32_e32 v62, s11, v67
	s_add_co_i32 s0, s5, s1
	v_cvt_f16_f32_e32 v49, v49
	v_cvt_f16_f32_e32 v50, v50
	v_mul_lo_u32 v0, v61, s20
	v_cvt_f16_f32_e32 v51, v51
	v_cvt_f16_f32_e32 v52, v52
	v_cvt_f16_f32_e32 v53, v53
	v_cvt_f16_f32_e32 v54, v54
	v_cvt_f16_f32_e32 v55, v55
	v_cvt_f16_f32_e32 v56, v56
	s_mov_b32 s11, 0x31004000
	v_add_lshl_u32 v0, v0, v62, 1
	s_wait_alu depctr_sa_sdst(0)
	s_lshl_b32 s10, s0, 1
	v_cvt_f16_f32_e32 v41, v41
	v_cvt_f16_f32_e32 v42, v42
	v_cvt_f16_f32_e32 v43, v43
	v_cvt_f16_f32_e32 v44, v44
	s_wait_dscnt 0x0
	buffer_store_b128 v[57:60], v0, s[8:11], null offen
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_store_b16 v66, v49
	ds_store_b16 v66, v50 offset:128
	ds_store_b16 v66, v51 offset:256
	ds_store_b16 v66, v52 offset:384
	ds_store_b16 v66, v53 offset:512
	ds_store_b16 v66, v54 offset:640
	ds_store_b16 v66, v55 offset:768
	ds_store_b16 v66, v56 offset:896
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_load_b128 v[49:52], v64
	v_cvt_f16_f32_e32 v45, v45
	v_cvt_f16_f32_e32 v46, v46
	v_cvt_f16_f32_e32 v47, v47
	v_cvt_f16_f32_e32 v48, v48
	v_cvt_f16_f32_e32 v33, v33
	v_cvt_f16_f32_e32 v34, v34
	v_cvt_f16_f32_e32 v35, v35
	v_cvt_f16_f32_e32 v36, v36
	v_cvt_f16_f32_e32 v37, v37
	v_cvt_f16_f32_e32 v38, v38
	v_cvt_f16_f32_e32 v39, v39
	v_cvt_f16_f32_e32 v40, v40
	v_cvt_f16_f32_e32 v25, v25
	v_cvt_f16_f32_e32 v26, v26
	v_cvt_f16_f32_e32 v27, v27
	v_cvt_f16_f32_e32 v28, v28
	v_cvt_f16_f32_e32 v29, v29
	v_cvt_f16_f32_e32 v30, v30
	v_cvt_f16_f32_e32 v31, v31
	s_wait_dscnt 0x0
	buffer_store_b128 v[49:52], v0, s[8:11], null offen offset:128
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_store_b16 v66, v41
	ds_store_b16 v66, v42 offset:128
	ds_store_b16 v66, v43 offset:256
	ds_store_b16 v66, v44 offset:384
	ds_store_b16 v66, v45 offset:512
	ds_store_b16 v66, v46 offset:640
	ds_store_b16 v66, v47 offset:768
	ds_store_b16 v66, v48 offset:896
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_load_b128 v[41:44], v64
	v_add_nc_u32_e32 v0, 32, v61
	v_or_b32_e32 v45, 64, v62
	v_cvt_f16_f32_e32 v32, v32
	v_cvt_f16_f32_e32 v17, v17
	v_cvt_f16_f32_e32 v18, v18
	v_mul_lo_u32 v0, v0, s20
	v_cvt_f16_f32_e32 v19, v19
	v_cvt_f16_f32_e32 v20, v20
	v_cvt_f16_f32_e32 v21, v21
	v_cvt_f16_f32_e32 v22, v22
	v_cvt_f16_f32_e32 v23, v23
	v_cvt_f16_f32_e32 v24, v24
	v_cvt_f16_f32_e32 v1, v1
	v_add_lshl_u32 v0, v0, v45, 1
	v_cvt_f16_f32_e32 v2, v2
	v_cvt_f16_f32_e32 v3, v3
	v_cvt_f16_f32_e32 v4, v4
	v_cvt_f16_f32_e32 v5, v5
	v_cvt_f16_f32_e32 v6, v6
	s_wait_dscnt 0x0
	buffer_store_b128 v[41:44], v0, s[8:11], null offen
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_store_b16 v66, v33
	ds_store_b16 v66, v34 offset:128
	ds_store_b16 v66, v35 offset:256
	ds_store_b16 v66, v36 offset:384
	ds_store_b16 v66, v37 offset:512
	ds_store_b16 v66, v38 offset:640
	ds_store_b16 v66, v39 offset:768
	ds_store_b16 v66, v40 offset:896
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_load_b128 v[33:36], v64
	v_add_nc_u32_e32 v0, 0xffffff80, v0
	v_cvt_f16_f32_e32 v7, v7
	v_cvt_f16_f32_e32 v8, v8
	s_wait_dscnt 0x0
	buffer_store_b128 v[33:36], v0, s[8:11], null offen
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_store_b16 v66, v25
	ds_store_b16 v66, v26 offset:128
	ds_store_b16 v66, v27 offset:256
	ds_store_b16 v66, v28 offset:384
	ds_store_b16 v66, v29 offset:512
	ds_store_b16 v66, v30 offset:640
	ds_store_b16 v66, v31 offset:768
	ds_store_b16 v66, v32 offset:896
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_load_b128 v[25:28], v64
	v_add_nc_u32_e32 v0, 64, v61
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v0, v0, s20
	v_add_lshl_u32 v0, v0, v62, 1
	s_wait_dscnt 0x0
	buffer_store_b128 v[25:28], v0, s[8:11], null offen
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_store_b16 v66, v17
	ds_store_b16 v66, v18 offset:128
	ds_store_b16 v66, v19 offset:256
	ds_store_b16 v66, v20 offset:384
	ds_store_b16 v66, v21 offset:512
	ds_store_b16 v66, v22 offset:640
	ds_store_b16 v66, v23 offset:768
	ds_store_b16 v66, v24 offset:896
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_load_b128 v[17:20], v64
	s_wait_dscnt 0x0
	buffer_store_b128 v[17:20], v0, s[8:11], null offen offset:128
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_store_b16 v66, v1
	ds_store_b16 v66, v2 offset:128
	ds_store_b16 v66, v3 offset:256
	ds_store_b16 v66, v4 offset:384
	ds_store_b16 v66, v5 offset:512
	ds_store_b16 v66, v6 offset:640
	ds_store_b16 v66, v7 offset:768
	ds_store_b16 v66, v8 offset:896
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_load_b128 v[0:3], v64
	v_add_nc_u32_e32 v4, 0x60, v61
	v_cvt_f16_f32_e32 v5, v9
	v_cvt_f16_f32_e32 v6, v10
	v_cvt_f16_f32_e32 v7, v11
	v_cvt_f16_f32_e32 v8, v12
	v_mul_lo_u32 v4, v4, s20
	v_cvt_f16_f32_e32 v9, v13
	v_cvt_f16_f32_e32 v10, v14
	v_cvt_f16_f32_e32 v11, v15
	v_cvt_f16_f32_e32 v12, v16
	v_add_lshl_u32 v4, v4, v45, 1
	s_wait_dscnt 0x0
	buffer_store_b128 v[0:3], v4, s[8:11], null offen
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_store_b16 v66, v5
	ds_store_b16 v66, v6 offset:128
	ds_store_b16 v66, v7 offset:256
	ds_store_b16 v66, v8 offset:384
	ds_store_b16 v66, v9 offset:512
	ds_store_b16 v66, v10 offset:640
	ds_store_b16 v66, v11 offset:768
	ds_store_b16 v66, v12 offset:896
	s_wait_loadcnt_dscnt 0x3f00
s_barrier_signal -1
s_barrier_wait -1
	ds_load_b128 v[0:3], v64
	v_add_nc_u32_e32 v4, 0xffffff80, v4
	s_wait_dscnt 0x0
	buffer_store_b128 v[0:3], v4, s[8:11], null offen
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
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
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 226
		.amdhsa_next_free_sgpr 26
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_inst_pref_size 37
		.amdhsa_round_robin_scheduling 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
.Lfunc_end1:
	.set ck_gemm.num_vgpr, 226
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 26
	.set ck_gemm.num_named_barrier, 0
	.set ck_gemm.private_seg_size, 0
	.set ck_gemm.uses_vcc, 1
	.set ck_gemm.uses_flat_scratch, 0
	.set ck_gemm.has_dyn_sized_stack, 0
	.set ck_gemm.has_recursion, 0
	.set ck_gemm.has_indirect_call, 0
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:           []
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
    .sgpr_count:     0
    .sgpr_spill_count: 0
    .symbol:         _ZN7ck_tileL11flush_cacheEv.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     0
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
  - .args:
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
    .vgpr_count:     226
    .vgpr_spill_count: 0
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1201
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
