"""The tables of Fragopoulou, Akl 1993, each a function of the document and the measurements."""
from data_1993 import (BROADCAST, CUBE_PROBLEMS, DEPTH_FIRST, PROBLEMS, TABLE4,
                       nearest_cube)
from measure import Job
from sections_1986 import drawn, head_of_three

MESSAGE_BYTES = 16  # one packet
BROADCAST_MESSAGES = 60
HOPS_MAX = 3_000_000  # beyond this a simulated run takes minutes
HEAD = head_of_three(["problem", "n", "x", "M", "engine"], ["time", "transmissions"])


def star_job(problem, n, x, m):
    return Job(problem.op, n, "edt", bytes=MESSAGE_BYTES * m, packet=MESSAGE_BYTES,
               schedule=problem.schedule, topology="star", copies=x)


def cube_job(problem, k, x, m):
    return Job(problem.op, k, problem.tree, bytes=MESSAGE_BYTES * m, packet=MESSAGE_BYTES,
               schedule=problem.schedule, copies=x)


def cells(doc, measure, problem, job, x, m):
    """Time and transmissions of one run, each printed, corrected, measured."""
    n = job.dim
    time, late = problem.time(n, x, m), getattr(problem, "late", lambda *_: 0)(n, x, m)
    return [problem.name, n, x, m, measure.engine(n, job.topology),
            *doc.cell(f"{problem.key(x, m)}: time", n, problem.printed_time(n, x, m), time + late,
                      measure.steps(job), problem.time_note, least=time if late else None),
            *doc.cell(f"{problem.key(x, m)}: transmissions", n, problem.printed_hops(n, x, m),
                      problem.hops(n, x, m), measure.hops(job), problem.hops_note)]


def formulas(doc, problems):
    """Times and transmissions as text."""
    def two(printed, corrected, note):
        return [printed + (doc.note(note) if corrected else ""), corrected or printed]
    doc.table(["problem", "time: printed", "corrected", "transmissions: printed", "corrected"],
              [[problem.name, *two(problem.printed, problem.corrected, problem.time_note),
                *two(problem.printed_hops_text, problem.hops_text, problem.hops_note)]
               for problem in problems])


def runs_on_the_star(doc, measure, cases):
    """Rows of (problem, n, x, M), but for those with too much traffic, which are named."""
    rows, left_out = [], []
    for problem, n, x, m in cases:
        hops = problem.hops(n, x, m)
        if hops > HOPS_MAX:
            left_out.append(f"{problem.name}, n = {n}, x = {x}, M = {m}: {hops}")
            continue
        rows.append(cells(doc, measure, problem, star_job(problem, n, x, m), x, m))
    doc.table(HEAD, rows)
    if left_out:
        doc.say(f"Not run, for more than {HOPS_MAX} transmissions: " + "; ".join(left_out) + ".")


def table1(doc, measure):
    doc.item("Table 1", "lower bounds on the star network")
    doc.say("M messages to each node, of one packet each, over all n-1 subtrees (single node "
            "broadcasting: over one each). t_n is the sum of the distances of all nodes. Depth "
            f"first is the paper's algorithm for multinode broadcasting{doc.note('A10')}; the "
            "row above it has a queue for each port in place of acknowledgements. depths(x) is "
            "the sum over all nodes of their x least depths in the subtrees. The formulas are "
            "those of table 2, printed here for x = n-1.")
    problems = (BROADCAST, *PROBLEMS[:2], DEPTH_FIRST, *PROBLEMS[2:])
    formulas(doc, problems)
    runs_on_the_star(doc, measure, [
        (problem, n, 1 if problem is BROADCAST else n - 1, m)
        for problem in problems for n in measure.dims(3, 4, 5, 6) for m in (1, 4)])


def table2(doc, measure):
    doc.item("Table 2", "lower bounds on the star network, x copies")
    doc.say("Broadcasts with M = n-1 messages, so that the subtrees have equal shares; scattering "
            "and total exchange with one. A total exchange with some of the copies may take one "
            "step more than its links are busy.")
    runs_on_the_star(doc, measure, [
        (problem, n, x, n - 1 if problem in PROBLEMS[:2] else 1)
        for problem in PROBLEMS for n in measure.dims(3, 4, 5) for x in range(1, n)])


