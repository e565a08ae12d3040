"""What the reducers call: symbols of both release builds, floats, recursion, mutable data.

check(BUILD...): each BUILD holds reducers/libplm_reducers.a and src/core/libplm_core.a; src/ec2 is looked
at as a part of the reducers. The sources are
compiled once more by gcc with -mgeneral-regs-only, which refuses any floating point, and
-fcallgraph-info, which says who calls whom.
"""
import collections
import pathlib
import re
import subprocess
import tempfile

from sources import c_files, root

ALLOWED = {
    "memcpy", "memmove", "memset", "memcmp", "strlen", "bcmp",  # clang makes memcmp() == 0 bcmp()
    "__divti3", "__udivti3", "__modti3", "__umodti3", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_",
}
# Of core, what makes and ends arenas is the caller's business.
NOT_FOR_REDUCERS = {"plm_arena_init", "plm_arena_fini"}
MUTABLE = re.compile(r"^(?:\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*)")
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')


def run(*args, cwd=None):
    return subprocess.run(args, capture_output=True, text=True, check=False, cwd=cwd)


def build_fixture(tree, folder):
    """The release libraries of a fixture, by both compilers."""
    builds = []
    for compiler in ("gcc", "clang-19"):
        for layer, library in (("reducers", "reducers"), ("src/core", "core")):
            out = pathlib.Path(folder) / compiler / layer
            out.mkdir(parents=True)
            for source in sorted((tree / layer).glob("*.c")):
                run(compiler, "-O2", "-fPIC", "-c", str(source), cwd=out)
            run("ar", "rcs", f"libplm_{library}.a", *(path.name for path in out.glob("*.o")), cwd=out)
        builds.append(pathlib.Path(folder) / compiler)
    return builds


def symbols(library, flag):
    out = run("nm", flag, "--format=posix", str(library)).stdout
    return {line.split()[0] for line in out.splitlines() if line and not line.endswith(":")}


def sections(library):
    """(symbol, section) of everything the library defines."""
    for line in run("objdump", "-t", str(library)).stdout.splitlines():
        found = re.match(r"^[0-9a-f]+ .{7} (\S+)\s+[0-9a-f]+ (?:\.hidden )?(\S+)$", line)
        if found:
            yield found[2], found[1]


def check_symbols(build):
    reducers = pathlib.Path(build) / "reducers/libplm_reducers.a"
    ec2 = pathlib.Path(build) / "src/ec2/libplm_ec2.a"
    core = pathlib.Path(build) / "src/core/libplm_core.a"
    if not reducers.is_file() or not core.is_file():
        yield f"{build}: the libraries are not built; ./dev lint builds both compilers'"
        return
    pure = [reducers] + ([ec2] if ec2.is_file() else [])
    allowed = ALLOWED | (symbols(core, "--defined-only") - NOT_FOR_REDUCERS)
    for library in pure:
        allowed |= symbols(library, "--defined-only")
    for library in pure:
        for name in sorted(symbols(library, "-u") - allowed):
            yield f"{build}: reducers use {name}"
        for name, section in sections(library):
            if MUTABLE.match(section) and not name.startswith("."):
                yield f"{build}: reducers have mutable data: {name} in {section}"


def compile_all(names, folder):
    """Objects that did not compile, and the call graph of those that did."""
    base = root()
    graph = collections.defaultdict(set)
    errors = []
    for number, name in enumerate(names):
        done = run("gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O0", "-mgeneral-regs-only",
                   "-fcallgraph-info", "-I", str(base / "src"), "-I", str(base), "-c",
                   str(base / name), "-o", f"{number}.o", cwd=folder)
        if done.returncode:
            first = [line for line in done.stderr.splitlines() if "error:" in line]
            errors.append(f"{name}: {first[0] if first else done.stderr.strip()}")
        graph_file = pathlib.Path(folder) / f"{number}.ci"
        if graph_file.is_file():
            for caller, callee in EDGE.findall(graph_file.read_text(encoding="utf-8")):
                graph[caller].add(callee)
    return errors, graph


def cycle_through(start, graph):
    """A shortest path from 'start' back to itself, or None."""
    queue = collections.deque([(start, (start,))])
    seen = set()
    while queue:
        at, path = queue.popleft()
        for callee in sorted(graph.get(at, ())):
            if callee == start:
                return path
            if callee not in seen:
                seen.add(callee)
                queue.append((callee, path + (callee,)))
    return None


def check(*builds):
    for build in builds:
        yield from check_symbols(build)
    names = [name for name in c_files() if name.startswith(("reducers/", "src/ec2/")) and name.endswith(".c")]
    with tempfile.TemporaryDirectory() as folder:
        errors, graph = compile_all(names, folder)
    yield from errors
    told = set()
    for start in sorted(graph):
        path = cycle_through(start, graph)
        if path and frozenset(path) not in told:
            told.add(frozenset(path))
            yield "recursion: " + " -> ".join(part.split(":")[-1] for part in path + (start,))
