"""The outcome of a command: exit status, standard output, report and output files."""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile

import pytest

from mesh_tool import BOARD, IMAGES, MESH, ROOT, mesh, refused, run

SIM = ["run", "--engine", "sim", "--dim", 3]
KEPT = b"what was there before"


def files_in(folder):
    return sorted(file.name for file in folder.iterdir())


def one_line(outcome, status, words):
    lines = outcome.err.splitlines()
    assert outcome.status == status and len(lines) == 1 and words in lines[0], outcome


# Files ------------------------------------------------------------------------------------------

def test_a_run_that_fails_leaves_the_old_output_as_it_was(tmp_path):
    file, report = tmp_path / "out", tmp_path / "report"
    file.write_bytes(KEPT)
    outcome = mesh(*SIM, "--op", "bcast", "--faults", "kill:3", "--output", file, "--report",
                   report)
    assert outcome.status == 1, outcome
    assert file.read_bytes() == KEPT and files_in(tmp_path) == ["out", "report"], outcome
    assert json.loads(report.read_text())["failed_nodes"] == [7]


def test_a_run_that_is_refused_creates_and_touches_nothing(tmp_path):
    old = tmp_path / "old"
    old.write_bytes(KEPT)
    for file in (old, tmp_path / "new"):
        outcome = mesh(*SIM, "--op", "bcast", "--faults", "melt:1", "--output", file, "--report",
                       file)
        refused(outcome, "drop")
    assert files_in(tmp_path) == ["old"] and old.read_bytes() == KEPT


def test_a_verified_run_replaces_the_file_whole_and_keeps_its_rights(tmp_path):
    file, link = tmp_path / "out", tmp_path / "link"
    file.write_bytes(KEPT)
    file.chmod(0o640)
    link.symlink_to(file)
    before = file.stat().st_ino
    outcome = mesh(*SIM, "--op", "bcast", "--input", "LICENSE", "--output", link)
    assert outcome.status == 0, outcome
    assert file.read_bytes() == (ROOT / "LICENSE").read_bytes() and link.is_symlink()
    assert file.stat().st_ino != before and file.stat().st_mode & 0o777 == 0o640
    assert files_in(tmp_path) == ["link", "out"]


