"""Texts that people write by whatever editor: with a byte order mark, and lines that end in CR."""
import pytest

from mesh_tool import mesh, refused

SIM = ["run", "--engine", "sim", "--dim", 1]
ENDINGS = {"plain": str.encode, "mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
           "carriage": lambda text: text.replace("\n", "\r\n").encode(),
           "both": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
           "cut off": lambda text: text.replace("\n", "\r\n").encode()[:-1]}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", ["faults", "expect", "sort", "fft", "matrix"])
def test_every_text_is_read_alike(kind, ending, tmp_path):
    text, words = {
        "faults": ("drop:0.1\nkill:1\n", [*SIM, "--op", "barrier", "--faults", "@f"]),
        "expect": ("[0] hello\n", [*SIM, "--app", "hello", "--expect", "f"]),
        "sort": ("5\n3\n4\n", [*SIM, "--op", "sort", "--input", "f", "--output", "out"]),
        "fft": ("1\n0.5\n", [*SIM, "--op", "fft", "--input", "f"]),
        "matrix": ('engine = "sim"\n[a]\nop = "bcast"\ndim = 1\n', ["matrix", "f"])}[kind]
    outcomes = []
    for write in (ENDINGS["plain"], ENDINGS[ending]):
        (tmp_path / "f").write_bytes(write(text))
        outcomes.append(mesh(*words, cwd=tmp_path))
        if kind == "sort":
            assert (tmp_path / "out").read_text() == "3\n4\n5\n", outcomes[-1]
    plain, other = outcomes
    assert other.status == plain.status != 2 and other.err == plain.err, other


@pytest.mark.parametrize("text, words, shown", [
    (b"5 \xef\xbb\xbf\n", ["--op", "sort", "--input", "f"], r"'5 \u{feff}'"),
    (b"5\r5\n", ["--op", "sort", "--input", "f"], r"'5\x0d5'"),
    (b"drop:0.1,\xe2\x80\x8bkill:1\n", ["--op", "barrier", "--faults", "@f"], r"\u{200b}kill:1"),
    (b"[0]\x00x\n", ["--app", "hello", "--expect", "f"], r"[0]\x00x")])
def test_an_error_shows_what_is_invisible(text, words, shown, tmp_path):
    (tmp_path / "f").write_bytes(text)
    refused(mesh(*SIM, *words, cwd=tmp_path), shown)


@pytest.mark.parametrize("words", [["--op", "barrier", "--faults", "@."],
                                   ["--app", "hello", "--expect", "."]])
def test_a_folder_is_no_text(words, tmp_path):
    refused(mesh(*SIM, *words, cwd=tmp_path), "Is a directory")
