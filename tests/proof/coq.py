"""What the checks of the proofs need of Coq."""
import re
import shutil
import subprocess

LIMIT_S = 600 # for a hang: Coq takes seconds, and minutes beside much other work


def fresh_folder(folder, sources):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source in sources:
        shutil.copy(source, folder)
    return folder


def run_coqc(folder, file):
    return subprocess.run(["coqc", "-q", "-Q", ".", "Proof", f"{file}.v"], cwd=folder, text=True,
                          capture_output=True, timeout=LIMIT_S)


def compile_file(folder, file):
    """The errors of coqc for a file in `folder`; nothing if all is well."""
    done = run_coqc(folder, file)
    return (done.stderr or "coqc failed") if done.returncode else ""


def check_theorems(folder, files, theorems):
    """Compiles the files in their order; the error if one is wrong, leaves something out, or if a
    theorem rests on an axiom. An empty text if all is so."""
    for file in files:
        if re.search(r"\b(Admitted|admit|Axiom|Parameter)\b", (folder / f"{file}.v").read_text()):
            return f"{file}.v leaves something out"
        if wrong := compile_file(folder, file):
            return f"{file}.v: {wrong}"
    asked = "".join(f"Print Assumptions {theorem}.\n" for theorem in theorems)
    (folder / "Assumptions.v").write_text(f"From Proof Require {' '.join(files)}.\n{asked}")
    done = run_coqc(folder, "Assumptions")
    closed = done.stdout.count("Closed under the global context")
    return "" if done.returncode == 0 and closed == len(theorems) else done.stdout + done.stderr


def change_file(file, changes):
    """Changes texts of a file, each of which must be there once; the error, or an empty text."""
    text = file.read_text()
    for before, after in changes:
        if text.count(before) != 1:
            return f"it changes a text that is not there once: {before}"
        text = text.replace(before, after)
    file.write_text(text)
    return ""


def evaluate(folder, file, terms):
    """The values of terms, as Coq prints them, with all that a compiled file has."""
    asked = "".join(f"Eval vm_compute in {term}.\n" for term in terms)
    (folder / "Asked.v").write_text(f"From Proof Require Import {file}.\n{asked}")
    done = run_coqc(folder, "Asked")
    if done.returncode:
        raise OSError(done.stderr)
    return re.findall(r"^ *= (.*?)\n *: ", done.stdout, re.M | re.S)
