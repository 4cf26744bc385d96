#!/usr/bin/env python3
"""Prints what the machine code of a kernel is made of, for golden files: resources and counts of instructions.

Loads and stores of device memory are counted by the bytes that a lane moves, the widest first. Products are multiplications into an f32 accumulator: a packed instruction does
two, and RDNA pairs two instructions in one; they are counted for kernels with a dot.

Usage: amd_summary.py FILE [OPTION OF tlc build...]      all five chips, a line each; equal lines are joined
"""
import json
import pathlib
import re
import subprocess
import sys

CHIPS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
# What follows "load_" or "store_" in a mnemonic, less the d16 that says where in a register 16 bits go.
BYTES = {16: {"dwordx4", "b128"}, 12: {"dwordx3", "b96"}, 8: {"dwordx2", "b64"}, 4: {"dword", "b32"},
         2: {"short", "ushort", "sshort", "b16", "u16", "i16"}, 1: {"byte", "ubyte", "sbyte", "b8", "u8", "i8"}}
LDS = r"ds_[a-z]+_\w+"
PRODUCT = r"v_(?:fma|fmac|fmaak|fmamk|fma_mix|dot2_f32_f16|mad_mix)_f32\w*"


def build(file, chip, options, *emit):
    command = ["tlc", "build", file, "-t", "amdgcn:" + chip, *options, *emit]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{chip}: {done.stderr.strip()}")
    return done.stdout


def count(assembly, pattern):
    """Instructions by name, the halves of dual ones each for itself."""
    return len(re.findall(rf"(?:^\s+|:: )(?:{pattern})\b", assembly, re.MULTILINE))


def accesses(assembly, kind):
    """What the machine code has: "loads: 2 of 16, 1 of 4 bytes"."""
    counts = {}
    for word in re.findall(rf"^\s+(?:global|buffer|flat)_{kind}_(\w+)", assembly, re.MULTILINE):
        plain = re.sub(r"^d16_(?:hi_)?|_d16(?:_hi)?$", "", word)
        width = next((width for width, words in BYTES.items() if plain in words), None)
        if width is None:
            sys.exit(f"{kind}_{word}: of unknown width")
        counts[width] = counts.get(width, 0) + 1
    parts = [f"{counts[width]} of {width}" for width in sorted(counts, reverse=True)]
    return f"{kind}s: " + (", ".join(parts) + " bytes" if parts else "none")


def summary(file, chip, options):
    use = json.loads(build(file, chip, options, "--stats"))
    assembly = build(file, chip, options, "--emit", "asm", "-o", "/dev/stdout")
    facts = [f"{use['threads']} threads", f"{use['lds_bytes']} bytes of LDS",
             f"{use['scratch_bytes']} of scratch", f"{use['vgpr_spills']} spills"]
    facts += [accesses(assembly, "load"), accesses(assembly, "store")]
    if re.search(r"^\s*%\S+ = dot\b", pathlib.Path(file).read_text(), re.MULTILINE):
        products = count(assembly, PRODUCT) + count(assembly, r"v_dual_fmac_f32")
        matrix = count(assembly, r"v_(?:mfma|wmma)_\w+")
        facts.append(f"{matrix} matrix instructions" if matrix
                     else f"{products + 2 * count(assembly, 'v_pk_fma_f32')} products")
    facts.append("LDS in use" if count(assembly, LDS) else "no LDS instructions")
    return ", ".join(facts)


def main(file, options):
    lines = {}
    for chip in CHIPS:
        lines.setdefault(summary(file, chip, options), []).append(chip)
    for line, chips in lines.items():
        print(f"{' '.join(chips)}: {line}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main(sys.argv[1], sys.argv[2:])
