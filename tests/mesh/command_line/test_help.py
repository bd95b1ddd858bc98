"""The help is what was saved: a word of it changes only on purpose."""
import help_texts
from mesh_tool import MESH


def test_the_help_of_all_commands_is_as_saved():
    assert not help_texts.drift(MESH), \
        f"if that is meant: python3 tests/tools/help_texts.py --save {MESH}"
    assert help_texts.SAVED.read_text().count("$ mesh ") >= 13
