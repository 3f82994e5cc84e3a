"""Batch-invariant products and attention on a GPU: equal bits for every batch, and the time beside torch.

    python benchmarks/gpu/invariant.py --out invariant.jsonl

Products of eight language models (bf16, weights [n, k] as in torch.nn.Linear) with numbers of rows between tiles.
Ours with `invariant=True`, ours without it (no libraries among its candidates) and torch.mm are captured in graphs and
replayed in turn. Then, for each (n, k), all batches are compared with the rows of the largest one, bit by bit. The same
for attention: prompts of several lengths, and decoding. The last line has the means. `--parts P ...` also times
invariant products whose sums are cut into P parts.
"""

from __future__ import annotations

import argparse
import json
import statistics
from math import exp, log

import torch

import tilewright as tw
from tilewright.backends.gpu.timing import CapturedCalls
from tilewright.settings import Settings

ROWS = (17, 48, 160, 272, 320, 352, 720, 1100)
MORE_ROWS = (1, 2, 7, 16, 64, 128, 300, 513)  # compared only
# (n, k) of the projections of queries, keys and values, of the result, and of both halves of the feed-forward layer
MODELS = {
    "llama-3.2-1b": ((3072, 2048), (2048, 2048), (16384, 2048), (2048, 8192)),
    "phi-3-mini": ((9216, 3072), (3072, 3072), (16384, 3072), (3072, 8192)),
    "qwen2.5-7b": ((4608, 3584), (3584, 3584), (37888, 3584), (3584, 18944)),
    "llama-3.1-8b": ((6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336)),
    "gemma-2-9b": ((8192, 3584), (3584, 4096), (28672, 3584), (3584, 14336)),
    "llama-2-13b": ((15360, 5120), (5120, 5120), (27648, 5120), (5120, 13824)),
    "yi-34b": ((9216, 7168), (7168, 7168), (40960, 7168), (7168, 20480)),
    "llama-3.1-70b": ((10240, 8192), (8192, 8192), (57344, 8192), (8192, 28672)),
}
# sequences, query heads, key heads, rows, keys, hdim
PROMPTS = ((1, 32, 8, 4096, 128), (4, 32, 8, 1024, 128), (8, 16, 16, 1037, 64), (2, 32, 32, 2048, 128))
DECODING = ((1, 32, 8, 8192, 128), (16, 32, 8, 4096, 128), (64, 32, 8, 2048, 128), (128, 32, 8, 1024, 128))
TURNS, ROUNDS = 5, 7


def timed(calls):
    """The median seconds of each call, measured in turn."""
    graphs = {name: CapturedCalls([call], TURNS) for name, call in calls.items()}
    times = {name: [] for name in graphs}
    for _ in range(ROUNDS):
        for name, graph in graphs.items():
            times[name].append(graph.sample())
    return {name: statistics.median(found) for name, found in times.items()}


def built(dispatcher, calls):
    """Build in parallel what the calls need."""
    with dispatcher.rehearsal() as problems:
        for call in calls:
            call()
    dispatcher.warm_up(list(problems.values()))


def product_calls(a, w, dispatcher, parts):
    b = w.T
    calls = {
        "invariant": lambda: tw.gemm(a, b, invariant=True, dispatcher=dispatcher),
        "plain": lambda: tw.gemm(a, b, dispatcher=dispatcher),
    }
    for p in parts:
        calls[f"parts{p}"] = lambda p=p: tw.gemm(a, b, invariant=True, split_k=p, dispatcher=dispatcher)
    return calls


def products(models, dispatcher, parts):
    """One row for each product, with the bits of all batches compared at the end of each (n, k)."""
    sizes = [(model, n, k) for model in models for n, k in MODELS[model]]
    shared = torch.empty(max(n * k for _, n, k in sizes), device="cuda", dtype=torch.bfloat16)

    def tensors(n, k):
        a = torch.empty(max(ROWS), k, device="cuda", dtype=torch.bfloat16)
        return a, shared[: n * k].view(n, k)

    built(dispatcher, [c for _, n, k in sizes for a, w in [tensors(n, k)] for m in (*ROWS, *MORE_ROWS)
                       for name, c in product_calls(a[:m], w, dispatcher, parts if m in ROWS else ()).items()
                       if name != "plain" or m in ROWS])  # fmt: skip
    for model, n, k in sizes:
        a, w = tensors(n, k)
        a.normal_()
        w.normal_().mul_(k**-0.5)
        whole = tw.gemm(a, w.T, invariant=True, dispatcher=dispatcher)
        equal = {m: torch.equal(tw.gemm(a[:m], w.T, invariant=True, dispatcher=dispatcher), whole[:m])
                 for m in (*ROWS, *MORE_ROWS)}  # fmt: skip
        error = float((whole.float() - a.float() @ w.float().T).norm() / whole.float().norm())
        plain = {m: torch.equal(tw.gemm(a[:m], w.T, dispatcher=dispatcher), whole[:m]) for m in ROWS}
        for m in ROWS:
            x, y = a[:m], torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
            found = timed(
                {**product_calls(x, w, dispatcher, parts), "torch": lambda x=x, y=y, w=w: torch.mm(x, w.T, out=y)}
            )
            kernel = dispatcher.plan(problem_of(x, w)).kernel
            yield {"model": model, "m": m, "n": n, "k": k, **found, "ratio": found["torch"] / found["invariant"],
                   "equal": equal[m], "plain_equal": plain[m], "error": error, "kernel": kernel}  # fmt: skip
        if not all(equal.values()):
            print("other bits:", n, k, [m for m, same in equal.items() if not same], flush=True)


