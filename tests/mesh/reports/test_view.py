"""`mesh view` and the page of --report show the same as the report."""
import collections
import json
import math
import re
import shutil
import subprocess
import xml.etree.ElementTree

import pytest

from mesh_tool import mesh, probe, program, refused, run, tree, verified
from page_tool import PAGE, RUN_IN_PAGE, model_of, opened

RUNS = {
    "cube": ["--dim", 4, "--op", "bcast", "--tree", "msbt", "--bytes", 3000, "--packet", 256],
    "uhc": ["--topology", "uhc", "--dim", 4, "--op", "bcast", "--bytes", 2000, "--packet", 256],
    "star": ["--topology", "star", "--dim", 4, "--op", "scatter", "--bytes", 64],
    "faults": ["--dim", 4, "--op", "allreduce", "--bytes", 64, "--faults", "drop:0.05,dup:0.05"],
    "app": ["--dim", 3, "--app", "pingpong"]}


@pytest.fixture(scope="module", params=RUNS)
def recorded(request, tmp_path_factory):
    """A capture with the report and the page of the same run."""
    folder = tmp_path_factory.mktemp(request.param)
    words = ["run", "--engine", "sim", *RUNS[request.param], "--seed", 5]
    made = mesh(*words[:-2], "--capture", folder / "run.pcapng", "--report", folder / "run.html",
                "--seed", 5)
    assert made.status == 0, made
    report = run("sim", *RUNS[request.param], "--seed", 5).report
    return folder / "run.pcapng", (folder / "run.html").read_text(), report


def view(file, form):
    outcome = mesh("view", file, "--format", form)
    assert outcome.status == 0 and outcome.err == "", outcome
    return outcome.out


def test_the_page_steps_through_the_run_with_the_reports_own_numbers(recorded, tmp_path):
    _, page, report = recorded
    shown = model_of(page, tmp_path, "makeModel(run).selftest()")
    assert shown["complete"] and shown["seen"] == shown["hops"] == report["hops"]
    assert shown["loads"] == report["link_packets"]
    assert shown["max_link_load"] == report["max_link_load"]
    figures = dict(model_of(page, tmp_path, "makeModel(run).figures()"))
    for title, key in (("steps", "steps"), ("hops", "hops"),
                       ("retransmissions", "retransmissions")):
        assert figures[title] == str(report[key]), title
    assert figures["verified"] == f"{report['verified_nodes']} of {report['nodes']} live nodes"
    buffers = re.fullmatch(r"(\d+) of .* needs (\d+)", figures["packet buffers"])
    used, needed = map(int, buffers.groups())
    assert used == max(report["buffers_used"]) == report["counters"]["buffers_used_max"] > 0
    if report["op"] == "bcast":
        assert needed == model_of(page, tmp_path, "run.trees.map(tree => tree.parent.map((_, node) "
                                  "=> { let links = 0; for (; node >= 0 && tree.parent[node] >= 0; "
                                  "node = tree.parent[node]) ++links; return links; })).flat()"
                                  ".reduce((most, links) => Math.max(most, links), 0)") + 1


def test_a_page_of_a_failed_run_names_the_nodes_and_compares_nothing_with_a_formula(tmp_path):
    page = tmp_path / "page.html"
    outcome = mesh("run", "--engine", "sim", "--dim", 3, "--op", "bcast", "--faults", "kill:2",
                   "--report", page)
    assert outcome.status == 1, outcome
    figures = dict(model_of(page.read_text(), tmp_path, "makeModel(run).figures()"))
    assert figures["verified"] == "6 of 7 live nodes" and figures["failed"] == "node 6", figures
    assert "formula" not in figures and "steps" not in figures, figures
    verdict = opened(page, "")["verdict"]
    assert verdict.endswith("1 node failed: 6"), verdict


def test_the_critical_path_is_as_long_as_the_run(recorded, tmp_path):
    _, page, report = recorded
    shown = model_of(page, tmp_path, "makeModel(run).selftest()")
    assert shown["critical_time"] + shown["critical_waits"] == shown["last"]
    if report["op"] != "app":
        assert shown["critical_time"] == report["steps"] and shown["critical_waits"] == 0


