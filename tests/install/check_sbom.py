#!/usr/bin/env python3
"""check_sbom.py TREE BUILD: sbom.spdx.json of an unpacked bundle is SPDX 2.3 with all that the standard requires, has every file
and every library that is linked in, and says of each what the machine that built it has. Its last line is the sum."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

tree, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
passed = failed = 0


def check(name, found, *wanted):
    global passed, failed
    if (found == wanted[0]) if wanted else found:
        passed += 1
    else:
        failed += 1
        print(f"FAIL sbom: {name}: {found!r}" + (f", not {wanted[0]!r}" if wanted else ""))


def query(form, package):
    return subprocess.run(["dpkg-query", "-W", "-f", form, package], capture_output=True, text=True, check=True).stdout


def packages_of(paths):
    found = subprocess.run(["dpkg-query", "-S", *sorted({str(pathlib.Path(path).resolve()) for path in paths})],
                           capture_output=True, text=True, check=True).stdout
    return {line.split(":")[0] for line in found.splitlines()}


sbom = json.loads((tree / "sbom.spdx.json").read_text())

# The document: SPDX 2.3, clause 6.
check("version", sbom["spdxVersion"], "SPDX-2.3")
check("licence of the data", sbom["dataLicense"], "CC0-1.0")
check("id", sbom["SPDXID"], "SPDXRef-DOCUMENT")
check("name is the tree's", sbom["name"], tree.name)
check("namespace", re.fullmatch(r"https://[^#\s]+", sbom["documentNamespace"]))
check("time", re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", sbom["creationInfo"]["created"]))
check("creators", all(re.match("(Tool|Person|Organization): ", who) for who in sbom["creationInfo"]["creators"]))

# Packages: clause 7. The first is ours.
ids = [record["SPDXID"] for record in sbom["packages"] + sbom["files"]]
check("ids are well formed", [i for i in ids if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i)], [])
check("ids are unique", len(ids), len(set(ids)))
known_references = {record["licenseId"] for record in sbom["hasExtractedLicensingInfos"] if record["extractedText"]}
known_licences = {"Apache-2.0", "NCSA", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "MIT", "CC0-1.0", "Unicode-DFS-2015",
                  "GPL-2.0-only", "GPL-3.0-or-later", "LLVM-exception", "GCC-exception-3.1"} | known_references
by_package = {}
for record in sbom["packages"]:
    name = record["name"]
    for field in ["versionInfo", "supplier", "downloadLocation", "licenseDeclared", "licenseConcluded", "copyrightText"]:
        check(f"{name} has {field}", record.get(field))
    check(f"{name}'s supplier", re.match("(Person|Organization): ", record["supplier"]))
    for field in ["licenseDeclared", "licenseConcluded"]:
        words = set(re.split(r"[\s()]+", record[field])) - {"AND", "OR", "WITH"}
        check(f"{name}: {field} names licences of SPDX's list, or texts of the document", words - known_licences, set())
    urls = [ref["referenceLocator"] for ref in record["externalRefs"] if ref["referenceType"] == "purl"]
    check(f"{name} has one package URL", len(urls), 1)
    if (debian := re.fullmatch(r"pkg:deb/debian/([^@]+)@([^?]+)\?arch=amd64&distro=debian-12", urls[0])):
        package = debian[1].replace("%2B", "+")
        by_package[package] = record
        check(f"{name}'s version is that of the package", record["versionInfo"], query("${Version}", package))
        check(f"{name}'s URL has the version", debian[2].replace("%3A", ":").replace("%2B", "+"), record["versionInfo"])
        notice = (tree / "LICENSES" / (query("${source:Package}", package) + ".txt")).read_bytes()
        check(f"{name}'s notices", notice, pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes())
check("all packages but ours have a Debian URL", len(by_package), len(sbom["packages"]) - 1)

# Files: clause 8. Each of the tree, and the sum of the sums.
present = {f"./{path.relative_to(tree)}": path for path in tree.rglob("*")
           if path.is_file() and not path.is_symlink() and path.name != "sbom.spdx.json"}
listed = {record["fileName"]: {sum["algorithm"]: sum["checksumValue"] for sum in record["checksums"]} for record in sbom["files"]}
check("every file is listed", sorted(listed), sorted(present))
wrong = [name for name in listed if name in present
         and listed[name].get("SHA256") != hashlib.sha256(present[name].read_bytes()).hexdigest()]
check("SHA-256", wrong, [])
sums = "".join(sorted(hashlib.sha1(path.read_bytes()).hexdigest() for path in present.values()))
check("verification code", sbom["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"],
      hashlib.sha1(sums.encode()).hexdigest())

# Relationships: clause 11.
relations = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in sbom["relationships"]}
ends = {end for a, _, b in relations for end in (a, b)} - {"SPDXRef-DOCUMENT"}
check("relationships name elements of the document", ends - set(ids), set())
check("the document describes our package", ("SPDXRef-DOCUMENT", "DESCRIBES", sbom["packages"][0]["SPDXID"]) in relations)
used = {b for _, kind, b in relations if kind in ("STATIC_LINK", "CONTAINS")}
check("every package is used", {r["SPDXID"] for r in sbom["packages"][1:]} - used, set())

# What is linked in, from other witnesses than the linker's statistics: the archives that the link commands name, the headers
# that the compiler has read, and the words in the libraries.
commands = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "tilelang", "tilelang_compiler", "tilelang_emu",
                           "tilelang_hipemu", "tlc"], capture_output=True, text=True, check=True).stdout
archives = {word for word in commands.split() if re.fullmatch(r"/usr/lib\S*\.a", word)}
without_objects = {"libpolly-22-dev"}  # lld's libraries name it
check("archives on the command lines", packages_of(archives) - set(by_package) - without_objects, set())
for file in present.values():
    if b"\x7fELF" == file.read_bytes()[:4]:
        check(f"{file.name} has no Polly inside", re.findall(rb"isl_ctx|polly-[a-z]+", file.read_bytes()), [])
headers = set(re.findall(r"^ +(/usr/include/\S+)", subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True,
                                                                text=True, check=True).stdout, re.M))
check("headers were read", len(headers) > 10)
without_code = {"linux-libc-dev"}  # numbers and structs of the kernel's interface
headers_of = {"liblld-22-dev": "liblld-22"}  # the archive's package has the notices
check("headers that were read", {headers_of.get(p, p) for p in packages_of(headers)} - set(by_package) - without_code, set())
for package, library, words in [("zlib1g-dev", "tilelang-compiler", r"inflate ([0-9.]+) Copyright"),
                                ("zlib1g-dev", "tilelang-emu", r"inflate ([0-9.]+) Copyright"),
                                ("liblld-22", "tilelang-compiler", r"Linker: Debian LLD ([0-9.]+)"),
                                ("llvm-22-dev", "tilelang-compiler", r"\x00LLVM([0-9]+\.[0-9]+\.[0-9]+)\x00")]:
    data = (tree / "lib" / f"lib{library}.so.0.1").read_bytes()
    found = set(re.findall(words.encode(), data))
    version = re.search(r"[0-9]+\.[0-9]+\.[0-9]+", by_package[package]["versionInfo"])[0]
    check(f"the version of {package} in lib{library}.so", found, {version.encode()})

print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed != 0)
