"""docs/ops.json says what the headers and the text form say: its strings, numbers and truth values, one by one."""
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ["TL_SOURCE_DIR"])
INCLUDE = ROOT / "include" / "tilelang"

# Type of each member of an object, by the list that it stands in.
SHAPES = {
    "dtypes": {"name": str, "value": int, "bits": int, "bytes": int, "class": str},
    "operand_classes": {"name": str, "words": str},
    "attributes": {"name": str, "key": int, "kind": str},
    "predicates": {"name": str, "value": int},
    "reduce_kinds": {"name": str, "value": int},
    "ops": {"name": str, "opcode": int, "group": str, "operands": list, "attributes": list, "regions": int,
            "results": str, "effect": str, "text": str, "semantics": str, "types": str},
}
OPERAND = {"name": str, "class": str, "arity": str}
ATTRIBUTE = {"name": str, "optional": bool}


def constants(header, prefix):
    """{lower-case name: value} of the constants of a header whose names begin with a prefix."""
    text = (INCLUDE / header).read_text()
    found = re.findall(rf"^#define {prefix}(\w+) \(\(\w+\)\s*(\d+)\)", text, re.M)
    return {name.lower(): int(value) for name, value in found}


def misshapen(value, shape):
    """What is wrong with an object's members, if anything."""
    if not isinstance(value, dict) or set(value) != set(shape):
        return f"has members {sorted(value)}, not {sorted(shape)}"
    for name, kind in shape.items():
        if type(value[name]) is not kind:
            return f"{name} is {value[name]!r}, not of type {kind.__name__}"
        if value[name] == "":
            return f"{name} is empty"
    return None


def compare(what, got, wanted):
    return [] if got == wanted else [f"{what}: {got}, but the header has {wanted}"]


def check_all(document):
    version = re.match(r"tile (\S+)\n", (ROOT / "examples/kernels/vector_add.tile").read_text()).group(1)
    yield [] if document["text_version"] == version else [f"text_version is {document['text_version']!r}"]
    for name, shape in SHAPES.items():
        for entry in document[name]:
            wrong = misshapen(entry, shape)
            yield [f"{name}: {entry.get('name')}: {wrong}"] if wrong else []
    for op in document["ops"]:
        for entry, shape in [(e, OPERAND) for e in op["operands"]] + [(e, ATTRIBUTE) for e in op["attributes"]]:
            wrong = misshapen(entry, shape)
            yield [f"{op['name']}: {wrong}"] if wrong else []
    named = {name: {e["name"]: e.get("value", e.get("opcode", e.get("key"))) for e in document[name]} for name in SHAPES}
    yield compare("dtypes", named["dtypes"], constants("types.h", "TL_DTYPE_"))
    yield compare("ops", named["ops"], constants("ops.h", "TL_OP_"))
    yield compare("attributes", named["attributes"], constants("ops.h", "TL_ATTR_"))
    yield compare("reductions", named["reduce_kinds"], constants("ops.h", "TL_REDUCE_"))


def main():
    passed = failed = 0
    for wrong in check_all(json.loads((ROOT / "docs/ops.json").read_text())):
        for text in wrong:
            print("FAIL " + text)
        failed += bool(wrong)
        passed += not wrong
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
