; A CK Tile GEMM (128 x 128 tile, fp16, A and B^T row-major), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
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
		.amdhsa_user_sgpr_count 15
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
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 1
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
	s_load_b32 s18, s[0:1], 0x68
	s_load_b64 s[16:17], s[0:1], 0x8c
	v_mov_b32_e32 v192, v0
	s_mov_b32 s10, -1
	s_mov_b32 s12, 0
	s_waitcnt lgkmcnt(0)
	s_add_i32 s21, s4, -1
	s_delay_alu instid0(SALU_CYCLE_1)
	s_cmpk_lt_u32 s21, 0x80
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s2, s5, -1
	s_mov_b32 s11, -1
	s_cmpk_lt_u32 s2, 0x80
	s_mov_b32 s2, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s3, s4, 0x7f
	s_add_i32 s2, s5, 0x7f
	s_ashr_i32 s9, s3, 31
	s_ashr_i32 s8, s2, 31
	s_lshr_b32 s12, s9, 25
	s_lshr_b32 s8, s8, 25
	s_add_i32 s12, s3, s12
	s_add_i32 s2, s2, s8
	s_ashr_i32 s8, s12, 7
	s_ashr_i32 s2, s2, 7
	s_ashr_i32 s20, s14, 31
	s_mul_i32 s12, s2, s8
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_add_i32 s13, s12, 7
	s_ashr_i32 s19, s13, 31
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_lshr_b32 s19, s19, 29
	s_add_i32 s19, s13, s19
	s_lshr_b32 s13, s20, 29
	s_and_b32 s22, s19, -8
	s_add_i32 s20, s14, s13
	s_sub_i32 s13, s12, s22
	s_and_b32 s12, s20, -8
	s_add_i32 s13, s13, 8
	s_sub_i32 s14, s14, s12
	s_ashr_i32 s19, s19, 3
	s_cmp_gt_i32 s14, s13
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s12, s19, s14
	s_mov_b32 s11, 0
.LBB1_4:
	s_delay_alu instid0(SALU_CYCLE_1)
	s_and_not1_b32 vcc_lo, exec_lo, s11
	s_ashr_i32 s11, s20, 3
	s_cbranch_vccnz .LBB1_6
	s_add_i32 s12, s19, -1
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_i32 s12, s12, s14
	s_add_i32 s12, s13, s12
.LBB1_6:
	s_abs_i32 s13, s2
	s_add_i32 s11, s12, s11
	v_cvt_f32_u32_e32 v0, s13
	s_sub_i32 s19, 0, s13
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_2) | instid1(VALU_DEP_1)
	v_rcp_iflag_f32_e32 v0, v0
	s_waitcnt_depctr depctr_va_vdst(0)
	v_mul_f32_e32 v0, 0x4f7ffffe, v0
	v_cvt_u32_f32_e32 v0, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(SALU_CYCLE_1)
	v_readfirstlane_b32 s14, v0
	s_mul_i32 s19, s19, s14
	s_mul_hi_u32 s12, s14, s19
	s_abs_i32 s19, s11
	s_add_i32 s14, s14, s12
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mul_hi_u32 s12, s19, s14
	s_xor_b32 s14, s11, s2
	s_mul_i32 s20, s12, s13
	s_ashr_i32 s14, s14, 31
	s_sub_i32 s19, s19, s20
	s_add_i32 s20, s12, 1
	s_sub_i32 s22, s19, s13
	s_cmp_ge_u32 s19, s13
	s_cselect_b32 s12, s20, s12
	s_cselect_b32 s19, s22, s19
	s_add_i32 s20, s12, 1
	s_cmp_ge_u32 s19, s13
	s_cselect_b32 s12, s20, s12
	s_lshr_b32 s9, s9, 23
	s_xor_b32 s12, s12, s14
	s_add_i32 s3, s3, s9
	s_sub_i32 s9, s12, s14
	s_ashr_i32 s3, s3, 9
	s_mul_i32 s12, s9, s2
	s_lshl_b32 s3, s3, 2
	s_sub_i32 s11, s11, s12
	s_sub_i32 s8, s8, s3
	s_cmp_ge_i32 s9, s3
	s_cselect_b32 s3, s8, 4
	s_ashr_i32 s12, s9, 31
	s_abs_i32 s8, s3
	s_lshr_b32 s12, s12, 30
	v_cvt_f32_u32_e32 v0, s8
	s_add_i32 s12, s9, s12
	s_sub_i32 s14, 0, s8
	s_and_b32 s12, s12, -4
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(SALU_CYCLE_1)
	v_rcp_iflag_f32_e32 v0, v0
	s_sub_i32 s9, s9, s12
	s_mul_i32 s2, s9, s2
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_add_i32 s9, s2, s11
	s_abs_i32 s11, s9
	s_waitcnt_depctr depctr_va_vdst(0)
	v_mul_f32_e32 v0, 0x4f7ffffe, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cvt_u32_f32_e32 v0, v0
	v_readfirstlane_b32 s13, v0
	s_mul_i32 s14, s14, s13
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_hi_u32 s2, s13, s14
	s_add_i32 s13, s13, s2
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mul_hi_u32 s2, s11, s13
	s_xor_b32 s13, s9, s3
	s_mul_i32 s14, s2, s8
	s_ashr_i32 s13, s13, 31
	s_sub_i32 s11, s11, s14
	s_add_i32 s14, s2, 1
	s_sub_i32 s19, s11, s8
	s_cmp_ge_u32 s11, s8
	s_cselect_b32 s2, s14, s2
	s_cselect_b32 s11, s19, s11
	s_add_i32 s14, s2, 1
	s_cmp_ge_u32 s11, s8
	s_cselect_b32 s2, s14, s2
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_xor_b32 s2, s2, s13
	s_sub_i32 s2, s2, s13
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_i32 s3, s3, s2
	s_sub_i32 s3, s12, s3
	s_delay_alu instid0(SALU_CYCLE_1)
	s_add_i32 s14, s3, s9
.LBB1_7:
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mov_b32 s12, s14
	s_mov_b32 s14, s2
