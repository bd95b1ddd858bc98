"""Apps on virtual topologies: a heat stencil on a grid of nodes, a sum over a tree of nodes."""
import random
import re

import pytest

from mesh_tool import IMAGES, mesh, run


def pgm(columns, rows, pixels, comment="", most=255):
    return f"P5\n{comment}{columns} {rows}\n{most}\n".encode() + bytes(pixels)


def noise(columns, rows, seed):
    source = random.Random(seed)
    return [source.randrange(256) for _ in range(columns * rows)]


def heat(columns, rows, pixels, steps):
    """The stencil on one computer: cells in 1/256 of a grey level, the border fixed."""
    now = [pixel * 256 for pixel in pixels]
    for _ in range(steps):
        after = list(now)
        for row in range(1, rows - 1):
            for column in range(1, columns - 1):
                at = row * columns + column
                after[at] = (now[at - 1] + now[at + 1] + now[at - columns] + now[at + columns]
                             + 2) // 4
        now = after
    return [(cell + 128) // 256 for cell in now]


def jacobi(engine, dim, image, folder, *words, options=()):
    source, result = folder / "in.pgm", folder / "out.pgm"
    source.write_bytes(image)
    outcome = mesh("run", "--engine", engine, "--app", "jacobi", "--dim", dim, "--input", source,
                   "--output", result, *options, "--", *words)
    return outcome, result.read_bytes() if result.exists() else None


def spreads(engine, dim, columns, rows, steps, folder, comment="", *options):
    pixels = noise(columns, rows, seed=columns * 1000 + rows)
    outcome, result = jacobi(engine, dim, pgm(columns, rows, pixels, comment), folder, steps,
                             options=options)
    assert outcome.status == 0, outcome
    assert result == pgm(columns, rows, heat(columns, rows, pixels, steps), comment), outcome


@pytest.mark.parametrize("columns,rows", [(16, 16), (23, 17), (7, 40), (3, 3), (1, 5), (5, 2),
                                          (1, 1)])
@pytest.mark.parametrize("dim", [1, 2, 3, 4])
def test_heat_spreads_as_on_one_computer(dim, columns, rows, tmp_path):
    spreads("sim", dim, columns, rows, 9, tmp_path, "", "--faults", "drop:0.05")


@pytest.mark.parametrize("columns,rows,steps", [(23, 17, 12), (600, 9, 3), (2, 3, 1)])
def test_heat_spreads_on_firmware_as_on_one_computer(columns, rows, steps, tmp_path):
    spreads("qemu", 2, columns, rows, steps, tmp_path)


def test_a_larger_picture_with_a_comment_is_spread_over_64_nodes(tmp_path):
    spreads("sim", 6, 211, 160, 20, tmp_path, comment="# two lines\n# of words\n")


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5])
def test_a_step_of_the_stencil_is_a_step_of_the_mesh(engine, dim, tmp_path):
    """Neighbours in the grid are neighbours in the cube, and no edge waits for another's link."""
    (tmp_path / "in.pgm").write_bytes(pgm(24, 24, noise(24, 24, 2)))
    report = run(engine, "--app", "jacobi", "--dim", dim, "--input", tmp_path / "in.pgm", "--", 7
                 ).report
    rows, columns = 2 ** ((dim + 1) // 2), 2 ** (dim // 2)
    edges = 2 * ((rows - 1) * columns + rows * (columns - 1))
    assert report["model_time"] == report["max_link_load"] == 7
    assert report["hops"] == 7 * edges
    assert sum(load != 0 for loads in report["link_packets"] for load in loads) == edges


def test_losses_do_not_change_the_picture(engine, tmp_path):
    spreads(engine, 2, 23, 17, 5, tmp_path, "", "--faults", "drop:0.1,corrupt:0.1,reorder:0.1")


def test_no_step_gives_the_picture_back(engine, tmp_path):
    spreads(engine, 2, 19, 6, 0, tmp_path)


def test_without_an_output_the_run_is_the_same(tmp_path):
    source = tmp_path / "in.pgm"
    source.write_bytes(pgm(8, 8, noise(8, 8, 1)))
    outcome = mesh("run", "--engine", "sim", "--app", "jacobi", "--dim", 2, "--input", source, "--",
                   2)
    assert outcome.status == 0, outcome


BAD_IMAGES = {
    "empty": b"",
    "text numbers": b"P2\n2 2\n255\n0 1 2 3\n",
    "two bytes a pixel": pgm(2, 2, [0] * 8, most=65535),
    "too short": pgm(9, 9, [0] * 80),
    "no columns": pgm(0, 9, []),
    "header without an end": b"P5\n" + b"#" * 300,
    "number cut off by the end": b"P5 2 2 25",
    "no blank behind the header": b"P5 2 2 255x" + bytes(4),
    "side beyond any": b"P5 4294967297 1 255\n" + bytes(9),
}

BAD_ARGUMENT = "ended with: bad argument"  # of the nodes' programs


@pytest.mark.parametrize("case", BAD_IMAGES)
def test_what_is_no_image_is_refused_by_every_node(case, tmp_path):
    outcome, result = jacobi("sim", 2, BAD_IMAGES[case], tmp_path, 1)
    assert outcome.status == 1 and BAD_ARGUMENT in outcome.err, outcome
    assert "[0] --input is not a PGM image" in outcome.out and result is None, outcome


@pytest.mark.parametrize("words", [[], ["many"], ["3", "4"], ["-1"], ["5x"]])
def test_steps_must_be_one_number(words, tmp_path):
    outcome, result = jacobi("sim", 1, pgm(2, 2, [0] * 4), tmp_path, *words)
    assert outcome.status == 1 and BAD_ARGUMENT in outcome.err, outcome
    assert "STEPS" in outcome.out and result is None, outcome


def test_an_image_too_large_for_its_nodes_is_refused(tmp_path):
    outcome, _ = jacobi("sim", 1, pgm(2000, 2000, bytes(4000000)), tmp_path, 1)
    assert outcome.status == 1 and "too large" in outcome.out, outcome


def tree_sum(outcome):
    """(vertices, sum) that the root, and nobody else, prints."""
    assert outcome.status == 0, outcome
    (said,) = re.findall(r"^\[\d+\] sum over (\d+) vertices: (\d+)$", outcome.out, re.M)
    return tuple(map(int, said))


def vertices_of(dim):
    """Of the largest full binary tree in the cube."""
    return 2 ** (dim if dim <= 2 else dim - 1) - 1


@pytest.mark.parametrize("engine,dim,size", [
    *[("sim", dim, size) for dim in (1, 2, 3, 5, 8) for size in (0, 1, 6, 5000)],
    ("qemu", 1, 700), ("qemu", 2, 5000), ("qemu", 4, 5000)])
def test_a_tree_of_nodes_adds_up_a_file(engine, dim, size, tmp_path):
    data = random.Random(size).randbytes(size)
    (tmp_path / "data").write_bytes(data)
    outcome = mesh("run", "--engine", engine, "--app", "treesum", "--dim", dim, "--input",
                   tmp_path / "data", "--faults", "drop:0.05")
    assert tree_sum(outcome) == (vertices_of(dim), sum(data)), outcome


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 6])
def test_without_a_file_a_tree_of_nodes_adds_up_their_numbers(dim):
    levels = vertices_of(dim).bit_length()
    held = mesh("embed", "--guest", "tree", "--levels", levels, "--dim", dim)
    nodes = list(map(int, re.findall(r"\d+", held.out.split("[")[1])))
    outcome = mesh("run", "--engine", "sim", "--app", "treesum", "--dim", dim)
    assert tree_sum(outcome) == (len(nodes), sum(nodes)), outcome


