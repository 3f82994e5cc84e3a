"""The architectures of transformers in the zoo: what kind of inputs each takes, and what its configuration needs.

A name may have a variant after a colon. The value `...` takes a field of `SMALL` or of the inputs away.
"""

from __future__ import annotations

from typing import Any

import torch

Table = dict[str, tuple[str, dict[str, Any]]]


def noise(*shape: int, seed: int = 6) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def _all(kind: str, names: str, **options: Any) -> Table:
    return dict.fromkeys(names.split(), (kind, options))


DECODERS: Table = {
    **_all("decoder", "llama qwen2 qwen3 gemma phi phi3 gpt2 gpt_neox gpt_bigcode bloom mpt opt xglm biogpt"),
    **_all("decoder", "cohere granite granitemoe olmo olmo2 stablelm starcoder2 persimmon nemotron glm glm4 helium"),
    **_all("decoder", "smollm3 ernie4_5 arcee diffllama hunyuan_v1_dense seed_oss apertus nanochat mixtral qwen2_moe"),
    **_all("decoder", "qwen3_moe olmoe phimoe jetmoe ctrl openai-gpt doge bert-generation megatron-bert"),
    **_all("decoder", "gptj codegen", rotary_dim=8),
    "mistral": ("decoder", {"sliding_window": 4}),
    "ministral": ("decoder", {"sliding_window": 4}),
    "qwen2:window": ("decoder", {"sliding_window": 4, "use_sliding_window": True, "max_window_layers": 1}),
    "gemma2": ("decoder", {"sliding_window": 4, "attn_logit_softcapping": 2.0, "query_pre_attn_scalar": 16}),
    "gemma3_text": ("decoder", {"sliding_window": 4, "query_pre_attn_scalar": 16}),
    "vaultgemma": ("decoder", {"sliding_window": 4}),
    "cohere2": ("decoder", {"sliding_window": 4}),
    "olmo3": ("decoder", {"sliding_window": 4}),
    "exaone4": ("decoder", {"sliding_window": 4, "sliding_window_pattern": 2}),
    "gpt_oss": ("decoder", {"sliding_window": 4}),
    "gpt_neo": ("decoder", {"attention_types": [[["global", "local"], 1]], "window_size": 4}),
    "falcon": ("decoder", {"new_decoder_architecture": False}),
    "falcon:alibi": ("decoder", {"alibi": True, "new_decoder_architecture": False}),
    "dbrx": ("decoder", {"ffn_config": {"ffn_hidden_size": 48, "moe_num_experts": 4, "moe_top_k": 2},
                         "attn_config": {"kv_n_heads": 2, "clip_qkv": 8.0, "rope_theta": 10000.0}}),
    "deepseek_v2": ("decoder", {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16,
                                "v_head_dim": 16, "head_dim": 8, "first_k_dense_replace": 1, "n_group": 1,
                                "topk_group": 1, "num_key_value_heads": 4}),
    "deepseek_v3": ("decoder", {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16,
                                "v_head_dim": 16, "head_dim": 8, "first_k_dense_replace": 1, "n_group": 2,
                                "topk_group": 1, "num_key_value_heads": 4}),
    "modernbert-decoder": ("decoder", {"local_attention": 4, "global_attn_every_n_layers": 2}),
    "xlnet": ("decoder, no padding", {"d_inner": 96, "d_head": 16, "generates": False}),
    "xlm": ("encoder", {}),
}  # fmt: skip

