; CK's GEMM with scales of rows and columns for gfx942 (64 x 64 x 64 tile, fp8), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
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
	s_load_dwordx4 s[20:23], s[0:1], 0x28
	s_load_dwordx2 s[12:13], s[0:1], 0x20
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dwordx4 s[16:19], s[0:1], 0x3c
	s_load_dword s15, s[0:1], 0x50
	s_waitcnt lgkmcnt(0)
	s_add_i32 s23, s20, -1
	s_mov_b32 s14, s21
	s_cmp_lt_u32 s23, 64
	s_mov_b32 s24, 0
	s_cbranch_scc1 .LBB1_8
	s_add_i32 s0, s21, -1
	s_cmp_lt_u32 s0, 64
	s_mov_b32 s0, 0
	s_cbranch_scc1 .LBB1_7
	s_add_i32 s25, s20, 63
	s_ashr_i32 s26, s25, 31
	s_lshr_b32 s0, s26, 26
	s_add_i32 s0, s25, s0
	s_ashr_i32 s24, s0, 6
	s_add_i32 s0, s21, 63
	s_ashr_i32 s1, s0, 31
	s_lshr_b32 s1, s1, 26
	s_add_i32 s0, s0, s1
	s_ashr_i32 s19, s0, 6
	s_mul_i32 s0, s19, s24
	s_add_i32 s1, s0, 7
	s_ashr_i32 s27, s1, 31
	s_lshr_b32 s27, s27, 29
	s_add_i32 s1, s1, s27
	s_ashr_i32 s27, s1, 3
	s_and_b32 s1, s1, -8
	s_sub_i32 s28, s0, s1
	s_ashr_i32 s0, s2, 31
	s_lshr_b32 s0, s0, 29
	s_add_i32 s30, s2, s0
	s_and_b32 s0, s30, -8
	s_add_i32 s28, s28, 8
	s_sub_i32 s29, s2, s0
	s_cmp_gt_i32 s29, s28
	s_cbranch_scc1 .LBB1_4
	s_mul_i32 s2, s27, s29
	s_ashr_i32 s0, s30, 3
	s_cbranch_execz .LBB1_5
	s_branch .LBB1_6
.LBB1_4:
	s_ashr_i32 s0, s30, 3
.LBB1_5:
	s_add_i32 s1, s27, -1
	s_mul_i32 s1, s1, s29
	s_add_i32 s2, s28, s1
.LBB1_6:
	s_abs_i32 s1, s19
	v_cvt_f32_u32_e32 v1, s1
	s_sub_i32 s28, 0, s1
	s_add_i32 s0, s2, s0
	s_abs_i32 s27, s0
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s2, s0, s19
	s_ashr_i32 s2, s2, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s29, v1
	s_mul_i32 s28, s28, s29
	s_mul_hi_u32 s28, s29, s28
	s_add_i32 s29, s29, s28
	s_mul_hi_u32 s28, s27, s29
	s_mul_i32 s29, s28, s1
	s_sub_i32 s27, s27, s29
	s_add_i32 s30, s28, 1
	s_sub_i32 s29, s27, s1
	s_cmp_ge_u32 s27, s1
	s_cselect_b32 s28, s30, s28
	s_cselect_b32 s27, s29, s27
	s_add_i32 s29, s28, 1
	s_cmp_ge_u32 s27, s1
	s_cselect_b32 s1, s29, s28
	s_xor_b32 s1, s1, s2
	s_lshr_b32 s26, s26, 24
	s_sub_i32 s1, s1, s2
	s_add_i32 s25, s25, s26
	s_mul_i32 s2, s1, s19
	s_sub_i32 s0, s0, s2
	s_ashr_i32 s2, s25, 8
	s_lshl_b32 s2, s2, 2
	s_sub_i32 s24, s24, s2
	s_cmp_ge_i32 s1, s2
	s_cselect_b32 s2, s24, 4
	s_abs_i32 s25, s2
	v_cvt_f32_u32_e32 v1, s25
	s_ashr_i32 s24, s1, 31
	s_lshr_b32 s24, s24, 30
	s_add_i32 s24, s1, s24
	v_rcp_iflag_f32_e32 v1, v1
	s_and_b32 s24, s24, -4
	s_sub_i32 s1, s1, s24
	s_sub_i32 s26, 0, s25
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_mul_i32 s1, s1, s19
	s_add_i32 s1, s1, s0
	s_abs_i32 s19, s1
	v_readfirstlane_b32 s27, v1
	s_mul_i32 s26, s26, s27
	s_mul_hi_u32 s26, s27, s26
	s_add_i32 s27, s27, s26
	s_mul_hi_u32 s26, s19, s27
	s_mul_i32 s27, s26, s25
	s_xor_b32 s0, s1, s2
	s_sub_i32 s19, s19, s27
	s_ashr_i32 s0, s0, 31
	s_add_i32 s27, s26, 1
	s_sub_i32 s28, s19, s25
	s_cmp_ge_u32 s19, s25
	s_cselect_b32 s26, s27, s26
	s_cselect_b32 s19, s28, s19
	s_add_i32 s27, s26, 1
	s_cmp_ge_u32 s19, s25
	s_cselect_b32 s19, s27, s26
	s_xor_b32 s19, s19, s0
	s_sub_i32 s0, s19, s0
	s_mul_i32 s2, s2, s0
	s_sub_i32 s2, s24, s2
	s_add_i32 s2, s2, s1
