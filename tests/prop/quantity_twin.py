"""Quantities against a second implementation with exact fractions, on seeded random texts.

usage: quantity_twin.py PROBE. PLM_SEED repeats a run; PLM_COUNT sets how many texts.
"""
import os
import random
import re
import subprocess
import sys
from fractions import Fraction

TOP = 2**63 - 1
SUFFIX = {"": 1, "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000)}
SUFFIX.update({name: 1000 ** (i + 1) for i, name in enumerate("kMGTPE")})
SUFFIX.update({name + "i": 1024 ** (i + 1) for i, name in enumerate("KMGTPE")})
FORM = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([eE])([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)")


def expected(text):
    found = FORM.fullmatch(text)
    if found is None or len(text) > 64:
        return "refused"
    sign, digits, is_exponent, exponent, suffix = found.groups()
    whole, _, fraction = digits.partition(".")
    value = Fraction(int((whole + fraction) or "0"), 10 ** len(fraction))
    if is_exponent:
        power = max(min(int(exponent), 500), -500)
        value *= Fraction(10) ** power
    else:
        value *= SUFFIX[suffix or ""]
    out = []
    for scale in (1, 10**3, 10**9):
        scaled = value * scale
        up = min(-(-scaled.numerator // scaled.denominator), TOP)
        out.append(str(-up if sign == "-" else up))
    return " ".join(out)


def digits(rng, most):
    return "".join(rng.choice("0123456789") for _ in range(rng.randint(1, most)))


def number(rng):
    most = rng.choice([1, 3, 9, 19, 30])
    text = rng.choice(["", "", "", "-", "+"])
    form = rng.randrange(4)
    if form == 0:
        return text + digits(rng, most)
    if form == 1:
        return text + digits(rng, most) + "."
    if form == 2:
        return text + "." + digits(rng, most)
    return text + digits(rng, most) + "." + digits(rng, most)


def near_the_top(rng):
    suffix = rng.choice(list(SUFFIX))
    value = Fraction(TOP + rng.randint(-3, 3)) / SUFFIX[suffix] / rng.choice([1, 1000, 10**9])
    return f"{value.numerator * 10**6 // value.denominator}e-6" if not suffix else (
        f"{value.numerator // value.denominator}{suffix}")


def one(rng):
    kind = rng.randrange(10)
    if kind == 0:
        return "".join(rng.choice("0123456789.+-eEinumkKMGTP ") for _ in range(rng.randint(0, 9)))
    if kind == 1:
        return near_the_top(rng)
    if kind in (2, 3):
        return number(rng) + rng.choice("eE") + rng.choice(["", "+", "-"]) + digits(rng, 3)
    return number(rng) + rng.choice(list(SUFFIX))


def main():
    seed = os.environ.get("PLM_SEED", "1")
    rng = random.Random(seed)
    texts = [one(rng) for _ in range(int(os.environ.get("PLM_COUNT", "50000")))]
    ran = subprocess.run([sys.argv[1]], input="\n".join(texts) + "\n", capture_output=True,
                         text=True, check=True)
    have = ran.stdout.splitlines()
    wrong = [(t, expected(t), h) for t, h in zip(texts, have) if expected(t) != h]
    refused = have.count("refused")
    print(f"1..1\n# PLM_SEED={seed}: {len(texts)} texts, {refused} refused")
    for text, want, got in wrong[:10]:
        print(f"# {text!r}: want {want}, have {got}")
    good = not wrong and len(have) == len(texts) and refused < len(texts) / 2
    print(("" if good else "not ") + "ok 1 - quantities are as fractions say")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
