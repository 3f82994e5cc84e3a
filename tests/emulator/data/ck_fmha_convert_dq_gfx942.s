; The last stage of a CK Tile attention's backward pass (fp16, heads of 64), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
ck_fmha_convert_dq:
	s_load_dwordx2 s[6:7], s[0:1], 0x30
	s_load_dwordx4 s[16:19], s[0:1], 0x0
	s_load_dword s14, s[0:1], 0x10
	s_load_dwordx4 s[8:11], s[0:1], 0x18
	s_load_dword s15, s[0:1], 0x28
	s_waitcnt lgkmcnt(0)
	s_mul_hi_i32 s1, s6, s4
	s_mul_i32 s0, s6, s4
	s_mul_hi_i32 s5, s7, s4
	s_mul_i32 s4, s7, s4
	s_mul_hi_i32 s7, s11, s3
	s_mul_i32 s6, s11, s3
	s_lshl_b32 s2, s2, 6
	s_lshl_b64 s[6:7], s[6:7], 1
	s_add_u32 s6, s18, s6
	s_addc_u32 s7, s19, s7
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s12, s6, s0
	s_addc_u32 s13, s7, s1
	s_mul_hi_i32 s1, s15, s3
	s_mul_i32 s0, s15, s3
	s_lshl_b64 s[0:1], s[0:1], 2
	s_add_u32 s3, s16, s0
	s_addc_u32 s6, s17, s1
	s_lshl_b64 s[0:1], s[4:5], 2
	s_add_u32 s4, s3, s0
	s_addc_u32 s5, s6, s1
	s_add_i32 s3, s14, -1
	s_add_i32 s1, s8, -1
	s_mul_i32 s0, s10, s3
	s_add_i32 s8, s1, 1
	s_add_i32 s6, s0, s8
	v_readfirstlane_b32 s0, v0
	v_mbcnt_lo_u32_b32 v0, -1, 0
	s_lshr_b32 s0, s0, 4
	v_mbcnt_hi_u32_b32 v0, -1, v0
	s_and_b32 s0, s0, 0xffffffc
	v_lshrrev_b32_e32 v1, 4, v0
	v_lshlrev_b32_e32 v0, 2, v0
	s_add_i32 s0, s0, s2
	v_and_b32_e32 v16, 60, v0
	v_add_u32_e32 v17, s0, v1
	v_mad_u64_u32 v[4:5], s[0:1], v17, s10, v[16:17]
	s_lshl_b32 s0, s10, 4
	s_nop 0
	v_add_u32_e32 v8, s0, v4
	v_add_u32_e32 v12, s0, v8
	s_lshl_b32 s6, s6, 2
	s_mov_b32 s7, 0x20000
	v_lshlrev_b32_e32 v0, 2, v4
	v_lshlrev_b32_e32 v4, 2, v8
	v_lshlrev_b32_e32 v8, 2, v12
	buffer_load_dwordx4 v[0:3], v0, s[4:7], 0 offen
	v_add_lshl_u32 v12, v12, s0, 2
	buffer_load_dwordx4 v[4:7], v4, s[4:7], 0 offen
	s_mul_i32 s0, s9, s3
	buffer_load_dwordx4 v[8:11], v8, s[4:7], 0 offen
	v_add_u32_e32 v18, 16, v17
	buffer_load_dwordx4 v[12:15], v12, s[4:7], 0 offen
	v_add_u32_e32 v19, 32, v17
	s_add_i32 s6, s0, s8
	v_cmp_gt_i32_e32 vcc, s14, v17
	v_cmp_gt_i32_e64 s[0:1], s14, v18
	v_cmp_gt_i32_e64 s[2:3], s14, v19
	v_add_u32_e32 v20, 48, v17
	v_cmp_gt_i32_e64 s[4:5], s14, v20
	s_lshl_b32 s14, s6, 1
	s_mov_b32 s15, s7
	s_lshl_b32 s6, s9, 5
	s_waitcnt vmcnt(3)
	v_cvt_f16_f32_e32 v1, v1
	v_cvt_f16_f32_e32 v2, v2
	v_cvt_f16_f32_e32 v3, v3
	s_waitcnt vmcnt(2)
	v_cvt_f16_f32_e32 v4, v4
	v_cvt_f16_f32_e32 v5, v5
	v_cvt_f16_f32_e32 v6, v6
	v_cvt_f16_f32_e32 v7, v7
	s_waitcnt vmcnt(1)
	v_cvt_f16_f32_e32 v8, v8
	v_cvt_f16_f32_e32 v9, v9
	v_cvt_f16_f32_e32 v10, v10
	v_cvt_f16_f32_e32 v11, v11
	v_cvt_f16_f32_e32 v0, v0
	v_cndmask_b32_e32 v21, 0, v1, vcc
	v_cndmask_b32_e32 v1, 0, v2, vcc
	v_cndmask_b32_e32 v2, 0, v3, vcc
	v_cndmask_b32_e64 v4, 0, v4, s[0:1]
	v_cndmask_b32_e64 v5, 0, v5, s[0:1]
	v_cndmask_b32_e64 v3, 0, v6, s[0:1]
	v_cndmask_b32_e64 v6, 0, v7, s[0:1]
	v_cndmask_b32_e64 v7, 0, v8, s[2:3]
	v_cndmask_b32_e64 v8, 0, v9, s[2:3]
	v_cndmask_b32_e64 v9, 0, v10, s[2:3]
	v_cndmask_b32_e64 v10, 0, v11, s[2:3]
	v_pack_b32_f16 v1, v1, v2
	v_pack_b32_f16 v2, v4, v5
	v_pack_b32_f16 v5, v9, v10
	v_pack_b32_f16 v4, v7, v8
	v_mul_lo_u32 v8, v17, s9
	v_bfrev_b32_e32 v9, 1
	v_cndmask_b32_e32 v0, 0, v0, vcc
	v_add_lshl_u32 v8, v8, v16, 1
	v_cndmask_b32_e64 v10, v9, 0, vcc
	v_pack_b32_f16 v0, v0, v21
	v_add_u32_e32 v10, v8, v10
	s_waitcnt vmcnt(0)
	v_cvt_f16_f32_e32 v12, v12
	v_cvt_f16_f32_e32 v13, v13
	v_cvt_f16_f32_e32 v14, v14
	v_cvt_f16_f32_e32 v15, v15
	buffer_store_dwordx2 v[0:1], v10, s[12:15], 0 offen
	v_add_u32_e32 v0, s6, v8
	v_cndmask_b32_e64 v1, v9, 0, s[0:1]
	v_pack_b32_f16 v3, v3, v6
	v_add_u32_e32 v1, v0, v1
	buffer_store_dwordx2 v[2:3], v1, s[12:15], 0 offen
	v_add_u32_e32 v0, s6, v0
	v_cndmask_b32_e64 v1, v9, 0, s[2:3]
	v_add_u32_e32 v1, v0, v1
	v_cndmask_b32_e64 v11, 0, v12, s[4:5]
	v_cndmask_b32_e64 v12, 0, v13, s[4:5]
	v_cndmask_b32_e64 v13, 0, v14, s[4:5]
	v_cndmask_b32_e64 v14, 0, v15, s[4:5]
	buffer_store_dwordx2 v[4:5], v1, s[12:15], 0 offen
	v_cndmask_b32_e64 v1, v9, 0, s[4:5]
	v_pack_b32_f16 v7, v13, v14
	v_pack_b32_f16 v6, v11, v12
	v_add3_u32 v0, v0, s6, v1
	buffer_store_dwordx2 v[6:7], v0, s[12:15], 0 offen
	s_endpgm
	.amdhsa_kernel ck_fmha_convert_dq
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 56
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
		.amdhsa_next_free_vgpr 22
		.amdhsa_next_free_sgpr 20
		.amdhsa_accum_offset 24
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
	.set ck_fmha_convert_dq.num_vgpr, 22
	.set ck_fmha_convert_dq.num_agpr, 0
	.set ck_fmha_convert_dq.numbered_sgpr, 20
	.set ck_fmha_convert_dq.num_named_barrier, 0
	.set ck_fmha_convert_dq.private_seg_size, 0
	.set ck_fmha_convert_dq.uses_vcc, 1
	.set ck_fmha_convert_dq.uses_flat_scratch, 0
	.set ck_fmha_convert_dq.has_dyn_sized_stack, 0
	.set ck_fmha_convert_dq.has_recursion, 0
	.set ck_fmha_convert_dq.has_indirect_call, 0
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
        .size:           56
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 56
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_fmha_convert_dq
    .private_segment_fixed_size: 0
    .sgpr_count:     26
    .sgpr_spill_count: 0
    .symbol:         ck_fmha_convert_dq.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     22
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