.LBB1_7:
	s_mov_b32 s24, s2
	s_mov_b32 s2, s0
.LBB1_8:
	s_lshl_b32 s0, s15, 4
	s_abs_i32 s1, s0
	v_cvt_f32_u32_e32 v1, s1
	s_sub_i32 s25, 0, s1
	s_add_i32 s19, s22, s0
	s_add_i32 s19, s19, -1
	v_rcp_iflag_f32_e32 v1, v1
	s_xor_b32 s0, s19, s0
	s_abs_i32 s19, s19
	s_ashr_i32 s0, s0, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s26, v1
	s_mul_i32 s25, s25, s26
	s_mul_hi_u32 s25, s26, s25
	s_add_i32 s26, s26, s25
	s_mul_hi_u32 s25, s19, s26
	s_mul_i32 s26, s25, s1
	s_sub_i32 s19, s19, s26
	s_add_i32 s27, s25, 1
	s_sub_i32 s26, s19, s1
	s_cmp_ge_u32 s19, s1
	s_cselect_b32 s25, s27, s25
	s_cselect_b32 s19, s26, s19
	s_add_i32 s26, s25, 1
	s_cmp_ge_u32 s19, s1
	s_cselect_b32 s1, s26, s25
	s_xor_b32 s1, s1, s0
	s_sub_i32 s0, s1, s0
	s_lshl_b32 s25, s0, 4
	s_add_i32 s15, s15, -1
	s_cmp_ge_u32 s3, s15
	s_cbranch_scc0 .LBB1_10
	s_mul_i32 s0, s25, s15
	s_sub_i32 s19, s22, s0
	s_cbranch_execz .LBB1_11
	s_branch .LBB1_12
.LBB1_10:
.LBB1_11:
	s_mov_b32 s19, s25
