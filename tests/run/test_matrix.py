"""Dots by matrix instructions: every pair of types that has one, sides that fill no block, K that fills no step, transposed
factors, one dot after another, on emulated chips or the device that $TL_RUN_DEVICE names. Small integers, which are exact in every type, give NumPy's products to the
bit; random numbers lie within the interpreter's bounds.

test-timeout: 900
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.environ["TL_SOURCE_DIR"], "tests", "harness"))
from devices import devices  # noqa: E402

failures, count = [], 0
work = tempfile.TemporaryDirectory()
random = np.random.default_rng(3)
FNUZ, OCP = ["f8e4m3fnuz", "f8e5m2fnuz"], ["f8e4m3fn", "f8e5m2"]
BYTES = ["i8", "u8"]
COMMON = [("f16", "f16"), ("bf16", "bf16"), ("i8", "i8")]
PAIRS = {"emu:gfx942": COMMON + [(a, b) for a in FNUZ for b in FNUZ],
         "emu:gfx950": COMMON + [(a, b) for a in OCP for b in OCP],
         "emu:gfx1100": COMMON + [(a, b) for a in BYTES for b in BYTES],
         "emu:gfx1201": COMMON + [(a, b) for a in BYTES for b in BYTES] + [(a, b) for a in OCP for b in OCP],
         "cuda:0": COMMON + [(a, b) for a in BYTES for b in BYTES]}
HERE = [device for device in PAIRS if device in devices()]
SIDES = [(16, 16, 16), (48, 64, 40), (128, 32, 64), (9, 100, 33), (33, 17, 130), (64, 256, 8)]
KERNEL = """kernel @product(%a: view<TA, [SHAPEA]>, %b: view<TB, [SHAPEB]>, %c: view<TC, [%m, %n]>, %m: i64, %n: i64, %k: i64)
    grid [ceildiv(%n, BN), ceildiv(%m, BM)] {
  %j = program_id 0
  %i = program_id 1
  %row = mul %i, BM
  %column = mul %j, BN
  %zero = full ZERO : tile<BMxBNxTC>
  %sum = for %s = 0 to %k step BK carry %acc = %zero {
    %x = load %a[PLACEA]AXESA : tile<BMxBKxTA>
    %y = load %b[PLACEB]AXESB : tile<BKxBNxTB>
    %next = dot %x, %y, %acc
    yield %next
  }
  store %sum, %c[%row, %column]
}
"""


def check(condition, what):
    global count
    count += 1
    if not condition:
        failures.append(what)


def tlc(*arguments):
    return subprocess.run(["tlc", *arguments], capture_output=True, text=True)


def bits_of(kind, array):
    """Small integers as elements of the type."""
    if kind in BYTES:
        return array.astype(np.int8 if kind == "i8" else np.uint8)
    if kind == "f16":
        return array.astype(np.float16)
    if kind == "bf16":
        return (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    fraction = 3 if "e4m3" in kind else 2
    bias = (7 if fraction == 3 else 15) + kind.endswith("fnuz")
    table = {0: 0}
    for n in [1, 2, 3, 4]:
        exponent = n.bit_length() - 1
        table[n] = (exponent + bias) << fraction | (n << fraction >> exponent) - (1 << fraction)
    return np.vectorize(lambda v: table[abs(v)] | (0x80 if v < 0 else 0))(array).astype(np.uint8)


def run(device, file, *arguments):
    """What a kernel said; the checks of an emulated chip find nothing in it."""
    emulated = device.startswith("emu:")
    done = tlc("run", file, "-d", device, "--check", "--json", *(["--report"] if emulated else []), *arguments)
    check(done.returncode == 0, f"{device}: {arguments}: {done.stdout[:500]}{done.stderr}")
    if emulated and done.returncode == 0:
        check(json.loads(done.stdout)["report"]["findings"] == [], f"{device}: {arguments}: findings")
    return done.returncode == 0


def case(device, a, b, sides, transposed, exact):
    bm, bn, bk = sides
    m, n, k = bm + 5, bn * 2 - 3, bk * 2 + 7
    result = "i32" if a in BYTES else "f32"
    text = KERNEL
    for word, value in [("SHAPEA", "%k, %m" if transposed else "%m, %k"), ("SHAPEB", "%n, %k" if transposed else "%k, %n"),
                        ("PLACEA", "%s, %row" if transposed else "%row, %s"),
                        ("PLACEB", "%column, %s" if transposed else "%s, %column"),
                        ("AXESA", " axes [1, 0]" if transposed else ""), ("AXESB", " axes [1, 0]" if transposed else ""),
                        ("ZERO", "0" if result == "i32" else "0.0"), ("BM", str(bm)), ("BN", str(bn)), ("BK", str(bk)),
                        ("TA", a), ("TB", b), ("TC", result)]:
        text = text.replace(word, value)
    file = f"{work.name}/product.tile"
    with open(file, "w") as out:
        out.write("tile 0.1\n" + text)
    name = f"{device}: {a} x {b}, {bm}x{bn}x{bk}{' transposed' if transposed else ''}"
    settings = [part for key, value in [("m", m), ("n", n), ("k", k)] for part in ("--set", f"{key}={value}")]
    inputs = ["--in", "a=randn", "--in", "b=randn"]
    if exact:
        low = 0 if "u8" in (a, b) else -4
        x, y = random.integers(low, 5, (m, k)), random.integers(low, 5, (k, n))
        np.save(f"{work.name}/a.npy", bits_of(a, x.T.copy() if transposed else x))
        np.save(f"{work.name}/b.npy", bits_of(b, y.T.copy() if transposed else y))
        inputs = ["--in", f"a=@{work.name}/a.npy", "--in", f"b=@{work.name}/b.npy"]
    if run(device, file, *settings, *inputs, "--out", f"c=@{work.name}/c.npy"):
        check(not exact or np.array_equal(np.load(f"{work.name}/c.npy"), x @ y), f"{name}: not NumPy's product")
    target = "nvptx:sm_80" if device.startswith("cuda") else f"amdgcn:{device[4:]}"
    listing = tlc("build", file, "-t", target, "--emit", "asm", "-o", "-").stdout
    words = ["mma.sync"] if target.startswith("nvptx") else ["v_mfma_", "v_wmma_"]
    check(any(word in listing for word in words), f"{name}: no matrix instruction")


for device in HERE:
    for a, b in PAIRS[device]:
        for sides in SIDES if (a, b) in COMMON else SIDES[1:4:2]:
            case(device, a, b, sides, False, True)
        case(device, a, b, SIDES[3], True, True)
        if a not in BYTES:
            case(device, a, b, SIDES[1], False, False)

# One step of K, stored where only some lanes write: the instruction is not moved to where the others do not run.
PARTIAL = """kernel @partial(%a: view<i8, [65, 16]>, %b: view<i8, [16, 8]>, %c: view<i32, [61, 7]>) grid [1] {
  %x = load %a[0, 0] : tile<65x16xi8>
  %y = load %b[0, 0] : tile<16x8xi8>
  %z = full 7 : tile<65x8xi32>
  %p = dot %x, %y, %z
  store %p, %c[-2, -1]
}
"""
x, y = random.integers(-9, 9, (65, 16)).astype(np.int8), random.integers(-9, 9, (16, 8)).astype(np.int8)
np.save(f"{work.name}/a.npy", x)
np.save(f"{work.name}/b.npy", y)
with open(f"{work.name}/partial.tile", "w") as out:
    out.write("tile 0.1\n" + PARTIAL)
for device in HERE:
    if run(device, f"{work.name}/partial.tile", "--in", f"a=@{work.name}/a.npy", "--in", f"b=@{work.name}/b.npy", "--out",
           f"c=@{work.name}/c.npy"):
        wanted = (x.astype(np.int32) @ y + 7)[2:63, 1:8]
        check(np.array_equal(np.load(f"{work.name}/c.npy"), wanted), f"{device}: partial")

# Subnormal halves are numbers: a chip that counted them as 0 would give 0.
CHAIN = """kernel @chain(%a: view<f16, [32, 32]>, %b: view<f16, [32, 48]>, %d: view<f16, [48, 16]>, %c: view<f32, [32, 16]>) grid [1] {
  %x = load %a[0, 0] : tile<32x32xf16>
  %y = load %b[0, 0] : tile<32x48xf16>
  %z = full 0.0 : tile<32x48xf32>
  %p = dot %x, %y, %z
  %q = cast %p : f16
  %v = load %d[0, 0] : tile<48x16xf16>
  %w = full 1.0 : tile<32x16xf32>
  %r = dot %q, %v, %w
  store %r, %c[0, 0]
}
"""
x, y, v = (random.integers(-3, 4, shape) for shape in [(32, 32), (32, 48), (48, 16)])
tiny = 2.0 ** -20
np.save(f"{work.name}/a.npy", (x * tiny).astype(np.float16))
np.save(f"{work.name}/b.npy", y.astype(np.float16))
np.save(f"{work.name}/d.npy", v.astype(np.float16))
with open(f"{work.name}/chain.tile", "w") as out:
    out.write("tile 0.1\n" + CHAIN)
for device in [*(["emu:gfx90a"] if "emu:gfx942" in HERE else []), *HERE]:
    if run(device, f"{work.name}/chain.tile", *(part for key in "abd" for part in ("--in", f"{key}=@{work.name}/{key}.npy")),
           "--out", f"c=@{work.name}/c.npy"):
        wanted = ((x @ y) @ v * tiny + 1).astype(np.float32)
        check(np.array_equal(np.load(f"{work.name}/c.npy"), wanted), f"{device}: products of subnormal halves")

# Few terms that nearly cancel, subnormal halves among them: CDNA's matrix units cut their last bits off.
TAILS = """kernel @tails(%a: view<f16, [64, 48]>, %b: view<f16, [48, 32]>, %c: view<f32, [64, 32]>) grid [1] {
  %x = load %a[0, 0] : tile<64x48xf16>
  %y = load %b[0, 0] : tile<48x32xf16>
  %z = full 0.0 : tile<64x32xf32>
  %p = dot %x, %y, %z
  store %p, %c[0, 0]
}
"""
with open(f"{work.name}/tails.tile", "w") as out:
    out.write("tile 0.1\n" + TAILS)
for turn in range(4):
    x = random.standard_normal((64, 48)) * 2.0 ** -random.integers(10, 25, (64, 48)) * (random.random((64, 48)) < 0.1)
    np.save(f"{work.name}/a.npy", x.astype(np.float16))
    np.save(f"{work.name}/b.npy", random.standard_normal((48, 32)).astype(np.float16))
    for device in ["host", *HERE]:
        run(device, f"{work.name}/tails.tile", "--in", f"a=@{work.name}/a.npy", "--in", f"b=@{work.name}/b.npy")

for failure in failures:
    print("FAIL " + failure)
print(f"{count - len(failures)} passed, {len(failures)} failed, 0 skipped")
sys.exit(1 if failures else 0)
