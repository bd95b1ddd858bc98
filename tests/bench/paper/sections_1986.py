"""The tables and figures of Ho, Johnsson 1986, each a function of the document and the
measurements."""
from data_1986 import (PORTS, TABLE1, TABLE2, TABLE3, TABLE4, TABLE5, TABLE6, TREES, SUBTREE_MAX,
                       cost_of)
from fractions import Fraction
from measure import Job

FILE_BYTES = 60 * 1024  # the message of figures 5 to 7
THREE = ("printed", "corrected", "measured")


def drawn(kind, number, dashed=False):
    """A gnuplot style: lines, points or linespoints in the colour of this number."""
    dash = " dt 2" if dashed else ""
    size = "ps 0.8" if kind == "points" else f"lw 2{dash} ps 0.5"
    return f"with {kind} lt {number} pt 7 {size}" if "points" in kind else \
        f"with lines lt {number} lw 2{dash}"


def packets_job(dim, tree, ports, packets, **more):
    return Job("bcast", dim, tree, ports, bytes=16 * packets, packet=16, **more)


def head_of_three(first, names):
    """Column heads: each name over its three values."""
    return first + [f"{name}: {THREE[0]}" if at == 0 else THREE[at]
                    for name in names for at in range(3)]


def mesh_by_dimension(doc, measure, dims, ports, table, values):
    """Rows of n, columns of trees, for one port model. values(tree, n) is corrected, measured."""
    rows = []
    for dim in dims:
        row = [dim, measure.engine(dim)]
        for tree in TREES:
            corrected, measured, note = values(tree, dim)
            row += doc.cell(f"{tree} {ports}", dim, table[tree, ports][1](dim), corrected,
                            measured, note)
        rows.append(row)
    names = [f"{name} {table[tree, ports][0]}" for tree, name in TREES.items()]
    doc.say(f"### {PORTS[ports]}")
    doc.table(head_of_three(["n", "engine"], names), rows)


def table1(doc, measure):
    doc.item("Table 1", "propagation delays")
    doc.say(f"Steps until every node has one packet; MSBT: n packets{doc.note('E3')}.")
    for ports in PORTS:
        def values(tree, dim, ports=ports):
            packets = dim if tree == "msbt" else 1
            return (cost_of(tree, ports)(dim).steps(packets),
                    measure.steps(packets_job(dim, tree, ports, packets)), None)
        mesh_by_dimension(doc, measure, measure.dims(*range(2, 13)), ports, TABLE1, values)


def table2(doc, measure):
    doc.item("Table 2", "cycles per distinct packet")
    doc.say("Measured as the difference between 2n+1 packets and one, per packet.")
    for ports in PORTS:
        def values(tree, dim, ports=ports):
            few, many = (measure.steps(packets_job(dim, tree, ports, count))
                         for count in (1, 2 * dim + 1))
            measured = None if few is None or many is None else Fraction(many - few, 2 * dim)
            return cost_of(tree, ports)(dim).per_packet(), measured, "E9"
        mesh_by_dimension(doc, measure, measure.dims(2, 3, 4, 5, 6, 8, 10), ports, TABLE2, values)


def complexities(doc, rows):
    """The printed and the right values of the rows, as text."""
    def three(row):
        pairs = ((row.printed, row.corrected), (row.best, row.best_corrected),
                 (row.least, row.least_corrected))
        return [text for printed, corrected in pairs
                for text in (printed + (doc.note(row.note) if printed != corrected else ""),
                             corrected)]
    doc.table(["algorithm", "steps: printed", "corrected", "B_opt: printed", "corrected",
               "T_min: printed", "corrected"], [[row.name, *three(row)] for row in rows])


def steps_of_packets(doc, measure, rows, dims):
    """Steps for one packet and for more, of each row."""
    lines = []
    for row in rows:
        for dim in dims:
            line = [row.name, dim, measure.engine(dim, row.topology)]
            for packets in (1, dim, 2 * dim + 1):
                job = packets_job(dim, row.tree, row.ports, packets, topology=row.topology,
                                  copies=row.copies(dim))
                line += doc.cell(f"{row.key()} P={packets}", dim,
                                 row.printed_cost(dim).steps(packets),
                                 row.cost(dim).steps(packets), measure.steps(job), row.note)
            lines.append(line)
    doc.table(head_of_three(["algorithm", "n", "engine"], ["P = 1", "P = n", "P = 2n+1"]), lines)


