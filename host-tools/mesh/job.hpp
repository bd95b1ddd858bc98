// What every node is told to do, and what it must have when it has done it.
//
// The right answer is computed here from the input or the seed, by a CRC of our own, and compared
// with what each node reports: the nodes' code has no part in it.
#pragma once

#include "plan.hpp"
#include "wire/host_messages.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mesh::host {

/// What a node must report.
struct Expectation {
    std::uint32_t crc = 0;
    std::uint32_t bytes = 0; // modulo 2^32, as the node counts them
    std::uint32_t messages = 0;
};

/// CRC-32 (IEEE 802.3), half a byte at a time; independent of wire/crc32.hpp.
std::uint32_t check_crc32(std::span<const std::byte> bytes);

/// What the fault plan has done.
struct Deaths {
    bool any_fault = false;
    std::vector<NodeId> killed;
};

class JobBook {
public:
    explicit JobBook(const RunPlan& plan);

    /// The payload of HostTag::job for this node.
    std::vector<std::byte> job_for(NodeId node) const;
    const Expectation& expected(NodeId node) const { return expected_[index(node)]; }
    /// True if the report shows what the node must have. Packets over disjoint trees survive
    /// faults: then all blocks of living nodes are enough, whether or not every copy came.
    bool right(NodeId node, const wire::NodeReport& report, const Deaths& deaths) const;
    /// By packets: blocks of living nodes that a node has not got, at least 1 if it is not right;
    /// exact if the dead were so from the start.
    std::uint32_t missing_blocks(NodeId node, const wire::NodeReport& report,
                                 const Deaths& deaths) const;
    /// The node that pushes its data for --output; kNoNode if none does, or any may.
    NodeId output_node() const;
    /// How much it pushes.
    std::size_t output_bytes() const;

private:
    void expect_broadcast();
    void expect_messages();
    void expect_blocks();
    void expect_reduction();
    Bytes message(NodeId from, std::uint32_t k) const;
    Bytes block(NodeId from, NodeId to) const;
    Bytes all_blocks(NodeId to) const;
    bool gathers(NodeId node) const; // gets a block of every other node
    bool has_living_blocks(NodeId node, const wire::NodeReport& report, const Deaths& deaths) const;

    const RunPlan& plan_;
    std::vector<Expectation> expected_;
};

} // namespace mesh::host
