"""The jobs for build servers that the pages show do what a build server would."""
import re
import subprocess
import xml.etree.ElementTree

import pytest

from mesh_tool import MESH, ROOT

JOBS = sorted((ROOT / "host-tools" / "install" / "jobs").iterdir())
RUNS = '[small]\nop = "bcast"\ndim = 2\nengine = "sim"\n'
# Wrong in each key of a row: a name, a number, a file, a program.
BROKEN = ['op = "bcsat"', "dim = 99", 'app = "./none.cpp"', 'faults = "@none"', 'expect = "none"']


def commands_of(job):
    """The job's lines that call the tool."""
    return re.findall(r"^[ -]+(mesh .*)$", job.read_text(), re.M)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.stem)
@pytest.mark.parametrize("row, status", [("", 0), *((row, 1) for row in BROKEN)])
def test_a_job_gates_on_its_runs(job, row, status, tmp_path):
    [command] = commands_of(job)
    rest = RUNS if not row else f'{RUNS}[other]\nengine = "sim"\ndim = 1\n{row}\n'
    if row.startswith("dim"):
        rest = f'{RUNS}[other]\nengine = "sim"\nop = "bcast"\n{row}\n'
    if row.split(" =")[0] in ("faults", "expect"):
        rest += 'app = "hello"\n'
    (tmp_path / "runs.toml").write_text(rest)
    done = subprocess.run(["bash", "-ec", command], cwd=tmp_path, capture_output=True, text=True,
                          timeout=300, env={"PATH": f"{MESH.parent}:/usr/bin:/bin",
                                            "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == status, done
    cases = xml.etree.ElementTree.parse(tmp_path / "results.xml").iter("testcase")
    assert {case.get("name"): len(case) for case in cases} == \
        ({"small": 0, "other": 1} if row else {"small": 0})


def test_the_jobs_keep_what_a_person_looks_for():
    assert [job.name for job in JOBS] == ["github.yml", "gitlab.yml"]
    for job in JOBS:
        text = job.read_text()
        assert all(word in text for word in ("results.xml", "logs", "XDG_CACHE_HOME", "always"))
