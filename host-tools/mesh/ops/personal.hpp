// Personalised communication: scatter, gather, allgather and alltoall, in which every node has, or
// gets, a block of its own. On the cube over a single tree (personal.cpp), on the UHC and the star
// by packets over disjoint trees (personal_paths.cpp).
#pragma once

#include "data.hpp"
#include "operation.hpp"

namespace mesh::host {

class Personal : public Operation {
public:
    bool contends() const override { return true; }
    bool inward() const override { return kind().op == wire::Op::gather; }
    std::string subject() const override;
    void describe(Figures& head) const override;

protected:
    using Operation::Operation;

    /// True if op, tree and ports can use this schedule, and the fastest of those.
    virtual bool fits(Schedule schedule) const = 0;
    virtual Schedule best_schedule() const = 0;

    /// The schedule that was asked for, or the best, of `names`. UsageError.
    void plan_schedule(const std::vector<std::string_view>& names);
    std::vector<std::string_view> schedules() const;
    /// Size and number of the blocks, in packets as planned. UsageError.
    void plan_sizes();

    /// All nodes are roots: allgather, alltoall.
    bool all_to_all() const { return !scatters() && !inward(); }
    bool scatters() const { return kind().op == wire::Op::scatter; }
    bool pairs() const { return kind().op == wire::Op::alltoall; }
    /// True if the node gets a block of every other.
    bool gathers(NodeId node) const { return all_to_all() || (inward() && node == run().root); }
    /// The block that one node has for another (alltoall), or a node's only one.
    Bytes block(NodeId from, NodeId to) const;

    void fill(wire::Job& job, NodeId node) const override;
    std::vector<Expectation> answers() const override;
    NodeId source_of_output() const override {
        return inward() ? run().root : Operation::source_of_output();
    }

    Rule tree_ = Rule::unicast;
    Schedule schedule_ = Schedule::postorder;

private:
    Bytes all_blocks(NodeId to) const;
};

/// Plans a personalised op on the UHC or the star.
std::unique_ptr<Operation> plan_paths(const OpKind& kind, RunPlan run);

} // namespace mesh::host
