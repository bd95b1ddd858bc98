#include "node_table.hpp"

#include "host-tools/mesh/common/promise.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesh::host {

NodeTable::NodeTable(Engine& engine, std::uint32_t nodes, const SessionContext& context,
                     SessionHandler& handler, Deadlines& deadlines)
    : engine_(engine),
      deadlines_(deadlines),
      lines_(context.lines),
      live_(nodes) {
    sessions_.reserve(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node)
        sessions_.emplace_back(node_at(node), context, handler);
}

/// Calls f(session), and keeps the counts of nodes right.
template <class F>
void NodeTable::change(NodeId node, F f) {
    promise(index(node) < sessions_.size(), "the run has no such node");
    NodeSession& session = sessions_[index(node)];
    const auto count = [&](std::uint32_t sign) {
        live_ += session.live() ? sign : 0;
        done_ += session.live() && session.result().done ? sign : 0;
        asked_ += session.asked() ? sign : 0;
    };
    count(~0u);
    f(session);
    count(1);
}

void NodeTable::hear(NodeId node, std::span<const std::byte> frame) {
    std::string wrong;
    change(node, [&](NodeSession& session) { wrong = session.hear(frame); });
    if (wrong.empty() || !sessions_[index(node)].live())
        return;
    ++expelled_;
    leave(node, Fate::ended, wrong);
    engine_.kill(node);
}

void NodeTable::hear_errors(NodeId node, std::string_view text) {
    sessions_[index(node)].hear_errors(text);
}

void NodeTable::flush() {
    for (NodeSession& session : sessions_)
        session.flush();
}

void NodeTable::begin_phase() {
    for (NodeSession& session : sessions_)
        session.begin_phase(deadlines_.now());
}

void NodeTable::begin_work() {
    begin_phase();
    for (std::uint32_t node = 0; node < size(); ++node)
        sessions_[node].begin_work(engine_.loom().delivered(node_at(node)));
}

void NodeTable::ask_all(bool again) {
    for (std::uint32_t node = 0; node < size(); ++node)
        if (sessions_[node].live())
            change(node_at(node), [again](NodeSession& session) { session.ask(again); });
}

void NodeTable::end(NodeId node, std::string_view how) {
    change(node, [&](NodeSession& session) { session.end(how); });
}

void NodeTable::leave(NodeId node, Fate fate, std::string_view note) {
    change(node, [&](NodeSession& session) { session.leave(fate, note); });
}

void NodeTable::restart(NodeId node) {
    change(node, [&](NodeSession& session) {
        session.restart();
        session.begin_phase(deadlines_.now());
    });
}

/// ", in app_main, hello.cpp:9": where its processor is; nothing if that cannot be seen.
std::string NodeTable::place_of(std::uint32_t node) {
    const auto place = engine_.running(node_at(node));
    return place && lines_ != nullptr ? ", " + lines_->place_of(node_at(node), *place)
                                      : std::string{};
}

void NodeTable::give_up(const NodeNumbers& nodes) {
    for (const std::uint32_t node : nodes) {
        leave(node_at(node), Fate::hung, "does not answer" + place_of(node));
        engine_.kill(node_at(node));
    }
}

std::string NodeTable::who_computes() const {
    const NodeNumbers nodes =
        those([&](std::uint32_t node) { return sessions_[node].result().computes(); });
    return nodes.empty() ? std::string{}
                         : fmt::format("; node {} {}", nodes.front(),
                                       describe_computing(sessions_[nodes.front()].result()));
}

void NodeTable::give_up_computing() {
    const auto too_long = [&](std::uint32_t node) {
        const NodeResult& result = sessions_[node].result();
        return result.computes() && deadlines_.stuck(deadlines_.now() - result.computing());
    };
    for (const std::uint32_t node : those(too_long)) {
        leave(node_at(node), Fate::hung,
              describe_computing(sessions_[node].result()) + ", longer than three times --timeout" +
                  place_of(node));
        engine_.kill(node_at(node));
    }
}

std::vector<NodeResult> NodeTable::results() const {
    std::vector<NodeResult> results;
    results.reserve(sessions_.size());
    for (const NodeSession& session : sessions_)
        results.push_back(session.result());
    return results;
}

Refusals NodeTable::refusals() const {
    Refusals all;
    for (const NodeSession& session : sessions_) {
        all.host_frames += session.refusals().host_frames;
        all.pushes += session.refusals().pushes;
    }
    return all;
}

} // namespace mesh::host
