#!/usr/bin/env python3
"""Comments begin with their subject, and sentences of pages are short.

    python3 tests/tools/english.py          prints the places where that is not the case
"""
import pathlib
import re
import subprocess

WORDS_MAX = 30
COMMENT = re.compile(r"^\s*(?:///?|#) (.*)")
HEADLESS = re.compile(r"(What|Which|Who|Whoever|Whom|Whether)\b")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
# Behind a sentence, or a part of one that stands for itself.
END = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z\[*(`])|(?<=[.:])\s+|(?<=[.!?]\))\s+")


def sources(*endings):
    """All files of the project with these endings, committed or new."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True,
                            text=True, check=True).stdout.splitlines()
    return [pathlib.Path(name) for name in listed
            if name.endswith(endings) and pathlib.Path(name).is_file()]


def headless_in(text):
    """(line, first words) of comments that begin with a clause in place of a noun."""
    within = False
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.match(line)
        if comment and not within and HEADLESS.match(comment[1]):
            yield number, comment[1]
        within = comment is not None


def subjects(_):
    """A comment begins with the thing that it describes, not with what, which, who or whether."""
    for file in sources(".hpp", ".cpp", ".h", ".mk", ".ld", ".py"):
        if file.parts[0] in ("firmware", "host-tools", "boards", "linker"):
            for number, words in headless_in(file.read_text()):
                yield f"{file}:{number}: a noun first, not '{words[:40]}'"


def paragraphs(page):
    """(line, text) of paragraphs, items and cells of tables, without blocks of code."""
    text = FENCE.sub(lambda code: "\n" * code[0].count("\n"), page)
    begin, parts = 1, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if not line.strip() or line.startswith(("|", "#")) or ITEM.match(line):
            yield begin, " ".join(parts)
            begin, parts = number, [ITEM.sub("", line, count=1)] if ITEM.match(line) else []
            if line.startswith("|"):
                yield from ((number, cell) for cell in line.split("|"))
        else:
            begin = begin if parts else number
            parts.append(line.strip())


def long_sentences_in(page):
    """(line, words, sentence) of those that are too long. Code, also several names in a row, counts
    as one word."""
    for number, text in paragraphs(page):
        plain = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`( `[^`]*`)*", "`x`", text))
        for sentence in END.split(plain):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) > WORDS_MAX:
                yield number, len(words), sentence


def sentences(_):
    """Pages have no long sentences."""
    for file in sources(".md"):
        for number, words, sentence in long_sentences_in(file.read_text()):
            yield f"{file}:{number}: {words} words, at most {WORDS_MAX}: {sentence[:60]} ..."


if __name__ == "__main__":
    for place in (*subjects(None), *sentences(None)):
        print(place)
