"""The table of all that `make verify` has tried only grows, its sums are right, and a page says
them."""
import re
import shutil

import pytest
import totals


def rows_of_the_page():
    text = (totals.HERE / "README.md").read_text()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")]
             for line in text[text.index("| part | what"):].splitlines()[2:]]
    return [(part, what.strip("`"), seen, verdict) for part, what, seen, verdict in cells]


def test_each_row_has_the_sums_of_all_rows_up_to_it():
    rows = totals.known_rows()
    assert rows
    for place, row in enumerate(rows):
        counts = {name: int(row[name]) for name in totals.COUNTS}
        counts["seed"] = row["seed"]
        counts["failed"] = row["failed"].split("; ") if row["failed"] else []
        assert row == totals.next_row(rows[:place], counts, row["day"], row["commit"])


def test_the_last_row_is_the_run_that_the_table_of_the_page_shows():
    last, counts = totals.known_rows()[-1], totals.counted(rows_of_the_page())
    assert {name: int(last[name]) for name in totals.COUNTS} == {
        name: counts[name] for name in totals.COUNTS}
    assert last["seed"] == counts["seed"] and last["failed"] == "; ".join(counts["failed"])
    assert all(counts[name] for name in totals.COUNTS)


def test_the_page_of_proofs_says_the_sums():
    assert totals.sentence(totals.known_rows()) in totals.PAGE.read_text()


def test_a_run_adds_a_row_and_leaves_the_others(tmp_path):
    table, page = tmp_path / "totals.csv", tmp_path / "PROVED.md"
    shutil.copy(totals.TABLE, table)
    shutil.copy(totals.PAGE, page)
    before = totals.known_rows(table)
    totals.add([("schedules of whole kernels", "120 s", "soak from seed 7: 10 schedules (4 of the "
                 "3-cube), 300 hops, 2 steps; 1 failed; soak --seed 99", "FAILED"),
                ("admission", "cube 2", "5 states, 9 rules", "ok"),
                ("mutant of the link", "x", "not found", "FAILED"),
                ("every fault of single frames", "cube:3", "1,000 runs, 0 failed", "ok")],
               table, page)
    after = totals.known_rows(table)
    assert after[:-1] == before
    last = after[-1]
    assert [last[name] for name in totals.COUNTS] == ["10", "300", "5", "1000"]
    assert last["seed"] == "7" and last["failed"] == "99; mutant of the link: x"
    assert int(last["all_schedules"]) == int(before[-1]["all_schedules"]) + 10
    assert int(last["all_failed"]) == int(before[-1]["all_failed"]) + 2
    assert totals.sentence(after) in page.read_text()
    assert totals.sentence(before) not in page.read_text()


def test_a_page_that_says_other_sums_is_not_written_over(tmp_path):
    table, page = tmp_path / "totals.csv", tmp_path / "PROVED.md"
    shutil.copy(totals.TABLE, table)
    page.write_text(re.sub(r"\d+ states explored", "0 states explored", totals.PAGE.read_text()))
    with pytest.raises(ValueError, match="does not say"):
        totals.add([], table, page)
    assert table.read_text() == totals.TABLE.read_text()
