"""All that `make verify` has tried so far: totals.csv, a table that only grows.

Each run adds a row: what it has tried, then the sums of all rows up to it. So a row that is changed
or taken out is seen (test_totals.py), and PROVED.md has the last sums. Explorations of a known
space count each time; schedules come from another seed each time.
"""
import csv
import datetime
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "totals.csv"
PAGE = HERE.parents[1] / "PROVED.md"
COUNTS = ("schedules", "hops", "states", "runs")
FIELDS = ("run", "day", "commit", "seed", *COUNTS, "failed", *(f"all_{name}" for name in COUNTS),
          "all_failed")
# Of the rows of a run: how many schedules, hops, states there were, and runs with chosen faults.
# Up to the third run there were models named `protocol of a cable` and `admission`, too.
PARTS = {"two ends of a cable": "states", "protocol of a cable": "states", "admission": "states",
         "mailbox": "states",
         "kernels that storm each other": "states", "every fault of single frames": "runs",
         "sets of faults that copies survive": "sets"}


def number(words, what):
    found = re.search(rf"([\d,]+) {what}\b", words)
    return int(found[1].replace(",", "")) if found else 0


def counted(rows):
    """What a run of `make verify` has tried, from rows of part, what, seen and verdict."""
    counts = dict.fromkeys(COUNTS, 0) | {"seed": "", "failed": []}
    for part, what, seen, verdict in rows:
        if part == "schedules of whole kernels":
            counts["schedules"] += number(seen, "schedules")
            counts["hops"] += number(seen, "hops")
            counts["seed"] = (re.findall(r"from seed (\d+)", seen) or [""])[0]
            counts["failed"] += re.findall(r"--seed (\d+)", seen)
        elif part in PARTS:
            name = "states" if PARTS[part] == "states" else "runs"
            counts[name] += number(seen, PARTS[part])
        if verdict != "ok" and not (part == "schedules of whole kernels" and counts["failed"]):
            counts["failed"].append(f"{part}: {what}")
    return counts


def known_rows(table=TABLE):
    with table.open() as file:
        return list(csv.DictReader(file))


def next_row(before, counts, day, commit):
    """The row of a run behind those `before` it."""
    sums = before[-1] if before else {f"all_{name}": 0 for name in (*COUNTS, "failed")}
    row = {"run": len(before) + 1, "day": day, "commit": commit, "seed": counts["seed"],
           **{name: counts[name] for name in COUNTS}, "failed": "; ".join(counts["failed"]),
           **{f"all_{name}": int(sums[f"all_{name}"]) + counts[name] for name in COUNTS},
           "all_failed": int(sums["all_failed"]) + len(counts["failed"])}
    return {name: str(value) for name, value in row.items()}


def sentence(rows):
    """What PROVED.md says of all runs."""
    last = rows[-1]
    runs = f"{last['run']} run" + ("" if last["run"] == "1" else "s")
    schedules, hops, states, chosen = (f"{int(last[f'all_{name}']):,}" for name in COUNTS)
    table = "[verify/model/totals.csv](verify/model/totals.csv)"
    return (f"In {runs} of `make verify` ({table}): {schedules} "
            f"schedules with {hops} hops,\n{states} states explored, {chosen} runs with chosen "
            f"faults; {int(last['all_failed']):,} failed.\n")


def current_commit():
    try:
        done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, text=True,
                              capture_output=True, timeout=60)
        return done.stdout.strip() or "-"
    except OSError:
        return "-"


def add(rows, table=TABLE, page=PAGE):
    """Adds a run of these rows to the table, and says the sums on the page."""
    before = known_rows(table)
    day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    after = [*before, next_row(before, counted(rows), day, current_commit())]
    text = page.read_text()
    said = sentence(before)
    if said not in text:
        raise ValueError(f"{page.name} does not say what {table.name} has: {said}")
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(after)
    page.write_text(text.replace(said, sentence(after)))
