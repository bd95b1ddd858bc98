#!/usr/bin/python3
"""Compiles each tests/compile_fail/*.cpp: it must fail, and say the text of its `// EXPECT:` lines.

To show that the case itself and nothing else is at fault, the same file must compile with
-DMESH_COMPILES, where it has such a branch. A `// WITH: compiler` line is for what only that one
sees.
"""
import pathlib
import re
import subprocess
import sys


def check(compiler, source):
    """What is wrong with this case, or None."""
    text = source.read_text()
    expected = re.findall(r"// EXPECT: *(.+)", text)
    if not expected:
        return "has no // EXPECT: line"
    other = re.search(r"// WITH: *(\S+)", text)
    command = [other[1] if other else compiler[0], *compiler[1:], "-fsyntax-only", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if result.returncode == 0:
        return "compiles"
    for words in expected:
        if words.strip() not in result.stderr:
            return f"fails without saying '{words.strip()}':\n{result.stderr[:2000]}"
    if "MESH_COMPILES" in text:
        control = subprocess.run([*command, "-DMESH_COMPILES"], capture_output=True, text=True,
                                 timeout=60)
        if control.returncode != 0:
            return f"does not compile with -DMESH_COMPILES:\n{control.stderr[:2000]}"
    return None


def main():
    passed = failed = 0
    for source in sorted(pathlib.Path("tests/compile_fail").glob("*.cpp")):
        fault = check(sys.argv[1:], source)
        if fault is None:
            passed += 1
        else:
            failed += 1
            print(f"{source}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
