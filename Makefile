# `make demo` and `make test` do all their set-up themselves: Python 3.11 or newer and a C compiler are enough.
PYTHON ?= python3
VENV ?= .venv
DATA ?= ../shared/data
BIN = $(VENV)/bin
SOURCES = $(shell find src -name '*.py' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi') pyproject.toml

.PHONY: demo test test-browser test-cluster test-lowest lint format bench docs papers sample clean

demo: $(VENV)/installed
	@$(BIN)/unjudged demo

test: $(VENV)/tools
	$(BIN)/python -m pytest

# The page of `unjudged report` in Chromium, which is installed if it is missing; UNJUDGED_SHOTS keeps screenshots.
test-browser: $(VENV)/tools
	@test -x /usr/bin/chromium || (apt-get update -qq && apt-get install -y -qq chromium)
	$(BIN)/pip install --quiet --group browser
	$(BIN)/python -m pytest tests/browser

# The oldest versions of the dependencies that pyproject.toml allows.
test-lowest:
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/pip install --quiet --upgrade pip
	$(VENV)-lowest/bin/pip install --quiet --constraint tests/lowest.txt . --group test
	$(VENV)-lowest/bin/python -m pytest tests --ignore tests/reference_data --ignore tests/measures/test_properties.py

# Spark, classic and over Connect, Sail and PyTerrier, in environments with what they need (Spark: Java 17 too).
test-cluster:
	@$(MAKE) --no-print-directory -j 2 $(VENV)-spark/installed $(VENV)-sail/installed
	$(VENV)-sail/bin/python -m pytest tests/engines
	$(VENV)-spark/bin/python -m pytest tests/engines tests/test_examples.py

lint: $(VENV)/tools
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: $(VENV)/tools
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: $(VENV)/tools
	$(BIN)/python benchmarks/bench.py --data $(DATA)

docs: $(VENV)/tools
	$(BIN)/python scripts/make_docs.py

# Every figure and table of the papers anew; TREC-8's runs and judgments are in DATA.
papers: DATA = ../shared/data/trec8
papers: $(VENV)/tools
	$(BIN)/python scripts/papers/robertson2008.py
	$(BIN)/python scripts/papers/bestgen2015.py
	$(BIN)/python scripts/papers/park2016.py
	$(BIN)/python scripts/papers/yilmaz2006.py --data $(DATA)
	$(BIN)/python scripts/papers/yilmaz2008.py --data $(DATA)
	$(BIN)/python scripts/papers/statap.py --data $(DATA)

sample: $(VENV)/installed
	$(BIN)/python scripts/make_sample.py

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-spark $(VENV)-sail build src/*.egg-info src/unjudged/formats/scan/*.so src/unjudged/formats/scan/*.c

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	$(BIN)/pip install --quiet --editable .
	@touch $@

build/wheel: $(VENV)/bin/python $(SOURCES)
	rm -rf $@
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir $@ .

$(VENV)-%/installed: build/wheel
	$(PYTHON) -m venv $(VENV)-$*
	$(VENV)-$*/bin/pip install --quiet --upgrade pip
	$(VENV)-$*/bin/pip install --quiet build/wheel/*.whl --group $*
	@touch $@

$(VENV)/tools: $(VENV)/installed
	$(BIN)/pip install --quiet --group lint
	@touch $@
