# From a fresh clone: `make demo` shows tilewright at work, `make test` runs every check.
# Both make a virtual environment in .venv first. The demo keeps its kernels in ~/.cache/tilewright, the tests in build.

PYTHON ?= python3
VENV   ?= .venv
# The PyTorch that the tests compare with; `make test TORCH=` leaves it out, and the tests that need it are skipped.
TORCH  ?= torch==2.13.0
# Optional parts that the tests use; `make test EXTRAS='tune report'` leaves out what a new Python has no packages for.
EXTRAS ?= triton tune cluster report zoo
# Belongs to TORCH. Without its dependencies, which would replace a CPU build of torch by one for CUDA.
TORCHVISION ?= torchvision==0.28.0

# A compiler for AMD GPUs (340 MB); `make test AMD=0` leaves it out, and the tests that compile for them are skipped.
AMD    ?= 1

BIN := $(VENV)/bin
# Tests start hundreds of interpreters, which without kept bytecode take twice as long.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# One stamp per choice of TORCH and EXTRAS, so that changing them installs again.
space := $(subst ,, )
comma := ,
DEV := $(VENV)/installed-dev-$(subst =,,$(or $(TORCH),no-torch))-$(subst $(space),-,$(strip $(EXTRAS)))
ALL_EXTRAS := $(subst $(space),$(comma),$(strip dev $(EXTRAS)))

.DEFAULT_GOAL := help
.PHONY: help demo examples amd test test-all lint unit test-foreign replay fuzz contract zoo bench report dist release docs \
	site sanitize clean

help:
	@echo "make demo    install into $(VENV) and run the demo (about a minute)"
	@echo "make examples  run all examples on the CPU; ARGS='--only attention' chooses"
	@echo "make test    install what the tests need and run linters, types and tests"
	@echo "make test-all  what 'make test' leaves out as well: all cases, kernels as they ship, other kinds of CPU (an hour)"
	@echo "make lint    ruff and mypy only"
	@echo "make unit    pytest only; ARGS='tests/cli -k explain' chooses tests"
	@echo "make contract  every pair of declared values on every backend, and mutants of the kernels (an hour); docs/contract.md"
	@echo "make test-foreign  kernels of the other kind of CPU in an emulator (some minutes)"
	@echo "make replay  renew the digests of generated kernels, after a change that was meant to alter them"
	@echo "make fuzz    bad inputs for every reader and function; INPUTS=100000 says how many"
	@echo "make zoo     models of torchvision and transformers, patched and fused, against torch; ARGS='--only torchvision/res*'"
	@echo "make bench   time GEMM beside NumPy and PyTorch"
	@echo "make report  build/report.html: all results of benchmarks/ on one page"
	@echo "make sanitize  kernels, launcher, scorer and thread pool under sanitizers (an hour); prints the reports"
	@echo "make dist    sdist and wheel in dist/, tried in a fresh environment; PYTHONS='python3.10 python3.13' says in which"
	@echo "make release VERSION=0.3.0  changelog from changes/, version, files of make dist, commit and tag"
	@echo "make docs    write the generated reference pages and the picture of the README anew"
	@echo "make site    build/site: the documentation as a site (MkDocs); fails on dead links"
	@echo "make clean   remove $(VENV), build folders and caches of this checkout"

demo: $(VENV)/installed
	$(BIN)/tilewright demo

# Those that need torch or LightGBM are skipped where these are not installed.
examples: $(VENV)/installed
	$(BIN)/python examples/run_all.py $(ARGS)

# The compiler for AMD GPUs is downloaded while the linters run.
test: $(DEV)
	@$(MAKE) --no-print-directory --output-sync -j 2 lint amd
	@$(MAKE) --no-print-directory unit

amd: $(if $(filter-out 0,$(AMD)),build/test-cache/installed-amdgpu)

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: $(DEV)
	$(if $(filter 0,$(AMD)),@echo "AMD=0: the tests that compile for AMD GPUs are skipped.")
	TILEWRIGHT_TEST_AMD=$(AMD) $(PYTEST) -n auto --dist loadgroup $(ARGS)

# Every case, each kernel with the flags that it ships with, then the emulated CPUs. Prints first what `make test` leaves out.
test-all: lint amd
	@echo "make test leaves out:"
	@$(PYTEST) -m "exhaustive or foreign" --collect-only -q | sed -n 's/::.*//p' | sort | uniq -c
	TILEWRIGHT_TEST_CXX_FLAGS= $(PYTEST) -n auto --dist loadgroup --exhaustive $(ARGS)
	$(MAKE) test-foreign ARGS=

# The whole list of the contract on what this machine has (ARGS='--only cpu,torch' chooses), the page, then all mutants.
contract: $(DEV) amd
	$(BIN)/python tests/contract/contract_all.py $(ARGS)
	$(PYTEST) -n auto --exhaustive tests/contract/test_contract_mutants.py

