// All nodes of a run: their sessions, how many of them live, owe an answer and are done, and who is
// too quiet. A node leaves the run in one place.
#pragma once

#include "deadlines.hpp"
#include "host-tools/mesh/common/node_names.hpp"
#include "host-tools/mesh/engines/engine.hpp"
#include "node_session.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

class NodeTable {
public:
    NodeTable(Engine& engine, std::uint32_t nodes, const SessionContext& context,
              SessionHandler& handler, Deadlines& deadlines);

    const NodeSession& operator[](std::uint32_t node) const { return sessions_[node]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(sessions_.size()); }
    std::uint32_t live() const { return live_; }
    /// Live nodes that have done their job.
    std::uint32_t done() const { return done_; }
    /// Live nodes that have not answered the last question.
    std::uint32_t asked() const { return asked_; }
    /// Nodes ended for their messages; nodes that the loom cut off are not counted.
    std::uint64_t expelled() const { return expelled_; }

    // Messages and errors of nodes.
    void hear(NodeId node, std::span<const std::byte> frame);
    void hear_errors(NodeId node, std::string_view text);
    void flush();

    // Events in the life of nodes.
    void begin_phase();
    void begin_work();
    void ask_all(bool again = false); // NodeSession::ask()
    void end(NodeId node, std::string_view how);
    void leave(NodeId node, Fate fate, std::string_view note);
    void restart(NodeId node);
    /// Ends nodes that do not answer.
    void give_up(const NodeNumbers& nodes);
    /// Ends nodes that have computed for too long: they talk, but come no further.
    void give_up_computing();

    /// `; node 1 has computed for 4 s without waiting`, for the first that does; else nothing.
    std::string who_computes() const;

    /// Live nodes for which this holds of their number.
    template <class Holds>
    NodeNumbers those(Holds holds) const {
        NodeNumbers nodes;
        for (std::uint32_t node = 0; node < size(); ++node)
            if (sessions_[node].live() && holds(node))
                nodes.push_back(node);
        return nodes;
    }
    NodeNumbers without(NodeResult::Mark mark) const {
        return those([&](std::uint32_t node) { return !(sessions_[node].result().*mark); });
    }
    NodeNumbers who_owe_answers() const {
        return those([&](std::uint32_t node) { return sessions_[node].asked(); });
    }
    /// Live nodes that owe something, as owes(number) says, and are silent. Looks now and then.
    template <class Owes>
    NodeNumbers silent(Owes owes) {
        if (!deadlines_.look_due())
            return {};
        for (std::uint32_t node = 0; node < size(); ++node)
            sessions_[node].look(owes(node), engine_.loom().take_sign(node_at(node)),
                                 deadlines_.now());
        return those([&](std::uint32_t node) {
            return owes(node) && deadlines_.silent(sessions_[node].quiet_since());
        });
    }

    /// The results, when the run is over.
    std::vector<NodeResult> results() const;
    Refusals refusals() const;

private:
    template <class F>
    void change(NodeId node, F f);

    std::string place_of(std::uint32_t node);

    Engine& engine_;
    Deadlines& deadlines_;
    SourceLines* lines_;
    std::vector<NodeSession> sessions_;
    std::uint32_t live_;
    std::uint32_t done_ = 0;
    std::uint32_t asked_ = 0;
    std::uint64_t expelled_ = 0;
};

} // namespace mesh::host
