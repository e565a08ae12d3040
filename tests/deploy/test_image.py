"""The image's root file system, assembled from this build and run without a registry: what is in it, that it can be run
read-only by nobody in particular, and that its list of contents is true."""
import hashlib
import http.server
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.dont_write_bytecode = True

from sandbox import USER, Sandbox  # noqa: E402
from tap import report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLIMSOLL = pathlib.Path(sys.argv[1]).resolve()
IMAGE = ROOT / "deploy" / "image"
SBOM = "usr/share/plimsoll/sbom.spdx.json"
SLOW = float(os.environ.get("PLM_E2E_SLOW", "1"))


def assemble(folder):
    subprocess.run([sys.executable, "-B", IMAGE / "rootfs.py", PLIMSOLL, folder, "--strip"], check=True,
                   env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"})
    return folder


def files(rootfs):
    return {str(path.relative_to(rootfs)): path for path in rootfs.rglob("*") if path.is_file() and not path.is_symlink()}


def is_program(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def holds_the_closure_only(rootfs):
    there = files(rootfs)
    programs = {place for place, path in there.items() if is_program(path)}
    needed = set(re.findall(r"^\s*(\S+) =>", subprocess.run(["ldd", PLIMSOLL], capture_output=True, text=True,
                                                            check=True).stdout, re.MULTILINE))
    have = {os.path.basename(place) for place in programs} - {"plimsoll"}
    loader = {name for name in have if name.startswith("ld-linux")}
    if have - loader != needed or len(loader) != 1:
        yield f"beside what is needed: {have - loader ^ needed}"
    if [place for place in programs if "/bin/" in place or "/sbin/" in place] != ["usr/bin/plimsoll"]:
        yield f"programs: {programs}"
    for place, path in there.items():
        mode = path.stat().st_mode
        if mode & 0o7000 or mode & 0o022:
            yield f"{place} has mode {mode & 0o7777:o}"
        with open(path, "rb") as file:
            if file.read(2) == b"#!":
                yield f"{place} is a script"
    size = sum(path.stat().st_size for path in there.values())
    if size > 60 << 20:
        yield f"{size >> 20} MiB"
    print(f"# {size / (1 << 20):.1f} MiB, {len(programs)} programs and libraries")


def is_the_same_again(rootfs, folder):
    again = assemble(folder / "again")
    one, two = files(rootfs), files(again)
    if one.keys() != two.keys():
        yield f"{one.keys() ^ two.keys()}"
    for place in one.keys() & two.keys():
        if one[place].read_bytes() != two[place].read_bytes() or one[place].stat().st_mtime != two[place].stat().st_mtime:
            yield f"{place} is another"


def contents_are_listed(rootfs):
    listed = json.loads((rootfs / SBOM).read_text(encoding="utf-8"))
    there = {place: path for place, path in files(rootfs).items() if is_program(path)}
    sums = {one["fileName"].removeprefix("./"): {each["algorithm"]: each["checksumValue"] for each in one["checksums"]}
            for one in listed["files"]}
    if not there.keys() <= sums.keys():
        yield f"not listed: {there.keys() - sums.keys()}"
    for place, digests in sums.items():
        if hashlib.sha256((rootfs / place).read_bytes()).hexdigest() != digests["SHA256"]:
            yield f"{place} has another digest"
    ids = [one["SPDXID"] for part in ("packages", "files") for one in listed[part]] + ["SPDXRef-DOCUMENT"]
    if len(ids) != len(set(ids)):
        yield "an SPDXID is there twice"
    contained = set()
    for relation in listed["relationships"]:
        if {relation["spdxElementId"], relation["relatedSpdxElement"]} - set(ids):
            yield f"of nothing: {relation}"
        if relation["relationshipType"] == "CONTAINS":
            contained.add(relation["relatedSpdxElement"])
    if contained != {one["SPDXID"] for one in listed["files"]}:
        yield "a file is of no package"
    for one in listed["packages"]:
        if not one["versionInfo"] or not (rootfs / "usr/share/doc" / one["name"] / "copyright").exists():
            yield f"{one['name']}: no version, or no copyright"
        if one["name"] != "plimsoll":
            want = subprocess.run(["dpkg-query", "-W", "-f=${Version}\n", one["name"]], capture_output=True, text=True,
                                  check=True).stdout.split()
            if one["versionInfo"] not in want:
                yield f"{one['name']} is {one['versionInfo']}, dpkg says {want}"
    if not re.fullmatch(r"SPDX-2\.3", listed["spdxVersion"]) or not listed["documentNamespace"].startswith("https://"):
        yield "is no SPDX 2.3"


def wait(what, condition, seconds=30):
    end = time.monotonic() + seconds * SLOW
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def answers(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def runs(rootfs, folder):
    """A daemon with the embedded cluster, read-only, with its data and /tmp to write; its log is whole afterwards."""
    data, tmp, out = folder / "data", folder / "tmp", folder / "out"
    data.mkdir()
    tmp.mkdir()
    box = Sandbox(rootfs, folder / "box", {"/var/lib/plimsoll": (data, True), "/tmp": (tmp, True),
                                           "/etc/plimsoll/tour": (ROOT / "examples" / "tour", False)})
    version, _ = box.run("version")
    if "plimsoll 0." not in version:
        yield f"version: {version}"
    _, told = box.run("sim", "/etc/plimsoll/tour/scenario.yaml", "-L", "/usr/share/log", want=None)
    if "Read-only file system" not in told:
        yield f"its root can be written: {told}"
    with open(out, "wb") as file:
        process = box.start(["run", "--cloud=sim", "--data-dir=/var/lib/plimsoll/log", "--scenario=/etc/plimsoll/tour",
                             "--listen=127.0.0.1:0", "--health-listen=127.0.0.1:0", "--profile=small",
                             "--allow-any-filesystem", "--no-ballast"], stdout=file, stderr=file)
    try:
        def started():
            assert process.poll() is None, out.read_text(encoding="utf-8")[-2000:]
            rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
            return [row for row in rows if row["message"] == "started"]
        wait("started", started)
        row = started()[0]
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        if os.geteuid() == 0 and set(fields["Uid"].split()) != {str(USER)}:
            yield f"runs as {fields['Uid']}"
        if int(fields["CapEff"], 16) or int(fields["CapBnd"], 16) or fields["NoNewPrivs"] != "1":
            yield f"has rights: {fields['CapEff']} {fields['CapBnd']} {fields['NoNewPrivs']}"
        wait("ready", lambda: answers(row["health-port"], "/readyz") == "ok\n")
        wait("decides", lambda: "\nplimsoll_decisions_total" in answers(row["port"], "/metrics"))
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(60)
    if code != 0:
        yield f"exit {code} on SIGTERM"
    for words in (("log", "verify"), ("replay",)):
        box.run(*words, "-L", "/var/lib/plimsoll/log")
    if list(tmp.iterdir()):
        yield f"left behind in /tmp: {list(tmp.iterdir())}"


class Nobody(http.server.BaseHTTPRequestHandler):
    """Answers every method with 501."""

    def log_message(self, *_):
        pass


def names_and_trust(rootfs, folder):
    """What a library loads only when it is asked: the resolver, and the authorities in the file that it looks in by itself."""
    there = folder / "trust"
    there.mkdir()
    (there / "hosts").write_text("127.0.0.1 aws.test\n", encoding="ascii")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=aws.test",
                    "-addext", "subjectAltName=DNS:aws.test", "-keyout", there / "key", "-out", there / "cert"], check=True,
                   capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(there / "cert", there / "key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Nobody)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    where = f"https://aws.test:{server.server_port}"
    hosts = {"/etc/hosts": (there / "hosts", False)}
    _, told = Sandbox(rootfs, there / "one", hosts).run("summary", "--server", where, want=4)
    if "certificate" not in told:
        yield f"a stranger is trusted, or not found: {told}"
    known = {**hosts, "/etc/ssl/certs/ca-certificates.crt": (there / "cert", False)}
    _, told = Sandbox(rootfs, there / "two", known).run("summary", "--server", where, want=None)
    if "501" not in told:  # that server knows no GET
        yield f"its own authority is not trusted: {told}"
    server.shutdown()


def the_recipe_is_the_same(_):
    """The Containerfile builds with packages that ./dev knows, and ends with what rootfs.py makes and no more."""
    text = (IMAGE / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    dev = re.search(r"packages=\((.*?)\)", (ROOT / "dev").read_text(encoding="utf-8"), re.DOTALL)[1].split()
    installed = re.search(r"--no-install-recommends (.*)", text)[1].split()
    if set(installed) - set(dev):
        yield f"not in ./dev: {set(installed) - set(dev)}"
    libraries = {name for name in dev if name.startswith("lib") and name.endswith("-dev") and "clang" not in name}
    if libraries - set(installed):
        yield f"not in the Containerfile: {libraries - set(installed)}"
    last = re.split(r"^FROM ", text, flags=re.MULTILINE)[-1].splitlines()
    if last[0] != "scratch" or any(line.startswith("RUN") for line in last):
        yield f"its last stage: {last[:2]}"
    if [line for line in last if line.startswith("COPY")] != ["COPY --from=build /rootfs /"]:
        yield "its last stage copies more than the root file system"
    if f"USER {USER}:{USER}" not in last or 'ENTRYPOINT ["/usr/bin/plimsoll"]' not in last:
        yield "its last stage lacks the user or the program"


def main():
    with tempfile.TemporaryDirectory(prefix="plm-image-", dir=PLIMSOLL.parent) as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        rootfs = assemble(folder / "rootfs")
        return report([("holds the closure only", lambda: holds_the_closure_only(rootfs)),
                       ("is the same again", lambda: is_the_same_again(rootfs, folder)),
                       ("contents are listed", lambda: contents_are_listed(rootfs)),
                       ("runs read-only as nobody in particular", lambda: runs(rootfs, folder)),
                       ("finds names and trusts authorities", lambda: names_and_trust(rootfs, folder)),
                       ("the recipe is the same", lambda: the_recipe_is_the_same(rootfs))])


if __name__ == "__main__":
    sys.exit(main())
