#!/usr/bin/python3
"""paper.py [--quick] [--out FOLDER]: the papers' tables and figures, measured anew.
paper.py [--quick] --only YEAR:ITEM: one of them, printed, as --only 1986:table3.

Writes one Markdown file a paper, its figures as SVG, and values.json with every value of the
tables. Exit status: 0 if every measured value is the corrected one, 1 if not or if a run failed.
What the tool does not offer has no measured value, and the file says so at its end.
"""
import argparse
import pathlib
import sys

import data_1986
import data_1988
import data_1993
import data_2001
import measure
import mesh_tool
import render
import sections_1986
import sections_1988
import sections_1993
import sections_2001

PAPERS = tuple((data, sections.SECTIONS) for data, sections in (
    (data_1986, sections_1986), (data_1988, sections_1988), (data_1993, sections_1993),
    (data_2001, sections_2001)))

LEGEND = ("Printed: as it stands in the paper, with a footnote where it is wrong; `-` where the "
          "print gives no number that can still be read. Corrected: what is right. Measured: by "
          "runs of `mesh`, on QEMU nodes or simulated as the column `engine` says, every byte "
          "verified at every node; `n/a` where the tool offers no such run.")


def only(word):
    """The paper and the section that YEAR:ITEM names, as PAPERS has them."""
    year, _, item = word.partition(":")
    found = [(data, tuple(section for section in sections if section.__name__ == item))
             for data, sections in PAPERS if data.KEY.endswith(year)]
    if not year or not any(sections for _, sections in found):
        names = [f"{data.KEY[-4:]}:{section.__name__}" for data, sections in PAPERS
                 for section in sections]
        raise SystemExit(f"--only {word}: allowed: {', '.join(names)}")
    return tuple(found)


def write_papers(measurements, folder, papers=PAPERS):
    """One pass over all sections. The documents, not yet finished."""
    documents = []
    for data, sections in papers:
        measurements.begin(data.KEY)
        document = render.Document(data.KEY, data.TITLE, data.NOTES, folder)
        document.say(LEGEND)
        for section in sections:
            section(document, measurements)
        documents.append(document)
    return documents


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="n to 4, simulated; trees to n = 10")
    parser.add_argument("--out", type=pathlib.Path, default=mesh_tool.BUILD / "paper")
    parser.add_argument("--qemu-dim-max", type=int, default=measure.QEMU_DIM_MAX,
                        help="larger cubes, and networks with more nodes, are simulated")
    parser.add_argument("--only", metavar="YEAR:ITEM", help="one table or figure, printed")
    arguments = parser.parse_args()
    papers = only(arguments.only) if arguments.only else PAPERS
    if arguments.only:
        arguments.out /= "only"
    arguments.out.mkdir(parents=True, exist_ok=True)
    measurements = measure.Measurements(arguments.quick, arguments.qemu_dim_max)
    write_papers(measurements, arguments.out, papers)  # collects the jobs
    measurements.run()
    documents = write_papers(measurements, arguments.out, papers)
    render.write_values(arguments.out / "values.json", documents)
    bad = 0
    for document in documents:
        refused = measurements.without_value(document.key, measure.REFUSED)
        failed = measurements.without_value(document.key, measure.FAILED)
        file = document.finish(refused, failed)
        print(file.read_text() if arguments.only else f"{file}: {document.verdict()}")
        for line in [f"not measured: {line}" for line in refused]:
            print(f"  {line}")
        wrong = [f"{value['item']}, {value['row']}, n = {value['n']}: corrected "
                 f"{value['corrected']}, measured {value['measured']}"
                 for value in document.values if not value["good"]]
        wrong += [f"failed: {line}" for line in failed]
        for line in wrong:
            print(f"  {line}", file=sys.stderr)
        bad += len(wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
