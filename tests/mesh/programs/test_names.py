"""firmware/NAMES.md has the names that programs share with headers, and none comes unseen."""
import re
import subprocess
import sys

import pytest

from mesh_tool import ROOT

CLANG = int(re.search(r"version (\d+)", subprocess.run(
    ["clang++", "--version"], capture_output=True, text=True, check=True).stdout)[1])


@pytest.mark.skipif(CLANG < 16, reason="clang 14 does not list every name")
def test_the_page_of_names_is_that_of_the_headers():
    printed = subprocess.run([sys.executable, ROOT / "tests/tools/names.py"], capture_output=True,
                             text=True, check=True).stdout
    kept = (ROOT / "firmware" / "NAMES.md").read_text()
    assert set(printed.split()) - set(kept.split()) == set(), (
        "new names: tell them in CHANGES, then python3 tests/tools/names.py --write")
    assert printed == kept, "names have gone: python3 tests/tools/names.py --write"
