// reduce, allreduce and scan: elements of all nodes, combined by an operator. The answer is
// computed apart from the nodes' code, in the order of the nodes.
#include "collectives/reduction.hpp"

#include "data.hpp"
#include "families.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "host-tools/mesh/rig/own_rule.hpp"
#include "kernel/base/limits.hpp"
#include "ops/parameters.hpp"
#include "ops/traffic.hpp"
#include "trees.hpp"
#include "wire/bytes.hpp"
#include "wire/frame.hpp"

#include <array>
#include <bit>
#include <compare>
#include <functional>
#include <type_traits>

namespace mesh::host {

namespace {

/// One element of the answer.
using Combine = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;

template <class T>
Combine arithmetic(Operator operation) {
    return [operation](std::uint32_t a, std::uint32_t b) {
        const T left = std::bit_cast<T>(a);
        const T right = std::bit_cast<T>(b);
        if (operation == Operator::min)
            return std::is_lt(std::strong_order(right, left)) ? b : a;
        if (operation == Operator::max)
            return std::is_lt(std::strong_order(left, right)) ? b : a;
        if constexpr (std::is_floating_point_v<T>)
            return std::bit_cast<std::uint32_t>(left + right);
        else
            return a + b;
    };
}

Combine combine_of(Operator operation, ElementType type) {
    switch (operation) {
    case Operator::band: return std::bit_and<std::uint32_t>{};
    case Operator::bor: return std::bit_or<std::uint32_t>{};
    case Operator::bxor: return std::bit_xor<std::uint32_t>{};
    case Operator::sum:
    case Operator::min:
    case Operator::max: break;
    }
    if (type == ElementType::f32)
        return arithmetic<float>(operation);
    return type == ElementType::i32 ? arithmetic<std::int32_t>(operation)
                                    : arithmetic<std::uint32_t>(operation);
}

Bytes combined(const Bytes& left, const Bytes& right, const Combine& combine) {
    Bytes result(left.size());
    for (std::size_t at = 0; at + 4 <= left.size(); at += 4)
        wire::store(std::span(result), at,
                    combine(wire::load<std::uint32_t>(std::span(left), at),
                            wire::load<std::uint32_t>(std::span(right), at)));
    return result;
}

class Reduction : public Operation {
public:
    bool contends() const override { return true; }
    bool inward() const override { return kind().op == wire::Op::reduce; }
    std::string subject() const override { return describe_size(" each"); }
    void describe(Figures& head) const override {
        Operation::describe(head);
        head.push_back({"type", kElementNames[static_cast<std::size_t>(element_)]});
        head.push_back({"operator", kOperatorNames[static_cast<std::size_t>(operation_)]});
    }

protected:
    using Operation::Operation;

    void plan_elements();
    void fill(wire::Job& job, NodeId) const override {
        set_parameters(job, parameters_for_nodes());
    }
    virtual ReductionParameters parameters_for_nodes() const { return {element_, operation_, 0}; }
    Bytes elements(NodeId node) const;
    Combine combine() const { return combine_of(operation_, element_); }

private:
    ElementType element_ = ElementType::i32;
    Operator operation_ = Operator::sum;
};

void Reduction::plan_elements() {
    plan_packet(run(), {run().payload_bytes()});
    plan_blocks(run(), kind().name, {run().nodes(), most_bytes(limits::kMessageBytesMax)});
    element_ = static_cast<ElementType>(place_of(kElementNames, run().work.element, "--type"));
    operation_ =
        static_cast<Operator>(place_of(kOperatorNames, run().work.reduction, "--operator"));
    const auto operation = combiner(operation_, element_);
    if (!operation)
        refuse(kCombination, "--operator {} on {}: allowed: sum, min, max", run().work.reduction,
               run().work.element);
    if (run().bytes % operation->element_bytes != 0)
        refuse(kCombination, "--bytes {}: not a multiple of an element's {} bytes", run().bytes,
               operation->element_bytes);
    if (run().input && element_ == ElementType::f32 && operation_ == Operator::sum)
        refuse(kCombination,
               "--operator sum on f32 of a file: depends on the order of additions, so that it "
               "cannot be verified; allowed: min, max, or without --input");
}

/// The elements that a node contributes. The order of additions makes no difference to integers and
/// to the small whole numbers of the seed.
Bytes Reduction::elements(NodeId node) const {
    Bytes bytes = block_of(run(), index(node), node, NodeId{0});
    for (std::size_t at = 0; !run().input && at + 4 <= bytes.size(); at += 4)
        wire::store(std::span(bytes), at,
                    traffic_element(element_, wire::load<std::uint32_t>(std::span(bytes), at)));
    return bytes;
}

/// reduce: up a tree to the root. allreduce: to all.
class TreeReduction final : public Reduction {
public:
    TreeReduction(const OpKind& kind, RunPlan plan) : Reduction(kind, std::move(plan)) {
        tree_ = plan_tree(run(), false);
        check_climbs(tree_, kind.name);
        const Topology topology = run().network().topology;
        if (topology == Topology::uhc && inward() && tree_ != Rule::bts)
            refuse(kCombination,
                   "--tree {}: a reduce on a uhc climbs over links that no tree for sending has; "
                   "allowed: bts, all links turned round",
                   name(tree_));
        plan_elements();
    }

