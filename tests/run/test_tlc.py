"""The command-line contract of tlc: files in and out, formats, exit codes, errors.

test-timeout: 600
"""
import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

SOURCE = os.environ["TL_SOURCE_DIR"]
KERNELS = os.path.join(SOURCE, "examples/kernels")
failures = []
count = 0


def tlc(*arguments, code=0, text=None):
    done = subprocess.run(["tlc", *arguments], capture_output=True, text=True, timeout=300, input=text)
    check(done.returncode == code, f"tlc {' '.join(arguments)}: exit {done.returncode}, wanted {code}: {done.stderr}")
    return done


def check(condition, what):
    global count
    count += 1
    if not condition:
        failures.append(what)
        print(f"FAILED   {what}")


def kernel(name):
    return os.path.join(KERNELS, name + ".tile")


def npy_in_and_out(work):
    rng = np.random.default_rng(5)
    for device in ["host", "interp"]:
        a, b = (rng.standard_normal((37, 53), dtype=np.float32), rng.standard_normal((53, 29), dtype=np.float32))
        np.save(f"{work}/a.npy", a)
        np.save(f"{work}/b.npy", b)
        tlc("run", kernel("matmul_f32"), "-d", device, "--set", "m=37", "--set", "n=29", "--set", "k=53", "--in",
            f"a=@{work}/a.npy", "--in", f"b=@{work}/b.npy", "--out", f"c=@{work}/c.npy", "--check")
        c = np.load(f"{work}/c.npy")
        check(c.dtype == np.float32 and c.shape == (37, 29), f"{device}: shape and type of c.npy")
        check(np.allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=1e-4), f"{device}: c = a b")
    half = rng.standard_normal((20, 16)).astype(np.float16)
    np.save(f"{work}/h.npy", half)
    tlc("run", kernel("matmul_f16"), "-d", "host", "--set", "m=20", "--set", "n=16", "--set", "k=16", "--in",
        f"a=@{work}/h.npy", "--out", f"a=@{work}/h2.npy", "--check")
    check(np.array_equal(np.load(f"{work}/h2.npy"), half), "f16 files keep their bits")


def bad_files(work):
    base = ["run", kernel("matmul_f32"), "-d", "interp", "--set", "m=4", "--set", "n=4", "--set", "k=4"]
    for name, array in [("type", np.zeros((4, 4))), ("shape", np.zeros((4, 5), np.float32)),
                        ("order", np.asfortranarray(np.zeros((4, 4), np.float32) + np.eye(4, dtype=np.float32)[:, ::-1])),
                        ("rank", np.zeros(16, np.float32))]:
        np.save(f"{work}/{name}.npy", array)
        done = tlc(*base, "--in", f"a=@{work}/{name}.npy", code=1)
        check(done.stderr.startswith("tlc: ") and len(done.stderr) > 20, f"a .npy file of another {name}: {done.stderr}")
    data = open(f"{work}/shape.npy", "rb").read()
    for name, content in [("cut", data[:-1]), ("short", data[:20]), ("noise", os.urandom(300)), ("empty", b"")]:
        open(f"{work}/{name}.npy", "wb").write(content)
        tlc(*base, "--in", f"a=@{work}/{name}.npy", code=1)
    for command in [["check", work], ["print", work], ["build", work, "-t", "host"], ["run", work, "-d", "interp"],
                    [*base, "--in", f"a=@{work}"], ["build", kernel("softmax"), "-t", "host", "-o", work]]:
        done = tlc(*command, code=1)
        check(f"{work}: Is a directory" in done.stderr, f"tlc {command[0]} of a directory: {done.stderr}")
    tlc(*base, "--in", "a=@/nonexistent.npy", code=1)
    tlc(*base, "--in", "zz=randn", code=1)
    tlc(*base, "--in", "a=what", code=1)
    tlc(*base, "--set", "m=x", code=1)
    tlc(*base, "--set", "nothing", code=1)
    check("--set m is given twice" in tlc(*base, "--set", "m=5", code=1).stderr, "a setting that is given twice")
    tlc(*base, "--set", "BM=7", code=1)
    tlc(*base, "--out", "m=@x.npy", code=1)


