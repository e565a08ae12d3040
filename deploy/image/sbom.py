"""
What is in the image, as SPDX 2.3 in JSON: the program with its version, each Debian package that a library is from, and
each file with its digests.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess


def owners(libraries):
    """The package of each library: dpkg may know it by its name below /usr or above, or by that of the file behind a link."""
    names = {}
    for library in libraries:
        folder, base = os.path.split(library)
        real = os.path.realpath(library)
        for path in (library, real, real.removeprefix("/usr"), f"{os.path.realpath(folder)}/{base}"):
            names.setdefault(path, library)
    # It ends with 1, since not every name is known.
    done = subprocess.run(["dpkg-query", "-S", *names], capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        package_, _, path = line.partition(": ")
        if path in names:
            found[names[path]] = package_.split(",")[0]
    missing = sorted(set(libraries) - found.keys())
    if missing:
        raise SystemExit(f"sbom.py: of no package: {missing}")
    return found


def identifier(*words):
    return "SPDXRef-" + "-".join(re.sub(r"[^A-Za-z0-9.]", "-", word) for word in words)


FIELDS = ("Package", "Version", "Architecture", "source:Package", "source:Version")


def packages(names):
    """name as dpkg gave it -> SPDX"""
    text = subprocess.run(["dpkg-query", "-W", "-f=" + "\\t".join(f"${{{field}}}" for field in FIELDS) + "\\n", *names],
                          check=True, capture_output=True, text=True).stdout
    return {name: package(*line.split("\t")) for name, line in zip(names, text.splitlines(), strict=True)}


def package(name, version, architecture, source, source_version):
    return {"SPDXID": identifier("Package", name), "name": name, "versionInfo": version,
            "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "comment": f"its copyright file is /usr/share/doc/{name}/copyright",
            "sourceInfo": f"built from {source} {source_version}",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:deb/debian/{name}@{version}?arch={architecture}&distro=debian-12"}]}


def file(folder, place):
    data = (folder / place).read_bytes()
    return {"SPDXID": identifier("File", place), "fileName": f"./{place}",
            "checksums": [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, data).hexdigest()}
                          for name in ("sha1", "sha256")],
            "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}


def version_of(program):
    words = subprocess.run([program, "version"], check=True, capture_output=True, text=True).stdout.split()
    return next(word for word in words if re.fullmatch(r"v?\d+\.\d+\.\d+\S*", word))


def document(program, folder, owned):
    """owned: place -> package of each library."""
    version = version_of(program)
    when = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    theirs = packages(sorted({*owned.values(), "ca-certificates"}))
    ours = {"SPDXID": identifier("Package", "plimsoll"), "name": "plimsoll", "versionInfo": version,
            "supplier": "Organization: Plimsoll", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
            "primaryPackagePurpose": "APPLICATION"}
    held = {"usr/bin/plimsoll": ours, "etc/ssl/certs/ca-certificates.crt": theirs["ca-certificates"],
            **{place: theirs[name] for place, name in owned.items()}}
    files = {place: file(folder, place) for place in sorted(held)}
    digest = hashlib.sha256("".join(one["checksums"][1]["checksumValue"] for one in files.values()).encode()).hexdigest()
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    relations += [(ours["SPDXID"], "DEPENDS_ON", one["SPDXID"]) for one in theirs.values()]
    relations += [(one["SPDXID"], "CONTAINS", files[place]["SPDXID"]) for place, one in sorted(held.items())]
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"plimsoll-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/plimsoll-{version}-{digest[:32]}",
        "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: deploy/image/sbom.py"]},
        "packages": [ours, *theirs.values()], "files": list(files.values()),
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in relations]}, indent=1) + "\n"
