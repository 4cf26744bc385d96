"""Every diagnostic of the tile graph is expected by a test.

The words are the string literals of the files that refuse graphs and texts; a test is an error file
(tests/error), which holds what the tool printed, or a C or C++ test that names the words.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ["TL_SOURCE_DIR"])
SOURCES = ["builder", "infer", "infer_composite", "infer_debug", "infer_order", "infer_parts", "infer_shared", "instantiate", "requirement", "sequence", "text_body", "text_call", "text_header",
           "text_parse"]
# What no input reaches, and why.
UNREACHED = {
    "no inference for %s": "an operation of ops.def without a rule: an internal error",
    "%s: a text has at most %zu bytes": "a text of a gigabyte",
    "a grid expression has no regions": "only a damaged binary form says it",
    "argument '%s' has an extent or stride without a value": "only a damaged binary form says it",
    "' has no such value": "C refuses the number before; only a damaged binary form says it",
    "on its parameters": "stands for a requirement that has no text",
}
TOKEN = re.compile(r"//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\]|\\.)'|\w+|\S")
CONVERSION = re.compile(r"%(?:-?\d*(?:\.\*|\.\d+)?)?(?:ll|l|z)?[a-zA-Z]")


def literals(text):
    """Adjacent string literals joined, as the compiler sees them."""
    joined = None
    for token in TOKEN.findall(text):
        if token.startswith('"'):
            joined = (joined or "") + token[1:-1]
        elif joined is not None and not token.startswith("//"):
            yield joined.replace('\\"', '"')
            joined = None


def pattern(literal):
    parts = CONVERSION.split(literal.replace("%%", "\0"))
    return re.compile(".*?".join(re.escape(part.replace("\0", "%")) for part in parts))


def expectations():
    text = ""
    for path in sorted((ROOT / "tests/error").iterdir()):
        content = path.read_text()
        text += content[content.index("EXPECT"):]
    for folder in ("tests/api", "tests/unit"):
        for path in sorted((ROOT / folder).rglob("*.c*")):
            text += "\n".join(literals(path.read_text())) + "\n"
    return text


def main():
    expected, found, missing = expectations(), 0, []
    for name in SOURCES:
        for literal in literals((ROOT / f"src/graph/{name}.cc").read_text()):
            if len(literal) < 15 or " " not in literal or literal in UNREACHED:
                continue
            if pattern(literal).search(expected):
                found += 1
            else:
                missing.append(f"src/graph/{name}.cc: no test expects: {literal}")
    for text in missing:
        print("FAIL " + text)
    print(f"{found} passed, {len(missing)} failed, 0 skipped")
    return 1 if missing or found < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
