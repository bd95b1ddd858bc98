#!/usr/bin/python3
"""The page in headless Chromium, used as a student uses it: check_page.py PLAYGROUND.html.

Root, a killed node, a cut cable and lost frames by click and slider, two runs beside each other,
the mode that asks, a rule of one's own, right and wrong, other networks; from file://, without a
network, on a screen and on one as narrow as a phone.
Ends with "N passed, N failed".
"""
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 300
WIDTHS = {"screen": 1280, "phone": 500}  # a window of Chromium is not narrower
CLAIMS = {
    "nothing goes wrong": lambda seen: "error" not in seen,
    "16 nodes are verified at first": lambda seen: "16 nodes verified" in seen["first"]["verdict"],
    "the tree is drawn": lambda seen: seen["first"]["edges"] == 15,
    "the lines of the rule are those of the sources": lambda seen:
        "return bits_above(index(relative)) & cube.ports();" in seen["code"],
    "the trees are those of the cube, and one's own": lambda seen:
        {"sbt", "msbt", "alt", "own"} <= set(seen["trees"]) and "edt" not in seen["trees"],
    "a click makes a node the root": lambda seen:
        "--root 5" in seen["root"]["command"] and "root=5" in seen["root"]["hash"],
    "a click kills a node": lambda seen:
        "kill:7" in seen["killed"]["command"] and seen["killed"]["verdict"].startswith("\u2717"),
    "a click cuts a cable": lambda seen: re.search(r"cut:\d+/\d+", seen["cut"]["command"]),
    "what is lost is sent again": lambda seen:
        "drop:0.2" in seen["loss"]["command"] and "16 nodes verified" in seen["loss"]["verdict"],
    "two runs stand beside each other": lambda seen: len(seen["two"]["names"]) == 2 and
        "sbt" in seen["two"]["names"][0] and "msbt" in seen["two"]["names"][1],
    "a link opens two runs beside each other": lambda seen:
        "beside=packets%3D20" in seen["linked"]["hash"] and
        seen["linked"]["names"] == seen["two"]["names"],
    "the address has the moment and the node": lambda seen: re.search(
        r"time=[1-9].*&node=5", seen["moment"]["hash"]) and "Node 5," in seen["moment"]["about"],
    "another run begins at its start, with the same node": lambda seen:
        "packets=9" in seen["next"]["hash"] and "time=0&node=5" in seen["next"]["hash"] and
        seen["next"]["clock"].startswith("0 of") and "Node 5," in seen["next"]["about"],
    "a link opens the very moment": lambda seen: seen["again"] == seen["moment"],
    "all anew is without a node": lambda seen: "node=" not in seen["anew"]["hash"],
    "the page asks, and counts": lambda seen: "right 1, wrong 1" in seen["asking"]["about"] and
        seen["asking"]["edges"] == 1 and "ask=1" in seen["asking"]["hash"],
    "a rule of one's own is run": lambda seen: "A tree" in seen["own"]["verdict"] and
        "16 nodes verified" in seen["own"]["page"],
    "a wrong rule is told by its first wrong node": lambda seen:
        "node 1 (0001) is never fed" in seen["wrong"],
    "24 nodes of a star are verified": lambda seen: "24 nodes verified" in seen["star"]["verdict"],
    "64 nodes sort": lambda seen: "64 nodes verified" in seen["sort"]["verdict"],
    "every op shows the lines that ran": lambda seen: len(seen["parts"]) > 10 and
        all("return" in code for code in seen["parts"].values()) and
        "bitonic_keeps_smaller" in seen["parts"]["sort"],
    "nothing sticks out on the right": lambda seen: seen["overhang"] <= 0,
    "on a phone the picture comes first": lambda seen:
        seen["picture_first"] == (seen["wide"] == WIDTHS["phone"]),
}


class Answer(http.server.BaseHTTPRequestHandler):
    """Takes what the page posts when it has come to its end."""

    def do_POST(self):
        self.server.seen = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format, *arguments):  # pylint: disable=redefined-builtin
        pass


def seen_in(page, folder, wide, driver_name):
    """What a driver saw. Real time: a page's workers know no other."""
    with http.server.HTTPServer(("127.0.0.1", 0), Answer) as server:
        server.seen, server.timeout = None, TIMEOUT_S
        driver = (HERE / driver_name).read_text().replace(
            "@ANSWER@", f"http://127.0.0.1:{server.server_port}/")
        driven = folder / "driven.html"
        before, after = page.read_text().rsplit("</body>", 1)
        driven.write_text(f"{before}<script>\n{driver}</script>\n</body>{after}")
        browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             f"--window-size={wide},800", f"--user-data-dir={folder / 'profile'}",
             "--remote-debugging-port=0", "--disable-features=LocalNetworkAccessChecks",
             "--proxy-server=127.0.0.1:1", f"file://{driven}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            server.handle_request()
        finally:
            browser.terminate()
            browser.wait()
    if server.seen is None:
        raise SystemExit(f"the page did not come to its end within {TIMEOUT_S} s")
    return server.seen


def judged(seen, claims):
    """Prints which claims do not hold of what was seen; the exit status."""
    passed = failed = 0
    for claim, holds in claims.items():
        try:
            good = bool(holds(seen))
        except KeyError:
            good = False
        passed += good
        failed += not good
        if not good:
            print(f"failed: {claim}")
    if failed:
        print(json.dumps(seen, indent=1)[:6000])
    print(f"{seen.get('state', 'the book')}; {seen['seconds']:.1f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    failed = 0
    for name, wide in WIDTHS.items():
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            seen = seen_in(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder), wide,
                           "driver.js")
        print(f"on a {name}, {seen.get('wide')} px wide:")
        failed |= judged(seen, {**CLAIMS, "the window has its width": lambda seen, wide=wide:
                                seen["wide"] == wide})
    return failed


if __name__ == "__main__":
    sys.exit(main())
