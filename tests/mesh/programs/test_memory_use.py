"""`mesh build` says how much of a board's memory a program takes, and how much its coroutines."""
import re
import subprocess

import pytest

from mesh_tool import BOARD, mesh, program, run

HEAD = '#include "meshputer.hpp"\n#include <array>\n'
SOURCE = HEAD + """
namespace {
mesh::Process fills(mesh::Kernel& node, unsigned number) {
    std::array<unsigned char, 3000> many{};
    co_await node.yield();
    many[number] = 1;
    co_await node.yield();
    co_return many[number] == 1 ? mesh::Status::ok : mesh::Status::failed;
}
}
mesh::Process app_main(mesh::Kernel& node) {
    static volatile unsigned char global[RAM_BYTES];
    global[mesh::index(node.id())] = 1;
    volatile unsigned char local[STACK_BYTES];
    local[global[0]] = 1;
    co_return co_await fills(node, 7 + local[global[0]]);
}
"""


def built(folder, name, *options, source=SOURCE):
    (folder / f"{name}.cpp").write_text(source)
    outcome = mesh("build", *options, f"{name}.cpp", "-o", name, cwd=folder)
    assert outcome.status == 0 and outcome.err == "", outcome
    return outcome.out


def sizes(said):
    """{FLASH, RAM: (used, there)}."""
    return {name: (int(used), int(there)) for name, used, there in
            re.findall(r"^(FLASH|RAM) +(\d+) of (\d+) bytes \(\d+ %\)$",
                       said, re.M)}


@pytest.mark.toolchain
def test_a_build_says_what_a_board_has_and_what_the_program_takes(tmp_path):
    small, large = (built(tmp_path, name, "--board", BOARD, "--engine", "qemu", "-D",
                          f"RAM_BYTES={ram}", "-D", "STACK_BYTES=64")
                    for name, ram in (("small", 1000), ("large", 11_000)))
    for said in small, large:
        assert set(sizes(said)) == {"FLASH", "RAM"}, said
    assert sizes(large)["RAM"][0] - sizes(small)["RAM"][0] == 10_000, (small, large)
    image = subprocess.run(["arm-none-eabi-size", tmp_path / "small"], capture_output=True,
                           text=True, check=True).stdout.splitlines()[1].split()
    text, data = int(image[0]), int(image[1])
    assert text + data == sizes(small)["FLASH"][0], (image, small)
    assert re.search(r"^stack     16384 bytes; the largest frame of the program has \d+, .*:\d+$",
                     small, re.M), small


def test_the_frames_of_coroutines_are_those_that_the_arena_gives(tmp_path):
    said = built(tmp_path, "frames", "-D", "RAM_BYTES=8", "-D", "STACK_BYTES=900")
    frames = dict(re.findall(r"(\w+) (\d+)", said.split("coroutines: ")[1]))
    largest = int(frames["fills"])
    assert 3000 < largest < 3200 and 900 < int(frames["app_main"]) < 1300, said
    report = run("qemu", "--dim", 1, "--app", tmp_path / "frames").report
    taken = report["counters"]["arena_bytes_max"]
    assert largest < taken < largest + 2500, (said, taken)


def test_a_frame_that_no_arena_has_room_for_is_named(tmp_path):
    said = built(tmp_path, "huge", "-D", "RAM_BYTES=8", "-D", "STACK_BYTES=8",
                 source=SOURCE.replace("3000", "9000"))
    assert re.search(r"fills 9\d\d\d \(too large: at most 8176\)", said), said


def test_a_program_for_the_simulation_alone_has_all_the_memory_that_there_is(tmp_path):
    assert built(tmp_path, "sim", "--engine", "sim", "-D", "RAM_BYTES=8", "-D",
                 "STACK_BYTES=8") == ""


def test_a_report_says_how_deep_each_stack_was(engine):
    outcome = run(engine, "--dim", 1, "--app", program("deep"))
    shallow, deep = outcome.report["stack_used"]
    if engine == "sim":
        assert shallow is None and deep is None, outcome
    else:
        assert 200 < shallow < 3000 and 4000 < deep < shallow + 4200, outcome
