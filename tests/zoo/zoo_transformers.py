"""Architectures of transformers with tiny configurations, made from their own configuration classes.

`SMALL` has a value for every field that usually decides about a size; a configuration takes those that it has. What an
architecture needs beyond that is in the tables of `zoo_architectures`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch import nn
from zoo_architectures import ARCHITECTURES
from zoo_entry import Entry

VOCABULARY, LENGTH, HEADS, HIDDEN = 99, 12, 4, 64
LAYERS = 2
DROPPED = ("softcap", "s_aux")  # arguments of attention functions that torch's function has not
SMALL: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "embed_dim", "dim", "emb_dim", "embedding_size"), HIDDEN),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"), LAYERS),
    **dict.fromkeys(("decoder_layers", "num_decoder_layers", "num_encoder_layers", "depth"), LAYERS),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"), HEADS),
    **dict.fromkeys(("decoder_attention_heads", "num_encoder_attention_heads", "num_decoder_attention_heads"), HEADS),
    **dict.fromkeys(("num_key_value_heads", "num_query_groups"), HEADS // 2),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "d_ff", "encoder_ffn_dim", "decoder_ffn_dim", "n_inner"), 96),
    **dict.fromkeys(("hidden_dim", "ffn_hidden_size"), 96),
    **dict.fromkeys(("head_dim", "d_kv"), HIDDEN // HEADS),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx"), 64),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "num_experts_per_token", "moe_k"), 2),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size", "expert_ffn_hidden_size"), 48),
    **dict.fromkeys(("image_size",), 32),
    **dict.fromkeys(("patch_size",), 8),
    "num_mel_bins": 16,
    "type_vocab_size": 2,
    "tie_word_embeddings": False,
    "mask_time_prob": 0.0,
    "mask_feature_prob": 0.0,
    "apply_spec_augment": False,
}  # fmt: skip
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def config_of(model_type: str, options: Mapping[str, Any]) -> Any:
    """Return the tiny configuration of an architecture."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = CONFIG_MAPPING[model_type]
    default = kind()
    known, real = default.to_dict(), default.attribute_map
    small = {real.get(name, name): value for name, value in {**SMALL, **TOKENS}.items()}
    small = {name: value for name, value in small.items() if name in known}
    for name, value in known.items():
        if isinstance(value, float) and "drop" in name:  # dropout, attn_pdrop, drop_path_rate, layerdrop
            small[name] = 0.0
    found = {**small, **{real.get(name, name): value for name, value in options.items()}}
    return kind(**{name: value for name, value in found.items() if value is not ...})


def make(
    model_type: str, auto: str, options: Mapping[str, Any], inputs: Callable[[], dict[str, Any]] = dict
) -> nn.Module:
    """Return the model of an architecture, with random weights. Its attention is one that computes all it asks for."""
    import transformers

    config = config_of(model_type, options)
    kind = getattr(transformers, auto)
    model: Any = kind.from_config(config) if auto.startswith("Auto") else kind(config)
    model = model.float()
    if model.config._attn_implementation == "sdpa" and drops_options(model, inputs()):
        model.set_attn_implementation("eager")
    found: nn.Module = model
    return found


def drops_options(model: nn.Module, inputs: dict[str, Any]) -> bool:
    """Return whether a model gives "sdpa" what torch's function has not: a soft cap, or sinks.

    Some versions of transformers let "sdpa" leave them out, and others refuse: only "eager" is one to compare with.
    """
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS as FUNCTIONS

    kept, dropped = FUNCTIONS["sdpa"], set[str]()

    def noted(*args: Any, **options: Any) -> Any:
        found = {name for name in DROPPED if options.get(name) is not None}
        dropped.update(found)
        return kept(*args, **{name: value for name, value in options.items() if name not in found})

    FUNCTIONS["sdpa"] = noted
    try:
        with torch.no_grad(), contextlib.suppress(Exception):  # an input that the model refuses shows later
            model(**inputs)
    finally:
        FUNCTIONS["sdpa"] = kept
    return bool(dropped)


