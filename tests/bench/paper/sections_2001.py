"""Table 1 of Huang, Yang, Tseng 2001, and the steps of all trees; each a function of the document
and the measurements."""
from data_2001 import (EVEN, ONE_PORT_BOUND, PORTS, PRINTED, PRINTED_TREES, TABLE1, TREES,
                       one_packet, printed)
from measure import networks
from sections_1986 import (complexities, drawn, head_of_three, packets_job, steps_of_packets,
                           times_at_best_packet)


def one_packet_job(tree, ports, dim):
    return packets_job(dim, tree, ports, 1, topology="uhc")


def constant_model(doc, measure, ports, trees, dims):
    """Rows of n, columns of trees: one packet from one node to all."""
    rows = []
    for dim in dims:
        row = [dim, measure.engine(dim, "uhc")]
        for tree in trees:
            if not networks.uhc_has(tree, dim):
                row += ["-"] * 3
                continue
            job = one_packet_job(tree, ports, dim)
            row += doc.cell(f"{tree} {ports}", dim, printed(tree, ports, dim),
                            one_packet(tree, ports, dim, job.root), measure.steps(job), "E17")
        rows.append(row)
    printed_texts = [PRINTED.get((tree, ports), ("",))[0].split(" =")[0] for tree in trees]
    names = [f"{TREES[tree]} {text}".strip() for tree, text in zip(trees, printed_texts)]
    doc.table(head_of_three(["n", "engine"], names), rows)


def table1(doc, measure):
    doc.item("Table 1", "time complexities of broadcasting in n-UHC")
    doc.say("### Constant evaluation model", "Steps until every node has one packet; "
            + "; ".join(text for text, _ in PRINTED.values() if "=" in text) + ".")
    for ports, name in PORTS.items():
        doc.say(f"#### {name}")
        trees = [tree for tree in PRINTED_TREES if (tree, ports) in PRINTED]
        constant_model(doc, measure, ports, trees, measure.dims(*EVEN))
    doc.say("### Linear evaluation model", "P packets of B bytes take `steps * (tau + B t_c)`; "
            "the paper calls tau beta, t_c tau, and the message L. ADST sends each packet over f+1 "
            "of its trees; P/(n/2) is to be rounded up.")
    complexities(doc, TABLE1)
    steps_of_packets(doc, measure, TABLE1, measure.dims(*EVEN))
    doc.say("### Minimum time", "The start-up time tau is set so that the corrected optimal "
            "packet is 64 bytes; t_c = 1/64. Packets of twice and half the size must not be "
            "faster.")
    times_at_best_packet(doc, measure, TABLE1, measure.dims(4, 6, 10))


def all_trees(doc, measure):
    doc.item("Steps", "all trees against n")
    doc.say("One packet, from a source of either parity; the figures show even n. Odd dimensions "
            "for BT1 to BT3 by the paper's extension: the trees of dimension n-1 in both halves, "
            "one step later from a source of even parity, two from an odd one; ADST and BT4 need "
            "an even n. BTS, BT4 and IST are not in the paper; BT1 (counted) has a hop counter in "
            "place of the source. ADST and IST carry a packet over one of their disjoint trees; "
            "their figures are for all ports, with one port nothing is claimed of them.")
    dims = measure.dims(*range(2, 13))
    for ports, name in PORTS.items():
        doc.say(f"### {name}")
        for trees in (PRINTED_TREES, [tree for tree in TREES if tree not in PRINTED_TREES]):
            constant_model(doc, measure, ports, trees, dims)
        lines = {}  # trees by their points: several have the same
        for tree, title in TREES.items():
            jobs = [one_packet_job(tree, ports, dim) for dim in dims if dim in EVEN]
            points = tuple((job.dim, measure.steps(job)) for job in jobs)
            lines.setdefault(points, []).append(title)
        series = [(", ".join(titles), [point for point in points if point[1] is not None],
                   drawn("linespoints", number))
                  for number, (points, titles) in enumerate(lines.items(), 1)]
        bound = ONE_PORT_BOUND if ports == "duplex" else {dim: dim + 1 for dim in EVEN}
        series.append(("bound", [(dim, bound[dim]) for dim in dims if dim in bound],
                       "with lines dt 2 lw 2 lc rgb \"black\""))
        doc.figure(f"steps-{ports}", f"Broadcast on the uni-directional hypercube, {name}",
                   ("n", "steps"), series)


SECTIONS = (table1, all_trees)