    std::uint64_t expected_packets() const override {
        return std::uint64_t{packets()} * run().nodes() * (inward() ? 1 : 2);
    }
    bool knows_packets() const override { return false; } // nor how many nodes are to be asked
    std::optional<Formula> formula() const override {
        if (!inward())
            return std::nullopt;
        if (tree_ == Rule::own)
            return own_formula(run().ports, packets());
        return reduction_formula(run().network(), tree_, run().ports, packets(), run().root);
    }
    std::optional<Formula> usual_formula() const override {
        if (!inward() || tree_ != Rule::own)
            return std::nullopt;
        return reduction_formula(run().network(), usual_tree(run().network().topology), run().ports,
                                 packets(), run().root);
    }
    std::string subject() const override {
        return fmt::format("tree {} rooted at node {}: {}", tree_words(tree_), index(run().root),
                           Reduction::subject());
    }
    void describe(Figures& head) const override {
        Reduction::describe(head);
        head.push_back({"tree", name(tree_)});
    }

private:
    void fill(wire::Job& job, NodeId node) const override {
        Reduction::fill(job, node);
        job.rule = tree_;
    }
    NodeId source_of_output() const override {
        return inward() ? run().root : Reduction::source_of_output();
    }
    std::vector<Expectation> answers() const override {
        Bytes total = elements(NodeId{0});
        for (std::uint32_t node = 1; node < run().nodes(); ++node)
            total = combined(total, elements(node_at(node)), combine());
        if (!inward())
            return std::vector(run().nodes(), expectation_of(total));
        std::vector<Expectation> expected(run().nodes(), Expectation{0, 0, 1});
        expected[index(run().root)] = expectation_of(total);
        return expected;
    }

    Rule tree_ = Rule::unicast;
};

/// Running totals over the nodes, in the order of their numbers.
class Scan final : public Reduction {
public:
    Scan(const OpKind& kind, RunPlan plan)
        : Reduction(kind, std::move(plan)),
          exclusive_(run().work.exclusive) {
        plan_elements();
    }

    std::uint64_t expected_packets() const override {
        return std::uint64_t{packets()} * run().nodes() * port_count(run().network());
    }
    bool knows_packets() const override { return false; }
    std::optional<Formula> formula() const override {
        if (run().network().topology != Topology::cube)
            return std::nullopt;
        return scan_formula(run().network(), run().ports, packets());
    }

private:
    ReductionParameters parameters_for_nodes() const override {
        ReductionParameters all = Reduction::parameters_for_nodes();
        all.exclusive = exclusive_ ? 1 : 0;
        return all;
    }
    std::vector<Expectation> answers() const override {
        std::vector<Expectation> expected;
        Bytes total = elements(NodeId{0});
        expected.push_back(expectation_of(total));
        for (std::uint32_t node = 1; node < run().nodes(); ++node) {
            if (exclusive_)
                expected.push_back(expectation_of(total));
            total = combined(total, elements(node_at(node)), combine());
            if (!exclusive_)
                expected.push_back(expectation_of(total));
        }
        return expected;
    }

    bool exclusive_;
};

constexpr std::string_view kTreeOptions =
    "--tree --avoid --type --operator --bytes --packet --input --output";

constexpr std::array kReductionOps{
    OpKind{"reduce", "elements of all nodes, combined at the root", wire::Op::reduce,
           kCommonProgram, kTreeOptions, plan_as<TreeReduction>},
    OpKind{"allreduce", "elements of all nodes, combined at each", wire::Op::allreduce,
           kCommonProgram, kTreeOptions, plan_as<TreeReduction>},
    OpKind{"scan", "elements of all nodes up to each, combined there", wire::Op::scan,
           kCommonProgram, "--type --operator --exclusive --bytes --packet --input --output",
           plan_as<Scan>}};

} // namespace

std::span<const OpKind> reduction_ops() { return kReductionOps; }

} // namespace mesh::host
