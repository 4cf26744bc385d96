# libtilelang. `make help` lists the targets; the rules are thin, CMake and Ninja do the work.
BUILD ?= build
STATIC_BUILD ?= build-static
ASAN_BUILD ?= build-asan
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
NINJA = ninja -j$(JOBS)
MAKEFLAGS += --no-print-directory

.DEFAULT_GOAL := build
.PHONY: help deps build demo quick check check-all asan static install bundle gen gen-check format format-check clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install what is needed from Debian's repositories (does nothing when all is there)
	@cmake/deps.sh

# CMake runs once; afterwards Ninja runs it again when a CMake file or the set of sources changed.
$(BUILD)/build.ninja:
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) > $(BUILD).configure.log 2>&1 || { cat $(BUILD).configure.log; exit 1; }; \
	mv $(BUILD).configure.log $(BUILD)/configure.log

$(STATIC_BUILD)/build.ninja:
	@cmake -S . -B $(STATIC_BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DTL_LLVM=static -DTL_STATIC_RUNTIME=ON \
	  -DTL_BUILD_TESTS=OFF $(CMAKE_FLAGS)

$(ASAN_BUILD)/build.ninja:
	@cmake -S . -B $(ASAN_BUILD) -G Ninja -DTL_SANITIZE=address,undefined -DTL_BUILD_COMPILER=OFF $(CMAKE_FLAGS)

build: deps $(BUILD)/build.ninja ## build everything with the shared LLVM (the default)
	@$(NINJA) -C $(BUILD)

static: deps $(STATIC_BUILD)/build.ninja ## release build with LLVM and libstdc++ hidden inside
	@$(NINJA) -C $(STATIC_BUILD)

clean: ## remove the build directories
	rm -rf $(BUILD) $(STATIC_BUILD) $(ASAN_BUILD) dist
