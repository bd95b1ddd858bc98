"""The files of `make install` and `make deb` work by themselves, far from the repository."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import boards
from mesh_tool import BOARD, BUILD, ROOT

pytestmark = pytest.mark.toolchain

RUN = ["run", "--dim", "1", "--op", "bcast", "--bytes", "100"]


def make(*words, umask=-1):
    """What is made is of one board: the others' files are of the same kinds."""
    done = subprocess.run(["make", f"BUILD={BUILD.relative_to(ROOT)}", f"BOARD={BOARD}", *words],
                          cwd=ROOT, text=True, capture_output=True, timeout=300,
                          stdin=subprocess.DEVNULL, umask=umask)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    place = tmp_path_factory.mktemp("install")
    make("install-tree", f"DESTDIR={place}", "PREFIX=/opt/mesh")
    yield place / "opt" / "mesh"
    shutil.rmtree(place) # a quarter of a gigabyte, in each worker


def test_an_installed_mesh_finds_its_images(tree, tmp_path):
    done = subprocess.run([tree / "bin" / "mesh", *RUN], cwd=tmp_path, capture_output=True,
                          text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert "verified  2 of 2 live nodes" in done.stdout


def test_an_installed_mesh_finds_what_makes_a_template_of_an_emulator(tree, tmp_path):
    report = tmp_path / "report.json"
    done = subprocess.run([tree / "bin" / "mesh", *RUN, "--boot", "fork", "--report", report],
                          cwd=tmp_path, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert json.loads(report.read_text())["boot"] == "fork"


@pytest.mark.costly
def test_the_toolkits_of_all_boards_are_installed(tmp_path):
    make("install-tree", f"DESTDIR={tmp_path}", "PREFIX=/opt", "BOARD=")
    made = {path.parent.name for path in (tmp_path / "opt").rglob("libmesh.a")}
    assert made == set(boards.names(BUILD)) - boards.with_no_images()


def without_the_repository():
    """Words before a command that hide the folder of the repository from it; none, where that is
    not allowed."""
    words = ["unshare", "--map-root-user", "--mount", "sh", "-c",
             f"mount -t tmpfs none '{ROOT}' && exec \"$@\"", "sh"]
    return words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else []


def test_a_new_project_needs_nothing_but_what_is_installed(tree, tmp_path):
    script = """
mesh new proj
cd proj
make test
mesh run --engine sim --dim 3 --app ./main.cpp --expect expected.txt
mesh run --engine qemu --dim 1 --app ./main.cpp
mesh run --engine sim --dim 2 --app hello
"""
    done = subprocess.run([*without_the_repository(), "sh", "-exc", script], cwd=tmp_path,
                          text=True, capture_output=True, timeout=300,
                          env={"PATH": f"{tree}/bin:/usr/bin:/bin", "HOME": str(tmp_path)})
    assert done.returncode == 0, done
    assert "[0] the numbers of all nodes make 1\n" in done.stdout, done
    assert "hello, neighbours are 2 1\n" in done.stdout, done
    words = subprocess.run([tree / "bin" / "mesh", "build", "--show", "compile"], text=True,
                           capture_output=True, check=True).stdout
    assert f"-isystem {tree}/share/meshputer/include" in words and str(ROOT) not in words, words


def test_a_prefix_may_have_a_blank_and_any_letter_in_its_name(tree, tmp_path):
    own = tmp_path / "my mësh"
    shutil.copytree(tree, own, copy_function=os.link)
    script = """
mesh new proj
make -C proj MESH="$0/bin/mesh" test
mesh run --dim 1 --app proj/main.cpp --boot fork
cmake -S proj -B made -DMESH="$0/bin/mesh" --toolchain "$PWD/proj/toolchain.cmake"
cmake --build made
mesh run --dim 1 --app made/proj.elf
"""
    done = subprocess.run(["sh", "-exc", script, own], cwd=tmp_path, text=True,
                          capture_output=True, timeout=300,
                          env={"PATH": f"{own}/bin:/usr/bin:/bin", "HOME": str(tmp_path)})
    assert done.returncode == 0, done


def test_every_option_of_the_help_is_in_the_manual(tree):
    shown = subprocess.run([tree / "bin" / "mesh", "run", "--help"], capture_output=True, text=True,
                           check=True).stdout
    options = set(re.findall(r"--[a-z][a-z-]+", shown))
    page = (tree / "share/man/man1/mesh-run.1").read_text().replace("\\-", "-").replace("\\fR", "")
    assert len(options) > 30
    assert {option for option in options if option not in page} == set()
    assert (tree / "share/man/man1/mesh.1").read_text().splitlines()[1].startswith(".TH MESH")


def test_the_manual_is_set_without_a_warning(tree):
    pages = sorted((tree / "share/man/man1").iterdir())
    set_by = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-ww", *pages], text=True,
                            capture_output=True, check=True)
    assert len(pages) > 10 and set_by.stderr == "", set_by.stderr
    assert "mesh grade [OPTIONS] folder" in set_by.stdout
    for page in pages:
        text = page.read_text().replace("\\-", "-")
        assert f".SH NAME\n{page.stem} - " in text and " - mesh: " not in text, page
        for section in ("EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"):
            assert f'.SH "{section}"' in text or f".SH {section}\n" in text, (page, section)


def test_the_pages_are_installed(tree):
    assert (tree / "share/doc/meshputer/README.md").read_text() == (ROOT / "README.md").read_text()


def test_the_dissector_is_installed(tree):
    assert "dissector" in (tree / "share/meshputer/meshputer.lua").read_text()


@pytest.mark.parametrize("mask", [0o077, 0])
def test_all_may_read_what_is_installed_and_uninstall_leaves_nothing(tmp_path, mask):
    where = f"DESTDIR={tmp_path}/a ü", "PREFIX=/opt/my mësh"
    make("install-tree", *where, umask=mask)
    installed = list((tmp_path / "a ü").rglob("*"))
    assert {oct(path.stat().st_mode & 0o777) for path in installed} == {"0o644", "0o755"}
    make("uninstall", *where)
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_the_debian_package_holds_a_mesh_that_runs(tmp_path):
    package = pathlib.Path(re.search(r"in '(.*\.deb)'", make("deb")).group(1))
    package = package if package.is_absolute() else ROOT / package
    fields = subprocess.run(["dpkg-deb", "--field", package], capture_output=True, text=True,
                            check=True).stdout
    assert re.search(r"^Depends: .*libc6.*qemu-system-arm", fields, re.MULTILINE), fields
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)
    done = subprocess.run([tmp_path / "usr/bin/mesh", *RUN], capture_output=True, text=True,
                          timeout=120, env={"PATH": os.environ["PATH"]}, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
