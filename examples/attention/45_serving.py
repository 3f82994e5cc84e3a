"""The calls of a model: prompts of several lengths over a paged cache, decoding token by token, a training step.

Prints:
    prompts and decoding: largest error ... against float64
    gradients: largest error ... against float64
"""

from dataclasses import replace

import numpy as np

import tilewright as tw
from tilewright.ops.fmha.reference import all_expected

HEADS, KV_HEADS, HDIM, PAGE = 8, 2, 64, 16


def decode(prompts: tuple[int, ...] = (5, 40), tokens: int = 6) -> float:
    """Decode token by token over shuffled pages; return the largest error against one float64 pass over all tokens."""
    rng = np.random.default_rng(0)
    batch, longest = len(prompts), max(prompts) + tokens
    table = rng.permutation(batch * -(-longest // PAGE)).astype(np.int32).reshape(batch, -1)
    cache = [np.zeros((table.size, PAGE, KV_HEADS, HDIM), np.float32) for _ in range(2)]
    history = [rng.standard_normal((batch, longest, KV_HEADS, HDIM), dtype=np.float32) for _ in range(2)]
    queries = rng.standard_normal((batch, longest, HEADS, HDIM), dtype=np.float32)

    for b, length in enumerate(prompts):  # each prompt is one append
        start = np.zeros(1, np.int32)
        tw.append_kv(*cache, *(x[b : b + 1, :length] for x in history), start, page_table=table[b : b + 1])
    lengths = np.array(prompts, np.int32)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    packed = np.concatenate([queries[b, :length] for b, length in enumerate(prompts)])
    out = tw.attention_prefill(packed, *cache, ends, max(prompts), lengths, page_table=table)
    worst = max(
        distance(out[ends[b] : ends[b + 1]], queries[b, :n], *(x[b, :n] for x in history))
        for b, n in enumerate(prompts)
    )
    for _ in range(tokens):
        at = (np.arange(batch), lengths)
        tw.append_kv(*cache, *(x[at][:, None] for x in history), lengths, page_table=table)
        lengths = lengths + 1
        out = tw.attention_decode(queries[at][:, None], *cache, lengths, page_table=table)
        for b, n in enumerate(lengths):
            worst = max(worst, distance(out[b], queries[b, n - 1 : n], *(x[b, :n] for x in history)))
    return worst


def distance(out: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> float:
    """Return the largest error of attention for one sequence against float64; the queries are its last rows."""
    sizes = {"batch": 1, "heads_q": HEADS, "heads_kv": KV_HEADS, "seqlen_q": len(q), "seqlen_k": len(k)}
    fields = {"op": "fmha", **sizes, "hdim_q": HDIM, "dtype": "fp32", "mask": "causal_bottom_right"}
    want = all_expected(tw.problem_from_dict(fields), {"q": q[None], "k": k[None], "v": v[None]})["out"].value[0]
    return float(np.abs(out - want).max())


def train() -> float:
    """Run a forward and a backward pass with the same dropout; return the largest error of the gradients."""
    rng = np.random.default_rng(1)
    q, dout = (rng.standard_normal((2, 50, HEADS, HDIM), dtype=np.float32) for _ in range(2))
    k, v = (rng.standard_normal((2, 50, KV_HEADS, HDIM), dtype=np.float32) for _ in range(2))
    seed = (2024, 7, 0)
    out, lse = tw.attention(q, k, v, causal=True, align="top_left", dropout=0.1, rng=seed, return_lse=True)
    got = tw.attention_backward(dout, q, k, v, out, lse, causal=True, align="top_left", dropout=0.1, rng=seed)

    sizes = {"batch": 2, "heads_q": HEADS, "heads_kv": KV_HEADS, "seqlen_q": 50, "hdim_q": HDIM, "dtype": "fp32"}
    problem = tw.problem_from_dict({"op": "fmha", **sizes, "mask": "causal_top_left", "dropout": 0.1, "lse": True})
    tensors = {"q": q, "k": k, "v": v, "rng": np.array(seed, np.int32)}
    forward = all_expected(problem, tensors)
    backward = replace(problem, family="bwd")
    exact = {**tensors, "dout": dout, "out": forward["out"].value, "lse": forward["lse"].value}
    want = all_expected(backward, exact)
    return max(float(np.abs(g - want[r].value).max()) for r, g in zip(("dq", "dk", "dv"), got, strict=True))


def main() -> None:
    """Run both and print their errors against the reference."""
    for name, error in (("prompts and decoding", decode()), ("gradients", train())):
        assert error < 1e-4, f"{name}: {error}"
        print(f"{name}: largest error {error:.1e} against float64")


if __name__ == "__main__":
    main()