SHIFT = """tile 0.1
kernel @shift(%p: ptr<f32>, %t: view<i32, [%m]> = uniform(0, %m), %n: i64 = 13, %m: i64 = 5) grid [1] {
  %v = view %p, [%n], [1]
  %x = load %v[0] : tile<16xf32>
  %y = OPERATION %x, 1.0
  store %y, %v[0]
}
"""


def words(work):
    """Errors name what is wrong, and their status."""
    add = kernel("vector_add")
    for setting, status, part in [("n=-1", "TL_E_ARG_SHAPE", "argument a: extent -1 of axis 0 is negative"),
                                  ("n=99999999999999", "TL_E_LIMIT", "a=f32[99999999999999]"),
                                  ("n=9223372036854775807", "TL_E_LIMIT", "more than 1099511627776 elements")]:
        done = tlc("run", add, "-d", "interp", "--set", setting, code=1)
        check(part in done.stderr and f"({status})" in done.stderr, f"--set {setting}: {done.stderr}")
    # More than this process may have, and less than the limit: 36 GB. (Sanitizers reserve more by themselves.)
    done = os.environ.get("TL_SANITIZE") or subprocess.run("ulimit -v 8000000; exec tlc run '" + add + "' -d interp --set n=9999999999", shell=True,
                          capture_output=True, text=True, timeout=100)
    check(isinstance(done, str) or
          done.returncode == 1 and "a=f32[9999999999], 39999999996 bytes (TL_E_OUT_OF_MEMORY)" in done.stderr,
          f"no memory: {done}")
    done = tlc("check", add, "/nonexistent.tile", work, kernel("softmax"), "-", text="tile 0.1\nwhat", code=1)
    for part in ["/nonexistent.tile: No such file", "Is a directory", "what"]:
        check(part in done.stderr, f"tlc check goes on after a bad file: {done.stderr}")
    check("one each time" in " ".join(tlc("build", "--help").stdout.split()), "--opt takes one option each")


def pointers(work):
    """Plain pointers get their size from a shape or a file; memory behind them is compared."""
    path = f"{work}/shift.tile"
    open(path, "w").write(SHIFT.replace("OPERATION", "add"))
    done = tlc("run", path, "-d", "host", code=1)
    check("--shape p=N or --in p=@file.npy" in done.stderr, f"a pointer without a size: {done.stderr}")
    x = np.arange(13, dtype=np.float32)
    np.save(f"{work}/x.npy", x)
    for device in ["host", "interp", "emu:gfx942"]:
        done = tlc("run", path, "-d", device, "--shape", "p=13", "--check", "--json")
        check(json.loads(done.stdout)["check"]["compared"] == 13 + 5, f"{device}: what is behind a pointer is compared")
        tlc("run", path, "-d", device, "--in", f"p=@{work}/x.npy", "--out", f"p=@{work}/y.npy", "--check")
        check(np.array_equal(np.load(f"{work}/y.npy"), x + 1), f"{device}: a pointer's file")
    done = tlc("run", path, "-d", "host", "--shape", "p=12", "--set", "n=12", "--out", f"p=@{work}/y.npy", "--in",
               "p=const:2.5")
    check(np.array_equal(np.load(f"{work}/y.npy"), np.full(12, 3.5, np.float32)), "--in p=const:2.5")
    tlc("run", path, "-d", "host", "--shape", "p=13", "--in", "p=uniform:-3:-2", "--out", f"p=@{work}/y.npy")
    y = np.load(f"{work}/y.npy")
    check(np.all((y >= -2) & (y < -1)) and len(set(y)) > 5, f"--in p=uniform:-3:-2: {y}")
    done = tlc("help")
    check("SUBCOMMANDS" in done.stdout.upper() or "build" in done.stdout, f"tlc help: {done.stdout}")
    check("--stats" in tlc("help", "build").stdout, "tlc help build")
    check("no command 'frobnicate'" in tlc("frobnicate", code=2).stderr, "an unknown command is named")
    for bad in ["const", "const:x", "const:1:2", "uniform:1", "uniform:5:1", "uniform:nan:inf", "randn:1", "zeros:", ""]:
        tlc("run", path, "-d", "host", "--shape", "p=13", "--in", f"p={bad}", code=1)
    tlc("run", path, "-d", "host", "--shape", "p=-13", code=1)
    done = tlc("run", path, "-d", "interp", "--shape", "p=12", code=1)
    check("TL_E_INVALID_ARGUMENT" in done.stderr, f"interp past a pointer's memory: {done.stderr}")
    os.environ["TL_EMU_REPORT"] = f"{work}/report.json"
    tlc("run", path, "-d", "emu:gfx942", "--shape", "p=12", code=1)
    del os.environ["TL_EMU_REPORT"]
    findings = json.load(open(f"{work}/report.json"))["findings"]
    check(findings and findings[0]["kind"] == "fault" and "past the end" in findings[0]["message"],
          f"a fault is in the report: {findings}")


