; A CK Tile batch prefill (fp16, heads of 128, mask, LSE), compiled by clang -S. Composable Kernel: MIT licence, Advanced Micro Devices.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 6
ck_fmha_batch_prefill:
	s_mov_b64 s[26:27], s[0:1]
	s_mov_b32 s33, s4
	s_load_dword s31, s[26:27], 0x2c
	s_load_dwordx2 s[12:13], s[26:27], 0x98
	s_load_dword s4, s[26:27], 0xb0
	s_abs_i32 s6, s33
	s_mov_b32 s0, s3
	s_waitcnt lgkmcnt(0)
	s_add_i32 s1, s31, 0x7f
	s_ashr_i32 s5, s1, 31
	s_lshr_b32 s5, s5, 25
	s_add_i32 s1, s1, s5
	s_ashr_i32 s5, s1, 7
	s_abs_i32 s1, s5
	v_cvt_f32_u32_e32 v1, s1
	s_sub_i32 s8, 0, s1
	s_xor_b32 s7, s33, s5
	s_ashr_i32 s7, s7, 31
	v_rcp_iflag_f32_e32 v1, v1
	s_nop 0
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_nop 0
	v_readfirstlane_b32 s9, v1
	s_mul_i32 s8, s8, s9
	s_mul_hi_u32 s8, s9, s8
	s_add_i32 s9, s9, s8
	s_mul_hi_u32 s8, s6, s9
	s_mul_i32 s9, s8, s1
	s_sub_i32 s6, s6, s9
	s_add_i32 s10, s8, 1
	s_sub_i32 s9, s6, s1
	s_cmp_ge_u32 s6, s1
	s_cselect_b32 s8, s10, s8
	s_cselect_b32 s6, s9, s6
	s_add_i32 s9, s8, 1
	s_cmp_ge_u32 s6, s1
	s_cselect_b32 s6, s9, s8
	s_xor_b32 s6, s6, s7
	s_sub_i32 s6, s6, s7
	s_not_b32 s7, s6
	s_ashr_i32 s1, s3, 31
	s_add_i32 s4, s4, s7
	s_lshl_b32 s14, s4, 6
	s_lshl_b64 s[0:1], s[0:1], 2
	s_add_u32 s8, s12, s0
	s_addc_u32 s9, s13, s1
	s_load_dwordx2 s[38:39], s[8:9], 0x0
	s_mov_b32 s12, 0
	s_mul_i32 s4, s6, s5
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s3, s39, s38
	s_cmp_le_i32 s3, s14
	s_cbranch_scc1 .LBB0_15
	s_load_dwordx4 s[8:11], s[26:27], 0x40
	s_load_dword s13, s[26:27], 0x54
                                        ; implicit-def: $vgpr173 : SGPR spill to VGPR lane
	s_load_dword s28, s[26:27], 0x28
	v_writelane_b32 v173, s4, 0
	s_mov_b64 s[40:41], s[26:27]
	s_waitcnt lgkmcnt(0)
	s_add_u32 s0, s8, s0
	s_addc_u32 s1, s9, s1
	s_load_dwordx2 s[8:9], s[0:1], 0x0
	s_load_dwordx4 s[4:7], s[26:27], 0x78
	s_load_dwordx2 s[16:17], s[26:27], 0x88
	s_mul_hi_i32 s19, s13, s38
	s_mov_b32 s36, s2
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s42, s9, s8
	s_sub_i32 s1, s3, s42
	s_sub_i32 s0, s42, s3
	s_add_i32 s1, s1, 1
	s_cmp_eq_u32 s6, 1
	s_cselect_b32 s9, 1, s1
	s_add_i32 s0, s0, 1
	s_cmp_eq_u32 s6, 1
	s_cselect_b32 s15, 1, s0
	s_load_dword s24, s[26:27], 0x90
	s_load_dwordx2 s[0:1], s[26:27], 0x0
	s_load_dwordx2 s[20:21], s[26:27], 0x18
	s_add_i32 s18, s3, -1
	s_add_i32 s7, s42, -1
	s_cmp_eq_u32 s6, 1
	s_cselect_b32 s29, s7, s18
	s_waitcnt lgkmcnt(0)
	v_writelane_b32 v173, s20, 1
	s_mul_i32 s25, s13, s18
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_writelane_b32 v173, s21, 2
	s_load_dwordx4 s[20:23], s[26:27], 0x58
	s_load_dword s6, s[26:27], 0x64
	s_waitcnt lgkmcnt(0)
	s_cselect_b32 s23, s18, s7
	s_add_i32 s7, s28, -1
	v_writelane_b32 v173, s14, 3
	s_add_u32 s14, s7, 1
	s_add_i32 s7, s31, -1
	s_add_u32 s37, s7, 1
	s_mul_hi_i32 s7, s6, s2
	s_mul_i32 s6, s6, s2
	s_ashr_i32 s39, s38, 31
	s_add_i32 s30, s25, s14
	s_lshl_b64 s[6:7], s[6:7], 1
	v_writelane_b32 v173, s18, 4
	s_mul_i32 s18, s13, s38
	s_add_u32 s6, s0, s6
	s_addc_u32 s7, s1, s7
	s_lshl_b64 s[0:1], s[18:19], 1
	s_mul_hi_i32 s27, s24, s2
	s_mul_i32 s26, s24, s2
	s_add_u32 s24, s6, s0
	s_addc_u32 s25, s7, s1
	s_lshl_b64 s[0:1], s[26:27], 2
	s_add_u32 s6, s16, s0
	s_mov_b32 s0, s38
	s_addc_u32 s7, s17, s1
	v_writelane_b32 v173, s0, 5
	v_mbcnt_hi_u32_b32 v2, -1, v1
	v_and_b32_e32 v1, 15, v2
	v_writelane_b32 v173, s1, 6
	s_lshl_b64 s[0:1], s[38:39], 2
	s_add_u32 s0, s6, s0
	s_addc_u32 s1, s7, s1
	v_writelane_b32 v173, s0, 7
	s_cmp_lt_i32 s4, 0
	v_lshrrev_b32_e32 v3, 2, v2
	v_writelane_b32 v173, s1, 8
	v_writelane_b32 v173, s2, 9
	v_writelane_b32 v173, s3, 10
	s_cselect_b32 s0, s23, s4
	s_cmp_lt_i32 s5, 0
	s_cselect_b32 s1, s29, s5
	s_add_i32 s2, s0, s9
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 2
	s_and_b32 s0, s0, 0x3ffffff0
	v_readlane_b32 s18, v173, 3
	v_or_b32_e32 v4, s0, v1
	v_and_b32_e32 v121, 28, v3
	v_add_u32_e32 v4, s18, v4
	s_add_i32 s6, s1, s15
	v_cmp_gt_i32_e32 vcc, s28, v121
	v_cmp_gt_i32_e64 s[0:1], s3, v4
	v_mul_lo_u32 v5, v4, s13
	s_and_b64 s[4:5], vcc, s[0:1]
	s_mov_b32 s13, s12
	v_cndmask_b32_e64 v4, 0, 1, s[4:5]
	v_mov_b64_e32 v[104:105], s[12:13]
	s_mov_b64 s[34:35], exec
	s_lshl_b32 s26, s30, 1
	s_mov_b32 s27, 0x20000
	v_add_lshl_u32 v5, v5, v121, 1
	v_cmpx_le_u32 exec, 1, v4
buffer_load_dwordx2 v[104:105], v5, s[24:27], 0 offen offset:0
s_mov_b64 exec s[34:35]
	v_add_u32_e32 v4, 16, v121
	v_cmp_gt_i32_e32 vcc, s28, v4
	s_and_b64 s[4:5], s[0:1], vcc
	v_cndmask_b32_e64 v4, 0, 1, s[4:5]
	v_mov_b64_e32 v[106:107], s[12:13]
	v_add_u32_e32 v6, 32, v5
	v_cmpx_le_u32 exec, 1, v4
buffer_load_dwordx2 v[106:107], v6, s[24:27], 0 offen offset:0
s_mov_b64 exec s[34:35]
	v_or_b32_e32 v4, 32, v121
	v_cmp_gt_i32_e32 vcc, s28, v4
	s_and_b64 s[4:5], s[0:1], vcc
	v_cndmask_b32_e64 v4, 0, 1, s[4:5]
	v_mov_b64_e32 v[108:109], s[12:13]
	v_add_u32_e32 v6, 64, v5
	v_cmpx_le_u32 exec, 1, v4
buffer_load_dwordx2 v[108:109], v6, s[24:27], 0 offen offset:0
s_mov_b64 exec s[34:35]
	v_add_u32_e32 v4, 48, v121
	v_cmp_gt_i32_e32 vcc, s28, v4
	s_and_b64 s[4:5], s[0:1], vcc
	v_cndmask_b32_e64 v4, 0, 1, s[4:5]
	v_mov_b64_e32 v[110:111], s[12:13]
	v_add_u32_e32 v6, 0x60, v5
	v_cmpx_le_u32 exec, 1, v4
buffer_load_dwordx2 v[110:111], v6, s[24:27], 0 offen offset:0
s_mov_b64 exec s[34:35]
	v_or_b32_e32 v4, 64, v121
	v_cmp_gt_i32_e32 vcc, s28, v4
	s_and_b64 s[4:5], s[0:1], vcc
	v_cndmask_b32_e64 v4, 0, 1, s[4:5]
	v_mov_b64_e32 v[112:113], s[12:13]
	v_add_u32_e32 v6, 0x80, v5
	v_cmpx_le_u32 exec, 1, v4
buffer_load_dwordx2 v[112:113], v6, s[24:27], 0 offen offset:0
s_mov_b64 exec s[34:35]
	v_add_u32_e32 v4, 0x50, v121
	v_cmp_gt_i32_e32 vcc, s28, v4
	s_and_b64 s[4:5], s[0:1], vcc
	v_cndmask_b32_e64 v4, 0, 1, s[4:5]
	v_mov_b64_e32 v[114:115], s[12:13]
	v_add_u32_e32 v6, 0xa0, v5
	v_cmpx_le_u32 exec, 1, v4
buffer_load_dwordx2 v[114:115], v6, s[24:27], 0 offen offset:0
s_mov_b64 exec s[34:35]
	v_or_b32_e32 v4, 0x60, v121
	v_cmp_gt_i32_e32 vcc, s28, v4
	s_and_b64 s[4:5], s[0:1], vcc
	v_cndmask_b32_e64 v4, 0, 1, s[4:5]
	v_mov_b64_e32 v[116:117], s[12:13]
	v_add_u32_e32 v6, 0xc0, v5
	v_cmpx_le_u32 exec, 1, v4
buffer_load_dwordx2 v[116:117], v6, s[24:27], 0 offen offset:0
s_mov_b64 exec s[34:35]
	v_add_u32_e32 v4, 0x70, v121
	v_cmp_gt_i32_e32 vcc, s28, v4
	v_mov_b64_e32 v[102:103], s[12:13]
	s_and_b64 s[0:1], s[0:1], vcc
	v_cndmask_b32_e64 v4, 0, 1, s[0:1]
	v_add_u32_e32 v5, 0xe0, v5
	v_cmpx_le_u32 exec, 1, v4
