"""Checks that give their findings, told as TAP."""


def report(checks):
    """TAP of (name, function); each finding that a function gives is a failure, as is an exception."""
    failed = 0
    print(f"1..{len(checks)}", flush=True)
    for number, (name, check) in enumerate(checks, 1):
        try:
            found = list(check())
        except Exception as error:  # told as this check's failure
            found = [f"{type(error).__name__}: {error}"]
        failed += bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - {name}",
              *(f"# {line}" for each in found for line in str(each).splitlines()), sep="\n", flush=True)
    return 1 if failed else 0
