"""`make contract`: the list on every target that this machine has, then the page. Rows of an earlier run are replaced.

`--only cpu,triton` takes some parts, `--keep` continues a run that was stopped.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROWS = HERE.parents[1] / "build" / "contract"
# Emulated GPUs take seconds of one core for a case, and compiling for CK Tile half a minute: they run a part of the
# list, each core its own cases.
EMULATED = ["--device", "emu:gfx942", "--jobs", "1", "--shards", str(os.cpu_count() or 1)]
PARTS = {
    "cpu": ["contract_run.py", "--backend", "cpu"],
    "torch": ["contract_torch.py", "--stride", "2"],
    "bundle": ["contract_bundle.py", "--stride", "6"],
    "triton": ["contract_run.py", "--backend", "triton", *EMULATED, "--stride", "8"],
    "ck_tile": ["contract_run.py", "--backend", "ck_tile", *EMULATED, "--stride", "24"],
    "gpu": ["contract_run.py", "--backend", "triton", "--device", "cuda:0"],
}


def main() -> int:
    """Run the parts one after another; return 1 if one of them has a row that is not right."""
    parser = argparse.ArgumentParser(description=__doc__)
    has_gpu = any(Path("/dev").glob("nvidia[0-9]*"))
    parser.add_argument("--only", default=",".join(p for p in PARTS if has_gpu or p != "gpu"))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    asked = [part for part in options.only.split(",") if part]
    unknown = [part for part in asked if part not in PARTS]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    if not options.keep:
        shutil.rmtree(ROWS, ignore_errors=True)
    ROWS.mkdir(parents=True, exist_ok=True)
    failed = []
    for part in asked:
        script, *arguments = PARTS[part]
        print(f"== {part}", flush=True)
        command = [sys.executable, str(HERE / script), *arguments, "--out", str(ROWS / f"{part}.jsonl")]
        if subprocess.run(command, check=False).returncode:
            failed.append(part)
    rows = [str(path) for part in asked if (path := ROWS / f"{part}.jsonl").exists()]
    subprocess.run([sys.executable, str(HERE / "contract_page.py"), *rows], check=True)
    print(f"not right: {', '.join(failed)}" if failed else "everything is right; docs/contract.md is new")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
