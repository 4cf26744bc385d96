#!/usr/bin/env python3
"""`tlc emu`: launches by file, reports, the census, and what it says to wrong input. test-timeout: 300"""
import array
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(os.environ["TL_BUILD_DIR"]) / "tests" / "emu"
passed = failed = 0


def check(name, good, output=""):
    global passed, failed
    if good:
        passed += 1
    else:
        print(f"FAIL {name}\n{output}")
        failed += 1


def emu(*words, **options):
    return subprocess.run(["tlc", "emu", *map(str, words)], capture_output=True, text=True, timeout=60, **options)


def says(name, done, status, *words):
    check(name, done.returncode == status and all(word in done.stderr for word in words) and done.stderr.count("\n") == 1,
          f"status {done.returncode}, stderr {done.stderr!r}")


def launches(directory):
    n = 1000
    floats = lambda values: array.array("f", values).tobytes()
    (directory / "a.bin").write_bytes(floats(range(n)))
    (directory / "b.bin").write_bytes(floats(2 * i for i in range(n)))
    good = {"chip": "gfx942", "kernel": "vectorAdd", "grid": [4], "block": [256],
            "args": [{"buf": "a.bin"}, {"buf": "b.bin"}, {"buf": {"bytes": 4 * n, "fill": 255}, "out": "c.bin"}, {"i32": n}]}
    path = directory / "launch.json"

    def launch(change=lambda launch: None, *words, chip="gfx942"):
        text = json.loads(json.dumps(good))
        text["chip"] = chip
        change(text)
        path.write_text(json.dumps(text))
        (directory / "c.bin").unlink(missing_ok=True)
        return emu(KERNELS / f"vector_add_{chip}_O2.co", "--launch", path, *words)

    for chip in ("gfx942", "gfx1100"):
        done = launch(chip=chip)
        check(f"launch on {chip}", done.returncode == 0 and (directory / "c.bin").read_bytes() == floats(3 * i for i in range(n)),
              done.stderr)
        check(f"silent on {chip}", not done.stdout and not done.stderr, done.stdout + done.stderr)
    done = launch(lambda l: None, "--report")
    check("report", done.returncode == 0 and "vector_add.cl" in done.stdout, done.stdout)
    done = launch(lambda l: None, "--json")
    report = json.loads(done.stdout)
    check("json", done.returncode == 0 and report, done.stdout)
    # 16 waves store once each, on the line that says so.
    line = 1 + next(i for i, text in enumerate((pathlib.Path(__file__).parent / "kernels" / "vector_add.cl").read_text()
                                               .splitlines()) if "[i] =" in text)
    mixes = [m["instructions"] for m in report["instruction_mix"] if m["line"] == line]
    check("mix of a line", len(mixes) == 1 and mixes[0].get("global_store_dword") == 16 and mixes[0].get("v_add_f32") == 16
          and mixes[0].get("global_load_dword") == 32, report["instruction_mix"])
    check("mixes have all instructions", sum(sum(m["instructions"].values()) for m in report["instruction_mix"]) ==
          sum(p["executions"] for p in report["profile"]), report["instruction_mix"])
    text = launch(lambda l: None, "--report").stdout
    mine = [row for row in text.splitlines() if row.startswith(f"instructions: vector_add.cl:{line}: ") or
            f"/vector_add.cl:{line}: " in row and row.startswith("instructions: ")]
    check("mix of a line in words", len(mine) == 1 and " global_load_dword 32" in mine[0] and " v_add_f32 16" in mine[0], text)
    check("mix of the kernel", "instructions: kernel vectorAdd: " in text, text)

    def change(**values):
        return lambda launch: launch.update(values)

    def argument(i, value):
        return lambda launch: launch["args"].__setitem__(i, value)

    says("no such kernel", launch(change(kernel="nobody")), 2, "nobody", "vectorAdd")
    says("no such chip", launch(change(chip="gfx7")), 1, "gfx7")
    says("another chip's code", launch(change(chip="gfx1100")), 1, "gfx1100")
    says("unknown key", launch(change(girth=[1])), 2, "girth")
    says("grid is no list", launch(change(grid=4)), 2, "grid")
    says("four axes", launch(change(grid=[1, 1, 1, 1])), 2, "grid")
    says("negative grid", launch(change(grid=[-1])), 2, "grid")
    says("no threads", launch(change(block=[0])), 1, "threads")
    says("too many threads", launch(change(block=[2048])), 1, "2048")
    says("too much LDS", launch(change(dynamic_lds=1 << 20)), 1, "LDS")
    says("surplus argument", launch(lambda l: l["args"].append({"i32": 1})), 2, "4", "5")
    says("missing argument", launch(lambda l: l["args"].pop()), 2, "4", "3")
    says("argument of another size", launch(argument(3, {"i64": 1})), 2, "argument 3", "4 bytes")
    says("value too large", launch(argument(3, {"i32": 1 << 32})), 2, "argument 3", "fit")
    says("fraction", launch(argument(3, {"i32": 1.5})), 2, "argument 3", "whole")
    says("unknown type", launch(argument(3, {"i33": 1})), 2, "i33")
    says("no file", launch(argument(0, {"buf": "absent.bin"})), 1, "absent.bin")
    says("fill is no byte", launch(argument(2, {"buf": {"bytes": 8, "fill": 256}})), 2, "fill")
    says("more memory than there is", launch(argument(2, {"buf": {"bytes": 1 << 40, "fill": 0}})), 2, "memory")
    says("f32 too large", launch(argument(3, {"f32": 1e300})), 2, "argument 3", "f32")
    says("no number", launch(argument(3, {"f32": "many"})), 2, "argument 3", "inf")
    says("a device for a file", launch(argument(0, {"buf": "/dev/zero"})), 1, "/dev/zero", "ordinary")
    says("a NUL in a name", launch(argument(0, {"buf": "a\0b"})), 2, "control character")
    says("a name that colours the terminal", launch(change(kernel="\x1b[31m")), 2, "control character")
    says("null pointer", launch(argument(0, {"ptr": 0})), 1, "vector_add.cl")
    says("short buffer", launch(argument(0, {"buf": {"bytes": 400, "fill": 0}})), 1, "vector_add.cl", "400")
    for text in ('{"chip": "gfx942", "chip": "gfx1100"}', "", "{", "[]", "null", '{"chip": 3}', "\x00", '{"chip": "gfx942", "kernel": "k", "grid": [1], "block": [1]}'):
        path.write_text(text)
        says(f"launch file {text!r}", emu(KERNELS / "vector_add_gfx942_O2.co", "--launch", path), 2, "launch.json")
    path.write_text('{"chip": "gfx942",\n "kernel": }')
    says("where a launch file is no JSON", emu(KERNELS / "vector_add_gfx942_O2.co", "--launch", path), 2, "launch.json",
         "line 2, column 12")
    path.write_text('{"chip": "gfx942", "chip": "gfx1100"}')
    says("a key twice", emu(KERNELS / "vector_add_gfx942_O2.co", "--launch", path), 2, '"chip" twice')
    says("no launch file", emu(KERNELS / "vector_add_gfx942_O2.co", "--launch", directory / "absent"), 1, "absent")


