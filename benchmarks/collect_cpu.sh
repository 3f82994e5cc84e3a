#!/bin/sh
# Measure, train and judge the GEMM models that ship for this CPU's arch. One command, on a machine that does nothing else:
#
#     benchmarks/collect_cpu.sh            # 40 minutes
#     benchmarks/collect_cpu.sh 160        # more minutes: more problems
#
# A run that was stopped goes on where it was. Measurements gather in out/collect; the dataset, the judgement and the models
# go where the repository keeps them.
set -eu
cd "$(dirname "$0")/.."
MINUTES=${1:-40}
DTYPES=${DTYPES:-"fp32 bf16 fp16 int8"}
THREADS=${THREADS:-"1 2"}
TILEWRIGHT=${TILEWRIGHT:-.venv/bin/tilewright}
export TILEWRIGHT_DATA_DIR="${TILEWRIGHT_DATA_DIR:-$PWD/out/collect}"

parts=0
for threads in $THREADS; do for dtype in $DTYPES; do parts=$((parts + 1)); done; done
seconds=$((MINUTES * 60 / parts))
for threads in $THREADS; do
  for dtype in $DTYPES; do
    "$TILEWRIGHT" tune --dtype "$dtype" --threads "$threads" --budget "${seconds}s" --count $((seconds + 60)) \
      --top 16 --explore 16 --no-train
  done
done
"$TILEWRIGHT" data export benchmarks/data/gemm_cpu.parquet --op gemm
"$TILEWRIGHT" evaluate benchmarks/data/gemm_cpu.parquet --among measured
"$TILEWRIGHT" evaluate benchmarks/data/gemm_cpu.parquet --among measured --json > benchmarks/results/selection_cpu_learned.json
"$TILEWRIGHT" train benchmarks/data/gemm_cpu.parquet --out src/tilewright/select/models
