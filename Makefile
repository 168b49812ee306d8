# `make demo` and `make test` do all their set-up themselves: Python 3.11 or newer and a C compiler are enough.
# Packages are installed while the scanner is compiled. Python keeps the bytecode of what is imported, and pip makes
# none of what never is.
PYTHON ?= python3
VENV ?= .venv
DATA ?= ../shared/data
BIN = $(VENV)/bin
JOBS ?= 2
MAKEFLAGS += --jobs=$(JOBS)
export PYTHONDONTWRITEBYTECODE =
export PIP_COMPILE = 0
CHROMIUM = /usr/bin/chromium
COMPILED = $(shell find src -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi') pyproject.toml
SOURCES = $(COMPILED) $(shell find src -name '*.py')
SHIPPED = $(SOURCES) MANIFEST.in Makefile conftest.py mkdocs.yml $(wildcard *.md) \
	$(shell find tests docs examples scripts benchmarks fuzz -type f -not -path '*/__pycache__/*' -not -path '*/.ruff_cache/*')

.PHONY: demo test test-browser test-cluster test-lowest test-pythons parity packages site trial lint format bench docs papers coverage fuzz fuzz-short fuzz-allocations fuzz-threads sample clean

demo: $(VENV)/installed
	@$(BIN)/unjudged demo

# Nothing is installed in .venv while a goal uses it: whatever any of the goals needs is there first.
READY = $(or $(if $(filter test-browser,$(MAKECMDGOALS)),$(VENV)/browser), \
	$(if $(filter lint site packages,$(MAKECMDGOALS)),$(VENV)/tools),$(VENV)/installed)

# One process per core, each with one thread for linear algebra. The pages in Chromium are of `make test-browser`.
test: $(READY)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal --ignore tests/browser

# The page of `unjudged report` in Chromium, which is installed if it is missing; UNJUDGED_SHOTS keeps screenshots.
test-browser: $(READY) $(CHROMIUM)
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal tests/browser

# From the unpacked source archive, with the oldest versions of the dependencies that pyproject.toml allows.
# `make test` tries every property on twenty times as many examples, and alone does what is the same with any version
# of them: simulations, processes and the other tests marked as thorough, and those with the reference data.
test-lowest: $(VENV)-lowest/installed
	cd build/sdist/unpacked && UNJUDGED_FEWER_EXAMPLES=20 OPENBLAS_NUM_THREADS=1 $(abspath $(VENV)-lowest)/bin/python -m pytest tests

# The fast part of the suite with the wheel on other versions of Python, those that this machine has.
test-pythons: PYTHONS = python3.11 python3.12 python3.13 python3.14
test-pythons: build/wheel
	scripts/test_pythons.sh build/wheel/*.whl build/sdist/unpacked $(PYTHONS)

# Every recorded number asked again. They go back to those of commit 705eafce, changed by what a commit names as a bug.
parity: $(READY)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.parity --data $(DATA)

# What a release uploads, checked: the wheel of this machine and the source archive. A second build, of a copy in
# another folder, must give the same bytes.
packages: $(READY) build/sdist build/wheel
	$(BIN)/twine check --strict build/sdist/*.tar.gz build/wheel/*.whl
	$(BIN)/check-wheel-contents build/wheel/*.whl
	rm -rf build/again
	mkdir -p build/again
	git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from - | tar --extract --touch --directory build/again
	$(MAKE) --directory build/again VENV=$(abspath $(VENV)) --assume-old $(abspath $(VENV))-build/installed build/wheel
	cmp build/sdist/*.tar.gz build/again/build/sdist/*.tar.gz
	cmp build/wheel/*.whl build/again/build/wheel/*.whl

# The documentation in build/site; a warning, a dead link or anything loaded from a network is an error.
site: export NO_MKDOCS_2_WARNING = 1
site: $(READY)
	$(BIN)/mkdocs build --quiet --strict
	$(BIN)/python scripts/check_site.py build/site

# The tutorial and the how-tos as a stranger follows them, from `pip install` on, with the wheel in an empty environment.
trial: build/wheel
	$(PYTHON) scripts/trial.py build/wheel/*.whl

# Spark, classic and over Connect, Sail and PyTerrier, in environments with what they need (Spark: Java 17 too).
# Java compiles no method twice: the tests are over before it would pay.
test-cluster: export JAVA_TOOL_OPTIONS = -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
test-cluster: $(VENV)-spark/installed $(VENV)-sail/installed
	$(VENV)-sail/bin/python -m pytest tests/engines
	$(VENV)-spark/bin/python -m pytest tests/engines $(foreach name,spark_cluster pyterrier_experiment,"tests/test_examples.py::test_an_example[$(name)]")

lint: $(READY)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/zizmor --offline --quiet --persona auditor .github
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

format: $(VENV)/tools
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: $(VENV)/installed
	$(BIN)/python benchmarks/bench.py --data $(DATA)

docs: $(VENV)/installed
	$(BIN)/python scripts/make_docs.py

# Every figure and table of the papers anew; TREC-8's runs and judgments are in DATA.
papers: DATA = ../shared/data/trec8
papers: $(VENV)/installed
	$(BIN)/python scripts/papers/robertson2008.py
	$(BIN)/python scripts/papers/bestgen2015.py
	$(BIN)/python scripts/papers/park2016.py
	$(BIN)/python scripts/papers/yilmaz2008.py --data $(DATA)

# Hostile input of every kind for SECONDS in all, or of some kinds: make fuzz KIND="text arrow" SECONDS=1200.
# The scanner is built with AddressSanitizer and UndefinedBehaviorSanitizer (GCC); findings go to build/fuzz/findings.
fuzz: SECONDS = 60
fuzz: $(VENV)/installed build/fuzz/address/built
	$(call SANITIZED,address,libasan.so) $(BIN)/python -m fuzz --seconds $(SECONDS) $(KIND)

# The same for a short time on the scanner as it is installed, which needs no other build.
fuzz-short: SECONDS = 40
fuzz-short: $(READY)
	$(BIN)/python -m fuzz --seconds $(SECONDS) $(KIND)

# Every allocation of the scanner fails once, under AddressSanitizer.
fuzz-allocations: $(VENV)/installed build/fuzz/address/built
	$(call SANITIZED,address,libasan.so) $(BIN)/python -m fuzz.allocations

# Many threads read, match and evaluate at once under ThreadSanitizer.
fuzz-threads: $(VENV)/installed build/fuzz/thread/built
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
	rm -f build/fuzz/$*/source/src/unjudged/data/scan/compiled/*.so
	sed -i '/^extra-/d' build/fuzz/$*/source/pyproject.toml
	CC=gcc CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=$(SANITIZERS_$*) -fno-sanitize-recover=all" \
		LDFLAGS="-fsanitize=$(SANITIZERS_$*)" \
		$(BIN)/pip install --quiet --no-deps --target build/fuzz/$* build/fuzz/$*/source
	rm -rf build/fuzz/$*/source
	test -n "$$(find build/fuzz/$*/unjudged/data/scan -name 'native*.so')"
	@touch $@

# How often every interval holds, measured: the tables of docs/evidence. About an hour and a half of processor time.
coverage: DATA = ../shared/data/trec8
coverage: $(VENV)/installed
	PYTHONPATH=scripts OPENBLAS_NUM_THREADS=1 $(BIN)/python scripts/trust/measure.py --data $(DATA)
	$(BIN)/python scripts/whole_queries.py
	$(BIN)/python scripts/left_out_example.py

sample: $(VENV)/installed
	$(BIN)/python scripts/make_sample.py

clean:
	rm -rf $(VENV) $(VENV)-build $(VENV)-lowest $(VENV)-spark $(VENV)-sail build src/*.egg-info src/unjudged/data/scan/compiled/*.so src/unjudged/data/scan/compiled/*.c

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/compiled: $(VENV)/bin/python $(COMPILED)
	rm -f src/unjudged/data/scan/*.so src/unjudged/data/scan/compiled/*.cpython-*.so  # of older builds
	$(BIN)/pip install --quiet --no-deps --editable .
	@touch $@

$(VENV)/test-packages: $(VENV)/bin/python pyproject.toml
	$(BIN)/pip install --quiet --group test
	@touch $@

# With the dependencies that are still missing, which for `make demo` are all of them.
$(VENV)/installed: $(VENV)/compiled \
		$(if $(filter-out demo sample $(CHROMIUM) $(VENV)-%,$(MAKECMDGOALS)),$(VENV)/test-packages)
	$(BIN)/pip install --quiet unjudged
	@touch $@

$(VENV)/tools: $(VENV)/installed
	$(BIN)/pip install --quiet --group lint
	@touch $@

$(VENV)/browser: $(VENV)/tools
	$(BIN)/pip install --quiet --group browser
	@touch $@

$(CHROMIUM):
	apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation

# Packages are built with pinned tools and have the time of the commit, or of the archive that they are built from.
build/sdist build/wheel: export SOURCE_DATE_EPOCH = $(or $(shell git log -1 --format=%ct 2>/dev/null),$(shell date -r PKG-INFO +%s))

$(VENV)-build/installed: .github/build.txt $(VENV)/bin/python
	$(PYTHON) -m venv --without-pip $(@D)
	$(BIN)/pip --python $(@D)/bin/python install --quiet --require-hashes --only-binary :all: --requirement $<
	@touch $@

build/sdist: $(VENV)-build/installed $(SHIPPED)
	rm -rf $@
	$(VENV)-build/bin/python -m build --no-isolation --sdist --outdir $@ . > /dev/null
	$(VENV)-build/bin/python scripts/pack_again.py $@/*.tar.gz
	@touch $@

build/sdist/unpacked/PKG-INFO: build/sdist
	rm -rf $(@D)
	mkdir -p $(@D)
	tar -xzf build/sdist/*.tar.gz -C $(@D) --strip-components 1
	@touch build/sdist $@

# From the source archive, as most builds of others will be.
build/wheel: build/sdist/unpacked/PKG-INFO
	rm -rf $@
	$(VENV)-build/bin/python -m build --no-isolation --wheel --outdir $@ ./$(<D) > /dev/null
	@touch $@

# The pip of the first environment installs the others, in the versions that tests/NAME.txt asks for if there is one.
PIP_FOR = $(BIN)/pip --python $(VENV)-$*/bin/python install --quiet $(addprefix --constraint ,$(wildcard tests/$*.txt))

# Spark has no wheel. Pip packs its 450 megabytes into one, only to unpack them, and need not compress them in between.
.PRECIOUS: $(VENV)-%/packages
$(VENV)-%/packages: $(VENV)/bin/python pyproject.toml
	$(PYTHON) -m venv --without-pip $(VENV)-$*
	printf '[bdist_wheel]\ncompression = stored\n' > $(VENV)-$*/build.cfg
	DIST_EXTRA_CONFIG=$(abspath $(VENV))-$*/build.cfg $(PIP_FOR) --group $*
	@touch $@

$(VENV)-%/installed: $(VENV)-%/packages build/wheel
	$(PIP_FOR) --force-reinstall --no-deps build/wheel/*.whl
	$(PIP_FOR) unjudged
	@touch $@