.LBB1_8:
	s_lshl_b32 s2, s17, 4
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(SKIP_4) | instid1(SALU_CYCLE_1)
	s_abs_i32 s3, s2
	s_add_i32 s11, s6, s2
	v_cvt_f32_u32_e32 v0, s3
	s_sub_i32 s9, 0, s3
	s_add_i32 s11, s11, -1
	s_abs_i32 s13, s11
	s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(SALU_CYCLE_1)
	v_rcp_iflag_f32_e32 v0, v0
	s_xor_b32 s2, s11, s2
	s_ashr_i32 s2, s2, 31
	s_waitcnt_depctr depctr_va_vdst(0)
	v_mul_f32_e32 v0, 0x4f7ffffe, v0
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_cvt_u32_f32_e32 v0, v0
	v_readfirstlane_b32 s8, v0
	s_mul_i32 s9, s9, s8
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_hi_u32 s9, s8, s9
	s_add_i32 s8, s8, s9
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_mul_hi_u32 s8, s13, s8
	s_mul_i32 s9, s8, s3
	s_add_i32 s11, s8, 1
	s_sub_i32 s9, s13, s9
	s_delay_alu instid0(SALU_CYCLE_1)
	s_sub_i32 s13, s9, s3
	s_cmp_ge_u32 s9, s3
	s_cselect_b32 s8, s11, s8
	s_cselect_b32 s9, s13, s9
	s_add_i32 s11, s8, 1
	s_cmp_ge_u32 s9, s3
	s_cselect_b32 s3, s11, s8
	s_delay_alu instid0(SALU_CYCLE_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_xor_b32 s3, s3, s2
	s_sub_i32 s3, s3, s2
	s_add_i32 s2, s17, -1
	s_lshl_b32 s13, s3, 4
	s_cmp_ge_u32 s15, s2
	s_mul_i32 s11, s13, s15
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s2, s13, s2
	s_mov_b32 s10, 0
	s_sub_i32 s19, s6, s2
.LBB1_10:
	s_clause 0x1
	s_load_b64 s[8:9], s[0:1], 0x50
	s_load_b128 s[0:3], s[0:1], 0x0
	s_and_not1_b32 vcc_lo, exec_lo, s10
	s_cbranch_vccnz .LBB1_12
	s_mov_b32 s19, s13
.LBB1_12:
	v_mbcnt_lo_u32_b32 v24, -1, 0
	s_mov_b32 s10, 0
	s_lshl_b32 s17, s12, 7
	s_ashr_i64 s[12:13], s[10:11], 31
	v_readfirstlane_b32 s10, v192
	v_lshrrev_b32_e32 v0, 1, v24
	s_lshl_b32 s6, s14, 7
	s_waitcnt lgkmcnt(0)
	s_add_u32 s0, s0, s12
	s_addc_u32 s1, s1, s13
	s_add_u32 s12, s2, s12
	v_and_b32_e32 v85, 14, v0
	s_addc_u32 s13, s3, s13
	s_lshr_b32 s20, s10, 1
	v_lshlrev_b32_e32 v25, 3, v24
	s_and_b32 s11, s20, 0x7ffffff0
	s_add_i32 s14, s19, -1
	v_or_b32_e32 v21, s11, v85
	s_mul_i32 s2, s7, s21
	s_add_i32 s21, s5, -1
	s_add_i32 s14, s14, 1
	s_mul_i32 s21, s18, s21
	v_add_nc_u32_e32 v0, s17, v21
	v_add_nc_u32_e32 v1, s6, v21
	s_add_i32 s2, s2, s14
	s_mov_b32 s3, 0x31004000
	s_add_i32 s21, s21, s14
	v_mul_lo_u32 v198, v0, s7
	v_mul_lo_u32 v197, v1, s18
	v_and_b32_e32 v0, 24, v25
	s_lshl_b32 s2, s2, 1
	s_mov_b32 s15, s3
	s_lshl_b32 s14, s21, 1
	v_bfe_u32 v23, v25, 4, 1
	v_bfe_u32 v22, v24, 2, 2
	v_add_nc_u32_e32 v1, v198, v0
	v_add_nc_u32_e32 v0, v197, v0
	s_lshr_b32 s10, s10, 3
	s_add_i32 s19, s19, 31
	v_lshl_add_u32 v197, v197, 1, 0x100
	v_lshlrev_b32_e32 v17, 1, v1
	v_add_lshl_u32 v18, v1, s7, 1
	v_lshlrev_b32_e32 v19, 1, v0
	v_add_lshl_u32 v20, v0, s18, 1
	s_clause 0x1
	buffer_load_b128 v[1:4], v17, s[0:3], 0 offen
	buffer_load_b128 v[5:8], v18, s[0:3], 0 offen
	s_clause 0x1
	buffer_load_b128 v[9:12], v19, s[12:15], 0 offen
	buffer_load_b128 v[13:16], v20, s[12:15], 0 offen
	v_or_b32_e32 v0, 1, v21
	scratch_store_b32 off, v25, off offset:96
	v_and_b32_e32 v25, 8, v25
	scratch_store_b32 off, v23, off offset:88
	v_lshlrev_b32_e32 v198, 1, v198
	v_sub_nc_u32_e32 v0, v0, v21
	v_lshlrev_b32_e32 v21, 5, v21
	scratch_store_b32 off, v25, off offset:92
	s_clause 0x1
	buffer_load_b128 v[65:68], v17, s[0:3], 0 offen offset:64
	buffer_load_b128 v[69:72], v18, s[0:3], 0 offen offset:64
	s_clause 0x1
	buffer_load_b128 v[161:164], v19, s[12:15], 0 offen offset:64
	buffer_load_b128 v[165:168], v20, s[12:15], 0 offen offset:64
	v_lshl_or_b32 v0, v0, 1, v23
	v_xor_b32_e32 v23, v22, v23
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_xor_b32_e32 v0, v0, v22
	v_lshlrev_b32_e32 v22, 4, v23
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_sub_nc_u32_e32 v0, v0, v23
	v_or3_b32 v21, v21, v25, v22
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_lshlrev_b32_e32 v0, 4, v0
	v_lshlrev_b32_e32 v169, 1, v21
	s_delay_alu instid0(VALU_DEP_2)
	v_add_lshl_u32 v170, v21, v0, 1
	s_waitcnt vmcnt(7)
	ds_store_b128 v169, v[1:4]
	s_waitcnt vmcnt(6)
	ds_store_b128 v170, v[5:8]
	s_waitcnt vmcnt(5)
	ds_store_b128 v169, v[9:12] offset:8192
	s_waitcnt vmcnt(4)
	ds_store_b128 v170, v[13:16] offset:8192
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	buffer_load_b128 v[0:3], v17, s[0:3], 0 offen offset:128
	v_mov_b32_e32 v9, 0
	v_and_b32_e32 v63, 15, v24
	s_delay_alu instid0(VALU_DEP_2)
	v_dual_mov_b32 v22, v9 :: v_dual_and_b32 v171, 3, v24
	v_mov_b32_e32 v4, v9
	v_mov_b32_e32 v10, v9
	v_mov_b32_e32 v11, v9
	v_mov_b32_e32 v12, v9
	v_mov_b32_e32 v13, v9
	v_mov_b32_e32 v14, v9
	v_mov_b32_e32 v15, v9
	v_mov_b32_e32 v16, v9
	v_mov_b32_e32 v6, v9
	v_mov_b32_e32 v8, v9
	v_dual_mov_b32 v25, v9 :: v_dual_lshlrev_b32 v194, 4, v171
	v_mov_b32_e32 v27, v9
	v_mov_b32_e32 v29, v9
	v_mov_b32_e32 v31, v9
	v_mov_b32_e32 v41, v9
	v_mov_b32_e32 v43, v9
	v_mov_b32_e32 v45, v9
	v_mov_b32_e32 v46, v9
	v_mov_b32_e32 v47, v9
	v_mov_b32_e32 v48, v9
	v_mov_b32_e32 v33, v9
	v_mov_b32_e32 v34, v9
	v_mov_b32_e32 v35, v9
	v_mov_b32_e32 v36, v9
	v_mov_b32_e32 v37, v9
	v_mov_b32_e32 v38, v9
	v_mov_b32_e32 v39, v9
	v_mov_b32_e32 v40, v9
	v_mov_b32_e32 v49, v9
	v_mov_b32_e32 v50, v9
	v_mov_b32_e32 v51, v9
	v_mov_b32_e32 v52, v9
	v_mov_b32_e32 v53, v9
	v_mov_b32_e32 v54, v9
	v_mov_b32_e32 v55, v9
	v_mov_b32_e32 v56, v9
	v_mov_b32_e32 v57, v9
	v_mov_b32_e32 v58, v9
	v_mov_b32_e32 v59, v9
	v_mov_b32_e32 v60, v9
	v_mov_b32_e32 v61, v9
	s_waitcnt vmcnt(0)
	scratch_store_b128 off, v[0:3], off offset:32
	buffer_load_b128 v[184:187], v18, s[0:3], 0 offen offset:128
	s_clause 0x1
	buffer_load_b128 v[177:180], v19, s[12:15], 0 offen offset:128
	buffer_load_b128 v[188:191], v20, s[12:15], 0 offen offset:128
	v_dual_mov_b32 v1, v9 :: v_dual_lshlrev_b32 v0, 1, v24
	v_mov_b32_e32 v3, v9
	v_mov_b32_e32 v20, v9
	v_and_or_b32 v62, 0x1ffffff0, s10, v63
	s_delay_alu instid0(VALU_DEP_4) | instskip(SKIP_2) | instid1(VALU_DEP_4)
	v_dual_mov_b32 v5, v9 :: v_dual_and_b32 v0, 2, v0
	v_mov_b32_e32 v24, v9
	v_mov_b32_e32 v7, v9
	v_lshrrev_b32_e32 v64, 1, v62
	v_bfe_u32 v73, v62, 1, 2
	v_or_b32_e32 v75, 1, v0
	v_dual_mov_b32 v17, v9 :: v_dual_add_nc_u32 v76, 32, v62
	v_add_nc_u32_e32 v77, 64, v62
	s_delay_alu instid0(VALU_DEP_4)
	v_xor_b32_e32 v78, v73, v0
	v_lshlrev_b32_e32 v80, 7, v64
	v_xor_b32_e32 v73, v73, v75
	v_add_nc_u32_e32 v62, 0x60, v62
	v_lshrrev_b32_e32 v81, 1, v76
	v_bfe_u32 v76, v76, 1, 2
	v_lshrrev_b32_e32 v82, 1, v77
	v_bfe_u32 v77, v77, 1, 2
	v_lshl_or_b32 v87, v78, 5, v80
	v_sub_nc_u32_e32 v78, v73, v78
	scratch_store_b32 off, v63, off offset:100
	v_and_or_b32 v63, s20, 48, v63
	v_lshrrev_b32_e32 v83, 1, v62
	v_sub_nc_u32_e32 v64, v81, v64
	v_xor_b32_e32 v80, v76, v0
	v_xor_b32_e32 v76, v76, v75
	v_sub_nc_u32_e32 v81, v82, v81
	v_xor_b32_e32 v84, v77, v0
	v_lshl_add_u32 v86, v78, 5, v87
	v_mov_b32_e32 v26, v9
	v_lshrrev_b32_e32 v74, 1, v63
	v_bfe_u32 v63, v63, 1, 2
	v_bfe_u32 v62, v62, 1, 2
	v_sub_nc_u32_e32 v78, v83, v82
	v_sub_nc_u32_e32 v82, v76, v73
	v_sub_nc_u32_e32 v76, v84, v76
	v_lshlrev_b32_e32 v81, 6, v81
	v_lshl_add_u32 v64, v64, 7, v86
	v_xor_b32_e32 v79, v63, v0
	v_xor_b32_e32 v77, v77, v75
	v_xor_b32_e32 v83, v62, v0
	v_lshl_add_u32 v0, v76, 4, v81
	v_lshl_add_u32 v81, v82, 5, v64
	v_dual_mov_b32 v19, v9 :: v_dual_lshlrev_b32 v74, 7, v74
	v_mov_b32_e32 v28, v9
	v_xor_b32_e32 v63, v63, v75
	v_xor_b32_e32 v62, v62, v75
	v_sub_nc_u32_e32 v75, v77, v84
	v_sub_nc_u32_e32 v76, v83, v77
	v_lshlrev_b32_e32 v77, 6, v78
	v_lshl_add_u32 v0, v0, 1, v81
	v_lshl_or_b32 v89, v79, 5, v74
	v_sub_nc_u32_e32 v74, v63, v79
	v_sub_nc_u32_e32 v62, v62, v83
	v_lshl_add_u32 v76, v76, 4, v77
	v_lshl_add_u32 v75, v75, 5, v0
	v_sub_nc_u32_e32 v73, v80, v73
	s_delay_alu instid0(VALU_DEP_4)
	v_dual_mov_b32 v21, v9 :: v_dual_lshlrev_b32 v62, 5, v62
	v_sub_nc_u32_e32 v63, v79, v63
	v_lshl_add_u32 v183, v74, 5, v89
	v_lshl_add_u32 v74, v76, 1, v75
	v_dual_mov_b32 v32, v9 :: v_dual_lshlrev_b32 v73, 5, v73
	v_mov_b32_e32 v23, v9
	v_dual_mov_b32 v30, v9 :: v_dual_lshlrev_b32 v63, 5, v63
	s_delay_alu instid0(VALU_DEP_4) | instskip(NEXT) | instid1(VALU_DEP_4)
	v_add_nc_u32_e32 v62, v74, v62
	v_dual_mov_b32 v44, v9 :: v_dual_add_nc_u32 v181, v64, v73
	s_add_i32 s10, s6, s11
	s_add_i32 s11, s17, s11
	v_dual_mov_b32 v42, v9 :: v_dual_add_nc_u32 v63, v183, v63
	v_or_b32_e32 v172, s10, v85
	s_clause 0x1
	scratch_store_b32 off, v85, off offset:84
	scratch_store_b32 off, v62, off offset:80
	v_or_b32_e32 v173, s11, v85
	ds_load_b128 v[153:156], v87
	ds_load_b128 v[77:80], v62 offset:16
	ds_load_b128 v[157:160], v87 offset:16
	ds_load_b128 v[105:108], v86
	s_clause 0x7
	scratch_store_b32 off, v86, off offset:52
	scratch_store_b32 off, v81, off offset:56
	scratch_store_b32 off, v87, off offset:64
	scratch_store_b32 off, v75, off offset:72
	scratch_store_b32 off, v74, off offset:76
	scratch_store_b32 off, v89, off offset:48
	scratch_store_b32 off, v63, off offset:68
	scratch_store_b32 off, v0, off offset:60
	ds_load_b128 v[109:112], v86 offset:16
	ds_load_b128 v[145:148], v181
	ds_load_b128 v[149:152], v181 offset:16
	ds_load_b128 v[97:100], v81
	ds_load_b128 v[101:104], v81 offset:16
	ds_load_b128 v[121:124], v0
	ds_load_b128 v[125:128], v0 offset:16
	ds_load_b128 v[81:84], v75
	ds_load_b128 v[85:88], v75 offset:16
	ds_load_b128 v[113:116], v74
	ds_load_b128 v[117:120], v74 offset:16
	ds_load_b128 v[73:76], v62
	s_waitcnt lgkmcnt(0)
	s_clause 0x1
	scratch_store_b128 off, v[73:76], off
	scratch_store_b128 off, v[77:80], off offset:16
	ds_load_b128 v[129:132], v89 offset:8192
	ds_load_b128 v[133:136], v89 offset:8208
	ds_load_b128 v[89:92], v183 offset:8192
	ds_load_b128 v[93:96], v183 offset:8208
	ds_load_b128 v[137:140], v63 offset:12288
	ds_load_b128 v[141:144], v63 offset:12304
	ds_load_b128 v[73:76], v183 offset:12288
	ds_load_b128 v[77:80], v183 offset:12304
	v_mul_lo_u32 v172, s18, v172
	v_mul_lo_u32 v173, s7, v173
	s_ashr_i32 s10, s19, 31
	v_mov_b32_e32 v2, v9
	s_lshr_b32 s10, s10, 27
	v_mov_b32_e32 v18, v9
	s_add_i32 s19, s19, s10
	v_mov_b32_e32 v62, v9
	v_mov_b32_e32 v63, v9
	v_mov_b32_e32 v64, v9
	v_add_lshl_u32 v195, v172, s18, 1
	v_add_lshl_u32 v196, v173, s7, 1
	s_ashr_i32 s10, s19, 5
	ds_store_b128 v169, v[65:68] offset:16384
	ds_store_b128 v170, v[69:72] offset:16384
	ds_store_b128 v169, v[161:164] offset:24576
	ds_store_b128 v170, v[165:168] offset:24576
	s_add_i32 s10, s10, 2
.LBB1_13:
	v_add_nc_u32_e32 v255, v194, v198
	v_add_nc_u32_e32 v182, v194, v197
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	v_wmma_f32_16x16x16_f16 v[57:64], v[153:160], v[129:136], v[57:64]
	v_wmma_f32_16x16x16_f16 v[49:56], v[153:160], v[137:144], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[145:152], v[129:136], v[33:40]
	buffer_load_b128 v[153:156], v255, s[0:3], 0 offen offset:192
	v_add_nc_u32_e32 v0, v194, v196
	v_wmma_f32_16x16x16_f16 v[41:48], v[145:152], v[137:144], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[121:128], v[129:136], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[121:128], v[137:144], v[17:24]
	v_subrev_nc_u32_e32 v65, 64, v182
	v_wmma_f32_16x16x16_f16 v[1:8], v[113:120], v[129:136], v[1:8]
	buffer_load_b128 v[121:124], v0, s[0:3], 0 offen offset:192
	v_wmma_f32_16x16x16_f16 v[9:16], v[113:120], v[137:144], v[9:16]
	v_wmma_f32_16x16x16_f16 v[57:64], v[105:112], v[89:96], v[57:64]
	v_wmma_f32_16x16x16_f16 v[49:56], v[105:112], v[73:80], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[97:104], v[89:96], v[33:40]
	buffer_load_b128 v[105:108], v65, s[12:15], 0 offen
	v_wmma_f32_16x16x16_f16 v[41:48], v[97:104], v[73:80], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[81:88], v[89:96], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[81:88], v[73:80], v[17:24]
	s_clause 0x2
	scratch_load_b128 v[130:133], off, off
	scratch_load_b128 v[134:137], off, off offset:16
	scratch_load_b32 v67, off, off offset:84
	v_readfirstlane_b32 s7, v192
	s_clause 0x3
	scratch_load_b32 v98, off, off offset:64
	scratch_load_b32 v97, off, off offset:52
	scratch_load_b32 v101, off, off offset:56
	scratch_load_b32 v113, off, off offset:60
	s_lshr_b32 s7, s7, 1
	s_clause 0x4
	scratch_load_b32 v114, off, off offset:72
	scratch_load_b32 v117, off, off offset:76
	scratch_load_b32 v129, off, off offset:80
	scratch_load_b32 v141, off, off offset:68
	scratch_load_b32 v99, off, off offset:92
	v_add_nc_u32_e32 v193, v194, v195
	s_waitcnt vmcnt(17)
	v_mov_b32_e32 v109, v184
	s_waitcnt vmcnt(15)
	v_dual_mov_b32 v125, v188 :: v_dual_mov_b32 v110, v185
	v_dual_mov_b32 v111, v186 :: v_dual_mov_b32 v112, v187
	v_dual_mov_b32 v126, v189 :: v_dual_mov_b32 v127, v190
	v_mov_b32_e32 v128, v191
	ds_load_b128 v[207:210], v181 offset:16384
	ds_load_b128 v[211:214], v181 offset:16400
	ds_load_b128 v[161:164], v183 offset:24576
	ds_load_b128 v[165:168], v183 offset:24592
	ds_load_b128 v[69:72], v183 offset:28688
	s_waitcnt vmcnt(10)
	v_wmma_f32_16x16x16_f16 v[9:16], v[130:137], v[73:80], v[9:16]
	v_wmma_f32_16x16x16_f16 v[1:8], v[130:137], v[89:96], v[1:8]
	s_waitcnt vmcnt(9)
	v_and_or_b32 v93, 0x7ffffff0, s7, v67
	scratch_load_b32 v96, off, off offset:48
	buffer_load_b128 v[89:92], v193, s[12:15], 0 offen offset:192
	scratch_load_b128 v[73:76], off, off offset:32
	s_waitcnt vmcnt(11)
	ds_load_b128 v[81:84], v98 offset:16384
	v_or_b32_e32 v65, 1, v93
	v_and_b32_e32 v66, 0x7ffffffe, v93
	ds_load_b128 v[85:88], v98 offset:16400
	s_waitcnt vmcnt(10)
	ds_load_b128 v[199:202], v97 offset:16384
	ds_load_b128 v[203:206], v97 offset:16400
	s_waitcnt vmcnt(9)
	ds_load_b128 v[215:218], v101 offset:16384
	v_sub_nc_u32_e32 v65, v65, v66
	v_bfe_u32 v66, v67, 1, 2
	scratch_load_b32 v67, off, off offset:88
	ds_load_b128 v[219:222], v101 offset:16400
	s_waitcnt vmcnt(9)
	ds_load_b128 v[223:226], v113 offset:16384
	ds_load_b128 v[227:230], v113 offset:16400
	s_waitcnt vmcnt(8)
	ds_load_b128 v[231:234], v114 offset:16384
	ds_load_b128 v[235:238], v114 offset:16400
	s_waitcnt vmcnt(7)
	ds_load_b128 v[239:242], v117 offset:16384
	ds_load_b128 v[243:246], v117 offset:16400
	s_waitcnt vmcnt(6)
	ds_load_b128 v[247:250], v129 offset:16384
	ds_load_b128 v[251:254], v129 offset:16400
	s_waitcnt vmcnt(5)
	ds_load_b128 v[169:172], v141 offset:28672
	ds_load_b128 v[173:176], v141 offset:28688
	s_waitcnt vmcnt(4)
	v_lshl_or_b32 v93, v93, 5, v99
	s_waitcnt vmcnt(3)
	ds_load_b128 v[184:187], v96 offset:24576
	ds_load_b128 v[188:191], v96 offset:24592
	s_waitcnt vmcnt(0)
	v_lshl_or_b32 v65, v65, 1, v67
	v_xor_b32_e32 v94, v66, v67
	s_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_3) | instid1(VALU_DEP_1)
	v_xor_b32_e32 v95, v65, v66
	ds_load_b128 v[65:68], v183 offset:28672
	v_lshl_add_u32 v93, v94, 4, v93
	v_sub_nc_u32_e32 v95, v95, v94
	v_lshlrev_b32_e32 v94, 4, v95
	s_delay_alu instid0(VALU_DEP_3) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_lshlrev_b32_e32 v95, 1, v93
	v_add_lshl_u32 v93, v93, v94, 1
	ds_store_b128 v95, v[73:76]
	ds_store_b128 v93, v[109:112]
	ds_store_b128 v95, v[177:180] offset:8192
	ds_store_b128 v93, v[125:128] offset:8192
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_load_b128 v[73:76], v129
	ds_load_b128 v[77:80], v129 offset:16
	v_wmma_f32_16x16x16_f16 v[57:64], v[81:88], v[184:191], v[57:64]
	v_wmma_f32_16x16x16_f16 v[49:56], v[81:88], v[169:176], v[49:56]
	ds_store_b128 v95, v[153:156] offset:16384
	ds_store_b128 v93, v[121:124] offset:16384
	ds_store_b128 v95, v[105:108] offset:24576
	ds_store_b128 v93, v[89:92] offset:24576
	ds_load_b128 v[153:156], v98
	ds_load_b128 v[157:160], v98 offset:16
	ds_load_b128 v[105:108], v97
	ds_load_b128 v[109:112], v97 offset:16
	ds_load_b128 v[145:148], v181
	ds_load_b128 v[149:152], v181 offset:16
	ds_load_b128 v[97:100], v101
	ds_load_b128 v[101:104], v101 offset:16
	ds_load_b128 v[121:124], v113
	ds_load_b128 v[125:128], v113 offset:16
	ds_load_b128 v[81:84], v114
	ds_load_b128 v[85:88], v114 offset:16
	s_waitcnt lgkmcnt(17)
	scratch_store_b128 off, v[73:76], off
	ds_load_b128 v[113:116], v117
	ds_load_b128 v[117:120], v117 offset:16
	s_waitcnt lgkmcnt(18)
	scratch_store_b128 off, v[77:80], off offset:16
	ds_load_b128 v[129:132], v96 offset:8192
	ds_load_b128 v[133:136], v96 offset:8208
	ds_load_b128 v[89:92], v183 offset:8192
	ds_load_b128 v[93:96], v183 offset:8208
	ds_load_b128 v[137:140], v141 offset:12288
	ds_load_b128 v[141:144], v141 offset:12304
	ds_load_b128 v[77:80], v183 offset:12304
	ds_load_b128 v[73:76], v183 offset:12288
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	v_wmma_f32_16x16x16_f16 v[33:40], v[207:214], v[184:191], v[33:40]
	buffer_load_b128 v[177:180], v255, s[0:3], 0 offen offset:256
	v_wmma_f32_16x16x16_f16 v[41:48], v[207:214], v[169:176], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[223:230], v[184:191], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[223:230], v[169:176], v[17:24]
	v_wmma_f32_16x16x16_f16 v[1:8], v[239:246], v[184:191], v[1:8]
	s_waitcnt vmcnt(0)
	scratch_store_b128 off, v[177:180], off offset:32
	buffer_load_b128 v[184:187], v0, s[0:3], 0 offen offset:256
	v_wmma_f32_16x16x16_f16 v[9:16], v[239:246], v[169:176], v[9:16]
	v_wmma_f32_16x16x16_f16 v[57:64], v[199:206], v[161:168], v[57:64]
	v_wmma_f32_16x16x16_f16 v[49:56], v[199:206], v[65:72], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[215:222], v[161:168], v[33:40]
	buffer_load_b128 v[177:180], v182, s[12:15], 0 offen
	v_wmma_f32_16x16x16_f16 v[41:48], v[215:222], v[65:72], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[231:238], v[161:168], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[231:238], v[65:72], v[17:24]
	v_wmma_f32_16x16x16_f16 v[1:8], v[247:254], v[161:168], v[1:8]
	buffer_load_b128 v[188:191], v193, s[12:15], 0 offen offset:256
	v_wmma_f32_16x16x16_f16 v[9:16], v[247:254], v[65:72], v[9:16]
	v_add_nc_u32_e32 v197, 0x80, v197
	v_add_nc_u32_e32 v195, 0x80, v195
	v_add_nc_u32_e32 v198, 0x80, v198
	v_add_nc_u32_e32 v196, 0x80, v196
	s_add_i32 s10, s10, -2
	s_delay_alu instid0(SALU_CYCLE_1)
	s_cmp_gt_i32 s10, 5
	s_cbranch_scc1 .LBB1_13
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	scratch_load_b32 v0, off, off offset:64
	s_add_i32 s0, s4, 0x7fffffff
	s_delay_alu instid0(SALU_CYCLE_1)
	s_mul_i32 s0, s0, s16
	s_waitcnt vmcnt(0)
	ds_load_b128 v[65:68], v0 offset:16384
	v_wmma_f32_16x16x16_f16 v[25:32], v[121:128], v[129:136], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[121:128], v[137:144], v[17:24]
	v_wmma_f32_16x16x16_f16 v[57:64], v[153:160], v[129:136], v[57:64]
	v_wmma_f32_16x16x16_f16 v[49:56], v[153:160], v[137:144], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[145:152], v[129:136], v[33:40]
	v_wmma_f32_16x16x16_f16 v[41:48], v[145:152], v[137:144], v[41:48]
	v_wmma_f32_16x16x16_f16 v[1:8], v[113:120], v[129:136], v[1:8]
	v_wmma_f32_16x16x16_f16 v[9:16], v[113:120], v[137:144], v[9:16]
	ds_load_b128 v[69:72], v0 offset:16400
	v_wmma_f32_16x16x16_f16 v[25:32], v[81:88], v[89:96], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[81:88], v[73:80], v[17:24]
	s_clause 0x2
	scratch_load_b128 v[81:84], off, off
	scratch_load_b128 v[85:88], off, off offset:16
	scratch_load_b32 v0, off, off offset:52
	v_wmma_f32_16x16x16_f16 v[57:64], v[105:112], v[89:96], v[57:64]
	v_wmma_f32_16x16x16_f16 v[49:56], v[105:112], v[73:80], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[97:104], v[89:96], v[33:40]
	v_wmma_f32_16x16x16_f16 v[41:48], v[97:104], v[73:80], v[41:48]
	ds_load_b128 v[137:140], v183 offset:24576
	ds_load_b128 v[141:144], v183 offset:24592
	ds_load_b128 v[157:160], v183 offset:28688
	ds_load_b128 v[153:156], v183 offset:28672
	s_waitcnt vmcnt(1)
	v_wmma_f32_16x16x16_f16 v[1:8], v[81:88], v[89:96], v[1:8]
	v_wmma_f32_16x16x16_f16 v[9:16], v[81:88], v[73:80], v[9:16]
	s_waitcnt vmcnt(0)
	ds_load_b128 v[73:76], v0 offset:16384
	ds_load_b128 v[77:80], v0 offset:16400
	scratch_load_b32 v0, off, off offset:56
	ds_load_b128 v[81:84], v181 offset:16384
	ds_load_b128 v[85:88], v181 offset:16400
	s_waitcnt vmcnt(0)
	ds_load_b128 v[89:92], v0 offset:16384
	ds_load_b128 v[93:96], v0 offset:16400
	scratch_load_b32 v0, off, off offset:60
	s_waitcnt vmcnt(0)
	ds_load_b128 v[97:100], v0 offset:16384
	ds_load_b128 v[101:104], v0 offset:16400
	scratch_load_b32 v0, off, off offset:72
	s_waitcnt vmcnt(0)
	ds_load_b128 v[105:108], v0 offset:16384
	ds_load_b128 v[109:112], v0 offset:16400
	scratch_load_b32 v0, off, off offset:76
	s_waitcnt vmcnt(0)
	ds_load_b128 v[113:116], v0 offset:16384
	ds_load_b128 v[117:120], v0 offset:16400
	scratch_load_b32 v0, off, off offset:80
	s_waitcnt vmcnt(0)
	ds_load_b128 v[121:124], v0 offset:16384
	ds_load_b128 v[125:128], v0 offset:16400
	scratch_load_b32 v0, off, off offset:48
	s_waitcnt vmcnt(0)
	ds_load_b128 v[129:132], v0 offset:24576
	ds_load_b128 v[133:136], v0 offset:24592
	scratch_load_b32 v0, off, off offset:68
	s_waitcnt vmcnt(0)
	ds_load_b128 v[145:148], v0 offset:28672
	ds_load_b128 v[149:152], v0 offset:28688
	s_waitcnt lgkmcnt(2)
	v_wmma_f32_16x16x16_f16 v[57:64], v[65:72], v[129:136], v[57:64]
	s_waitcnt lgkmcnt(0)
	v_wmma_f32_16x16x16_f16 v[49:56], v[65:72], v[145:152], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[81:88], v[129:136], v[33:40]
	v_wmma_f32_16x16x16_f16 v[41:48], v[81:88], v[145:152], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[97:104], v[129:136], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[97:104], v[145:152], v[17:24]
	v_wmma_f32_16x16x16_f16 v[1:8], v[113:120], v[129:136], v[1:8]
	v_wmma_f32_16x16x16_f16 v[9:16], v[113:120], v[145:152], v[9:16]
	v_wmma_f32_16x16x16_f16 v[57:64], v[73:80], v[137:144], v[57:64]
	v_wmma_f32_16x16x16_f16 v[49:56], v[73:80], v[153:160], v[49:56]
	v_wmma_f32_16x16x16_f16 v[33:40], v[89:96], v[137:144], v[33:40]
	v_wmma_f32_16x16x16_f16 v[41:48], v[89:96], v[153:160], v[41:48]
	v_wmma_f32_16x16x16_f16 v[25:32], v[105:112], v[137:144], v[25:32]
	v_wmma_f32_16x16x16_f16 v[17:24], v[105:112], v[153:160], v[17:24]
	v_wmma_f32_16x16x16_f16 v[1:8], v[121:128], v[137:144], v[1:8]
	v_wmma_f32_16x16x16_f16 v[9:16], v[121:128], v[153:160], v[9:16]
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	v_cvt_f16_f32_e32 v0.h, v58
	scratch_load_b32 v58, off, off offset:100
	v_cvt_f16_f32_e32 v0.l, v57
	v_cvt_f16_f32_e32 v57.l, v59
	v_mbcnt_lo_u32_b32 v66, -1, 0
	v_readfirstlane_b32 s1, v192
	v_cvt_f16_f32_e32 v57.h, v60
	s_add_i32 s0, s5, s0
	s_mov_b32 s11, 0x31004000
	v_lshrrev_b32_e32 v65, 4, v66
	v_lshrrev_b32_e32 v66, 3, v66
	s_lshr_b32 s2, s1, 3
	s_and_b32 s1, s1, 0x60
	s_lshl_b32 s10, s0, 1
	v_and_or_b32 v65, 0x1fffff0, s2, v65
	v_and_or_b32 v66, 0x1ffffffc, s2, v66
	s_delay_alu instid0(VALU_DEP_2) | instskip(NEXT) | instid1(VALU_DEP_2)
	v_lshlrev_b32_e32 v60, 7, v65
	v_lshlrev_b32_e32 v65, 7, v66
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v59, 1, v58
	v_cvt_f16_f32_e32 v58.l, v61
	scratch_load_b32 v61, off, off offset:96
	v_cvt_f16_f32_e32 v58.h, v62
	v_or3_b32 v67, s1, v59, v60
	v_cvt_f16_f32_e32 v59.l, v63
	v_cvt_f16_f32_e32 v59.h, v64
	v_add_nc_u32_e32 v63, s17, v66
	ds_store_b16 v67, v0
	ds_store_b16_d16_hi v67, v0 offset:256
	ds_store_b16 v67, v57 offset:512
	ds_store_b16_d16_hi v67, v57 offset:768
	ds_store_b16 v67, v58 offset:1024
	ds_store_b16_d16_hi v67, v58 offset:1280
	ds_store_b16 v67, v59 offset:1536
	ds_store_b16_d16_hi v67, v59 offset:1792
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	v_mul_lo_u32 v0, v63, s16
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v61, 56, v61
	s_delay_alu instid0(VALU_DEP_1)
	v_lshl_or_b32 v62, v61, 1, v65
	v_or_b32_e32 v61, s6, v61
	ds_load_b128 v[57:60], v62
	v_add_lshl_u32 v64, v0, v61, 1
	v_cvt_f16_f32_e32 v0.l, v49
	v_cvt_f16_f32_e32 v0.h, v50
	v_cvt_f16_f32_e32 v49.l, v51
	v_cvt_f16_f32_e32 v49.h, v52
	v_cvt_f16_f32_e32 v50.l, v53
	v_cvt_f16_f32_e32 v50.h, v54
	v_cvt_f16_f32_e32 v51.l, v55
	v_cvt_f16_f32_e32 v51.h, v56
	s_waitcnt lgkmcnt(0)
	buffer_store_b128 v[57:60], v64, s[8:11], 0 offen
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_store_b16 v67, v0
	ds_store_b16_d16_hi v67, v0 offset:256
	ds_store_b16 v67, v49 offset:512
	ds_store_b16_d16_hi v67, v49 offset:768
	ds_store_b16 v67, v50 offset:1024
	ds_store_b16_d16_hi v67, v50 offset:1280
	ds_store_b16 v67, v51 offset:1536
	ds_store_b16_d16_hi v67, v51 offset:1792
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_load_b128 v[49:52], v62
	v_cvt_f16_f32_e32 v0.l, v41
	v_cvt_f16_f32_e32 v0.h, v42
	v_cvt_f16_f32_e32 v41.l, v43
	v_cvt_f16_f32_e32 v41.h, v44
	v_cvt_f16_f32_e32 v42.l, v45
	v_cvt_f16_f32_e32 v42.h, v46
	v_cvt_f16_f32_e32 v43.l, v47
	v_cvt_f16_f32_e32 v43.h, v48
	v_or_b32_e32 v45, 64, v61
	s_waitcnt lgkmcnt(0)
	buffer_store_b128 v[49:52], v64, s[8:11], 0 offen offset:128
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_store_b16 v67, v0
	ds_store_b16_d16_hi v67, v0 offset:256
	ds_store_b16 v67, v41 offset:512
	ds_store_b16_d16_hi v67, v41 offset:768
	ds_store_b16 v67, v42 offset:1024
	ds_store_b16_d16_hi v67, v42 offset:1280
	ds_store_b16 v67, v43 offset:1536
	ds_store_b16_d16_hi v67, v43 offset:1792
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_load_b128 v[41:44], v62
	v_add_nc_u32_e32 v0, 32, v63
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v0, v0, s16
	v_add_lshl_u32 v46, v0, v45, 1
	v_cvt_f16_f32_e32 v0.l, v33
	v_cvt_f16_f32_e32 v0.h, v34
	v_cvt_f16_f32_e32 v33.l, v35
	v_cvt_f16_f32_e32 v33.h, v36
	v_cvt_f16_f32_e32 v34.l, v37
	v_cvt_f16_f32_e32 v34.h, v38
	v_cvt_f16_f32_e32 v35.l, v39
	v_cvt_f16_f32_e32 v35.h, v40
	s_waitcnt lgkmcnt(0)
	buffer_store_b128 v[41:44], v46, s[8:11], 0 offen
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_store_b16 v67, v0
	ds_store_b16_d16_hi v67, v0 offset:256
	ds_store_b16 v67, v33 offset:512
	ds_store_b16_d16_hi v67, v33 offset:768
	ds_store_b16 v67, v34 offset:1024
	ds_store_b16_d16_hi v67, v34 offset:1280
	ds_store_b16 v67, v35 offset:1536
	ds_store_b16_d16_hi v67, v35 offset:1792
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_load_b128 v[33:36], v62
	v_add_nc_u32_e32 v0, 0xffffff80, v46
	s_waitcnt lgkmcnt(0)
	buffer_store_b128 v[33:36], v0, s[8:11], 0 offen
	v_cvt_f16_f32_e32 v0.l, v25
	v_cvt_f16_f32_e32 v0.h, v26
	v_cvt_f16_f32_e32 v25.l, v27
	v_cvt_f16_f32_e32 v25.h, v28
	v_cvt_f16_f32_e32 v26.l, v29
	v_cvt_f16_f32_e32 v26.h, v30
	v_cvt_f16_f32_e32 v27.l, v31
	v_cvt_f16_f32_e32 v27.h, v32
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_store_b16 v67, v0
	ds_store_b16_d16_hi v67, v0 offset:256
	ds_store_b16 v67, v25 offset:512
	ds_store_b16_d16_hi v67, v25 offset:768
	ds_store_b16 v67, v26 offset:1024
	ds_store_b16_d16_hi v67, v26 offset:1280
	ds_store_b16 v67, v27 offset:1536
	ds_store_b16_d16_hi v67, v27 offset:1792
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_load_b128 v[25:28], v62
	v_add_nc_u32_e32 v0, 64, v63
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v0, v0, s16
	v_add_lshl_u32 v29, v0, v61, 1
	v_cvt_f16_f32_e32 v0.l, v17
	v_cvt_f16_f32_e32 v0.h, v18
	v_cvt_f16_f32_e32 v17.l, v19
	v_cvt_f16_f32_e32 v17.h, v20
	v_cvt_f16_f32_e32 v18.l, v21
	v_cvt_f16_f32_e32 v18.h, v22
	v_cvt_f16_f32_e32 v19.l, v23
	v_cvt_f16_f32_e32 v19.h, v24
	s_waitcnt lgkmcnt(0)
	buffer_store_b128 v[25:28], v29, s[8:11], 0 offen
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_store_b16 v67, v0
	ds_store_b16_d16_hi v67, v0 offset:256
	ds_store_b16 v67, v17 offset:512
	ds_store_b16_d16_hi v67, v17 offset:768
	ds_store_b16 v67, v18 offset:1024
	ds_store_b16_d16_hi v67, v18 offset:1280
	ds_store_b16 v67, v19 offset:1536
	ds_store_b16_d16_hi v67, v19 offset:1792
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_load_b128 v[17:20], v62
	v_cvt_f16_f32_e32 v0.l, v9
	v_cvt_f16_f32_e32 v0.h, v10
	v_cvt_f16_f32_e32 v9.l, v11
	v_cvt_f16_f32_e32 v9.h, v12
	v_cvt_f16_f32_e32 v10.l, v13
	v_cvt_f16_f32_e32 v10.h, v14
	v_cvt_f16_f32_e32 v11.l, v15
	v_cvt_f16_f32_e32 v11.h, v16
	s_waitcnt lgkmcnt(0)
	buffer_store_b128 v[17:20], v29, s[8:11], 0 offen offset:128
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_store_b16 v67, v0
	ds_store_b16_d16_hi v67, v0 offset:256
	ds_store_b16 v67, v9 offset:512
	ds_store_b16_d16_hi v67, v9 offset:768
	ds_store_b16 v67, v10 offset:1024
	ds_store_b16_d16_hi v67, v10 offset:1280
	ds_store_b16 v67, v11 offset:1536
	ds_store_b16_d16_hi v67, v11 offset:1792
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_load_b128 v[9:12], v62
	v_add_nc_u32_e32 v0, 0x60, v63
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)
	v_mul_lo_u32 v0, v0, s16
	v_add_lshl_u32 v13, v0, v45, 1
	v_cvt_f16_f32_e32 v0.l, v1
	v_cvt_f16_f32_e32 v0.h, v2
	v_cvt_f16_f32_e32 v1.l, v3
	v_cvt_f16_f32_e32 v1.h, v4
	v_cvt_f16_f32_e32 v2.l, v5
	v_cvt_f16_f32_e32 v2.h, v6
	v_cvt_f16_f32_e32 v3.l, v7
	v_cvt_f16_f32_e32 v3.h, v8
	s_waitcnt lgkmcnt(0)
	buffer_store_b128 v[9:12], v13, s[8:11], 0 offen
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_store_b16 v67, v0
	ds_store_b16_d16_hi v67, v0 offset:256
	ds_store_b16 v67, v1 offset:512
	ds_store_b16_d16_hi v67, v1 offset:768
	ds_store_b16 v67, v2 offset:1024
	ds_store_b16_d16_hi v67, v2 offset:1280
	ds_store_b16 v67, v3 offset:1536
	ds_store_b16_d16_hi v67, v3 offset:1792
	s_waitcnt expcnt(0) lgkmcnt(0)
	s_barrier
	ds_load_b128 v[0:3], v62
	v_add_nc_u32_e32 v4, 0xffffff80, v13
	s_waitcnt lgkmcnt(0)
	buffer_store_b128 v[0:3], v4, s[8:11], 0 offen
	s_endpgm
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 32768
		.amdhsa_private_segment_fixed_size 108
		.amdhsa_kernarg_size 152
		.amdhsa_user_sgpr_count 14
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_wavefront_size32 1
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 256
		.amdhsa_next_free_sgpr 23
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_workgroup_processor_mode 1
		.amdhsa_memory_ordered 1
		.amdhsa_forward_progress 1
		.amdhsa_shared_vgpr_count 0
		.amdhsa_inst_pref_size 43
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
.Lfunc_end1:
	.set ck_gemm.num_vgpr, 256
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 23
	.set ck_gemm.num_named_barrier, 0
	.set ck_gemm.private_seg_size, 108
	.set ck_gemm.uses_vcc, 1
	.set ck_gemm.uses_flat_scratch, 1
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
    .private_segment_fixed_size: 108
    .sgpr_count:     25
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     256
    .vgpr_spill_count: 38
    .wavefront_size: 32
    .workgroup_processor_mode: 1
amdhsa.target:   amdgcn-amd-amdhsa--gfx1100
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