def _ids(rows: int, length: int, seed: int = 3) -> torch.Tensor:
    return torch.randint(3, VOCABULARY, (rows, length), generator=torch.Generator().manual_seed(seed))


def _left_padded(length: int = LENGTH) -> dict[str, torch.Tensor]:
    """Return two sequences; the second is shorter, and its padding is on the left."""
    ids, mask = _ids(2, length), torch.ones(2, length, dtype=torch.long)
    ids[1, : length // 3], mask[1, : length // 3] = 0, 0
    return {"input_ids": ids, "attention_mask": mask}


def _right_padded(length: int = LENGTH) -> dict[str, torch.Tensor]:
    ids, mask = _ids(2, length), torch.ones(2, length, dtype=torch.long)
    ids[1, -length // 3 :], mask[1, -length // 3 :] = 0, 0
    return {"input_ids": ids, "attention_mask": mask}


def _noise(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(4))


def _decoder(options: Any) -> dict[str, Any]:
    return {**_left_padded(), "use_cache": False}


def _unpadded(options: Any) -> dict[str, Any]:
    return {"input_ids": _ids(2, LENGTH)}


def _pair(options: Any) -> dict[str, Any]:
    return {**_right_padded(), "decoder_input_ids": _ids(2, 7, 8), "use_cache": False}


def _image(options: Any) -> dict[str, Any]:
    side = options.get("image_size", 32)
    side = side if isinstance(side, int) else 32
    return {"pixel_values": _noise(2, options.get("num_channels", 3), side, side)}


KINDS: dict[str, tuple[str, Callable[[Any], dict[str, Any]], Callable[[], dict[str, torch.Tensor]] | None]] = {
    "decoder": ("AutoModelForCausalLM", _decoder, _left_padded),
    "decoder, no padding": ("AutoModelForCausalLM", _unpadded, lambda: {"input_ids": _ids(2, LENGTH)}),
    "encoder": ("AutoModel", lambda _: _right_padded(), None),
    "encoder, no padding": ("AutoModel", _unpadded, None),
    "encoder-decoder": ("AutoModelForSeq2SeqLM", _pair, _left_padded),
    "vision": ("AutoModel", _image, None),
    "video": ("AutoModel", lambda o: {"pixel_values": _noise(1, o.get("num_frames", 4), 3, 32, 32)}, None),
    "wave": ("AutoModel", lambda _: {"input_values": _noise(2, 1600)}, None),
    "codec": ("AutoModel", lambda _: {"input_values": _noise(1, 1, 1280)}, None),
    "text and image": (
        "AutoModel", lambda o: {**_right_padded(8), "pixel_values": _noise(2, 3, 32, 32)}, None
    ),
    "series": ("AutoModel", lambda o: {"past_values": _noise(2, o["context_length"], 2)}, None),
}  # fmt: skip


def entry_of(name: str) -> Entry:
    """Return the entry of an architecture: `gemma2`, or `falcon:alibi` for another configuration of it."""
    kind, options = ARCHITECTURES[name]
    options = dict(options)
    auto, inputs, prompt = KINDS[kind]
    auto, given, more = options.pop("auto", auto), options.pop("inputs", None), options.pop("more_inputs", {})
    if not options.pop("generates", True):
        prompt = None

    def made_inputs() -> dict[str, Any]:
        found = dict(given()) if given is not None else inputs(options)
        return {name: value for name, value in {**found, **more}.items() if value is not ...}

    made = partial(make, name.partition(":")[0], auto, options, made_inputs)
    return Entry(f"transformers/{name}", made, made_inputs, prompt=prompt)


def entries() -> Iterator[Entry]:
    """Return one entry for each architecture that the installed transformers has."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    for name in ARCHITECTURES:
        if name.partition(":")[0] in CONFIG_MAPPING_NAMES:
            yield entry_of(name)
