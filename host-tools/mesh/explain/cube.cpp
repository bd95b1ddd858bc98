// The arithmetic of sbt, bs, hp, tcbt, msbt and msbt-rot.
#include "core/schedules/timetable.hpp"
#include "why.hpp"

namespace mesh::host {

namespace {

std::uint32_t port_bit(Port port) { return port == kNoPort ? 0u : 1u << index(port); }

/// The children over the zeroes above the highest one, the parent across that one. `address` is
/// relative, and maybe rotated; so are the answers.
void add_binomial(Reason& reason, Hypercube cube, std::uint32_t address) {
    const std::uint32_t zeroes = sbt_children(cube, Relative{address});
    reason.children = zeroes;
    if (address == 0) {
        reason.add("No bit of it is one: all are leading zeroes. A child across each.");
        return;
    }
    reason.parents = port_bit(sbt_parent(Relative{address}));
    reason.add("Its highest one is bit {}: the parent is across it.", highest_bit(address));
    if (zeroes == 0)
        reason.add("No zero leads it: no child by that.");
    else
        reason.add("Leading zeroes: {}. A child across {}.", many("bit", zeroes),
                   (zeroes & (zeroes - 1)) == 0 ? "it" : "each");
}

void add_by_arrival(Reason& reason, Hypercube cube, NodeId root, NodeId node) {
    const Port arrival = BsTree::parent(cube, {node, root, kNoPort, 0});
    reason.parents = port_bit(arrival);
    reason.children = bs_children(cube, arrival);
    if (arrival == kNoPort) {
        reason.add("The packet starts here and came by no port: it goes out by all.");
        return;
    }
    reason.add(
        "The packet came by port {}. The rule reads nothing else: neither the node's address "
        "nor the root's.",
        index(arrival));
    if (reason.children == 0)
        reason.add("No port is above {}: a leaf.", index(arrival));
    else
        reason.add("It goes on by all ports above: {}.", listed(reason.children));
}

void add_path(Reason& reason, Hypercube cube, std::uint32_t address) {
    const bool odd = odd_weight(address);
    const unsigned left = address == 0 ? 0 : lowest_bit(address) + 1;
    reason.children = hp_children(cube, Relative{address});
    const std::string beside = fmt::format("bit {}, left of its lowest one", left);
    reason.add("It has {} number of ones: the path goes on across {}.", odd ? "an odd" : "an even",
               odd ? beside : "bit 0");
    if (reason.children == 0)
        reason.add("There is no bit {}: the path ends here.", left);
    if (address == 0)
        return;
    reason.parents = port_bit(hp_parent(Relative{address}));
    reason.add("It came across the other of the two: {}.", odd ? "bit 0" : beside);
}

/// The end of add_two_rooted() where the bit held back is 1.
void add_next_in_turn(Reason& reason, std::uint32_t children) {
    reason.children = children;
    reason.add("The bit held back is 1: children across {}, the two next in turn.",
               many("bit", children));
}

/// The same where it is 0, or there is none (`held` is 0); `before`: halved before the last, or 0.
void add_held_back(Reason& reason, std::uint32_t held, std::uint32_t pending,
                   std::uint32_t before) {
    reason.children = pending | before;
    const std::string children = many("bit", reason.children);
    if (held == 0)
        reason.add("Children across {}.", children);
    else
        reason.add("{} is 0: children across {}: the one next in turn{}.", many("Bit", held),
                   children, before == 0 ? "" : ", and the one halved before the last");
}

/// The search of detail::tcbt_place(), told.
void add_two_rooted(Reason& reason, Hypercube cube, std::uint32_t address) {
    const unsigned last = cube.dim - 1u;
    const bool halves = cube.dim > 1;
    std::uint32_t top = 1u << last;
    const std::uint32_t second = top >> 1;
    std::uint32_t pending = ((address >> 1) & second) != 0 ? 1u : second;
    std::uint32_t held = pending ^ second ^ 1u;
    const auto one = [&](std::uint32_t bit) { return (address & bit) != 0; };
    if (halves)
        reason.add(
            "The cube is halved across bit {}, which is {}: next in turn is {}, held back is "
            "{}.",
            last, one(top) ? 1 : 0, many("bit", pending), many("bit", held));
    std::uint32_t next = second >> 1;
    std::uint32_t before = top & ~address;
    const std::uint32_t unread = address & (second - 1u) & ~1u;
    const std::uint32_t below_last = lowest_one(unread) - 1u;
    for (; next > below_last; next >>= 1) {
        top = pending;
        const bool waits = one(pending);
        reason.add("Halved across bit {}, which is {}: {}.", lowest_bit(top), waits ? 1 : 0,
                   waits
                       ? fmt::format("next in turn is {}, {} stays held back", many("bit", next),
                                     many("bit", held))
                       : fmt::format("the one held back, {}, is next in turn, and {} is held back",
                                     many("bit", held), many("bit", next)));
        pending = waits ? next : held;
        held = waits ? held : next;
    }
    if (one(pending)) {
        before = top;
        top = pending;
        pending = next > 1 ? next : held;
        next >>= 1;
        reason.add("Halved across {}, which is 1: next in turn is {}.", many("bit", top),
                   many("bit", pending));
        if (one(pending)) {
            top = pending;
            reason.add("That is 1 too: halved across it.");
        }
    }
    if (address != 0) {
        reason.parents = 1u << highest_bit(top);
        reason.add("This node is next to a root of what is left: the parent is across {}, halved "
                   "last.",
                   many("bit", reason.parents));
    }
    if (one(held) && next < 2)
        reason.add("The bit held back is 1, and no bit is left: a leaf.");
    else if (one(held))
        add_next_in_turn(reason, pending | (next > 2 ? next >> 1 : next));
    else
        add_held_back(reason, held, pending, before);
}

/// f of the paper: the step in which the link is used first, n later for the next round.
void add_labels(Reason& reason, Hypercube cube, unsigned subtree, NodeId root, NodeId node) {
    std::string text;
    for (PortSequence ports =
             MsbtTree::children(cube, {node, root, kNoPort, static_cast<std::uint8_t>(subtree)});
         !ports.empty();) {
        const Port port = ports.pop();
        const std::uint32_t label =
            msbt_start(cube, PortModel::duplex, relative_address(node, root), port, subtree, 1);
        text += fmt::format("{}{} on port {}", text.empty() ? "" : ", ", label, index(port));
    }
    if (!text.empty())
        reason.add(
            "The label f, the step in which the link is used first if a node sends one packet "
            "at a time: {}.",
            text);
}

void turn_back(Reason& reason, Hypercube cube, unsigned count) {
    reason.parents = rotate_left(reason.parents, count, cube.dim);
    reason.children = rotate_left(reason.children, count, cube.dim);
    if (count != 0)
        reason.add("Turned back by {}: {}.", count,
                   reason.parents == 0
                       ? fmt::format("children across {}", many("bit", reason.children))
                       : fmt::format("the parent is across {}, {}", many("bit", reason.parents),
                                     reason.children == 0
                                         ? "no child"
                                         : "children across " + many("bit", reason.children)));
}

void add_many_binomial(Reason& reason, Hypercube cube, unsigned subtree, std::uint32_t address) {
    const std::uint32_t turned = rotate_right(address, subtree, cube.dim);
    if (address == 0) {
        reason.children = 1u << subtree;
        reason.add("The root sends the packets of subtree {} by port {}.", subtree, subtree);
        return;
    }
    reason.add("Subtree {}: turned right by {} it is {}.", subtree, subtree,
               bits_text(turned, cube.dim));
    if ((turned & 1u) == 0) {
        reason.parents = 1u;
        reason.add("Bit 0 is 0: a leaf, whose parent is across that bit.");
    } else {
        reason.add("Bit 0 is 1: an inner node.");
        add_binomial(reason, cube, turned);
        if (turned == 1)
            reason.add("Across bit 0 is the root: no leaf.");
        else
            reason.add("The leaf across bit 0 is a child, too.");
        reason.children |= turned == 1 ? 0u : 1u;
    }
    turn_back(reason, cube, subtree);
}

} // namespace

Reason why_on_cube(Hypercube cube, Rule rule, unsigned subtree, NodeId root, NodeId node) {
    Reason reason;
    const std::uint32_t address = index(node) ^ index(root);
    if (rule == Rule::bs) {
        add_by_arrival(reason, cube, root, node);
        return reason;
    }
    if (rule != Rule::sbt && rule != Rule::hp && rule != Rule::tcbt && rule != Rule::msbt &&
        rule != Rule::msbt_rot)
        return reason;
    add_relative(reason, root, node, cube.dim);
    if (rule == Rule::sbt) {
        add_binomial(reason, cube, address);
    } else if (rule == Rule::hp) {
        add_path(reason, cube, address);
    } else if (rule == Rule::tcbt) {
        add_two_rooted(reason, cube, address);
    } else if (subtree < cube.dim) {
        add_many_binomial(reason, cube, subtree, address);
        if (rule == Rule::msbt)
            add_labels(reason, cube, subtree, root, node);
    } else {
        const unsigned first = subtree - cube.dim;
        const std::uint32_t turned = rotate_right(address, first, cube.dim);
        reason.add(
            "Subtree {} is the binomial tree that begins with bit {}: turned right by {} the "
            "address is {}.",
            subtree, first, first, bits_text(turned, cube.dim));
        add_binomial(reason, cube, turned);
        turn_back(reason, cube, first);
    }
    return reason;
}

} // namespace mesh::host
