// When a run is over. Free running: once all nodes have answered that nothing is under way at them,
// and no packet has crossed the loom since they were asked; and the same once more, after they were
// told to ask again after all that they wait for, if that brought no progress. A node that
// has asked, and waits for long until it asks again, may wait for a word that was lost meanwhile
// with a node or a cable on its way. In lockstep: once nothing is held back
// and no node owes a report, which the loom knows.
#pragma once

#include "deadlines.hpp"
#include "endless.hpp"
#include "node_table.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace mesh::host {

/// Free running.
class FreeTermination {
public:
    /// An app may sleep: silence of its nodes is no sign that they are done. `hopeless` looks into
    /// them, and says whether none of its processes waits for a time that will come.
    FreeTermination(NodeTable& node_table, const Deadlines& deadlines, bool app,
                    std::function<bool()> hopeless);

    /// To be called after each step, with the packets that the nodes have got so far.
    bool over(std::uint64_t packets);

private:
    using Seconds = Deadlines::Seconds;

    /// The state of a run. A node that is reset forgets its deliveries and the waits of others for
    /// it.
    struct Progress {
        std::uint64_t delivered = 0; // packets, by all nodes
        std::uint64_t starts = 0;    // of nodes, in this run
        std::uint32_t live = 0;      // nodes

        bool operator==(const Progress&) const = default;
    };

    Progress progress() const;
    bool round_ended();
    bool confirmed();
    bool confirms() const { return progress_at_rest_ == progress_; }
    bool wedged(bool goes_on);
    bool question_due() const;
    void ask();

    NodeTable& node_table_;
    const Deadlines& deadlines_;
    bool app_;
    std::function<bool()> hopeless_;
    bool round_open_ = false;
    std::uint64_t packets_ = 0;
    std::uint64_t packets_at_question_ = 0;
    std::uint64_t packets_at_progress_ = 0;
    Progress progress_{};                        // when the nodes were last asked
    std::optional<Progress> progress_at_rest_{}; // when they were told to ask again
    bool tells_to_ask_again_ = false;            // by the next question
    Seconds asked_at_;
    Seconds round_took_{0}; // until all had answered
    Seconds last_packet_;
    Seconds last_progress_;
};

/// Lockstep.
class LockstepTermination {
public:
    LockstepTermination(Engine& engine, NodeTable& node_table, const Deadlines& deadlines,
                        EndlessLook& endless)
        : loom_(engine.loom()),
          node_table_(node_table),
          deadlines_(deadlines),
          endless_(endless),
          last_movement_(deadlines.now()),
          last_round_(deadlines.now()),
          last_move_(deadlines.now()) {}

    /// To be called after each step. Nodes that hold up the others are given up: those that say
    /// nothing, and those that talk and do not come to rest. RunError if nothing moves and no node
    /// holds it up, or if nothing but processes that give way moves, turn after turn.
    bool over(bool moved);
    /// Live nodes that the others wait for and that are silent.
    NodeNumbers silent();
    /// RunError if there has been nothing for long but processes that give way, turn after turn.
    void look_for_livelock();

private:
    /// Live nodes that the others wait for.
    NodeNumbers awaited() const;

    const Loom& loom_;
    NodeTable& node_table_;
    const Deadlines& deadlines_;
    EndlessLook& endless_;
    Deadlines::Seconds last_movement_;
    Deadlines::Seconds last_round_; // that was released
    Deadlines::Seconds last_move_;  // of anything but turns
    std::uint64_t rounds_ = 0;
    std::uint64_t moves_ = 0;
    std::uint64_t rounds_at_move_ = 0;
};

} // namespace mesh::host
