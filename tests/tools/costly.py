"""Families of cases that cost much: `costly.py [--save] [JUNIT]`, after `make test-all`.

A family is the cases of one test function, of GoogleTest the claims of one suite, of the table of
formulas the cases of one of its functions on one engine. Prints those that
together take more than some seconds of a processor, the most expensive first, as tests/costly.csv
has them; --save writes them there. `make test` runs the same few of each of them every time
(tests/conftest.py), `make test-all` all of them.
"""
import argparse
import collections
import csv
import io
import pathlib
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/costly.csv"
COSTLY_S = 10
PRICE = "processor_s" # of a case, in junit.xml
# Runs whole though it is not cheap: a breach of a rule is told on the day on which it is written.
ALWAYS = {"test_house.py::test_sources_keep_the_rules_of"}


def family_of(file, name):
    """For a file below tests/ and the name of a case in it, as pytest has them."""
    function, _, case = name.partition("[")
    if function == "test_claim": # kernel.Calls.NeverMix: the program, the suite, the claim
        function = case.rsplit(".", 1)[0]
    if function == "test_steps_are_those_of_the_formula": # broadcasts_sim-1-sbt-all
        function += f".{case.rstrip(']').partition('-')[0]}"
    return f"{file}::{function}"


def load():
    """{family: seconds of a processor for one of its cases}"""
    with TABLE.open(newline="") as table:
        return {row["family"]: float(row["seconds"]) / int(row["cases"])
                for row in csv.DictReader(table)}


def costly(junit):
    """Rows of the table: family, cases, seconds."""
    seconds = collections.defaultdict(list)
    for case in xml.etree.ElementTree.parse(junit).iter("testcase"):
        file = case.get("classname").replace(".", "/") + ".py"
        price = case.find(f"properties/property[@name='{PRICE}']")
        if price is not None: # a case that was skipped has none
            seconds[family_of(file, case.get("name"))].append(float(price.get("value")))
    rows = [(family, len(each), round(sum(each))) for family, each in seconds.items()
            if sum(each) > COSTLY_S and family not in ALWAYS]
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("junit", nargs="?", default=ROOT / "build/test-logs/junit.xml")
    parser.add_argument("--save", action="store_true")
    words = parser.parse_args()
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("family", "cases", "seconds"))
    table.writerows(costly(words.junit))
    if words.save:
        TABLE.write_text(text.getvalue())
    print(text.getvalue(), end="")


if __name__ == "__main__":
    main()
