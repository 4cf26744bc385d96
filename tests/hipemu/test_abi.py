#!/usr/bin/env python3
"""The stand-in's exports, version nodes, numbers and layouts against functions.def and, where the file of facts about
HIP is present beside the repository, against that."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ["TL_SOURCE_DIR"])
LIBRARY = pathlib.Path(os.environ["TL_BUILD_DIR"]) / "lib" / "libtilelang-hipemu.so"
FACTS = ROOT.parent / "shared" / "data" / "hip_abi.json"
OWN = {"tl_hipemu_configure", "tl_hipemu_report", "tl_hipemu_finding_count", "tl_hipemu_clear", "tl_hipemu_fault",
       "tl_hipemu_map_lines"}
passed = failed = skipped = 0


def check(name, wrong):
    global passed, failed
    for item in wrong:
        print(f"FAIL {name}: {item}")
    failed += bool(wrong)
    passed += not wrong


def rows(file, macro):
    text = (ROOT / "src" / "hipemu" / file).read_text()
    return re.findall(rf"^{macro}\((.*)\)$", text, re.M)


def functions():
    """{name: (node, since)} of functions.def."""
    found = {}
    for row in rows("functions.def", "TL_HIP(?:_OTHER)?"):
        node, since, _, name = [part.strip() for part in row.split(",", 4)[:4]]
        found[name] = ("hip_" + node.replace("_", "."), int(since))
    return found


def exported():
    """{name: node} of the library."""
    out = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", str(LIBRARY)], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    symbols = {}
    for line in out.splitlines():
        name, _, node = line.split()[-1].partition("@@")
        if line.split()[-2] != "A":
            symbols[name] = node
    return symbols


def facts():
    global skipped
    if FACTS.exists():
        return json.loads(FACTS.read_text())
    print("SKIP the file of facts about HIP is not here")
    skipped += 1
    return None


def check_facts(data, table):
    known = data["symbols"]["functions"]
    # The first version whose map was read and has the function; ours may be one in between.
    oldest = {"5.2.3": (0, 502), "5.7.1": (0, 507), "6.0.0": (508, 600), "6.2.2": (601, 602), "7.2": (603, 702)}
    check("version nodes", [f"{name} is {node}, the facts say {known[name][0]}" for name, (node, _) in table.items()
                            if name in known and known[name][0] != node])
    check("first versions", [f"{name}: {since}" for name, (_, since) in table.items() if name in known
                             and not oldest[known[name][1]][0] <= since <= oldest[known[name][1]][1]])
    check("enough of it is known", [] if len(set(table) & set(known)) > 130 else ["too few functions are in the facts"])

    errors = data["enums"]["hipError_t"]
    ours = {}
    for row in rows("errors.def", "TL_HIP_ERROR"):
        name, value, _ = row.split(",", 2)
        ours[name.strip()] = int(value)
    newest = {name: values["7.2-bindings"] for name, values in errors["differs"].items()}
    theirs = {**errors["same"], **newest}
    check("error codes", [f"{name} = {value}" for name, value in ours.items() if theirs.get(name) != value])
    check("all error codes", sorted(set(theirs.values()) - set(ours.values())))

    layouts = {name: data["structs"][f"hipDeviceProp_t{name}"]["layouts"][0]["fields"] for name in ("R0000", "R0600")}
    wrong = []
    for row in rows("properties.def", "TL_HIP_PROPERTY"):
        name, old, new, size, _ = [part.strip() for part in row.split(",", 4)]
        field, _, axis = name.partition("_")
        for layout, offset in (("R0000", int(old)), ("R0600", int(new))):
            fact = layouts[layout].get(field)
            if fact is None and offset != -1:
                wrong.append(f"{name} is not in {layout}")
            elif fact is not None and offset == -1:
                wrong.append(f"{name} is in {layout}")
            elif fact is not None:
                want = fact[0] + (4 * "xyz".index(axis) if axis else 0)
                if offset != want or int(size) != (4 if axis else fact[1]):
                    wrong.append(f"{name} in {layout} is at {fact}")
    check("hipDeviceProp_t", wrong)

    attributes = data["enums"]["hipDeviceAttribute_t"]
    wrong = []
    versions = {"5.2.3": 502, "5.7.1": 507, "6.0.0": 600, "6.2.2": 602, "7.2-bindings": 702}
    for row in rows("properties.def", "TL_HIP_ATTRIBUTE"):
        name, number, first, last, _ = [part.strip() for part in row.split(",", 4)]
        full = "hipDeviceAttribute" + name
        if full in attributes["same"]:
            if attributes["same"][full] != int(number) or first != "0" or last != "9999":
                wrong.append(f"{name} is {attributes['same'][full]} in all versions")
            continue
        for version, value in attributes["differs"].get(full, {}).items():
            if version in versions and (int(first) <= versions[version] <= int(last)) != (value == int(number)):
                wrong.append(f"{name} in {version} is {value}")
        if full not in attributes["differs"]:
            wrong.append(f"{name} is unknown")
    check("hipDeviceAttribute_t", wrong)

    # abi.h states sizes and offsets, which the compiler checks; here against the facts.
    text = re.sub(r"\s+", " ", (ROOT / "src" / "hipemu" / "abi.h").read_text())
    wrong = []
    for name, size in re.findall(r"sizeof\((\w+)\) == (\d+)", text):
        if name in data["structs"] and data["structs"][name]["layouts"][-1]["size"] != int(size):
            wrong.append(f"sizeof {name}")
    for name, field, offset in re.findall(r"offsetof\((\w+), (\w+)\) == (\d+)", text):
        if name in data["structs"] and data["structs"][name]["layouts"][-1]["fields"][field][0] != int(offset):
            wrong.append(f"offset of {name}.{field}")
    check("structs", wrong)


def main():
    table, symbols = functions(), exported()
    check("exports are the table's", sorted((set(table) | OWN) ^ set(symbols)))
    check("nodes are the table's", [name for name, (node, _) in table.items() if symbols.get(name) != node])
    dynamic = subprocess.run(["readelf", "-d", str(LIBRARY)], check=True, stdout=subprocess.PIPE, text=True).stdout
    check("SONAME", [] if "Library soname: [libtilelang-hipemu.so.0.1]" in dynamic else [dynamic])
    check("needs no LLVM and no HIP", re.findall(r"NEEDED.*(?:LLVM|hip).*", dynamic))
    if data := facts():
        check_facts(data, table)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
