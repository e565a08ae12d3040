"""Files of at most 1,000 lines, functions of at most 70 lines and 6 parameters."""
import re

from sources import c_files, code, read

FILE_LINES = 1000
FUNCTION_LINES = 70
PARAMETERS = 6
GIVEN = "NOLINTNEXTLINE(readability-function-size):"
NAME = re.compile(r"(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*$", re.DOTALL)


def functions(text):
    """(name, first line, last line, parameters) of each function: its braces stand in column 0."""
    lines = code(text).split("\n")
    start = None
    for number, line in enumerate(lines):
        if line == "{":
            start = number
        elif line.startswith("}") and start is not None:
            head = start
            while head > 0 and lines[head - 1] and not lines[head - 1].startswith(("}", "#", ";")) \
                    and not lines[head - 1].endswith((";", "}")):
                head -= 1
            found = NAME.search("\n".join(lines[head:start]))
            if found:
                inner = re.sub(r"\([^()]*\)", "", found[2])
                parameters = 0 if inner.strip() in ("", "void") else inner.count(",") + 1
                yield found[1], head + 1, number + 1, parameters
            start = None


def given(text, first):
    """Somebody else's signature, suppressed with a reason on the line above."""
    return GIVEN in text.split("\n")[first - 2]


def check():
    for name in c_files():
        text = read(name)
        lines = text.count("\n")
        if lines > FILE_LINES:
            yield f"{name}: {lines} lines, at most {FILE_LINES}"
        for function, first, last, parameters in functions(text):
            if last - first + 1 > FUNCTION_LINES:
                yield f"{name}:{first}: {function}: {last - first + 1} lines, at most {FUNCTION_LINES}"
            if parameters > PARAMETERS and not given(text, first):
                yield f"{name}:{first}: {function}: {parameters} parameters, at most {PARAMETERS}"
