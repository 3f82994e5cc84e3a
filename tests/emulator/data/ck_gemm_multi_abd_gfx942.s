; CK's GEMM for gfx942 with three tensors for A and two for B (64 x 64 x 64 tile, fp16), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	.section	.text.ck_gemm,"axG",@progbits,ck_gemm,comdat
ck_gemm:
	s_load_dwordx4 s[8:11], s[0:1], 0x58
	s_load_dwordx2 s[18:19], s[0:1], 0x68
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[12:13], s[0:1], 0x10
	s_load_dwordx2 s[34:35], s[0:1], 0x8c
	s_waitcnt lgkmcnt(0)
	s_add_i32 s22, s8, -1
	s_mov_b32 s33, s9
	s_cmp_lt_u32 s22, 64
	s_mov_b32 s23, 0
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s14, s9, -1
	s_cmp_lt_u32 s14, 64
	s_mov_b32 s14, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s20, s8, 63
	s_ashr_i32 s21, s20, 31
	s_lshr_b32 s14, s21, 26
	s_add_i32 s14, s20, s14
	s_ashr_i32 s17, s14, 6
	s_add_i32 s14, s9, 63
	s_ashr_i32 s15, s14, 31
	s_lshr_b32 s15, s15, 26
	s_add_i32 s14, s14, s15
	s_ashr_i32 s16, s14, 6
	s_mul_i32 s14, s16, s17
	s_add_i32 s15, s14, 7
	s_ashr_i32 s23, s15, 31
	s_lshr_b32 s23, s23, 29
	s_add_i32 s15, s15, s23
	s_ashr_i32 s23, s15, 3
	s_and_b32 s15, s15, -8
	s_sub_i32 s24, s14, s15
	s_ashr_i32 s14, s2, 31
	s_lshr_b32 s14, s14, 29
	s_add_i32 s26, s2, s14
	s_and_b32 s14, s26, -8
	s_add_i32 s24, s24, 8
	s_sub_i32 s25, s2, s14
	s_cmp_gt_i32 s25, s24
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s23, s25
	s_ashr_i32 s14, s26, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s14, s26, 3
.LBB1_5:
	s_add_i32 s2, s23, -1
	s_mul_i32 s2, s2, s25
	s_add_i32 s2, s24, s2
.LBB1_6:
	s_abs_i32 s15, s16
	v_cvt_f32_u32_e32 v1, s15
	s_sub_i32 s24, 0, s15
	s_add_i32 s2, s2, s14
	s_abs_i32 s23, s2
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s14, s2, s16
	s_ashr_i32 s14, s14, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s25, v1
	s_mul_i32 s24, s24, s25
	s_mul_hi_u32 s24, s25, s24
	s_add_i32 s25, s25, s24
	s_mul_hi_u32 s24, s23, s25
	s_mul_i32 s25, s24, s15
	s_sub_i32 s23, s23, s25
	s_add_i32 s26, s24, 1
	s_sub_i32 s25, s23, s15
	s_cmp_ge_u32 s23, s15
	s_cselect_b32 s24, s26, s24
	s_cselect_b32 s23, s25, s23
	s_add_i32 s25, s24, 1
	s_cmp_ge_u32 s23, s15
	s_cselect_b32 s15, s25, s24
	s_xor_b32 s15, s15, s14
	s_lshr_b32 s21, s21, 24
	s_sub_i32 s14, s15, s14
	s_add_i32 s20, s20, s21
	s_mul_i32 s15, s14, s16
	s_sub_i32 s2, s2, s15
	s_ashr_i32 s15, s20, 8
	s_lshl_b32 s15, s15, 2
	s_sub_i32 s17, s17, s15
	s_cmp_ge_i32 s14, s15
	s_cselect_b32 s15, s17, 4
	s_abs_i32 s20, s15
	v_cvt_f32_u32_e32 v1, s20
	s_ashr_i32 s17, s14, 31
	s_lshr_b32 s17, s17, 30
	s_add_i32 s17, s14, s17
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s17, s17, -4
	s_sub_i32 s14, s14, s17
	s_sub_i32 s21, 0, s20
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s14, s14, s16
	s_add_i32 s2, s14, s2
	s_abs_i32 s16, s2
	v_readfirstlane_b32 s23, v1
	s_mul_i32 s21, s21, s23
	s_mul_hi_u32 s21, s23, s21
	s_add_i32 s23, s23, s21
	s_mul_hi_u32 s21, s16, s23
	s_mul_i32 s23, s21, s20
	s_xor_b32 s14, s2, s15
	s_sub_i32 s16, s16, s23
	s_ashr_i32 s14, s14, 31
	s_add_i32 s23, s21, 1
	s_sub_i32 s24, s16, s20
	s_cmp_ge_u32 s16, s20
	s_cselect_b32 s21, s23, s21
	s_cselect_b32 s16, s24, s16
	s_add_i32 s23, s21, 1
	s_cmp_ge_u32 s16, s20
	s_cselect_b32 s16, s23, s21
	s_xor_b32 s16, s16, s14
	s_sub_i32 s14, s16, s14
	s_mul_i32 s15, s15, s14
	s_sub_i32 s15, s17, s15
	s_add_i32 s2, s15, s2
.LBB1_7:
	s_mov_b32 s23, s2
	s_mov_b32 s2, s14
.LBB1_8:
	s_lshl_b32 s16, s35, 4
	s_abs_i32 s17, s16
	v_cvt_f32_u32_e32 v1, s17
	s_sub_i32 s21, 0, s17
	s_add_i32 s20, s10, s16
	s_add_i32 s20, s20, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s16, s20, s16
	s_abs_i32 s20, s20
	s_ashr_i32 s16, s16, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_load_dwordx2 s[14:15], s[0:1], 0xb0
	v_readfirstlane_b32 s24, v1
	s_mul_i32 s21, s21, s24
	s_mul_hi_u32 s21, s24, s21
	s_add_i32 s24, s24, s21
	s_mul_hi_u32 s21, s20, s24
	s_mul_i32 s24, s21, s17
	s_sub_i32 s20, s20, s24
	s_add_i32 s25, s21, 1
	s_sub_i32 s24, s20, s17
	s_cmp_ge_u32 s20, s17
	s_cselect_b32 s21, s25, s21
	s_cselect_b32 s20, s24, s20
	s_add_i32 s24, s21, 1
	s_cmp_ge_u32 s20, s17
	s_cselect_b32 s17, s24, s21
	s_xor_b32 s17, s17, s16
	s_sub_i32 s16, s17, s16
	s_lshl_b32 s28, s16, 4
	s_add_i32 s16, s35, -1
	s_cmp_ge_u32 s3, s16
	s_mul_i32 s3, s28, s3
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s16, s28, s16
	s_sub_i32 s44, s10, s16
	s_load_dwordx2 s[16:17], s[0:1], 0x50
	s_load_dwordx4 s[24:27], s[0:1], 0x98
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
	s_load_dwordx2 s[16:17], s[0:1], 0x50
	s_load_dwordx4 s[24:27], s[0:1], 0x98
