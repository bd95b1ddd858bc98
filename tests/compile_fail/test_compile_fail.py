"""Each tests/compile_fail/*.cpp must fail to compile, and say the text of its `// EXPECT:` lines.

To show that the case itself and nothing else is at fault, the same file must compile with
-DMESH_COMPILES, where it has such a branch. With a `// CLANG` line that one, too, must refuse it.
"""
import pathlib
import os
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c++20", "-Ifirmware", "-I."]
WHOLE = ["-c", "-o", "/dev/null"] # GCC says some things late


def compiled(compiler, source, *more):
    return subprocess.run([compiler, *FLAGS, *more, str(source)], capture_output=True, text=True,
                          timeout=300, cwd=HERE.parents[1], env=os.environ | {"LC_ALL": "C"})


@pytest.mark.toolchain
@pytest.mark.parametrize("source", sorted(HERE.glob("*.cpp")), ids=lambda source: source.stem)
def test_misuse_does_not_compile_and_the_compiler_says_why(source):
    text = source.read_text()
    expected = re.findall(r"// EXPECT: *(.+)", text)
    assert expected, "has no // EXPECT: line"
    result = compiled("g++", source, *WHOLE)
    assert result.returncode != 0, "compiles"
    for words in expected:
        assert words.strip() in result.stderr, result.stderr[:2000]
    if "// CLANG" in text:
        assert compiled("clang++", source, "-fsyntax-only").returncode != 0, "clang compiles it"
    if "MESH_COMPILES" in text:
        control = compiled("g++", source, "-fsyntax-only", "-DMESH_COMPILES")
        assert control.returncode == 0, control.stderr[:2000]
