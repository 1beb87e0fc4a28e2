# The two commands: `make serve` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:
.PHONY: help setup setup-site serve dev build quick site check test test-steady test-native test-real e2e lint fmt bench docs pictures fuzz single-file pages pages-preview wheel release clean

PORT ?= 8080
# What scripts/setup.sh found: PATH and browser; the second also names the compiler for wasm32.
NATIVE := . .tools/env
WASM := . .tools/env-wasm
WASM_TARGET := wasm32-unknown-unknown
# Names the cargo profile of the site, to Trunk and to the scripts that Trunk starts.
PROFILE := TRUNK_BUILD_CARGO_PROFILE

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## install what is missing (idempotent)
	@scripts/setup.sh

setup-site:
	@scripts/setup.sh site

serve: build ## build the release site and serve it at http://127.0.0.1:8080
	@$(WASM); node scripts/serve.mjs dist $(PORT)

dev: setup-site ## build, serve and reload on every change
	@$(WASM); GEMMSCOPE_DEV=1 $(PROFILE)=dev trunk serve --port $(PORT)

build: setup-site site ## build the release site into dist/

quick: setup-site ## build the site into dist/ fast, neither small nor quick to run
	@$(WASM); $(PROFILE)=quick trunk build

site:
	@$(WASM); $(PROFILE)=site trunk build --release
	node scripts/size.mjs dist

docs: ## the book into target/docs/book, its pictures drawn by the command
	@scripts/setup.sh docs
	cargo build --locked -p gemmscope-cli
	$(NATIVE); node scripts/docs.mjs

pictures: build setup ## the pictures of the page in the README: its first sample, light and dark
	@$(NATIVE)
	for theme in light dark; do
	  node scripts/shot.mjs --out docs/pictures --name page-$$theme --theme $$theme \
	    --eval 'document.querySelector(".sample").click()' --wait 9000
	done

REFERENCE ?=

single-file: build ## the whole app as one HTML file, with published times of devices: make single-file REFERENCE="h100-sxm"
	@$(WASM); node scripts/single.mjs dist gemmscope.html $(REFERENCE)

# The book lies beside the page.
pages: export GEMMSCOPE_DOCS := docs/
pages: build ## what is deployed: site, book and released versions in target/pages
	@scripts/setup.sh docs
	cargo build --locked -p gemmscope-cli
	$(NATIVE); node scripts/pages.mjs

pages-preview: pages ## the same, served under /repo/ as GitHub Pages does
	@$(NATIVE); node scripts/serve.mjs target/pages $(PORT) /repo/ pages

wheel: build ## the Python package with the command and the page inside, in target/wheels
	@$(WASM); GEMMSCOPE_PAGE='$(CURDIR)/dist/gemmscope.html' MATURIN_PEP517_ARGS='--compatibility pypi' python3 -m pip wheel --no-deps -w target/wheels ./python

release: build ## site.zip, gemmscope.html, command and wheel with the page inside, SBOMs, checksums, in target/release-files
	@$(WASM); node scripts/release.mjs

# The site's build ends in steps that keep one processor busy: lints and native tests run beside it.
test: setup ## everything: lints, native and browser tests
	@$(MAKE) --no-print-directory -j2 check site
	$(MAKE) --no-print-directory e2e-run

test-steady: build setup ## the browser tests many times under stress: make test-steady RUNS=10
	@$(NATIVE); scripts/steady.sh $(RUNS)

check: lint-run
	@$(MAKE) --no-print-directory test-native-run

lint: setup lint-run ## formatting and lints, both targets
test-native: test-native-run ## unit, property and doc tests on this machine
e2e: build setup command-run e2e-run ## the built site in real Chromium
test-real: setup test-real-run ## what is known of real files: make test-real DATA=FOLDER

lint-run:
	@echo '== lint'
	cargo fmt --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	$(WASM); cargo-clippy clippy --locked --lib --bins --target $(WASM_TARGET) -- -D warnings
	if cargo deny --version >/dev/null 2>&1; then cargo deny --locked check bans licenses sources; fi

# The same generated inputs on each machine; others by `make test-native PROPTEST_RNG_SEED=7`, or anew each time by
# `cargo test`.
PROPTEST_RNG_SEED ?= 1

test-native-run:
	@echo '== native tests'
	PROPTEST_RNG_SEED=$(PROPTEST_RNG_SEED) cargo test --locked --workspace
	if command -v python3 >/dev/null; then python3 -m unittest discover -s python/tests; fi

# The native tests build it too, with the features that the whole workspace asks for.
command-run:
	cargo build --locked -p gemmscope-cli

e2e-run:
	@echo '== end-to-end tests'
	$(WASM); node e2e/run.mjs

test-real-run:
	@echo '== real files'
	if [ ! -d '$(DATA)' ]; then echo 'there is no folder DATA=$(DATA)' >&2; exit 2; fi
	if [ ! -f dist/index.html ]; then $(MAKE) --no-print-directory site; fi
	export GEMMSCOPE_DATA="$$(cd '$(DATA)' && pwd)"
	cargo test --locked --workspace --test real_analysis --test real_audit --test real_files --test real_import --test real_survey
	$(NATIVE); node e2e/run.mjs --real

SECONDS ?= 120
RUNS ?= 10

fuzz: ## run the fuzz targets: make fuzz SECONDS=60 TARGETS="names files"
	@$(NATIVE); scripts/fuzz.sh $(SECONDS) $(TARGETS)

fmt: ## format the code
	cargo fmt

bench: ## measure reading, computing and painting
	@if [ -x scripts/bench.sh ]; then scripts/bench.sh; else echo 'scripts/bench.sh is not there yet'; fi

clean: ## remove what was built (the tools in .tools/ stay)
	cargo clean
	rm -rf dist e2e/out
