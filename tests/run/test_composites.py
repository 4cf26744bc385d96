"""Random numbers, packed elements, stochastic rounding, im2col and the fast forms, against NumPy and the formats' definitions, on
every device at hand: Philox from its paper, packed bits by string arithmetic, rounding in exact fractions, im2col by slices.

test-timeout: 900
"""
import math
import os
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy as np

sys.path.insert(0, os.path.join(os.environ["TL_SOURCE_DIR"], "tests", "harness"))
from devices import devices  # noqa: E402

DEVICES = devices()
failures, count = [], 0
work = tempfile.TemporaryDirectory()


def check(condition, what):
    global count
    count += 1
    if not condition:
        failures.append(what)


def run(device, text, outputs, shapes=None, settings=None, perturbation=0, **inputs):
    """The arrays that a kernel leaves in its outputs; None, with a failure, when it does not run or is not what the
    interpreter gives."""
    file = f"{work.name}/kernel.tile"
    with open(file, "w") as out:
        out.write("tile 0.1\n" + text)
    command = ["tlc", "run", file, "-d", device, "--check"]
    for name, array in inputs.items():
        np.save(f"{work.name}/{name}.npy", array)
        command += ["--in", f"{name}=@{work.name}/{name}.npy"]
    for name in outputs:
        command += ["--out", f"{name}=@{work.name}/{name}.out.npy"]
    for name, shape in (shapes or {}).items():
        command += ["--shape", f"{name}={'x'.join(map(str, shape))}"]
    for name, value in (settings or {}).items():
        command += ["--set", f"{name}={value}"]
    environment = {**os.environ, "TL_EMU_PERTURBATION": str(perturbation)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    check(done.returncode == 0, f"{device}: {text.splitlines()[0]}: {done.stdout}{done.stderr}")
    if done.returncode:
        return None
    return [np.load(f"{work.name}/{name}.out.npy") for name in outputs]


def random_bits(seed, offset):
    """The first two words of Philox4x32-10 (Salmon et al., 2011)."""
    word = 0xFFFFFFFF
    counter, key = [offset & word, offset >> 32, 0, 0], [seed & word, seed >> 32]
    for _ in range(10):
        a, b = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [b >> 32 ^ counter[1] ^ key[0], b & word, a >> 32 ^ counter[3] ^ key[1], a & word]
        key = [key[0] + 0x9E3779B9 & word, key[1] + 0xBB67AE85 & word]
    return counter[1] << 32 | counter[0]


# --- random numbers ----------------------------------------------------------------------------------------
SEED, N = 0x123456789ABCDEF1, 3000
RANDOM = """kernel @numbers(%f: view<f32, [%n]>, %d: view<f64, [%n]>, %h: view<f16, [%n]>, %g: view<f32, [%n]>, %w: view<f64, [%n]>,
                %i: view<i8, [%n]>, %j: view<u64, [%n]>, %none: view<i32, [%n]>, %n: i64, %seed: u64)
    grid [ceildiv(%n, 250)] {
  %p = program_id 0
  %start = mul %p, 250
  %k = iota axis 0 : tile<250xi64>
  %at = add %k, %start
  %offset = cast %at : u64
  %a = rand %seed, %offset : f32
  store %a, %f[%start]
  %b = rand %seed, %offset : f64
  store %b, %d[%start]
  %c = rand %seed, %offset : f16
  store %c, %h[%start]
  %e = randn %seed, %offset : f32
  store %e, %g[%start]
  %v = randn %seed, %offset : f64
  store %v, %w[%start]
  %lo = const -100 : i8
  %hi = const 101 : i8
  %q = randint %seed, %offset, %lo, %hi
  store %q, %i[%start]
  %ulo = const 5 : u64
  %uhi = const 18446744073709551615 : u64
  %r = randint %seed, %offset, %ulo, %uhi
  store %r, %j[%start]
  %five = const 5 : i32
  %s = randint %seed, %offset, %five, %five
  store %s, %none[%start]
}
"""
bits = [random_bits(SEED, k) for k in range(N)]
lower = [b >> 16 & 0xFFFFFF for b in bits]
radius = [math.sqrt(-2 * math.log(((b >> 40) + 1) / 2 ** 24)) for b in bits]
normal = np.array([r * math.cos(2 * math.pi * v / 2 ** 24) for r, v in zip(radius, lower)])
wide = np.array([math.sqrt(-2 * math.log(((b >> 32) + 1) / 2 ** 32)) * math.cos(2 * math.pi * (b & 0xFFFFFFFF) / 2 ** 32)
                 for b in bits])
for device in DEVICES:
    arrays = run(device, RANDOM, ["f", "d", "h", "g", "w", "i", "j", "none"], {}, {"n": N, "seed": SEED})
    if not arrays:
        continue
    f, d, h, g, w, i, j, none = arrays
    check(np.array_equal(f, np.array([(b >> 40) / 2 ** 24 for b in bits], np.float32)), f"{device}: rand of f32")
    check(np.array_equal(d, np.array([(b >> 11) / 2 ** 53 for b in bits])), f"{device}: rand of f64")
    check(np.array_equal(h, np.array([(b >> 53) / 2 ** 11 for b in bits], np.float16)), f"{device}: rand of f16")
    check(i.tolist() == [-100 + (b * 201 >> 64) for b in bits], f"{device}: randint of i8")
    check([int(x) for x in j] == [5 + (b * (2 ** 64 - 6) >> 64) for b in bits], f"{device}: randint of u64")
    check(np.all(none == 5), f"{device}: randint of no number")
    # An angle of up to 2 pi has an error of 2^-22 in f32, which the radius multiplies.
    check(np.all(np.abs(g - normal) < 4e-6 * (1 + np.array(radius))), f"{device}: randn of f32")
    check(np.all(np.abs(w - wide) < 1e-14), f"{device}: randn of f64")
    check(abs(g.mean()) < 0.06 and abs(g.std() - 1) < 0.05 and abs(f.mean() - 0.5) < 0.02, f"{device}: moments")

# --- packed elements ---------------------------------------------------------------------------------------
FORMATS = {  # bits, bits of the fraction, bias, for floats
    "f4e2m1fn": (4, 1, 1), "f6e2m3fn": (6, 3, 1), "f6e3m2fn": (6, 2, 3), "i4": (4, None, None), "u4": (4, None, None)}


def number(kind, code):
    width, fraction, bias = FORMATS[kind]
    if kind in ("i4", "u4"):
        return code - 16 if kind == "i4" and code >= 8 else code
    sign, rest = code >> width - 1, code & (1 << width - 1) - 1
    exponent, part = rest >> fraction, rest & (1 << fraction) - 1
    size = part / 2 ** fraction * 2.0 ** (1 - bias) if exponent == 0 else (1 + part / 2 ** fraction) * 2.0 ** (exponent - bias)
    return -size if sign else size


def codes_in(kind, data):
    """Codes along the last axis: the first in the lowest bits."""
    width = FORMATS[kind][0]
    rows = data.reshape(-1, data.shape[-1])
    result = []
    for row in rows:
        whole = int.from_bytes(row.tobytes(), "little")
        result.append([whole >> k * width & (1 << width) - 1 for k in range(len(row) * 8 // width)])
    return np.array(result)


PACKED = """kernel @packed(%a: view<u8, [ROWS, BYTES]>, %f: view<f32, [ROWS, COUNT]>, %b: view<u8, [ROWS, BYTES]>,
               %c: view<u8, [ROWS, BYTES]>) grid [1] {
  %x = load %a[0, 0] : tile<ROWSxBYTESxu8>
  %e = unpack %x : KIND
  %y = cast %e : f32
  store %y, %f[0, 0]
  %z = pack %e
  store %z, %b[0, 0]
  %back = cast %y : KIND
  %again = pack %back
  store %again, %c[0, 0]
}
"""
random = np.random.default_rng(5)
for kind in FORMATS:
    for rows, width in [(1, 3), (7, 9), (33, 30), (2, 192)]:
        data = random.integers(0, 256, (rows, width), dtype=np.uint8)
        codes = codes_in(kind, data)
        expected = np.array([[number(kind, c) for c in row] for row in codes], np.float32)
        text = (PACKED.replace("ROWS", str(rows)).replace("BYTES", str(width)).replace("COUNT", str(codes.shape[1]))
                .replace("KIND", kind))
        for device in DEVICES:
            arrays = run(device, text, ["f", "b", "c"], a=data)
            if arrays:
                check(np.array_equal(arrays[0], expected), f"{device}: numbers of {kind} {rows} x {width}")
                check(np.array_equal(arrays[1], data), f"{device}: packing {kind} {rows} x {width}")
                check(np.array_equal(arrays[2], data), f"{device}: numbers of {kind} to {kind} {rows} x {width}")

# --- stochastic rounding -----------------------------------------------------------------------------------
STOCHASTIC = """kernel @stochastic(%x: view<f32, [%n]>, %r: view<u32, [%n]>, %y: view<f32, [%n]>, %n: i64)
    grid [ceildiv(%n, 256)] {
  %p = program_id 0
  %start = mul %p, 256
  %a = load %x[%start] : tile<256xf32>
  %b = load %r[%start] : tile<256xu32>
  %c = cast_stochastic %a, %bSATURATE : KIND
  %d = cast %c : f32
  store %d, %y[%start]
}
"""
# precision, smallest exponent, largest number, what is beyond it
NARROW = {"f16": (11, -14, 65504.0, math.inf), "bf16": (8, -126, (2 - 2 ** -7) * 2.0 ** 127, math.inf),
          "f8e4m3fn": (4, -6, 448.0, math.nan), "f8e5m2": (3, -14, 57344.0, math.inf), "f8e4m3fnuz": (4, -7, 240.0, math.nan),
          "f8e5m2fnuz": (3, -15, 57344.0, math.nan), "f6e2m3fn": (4, 0, 7.5, 7.5), "f6e3m2fn": (3, -2, 28.0, 28.0),
          "f4e2m1fn": (2, 0, 6.0, 6.0)}


def stochastic(kind, x, random_word, saturate):
    precision, least, largest, beyond = NARROW[kind]
    if math.isnan(x):
        return largest if kind[1] in "46" else math.nan
    size = abs(x)
    if math.isinf(x):
        result = largest if saturate else beyond
    elif x == 0:
        result = 0.0
    else:
        step = Fraction(2) ** (max(math.frexp(size)[1] - 1, least) - precision + 1)
        low = Fraction(size) // step
        rest = Fraction(size) / step - low
        low += random_word + rest * 2 ** 32 >= 2 ** 32
        result = float(low * step) if low * step <= Fraction(largest) else largest if saturate else beyond
    return math.copysign(result, x)


for kind, (precision, least, largest, _) in NARROW.items():
    edge = min(largest, 1e38)
    x = np.concatenate([random.standard_normal(700) * 2.0 ** random.integers(-20, 12, 700), random.standard_normal(300) * edge,
                        random.standard_normal(300) * 2.0 ** least * random.uniform(0, 1, 300),
                        [0.0, -0.0, 1.0, -1.5, largest, -largest, edge * 1.01, math.inf, -math.inf, math.nan, 1e-40, 2.0 ** -149]])
    with np.errstate(over="ignore"):
        x = x.astype(np.float32)
    words = random.integers(0, 2 ** 32, len(x), dtype=np.uint32)
    words[::7], words[3::7] = 0, 2 ** 32 - 1
    for saturate in [False, True]:
        wanted = np.array([stochastic(kind, float(a), int(b), saturate) for a, b in zip(x, words)])
        text = STOCHASTIC.replace("SATURATE", " saturate" if saturate else "").replace("KIND", kind)
        for device in DEVICES:
            arrays = run(device, text, ["y"], {}, {"n": len(x)}, x=x, r=words)
            if arrays:
                wrong = ~((arrays[0] == wanted) | (np.isnan(arrays[0]) & np.isnan(wanted)))
                check(not wrong.any(), f"{device}: stochastic {kind} saturate={saturate}: {wrong.sum()} wrong, as "
                                       f"{[(x[k], words[k], arrays[0][k], wanted[k]) for k in np.nonzero(wrong)[0][:3]]}")
# The mean over many random words is the number.
x = np.full(4096, 1.0 + 3 / 32, np.float32)
arrays = run("host", STOCHASTIC.replace("SATURATE", "").replace("KIND", "f8e5m2"), ["y"], {}, {"n": 4096}, x=x,
             r=random.integers(0, 2 ** 32, 4096, dtype=np.uint32))
check(arrays and abs(arrays[0].mean() - x[0]) < 0.01, "the mean of stochastic rounding")

# --- the scale f8e8m0fnu -----------------------------------------------------------------------------------
SCALES = """kernel @scales(%a: view<f8e8m0fnu, [256]>, %f: view<f32, [256]>, %x: view<f32, [256]>, %b: view<f8e8m0fnu, [256]>,
               %t: view<f8e8m0fnu, [300]>) grid [1] {
  %v = load %a[0] : tile<256xf8e8m0fnu>
  %g = cast %v : f32
  store %g, %f[0]
  %y = load %x[0] : tile<256xf32>
  %s = cast %y : f8e8m0fnu
  store %s, %b[0]
  %tail = load %a[200] : tile<300xf8e8m0fnu>
  store %tail, %t[0]
}
"""
every = np.arange(256, dtype=np.uint8)
numbers = np.array([2.0 ** (c - 127) for c in range(255)] + [math.nan], np.float32)
for device in DEVICES:
    arrays = run(device, SCALES, ["f", "b", "t"], a=every, x=numbers)
    if arrays:
        check(np.array_equal(arrays[0], numbers, equal_nan=True), f"{device}: numbers of f8e8m0fnu")
        check(np.array_equal(arrays[1].view(np.uint8), every), f"{device}: numbers to f8e8m0fnu")
        check(np.array_equal(arrays[2].view(np.uint8), np.append(every[200:], np.zeros(244, np.uint8))),
              f"{device}: what is padded of f8e8m0fnu is its code 0")

# --- im2col ------------------------------------------------------------------------------------------------
IM2COL = """kernel @columns(%x: view<TYPE, [?, ?, ?, ?]>, %y: view<TYPE, [%m, %k]>, %m: i64, %k: i64) grid [ceildiv(%m, 32), ceildiv(%k, 48)] {
  %i = program_id 0
  %j = program_id 1
  %row = mul %i, 32
  %column = mul %j, 48
  %t = im2col %x, %row, %column kernel [KH, KW] strides [SH, SW] padding [PH, PW] dilation [DH, DW]PAD : tile<32x48xTYPE>
  store %t, %y[%row, %column]
}
"""


def columns(x, kernel, strides, padding, dilation, pad):
    n, h, w, c = x.shape
    wide = np.full((n, h + 2 * padding[0], w + 2 * padding[1], c), pad, x.dtype)
    wide[:, padding[0]:padding[0] + h, padding[1]:padding[1] + w] = x
    size = [max((wide.shape[1 + i] - dilation[i] * (kernel[i] - 1) - 1) // strides[i] + 1, 0) for i in (0, 1)]
    parts = []
    for kh in range(kernel[0]):
        for kw in range(kernel[1]):
            top, left = kh * dilation[0], kw * dilation[1]
            parts.append(wide[:, top:top + size[0] * strides[0]:strides[0], left:left + size[1] * strides[1]:strides[1]]
                         .reshape(n * size[0] * size[1], c))
    return np.concatenate(parts, axis=1)


for shape, kernel, strides, padding, dilation, pad, kind in [
        ((2, 7, 9, 3), (3, 3), (1, 1), (1, 1), (1, 1), 0, "f32"), ((1, 5, 5, 1), (5, 5), (1, 1), (0, 0), (1, 1), 0, "f32"),
        ((3, 8, 6, 5), (3, 2), (2, 3), (2, 0), (1, 2), -1.5, "f16"), ((2, 13, 4, 7), (1, 1), (3, 1), (0, 0), (1, 1), 7, "i32"),
        ((1, 4, 4, 2), (3, 3), (1, 1), (0, 0), (2, 2), 0, "f32"), ((1, 9, 9, 1), (2, 3), (1, 2), (4, 5), (3, 2), 1, "u8")]:
    type_of = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "u8": np.uint8}[kind]
    x = random.integers(0, 100, shape).astype(type_of)
    wanted = columns(x, kernel, strides, padding, dilation, pad)
    rows = wanted.shape[0] + 3 # rows beyond the matrix are padding, too
    full = np.full((rows, wanted.shape[1] + 2), pad, type_of)
    full[:wanted.shape[0], :wanted.shape[1]] = wanted
    text = IM2COL.replace("TYPE", kind).replace("PAD", f" pad {pad}" if pad else "")
    for name, value in zip(["KH", "KW", "SH", "SW", "PH", "PW", "DH", "DW"], [*kernel, *strides, *padding, *dilation]):
        text = text.replace(name, str(value))
    for device in DEVICES:
        arrays = run(device, text, ["y"], {}, {"m": full.shape[0], "k": full.shape[1]}, x=x)
        if arrays:
            check(np.array_equal(arrays[0], full), f"{device}: im2col of {shape}, {kernel}, {strides}, {padding}, {dilation}")

# --- fast forms --------------------------------------------------------------------------------------------
FAST = """kernel @fast(%x: view<TYPE, [%n]>, %y: view<TYPE, [%n]>, %z: view<TYPE, [%n]>, %n: i64) grid [ceildiv(%n, 512)] {
  %p = program_id 0
  %start = mul %p, 512
  %a = load %x[%start] pad 1.0 : tile<512xTYPE>
  %b = load %y[%start] pad 1.0 : tile<512xTYPE>
  %r = OP
  store %r, %z[%start]
}
"""
FORMS = {"exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sqrt": np.sqrt, "rsqrt": lambda v: 1 / np.sqrt(v),
         "rcp": lambda v: 1 / v, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
         "div": None}
for name, function in FORMS.items():
    for kind, tolerance in [("f32", 3e-5), ("f16", 2e-3)]:
        dtype = np.float32 if kind == "f32" else np.float16
        x = random.uniform(-9, 9, 1500).astype(dtype)
        if name in ("log", "log2", "sqrt", "rsqrt"):
            x = np.abs(x) + dtype(0.01)
        y = (np.sign(random.uniform(-1, 1, 1500)) * random.uniform(0.1, 9, 1500)).astype(dtype)
        with np.errstate(all="ignore"):
            wanted = x.astype(np.float64) / y if name == "div" else function(x.astype(np.float64))
        text = FAST.replace("TYPE", kind).replace("OP", "div %a, %b fast" if name == "div" else f"{name} %a fast")
        for device in DEVICES:
            # The chips' approximations may be wrong by one ulp.
            arrays = run(device, text, ["z"], {}, {"n": 1500}, perturbation=1, x=x, y=y)
            if arrays:
                scale = 1 if name in ("sin", "cos", "tanh") else np.maximum(np.abs(wanted), 1e-2) # those have absolute bounds
                error = np.abs(arrays[0].astype(np.float64) - wanted) / scale
                check(error.max() < tolerance, f"{device}: {name} fast of {kind}: relative error {error.max()}")

for failure in failures:
    print("FAIL " + failure)
print(f"{count - len(failures)} passed, {len(failures)} failed, 0 skipped")
sys.exit(1 if failures else 0)