# Takes compiler and emulator from PATH, or from Debian packages that it unpacks into build/foreign.
test-foreign: $(DEV)
	TILEWRIGHT_TEST_CXX_FLAGS=-O0 $(PYTEST) -m foreign -s tests/foreign $(ARGS)

replay: $(DEV)
	$(BIN)/python tests/replay/renew.py $(ARGS)

# Inputs of fixed seeds first; then each target for FUZZ_SECONDS under atheris, if it installs here.
INPUTS       ?= 100000
FUZZ_SECONDS ?= 0
fuzz: $(DEV)
	$(BIN)/python tests/fuzz/fuzz_run.py --inputs $(INPUTS)
	@if [ $(FUZZ_SECONDS) -gt 0 ] && $(PIP) atheris; then \
	  $(BIN)/python tests/fuzz/fuzz_run.py --atheris all -max_total_time=$(FUZZ_SECONDS); \
	fi

# Continues: models that have a row in benchmarks/results/zoo_cpu.jsonl are not run again (ARGS=--again runs them).
zoo: build/zoo/$(TORCHVISION)
	$(BIN)/python tests/zoo/zoo_run.py $(ARGS)

build/zoo/$(TORCHVISION): | $(DEV)
	$(PIP) --no-deps --upgrade --target build/zoo $(TORCHVISION)
	@touch $@

# One page of all results of the repository; takes some minutes, most of them for the data sets and the explanations.
RESULTS := gemm_cpu conv_cpu attention_cpu gemm_gpu_h200_chain gemm_gpu_h200_special_selected conv_gpu_h200 fmha_gpu \
	fmha_gpu_backward ck_tile_audit ck_tile_executed
report: $(DEV)
	$(BIN)/tilewright report $(wildcard $(RESULTS:%=benchmarks/results/%.jsonl) benchmarks/results/selection_*.json \
	  benchmarks/results/host_cost_h200.json benchmarks/data/*.parquet) --out build/report.html $(ARGS)

bench: $(DEV)
	$(BIN)/python benchmarks/cpu/gemm_cpu.py --threads 1 2

# PYTHONS='python3.10 python3.13' tries the wheel with these.
dist: $(VENV)/bin/python
	$(BIN)/python scripts/dist.py $(PYTHONS:%=--python %)

# Nothing is pushed; ARGS=--dry-run prints the notes only. The wheel has no native code: one serves every machine.
release: $(VENV)/bin/python
	$(BIN)/python scripts/release.py $(VERSION) $(ARGS)

docs: $(DEV)
	$(BIN)/tilewright codegen docs --out docs/reference
	$(BIN)/python scripts/api_page.py
	$(BIN)/python scripts/fidelity_page.py
	$(BIN)/python benchmarks/speed_picture.py

# Strict: a dead link or a page that is not in the nav of mkdocs.yml is an error.
site: $(VENV)/installed-site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet $(ARGS)
	@echo "open build/site/index.html"

# ARGS='--part thread', or ARGS='--part address -- tests/backends/cpu -k skinny' chooses.
sanitize: $(DEV)
	$(BIN)/python scripts/sanitize.py $(ARGS)

$(VENV)/bin/python:
	scripts/make-venv $(PYTHON) $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e .
	@touch $@

# PyTorch first: the pinned Triton of the extra then has the last word over the one that a GPU build of PyTorch asks for.
$(DEV): pyproject.toml | $(VENV)/bin/python
	$(if $(TORCH),@echo "installing $(TORCH)"; $(PIP) $(TORCH) || { $(NO_TORCH); })
	@echo "installing .[$(ALL_EXTRAS)]"; $(PIP) -e '.[$(ALL_EXTRAS)]' || { $(NO_EXTRAS); }
	@touch $@ $(VENV)/installed

define NO_TORCH
echo "$(TORCH) could not be installed for $$($(BIN)/python --version). If it has no package for this Python, take another \
version (make test TORCH=torch) or none (make test TORCH=): the tests that need it are then skipped and say so." >&2; exit 1
endef
define NO_EXTRAS
echo "The extras $(EXTRAS) could not be installed for $$($(BIN)/python --version). Leave out the one that has no package for \
this Python (make test EXTRAS='tune report'): the tests that need it are then skipped and say so." >&2; exit 1
endef

$(VENV)/installed-site: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[site]'
	@touch $@

build/test-cache/installed-amdgpu: | $(DEV)
	@mkdir -p -m 700 $(@D)  # a cache that others could write is not used
	@TILEWRIGHT_CACHE_DIR=$(@D) $(BIN)/tilewright toolchain install amdgpu > build/amdgpu.log 2>&1 && touch $@ \
	  || { cat build/amdgpu.log; echo "No AMD compiler: the tests that compile for AMD GPUs are skipped (reason above)."; }

clean:
	rm -rf $(VENV) build dist out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