def endless(directory):
    (directory / "spin.cl").write_text("kernel void spin(volatile global int *flag) {\n  while (!*flag)\n    ;\n}\n")
    clang = shutil.which("clang-22") or "/usr/lib/llvm-22/bin/clang"
    subprocess.run([clang, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-g", "-O2",
                    directory / "spin.cl", "-o", directory / "spin.co"], check=True)
    (directory / "spin.json").write_text(json.dumps({"chip": "gfx1100", "kernel": "spin", "grid": [1], "block": [32],
                                                     "args": [{"buf": {"bytes": 4, "fill": 0}}]}))
    says("endless loop", emu(directory / "spin.co", "--launch", directory / "spin.json", "--budget", 100000), 1, "no end",
         "spin.cl:2")
    os.environ["TL_EMU_BUDGET"] = "100000"
    says("endless loop by TL_EMU_BUDGET", emu(directory / "spin.co", "--launch", directory / "spin.json"), 1, "no end",
         "spin.cl:2")
    del os.environ["TL_EMU_BUDGET"]


def little_memory(directory):
    """A process that may map 4 GB: too little for what is asked for is an answer, as anything else is."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    (directory / "large.cl").write_text("""__attribute__((amdgpu_flat_work_group_size(1024, 1024)))
kernel void large(global int *out) {
  volatile int x[60000];
  x[out[0] & 7] = 1;
  out[0] = x[7];
}
""")
    clang = shutil.which("clang-22") or "/usr/lib/llvm-22/bin/clang"
    subprocess.run([clang, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-O2", directory / "large.cl",
                    "-o", directory / "large.co"], check=True)
    path = directory / "large.json"
    launch = {"chip": "gfx1100", "kernel": "large", "grid": [100], "block": [1024], "args": [{"buf": {"bytes": 4096, "fill": 0}}]}
    path.write_text(json.dumps(launch))
    says("no memory for workgroups", emu(directory / "large.co", "--launch", path, "--threads", 4, preexec_fn=limit), 1,
         "kernel large: no memory for")
    launch |= {"chip": "gfx942", "kernel": "vectorAdd", "grid": [100000], "block": [64],
               "args": [{"buf": {"bytes": 4096, "fill": 0}}] * 3 + [{"i32": 0}]}
    path.write_text(json.dumps(launch))
    done = emu(KERNELS / "vector_add_gfx942_O2.co", "--launch", path, "--threads", 10000, "--report", preexec_fn=limit)
    check("fewer threads than asked for", done.returncode == 0 and not done.stderr, done.stderr)
    check("races are not looked for", "not-checked: races: the process may not map" in done.stdout, done.stdout[:2000])


MODES = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void sums(global float *out) {
  const half one = 1, tiny = 0x1p-12h;
  const uint group = __builtin_amdgcn_workitem_id_x() / 16;
  half4 a = group == 0 ? (half4)(one, tiny, tiny, tiny) : group == 1 ? (half4)(tiny) : (half4)(0);
  float4 d = __builtin_amdgcn_mfma_f32_16x16x16f16(a, a, (float4)(0), 0, 0, 0);
  out[__builtin_amdgcn_workitem_id_x()] = d[0];
}
kernel void range(global uint2 *in, global uint2 *out) {
  __amdgpu_buffer_rsrc_t buffer = __builtin_amdgcn_make_buffer_rsrc(in, 0, 12, 0x27000);
  out[0] = __builtin_amdgcn_raw_buffer_load_b64(buffer, 8, 0, 0);
}
kernel void noise(global float *in, global float *out) {
  out[__builtin_amdgcn_workitem_id_x()] = __builtin_amdgcn_rcpf(in[__builtin_amdgcn_workitem_id_x()]);
}
"""