@pytest.mark.toolchain
def test_the_page_draws_itself_and_goes_by_buttons_and_keys(recorded):
    file, _, report = recorded
    shown = opened(file.with_suffix(".html"), "#selftest")
    assert shown["selftest"]["drawn"] >= report["hops"] == shown["selftest"]["seen"]
    assert shown["nodes"] == report["nodes"] and f"{report['nodes']} nodes" in shown["verdict"]
    assert dict(shown["figures"])["hops"] == str(report["hops"])
    _, first, second, back, last, home = [clock.split(" of ")[0] for clock in opened(
        file.with_suffix(".html"), "")["clocks"]]
    assert home == "0" and back == first and float(first) < float(second) <= float(last)
    shapes = {"spacetime", "gantt", "utilisation", "pool", "matrix", "loads"}
    assert {name for name, strokes in shown["painted"].items() if strokes > 5} >= shapes
    if report["op"] == "bcast":
        about = opened(file.with_suffix(".html"), "#node=5")["about"]
        words = ["--topology", report["topology"], "--dim", 4, "--tree", report["tree"]]
        told = [line.strip() for line in mesh("tree", *words, "--why", 5).out.splitlines()]
        assert len(told) > 4 and all(line in about for line in told[1:]
                                     if not line.startswith("subtree ")), about


def test_the_nodes_of_the_page_are_one_stop_of_the_tab_key_and_arrows_go_on(recorded):
    file, _, report = recorded
    shown = opened(file.with_suffix(".html"), "")
    if report["topology"] != "star":
        assert shown["walked"] == ["node 1", "node 3", "node 3"]
    assert shown["stops"] == 1 and shown["chosen"].startswith(f"N{shown['walked'][2][1:]}, ")


def distance(point, a, b):
    """Of a point from the line between two others."""
    (px, py), (ax, ay), (bx, by) = point, a, b
    along = ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / math.dist(a, b) ** 2
    along = min(1, max(0, along))
    return math.dist(point, (ax + along * (bx - ax), ay + along * (by - ay)))


def test_no_packet_of_the_page_covers_the_number_of_a_node(recorded):
    run_in_page = json.loads(re.search(RUN_IN_PAGE, recorded[1], re.S)[1])
    places = [tuple(node[:2]) for node in run_in_page["nodes"]]
    for a, _, b in run_in_page["links"]:
        for node, place in enumerate(places):
            if node not in (a, b):
                assert distance(place, places[a], places[b]) > 0.21, (node, a, b)


def test_the_tree_is_in_the_picture_and_a_node_says_its_place_by_pointer_click_and_key(tmp_path):
    page = tmp_path / "run.html"
    outcome = mesh("run", "--engine", "sim", "--dim", 4, "--op", "bcast", "--tree", "sbt",
                   "--bytes", 100, "--report", page)
    assert outcome.status == 0, outcome
    shown = opened(page, "")
    assert shown["drawn"]["edges"] == 15 and shown["drawn"]["crosses"] == 0
    assert shown["drawn"]["labels"] == [f"{node:04b}" for node in range(16)]
    assert shown["hovered"].startswith("Node 5, address 0101.") and shown["left"] == shown["chosen"]
    assert shown["across"] == "node 2" and shown["pressed"] == ["node 2"]
    for layout in ("network", "levels"):
        again = opened(page, f"#time=1.5&node=5&layout={layout}")
        assert again["clocks"][0] == "1.5 of 4" and again["drawn"]["edges"] == 15
        assert again["about"].startswith("Node 5,")
    assert shown["hash"] == "#time=4&node=2" and again["hash"] == "#time=4&node=2&layout=levels"
    places = model_of(page.read_text(), tmp_path, "run.trees[0].places")
    tops = [place[1] for place in places]
    parents = tree(4, "sbt", 0)[0]["parent"]
    assert all(tops[node] > tops[parent] for node, parent in enumerate(parents) if parent >= 0)
    assert len({tuple(place) for place in places}) == 16


def test_a_picture_can_be_made_larger_and_whole_again(recorded):
    zooms = opened(recorded[0].with_suffix(".html"), "")["zooms"]
    assert zooms == ["1", "1.5", "2.25", "1.5", "1", "1"]


