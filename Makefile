# The two commands a newcomer needs are `make drill` and `make test`; both install what is missing first.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PROGRAM := build/tidegate
DRILL_FLAGS ?=
BENCH_FLAGS ?=
FUZZ_SECONDS ?= 30
SEEDS ?= 50
CLUSTER_FLAGS ?=

.PHONY: help build drill drill-live drill-matrix test test-e2e test-operators test-volcano cluster bench bench-cluster bench-volcano lint format tidy fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## install what is missing and build build/tidegate (optimised)
	@scripts/install-deps.sh build
	@scripts/build.sh release tidegate

drill: build ## run the promo drill with the example's queues and conf; the report goes to out/drill
	$(PROGRAM) drill --queues examples/promo-drill/queues.yaml \
	  --conf examples/promo-drill/volcano-scheduler.conf.yaml --out out/drill $(DRILL_FLAGS)

drill-live: build ## the drill on a test cluster's real API server, for each shape and kind of burst (12 minutes)
	@scripts/install-deps.sh python cluster
	@scripts/cluster/build.sh
	.venv/bin/python -m bench.live_drills $(DRILL_FLAGS)

drill-matrix: build ## the drill for each shape, burst and seed up to SEEDS, with both loads
	@scripts/drill-matrix.sh $(SEEDS)

test: ## every test: lints, unit, property, scenario, simulated faults, drills; the fast ones sanitized; then on a real cluster
	@scripts/install-deps.sh build python cluster kubelet
	@scripts/run-tests.sh

test-e2e: build ## only the end-to-end tests, on a real API server and a real kubelet
	@scripts/install-deps.sh python cluster kubelet
	@scripts/run-tests.sh e2e

test-operators: build ## jobs of JobSet, Kubeflow and Ray under their real controllers, also the cases that `make test` leaves out
	@scripts/install-deps.sh python cluster
	@scripts/run-tests.sh operators

test-volcano: build ## in a cluster with a real Volcano: under its controllers, and beside its scheduler
	@scripts/install-deps.sh python cluster
	@scripts/run-tests.sh volcano

cluster: ## a cluster of 25 simulated nodes to play with; CLUSTER_FLAGS="--nodes 1000"; stays until Ctrl-C
	@scripts/install-deps.sh cluster
	@scripts/cluster/up.sh $(CLUSTER_FLAGS)

bench: ## time the recall planner and whole cycles, with ratios to plain rules
	@scripts/install-deps.sh build
	@scripts/build.sh release benches
	build/release/bench/recall_bench $(BENCH_FLAGS)
	build/release/bench/cycle_bench $(BENCH_FLAGS)

bench-cluster: build ## on a real API server: pods per second beside kube-scheduler, memory and idle CPU (half an hour)
	@scripts/install-deps.sh python cluster
	.venv/bin/python -m bench.cluster_bench throughput $(BENCH_FLAGS)
	.venv/bin/python -m bench.cluster_bench footprint $(BENCH_FLAGS)

bench-volcano: build ## one peak under tidegate and under a real Volcano, on a real API server (ten minutes)
	@scripts/install-deps.sh python cluster
	.venv/bin/python -m bench.volcano_peak

lint: ## formatting, layers, sizes and other rules that need no compiler
	@scripts/install-deps.sh python
	@scripts/lint.sh

format: ## format all C++ in place
	@scripts/install-deps.sh python
	@scripts/format.sh

tidy: ## clang-tidy over all of src (slow); scripts/tidy.sh COMMIT for what differs from COMMIT
	@scripts/install-deps.sh build python
	@scripts/tidy.sh --all

fuzz: ## run each libFuzzer target for FUZZ_SECONDS
	@scripts/install-deps.sh build fuzz
	@scripts/build.sh fuzz fuzzers
	@scripts/run-fuzzers.sh $(FUZZ_SECONDS)

clean: ## remove what the build made
	rm -rf build/release build/dev build/tsan build/fuzz build/cluster/run $(PROGRAM) out
