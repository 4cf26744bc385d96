"""What users of other tile languages ran into on AMD GPUs, as kernels (tests/run/troubles): results against values that NumPy
computes here, on the host, the interpreter and emulated chips. test-timeout: 900
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.environ["TL_SOURCE_DIR"], "tests", "harness"))
from devices import devices  # noqa: E402

KERNELS = pathlib.Path(os.environ["TL_SOURCE_DIR"]) / "tests" / "run" / "troubles"
random = np.random.default_rng(5)


def small(*shape, low=-4, high=5, dtype=np.float32):
    """Integers that every type involved holds exactly, and their sums too."""
    return random.integers(low, high, shape).astype(dtype)


def bf16(x):
    """As its bits; only for numbers that it holds exactly."""
    return (np.asarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


# Formats of 8 bits: fraction bits, bias, whether 0x80 is the only NaN, whether there are infinities.
FORMATS = {"f8e4m3fn": (3, 7, False, False), "f8e5m2": (2, 15, False, True), "f8e4m3fnuz": (3, 8, True, False),
           "f8e5m2fnuz": (2, 16, True, False)}


def f8_numbers(kind):
    """What each of the 256 bit patterns stands for."""
    fraction, bias, one_nan, infinite = FORMATS[kind]
    numbers = []
    for bits in range(256):
        exponent, rest = (bits & 127) >> fraction, bits & ((1 << fraction) - 1)
        value = (rest + ((1 << fraction) if exponent else 0)) * 2.0 ** (max(exponent, 1) - bias - fraction)
        if one_nan:
            value = np.nan if bits == 128 else value
        elif infinite and exponent == 31:
            value = np.nan if rest else np.inf
        elif not infinite and bits & 127 == 127:
            value = np.nan
        numbers.append(-value if bits & 128 else value)
    return np.array(numbers)


def to_f8(kind, x, saturate=False, towards_zero=False):
    """The number that x becomes."""
    positive = np.array([v for v in f8_numbers(kind)[:128] if np.isfinite(v)])
    beyond = positive[-1] + (positive[-1] - positive[-2])  # where overflow begins, were there a next number
    grid = np.append(positive, beyond)
    result = []
    for v in np.asarray(x, np.float64):
        a = abs(v)
        if np.isnan(v):
            result.append(np.nan)
            continue
        low = np.searchsorted(grid, a, side="right") - 1
        chosen = low
        if low < len(grid) - 1 and grid[low] != a and not towards_zero:
            below, above = a - grid[low], grid[low + 1] - a
            chosen = low + int(above < below or (above == below and low % 2 == 1))
        if chosen >= len(positive):
            inwards = saturate or (towards_zero and np.isfinite(v))
            size = positive[-1] if inwards else np.inf if FORMATS[kind][3] else np.nan
        else:
            size = grid[chosen]
        result.append(np.copysign(size, v))
    return np.array(result)


def product(shape, transposed=(False, False), dtype=np.float16, high=5, kind=None):
    m, n, k = shape
    a, b = small(m, k, low=-4, high=high), small(k, n, low=-4, high=high)
    store_a, store_b = (a.T if transposed[0] else a), (b.T if transposed[1] else b)
    if kind:
        numbers = f8_numbers(kind)
        bits = {v: i for i, v in reversed(list(enumerate(numbers[:256]))) if np.isfinite(v)}
        store_a, store_b = (np.vectorize(lambda v: bits[v])(x).astype(np.uint8) for x in (store_a, store_b))
    else:
        store_a, store_b = store_a.astype(dtype), store_b.astype(dtype)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    return ({}, {"a": np.ascontiguousarray(store_a), "b": np.ascontiguousarray(store_b)},
            {"c": exact.astype(np.int32 if dtype == np.int8 else np.float32)}, {})


def logit_rows(rows, columns):
    x = small(rows * 3 - 1, columns)
    return ({"R": rows, "C": columns}, {"x": x, "h": x.astype(np.float16), "b": bf16(x)},
            {"largest": x.max(1), "sum": x.sum(1), "hsum": x.sum(1).astype(np.float16), "bsum": bf16(x.sum(1))}, {})


def masked_choice():
    n, m = 61, 40
    condition, index, a = small(n, low=0, high=2, dtype=np.int32), small(n, low=0, high=m, dtype=np.int32), small(m)
    index[condition == 0] = 1 << 30
    return {}, {"cond": condition, "index": index, "a": a}, {"c": np.where(condition, a[np.minimum(index, m - 1)], 0)}, {}


def row_sums(rows):
    x = small(11, 96)
    return {"R": rows}, {"x": x}, {"y": x.sum(1), "kept": x.sum(1, keepdims=True)}, {}


def middle_sum():
    x = 2.0 ** small(32, 4, 4, low=0, high=3)
    x[:, 3] = 16 - x[:, :3].sum(1)  # a sum of 16: the quotient is exact
    return {}, {"x": x.astype(np.float32)}, {"y": (x / 16).astype(np.float32)}, {}


def magnitudes():
    x, i = np.abs(small(19, 40)) + 1, small(19, 40, low=-1000, high=1000, dtype=np.int32)
    return ({}, {"x": x, "i": i}, {"xmax": np.abs(x).max(1), "xsum": np.abs(x).sum(1), "imax": np.abs(i).max(1),
                                  "isum": np.abs(i).sum(1).astype(np.int32)}, {})


def cumulative():
    x, u = small(32, 64), small(64, 32)
    return {}, {"x": x, "u": u}, {"y": x.cumsum(0, dtype=np.float32), "v": u.cumsum(0, dtype=np.float32)}, {}


def even_columns():
    x = small(16, 66)
    return {}, {"x": x}, {"y": x[:, ::2], "z": x[:, ::-1][:, ::2]}, {}


def atomic_previous():
    x, mem, two = small(4), small(4), small(2)
    return {}, {"x": x, "mem": mem, "two": two}, {"out4": mem, "out2": two, "mem": mem + x, "two": two + x[2:]}, {}


def atomic_halves():
    x, h, b = small(8), small(16), small(16)
    sum_h, sum_b = h.copy(), b.copy()
    for at in (0, 4, 9):
        sum_h[at:at + 4] += 4 * x[:4]
    for at in (0, 9):
        sum_b[at:at + 4] += 4 * x[:4]
    return ({}, {"x": x, "h": h.astype(np.float16), "b": bf16(b)}, {"h": sum_h.astype(np.float16), "b": bf16(sum_b)}, {})


def atomic_nothing():
    arrays = {name: random.integers(np.iinfo(t).min, np.iinfo(t).max, 12).astype(t)
              for name, t in (("a", np.uint8), ("b", np.int8), ("c", np.uint16), ("d", np.int16))}
    read = {"added": "a", "most": "a", "joined": "b", "least": "d", "masked": "c", "turned": "c"}
    return {}, arrays, arrays | {name: arrays[of] for name, of in read.items()}, {}


def atomic_counters():
    x = small(203, low=-1, high=5, dtype=np.int32)
    count = np.array([(x == i).sum() for i in range(4)])
    zeros = {name: np.zeros(4, t) for name, t in (("h", np.int16), ("w", np.int32), ("d", np.int64))}
    return ({}, {"x": x, **zeros}, {"h": count.astype(np.int16), "w": count.astype(np.int32),
                                   "d": count.astype(np.int64) << 40}, {})


def atomic_copies():
    x, h, d = small(203), small(203, dtype=np.int16), random.integers(-1 << 60, 1 << 60, 203)
    empty = {"y": np.full(203, -9, np.float32), "g": np.full(203, -9, np.int16), "e": np.full(203, -9)}
    even = np.arange(203) % 48 % 2 == 0
    return {}, {"x": x, "h": h, "d": d, **empty}, {"y": x, "g": np.where(even, h, 0), "e": np.where(even, d, -9)}, {}


def handed_on(programs):
    rows = [np.zeros(80, np.float32)]
    for _ in range(programs):
        rows.append(rows[-1][::-1] + 1)
    return ({"n": programs}, {"rows": np.zeros((programs, 80), np.float32)},
            {"rows": np.stack(rows[1:]), "flags": np.ones(programs, np.int32)}, {})


def signalling_maximum():
    f, h = np.zeros(13, np.uint32), np.zeros(13, np.uint16)
    d = np.zeros(13, np.uint64)
    f[::2], h[::2], d[::2] = 0x7f800001, 0x7c01, 0x7ff0000000000001
    f[3], h[3], d[3] = 0xbf800000, 0xbc00, 0xbff0000000000000
    i = np.arange(13, dtype=np.int16) - 5
    want = {}
    for name, x in (("f", f.view(np.float32)), ("h", h.view(np.float16)), ("d", d.view(np.float64))):
        nan = np.isnan(x)
        want[f"{name}1"] = np.where(nan, np.nan, np.maximum(np.where(nan, 0, x), i)).astype(x.dtype)
        want[f"{name}2"] = np.where(nan, np.nan, np.minimum(np.where(nan, 0, x), 2)).astype(x.dtype)
    return ({}, {"f": f.view(np.float32), "h": h.view(np.float16), "d": d.view(np.float64), "i": i}, want, {})


def wide_sums():
    x = random.integers(-1 << 50, 1 << 50, (7, 20))
    x[:, 0] = 1 << 40
    return {}, {"x": x}, {"y": x.sum(1), "t": x.max(1)}, {}


def casts():
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 448, 449, 463, 464, 465, 480, -1e9, 240, 247.9, 248, 256, 57344, 61439,
                  61440, 65536, 1e-9, 2.0 ** -10, -2.0 ** -11, 3 * 2.0 ** -11, 1.0625, 1.1875, 17, 19, 0.1, -0.3, 3e38, 1e-40],
                 np.float32)
    x = np.concatenate([x, random.standard_normal(160).astype(np.float32) * 50])
    h = x.view(np.uint32) >> 16
    h[np.isnan(x)] = 0x7fc0
    w = (h << 16).astype(np.uint32).view(np.float32)
    return ({}, {"x": x, "h": h.astype(np.uint16)},
            {"a": to_f8("f8e4m3fn", x), "b": to_f8("f8e4m3fn", x, saturate=True), "c": to_f8("f8e5m2", x),
             "d": to_f8("f8e4m3fnuz", x, saturate=True), "e": to_f8("f8e5m2fnuz", w, towards_zero=True)}, {})


def paged_copy():
    b, slots, pages = 5, 9, 30
    table, kv = small(b, slots, low=-1, high=pages, dtype=np.int32), small(pages, 16)
    length = np.array([0, 9, 3, 1, 7], np.int32)
    out = np.full((b, slots, 16), 5, np.float32)
    expected = out.copy()
    for i in range(b):
        for s in range(length[i]):
            if table[i, s] >= 0:
                expected[i, s] = kv[table[i, s]]
    return {}, {"table": table, "length": length, "kv": kv, "out": out}, {"out": expected}, {}


def exchange():
    x = small(6, 64)
    y = x.copy()
    y[1::2, :48] = x[1::2, 47::-1]
    y[0::2, 10:16] = 7
    return {}, {"x": x}, {"y": y}, {}


def masked_softmax():
    scores, length = small(4, 180), np.array([1, 180, 33, 64], np.int32)
    expected = np.zeros((4, 180))
    for i, n in enumerate(length):
        e = np.exp(scores[i, :n].astype(np.float64) - scores[i, :n].max())
        expected[i, :n] = e / e.sum()
    return {}, {"scores": scores, "length": length}, {"out": expected.astype(np.float32)}, {"out": 2e-6}


def wide_index():
    x, i = small(50), random.integers(-3, 53, 70)
    i[5], i[6] = 1 << 32, -1 << 40
    inside = (i >= 0) & (i < 50)
    return {}, {"x": x, "i": i}, {"y": np.where(inside, x[np.clip(i, 0, 49)], -5).astype(np.float32)}, {}


def hadamard():
    x, h = small(5, 256), np.ones((1, 1))
    for _ in range(8):
        h = np.block([[h, h], [h, -h]])
    return {}, {"x": x}, {"y": (x @ h).astype(np.float32)}, {}


def exponentials():
    x = (random.standard_normal(300) * 5).astype(np.float32)
    h = (random.standard_normal(300) * 3).astype(np.float16)
    return ({}, {"x": x, "h": h}, {"y": np.exp(x.astype(np.float64)).astype(np.float32),
                                  "g": np.exp(h.astype(np.float64)).astype(np.float16)}, {"y": 3e-7, "g": 2e-3})


CASES = {
    "atomic_previous": [atomic_previous()],
    "masked_choice": [masked_choice()],
    "logit_rows": [logit_rows(64, 8), logit_rows(128, 16), logit_rows(512, 32)],
    "product_one_wave": [product((70, 40, 50))],
    "product_nt": [product((40, 70, 64), (False, True))],
    "product_tn": [product((40, 70, 64), (True, False))],
    "product_tt": [product((40, 70, 50), (True, True))],
    "product_f32_k4": [product((33, 17, 12), (True, False), np.float32)],
    "product_k24": [product((64, 64, 24)), product((64, 64, 100))],
    "product_i8_k16": [product((40, 40, 48), dtype=np.int8, high=100)],
    "product_f8_k16": [product((40, 40, 48), kind="f8e4m3fnuz")],
    "product_f8_ocp": [product((40, 40, 48), (False, True), kind="f8e5m2")],
    "product_n104": [product((50, 104, 32))],
    "product_large_values": [product((16, 16, 256), high=300)],
    "row_sums_batched": [row_sums(2), row_sums(4)],
    "divide_by_middle_sum": [middle_sum()],
    "largest_magnitudes": [magnitudes()],
    "cumulative_columns": [cumulative()],
    "persistent_tiles": [({"tiles": n}, {}, {"out": np.arange(n, dtype=np.int32)}, {}) for n in (5, 35, 40, 43)],
    "even_columns": [even_columns()],
    "atomic_halves": [atomic_halves()],
    "atomic_counters": [atomic_counters()],
    "atomic_copies": [atomic_copies()],
    "signalling_maximum": [signalling_maximum()],
    "handed_on": [handed_on(1), handed_on(40)],
    "wide_integer_sums": [wide_sums()],
    "casts_to_bytes": [casts()],
    "paged_copy": [paged_copy()],
    "exchange_in_branch": [exchange()],
    "masked_softmax": [masked_softmax()],
    "wide_index_copy": [wide_index()],
    "hadamard": [hadamard()],
    "exponentials": [exponentials()],
    "atomic_nothing": [atomic_nothing()],
}


# The interpreter, which knows no order of programs, cannot say what comes of waiting; NumPy's values can.
UNDECIDED = {"handed_on"}


def agrees(got, want, tolerance):
    if got.shape != want.shape:
        return False
    if tolerance:
        return bool(np.allclose(got.astype(np.float64), want.astype(np.float64), rtol=tolerance, atol=0))
    if got.dtype.kind == "f":  # signs of zeros count
        return bool(np.array_equal(got, want, equal_nan=True) and np.array_equal(np.signbit(got), np.signbit(want)) or
                    np.array_equal(np.nan_to_num(got, nan=1), np.nan_to_num(want, nan=1)))
    return bool(np.array_equal(got, want))


def run(device, name, case):
    settings, inputs, expected, tolerances = case
    with tempfile.TemporaryDirectory() as folder:
        command = ["tlc", "run", str(KERNELS / f"{name}.tile"), "-d", device]
        command += [] if name in UNDECIDED else ["--check"]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        for key, array in inputs.items():
            np.save(f"{folder}/{key}.npy", array)
            command += ["--in", f"{key}=@{folder}/{key}.npy"]
        for key in expected:
            command += ["--out", f"{key}=@{folder}/out_{key}.npy"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            return done.stderr.strip() or f"exit status {done.returncode} {done.stdout}"
        for key, want in expected.items():
            got, want = np.load(f"{folder}/out_{key}.npy"), np.asarray(want)
            if not agrees(got, want.astype(got.dtype), tolerances.get(key)):
                where = np.argwhere(got != want.astype(got.dtype))[:3].tolist()
                return f"{key} is wrong at {where}: {got.ravel()[:6]} instead of {want.ravel()[:6]}"
    return None


def main():
    files = {path.stem for path in KERNELS.glob("*.tile")}
    assert files == set(CASES), f"kernels without values, or values without a kernel: {files ^ set(CASES)}"
    work = [(device, name, case) for device in devices(["gfx942", "gfx1100"]) for name in CASES for case in CASES[name]]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (device, name, case), why in zip(work, pool.map(lambda item: run(*item), work)):
            failed += why is not None
            if why:
                print(f"FAILED   {device} {name} {case[0]}: {why}")
    print(f"{len(work) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