STATE_SPACE: Table = {
    "mamba": ("decoder, no padding", {"state_size": 8}),
    "falcon_mamba": ("decoder, no padding", {"state_size": 8}),
    "mamba2": ("decoder, no padding", {"state_size": 8, "num_heads": 8, "head_dim": 16, "n_groups": 2,
                                       "chunk_size": 8}),
    "jamba": ("decoder", {"num_hidden_layers": 4, "attn_layer_period": 2, "attn_layer_offset": 1, "mamba_d_state": 8,
                          "expert_layer_period": 2, "expert_layer_offset": 1, "use_mamba_kernels": False}),
    "bamba": ("decoder", {"attn_layer_indices": [1], "mamba_d_state": 8, "mamba_n_heads": 8, "mamba_d_head": 16,
                          "mamba_chunk_size": 8}),
    "zamba": ("decoder", {"num_hidden_layers": 3, "attn_layer_period": 2, "attn_layer_offset": 1, "mamba_d_state": 8,
                          "n_mamba_heads": 2, "use_mamba_kernels": False, "num_key_value_heads": 4}),
    "zamba2": ("decoder", {"num_hidden_layers": 3, "layers_block_type": ["mamba", "hybrid", "mamba"],
                           "mamba_d_state": 8, "n_mamba_heads": 8, "mamba_headdim": 16, "mamba_ngroups": 1,
                           "chunk_size": 8, "num_mem_blocks": 1, "num_key_value_heads": 4}),
    "falcon_h1": ("decoder", {"mamba_d_ssm": 64, "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8,
                              "mamba_chunk_size": 8}),
    "granitemoehybrid": ("decoder", {"layer_types": ["mamba", "attention"], "mamba_n_heads": 8, "mamba_d_head": 16,
                                     "mamba_d_state": 8, "mamba_chunk_size": 8, "shared_intermediate_size": 48}),
    "nemotron_h": ("decoder", {"layers_block_type": ["mamba", "attention", "moe"], "num_hidden_layers": ...,
                               "mamba_num_heads": 8, "mamba_head_dim": 16, "ssm_state_size": 8, "n_groups": 2,
                               "chunk_size": 8, "moe_shared_expert_intermediate_size": 48}),
    "recurrent_gemma": ("decoder", {"num_hidden_layers": 3, "lru_width": 64, "attention_window_size": 4,
                                    "num_key_value_heads": 1}),
    "qwen3_next": ("decoder", {"layer_types": ["linear_attention", "full_attention"], "linear_key_head_dim": 16,
                               "linear_value_head_dim": 16, "linear_num_key_heads": 2, "linear_num_value_heads": 4}),
    "lfm2": ("decoder", {"layer_types": ["conv", "full_attention"], "block_auto_adjust_ff_dim": False}),
    "rwkv": ("decoder, no padding", {"attention_hidden_size": 64, "context_length": 32}),
    "xlstm": ("decoder, no padding", {"num_blocks": 2, "num_hidden_layers": 2, "chunk_size": 8, "qk_dim_factor": 1.0}),
    "minimax": ("decoder", {"layer_types": ["linear_attention", "full_attention"], "block_size": 8}),
}  # fmt: skip

ENCODERS: Table = {
    **_all("encoder", "bert roberta albert electra mpnet camembert ernie data2vec-text roformer rembert squeezebert"),
    **_all("encoder", "convbert layoutlm nystromformer roc_bert eurobert splinter ibert xlm-roberta-xl"),
    **_all("encoder", "roberta-prelayernorm nomic_bert"),
    "distilbert": ("encoder", {}),
    "lilt": ("encoder", {"hidden_size": 96, "max_2d_position_embeddings": 16}),
    "xmod": ("encoder", {"default_language": "en_XX"}),
    "deberta": ("encoder", {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "max_relative_positions": 16}),
    "deberta-v2": ("encoder", {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 8,
                               "share_att_key": True, "norm_rel_ebd": "layer_norm"}),
    "esm": ("encoder", {"position_embedding_type": "rotary", "mask_token_id": 4, "emb_layer_norm_before": True}),
    "fnet": ("encoder, no padding", {}),
    "funnel": ("encoder", {"auto": "FunnelModel", "block_sizes": [1, 1], "num_decoder_layers": 1, "d_inner": 96,
                           "d_head": 16}),
    "longformer": ("encoder", {"attention_window": 4}),
    "big_bird": ("encoder", {"attention_type": "original_full"}),
    "mobilebert": ("encoder", {"intra_bottleneck_size": 32, "embedding_size": 32}),
    "yoso": ("encoder", {"use_expectation": True}),
    "mra": ("encoder", {"inputs": lambda: {"input_ids": torch.arange(64).reshape(1, 64) + 3}}),
    "modernbert": ("encoder", {"local_attention": 4, "global_attn_every_n_layers": 2}),
    "canine": ("encoder", {"local_transformer_stride": 4, "downsampling_rate": 4, "num_hash_buckets": 64,
                           "attend_from_chunk_width": 8, "attend_to_chunk_width": 8, "attend_from_chunk_stride": 8,
                           "attend_to_chunk_stride": 8, "num_hash_functions": 4,
                           "inputs": lambda: {"input_ids": torch.arange(32).reshape(1, 32) + 3}}),
    "luke": ("encoder", {"entity_vocab_size": 10, "entity_emb_size": 32}),
}  # fmt: skip