.LBB1_12:
	v_readfirstlane_b32 s25, v0
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v37, -1, v1
	s_lshr_b32 s26, s25, 2
	v_lshrrev_b32_e32 v19, 2, v37
	v_lshlrev_b32_e32 v1, 4, v37
	s_and_b32 s27, s26, 0x3ffffff0
	s_lshl_b32 s15, s24, 6
	s_mov_b32 s0, s6
	s_add_i32 s6, s19, -1
	v_and_b32_e32 v2, 48, v1
	v_add_u32_e32 v1, s27, v19
	s_mul_i32 s3, s16, s23
	s_add_i32 s24, s6, 1
	v_add_u32_e32 v3, s15, v1
	s_mov_b32 s1, s7
	s_add_i32 s6, s3, s24
	v_mad_u64_u32 v[4:5], s[22:23], v3, s16, v[2:3]
	s_mov_b32 s7, 0x20000
	buffer_load_dwordx4 v[8:11], v4, s[4:7], 0 offen
	buffer_load_dwordx4 v[20:23], v4, s[4:7], 0 offen offset:64
	s_lshl_b32 s16, s2, 6
	s_add_i32 s2, s21, -1
	s_add_i32 s27, s27, s16
	s_mul_i32 s2, s17, s2
	v_add_u32_e32 v3, s27, v19
	s_mov_b32 s3, s7
	s_add_i32 s2, s2, s24
	v_mad_u64_u32 v[6:7], s[22:23], v3, s17, v[2:3]
	buffer_load_dwordx4 v[12:15], v6, s[0:3], 0 offen
	s_lshr_b32 s23, s25, 1
	v_and_b32_e32 v38, 31, v37
	s_and_b32 s24, s26, 0x3fffffe0
	v_lshlrev_b32_e32 v36, 3, v37
	v_lshrrev_b32_e32 v3, 5, v37
	v_or_b32_e32 v5, s24, v38
	v_and_or_b32 v7, s23, 32, v38
	v_and_or_b32 v3, v36, 8, v3
	v_lshrrev_b32_e32 v16, 1, v5
	v_bfe_u32 v5, v5, 1, 4
	v_lshrrev_b32_e32 v17, 1, v7
	v_bfe_u32 v7, v7, 1, 4
	v_cmp_gt_i32_e32 vcc, s19, v2
	v_xor_b32_e32 v18, v5, v3
	v_lshlrev_b32_e32 v48, 7, v16
	v_xor_b32_e32 v16, v7, v3
	v_lshlrev_b32_e32 v49, 7, v17
	v_lshlrev_b32_e32 v50, 3, v18
	v_lshlrev_b32_e32 v75, 3, v16
	v_or_b32_e32 v41, 0x80, v2
	s_add_i32 s17, s19, 63
	s_ashr_i32 s22, s17, 31
	s_lshr_b32 s22, s22, 26
	s_add_i32 s17, s17, s22
	s_ashr_i32 s17, s17, 6
	s_waitcnt vmcnt(2)
	v_lshrrev_b32_e32 v24, 8, v9
	v_lshrrev_b32_e32 v26, 24, v9
	v_lshrrev_b32_e32 v17, 16, v8
	v_lshrrev_b32_e32 v25, 16, v9
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_cndmask_b32_e32 v24, 0, v24, vcc
	v_lshrrev_b32_e32 v16, 8, v8
	v_lshrrev_b32_e32 v18, 24, v8
	v_cndmask_b32_e32 v25, 0, v25, vcc
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cndmask_b32_e32 v33, 0, v17, vcc
	v_lshlrev_b16_e32 v17, 8, v24
	v_lshlrev_b16_e32 v24, 8, v26
	v_cndmask_b32_e32 v18, 0, v18, vcc
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_or_b32_sdwa v9, v9, v17 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v17, v25, v24 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshrrev_b32_e32 v30, 8, v11
	v_lshrrev_b32_e32 v32, 24, v11
	v_cndmask_b32_e32 v8, 0, v8, vcc
	v_lshlrev_b16_e32 v16, 8, v16
	v_or_b32_sdwa v17, v9, v17 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v9, 8, v18
	v_lshrrev_b32_e32 v31, 16, v11
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_cndmask_b32_e32 v32, 0, v32, vcc
	v_or_b32_sdwa v8, v8, v16 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v9, v33, v9 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshrrev_b32_e32 v27, 8, v10
	v_lshrrev_b32_e32 v29, 24, v10
	v_cndmask_b32_e32 v31, 0, v31, vcc
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_or_b32_sdwa v16, v8, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v8, 8, v30
	v_lshlrev_b16_e32 v9, 8, v32
	v_lshrrev_b32_e32 v28, 16, v10
	v_cndmask_b32_e32 v29, 0, v29, vcc
	v_cndmask_b32_e32 v27, 0, v27, vcc
	v_or_b32_sdwa v8, v11, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v9, v31, v9 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_cndmask_b32_e32 v28, 0, v28, vcc
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_or_b32_sdwa v25, v8, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v8, 8, v27
	v_lshlrev_b16_e32 v9, 8, v29
	v_or_b32_sdwa v8, v10, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v9, v28, v9 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_e32 v18, 64, v2
	v_or_b32_sdwa v24, v8, v9 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	buffer_load_dwordx4 v[8:11], v6, s[0:3], 0 offen offset:64
	s_waitcnt vmcnt(1)
	v_lshrrev_b32_e32 v26, 8, v12
	v_lshrrev_b32_e32 v28, 24, v12
	v_cndmask_b32_e32 v26, 0, v26, vcc
	v_lshrrev_b32_e32 v27, 16, v12
	v_cndmask_b32_e32 v28, 0, v28, vcc
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_lshlrev_b16_e32 v26, 8, v26
	v_lshrrev_b32_e32 v35, 8, v15
	v_cndmask_b32_e32 v27, 0, v27, vcc
	v_or_b32_sdwa v12, v12, v26 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v26, 8, v28
	v_lshrrev_b32_e32 v40, 24, v15
	v_cndmask_b32_e32 v35, 0, v35, vcc
	v_or_b32_sdwa v26, v27, v26 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshrrev_b32_e32 v39, 16, v15
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cndmask_b32_e32 v40, 0, v40, vcc
	v_or_b32_sdwa v12, v12, v26 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v26, 8, v35
	v_lshrrev_b32_e32 v32, 8, v14
	v_cndmask_b32_e32 v39, 0, v39, vcc
	v_or_b32_sdwa v15, v15, v26 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v26, 8, v40
	v_lshrrev_b32_e32 v34, 24, v14
	v_cndmask_b32_e32 v32, 0, v32, vcc
	v_or_b32_sdwa v26, v39, v26 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshrrev_b32_e32 v33, 16, v14
	v_cndmask_b32_e32 v34, 0, v34, vcc
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_or_b32_sdwa v15, v15, v26 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v26, 8, v32
	v_cndmask_b32_e32 v33, 0, v33, vcc
	v_or_b32_sdwa v14, v14, v26 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v26, 8, v34
	v_or_b32_sdwa v26, v33, v26 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshlrev_b32_e32 v28, 1, v37
	v_or_b32_sdwa v14, v14, v26 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshrrev_b32_e32 v26, 3, v2
	v_lshrrev_b32_e32 v29, 8, v13
	v_and_or_b32 v39, v28, 8, v26
	v_lshrrev_b32_e32 v31, 24, v13
	v_cndmask_b32_e32 v29, 0, v29, vcc
	v_lshrrev_b32_e32 v27, 1, v1
	v_bfe_u32 v1, v1, 1, 4
	v_or_b32_e32 v40, 1, v39
	v_lshrrev_b32_e32 v30, 16, v13
	v_cndmask_b32_e32 v31, 0, v31, vcc
	v_cndmask_b32_e32 v13, 0, v13, vcc
	v_lshlrev_b16_e32 v29, 8, v29
	v_xor_b32_e32 v26, v1, v39
	v_lshlrev_b32_e32 v27, 7, v27
	v_xor_b32_e32 v1, v40, v1
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_or_b32_sdwa v13, v13, v29 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v29, 8, v31
	v_lshl_or_b32 v27, v26, 3, v27
	v_sub_u32_e32 v1, v1, v26
	v_or_b32_sdwa v29, v30, v29 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshl_add_u32 v1, v1, 3, v27
	v_or_b32_sdwa v13, v13, v29 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	ds_write_b64 v1, v[24:25]
	ds_write2st64_b64 v27, v[16:17], v[12:13] offset1:8
	ds_write_b64 v1, v[14:15] offset:4096
	v_lshrrev_b32_e32 v26, 8, v23
	v_lshrrev_b32_e32 v27, 16, v23
	v_cmp_gt_i32_e32 vcc, s19, v18
	v_or_b32_e32 v2, v50, v48
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e32 v35, 0, v27, vcc
	v_cndmask_b32_e32 v84, 0, v26, vcc
	s_barrier
	v_lshrrev_b32_e32 v1, 8, v20
	v_cndmask_b32_e32 v32, 0, v1, vcc
	v_lshrrev_b32_e32 v24, 16, v22
	v_lshrrev_b32_e32 v25, 24, v22
	v_lshrrev_b32_e32 v28, 24, v23
	v_lshrrev_b32_e32 v12, 16, v20
	v_lshrrev_b32_e32 v13, 24, v20
	v_lshrrev_b32_e32 v14, 8, v21
	v_lshrrev_b32_e32 v15, 16, v21
	v_lshrrev_b32_e32 v16, 24, v21
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v26, 24, v10
	v_lshrrev_b32_e32 v27, 8, v11
	v_lshrrev_b32_e32 v18, 16, v8
	v_cndmask_b32_e32 v90, 0, v27, vcc
	v_cndmask_b32_e32 v30, 0, v26, vcc
	ds_read_b64 v[26:27], v2
	v_add_u32_e32 v2, 2, v3
	v_cndmask_b32_e32 v96, 0, v18, vcc
	v_add_u32_e32 v18, 0x80, v4
	v_xor_b32_e32 v4, v2, v5
	v_lshlrev_b32_e32 v4, 3, v4
	v_xor_b32_e32 v2, v7, v2
	v_add_u32_e32 v42, v4, v48
	v_or_b32_e32 v4, 4, v3
	v_lshlrev_b32_e32 v2, 3, v2
	v_lshrrev_b32_e32 v1, 8, v8
	v_add_u32_e32 v3, 6, v3
	v_add_u32_e32 v45, v2, v49
	v_xor_b32_e32 v2, v7, v4
	v_cndmask_b32_e32 v97, 0, v1, vcc
	v_add_u32_e32 v1, 0x80, v6
	v_xor_b32_e32 v6, v4, v5
	v_xor_b32_e32 v5, v3, v5
	v_lshlrev_b32_e32 v2, 3, v2
	v_lshlrev_b32_e32 v5, 3, v5
	v_add_u32_e32 v46, v2, v49
	v_xor_b32_e32 v2, v7, v3
	v_add_u32_e32 v44, v5, v48
	v_or_b32_e32 v5, v75, v49
	v_lshlrev_b32_e32 v2, 3, v2
	v_lshrrev_b32_e32 v17, 8, v22
	v_cndmask_b32_e32 v85, 0, v23, vcc
	v_cndmask_b32_e32 v34, 0, v25, vcc
	v_cndmask_b32_e32 v86, 0, v24, vcc
	v_cndmask_b32_e32 v87, 0, v22, vcc
	v_cndmask_b32_e32 v33, 0, v21, vcc
	v_cndmask_b32_e32 v88, 0, v20, vcc
	v_cndmask_b32_e32 v89, 0, v28, vcc
	v_lshrrev_b32_e32 v20, 24, v8
	v_lshrrev_b32_e32 v21, 8, v9
	v_lshrrev_b32_e32 v22, 16, v9
	v_lshrrev_b32_e32 v23, 24, v9
	v_lshrrev_b32_e32 v24, 8, v10
	v_lshrrev_b32_e32 v25, 16, v10
	v_lshrrev_b32_e32 v28, 16, v11
	v_lshlrev_b32_e32 v6, 3, v6
	v_add_u32_e32 v47, v2, v49
	ds_read_b64 v[82:83], v5 offset:4096
	ds_read_b64 v[80:81], v45 offset:4096
	ds_read_b64 v[78:79], v46 offset:4096
	ds_read_b64 v[76:77], v47 offset:4096
	v_cndmask_b32_e32 v31, 0, v28, vcc
	v_cndmask_b32_e32 v91, 0, v25, vcc
	v_cndmask_b32_e32 v92, 0, v24, vcc
	v_cndmask_b32_e32 v93, 0, v23, vcc
	v_cndmask_b32_e32 v94, 0, v22, vcc
	v_cndmask_b32_e32 v95, 0, v21, vcc
	v_cndmask_b32_e32 v28, 0, v20, vcc
	v_add_u32_e32 v43, v6, v48
	ds_read_b64 v[24:25], v42
	ds_read_b64 v[22:23], v43
	ds_read_b64 v[20:21], v44
	v_cndmask_b32_e32 v17, 0, v17, vcc
	v_cndmask_b32_e32 v16, 0, v16, vcc
	v_cndmask_b32_e32 v15, 0, v15, vcc
	v_cndmask_b32_e32 v14, 0, v14, vcc
	v_cndmask_b32_e32 v13, 0, v13, vcc
	v_cndmask_b32_e32 v12, 0, v12, vcc
	v_lshrrev_b32_e32 v29, 24, v11
	v_cndmask_b32_e32 v11, 0, v11, vcc
	v_cndmask_b32_e32 v10, 0, v10, vcc
	v_cndmask_b32_e32 v9, 0, v9, vcc
	v_cndmask_b32_e32 v8, 0, v8, vcc
	s_waitcnt lgkmcnt(7)
	v_lshrrev_b32_e32 v70, 24, v26
	v_lshrrev_b32_e32 v69, 16, v26
	v_lshrrev_b32_e32 v71, 8, v26
	v_lshrrev_b32_e32 v72, 24, v27
	v_lshrrev_b32_e32 v74, 16, v27
	v_lshrrev_b32_e32 v73, 8, v27
	s_waitcnt lgkmcnt(2)
	v_lshrrev_b32_e32 v57, 24, v24
	v_lshrrev_b32_e32 v56, 16, v24
	v_lshrrev_b32_e32 v58, 8, v24
	v_lshrrev_b32_e32 v63, 24, v25
	v_lshrrev_b32_e32 v65, 16, v25
	v_lshrrev_b32_e32 v64, 8, v25
	s_waitcnt lgkmcnt(1)
	v_lshrrev_b32_e32 v54, 24, v22
	v_lshrrev_b32_e32 v53, 16, v22
	v_lshrrev_b32_e32 v55, 8, v22
	v_lshrrev_b32_e32 v59, 24, v23
	v_lshrrev_b32_e32 v61, 16, v23
	v_lshrrev_b32_e32 v60, 8, v23
	s_waitcnt lgkmcnt(0)
	v_lshrrev_b32_e32 v52, 24, v20
	v_lshrrev_b32_e32 v51, 16, v20
	v_lshrrev_b32_e32 v62, 8, v20
	v_lshrrev_b32_e32 v66, 24, v21
	v_lshrrev_b32_e32 v68, 16, v21
	v_lshrrev_b32_e32 v67, 8, v21
	v_cndmask_b32_e32 v98, 0, v29, vcc
	v_lshlrev_b16_e32 v2, 8, v97
	v_lshlrev_b16_e32 v3, 8, v28
	v_or_b32_sdwa v2, v8, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v96, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_max_i32 s17, s17, 2
	v_or_b32_sdwa v28, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v95
	v_lshlrev_b16_e32 v3, 8, v93
	v_or_b32_sdwa v2, v9, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v94, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_add_i32 s17, s17, -1
	v_or_b32_sdwa v29, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v92
	v_lshlrev_b16_e32 v3, 8, v30
	v_or_b32_sdwa v2, v10, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v91, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_mov_b32_e32 v10, 0
	v_or_b32_sdwa v30, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v90
	v_lshlrev_b16_e32 v3, 8, v98
	v_or_b32_sdwa v2, v11, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v31, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_mov_b32_e32 v11, 0
	v_or_b32_sdwa v31, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v32
	v_lshlrev_b16_e32 v3, 8, v13
	v_or_b32_sdwa v2, v88, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v12, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_mov_b32_e32 v13, 0
	v_or_b32_sdwa v32, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v14
	v_lshlrev_b16_e32 v3, 8, v16
	v_or_b32_sdwa v2, v33, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v15, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_mov_b32_e32 v16, 0
	v_or_b32_sdwa v33, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v17
	v_lshlrev_b16_e32 v3, 8, v34
	v_or_b32_sdwa v2, v87, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v86, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_mov_b32_e32 v17, 0
	v_or_b32_sdwa v34, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v2, 8, v84
	v_lshlrev_b16_e32 v3, 8, v89
	v_or_b32_sdwa v2, v85, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v3, v35, v3 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_mov_b32_e32 v15, 0
	v_or_b32_sdwa v35, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v2, 0
	v_add_u32_e32 v48, v50, v48
	v_add_u32_e32 v49, v75, v49
	v_mov_b32_e32 v50, 8
