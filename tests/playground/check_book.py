#!/usr/bin/python3
"""The book in headless Chromium, read as a student reads it: check_book.py BOOK.html

From file://, without a network: each moment opens in the book, runs what it names, and closes.
Ends with "N passed, N failed".
"""
import pathlib
import sys
import tempfile

from check_page import judged, seen_in

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "host-tools" / "playground"))
import book  # noqa: E402  pylint: disable=wrong-import-position

ADDRESSES = [address for *_, address in book.MOMENTS]


def verdicts(seen):
    return {moment["address"]: moment["verdict"] for moment in seen["moments"]}


CLAIMS = {
    "nothing goes wrong": lambda seen: "error" not in seen and seen["from"] == "file:",
    "every moment opens, and closes": lambda seen: [
        moment["address"] for moment in seen["moments"]] == ADDRESSES and all(
            moment["expanded"] == "true" and moment["closed"] for moment in seen["moments"]),
    "Space opens and closes, and Ctrl-click is the browser's": lambda seen:
        seen["keys"] == [True] * 5,
    "each is the run that it names": lambda seen: all(
        "nodes verified" in words for words in verdicts(seen).values()),
    "a dead node is left out": lambda seen:
        "3 nodes verified" in verdicts(seen)["dim=2&packets=2&kill=2"],
    "one moment asks": lambda seen: [moment["address"] for moment in seen["moments"]
                                     if moment["asks"] == "true"] == ["ask=1"],
    "one has two runs beside each other": lambda seen: [
        "beside=" in moment["address"] for moment in seen["moments"]] == [
            all(moment["names"]) for moment in seen["moments"]],
    "nothing sticks out on the right": lambda seen: seen["overhang"] <= 0 and all(
        moment["wide"] <= 0 for moment in seen["moments"]),
}


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        seen = seen_in(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder), 1280, "reader.js")
    return judged(seen, CLAIMS)


if __name__ == "__main__":
    sys.exit(main())
