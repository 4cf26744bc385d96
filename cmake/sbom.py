#!/usr/bin/env python3
"""Writes what an installed release build is made of: LICENSES/ and sbom.spdx.json (SPDX 2.3).

    sbom.py BUILD PREFIX EPOCH

The archives that were linked in come from the linker itself (link/*.tsv in the build directory, see tl_record_archives), the
libraries that are headers alone from HEADERS, versions from dpkg; licences from PACKAGES, and a package without a row there is
an error. EPOCH is the document's time, so that equal files have equal documents.
"""
import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import uuid

SOURCE = pathlib.Path(__file__).resolve().parent.parent
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
# What LLVM's own third parties ask for (licenses/llvm-third-party.txt) beside its own licence.
LLVM_PARTS = ("Apache-2.0 WITH LLVM-exception AND NCSA AND BSD-3-Clause AND ISC AND BSD-2-Clause AND Unicode-DFS-2015 AND CC0-1.0"
              " AND LicenseRef-Public-Domain")
# Debian package: name, originator, licence declared, licence of what is linked in.
PACKAGES = {
    "llvm-22-dev": ("LLVM", "Organization: LLVM Project", "Apache-2.0 WITH LLVM-exception", LLVM_PARTS),
    "liblld-22": ("lld", "Organization: LLVM Project", "Apache-2.0 WITH LLVM-exception", None),
    "libstdc++-12-dev": ("libstdc++", "Organization: Free Software Foundation", GCC, None),
    "libgcc-12-dev": ("libgcc", "Organization: Free Software Foundation", GCC, None),
    "libc6-dev": ("glibc start files", "Organization: Free Software Foundation", "LicenseRef-LGPL-2.1-or-later-with-linking-permission", None),
    "zlib1g-dev": ("zlib", "Person: Jean-loup Gailly, Mark Adler", "Zlib", None),
    "libzstd-dev": ("zstd", "Organization: Meta Platforms, Inc.", "BSD-3-Clause OR GPL-2.0-only", "BSD-3-Clause"),
    "libxxhash-dev": ("xxHash", "Person: Yann Collet", "BSD-2-Clause", None),
    "libcli11-dev": ("CLI11", "Organization: University of Cincinnati", "BSD-3-Clause", None),
    "nlohmann-json3-dev": ("JSON for Modern C++", "Person: Niels Lohmann", "MIT", None),
    "libcmocka0": ("CMocka", "Person: Andreas Schneider", "Apache-2.0", None),
}
# Libraries of headers alone, and the files that are compiled with them.
HEADERS = {
    "libxxhash-dev": ("libtilelang.so", "libtilelang.a", "libtilelang-compiler.so"),
    "libcli11-dev": ("tlc", "tl-bench"),
    "nlohmann-json3-dev": ("tlc", "tl-bench", "libtilelang-emu.so"),
}
START_FILES = ("libc6-dev", "libgcc-12-dev")  # crti.o, crtbeginS.o and the like: in everything that is linked
EXTRACTED = {
    "LicenseRef-Public-Domain": "No copyright is claimed, and the software is hereby placed in the public domain.",
    "LicenseRef-LGPL-2.1-or-later-with-linking-permission":
        "GNU Lesser General Public License, version 2.1 or later. In addition to the permissions in the GNU Lesser General Public "
        "License, the Free Software Foundation gives you unlimited permission to link the compiled version of this file with "
        "other programs, and to distribute those programs without any restriction coming from the use of this file. (The GNU "
        "Lesser General Public License restrictions do apply in other respects; for example, they cover modification of the "
        "file, and distribution when not linked into another program.)",
}


def fail(words):
    sys.exit(f"sbom.py: {words}")


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def owners(paths):
    """The Debian packages that the files belong to."""
    paths = sorted({str(pathlib.Path(path).resolve()) for path in paths})
    return {line.split(":")[0] for line in output("dpkg-query", "-S", *paths).splitlines()} if paths else set()


def linked(build, prefix):
    """{file below prefix: packages that are linked into it}."""
    result = {}
    for file in sorted([*prefix.glob("bin/*"), *prefix.glob("lib/*.so.*"), *prefix.glob("lib/*.a")]):
        if file.is_symlink():
            continue
        packages = {package for package, users in HEADERS.items() if re.sub(r"\.so\..*", ".so", file.name) in users}
        if file.suffix != ".a":
            stats = build / "link" / f"{file.name}.tsv"
            if not stats.exists():
                fail(f"the linker has not written {stats}: a release build with lld is needed (make static)")
            rows = [line.split("\t") for line in stats.read_text().splitlines()[1:]]
            archives = {archive for _, extracted, archive in rows if extracted != "0"}
            packages |= owners(archive for archive in archives if archive.startswith("/"))  # ours are relative
            packages |= set(START_FILES)
        result[file] = packages
    return result


def carried(prefix):
    """Packages whose files are in the tree themselves: CMocka's library, beside the tests."""
    return owners(next(pathlib.Path("/usr/lib").glob(f"*/{file.name}")) for file in prefix.glob("tests/lib/*.so.*"))


def details(package):
    """(version, source package, homepage) as dpkg has them."""
    return output("dpkg-query", "-W", "-f", "${Version}\t${source:Package}\t${Homepage}", package).split("\t")


