# The two commands: `make serve` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:
.PHONY: help setup setup-site serve dev build quick site test test-native test-wasm e2e lint fmt bench docs single-file pages pages-preview release clean

PORT ?= 8080
# What scripts/setup.sh found: PATH and browser; the second also names the compiler for wasm32.
NATIVE := . .tools/env
WASM := . .tools/env-wasm
WASM_TARGET := wasm32-unknown-unknown

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## install what is missing (idempotent)
	@scripts/setup.sh

setup-site:
	@scripts/setup.sh site

serve: build ## build the release site and serve it at http://127.0.0.1:8080
	@$(WASM); node scripts/serve.mjs dist $(PORT)

dev: setup-site ## build, serve and reload on every change
	@$(WASM); GEMMSCOPE_DEV=1 trunk serve --port $(PORT)

build: setup-site site ## build the release site into dist/

quick: setup-site ## build the site into dist/ fast, neither small nor quick to run
	@$(WASM); trunk build --cargo-profile quick

site:
	@$(WASM); trunk build --release --cargo-profile site
	node scripts/size.mjs dist

docs: ## the book into target/docs/book, its pictures drawn by the command
	@scripts/setup.sh docs
	cargo build --locked
	$(NATIVE); node scripts/docs.mjs

single-file: build ## the whole app as one HTML file: gemmscope.html
	@$(WASM); node scripts/single.mjs dist gemmscope.html

pages: build ## what is deployed: site, book and version folder in target/pages
	@scripts/setup.sh docs
	cargo build --locked
	$(NATIVE); node scripts/pages.mjs

pages-preview: pages ## the same, served under /repo/ as GitHub Pages does
	@$(NATIVE); node scripts/serve.mjs target/pages $(PORT) /repo/ pages

release: build ## site.zip, gemmscope.html and their checksums in target/release-files
	@$(WASM); node scripts/release.mjs

test: setup ## everything: lints, native, wasm and browser tests
	@$(MAKE) --no-print-directory lint-run
	$(MAKE) --no-print-directory test-native-run
	$(MAKE) --no-print-directory test-wasm-run
	$(MAKE) --no-print-directory site
	$(MAKE) --no-print-directory e2e-run

lint: setup lint-run ## formatting and lints, both targets
test-native: test-native-run ## unit, property and doc tests on this machine
test-wasm: setup test-wasm-run ## unit tests of the browser adapters, in Chromium
e2e: build setup e2e-run ## the built site in real Chromium

lint-run:
	@echo '== lint'
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	$(WASM); cargo-clippy clippy --locked --lib --bins --test web --target $(WASM_TARGET) -- -D warnings

test-native-run:
	@echo '== native tests'
	cargo test --locked

test-wasm-run:
	@echo '== wasm tests'
	$(WASM); cargo test --locked --target $(WASM_TARGET) --test web

e2e-run:
	@echo '== end-to-end tests'
	cargo build --locked
	$(NATIVE); node e2e/run.mjs

fmt: ## format the code
	cargo fmt

bench: ## measure reading, computing and painting
	@if [ -x scripts/bench.sh ]; then scripts/bench.sh; else echo 'scripts/bench.sh is not there yet'; fi

clean: ## remove what was built (the tools in .tools/ stay)
	cargo clean
	rm -rf dist e2e/out
