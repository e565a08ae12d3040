"""Calls that are banned, or that belong to one layer only."""
import re

from sources import c_files, code, numbered, read

# Banned everywhere, with what to use instead.
NEVER = {
    "strcpy|strcat|strncpy|strncat|stpcpy": "copy with a size: memcpy, struct plm_slice",
    "sprintf|vsprintf": "snprintf",
    "strtok|strtok_r": "struct plm_slice",
    "atoi|atol|atoll|atof|strtod|strtof": "a parser that says what is wrong",
    "gets|scanf|fscanf|sscanf": "a parser that says what is wrong",
    "rand|srand|random|srandom|rand_r|drand48": "a seed that comes from outside",
    "asctime|ctime|localtime|gmtime|localtime_r|mktime|strftime|strptime": "integers: no time zone",
    "setlocale|strcoll|strxfrm": "bytes: no locale",
    "qsort|qsort_r": "plm_sort: a total order",
    "alloca": "an arena",
    "tmpnam|tempnam|mktemp": "mkstemp",
    "system|popen": "no shell",
    "signal": "sigaction",
}
# Who alone may call what: a pattern of names, the folders (or files) that may.
WIRING = ("src/main.c", "src/access", "src/announce", "src/clock", "src/cloud", "src/cluster", "src/compare",
          "src/config",
          "src/engine_thread", "src/follower",
          "src/handover", "src/hold", "src/jsonlog", "src/kid", "src/loop", "src/metrics", "src/question",
          "src/resume", "src/ring", "src/room", "src/run", "src/serve", "src/settings",
          "src/snapshot_worker", "src/timing", "src/verb", "src/web", "src/world")
OUTSIDE = ("tools/", "tests/") + WIRING
OWNED = (
    (r"mdb_\w+", ("store/", "tests/")),
    (r"ZSTD_\w+", ("store/", "tests/")),
    (r"msgpack_\w+", ("src/codec/", "tests/")),
    (r"(?:EVP|SHA256|SHA1|OPENSSL|HMAC)_\w+|XXH\w+", ("src/hash/", "adapters/http/tls.c", "tests/")),
    (r"cJSON_\w+", ("adapters/manifest/", "adapters/catalog/", "adapters/ec2/", "adapters/kube/", "tools/",
                     "tests/")),
    (r"yaml_\w+", ("adapters/manifest/", "adapters/ec2/", "tests/")),
    (r"uv_\w+", ("adapters/ec2/", "adapters/http/", "adapters/kube/", "tools/remote", "tests/") + WIRING),
    (r"curl_\w+", ("adapters/http/", "tests/")),
    (r"pthread_\w+|thrd_\w+|mtx_\w+", ("src/engine/", "src/hash/", "tests/") + WIRING),
    # The store reads in a child process and bounds how long a read transaction lives.
    (r"clock_gettime", ("store/lmdb_read.c", "store/log_lmdb.c") + OUTSIDE),
    (r"time|clock|gettimeofday|nanosleep|usleep|sleep|timer_\w+|alarm", OUTSIDE),
    (r"getrandom|getentropy|arc4random\w*", OUTSIDE),
    (r"getenv|secure_getenv|setenv|putenv", OUTSIDE),
    (r"_exit", ("store/guard.c", "store/child_read.c") + OUTSIDE),
    (r"exit|_Exit", OUTSIDE),
    (r"abort", ("src/core/base.c", "store/lmdb_env.c")),
    (r"printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror|dprintf", ("src/core/base.c",) + OUTSIDE),
    (r"socket|connect|bind|listen|accept|getaddrinfo", ("adapters/http/", "tests/") + WIRING),
    (r"send|recv|socketpair", ("adapters/http/", "store/guard.c", "store/child_read.c", "tests/") + WIRING),
    (r"malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|vasprintf",
     ("src/codec/", "src/engine/", "src/hash/", "src/core/", "store/", "adapters/") + OUTSIDE),
    (r"snprintf|vsnprintf",
     ("src/", "store/", "adapters/") + OUTSIDE),
)


def compiled():
    for names, instead in NEVER.items():
        yield re.compile(rf"(?<![\w.>])({names})\s*\("), (), f"banned, use {instead}"
    for names, homes in OWNED:
        yield re.compile(rf"(?<![\w.>])({names})\s*\("), homes, "not in this folder"


def check():
    rules = list(compiled())
    for name in c_files():
        for number, line in numbered(code(read(name))):
            for pattern, homes, problem in rules:
                found = pattern.search(line)
                if found and not name.startswith(homes):
                    yield f"{name}:{number}: {found.group(1)}(): {problem}"