.LBB1_13:
	v_readfirstlane_b32 s22, v0
	v_and_b32_e32 v74, 0xff, v74
	v_lshlrev_b32_e32 v72, 24, v72
	v_and_b32_e32 v69, 0xff, v69
	v_and_b32_e32 v56, 0xff, v56
	v_and_b32_e32 v75, 0xff, v22
	v_and_b32_e32 v22, 0xff, v68
	v_and_b32_e32 v68, 0xff, v21
	v_lshlrev_b32_e32 v21, 24, v52
	v_and_b32_e32 v51, 0xff, v51
	v_lshlrev_b32_sdwa v52, v50, v62 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v62, 0xff, v20
	s_lshr_b32 s22, s22, 2
	v_lshlrev_b32_e32 v20, 16, v74
	v_lshlrev_b32_sdwa v73, v50, v73 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v27, 0xff, v27
	v_lshlrev_b32_e32 v70, 24, v70
	v_lshlrev_b32_e32 v57, 24, v57
	v_and_b32_e32 v53, 0xff, v53
	v_lshlrev_b32_e32 v69, 16, v69
	v_lshlrev_b32_e32 v56, 16, v56
	v_lshlrev_b32_e32 v51, 16, v51
	s_and_b32 s22, s22, 0x3ffffff0
	v_or_b32_e32 v20, v72, v20
	v_lshlrev_b32_sdwa v71, v50, v71 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v26, 0xff, v26
	v_lshlrev_b32_sdwa v58, v50, v58 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v24, 0xff, v24
	v_lshlrev_b32_e32 v54, 24, v54
	v_lshlrev_b32_e32 v66, 24, v66
	v_lshlrev_b32_e32 v53, 16, v53
	v_lshlrev_b32_e32 v22, 16, v22
	v_or_b32_e32 v69, v70, v69
	v_or_b32_e32 v56, v57, v56
	v_or_b32_e32 v51, v21, v51
	v_add_u32_e32 v21, s22, v19
	v_or3_b32 v27, v20, v73, v27
	v_or_b32_e32 v53, v54, v53
	v_or_b32_e32 v54, v66, v22
	v_or3_b32 v20, v69, v71, v26
	v_or3_b32 v22, v56, v58, v24
	v_lshrrev_b32_e32 v24, 1, v21
	v_bfe_u32 v26, v21, 1, 4
	v_or3_b32 v21, v27, 0, 0
	v_xor_b32_e32 v27, v26, v39
	v_lshlrev_b32_e32 v24, 7, v24
	v_xor_b32_e32 v26, v26, v40
	v_lshl_or_b32 v24, v27, 3, v24
	v_sub_u32_e32 v26, v26, v27
	v_and_b32_e32 v65, 0xff, v65
	v_lshl_add_u32 v26, v26, 3, v24
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_lshlrev_b32_e32 v63, 24, v63
	v_and_b32_e32 v61, 0xff, v61
	v_lshlrev_b32_e32 v65, 16, v65
	ds_write_b64 v26, v[34:35]
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[20:21], v[82:83], v[2:17]
	v_lshlrev_b32_sdwa v64, v50, v64 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v25, 0xff, v25
	v_lshlrev_b32_e32 v59, 24, v59
	v_lshlrev_b32_e32 v61, 16, v61
	v_or_b32_e32 v63, v63, v65
	v_lshlrev_b32_sdwa v60, v50, v60 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_and_b32_e32 v23, 0xff, v23
	v_or_b32_e32 v57, v59, v61
	v_or3_b32 v25, v63, v64, v25
	v_or3_b32 v21, v57, v60, v23
	v_or3_b32 v23, v25, 0, 0
	ds_write2st64_b64 v24, v[32:33], v[28:29] offset1:8
	v_lshlrev_b32_sdwa v55, v50, v55 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[22:23], v[80:81], v[2:17]
	v_or3_b32 v20, v53, v55, v75
	v_or3_b32 v21, v21, 0, 0
	buffer_load_dwordx4 v[32:35], v18, s[4:7], 0 offen
	ds_write_b64 v26, v[30:31] offset:4096
	v_lshlrev_b32_sdwa v67, v50, v67 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	v_cmp_gt_i32_e32 vcc, s19, v41
	v_add_u32_e32 v41, 64, v41
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[20:21], v[78:79], v[2:17]
	v_or3_b32 v21, v54, v67, v68
	v_or3_b32 v20, v51, v52, v62
	v_or3_b32 v21, v21, 0, 0
	v_add_u32_e32 v18, 64, v18
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v51, 8, v32
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[20:21], v[76:77], v[2:17]
	buffer_load_dwordx4 v[28:31], v1, s[0:3], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b64 v[26:27], v48
	ds_read_b64 v[24:25], v42
	ds_read_b64 v[22:23], v43
	ds_read_b64 v[20:21], v44
	ds_read_b64 v[82:83], v49 offset:4096
	ds_read_b64 v[80:81], v45 offset:4096
	ds_read_b64 v[78:79], v46 offset:4096
	ds_read_b64 v[76:77], v47 offset:4096
	v_lshrrev_b32_e32 v52, 16, v32
	v_lshrrev_b32_e32 v53, 24, v32
	v_lshrrev_b32_e32 v54, 8, v33
	v_lshrrev_b32_e32 v55, 16, v33
	v_lshrrev_b32_e32 v56, 24, v33
	v_lshrrev_b32_e32 v57, 8, v34
	v_lshrrev_b32_e32 v58, 16, v34
	v_lshrrev_b32_e32 v59, 24, v34
	v_lshrrev_b32_e32 v60, 8, v35
	v_lshrrev_b32_e32 v61, 16, v35
	v_lshrrev_b32_e32 v62, 24, v35
	v_add_u32_e32 v1, 64, v1
	v_cndmask_b32_e32 v35, 0, v35, vcc
	v_cndmask_b32_e32 v34, 0, v34, vcc
	v_cndmask_b32_e32 v33, 0, v33, vcc
	v_cndmask_b32_e32 v32, 0, v32, vcc
	v_cndmask_b32_e32 v75, 0, v61, vcc
	v_cndmask_b32_e32 v84, 0, v60, vcc
	v_cndmask_b32_e32 v85, 0, v59, vcc
	v_cndmask_b32_e32 v86, 0, v58, vcc
	v_cndmask_b32_e32 v87, 0, v57, vcc
	v_cndmask_b32_e32 v88, 0, v56, vcc
	v_cndmask_b32_e32 v89, 0, v55, vcc
	v_cndmask_b32_e32 v90, 0, v54, vcc
	v_cndmask_b32_e32 v91, 0, v53, vcc
	v_cndmask_b32_e32 v92, 0, v52, vcc
	v_cndmask_b32_e32 v93, 0, v51, vcc
	v_cndmask_b32_e32 v94, 0, v62, vcc
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v51, 8, v28
	v_lshrrev_b32_e32 v52, 16, v28
	v_lshrrev_b32_e32 v53, 24, v28
	v_lshrrev_b32_e32 v54, 8, v29
	v_lshrrev_b32_e32 v55, 16, v29
	v_lshrrev_b32_e32 v56, 24, v29
	v_lshrrev_b32_e32 v57, 8, v30
	v_lshrrev_b32_e32 v58, 16, v30
	v_lshrrev_b32_e32 v59, 24, v30
	v_lshrrev_b32_e32 v60, 8, v31
	v_lshrrev_b32_e32 v61, 16, v31
	v_lshrrev_b32_e32 v62, 24, v31
	v_cndmask_b32_e32 v31, 0, v31, vcc
	v_cndmask_b32_e32 v30, 0, v30, vcc
	v_cndmask_b32_e32 v29, 0, v29, vcc
	v_cndmask_b32_e32 v28, 0, v28, vcc
	v_cndmask_b32_e32 v95, 0, v61, vcc
	v_cndmask_b32_e32 v96, 0, v60, vcc
	v_cndmask_b32_e32 v97, 0, v59, vcc
	v_cndmask_b32_e32 v98, 0, v58, vcc
	v_cndmask_b32_e32 v99, 0, v57, vcc
	v_cndmask_b32_e32 v100, 0, v56, vcc
	v_cndmask_b32_e32 v101, 0, v55, vcc
	v_cndmask_b32_e32 v102, 0, v54, vcc
	v_cndmask_b32_e32 v103, 0, v53, vcc
	v_cndmask_b32_e32 v104, 0, v52, vcc
	v_cndmask_b32_e32 v105, 0, v51, vcc
	v_cndmask_b32_e32 v106, 0, v62, vcc
	v_lshlrev_b16_e32 v96, 8, v96
	v_lshlrev_b16_e32 v84, 8, v84
	v_lshlrev_b16_e32 v105, 8, v105
	v_lshlrev_b16_e32 v103, 8, v103
	v_lshlrev_b16_e32 v102, 8, v102
	v_lshlrev_b16_e32 v100, 8, v100
	v_lshlrev_b16_e32 v99, 8, v99
	v_lshlrev_b16_e32 v97, 8, v97
	v_or_b32_sdwa v31, v31, v96 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v96, 8, v106
	v_lshlrev_b16_e32 v93, 8, v93
	v_lshlrev_b16_e32 v91, 8, v91
	v_lshlrev_b16_e32 v90, 8, v90
	v_lshlrev_b16_e32 v88, 8, v88
	v_lshlrev_b16_e32 v87, 8, v87
	v_lshlrev_b16_e32 v85, 8, v85
	v_or_b32_sdwa v35, v35, v84 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_lshlrev_b16_e32 v84, 8, v94
	v_or_b32_sdwa v28, v28, v105 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v103, v104, v103 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v29, v29, v102 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v100, v101, v100 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v30, v30, v99 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v97, v98, v97 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v95, v95, v96 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v32, v32, v93 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v91, v92, v91 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v33, v33, v90 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v88, v89, v88 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v34, v34, v87 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v85, v86, v85 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	v_or_b32_sdwa v75, v75, v84 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD
	s_add_i32 s17, s17, -1
	s_waitcnt lgkmcnt(7)
	v_lshrrev_b32_e32 v70, 24, v26
	v_lshrrev_b32_e32 v69, 16, v26
	v_lshrrev_b32_e32 v71, 8, v26
	v_lshrrev_b32_e32 v72, 24, v27
	v_lshrrev_b32_e32 v74, 16, v27
	v_lshrrev_b32_e32 v73, 8, v27
	s_waitcnt lgkmcnt(6)
	v_lshrrev_b32_e32 v57, 24, v24
	v_lshrrev_b32_e32 v56, 16, v24
	v_lshrrev_b32_e32 v58, 8, v24
	v_lshrrev_b32_e32 v63, 24, v25
	v_lshrrev_b32_e32 v65, 16, v25
	v_lshrrev_b32_e32 v64, 8, v25
	s_waitcnt lgkmcnt(5)
	v_lshrrev_b32_e32 v54, 24, v22
	v_lshrrev_b32_e32 v53, 16, v22
	v_lshrrev_b32_e32 v55, 8, v22
	v_lshrrev_b32_e32 v59, 24, v23
	v_lshrrev_b32_e32 v61, 16, v23
	v_lshrrev_b32_e32 v60, 8, v23
	s_waitcnt lgkmcnt(4)
	v_lshrrev_b32_e32 v52, 24, v20
	v_lshrrev_b32_e32 v51, 16, v20
	v_lshrrev_b32_e32 v62, 8, v20
	v_lshrrev_b32_e32 v66, 24, v21
	v_lshrrev_b32_e32 v68, 16, v21
	v_lshrrev_b32_e32 v67, 8, v21
	v_or_b32_sdwa v28, v28, v103 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_or_b32_sdwa v29, v29, v100 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_or_b32_sdwa v30, v30, v97 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_or_b32_sdwa v31, v31, v95 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_or_b32_sdwa v32, v32, v91 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_or_b32_sdwa v33, v33, v88 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	v_or_b32_sdwa v34, v34, v85 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	s_cmp_lg_u32 s17, 0
	v_or_b32_sdwa v35, v35, v75 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
	s_cbranch_scc1 .LBB1_13
	v_readfirstlane_b32 s4, v0
	s_lshr_b32 s5, s4, 2
	s_lshr_b32 s4, s4, 1
	v_lshrrev_b32_e32 v0, 3, v37
	s_and_b32 s0, s5, 0x3fffffe0
	s_and_b32 s4, s4, 32
	v_and_or_b32 v0, v0, 12, s0
	s_add_i32 s6, s14, -1
	v_or_b32_e32 v18, s4, v38
	s_lshl_b32 s2, s20, 2
	s_mov_b32 s3, 0x20000
	s_mov_b32 s0, s8
	s_mov_b32 s1, s9
	v_add_lshl_u32 v1, v0, s15, 2
	s_add_i32 s6, s6, 1
	v_or_b32_e32 v18, s16, v18
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[26:27], v[82:83], v[2:17]
	s_barrier
	buffer_load_dwordx4 v[26:29], v1, s[0:3], 0 offen
	buffer_load_dwordx4 v[30:33], v1, s[0:3], 0 offen offset:32
	buffer_load_dwordx4 v[40:43], v1, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[44:47], v1, s[0:3], 0 offen offset:96
	s_lshl_b32 s2, s6, 2
	s_mov_b32 s0, s10
	s_mov_b32 s1, s11
	v_lshlrev_b32_e32 v1, 2, v18
	buffer_load_dword v1, v1, s[0:3], 0 offen
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[24:25], v[80:81], v[2:17]
	s_add_i32 s0, s20, 0x7fffffff
	s_mul_i32 s0, s0, s18
	v_lshlrev_b32_e32 v18, 1, v38
	s_add_i32 s2, s0, s6
	s_lshl_b32 s0, s4, 1
	v_lshlrev_b32_e32 v0, 7, v0
	v_or3_b32 v0, s0, v0, v18
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[22:23], v[78:79], v[2:17]
	s_and_b32 s0, s5, 0x3ffffff0
	s_lshl_b32 s14, s2, 1
	v_mfma_f32_32x32x16_fp8_fp8 v[2:17], v[20:21], v[76:77], v[2:17]
	s_waitcnt vmcnt(4)
	s_nop 9
	v_mul_f32_e32 v2, v2, v26
	v_mul_f32_e32 v3, v3, v27
	v_mul_f32_e32 v4, v4, v28
	v_mul_f32_e32 v5, v5, v29
	s_waitcnt vmcnt(3)
	v_mul_f32_e32 v6, v6, v30
	v_mul_f32_e32 v7, v7, v31
	v_mul_f32_e32 v8, v8, v32
	v_mul_f32_e32 v9, v9, v33
	s_waitcnt vmcnt(2)
	v_mul_f32_e32 v10, v10, v40
	v_mul_f32_e32 v11, v11, v41
	v_mul_f32_e32 v12, v12, v42
	v_mul_f32_e32 v13, v13, v43
	s_waitcnt vmcnt(1)
	v_mul_f32_e32 v14, v14, v44
	v_mul_f32_e32 v15, v15, v45
	v_mul_f32_e32 v16, v16, v46
	v_mul_f32_e32 v17, v17, v47
	s_waitcnt vmcnt(0)
	v_fma_mixlo_f16 v2, v2, v1, 0
	v_fma_mixlo_f16 v3, v3, v1, 0
	v_fma_mixlo_f16 v4, v4, v1, 0
	v_fma_mixlo_f16 v5, v5, v1, 0
	v_fma_mixlo_f16 v6, v6, v1, 0
	v_fma_mixlo_f16 v7, v7, v1, 0
	v_fma_mixlo_f16 v8, v8, v1, 0
	v_fma_mixlo_f16 v9, v9, v1, 0
	v_fma_mixlo_f16 v10, v10, v1, 0
	v_fma_mixlo_f16 v11, v11, v1, 0
	v_fma_mixlo_f16 v12, v12, v1, 0
	v_fma_mixlo_f16 v13, v13, v1, 0
	v_fma_mixlo_f16 v14, v14, v1, 0
	v_fma_mixlo_f16 v15, v15, v1, 0
	v_fma_mixlo_f16 v16, v16, v1, 0
	v_fma_mixlo_f16 v1, v17, v1, 0
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
	ds_write_b16 v0, v1 offset:3456
	v_and_b32_e32 v0, 56, v36
	v_and_b32_e32 v1, 30, v19
	v_add_u32_e32 v1, s0, v1
	v_lshlrev_b32_e32 v2, 1, v0
	v_lshl_or_b32 v2, v1, 7, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[4:7], v2 offset:128
	ds_read_b128 v[8:11], v2
	v_add_u32_e32 v1, s15, v1
	v_or_b32_e32 v0, s16, v0
	v_mad_u64_u32 v[2:3], s[0:1], v1, s18, v[0:1]
	v_bfrev_b32_e32 v1, 1
	v_cmp_gt_i32_e32 vcc, s21, v0
	s_mov_b32 s15, s3
	s_nop 0
	v_cndmask_b32_e64 v0, v1, 0, vcc
	v_lshl_add_u32 v0, v2, 1, v0
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[8:11], v0, s[12:15], 0 offen
	v_lshl_add_u32 v0, s18, 1, v0
	buffer_store_dwordx4 v[4:7], v0, s[12:15], 0 offen
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel ck_gemm
		.amdhsa_group_segment_fixed_size 8192
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
		.amdhsa_next_free_vgpr 107
		.amdhsa_next_free_sgpr 31
		.amdhsa_accum_offset 108
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
	.set ck_gemm.num_vgpr, 107
	.set ck_gemm.num_agpr, 0
	.set ck_gemm.numbered_sgpr, 31
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
        .size:           88
        .value_kind:     by_value
    .group_segment_fixed_size: 8192
    .kernarg_segment_align: 8
    .kernarg_segment_size: 88
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     37
    .sgpr_spill_count: 0
    .symbol:         ck_gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     107
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