def graphs(work):
    """What --emit graph writes is taken wherever the text is."""
    path = f"{work}/shift.tile"
    open(path, "w").write(SHIFT.replace("OPERATION", "add"))
    tlc("build", path, "-t", "host", "--emit", "graph", "-o", f"{work}/shift.tlg")
    tlc("check", f"{work}/shift.tlg", path)
    check(tlc("print", f"{work}/shift.tlg").stdout == tlc("print", "--canonical", path).stdout, "a .tlg file prints")
    tlc("run", f"{work}/shift.tlg", "-d", "host", "--shape", "p=13", "--check")
    tlc("build", f"{work}/shift.tlg", "-t", "host")
    check(os.path.getsize(f"{work}/shift.tlk") > 1000, "a .tlg file builds, to a .tlk beside it")
    data = open(f"{work}/shift.tlg", "rb").read()
    open(f"{work}/cut.tlg", "wb").write(data[:-1])
    check("TL_E_CORRUPT" in tlc("check", f"{work}/cut.tlg", code=1).stderr, "a damaged .tlg file is named")


def section(artifact, wanted):
    """(index in the table, offset, size) of a section of a .tlk file."""
    for i in range(struct.unpack_from("<I", artifact, 12)[0]):
        kind, _, offset, size = struct.unpack_from("<IIQQ", artifact, 24 + 24 * i)
        if kind == wanted:
            return i, offset, size
    raise ValueError(f"no section {wanted}")


def with_graph_of(artifact, other):
    """The code of one .tlk file with the graph of another, of equal size, and a checksum that fits."""
    _, offset, size = section(artifact, 3)
    _, other_offset, other_size = section(other, 3)
    check(size == other_size, "both graphs have one size")
    mixed = bytearray(artifact)
    mixed[offset:offset + size] = other[other_offset:other_offset + size]
    body = struct.unpack_from("<Q", artifact, 16)[0]
    checksum = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
    checksum.restype, checksum.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]
    struct.pack_into("<Q", mixed, body - 8, checksum(bytes(mixed[:body - 8]), body - 8))
    return bytes(mixed)


def mismatch(work):
    """Code that does something else than the graph beside it: --check says so and exits 1."""
    built = {}
    for operation in ["add", "sub"]:
        path = f"{work}/{operation}.tile"
        open(path, "w").write(SHIFT.replace("OPERATION", operation))
        tlc("build", path, "-t", "host", "-o", f"{work}/{operation}.tlk")
        built[operation] = open(f"{work}/{operation}.tlk", "rb").read()
    open(f"{work}/mixed.tlk", "wb").write(with_graph_of(built["add"], built["sub"]))
    base = ["run", f"{work}/mixed.tlk", "-d", "host", "--shape", "p=13"]
    tlc(*base)
    done = tlc(*base, "--check", code=1)
    check("differs from the reference" in done.stderr and "p" in done.stderr, f"the words of a mismatch: {done.stderr}")
    report = json.loads(tlc(*base, "--check", "--json", code=1).stdout)["check"]
    check(not report["ok"] and report["mismatches"] == 13, f"the report of a mismatch: {report}")