ENCODER_DECODERS: Table = {
    **_all("encoder-decoder", "bart mbart pegasus blenderbot blenderbot-small m2m_100 marian plbart mvp prophetnet"),
    **_all("encoder-decoder", "t5 mt5 umt5"),
    "longt5": ("encoder-decoder", {"local_radius": 2, "encoder_attention_type": "transient-global",
                                   "global_block_size": 4}),
    "longt5:local": ("encoder-decoder", {"local_radius": 2, "encoder_attention_type": "local"}),
    "switch_transformers": ("encoder-decoder", {"num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1}),
    "pegasus_x": ("encoder-decoder", {"num_global_tokens": 4, "block_size": 4}),
    "led": ("encoder-decoder", {"attention_window": 4, "max_encoder_position_embeddings": 64,
                                "max_decoder_position_embeddings": 64}),
    "bigbird_pegasus": ("encoder-decoder", {"attention_type": "original_full"}),
    "nllb-moe": ("encoder-decoder", {"num_experts": 4, "encoder_sparse_step": 2, "decoder_sparse_step": 2}),
    "fsmt": ("encoder-decoder", {"src_vocab_size": 99, "tgt_vocab_size": 99, "langs": ["en", "de"]}),
    "t5gemma": ("encoder-decoder", {
        side: {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
               "head_dim": 16, "intermediate_size": 96, "vocab_size": 99, "sliding_window": 4,
               "query_pre_attn_scalar": 16, "attention_dropout": 0.0} for side in ("encoder", "decoder")}),
}  # fmt: skip

STAGES = {"hidden_sizes": [16, 32], "depths": [1, 1]}
VISION: Table = {
    **_all("vision", "vit deit beit dinov2 dinov2_with_registers dinov3_vit ijepa data2vec-vision vit_msn"),
    **_all("vision", "siglip_vision_model clip_vision_model vitdet"),
    "yolos": ("vision", {"image_size": [32, 32], "num_detection_tokens": 4}),
    "beit:bias": ("vision", {"use_relative_position_bias": True, "use_shared_relative_position_bias": False}),
    "swin": ("vision", {"depths": [2, 1], "num_heads": [2, 4], "embed_dim": 32, "patch_size": 2, "window_size": 4}),
    "swinv2": ("vision", {"depths": [2, 1], "num_heads": [2, 4], "embed_dim": 32, "patch_size": 2, "window_size": 4}),
    "convnext": ("vision", {**STAGES, "num_stages": 2, "patch_size": 4}),
    "convnextv2": ("vision", {**STAGES, "num_stages": 2, "patch_size": 4}),
    "resnet": ("vision", {**STAGES, "embedding_size": 16}),
    "regnet": ("vision", {**STAGES, "embedding_size": 16, "groups_width": 8}),
    "bit": ("vision", {**STAGES, "embedding_size": 16, "num_groups": 4}),
    "focalnet": ("vision", {"depths": [1, 1], "focal_levels": [2, 2], "focal_windows": [3, 3], "embed_dim": 16}),
    "segformer": ("vision", {"num_encoder_blocks": 2, "depths": [1, 1], "hidden_sizes": [16, 32], "sr_ratios": [2, 1],
                             "num_attention_heads": [1, 2], "patch_sizes": [7, 3], "strides": [4, 2],
                             "mlp_ratios": [2, 2]}),
    "poolformer": ("vision", {"depths": [1, 1], "hidden_sizes": [16, 32], "num_encoder_blocks": 2, "patch_size": 7,
                              "patch_sizes": [7, 3], "strides": [4, 2], "padding": [2, 1]}),
    "pvt": ("vision", {"depths": [1, 1, 1, 1], "hidden_sizes": [16, 16, 32, 32], "num_attention_heads": [1, 1, 2, 2],
                       "sequence_reduction_ratios": [4, 2, 1, 1], "mlp_ratios": [2, 2, 2, 2], "patch_size": 4,
                       "patch_sizes": [4, 2, 2, 2], "image_size": 64}),
    "pvt_v2": ("vision", {"depths": [1, 1, 1, 1], "hidden_sizes": [16, 16, 32, 32], "image_size": 64,
                          "num_attention_heads": [1, 1, 2, 2], "mlp_ratios": [2, 2, 2, 2]}),
    "mobilevit": ("vision", {"hidden_sizes": [16, 24, 32], "neck_hidden_sizes": [8, 8, 16, 16, 24, 32, 48],
                             "patch_size": 2, "num_attention_heads": 2, "hidden_size": ...}),
    "mobilevitv2": ("vision", {"patch_size": 2, "width_multiplier": 0.5, "hidden_size": ..., "image_size": 64}),
    "mobilenet_v1": ("vision", {"depth_multiplier": 0.25}),
    "mobilenet_v2": ("vision", {"depth_multiplier": 0.25, "depth_divisible_by": 8}),
    "efficientnet": ("vision", {"width_coefficient": 0.25, "depth_coefficient": 0.25, "image_size": 64,
                                "hidden_dim": 320}),
    "levit": ("vision", {"hidden_sizes": [32, 48, 64], "num_attention_heads": [2, 3, 4], "depths": [1, 1, 1],
                         "key_dim": [8, 8, 8], "patch_size": 16, "image_size": 64, "mlp_ratio": [2, 2, 2],
                         "down_ops": [["Subsample", 8, 4, 4, 2, 2], ["Subsample", 8, 6, 4, 2, 2]]}),
    "cvt": ("vision", {"embed_dim": [16, 32, 32], "num_heads": [1, 2, 2], "depth": [1, 2, 3],
                       "drop_path_rate": [0.0, 0.0, 0.0], "patch_size": ...}),
    "glpn": ("vision", {"depths": [1, 1, 1, 1], "hidden_sizes": [16, 16, 32, 32], "num_attention_heads": [1, 1, 2, 2],
                        "sr_ratios": [4, 2, 1, 1], "mlp_ratios": [2, 2, 2, 2], "image_size": 64}),
    "hiera": ("vision", {"embed_dim": 16, "depths": [1, 1], "num_heads": [1, 2], "image_size": [32, 32],
                         "patch_size": [7, 7], "patch_stride": [4, 4], "patch_padding": [3, 3],
                         "masked_unit_size": [4, 4], "query_stride": [2, 2], "num_query_pool": 1,
                         "embed_dim_multiplier": 2.0}),
    "imagegpt": ("encoder, no padding", {"auto": "ImageGPTForCausalImageModeling", "vocab_size": 100}),
    "swiftformer": ("vision", {"depths": [1, 1, 1, 1], "embed_dims": [16, 16, 32, 32], "image_size": 64}),
    "dpt": ("vision", {"auto": "AutoModelForDepthEstimation", "num_hidden_layers": 4, "is_hybrid": False,
                       "backbone_out_indices": [0, 1, 2, 3], "neck_hidden_sizes": [16, 16, 16, 16],
                       "fusion_hidden_size": 16}),
    "timesformer": ("video", {"num_frames": 4}),
    "videomae": ("video", {"num_frames": 4}),
    "vivit": ("video", {"num_frames": 4, "tubelet_size": [2, 8, 8], "image_size": 32}),
}  # fmt: skip

WAVE = {"conv_dim": [16, 32], "conv_kernel": [10, 4], "conv_stride": [5, 4], "num_feat_extract_layers": 2,
        "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2}  # fmt: skip
AUDIO: Table = {
    **_all("wave", "wav2vec2 hubert wavlm unispeech unispeech-sat data2vec-audio wav2vec2-conformer", **WAVE),
    "sew": ("wave", {**WAVE, "squeeze_factor": 2}),
    "sew-d": ("wave", {**WAVE, "squeeze_factor": 2, "relative_attention": True, "position_buckets": 8}),
    "wav2vec2-bert": ("wave", {"feature_projection_input_dim": 16, "position_embeddings_type": "relative_key",
                               "inputs": lambda: {"input_features": noise(2, 12, 16)}}),
    "whisper": ("encoder-decoder", {
        "auto": "AutoModelForSpeechSeq2Seq", "max_source_positions": 16, "max_target_positions": 32, "generates": False,
        "inputs": lambda: {"input_features": noise(2, 16, 32), "decoder_input_ids": torch.arange(14).reshape(2, 7) + 3,
                           "use_cache": False}}),
    "speech_to_text": ("encoder-decoder", {
        "auto": "AutoModelForSpeechSeq2Seq", "input_feat_per_channel": 16, "max_source_positions": 32,
        "max_target_positions": 32, "conv_channels": 16, "generates": False,
        "inputs": lambda: {"input_features": noise(2, 32, 16), "decoder_input_ids": torch.arange(14).reshape(2, 7) + 3,
                           "use_cache": False}}),
    "moonshine": ("encoder-decoder", {
        "auto": "AutoModelForSpeechSeq2Seq", "generates": False,
        "inputs": lambda: {"input_values": noise(2, 1600), "decoder_input_ids": torch.arange(14).reshape(2, 7) + 3,
                           "use_cache": False}}),
    "audio-spectrogram-transformer": ("wave", {"max_length": 32, "frequency_stride": 4, "time_stride": 4,
                                               "inputs": lambda: {"input_values": noise(2, 32, 16)}}),
    "encodec": ("codec", {"num_filters": 4, "hidden_size": 16, "codebook_dim": 16, "codebook_size": 8,
                          "upsampling_ratios": [4, 2], "num_lstm_layers": 1}),
    "dac": ("codec", {"encoder_hidden_size": 8, "decoder_hidden_size": 32, "downsampling_ratios": [2, 2],
                      "upsampling_ratios": [2, 2], "codebook_dim": 4, "codebook_size": 16, "n_codebooks": 2}),
    "univnet": ("wave", {"num_mel_bins": 16,
                         "inputs": lambda: {"input_features": noise(1, 8, 16),
                                            "noise_sequence": noise(1, 8, 64, seed=9)}}),
}  # fmt: skip

SERIES = {"context_length": 16, "prediction_length": 4, "num_input_channels": 2, "patch_length": 4, "patch_stride": 4}
TOWER = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
TOWERS = {
    "text_config": {**TOWER, "vocab_size": 99, "max_position_embeddings": 16, "projection_size": 64, "eos_token_id": 2},
    "vision_config": {**TOWER, "image_size": 32, "patch_size": 8},
}
OTHERS: Table = {
    "clip": ("text and image", {**TOWERS, "projection_dim": 64}),
    "siglip": ("text and image", TOWERS),
    "chinese_clip": ("text and image", {**TOWERS, "projection_dim": 64}),
    "vilt": ("text and image", {}),
    "patchtst": ("series", SERIES),
    "patchtsmixer": ("series", SERIES),
}

ARCHITECTURES: Table = {**DECODERS, **STATE_SPACE, **ENCODERS, **ENCODER_DECODERS, **VISION, **AUDIO, **OTHERS}
