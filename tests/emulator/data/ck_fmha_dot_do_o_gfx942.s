; The first stage of a CK Tile attention's backward pass (fp16, heads of 64), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
ck_fmha_dot_do_o:
	s_load_dwordx4 s[16:19], s[0:1], 0x38
	s_load_dwordx4 s[20:23], s[0:1], 0x0
	s_load_dwordx2 s[6:7], s[0:1], 0x10
	s_load_dwordx8 s[8:15], s[0:1], 0x18
	s_lshl_b32 s24, s2, 6
	s_waitcnt lgkmcnt(0)
	s_mul_hi_i32 s1, s17, s4
	s_mul_i32 s0, s17, s4
	s_mul_hi_i32 s17, s16, s4
	s_mul_i32 s16, s16, s4
	s_mul_hi_i32 s5, s18, s4
	s_mul_i32 s4, s18, s4
	s_mul_hi_i32 s19, s14, s3
	s_mul_i32 s18, s14, s3
	s_lshl_b64 s[18:19], s[18:19], 1
	s_add_u32 s2, s20, s18
	s_addc_u32 s14, s21, s19
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s0, s2, s0
	s_mul_hi_i32 s19, s13, s3
	s_mul_i32 s18, s13, s3
	s_addc_u32 s1, s14, s1
	s_lshl_b64 s[18:19], s[18:19], 1
	s_add_u32 s2, s22, s18
	s_addc_u32 s13, s23, s19
	s_lshl_b64 s[16:17], s[16:17], 1
	s_add_u32 s16, s2, s16
	s_mul_hi_i32 s19, s15, s3
	s_mul_i32 s18, s15, s3
	s_addc_u32 s17, s13, s17
	s_lshl_b64 s[2:3], s[18:19], 2
	s_add_u32 s6, s6, s2
	s_addc_u32 s7, s7, s3
	s_lshl_b64 s[2:3], s[4:5], 2
	s_add_u32 s4, s6, s2
	s_addc_u32 s5, s7, s3
	s_add_i32 s2, s9, -1
	s_add_i32 s6, s10, -1
	s_mul_i32 s3, s12, s2
	s_add_i32 s6, s6, 1
	s_mul_i32 s2, s11, s2
	s_add_i32 s3, s3, s6
	s_add_i32 s6, s2, s6
	v_readfirstlane_b32 s2, v0
	v_mbcnt_lo_u32_b32 v0, -1, 0
	s_andn2_b32 s2, s2, 63
	v_mbcnt_hi_u32_b32 v0, -1, v0
	s_add_i32 s2, s2, s24
	v_add_u32_e32 v60, s2, v0
	v_mul_lo_u32 v0, s12, v60
	s_lshl_b32 s2, s3, 1
	s_mov_b32 s3, 0x20000
	v_lshlrev_b32_e32 v61, 1, v0
	buffer_load_dwordx4 v[0:3], v61, s[0:3], 0 offen
	v_mul_lo_u32 v4, s11, v60
	s_lshl_b32 s18, s6, 1
	s_mov_b32 s19, s3
	v_lshlrev_b32_e32 v62, 1, v4
	buffer_load_dwordx4 v[4:7], v62, s[16:19], 0 offen
	buffer_load_dwordx4 v[8:11], v61, s[0:3], 0 offen offset:96
	buffer_load_dwordx4 v[12:15], v62, s[16:19], 0 offen offset:96
	buffer_load_dwordx4 v[16:19], v61, s[0:3], 0 offen offset:112
	buffer_load_dwordx4 v[20:23], v62, s[16:19], 0 offen offset:112
	buffer_load_dwordx4 v[24:27], v61, s[0:3], 0 offen offset:16
	buffer_load_dwordx4 v[28:31], v61, s[0:3], 0 offen offset:32
	buffer_load_dwordx4 v[32:35], v61, s[0:3], 0 offen offset:48
	buffer_load_dwordx4 v[36:39], v62, s[16:19], 0 offen offset:16
	buffer_load_dwordx4 v[40:43], v62, s[16:19], 0 offen offset:32
	buffer_load_dwordx4 v[44:47], v62, s[16:19], 0 offen offset:48
	v_cmp_gt_i32_e32 vcc, s9, v60
	s_lshl_b32 s6, s9, 2
	s_mov_b32 s7, s3
	s_waitcnt vmcnt(9)
	v_cvt_f32_f16_e32 v48, v11
	v_cvt_f32_f16_sdwa v49, v11 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	s_waitcnt vmcnt(8)
	v_cvt_f32_f16_e32 v50, v15
	v_cvt_f32_f16_sdwa v51, v15 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_fma_mix_f32 v56, v0, v4, 0 op_sel_hi:[1,1,0]
	s_waitcnt vmcnt(7)
	v_cvt_f32_f16_e32 v52, v16
	v_fma_mix_f32 v0, v0, v4, v56 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	v_cvt_f32_f16_sdwa v53, v16 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_fma_mix_f32 v0, v1, v5, v0 op_sel_hi:[1,1,0]
	s_waitcnt vmcnt(6)
	v_cvt_f32_f16_e32 v54, v20
	v_fma_mix_f32 v0, v1, v5, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	v_cvt_f32_f16_sdwa v55, v20 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_fma_mix_f32 v0, v2, v6, v0 op_sel_hi:[1,1,0]
	v_cvt_f32_f16_e32 v16, v17
	v_fma_mix_f32 v0, v2, v6, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	v_cvt_f32_f16_sdwa v17, v17 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_fma_mix_f32 v0, v3, v7, v0 op_sel_hi:[1,1,0]
	v_cvt_f32_f16_e32 v20, v21
	v_fma_mix_f32 v11, v3, v7, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	buffer_load_dwordx4 v[0:3], v61, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[4:7], v62, s[16:19], 0 offen offset:64
	v_cvt_f32_f16_sdwa v21, v21 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v56, v18
	v_cvt_f32_f16_sdwa v57, v18 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v58, v19
	v_cvt_f32_f16_sdwa v59, v19 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v18, v22
	v_cvt_f32_f16_sdwa v19, v22 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_cvt_f32_f16_e32 v22, v23
	v_cvt_f32_f16_sdwa v23, v23 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
	v_pk_mul_f32 v[48:49], v[48:49], v[50:51]
	v_pk_mul_f32 v[50:51], v[52:53], v[54:55]
	v_pk_mul_f32 v[52:53], v[16:17], v[20:21]
	v_pk_mul_f32 v[54:55], v[56:57], v[18:19]
	buffer_load_dwordx4 v[16:19], v61, s[0:3], 0 offen offset:80
	v_pk_mul_f32 v[56:57], v[58:59], v[22:23]
	buffer_load_dwordx4 v[20:23], v62, s[16:19], 0 offen offset:80
	s_waitcnt vmcnt(6)
	v_fma_mix_f32 v11, v24, v36, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v24, v36, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v25, v37, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v25, v37, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v26, v38, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v26, v38, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v27, v39, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v27, v39, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_waitcnt vmcnt(5)
	v_fma_mix_f32 v11, v28, v40, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v28, v40, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v29, v41, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v29, v41, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v30, v42, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v30, v42, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v31, v43, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v31, v43, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_waitcnt vmcnt(4)
	v_fma_mix_f32 v11, v32, v44, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v32, v44, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v33, v45, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v33, v45, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v34, v46, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v34, v46, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v35, v47, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v11, v35, v47, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_waitcnt vmcnt(2)
	v_fma_mix_f32 v11, v0, v4, v11 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v0, v4, v11 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v1, v5, v0 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v1, v5, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	v_bfrev_b32_e32 v1, 1
	v_fma_mix_f32 v0, v2, v6, v0 op_sel_hi:[1,1,0]
	v_cndmask_b32_e64 v1, v1, 0, vcc
	v_fma_mix_f32 v0, v2, v6, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	v_lshl_add_u32 v1, v60, 2, v1
	v_fma_mix_f32 v0, v3, v7, v0 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v3, v7, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_waitcnt vmcnt(0)
	v_fma_mix_f32 v0, v16, v20, v0 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v16, v20, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v17, v21, v0 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v17, v21, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v18, v22, v0 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v18, v22, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v19, v23, v0 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v19, v23, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v8, v12, v0 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v8, v12, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v9, v13, v0 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v9, v13, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v10, v14, v0 op_sel_hi:[1,1,0]
	s_nop 0
	v_fma_mix_f32 v0, v10, v14, v0 op_sel:[1,1,0] op_sel_hi:[1,1,0]
	s_nop 0
	v_add_f32_e32 v0, v48, v0
	v_add_f32_e32 v0, v49, v0
	v_add_f32_e32 v0, v50, v0
	v_add_f32_e32 v0, v51, v0
	v_add_f32_e32 v0, v52, v0
	v_add_f32_e32 v0, v53, v0
	v_add_f32_e32 v0, v54, v0
	v_add_f32_e32 v0, v55, v0
	v_add_f32_e32 v0, v56, v0
	v_add_f32_e32 v0, v57, v0
	v_cndmask_b32_e32 v0, 0, v0, vcc
	v_mul_f32_e32 v0, s8, v0
	buffer_store_dword v0, v1, s[4:7], 0 offen
	s_endpgm
	.amdhsa_kernel ck_fmha_dot_do_o
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 72
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
		.amdhsa_next_free_vgpr 63
		.amdhsa_next_free_sgpr 25
		.amdhsa_accum_offset 64
		.amdhsa_reserve_vcc 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 0
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
	.set ck_fmha_dot_do_o.num_vgpr, 63
	.set ck_fmha_dot_do_o.num_agpr, 0
	.set ck_fmha_dot_do_o.numbered_sgpr, 25
	.set ck_fmha_dot_do_o.num_named_barrier, 0
	.set ck_fmha_dot_do_o.private_seg_size, 0
	.set ck_fmha_dot_do_o.uses_vcc, 1
	.set ck_fmha_dot_do_o.uses_flat_scratch, 0
	.set ck_fmha_dot_do_o.has_dyn_sized_stack, 0
	.set ck_fmha_dot_do_o.has_recursion, 0
	.set ck_fmha_dot_do_o.has_indirect_call, 0
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
__hip_cuid_:
	.byte	0
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           72
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 72
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 64
    .name:           ck_fmha_dot_do_o
    .private_segment_fixed_size: 0
    .sgpr_count:     31
    .sgpr_spill_count: 0
    .symbol:         ck_fmha_dot_do_o.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     63
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
