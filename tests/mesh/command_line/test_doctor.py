"""`mesh doctor`: what it says of a machine that has all, and of one that lacks something."""
import json
import os

import pytest

from mesh_tool import mesh, refused


def found(*words, **how):
    outcome = mesh("doctor", "--format", "json", *words, **how)
    rows = {row["name"]: row for row in json.loads(outcome.out)}
    wrong = [name for name, row in rows.items() if row["state"] == "mend"]
    assert outcome.status == (1 if wrong else 0) and outcome.err == "", outcome
    return rows, wrong


@pytest.mark.toolchain
def test_a_machine_that_has_all_is_told_so():
    rows, wrong = found()
    assert wrong == [] and rows["emulator"]["text"].startswith("/")
    assert "mps2-an505" in rows["toolkit"]["text"], rows
    text = mesh("doctor")
    assert text.status == 0 and text.out.endswith("nothing is to be mended\n"), text
    assert max(map(len, text.out.splitlines())) <= 80, text


def test_what_is_missing_is_told_with_what_to_do(tmp_path):
    for program in ("sh", "env"):
        (tmp_path / program).symlink_to(f"/usr/bin/{program}")
    rows, wrong = found(env=dict(os.environ, PATH=str(tmp_path)))
    assert wrong == ["emulator", "compiler", "simulation"], rows
    assert "qemu-system-arm not found: install QEMU" in rows["emulator"]["text"]
    assert "not found: install gcc-arm-none-eabi" in rows["compiler"]["text"]
    assert rows["start"]["state"] == "note", rows
    last = mesh("doctor", env=dict(os.environ, PATH=str(tmp_path)))
    assert last.status == 1 and last.out.endswith("3 things to be mended\n"), last


@pytest.mark.toolchain
def test_a_compiler_without_its_library_does_not_compile(tmp_path):
    compiler = tmp_path / "arm-none-eabi-g++"
    compiler.write_text("#!/bin/sh\necho 'look.cpp:2: fatal error: cstdint: none' >&2\nexit 1\n")
    compiler.chmod(0o755)
    rows, wrong = found(env=dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}"))
    assert wrong == ["compiler"] and rows["compiler"]["text"].endswith("cstdint: none"), rows


def test_folders_that_cannot_be_written_are_told(tmp_path):
    rows, wrong = found(env=dict(os.environ, TMPDIR=str(tmp_path / "gone")))
    assert "temporary" in wrong and "No such file" in rows["temporary"]["text"], rows


def test_an_unknown_board_is_refused():
    refused(mesh("doctor", "--board", "mps2-an50"), "did you mean mps2-an505")
