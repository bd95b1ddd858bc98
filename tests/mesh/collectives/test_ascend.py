"""Ops and apps on ASCEND and DESCEND: prefix sums, the Fourier transform, transposition."""
import cmath
import itertools
import json
import math
import random
import struct
import wave

import pytest

from mesh_tool import mesh, run, verified

BOTH = [("sim", "cube", 4), ("sim", "uhc", 4), ("sim", "uhc", 5), ("qemu", "cube", 2),
        ("qemu", "uhc", 2)]

LOSSES = ("--faults", "drop:0.05")


def lottery(*what):
    """Draws that are the same in every run and different for each case."""
    return random.Random(" ".join(map(str, what)))


def words(count, *seed):
    draw = lottery("words", count, *seed)
    return [draw.getrandbits(32) for _ in range(count)]


def pack(numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)


def whole(engine, topology, dim, what, data, folder, *more):
    """The output of a run with `data`, or its error message if the run failed."""
    source, result = folder / "in", folder / "out"
    source.write_bytes(data)
    result.unlink(missing_ok=True)
    outcome = run(engine, "--topology", topology, "--dim", dim, *what, "--input", source,
                  "--output", result, *more)
    return outcome, result.read_bytes() if result.exists() else b""


# Prefix sums ---------------------------------------------------------------------------------

def turned(number, bits):
    return int(format(number, f"0{bits}b")[::-1], 2)


@pytest.mark.parametrize("engine, topology, dim", BOTH)
@pytest.mark.parametrize("op", ["ascend", "descend"])
def test_nodes_add_up_what_is_before_them(op, engine, topology, dim, tmp_path):
    nodes, each = 2 ** dim, 5
    data = words(nodes * each, engine, topology, dim)
    outcome, output = whole(engine, topology, dim, ("--op", op), pack(data), tmp_path)
    verified(outcome)
    sums, expected = [0] * each, [0] * (nodes * each)
    for rank in range(nodes):
        node = turned(rank, dim) if op == "descend" else rank
        block = data[node * each:(node + 1) * each]
        sums = [(a + b) % 2 ** 32 for a, b in zip(sums, block)]
        expected[node * each:(node + 1) * each] = sums
    assert output == pack(expected), outcome


@pytest.mark.parametrize("engine, topology, dim", BOTH)
def test_the_prefix_app_adds_up_a_file(engine, topology, dim, tmp_path):
    for count in (0, 1, 2 ** dim + 1, 3000):
        data = words(count, engine, topology, dim)
        outcome, output = whole(engine, topology, dim, ("--app", "prefix", *LOSSES), pack(data),
                                tmp_path)
        verified(outcome)
        assert output == pack([s % 2 ** 32 for s in itertools.accumulate(data)]), outcome


# Transposition -------------------------------------------------------------------------------

@pytest.mark.parametrize("engine, topology, dim", BOTH)
def test_a_matrix_is_transposed(engine, topology, dim, tmp_path):
    for rows, columns, size in ((1, 1, 4), (17, 40, 4), (64, 64, 1), (3, 200, 8), (33, 19, 3)):
        data = lottery(rows, columns, size).randbytes(rows * columns * size)
        outcome, output = whole(engine, topology, dim, ("--app", "transpose", *LOSSES), data,
                                tmp_path, "--", rows, columns, size)
        verified(outcome)
        assert output == b"".join(data[(row * columns + column) * size:][:size]
                                  for column in range(columns) for row in range(rows)), outcome


@pytest.mark.parametrize("asked, complaint", [
    ((), "wants"), ((3,), "wants"), ((0, 4), "wants"), (("x", 4), "wants"), ((2, 2, 2, 2), "wants"),
    ((5, 5), "another size"), ((1 << 11, 1 << 11, 4), "another size")])
def test_a_matrix_that_is_none_is_refused(asked, complaint, tmp_path):
    outcome, _ = whole("sim", "cube", 2, ("--app", "transpose"), bytes(64), tmp_path, "--", *asked)
    assert outcome.status not in (0, 2) and complaint in outcome.out, outcome


def test_a_matrix_larger_than_the_nodes_is_refused(tmp_path):
    outcome, _ = whole("sim", "cube", 1, ("--app", "transpose"), bytes(3 << 20), tmp_path, "--",
                       3 << 10, 1 << 10, 1)
    assert outcome.status not in (0, 2) and "too large" in outcome.out, outcome


# The Fourier transform -----------------------------------------------------------------------

def transform(samples):
    """By definition, of samples and zeroes up to a power of two."""
    size = len(samples)
    roots = [cmath.exp(-2j * math.pi * power / size) for power in range(size)]
    return [sum(sample * roots[frequency * at % size] for at, sample in enumerate(samples))
            for frequency in range(size)]


def spectrum(output):
    return [complex(*map(float, line.split())) for line in output.decode().splitlines()]


