"""GGUF's Q4_K weights, read as they lie in memory: examples/kernels/q4_k_matvec.tile against the format's own formula in
double precision, at the sizes of a language model's layer on the host, smaller ones on the interpreter and emulated chips.

test-timeout: 900
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.environ["TL_SOURCE_DIR"], "tests", "harness"))
from devices import devices  # noqa: E402

KERNEL = os.path.join(os.environ["TL_SOURCE_DIR"], "examples/kernels/q4_k_matvec.tile")
failures, count = [], 0


def weights(rows, blocks, random):
    """Records of 144 bytes and the 256 numbers that each stands for: d * scale * quant - dmin * min, with a scale and a
    minimum of six bits for each 32 quants."""
    d, dmin = (random.uniform(0.001, 0.02, (rows, blocks)).astype(np.float16) for _ in range(2))
    scale, least = (random.integers(0, 64, (rows, blocks, 8), dtype=np.uint8) for _ in range(2))
    quant = random.integers(0, 16, (rows, blocks, 8, 32), dtype=np.uint8)
    packed = np.zeros((rows, blocks, 12), np.uint8)
    packed[..., 0:4] = scale[..., 0:4] | (scale[..., 4:8] >> 4 << 6)
    packed[..., 4:8] = least[..., 0:4] | (least[..., 4:8] >> 4 << 6)
    packed[..., 8:12] = (scale[..., 4:8] & 15) | (least[..., 4:8] << 4)
    pairs = quant.reshape(rows, blocks, 4, 2, 32)
    nibbles = (pairs[..., 0, :] | pairs[..., 1, :] << 4).reshape(rows, blocks, 128)
    halves = np.stack([d, dmin], axis=-1).view(np.uint8).reshape(rows, blocks, 4)
    records = np.concatenate([halves, packed, nibbles], axis=-1)
    numbers = (d.astype(np.float64)[..., None, None] * scale[..., None] * quant
               - dmin.astype(np.float64)[..., None, None] * least[..., None])
    return records, numbers.reshape(rows, blocks * 256)


def case(device, m, n, k, check, folder, **params):
    global count
    count += 1
    random = np.random.default_rng(m * 1000003 + n * 1009 + k)
    records, numbers = weights(n, k // 256, random)
    x = random.standard_normal((m, k)).astype(np.float32)
    np.save(f"{folder}/w.npy", records)
    np.save(f"{folder}/x.npy", x)
    settings = [part for name, value in params.items() for part in ("--set", f"{name}={value}")]
    done = subprocess.run(["tlc", "run", KERNEL, "-d", device, "--in", f"w=@{folder}/w.npy", "--in", f"x=@{folder}/x.npy",
                           "--out", f"y=@{folder}/y.npy", *settings, *(["--check"] if check else [])],
                          capture_output=True, text=True)
    name = f"{device} {m} x {n} x {k} {params}"
    if done.returncode != 0:
        failures.append(f"{name}: {done.stdout}{done.stderr}")
        return
    y, expected = np.load(f"{folder}/y.npy"), x.astype(np.float64) @ numbers.T
    # In f32 a weight's two products are exact (at most 21 bits) and their difference is rounded once, each product with x
    # once, and each sum once.
    bound = 2.0 ** -24 * (k + 2) * (np.abs(x).astype(np.float64) @ np.abs(numbers).T)
    worst = np.max(np.abs(y - expected) / bound)
    if not worst <= 1:
        failures.append(f"{name}: {worst} of the bound")
    # What a dropped or doubled record would do is far above the errors of rounding.
    typical = np.linalg.norm(y - expected) / np.linalg.norm(expected)
    if not typical < 1e-5:
        failures.append(f"{name}: relative error {typical}")


with tempfile.TemporaryDirectory() as work:
    for m in [1, 4, 8]:
        for device in devices(["gfx942", "gfx1100"]):
            case(device, m, 33, 1024, device != "interp", work)
            if device == "host" or device.startswith("cuda"):
                case(device, m, 4096, 14336, False, work)
                case(device, m, 77, 2048, True, work, BN=64, BM=4)
for failure in failures:
    print("FAIL " + failure)
print(f"{count - len(failures)} passed, {len(failures)} failed, 0 skipped")
sys.exit(1 if failures else 0)
