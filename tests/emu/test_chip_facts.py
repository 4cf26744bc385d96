#!/usr/bin/env python3
"""The rows of src/emu/chips.def against a file of published facts, amd_chips.json in the directory
TL_HARDWARE_FACTS or ../shared/data beside the sources."""
import json
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ["TL_SOURCE_DIR"])
FACTS = pathlib.Path(os.environ.get("TL_HARDWARE_FACTS") or SOURCE.parent / "shared" / "data") / "amd_chips.json"
ROW = re.compile(r'TL_CHIP\("(\w+)",\s*"([^"]+)",([^()]*)\)', re.S)


def differences(name, product, numbers, facts):
    machine, wave, units, lds, granule, registers, register_granule, waves, simds, banks, line, memory, clock = numbers
    target = {key: value["v"] for key, value in facts["targets"][name].items() if isinstance(value, dict) and "v" in value}
    short = re.sub(r"^AMD (Instinct|Radeon) ", "", product)
    made = facts["products"][short]
    vgpr = target["vgpr"]
    total, registers_granule = vgpr["total_per_simd_lane"], vgpr["alloc_granule"]
    if isinstance(total, dict):
        total, registers_granule = total[f"w{wave}"], registers_granule[f"w{wave}"]
    expected = {
        "chip of the product": (made["target"], name),
        "default wave size among those there are": (wave in target["wave_sizes"], True),
        "compute units": (made["cu"], units),
        "LDS of a workgroup": (target["lds_bytes_per_workgroup"], lds),
        "LDS granule": (target["lds_alloc_granule_bytes"], granule),
        "registers": (total, registers),
        "register granule": (registers_granule, register_granule),
        "waves of a SIMD": (target["max_waves_per_simd"], waves),
        "SIMDs": (target["simds_per_cu"], simds),
        "workgroup": (target["max_workgroup_size"], 1024),
        "memory": (made["mem_gib"], memory),
        "clock": (made["peak_clock_mhz"] * 1000, clock),
    }
    lines = target["cache_line_bytes"]
    expected["cache line"] = (lines.get("l1_vector", lines.get("l0_vector")), line)
    # The file counts both halves of an RDNA workgroup processor.
    expected["LDS banks"] = (target["lds_banks"] // (2 if wave == 32 else 1), banks)
    for what, (published, ours) in expected.items():
        if published != ours:
            yield f"{name}: {what}: {ours} in chips.def, {published} published"


def main():
    if not FACTS.exists():
        print(f"SKIP: no {FACTS}")
        return 77
    facts = json.loads(FACTS.read_text())
    text = re.sub(r"//.*", "", (SOURCE / "src/emu/chips.def").read_text())
    rows = ROW.findall(text)
    failed = 0
    for name, product, rest in rows:
        numbers = [int(field.strip(), 0) for field in rest.split(",")[:13]]
        wrong = list(differences(name, product, numbers, facts))
        for line in wrong:
            print("FAIL", line)
        failed += bool(wrong)
    print(f"{len(rows) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or len(rows) != 5 else 0


if __name__ == "__main__":
    sys.exit(main())