def problem_of(x, w):
    dispatcher = tw.Dispatcher()
    with dispatcher.rehearsal() as problems:
        tw.gemm(x, w.T, invariant=True, dispatcher=dispatcher)
    return next(iter(problems.values()))


def attention_calls(q, k, v, lengths, dispatcher):
    if lengths is None:
        return {n: lambda i=i: tw.attention(q, k, v, causal=True, invariant=i, dispatcher=dispatcher)
                for n, i in (("invariant", True), ("plain", False))}  # fmt: skip
    return {n: lambda i=i: tw.attention_decode(q, k, v, lengths, invariant=i, dispatcher=dispatcher)
            for n, i in (("invariant", True), ("plain", False))}  # fmt: skip


def attentions(dispatcher):
    """One row for each attention; bits of one sequence alone, and of the last rows of a prompt alone."""
    todo = []
    for decodes, sizes in ((False, PROMPTS), (True, DECODING)):
        for b, h, kv, keys, d in sizes:
            rows = 1 if decodes else keys
            q, k, v = (torch.randn(b, r, n, d, device="cuda", dtype=torch.bfloat16)
                       for r, n in ((rows, h), (keys, kv), (keys, kv)))  # fmt: skip
            lengths = torch.full((b,), keys, device="cuda", dtype=torch.int32) if decodes else None
            if decodes and b > 2:
                lengths[1] = keys // 3
            todo.append((decodes, (b, h, kv, keys, d), q, k, v, lengths))

    def few(q, k, v, lengths):
        """The calls whose rows are those of the second sequence, or of the only one."""
        one = slice(min(1, q.shape[0] - 1), min(1, q.shape[0] - 1) + 1)
        found = [(one, slice(None), q[one], k[one], v[one], None if lengths is None else lengths[one])]
        if lengths is None:
            found += [(one, slice(-r, None), q[one][:, -r:], k[one], v[one], None) for r in (1, 5, 100)]
        return found

    every = [args for _, _, *args in todo] + [c[2:] for _, _, *args in todo for c in few(*args)]
    built(dispatcher, [c for args in every for c in attention_calls(*args, dispatcher).values()])
    for decodes, size, *args in todo:
        whole = attention_calls(*args, dispatcher)["invariant"]()
        equal = all(torch.equal(attention_calls(*c[2:], dispatcher)["invariant"](), whole[c[0], c[1]])
                    for c in few(*args))  # fmt: skip
        found = timed(attention_calls(*args, dispatcher))
        yield {"attention": "decoding" if decodes else "prompt", "size": size, **found,
               "ratio": found["plain"] / found["invariant"], "equal": equal}  # fmt: skip


def summary(rows):
    """Means, the least ratio, and whether all bits are equal."""
    found = {}
    for name, kind in (("products", "model"), ("attention", "attention")):
        ratios = [row["ratio"] for row in rows if kind in row]
        if ratios:
            mean = exp(sum(map(log, ratios)) / len(ratios))
            found[name] = {"mean": round(mean, 3), "least": round(min(ratios), 3), "count": len(ratios),
                           "equal": all(row["equal"] for row in rows if kind in row)}  # fmt: skip
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--parts", nargs="*", type=int, default=[])
    parser.add_argument("--no-attention", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    dispatcher = tw.Dispatcher(settings=Settings.from_env(vendor=False))
    rows = []
    with open(args.out, "w") as file, torch.no_grad():
        for source in (
            products(args.models, dispatcher, args.parts),
            () if args.no_attention else attentions(dispatcher),
        ):
            for row in source:
                rows.append(row)
                file.write(json.dumps(row) + "\n")
                file.flush()
        found = summary(rows)
        file.write(json.dumps({"summary": found}) + "\n")
    worst = sorted(rows, key=lambda row: row["ratio"])[:24]
    for row in worst:
        print({name: f"{x * 1e6:.1f}" if isinstance(x, float) and x < 0.1 else x for name, x in row.items()})
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
