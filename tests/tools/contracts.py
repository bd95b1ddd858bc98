#!/usr/bin/env python3
"""What a reference needs: a docstring at each public name, and links of the pages that lead there.

    python3 tests/tools/contracts.py        prints the names without one, and the dead links

Public are the functions, classes, enums and aliases that a program can name: neither private nor
protected, and in no namespace `detail`. clang++ reads the headers of FOLDERS, and those of the
kernel that a program gets with PROGRAM. The docstrings of the calls of MPI are in tables, of which
CALLS makes a header: it refuses a call without one.
"""
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

from english import sources

FOLDERS = ("firmware/kernel/api", "firmware/collectives", "firmware/library", "firmware/mpi")
PROGRAM = "meshputer.hpp"
CALLS = "firmware/mpi/calls.py"
COMPILE = ["clang++", "-std=c++20", "-w", "-Ifirmware", "-fsyntax-only", "-Xclang", "-ast-dump",
           "-Xclang", "-ast-dump-filter=mesh::"]

LINE = re.compile(r"([ |`-]*)(\w+) (0x\w+) (.*)")
PREVIOUS = re.compile(r" prev (0x\w+)")
# A place is told by what is other than in the place before it.
PLACE = re.compile(r"([^\s<>,]+):(\d+):\d+")
FLAGS = re.compile(r"(?:(?:\S+:\d\S*|used|referenced|constexpr|struct|class|union) +)*")
SCOPES = ("NamespaceDecl", "CXXRecordDecl", "ClassTemplateDecl")
NAMED = ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXConversionDecl", "EnumDecl",
         "CXXRecordDecl", "ClassTemplateDecl", "FunctionTemplateDecl", "TypeAliasDecl",
         "TypeAliasTemplateDecl", "ConceptDecl")
# Called by the language, with one meaning everywhere; and of guards by alt(), see MailGuard.
LANGUAGE = re.compile(r"await_\w+|promise_type|get_return_object\w*|return_value|"
                      r".*deduction guide.*|operator(=|==| new| delete)")
FUNCTIONS = ("FunctionDecl", "CXXMethodDecl", "FunctionTemplateDecl")
GIVES_STATUS = re.compile(r"'[^'(]*\b(Status|Received|Sending|Receiving)\b[^'(]*\(")
# It names a status, or a function that gives the same.
SAYS = re.compile(r"\b(ok|no_memory|unreachable|bad_argument|truncated|timed_out|in_doubt)\b|"
                  r"[Ss]tatus|verdict|[Tt]he same|\w\(")
OF_GUARDS = re.compile(r"ready|wake|chosen|counts")


@functools.cache
def lines_of(file):
    return pathlib.Path(file).read_text().splitlines() if file else []


def line_of(file, number):
    return lines_of(file)[number - 1] if 0 < number <= len(lines_of(file)) else ""


class Node:
    """A line of clang's dump, and what stands below it."""

    def __init__(self, kind, address, rest, place):
        self.kind, self.address, self.rest, self.place = kind, address, rest, place
        self.below = []
        plain = rest.split("'")[0].partition("> ")[2].removesuffix(" definition").rstrip()
        self.name = FLAGS.sub("", plain, count=1)

    def docstring(self):
        """The one before it, which clang++ knows, or behind it, in its line."""
        below = self.below + [one for part in self.below for one in part.below
                              if self.kind.endswith("TemplateDecl")]
        comment = next((one for one in below if one.kind == "FullComment"), None)
        if comment is None:
            return line_of(*self.place).partition("///<")[2]
        return " ".join(one.rest.partition("Text=")[2] for one in comment.all())

    def gives_status(self):
        """A function that returns a Status, or a result with one."""
        types = [self.rest, *(one.rest for one in self.below if one.kind in FUNCTIONS)]
        return self.kind in FUNCTIONS and any(GIVES_STATUS.search(one) for one in types)

    def lacks(self):
        """What its docstring lacks; "" for nothing."""
        text = self.docstring()
        if not text:
            return "has no docstring"
        return "does not say its Status" if self.gives_status() and not SAYS.search(text) else ""

    def is_told_elsewhere(self):
        """Told where it was first declared, or by the language."""
        if self.kind == "CXXRecordDecl" and (
                self.name in ("", "union") or not re.search(r"\bdefinition\b", self.rest)):
            return True
        if self.kind != "CXXRecordDecl" and " prev 0x" in self.rest.split("<")[0]:
            return True
        return (re.search(r"^[^']* implicit |' .*\b(default|delete)\b", self.rest) is not None or
                LANGUAGE.fullmatch(self.name) is not None)

    def is_told_of_all(self, its_class):
        """A constructor of what co_await takes, which a documented function calls, or of a copy; or
        what alt() calls of each guard."""
        if its_class.name.endswith("Guard") and OF_GUARDS.fullmatch(self.name):
            return True
        return self.kind == "CXXConstructorDecl" and (
            any(one.name.startswith("await_") for one in its_class.below) or
            re.search(rf"\((const )?[\w:]*{its_class.name}(<\w+>)? &&?\)", self.rest) is not None)

    def all(self):
        """This one and all below it."""
        yield self
        for one in self.below:
            yield from one.all()


