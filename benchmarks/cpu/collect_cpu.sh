#!/bin/sh
# Measure, train and judge the models that ship for this CPU's arch:
#
#     benchmarks/cpu/collect_cpu.sh build                  # draw problems and build their kernels; the machine may be busy
#     benchmarks/cpu/collect_cpu.sh measure 140            # 140 seconds for each op and dtype, on a machine that is quiet
#     benchmarks/cpu/collect_cpu.sh train                  # datasets, judgements, models
#
# `measure` goes on where it stopped; run it as often as there is time. Measurements gather in out/collect; the datasets,
# judgements and models go where the repository keeps them. OPS, DTYPES, THREADS, COUNT and FLOPS choose parts; RUN is a
# command that the measuring runs under, such as one that keeps other programs away.
set -eu
cd "$(dirname "$0")/../.."
WHAT=${1:?build, measure or train}
SECONDS_EACH=${2:-140}
OPS=${OPS:-"gemm conv"}
DTYPES=${DTYPES:-"fp32 bf16 fp16 int8"}
THREADS=${THREADS:-"$(nproc)"}
COUNT=${COUNT:-600}
FLOPS=${FLOPS:-6e7}
RUN=${RUN:-}
PYTHON=${PYTHON:-.venv/bin/python}
TILEWRIGHT=${TILEWRIGHT:-.venv/bin/tilewright}
export TILEWRIGHT_DATA_DIR="${TILEWRIGHT_DATA_DIR:-$PWD/out/collect}"
mkdir -p "$TILEWRIGHT_DATA_DIR"

if [ "$WHAT" = train ]; then
  for op in $OPS; do
    "$TILEWRIGHT" data export "benchmarks/data/${op}_cpu.parquet" --op "$op"
    "$TILEWRIGHT" evaluate "benchmarks/data/${op}_cpu.parquet" --among measured
    "$TILEWRIGHT" evaluate "benchmarks/data/${op}_cpu.parquet" --among measured --json > "benchmarks/results/selection_${op}_cpu.json"
    "$TILEWRIGHT" train "benchmarks/data/${op}_cpu.parquet" --out src/tilewright/select/models
  done
  exit 0
fi
for op in $OPS; do
  for dtype in $DTYPES; do
    if [ "$op $dtype" = "conv int8" ]; then continue; fi # only forward has 8-bit kernels: too few to learn from
    problems="$TILEWRIGHT_DATA_DIR/${op}_${dtype}.jsonl"
    "$PYTHON" benchmarks/cpu/draw_problems.py --op "$op" --dtype "$dtype" --count "$COUNT" --most-flops "$FLOPS" > "$problems"
    for threads in $THREADS; do
      common="--threads $threads --top 14 --explore 10 --no-train"
      if [ "$WHAT" = build ]; then
        "$TILEWRIGHT" tune "$problems" $common --no-measure
      else
        $RUN "$TILEWRIGHT" tune "$problems" $common --budget "${SECONDS_EACH}s"
      fi
    done
  done
done
