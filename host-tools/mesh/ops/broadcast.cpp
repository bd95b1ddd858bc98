// bcast: the same message for everybody, over one tree, or over disjoint trees with a packet on one
// of them or copies on several.
#include "data.hpp"
#include "families.hpp"
#include "ops/parameters.hpp"
#include "trees.hpp"
#include "wire/frame.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/rig/own_rule.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

namespace mesh::host {

namespace {

class Broadcast final : public Operation {
public:
    Broadcast(const OpKind& kind, RunPlan plan) : Operation(kind, std::move(plan)) {
        run().copies = plan_copies(run());
        tree_ = plan_tree(run(), false);
        if (tree_ == Rule::sbg)
            refuse(kCombination,
                   "--tree sbg: no tree, but a graph for scatter, gather and all-to-all");
        plan_message(run(), run().data.input, kInputBytesMax);
        const bool one_way = run().copies == 1 && tree_ != Rule::msbt_rot;
        const PacketLimits limits{one_way ? kExternalBytesMax : run().payload_bytes()};
        if (run().data.packet == "auto")
            run().packet_bytes = best_packet_bytes(static_cast<std::uint32_t>(limits.most));
        else
            plan_packet(run(), limits, ", or auto");
        check_copies();
    }

    std::uint64_t expected_packets() const override {
        return std::uint64_t{packets()} * run().copies * (run().nodes() - 1);
    }
    bool contends() const override { return run().one_port() || tree_ == Rule::msbt_rot; }
    std::optional<Formula> formula() const override { return formula_for(packets()); }
    std::optional<Formula> usual_formula() const override {
        if (tree_ != Rule::own)
            return std::nullopt;
        return broadcast_formula(run().network(), usual_tree(run().network().topology), run().ports,
                                 packets(), run().root);
    }
    std::optional<unsigned> level_of(NodeId node) const override;
    std::string subject() const override {
        return fmt::format("tree {} rooted at node {}: {}", tree_words(tree_), index(run().root),
                           describe_size(""));
    }
    void describe(Figures& head) const override {
        Operation::describe(head);
        head.push_back({"tree", name(tree_)});
    }

private:
    void fill(wire::Job& job, NodeId) const override {
        job.rule = tree_;
        set_parameters(job, BroadcastParameters{static_cast<std::uint8_t>(run().copies)});
    }
    /// Every node, the root too, accounts for the whole message.
    std::vector<Expectation> answers() const override {
        return std::vector(run().nodes(), expectation_of(message_of(run(), run().root, 0)));
    }
    std::optional<Formula> formula_for(std::uint64_t count) const {
        if (tree_ == Rule::own)
            return own_formula(run().ports, count);
        return broadcast_formula(run().network(), tree_, run().ports, count, run().root,
                                 run().copies);
    }
    std::uint32_t best_packet_bytes(std::uint32_t most) const;
    void check_copies() const;

    Rule tree_{};
};

/// The size of packet, `most` at most, for which tau and tc give the shortest broadcast.
std::uint32_t Broadcast::best_packet_bytes(std::uint32_t most) const {
    const std::uint32_t bytes = run().bytes;
    std::uint32_t best = 0;
    double best_time = std::numeric_limits<double>::infinity();
    const std::uint32_t packets_max = std::max(bytes / kPacketBytesMin, bytes / most + 1);
    for (std::uint32_t count = 1; count <= packets_max; ++count) {
        const std::uint32_t size = std::max(kPacketBytesMin, (bytes + count - 1) / count);
        const auto formula = formula_for(count);
        if (size > most || !formula)
            continue;
        const double time =
            static_cast<double>(formula->steps) * (run().model.tau + size * run().model.tc);
        if (time < best_time) {
            best_time = time;
            best = size;
        }
    }
    if (best == 0)
        refuse(kCombination,
               "--packet auto: the steps of --tree {} with --ports {} follow no formula; allowed: "
               "{} to {}",
               name(tree_), run().model.ports, kPacketBytesMin, most);
    return best;
}

/// Every node keeps the message and a vote for each packet.
void Broadcast::check_copies() const {
    if (run().copies == 1)
        return;
    const std::uint32_t most = most_bytes(kInputBytesMax);
    if (run().bytes > most)
        refuse(kCombination, "--bytes {}: {} has room for a message of at most {} and its votes",
               run().bytes, run().a_node(), most);
}

std::optional<unsigned> Broadcast::level_of(NodeId node) const {
    if (subtree_count(run().network(), tree_) != 1)
        return std::nullopt;
    unsigned level = 0;
    while (node != run().root && level < run().nodes()) {
        const Port port = parent(run().network(), tree_, 0, run().root, node);
        if (port == kNoPort)
            break;
        node = neighbor(run().network(), node, port);
        ++level;
    }
    return level;
}

constexpr std::array kBroadcastOps{
    OpKind{"bcast", "one message from the root to all", wire::Op::bcast, kCommonProgram,
           "--tree --avoid --copies --bytes --packet --input --output", plan_as<Broadcast>}};

} // namespace

std::span<const OpKind> broadcast_ops() { return kBroadcastOps; }

} // namespace mesh::host
