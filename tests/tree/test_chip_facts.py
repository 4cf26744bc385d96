#!/usr/bin/env python3
"""The rows of src/codegen/targets.def against a file of published facts, amd_chips.json in the directory
$TL_HARDWARE_FACTS (default: ../shared/data beside the source tree). Skips where there is none."""
import json
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ["TL_SOURCE_DIR"])
FACTS = pathlib.Path(os.environ.get("TL_HARDWARE_FACTS") or SOURCE.parent / "shared" / "data") / "amd_chips.json"
COLUMNS = ["wave", "lds", "pool", "lds_granule", "vgprs", "vgpr_granule", "acc", "waves", "sgprs", "xmask", "packed"]


def rows():
    text = (SOURCE / "src" / "codegen" / "targets.def").read_text()
    for match in re.finditer(r"^TL_AMD_CHIP\((\w+), ([^)]*)\)", text, re.MULTILINE):
        yield match[1], dict(zip(COLUMNS, (v.strip() for v in match[2].split(","))))


def by_wave(value, wave):
    return value[f"w{wave}"] if isinstance(value, dict) else value


def expected(fact, wave):
    """The columns that the facts speak of."""
    value = lambda name: fact[name]["v"]
    vgpr = value("vgpr")
    acc = vgpr.get("acc_max_per_wave") or vgpr.get("acc_total_per_simd_lane")
    want = {
        "lds": value("lds_bytes_per_workgroup"),
        "pool": value("lds_bytes_per_wgp") if "lds_bytes_per_wgp" in fact else value("lds_bytes_per_cu"),
        "lds_granule": value("lds_alloc_granule_bytes"),
        "vgprs": by_wave(vgpr.get("total_per_simd_lane") or vgpr["arch_total_per_simd_lane"], wave),
        "vgpr_granule": by_wave(vgpr["alloc_granule"], wave),
        "acc": "None" if not acc else "Unified" if vgpr.get("unified_file") else "Separate",
        "waves": by_wave(value("max_waves_per_simd"), wave),
        "sgprs": value("sgprs").get("total_per_simd", 0),
    }
    if "packed_fp32" in fact:
        want["packed"] = "true" if value("packed_fp32") else "false"
    return {name: str(v) for name, v in want.items()}


def main():
    if not FACTS.exists():
        print(f"SKIP no {FACTS}\n0 passed, 0 failed, 1 skipped")
        return 77
    targets = json.loads(FACTS.read_text())["targets"]
    passed = failed = 0
    for chip, row in rows():
        wave = int(row["wave"])
        problems = [] if wave in targets[chip]["wave_sizes"]["v"] else [f"wave size {wave}"]
        for name, want in expected(targets[chip], wave).items():
            if row[name] != want:
                problems.append(f"{name} is {row[name]}, the facts say {want}")
        passed += not problems
        failed += bool(problems)
        for problem in problems:
            print(f"FAIL {chip}: {problem}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
