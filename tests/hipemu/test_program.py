#!/usr/bin/env python3
"""A HIP program compiled by clang-22 (two_devices.hip) runs on the emulator: the same bytes whatever the delays, no
finding; without its hipStreamWaitEvent the race is reported with both source lines. TL_HIPEMU_SEEDS says how many seeds
are tried (10; the project's promise is 100). test-timeout: 900"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["TL_SOURCE_DIR"]) / "tests" / "hipemu"
LIBRARIES = pathlib.Path(os.environ["TL_BUILD_DIR"]) / "lib"
SEEDS = int(os.environ.get("TL_HIPEMU_SEEDS", "10"))
passed = failed = 0


def check(name, good, output=""):
    global passed, failed
    if good:
        passed += 1
    else:
        print(f"FAIL {name}\n{output}")
        failed += 1


def compile_program(scratch, name, *defines, level="-O2", source="two_devices.hip"):
    """As a HIP compiler does it, without HIP's headers and device libraries."""
    environment = {**os.environ, "PATH": f"{SOURCE / 'bin'}:{os.environ['PATH']}"}
    program = scratch / name
    subprocess.run(["clang-22", "-x", "hip", "-nogpuinc", "-nogpulib", "--offload-arch=gfx942", "--offload-arch=gfx1100",
                    level, "-g", "-std=c++17", f"-I{SOURCE}", *defines, "-c", SOURCE / source,
                    "-o", program.with_suffix(".o")], env=environment, check=True)
    subprocess.run(["c++", program.with_suffix(".o"), "-o", program, LIBRARIES / "libtilelang-hipemu.so",
                    f"-Wl,-rpath,{LIBRARIES}"], check=True)
    return program


def run(scratch, program, seed, *words, **settings):
    """(exit status, output, findings) of one run."""
    report = scratch / "report.json"
    report.unlink(missing_ok=True)
    environment = {**os.environ, "TL_EMU_DEVICES": "gfx942,gfx1100", "TL_EMU_SEED": str(seed), "TL_EMU_DELAY": "300",
                   "TL_EMU_REPORT": str(report), **settings}
    done = subprocess.run([program, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=120)
    text = report.read_text() if report.exists() else ""
    return done.returncode, done.stdout, text


def touch(memory):
    """Exit status of a process that writes to new memory from the host."""
    code = f"""import ctypes
hip = ctypes.CDLL({str(LIBRARIES / "libtilelang-hipemu.so")!r})
p = ctypes.c_void_p()
assert hip.{memory} == 0
ctypes.memset(p, 1, 4096)"""
    return subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode


def line_of(mark):
    lines = (SOURCE / "two_devices.hip").read_text().splitlines()
    return f"two_devices.hip:{next(i for i, line in enumerate(lines, 1) if mark in line)}"


def main():
    if not shutil.which("clang-22") or not (LIBRARIES / "libtilelang-emu.so").exists():
        print("SKIP needs clang-22 and libtilelang-emu")
        return 77
    if os.environ.get("TL_SANITIZE"):
        print("SKIP the program is not sanitized, the library is")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        program = compile_program(scratch, "right")
        status, output, report = run(scratch, program, 0, TL_EMU_DELAY="0")
        check("without delays", (status, output) == (0, "ok\n"), output)
        for seed in range(1, SEEDS + 1):
            status, output, report = run(scratch, program, seed)
            check(f"seed {seed}", (status, output) == (0, "ok\n"), output)
            check(f"seed {seed}: no finding", not json.loads(report).get("findings"), report)
        for level in ("-O0", "-O1", "-O3"):
            status, output, report = run(scratch, compile_program(scratch, "level" + level, level=level), 1)
            check(f"at {level}", (status, output) == (0, "ok\n") and not json.loads(report).get("findings"), output + report)
        output = run(scratch, program, 1, TL_EMU_DEVICES="gfx90a,gfx950")[1]
        check("code for other chips", "error 209" in output and "gfx942" in output, output)
        racing = compile_program(scratch, "wrong", "-DWITHOUT_WAIT")
        places = [line_of("// PRODUCE"), line_of("// CONSUME")]
        reports = [run(scratch, racing, seed)[2] for seed in range(1, SEEDS + 1)]
        found = all(any("race" in finding["kind"] and all(place in finding["message"] + f"{finding['file']}:{finding['line']}"
                                                          for place in places)
                        for finding in json.loads(report).get("findings")) for report in reports)
        check("the race without hipStreamWaitEvent", found, "\n".join(reports))
        releasing = compile_program(scratch, "early", "-DWITHOUT_JOIN")
        reports = [run(scratch, releasing, seed)[2] for seed in range(1, SEEDS + 1)]
        # The other device copies what is released: whichever comes first, both are named.
        both = ("hipFreeAsync (stream", "hipMemcpyPeerAsync (stream")
        found = all(any(finding["kind"] == "global-race" and all(name in finding["message"] for name in both)
                        for finding in json.loads(report).get("findings")) for report in reports)
        check("the race of hipFreeAsync with another stream", found, "\n".join(reports))
        for chips in ("gfx942", "gfx1100"):
            registered = compile_program(scratch, "registered", source="registered.hip")
            status, output, report = run(scratch, registered, 1, TL_EMU_DEVICES=chips)
            check(f"what is registered, on {chips}", (status, output) == (0, "ok\n"), output)
        early = compile_program(scratch, "early_end", source="ends_early.hip")
        # Few instructions: the loop gives its thread away each time, to all that is busy.
        status, output, report = run(scratch, early, 1, "end", TL_EMU_BUDGET="2000", TL_EMU_DELAY="0")
        check("a process that ends while a kernel runs", status == 0 and "and no end" in output and "endless" in report,
              f"{status} {output} {report}")
        status, output, report = run(scratch, early, 1, "fork")
        check("a child of a process with devices", (status, output) == (0, "child 3, parent 0\n"), f"{status} {output}")
        status, output, report = run(scratch, early, 1, "wait")
        check("a stream's function that waits for it", (status, output) == (0, "inside 801, outside 0\n"), f"{status} {output}")
        status, output, report = run(scratch, early, 1, "leave")
        check("a stream's function that ends the process", status == 7, f"{status} {output}")
    check("the host cannot touch device memory", touch("hipMalloc(ctypes.byref(p), 4096)") == -signal.SIGSEGV)
    check("the host may touch pinned memory", touch("hipHostMalloc(ctypes.byref(p), 4096, 0)") == 0)
    check("the host may touch managed memory", touch("hipMallocManaged(ctypes.byref(p), 4096, 1)") == 0)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
