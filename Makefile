# Sallyport. `make run` and `make test` are all a newcomer needs; `make help`
# lists the rest. CI only calls these targets.

TOOLCHAIN := go1.27.3
export GOTOOLCHAIN = $(TOOLCHAIN)
export CGO_ENABLED = 1
GO := $(shell scripts/toolchain.sh $(TOOLCHAIN))

VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X github.com/sallyport-mcp/sallyport/internal/build.version=$(VERSION)
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
TOOLS    := $(CURDIR)/.tools/bin

# How long `make fuzz` gives each target; CI uses FUZZTIME=5s.
FUZZTIME ?= 60s

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## fetch what is not Go (ONNX Runtime) into bin/lib
	@scripts/setup.sh bin/lib

.PHONY: build
build: setup ## build bin/sallyport and bin/loadtest
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

.PHONY: run
run: build ## build and serve with the embedded model and the default rule pack
	bin/sallyport serve

.PHONY: demo
demo: build ## start the sidecar, send it sample exchanges, print the verdicts
	$(GO) run ./examples/demo -sallyport bin/sallyport

.PHONY: test
test: setup ## run every test with the race detector
	$(GO) test -race -shuffle=on -count=1 $$($(GO) list ./... | grep -v /e2e)
	# From outside, against the real binary: what races in it is looked for above.
	$(GO) test -count=1 ./e2e
	cd deploy/kubernetes && $(GO) test -count=1 ./...

.PHONY: bench
bench: setup ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: loadtest
loadtest: build ## measure batched inference and the sidecar under load into bin/reports
	@mkdir -p bin/reports
	bin/loadtest model --out bin/reports/model.txt --out bin/reports/model.json --out bin/reports/model.html
	bin/loadtest serve --out bin/reports/serve.txt --out bin/reports/serve.json --out bin/reports/serve.html
	@sed -n '1,/^Throughput/p' bin/reports/model.txt; sed -n '1,/^Open loop/p' bin/reports/serve.txt

.PHONY: drill
drill: build ## stop the real sidecar in every way; writes docs/drill.md and bin/reports
	@mkdir -p bin/reports
	bin/loadtest drain --markdown docs/drill.md --picture docs/drill.svg --out bin/reports/drill.txt --out bin/reports/drill.json --out bin/reports/drill.html

.PHONY: rolling
rolling: build ## restart two real replicas in turn behind a client that calls as the gateway does
	@mkdir -p bin/reports
	bin/loadtest drain --row rolling --picture bin/reports/drill.svg --out bin/reports/rolling.txt --out bin/reports/rolling.json --out bin/reports/rolling.html
	@sed -n '1,/^Timeline/p' bin/reports/rolling.txt

# How long a soak takes, and the arrival rate per second; 0 is 80 % of the
# capacity, which is measured first.
SOAK_MINUTES ?= 30
SOAK_RATE    ?= 0

.PHONY: soak
soak: build ## keep the sidecar under load for SOAK_MINUTES and look at what grows
	@mkdir -p bin/reports
	bin/loadtest soak --duration $(SOAK_MINUTES)m --rate $(SOAK_RATE) --picture bin/reports/soak.svg --out bin/reports/soak.txt --out bin/reports/soak.json --out bin/reports/soak.html
	@sed -n '1,/^Over time/p' bin/reports/soak.txt

# CHAOS_SECONDS a seed, CHAOS_SEEDS of them from CHAOS_SEED on; a random one when
# it is empty. CHAOS_RACE= runs without the race detector, which is ten times as fast.
CHAOS_SECONDS ?= 60
CHAOS_SEEDS   ?= 1
CHAOS_SEED    ?=
CHAOS_RACE    ?= -race

.PHONY: chaos
chaos: setup ## break a whole engine at random under load and judge every reply
	CHAOS_SECONDS=$(CHAOS_SECONDS) CHAOS_SEEDS=$(CHAOS_SEEDS) CHAOS_SEED=$(CHAOS_SEED) $(GO) test $(CHAOS_RACE) -tags chaos -count=1 -timeout 12h -v ./chaos

.PHONY: fuzz
fuzz: setup ## run every fuzz target for FUZZTIME and prove that it ran
	@scripts/fuzz.sh "$(GO)" $(FUZZTIME)

# Before anything is fetched or built for data that is not there.
data = $(if $(if $(DATA),$(wildcard $(DATA)/.)),,$(error say where the data is: make $@ DATA=/path))

.PHONY: model
model: ## train the default classifier from data: make model DATA=/path
	$(data)$(MAKE) -C training model DATA=$(abspath $(DATA))

.PHONY: model-eval
model-eval: ## evaluate the default classifier: make model-eval DATA=/path
	$(data)$(MAKE) -C training model-eval DATA=$(abspath $(DATA))

.PHONY: guard-eval
guard-eval: ## evaluate the whole guardrail into bin/reports: make guard-eval DATA=/path [SAMPLE=n] [PAGE=docs/guard-eval.md]
	$(data)@$(MAKE) --no-print-directory setup
	ONNXRUNTIME_LIB=$(CURDIR)/bin/lib/libonnxruntime.so.1 nice -n 10 $(GO) run ./training/guardeval -data "$(DATA)" -sample $(or $(SAMPLE),0) $(addprefix -page ,$(PAGE)) -out bin/reports
	@sed -n '/^### Attacks$$/,/^### Which/p' bin/reports/guard-eval.md

.PHONY: model-cost
model-cost: ## what the models cost to read with: make model-cost DATA=/path [SHAPE=model folder] [PAGE=docs/model-cost.md]
	$(data)@$(MAKE) --no-print-directory setup
	ONNXRUNTIME_LIB=$(CURDIR)/bin/lib/libonnxruntime.so.1 nice -n 10 $(GO) run ./training/modelcost -data "$(DATA)" $(addprefix -shape ,$(SHAPE)) $(addprefix -page ,$(PAGE))

.PHONY: accuracy
accuracy: ## print precision and recall of every detector
	@out=$$($(GO) test ./content -run '^TestAccuracy$$' -count=1 -v 2>&1); status=$$?; echo "$$out" | grep -E '^ *\||: found'; exit $$status

.PHONY: lint
lint: $(TOOLS)/golangci-lint ## vet, lint and check the import directions
	$(TOOLS)/golangci-lint run ./...

$(TOOLS)/golangci-lint: Makefile
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) $(GO) install $(GOLANGCI)
	@touch $@

# What an embedding program may be built for. Without cgo: a C compiler for each would be needed.
.PHONY: cross
cross: ## build without cgo, for this system and for those that are not tested
	for os in linux darwin windows; do GOOS=$$os CGO_ENABLED=0 $(GO) build ./... || exit 1; done
	CGO_ENABLED=0 $(GO) test -count=1 ./inference/onnx ./internal/early

.PHONY: generate
generate: ## regenerate what is generated (stubs, tables, docs)
	$(GO) generate ./...
	cd deploy/kubernetes && $(GO) generate ./...

.PHONY: generate-check
generate-check: generate ## fail when generated files are not current
	@git diff --exit-code -- . || { echo "generated files are not current: run 'make generate' and commit" >&2; exit 1; }

.PHONY: fmt-check
fmt-check:
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "gofmt: $$out" >&2; exit 1; }

.PHONY: check
check: fmt-check build lint test ## everything CI runs
	$(MAKE) chaos
	$(MAKE) fuzz FUZZTIME=5s
	$(MAKE) demo
	$(MAKE) generate-check
	$(MAKE) cross

.PHONY: clean
clean: ## remove what was built
	rm -rf bin .tools