buffer_load_dwordx2 v[102:103], v5, s[24:27], 0 offen offset:0
s_mov_b64 exec s[34:35]
	v_writelane_b32 v173, s3, 11
	s_sub_i32 s0, s18, s2
	s_max_i32 s0, s0, -1
	s_add_i32 s0, s0, 1
	s_add_i32 s15, s6, s18
	v_writelane_b32 v173, s2, 12
	s_and_b32 s2, s0, 0xffffff80
	s_add_i32 s0, s15, 63
	s_min_i32 s0, s0, s42
	s_addk_i32 s0, 0x7f
	s_ashr_i32 s1, s0, 31
	s_lshr_b32 s1, s1, 25
	s_add_i32 s0, s0, s1
	s_and_b32 s0, s0, 0xffffff80
	s_sub_i32 s0, s0, s2
	s_or_b32 s0, s0, 0x7f
	v_writelane_b32 v173, s2, 13
	s_cmpk_gt_i32 s0, 0x7f
	v_writelane_b32 v173, s36, 14
	s_cbranch_scc0 .LBB0_10
	s_ashr_i32 s1, s0, 31
	s_load_dwordx4 s[4:7], s[40:41], 0x8
	s_load_dwordx2 s[12:13], s[40:41], 0x34
	s_load_dword s2, s[40:41], 0x50
	s_lshr_b32 s1, s1, 25
	s_add_i32 s0, s0, s1
	s_ashr_i32 s9, s8, 31
	s_ashr_i32 s23, s0, 7
	s_lshl_b64 s[0:1], s[8:9], 2
	s_add_u32 s28, s10, s0
	s_addc_u32 s29, s11, s1
	s_waitcnt lgkmcnt(0)
	s_abs_i32 s3, s12
	v_cvt_f32_u32_e32 v4, s3
	v_writelane_b32 v173, s33, 15
	v_writelane_b32 v173, s40, 16
	s_mov_b32 s9, 0
	v_rcp_iflag_f32_e32 v4, v4
	v_writelane_b32 v173, s41, 17
	v_writelane_b32 v173, s37, 18
	v_writelane_b32 v173, s9, 19
	v_mul_f32_e32 v4, 0x4f7ffffe, v4
	v_cvt_u32_f32_e32 v4, v4
	s_sub_i32 s9, 0, s3
	s_add_i32 s1, s13, -1
	s_abs_i32 s8, s36
	v_readfirstlane_b32 s10, v4
	s_mul_i32 s9, s9, s10
	s_mul_hi_u32 s9, s10, s9
	s_add_i32 s10, s10, s9
	s_mul_i32 s0, s1, s21
	s_add_i32 s1, s1, 0
	s_mul_hi_u32 s9, s8, s10
	s_mul_i32 s1, s20, s1
	s_mul_i32 s10, s9, s3
	s_add_i32 s14, s14, s1
	s_xor_b32 s1, s36, s12
	s_sub_i32 s8, s8, s10
	s_add_i32 s0, s0, s37
	s_ashr_i32 s1, s1, 31
	s_add_i32 s10, s9, 1
	s_sub_i32 s11, s8, s3
	s_cmp_ge_u32 s8, s3
	s_cselect_b32 s9, s10, s9
	s_load_dwordx2 s[16:17], s[40:41], 0x68
	s_cselect_b32 s8, s11, s8
	s_add_i32 s10, s9, 1
	s_cmp_ge_u32 s8, s3
	s_cselect_b32 s3, s10, s9
	s_xor_b32 s3, s3, s1
	s_sub_i32 s1, s3, s1
	s_waitcnt lgkmcnt(0)
	s_mul_hi_i32 s9, s1, s17
	s_mul_i32 s8, s1, s17
	s_lshl_b64 s[8:9], s[8:9], 1
	s_add_u32 s8, s6, s8
	s_addc_u32 s9, s7, s9
	s_mul_hi_i32 s7, s1, s16
	s_mul_i32 s6, s1, s16
	s_lshl_b64 s[6:7], s[6:7], 1
	s_add_u32 s24, s4, s6
	s_addc_u32 s25, s5, s7
	s_mov_b32 s19, s42
	v_readfirstlane_b32 s1, v0
	v_lshrrev_b32_e32 v6, 3, v2
	s_lshr_b32 s3, s1, 6
	v_and_b32_e32 v4, 12, v6
	v_add_u32_e32 v38, s3, v4
	v_lshlrev_b32_e32 v4, 2, v38
	global_load_dword v7, v4, s[28:29]
	global_load_dword v8, v4, s[28:29] offset:32
	global_load_dword v9, v4, s[28:29] offset:64
	global_load_dword v10, v4, s[28:29] offset:96
	global_load_dword v11, v4, s[28:29] offset:128
	global_load_dword v12, v4, s[28:29] offset:160
	global_load_dword v13, v4, s[28:29] offset:192
	global_load_dword v14, v4, s[28:29] offset:224
	global_load_dword v15, v4, s[28:29] offset:256
	global_load_dword v16, v4, s[28:29] offset:288
	global_load_dword v17, v4, s[28:29] offset:320
	global_load_dword v18, v4, s[28:29] offset:352
	global_load_dword v19, v4, s[28:29] offset:384
	global_load_dword v20, v4, s[28:29] offset:416
	global_load_dword v21, v4, s[28:29] offset:448
	global_load_dword v22, v4, s[28:29] offset:480
	s_lshr_b32 s1, s1, 2
	v_and_b32_e32 v126, 24, v3
	v_lshlrev_b32_e32 v23, 2, v2
	s_and_b32 s1, s1, 0x3ffffff0
	v_and_b32_e32 v24, 4, v23
	v_add_u32_e32 v4, s1, v126
	v_mov_b32_e32 v119, 0
	v_or_b32_e32 v118, v4, v24
	v_lshl_add_u64 v[4:5], v[118:119], 2, s[28:29]
	global_load_dwordx4 v[34:37], v[4:5], off
	v_lshlrev_b32_e32 v5, 1, v2
	s_mul_i32 s1, s3, 0x110
	v_and_b32_e32 v127, 62, v5
	s_addk_i32 s1, 0x4800
	s_mov_b32 m0, s1
	s_lshl_b32 s26, s14, 1
	v_lshrrev_b32_e32 v4, 5, v2
	v_and_b32_e32 v144, 0x78, v23
	v_or_b32_e32 v145, 64, v127
	s_waitcnt vmcnt(16)
	v_mul_lo_u32 v128, v7, s20
	v_add_lshl_u32 v5, v128, v127, 1
	buffer_load_dword v5, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(15)
	v_mul_lo_u32 v129, v8, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v7, v129, v127, 1
	buffer_load_dword v7, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(14)
	v_mul_lo_u32 v130, v9, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v8, v130, v127, 1
	buffer_load_dword v8, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(13)
	v_mul_lo_u32 v131, v10, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v9, v131, v127, 1
	buffer_load_dword v9, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(12)
	v_mul_lo_u32 v132, v11, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v10, v132, v127, 1
	buffer_load_dword v10, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(11)
	v_mul_lo_u32 v133, v12, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v11, v133, v127, 1
	buffer_load_dword v11, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(10)
	v_mul_lo_u32 v134, v13, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v12, v134, v127, 1
	buffer_load_dword v12, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(9)
	v_mul_lo_u32 v135, v14, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v13, v135, v127, 1
	buffer_load_dword v13, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(8)
	v_mul_lo_u32 v136, v15, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v14, v136, v127, 1
	buffer_load_dword v14, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(7)
	v_mul_lo_u32 v137, v16, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v15, v137, v127, 1
	buffer_load_dword v15, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(6)
	v_mul_lo_u32 v138, v17, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v16, v138, v127, 1
	buffer_load_dword v16, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(5)
	v_mul_lo_u32 v139, v18, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v17, v139, v127, 1
	buffer_load_dword v17, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(4)
	v_mul_lo_u32 v140, v19, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v18, v140, v127, 1
	buffer_load_dword v18, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(3)
	v_mul_lo_u32 v141, v20, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v19, v141, v127, 1
	buffer_load_dword v19, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(2)
	v_mul_lo_u32 v142, v21, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v20, v142, v127, 1
	buffer_load_dword v20, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(1)
	v_mul_lo_u32 v143, v22, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v5, v143, v127, 1
	buffer_load_dword v5, s[24:27], 0 offen offset:0 lds
	v_and_b32_e32 v5, 3, v2
	v_mul_u32_u24_e32 v5, 0x88, v5
	v_lshlrev_b32_e32 v17, 5, v1
	v_lshrrev_b32_e32 v7, 3, v1
	v_add_u32_e32 v9, 16, v3
	v_or_b32_e32 v11, 32, v3
	v_add_u32_e32 v13, 48, v3
	v_or_b32_e32 v6, 14, v6
	v_lshlrev_b32_e32 v16, 1, v121
	v_lshlrev_b32_e32 v5, 1, v5
	v_and_b32_e32 v17, 0x80, v17
	s_lshl_b32 s10, s0, 1
	s_mov_b32 s11, s27
	v_mul_u32_u24_e32 v8, 0x220, v7
	v_sub_u32_e32 v10, v9, v126
	v_sub_u32_e32 v12, v11, v126
	v_sub_u32_e32 v14, v13, v126
	v_sub_u32_e32 v6, v6, v7
	v_add3_u32 v5, v16, v5, v17
	v_writelane_b32 v173, s8, 20
	v_and_b32_e32 v10, 0x7ffffff8, v10
	v_and_b32_e32 v12, 56, v12
	v_and_b32_e32 v14, 0x7ffffff8, v14
	v_mul_u32_u24_e32 v15, 0x220, v6
	v_lshl_add_u32 v146, v8, 1, v5
	v_writelane_b32 v173, s9, 21
	v_lshlrev_b32_e32 v5, 1, v15
	v_lshl_add_u32 v148, v10, 1, v146
	v_lshl_add_u32 v150, v12, 1, v146
	v_lshl_add_u32 v152, v14, 1, v146
	v_writelane_b32 v173, s10, 22
	v_add_u32_e32 v147, v146, v5
	v_add_u32_e32 v149, v148, v5
	v_add_u32_e32 v151, v150, v5
	v_add_u32_e32 v153, v152, v5
	v_writelane_b32 v173, s11, 23
	s_add_i32 s0, s18, 64
	v_or_b32_e32 v154, 3, v3
	v_and_b32_e32 v3, 4, v3
	v_mul_u32_u24_e32 v5, 0x48, v7
	v_lshlrev_b32_e32 v7, 3, v1
	v_writelane_b32 v173, s0, 24
	v_and_or_b32 v3, v7, 56, v3
	v_lshrrev_b32_e32 v7, 3, v9
	v_lshrrev_b32_e32 v8, 3, v11
	v_lshrrev_b32_e32 v9, 3, v13
	v_writelane_b32 v173, s19, 25
	v_sub_u32_e32 v7, v7, v4
	v_sub_u32_e32 v8, v8, v4
	v_sub_u32_e32 v9, v9, v4
	v_mul_u32_u24_e32 v4, 0x900, v4
	s_waitcnt vmcnt(16)
	v_writelane_b32 v173, s15, 26
	s_min_i32 s0, s15, s42
	v_bfe_u32 v2, v2, 1, 4
	v_lshl_add_u32 v4, v5, 1, v4
	v_writelane_b32 v173, s0, 27
	v_mul_u32_u24_e32 v2, 0x48, v2
	v_mul_u32_u24_e32 v6, 0x48, v6
	s_movk_i32 s0, 0x900
	v_lshl_add_u32 v157, v3, 1, v4
	v_lshlrev_b32_e32 v3, 1, v6
	v_mad_i32_i24 v159, v7, s0, v157
	v_mad_u32_u24 v161, v8, s0, v157
	v_mad_i32_i24 v163, v9, s0, v157
	v_or_b32_e32 v2, v24, v2
	v_add_u32_e32 v155, 0x80, v23
	v_add_u32_e32 v156, 64, v23
	v_add_u32_e32 v158, v157, v3
	v_add_u32_e32 v160, v159, v3
	v_add_u32_e32 v162, v161, v3
	v_add_u32_e32 v164, v163, v3
	v_writelane_b32 v173, s23, 28
	s_max_i32 s0, s23, 1
	v_lshlrev_b32_e32 v120, 1, v2
	s_mov_b32 s3, s2
	v_mov_b32_e32 v122, 0xff800000
	v_mov_b32_e32 v171, 0
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
	s_mov_b32 s10, 0xff800000
	s_mov_b32 s33, 0x1000504
	s_mov_b32 s23, 0x3020706
	v_mov_b32_e32 v165, 0xff800000
	v_add_u32_e32 v166, 0x4800, v157
	v_add_u32_e32 v167, 0x4800, v159
	v_add_u32_e32 v168, 0x4800, v161
	v_add_u32_e32 v169, 0x4800, v163
	v_lshlrev_b32_e32 v170, 2, v38
	v_mov_b32_e32 v172, v145
	s_mov_b32 s34, 0xff800000
	v_writelane_b32 v173, s0, 29
	s_branch .LBB0_4