@pytest.mark.parametrize("option", ["--output", "--report"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_boots(option, tmp_path):
    for path in (tmp_path, tmp_path / "no" / "such", "/proc/no-such"):
        outcome = mesh(*SIM, "--op", "bcast", option, path)
        refused(outcome, "folder" if path != "/proc/no-such" else "cannot be written")
        assert option in outcome.err and files_in(tmp_path) == [], outcome


def test_memory_that_is_shared_is_no_device():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for _ in range(2):
            outcome = mesh(*SIM, "--op", "bcast", "--report", f"{folder}/report")
            assert outcome.status == 0, outcome
        assert json.loads(pathlib.Path(folder, "report").read_text())["verified_nodes"] == 8


@pytest.mark.parametrize("wrong, allowed", [
    (["--expect", "LICENSE"], "is not `[node] text`"), (["--expect", "tests"], "cannot be read"),
    (["--log", "tests"], "not empty"), (["--log", "LICENSE"], "no folder"),
    (["--app", "./"], "no such program"), (["--faults", "@tests"], "cannot be read")])
def test_what_is_wrong_is_known_before_anything_is_touched(wrong, allowed, tmp_path):
    old = tmp_path / "old"
    old.write_bytes(KEPT)
    app = [] if "--app" in wrong else ["--app", IMAGES / "hello.elf"]
    refused(mesh(*SIM, *app, "--capture", old, *wrong), allowed)
    assert old.read_bytes() == KEPT


def test_a_disk_that_is_full_while_nodes_print_is_a_failure_that_is_told(tmp_path):
    def small_files(most=1_000_000): # the program itself is unpacked into one
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    command = [MESH, *SIM[:-1], 1, "--app", IMAGES / "ring.elf", "--log", tmp_path / "log", "--",
               50_000]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, text=True,
                          stderr=subprocess.PIPE, timeout=60, stdin=subprocess.DEVNULL,
                          preexec_fn=small_files)
    assert done.returncode == 1, done
    assert re.search("^mesh: --log '.*': cannot be written", done.stderr, re.M), done


def test_words_of_the_page_in_the_words_of_a_run_stay_what_they_are(tmp_path):
    file = tmp_path / "@MODEL@.html"
    outcome = mesh(*SIM, "--op", "bcast", "--report", file)
    assert outcome.status == 0, outcome
    run_of_it = re.search('id="run">(.*?)</script>', file.read_text(), re.S)[1]
    assert "@MODEL@.html" in json.loads(run_of_it)["command"]


@pytest.mark.parametrize("option", ["--output", "--report"])
def test_a_device_is_written_as_it_stands(option):
    full = mesh(*SIM, "--op", "bcast", option, "/dev/full")
    one_line(full, 1, option)
    assert "verified  8 of 8" in full.out, "the table comes first"
    shown = mesh(*SIM, "--op", "bcast", "--input", "LICENSE", option, "/dev/stdout")
    assert shown.status == 0, shown
    assert ((ROOT / "LICENSE").read_text() if option == "--output" else '"op":"bcast"') in shown.out


def test_a_report_names_a_path_that_is_no_text(tmp_path):
    image = tmp_path / os.fsdecode(b"\xff.elf")
    image.symlink_to(IMAGES / "hello.elf")
    outcome = run("qemu", "--lockstep", "--dim", 1, "--app", image)
    assert outcome.status == 0 and outcome.report["app"].endswith("\ufffd.elf"), outcome


def test_the_report_on_standard_output_is_all_there_is():
    outcome = mesh(*SIM, "--op", "bcast", "--report", "-")
    assert outcome.status == 0, outcome
    assert json.loads(outcome.out)["verified_nodes"] == 8
    assert "verified  8 of 8" in outcome.err


# Exit status ------------------------------------------------------------------------------------

@pytest.mark.parametrize("command", [[*SIM, "--op", "bcast"], ["tree", "--dim", 3],
                                     ["embed", "--guest", "tree", "--levels", 3], ["list", "ops"],
                                     ["--help"]], ids=lambda command: command[0])
def test_output_that_does_not_arrive_is_a_failure(command):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([MESH, *map(str, command)], stdout=full, stderr=subprocess.PIPE,
                              text=True, timeout=60, cwd=ROOT)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert "cannot be written" in done.stderr


def test_the_repeat_line_pasted_into_a_shell_fails_in_the_same_way(tmp_path):
    odd = tmp_path / "it's here"
    command = [*map(str, SIM), "--op", "bcast", "--faults", "kill:3", "--output", str(odd)]
    by_path = dict(os.environ, PATH=f"{MESH.parent}:{os.environ['PATH']}")
    for typed, env in ((str(MESH), None), (os.path.relpath(MESH, ROOT), None), ("mesh", by_path)):
        first = subprocess.run([typed, *command], capture_output=True, text=True, cwd=ROOT, env=env)
        assert first.returncode == 1, first
        repeat = re.search("; repeat: (.*)", first.stderr).group(1)
        again = subprocess.run(["sh", "-c", repeat], capture_output=True, text=True, cwd=ROOT)
        assert again.returncode == 1 and "--seed 1" in repeat, (repeat, again)
        assert again.stderr.split(";")[0] == first.stderr.split(";")[0], (repeat, again.stderr)


# Names and numbers ------------------------------------------------------------------------------

def test_the_version_is_one_line():
    outcome = mesh("--version")
    assert outcome.status == 0 and re.fullmatch(r"mesh \d+\.\d+\.\d+\n", outcome.out), outcome


@pytest.mark.parametrize("what,some", [("ops", {"bcast", "fft"}), ("trees", {"sbt", "bts", "edt"}),
                                       ("schedules", {"gray", "dfs-ack"}), ("apps", {"hello"}),
                                       ("topologies", {"cube", "uhc", "star"}),
                                       ("boards", {BOARD}), ("faults", {"cut:NODE/PORT"})])
def test_every_name_is_listed_with_a_phrase(what, some):
    outcome = mesh("list", what)
    assert outcome.status == 0, outcome
    rows = [line.split(None, 1) for line in outcome.out.splitlines()]
    assert all(len(row) == 2 for row in rows) and some <= {row[0] for row in rows}, outcome


def test_every_op_that_is_listed_runs():
    ops = [line.split()[0] for line in mesh("list", "ops").out.splitlines()]
    assert "bcast" in ops and len(set(ops)) == len(ops)
    for op in ops:
        assert mesh(*SIM, "--op", op).status == 0, op


def test_a_list_of_nothing_known_is_refused():
    refused(mesh("list", "birds"), "ops, trees, schedules, topologies, apps, boards, faults")


@pytest.mark.parametrize("errors", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize("words, status", [
    (["run", "--op", "bcast", "--dim", 2, "--lockstep"], 0), (["frob"], 2),
    ([*SIM, "--op", "bcast", "--faults", "kill:1"], 1)])
def test_a_standard_error_that_cannot_be_written_changes_no_exit_status(words, status, errors):
    command = ["sh", "-c", f'exec "$@" {errors}', "sh", MESH, *map(str, words)]
    done = subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == status, done


def test_a_standard_output_that_is_closed_is_told():
    # What is preloaded may open a file, which would take the place of the output.
    command = ["sh", "-c", 'unset LD_PRELOAD; exec "$0" tree --dim 3 --tree sbt >&-', MESH]
    done = subprocess.run(command, text=True, capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and done.stderr.startswith("mesh: "), done


@pytest.mark.parametrize("op", ["send", "sort"])
def test_all_64_bits_of_a_seed_count(op):
    found = [run("sim", "--dim", 3, "--op", op, "--seed", seed)
             for seed in (1, 1 + 2 ** 32, 1, 1 + 2 ** 63)]
    assert all(outcome.status == 0 for outcome in found)
    hashes = [outcome.report["delivery_hash"] for outcome in found]
    assert hashes[0] == hashes[2] and len(set(map(str, hashes))) == 3
    assert found[3].report["seed"] == 1 + 2 ** 63


def test_messages_that_nobody_could_check_are_refused():
    refused(mesh("run", "--engine", "sim", "--dim", 8, "--op", "send", "--messages", 100000,
                 "--bytes", 1 << 20), "16 GiB")


def test_more_nodes_than_memory_holds_are_refused_before_any_starts():
    refused(mesh("run", "--dim", 3, "--op", "bcast", "--memory", 50),
            "8 nodes need 67 MB of memory, 50 MB are available: --dim up to 1")
    assert mesh(*SIM, "--op", "bcast", "--memory", 1).status == 0
