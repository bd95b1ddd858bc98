"""Firmware of somebody else (README.md) has the kernel as a library: CMake builds it for a
Cortex-M4, and four nodes of it, joined by QEMU's cables, do their job. No mesh process anywhere."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import boards
from alone_mesh import CUBE, AloneMesh
from mesh_tool import BUILD, ROOT

HERE = pathlib.Path(__file__).resolve().parent

BOARD = "netduinoplus2"  # what QEMU calls the chip
DIM = 2
FOLDERS = "core hal wire kernel collectives library onecable".split()

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None,
                                reason="cmake is not installed (apt-get install cmake)")


class Device(AloneMesh):
    """Each node was told who it is when the device was made."""

    def given(self, node):
        mac = bytes([2, CUBE, self.dim, 0, 0, node, 0, 0])
        return ["-device", f"loader,addr={boards.facts(BUILD, self.board)['identity']},"
                           f"data=0x{int.from_bytes(mac, 'little'):x},data-len=8"]


def cmake(*words, status=0):
    done = subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True, timeout=600)
    assert (done.returncode == 0) == (status == 0), done.stdout + done.stderr
    return done.stdout + done.stderr


def configured(folder, *words, **how):
    return cmake("-S", HERE, "-B", folder, "--toolchain", HERE / "cortex-m4.cmake", *words, **how)


def made(folder, program):
    cmake("--build", folder, "--target", program)
    return folder / program


def said_by_node_0(image):
    with Device(BOARD, DIM, image) as there:
        return there.lines(3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("foreign")
    configured(place)
    return place


@pytest.mark.toolchain
def test_four_nodes_of_foreign_firmware_exchange_messages_and_go_on(folder):
    assert said_by_node_0(made(folder, "meter")) == [
        "meter", "node 0 of 4 has 1.500 V, its neighbours 2.500 and 3.500",
        "the mesh has done its job; the firmware goes on"]


@pytest.mark.toolchain
def test_four_nodes_whose_firmware_is_a_loop_in_c_send_receive_broadcast_and_post(folder):
    assert said_by_node_0(made(folder, "loop")) == [
        "loop", "node 0 of 4 has 6 numbers, 0 out of order",
        "all have heard so, and said it from their ticks"]


def test_they_add_up_by_a_collective(folder, request):
    if not request.config.getoption("--exhaustive"):
        pytest.skip("compiles all collectives: --exhaustive")
    assert said_by_node_0(made(folder, "total")) == [
        "meter", "node 0 of 4: 12.000 V in all, ok",
        "the mesh has done its job; the firmware goes on"]


def test_the_page_says_what_it_costs(folder, request):
    if not request.config.getoption("--exhaustive"):
        pytest.skip("compiles all collectives: --exhaustive")
    told = cmake("--build", folder, "--target", "sizes")
    rows = re.findall(r"^ *(\d+)\s+(\d+)\s+(\d+)\s+\d+\s+\w+\s+(\w+)$", told, re.M)
    made_of = {name: (int(text) + int(data), int(data) + int(bss))
               for text, data, bss, name in rows}
    page = re.findall(r"^\| `(\w+)`:.*\| (\d+) \| (\d+) \|$", (HERE / "README.md").read_text(),
                      re.M)
    assert made_of.keys() == {name for name, *_ in page} and len(page) == 4
    for name, flash, ram in page:  # by another compiler a little more or less
        for figure, found in zip((int(flash), int(ram)), made_of[name]):
            assert abs(figure - found) <= figure * 0.05, (name, figure, found)


@pytest.mark.toolchain
def test_installed_sources_are_found_as_a_package_with_other_networks(tmp_path):
    made_by = subprocess.run(["make", "--no-print-directory", "install-sources",
                              f"BUILD={os.path.relpath(BUILD, ROOT)}", f"DESTDIR={tmp_path}",
                              "PREFIX=/opt"], cwd=ROOT, capture_output=True, text=True)
    assert made_by.returncode == 0, made_by.stderr
    build = tmp_path / "build"
    there = f"-DMESHPUTER={tmp_path}/opt"
    told = configured(build, there, "-DMESHPUTER_NETWORKS=torus", status=1)
    assert "there is no network 'torus', only: cube uhc star" in " ".join(told.split())
    configured(build, there, "-DMESHPUTER_NETWORKS=star;uhc")
    links = (build / "CMakeFiles" / "meter.dir" / "link.txt").read_text()
    assert re.findall(r"-u,mesh_network_(\w+)", links) == ["star", "uhc"]
    # Wherever it is built, a header of ours has one name, which no vendor's tree has.
    headers = build / "meshputer" / "include"
    assert [entry.name for entry in headers.iterdir()] == ["meshputer"]
    for header in headers.rglob("*.hpp"):
        for name in re.findall(r'^#include "([^"]+)"', header.read_text(), re.M):
            assert (headers / name).is_file(), (header, name)
    assert {entry.name for entry in (headers / "meshputer").iterdir()} == {
        *FOLDERS, "boards", "meshputer.hpp"}
    for_c = "".join(text.read_text() for text in build.rglob("meshputer_c.dir/Unity/*.cxx"))
    sources = [pathlib.Path(name) for name in re.findall(r'^#include "([^"]+)"', for_c, re.M)]
    assert {"node.cpp", "post_ring.cpp", "image.cpp"} == {source.name for source in sources}
    assert all(source.is_file() and source.is_relative_to(tmp_path) for source in sources)
    assert (tmp_path / "opt/share/meshputer/firmware/c/include/meshputer.h").is_file()


def test_zephyr_finds_the_module_and_what_it_names():
    firmware = ROOT / "firmware"
    module = (firmware / "zephyr" / "module.yml").read_text()
    told = dict(re.findall(r"^ +(cmake|kconfig): (\S+)$", module, re.M))
    assert (firmware / told["cmake"] / "CMakeLists.txt").is_file()
    assert "config MESHPUTER\n" in (firmware / told["kconfig"]).read_text()