def text(work):
    source = open(kernel("softmax")).read()
    printed = tlc("print", kernel("softmax")).stdout
    check(tlc("print", "-", text=printed).stdout == printed, "printing is stable")
    canonical = tlc("print", "--canonical", "--set", "B=256", kernel("softmax")).stdout
    check("param" not in canonical and "tile<256xf32>" in canonical, "the canonical form has no parameters")
    check(tlc("print", "--canonical", "-", text=canonical).stdout == canonical, "the canonical form is stable")
    done = tlc("check", "-", text=source.replace("program_id", "program_idd", 1), code=1)
    check("program_idd" in done.stderr and "^" in done.stderr and "program_id'" in done.stderr,
          f"an unknown operation is shown with a caret and a hint: {done.stderr}")
    check(tlc("--help").stdout.count("run") > 0, "help")
    tlc("check", "/nonexistent.tile", code=1)
    tlc("nonsense", code=2)
    tlc("run", code=2)
    check("0.1.0" in tlc("--version").stdout, "version")


def members(work):
    """Files of several kernels, and libraries of them."""
    sums = kernel("prefix_sum")
    check("kernel @scan_sums" in tlc("print", "--kernel", "scan_sums", sums).stdout, "print --kernel")
    check("sequence" not in tlc("print", "--kernel", "scan_sums", sums).stdout, "print --kernel is one")
    done = tlc("run", sums, "-d", "interp", "--kernel", "other", code=1)
    check("has no kernel 'other', it has scan_blocks, scan_sums, add_before, prefix_sum" in done.stderr, "no such kernel")
    for device in ["interp", "host", "emu:gfx1100"]:
        tlc("run", sums, "-d", device, "--check", "--set", "n=4099", "--set", "B=256")
    library = f"{work}/library.tlk"
    tlc("build", sums, kernel("softmax"), "-t", "host", "-t", "amdgcn:gfx942", "-o", library)
    check("kernel   softmax" in tlc("run", library, "-d", "host", "--check").stdout, "the last one of a library")
    tlc("run", library, "-d", "emu:gfx942", "--check", "--kernel", "prefix_sum", "--set", "n=4099")
    tlc("run", library, "-d", "interp", "--check", "--kernel", "prefix_sum", "--set", "n=1")
    check("it has prefix_sum, softmax" in tlc("run", library, "-d", "host", "--kernel", "x", code=1).stderr, "its names")
    tlc("build", sums, "--all", "-t", "host", "-o", library)
    tlc("run", library, "-d", "host", "--kernel", "scan_sums", "--set", "blocks=3000", "--check")
    tlc("build", sums, "--kernel", "scan_sums", "--kernel", "add_before", "-t", "host", "-o", library)
    check("it has scan_sums, add_before" in tlc("run", library, "-d", "host", "--kernel", "x", code=1).stderr, "two of them")
    check("--kernel add_before is given twice" in
          tlc("build", sums, "--kernel", "add_before", "--kernel", "add_before", "-t", "host", code=1).stderr, "a kernel twice")
    check("make a library" in tlc("build", sums, "--all", "-t", "host", "--emit", "asm", "-o", library, code=1).stderr,
          "a listing of several kernels")
    check("both hold a kernel named 'prefix_sum', which cannot stand in one library" in
          tlc("build", sums, sums, "-t", "host", "-o", library, code=1).stderr, "two kernels of one name")
    check("one for each of the sequence's 3 kernels" in
          tlc("build", sums, "-t", "host", "--emit", "object", "-o", f"{work}/s.o", code=1).stderr, "objects of a sequence")
    stats = json.loads(tlc("build", sums, "-t", "amdgcn:gfx942", "--stats").stdout)
    check(stats["kernel"] == "prefix_sum" and stats["vgpr"] > 0 and stats["ms"]["total"] > 0, "--stats of a sequence")
    check(tlc("check", sums).stderr == "", "check of all")


