# libtilelang. `make help` lists the targets; the rules are thin, CMake and Ninja do the work.
BUILD ?= build
STATIC_BUILD ?= build-static
ASAN_BUILD ?= build-asan
ASAN_ALL_BUILD ?= build-asan-all
TSAN_BUILD ?= build-tsan
FUZZ_BUILD ?= build-fuzz
FUZZ_RUNS ?= 1000000
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
NINJA = ninja -j$(JOBS)
RUN_TESTS = tests/harness/run.py --jobs $(JOBS)
CONFIGURE = cmake -S . -G Ninja --log-level=WARNING $(CMAKE_FLAGS)
# Labels of the tests that make quick runs, and which of them also run sanitized.
FAST = unit|api|golden|error|hipemu|abi|tree
ASAN_TESTS = -L 'unit|api|golden|error|hipemu|fuzz' -LE 'long|matrix'
ASAN_ALL_TESTS = -L 'unit|golden|error|run|differential' -LE 'long|matrix|slow'
MAKEFLAGS += --no-print-directory

.DEFAULT_GOAL := build
.PHONY: help deps build demo quick check check-all asan asan-all fuzz tsan static bench install bundle gen format format-check clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install what is needed from Debian's repositories (does nothing when all is there)
	@cmake/deps.sh

# CMake runs once; afterwards Ninja runs it again when a CMake file or the set of sources changed.
$(BUILD)/build.ninja:
	@$(CONFIGURE) -B $(BUILD)

$(STATIC_BUILD)/build.ninja:
	@$(CONFIGURE) -B $(STATIC_BUILD) -DCMAKE_BUILD_TYPE=Release -DTL_LLVM=static -DTL_STATIC_RUNTIME=ON \
	  -DTL_BUILD_TESTS=OFF

$(ASAN_BUILD)/build.ninja:
	@$(CONFIGURE) -B $(ASAN_BUILD) -DTL_SANITIZE=address,undefined -DTL_BUILD_COMPILER=OFF -DTL_BUILD_EXAMPLES=OFF \
	  -DTL_COMPILER_BUILD_DIR=$(abspath $(BUILD))

$(ASAN_ALL_BUILD)/build.ninja:
	@$(CONFIGURE) -B $(ASAN_ALL_BUILD) -DTL_SANITIZE=address,undefined

$(TSAN_BUILD)/build.ninja:
	@$(CONFIGURE) -B $(TSAN_BUILD) -DTL_SANITIZE=thread -DTL_BUILD_COMPILER=OFF -DTL_BUILD_EMULATOR=OFF -DTL_BUILD_EXAMPLES=OFF

$(FUZZ_BUILD)/build.ninja:
	@$(CONFIGURE) -B $(FUZZ_BUILD) -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DTL_FUZZ=ON \
	  -DTL_SANITIZE=address,undefined,fuzzer-no-link -DTL_BUILD_COMPILER=OFF -DTL_BUILD_EMULATOR=OFF -DTL_BUILD_EXAMPLES=OFF

build: deps $(BUILD)/build.ninja ## build everything, LLVM as a shared library (the default)
	@$(NINJA) -C $(BUILD)

static: deps $(STATIC_BUILD)/build.ninja ## release build, LLVM and libstdc++ hidden inside the libraries and tlc
	@$(NINJA) -C $(STATIC_BUILD)

asan: build $(ASAN_BUILD)/build.ninja ## address and undefined-behaviour sanitizers, all but the code generators
	@$(NINJA) -C $(ASAN_BUILD)
	@$(RUN_TESTS) $(ASAN_BUILD) $(ASAN_TESTS)

asan-all: deps $(ASAN_ALL_BUILD)/build.ninja ## the code generators sanitized too, a long build
	@$(NINJA) -C $(ASAN_ALL_BUILD)
	@TL_RUN_DEVICE=host $(RUN_TESTS) $(ASAN_ALL_BUILD) $(ASAN_ALL_TESTS)

