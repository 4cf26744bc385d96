"""tlc on emulated devices: kernels compiled for AMD GPUs, run through the HIP calls and checked against the interpreter."""
import json
import os
import pathlib
import subprocess
import sys

KERNELS = pathlib.Path(os.environ["TL_SOURCE_DIR"]) / "examples" / "kernels"
LIBRARIES = pathlib.Path(os.environ["TL_BUILD_DIR"]) / "lib"
passed = failed = 0


def tlc(*arguments, **environment):
    return subprocess.run(["tlc", *map(str, arguments)], env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120)


def check(name, good, done):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f"FAIL {name}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def main():
    if not (LIBRARIES / "libtilelang-emu.so").exists() or not (LIBRARIES / "libtilelang-compiler.so").exists():
        print("SKIP needs libtilelang-emu and the compiler")
        return 77
    done = tlc("devices")
    for name in ("emu:gfx942", "emu:gfx1100"):
        check(f"{name} is listed", name in done.stdout, done)
    done = tlc("devices", TL_EMU_LIBRARY="/nowhere.so")
    check("why there is no emu device", "emu" in done.stdout and "not usable" in done.stdout and done.returncode == 0, done)
    for chip in ("gfx942", "gfx1100"):
        done = tlc("run", KERNELS / "vector_add.tile", "-d", f"emu:{chip}", "--check", "--report", "--json")
        good = done.returncode == 0
        result = json.loads(done.stdout) if good else {}
        check(f"vector_add on {chip}", good and result["check"]["ok"] and result["target"] == f"amdgcn:{chip}", done)
        check(f"vector_add on {chip}: a clean report", good and result["report"]["findings"] == [], done)
    beyond = pathlib.Path(os.environ["TL_SOURCE_DIR"]) / "tests/error/addr_beyond.tile"
    done = tlc("run", beyond, "-d", "emu:gfx942", "--report")
    check("the report of a kernel that fails", done.returncode == 1 and "addr_beyond.tile:6" in done.stdout, done)
    done = tlc("run", KERNELS / "vector_add.tile", "-d", "host", "--report")
    check("--report without emulation", done.returncode == 1 and "only emu devices" in done.stderr, done)
    done = tlc("run", KERNELS / "vector_add.tile", "-d", "emu:gfx000")
    check("no such chip", done.returncode == 1 and "emu:gfx000" in done.stderr, done)
    done = tlc("run", KERNELS / "vector_add.tile", "-d", "emu:gfx942", TL_EMU_FAIL="hipModuleLoadData:*=209")
    check("an ordered failure", done.returncode == 1 and "hipErrorNoBinaryForGpu (209)" in done.stderr, done)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