def build(work):
    out = f"{work}/v.tlk"
    tlc("build", kernel("vector_add"), "-t", "host", "-t", "amdgcn:gfx942", "-o", out)
    for device in ["host", "interp"]:
        done = tlc("run", out, "-d", device, "--check", "--json", "--set", "n=1025", "--repeat", "3")
        report = json.loads(done.stdout)
        check(report["check"]["ok"] and report["ms"]["median"] > 0, f"a .tlk file runs on {device}")
    stats = [json.loads(line) for line in
             tlc("build", kernel("vector_add"), "-t", "amdgcn:gfx1100", "-t", "host", "--stats").stdout.splitlines()]
    for key in ["target", "kernel", "vgpr", "agpr", "sgpr", "lds_bytes", "scratch_bytes", "vgpr_spills", "threads",
                "occupancy_waves", "ms"]:
        check(all(key in s for s in stats), f"--stats has {key}")
    twice = f"{work}/twice.tlk"
    tlc("build", kernel("vector_add"), "-t", "host", "-t", "host", "--stats", "-o", twice)
    check("a compiled kernel" in tlc("check", twice, code=1).stderr, "an artifact is no graph")
    tlc("run", twice, "-d", "host", "--check")  # -o is written beside --stats; a target named twice counts once
    check([s["target"].split("+")[0] for s in stats] == ["amdgcn:gfx1100", "host:x86-64-v3"] or
          stats[1]["target"].startswith("host:"), "--stats is in the order of the targets")
    tlc("build", kernel("vector_add"), "-t", "amdgcn:gfx942", "--emit", "asm", "-o", f"{work}/v.s")
    check("s_endpgm" in open(f"{work}/v.s").read(), "--emit asm")
    tlc("build", kernel("vector_add"), "-t", "host", "--emit", "llvm", "-o", f"{work}/v.ll")
    check("define" in open(f"{work}/v.ll").read(), "--emit llvm")
    tlc("build", kernel("vector_add"), "-t", "host", "--emit", "object", "-o", f"{work}/v.o")
    check(open(f"{work}/v.o", "rb").read(4) == b"\x7fELF", "--emit object")
    one = open(out, "rb").read()
    tlc("build", kernel("vector_add"), "-t", "host", "-t", "amdgcn:gfx942", "-o", out)
    check(open(out, "rb").read() == one, "builds are reproducible")
    for arguments in [["-t", "amdgcn:gfx1"], ["-t", "host", "--set", "B=3"], ["-t", "host", "--opt", "level=9"],
                      ["-t", "host", "--emit", "soup"], ["-t", "host", "--set", "Q=3"]]:
        tlc("build", kernel("vector_add"), "-o", f"{work}/x", *arguments, code=1)
    for command in [["build", "-t", "host", "-o", f"{work}/x"], ["run", "-d", "interp"], ["print"]]:
        done = tlc(*command, kernel("vector_add"), "--set", "B=3", code=1)
        check(done.stderr.startswith(f"tlc: {kernel('vector_add')}: kernel 'vector_add': parameter B = 3 is not among"),
              f"a parameter's value with file and kernel: {done.stderr}")
    open(f"{work}/bad.tlk", "wb").write(one[:1000])
    tlc("run", f"{work}/bad.tlk", "-d", "host", code=1)


