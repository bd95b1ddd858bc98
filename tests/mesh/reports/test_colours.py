"""Colours of pictures, as they are seen by all eyes."""
import json
import math
import re
import subprocess

import pytest

from mesh_tool import ROOT, mesh

PAGE = ROOT / "host-tools/mesh/views/page"


def linear(value):
    """A part of a colour, 0..255, as light."""
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


SEEN = {"all": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],  # Machado and others 2009, severity 1
        "deuteranopia": [[.367322, .860646, -.227968], [.280085, .672501, .047413],
                         [-.011820, .042940, .968881]],
        "protanopia": [[.152286, 1.052583, -.204868], [.114503, .786281, .099216],
                       [-.003882, -.048116, 1.051998]]}


def cielab(color, sight):
    """A colour as it is seen: lightness, and two coordinates of hue."""
    light = [linear(int(color[at:at + 2], 16)) for at in (1, 3, 5)]
    red, green, blue = [min(1, max(0, sum(part * one for part, one in zip(row, light))))
                        for row in SEEN[sight]]
    root = [part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883)]
    return 116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])


def luminance(color):
    red, green, blue = [linear(int(color[at:at + 2], 16)) for at in (1, 3, 5)]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True])
def test_colours_of_packets_differ_for_all_eyes_and_stand_out_from_the_ground(dark):
    style = (PAGE / "page.css").read_text().split("@media (prefers-color-scheme: dark)")
    colors = dict(re.findall(r"--([a-z]+\d?): (#[0-9a-f]{6})", style[1].split("* {")[0] if dark
                             else style[0]))
    kinds = [colors[f"kind{number}"] for number in range(8)]
    for sight in SEEN:
        seen = [cielab(color, sight) for color in [*kinds, colors["bad"]]]
        assert min(math.dist(a, b) for at, a in enumerate(seen) for b in seen[:at]) > 12, sight
    for color in kinds:
        bright, dim = sorted((luminance(color), luminance(colors["panel"])), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) > 3, color


def test_levels_of_a_drawing_differ_for_all_eyes_or_have_their_number():
    """A path has a level for each node."""
    drawing = mesh("tree", "--dim", 4, "--tree", "hp", "--format", "svg").out
    looks = re.findall(r'<g id="node\d+">.*?fill="(#[0-9a-f]{6})".*?</text>'
                       r'(?:<text class="long".*?>(L\d+)<)?', drawing)
    assert len(looks) == len(set(looks)) == 16
    levels = sorted(int(number[1:]) for _, number in looks if number)
    assert levels == list(range(9, 16))
    colors = [color for color, number in looks if not number]
    for sight in SEEN:
        seen = [cielab(color, sight) for color in colors]
        assert min(math.dist(a, b) for at, a in enumerate(seen) for b in seen[:at]) > 9, sight


@pytest.mark.toolchain
def test_more_kinds_of_packets_than_colours_differ_by_their_dashes():
    script = (f"const text = require('fs').readFileSync('{PAGE}/base.js', 'utf8');"
              "const window = { addEventListener() {}, matchMedia: () => window };"
              "console.log(JSON.stringify(require('vm').runInNewContext(text + '; [...Array(64)"
              ".keys()].map(kind => [kind % KINDS, dashes(kind)])', { window })));")
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=60,
                          check=True)
    looks = json.loads(done.stdout)
    assert looks[0] == [0, []] and len(looks) == len(set(map(str, looks))) == 64