def modes(directory):
    """Each mode changes what it says and nothing else."""
    (directory / "modes.cl").write_text(MODES)
    clang = shutil.which("clang-22") or "/usr/lib/llvm-22/bin/clang"
    subprocess.run([clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O2",
                    directory / "modes.cl", "-o", directory / "modes.co"], check=True)

    def launch(kernel, typecode, count, data, *words):
        arguments = [{"buf": {"bytes": 4 * count, "fill": 0}, "out": "out.bin"}]
        if data:
            (directory / "in.bin").write_bytes(data)
            arguments.insert(0, {"buf": "in.bin"})
        (directory / "modes.json").write_text(json.dumps(
            {"chip": "gfx942", "kernel": kernel, "grid": [1], "block": [64], "args": arguments}))
        done = emu(directory / "modes.co", "--launch", directory / "modes.json", *words)
        check(f"{kernel} {words}", done.returncode == 0, done.stderr)
        return list(array.array(typecode, (directory / "out.bin").read_bytes()))

    # 1 + 7 * 2^-24: in order each addend is rounded away; added up at once the sum is halfway to the next even number.
    for words, want in (((), 1 + 2.0**-21), (("--accumulation", "cdna"), 1 + 2.0**-21), (("--accumulation", "ordered"), 1.0)):
        check(f"sums {words}", launch("sums", "f", 64, b"", *words) == [want] * 64)
    words = array.array("I", [1, 2, 3, 4]).tobytes()
    for option, want in (((), [3, 0]), (("--buffer-range", "dword"), [3, 0]), (("--buffer-range", "access"), [0, 0])):
        check(f"range {option}", launch("range", "I", 2, words, *option) == want)
    given = array.array("f", range(3, 67)).tobytes()
    right, moved = launch("noise", "I", 64, given), launch("noise", "I", 64, given, "--perturbation", "2")
    exact = list(array.array("I", array.array("f", [1 / n for n in range(3, 67)]).tobytes()))
    check("rounded right", right == exact)
    check("moved by two ulps at most", moved != right and all(abs(a - b) <= 2 for a, b in zip(moved, right)))
    done = emu(directory / "modes.co", "--launch", directory / "modes.json", "--accumulation", "sideways")
    check("a mode that there is not", done.returncode == 2 and "sideways" in done.stderr, done.stderr)


def images(directory):
    good = (KERNELS / "vector_add_gfx942_O2.co").read_bytes()
    wrong = directory / "wrong.co"
    for name, content in (("empty", b""), ("text", b"int main() {}"), ("truncated", good[:1000]), ("host", None)):
        wrong.write_bytes(pathlib.Path("/proc/self/exe").read_bytes() if content is None else content)
        says(f"census of {name}", emu("--census", wrong), 1, "wrong.co")
    launch = directory / "launch.json"
    launch.write_text(json.dumps({"chip": "gfx942", "kernel": "k", "grid": [1], "block": [1], "args": []}))
    for content, words in ((b"", ("empty",)), (b"hi\n", ("3 bytes", '"hi\\x0a"')),
                           (b"#!/bin/sh\nexec true\n", ("20 bytes", '"#!/bin/sh\\x0aexec t"'))):
        wrong.write_bytes(content)
        says(f"launch of {content!r}", emu(wrong, "--launch", launch), 1, "wrong.co", *words)