fuzz: deps $(FUZZ_BUILD)/build.ninja ## FUZZ_RUNS inputs for each fuzz target: texts, graphs, artifacts, calls of the C API
	@$(NINJA) -C $(FUZZ_BUILD) fuzz_text fuzz_graph fuzz_artifact fuzz_calls fuzz_seeds
	@tests/fuzz/run.sh $(FUZZ_BUILD) $(FUZZ_RUNS)

tsan: deps $(TSAN_BUILD)/build.ninja ## thread sanitizer on the stand-in HIP runtime
	@$(NINJA) -C $(TSAN_BUILD) hipemu_tests
	@$(RUN_TESTS) $(TSAN_BUILD) -L hipemu

demo: deps $(BUILD)/build.ninja ## run the examples on the best device found
	@$(NINJA) -C $(BUILD) demo_programs
	@cmake/demo.sh $(BUILD)/examples

quick: build ## the fast tests, some minutes; ONE=REGEX: the tests whose names match
	@$(RUN_TESTS) $(BUILD) $(if $(ONE),-R '$(ONE)',-L '$(FAST)' -LE 'long|slow')

check: build $(ASAN_BUILD)/build.ninja ## every test of a change: what CI runs
	@$(NINJA) -C $(BUILD) tilelang_compiler_static
	@$(NINJA) -C $(ASAN_BUILD)
	@$(RUN_TESTS) $(BUILD) -LE long -- $(ASAN_BUILD) $(ASAN_TESTS)

check-all: build static $(ASAN_BUILD)/build.ninja asan-all tsan fuzz ## the long tests too, all under sanitizers, and the fuzzers
	@$(NINJA) -C $(BUILD) tilelang_compiler_static
	@$(NINJA) -C $(ASAN_BUILD)
	@TL_HIPEMU_SEEDS=100 TL_RELEASE_BUILD_DIR=$(abspath $(STATIC_BUILD)) $(RUN_TESTS) $(BUILD) -- $(ASAN_BUILD) $(ASAN_TESTS)

bench: build static ## figures of the host device and of cold builds (docs/performance.md), for a quiet machine
	@$(NINJA) -C $(BUILD) bench_host > /dev/null
	@for core in '' Haswell Zen SkylakeX; do OPENBLAS_CORETYPE=$$core $(BUILD)/bin/bench_host examples/kernels; done
	@tests/bench/bench_cold.sh $(STATIC_BUILD) examples/kernels
	@ls -l $(STATIC_BUILD)/lib/*.so.*.*.* | awk '{print $$9, $$5, "bytes"}'

install: static ## make the release build and install it below PREFIX (/usr/local), staged in DESTDIR
	@DESTDIR="$(DESTDIR)" cmake --install $(STATIC_BUILD) --prefix "$(PREFIX)" --strip

bundle: static ## dist/tilelang-VERSION-linux-x86_64.tar.xz, to run elsewhere; TESTS=1: with run-tests and its programs
	@cmake/bundle.sh $(STATIC_BUILD) dist $(if $(filter 1,$(TESTS)),tests)

gen: deps $(BUILD)/build.ninja ## rewrite the generated files that are committed
	@$(NINJA) -C $(BUILD) tl-gen
	@cmake/gen.sh $(BUILD)/bin/tl-gen .

format: deps ## clang-format every C and C++ file in place
	@cmake/sources.sh | xargs -P $(JOBS) -n 16 clang-format-22 -i

format-check: deps ## fail when clang-format would change a file
	@cmake/sources.sh | xargs -P $(JOBS) -n 16 clang-format-22 --dry-run -Werror

clean: ## remove the build directories
	rm -rf $(BUILD) $(STATIC_BUILD) $(ASAN_BUILD) $(ASAN_ALL_BUILD) $(TSAN_BUILD) $(FUZZ_BUILD) dist
