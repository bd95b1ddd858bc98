"""The page of a run, used without a browser."""
import json
import os
import subprocess

from mesh_tool import ROOT

PAGE = ROOT / "host-tools/mesh/views/page"
# Debian's libraries, also for a node that is not Debian's.
WITH_LIBRARIES = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
RUN_IN_PAGE = r'id="run">(.*?)</script>'


def model_of(page, tmp_path, expression):
    """A value of the page's own script, run without a browser."""
    (tmp_path / "page.html").write_text(page)
    script = (f"const {{ makeModel }} = require('{PAGE}/model.js');"
              f"const page = require('fs').readFileSync('{tmp_path}/page.html', 'utf8');"
              "const run = JSON.parse(/id=\"run\">(.*?)<\\/script>/s.exec(page)[1]);"
              f"console.log(JSON.stringify({expression}));")
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def opened(page, place):
    """What a page shows once it is opened and used."""
    done = subprocess.run(["node", ROOT / "tests/mesh/reports/page.js", page, place], timeout=60,
                          capture_output=True, text=True, env=WITH_LIBRARIES)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)
