# The interface to this repository: `make help`. Every target sets up what it needs in .venv and target/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Named versions first: where both exist, `python3` may be the older one.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
  "$$p" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done)
PY := .venv/bin/python
CARGO := $(shell command -v cargo 2>/dev/null)
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# One target directory, also for builds from an unpacked source distribution: nothing is compiled twice.
export CARGO_TARGET_DIR := $(CURDIR)/target
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# FORGETGUARD_REQUIRE_NATIVE=1: a missing native core is an error, in the build and in the tests.
REQUIRE_NATIVE := $(filter 1,$(FORGETGUARD_REQUIRE_NATIVE))
BUILD := $(or $(FORGETGUARD_BUILD),$(if $(REQUIRE_NATIVE),native,auto))
CORE = $(wildcard python/forgetguard/rules/_native*.so python/forgetguard/rules/_native*.pyd)
EXPECT_CORE := $(if $(filter python,$(BUILD)),,$(CARGO))
CORE_SOURCES := $(shell find rust -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock \
  $(wildcard python/forgetguard/rules/lexicon/*.tsv)
STAMP := .venv/installed-$(BUILD)$(if $(CARGO),-cargo)

JOBS ?= 2
PYTEST_ARGS ?=
# Seconds that one run of the suite may take; empty = no limit.
SUITE_LIMIT ?=
LIMIT = $(if $(SUITE_LIMIT),timeout $(SUITE_LIMIT))

.PHONY: help
help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: install
install: $(STAMP)

$(PY):
	@[[ -n "$(PYTHON)" ]] || { echo "No Python 3.11 or newer was found (tried python3.13, python3.12, python3.11, python3)." >&2; exit 1; }
	$(PYTHON) -m venv .venv || { rm -rf .venv; echo "Python's venv cannot install pip here; on Debian: apt install python3-venv" >&2; exit 1; }
	$(PY) -m pip install --quiet --upgrade 'pip>=25.1'

$(STAMP): $(PY) pyproject.toml packaging/build_backend.py $(CORE_SOURCES) $(if $(EXPECT_CORE),$(if $(CORE),,.FORCE))
	@rm -f .venv/installed-*
	@$(PY) -c 'import pip, sys; sys.exit(tuple(map(int, pip.__version__.split(".")[:2])) < (25, 1))' || \
	  $(PY) -m pip install --quiet --upgrade 'pip>=25.1'
	$(PY) -m pip install --quiet --group build
	FORGETGUARD_BUILD=$(BUILD) $(PY) -m pip install --quiet --no-build-isolation --group dev --editable '.[onnx,openclaw,langgraph,mcp]'
	@if [[ -n "$(EXPECT_CORE)" ]] && ! compgen -G 'python/forgetguard/rules/_native*' | grep -qE '\.(so|pyd)$$'; then \
	  echo "note: cargo is here, but the native core could not be built (make native shows why); going on with Python alone." >&2; \
	else touch $@; fi

.PHONY: .FORCE
.FORCE:

.PHONY: native
native: $(PY) ## rebuild the native core in place, and nothing else (quick)
	FORGETGUARD_BUILD=native $(PY) -m pip install --quiet --no-build-isolation --no-deps --editable .

.PHONY: build
build: install ## build the source distribution and the wheels into dist/
	@rm -rf dist
	$(PY) -m build --no-isolation --sdist
	FORGETGUARD_BUILD=python $(PY) -m build --no-isolation --wheel
	$(if $(EXPECT_CORE),FORGETGUARD_BUILD=$(BUILD) $(PY) -m build --no-isolation --wheel)

.PHONY: demo
demo: install ## see a forgotten fact come back without the guard, and stay away with it
	@$(PY) -m forgetguard demo

# $(call suite,BACKEND,pytest arguments): everything but the packaging tests, which run no rules.
suite = FORGETGUARD_BACKEND=$(1) $(LIMIT) $(PY) -m pytest -n $(JOBS) --ignore=tests/packaging $(2) $(PYTEST_ARGS)

define suites
$(call suite,python,$(1))
@if compgen -G 'python/forgetguard/rules/_native*' | grep -qE '\.(so|pyd)$$'; then \
  set -x; $(call suite,native,$(1)); \
elif [[ -n "$(REQUIRE_NATIVE)" ]]; then echo "The native core is required, but was not built." >&2; exit 1; \
else echo "note: no native core here (cargo absent or the build failed); the suite ran on Python alone." >&2; fi
$(LIMIT) $(PY) -m pytest tests/packaging $(1) $(PYTEST_ARGS)
endef

.PHONY: test
test: install ## run the tests, once on each implementation of the rules
	$(call suites,-m "not slow")

.PHONY: test-full
test-full: install ## the same with the slow tests, the real OpenClaw and every real host
	$(call suites,)
	@$(MAKE) test-openclaw
	@$(MAKE) test-claude-code
	@$(MAKE) test-hosts

.PHONY: test-openclaw
test-openclaw: install ## purge a recorded state, then let the real program (from npm) look for what is gone
	$(PY) scripts/test_openclaw.py

.PHONY: test-claude-code
test-claude-code: install ## test the hook in the real Claude Code (from npm), with a scripted model
	$(PY) scripts/test_claude_code.py

.PHONY: test-hosts
test-hosts: install ## test each adapter with the real package of its host (FORGETGUARD_SKIP_HOSTS=NAME,… leaves some out)
	$(PY) scripts/test_hosts.py

.PHONY: lint
lint: install lint-python $(if $(CARGO)$(REQUIRE_NATIVE),lint-rust,lint-no-rust) ## check style, types, layers and documentation

.PHONY: lint-python
lint-python: install
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	PYTHONPATH=python .venv/bin/lint-imports --no-cache
	@if compgen -G 'python/forgetguard/rules/_native*' | grep -qE '\.(so|pyd)$$'; then \
	  set -x; MYPYPATH=python $(PY) -m mypy.stubtest forgetguard.rules._native; fi

.PHONY: lint-rust
lint-rust: export PYO3_PYTHON := $(CURDIR)/$(PY)
lint-rust: install
	cargo fmt --all --check
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --workspace --no-deps --document-private-items
	cargo test --quiet --locked -p forgetguard-core

.PHONY: lint-no-rust
lint-no-rust:
	@echo "note: cargo is absent; the Rust sources were not checked." >&2

.PHONY: bench
bench: install ## measure both implementations
	$(PY) bench/run.py
	$(PY) bench/openclaw.py

.PHONY: eval
eval: install ## count right and wrong answers of the rules over the written cases
	$(PY) bench/report.py $(if $(FORGETGUARD_MODEL_DIR),--model "$(FORGETGUARD_MODEL_DIR)") --readme README.md

.PHONY: clean
clean: ## remove everything that was built, the environment too
	rm -rf .venv .hosts dist target
	rm -f python/forgetguard/rules/_native*.so python/forgetguard/rules/_native*.pyd