def test_all_diagrams_have_the_cursor_of_one_time_and_words_for_who_does_not_see_them(recorded):
    shown = opened(recorded[0].with_suffix(".html"), "")
    first, end = shown["cursors"]
    assert len(first) == len(end) >= 3 and shown["unnamed"] == 0
    assert all(begin < later for begin, later in zip(first, end))


def test_a_failed_run_looks_failed(tmp_path):
    page = tmp_path / "run.html"
    outcome = mesh("run", "--engine", "sim", "--dim", 4, "--op", "bcast", "--faults", "kill:2",
                   "--report", page)
    assert outcome.status == 1, outcome
    shown = opened(page, "")
    assert shown["drawn"]["crosses"] == 3
    assert shown["clocks"][0].split(" of ")[0] == shown["clocks"][0].split(" of ")[1]


def test_two_runs_are_in_one_page_on_one_clock(tmp_path):
    for name in ("sbt", "msbt"):
        made = mesh("run", "--engine", "sim", "--dim", 3, "--op", "bcast", "--tree", name,
                    "--bytes", 960, "--packet", 64, "--capture", tmp_path / name)
        assert made.status == 0, made
    page = tmp_path / "two.html"
    words = ["view", tmp_path / "sbt", "--beside", tmp_path / "msbt"]
    outcome = mesh(*words, "--format", "html", "--output", page)
    assert outcome.status == 0, outcome
    shown = opened(page, "#time=10")
    assert [clock.split(" of ")[1] for clock in shown["clocks"]] == ["17"] * 6
    assert shown["names"] == ["bcast over sbt on a cube of 8: at rest since 17",
                              "bcast over msbt on a cube of 8: at rest since 8"]
    assert dict((row[0], row[1:]) for row in shown["figures"])["steps"] == ["17", "8"]
    assert shown["painted"]["spacetime"] > 100 and shown["painted"]["spacetime-2"] > 100
    if shutil.which("chromium"):
        sheets = tmp_path / "two.pdf"
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                        f"--user-data-dir={tmp_path}/browser", "--virtual-time-budget=5000",
                        f"--print-to-pdf={sheets}", f"file://{page}#time=10"],
                       capture_output=True, timeout=120, check=True)
        assert len(re.findall(rb"/Type */Page\b(?!s)", sheets.read_bytes())) == 1
    assert mesh(*words, "--format", "svg").status == 2
    assert mesh(*words[:3], tmp_path / "none", "--format", "html").status == 2


def test_printed_words_on_a_node_are_not_cut_beside_a_second_run_either():
    rules = re.findall(r"^ *([^{}@]*\.about) \{.*?max-height: ([^;]+);",
                       (PAGE / "page.css").read_text(), re.M)
    *others, (printed, height) = rules
    assert len(others) >= 2 and height == "none"
    assert all(printed.count(".") >= selector.count(".") for selector, _ in others), rules


def test_controls_of_a_narrow_screen_are_high_enough_for_a_finger():
    style, script = ((PAGE / name).read_text() for name in ("page.css", "network.js"))
    narrow = re.search(r"@media (\(max-width: \d+rem\)) \{\n.*?\.controls "
                       r":is\(button, select, input\) \{ min-height: ([\d.]+)rem", style, re.S)
    assert float(narrow[2]) * 16 >= 40
    assert f'matchMedia("{narrow[1]}")' in script, "where nodes are made larger"


CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu"]
with_chromium = pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")


@with_chromium
@pytest.mark.parametrize("words", [
    ["--dim", 4, "--op", "bcast", "--bytes", 4096], ["--dim", 6, "--op", "sort"],
    ["--topology", "star", "--dim", 4, "--op", "bcast", "--tree", "edt", "--bytes", 4096],
    ["--dim", 4, "--op", "bcast", "--faults", "kill:2"]])