.LBB1_11:
	s_mov_b32 s44, s28
.LBB1_12:
	s_lshl_b32 s10, s2, 6
	s_mov_b32 s2, 0
	s_lshl_b32 s35, s23, 6
	s_ashr_i64 s[0:1], s[2:3], 31
	s_add_u32 s20, s4, s0
	s_addc_u32 s21, s5, s1
	s_waitcnt lgkmcnt(0)
	s_add_u32 s24, s24, s0
	s_addc_u32 s25, s25, s1
	s_add_u32 s28, s26, s0
	s_addc_u32 s29, s27, s1
	s_add_u32 s36, s6, s0
	s_addc_u32 s37, s7, s1
	v_mbcnt_lo_u32_b32 v1, -1, 0
	s_add_u32 s40, s14, s0
	v_readfirstlane_b32 s4, v0
	v_mbcnt_hi_u32_b32 v48, -1, v1
	s_addc_u32 s41, s15, s1
	v_lshrrev_b32_e32 v53, 2, v48
	s_lshr_b32 s5, s4, 2
	s_add_i32 s1, s44, -1
	v_and_b32_e32 v43, 30, v53
	s_and_b32 s6, s5, 0x3ffffff0
	s_mul_i32 s0, s11, s22
	s_add_i32 s2, s1, 1
	v_and_b32_e32 v1, 7, v48
	v_add_u32_e32 v54, s6, v43
	s_add_i32 s3, s0, s2
	v_lshlrev_b32_e32 v42, 3, v1
	v_add_u32_e32 v2, s35, v54
	v_mad_u64_u32 v[44:45], s[0:1], v2, s11, v[42:43]
	s_lshl_b32 s22, s3, 1
	s_mov_b32 s23, 0x20000
	v_lshlrev_b32_e32 v38, 1, v44
	s_mov_b32 s26, s22
	s_mov_b32 s27, s23
	s_mov_b32 s30, s22
	s_mov_b32 s31, s23
	buffer_load_dwordx4 v[34:37], v38, s[20:23], 0 offen
	buffer_load_dwordx4 v[26:29], v38, s[24:27], 0 offen
	buffer_load_dwordx4 v[30:33], v38, s[28:31], 0 offen
	v_add_lshl_u32 v55, v44, s11, 1
	buffer_load_dwordx4 v[22:25], v55, s[20:23], 0 offen
	buffer_load_dwordx4 v[18:21], v55, s[24:27], 0 offen
	buffer_load_dwordx4 v[14:17], v55, s[28:31], 0 offen
	s_add_i32 s0, s9, -1
	s_add_i32 s1, s44, 63
	v_and_b32_e32 v45, 31, v48
	s_lshr_b32 s3, s4, 1
	s_mul_i32 s0, s18, s0
	s_ashr_i32 s4, s1, 31
	v_and_or_b32 v51, s3, 32, v45
	s_add_i32 s3, s0, s2
	s_lshr_b32 s0, s4, 26
	s_add_i32 s6, s6, s10
	s_add_i32 s1, s1, s0
	v_add_u32_e32 v2, s6, v43
	s_ashr_i32 s2, s1, 6
	v_mad_u64_u32 v[46:47], s[0:1], v2, s18, v[42:43]
	buffer_load_dwordx4 v[10:13], v38, s[20:23], 0 offen offset:128
	buffer_load_dwordx4 v[6:9], v38, s[24:27], 0 offen offset:128
	buffer_load_dwordx4 v[2:5], v38, s[28:31], 0 offen offset:128
	s_lshl_b32 s38, s3, 1
	v_cmp_gt_i32_e32 vcc, s44, v42
	s_mov_b32 s39, s23
	v_lshlrev_b32_e32 v72, 1, v46
	s_mov_b32 s42, s38
	s_mov_b32 s43, s23
	buffer_load_dwordx4 v[60:63], v72, s[40:43], 0 offen
	v_add_lshl_u32 v76, v46, s18, 1
	buffer_load_dwordx4 v[64:67], v76, s[36:39], 0 offen
	buffer_load_dwordx4 v[68:71], v76, s[40:43], 0 offen
	s_mov_b32 s14, 0x5040100
	v_lshrrev_b32_e32 v50, 5, v48
	v_xor_b32_e32 v49, v1, v50
	s_and_b32 s5, s5, 0x1ffffe0
	v_or_b32_e32 v52, s5, v45
	s_waitcnt vmcnt(11)
	v_cvt_f32_f16_e32 v38, v36
	v_cvt_f32_f16_sdwa v39, v36 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_waitcnt vmcnt(9)
	v_fma_mix_f32 v47, v34, v26, v30 op_sel_hi:[1,1,1]
	v_fma_mix_f32 v58, v26, v34, v30 op_sel:[1,1,1] op_sel_hi:[1,1,1]
	v_cvt_f32_f16_e32 v34, v35
	v_cvt_f32_f16_sdwa v35, v35 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v26, v27
	v_cvt_f32_f16_sdwa v27, v27 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v30, v31
	v_cvt_f32_f16_sdwa v31, v31 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v40, v28
	v_cvt_f32_f16_sdwa v41, v28 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v56, v32
	v_cvt_f32_f16_sdwa v57, v32 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v32, 0, v58, vcc
	v_pk_fma_f32 v[26:27], v[34:35], v[26:27], v[30:31]
	v_cndmask_b32_e32 v28, 0, v47, vcc
	v_pk_fma_f32 v[30:31], v[38:39], v[40:41], v[56:57]
	buffer_load_dwordx4 v[56:59], v72, s[36:39], 0 offen
	v_cmp_ngt_f32_e64 s[0:1], 0, v28
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_cndmask_b32_e32 v27, 0, v27, vcc
	v_cndmask_b32_e64 v28, 0, v28, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v32
	v_cvt_f16_f32_e32 v47, v28
	v_cndmask_b32_e32 v28, 0, v30, vcc
	v_cndmask_b32_e64 v32, 0, v32, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v26
	v_cvt_f32_f16_e32 v36, v37
	v_cvt_f32_f16_sdwa v37, v37 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v26, 0, v26, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v27
	v_cvt_f16_f32_e32 v35, v26
	v_cvt_f32_f16_e32 v26, v29
	v_cndmask_b32_e64 v27, 0, v27, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v28
	v_cvt_f16_f32_e32 v34, v27
	v_cvt_f32_f16_sdwa v27, v29 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v30, 0, v28, s[0:1]
	v_cvt_f32_f16_e32 v28, v33
	v_cvt_f32_f16_sdwa v29, v33 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v31, 0, v31, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v31
	v_cvt_f16_f32_e32 v30, v30
	v_pk_fma_f32 v[26:27], v[36:37], v[26:27], v[28:29]
	v_cndmask_b32_e64 v31, 0, v31, s[0:1]
	v_cvt_f16_f32_e32 v33, v31
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_cndmask_b32_e32 v27, 0, v27, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v26
	v_cvt_f16_f32_e32 v73, v32
	v_pack_b32_f16 v32, v30, v33
	v_cndmask_b32_e64 v26, 0, v26, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v27
	v_cvt_f16_f32_e32 v26, v26
	s_waitcnt vmcnt(7)
	v_fma_mix_f32 v30, v22, v18, v14 op_sel_hi:[1,1,1]
	v_cndmask_b32_e64 v27, 0, v27, s[0:1]
	v_cvt_f16_f32_e32 v27, v27
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v30
	v_pack_b32_f16 v31, v35, v34
	v_pack_b32_f16 v33, v26, v27
	v_cndmask_b32_e64 v30, 0, v30, s[0:1]
	buffer_load_dwordx4 v[38:41], v55, s[20:23], 0 offen offset:128
	buffer_load_dwordx4 v[34:37], v55, s[24:27], 0 offen offset:128
	buffer_load_dwordx4 v[26:29], v55, s[28:31], 0 offen offset:128
	v_cvt_f16_f32_e32 v55, v30
	v_fma_mix_f32 v30, v18, v22, v14 op_sel:[1,1,1] op_sel_hi:[1,1,1]
	v_cvt_f32_f16_e32 v22, v23
	v_cvt_f32_f16_sdwa v23, v23 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v18, v19
	v_cvt_f32_f16_sdwa v19, v19 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v14, v15
	v_cvt_f32_f16_sdwa v15, v15 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v30
	s_waitcnt vmcnt(4)
	v_pk_add_f16 v65, v65, v69
	v_pk_fma_f32 v[14:15], v[22:23], v[18:19], v[14:15]
	v_cndmask_b32_e64 v30, 0, v30, s[0:1]
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v14
	v_cndmask_b32_e32 v74, 0, v15, vcc
	v_cvt_f32_f16_sdwa v15, v24 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v75, 0, v14, s[0:1]
	v_cvt_f32_f16_e32 v14, v24
	v_cvt_f32_f16_e32 v18, v20
	v_cvt_f32_f16_sdwa v19, v20 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v22, v16
	v_cvt_f32_f16_sdwa v23, v16 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cmp_ngt_f32_e64 s[0:1], 0, v74
	v_cvt_f16_f32_e32 v24, v75
	v_pk_add_f16 v66, v66, v70
	v_pk_fma_f32 v[14:15], v[14:15], v[18:19], v[22:23]
	v_cndmask_b32_e64 v16, 0, v74, s[0:1]
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v14
	v_cvt_f16_f32_e32 v20, v16
	v_cndmask_b32_e32 v22, 0, v15, vcc
	v_cndmask_b32_e64 v23, 0, v14, s[0:1]
	v_cvt_f32_f16_e32 v14, v25
	v_cvt_f32_f16_sdwa v15, v25 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v18, v21
	v_cvt_f32_f16_sdwa v19, v21 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v16, v17
	v_cvt_f32_f16_sdwa v17, v17 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cmp_ngt_f32_e64 s[0:1], 0, v22
	s_waitcnt vmcnt(3)
	v_pk_add_f16 v57, v57, v61
	v_pk_add_f16 v58, v58, v62
	v_pk_fma_f32 v[14:15], v[14:15], v[18:19], v[16:17]
	v_cndmask_b32_e64 v21, 0, v22, s[0:1]
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v14
	v_cvt_f16_f32_e32 v18, v30
	v_pack_b32_f16 v30, v47, v73
	v_cndmask_b32_e64 v14, 0, v14, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v15
	v_add_f16_e32 v47, v56, v60
	v_add_f16_sdwa v56, v56, v60 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1
	v_cndmask_b32_e64 v15, 0, v15, s[0:1]
	v_cndmask_b32_e32 v60, 0, v57, vcc
	v_lshrrev_b32_e32 v57, 16, v57
	v_cvt_f16_f32_e32 v21, v21
	v_cvt_f16_f32_e32 v22, v23
	v_cvt_f16_f32_e32 v17, v15
	v_cvt_f16_f32_e32 v14, v14
	v_cndmask_b32_e32 v57, 0, v57, vcc
	v_perm_b32 v57, v57, v60, s14
	v_cndmask_b32_e32 v60, 0, v58, vcc
	v_lshrrev_b32_e32 v58, 16, v58
	v_pk_add_f16 v59, v59, v63
	v_cndmask_b32_e32 v58, 0, v58, vcc
	v_perm_b32 v58, v58, v60, s14
	v_cndmask_b32_e32 v60, 0, v59, vcc
	v_lshrrev_b32_e32 v59, 16, v59
	v_pack_b32_f16 v15, v24, v20
	v_pack_b32_f16 v16, v22, v21
	v_pack_b32_f16 v17, v14, v17
	v_pack_b32_f16 v14, v55, v18
	buffer_load_dwordx4 v[18:21], v72, s[36:39], 0 offen offset:128
	buffer_load_dwordx4 v[22:25], v72, s[40:43], 0 offen offset:128
	v_cndmask_b32_e32 v59, 0, v59, vcc
	v_perm_b32 v59, v59, v60, s14
	buffer_load_dwordx4 v[60:63], v76, s[36:39], 0 offen offset:128
	buffer_load_dwordx4 v[72:75], v76, s[40:43], 0 offen offset:128
	v_add_f16_e32 v76, v64, v68
	v_add_f16_sdwa v64, v64, v68 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1
	v_cndmask_b32_e32 v68, 0, v65, vcc
	v_lshrrev_b32_e32 v65, 16, v65
	v_cndmask_b32_e32 v65, 0, v65, vcc
	v_perm_b32 v65, v65, v68, s14
	v_cndmask_b32_e32 v68, 0, v66, vcc
	v_lshrrev_b32_e32 v66, 16, v66
	v_cndmask_b32_e32 v47, 0, v47, vcc
	v_cndmask_b32_e32 v56, 0, v56, vcc
	v_pk_add_f16 v67, v67, v71
	v_cndmask_b32_e32 v66, 0, v66, vcc
	v_perm_b32 v66, v66, v68, s14
	v_cndmask_b32_e32 v68, 0, v67, vcc
	v_lshrrev_b32_e32 v67, 16, v67
	v_pack_b32_f16 v56, v47, v56
	v_and_b32_e32 v47, 6, v53
	v_cndmask_b32_e32 v67, 0, v67, vcc
	v_xor_b32_e32 v53, v47, v1
	v_perm_b32 v67, v67, v68, s14
	v_lshlrev_b32_e32 v68, 4, v53
	v_lshl_or_b32 v54, v54, 7, v68
	ds_write_b128 v54, v[30:33]
	v_or_b32_e32 v30, 1, v47
	v_xor_b32_e32 v30, v30, v1
	v_sub_u32_e32 v30, v30, v53
	v_cndmask_b32_e32 v76, 0, v76, vcc
	v_cndmask_b32_e32 v64, 0, v64, vcc
	v_lshlrev_b32_e32 v47, 3, v30
	v_lshl_add_u32 v30, v30, 4, v54
	v_pack_b32_f16 v64, v76, v64
	ds_write_b128 v30, v[14:17] offset:128
	ds_write_b128 v54, v[56:59] offset:8192
	ds_write_b128 v30, v[64:67] offset:8320
	v_fma_mix_f32 v14, v10, v6, v2 op_sel_hi:[1,1,1]
	v_fma_mix_f32 v15, v6, v10, v2 op_sel:[1,1,1] op_sel_hi:[1,1,1]
	v_cvt_f32_f16_e32 v10, v11
	v_cvt_f32_f16_sdwa v11, v11 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v6, v7
	v_cvt_f32_f16_sdwa v7, v7 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v2, v3
	v_cvt_f32_f16_sdwa v3, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_or_b32_e32 v55, 64, v42
	v_cmp_gt_i32_e32 vcc, s44, v55
	v_lshlrev_b32_e32 v84, 3, v53
	v_pk_fma_f32 v[2:3], v[10:11], v[6:7], v[2:3]
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v14
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e64 v14, 0, v14, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v15
	v_cndmask_b32_e32 v16, 0, v3, vcc
	v_cvt_f32_f16_sdwa v3, v12 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v15, 0, v15, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v2
	v_cvt_f32_f16_e32 v6, v8
	v_cvt_f32_f16_sdwa v7, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v17, 0, v2, s[0:1]
	v_cvt_f32_f16_e32 v2, v12
	v_cvt_f32_f16_e32 v10, v4
	v_cvt_f32_f16_sdwa v11, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cmp_ngt_f32_e64 s[0:1], 0, v16
	v_cvt_f16_f32_e32 v12, v17
	s_waitcnt lgkmcnt(0)
	v_pk_fma_f32 v[2:3], v[2:3], v[6:7], v[10:11]
	v_cndmask_b32_e64 v4, 0, v16, s[0:1]
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v2
	v_cvt_f16_f32_e32 v8, v4
	v_cndmask_b32_e32 v10, 0, v3, vcc
	v_cndmask_b32_e64 v11, 0, v2, s[0:1]
	v_cvt_f32_f16_e32 v2, v13
	v_cvt_f32_f16_sdwa v3, v13 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v6, v9
	v_cvt_f32_f16_sdwa v7, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v4, v5
	v_cvt_f32_f16_sdwa v5, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cmp_ngt_f32_e64 s[0:1], 0, v10
	v_pack_b32_f16 v31, v12, v8
	s_barrier
	v_pk_fma_f32 v[2:3], v[2:3], v[6:7], v[4:5]
	v_cndmask_b32_e64 v9, 0, v10, s[0:1]
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v2
	v_cvt_f16_f32_e32 v9, v9
	v_cvt_f16_f32_e32 v10, v11
	v_cndmask_b32_e64 v2, 0, v2, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v3
	v_cvt_f16_f32_e32 v2, v2
	s_waitcnt vmcnt(5)
	v_cvt_f32_f16_e32 v4, v35
	v_cndmask_b32_e64 v3, 0, v3, s[0:1]
	v_cvt_f16_f32_e32 v3, v3
	v_cvt_f32_f16_sdwa v5, v35 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_waitcnt vmcnt(4)
	v_cvt_f32_f16_e32 v6, v27
	v_cvt_f32_f16_sdwa v7, v27 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_pack_b32_f16 v33, v2, v3
	v_fma_mix_f32 v2, v38, v34, v26 op_sel_hi:[1,1,1]
	v_cvt_f32_f16_sdwa v3, v39 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v2
	v_pack_b32_f16 v32, v10, v9
	v_fma_mix_f32 v9, v34, v38, v26 op_sel:[1,1,1] op_sel_hi:[1,1,1]
	v_cndmask_b32_e64 v2, 0, v2, s[0:1]
	v_cvt_f16_f32_e32 v8, v2
	v_cvt_f32_f16_e32 v2, v39
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v9
	v_cvt_f16_f32_e32 v11, v15
	v_pk_fma_f32 v[2:3], v[2:3], v[4:5], v[6:7]
	v_cndmask_b32_e64 v9, 0, v9, s[0:1]
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v2
	v_cndmask_b32_e32 v10, 0, v3, vcc
	v_cvt_f32_f16_sdwa v3, v40 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v12, 0, v2, s[0:1]
	v_cvt_f32_f16_e32 v2, v40
	v_cvt_f32_f16_e32 v4, v36
	v_cvt_f32_f16_sdwa v5, v36 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v6, v28
	v_cvt_f32_f16_sdwa v7, v28 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cmp_ngt_f32_e64 s[0:1], 0, v10
	v_cvt_f16_f32_e32 v12, v12
	v_cvt_f16_f32_e32 v14, v14
	v_pk_fma_f32 v[2:3], v[2:3], v[4:5], v[6:7]
	v_cndmask_b32_e64 v10, 0, v10, s[0:1]
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v2
	v_cndmask_b32_e32 v13, 0, v3, vcc
	v_cvt_f32_f16_sdwa v3, v41 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e64 v15, 0, v2, s[0:1]
	v_cvt_f32_f16_e32 v2, v41
	v_cvt_f32_f16_e32 v4, v37
	v_cvt_f32_f16_sdwa v5, v37 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v6, v29
	v_cvt_f32_f16_sdwa v7, v29 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f16_f32_e32 v10, v10
	v_cmp_ngt_f32_e64 s[0:1], 0, v13
	v_cvt_f16_f32_e32 v15, v15
	v_pk_fma_f32 v[2:3], v[2:3], v[4:5], v[6:7]
	v_cndmask_b32_e64 v13, 0, v13, s[0:1]
	v_cvt_f16_f32_e32 v13, v13
	s_waitcnt vmcnt(2)
	v_pk_add_f16 v7, v19, v23
	v_cvt_f16_f32_e32 v4, v9
	v_pack_b32_f16 v27, v12, v10
	v_cndmask_b32_e32 v9, 0, v7, vcc
	v_lshrrev_b32_e32 v7, 16, v7
	s_waitcnt vmcnt(0)
	v_pk_add_f16 v10, v61, v73
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_cndmask_b32_e32 v12, 0, v10, vcc
	v_lshrrev_b32_e32 v10, 16, v10
	v_perm_b32 v19, v7, v9, s14
	v_pk_add_f16 v9, v62, v74
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_pack_b32_f16 v28, v15, v13
	v_pk_add_f16 v6, v20, v24
	v_perm_b32 v23, v10, v12, s14
	v_cndmask_b32_e32 v10, 0, v9, vcc
	v_lshrrev_b32_e32 v9, 16, v9
	v_or_b32_e32 v13, 4, v50
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v2
	v_cndmask_b32_e32 v7, 0, v6, vcc
	v_lshrrev_b32_e32 v6, 16, v6
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_add_u32_e32 v12, 2, v50
	v_xor_b32_e32 v13, v13, v1
	v_add_u32_e32 v15, 6, v50
	v_cndmask_b32_e64 v2, 0, v2, s[0:1]
	v_cmp_ngt_f32_e64 s[0:1], 0, v3
	v_pk_add_f16 v5, v21, v25
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_perm_b32 v24, v9, v10, s14
	v_lshlrev_b32_e32 v10, 4, v49
	v_xor_b32_e32 v12, v12, v1
	v_sub_u32_e32 v13, v13, v49
	v_xor_b32_e32 v1, v15, v1
	v_cndmask_b32_e64 v3, 0, v3, s[0:1]
	v_perm_b32 v20, v6, v7, s14
	v_cndmask_b32_e32 v6, 0, v5, vcc
	v_lshrrev_b32_e32 v5, 16, v5
	v_lshl_or_b32 v35, v52, 7, v10
	v_sub_u32_e32 v12, v12, v49
	v_lshlrev_b32_e32 v13, 4, v13
	v_sub_u32_e32 v1, v1, v49
	v_lshl_or_b32 v39, v51, 7, v10
	v_cvt_f16_f32_e32 v3, v3
	v_cvt_f16_f32_e32 v2, v2
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_lshlrev_b32_e32 v12, 4, v12
	v_add_u32_e32 v37, v35, v13
	v_lshlrev_b32_e32 v1, 4, v1
	v_add_u32_e32 v41, v39, v13
	v_perm_b32 v21, v5, v6, s14
	v_add_f16_e32 v5, v60, v72
	v_add_f16_sdwa v6, v60, v72 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1
	v_pk_add_f16 v7, v63, v75
	v_add_u32_e32 v36, v35, v12
	ds_read_b128 v[76:79], v35
	ds_read_b128 v[64:67], v36
	v_add_u32_e32 v38, v35, v1
	ds_read_b128 v[60:63], v37
	ds_read_b128 v[52:55], v38
	v_add_u32_e32 v40, v39, v12
	ds_read_b128 v[80:83], v39 offset:8192
	ds_read_b128 v[72:75], v40 offset:8192
	v_add_u32_e32 v49, v39, v1
	ds_read_b128 v[68:71], v41 offset:8192
	ds_read_b128 v[56:59], v49 offset:8192
	v_cndmask_b32_e32 v9, 0, v7, vcc
	v_lshrrev_b32_e32 v7, 16, v7
	v_pack_b32_f16 v29, v2, v3
	v_add_f16_e32 v2, v18, v22
	v_add_f16_sdwa v3, v18, v22 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_perm_b32 v25, v7, v9, s14
	v_or_b32_e32 v42, 0x80, v42
	v_add_u32_e32 v1, 0x80, v46
	v_add_u32_e32 v34, 0x80, v44
	s_max_i32 s0, s2, 2
	v_mov_b32_e32 v17, 0
	v_pack_b32_f16 v18, v2, v3
	v_pack_b32_f16 v22, v5, v6
	v_pack_b32_f16 v30, v14, v11
	v_pack_b32_f16 v26, v8, v4
	s_add_i32 s15, s0, -1
	v_lshlrev_b32_e32 v44, 1, v84
	v_mov_b32_e32 v16, v17
	v_mov_b32_e32 v15, v17
	v_mov_b32_e32 v14, v17
	v_mov_b32_e32 v13, v17
	v_mov_b32_e32 v12, v17
	v_mov_b32_e32 v11, v17
	v_mov_b32_e32 v10, v17
	v_mov_b32_e32 v9, v17
	v_mov_b32_e32 v8, v17
	v_mov_b32_e32 v7, v17
	v_mov_b32_e32 v6, v17
	v_mov_b32_e32 v5, v17
	v_mov_b32_e32 v4, v17
	v_mov_b32_e32 v3, v17
	v_mov_b32_e32 v2, v17
