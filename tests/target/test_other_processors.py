"""The portable sources compile for a processor that no board has: RISC-V. Clang brings no C++
headers for it; those of the cross compiler do. What has assembly in it is assembled for Armv6-M,
of which nothing is made but with BOARD=lm3s-m0."""
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("wire", "kernel/*", "kernel/base/networks", "onecable", "collectives", "library")
RISC_V = "--target=riscv32-unknown-elf -march=rv32imac -mabi=ilp32".split()
FLAGS = "-std=c++20 -Os -fno-exceptions -fno-rtti -Wall -Wextra -Wno-unused-command-line-argument"


def has_risc_v():
    if shutil.which("clang++") is None:
        return False
    told = subprocess.run(["clang++", "--print-targets"], capture_output=True, text=True)
    return "riscv32" in told.stdout


def system_headers():
    asked = "arm-none-eabi-g++ -mcpu=cortex-m3 -E -v -xc++ /dev/null"
    told = subprocess.run(asked.split(), capture_output=True, text=True, check=True).stderr
    listed = re.search(r"<\.\.\.> search starts here:\n(.*?)End of search list", told, re.S)[1]
    folders = [str(pathlib.Path(folder).resolve()) for folder in listed.split()]
    return [f"-isystem{folder}" for folder in folders if "/lib/gcc/" not in folder]  # clang's own


@pytest.mark.toolchain
@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.skipif(not has_risc_v(), reason="clang for RISC-V is not installed")
def test_the_portable_sources_compile_for_risc_v(folder, tmp_path):
    sources = sorted((ROOT / "firmware").glob(f"{folder}/*.cpp"))
    assert sources
    text = tmp_path / "all.cpp"
    text.write_text("".join(f'#include "{source}"\n' for source in sources))
    done = subprocess.run(["clang++", *RISC_V, *FLAGS.split(), *system_headers(), "-Werror",
                           f"-I{ROOT / 'firmware'}", "-fsyntax-only", text],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# All else is the same C++ as for other processors.
WITH_ASSEMBLY = ["fault", "stack_switch", "startup"]
BITS = """#include "core/base/bits.hpp"
#include "boards/cortex-m/cpu.hpp"
unsigned turned(unsigned value) {
    const mesh::board::InterruptGuard guard;
    return mesh::reverse_bits(value);
}
"""


@pytest.mark.toolchain
@pytest.mark.parametrize("source", [*WITH_ASSEMBLY, "bits"])
def test_what_has_assembly_in_it_is_assembled_for_armv6_m(source, tmp_path):
    file = ROOT / "boards" / "cortex-m" / f"{source}.cpp"
    if source == "bits":
        file = tmp_path / "bits.cpp"
        file.write_text(BITS)
    words = ["arm-none-eabi-g++", "-mcpu=cortex-m0", "-mthumb", *FLAGS.split()[:4], "-Werror",
             "-Ifirmware", "-I.", "-Iboards/lm3s6965evb", "-c", file, "-o", tmp_path / "object.o"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
