"""The help of every command, as saved in tests/golden/help.txt: its words change only on purpose.

`help_texts.py [--save] MESH` prints what differs, or saves what the tool says now.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys

SAVED = pathlib.Path(__file__).resolve().parents[1] / "golden" / "help.txt"


def help_of(tool, *command):
    """What it prints, with the values of options that are not given as CLI11 of Debian 13 has."""
    text = subprocess.run([tool, *command, "--help"], capture_output=True, text=True, check=True,
                          timeout=60, stdin=subprocess.DEVNULL).stdout
    return re.sub(r"\b([A-Z]+)=(\S+)", r"\1 [\2]", text)


def texts(tool, *command):
    """The help of a command and of those below it, each below its command line."""
    text = help_of(tool, *command)
    below = re.findall(r"^  (\w+) ", text.partition("Subcommands:")[2], re.M)
    return "".join([f"$ {' '.join(['mesh', *command, '--help'])}\n{text}\n",
                    *(texts(tool, *command, name) for name in below)])


def drift(tool):
    """The words in which the help is not as saved, wherever lines break."""
    both = SAVED.read_text().split(), texts(tool).split()
    return [line for line in difflib.unified_diff(*both, "saved", "now", lineterm="", n=3)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true")
    parser.add_argument("mesh")
    options = parser.parse_args()
    if options.save:
        SAVED.write_text(texts(options.mesh))
    else:
        print(*drift(options.mesh), sep="\n")
        sys.exit(1 if drift(options.mesh) else 0)
