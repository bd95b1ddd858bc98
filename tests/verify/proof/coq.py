"""What the checks of the proofs need of Coq."""
import re
import shutil
import subprocess

LIMIT_S = 600 # for a hang: Coq takes seconds, and minutes beside much other work
CLOSED = "Closed under the global context" # what Coq says of a proof that rests on no axiom


def fresh_folder(folder, sources):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source in sources:
        shutil.copy(source, folder)
    return folder


def run_coqc(folder, file, *options):
    return subprocess.run(["coqc", "-q", *options, "-Q", ".", "Proof", f"{file}.v"], cwd=folder,
                          text=True, capture_output=True, timeout=LIMIT_S)


def compile_file(folder, file, *options):
    """The errors of coqc for a file in `folder`; nothing if all is well. With `-vos` it looks at
    statements only, which is faster."""
    done = run_coqc(folder, file, *options)
    return (done.stderr or "coqc failed") if done.returncode else ""


def theorems(files):
    """All theorems of files, by their names."""
    return [f"{file.stem}.{name}" for file in files
            for name in re.findall(r"^Theorem (\w+)", file.read_text(), re.M)]


def left_out(files):
    """The error if one of the files says that it does not prove something; else an empty text."""
    for file in files:
        if re.search(r"\b(Admitted|admit|Axiom|Parameter)\b", file.read_text()):
            return f"{file.name} leaves something out"
    return ""


def changed_text(text, changes):
    """A text with changes, each of words that must be there once."""
    for before, after in changes:
        if text.count(before) != 1:
            raise OSError(f"it changes a text that is not there once: {before}")
        text = text.replace(before, after)
    return text


def joined(files, changed="", changes=()):
    """Files in one, a module each, and the line where each begins: so that a check takes one run
    of coqc, which spends most of its time on libraries. The one called `changed` has changes. Coq
    prints what each theorem called `found` rests on."""
    names = [file.stem for file in files]
    loaded, lines, begins = set(), [], {}

    def take(words):
        loaded.update(word for word in words[2].split() if word not in names)
        return f"{words[1]} {words[2]}."

    for file in files:
        begins[file.stem] = len(lines) + 2 # behind the line that loads libraries
        text = changed_text(file.read_text(), changes if file.stem == changed else ())
        text = re.sub(r"^(?:From Proof )?Require (Import|Export) ([\w ]+)\.$", take, text,
                      flags=re.M)
        lines += [f"Module {file.stem}.", *text.splitlines(), f"End {file.stem}."]
        if re.search(r"^Theorem found\b", text, re.M):
            lines.append(f"Print Assumptions {file.stem}.found.")
    return [f"Require {' '.join(sorted(loaded))}.", *lines], begins


def check_theorems(folder, files, theorems):
    """The error if one of the files is wrong, leaves something out, or if a theorem rests on an
    axiom. An empty text if all is so."""
    if wrong := left_out(files):
        return wrong
    # Coq goes through all that lies below a term: once for all theorems takes a tenth of the time.
    everything = ", ".join(f"@{theorem}" for theorem in theorems)
    lines = [*joined(files)[0], f"Definition everything := ({everything}).",
             "Print Assumptions everything."]
    fresh_folder(folder, [])
    (folder / "All.v").write_text("\n".join(lines) + "\n")
    done = run_coqc(folder, "All")
    closed = done.stdout.strip() == CLOSED
    return "" if done.returncode == 0 and closed else done.stdout + done.stderr


def breaks(folder, files, changed, changes, broken):
    """The error in the check of a mutant: its files must hold up to the one called `broken`, which
    must not; what they have `found` must rest on no axiom. An empty text if that is so."""
    if wrong := left_out(files):
        return wrong
    lines, begins = joined(files, changed, changes)
    fresh_folder(folder, [])
    (folder / "Mutant.v").write_text("\n".join(lines) + "\n")
    done = run_coqc(folder, "Mutant")
    if done.returncode == 0:
        return f"{broken}.v holds for it"
    line = re.search(r'File "\./Mutant\.v", line (\d+), characters[^\n]*\nError', done.stderr)
    if line and int(line[1]) >= begins[broken]: # it is the last file
        return "" if done.stdout.strip() == CLOSED else f"it rests on {done.stdout}"
    return done.stderr or "coqc failed"


def statement(file, theorem, changes):
    """The text of a file up to a theorem, which is a definition here: its statement, behind what
    its section supposes, with changes. Proofs before it are left out: a statement needs none."""
    text = file.read_text()
    found = re.search(rf"^Theorem {theorem}((?: \w+)*) :\s(.*?)\.\s+Proof\b", text,
                      re.M | re.S)
    before = re.sub(r"^Proof\b.*?\bQed\.$", "Admitted.", text[:found.start()], flags=re.M | re.S)
    section = re.findall(r"^Section (\w+)\.(?:(?!^End \1\.).)*\Z", before, re.M | re.S)
    supposed = re.findall(r"^Hypothesis \w+ : (.*?)\.(?=\s)", before[before.rindex("\nSection "):],
                          re.M | re.S) if section else []
    whole = "".join(f"({each}) -> " for each in supposed)
    whole += (f"forall{found[1]}, " if found[1] else "") + " ".join(found[2].split())
    return (f"{before}Definition {theorem} : Prop := {changed_text(whole, changes)}.\n" +
            "".join(f"End {name}.\n" for name in section))


def denied(folder, files, counterexample, theorem, changes):
    """The error in the check of a mutant of a statement, of a theorem in the last one of `files`:
    the last one of `counterexample` must prove that it is wrong. An empty text if it does."""
    if wrong := left_out(files + counterexample):
        return wrong
    fresh_folder(folder, [])
    changed = folder / files[-1].name
    changed.write_text(statement(files[-1], theorem, changes))
    lines, _ = joined([*files[:-1], changed, *counterexample])
    (folder / "Mutant.v").write_text("\n".join(lines) + "\n")
    done = run_coqc(folder, "Mutant")
    closed = done.stdout.strip() == CLOSED
    return "" if done.returncode == 0 and closed else done.stdout + done.stderr or "coqc failed"


def evaluate(folder, file, terms):
    """The values of terms, as Coq prints them, behind what a file has."""
    asked = "".join(f"Eval vm_compute in {term}.\n" for term in terms)
    (folder / "Asked.v").write_text((folder / f"{file}.v").read_text() + asked)
    done = run_coqc(folder, "Asked", "-vok")
    if done.returncode:
        raise OSError(done.stderr)
    return re.findall(r"^ *= (.*?)\n *: ", done.stdout, re.M | re.S)
