// One schedule: in which order what happens, and what breaks when. It follows from its seed.
//
// Orders are drawn at random, or by priorities (PCT: Burckhardt, Kothari, Musuvathi and
// Nagarakatte, ASPLOS 2010): the actor with the highest one goes on until it is lowered at one of
// depth - 1 steps drawn beforehand. With n actors and k steps a bug that needs d orderings is found
// with a probability of at least 1 / (n k^(d-1)) in each schedule.
//
// Faults have a step each; then they stop, the order is random and fair, and everything must end.
// Messages get through what comes back, so there cables are mended, nodes begin anew, and cables
// may be so slow that living links are given up. A collective does not (a packet that was lost with
// a session of a link is not sent again), so there cables and nodes that are lost stay lost.
#pragma once

#include "story.hpp"
#include "world.hpp"

#include <optional>
#include <string>
#include <vector>

namespace mesh::soak {

struct Fault {
    enum class Kind : std::uint8_t {
        cut,
        cut_out, // one direction only
        mend,
        kill,
        restart,       // with its program
        restart_empty, // to forward only
        clog,
        let_go,
        drop,
        twice,
        swap,
        corrupt,
        lose,      // the next frames of the cable
        cut_power, // it knows nothing of its lives before, and begins anew with its program
        end_early  // its program does less than the others
    };
    Kind kind{};
    unsigned step = 0;
    unsigned node = 0, port = 0;
    unsigned bit = 0; // that a corrupt frame has wrong; or how many frames are lost
};
std::string words_of(const Fault& fault);
/// It may cost something that is under way.
bool is_lasting(Fault::Kind kind);

/// Frames and nodes that are later may seem to be gone: a question and its answer may take longer
/// than who asks waits, though no link is given up.
inline constexpr unsigned kPromptMs = 500;
/// Not so frames that are late by no more than this, however full pools are.
inline constexpr unsigned kSoonMs = 10;

struct Schedule {
    Network network{Topology::cube, 3};
    Work work;
    unsigned depth = 0;    // of priorities; 0: random
    unsigned steps = 0;    // until faults stop at the latest
    unsigned delay_ms = 0; // of frames and nodes, see World
    unsigned process_delay_ms = 0;
    bool all_mended = true; // the cables, when faults stop
    unsigned gates = 4;
    std::size_t buffers = 0; // of a node; 0: as few as the network allows with `gates` processes
    std::size_t arena_bytes = 16 * 1024;
    std::vector<Fault> faults;
    std::vector<FrameFault> frames; // faults of single frames, by their numbers
};

/// The kind of work that is drawn. `mixed`: messages and collectives, one after the other under
/// tags of their own; the others are of one kind each. A seed means another schedule for each kind.
/// `any`: the seed says which kind.
enum class Kinds : std::uint8_t {
    mixed,
    storm,
    sequence,
    ends,
    flaps,
    parts,
    late,
    resets,
    bursts,
    any
};
/// The one that is meant by `any`, too.
Kinds kinds_of(std::uint64_t seed, Kinds kinds);

/// The schedule of a seed; `kinds` is not any. Without a network the seed draws one as well: mostly
/// the 3-cube.
Schedule schedule_of(std::uint64_t seed, std::optional<Network> network, Kinds kinds);
World::Size size_of(const Schedule& schedule);
std::string words_of(const Schedule& schedule);

struct Outcome {
    std::string failure; // empty: none
    std::uint64_t hops = 0, frames = 0, steps = 0, sent = 0, taken = 0, links_dead = 0;
};

/// Runs it. `trace`: says what happens.
Outcome run(const Schedule& schedule, bool trace = false);

} // namespace mesh::soak