def times_at_best_packet(doc, measure, rows, dims):
    """T_min: tau is set so that packets of 64 bytes are the best, then others must be slower."""
    lines = []
    for row in rows:
        for dim in dims:
            cost = row.cost(dim)
            whole = cost.delay == 0
            packets = 4 * dim if cost.shared > 1 else 16
            size, best, tau = 64 * packets, 64, 1.0
            if whole:
                size, best = 1024, 1024
            else:
                tau = cost.balance(packets)
            times = {}
            for packet in (best // 2, best, 2 * best):
                job = Job("bcast", dim, row.tree, row.ports, bytes=size, packet=packet, tau=tau,
                          tc=1 / 64, topology=row.topology, copies=row.copies(dim))
                times[packet] = None if whole and packet > best else measure.time(job)
            line = [row.name, dim, measure.engine(dim, row.topology), f"{tau:.4g}", size]
            line += doc.cell(f"{row.key()} T_min", dim,
                             row.printed_cost(dim).time_min(size, tau, 1 / 64),
                             cost.time_min(size, tau, 1 / 64), times[best], row.note)
            line += ["-" if whole else times[2 * best], times[best // 2]]
            known = [time for time in times.values() if time is not None]
            least = "yes" if known and min(known) == times[best] else "no"
            line += doc.cell(f"{row.key()} B_opt is best", dim, None, "yes",
                             least if known else None)[1:]
            lines.append(line)
    doc.table(["algorithm", "n", "engine", "tau", "M", *THREE, "at 2 B_opt", "at B_opt/2",
               "B_opt is best: corrected", "measured"], lines)


def table3(doc, measure):
    doc.item("Table 3", "complexity of broadcasting")
    doc.say("Steps: P packets take `steps * (tau + B t_c)`.")
    complexities(doc, TABLE3)
    steps_of_packets(doc, measure, TABLE3, measure.dims(2, 3, 4, 5, 6, 8, 10, 12))
    doc.say("### T_min", "The start-up time tau is set so that B_opt is 64 bytes (SBT with one "
            "port: the whole message); t_c = 1/64. Packets of twice and half the size must "
            "not be faster.")
    times_at_best_packet(doc, measure, TABLE3, measure.dims(4, 10))


def divided(size, cost):
    """Packet counts that divide `size` bytes, and fill all trees alike."""
    return [p for p in range(cost.shared, size // 16 + 1, cost.shared) if size % p == 0]


def table4_ratio(measure, dim, tree, ports, choice):
    """The ratio of a tree to msbt: by the corrected formulas, and measured. choice(cost): P, M,
    tau, tc of the run."""
    exact, measured = [], []
    for name in (tree, "msbt"):
        cost = cost_of(name, ports)(dim)
        packets, size, tau, tc = choice(cost)
        exact.append(cost.steps(packets) * (tau + size // packets * tc))
        measured.append(measure.time(Job("bcast", dim, name, ports, bytes=size,
                                         packet=size // packets, tau=tau, tc=tc)))
    return exact[0] / exact[1], None if None in measured else measured[0] / measured[1]


def best_packets(size, tau, tc):
    """Takes the packet count with the least time by the formula."""
    def choice(cost):
        return min(((packets, size, tau, tc) for packets in divided(size, cost)),
                   key=lambda c: cost.steps(c[0]) * (c[2] + c[1] // c[0] * c[3]))
    return choice


def table4(doc, measure):
    doc.item("Table 4", "broadcasting compared to MSBT")
    doc.say(f"The printed ratios are limits{doc.note('T4')}, those of the first column are exact. "
            "`M/B >> n`: 20n packets. `B = B_opt`: the best packet size that divides M, for "
            "n tau >> M t_c a message of 960 bytes with tau = 100 M t_c, for n tau << M t_c one "
            "of 60 KiB with tau = M t_c / 9600.")
    choices = (
        ("one packet", lambda dim: lambda cost: (1, 16, 1, 0)),
        ("M/B >> n", lambda dim: lambda cost: (20 * dim, 320 * dim, 1, 0)),
        ("B = B_opt, n tau >> M t_c", lambda dim: best_packets(960, 960, 0.01)),
        ("B = B_opt, n tau << M t_c",
         lambda dim: best_packets(FILE_BYTES, 1, 9600 / FILE_BYTES)),
    )
    rows = []
    for tree, ports, printed in TABLE4:
        for dim in measure.dims(4, 6, 10):
            line = [PORTS[ports], f"{TREES[tree]}/MSBT", dim, measure.engine(dim)]
            for (name, choice), (_, value) in zip(choices, printed):
                exact, measured = table4_ratio(measure, dim, tree, ports, choice(dim))
                line += doc.cell(f"{tree} {ports}, {name}", dim, float(f"{float(value(dim)):.6g}"),
                                 float(f"{exact:.6g}"), measured, "T4")
            rows.append(line)
    doc.table(head_of_three(["ports", "ratio", "n", "engine"], [name for name, _ in choices]),
              rows)


def table5(doc, measure):
    doc.item("Table 5", "maximum subtree sizes of the balanced spanning tree")
    doc.say("Counted in the trees of the core. The mean is what each link of the root carries in "
            "the balanced graph `sbg`, where an address that belongs to several subtrees is "
            "shared out.")
    trees = measure.census("sbnt-minr", 2, 20)
    graphs = measure.census("sbg", 2, 20)
    rows = []
    for dim, largest, mean, ratio in TABLE5:
        if dim not in trees:
            continue
        measured = max(trees[dim]["subtree_sizes"])
        loads = set(graphs[dim]["root_load_times_dim"])
        share = loads.pop() / dim if len(loads) == 1 else None
        row = [dim, *doc.cell("BST(max)", dim, largest, largest, measured),
               *doc.cell("mean", dim, mean, mean, share and f"{share:.2f}"),
               *doc.cell("ratio", dim, ratio, ratio, share and f"{measured / share:.2f}")]
        rows.append(row)
    doc.table(head_of_three(["n"], ["BST(max)", "(N-1)/n", "ratio"]), rows)


def transfer_and_startups(measure, op, entry, dim):
    """Both coefficients of T = transfer * M t_c + start-ups * tau, packets of any size, each from a
    run in which the other's time is nought."""
    size = 4 * dim  # a cyclic node's data divide among its paths

    def job(tau, tc):
        return Job(op, dim, entry.tree, entry.ports, bytes=size, packet=0,
                   schedule=entry.schedule, tau=tau, tc=tc)
    time = measure.time(job(0, 1))
    return None if time is None else time / size, measure.steps(job(1, 0))


def table6(doc, measure):
    doc.item("Table 6", "complexity of personalised communication")
    doc.say("T_min = transfer * M t_c + start-ups * tau with packets of any size; both are "
            "measured apart, one with tau = 0, the other with t_c = 0.")
    rows = []
    for entry in TABLE6:
        for dim in measure.dims(2, 3, 4, 5, 6, 8, 10):
            transfer, startups = transfer_and_startups(measure, "scatter", entry, dim)
            line = [entry.name, dim, measure.engine(dim)]
            line += doc.cell(f"{entry.name}, transfer", dim, entry.printed_transfer(dim),
                             entry.transfer(dim), transfer, entry.note)
            line += doc.cell(f"{entry.name}, start-ups", dim, entry.startups[1](dim),
                             entry.startups[1](dim), startups)
            rows.append(line)
    doc.table(["algorithm", "printed", "corrected", "start-ups"],
              [[e.name, e.printed, e.corrected, e.startups[0]] for e in TABLE6])
    doc.table(head_of_three(["algorithm", "n", "engine"], ["transfer", "start-ups"]), rows)


def figure5(doc, measure):
    doc.item("Figure 5", "broadcasting with the SBT, by external packet size")
    doc.say("60 KiB; t_c = 1, tau = 1024; one send and one receive at a time. No point of the "
            "printed figure can be read any more; its text says that below 1 KiB the time rises "
            "almost as fast as the packets get smaller. The corrected value is "
            "`ceil(M/B) n (tau + B t_c)`.")
    sizes = (64, 128, 256, 512, 1024, 2048, 4096, 12288, 30720, 61440)
    dims = measure.dims(2, 3, 4, 5, 6)
    rows, series = [], []
    for dim in dims:
        points = []
        for size in sizes:
            corrected = FILE_BYTES // size * dim * (1024 + size)
            measured = measure.time(Job("bcast", dim, "sbt", "duplex", bytes=FILE_BYTES,
                                        packet=size, tau=1024, tc=1))
            rows.append([dim, measure.engine(dim), size,
                         *doc.cell(f"B = {size}", dim, None, corrected, measured)])
            points += [] if measured is None else [(size, measured)]
        series.append((f"n = {dim}", points, drawn("linespoints", dim - 1)))
    doc.table(["n", "engine", "B", *THREE], rows)
    doc.figure("figure-5", "Broadcast of 60 KiB with the SBT", ("external packet, bytes", "time"),
               series, "x y")


def sixty_packets(dim, tree, ports):
    return Job("bcast", dim, tree, ports, bytes=FILE_BYTES, packet=1024)


def figure6_dims(measure):
    return measure.dims(*range(2, 11))


def figure6(doc, measure):
    doc.item("Figure 6", "broadcasting with SBT and MSBT")
    doc.say("60 KiB in packets of 1 KiB: 60 packets. Steps; the printed figure cannot be read any "
            "more and ends at n = 6.")
    series = []
    for number, (ports, name) in enumerate(PORTS.items(), 1):
        rows = []
        points = {"sbt": [], "msbt": []}
        for dim in figure6_dims(measure):
            row = [dim, measure.engine(dim)]
            for tree, line in points.items():
                measured = measure.steps(sixty_packets(dim, tree, ports))
                row += doc.cell(f"{tree} {ports}", dim, None,
                                cost_of(tree, ports)(dim).steps(60), measured)
                line += [] if measured is None else [(dim, measured)]
            rows.append(row)
        doc.say(f"### {name}")
        doc.table(head_of_three(["n", "engine"], ["SBT", "MSBT"]), rows)
        series += [(f"{TREES[tree]}, {name}", line, drawn("linespoints", number, tree == "sbt"))
                   for tree, line in points.items()]
    doc.figure("figure-6", "60 packets with SBT and MSBT", ("n", "steps"), series, "y")


def figure7(doc, measure):
    doc.item("Figure 7", "speed-up of MSBT over SBT")
    doc.say("The steps of figure 6, divided. Printed is what the text says of the figure, "
            "approximately log N = n; where a node does only one of sending and receiving, the "
            "n/2 of table 4.")
    series, rows = [], []
    for number, (ports, name) in enumerate(PORTS.items(), 1):
        line, points = [], {"qemu": [], "sim": []}
        for dim in figure6_dims(measure):
            slow, fast = (cost_of(tree, ports)(dim).steps(60) for tree in ("sbt", "msbt"))
            took = [measure.steps(sixty_packets(dim, tree, ports)) for tree in ("sbt", "msbt")]
            measured = None if None in took else took[0] / took[1]
            limit = dim / 2 if ports == "half" else dim
            cells = doc.cell(f"speed-up, {ports}", dim, limit, slow / fast, measured, "F7")
            rows.append([name, dim, measure.engine(dim), *cells])
            points[measure.engine(dim)] += [] if measured is None else [(dim, measured)]
            line.append((dim, slow / fast))
        named = number == len(PORTS)  # one entry in the key is enough
        series += [(f"formula, {name}", line, drawn("lines", number)),
                   ("measured on QEMU" if named else "", points["qemu"], drawn("points", number)),
                   ("simulated" if named else "", points["sim"],
                    f"with points lt {number} pt 6 ps 1.1")]
    dims = figure6_dims(measure)
    series.append(("log N", [(dim, dim) for dim in dims], "with lines dt 2 lc rgb \"black\""))
    doc.table(["ports", "n", "engine", *THREE], rows)
    doc.figure("figure-7", "Speed-up of MSBT over SBT, 60 packets", ("n", "speed-up"), series)


def scatter_steps(doc, measure, name, dims):
    """Steps to scatter one packet a node over SBT and the balanced tree, as both papers draw it."""
    doc.say("One packet for each node, steps. One port: SBT in Gray-code order, the balanced tree "
            "round robin over the root's ports, each in postorder; all ports: both in postorder. "
            "By the text both take the same with one port; the advantage of the balanced tree "
            "that the authors saw there came from a partial overlap of ports in their machine, "
            "which the model has not. No point of the printed figure can be read any more.")
    series = []
    for number, (ports, title) in enumerate(PORTS.items(), 1):
        rows = []
        points = {"sbt": [], "sbnt-minr": []}
        for dim in dims:
            nodes = 2 ** dim
            corrected = {"sbt": nodes // 2, "sbnt-minr": SUBTREE_MAX[dim]}
            schedule = {"sbt": "postorder", "sbnt-minr": "postorder"}
            if ports != "all":
                corrected = dict.fromkeys(corrected, nodes - 1)
                schedule = {"sbt": "gray", "sbnt-minr": "roundrobin"}
            row = [dim, measure.engine(dim)]
            for tree, line in points.items():
                measured = measure.steps(Job("scatter", dim, tree, ports, bytes=64, packet=64,
                                             schedule=schedule[tree]))
                row += doc.cell(f"{tree} {ports}", dim, None, corrected[tree], measured)
                line += [] if measured is None else [(dim, measured)]
            rows.append(row)
        doc.say(f"### {title}")
        doc.table(head_of_three(["n", "engine"], ["SBT", "balanced tree"]), rows)
        series += [(f"{tree}, {title}", line, drawn("linespoints", number, tree == "sbt"))
                   for tree, line in points.items()]
    doc.figure(name, "Personalised communication, B = M", ("n", "steps"), series, "y")


def figure8(doc, measure):
    doc.item("Figure 8", "personalised communication with BST and SBT")
    scatter_steps(doc, measure, "figure-8", measure.dims(*range(2, 11)))


SECTIONS = (table1, table2, table3, table4, table5, table6, figure5, figure6, figure7, figure8)