def spdx_id(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name.replace("+", "p"))


def package_record(package):
    if package not in PACKAGES:
        fail(f"{package} is linked in, and no licence is known for it: give it a row in PACKAGES")
    name, originator, declared, concluded = PACKAGES[package]
    version, source, homepage = details(package)
    quoted = version.replace(":", "%3A").replace("+", "%2B")
    return {
        "SPDXID": spdx_id("Package", package),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "originator": originator,
        "downloadLocation": "NOASSERTION",
        "homepage": homepage,
        "filesAnalyzed": False,
        "sourceInfo": f"Debian source package {source}",
        "licenseDeclared": declared,
        "licenseConcluded": concluded or declared,
        "copyrightText": "NOASSERTION",
        "comment": f"Notices: LICENSES/{source}.txt" + (" and LICENSES/llvm-third-party.txt" if package == "llvm-22-dev" else ""),
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{package.replace('+', '%2B')}@{quoted}?arch=amd64&distro=debian-12"}],
    }


def write_licences(prefix, packages):
    """LICENSES/: ours, each package's notices as Debian has them, and the texts that they point to."""
    folder = prefix / "LICENSES"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "common-licenses").mkdir(parents=True)
    shutil.copyfile(SOURCE / "LICENSE", folder / "tilelang.txt")
    shutil.copyfile(SOURCE / "cmake/licenses/llvm-third-party.txt", folder / "llvm-third-party.txt")
    lines = ["What this tree is made of, and under which licence; the texts lie beside this file.", "",
             "libtilelang: Apache-2.0 WITH LLVM-exception (tilelang.txt)"]
    for package in packages:
        name, _, declared, _ = PACKAGES[package]
        version, source, _ = details(package)
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", folder / f"{source}.txt")
        shown = declared.removeprefix("LicenseRef-").replace("-with-linking-permission", " with permission to link")
        lines.append(f"{name} {version}: {shown} ({source}.txt{', llvm-third-party.txt' if package == 'llvm-22-dev' else ''})")
    lines += ["", "The runtime libraries of GCC are under the GPL with the GCC Runtime Library Exception, which lets programs that",
              "contain them be distributed under terms of one's choice; glibc's start files give the same permission."]
    (folder / "README.txt").write_text("\n".join(lines) + "\n")
    for text in sorted(folder.glob("*.txt")):
        for name in re.findall(r"common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])", text.read_text()):
            shutil.copyfile(f"/usr/share/common-licenses/{name}", folder / "common-licenses" / name)


def file_record(path, prefix):
    data = path.read_bytes()
    return {
        "SPDXID": spdx_id("File", str(path.relative_to(prefix))),
        "fileName": f"./{path.relative_to(prefix)}",
        "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                      {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
    }


def document(prefix, version, epoch, files, packages, contents):
    ours = "SPDXRef-Package-tilelang"
    sums = sorted(record["checksums"][0]["checksumValue"] for record in files)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ours)]
    relations += [(ours, "CONTAINS", record["SPDXID"]) for record in files]
    relations += [(spdx_id("File", str(file.relative_to(prefix))), "STATIC_LINK", spdx_id("Package", package))
                  for file, inside in contents.items() for package in sorted(inside)]
    relations += [(ours, "CONTAINS", spdx_id("Package", package)) for package in sorted(carried(prefix))]
    name = f"tilelang-{version}-linux-x86_64"
    made = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: libtilelang-sbom"],
        },
        "packages": [{
            "SPDXID": ours,
            "name": "libtilelang",
            "versionInfo": version,
            "supplier": "Organization: libtilelang",
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": True,
            "packageVerificationCode": {"packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest(),
                                        "packageVerificationCodeExcludedFiles": ["./sbom.spdx.json"]},
            "licenseDeclared": "Apache-2.0 WITH LLVM-exception",
            "licenseConcluded": "Apache-2.0 WITH LLVM-exception",
            "licenseInfoFromFiles": ["NOASSERTION"],
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:generic/libtilelang@{version}"}],
        }] + [package_record(package) for package in packages],
        "files": files,
        "hasExtractedLicensingInfos": [{"licenseId": key, "name": key[11:], "extractedText": text}
                                       for key, text in EXTRACTED.items()],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }
    digest = hashlib.sha256(json.dumps(made).encode()).hexdigest()
    made["documentNamespace"] = f"https://spdx.org/spdxdocs/{name}-{uuid.uuid5(uuid.NAMESPACE_OID, digest)}"
    return made


def main(build, prefix, epoch):
    cache = (build / "CMakeCache.txt").read_text()
    version = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, re.M).group(1)
    contents = linked(build, prefix)
    packages = sorted(set().union(*contents.values()) | carried(prefix))
    for package in packages:
        package_record(package)  # an unknown one is an error before anything is written
    write_licences(prefix, packages)
    target = prefix / "sbom.spdx.json"
    files = [file_record(path, prefix) for path in sorted(prefix.rglob("*"))
             if path.is_file() and not path.is_symlink() and path != target]
    target.write_text(json.dumps(document(prefix, version, epoch, files, packages, contents), indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3]))
