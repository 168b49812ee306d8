# `make demo` and `make test` do all their set-up themselves: Python 3.11 or newer and a C compiler are enough.
PYTHON ?= python3
VENV ?= .venv
DATA ?= ../shared/data
BIN = $(VENV)/bin
SOURCES = $(shell find src -name '*.py' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi') pyproject.toml
SHIPPED = $(SOURCES) MANIFEST.in Makefile conftest.py mkdocs.yml $(wildcard *.md) \
	$(shell find tests docs examples scripts benchmarks fuzz -type f -not -path '*/__pycache__/*' -not -path '*/.ruff_cache/*')

.PHONY: demo test test-1 test-2 test-browser test-cluster test-lowest test-pythons packages site trial lint format bench docs papers predictions coverage fuzz fuzz-short fuzz-allocations fuzz-threads sample clean

demo: $(VENV)/installed
	@$(BIN)/unjudged demo

# In two halves, so that `make --jobs 2 test` keeps two cores busy.
HALF = $(addprefix tests/,cli compat formats fuzz judging oracles report)
test: test-1 test-2

test-1: $(VENV)/tools
	$(BIN)/python -m pytest $(addprefix --ignore ,$(HALF))

test-2: $(VENV)/tools
	$(BIN)/python -m pytest $(HALF)

# The page of `unjudged report` in Chromium, which is installed if it is missing; UNJUDGED_SHOTS keeps screenshots.
test-browser: $(VENV)/tools
	@test -x /usr/bin/chromium || (apt-get update -qq && apt-get install -y -qq chromium)
	$(BIN)/pip install --quiet --group browser
	$(BIN)/python -m pytest tests/browser

# From the unpacked source archive, with the oldest versions of the dependencies that pyproject.toml allows.
# `make test` tries every property on ten times as many examples, and uses the reference data.
test-lowest: build/sdist/unpacked
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/pip install --quiet --upgrade pip
	cd $< && $(abspath $(VENV)-lowest)/bin/pip install --quiet --constraint tests/lowest.txt . --group test
	cd $< && UNJUDGED_FEWER_EXAMPLES=10 $(abspath $(VENV)-lowest)/bin/python -m pytest tests

# The fast part of the suite with the wheel on other versions of Python, those that this machine has.
test-pythons: PYTHONS = python3.11 python3.12 python3.13 python3.14
test-pythons: build/wheel build/sdist/unpacked
	scripts/test_pythons.sh build/wheel/*.whl build/sdist/unpacked $(PYTHONS)

# What a release uploads, checked: the wheel of this machine and the source archive.
packages: build/sdist build/wheel
	$(BIN)/twine check --strict build/sdist/*.tar.gz build/wheel/*.whl
	$(BIN)/check-wheel-contents build/wheel/*.whl

# The documentation in build/site; a warning, a dead link or anything loaded from a network is an error.
site: export NO_MKDOCS_2_WARNING = 1
site: $(VENV)/tools
	$(BIN)/mkdocs build --quiet --strict
	$(BIN)/python scripts/check_site.py build/site

# The tutorial and the how-tos as a stranger follows them, from `pip install` on, with the wheel in an empty environment.
trial: build/wheel
	$(PYTHON) scripts/trial.py build/wheel/*.whl

# Spark, classic and over Connect, Sail and PyTerrier, in environments with what they need (Spark: Java 17 too).
test-cluster: build/wheel
	@$(MAKE) --no-print-directory -j 2 $(VENV)-spark/installed $(VENV)-sail/installed
	$(VENV)-sail/bin/python -m pytest tests/engines
	$(VENV)-spark/bin/python -m pytest tests/engines tests/test_examples.py

lint: $(VENV)/tools
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/zizmor --offline --quiet --persona auditor .github
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

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

# Hostile input of every kind for SECONDS in all, or of some kinds: make fuzz KIND="text arrow" SECONDS=1200.
# The scanner is built with AddressSanitizer and UndefinedBehaviorSanitizer (GCC); findings go to build/fuzz/findings.
fuzz: SECONDS = 60
fuzz: $(VENV)/tools build/fuzz/address/built
	$(call SANITIZED,address,libasan.so) $(BIN)/python -m fuzz --seconds $(SECONDS) $(KIND)

# The same for a short time on the scanner as it is installed, which needs no other build.
fuzz-short: SECONDS = 20
fuzz-short: $(VENV)/tools
	$(BIN)/python -m fuzz --seconds $(SECONDS) $(KIND)

# Every allocation of the scanner fails once, under AddressSanitizer.
fuzz-allocations: $(VENV)/tools build/fuzz/address/built
	$(call SANITIZED,address,libasan.so) $(BIN)/python -m fuzz.allocations

# Many threads read, match and evaluate at once under ThreadSanitizer.
fuzz-threads: $(VENV)/tools build/fuzz/thread/built
	$(call SANITIZED,thread,libtsan.so) setarch --addr-no-randomize $(BIN)/python -m fuzz.threads

SANITIZED = PYTHONPATH=build/fuzz/$(1) LD_PRELOAD="$$(gcc -print-file-name=$(2)) $$(gcc -print-file-name=libstdc++.so)" \
	PYTHONMALLOC=malloc ARROW_DEFAULT_MEMORY_POOL=system UBSAN_OPTIONS=print_stacktrace=1 \
	ASAN_OPTIONS=detect_leaks=0:handle_segv=0:allocator_may_return_null=1:abort_on_error=1:quarantine_size_mb=64:max_allocation_size_mb=2048 \
	TSAN_OPTIONS=halt_on_error=1:suppressions=fuzz/threads.suppressions
SANITIZERS_address = address,undefined
SANITIZERS_thread = thread

build/fuzz/%/built: $(VENV)/bin/python $(SOURCES)
	rm -rf build/fuzz/$*
	mkdir -p build/fuzz/$*/source
	cp -r src pyproject.toml README.md LICENSE build/fuzz/$*/source
	rm -f build/fuzz/$*/source/src/unjudged/formats/scan/compiled/*.so
	sed -i '/^extra-/d' build/fuzz/$*/source/pyproject.toml
	CC=gcc CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=$(SANITIZERS_$*) -fno-sanitize-recover=all" \
		LDFLAGS="-fsanitize=$(SANITIZERS_$*)" \
		$(BIN)/pip install --quiet --no-deps --target build/fuzz/$* build/fuzz/$*/source
	rm -rf build/fuzz/$*/source
	test -n "$$(find build/fuzz/$*/unjudged/formats/scan -name 'native*.so')"
	@touch $@

# The page on human judgments and predictions; DL-2019 and TREC-8 are in DATA.
predictions: $(VENV)/tools
	$(BIN)/python scripts/predictions.py --data $(DATA)

# How often every interval holds, measured: the tables of docs/trust.md. About a quarter of an hour of processor time.
coverage: DATA = ../shared/data/trec8
coverage: $(VENV)/tools
	$(BIN)/python scripts/trust/write_tables.py --data $(DATA)

sample: $(VENV)/installed
	$(BIN)/python scripts/make_sample.py

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-spark $(VENV)-sail build src/*.egg-info src/unjudged/formats/scan/compiled/*.so src/unjudged/formats/scan/compiled/*.c

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	rm -f src/unjudged/formats/scan/*.so src/unjudged/formats/scan/compiled/*.cpython-*.so  # of older builds
	$(BIN)/pip install --quiet --editable .
	@touch $@

build/wheel: $(VENV)/bin/python $(SOURCES)
	rm -rf $@
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir $@ .

build/sdist: $(VENV)/tools $(SHIPPED)
	rm -rf $@
	$(BIN)/python -m build --sdist --outdir $@ . > /dev/null
	@touch $@

build/sdist/unpacked: build/sdist
	rm -rf $@
	mkdir -p $@
	tar -xzf build/sdist/*.tar.gz -C $@ --strip-components 1
	@touch build/sdist $@

$(VENV)-%/installed: build/wheel
	$(PYTHON) -m venv $(VENV)-$*
	$(VENV)-$*/bin/pip install --quiet --upgrade pip
	$(VENV)-$*/bin/pip install --quiet build/wheel/*.whl --group $*
	@touch $@

$(VENV)/tools: $(VENV)/installed
	$(BIN)/pip install --quiet --group lint
	@touch $@