def test_an_image_of_the_users_own_has_files_too(tmp_path):
    (tmp_path / "data").write_bytes(bytes(range(200)))
    outcome = mesh("run", "--engine", "qemu", "--app", IMAGES / "treesum.elf", "--dim", 3,
                   "--input", tmp_path / "data")
    assert tree_sum(outcome) == (3, sum(range(200))), outcome


def files(apart, folder, *options):
    """Each node writes the input's last byte, `apart` bytes from node to node."""
    source, result = folder / "data", folder / "out"
    source.write_bytes(bytes(range(1, 200)))
    outcome = mesh("run", "--engine", "qemu", "--app", IMAGES / "app_files.elf", "--dim", 2,
                   "--input", source, "--output", result, *options, "--", apart)
    return outcome, result.read_bytes() if result.exists() else None


@pytest.mark.parametrize("options,last", [([], 199), (["--bytes", 7], 7)])
def test_an_output_is_as_long_as_what_is_written_and_gaps_are_zero(options, last, tmp_path):
    outcome, result = files(1000, tmp_path, *options)
    assert outcome.status == 0, outcome
    assert result == bytes([last] + [0] * 999) * 3 + bytes([last]), outcome


def test_an_output_without_end_is_refused(tmp_path):
    outcome, result = files(2 ** 30, tmp_path)
    assert outcome.status == 1 and result is None, outcome
    assert re.search(r"node [123] writes .* at most 1073741824", outcome.err), outcome