def check_spectrum(samples, nodes, output):
    size = max(nodes, 1 << (len(samples) - 1).bit_length())
    expected = transform(samples + [0.0] * (size - len(samples)))
    found = spectrum(output)
    assert len(found) == size
    largest = max(map(abs, expected))
    for frequency, (value, right) in enumerate(zip(found, expected)):
        assert abs(value - right) <= 4e-6 * largest, (frequency, value, right)


@pytest.mark.parametrize("engine, topology, dim", BOTH)
def test_a_column_of_text_is_transformed(engine, topology, dim, tmp_path):
    for count in (1, 3, 64, 200):
        draw = lottery("fft", count, topology, dim)
        samples = [draw.uniform(-5, 5) for _ in range(count)]
        text = "".join(f"{sample!r}\n" for sample in samples)
        outcome, output = whole(engine, topology, dim, ("--op", "fft"), text.encode(), tmp_path)
        report = verified(outcome)
        assert report["error"] <= report["tolerance"] < 1e-5, outcome
        check_spectrum(samples, 2 ** dim, output)


def tone(channels, width, folder):
    """Two tones in the first channel, another one in the second."""
    path = folder / "tone.wav"
    samples = [round(9000 * math.sin(at * 0.3) + 4000 * math.cos(at * 1.1)) for at in range(256)]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(8000)
        for at, sample in enumerate(samples):
            frame = [sample] + [at] * (channels - 1)
            file.writeframes(struct.pack(f"<{channels}h", *frame) if width == 2
                             else bytes(channels * width))
    return path.read_bytes(), [sample / 32768 for sample in samples]


@pytest.mark.parametrize("channels", [1, 2])
def test_the_first_channel_of_a_wav_file_is_transformed(channels, tmp_path):
    data, samples = tone(channels, 2, tmp_path)
    for topology in ("cube", "uhc"):
        outcome, output = whole("sim", topology, 3, ("--op", "fft"), data, tmp_path)
        verified(outcome)
        check_spectrum(samples, 8, output)


def test_many_points_are_compared_in_part_and_by_their_energy():
    report = verified(run("sim", "--topology", "uhc", "--dim", 4, "--op", "fft", "--bytes",
                          8 << 12)) # 2^16 points
    assert 2 ** 10 <= report["frequencies"] < 2 ** 16


def test_a_spectrum_of_the_wrong_data_is_noticed(tmp_path):
    # A large part of the data is huge: sums overflow, which is no spectrum.
    text = "3e38\n" * 64
    outcome, _ = whole("sim", "cube", 2, ("--op", "fft"), text.encode(), tmp_path)
    assert outcome.status == 1 and "wrong answer" in outcome.err, outcome


# Refused input -------------------------------------------------------------------------------

def refused(outcome, allowed):
    assert outcome.status == 2 and outcome.out == "", outcome
    [line] = outcome.err.splitlines()
    assert allowed in line, outcome


@pytest.mark.parametrize("data", [b"", b"1\nx\n", b"1\n\n2\n", b"nan\n", b"1e99\n", b"\xff\x00\n"])
def test_what_are_no_samples_is_refused(data, tmp_path):
    outcome, _ = whole("sim", "cube", 2, ("--op", "fft"), data, tmp_path)
    refused(outcome, "line" if data else "at least one")


def test_wav_files_of_other_kinds_or_broken_ones_are_refused(tmp_path):
    data, _ = tone(1, 1, tmp_path)
    outcome, _ = whole("sim", "cube", 2, ("--op", "fft"), data, tmp_path)
    refused(outcome, "16-bit PCM")
    data, _ = tone(1, 2, tmp_path)
    for size in (12, 19, 30, 40, 44):
        outcome, _ = whole("sim", "cube", 2, ("--op", "fft"), data[:size], tmp_path)
        refused(outcome, "WAV" if size < 40 else "no samples")


def test_blocks_that_do_not_fit_are_refused(tmp_path):
    for op, size in (("ascend", 6), ("descend", 0), ("fft", 12), ("sort", 2)):
        refused(mesh("run", "--engine", "sim", "--dim", 2, "--op", op, "--bytes", size),
                "multiples of")
    for op in ("ascend", "fft", "sort"):
        refused(mesh("run", "--engine", "sim", "--dim", 1, "--op", op, "--bytes", 4 << 20),
                "multiples of")
    outcome, _ = whole("sim", "cube", 2, ("--op", "ascend"), bytes(20), tmp_path)
    refused(outcome, "multiples of 16")


def test_a_star_has_no_dimensions_to_ascend():
    refused(mesh("run", "--engine", "sim", "--topology", "star", "--dim", 4, "--op", "sort"),
            "cube and uhc")


def test_the_apps_of_ops_are_these_ops(tmp_path):
    report = tmp_path / "report"
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", "sort", "--report", report)
    assert outcome.status == 0 and json.loads(report.read_text())["op"] == "sort", outcome