def test_a_browser_prints_picture_time_figures_and_a_node_on_one_sheet(words, tmp_path):
    page, sheet = tmp_path / "run.html", tmp_path / "run.pdf"
    mesh("run", "--engine", "sim", *words, "--report", page)
    subprocess.run([*CHROMIUM, f"--user-data-dir={tmp_path}", "--no-pdf-header-footer",
                    f"--print-to-pdf={sheet}", f"file://{page}#time=2.5&node=5"],
                   capture_output=True, timeout=120, check=True)
    assert len(re.findall(rb"/Type /Page\b", sheet.read_bytes())) == 1


@with_chromium
@pytest.mark.parametrize("wide", [500, 1400])
def test_a_browser_steps_through_the_page_without_a_network(recorded, tmp_path, wide):
    file, _, report = recorded
    done = subprocess.run(
        [*CHROMIUM, f"--window-size={wide},900", f"--user-data-dir={tmp_path}",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", "--virtual-time-budget=5000",
         f"file://{file.with_suffix('.html')}#selftest"],
        capture_output=True, text=True, timeout=120, check=True)
    shown = json.loads(re.search(r'<pre id="selftest".*?>(.*?)</pre>', done.stdout)[1])
    assert shown["drawn"] >= shown["seen"] == report["hops"] and shown["overhang"] <= 0
    if wide == 500: # as on a phone
        assert shown["lowest"] >= 40 and shown["node"] >= 30, shown


@pytest.mark.toolchain
def test_what_processes_do_and_print_is_in_every_view_of_an_app(tmp_path):
    file = tmp_path / "run.pcapng"
    outcome = mesh("run", "--engine", "sim", "--dim", 2, "--app", "pingpong", "--capture", file,
                   "--report", tmp_path / "run.html")
    printed = re.findall(r"^\[0\] (.*)$", outcome.out, re.M)
    assert outcome.status == 0 and len(printed) == 3
    lines = view(file, "text")
    assert re.findall(r"^ *\S+ +0 prints (.*)$", lines, re.M) == printed
    assert re.search(r"^ *0\.0+ +3'0 waits for a message on channel 0 from node 0\n", lines, re.M)
    assert len(re.findall(r"^ *\S+ +\d'0 ends $", lines, re.M)) == 4
    events = json.loads(view(file, "trace"))["traceEvents"]
    waits = [event for event in events if event.get("cat") == "process" and event["ph"] == "X"]
    assert {event["pid"] for event in waits} == {0, 1, 2, 3}
    assert sum(event["pid"] == 0 and "waits for" in event["name"] for event in waits) == 6, waits
    assert [event["name"] for event in events if event["ph"] == "i"] == printed
    shown = opened(tmp_path / "run.html", "")
    assert [line.split("] ")[1] for line in shown["lines"]] == printed
    assert shown["painted"]["processes"] > 4 * 3
    assert re.search("Node 3, process 0: waits for a message on channel 0 from node 0, 0 to [0-9]",
                     opened(tmp_path / "run.html", "#time=0&node=3")["about"], re.I)


def test_an_exchange_is_told_before_the_tree_from_one_of_its_roots(tmp_path):
    words = ["--topology", "star", "--dim", 3, "--op", "alltoall"]
    assert mesh("run", "--engine", "sim", *words, "--bytes", 24, "--report",
                tmp_path / "run.html").status == 0
    about = opened(tmp_path / "run.html", "#node=2")["about"]
    told = [line.strip() for line in mesh("tree", *words, "--why", 2).out.splitlines()[1:]]
    places = [about.index(line) for line in [*told, "In the tree from node 0:", "Subtree 2:"]]
    assert len(told) >= 5 and places == sorted(places), about


@pytest.mark.toolchain
def test_pictures_of_a_run_that_runs_free_have_one_clock(tmp_path):
    """Model time: that of the packets. Frames and lines have the host's in the table alone."""
    file = tmp_path / "run.pcapng"
    outcome = mesh("run", "--engine", "qemu", "--dim", 2, "--app", program("traced_pingpong"),
                   "--capture", file, "--report", tmp_path / "run.html")
    assert outcome.status == 0, outcome
    page = json.loads(re.search(RUN_IN_PAGE, (tmp_path / "run.html").read_text(), re.S)[1])
    last = max(hop[4] for hop in page["hops"])
    printed = [line[1] for line in page["processes"]["lines"]]
    stays = page["processes"]["stays"]
    assert printed == sorted(printed) and 0 < printed[0] < printed[-1] <= last
    assert {stay[0] for stay in stays} == set(range(4))
    assert 0 == min(stay[2] for stay in stays) and max(stay[3] for stay in stays) == last
    drawn = [event for event in json.loads(view(file, "trace"))["traceEvents"] if "ts" in event]
    assert max(event["ts"] + event.get("dur", 0) for event in drawn) == last * 1_000_000