def read_dump(text):
    """The declarations of a dump, as (they are within a namespace `detail`, Node)."""
    file, line, found, above = "", 0, [], []
    hidden = False
    for row in text.splitlines():
        if row.startswith("Dumping "):
            hidden, above = "::detail" in row, []
        for where, number in PLACE.findall(re.split("['\"]", row)[0]):
            file, line = file if where == "line" else where, int(number)
        parsed = LINE.match(row)
        if not parsed:
            continue
        depth = len(parsed[1])
        node = Node(parsed[2], parsed[3], f" {parsed[4]}", (file, line))
        while above and above[-1][0] >= depth:
            above.pop()
        if above:
            above[-1][1].below.append(node)
        else:
            found.append((hidden, node))
        above.append((depth, node))
    return found


def undocumented(node, scope=None):
    """The nodes that can be named and lack something, from this one down."""
    if node.kind in NAMED and not node.is_told_elsewhere() and node.lacks() and not (
            scope and node.is_told_of_all(scope)):
        yield node
    if node.kind not in SCOPES or node.name == "detail":
        return
    public = not re.search(r"\bclass \S+ definition", node.rest)
    for one in node.below:
        if one.kind == "AccessSpecDecl":
            public = one.rest.endswith("public")
        elif node.kind == "ClassTemplateDecl":
            # Its class is documented as it is; what it was made for is not its own.
            if one.kind == "CXXRecordDecl":
                yield from (found for found in undocumented(one) if found is not one)
        elif public:
            yield from undocumented(one, node)


def names_without(headers, places):
    """(file, line, name, what is lacking) of the headers and of what they include, as far as that
    lies in one of the places."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "headers.cpp"
        source.write_text("".join(f'#include "{name}"\n' for name in headers))
        subprocess.run([sys.executable, CALLS, *pathlib.Path(CALLS).parent.glob("*/calls.txt"),
                        folder], check=True)
        done = subprocess.run([*COMPILE, f"-I{folder}", source], capture_output=True, text=True,
                              check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    dump = read_dump(done.stdout)
    told = {previous for _, top in dump for node in top.all()
            for previous in PREVIOUS.findall(node.rest) if node.docstring()}
    return sorted({(*node.place, node.name, node.lacks()) for hidden, top in dump if not hidden
                   for node in undocumented(top)
                   if node.place[0].startswith(places) and node.address not in told})


def docstrings(_):
    """Public functions and types have one, which says what a Status means."""
    headers = [PROGRAM, *(file.relative_to("firmware") for folder in FOLDERS
                          for file in sorted(pathlib.Path(folder).rglob("*.hpp")))]
    for file, line, name, what in names_without(headers, ("firmware/kernel/", *FOLDERS)):
        yield f"{file}:{line}: {name} {what}"


def anchors_in(page):
    """The places of a page that a link can name, as GitHub makes them of its headings."""
    headings = re.findall(r"^#+ +(.*?) *#*$", re.sub(r"^```.*?^```", "", page, flags=re.M | re.S),
                          re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def links_in(page):
    """(line, target) of each link of a page to a file or a place; none in code."""
    text = re.sub(r"^```.*?^```|`[^`\n]*`", lambda code: re.sub(r"[^\n]", " ", code[0]), page,
                  flags=re.M | re.S)
    for found in re.finditer(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"\w+:", found[1]):
            yield text.count("\n", 0, found.start()) + 1, found[1]


def dead_links(pages):
    """Those of these pages."""
    for page in pages:
        for line, target in links_in(page.read_text()):
            name, _, anchor = target.partition("#")
            file = page.parent / name if name else page
            if not file.exists():
                yield f"{page}:{line}: there is no {target}"
            elif anchor and anchor not in anchors_in(file.read_text()):
                yield f"{page}:{line}: {name or page} has no heading {anchor}"


def links(_):
    """Links among the pages lead somewhere."""
    return dead_links(sources(".md"))


if __name__ == "__main__":
    for place in (*docstrings(None), *links(None)):
        print(place)
