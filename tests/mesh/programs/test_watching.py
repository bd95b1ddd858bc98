"""What a node says of itself: who has the processor for how long, its counters, its log."""
import re
import shutil
import subprocess

import pytest

from mesh_tool import ROOT, console, program, run

HOW = [["sim"], ["qemu", "--lockstep"]]
COMPILE = [*"arm-none-eabi-g++ -std=c++20 -Os -mcpu=cortex-m33 -mthumb -fno-exceptions".split(),
           "-fno-rtti", f"-I{ROOT}/firmware", "-c", "-o"]


def watched(how, ms):
    outcome = run(*how, "--dim", 1, "--app", program("watched"), "--", ms)
    assert outcome.status == 0, outcome
    return outcome, console(outcome)[0]


def is_named(line):
    return re.fullmatch(r"process 1 had no turn for (\d+) us: process 2 has the processor", line)


@pytest.mark.parametrize("how", HOW)
def test_who_is_kept_from_its_turn_is_named_with_its_keeper(how):
    outcome, lines = watched(how, 30)
    turn = outcome.report["longest_turn"]
    assert turn["node"] == 0 and turn["process"] == 2 and turn["us"] >= 30_000, outcome
    assert outcome.report["counters"]["late_turns"] >= 1
    named = [number for number, line in enumerate(lines) if is_named(line)]
    assert named and int(is_named(lines[named[0]])[1]) >= 30_000, outcome
    assert lines.index("computed") < named[0] < lines.index("beats"), outcome
    assert "late: 1 behind 2, true" in lines and "longest: 2, true" in lines, outcome
    assert ("late_turns: processes that did not come to their turn within their own limit"
            in lines), outcome


@pytest.mark.free
def test_who_is_kept_is_named_before_its_keeper_has_done():
    _, lines = watched(["qemu", "--free"], 300)
    named = [number for number, line in enumerate(lines) if is_named(line)]
    assert named and named[0] < lines.index("computed"), lines


@pytest.mark.parametrize("how", HOW)
def test_a_log_keeps_its_last_lines_with_model_time(how):
    outcome, lines = watched(how, 0)
    kept = lines[lines.index("3 lines, 1 lost, first at 0"):]
    assert kept == ["3 lines, 1 lost, first at 0", "[0.000 info] took 3 of 2",
                    "[2.500 warning] 0 says unreachable: -7", "[2.500 error] ends",
                    "0 lines, 0 of the other"], outcome
    assert not any("is none" in line for line in lines), outcome


def code_of(folder, line):
    """Instructions and data of a function with this line, by the cross compiler."""
    source = folder / "line.cpp"
    source.write_text(f"""#include "meshputer.hpp"
unsigned work(mesh::Kernel& node, unsigned value) {{
    mesh::Log<mesh::LogLevel::warning> on{{node}};
    mesh::Log<> off{{node}};
    {line}
    return value + 1 + on.size();
}}
""")
    subprocess.run([*COMPILE, folder / "line.o", source], check=True)
    return subprocess.run(["arm-none-eabi-objdump", "-s", "-d", folder / "line.o"],
                          capture_output=True, text=True, check=True).stdout


@pytest.mark.toolchain
@pytest.mark.skipif(shutil.which("arm-none-eabi-g++") is None, reason="no cross compiler")
def test_a_log_that_is_off_is_no_instruction(tmp_path):
    nothing = code_of(tmp_path, "")
    assert code_of(tmp_path, 'off(mesh::LogLevel::error, "at {}", value);') == nothing
    assert code_of(tmp_path, 'on(mesh::LogLevel::info, "at {}", value);') == nothing
    assert code_of(tmp_path, 'on(mesh::LogLevel::warning, "at {}", value);') != nothing
