#!/bin/sh
# Measure, train and judge the models that ship for this CPU's arch. One command, on a machine that does nothing else:
#
#     benchmarks/collect_cpu.sh            # 40 minutes
#     benchmarks/collect_cpu.sh 160        # more minutes: more problems
#
# A run that was stopped goes on where it was. Measurements gather in out/collect; the datasets, the judgements and the
# models go where the repository keeps them. OPS, DTYPES and THREADS choose parts; TRAIN=0 only measures.
set -eu
cd "$(dirname "$0")/.."
MINUTES=${1:-40}
OPS=${OPS:-"gemm conv"}
DTYPES=${DTYPES:-"fp32 bf16 fp16 int8"}
THREADS=${THREADS:-"2"}
TILEWRIGHT=${TILEWRIGHT:-.venv/bin/tilewright}
export TILEWRIGHT_DATA_DIR="${TILEWRIGHT_DATA_DIR:-$PWD/out/collect}"

parts=0
for op in $OPS; do for threads in $THREADS; do for dtype in $DTYPES; do parts=$((parts + 1)); done; done; done
seconds=$((MINUTES * 60 / parts))
for op in $OPS; do
  for threads in $THREADS; do
    for dtype in $DTYPES; do
      if [ "$op $dtype" = "conv int8" ]; then continue; fi # only forward has 8-bit kernels: too few to learn from
      "$TILEWRIGHT" tune --op "$op" --dtype "$dtype" --threads "$threads" --budget "${seconds}s" \
        --count $((seconds * 2 + 60)) --top 16 --explore 16 --no-train
    done
  done
done
[ "${TRAIN:-1}" = 1 ] || exit 0
for op in $OPS; do
  "$TILEWRIGHT" data export "benchmarks/data/${op}_cpu.parquet" --op "$op"
  "$TILEWRIGHT" evaluate "benchmarks/data/${op}_cpu.parquet" --among measured
  "$TILEWRIGHT" evaluate "benchmarks/data/${op}_cpu.parquet" --among measured --json > "benchmarks/results/selection_${op}_cpu.json"
  "$TILEWRIGHT" train "benchmarks/data/${op}_cpu.parquet" --out src/tilewright/select/models
done