def test_the_page_is_one_file_that_asks_for_nothing(recorded):
    page = recorded[1]
    assert not re.findall(r"""(?:src|href)\s*=\s*["'][^"'#]|@import|url\((?!#)""", page)
    assert "http" not in re.sub(r"http-equiv|http://www.w3.org/2000/svg", "", page)
    assert "default-src 'none'" in page


def test_each_view_has_a_line_or_an_arrow_for_each_hop(recorded):
    file, _, report = recorded
    phases = collections.Counter(event["ph"] for event in
                                 json.loads(view(file, "trace"))["traceEvents"]
                                 if event.get("cat") not in ("process", "print"))
    assert phases["s"] == phases["f"] == report["hops"] and phases["X"] == 2 * report["hops"]
    drawing = xml.etree.ElementTree.fromstring(view(file, "svg"))
    assert len(drawing.findall("{http://www.w3.org/2000/svg}path")) == report["hops"]
    lines = view(file, "text").splitlines()[2:]
    assert len([line for line in lines if " data " in line]) >= report["hops"]
    assert sum("retransmission" in line for line in lines) == report["retransmissions"]


def test_the_page_of_64_nodes_and_60_packets_is_small(tmp_path):
    page = tmp_path / "run.html"
    outcome = mesh("run", "--engine", "sim", "--dim", 6, "--op", "bcast", "--tree", "msbt",
                   "--bytes", 61440, "--packet", 1024, "--report", page)
    assert outcome.status == 0 and page.stat().st_size < 1_000_000, outcome
    why = model_of(page.read_text(), tmp_path, "run.trees[2].why[5].map(place => run.words[place])")
    assert "000101 xor 000000 = 000101" in why[0] and "turned right by 2 it is 010001" in why[1]


def test_of_too_many_hops_the_page_draws_some_and_says_so(tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 8, "--op", "bcast", "--bytes", 1760,
                   "--packet", 16, "--report", tmp_path / "run.html", "--capture",
                   tmp_path / "run.pcapng", "--capture-bytes", 80)
    page = (tmp_path / "run.html").read_text()
    assert outcome.status == 0 and len(page) < 2_500_000
    counts = model_of(page, tmp_path, "[run.all_hops, run.hops.length, run.every, run.loads"
                                      ".flat().reduce((a, b) => a + b, 0)]")
    assert counts[0] == counts[3] == 255 * 110 and counts[2] == 2
    assert counts[1] < 20_000
    assert "one hop of 2 is drawn" in view(tmp_path / "run.pcapng", "svg")


def test_a_path_of_very_many_hops_is_thinned_too(tmp_path):
    outcome = mesh("run", "--engine", "sim", "--dim", 1, "--op", "bcast", "--bytes", 400_000,
                   "--packet", 16, "--report", tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    counts = model_of(page, tmp_path, "[run.all_hops, run.hops.length, run.every, "
                                      "run.critical_hops, run.critical.length]")
    assert outcome.status == 0 and counts == [25_000, 12_500, 2, 25_000, 12_500]


def test_a_capture_that_ends_early_is_shown_as_far_as_it_goes(recorded, tmp_path):
    data = recorded[0].read_bytes()
    for part in (0.4, 0.8, 0.97):
        (tmp_path / "cut.pcapng").write_bytes(data[:int(len(data) * part)])
        outcome = mesh("view", tmp_path / "cut.pcapng")
        assert outcome.status == 0 and "has no end" in outcome.err, outcome


@pytest.mark.parametrize("data", [b"", b"\x7fELF" * 40, b"\n\r\r\n\x1c\0\0\0M<+\x1a\1\0\0\0"
                                  + b"\xff" * 8 + b"\x1c\0\0\0"])
def test_what_is_no_capture_of_a_mesh_is_refused(tmp_path, data):
    (tmp_path / "file").write_bytes(data)
    refused(mesh("view", tmp_path / "file"), "no capture of a mesh")


def test_damaged_captures_are_refused_or_shown_but_never_break_the_tool(tmp_path):
    file = tmp_path / "run.pcapng"
    verified(run("sim", "--dim", 2, "--op", "bcast", "--bytes", 100, "--capture", file))
    data = file.read_bytes()
    for place in range(12, len(data), 97):
        file.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1:])
        for form in ("html", "trace"):
            assert mesh("view", file, "--format", form).status in (0, 2), place


