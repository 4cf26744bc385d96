#!/usr/bin/env python3
"""Prints what the machine code of a kernel is made of, for golden files: resources and counts of instructions.

A wide access moves 16 bytes a lane. Products are multiplications into an f32 accumulator: a packed instruction does
two, and RDNA pairs two instructions in one; they are counted for kernels with a dot.

Usage: amd_summary.py FILE [OPTION OF tlc build...]      all five chips, a line each; equal lines are joined
"""
import json
import pathlib
import re
import subprocess
import sys

CHIPS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
WIDE = {"wide loads": r"(?:global|buffer|flat)_load_(?:dwordx4|b128)",
        "wide stores": r"(?:global|buffer|flat)_store_(?:dwordx4|b128)"}
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


def summary(file, chip, options):
    use = json.loads(build(file, chip, options, "--stats"))
    assembly = build(file, chip, options, "--emit", "asm", "-o", "/dev/stdout")
    facts = [f"{use['threads']} threads", f"{use['lds_bytes']} bytes of LDS",
             f"{use['scratch_bytes']} of scratch", f"{use['vgpr_spills']} spills"]
    facts += [f"{count(assembly, pattern)} {what}" for what, pattern in WIDE.items()]
    if re.search(r"^\s*%\S+ = dot\b", pathlib.Path(file).read_text(), re.MULTILINE):
        products = count(assembly, PRODUCT) + count(assembly, r"v_dual_fmac_f32")
        facts.append(f"{products + 2 * count(assembly, 'v_pk_fma_f32')} products")
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
