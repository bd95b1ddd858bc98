"""What a person at a terminal sees: progress, --live, the table, lists, and the last line."""
import fcntl
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import termios

import pytest

from mesh_tool import MESH, ROOT, mesh, refused

SIM = ["run", "--engine", "sim"]
LIVE = [*SIM, "--dim", 8, "--op", "bcast", "--packet", 16, "--faults", "drop:0.001", "--live"]
NEXT_PICTURE = r"\x1b\[\d+A\x1b\[J"
SIGNS = r"(?<= )[.#x1-9](?= |$)"


def on_terminal(*words, columns=80, rows=24, out=subprocess.DEVNULL, until=None):
    """Exit status, and what was written to a terminal of this size. `out` is standard output; None
    for the terminal. A run that is long ends, as by Ctrl-C, when `until` is there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    command = ["env", "--default-signal=INT", MESH, *words]
    with subprocess.Popen(list(map(str, command)), stdout=theirs if out is None else out,
                          stderr=theirs, stdin=subprocess.DEVNULL, cwd=ROOT) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
                if until and re.search(until, shown.decode(errors="replace")):
                    process.send_signal(signal.SIGINT)
                    until = None
        except OSError: # the other end is closed
            pass
        os.close(ours)
        status = process.wait()
    return status, shown.decode().replace("\r\n", "\n")


def pictures(*words, **size):
    """Exit status, and the pictures that stood there one after the other: without the lines of
    progress that a slow machine shows, and wipes, before the first of them."""
    status, shown = on_terminal(*words, **size)
    return status, re.split(NEXT_PICTURE, re.sub(r"\r[^\r\n]*\x1b\[K", "", shown))


def screen(text, columns):
    """The lines that a terminal of so many columns shows after this text."""
    lines, row, column = [""], 0, 0
    for move, sign in re.findall(r"(\x1b\[\d*[AJK])|(.)", text, re.S):
        if move.endswith("A"):
            row = max(0, row - int(move[2:-1]))
        elif move.endswith("J"):
            lines = lines[:row] + [lines[row][:column]]
        elif move.endswith("K"):
            lines[row] = lines[row][:column]
        elif sign == "\r":
            column = 0
        else:
            if sign == "\n" or column == columns:
                row, column = row + 1, 0
                lines += [""] * (row + 1 - len(lines))
            if sign != "\n":
                lines[row] = lines[row][:column].ljust(column) + sign + lines[row][column + 1:]
                column += 1
    return lines


# --- progress ---

FORESEEN = [(topology, op) for topology in ("cube", "uhc", "star")
            for op in "bcast scatter gather reduce allreduce allgather alltoall sort fft".split()
            if topology != "star" or op not in ("sort", "fft")]


@pytest.mark.parametrize("dim", [3, 4])
@pytest.mark.parametrize("topology, op", FORESEEN)
def test_the_packets_that_are_foreseen_are_those_that_go(topology, op, dim):
    job = [*SIM, "--topology", topology, "--dim", dim, "--op", op]
    traffic = re.search(r"^traffic +(.*)$", mesh(*job, "--dry-run").out, re.M)[1]
    _, (*_, last) = pictures(*job, "--live")
    went = re.search(r"^ended: (\d+) packets?, ", last, re.M)[1]
    assert traffic in ("not known beforehand", f"{went} packets over links"), last


def test_progress_has_a_percentage_only_where_it_means_something():
    job = [*SIM, "--dim", 8, "--packet", 16, "--bytes", 1 << 20, "--op"]
    line = r"running: \d+ packets of \d+ \((\d+) %\)"
    _, shown = on_terminal(*job, "bcast", until=line)
    parts = [int(part) for part in re.findall(line, shown)]
    assert parts and parts == sorted(parts) and parts[0] < 50, parts
    job[job.index("--bytes") + 1], job[job.index("--dim") + 1] = 4096, 6
    line = r"running: \d+ packets, \d+ of 64 nodes done"
    _, shown = on_terminal(*job, "alltoall", until=line)
    assert re.search(line, shown) and "%" not in shown


def test_a_line_of_progress_takes_one_row_however_narrow_the_terminal():
    job = [*SIM, "--dim", 8, "--packet", 16, "--bytes", 1 << 20, "--op", "bcast"]
    status, shown = on_terminal(*job, columns=30, until="running: ")
    assert status == 130 and "running: " in shown
    assert [line for line in screen(shown.split("mesh: ")[0], 30) if line] == [], shown


# --- --live ---

def test_live_needs_a_terminal():
    refused(mesh(*LIVE, "--bytes", 8192), "terminal")


@pytest.mark.parametrize("columns, rows", [(80, 24), (60, 24), (40, 12), (24, 50), (200, 60)])
def test_live_pictures_replace_each_other_and_fit_the_terminal(columns, rows):
    status, shown = pictures(*LIVE, "--bytes", 1 << 20, columns=columns, rows=rows,
                             until=f"(?s){NEXT_PICTURE}.*{NEXT_PICTURE}")
    assert status == 130 and len(shown) > 1, shown
    for picture in shown[:-1]:
        lines = picture.splitlines()
        assert len(lines) < rows and max(map(len, lines)) <= columns
        assert re.search(r"^rate +\d+ packets", picture, re.M) # a narrow terminal cuts the rest
        signs = len(re.findall(SIGNS, "\n".join(lines[5:-1]), re.M))
        assert signs == 256 if columns >= 60 and rows >= 24 else 256 % signs == 0 and signs >= 32


@pytest.mark.parametrize("columns", [60, 24])
def test_live_pictures_leave_no_rubbish(columns):
    _, shown = on_terminal(*LIVE, "--bytes", 1 << 20, columns=columns, until=NEXT_PICTURE)
    lines = screen(shown, columns)
    assert sum(line.startswith("rate") for line in lines) == 1, "\n".join(lines)


def test_the_last_live_picture_stays_however_short_the_run_was():
    status, (*_, last) = pictures(*LIVE, "--bytes", 8192)
    assert status == 0, last
    assert re.search(r"^ended: \d+ packets, 256 of 256 nodes done$", last, re.M), last
    assert re.findall(SIGNS, "\n".join(last.splitlines()[5:-1]), re.M) == 256 * ["#"]


def test_live_tells_faults_of_cables_and_nodes_from_those_of_frames():
    _, (*_, last) = pictures(*SIM, "--dim", 3, "--op", "bcast", "--faults", "kill:2", "--live")
    assert "nodes   7 done, 1 gone, of 8; cuts, kills and the like so far: 1\n" in last, last


# --- the table ---

def test_a_table_fits_80_columns_and_breaks_no_word():
    outcome = mesh(*SIM, "--dim", 4, "--op", "send", "--messages", 20, "--bytes", 20000,
                   "--faults", "drop:0.2,corrupt:0.1,dup:0.2,cut:0/0@100")
    assert max(map(len, outcome.out.splitlines())) <= 80, outcome
    whole = re.sub(r"\n {10}", " ", outcome.out)
    assert max(map(len, whole.splitlines())) > 80, outcome
    assert re.search(r"^links .* dropped by nodes: \w+ \d+(, \w+ \d+)+$", whole, re.M), outcome
    faults = r"^faults +of frames: swallowed by cut cables \d+, drop \d+, dup \d+, corrupt \d+$"
    assert re.search(faults, whole, re.M), outcome


def test_steps_of_a_failed_run_are_compared_with_nothing():
    good = mesh(*SIM, "--dim", 3, "--op", "bcast")
    assert "steps     6   formula P+n-1 = 6   difference 0\n" in good.out, good
    for tree in ("sbt", "msbt"):
        failed = mesh(*SIM, "--dim", 3, "--op", "bcast", "--tree", tree, "--faults", "kill:2")
        assert failed.status == 1, failed
        assert re.search(r"^steps     \d+   of the nodes that ended$", failed.out, re.M), failed
        assert "formula" not in failed.out + failed.err, failed


def test_one_of_a_thing_is_no_more_than_one():
    outcome = mesh(*SIM, "--dim", 1, "--op", "bcast", "--bytes", 1)
    assert "1 byte, 1 packet of at most" in outcome.out, outcome
    assert re.search(r"^traffic   1 hop, ", outcome.out, re.M), outcome


# --- apps ---

REASONS = {"life": "life wants --input FILE.rle, and a side of nodes to 256 cells",
           "jacobi": "jacobi wants --input IMAGE.pgm --output FILE -- STEPS",
           "prefix": "prefix wants --input WORDS --output SUMS",
           "transpose": "transpose wants --input FILE --output FILE -- ROWS COLUMNS [BYTES]"}


@pytest.mark.parametrize("app", REASONS)
def test_the_last_line_of_an_app_that_refuses_is_its_own_reason(app):
    outcome = mesh(*SIM, "--dim", 2, "--app", app)
    assert outcome.status == 1, outcome
    assert outcome.err.startswith(f"mesh: {REASONS[app]}; nodes 0 1 2 3 ended with: bad argument; "
                                  "repeat: "), outcome


def test_every_app_is_listed_with_a_whole_sentence():
    listed = dict(re.findall(r"^(\w+) +(.*)$", mesh("list", "apps").out, re.M))
    for source in sorted(pathlib.Path(ROOT, "firmware/apps").glob("*.cpp")):
        head = re.match(r"(?://.*\n)+", source.read_text())[0]
        text = re.sub(r"\s*\n//\s*", " ", head)
        assert listed[source.stem] == re.match(r"// \w+: ([^.]*)\.", text)[1], source.stem


def test_a_list_on_a_terminal_breaks_no_word():
    listed = mesh("list", "apps").out
    status, shown = on_terminal("list", "apps", out=None)
    assert status == 0 and max(map(len, shown.splitlines())) <= 80, shown
    assert max(map(len, listed.splitlines())) > 80
    assert re.sub(r"\n {18}", " ", shown) == listed