.LBB1_13:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 2
	s_and_b32 s0, s0, 0x1fffff0
	v_add_u32_e32 v46, s0, v43
	v_lshl_or_b32 v46, v46, 7, v44
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b128 v46, v[30:33]
	v_mfma_f32_32x32x8_f16 v[2:17], v[76:77], v[80:81], v[2:17]
	v_lshlrev_b32_e32 v50, 1, v34
	v_lshl_add_u32 v51, v47, 1, v46
	buffer_load_dwordx4 v[30:33], v50, s[20:23], 0 offen
	ds_write_b128 v51, v[26:29] offset:128
	v_add_lshl_u32 v76, v34, s11, 1
	v_lshlrev_b32_e32 v77, 1, v1
	buffer_load_dwordx4 v[92:95], v77, s[40:43], 0 offen
	v_mfma_f32_32x32x8_f16 v[2:17], v[78:79], v[82:83], v[2:17]
	buffer_load_dwordx4 v[26:29], v76, s[24:27], 0 offen
	ds_write_b128 v46, v[18:21] offset:8192
	v_add_lshl_u32 v78, v1, s18, 1
	buffer_load_dwordx4 v[18:21], v77, s[36:39], 0 offen
	buffer_load_dwordx4 v[96:99], v78, s[36:39], 0 offen
	buffer_load_dwordx4 v[100:103], v50, s[28:31], 0 offen
	buffer_load_dwordx4 v[104:107], v76, s[20:23], 0 offen
	v_mfma_f32_32x32x8_f16 v[2:17], v[64:65], v[72:73], v[2:17]
	buffer_load_dwordx4 v[84:87], v50, s[24:27], 0 offen
	ds_write_b128 v51, v[22:25] offset:8320
	buffer_load_dwordx4 v[22:25], v78, s[40:43], 0 offen
	v_cmp_gt_i32_e32 vcc, s44, v42
	v_add_u32_e32 v42, 64, v42
	v_add_u32_e32 v1, 64, v1
	v_add_u32_e32 v34, 64, v34
	v_mfma_f32_32x32x8_f16 v[2:17], v[66:67], v[74:75], v[2:17]
	buffer_load_dwordx4 v[88:91], v76, s[28:31], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[76:79], v35
	ds_read_b128 v[64:67], v36
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16_e32 v50, v27
	v_mfma_f32_32x32x8_f16 v[2:17], v[60:61], v[68:69], v[2:17]
	ds_read_b128 v[80:83], v39 offset:8192
	ds_read_b128 v[72:75], v40 offset:8192
	v_cvt_f32_f16_sdwa v51, v27 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v110, v28
	v_cvt_f32_f16_sdwa v111, v28 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_waitcnt vmcnt(6)
	v_add_f16_e32 v27, v18, v92
	v_pk_add_f16 v19, v19, v93
	v_mfma_f32_32x32x8_f16 v[2:17], v[62:63], v[70:71], v[2:17]
	s_waitcnt vmcnt(1)
	v_add_f16_e32 v28, v96, v22
	v_pk_add_f16 v25, v99, v25
	v_pk_add_f16 v24, v98, v24
	v_pk_add_f16 v23, v97, v23
	v_add_f16_sdwa v18, v18, v92 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1
	v_cndmask_b32_e32 v46, 0, v27, vcc
	v_cndmask_b32_e32 v27, 0, v19, vcc
	v_lshrrev_b32_e32 v19, 16, v19
	v_cndmask_b32_e32 v114, 0, v28, vcc
	v_cndmask_b32_e32 v28, 0, v23, vcc
	v_lshrrev_b32_e32 v23, 16, v23
	v_cndmask_b32_e32 v92, 0, v24, vcc
	v_lshrrev_b32_e32 v24, 16, v24
	v_cndmask_b32_e32 v93, 0, v25, vcc
	v_lshrrev_b32_e32 v25, 16, v25
	v_cndmask_b32_e32 v19, 0, v19, vcc
	v_cndmask_b32_e32 v23, 0, v23, vcc
	v_cndmask_b32_e32 v24, 0, v24, vcc
	v_cndmask_b32_e32 v25, 0, v25, vcc
	v_pk_add_f16 v21, v21, v95
	v_pk_add_f16 v20, v20, v94
	v_add_f16_sdwa v22, v96, v22 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1
	v_perm_b32 v19, v19, v27, s14
	v_perm_b32 v23, v23, v28, s14
	v_perm_b32 v24, v24, v92, s14
	v_perm_b32 v25, v25, v93, s14
	v_cvt_f32_f16_e32 v92, v31
	v_cvt_f32_f16_sdwa v93, v31 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v94, v32
	v_cvt_f32_f16_sdwa v95, v32 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v96, v85
	v_cvt_f32_f16_sdwa v97, v85 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v98, v86
	v_cvt_f32_f16_sdwa v99, v86 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_fma_mix_f32 v27, v30, v84, v100 op_sel_hi:[1,1,1]
	v_fma_mix_f32 v28, v84, v30, v100 op_sel:[1,1,1] op_sel_hi:[1,1,1]
	v_cvt_f32_f16_e32 v30, v101
	v_cvt_f32_f16_sdwa v31, v101 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v84, v102
	v_cvt_f32_f16_sdwa v85, v102 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_fma_mix_f32 v32, v87, v33, v103 op_sel_hi:[1,1,1]
	v_fma_mix_f32 v33, v87, v33, v103 op_sel:[1,1,1] op_sel_hi:[1,1,1]
	v_cndmask_b32_e32 v27, 0, v27, vcc
	v_cndmask_b32_e32 v28, 0, v28, vcc
	v_cndmask_b32_e32 v32, 0, v32, vcc
	v_cndmask_b32_e32 v33, 0, v33, vcc
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v108, v89
	v_cvt_f32_f16_sdwa v109, v89 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v89, 0, v20, vcc
	v_lshrrev_b32_e32 v20, 16, v20
	v_cmp_ngt_f32_e64 s[0:1], 0, v27
	v_cmp_ngt_f32_e64 s[2:3], 0, v28
	v_cmp_ngt_f32_e64 s[4:5], 0, v32
	v_cmp_ngt_f32_e64 s[6:7], 0, v33
	v_cndmask_b32_e32 v20, 0, v20, vcc
	v_cndmask_b32_e64 v27, 0, v27, s[0:1]
	v_cndmask_b32_e64 v28, 0, v28, s[2:3]
	v_cndmask_b32_e64 v86, 0, v32, s[4:5]
	v_cndmask_b32_e64 v87, 0, v33, s[6:7]
	v_pk_fma_f32 v[30:31], v[92:93], v[96:97], v[30:31]
	v_pk_fma_f32 v[32:33], v[94:95], v[98:99], v[84:85]
	ds_read_b128 v[60:63], v37
	ds_read_b128 v[68:71], v41 offset:8192
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	v_perm_b32 v20, v20, v89, s14
	v_cvt_f16_f32_e32 v89, v27
	v_cvt_f16_f32_e32 v28, v28
	v_cndmask_b32_e32 v27, 0, v31, vcc
	v_cndmask_b32_e32 v31, 0, v33, vcc
	v_cvt_f32_f16_e32 v112, v90
	v_cvt_f32_f16_sdwa v113, v90 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cndmask_b32_e32 v90, 0, v21, vcc
	v_lshrrev_b32_e32 v21, 16, v21
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_cmp_ngt_f32_e64 s[2:3], 0, v27
	v_cmp_ngt_f32_e64 s[6:7], 0, v31
	v_cndmask_b32_e32 v21, 0, v21, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v30
	v_cndmask_b32_e64 v27, 0, v27, s[2:3]
	v_cndmask_b32_e64 v31, 0, v31, s[6:7]
	v_perm_b32 v21, v21, v90, s14
	v_cvt_f16_f32_e32 v86, v86
	v_cvt_f16_f32_e32 v87, v87
	v_cndmask_b32_e64 v30, 0, v30, s[0:1]
	v_cvt_f16_f32_e32 v90, v27
	v_cvt_f16_f32_e32 v93, v31
	v_fma_mix_f32 v31, v104, v26, v88 op_sel_hi:[1,1,1]
	v_fma_mix_f32 v88, v26, v104, v88 op_sel:[1,1,1] op_sel_hi:[1,1,1]
	v_cvt_f32_f16_e32 v26, v105
	v_cvt_f32_f16_sdwa v27, v105 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v84, v106
	v_cvt_f32_f16_sdwa v85, v106 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f16_f32_e32 v92, v30
	v_fma_mix_f32 v94, v29, v107, v91 op_sel_hi:[1,1,1]
	v_fma_mix_f32 v29, v29, v107, v91 op_sel:[1,1,1] op_sel_hi:[1,1,1]
	v_pack_b32_f16 v30, v89, v28
	v_cndmask_b32_e32 v28, 0, v31, vcc
	v_cndmask_b32_e32 v29, 0, v29, vcc
	v_cmp_ngt_f32_e64 s[0:1], 0, v28
	v_cndmask_b32_e32 v32, 0, v32, vcc
	v_cmp_ngt_f32_e64 s[6:7], 0, v29
	v_cndmask_b32_e64 v28, 0, v28, s[0:1]
	v_cmp_ngt_f32_e64 s[4:5], 0, v32
	v_pack_b32_f16 v33, v86, v87
	v_cndmask_b32_e32 v31, 0, v88, vcc
	v_cndmask_b32_e32 v86, 0, v94, vcc
	v_cndmask_b32_e64 v88, 0, v29, s[6:7]
	v_cvt_f16_f32_e32 v89, v28
	v_pk_fma_f32 v[26:27], v[26:27], v[50:51], v[108:109]
	v_pk_fma_f32 v[28:29], v[84:85], v[110:111], v[112:113]
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[58:59], v[2:17]
	v_cndmask_b32_e64 v32, 0, v32, s[4:5]
	v_cmp_ngt_f32_e64 s[2:3], 0, v31
	v_cmp_ngt_f32_e64 s[4:5], 0, v86
	v_cndmask_b32_e32 v27, 0, v27, vcc
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_cndmask_b32_e32 v29, 0, v29, vcc
	v_cndmask_b32_e32 v28, 0, v28, vcc
	v_cndmask_b32_e32 v18, 0, v18, vcc
	v_cndmask_b32_e32 v22, 0, v22, vcc
	v_cndmask_b32_e64 v87, 0, v31, s[2:3]
	v_cndmask_b32_e64 v86, 0, v86, s[4:5]
	v_cmp_ngt_f32_e32 vcc, 0, v26
	v_cmp_ngt_f32_e64 s[0:1], 0, v27
	v_cmp_ngt_f32_e64 s[2:3], 0, v28
	v_cmp_ngt_f32_e64 s[4:5], 0, v29
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_cndmask_b32_e64 v27, 0, v27, s[0:1]
	v_cndmask_b32_e64 v28, 0, v28, s[2:3]
	v_cndmask_b32_e64 v29, 0, v29, s[4:5]
	ds_read_b128 v[52:55], v38
	ds_read_b128 v[56:59], v49 offset:8192
	v_cvt_f16_f32_e32 v32, v32
	v_cvt_f16_f32_e32 v87, v87
	v_cvt_f16_f32_e32 v50, v86
	v_cvt_f16_f32_e32 v51, v88
	v_cvt_f16_f32_e32 v27, v27
	v_cvt_f16_f32_e32 v84, v26
	v_cvt_f16_f32_e32 v85, v29
	v_cvt_f16_f32_e32 v28, v28
	v_pack_b32_f16 v31, v92, v90
	v_pack_b32_f16 v32, v32, v93
	v_pack_b32_f16 v26, v89, v87
	v_pack_b32_f16 v29, v50, v51
	v_pack_b32_f16 v27, v84, v27
	v_pack_b32_f16 v28, v28, v85
	s_add_i32 s15, s15, -1
	v_pack_b32_f16 v18, v46, v18
	s_cmp_lg_u32 s15, 0
	v_pack_b32_f16 v22, v114, v22
	s_cbranch_scc1 .LBB1_13
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 v[2:17], v[76:77], v[80:81], v[2:17]
	v_readfirstlane_b32 s4, v0
	s_lshr_b32 s2, s4, 2
	v_lshlrev_b32_e32 v0, 3, v48
	s_and_b32 s1, s2, 0x3ffffff0
	s_add_i32 s0, s8, -1
	s_add_i32 s3, s33, -1
	v_and_b32_e32 v19, 56, v0
	v_mfma_f32_32x32x8_f16 v[2:17], v[78:79], v[82:83], v[2:17]
	s_add_i32 s5, s1, s35
	v_lshrrev_b32_e32 v1, 3, v48
	s_and_b32 s2, s2, 0x1ffffe0
	s_add_i32 s6, s3, 1
	s_mul_i32 s3, s0, s19
	v_add_u32_e32 v22, s5, v43
	v_or_b32_e32 v18, s10, v19
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 v[2:17], v[64:65], v[72:73], v[2:17]
	v_and_or_b32 v0, v1, 12, s2
	s_add_i32 s5, s3, s6
	v_mad_u64_u32 v[20:21], s[2:3], v22, s19, v[18:19]
	s_and_b32 s2, s4, 64
	v_lshlrev_b32_e32 v1, 1, v45
	v_lshlrev_b32_e32 v0, 7, v0
	v_mfma_f32_32x32x8_f16 v[2:17], v[66:67], v[74:75], v[2:17]
	v_or3_b32 v0, s2, v1, v0
	s_lshl_b32 s14, s5, 1
	s_mov_b32 s15, 0x20000
	v_lshlrev_b32_e32 v1, 1, v20
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_mul_i32 s0, s0, s34
	v_mfma_f32_32x32x8_f16 v[2:17], v[60:61], v[68:69], v[2:17]
	s_add_i32 s0, s0, s6
	s_lshl_b32 s18, s0, 1
	v_cmp_gt_i32_e32 vcc, s9, v18
	s_mov_b32 s2, 0x5040100
	v_mfma_f32_32x32x8_f16 v[2:17], v[62:63], v[70:71], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[52:53], v[56:57], v[2:17]
	v_mfma_f32_32x32x8_f16 v[2:17], v[54:55], v[58:59], v[2:17]
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
	buffer_load_dwordx4 v[0:3], v1, s[12:15], 0 offen
	v_add_lshl_u32 v4, v20, s19, 1
	buffer_load_dwordx4 v[4:7], v4, s[12:15], 0 offen
	v_add_lshl_u32 v8, s1, v43, 7
	v_lshl_or_b32 v12, v19, 1, v8
	v_mad_u64_u32 v[16:17], s[0:1], v22, s34, v[18:19]
	ds_read_b128 v[8:11], v12
	ds_read_b128 v[12:15], v12 offset:128
	v_bfrev_b32_e32 v20, 1
	v_cndmask_b32_e64 v20, v20, 0, vcc
	s_mov_b32 s19, s15
	v_lshl_add_u32 v16, v16, 1, v20
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v17, 16, v0
	v_lshrrev_b32_e32 v19, 16, v1
	v_lshrrev_b32_e32 v21, 16, v2
	v_lshrrev_b32_e32 v22, 16, v3
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v23, 16, v4
	v_lshrrev_b32_e32 v24, 16, v5
	v_lshrrev_b32_e32 v25, 16, v6
	v_lshrrev_b32_e32 v26, 16, v7
	v_cndmask_b32_e32 v17, 0, v17, vcc
	v_cndmask_b32_e32 v0, 0, v0, vcc
	v_cndmask_b32_e32 v18, 0, v19, vcc
	v_cndmask_b32_e32 v1, 0, v1, vcc
	v_cndmask_b32_e32 v19, 0, v21, vcc
	v_cndmask_b32_e32 v2, 0, v2, vcc
	v_cndmask_b32_e32 v21, 0, v22, vcc
	v_cndmask_b32_e32 v3, 0, v3, vcc
	v_cndmask_b32_e32 v22, 0, v23, vcc
	v_cndmask_b32_e32 v4, 0, v4, vcc
	v_cndmask_b32_e32 v23, 0, v24, vcc
	v_cndmask_b32_e32 v5, 0, v5, vcc
	v_cndmask_b32_e32 v24, 0, v25, vcc
	v_cndmask_b32_e32 v6, 0, v6, vcc
	v_cndmask_b32_e32 v25, 0, v26, vcc
	v_cndmask_b32_e32 v7, 0, v7, vcc
	v_perm_b32 v0, v17, v0, s2
	v_perm_b32 v1, v18, v1, s2
	v_perm_b32 v2, v19, v2, s2
	v_perm_b32 v3, v21, v3, s2
	v_perm_b32 v4, v22, v4, s2
	v_perm_b32 v5, v23, v5, s2
	v_perm_b32 v6, v24, v6, s2
	v_perm_b32 v7, v25, v7, s2
	s_waitcnt lgkmcnt(1)
	v_pk_add_f16 v0, v8, v0
	v_pk_add_f16 v1, v9, v1
	v_pk_add_f16 v2, v10, v2
	v_pk_add_f16 v3, v11, v3
	s_waitcnt lgkmcnt(0)
	v_pk_add_f16 v4, v12, v4
	v_pk_add_f16 v5, v13, v5
	v_pk_add_f16 v6, v14, v6
	v_pk_add_f16 v7, v15, v7
	v_lshl_add_u32 v8, s34, 1, v16
	buffer_store_dwordx4 v[0:3], v16, s[16:19], 0 offen
	buffer_store_dwordx4 v[4:7], v8, s[16:19], 0 offen
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 16384
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 200
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
		.amdhsa_next_free_vgpr 115
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 116
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
	.section	.bss,"aw",@nobits
__hip_cuid_:
	.byte	0
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
        .size:           200
        .value_kind:     by_value
    .group_segment_fixed_size: 16384
    .kernarg_segment_align: 8
    .kernarg_segment_size: 200
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     51
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     115
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