def test_what_a_capture_says_moves_no_cursor_of_the_terminal(tmp_path):
    file = tmp_path / "run.pcapng"
    verified(run("sim", "--dim", 1, "--op", "bcast", "--bytes", 100, "--capture", file,
                 "--output", tmp_path / "a\x1b]0;title\x07b"))
    shown = mesh("view", file, "--format", "text")
    assert shown.status == 0 and "title" in shown.out, shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", shown.out), shown


CIRCLE = "node 0's process 1 waits for {}1, whose {}2, whose {}3, whose {}0: a circle".format(
    "a message with tag 3 from node ",
    *3 * ["process 1 waits for a message with tag 3 from node "])


@pytest.mark.parametrize("engine, what, processes, said", [
    ("sim", "circle", 8, CIRCLE),
    ("qemu", "circle", 8, CIRCLE),
    ("sim", "nobody", 2, "node 1's process 1 waits for a message with tag 7 from any node"),
    ("sim", "taking", 3, "node 1 waits for its message with tag 5 to be taken by node 0, whose "
                         "process 1 waits for a message with tag 7 from any node"),
    ("qemu", "parts", 3, "node 1's process 1 waits for somebody to write to a channel of its "
                         "node")])
def test_a_run_that_stops_without_an_end_says_who_waits(tmp_path, engine, what, processes, said):
    outcome = probe(engine, "waits", what, options=["--dim", 2, "--report", tmp_path / "report",
                                                    *(["--lockstep"] * (engine == "qemu"))])
    report = json.loads((tmp_path / "report").read_text())
    waits = report["waits"]
    assert outcome.status == 1 and said in outcome.err, outcome
    assert len(waits) == processes and report["cut_short"] is None and report["who_waits"] == said
    assert {"node": 1, "process": 0, "for": "the end of its process 1" if what != "taking"
            else "its message with tag 5 to be taken by node 0"} in waits
    if what == "parts":
        assert "somebody to read a channel of its node" in [wait["for"] for wait in waits]


def test_each_wait_for_another_node_is_an_arrow_and_pictures_without_time_are_left_out(tmp_path):
    page = tmp_path / "page.html"
    outcome = probe("sim", "waits", "circle", options=["--dim", 2, "--report", page])
    assert outcome.status == 1, outcome
    shown = opened(page, "")
    assert shown["drawn"]["waits"] == 4 and "a circle" in shown["circle"]
    assert "spacetime" not in shown["painted"] and shown["hidden"] >= 5


def test_a_run_ended_by_its_limit_leaves_its_page_and_says_who_waits(tmp_path):
    page = tmp_path / "page.html"
    outcome = probe("sim", "waits", "sleeper", options=["--dim", 1, "--limit", 1, "--report", page])
    assert outcome.status == 1 and re.search(
        "nodes 0 1: not done within --limit 1 s; 0 packets have gone; node 1's process 1 waits for "
        "a message with tag 7 from any node; repeat: ", outcome.err), outcome
    results = json.loads(re.search(RUN_IN_PAGE, page.read_text(), re.S)[1])["results"]
    assert results["cut_short"].startswith("nodes 0 1: not done within --limit 1 s")
    assert {"node": 0, "process": 0, "for": "a time"} in results["waits"]
    assert opened(page, "")["circle"] == results["who_waits"] == (
        "node 1's process 1 waits for a message with tag 7 from any node")
