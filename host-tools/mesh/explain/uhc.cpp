// The arithmetic of the trees of the UHC, in the words of core/uhc: a node sends on the dimensions
// of its own parity, "own" ones, and hears on the others, "foreign" ones.
#include "why.hpp"

namespace mesh::host {

namespace {

unsigned superdimension(unsigned dimension) { return dimension / 2; }

/// Superdimensions of a set of dimensions, one bit each.
std::uint32_t superdimensions(std::uint32_t dimensions) {
    std::uint32_t set = 0;
    for (; dimensions != 0; dimensions ^= lowest_one(dimensions))
        set |= 1u << superdimension(lowest_bit(dimensions));
    return set;
}

void add_view(Reason& reason, UniHypercube net, NodeId root, NodeId node) {
    reason.add("{} has {} number of ones: it sends on {} and hears on {}.",
               bits_text(index(node), net.dim), odd_weight(index(node)) ? "an odd" : "an even",
               listed(net.out_ports(node)), listed(net.in_ports(node)));
    add_relative(reason, root, node, net.dim);
}

/// In a network with odd dim: the half of a node, and the source of that half.
void add_half(Reason& reason, UniHypercube net, const UhcHalf& half, NodeId node) {
    const unsigned dim = half_dim(net);
    if (dim == net.dim)
        return;
    if (!half.other) {
        reason.add("With an odd number of dimensions two halves are spanned, of {} each; this node "
                   "is in that of the root.",
                   dim);
        return;
    }
    reason.add(
        "With an odd number of dimensions two halves are spanned, of {} each; this one is fed "
        "across bit {} and has the source {}, from which the relative address is {}.",
        dim, dim, bits_text(index(node) ^ half.view.relative, net.dim),
        bits_text(half.view.relative, dim));
}

void add_crossing(Reason& reason, UniHypercube net, const UhcHalf& half) {
    if (half.crossing != 0)
        reason.add("It also feeds the other half, across bit {}, and first.", half_dim(net));
    reason.children |= half.crossing;
    if (half.view.is_root() && half.other)
        reason.parents = 1u << half_dim(net);
}

void add_source(Reason& reason, const UhcView& view) {
    reason.children = view.out;
    reason.add("It is the source: it sends by all its out-ports, {}.", listed(view.out));
}

/// Without the port that would lead to the source.
void leave_out_source(Reason& reason, const UhcView& view) {
    const std::uint32_t ports = view.never_to_source(reason.children);
    if (ports != reason.children)
        reason.add("Across {} is the source, which has the packet: not there.",
                   many("bit", reason.children ^ ports));
    reason.children = ports;
}

void add_bt1(Reason& reason, const UhcView& view) {
    if (view.is_root())
        return add_source(reason, view);
    const std::uint32_t pair = superdimension_bits(lowest_bit(view.relative));
    const unsigned number = superdimension(lowest_bit(view.relative));
    reason.parents = view.in & pair;
    reason.add(
        "The lowest superdimension that differs is {} (bits {} and {}): the packet came in it, "
        "across {}.",
        number, 2 * number, 2 * number + 1, many("bit", reason.parents));
    const bool more = (view.foreign() & pair) != 0;
    reason.children = view.out & (more ? pair | (lowest_one(pair) - 1) : lowest_one(pair) - 1);
    reason.add(
        "{}: it goes on by {}.",
        more ? fmt::format("That bit differs, so it has made fewer than three hops there, and "
                           "goes on in superdimension {} and below",
                           number)
             : fmt::format("That bit does not differ, so this was its third hop there, and "
                           "it goes on below superdimension {} only",
                           number),
        many("bit", reason.children));
}

void add_bt1_counted(Reason& reason, const UhcView& view) {
    if (view.is_root()) {
        add_source(reason, view);
        reason.add("Each packet leaves with count 1.");
        return;
    }
    constexpr unsigned kHopsMax = 3;
    reason.parents = bt1_parent(view);
    const unsigned arrival = lowest_bit(reason.parents);
    const unsigned count = bt1_count(view);
    const unsigned number = superdimension(arrival);
    const bool more = count < kHopsMax;
    reason.children = view.out & low_bits(2 * number + (more ? 2 : 0));
    reason.add(
        "The packet came across bit {}, of superdimension {}, with count {}. Nothing else is "
        "read.",
        arrival, number, count);
    reason.add("{}: it goes on by {}.",
               more ? fmt::format("{} is less than three: straight on in superdimension {} with "
                                  "count {}, and below with count 1",
                                  count, number, count + 1)
                    : fmt::format("Three hops are made: below superdimension {} only, with count 1",
                                  number),
               many("bit", reason.children));
}

void add_bt2(Reason& reason, const UhcView& view, unsigned dim) {
    if (view.is_root()) {
        add_source(reason, view);
        reason.add("Each packet leaves with tag {}, half the dimensions and one.", dim / 2 + 1);
        return;
    }
    const Bt2Arrival arrival = bt2_arrival(view, dim);
    const unsigned number = superdimension(arrival.port);
    const TaggedStep step = bt2_step(view.out, number, arrival.tag);
    reason.parents = 1u << arrival.port;
    reason.children = step.ports;
    reason.add("The packet came across bit {}, in-port {}, with tag {}. Nothing else is read.",
               arrival.port, number, arrival.tag);
    if (arrival.tag == 0)
        reason.add("A tag of 0: it ends here.");
    else if (number == 0 && arrival.tag <= 2)
        reason.add("In-port 0 and a tag of at most 2 are the countdown: on by out-port 0, {}, with "
                   "tag {}.",
                   many("bit", step.ports), step.tag);
    else
        reason.add("The tag is {} the in-port and two: on by the {} lowest out-ports, {}, with tag "
                   "{}.",
                   arrival.tag > number + 2    ? "more than"
                   : arrival.tag == number + 2 ? "just"
                                               : "less than",
                   number + (arrival.tag > number + 2    ? 2u
                             : arrival.tag == number + 2 ? 1u
                                                         : 0u),
                   many("bit", step.ports), step.tag);
}

void add_section(Reason& reason, const UhcView& view, unsigned dim, SectionTree tree) {
    if (view.is_root())
        return add_source(reason, view);
    const UhcSection section = lowest_section(view, dim, static_cast<unsigned>(tree));
    std::uint32_t content = (view.relative >> section.base) & low_bits(section.width);
    reason.add("The lowest section that differs is the bits {} to {}: {} in it.", section.base,
               section.base + section.width - 1, bits_text(content, section.width));
    reason.parents = section_parent(view, dim, tree);
    if (section.width < static_cast<unsigned>(SectionTree::bt3)) {
        reason.add("It has fewer than six bits: tree bt1 spans it.");
        add_bt1(reason, view);
        reason.parents = section_parent(view, dim, tree);
        return;
    }
    const bool odd_node = (view.out & 1u) == 0;
    if (odd_weight(content) != odd_node) {
        content = pairs_swapped(content);
        reason.add(
            "Its parity is not that of the node, so the bits of each pair change places: {}.",
            bits_text(content, section.width));
    }
    const bool bt3 = tree == SectionTree::bt3;
    const unsigned table = bt3 ? SectionTables::kBt3
                           : section.width == static_cast<unsigned>(SectionTree::bt4)
                               ? SectionTables::kBt4Of8
                               : SectionTables::kBt4Of6;
    const unsigned entry = kSectionTables[table + content];
    reason.children = view.out & table_ports(view, section, tree) & section.bits();
    reason.add("Entry {} of the table is {}: {} of the section: {}.", content, entry,
               bt3          ? many("out-port", entry)
               : entry == 0 ? std::string("no out-port")
                            : fmt::format("out-ports below {}", entry),
               many("bit", reason.children));
    if (section.base != 0) {
        const std::uint32_t below = view.out & low_bits(section.base);
        reason.children |= below;
        reason.add("And all out-ports below the section: {}.", many("bit", below));
    }
    const std::uint32_t held = view.relative & section.bits();
    if ((held & (held - 1)) == 0 && (reason.children & held) != 0) {
        reason.children &= ~held;
        reason.add("Across {} is the section's own source, which has the packet: not there.",
                   many("bit", held));
    }
    reason.add("The parent is the one node across an in-port that has this node as a child: across "
               "{}.",
               many("bit", reason.parents));
}

void add_bts(Reason& reason, const UhcView& view) {
    if (view.is_root())
        return add_source(reason, view);
    reason.parents = bts_parent(view);
    const std::string up = many("bit", reason.parents);
    if (view.foreign() != 0)
        reason.add("Of the bits on which it hears {} is the lowest that differs: the parent is "
                   "across it.",
                   up);
    else
        reason.add("No bit on which it hears differs: the parent is across the top one, {}.", up);
    const std::uint32_t top = 1u << highest_bit(view.out);
    const std::uint32_t stop = lowest_one(view.own() & ~top);
    reason.children = view.out & (stop - 1);
    if (stop == 0)
        reason.add("Of the bits on which it sends none but the top one, {}, differs: nothing stops "
                   "it, on by {}.",
                   highest_bit(top), many("bit", reason.children));
    else
        reason.add(
            "Of the bits on which it sends, the top one ({}) left out, {} is the lowest that "
            "differs: on by those below it, {}.",
            highest_bit(top), many("bit", stop), many("bit", reason.children));
    leave_out_source(reason, view);
}

void add_adst(Reason& reason, const UhcView& view, unsigned subtree) {
    const std::uint32_t differ = differing_superdimensions(view);
    reason.add("Superdimensions that differ: {}.", listed(superdimensions(differ)));
    reason.parents = adst_parent(view, subtree);
    const unsigned arrival = lowest_bit(reason.parents);
    const bool passed = (differ >> 2 * subtree & 1u) != 0;
    if (!passed) {
        reason.add(
            "Superdimension {}, that of tree {}, does not: its packets come by that in-port, "
            "bit {}, and end here: a leaf.",
            subtree, subtree, arrival);
        return;
    }
    reason.add(
        "Superdimension {}, that of tree {}, does: its packets come by the next one above that "
        "differs, cyclically, {}: across bit {}.",
        subtree, subtree, superdimension(arrival), arrival);
    const std::uint32_t pair = superdimension_bits(arrival);
    const std::uint32_t tree_pair = superdimension_bits(2 * subtree);
    const std::uint32_t between = cyclic_range(2 * subtree, arrival & ~1u) & ~tree_pair;
    reason.children = view.out & between;
    reason.add("They go on between the two: by {}.", many("bit", reason.children));
    if ((view.foreign() & pair) != 0) {
        reason.children |= view.out & pair;
        reason.add("In superdimension {}, where they came, by {} too, as bit {} differs.",
                   superdimension(arrival), many("bit", view.out & pair), arrival);
    }
    if (pair != tree_pair && (view.relative & tree_pair) == (view.out & tree_pair)) {
        reason.children |= view.out & tree_pair;
        reason.add("In superdimension {}, the tree's, by {} too, as that bit differs alone.",
                   subtree, many("bit", view.out & tree_pair));
    }
    leave_out_source(reason, view);
}

void add_ist(Reason& reason, const UhcView& view, unsigned trees, unsigned subtree) {
    reason.add("Bits that differ: {} of those on which it sends, {} of those on which it hears.",
               listed(view.own()), listed(view.foreign()));
    const unsigned tree = ist_exchanged(view, trees, subtree);
    if (tree != subtree)
        reason.add("One of each: two hops from the source, where trees {} and {} come in each "
                   "other's place.",
                   subtree, tree);
    const std::uint32_t in_port = view.in & superdimension_bits(2 * tree);
    reason.parents = ist_parent(view, trees, subtree);
    if ((view.foreign() & in_port) == 0)
        reason.add(
            "The in-port of superdimension {}, {}, does not differ: tree {} comes across it.", tree,
            many("bit", in_port), subtree);
    else
        reason.add(
            "The in-port of superdimension {}, {}, differs: tree {} comes across the next one "
            "above that does, cyclically: {}.",
            tree, many("bit", in_port), subtree, many("bit", reason.parents));
    reason.children = ist_children(view, trees, subtree);
    const std::uint32_t own_port = view.out & superdimension_bits(2 * subtree);
    const std::uint32_t inside = low_bits(2 * trees);
    const bool near = is_single(view.foreign() & inside) && is_single(view.foreign());
    if (view.own() != 0 && (view.own() & own_port) == 0)
        reason.add("The tree's own out-port, {}, does not differ: a leaf.", many("bit", own_port));
    else if (view.own() == 0)
        reason.add(
            "No bit on which it sends differs: {}{}.",
            near ? "a neighbour of the source: the tree of its superdimension goes on by all, "
                   "others end"
                 : "on by the tree's own out-port",
            ": " + many("bit", reason.children));
    else
        reason.add(
            "The tree's own out-port, {}, differs: on from there up to before the next one "
            "that differs, cyclically{}: {}.",
            many("bit", own_port),
            near ? ", but one hop from the source's neighbours the tree of the superdimension "
                   "that differs gives way to the other; never to the source"
                 : "; never to the source",
            many("bit", reason.children));
}

} // namespace

Reason why_on_uhc(UniHypercube net, Rule rule, unsigned subtree, NodeId root, NodeId node) {
    Reason reason;
    add_view(reason, net, root, node);
    const UhcHalf half = uhc::half_for(net, rule, {node, root, kNoPort, 0});
    const UhcView& view = half.view;
    if (uhc::is_disjoint(rule)) {
        if (!view.is_root()) {
            rule == Rule::adst ? add_adst(reason, view, subtree)
                               : add_ist(reason, view, net.dim / 2u, subtree);
            return reason;
        }
        reason.children = view.out & superdimension_bits(2 * subtree);
        reason.add("It is the source: it sends tree {} by out-port {}, {}.", subtree, subtree,
                   many("bit", reason.children));
        return reason;
    }
    if (uhc::spans_halves(rule))
        add_half(reason, net, half, node);
    if (rule == Rule::bt1)
        add_bt1(reason, view);
    else if (rule == Rule::bt1_counted)
        add_bt1_counted(reason, view);
    else if (rule == Rule::bt2)
        add_bt2(reason, view, half_dim(net));
    else if (rule == Rule::bts)
        add_bts(reason, view);
    else
        add_section(reason, view, half_dim(net),
                    rule == Rule::bt3 ? SectionTree::bt3 : SectionTree::bt4);
    add_crossing(reason, net, half);
    return reason;
}

} // namespace mesh::host
