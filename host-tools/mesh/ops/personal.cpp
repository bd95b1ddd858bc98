// The common part of all personalised ops, and those of the cube: by single packets or in cycles.
#include "personal.hpp"

#include "collectives/personalised.hpp"
#include "families.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "host-tools/mesh/rig/own_rule.hpp"
#include "kernel/base/limits.hpp"
#include "ops/parameters.hpp"
#include "trees.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <array>

namespace mesh::host {

std::string Personal::subject() const {
    const std::string roots = all_to_all() ? fmt::format("at each of {}", run().nodes())
                                           : fmt::format("rooted at node {}", index(run().root));
    return fmt::format("tree {}, schedule {} {}: {}", tree_words(tree_), name(schedule_), roots,
                       describe_size(" each"));
}

void Personal::describe(Figures& head) const {
    Operation::describe(head);
    head.push_back({"tree", name(tree_)});
    head.push_back({"schedule", name(schedule_)});
}

std::vector<std::string_view> Personal::schedules() const {
    std::vector<std::string_view> names;
    for (unsigned number = 0; number < static_cast<unsigned>(Schedule::kCount); ++number)
        if (fits(static_cast<Schedule>(number)))
            names.push_back(name(static_cast<Schedule>(number)));
    return names;
}

void Personal::plan_schedule(const std::vector<std::string_view>& names) {
    schedule_ = best_schedule();
    if (run().work.schedule.empty())
        return;
    std::vector<std::string_view> all;
    for (unsigned number = 0; number < static_cast<unsigned>(Schedule::kCount); ++number)
        all.push_back(name(static_cast<Schedule>(number)));
    if (std::ranges::find(names, run().work.schedule) == names.end())
        refuse_name("--schedule", run().work.schedule, names, all);
    schedule_ = static_cast<Schedule>(place_of(all, run().work.schedule, "--schedule"));
}

void Personal::plan_sizes() {
    const std::uint64_t nodes = run().nodes();
    const std::uint32_t most = most_bytes(limits::kMessageBytesMax / nodes);
    plan_blocks(run(), kind().name, {pairs() ? nodes * nodes : nodes, most});
}

Bytes Personal::block(NodeId from, NodeId to) const {
    const std::size_t row =
        pairs() ? std::size_t{index(from)} * run().nodes() + index(to) : index(from);
    return block_of(run(), row, from, pairs() ? to : NodeId{0});
}

Bytes Personal::all_blocks(NodeId to) const {
    Bytes all;
    for (std::uint32_t from = 0; from < run().nodes(); ++from) {
        const Bytes one = block(node_at(from), to);
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

void Personal::fill(wire::Job& job, NodeId) const {
    job.rule = tree_;
    set_parameters(job, PersonalParameters{schedule_, static_cast<std::uint8_t>(run().copies)});
}

/// scatter: a block each; gather: all at the root; all-to-all: all at every node.
std::vector<Expectation> Personal::answers() const {
    std::vector<Expectation> expected(run().nodes(), Expectation{0, 0, 1});
    if (inward())
        expected[index(run().root)] = expectation_of(all_blocks(run().root));
    else if (!scatters() && !pairs())
        std::fill(expected.begin(), expected.end(), expectation_of(all_blocks(run().root)));
    else
        for (std::uint32_t number = 0; number < run().nodes(); ++number) {
            const NodeId node = node_at(number);
            expected[number] = expectation_of(pairs() ? all_blocks(node) : block(node, node));
        }
    return expected;
}

namespace {

class CubePersonal final : public Personal {
public:
    CubePersonal(const OpKind& kind, RunPlan plan) : Personal(kind, std::move(plan)) {
        in_range(run().work.copies, 1, 1, "--copies");
        tree_ = plan_tree(run(), true, all_to_all() ? RootsAsked::all : RootsAsked::one);
        check_own_tree();
        const auto names = schedules();
        if (names.empty())
            refuse(kCombination,
                   "--tree {}: not for {} with --ports {}; allowed: sbt, tcbt, sbnt-minr, "
                   "sbnt-maxl, sbnt-minbl, sbnt-maxbr, sbg (tcbt for all-to-all with all ports "
                   "only)",
                   name(tree_), kind.name, run().model.ports);
        plan_schedule(names);
        plan_packet(run(), packet_limits());
        plan_sizes();
    }

    std::uint64_t expected_packets() const override {
        return std::uint64_t{packets()} * run().nodes() *
               (all_to_all() ? port_count(run().network()) : 1);
    }
    bool knows_packets() const override { return false; } // blocks go over several links
    std::optional<Formula> formula() const override {
        if (tree_ == Rule::own)
            return std::nullopt;
        return formula_for(tree_, schedule_);
    }
    std::optional<Formula> usual_formula() const override {
        if (tree_ != Rule::own)
            return std::nullopt;
        return formula_for(Rule::sbt, run().one_port() ? Schedule::gray : Schedule::postorder);
    }

private:
    std::optional<Formula> formula_for(Rule tree, Schedule schedule) const {
        if (run().bytes == 0 || (in_cycles(schedule) && run().packet_bytes != 0))
            return std::nullopt;
        const CyclePlan plan{Hypercube{run().network().dim}, tree, schedule, run().one_port(),
                             kind().op == wire::Op::allgather};
        const bool in_turns = all_to_all() && run().ports == PortModel::half;
        return personal_formula(plan, packets(), in_turns ? 2 : 1);
    }
    /// The lists of a source keep paths of kDimMax links (TreePath).
    void check_own_tree() const {
        check_climbs(tree_, kind().name);
        if (const unsigned links = height(run().network(), tree_);
            tree_ == Rule::own && links > kDimMax)
            refuse(kCombination, "--op {}: goes over trees of up to {} links; {} has paths of {}",
                   kind().name, kDimMax, own_rule_facts().file, links);
    }

    /// One port a node and all nodes at once: tcbt, whose nodes serve their children one after the
    /// other, would want two.
    bool fits(Schedule schedule) const override {
        if (all_to_all() && (!in_cycles(schedule) || (tree_ == Rule::tcbt && run().one_port())))
            return false;
        return has_schedule(tree_, schedule, run().one_port());
    }

    /// The fastest for packets of one block each; all-to-all goes in cycles.
    Schedule best_schedule() const override {
        if (all_to_all() || tree_ == Rule::tcbt || tree_ == Rule::sbg)
            return run().one_port() || tree_ == Rule::tcbt ? Schedule::subtree : Schedule::level;
        if (!run().one_port())
            return Schedule::postorder;
        return tree_ == Rule::sbt ? Schedule::gray : Schedule::roundrobin;
    }

    PacketLimits packet_limits() const {
        if (in_cycles(schedule_))
            return {limits::kMessageBytesMax, true};
        return {scatters() ? kExternalBytesMax : run().payload_bytes()};
    }
};

std::unique_ptr<Operation> plan_personal(const OpKind& kind, RunPlan run) {
    if (run.network().topology == Topology::cube)
        return plan_as<CubePersonal>(kind, std::move(run));
    return plan_paths(kind, std::move(run));
}

constexpr std::string_view kPersonalOptions =
    "--tree --avoid --schedule --copies --bytes --packet --input --output";

constexpr std::array kPersonalOps{
    OpKind{"scatter", "a block from the root to each node", wire::Op::scatter, kCommonProgram,
           kPersonalOptions, plan_personal},
    OpKind{"gather", "a block of each node to the root", wire::Op::gather, kCommonProgram,
           kPersonalOptions, plan_personal},
    OpKind{"allgather", "a block of each node to all", wire::Op::allgather, kCommonProgram,
           kPersonalOptions, plan_personal},
    OpKind{"alltoall", "a block of each node for each other", wire::Op::alltoall, kCommonProgram,
           kPersonalOptions, plan_personal}};

} // namespace

std::span<const OpKind> personal_ops() { return kPersonalOps; }

} // namespace mesh::host