def table3(doc, measure):
    doc.item("Table 3", "lower bounds on the hypercube network")
    doc.say("The hypercubes nearest in size to the stars of 3! to 5! nodes; M = k messages. "
            "Broadcasting over `msbt-rot`, with copies over `msbt`; the others over the balanced "
            "graph `sbg`, which has one path to each node: without further copies, so x = 1. For "
            "more the tool has no such run on a hypercube.")
    formulas(doc, CUBE_PROBLEMS)
    rows = []
    for problem in CUBE_PROBLEMS:
        for k in map(nearest_cube, measure.dims(3, 4, 5)):
            for x in (1, 2, k) if problem.copies else (1,):
                rows.append(cells(doc, measure, problem, cube_job(problem, k, x, k), x, k))
    doc.table(["k" if name == "n" else name for name in HEAD], rows)


def comparisons():
    """Pairs of a problem on the star and on the hypercube, x, and M of each by n and k."""
    plain = {problem.op: problem for problem in CUBE_PROBLEMS if not problem.copies}
    safe = next(problem for problem in CUBE_PROBLEMS if problem.copies)
    many = (lambda n: BROADCAST_MESSAGES,) * 2
    yield BROADCAST, plain["bcast"], 1, many
    yield PROBLEMS[0], safe, 2, many
    yield PROBLEMS[1], plain["allgather"], 1, (lambda n: n - 1, lambda k: k)
    for problem in PROBLEMS[2:]:
        yield problem, plain[problem.op], 1, (lambda n: 1, lambda k: k)


def quotient(doc, row, n, right_pair, measured_pair):
    """Star by hypercube for one message: by the corrected formulas, and measured."""
    exact = right_pair[0] / right_pair[1]
    measured = None if None in measured_pair else measured_pair[0] / measured_pair[1]
    shown = [None if value is None else round(value, 2) for value in measured_pair]
    return [*shown, *doc.cell(row, n, None, exact, measured)[1:]]


def table4(doc, measure):
    doc.item("Table 4", "comparison of star and hypercube")
    doc.table(["problem", "time: O() on the star", "on the hypercube",
               "transmissions: O() on the star", "on the hypercube"], TABLE4)
    doc.say("Steps and transmissions for each message, and star by hypercube, which is the "
            f"printed quotient without its constants. Broadcasts of {BROADCAST_MESSAGES} messages; "
            "the others with as many as the links share alike. x = 1, but x = 2 for the fault "
            "tolerant broadcast, the only one which the tool has on a hypercube.")
    rows, lines = [], {}
    for number, (problem, cube, x, messages) in enumerate(comparisons(), 1):
        for n in measure.dims(3, 4, 5):
            k = nearest_cube(n)
            counts = messages[0](n), messages[1](k)
            jobs = star_job(problem, n, x, counts[0]), cube_job(cube, k, x, counts[1])

            def each(values, counts=counts):
                return [value and value / count for value, count in zip(values, counts)]
            steps = each(map(measure.steps, jobs))
            hops = each(map(measure.hops, jobs))
            right = [(net.time(size, x, m), net.hops(size, x, m)) for net, size, m in
                     zip((problem, cube), (n, k), counts)]
            rows.append([problem.name, x, jobs[0].nodes, jobs[1].nodes,
                         *quotient(doc, f"{problem.name}: time", n,
                                   each(time for time, _ in right), steps),
                         *quotient(doc, f"{problem.name}: transmissions", n,
                                   each(hops for _, hops in right), hops)])
            for net, job, took in zip(("star", "hypercube"), jobs, steps):
                points = lines.setdefault((problem.op, x, net, number), [])
                points += [] if took is None else [(job.nodes, took)]
    doc.table(["problem", "x", "star, nodes", "hypercube, nodes", "time: star", "hypercube",
               "quotient: corrected", "measured", "transmissions: star", "hypercube",
               "quotient: corrected", "measured"], rows)
    doc.figure("table-4", "Star (full) and hypercube (dashed)", ("nodes", "steps for each message"),
               [(f"{op}{' x = 2' if x > 1 else ''}, {net}", points,
                 drawn("linespoints", number, net == "hypercube"))
                for (op, x, net, number), points in lines.items()], "x y")


SECTIONS = (table1, table2, table3, table4)