INTERPOSER = """
#define _GNU_SOURCE
#include <dlfcn.h>
void *dlopen(const char *name, int flags) {
  return ((void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen"))(name, flags);
}
"""


def library(directory):
    """The emulator is found though it is not tlc that opens it, as with a sanitizer: not by tlc's run path."""
    (directory / "dlopen.c").write_text(INTERPOSER)
    subprocess.run(["cc", "-shared", "-fPIC", directory / "dlopen.c", "-o", directory / "dlopen.so"], check=True)
    os.environ["LD_PRELOAD"] = str(directory / "dlopen.so")
    done = emu("--census", KERNELS / "vector_add_gfx942_O2.co")
    del os.environ["LD_PRELOAD"]
    check("another's dlopen", done.returncode == 0 and "s_endpgm" in done.stdout, done.stderr)


def words_of_ours(directory):
    """What is said of a line of the canonical text, which is no file, has the line itself."""
    source = pathlib.Path(os.environ["TL_SOURCE_DIR"]) / "examples" / "kernels" / "vector_add.tile"
    copy = shutil.copy(source, directory)
    subprocess.run(["tlc", "build", copy, "-t", "amdgcn:gfx942", "--emit", "object"], check=True, timeout=120)
    canonical = subprocess.run(["tlc", "print", copy, "--canonical"], check=True, capture_output=True, text=True).stdout
    loads = [line.strip() for line in canonical.splitlines() if " = load " in line]
    arguments = [{"buf": {"bytes": 4096}}] * 3 + [{"i64": n} for n in (1000, 1, 1, 1)] # the views, %n, the grid
    (directory / "launch.json").write_text(json.dumps({"chip": "gfx942", "kernel": "vector_add", "grid": [1], "block": [256],
                                                       "args": arguments}))
    done = emu(directory / "vector_add.o", "--launch", directory / "launch.json", "--report")
    shown = [line for line in done.stdout.splitlines() if line.startswith("uninitialized-read: ")]
    check("words of our lines", len(loads) == 2 and len(shown) >= 2 and all(
        any(".canonical.tile:" in line and f" `{load}`: " in line for line in shown) for load in loads),
        f"{loads}\n{done.stdout}\n{done.stderr}")


def census():
    objects = sorted(KERNELS.glob("*_gfx942_O[0-3].co")) + sorted(KERNELS.glob("*_gfx1100_O[0-3].co"))
    done = emu("--census", *objects)
    check("census", objects and done.returncode == 0 and "UNIMPLEMENTED" not in done.stdout and
          " gfx942 s_endpgm" in done.stdout and " gfx1100 s_endpgm" in done.stdout, done.stdout[-2000:] + done.stderr)


def census_of_ours(directory):
    """An instruction that one of our kernels needs and the emulator lacks is found without running into it."""
    source = pathlib.Path(os.environ["TL_SOURCE_DIR"])
    kernels = sorted(source.glob("examples/kernels/*.tile")) + sorted(source.glob("tests/run/kernels/*.tile"))
    for chip in ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"):
        folder = directory / chip
        folder.mkdir()
        for kernel in kernels:
            copy = shutil.copy(kernel, folder) # objects lie beside it, one for each kernel of a sequence
            built = subprocess.run(["tlc", "build", copy, "-t", f"amdgcn:{chip}", "--emit", "object"],
                                   capture_output=True, text=True, timeout=120)
            check(f"{kernel.stem} for {chip}", built.returncode == 0, built.stderr)
        objects = sorted(folder.glob("*.o"))
        check(f"kernels of sequences for {chip}", (folder / "prefix_sum.scan_sums.o").exists(), "no object of it")
        done = emu("--census", *objects)
        check(f"census of our kernels for {chip}", len(objects) > 10 and done.returncode == 0 and
              "UNIMPLEMENTED" not in done.stdout and f" {chip} s_endpgm" in done.stdout, done.stdout[-2000:] + done.stderr)


with tempfile.TemporaryDirectory() as name:
    launches(pathlib.Path(name))
    endless(pathlib.Path(name))
    modes(pathlib.Path(name))
    images(pathlib.Path(name))
census()
if not os.environ.get("TL_SANITIZE"):
    with tempfile.TemporaryDirectory() as name:
        library(pathlib.Path(name))
        little_memory(pathlib.Path(name))
        words_of_ours(pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        census_of_ours(pathlib.Path(name))
says("nothing to do", emu(KERNELS / "vector_add_gfx942_O2.co"), 2, "--launch")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