.LBB0_3:
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b64 v[60:63], v157 offset1:36
	v_cvt_pkrtz_f16_f32 v64, v58, v51
	v_cvt_pkrtz_f16_f32 v65, v52, v53
	ds_read_b64 v[52:53], v157 offset:1728
	ds_read_b64 v[66:67], v159 offset:1728
	ds_read_b64 v[68:69], v160
	ds_read_b64 v[70:71], v161 offset:1728
	v_readlane_b32 s0, v173, 19
	v_readlane_b32 s1, v173, 29
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[10:13], v[60:61], v[64:65], v[10:13]
	ds_read2_b64 v[58:61], v157 offset0:72 offset1:108
	s_cmp_lg_u32 s1, s0
	v_mov_b32_e32 v122, v55
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[2:5], v[52:53], v[64:65], v[2:5]
	v_cvt_pkrtz_f16_f32 v52, v46, v47
	v_cvt_pkrtz_f16_f32 v53, v48, v49
	ds_read2_b64 v[46:49], v159 offset0:72 offset1:108
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[18:21], v[58:59], v[64:65], v[18:21]
	v_mfma_f32_16x16x16_f16 v[22:25], v[60:61], v[64:65], v[22:25]
	ds_read2_b64 v[58:61], v157 offset0:144 offset1:180
	v_mfma_f32_16x16x16_f16 v[14:17], v[62:63], v[64:65], v[14:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[26:29], v[58:59], v[64:65], v[26:29]
	ds_read_b64 v[58:59], v158
	ds_read_b64 v[62:63], v164
	v_mfma_f32_16x16x16_f16 v[30:33], v[60:61], v[64:65], v[30:33]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[6:9], v[58:59], v[64:65], v[6:9]
	ds_read2_b64 v[58:61], v159 offset1:36
	v_mfma_f32_16x16x16_f16 v[18:21], v[46:47], v[52:53], v[18:21]
	v_mfma_f32_16x16x16_f16 v[22:25], v[48:49], v[52:53], v[22:25]
	ds_read2_b64 v[46:49], v159 offset0:144 offset1:180
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[10:13], v[58:59], v[52:53], v[10:13]
	v_mfma_f32_16x16x16_f16 v[14:17], v[60:61], v[52:53], v[14:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[26:29], v[46:47], v[52:53], v[26:29]
	v_mfma_f32_16x16x16_f16 v[30:33], v[48:49], v[52:53], v[30:33]
	ds_read2_b64 v[46:49], v161 offset1:36
	v_mfma_f32_16x16x16_f16 v[2:5], v[66:67], v[52:53], v[2:5]
	v_mfma_f32_16x16x16_f16 v[6:9], v[68:69], v[52:53], v[6:9]
	v_cvt_pkrtz_f16_f32 v52, v42, v43
	v_cvt_pkrtz_f16_f32 v53, v44, v45
	ds_read2_b64 v[42:45], v161 offset0:72 offset1:108
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[18:21], v[42:43], v[52:53], v[18:21]
	v_mfma_f32_16x16x16_f16 v[42:45], v[44:45], v[52:53], v[22:25]
	s_nop 2
	ds_read2_b64 v[22:25], v161 offset0:144 offset1:180
	v_mfma_f32_16x16x16_f16 v[10:13], v[46:47], v[52:53], v[10:13]
	v_mfma_f32_16x16x16_f16 v[14:17], v[48:49], v[52:53], v[14:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[46:49], v[22:23], v[52:53], v[26:29]
	ds_read_b64 v[22:23], v162
	ds_read_b64 v[64:65], v163 offset:1728
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[58:61], v[22:23], v[52:53], v[6:9]
	s_nop 2
	ds_read2_b64 v[6:9], v163 offset1:36
	v_mfma_f32_16x16x16_f16 v[30:33], v[24:25], v[52:53], v[30:33]
	v_mfma_f32_16x16x16_f16 v[2:5], v[70:71], v[52:53], v[2:5]
	v_cvt_pkrtz_f16_f32 v52, v38, v39
	v_cvt_pkrtz_f16_f32 v53, v40, v41
	v_add_f32_e32 v38, v56, v57
	v_fmac_f32_e32 v38, v171, v50
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[26:29], v[6:7], v[52:53], v[10:13]
	v_mov_b32_e32 v171, v38
	v_mfma_f32_16x16x16_f16 v[22:25], v[8:9], v[52:53], v[14:17]
	ds_read2_b64 v[6:9], v163 offset0:72 offset1:108
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[18:21], v[6:7], v[52:53], v[18:21]
	v_mfma_f32_16x16x16_f16 v[14:17], v[8:9], v[52:53], v[42:45]
	ds_read2_b64 v[6:9], v163 offset0:144 offset1:180
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[10:13], v[6:7], v[52:53], v[46:49]
	v_mfma_f32_16x16x16_f16 v[6:9], v[8:9], v[52:53], v[30:33]
	v_mfma_f32_16x16x16_f16 v[2:5], v[64:65], v[52:53], v[2:5]
	v_mfma_f32_16x16x16_f16 v[30:33], v[62:63], v[52:53], v[58:61]
	s_cbranch_scc0 .LBB0_11
.LBB0_4:
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 6
	s_mulk_i32 s0, 0x110
	s_add_i32 s0, s0, 0x9000
	s_mov_b32 m0, s0
	v_add_lshl_u32 v38, v128, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v129, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v130, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v131, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v132, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v133, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v134, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v135, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v136, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v137, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v138, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v139, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v140, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v141, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v142, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v38, v143, v172, 1
	buffer_load_dword v38, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(16)
	s_waitcnt vmcnt(0)
	v_mul_lo_u32 v37, v37, s21
	v_mul_lo_u32 v36, v36, s21
	v_mul_lo_u32 v35, v35, s21
	v_mul_lo_u32 v34, v34, s21
	s_barrier
	ds_read_b64 v[50:51], v146 offset:24960
	ds_read_b64 v[70:71], v146 offset:27136
	ds_read_b64 v[74:75], v146 offset:29312
	ds_read_b64 v[78:79], v146 offset:31488
	ds_read_b64 v[86:87], v148 offset:22784
	ds_read_b64 v[88:89], v148 offset:24960
	ds_read_b64 v[90:91], v148 offset:27136
	ds_read_b64 v[92:93], v148 offset:29312
	ds_read_b64 v[38:39], v146 offset:18432
	ds_read_b64 v[42:43], v146 offset:20608
	ds_read_b64 v[46:47], v146 offset:22784
	ds_read_b64 v[94:95], v148 offset:31488
	ds_read_b64 v[96:97], v150 offset:20608
	ds_read_b64 v[98:99], v150 offset:22784
	ds_read_b64 v[100:101], v150 offset:24960
	ds_read_b64 v[174:175], v150 offset:27136
	ds_read_b64 v[176:177], v148 offset:18432
	ds_read_b64 v[178:179], v148 offset:20608
	ds_read_b64 v[180:181], v150 offset:29312
	ds_read_b64 v[182:183], v150 offset:31488
	ds_read_b64 v[184:185], v152 offset:18432
	ds_read_b64 v[186:187], v152 offset:20608
	ds_read_b64 v[188:189], v152 offset:22784
	ds_read_b64 v[190:191], v152 offset:24960
	ds_read_b64 v[192:193], v150 offset:18432
	ds_read_b64 v[194:195], v152 offset:27136
	ds_read_b64 v[196:197], v152 offset:29312
	ds_read_b64 v[198:199], v152 offset:31488
	ds_read_b64 v[82:83], v147 offset:18432
	ds_read_b64 v[200:201], v149 offset:18432
	ds_read_b64 v[202:203], v151 offset:18432
	ds_read_b64 v[204:205], v153 offset:18432
	v_readlane_b32 s4, v173, 20
	v_add_lshl_u32 v34, v34, v144, 1
	v_add_lshl_u32 v35, v35, v144, 1
	v_readlane_b32 s5, v173, 21
	v_readlane_b32 s6, v173, 22
	v_readlane_b32 s7, v173, 23
	s_waitcnt vmcnt(0)
	s_barrier
	s_nop 3
	buffer_load_dwordx4 v[54:57], v34, s[4:7], 0 offen
	buffer_load_dwordx4 v[58:61], v35, s[4:7], 0 offen
	v_add_lshl_u32 v34, v36, v144, 1
	v_add_lshl_u32 v35, v37, v144, 1
	v_lshl_add_u64 v[124:125], v[118:119], 2, s[28:29]
	buffer_load_dwordx4 v[62:65], v34, s[4:7], 0 offen
	buffer_load_dwordx4 v[66:69], v35, s[4:7], 0 offen
	s_nop 0
	global_load_dwordx4 v[34:37], v[124:125], off offset:256
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x16_f16 v[38:41], v[38:39], v[104:105], 0
	v_readlane_b32 s5, v173, 13
	s_add_i32 s35, s5, 0x80
	v_readlane_b32 s0, v173, 27
	v_mfma_f32_16x16x16_f16 v[46:49], v[46:47], v[104:105], 0
	s_cmp_gt_i32 s35, s0
	v_readlane_b32 s4, v173, 12
	s_cselect_b64 s[0:1], -1, 0
	v_mfma_f32_16x16x16_f16 v[38:41], v[176:177], v[106:107], v[38:41]
	s_add_i32 s4, s5, s4
	v_readlane_b32 s5, v173, 11
	s_min_i32 s4, s4, s5
	v_mfma_f32_16x16x16_f16 v[42:45], v[42:43], v[104:105], 0
	v_readlane_b32 s5, v173, 24
	s_cmp_gt_i32 s5, s4
	s_cselect_b64 s[4:5], -1, 0
	v_mfma_f32_16x16x16_f16 v[46:49], v[86:87], v[106:107], v[46:49]
	ds_read_b64 v[86:87], v146 offset:36864
	s_or_b64 s[0:1], s[0:1], s[4:5]
	s_andn2_b64 vcc, exec, s[0:1]
	s_waitcnt lgkmcnt(8)
	v_mfma_f32_16x16x16_f16 v[38:41], v[192:193], v[108:109], v[38:41]
	v_mfma_f32_16x16x16_f16 v[50:53], v[50:51], v[104:105], 0
	v_mfma_f32_16x16x16_f16 v[70:73], v[70:71], v[104:105], 0
	v_mfma_f32_16x16x16_f16 v[42:45], v[178:179], v[106:107], v[42:45]
	v_mfma_f32_16x16x16_f16 v[38:41], v[184:185], v[110:111], v[38:41]
	v_mfma_f32_16x16x16_f16 v[78:81], v[78:79], v[104:105], 0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[82:85], v[82:83], v[104:105], 0
	v_mfma_f32_16x16x16_f16 v[50:53], v[88:89], v[106:107], v[50:53]
	v_mfma_f32_16x16x16_f16 v[70:73], v[90:91], v[106:107], v[70:73]
	v_mfma_f32_16x16x16_f16 v[74:77], v[74:75], v[104:105], 0
	v_mfma_f32_16x16x16_f16 v[42:45], v[96:97], v[108:109], v[42:45]
	v_mfma_f32_16x16x16_f16 v[46:49], v[98:99], v[108:109], v[46:49]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[38:41], v[86:87], v[112:113], v[38:41]
	ds_read_b64 v[86:87], v146 offset:43392
	v_mfma_f32_16x16x16_f16 v[78:81], v[94:95], v[106:107], v[78:81]
	v_mfma_f32_16x16x16_f16 v[82:85], v[200:201], v[106:107], v[82:85]
	v_mfma_f32_16x16x16_f16 v[50:53], v[100:101], v[108:109], v[50:53]
	v_mfma_f32_16x16x16_f16 v[70:73], v[174:175], v[108:109], v[70:73]
	v_mfma_f32_16x16x16_f16 v[74:77], v[92:93], v[106:107], v[74:77]
	ds_read_b64 v[88:89], v146 offset:39040
	ds_read_b64 v[90:91], v146 offset:41216
	ds_read_b64 v[92:93], v148 offset:49920
	v_mfma_f32_16x16x16_f16 v[42:45], v[186:187], v[110:111], v[42:45]
	v_mfma_f32_16x16x16_f16 v[46:49], v[188:189], v[110:111], v[46:49]
	v_mfma_f32_16x16x16_f16 v[78:81], v[182:183], v[108:109], v[78:81]
	v_mfma_f32_16x16x16_f16 v[82:85], v[202:203], v[108:109], v[82:85]
	v_mfma_f32_16x16x16_f16 v[50:53], v[190:191], v[110:111], v[50:53]
	v_mfma_f32_16x16x16_f16 v[70:73], v[194:195], v[110:111], v[70:73]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[42:45], v[88:89], v[112:113], v[42:45]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[46:49], v[90:91], v[112:113], v[46:49]
	ds_read_b64 v[88:89], v146 offset:45568
	ds_read_b64 v[90:91], v146 offset:47744
	ds_read_b64 v[94:95], v146 offset:49920
	v_mfma_f32_16x16x16_f16 v[78:81], v[198:199], v[110:111], v[78:81]
	v_mfma_f32_16x16x16_f16 v[82:85], v[204:205], v[110:111], v[82:85]
	v_mfma_f32_16x16x16_f16 v[50:53], v[86:87], v[112:113], v[50:53]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[70:73], v[88:89], v[112:113], v[70:73]
	ds_read_b64 v[86:87], v147 offset:36864
	ds_read_b64 v[88:89], v148 offset:36864
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[78:81], v[94:95], v[112:113], v[78:81]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[82:85], v[86:87], v[112:113], v[82:85]
	ds_read_b64 v[86:87], v148 offset:39040
	ds_read_b64 v[94:95], v150 offset:49920
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[42:45], v[86:87], v[114:115], v[42:45]
	ds_read_b64 v[86:87], v148 offset:43392
	ds_read_b64 v[96:97], v148 offset:45568
	ds_read_b64 v[100:101], v148 offset:47744
	v_mfma_f32_16x16x16_f16 v[74:77], v[180:181], v[108:109], v[74:77]
	v_mfma_f32_16x16x16_f16 v[38:41], v[88:89], v[114:115], v[38:41]
	ds_read_b64 v[88:89], v148 offset:41216
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[50:53], v[86:87], v[114:115], v[50:53]
	ds_read_b64 v[86:87], v150 offset:36864
	v_mfma_f32_16x16x16_f16 v[74:77], v[196:197], v[110:111], v[74:77]
	v_mfma_f32_16x16x16_f16 v[74:77], v[90:91], v[112:113], v[74:77]
	ds_read_b64 v[90:91], v149 offset:36864
	ds_read_b64 v[98:99], v151 offset:36864
	ds_read_b64 v[174:175], v153 offset:36864
	v_mfma_f32_16x16x16_f16 v[78:81], v[92:93], v[114:115], v[78:81]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[82:85], v[90:91], v[114:115], v[82:85]
	v_mfma_f32_16x16x16_f16 v[38:41], v[86:87], v[116:117], v[38:41]
	ds_read_b64 v[86:87], v150 offset:41216
	ds_read_b64 v[90:91], v150 offset:43392
	ds_read_b64 v[92:93], v150 offset:45568
	v_mfma_f32_16x16x16_f16 v[46:49], v[88:89], v[114:115], v[46:49]
	ds_read_b64 v[88:89], v150 offset:39040
	ds_read_b64 v[176:177], v152 offset:49920
	v_mfma_f32_16x16x16_f16 v[70:73], v[96:97], v[114:115], v[70:73]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[42:45], v[88:89], v[116:117], v[42:45]
	v_mfma_f32_16x16x16_f16 v[46:49], v[86:87], v[116:117], v[46:49]
	v_mfma_f32_16x16x16_f16 v[86:89], v[92:93], v[116:117], v[70:73]
	s_nop 2
	ds_read_b64 v[70:71], v150 offset:47744
	v_mfma_f32_16x16x16_f16 v[74:77], v[100:101], v[114:115], v[74:77]
	v_mfma_f32_16x16x16_f16 v[50:53], v[90:91], v[116:117], v[50:53]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[90:93], v[70:71], v[116:117], v[74:77]
	ds_read_b64 v[70:71], v152 offset:36864
	ds_read_b64 v[72:73], v152 offset:39040
	s_nop 1
	ds_read_b64 v[74:75], v152 offset:41216
	ds_read_b64 v[178:179], v152 offset:43392
	v_mfma_f32_16x16x16_f16 v[98:101], v[98:99], v[116:117], v[82:85]
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[82:85], v[70:71], v[102:103], v[38:41]
	s_nop 2
	ds_read_b64 v[38:39], v152 offset:45568
	ds_read_b64 v[40:41], v152 offset:47744
	v_mfma_f32_16x16x16_f16 v[94:97], v[94:95], v[116:117], v[78:81]
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[78:81], v[72:73], v[102:103], v[42:45]
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[74:77], v[74:75], v[102:103], v[46:49]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[70:73], v[178:179], v[102:103], v[50:53]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[50:53], v[38:39], v[102:103], v[86:89]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[46:49], v[40:41], v[102:103], v[90:93]
	v_mfma_f32_16x16x16_f16 v[42:45], v[176:177], v[102:103], v[94:97]
	v_mfma_f32_16x16x16_f16 v[38:41], v[174:175], v[102:103], v[98:101]
	s_cbranch_vccnz .LBB0_8
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 2
	s_and_b32 s0, s0, 0x3ffffff0
	v_or_b32_e32 v86, s0, v1
	v_readlane_b32 s0, v173, 3
	v_readlane_b32 s4, v173, 13
	s_nop 0
	v_add_u32_e32 v87, s0, v86
	v_readlane_b32 s0, v173, 12
	v_add_u32_e32 v90, s4, v121
	v_add_u32_e32 v93, 0x50, v90
	v_subrev_u32_e32 v91, s0, v87
	v_readlane_b32 s0, v173, 26
	v_cmp_gt_i32_e64 s[86:87], v90, v91
	v_cmp_gt_i32_e64 s[80:81], v93, v91
	v_add_u32_e32 v86, s0, v86
	v_readlane_b32 s0, v173, 25
	v_add_u32_e32 v94, 0x62, v90
	v_cmp_gt_i32_e64 s[84:85], v94, v91
	v_min_i32_e32 v92, s0, v86
	v_add_u32_e32 v86, 1, v90
	v_cmp_gt_i32_e64 s[68:69], v86, v91
	v_cmp_lt_i32_e64 s[74:75], v86, v92
	v_add_u32_e32 v86, 2, v90
	v_cmp_gt_i32_e64 s[70:71], v86, v91
	v_cmp_lt_i32_e64 s[76:77], v86, v92
	v_add_u32_e32 v86, s4, v154
	v_cmp_gt_i32_e64 s[72:73], v86, v91
	v_cmp_lt_i32_e64 s[78:79], v86, v92
	v_add_u32_e32 v86, 16, v90
	v_cmp_gt_i32_e64 s[64:65], v86, v91
	v_cmp_lt_i32_e64 s[66:67], v86, v92
	v_add_u32_e32 v86, 17, v90
	v_cmp_gt_i32_e64 s[52:53], v86, v91
	v_cmp_lt_i32_e64 s[58:59], v86, v92
	v_add_u32_e32 v86, 18, v90
	v_cmp_gt_i32_e64 s[54:55], v86, v91
	v_cmp_lt_i32_e64 s[60:61], v86, v92
	v_add_u32_e32 v86, 19, v90
	v_cmp_gt_i32_e64 s[56:57], v86, v91
	v_cmp_lt_i32_e64 s[62:63], v86, v92
	v_add_u32_e32 v86, 32, v90
	v_cmp_gt_i32_e64 s[48:49], v86, v91
	v_cmp_lt_i32_e64 s[50:51], v86, v92
	v_add_u32_e32 v86, 33, v90
	v_cmp_gt_i32_e64 s[36:37], v86, v91
	v_cmp_lt_i32_e64 s[42:43], v86, v92
	v_add_u32_e32 v86, 34, v90
	v_cmp_gt_i32_e64 s[38:39], v86, v91
	v_cmp_lt_i32_e64 s[44:45], v86, v92
	v_add_u32_e32 v86, 35, v90
	v_cmp_gt_i32_e64 s[40:41], v86, v91
	v_cmp_lt_i32_e64 s[46:47], v86, v92
	v_add_u32_e32 v86, 48, v90
	v_cmp_gt_i32_e64 s[4:5], v86, v91
	v_readlane_b32 s0, v173, 11
	v_cmp_lt_i32_e64 s[94:95], v90, v92
	v_writelane_b32 v173, s4, 30
	v_cmp_gt_i32_e32 vcc, s0, v87
	v_cmp_le_i32_e64 s[0:1], s0, v87
	v_writelane_b32 v173, s5, 31
	v_cmp_lt_i32_e64 s[4:5], v86, v92
	v_add_u32_e32 v86, 49, v90
	v_cmp_lt_i32_e64 s[18:19], v93, v92
	v_writelane_b32 v173, s4, 32
	v_add_u32_e32 v93, 0x61, v90
	v_cmp_gt_i32_e64 s[88:89], v93, v91
	v_writelane_b32 v173, s5, 33
	v_cmp_gt_i32_e64 s[4:5], v86, v91
	v_cmp_lt_i32_e64 s[96:97], v93, v92
	v_cmp_lt_i32_e64 s[92:93], v94, v92
	v_writelane_b32 v173, s4, 34
	s_nop 1
	v_writelane_b32 v173, s5, 35
	v_cmp_lt_i32_e64 s[4:5], v86, v92
	v_add_u32_e32 v86, 50, v90
	s_nop 0
	v_writelane_b32 v173, s4, 36
	s_nop 1
	v_writelane_b32 v173, s5, 37
	v_cmp_gt_i32_e64 s[4:5], v86, v91
	s_nop 1
	v_writelane_b32 v173, s4, 38
	s_nop 1
	v_writelane_b32 v173, s5, 39
	v_cmp_lt_i32_e64 s[4:5], v86, v92
	v_add_u32_e32 v86, 51, v90
	s_nop 0
	v_writelane_b32 v173, s4, 40
	s_nop 1
	v_writelane_b32 v173, s5, 41
	v_cmp_gt_i32_e64 s[4:5], v86, v91
	s_nop 1
	v_writelane_b32 v173, s4, 42
	s_nop 1
	v_writelane_b32 v173, s5, 43
	v_cmp_lt_i32_e64 s[4:5], v86, v92
	v_add_u32_e32 v86, 64, v90
	s_nop 0
	v_writelane_b32 v173, s4, 44
	s_nop 1
	v_writelane_b32 v173, s5, 45
	v_cmp_gt_i32_e64 s[4:5], v86, v91
	s_nop 1
	v_writelane_b32 v173, s4, 46
	s_nop 1
	v_writelane_b32 v173, s5, 47
	v_cmp_lt_i32_e64 s[4:5], v86, v92
	v_add_u32_e32 v86, 0x41, v90
	s_nop 0
	v_writelane_b32 v173, s4, 48
	s_nop 1
	v_writelane_b32 v173, s5, 49
	v_cmp_gt_i32_e64 s[4:5], v86, v91
	s_nop 1
	v_writelane_b32 v173, s4, 50
	s_nop 1
	v_writelane_b32 v173, s5, 51
	v_cmp_lt_i32_e64 s[4:5], v86, v92
	v_add_u32_e32 v86, 0x42, v90
	s_nop 0
	v_writelane_b32 v173, s4, 52
	s_nop 1
	v_writelane_b32 v173, s5, 53
	v_cmp_gt_i32_e64 s[4:5], v86, v91
	s_nop 1
	v_writelane_b32 v173, s4, 54
	s_nop 1
	v_writelane_b32 v173, s5, 55
	v_cmp_lt_i32_e64 s[4:5], v86, v92
	v_add_u32_e32 v86, 0x43, v90
	s_nop 0
	v_writelane_b32 v173, s4, 56
	s_nop 1
	v_writelane_b32 v173, s5, 57
	v_cmp_gt_i32_e64 s[4:5], v86, v91
	s_nop 1
	v_writelane_b32 v173, s4, 58
	s_nop 1
	v_writelane_b32 v173, s5, 59
	v_cmp_lt_i32_e64 s[4:5], v86, v92
	v_add_u32_e32 v86, 0x70, v90
	v_cmp_gt_i32_e64 s[6:7], v86, v91
	v_writelane_b32 v173, s4, 60
	v_cmp_lt_i32_e64 s[8:9], v86, v92
	v_mov_b64_e32 v[88:89], v[40:41]
	v_writelane_b32 v173, s5, 61
	s_and_b64 s[4:5], s[8:9], vcc
	v_mov_b64_e32 v[86:87], v[38:39]
	v_mov_b32_e32 v86, s10
	s_and_b64 s[6:7], s[4:5], s[6:7]
	v_cndmask_b32_e64 v38, v86, v38, s[6:7]
	v_add_u32_e32 v86, 0x71, v90
	v_cmp_lt_i32_e64 s[8:9], v86, v92
	v_cndmask_b32_e64 v41, v89, v41, s[6:7]
	v_cndmask_b32_e64 v40, v88, v40, s[6:7]
	v_cndmask_b32_e64 v39, v87, v39, s[6:7]
	v_cmp_gt_i32_e64 s[6:7], v86, v91
	s_and_b64 s[4:5], s[8:9], vcc
	v_add_u32_e32 v86, 0x72, v90
	s_and_b64 s[6:7], s[4:5], s[6:7]
	v_cmp_lt_i32_e64 s[8:9], v86, v92
	v_cndmask_b32_e64 v39, v165, v39, s[6:7]
	v_cmp_gt_i32_e64 s[6:7], v86, v91
	s_and_b64 s[4:5], s[8:9], vcc
	s_and_b64 s[6:7], s[4:5], s[6:7]
	v_add_u32_e32 v86, 0x73, v90
	v_cndmask_b32_e64 v40, v165, v40, s[6:7]
	v_cmp_ge_i32_e64 s[6:7], v86, v92
	s_or_b64 s[4:5], s[6:7], s[0:1]
	v_cmp_le_i32_e64 s[0:1], v86, v91
	v_add_u32_e32 v86, 0x51, v90
	v_add_u32_e32 v87, 0x52, v90
	v_add_u32_e32 v88, 0x53, v90
	v_add_u32_e32 v89, 0x60, v90
	v_add_u32_e32 v90, 0x63, v90
	s_or_b64 s[30:31], s[4:5], s[0:1]
	v_cmp_gt_i32_e64 s[8:9], v86, v91
	v_cmp_lt_i32_e64 s[14:15], v86, v92
	v_cmp_gt_i32_e64 s[6:7], v87, v91
	v_cmp_lt_i32_e64 s[12:13], v87, v92
	v_cmp_gt_i32_e64 s[16:17], v88, v91
	v_cmp_lt_i32_e64 s[10:11], v88, v92
	v_cmp_gt_i32_e64 s[98:99], v89, v91
	v_cmp_lt_i32_e64 s[0:1], v89, v92
	v_cmp_gt_i32_e64 s[82:83], v90, v91
	v_cmp_lt_i32_e64 s[90:91], v90, v92
	s_and_saveexec_b64 s[4:5], s[30:31]
	v_mov_b32_e32 v41, s34
	s_or_b64 exec, exec, s[4:5]
	s_and_b64 s[4:5], s[94:95], vcc
	v_mov_b64_e32 v[88:89], v[84:85]
	s_and_b64 s[86:87], s[4:5], s[86:87]
	v_mov_b64_e32 v[86:87], v[82:83]
	s_and_b64 s[4:5], s[74:75], vcc
	v_cndmask_b32_e64 v83, v87, v83, s[86:87]
	s_and_b64 s[68:69], s[4:5], s[68:69]
	s_and_b64 s[4:5], s[76:77], vcc
	v_mov_b32_e32 v86, s34
	v_cndmask_b32_e64 v84, v88, v84, s[86:87]
	v_cndmask_b32_e64 v83, v165, v83, s[68:69]
	s_and_b64 s[68:69], s[4:5], s[70:71]
	s_and_b64 s[4:5], s[78:79], vcc
	v_cndmask_b32_e64 v82, v86, v82, s[86:87]
	v_cndmask_b32_e64 v85, v89, v85, s[86:87]
	v_cndmask_b32_e64 v84, v165, v84, s[68:69]
	s_and_b64 s[68:69], s[4:5], s[72:73]
	s_and_b64 s[4:5], s[66:67], vcc
	v_mov_b64_e32 v[88:89], v[80:81]
	s_and_b64 s[64:65], s[4:5], s[64:65]
	v_mov_b64_e32 v[86:87], v[78:79]
	s_and_b64 s[4:5], s[58:59], vcc
	v_cndmask_b32_e64 v79, v87, v79, s[64:65]
	s_and_b64 s[52:53], s[4:5], s[52:53]
	s_and_b64 s[4:5], s[60:61], vcc
	v_mov_b32_e32 v86, s34
	v_cndmask_b32_e64 v80, v88, v80, s[64:65]
	v_cndmask_b32_e64 v79, v165, v79, s[52:53]
	s_and_b64 s[52:53], s[4:5], s[54:55]
	s_and_b64 s[4:5], s[62:63], vcc
	v_cndmask_b32_e64 v78, v86, v78, s[64:65]
	v_cndmask_b32_e64 v81, v89, v81, s[64:65]
	v_cndmask_b32_e64 v80, v165, v80, s[52:53]
	s_and_b64 s[52:53], s[4:5], s[56:57]
	s_and_b64 s[4:5], s[50:51], vcc
	v_mov_b64_e32 v[88:89], v[76:77]
	s_and_b64 s[48:49], s[4:5], s[48:49]
	v_mov_b64_e32 v[86:87], v[74:75]
	s_and_b64 s[4:5], s[42:43], vcc
	v_cndmask_b32_e64 v75, v87, v75, s[48:49]
	s_and_b64 s[36:37], s[4:5], s[36:37]
	s_and_b64 s[4:5], s[44:45], vcc
	v_cndmask_b32_e64 v76, v88, v76, s[48:49]
	v_cndmask_b32_e64 v75, v165, v75, s[36:37]
	s_and_b64 s[36:37], s[4:5], s[38:39]
	s_and_b64 s[4:5], s[46:47], vcc
	v_mov_b32_e32 v86, s34
	v_cndmask_b32_e64 v76, v165, v76, s[36:37]
	s_and_b64 s[36:37], s[4:5], s[40:41]
	v_readlane_b32 s4, v173, 32
	v_cndmask_b32_e64 v74, v86, v74, s[48:49]
	v_cndmask_b32_e64 v77, v89, v77, s[48:49]
	v_readlane_b32 s5, v173, 33
	v_readlane_b32 s30, v173, 30
	v_mov_b64_e32 v[88:89], v[72:73]
	s_and_b64 s[4:5], s[4:5], vcc
	v_readlane_b32 s31, v173, 31
	v_mov_b64_e32 v[86:87], v[70:71]
	s_and_b64 s[30:31], s[4:5], s[30:31]
	v_mov_b32_e32 v86, s34
	v_readlane_b32 s4, v173, 36
	v_cndmask_b32_e64 v70, v86, v70, s[30:31]
	v_cndmask_b32_e64 v73, v89, v73, s[30:31]
	v_cndmask_b32_e64 v72, v88, v72, s[30:31]
	v_cndmask_b32_e64 v71, v87, v71, s[30:31]
	v_readlane_b32 s5, v173, 37
	v_readlane_b32 s30, v173, 34
	s_and_b64 s[4:5], s[4:5], vcc
	v_readlane_b32 s31, v173, 35
	s_and_b64 s[4:5], s[4:5], s[30:31]
	v_cndmask_b32_e64 v71, v165, v71, s[4:5]
	v_readlane_b32 s4, v173, 40
	v_readlane_b32 s5, v173, 41
	v_readlane_b32 s30, v173, 38
	s_and_b64 s[4:5], s[4:5], vcc
	v_readlane_b32 s31, v173, 39
	s_and_b64 s[4:5], s[4:5], s[30:31]
	v_cndmask_b32_e64 v72, v165, v72, s[4:5]
	v_readlane_b32 s4, v173, 44
	v_readlane_b32 s5, v173, 45
	v_readlane_b32 s30, v173, 42
	s_and_b64 s[4:5], s[4:5], vcc
	v_readlane_b32 s31, v173, 43
	s_and_b64 s[4:5], s[4:5], s[30:31]
	v_cndmask_b32_e64 v73, v165, v73, s[4:5]
	v_readlane_b32 s4, v173, 48
	v_readlane_b32 s5, v173, 49
	v_readlane_b32 s30, v173, 46
	v_mov_b64_e32 v[88:89], v[52:53]
	s_and_b64 s[4:5], s[4:5], vcc
	v_readlane_b32 s31, v173, 47
	v_mov_b64_e32 v[86:87], v[50:51]
	s_and_b64 s[4:5], s[4:5], s[30:31]
	v_mov_b32_e32 v86, s34
	v_cndmask_b32_e64 v50, v86, v50, s[4:5]
	v_cndmask_b32_e64 v53, v89, v53, s[4:5]
	v_cndmask_b32_e64 v52, v88, v52, s[4:5]
	v_cndmask_b32_e64 v51, v87, v51, s[4:5]
	v_readlane_b32 s4, v173, 52
	v_readlane_b32 s5, v173, 53
	v_readlane_b32 s30, v173, 50
	s_and_b64 s[4:5], s[4:5], vcc
	v_readlane_b32 s31, v173, 51
	s_and_b64 s[4:5], s[4:5], s[30:31]
	v_cndmask_b32_e64 v51, v165, v51, s[4:5]
	v_readlane_b32 s4, v173, 56
	v_readlane_b32 s5, v173, 57
	v_readlane_b32 s30, v173, 54
	s_and_b64 s[4:5], s[4:5], vcc
	v_readlane_b32 s31, v173, 55
	s_and_b64 s[4:5], s[4:5], s[30:31]
	v_cndmask_b32_e64 v52, v165, v52, s[4:5]
	v_readlane_b32 s4, v173, 60
	v_readlane_b32 s5, v173, 61
	v_readlane_b32 s30, v173, 58
	s_and_b64 s[4:5], s[4:5], vcc
	v_readlane_b32 s31, v173, 59
	s_and_b64 s[4:5], s[4:5], s[30:31]
	v_mov_b64_e32 v[88:89], v[48:49]
	v_cndmask_b32_e64 v53, v165, v53, s[4:5]
	s_and_b64 s[4:5], s[18:19], vcc
	v_mov_b64_e32 v[86:87], v[46:47]
	s_and_b64 s[4:5], s[4:5], s[80:81]
	v_mov_b32_e32 v86, s34
	v_cndmask_b32_e64 v46, v86, v46, s[4:5]
	v_cndmask_b32_e64 v49, v89, v49, s[4:5]
	v_cndmask_b32_e64 v48, v88, v48, s[4:5]
	v_cndmask_b32_e64 v47, v87, v47, s[4:5]
	v_mov_b64_e32 v[88:89], v[44:45]
	s_and_b64 s[0:1], s[0:1], vcc
	v_mov_b64_e32 v[86:87], v[42:43]
	s_and_b64 s[0:1], s[0:1], s[98:99]
	v_mov_b32_e32 v86, s34
	s_and_b64 s[4:5], s[14:15], vcc
	v_cndmask_b32_e64 v42, v86, v42, s[0:1]
	v_cndmask_b32_e64 v45, v89, v45, s[0:1]
	v_cndmask_b32_e64 v44, v88, v44, s[0:1]
	v_cndmask_b32_e64 v43, v87, v43, s[0:1]
	s_and_b64 s[0:1], s[96:97], vcc
	s_and_b64 s[4:5], s[4:5], s[8:9]
	s_and_b64 s[0:1], s[0:1], s[88:89]
	v_cndmask_b32_e64 v47, v165, v47, s[4:5]
	s_and_b64 s[4:5], s[12:13], vcc
	v_cndmask_b32_e64 v43, v165, v43, s[0:1]
	s_and_b64 s[0:1], s[92:93], vcc
	s_and_b64 s[4:5], s[4:5], s[6:7]
	s_and_b64 s[0:1], s[0:1], s[84:85]
	v_cndmask_b32_e64 v48, v165, v48, s[4:5]
	s_and_b64 s[4:5], s[10:11], vcc
	v_cndmask_b32_e64 v44, v165, v44, s[0:1]
	s_and_b64 s[0:1], s[90:91], vcc
	s_and_b64 s[4:5], s[4:5], s[16:17]
	s_and_b64 vcc, s[0:1], s[82:83]
	v_cndmask_b32_e64 v85, v165, v85, s[68:69]
	v_cndmask_b32_e64 v81, v165, v81, s[52:53]
	v_cndmask_b32_e64 v77, v165, v77, s[36:37]
	v_cndmask_b32_e64 v49, v165, v49, s[4:5]
	v_cndmask_b32_e32 v45, v165, v45, vcc
	s_mov_b32 s10, 0xff800000
.LBB0_8:
	s_waitcnt vmcnt(0)
	v_mul_lo_u32 v34, v34, s21
	v_mul_lo_u32 v35, v35, s21
	v_readlane_b32 s4, v173, 20
	v_mul_lo_u32 v36, v36, s21
	v_mul_lo_u32 v37, v37, s21
	v_add_lshl_u32 v34, v34, v144, 1
	v_add_lshl_u32 v35, v35, v144, 1
	v_readlane_b32 s5, v173, 21
	v_readlane_b32 s6, v173, 22
	v_readlane_b32 s7, v173, 23
	s_nop 4
	buffer_load_dwordx4 v[86:89], v34, s[4:7], 0 offen
	buffer_load_dwordx4 v[90:93], v35, s[4:7], 0 offen
	v_add_lshl_u32 v34, v36, v144, 1
	v_add_lshl_u32 v35, v37, v144, 1
	buffer_load_dwordx4 v[94:97], v34, s[4:7], 0 offen
	buffer_load_dwordx4 v[98:101], v35, s[4:7], 0 offen
	v_perm_b32 v174, v54, v58, s23
	global_load_dwordx4 v[34:37], v[124:125], off offset:512
	v_perm_b32 v124, v54, v58, s33
	v_perm_b32 v125, v62, v66, s33
	v_perm_b32 v175, v62, v66, s23
	v_perm_b32 v58, v55, v59, s33
	v_perm_b32 v62, v55, v59, s23
	v_max3_f32 v55, v82, s10, v83
	v_max3_f32 v55, v55, v84, v85
	v_max3_f32 v55, v55, v78, v79
	v_max3_f32 v55, v55, v80, v81
	v_max3_f32 v55, v55, v74, v75
	v_max3_f32 v55, v55, v76, v77
	v_max3_f32 v55, v55, v70, v71
	v_max3_f32 v55, v55, v72, v73
	v_max3_f32 v55, v55, v50, v51
	v_max3_f32 v55, v55, v52, v53
	v_max3_f32 v55, v55, v46, v47
	v_max3_f32 v55, v55, v48, v49
	v_max3_f32 v55, v55, v42, v43
	v_max3_f32 v55, v55, v44, v45
	v_max3_f32 v55, v55, v38, v39
	v_perm_b32 v59, v63, v67, s33
	v_perm_b32 v63, v63, v67, s23
	v_perm_b32 v67, v64, v68, s33
	v_perm_b32 v177, v64, v68, s23
	v_max3_f32 v64, v55, v40, v41
	v_perm_b32 v66, v56, v60, s33
	v_perm_b32 v176, v56, v60, s23
	v_perm_b32 v56, v57, v61, s33
	v_perm_b32 v60, v57, v61, s23
	v_perm_b32 v57, v65, v69, s33
	v_perm_b32 v61, v65, v69, s23
	ds_bpermute_b32 v65, v155, v64
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 2
	s_and_b32 s0, s0, 0x7fffff0
	v_add_u32_e32 v54, s0, v126
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v65, v65, v65
	v_max_f32_e32 v64, v64, v65
	ds_bpermute_b32 v65, v156, v64
	v_lshrrev_b32_e32 v54, 3, v54
	s_movk_i32 s0, 0x900
	v_mad_u64_u32 v[54:55], s[0:1], v54, s0, v[120:121]
	v_add_u32_e32 v55, 0x4800, v54
	v_add_u32_e32 v172, 64, v172
	ds_write2_b64 v55, v[124:125], v[174:175] offset1:2
	ds_write2_b64 v55, v[58:59], v[62:63] offset0:4 offset1:6
	ds_write2_b64 v55, v[66:67], v[176:177] offset0:8 offset1:10
	ds_write2_b64 v55, v[56:57], v[60:61] offset0:12 offset1:14
	s_waitcnt lgkmcnt(4)
	v_max3_f32 v55, v122, v64, v65
	v_cmp_neq_f32_e32 vcc, s10, v55
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_cndmask_b32_e32 v123, 0, v55, vcc
	v_pk_mul_f32 v[56:57], s[2:3], v[122:123]
	ds_read2_b64 v[60:63], v166 offset1:36
	v_fma_f32 v58, s2, v82, -v57
	v_exp_f32_e32 v59, v58
	v_fma_f32 v58, s2, v83, -v57
	v_exp_f32_e32 v82, v58
	v_fma_f32 v58, s2, v84, -v57
	v_exp_f32_e32 v83, v58
	v_fma_f32 v58, s2, v85, -v57
	v_exp_f32_e32 v84, v58
	v_fma_f32 v58, s2, v78, -v57
	v_exp_f32_e32 v78, v58
	v_fma_f32 v58, s2, v79, -v57
	v_exp_f32_e32 v79, v58
	v_fma_f32 v58, s2, v80, -v57
	v_exp_f32_e32 v80, v58
	v_fma_f32 v58, s2, v81, -v57
	v_exp_f32_e32 v81, v58
	v_fma_f32 v58, s2, v74, -v57
	v_exp_f32_e32 v74, v58
	v_fma_f32 v58, s2, v75, -v57
	v_exp_f32_e32 v75, v58
	v_fma_f32 v58, s2, v76, -v57
	v_exp_f32_e32 v76, v58
	v_fma_f32 v58, s2, v77, -v57
	v_exp_f32_e32 v77, v58
	v_fma_f32 v58, s2, v70, -v57
	v_exp_f32_e32 v85, v58
	v_fma_f32 v58, s2, v71, -v57
	v_exp_f32_e32 v122, v58
	v_fma_f32 v58, s2, v72, -v57
	v_exp_f32_e32 v123, v58
	v_fma_f32 v58, s2, v73, -v57
	v_fma_f32 v50, s2, v50, -v57
	v_exp_f32_e32 v124, v58
	v_exp_f32_e32 v58, v50
	v_fma_f32 v50, s2, v51, -v57
	ds_read2_b64 v[64:67], v166 offset0:72 offset1:108
	v_exp_f32_e32 v51, v50
	v_fma_f32 v50, s2, v52, -v57
	v_exp_f32_e32 v52, v50
	v_sub_f32_e32 v50, v56, v57
	v_exp_f32_e32 v50, v50
	v_cvt_pkrtz_f16_f32 v68, v59, v82
	v_cvt_pkrtz_f16_f32 v69, v83, v84
	ds_read_b64 v[70:71], v159 offset:20160
	ds_read_b64 v[72:73], v160 offset:18432
	ds_read_b64 v[180:181], v161 offset:20160
	v_pk_mul_f32 v[28:29], v[28:29], v[50:51] op_sel_hi:[1,0]
	v_pk_mul_f32 v[26:27], v[26:27], v[50:51] op_sel_hi:[1,0]
	v_pk_mul_f32 v[24:25], v[24:25], v[50:51] op_sel_hi:[1,0]
	v_pk_mul_f32 v[22:23], v[22:23], v[50:51] op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[26:29], v[60:61], v[68:69], v[26:29]
	v_mul_f32_e64 v20, v20, v50
	v_mul_f32_e64 v21, v21, v50
	v_pk_mul_f32 v[18:19], v[18:19], v[50:51] op_sel_hi:[1,0]
	v_pk_mul_f32 v[16:17], v[16:17], v[50:51] op_sel_hi:[1,0]
	v_mfma_f32_16x16x16_f16 v[22:25], v[62:63], v[68:69], v[22:25]
	ds_read2_b64 v[60:63], v166 offset0:144 offset1:180
	v_pk_mul_f32 v[14:15], v[14:15], v[50:51] op_sel_hi:[1,0]
	v_pk_mul_f32 v[12:13], v[12:13], v[50:51] op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[18:21], v[64:65], v[68:69], v[18:21]
	ds_read_b64 v[64:65], v157 offset:20160
	v_pk_mul_f32 v[10:11], v[10:11], v[50:51] op_sel_hi:[1,0]
	v_pk_mul_f32 v[8:9], v[8:9], v[50:51] op_sel_hi:[1,0]
	v_pk_mul_f32 v[6:7], v[6:7], v[50:51] op_sel_hi:[1,0]
	v_mfma_f32_16x16x16_f16 v[14:17], v[66:67], v[68:69], v[14:17]
	v_mul_f32_e64 v4, v4, v50
	v_mul_f32_e64 v5, v5, v50
	v_pk_mul_f32 v[2:3], v[2:3], v[50:51] op_sel_hi:[1,0]
	v_pk_mul_f32 v[32:33], v[32:33], v[50:51] op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[10:13], v[60:61], v[68:69], v[10:13]
	v_mul_f32_e64 v30, v30, v50
	v_mul_f32_e64 v31, v31, v50
	v_add_f32_e32 v56, v59, v82
	v_add_f32_e32 v56, v83, v56
	v_mfma_f32_16x16x16_f16 v[6:9], v[62:63], v[68:69], v[6:9]
	ds_read_b64 v[66:67], v158 offset:18432
	ds_read2_b64 v[60:63], v167 offset1:36
	ds_read_b64 v[174:175], v162 offset:18432
	ds_read_b64 v[176:177], v163 offset:20160
	ds_read_b64 v[178:179], v164 offset:18432
	v_add_f32_e32 v56, v84, v56
	v_fma_f32 v53, s2, v53, -v57
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_16x16x16_f16 v[2:5], v[64:65], v[68:69], v[2:5]
	v_exp_f32_e32 v53, v53
	v_fma_f32 v46, s2, v46, -v57
	v_exp_f32_e32 v46, v46
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[30:33], v[66:67], v[68:69], v[30:33]
	v_cvt_pkrtz_f16_f32 v68, v78, v79
	v_cvt_pkrtz_f16_f32 v69, v80, v81
	ds_read2_b64 v[64:67], v167 offset0:72 offset1:108
	v_fma_f32 v47, s2, v47, -v57
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x16_f16 v[26:29], v[60:61], v[68:69], v[26:29]
	v_exp_f32_e32 v47, v47
	v_fma_f32 v48, s2, v48, -v57
	v_exp_f32_e32 v48, v48
	v_mfma_f32_16x16x16_f16 v[22:25], v[62:63], v[68:69], v[22:25]
	ds_read2_b64 v[60:63], v167 offset0:144 offset1:180
	v_fma_f32 v49, s2, v49, -v57
	v_exp_f32_e32 v49, v49
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[10:13], v[60:61], v[68:69], v[10:13]
	v_fma_f32 v42, s2, v42, -v57
	v_exp_f32_e32 v42, v42
	v_fma_f32 v43, s2, v43, -v57
	v_mfma_f32_16x16x16_f16 v[6:9], v[62:63], v[68:69], v[6:9]
	ds_read2_b64 v[60:63], v168 offset1:36
	v_exp_f32_e32 v43, v43
	v_fma_f32 v44, s2, v44, -v57
	v_mfma_f32_16x16x16_f16 v[18:21], v[64:65], v[68:69], v[18:21]
	v_exp_f32_e32 v44, v44
	v_fma_f32 v45, s2, v45, -v57
	v_exp_f32_e32 v45, v45
	v_mfma_f32_16x16x16_f16 v[14:17], v[66:67], v[68:69], v[14:17]
	ds_read2_b64 v[64:67], v168 offset0:72 offset1:108
	v_fma_f32 v38, s2, v38, -v57
	v_exp_f32_e32 v38, v38
	v_mfma_f32_16x16x16_f16 v[30:33], v[72:73], v[68:69], v[30:33]
	v_cvt_pkrtz_f16_f32 v72, v74, v75
	v_cvt_pkrtz_f16_f32 v73, v76, v77
	v_fma_f32 v39, s2, v39, -v57
	v_mfma_f32_16x16x16_f16 v[2:5], v[70:71], v[68:69], v[2:5]
	v_exp_f32_e32 v39, v39
	v_fma_f32 v40, s2, v40, -v57
	v_exp_f32_e32 v40, v40
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[26:29], v[60:61], v[72:73], v[26:29]
	v_fma_f32 v41, s2, v41, -v57
	v_exp_f32_e32 v41, v41
	v_readlane_b32 s1, v173, 19
	v_mfma_f32_16x16x16_f16 v[22:25], v[62:63], v[72:73], v[22:25]
	ds_read2_b64 v[60:63], v168 offset0:144 offset1:180
	s_add_i32 s1, s1, 1
	v_readlane_b32 s0, v173, 28
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[18:21], v[64:65], v[72:73], v[18:21]
	s_cmp_ge_i32 s1, s0
	v_writelane_b32 v173, s1, 19
	v_mfma_f32_16x16x16_f16 v[64:67], v[66:67], v[72:73], v[14:17]
	s_nop 2
	v_add_f32_e32 v14, v78, v56
	v_add_f32_e32 v14, v79, v14
	v_add_f32_e32 v14, v80, v14
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[68:71], v[60:61], v[72:73], v[10:13]
	s_nop 2
	v_add_f32_e32 v10, v81, v14
	v_add_f32_e32 v10, v74, v10
	ds_read2_b64 v[12:15], v169 offset1:36
	v_add_f32_e32 v10, v75, v10
	v_add_f32_e32 v10, v76, v10
	v_add_f32_e32 v10, v77, v10
	v_add_f32_e32 v10, v85, v10
	v_add_f32_e32 v10, v122, v10
	v_add_f32_e32 v16, v123, v10
	v_add_f32_e32 v16, v124, v16
	v_mfma_f32_16x16x16_f16 v[6:9], v[62:63], v[72:73], v[6:9]
	v_cvt_pkrtz_f16_f32 v76, v85, v122
	v_cvt_pkrtz_f16_f32 v77, v123, v124
	v_add_f32_e32 v16, v58, v16
	v_mfma_f32_16x16x16_f16 v[60:63], v[174:175], v[72:73], v[30:33]
	s_nop 2
	ds_read2_b64 v[30:33], v169 offset0:72 offset1:108
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[10:13], v[12:13], v[76:77], v[26:29]
	s_nop 2
	v_add_f32_e32 v26, v51, v16
	v_mfma_f32_16x16x16_f16 v[14:17], v[14:15], v[76:77], v[22:25]
	s_nop 2
	v_add_f32_e32 v22, v52, v26
	v_add_f32_e32 v22, v53, v22
	v_mfma_f32_16x16x16_f16 v[2:5], v[180:181], v[72:73], v[2:5]
	ds_read2_b64 v[72:75], v169 offset0:144 offset1:180
	v_add_f32_e32 v22, v46, v22
	v_add_f32_e32 v22, v47, v22
	v_add_f32_e32 v26, v48, v22
	v_add_f32_e32 v26, v49, v26
	v_add_f32_e32 v26, v42, v26
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[18:21], v[30:31], v[76:77], v[18:21]
	v_add_f32_e32 v30, v43, v26
	v_add_f32_e32 v30, v44, v30
	v_add_f32_e32 v30, v45, v30
	v_add_f32_e32 v56, v38, v30
	v_mfma_f32_16x16x16_f16 v[22:25], v[32:33], v[76:77], v[64:67]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[30:33], v[74:75], v[76:77], v[6:9]
	s_waitcnt vmcnt(3)
	v_perm_b32 v74, v89, v93, s23
	s_waitcnt vmcnt(1)
	v_perm_b32 v75, v97, v101, s23
	v_perm_b32 v64, v87, v91, s33
	v_add_f32_e32 v6, v39, v56
	v_add_f32_e32 v6, v40, v6
	v_add_f32_e32 v6, v41, v6
	ds_bpermute_b32 v7, v155, v6
	v_mfma_f32_16x16x16_f16 v[26:29], v[72:73], v[76:77], v[68:71]
	v_perm_b32 v72, v89, v93, s33
	v_perm_b32 v73, v97, v101, s33
	v_perm_b32 v66, v87, v91, s23
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v56, v6, v7
	ds_bpermute_b32 v57, v156, v56
	v_mfma_f32_16x16x16_f16 v[2:5], v[176:177], v[76:77], v[2:5]
	v_perm_b32 v65, v95, v99, s33
	v_perm_b32 v67, v95, v99, s23
	v_perm_b32 v68, v88, v92, s33
	v_mfma_f32_16x16x16_f16 v[6:9], v[178:179], v[76:77], v[60:63]
	v_perm_b32 v70, v88, v92, s23
	v_perm_b32 v69, v96, v100, s33
	v_perm_b32 v71, v96, v100, s23
	v_perm_b32 v60, v86, v90, s33
	v_perm_b32 v62, v86, v90, s23
	v_perm_b32 v61, v94, v98, s33
	v_perm_b32 v63, v94, v98, s23
	ds_write2_b64 v54, v[60:61], v[62:63] offset1:2
	ds_write2_b64 v54, v[64:65], v[66:67] offset0:4 offset1:6
	ds_write2_b64 v54, v[68:69], v[70:71] offset0:8 offset1:10
	ds_write2_b64 v54, v[72:73], v[74:75] offset0:12 offset1:14
	s_cbranch_scc1 .LBB0_3
	global_load_dword v54, v170, s[28:29] offset:512
	global_load_dword v59, v170, s[28:29] offset:544
	global_load_dword v60, v170, s[28:29] offset:576
	global_load_dword v61, v170, s[28:29] offset:608
	global_load_dword v62, v170, s[28:29] offset:640
	global_load_dword v63, v170, s[28:29] offset:672
	global_load_dword v64, v170, s[28:29] offset:704
	global_load_dword v65, v170, s[28:29] offset:736
	global_load_dword v66, v170, s[28:29] offset:768
	global_load_dword v67, v170, s[28:29] offset:800
	global_load_dword v68, v170, s[28:29] offset:832
	global_load_dword v69, v170, s[28:29] offset:864
	global_load_dword v70, v170, s[28:29] offset:896
	global_load_dword v71, v170, s[28:29] offset:928
	global_load_dword v72, v170, s[28:29] offset:960
	global_load_dword v73, v170, s[28:29] offset:992
	s_add_u32 s28, s28, 0x200
	v_readfirstlane_b32 s0, v0
	s_addc_u32 s29, s29, 0
	s_lshr_b32 s0, s0, 6
	s_mulk_i32 s0, 0x110
	s_barrier
	s_addk_i32 s0, 0x4800
	s_mov_b32 m0, s0
	v_mov_b32_e32 v172, v145
	v_writelane_b32 v173, s35, 13
	s_waitcnt vmcnt(15)
	v_mul_lo_u32 v128, v54, s20
	v_add_lshl_u32 v54, v128, v127, 1
	buffer_load_dword v54, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(14)
	v_mul_lo_u32 v129, v59, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v59, v129, v127, 1
	buffer_load_dword v59, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(13)
	v_mul_lo_u32 v130, v60, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v60, v130, v127, 1
	buffer_load_dword v60, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(12)
	v_mul_lo_u32 v131, v61, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v61, v131, v127, 1
	buffer_load_dword v61, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(11)
	v_mul_lo_u32 v132, v62, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v62, v132, v127, 1
	buffer_load_dword v62, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(10)
	v_mul_lo_u32 v133, v63, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v63, v133, v127, 1
	buffer_load_dword v63, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(9)
	v_mul_lo_u32 v134, v64, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v64, v134, v127, 1
	buffer_load_dword v64, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(8)
	v_mul_lo_u32 v135, v65, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v65, v135, v127, 1
	buffer_load_dword v65, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(7)
	v_mul_lo_u32 v136, v66, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v66, v136, v127, 1
	buffer_load_dword v66, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(6)
	v_mul_lo_u32 v137, v67, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v67, v137, v127, 1
	buffer_load_dword v67, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(5)
	v_mul_lo_u32 v138, v68, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v68, v138, v127, 1
	buffer_load_dword v68, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(4)
	v_mul_lo_u32 v139, v69, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v69, v139, v127, 1
	buffer_load_dword v69, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(3)
	v_mul_lo_u32 v140, v70, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v70, v140, v127, 1
	buffer_load_dword v70, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(2)
	v_mul_lo_u32 v141, v71, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v71, v141, v127, 1
	buffer_load_dword v71, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(1)
	v_mul_lo_u32 v142, v72, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v72, v142, v127, 1
	buffer_load_dword v72, s[24:27], 0 offen offset:0 lds
	s_waitcnt vmcnt(0)
	v_mul_lo_u32 v143, v73, s20
	s_add_u32 m0, 0x440, m0
	v_add_lshl_u32 v54, v143, v127, 1
	buffer_load_dword v54, s[24:27], 0 offen offset:0 lds
	s_branch .LBB0_3
.LBB0_10:
	s_mov_b64 s[0:1], -1
	v_readlane_b32 s7, v173, 11
	s_mov_b32 s10, s37
                                        ; implicit-def: $vgpr29
                                        ; implicit-def: $vgpr35
                                        ; implicit-def: $vgpr25
                                        ; implicit-def: $vgpr23
                                        ; implicit-def: $vgpr21
                                        ; implicit-def: $vgpr19
                                        ; implicit-def: $vgpr17
                                        ; implicit-def: $vgpr15
                                        ; implicit-def: $vgpr13
                                        ; implicit-def: $vgpr11
                                        ; implicit-def: $vgpr9
                                        ; implicit-def: $vgpr7
                                        ; implicit-def: $vgpr5
                                        ; implicit-def: $vgpr27
                                        ; implicit-def: $vgpr3
                                        ; implicit-def: $vgpr31
	s_branch .LBB0_12
.LBB0_11:
	s_waitcnt vmcnt(0)
	v_log_f32_e32 v36, v38
	s_mov_b32 s0, 0x3f317217
	v_mul_f32_e32 v34, s2, v55
	v_cvt_f64_f32_e32 v[34:35], v34
	v_mul_f32_e32 v37, 0x3f317217, v36
	v_fma_f32 v39, v36, s0, -v37
	v_fmamk_f32 v39, v36, 0x3377d1cf, v39
	s_mov_b32 s0, 0x7f800000
	v_add_f32_e32 v37, v37, v39
	v_cmp_lt_f32_e64 vcc, |v36|, s0
	s_mov_b32 s0, 0x3f1ff27
	s_mov_b32 s1, 0x3fe62e43
	v_cndmask_b32_e32 v36, v36, v37, vcc
	v_cvt_f64_f32_e32 v[36:37], v36
	v_fmac_f64_e32 v[36:37], s[0:1], v[34:35]
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 2
	s_and_b32 s0, s0, 0x3ffffff0
	v_or_b32_e32 v35, s0, v1
	v_readlane_b32 s18, v173, 3
	v_readlane_b32 s0, v173, 7
	v_readlane_b32 s7, v173, 11
	v_add_u32_e32 v35, s18, v35
	v_readlane_b32 s1, v173, 8
	v_readlane_b32 s2, v173, 9
	v_readlane_b32 s3, v173, 10
	v_cvt_f32_f64_e32 v34, v[36:37]
	s_mov_b64 s[8:9], s[0:1]
	v_bfrev_b32_e32 v36, 1
	v_cmp_gt_i32_e32 vcc, s7, v35
	v_writelane_b32 v173, s0, 7
	s_lshl_b32 s10, s7, 2
	v_cndmask_b32_e64 v36, v36, 0, vcc
	v_writelane_b32 v173, s1, 8
	s_mov_b32 s11, 0x20000
	v_lshl_add_u32 v35, v35, 2, v36
	v_writelane_b32 v173, s2, 9
	v_writelane_b32 v173, s3, 10
	buffer_store_dword v34, v35, s[8:11], 0 offen
	v_div_scale_f32 v34, s[0:1], v38, v38, 1.0
	v_rcp_f32_e32 v35, v34
	v_div_scale_f32 v36, vcc, 1.0, v38, 1.0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
	v_fma_f32 v37, -v34, v35, 1.0
	v_fmac_f32_e32 v35, v37, v35
	v_mul_f32_e32 v37, v36, v35
	v_fma_f32 v39, -v34, v37, v36
	v_readlane_b32 s40, v173, 16
	v_fmac_f32_e32 v37, v39, v35
	v_readlane_b32 s41, v173, 17
	v_fma_f32 v34, -v34, v37, v36
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
	s_load_dword s31, s[40:41], 0x2c
	v_div_fmas_f32 v34, v34, v35, v37
	v_div_fixup_f32 v34, v34, v38, 1.0
	v_cmp_neq_f32_e32 vcc, 0, v38
	s_mov_b64 s[0:1], 0
	v_readlane_b32 s33, v173, 15
	v_cndmask_b32_e32 v36, 0, v34, vcc
	v_pk_mul_f32 v[28:29], v[36:37], v[28:29] op_sel_hi:[0,1]
	v_pk_mul_f32 v[34:35], v[36:37], v[26:27] op_sel_hi:[0,1]
	v_pk_mul_f32 v[24:25], v[36:37], v[24:25] op_sel_hi:[0,1]
	v_pk_mul_f32 v[22:23], v[36:37], v[22:23] op_sel_hi:[0,1]
	v_pk_mul_f32 v[20:21], v[36:37], v[20:21] op_sel_hi:[0,1]
	v_pk_mul_f32 v[18:19], v[36:37], v[18:19] op_sel_hi:[0,1]
	v_pk_mul_f32 v[16:17], v[36:37], v[16:17] op_sel_hi:[0,1]
	v_pk_mul_f32 v[14:15], v[36:37], v[14:15] op_sel_hi:[0,1]
	v_pk_mul_f32 v[12:13], v[36:37], v[12:13] op_sel_hi:[0,1]
	v_pk_mul_f32 v[10:11], v[36:37], v[10:11] op_sel_hi:[0,1]
	v_pk_mul_f32 v[8:9], v[36:37], v[8:9] op_sel_hi:[0,1]
	v_pk_mul_f32 v[6:7], v[36:37], v[6:7] op_sel_hi:[0,1]
	v_pk_mul_f32 v[4:5], v[36:37], v[4:5] op_sel_hi:[0,1]
	v_pk_mul_f32 v[26:27], v[36:37], v[2:3] op_sel_hi:[0,1]
	v_pk_mul_f32 v[2:3], v[36:37], v[32:33] op_sel_hi:[0,1]
	v_pk_mul_f32 v[30:31], v[36:37], v[30:31] op_sel_hi:[0,1]
	v_readlane_b32 s10, v173, 18
.LBB0_12:
	s_load_dword s4, s[40:41], 0x70
	s_and_b64 vcc, exec, s[0:1]
	v_readlane_b32 s6, v173, 14
	s_cbranch_vccz .LBB0_14
	v_readfirstlane_b32 s0, v0
	s_lshr_b32 s0, s0, 2
	s_and_b32 s0, s0, 0x3ffffff0
	v_or_b32_e32 v2, s0, v1
	v_add_u32_e32 v2, s18, v2
	v_readlane_b32 s0, v173, 7
	v_bfrev_b32_e32 v3, 1
	v_cmp_gt_i32_e32 vcc, s7, v2
	v_readlane_b32 s2, v173, 9
	v_readlane_b32 s3, v173, 10
	v_cndmask_b32_e64 v3, v3, 0, vcc
	v_readlane_b32 s1, v173, 8
	s_lshl_b32 s2, s7, 2
	s_mov_b32 s3, 0x20000
	v_lshl_add_u32 v2, v2, 2, v3
	v_mov_b32_e32 v3, 0xff800000
	v_mov_b32_e32 v30, 0
	buffer_store_dword v3, v2, s[0:3], 0 offen
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
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
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
.LBB0_14:
	v_readlane_b32 s0, v173, 5
	s_waitcnt lgkmcnt(0)
	s_mul_hi_i32 s5, s4, s6
	s_mul_i32 s4, s4, s6
	v_readlane_b32 s1, v173, 6
	s_lshl_b64 s[4:5], s[4:5], 1
	v_readlane_b32 s8, v173, 1
	s_mul_hi_i32 s1, s0, s22
	s_mul_i32 s0, s0, s22
	v_readlane_b32 s9, v173, 2
	s_add_u32 s4, s8, s4
	s_addc_u32 s5, s9, s5
	s_lshl_b64 s[0:1], s[0:1], 1
	s_add_u32 s4, s4, s0
	s_addc_u32 s5, s5, s1
	v_readlane_b32 s1, v173, 4
	s_mul_i32 s1, s22, s1
	s_add_i32 s6, s1, s10
	v_readfirstlane_b32 s1, v0
	s_lshr_b32 s1, s1, 2
	v_readlane_b32 s0, v173, 0
	v_cvt_f16_f32_e32 v32, v34
	v_cvt_f16_f32_e32 v33, v35
	v_cvt_f16_f32_e32 v18, v18
	v_cvt_f16_f32_e32 v19, v19
	s_and_b32 s1, s1, 0x3ffffff0
	s_sub_i32 s0, s33, s0
	v_cvt_f16_f32_e32 v28, v28
	v_cvt_f16_f32_e32 v29, v29
	v_or_b32_e32 v0, s1, v1
	v_add_u32_e32 v0, s18, v0
	v_lshl_or_b32 v1, s0, 7, v121
	v_cmp_gt_i32_e32 vcc, s31, v1
	v_cmp_gt_i32_e64 s[0:1], s7, v0
	v_cvt_f16_f32_e32 v22, v22
	v_cvt_f16_f32_e32 v23, v23
	v_cvt_f16_f32_e32 v24, v24
	v_cvt_f16_f32_e32 v25, v25
	v_cvt_f16_f32_e32 v35, v6
	v_cvt_f16_f32_e32 v40, v2
	v_pack_b32_f16 v2, v32, v33
	v_pack_b32_f16 v6, v18, v19
	v_mul_lo_u32 v18, v0, s22
	s_and_b64 s[8:9], vcc, s[0:1]
	s_mov_b64 s[2:3], exec
	v_cvt_f16_f32_e32 v41, v3
	v_pack_b32_f16 v3, v28, v29
	s_lshl_b32 s6, s6, 1
	s_mov_b32 s7, 0x20000
	v_add_lshl_u32 v0, v18, v1, 1
	v_cndmask_b32_e64 v18, 0, 1, s[8:9]
	v_cmpx_le_u32 exec, 1, v18
buffer_store_dwordx2 v[2:3], v0, s[4:7], 0 offen offset:0
s_mov_b64 exec s[2:3]
	v_add_u32_e32 v2, 16, v1
	v_cmp_gt_i32_e32 vcc, s31, v2
	v_cvt_f16_f32_e32 v20, v20
	v_cvt_f16_f32_e32 v21, v21
	v_add_u32_e32 v2, 32, v0
	s_and_b64 s[8:9], vcc, s[0:1]
	v_cvt_f16_f32_e32 v38, v4
	v_cvt_f16_f32_e32 v39, v5
	v_pack_b32_f16 v5, v24, v25
	v_pack_b32_f16 v4, v22, v23
	v_cndmask_b32_e64 v3, 0, 1, s[8:9]
	v_cmpx_le_u32 exec, 1, v3
buffer_store_dwordx2 v[4:5], v2, s[4:7], 0 offen offset:0
s_mov_b64 exec s[2:3]
	v_or_b32_e32 v2, 32, v1
	v_cmp_gt_i32_e32 vcc, s31, v2
	v_cvt_f16_f32_e32 v14, v14
	v_cvt_f16_f32_e32 v15, v15
	v_cvt_f16_f32_e32 v16, v16
	v_cvt_f16_f32_e32 v17, v17
	v_add_u32_e32 v2, 64, v0
	s_and_b64 s[8:9], vcc, s[0:1]
	v_cvt_f16_f32_e32 v36, v7
	v_pack_b32_f16 v7, v20, v21
	v_cndmask_b32_e64 v3, 0, 1, s[8:9]
	v_cmpx_le_u32 exec, 1, v3
buffer_store_dwordx2 v[6:7], v2, s[4:7], 0 offen offset:0
s_mov_b64 exec s[2:3]
	v_add_u32_e32 v2, 48, v1
	v_cmp_gt_i32_e32 vcc, s31, v2
	v_cvt_f16_f32_e32 v10, v10
	v_cvt_f16_f32_e32 v34, v11
	v_cvt_f16_f32_e32 v11, v12
	v_cvt_f16_f32_e32 v12, v13
	v_add_u32_e32 v2, 0x60, v0
	s_and_b64 s[8:9], vcc, s[0:1]
	v_cvt_f16_f32_e32 v13, v8
	v_cvt_f16_f32_e32 v37, v9
	v_pack_b32_f16 v9, v16, v17
	v_pack_b32_f16 v8, v14, v15
	v_cndmask_b32_e64 v3, 0, 1, s[8:9]
	v_cmpx_le_u32 exec, 1, v3
buffer_store_dwordx2 v[8:9], v2, s[4:7], 0 offen offset:0
s_mov_b64 exec s[2:3]
	v_or_b32_e32 v2, 64, v1
	v_cmp_gt_i32_e32 vcc, s31, v2
	v_add_u32_e32 v2, 0x80, v0
	s_and_b64 s[8:9], vcc, s[0:1]
	v_pack_b32_f16 v11, v11, v12
	v_pack_b32_f16 v10, v10, v34
	v_cndmask_b32_e64 v3, 0, 1, s[8:9]
	v_cmpx_le_u32 exec, 1, v3
buffer_store_dwordx2 v[10:11], v2, s[4:7], 0 offen offset:0
s_mov_b64 exec s[2:3]
	v_add_u32_e32 v2, 0x50, v1
	v_cmp_gt_i32_e32 vcc, s31, v2
	v_cvt_f16_f32_e32 v26, v26
	v_cvt_f16_f32_e32 v27, v27
	v_add_u32_e32 v2, 0xa0, v0
	s_and_b64 s[8:9], vcc, s[0:1]
	v_cvt_f16_f32_e32 v30, v30
	v_cvt_f16_f32_e32 v31, v31
	v_pack_b32_f16 v13, v13, v37
	v_pack_b32_f16 v12, v35, v36
	v_cndmask_b32_e64 v3, 0, 1, s[8:9]
	v_cmpx_le_u32 exec, 1, v3
buffer_store_dwordx2 v[12:13], v2, s[4:7], 0 offen offset:0
s_mov_b64 exec s[2:3]
	v_or_b32_e32 v2, 0x60, v1
	v_cmp_gt_i32_e32 vcc, s31, v2
	v_add_u32_e32 v1, 0x70, v1
	s_and_b64 s[8:9], vcc, s[0:1]
	v_cmp_gt_i32_e32 vcc, s31, v1
	v_pack_b32_f16 v15, v38, v39
	v_pack_b32_f16 v14, v26, v27
	v_add_u32_e32 v2, 0xc0, v0
	v_cndmask_b32_e64 v3, 0, 1, s[8:9]
	v_cmpx_le_u32 exec, 1, v3
buffer_store_dwordx2 v[14:15], v2, s[4:7], 0 offen offset:0
s_mov_b64 exec s[2:3]
	s_and_b64 s[0:1], vcc, s[0:1]
	v_pack_b32_f16 v17, v40, v41
	v_pack_b32_f16 v16, v30, v31
	v_add_u32_e32 v0, 0xe0, v0
	v_cndmask_b32_e64 v1, 0, 1, s[0:1]
	v_cmpx_le_u32 exec, 1, v1
buffer_store_dwordx2 v[16:17], v0, s[4:7], 0 offen offset:0
s_mov_b64 exec s[2:3]
	s_waitcnt vmcnt(0)
.LBB0_15:
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel ck_fmha_batch_prefill
		.amdhsa_group_segment_fixed_size 55296
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 424
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
		.amdhsa_next_free_vgpr 257
		.amdhsa_next_free_sgpr 100
		.amdhsa_accum_offset 208
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
	.section	.text.ck_fmha_batch_prefill,"axG",@progbits,ck_fmha_batch_prefill,comdat
.Lfunc_end0:
	.size	ck_fmha_batch_prefill, .Lfunc_end0-ck_fmha_batch_prefill
                                        ; -- End function
	.set ck_fmha_batch_prefill.num_vgpr, 206
	.set ck_fmha_batch_prefill.num_agpr, 0
	.set ck_fmha_batch_prefill.numbered_sgpr, 100
	.set ck_fmha_batch_prefill.num_named_barrier, 0
	.set ck_fmha_batch_prefill.private_seg_size, 0
	.set ck_fmha_batch_prefill.uses_vcc, 1
	.set ck_fmha_batch_prefill.uses_flat_scratch, 0
	.set ck_fmha_batch_prefill.has_dyn_sized_stack, 0
	.set ck_fmha_batch_prefill.has_recursion, 0
	.set ck_fmha_batch_prefill.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.section	.AMDGPU.csdata,"",@progbits
	.type	__hip_cuid_,@object
	.section	.bss,"aw",@nobits
	.globl	__hip_cuid_
__hip_cuid_:
	.byte	0
	.size	__hip_cuid_, 1
	.ident	"clang version 22.1.8"
	.ident	"clang version 19.0.0git (https://github.com/ROCm/llvm-project.git d8e4e4e0a829ae8b5db3492257fb95b9c2ad2bbc)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym __hip_cuid_
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           168
        .value_kind:     by_value
      - .offset:         168
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         172
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         176
        .size:           4
        .value_kind:     hidden_block_count_z
      - .offset:         180
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         182
        .size:           2
        .value_kind:     hidden_group_size_y
      - .offset:         184
        .size:           2
        .value_kind:     hidden_group_size_z
      - .offset:         186
        .size:           2
        .value_kind:     hidden_remainder_x
      - .offset:         188
        .size:           2
        .value_kind:     hidden_remainder_y
      - .offset:         190
        .size:           2
        .value_kind:     hidden_remainder_z
      - .offset:         208
        .size:           8
        .value_kind:     hidden_global_offset_x
      - .offset:         216
        .size:           8
        .value_kind:     hidden_global_offset_y
      - .offset:         224
        .size:           8
        .value_kind:     hidden_global_offset_z
      - .offset:         232
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 55296
    .kernarg_segment_align: 8
    .kernarg_segment_size: 424
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           ck_fmha_batch_prefill
    .private_segment_fixed_size: 0
    .sgpr_count:     106
    .sgpr_spill_count: 68
    .symbol:         ck_fmha_batch_prefill.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     206
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
