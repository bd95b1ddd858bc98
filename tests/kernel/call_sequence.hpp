// Collectives of all kinds, and random sequences of them under one tag: changing trees, roots,
// sizes and copies, nodes that come late. Every byte that a node ends with is compared with the
// right one.
#pragma once

#include "collectives/copies.hpp"
#include "collectives/personalised.hpp"
#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mesh::test::call_sequence {

enum class Kind : std::uint8_t {
    barrier,
    broadcast,
    copies,
    reduce,
    allreduce,
    scan,
    packets, // scatter or gather by packets, on the cube
    exchange,
    ascend,
    group,
    blocks,
    kCount
};

/// One collective, the same at all nodes.
struct Step {
    Kind kind{};
    Rule tree = kUsualTree;
    Tag tag = 9;
    NodeId root{0};
    std::uint32_t bytes = 0;
    std::uint32_t packet_bytes = 1;
    std::uint8_t copies = 1;
    Exchange what{};
    Schedule schedule = kUsualSchedule;
    unsigned number = 0;    // in the sequence
    std::uint32_t late = 0; // which nodes are, by a mix with this
};

/// Memory that a call may use until the next call of the tag begins: late copies come until then.
struct Lent {
    std::vector<std::byte> bytes;
    CopyReport report;
    Arrivals arrivals;
};

/// The result of a step.
struct Verdict {
    Status status = Status::failed;
    bool right = false;
};

/// Runs it at this node. `memory`: not used by groups and blocks, whose calls are of another kind.
/// Both must stay until it is done.
Task<Verdict> do_step(Kernel& node, const Step& step, Lent* memory);

/// Of all nodes; set before a rig runs play_sequence().
struct Sequence {
    unsigned seed = 0;
    unsigned length = 25;
    bool very_late = false;           // some nodes sleep until others look for them
    std::vector<std::string> wrong{}; // what did not come out right
};
extern Sequence sequence;

/// The program of a node.
Process play_sequence(Kernel& node);

} // namespace mesh::test::call_sequence
