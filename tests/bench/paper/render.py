"""Markdown tables and SVG figures of one paper, and the record of every value in them."""
import fractions
import json
import math
import pathlib
import subprocess

RELATIVE_ERROR = 1e-5  # the model clock counts millionths of a unit
MISSING = "n/a"
COLOURS = ("#1b5e9e", "#c2491d", "#2f8f4e", "#7a4fa3", "#a07a10", "#0f8a94",
           "#b03a6b", "#555555")


def text(value):
    """A value as it stands in a table."""
    if value is None:
        return MISSING
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def same(corrected, measured):
    """Steps and fractions to the unit; times as near as the model clock is."""
    if isinstance(corrected, float) or isinstance(measured, float):
        return math.isclose(float(corrected), float(measured), rel_tol=RELATIVE_ERROR)
    return corrected == measured


class Document:
    """One paper. cell() takes the three values, everything else is prose around them."""

    def __init__(self, key, title, notes, folder):
        self.key = key
        self.title = title
        self._notes = notes
        self._folder = pathlib.Path(folder)
        self._lines = []
        self._used = []
        self._item = ""
        self.values = []

    # ---- writing ---------------------------------------------------------------------------
    def item(self, name, caption):
        """Begins a table or figure of the paper."""
        self._item = name
        self._lines += [f"## {name}: {caption}", ""]

    def say(self, *paragraphs):
        for paragraph in paragraphs:
            self._lines += [paragraph, ""]

    def note(self, key):
        """The mark of a footnote; its text stands at the end."""
        if key not in self._used:
            self._used.append(key)
        return f"[^{key}]"

    def table(self, head, rows):
        self._lines.append("| " + " | ".join(map(text, head)) + " |")
        self._lines.append("|" + "---|" * len(head))
        self._lines += ["| " + " | ".join(map(text, row)) + " |" for row in rows]
        self._lines.append("")

    # ---- values ----------------------------------------------------------------------------
    def cell(self, row, dim, printed, corrected, measured, note=None, least=None):
        """Three columns: printed, corrected, measured. A printed value that was corrected bears
        its note; a measured value that is not the corrected one stands out. With `least`
        the corrected value is an upper bound, and this the lower one. Without a corrected
        value nothing is compared."""
        equal = measured is None or corrected is None or same(corrected, measured)
        good = equal or (least is not None
                         and least * (1 - RELATIVE_ERROR) <= measured <= corrected)
        self.values.append({
            "paper": self.key, "item": self._item, "row": row, "n": dim,
            "printed": plain(printed), "corrected": plain(corrected),
            "measured": plain(measured), "good": good})
        changed = printed is not None and not same(printed, corrected)
        if changed and not note:
            raise ValueError(f"{self._item}, {row}, n = {dim}: corrected without a note")
        mark = self.note(note) if changed else ""
        shown = text(measured) if good else f"**{text(measured)} DIFFERS**"
        bound = "" if least is None else "<= "
        return ["-" if printed is None else text(printed) + mark,
                "-" if corrected is None else bound + text(corrected), shown]

    def figure(self, name, caption, axes, series, logscale=""):
        """An SVG by gnuplot, if there is a point to show. axes: two titles; series: (title,
        points, style)."""
        shown = [(title, points, style) for title, points, style in series if points]
        if not shown:
            return
        file = f"{self.key}-{name}.svg"
        script = ['set terminal svg noenhanced size 840,480 font "sans-serif,13" '
                  'background "white"', f'set output "{self._folder / file}"',
                  f'set title "{caption}"', f'set xlabel "{axes[0]}"', f'set ylabel "{axes[1]}"',
                  "set key outside right top Left reverse", "set grid",
                  "set offsets graph 0.03, graph 0.03, 0, 0"]
        script += [f'set linetype {number} lc rgb "{colour}"'
                   for number, colour in enumerate(COLOURS, 1)]
        script += ["set xtics 1"] if axes[0] in ("n", "level") else []
        script += [f"set logscale {axis}" for axis in logscale.split()]
        for number, (_, points, _) in enumerate(shown):
            script.append(f"$data{number} << EOD")
            script += [" ".join(str(float(v)) if not isinstance(v, str) else v for v in point)
                       for point in points]
            script.append("EOD")
        plots = [f'$data{number} {style} title "{title}"'
                 for number, (title, _, style) in enumerate(shown)]
        script.append("plot " + ", ".join(plots))
        subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)
        self.say(f"![{caption}]({file})")

    # ---- the end ---------------------------------------------------------------------------
    def verdict(self):
        """How many of the values are right."""
        values = [value for value in self.values if value["measured"] is not None]
        good = sum(value["good"] for value in values)
        return (f"{len(self.values)} values: {good} measured as corrected, {len(values) - good} "
                f"measured otherwise, {len(self.values) - len(values)} not measured")

    def finish(self, unmeasured, failed):
        """The file, with its footnotes and the entries without a measured value."""
        head = [f"# {self.title}", "", self.verdict() + ".", ""]
        tail = ["## Corrections", ""]
        tail += [f"[^{key}]: {self._notes[key]}" for key in self._used]
        for title, lines in (("Not measured", unmeasured), ("Failed", failed)):
            if lines:
                tail += ["", f"## {title}", ""] + [f"- {line}" for line in lines]
        file = self._folder / f"{self.key}.md"
        file.write_text("\n".join(head + self._lines + tail) + "\n")
        return file


def plain(value):
    """A value for the JSON record; fractions as text."""
    return str(value) if isinstance(value, fractions.Fraction) else value


def write_values(file, documents):
    rows = [value for document in documents for value in document.values]
    file.write_text(json.dumps(rows, indent=0) + "\n")