def outputs(work):
    """No file of a build is written over another one."""
    text = f"{work}/f.tile"
    open(text, "w").write(open(kernel("vector_add")).read())
    v3 = "host:x86-64-v3"
    tlc("build", text, "-t", f"{v3}+vaes", "-t", v3, "-t", "amdgcn:gfx942", "--emit", "asm")
    names = {"f.host-x86-64-v3-vaes.s", "f.host-x86-64-v3.s", "f.amdgcn-gfx942.s"}
    check(names < set(os.listdir(work)), f"a file for each of three targets: {os.listdir(work)}")
    tlc("build", text, "-t", f"{v3}+vaes", "-t", "amdgcn:gfx942", "--emit", "llvm")
    check({"f.host-x86-64-v3.ll", "f.amdgcn-gfx942.ll"} < set(os.listdir(work)), "features only where they tell targets apart")
    tlc("build", text, "-t", v3, "--emit", "graph")
    graph = open(f"{work}/f.tlg", "rb").read()
    over = "would be written over a file of the same build"
    check(over in tlc("build", f"{work}/f.tlg", "-t", v3, "--emit", "graph", code=1).stderr, "over what is read")
    check(open(f"{work}/f.tlg", "rb").read() == graph, "what is read is still there")
    check(over in tlc("build", text, f"{work}/f.tlg", "-t", v3, code=1).stderr, "one output of two files")
    check(not os.path.exists(f"{work}/f.tlk"), "a build that is refused writes nothing")
    # Other names of the same files.
    check(over in tlc("build", text, f"{work}/./f.tlg", "-t", v3, code=1).stderr, "one output of two files, by another name")
    os.symlink(work, f"{work}/link")
    check(over in tlc("build", text, f"{work}/link/f.tlg", "-t", v3, code=1).stderr, "one output of two files, through a link")
    source = open(text).read()
    os.link(text, f"{work}/hard.tile")
    here = os.getcwd()
    os.chdir(work)
    os.remove("f.tlk") if os.path.exists("f.tlk") else None
    check(over in tlc("build", "f.tile", "./f.tlg", "-t", v3, code=1).stderr and not os.path.exists("f.tlk"),
          "two names of a file that is not there yet")
    os.mkdir("g.tlk")
    open("g.tile", "w").write(source)
    check("g.tlk: Is a directory" in tlc("build", "f.tile", "g.tile", "-t", v3, code=1).stderr and
          not os.path.exists("f.tlk"), "one output that cannot be written, and none is")
    os.chdir(here)
    for output in (f"{work}/hard.tile", text, f"{work}/./f.tile", f"{work}/link/f.tile"):
        check(over in tlc("build", text, "-t", v3, "-o", output, code=1).stderr, f"-o {output}")
        check(open(text).read() == source, "the source is still there")


def dumps(work):
    """TL_DUMP prints the graph after a pass."""
    command = ["tlc", "build", kernel("vector_add"), "-t", "host", "-o", f"{work}/v.tlk"]
    for setting, parts in [("after:cse", ["# after cse\ntile 0.1"]), ("cse", ["TL_DUMP=cse is unknown"]),
                           ("after:all", ["# after lower_log", "# after lower_order", "# after lower_composite", "# after fold", "# after cse", "# after dce"]),
                           ("after:x", ["passes are lower_log, lower_order, lower_composite, fold, cse, dce"]), ("", [])]:
        done = subprocess.run(command, env={**os.environ, "TL_DUMP": setting}, capture_output=True, text=True, timeout=100)
        check(done.returncode == 0 and all(part in done.stderr for part in parts) and
              done.stderr.count("# after") == sum(part.startswith("#") for part in parts),
              f"TL_DUMP={setting}: {done.stderr}")


def devices(work):
    entries = {d["name"]: d for d in json.loads(tlc("devices", "--json").stdout)}
    check(entries["host"]["usable"] and entries["host"]["target"].startswith("host:x86-64-v"), "host is listed")
    check(entries["interp"]["usable"], "interp is listed")
    hip = [d for name, d in entries.items() if name.startswith("hip")]
    check(hip and all(d["usable"] or len(d["reason"]) > 10 for d in hip), "hip is listed, with a reason if missing")
    check("host" in tlc("devices").stdout, "devices in words")


with tempfile.TemporaryDirectory() as directory:
    for part in [npy_in_and_out, bad_files, words, pointers, graphs, mismatch, text, members, build, outputs, dumps, devices]:
        part(directory)
print(f"{count - len(failures)} passed, {len(failures)} failed, 0 skipped")
sys.exit(1 if failures else 0)
