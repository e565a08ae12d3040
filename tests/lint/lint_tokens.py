"""Words that may not stand in the code: floats, addresses and order of the library in reducers; floats
anywhere but in reports; open ends and unexplained suppressions everywhere."""
import re

from sources import c_files, code, numbered, read

PURE = ("reducers/", "src/ec2/")
# Floating point is for reports only: benchmarks and what the tools print.
INTEGER = ("src/", "store/", "reducers/", "adapters/")

CODE, TEXTS, ALL = range(3)

RULES = (
    # (folders or None, pattern, what it looks at: CODE, with TEXTS, or ALL, what is wrong)
    (INTEGER, re.compile(r"\b(?:double|float)\b"), CODE, "floating point"),
    (PURE, re.compile(r"%p\b|\bPRI\w*PTR\b"), TEXTS, "an address in a text"),
    (PURE, re.compile(r"\b(?:u?intptr_t|ptrdiff_t)\b"), CODE, "an address as a number"),
    (PURE, re.compile(r"\b(?:strcoll|strxfrm|qsort|qsort_r|bsearch|setlocale)\b"), CODE,
     "an order that is not ours"),
    # Constant data that only looks so (static const char *x) is found by the lint "purity".
    (PURE, re.compile(r"\bstatic\s+(?!inline\b|_Thread_local\b)(?!.*\bconst\b)[^();={]*(?:=|;|\[)"), CODE,
     "static mutable data"),
    (PURE, re.compile(r"\b_Thread_local\b|\b__thread\b"), CODE, "static mutable data"),
    (None, re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b"), ALL, "an open end"),
    (None, re.compile(r"\bNOLINT\w*(?!\w|\([^)]*\):|:)"), ALL, "a suppression without a reason"),
)


def check():
    for name in c_files():
        text = read(name)
        views = {CODE: code(text), TEXTS: code(text, strings=True), ALL: text}
        for folders, pattern, view, problem in RULES:
            if folders is not None and not name.startswith(folders):
                continue
            for number, line in numbered(views[view]):
                if pattern.search(line):
                    yield f"{name}:{number}: {problem}: {line.strip()}"
