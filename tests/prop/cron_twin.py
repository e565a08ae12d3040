"""Schedules against a second implementation that walks the calendar, on seeded random texts.

usage: cron_twin.py PROBE. PLM_SEED repeats a run; PLM_COUNT sets how many schedules.
"""
import datetime
import os
import random
import subprocess
import sys

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
DAYS = "sun mon tue wed thu fri sat".split()
BOUNDS = [(0, 59, []), (0, 23, []), (1, 31, []), (1, 12, MONTHS), (0, 6, DAYS)]
MACROS = {"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
          "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *"}
EPOCH = datetime.datetime(1970, 1, 1)
ONE_DAY = datetime.timedelta(days=1)


def value(text, low, high, names):
    number = names.index(text.lower()) + low if text.lower() in names else int(text)
    if not (text.isdigit() or text.lower() in names) or not low <= number <= high:
        raise ValueError(text)
    return number


def field(text, low, high, names):
    """The set of values, and whether it is a star."""
    values, star = set(), False
    for part in filter(None, text.split(",")):
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        every = int(step) if slash else 1
        if every < 1 or (slash and not step.isdigit()):
            raise ValueError(part)
        if first in ("*", "?"):
            begin, end, star = low, high, star or every == 1
        else:
            begin = value(first, low, high, names)
            end = value(last, low, high, names) if dash else (high if slash else begin)
        if begin > end:
            raise ValueError(part)
        values |= set(range(begin, end + 1, every))
    if not values:
        raise ValueError(text)
    return values, star


def following(after, schedule):
    """The first hit after 'after' (minutes since 1970): day by day, then minute by minute."""
    texts = MACROS.get(schedule, schedule).split()
    if len(texts) != 5:
        raise ValueError(schedule)
    minute, hour, day, month, weekday = (field(t, *b) for t, b in zip(texts, BOUNDS))
    start = EPOCH + datetime.timedelta(minutes=after + 1)
    at = start.replace(hour=0, minute=0)
    while at.year <= start.year + 5:
        by_day, by_weekday = at.day in day[0], at.isoweekday() % 7 in weekday[0]
        right = by_day and by_weekday if day[1] or weekday[1] else by_day or by_weekday
        if right and at.month in month[0]:
            for h in sorted(hour[0]):
                for m in sorted(minute[0]):
                    hit = at.replace(hour=h, minute=m)
                    if hit >= start:
                        return str(int((hit - EPOCH).total_seconds()) // 60)
        at += ONE_DAY
    return "never"


def expected(after, schedule):
    try:
        return following(after, schedule)
    except ValueError:
        return "refused"


def random_value(rng, low, high, names):
    if names and rng.random() < 0.4:
        name = rng.choice(names)
        return rng.choice([name, name.upper(), name.title()])
    return str(rng.randint(low, high + (1 if rng.random() < 0.02 else 0)))


def random_part(rng, low, high, names):
    kind = rng.randrange(8)
    if kind < 3:
        return "*" if rng.random() < 0.95 else "?"
    if kind < 5:
        return random_value(rng, low, high, names)
    if kind == 5:
        a, b = sorted(rng.randint(low, high) for _ in range(2))
        return f"{a}-{b}" + (f"/{rng.randint(1, 9)}" if rng.random() < 0.4 else "")
    if kind == 6:
        return f"*/{rng.randint(1, 12) if rng.random() < 0.97 else 0}"
    return f"{random_value(rng, low, high, names)}/{rng.randint(1, 9)}"


def one(rng):
    if rng.random() < 0.05:
        return rng.choice(list(MACROS) + ["@every 1h", "@never", "", "0 0 30 2 *", "5 4 31 feb,4,jun ?"])
    texts = [",".join(random_part(rng, *bound) for _ in range(rng.choice([1, 1, 1, 2, 3]))) for bound in BOUNDS]
    if rng.random() < 0.03:
        texts = texts[:-1] if rng.random() < 0.5 else texts + ["*"]
    if rng.random() < 0.03:
        texts[rng.randrange(len(texts))] = "".join(rng.choice("0123456789*/-,?jan") for _ in range(rng.randint(1, 5)))
    return rng.choice([" ", "  "]).join(texts)


def main():
    seed = os.environ.get("PLM_SEED", "1")
    rng = random.Random(seed)
    rows = [(rng.randrange(0, 80 * 365 * 1440), one(rng)) for _ in range(int(os.environ.get("PLM_COUNT", "3000")))]
    ran = subprocess.run([sys.argv[1]], input="".join(f"{a} {s}\n" for a, s in rows), capture_output=True, text=True,
                         check=True)
    have = ran.stdout.splitlines()
    wrong = [(row, expected(*row), h) for row, h in zip(rows, have) if expected(*row) != h]
    refused, never = have.count("refused"), have.count("never")
    print(f"1..1\n# PLM_SEED={seed}: {len(rows)} schedules, {refused} refused, {never} never")
    for row, want, got in wrong[:10]:
        print(f"# {row!r}: want {want}, have {got}")
    good = not wrong and len(have) == len(rows) and refused < len(rows) / 3 and never > 0
    print(("" if good else "not ") + "ok 1 - schedules hit when the calendar says")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
