"""Each tests/compile_fail/*.cpp must fail to compile, and say the text of its `// EXPECT:` lines.

To show that the case itself and nothing else is at fault, the same file must compile with
-DMESH_COMPILES, where it has such a branch. A `// WITH: compiler` line is for what only that one
sees.
"""
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c++20", "-Ifirmware", "-I.", "-fsyntax-only"]


def compiled(compiler, source, *more):
    return subprocess.run([compiler, *FLAGS, *more, str(source)], capture_output=True, text=True,
                          timeout=300, cwd=HERE.parents[1])


@pytest.mark.parametrize("source", sorted(HERE.glob("*.cpp")), ids=lambda source: source.stem)
def test_misuse_does_not_compile_and_the_compiler_says_why(source):
    text = source.read_text()
    expected = re.findall(r"// EXPECT: *(.+)", text)
    assert expected, "has no // EXPECT: line"
    other = re.search(r"// WITH: *(\S+)", text)
    compiler = other[1] if other else "g++"
    result = compiled(compiler, source)
    assert result.returncode != 0, "compiles"
    for words in expected:
        assert words.strip() in result.stderr, result.stderr[:2000]
    if "MESH_COMPILES" in text:
        control = compiled(compiler, source, "-DMESH_COMPILES")
        assert control.returncode == 0, control.stderr[:2000]
