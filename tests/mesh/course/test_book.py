"""The book of all labs (host-tools/playground/book.py): every page and every drawing is in it, and
it opens without anything else. Its moments are runs that the tool makes."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from mesh_tool import MESH, ROOT, mesh

PLAYGROUND = ROOT / "host-tools/playground"
LABS = sorted(path.parent for path in ROOT.glob("firmware/labs/*/check.toml"))
sys.path.insert(0, str(PLAYGROUND))
import book  # noqa: E402  pylint: disable=wrong-import-position


def made(folder, *words, path=None):
    env = {**os.environ, "BUILD": str(MESH.parents[1]), **({"PATH": path} if path else {})}
    return subprocess.run([sys.executable, PLAYGROUND / "book.py", folder / "book.html",
                           *words],
                          capture_output=True, text=True, env=env, check=False)


@pytest.mark.toolchain
@pytest.mark.skipif(shutil.which("pandoc") is None, reason="needs pandoc")
def test_the_book_has_all_labs_in_order_with_their_drawings(tmp_path):
    done = made(tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "book.html").read_text()
    titles = re.findall(r"<h1 id=\"[^\"]*\">(.*?)</h1>", text, re.S)
    assert titles == ["The course"] + [
        f"{number}. {(lab / 'README.md').read_text().splitlines()[0].removeprefix('# ')}"
        for number, lab in enumerate(LABS, 1)] + ["For teachers"]
    places = re.findall(r'\bid="([^"]+)"', re.sub(r"<svg.*?</svg>", "", text, flags=re.S))
    assert len(places) == len(set(places))
    links = re.findall(r'(?:href|src)="([^"]*)"', re.sub(r"<svg.*?</svg>", "", text, flags=re.S))
    assert len(links) >= len(LABS) and all(
        link.startswith(book.LINK) or link[1:] in places for link in links), links
    drawn = [lab.name for lab in LABS
             for commands in book.COMMANDS.findall((lab / "README.md").read_text())
             if not book.OF_STUDENT.search(commands) for _ in book.PICTURE.findall(commands)]
    assert text.count("<figure><svg") == len(drawn) and "ASIDE" not in text
    assert {"01-addresses", "02-ring", "10-detector"} <= set(drawn)
    assert text.count(f'href="{book.LINK}#') == len(book.MOMENTS)


@pytest.mark.toolchain
@pytest.mark.skipif(shutil.which("pandoc") is None, reason="needs pandoc")
def test_the_book_has_the_playground_in_it_once(tmp_path):
    page = '<!doctype html><script>"a < b"</script><body id="x">\u2717 @BODY@</body>'
    (tmp_path / "play.html").write_text(page)
    done = made(tmp_path, tmp_path / "play.html")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "book.html").read_text()
    inside, = re.findall(r'<script type="application/json" id="playground">(.*?)</script>', text)
    assert json.loads(inside) == page and text.count("a \\u003c b") == 1
    assert text.count(f'href="{book.LINK}#') == len(book.MOMENTS)


def test_without_pandoc_the_book_says_what_to_install(tmp_path):
    done = made(tmp_path, path=str(tmp_path))
    assert done.returncode == 1 and done.stderr == "book: needs pandoc: apt-get install pandoc\n"


@pytest.mark.parametrize("lab, section, words, address", book.MOMENTS)
def test_a_moment_stands_in_a_section_and_is_a_run(lab, section, words, address):
    assert words.endswith((".", "?"))
    page = (ROOT / "firmware/labs" / lab / "README.md").read_text()
    assert len(re.findall(rf"^## {section}", page, re.M)) == 1
    script = f"""const page = require('{PLAYGROUND}/page/settings.js');
      const {{ settings, beside }} = page.wholeOf({json.dumps(address)});
      console.log(JSON.stringify([settings, beside].filter(Boolean).map(page.wordsOf)));"""
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    for command in json.loads(done.stdout):
        outcome = mesh(*command[1:], "--dry-run")
        assert outcome.status == 0, outcome
