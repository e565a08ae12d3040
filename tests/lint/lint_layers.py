"""Every #include against the table of allowed edges in ARCHITECTURE.md."""
import os
import re

from sources import c_files, numbered, read, root

ROW = re.compile(r"^\|\s*`(?P<folder>[^`]+)`\s*\|(?P<uses>[^|]*)\|(?P<libraries>[^|]*)\|", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"(?P<own>[^"]+)"|<(?P<system>[^>]+)>)')
NAMED = re.compile(r"`([^`]+)`")
# Headers of libraries that only some layers may see; everything else in <> is libc.
LIBRARIES = {
    "lmdb.h": "lmdb", "zstd.h": "zstd", "msgpack.h": "msgpack", "msgpack/": "msgpack",
    "cjson/": "cjson", "yaml.h": "yaml", "openssl/": "crypto", "xxhash.h": "xxhash", "uv.h": "uv", "expat.h": "expat",
    "curl/": "curl", "pthread.h": "threads", "cmocka.h": "cmocka", "microhttpd.h": "microhttpd",
    "expat.h": "expat",
}


def table():
    """folder -> (folders it may use, libraries it may use)."""
    rows = {}
    for match in ROW.finditer(read("ARCHITECTURE.md")):
        rows[match["folder"]] = (set(NAMED.findall(match["uses"])),
                                 set(NAMED.findall(match["libraries"])))
    return rows


def layer_of(path, rows):
    fitting = [folder for folder in rows if path == folder or path.startswith(folder + "/")]
    return max(fitting, key=len, default=None)


def resolve(name, spelled):
    beside = os.path.join(os.path.dirname(name), spelled)
    if name.startswith("tests/") and (root() / beside).is_file():
        return beside
    for place in (f"src/{spelled}", spelled, f"tests/lib/{spelled}"):
        if (root() / place).is_file():
            return place
    return None


def library_of(header):
    for start, library in LIBRARIES.items():
        if header == start or (start.endswith("/") and header.startswith(start)):
            return library
    return None


def check_line(name, line, layer, rows):
    found = INCLUDE.match(line)
    if found is None:
        return None
    uses, libraries = rows[layer]
    if found["system"]:
        library = library_of(found["system"])
        if library and library not in libraries:
            return f"<{found['system']}>: {layer} may not use {library}"
        return None
    target = resolve(name, found["own"])
    if target is None:
        return f'"{found["own"]}" is not spelled "layer/file.h" or does not exist'
    other = layer_of(target, rows)
    if other != layer and other not in uses:
        return f'"{found["own"]}": {layer} may not use {other}'
    return None


def check():
    rows = table()
    if not rows:
        yield "ARCHITECTURE.md: no table of edges found"
        return
    for folder in rows:
        if not (root() / folder).is_dir():
            yield f"ARCHITECTURE.md: {folder} does not exist"
    for name in c_files():
        layer = layer_of(name, rows)
        if layer is None:
            yield f"{name}: in no layer of ARCHITECTURE.md"
            continue
        for number, line in numbered(read(name)):
            problem = check_line(name, line, layer, rows)
            if problem:
                yield f"{name}:{number}: {problem}"
