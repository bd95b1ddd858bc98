"""A row of `make bench` that fails is told with its command and why; the others are printed."""
import json

import bench

REPORT = json.dumps({"hops": 600, "wall_s": 3, "nodes": 2, "boot": "exec", "op": "bcast",
                     "boot_s": 1, "cable_bytes": 1})


def script(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def build_of(folder):
    """One in which nothing of 64 nodes and 64 bytes forwards, and nothing forks."""
    (folder / "boards.txt").write_text("one a board\n")
    script(folder / "host/bench/bare_rig",
           '[ "$2 $3" != "6 64" ] || { echo "node 20 does not answer" >&2; exit 1; }; echo 400')
    script(folder / "host/mesh", f"case $* in *fork*) echo no such way; exit 3;; esac\n"
                                 f"cat >\"$3\" <<'END'\n{REPORT}\nEND")
    return folder


def test_a_row_that_fails_is_told_and_all_others_are_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(bench, "failed", [])
    build = build_of(tmp_path)
    bench.print_forwarding(build, [1, 6], 1, 2)
    bench.print_boot(build, [4], [])
    assert bench.verdict(more=False) == 2
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split()[:2] for line in lines if line.split()[2:3] == ["400"]]
    assert rows == [["2", "64"], ["2", "1024"], ["64", "1024"]]
    at = lines.index("forwarding 64 64: failed")
    assert lines[at + 1].endswith("bare_rig " + str(build / "one/bare_forwarder.elf") + " 6 64 1")
    assert lines[at + 2] == "  node 20 does not answer"
    assert "  no such way" in lines
    assert lines[-1] == "2 rows failed: forwarding 64 64; boot fork --dim 4 bcast"


def test_the_status_says_whether_rows_failed_or_counts_grew(capsys, monkeypatch):
    monkeypatch.setattr(bench, "failed", [])
    assert [bench.verdict(more=False), bench.verdict(more=True)] == [0, 1]
    assert not capsys.readouterr().out
