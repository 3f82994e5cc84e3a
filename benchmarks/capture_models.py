"""Write the problems of the nets in `benchmarks/nets` to `benchmarks/problems/models`, from meta tensors.

One file per net and place: inference, a training step, and for Llama a few steps of generation. On a GPU in fp16, on
the CPU in fp32, both with channels last.

    python benchmarks/capture_models.py
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "src")]

from nets import NETS, Net  # noqa: E402

from tilewright.torch import Capture, capture  # noqa: E402

PLACES = {"gpu": ("cuda", torch.float16), "cpu": ("cpu", torch.float32)}
GENERATED = 4  # tokens; every one more is one more length of the keys


def captured(net: Net, place: str) -> Capture:
    """Return the problems of one net."""
    device, dtype = PLACES[place]
    model, example = net.model(place, "meta", dtype), net.example(place, "meta", dtype)
    with capture(device=device) as found:
        with torch.no_grad():
            model.generate(example, GENERATED) if hasattr(model, "generate") else model(example)
        out = model.train()(example)
        out.backward(torch.empty_like(out))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=list(NETS), choices=list(NETS))
    parser.add_argument("--out", type=Path, default=FOLDER / "problems" / "models")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.nets:
        for place in PLACES:
            found = captured(NETS[name], place)
            path = args.out / f"{name}_{place}.jsonl"
            found.write(path)
            print(f"{path.name}: {len(found.calls)} problems, {sum(c.count for c in found.calls)} calls")
            for (op, reason), count in found.left.items():
                print(f"  left out: {op}, {count} calls: {reason}")


if __name__ == "__main__":
    main()
