"""Shared memory that the author asks for: copies into and out of it, sub-tiles, transposition, atomic operations, double
buffering, against NumPy on every device at hand, with the emulator's checks.

test-timeout: 600
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.environ["TL_SOURCE_DIR"], "tests", "harness"))
from devices import CHIPS, devices  # noqa: E402

DEVICES = devices()
failures, count = [], 0
work = tempfile.TemporaryDirectory()
random = np.random.default_rng(11)


def check(condition, what):
    global count
    count += 1
    if not condition:
        failures.append(what)


def tlc(*arguments, text):
    file = f"{work.name}/kernel.tile"
    with open(file, "w") as out:
        out.write("tile 0.1\n" + text)
    return subprocess.run(["tlc", arguments[0], file, *arguments[1:]], capture_output=True, text=True)


def case(name, text, expected, settings=None, **inputs):
    """Runs it everywhere; `expected`: output arrays by name."""
    command = []
    for key, array in inputs.items():
        np.save(f"{work.name}/{key}.npy", array)
        command += ["--in", f"{key}=@{work.name}/{key}.npy"]
    for key in expected:
        command += ["--out", f"{key}=@{work.name}/{key}.out.npy"]
    for key, value in (settings or {}).items():
        command += ["--set", f"{key}={value}"]
    for device in DEVICES:
        emulated = device.startswith("emu")
        done = tlc("run", "-d", device, "--check", "--json", *(["--report"] if emulated else []), *command, text=text)
        check(done.returncode == 0, f"{device}: {name}: {done.stdout[:600]}{done.stderr}")
        if done.returncode:
            continue
        for key, array in expected.items():
            got = np.load(f"{work.name}/{key}.out.npy")
            check(np.array_equal(got, array), f"{device}: {name}: {key}")
        if emulated:
            findings = json.loads(done.stdout)["report"]["findings"]
            check(findings == [], f"{device}: {name}: {findings}")


TRANSPOSE = """kernel @transpose(%x: view<TYPE, [%m, %n]>, %y: view<TYPE, [%n, %m]>, %m: i64, %n: i64)
    grid [ceildiv(%n, WIDTH), ceildiv(%m, HEIGHT)] {
  %i = program_id 1
  %j = program_id 0
  %row = mul %i, HEIGHT
  %column = mul %j, WIDTH
  %s = alloc_shared : tile<HEIGHTxWIDTHxTYPE>
  copy_tile %s[0, 0], %x[%row, %column] : tile<HEIGHTxWIDTHxTYPE>
  %t = load %s[0, 0] axes [1, 0] : tile<WIDTHxHEIGHTxTYPE>
  store %t, %y[%column, %row]
}
"""
for kind, dtype in [("f32", np.float32), ("u8", np.uint8), ("f64", np.float64), ("i16", np.int16)]:
    for height, width, m, n in [(32, 32, 70, 65), (16, 24, 33, 50), (7, 13, 20, 30), (1, 129, 3, 200)]:
        x = random.integers(0, 100, (m, n)).astype(dtype)
        text = TRANSPOSE.replace("TYPE", kind).replace("HEIGHT", str(height)).replace("WIDTH", str(width))
        case(f"transposition of {kind} by {height} x {width}", text, {"y": x.T.copy()}, {"m": m, "n": n}, x=x)

# Two buffers: while one is read, the next part is on its way into the other.
PIPELINE = """kernel @pipeline(%x: view<f32, [%rows, %n]>, %y: view<f32, [%rows]>, %rows: i64, %n: i64) grid [%rows] {
  %row = program_id 0
  %s = alloc_shared : tile<2x1x100xf32>
  async_copy %s[0, 0, 0], %x[%row, 0] : tile<1x100xf32>
  %zero = full 0.0 : tile<100xf32>
  %sum = for %k = 0 to %n step 100 carry %acc = %zero {
    %next = add %k, 100
    %step = floordiv %k, 100
    %here = floormod %step, 2
    %other = sub 1, %here
    async_copy %s[%other, 0, 0], %x[%row, %next] : tile<1x100xf32>
    async_wait count 1
    %part = load %s[%here, 0, 0] : tile<100xf32>
    %more = add %acc, %part
    yield %more
  }
  async_wait
  %total = reduce sum %sum, axis 0
  store %total, %y[%row]
}
"""
for n in [100, 1000, 1042, 37]:
    x = random.integers(-50, 50, (5, n)).astype(np.float32)
    case(f"double buffering over {n}", PIPELINE, {"y": x.sum(axis=1)}, {"rows": 5, "n": n}, x=x)

# Counts in shared memory by atomic operations, and from there in all programs' memory.
COUNT = """kernel @count(%x: view<i32, [%n]>, %c: view<i32, [64]>, %n: i64) grid [ceildiv(%n, 500)] {
  %p = program_id 0
  %start = mul %p, 500
  %s = alloc_shared : tile<64xi32>
  %zero = full 0 : tile<64xi32>
  store %zero, %s[0]
  %v = load %x[%start] pad -1 : tile<500xi32>
  %one = full 1 : tile<500xi32>
  atomic_add %one, %s[%v]
  barrier
  %sums = load %s[0] : tile<64xi32>
  %at = iota axis 0 : tile<64xi32>
  atomic_add %sums, %c[%at]
}
"""
x = random.integers(-3, 70, 2345).astype(np.int32)
case("counts", COUNT, {"c": np.bincount(x[(x >= 0) & (x < 64)], minlength=64).astype(np.int32)}, {"n": len(x)}, x=x,
     c=np.zeros(64, np.int32))

# Memory of the same type twice is two memories; what one round of a loop leaves, the next finds; elements beyond the
# memory read as the padding and are not written; gathers and scatters.
MIXED = """kernel @mixed(%x: view<f16, [90]>, %y: view<f16, [90]>, %z: view<f16, [40]>) grid [1] {
  %a = alloc_shared : tile<90xf16>
  %b = alloc_shared : tile<90xf16>
  %v = load %x[0] : tile<90xf16>
  store %v, %a[0]
  %w = neg %v
  store %w, %b[0]
  for %i = 0 to 3 {
    %r = load %b[0] : tile<90xf16>
    %r2 = add %r, %r
    store %r2, %b[0]
  }
  %place = iota axis 0 : tile<90xi32>
  %back = sub 89, %place
  %g = gather %a[%back]
  %h = load %b[0] : tile<90xf16>
  %k = sub %g, %h
  scatter %k, %a[%back]
  %out = load %a[0] : tile<90xf16>
  store %out, %y[0]
  %tail = load %a[70] pad 5.0 : tile<40xf16>
  store %tail, %a[70]
  store %tail, %z[0]
}
"""
x = random.integers(-9, 9, 90).astype(np.float16)
kept = (x[::-1] + 8 * x)[::-1]
case("two memories", MIXED, {"y": kept, "z": np.append(kept[70:], np.full(20, 5, np.float16))}, x=x)

# What was never written, and what is read before the wait, is in doubt.
for name, body in [("never written", ""), ("not waited for", "  async_copy %s[0], %y[0] : tile<8xf32>\n")]:
    text = (f"kernel @k(%x: view<f32, [8]>, %y: view<f32, [8]>) grid [1] {{\n  %s = alloc_shared : tile<8xf32>\n{body}"
            "  %v = load %s[0] : tile<8xf32>\n  store %v, %x[0]\n}\n")
    done = tlc("run", "-d", "interp", "--check", "--json", text=text)
    check('"undecided":8' in done.stdout.replace(" ", ""), f"interp: {name}: {done.stdout[:400]}{done.stderr}")

# Elements that fill no wave, stored and loaded again; exchanges of elements beside the shared memory; atomic operations of
# several programs, each on memory of its own.
PARTIAL = """kernel @partial(%x: view<u8, [96]>, %y: view<u8, [96]>) threads = 128 grid [1] {
  %v = load %x[0] : tile<96xu8>
  %s = alloc_shared : tile<96xu8>
  store %v, %s[0]
  %w = load %s[0] : tile<96xu8>
  store %w, %y[0]
}
"""
x = random.integers(0, 200, 96).astype(np.uint8)
case("elements that fill no wave", PARTIAL, {"y": x}, x=x)
BESIDE = """kernel @beside(%x: view<f32, [64, 64]>, %y: view<f32, [64, 64]>, %z: view<f32, [64, 64]>, %d: view<f32, [64, 64]>) grid [1] {
  %s = alloc_shared : tile<8192xf32>
  store 1.0, %s[0]
  %v = load %x[0, 0] : tile<64x64xf32>
  %t = permute %v, [1, 0]
  store %t, %y[0, 0]
  %c = scan sum %v, axis 0
  store %c, %z[0, 0]
  %zero = full 0.0 : tile<64x64xf32>
  %p = dot %v, %t, %zero
  store %p, %d[0, 0]
}
"""
x = random.integers(-9, 9, (64, 64)).astype(np.float32)
case("exchanges beside shared memory", BESIDE, {"y": x.T.copy(), "z": np.cumsum(x, axis=0), "d": x @ x.T}, x=x)
OWN = """kernel @own(%y: view<f32, [3, 15]>) grid [3] {
  %p = program_id 0
  %s = alloc_shared : tile<15xf32>
  %f = cast %p : f32
  %v = full %f : tile<15xf32>
  store %v, %s[0]
  %at = iota axis 0 : tile<15xi32>
  %o = atomic_add 1.0, %s[%at]
  %n = load %s[0] : tile<15xf32>
  %r = add %o, %n
  store %r, %y[%p, 0] axes [1]
}
"""
case("atomic operations on memory of a program's own", OWN,
     {"y": np.repeat(np.arange(3, dtype=np.float32)[:, None] * 2 + 1, 15, axis=1)})

# Nearly all of a chip's shared memory is the author's: operations on tiles do with 8 KB.
FULL = """kernel @full(%x: view<f32, [96, 40]>, %t: view<f32, [40, 96]>, %r: view<f32, [40]>, %c: view<f32, [96, 40]>, %y: view<i32, [14336]>)
    grid [1] {
  %s = alloc_shared : tile<14336xi32>
  %places = iota axis 0 : tile<14336xi32>
  store %places, %s[0]
  %v = load %x[0, 0] : tile<96x40xf32>
  %p = permute %v, [1, 0]
  store %p, %t[0, 0]
  %sum = reduce sum %v, axis 0
  store %sum, %r[0]
  %running = scan sum %v, axis 1
  store %running, %c[0, 0]
  %kept = load %s[0] : tile<14336xi32>
  store %kept, %y[0]
}
"""
x = random.integers(-50, 50, (96, 40)).astype(np.float32)
case("56 KB of its own", FULL, {"t": x.T.copy(), "r": x.sum(axis=0), "c": x.cumsum(axis=1),
                                "y": np.arange(14336, dtype=np.int32)}, x=x)

# Many values combined by many waves, whose parts do not fit side by side.
names = [f"{i}" for i in range(9)]


def listed(prefix):
    return ", ".join(f"%{prefix}{name}" for name in names)


MANY = (f"kernel @many({', '.join(f'%v{name}: view<f64, [2048, 4]>' for name in names)}, %o: view<f64, [4]>)\n"
        "    threads = 1024\n    grid [1] {\n"
        + "".join(f"  %x{name} = load %v{name}[0, 0] : tile<2048x4xf64>\n" for name in names)
        + f"  {listed('r')} = reduce_with {listed('x')}, axis 0 combine ({listed('a')}) with ({listed('b')}) {{\n"
        + "".join(f"    %s{name} = add %a{name}, %b{name}\n" for name in names)
        + f"    yield {listed('s')}\n  }}\n  store %r8, %o[0]\n}}\n")
values = {f"v{name}": random.integers(-9, 9, (2048, 4)).astype(np.float64) for name in names}
case("nine sums at a time", MANY, {"o": values["v8"].sum(axis=0)}, **values)

LARGE = """kernel @large(%y: view<f32, [20000]>) grid [1] {
  %s = alloc_shared : tile<20000xf32>
  %v = full 1.0 : tile<20000xf32>
  store %v, %s[0]
}
"""
for chip in CHIPS:
    done = tlc("build", "-t", f"amdgcn:{chip}", "-o", f"{work.name}/large.tlk", text=LARGE)
    fits = chip == "gfx950" # 160 KB
    words = f"the kernel's shared memory has 80000 bytes or more, and a workgroup of {chip} has 65536"
    refused = done.returncode == 1 and words in done.stderr and "kernel.tile:3:" in done.stderr
    check(done.returncode == 0 if fits else refused, f"{chip}: {done.stdout}{done.stderr}")

for failure in failures:
    print("FAIL " + failure)
print(f"{count - len(failures)} passed, {len(failures)} failed, 0 skipped")
sys.exit(1 if failures else 0)
