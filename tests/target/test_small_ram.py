"""A node of a 4-cube with sbt and messages fits 64 KiB of RAM: the image links, and the mesh works.

Of the default board, with the sizes of small_ram/chip.hpp in place of its own.
"""
import json
import pathlib
import subprocess

import pytest

from mesh_tool import BOARD, BUILD, ROOT, run, verified

HERE = pathlib.Path(__file__).resolve().parent / "small_ram"


def made(folder):
    """The image, from the toolkit that users have."""
    toolkit = json.loads((BUILD / BOARD / "program.json").read_text())
    words = {name: [word.replace("@", str(BUILD)) for word in text.split()]
             for name, text in toolkit.items()}
    objects = []
    for source in ROOT / "boards" / "cortex-m" / "main.cpp", HERE / "program.cpp":
        objects.append(folder / f"{source.stem}.o")
        subprocess.run([*words["cxx"], *words["compile"], *words["compile_cxx"], "-iquote", HERE,
                        "-iquote", ROOT, "-iquote", ROOT / "boards" / BOARD,
                        "-I", ROOT / "boards" / "cortex-m", "-c", source, "-o",
                        objects[-1]], check=True)
    board = folder / "libboard.a"  # all of it but its own main
    board.write_bytes((BUILD / BOARD / "libboard.a").read_bytes())
    subprocess.run(["arm-none-eabi-gcc-ar", "d", board, "main.o"], check=True)
    link = [str(board) if word.endswith("/libboard.a") else
            str(HERE / "small.ld") if word.endswith(f"/{BOARD}.ld") else word
            for word in words["link"]]
    image = folder / "small.elf"
    subprocess.run([*words["cxx"], *link, *objects, *words["libraries"], "-o", image], check=True,
                   stdout=subprocess.DEVNULL)
    stamp = BUILD / BOARD / "program.stamp"
    subprocess.run([*words["objcopy"], "--add-section", f".mesh.stamp={stamp}", image], check=True)
    return image


@pytest.mark.toolchain
def test_a_4_cube_of_nodes_with_64_kib_of_ram_broadcasts_and_sends_messages(tmp_path):
    report = verified(run("qemu", "--app", made(tmp_path), "--dim", 4))
    assert report["nodes"] == 16
