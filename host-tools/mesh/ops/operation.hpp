// An op: all that the host tool knows of one job that a mesh can be given. How it is planned, the
// job and the right answer of each node, the formula of its steps, and the words for a person.
//
// The right answer is computed here from the input or the seed, by another CRC code, and compared
// with each node's report: the nodes' code has no part in it. The driver of a run asks the op, and
// never asks which op it is. A family of ops is a file of this folder with a table of its kinds;
// registry.cpp has the list of families.
#pragma once

#include "formulas.hpp"
#include "host-tools/mesh/rig/run_plan.hpp"
#include "wire/host_messages.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mesh::host {

class Operation;

/// The program of the ops that have none of their own.
inline constexpr std::string_view kCommonProgram = "job";

/// One row in the table of a family.
struct OpKind {
    std::string_view name;
    std::string_view phrase;  // what it does, for a list
    wire::Op op;              // how the nodes call it
    std::string_view program; // that does it, of firmware/ops
    std::string_view options; // that it reads beside those that every run has, with blanks between
    /// Checks the arguments and plans the op, in a run whose plan has only the part that all ops
    /// share. UsageError.
    std::unique_ptr<Operation> (*plan)(const OpKind& kind, RunPlan run);
};

/// A function for OpKind::plan: makes an op whose constructor plans it.
template <class Planned>
std::unique_ptr<Operation> plan_as(const OpKind& kind, RunPlan run) {
    return std::make_unique<Planned>(kind, std::move(run));
}

/// The right report of a node.
struct Expectation {
    std::uint32_t crc = 0;
    std::uint32_t bytes = 0; // modulo 2^32, as the node counts them
    std::uint32_t messages = 0;
};

/// CRC-32 (IEEE 802.3) by zlib, so independent of wire/crc32.hpp.
std::uint32_t check_crc32(std::span<const std::byte> bytes);
/// The right report for one message with these bytes.
Expectation expectation_of(std::span<const std::byte> bytes);

/// The outcome of a run, as the op needs it to judge.
struct Outcome {
    std::vector<wire::NodeReport> reports; // the last one of each node
    std::span<const std::byte> pushed;     // each byte where its node put it
    bool any_fault = false;     // the fault plan has done something for good, or a node began anew
    std::vector<NodeId> killed; // by the fault plan, or restarted
};

/// A member of the report.
struct Figure {
    std::string_view name;
    std::variant<std::uint64_t, double, std::string_view> value; // of the op, while it lives
};
using Figures = std::vector<Figure>;

/// The op's verdict on an outcome.
struct Verdict {
    std::vector<bool> right;          // by node; of dead ones it means nothing
    std::uint64_t missing_blocks = 0; // of living nodes, at living nodes
    std::string note;                 // a line for the table, or none
    Figures figures;                  // more for the report
};

class Operation {
public:
    Operation(const OpKind& kind, RunPlan run) : kind_(kind), run_(std::move(run)) {}
    virtual ~Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    const OpKind& kind() const { return kind_; }
    const RunPlan& run() const { return run_; }
    RunPlan& run() { return run_; } // while it is planned

    // Expected figures.
    /// Packets that an undisturbed run delivers over links, roughly where it depends on the seed.
    virtual std::uint64_t expected_packets() const = 0;
    /// True if expected_packets() is exact, so that the share of packets that have gone tells a
    /// person how far a run has come.
    virtual bool knows_packets() const { return true; }
    /// True if packets of different flows can want one port, so that their order matters.
    virtual bool contends() const { return run().one_port(); }
    /// Steps that a run should take, if there is a formula.
    virtual std::optional<Formula> formula() const { return std::nullopt; }
    /// The same over the network's usual tree, for an op that goes over a user's own.
    virtual std::optional<Formula> usual_formula() const { return std::nullopt; }
    /// Bytes of the largest message.
    virtual std::uint32_t message_bytes() const { return run().bytes; }
    /// Packets of one message; an empty one takes a packet too.
    std::uint32_t packets() const;

    // The nodes' jobs.
    /// The payload of HostTag::job for this node.
    std::vector<std::byte> job_for(NodeId node) const;
    /// A program of the user's own: it may sleep, its status is the verdict, it has no table.
    virtual bool is_app() const { return false; }
    /// True if any node may push data to any other.
    virtual bool all_push() const { return false; }
    /// The node that pushes its data for --output; kNoNode if none does, or any may.
    NodeId output_node() const;
    /// The number of bytes that it pushes.
    std::size_t output_bytes() const;

    // The outcome.
    virtual Verdict judge(const Outcome& outcome) const;
    /// The bytes for the file of --output, if they are not the pushed ones, byte for byte.
    virtual std::optional<Bytes> made_output(const Outcome& /*outcome*/) const { return {}; }
    /// True if the data goes towards the root, so that a node without a way to it is cut off.
    virtual bool inward() const { return false; }
    /// True if every packet goes over disjoint paths: a node may then be right without having
    /// ended, because some copies of its data were lost.
    virtual bool survives_faults() const { return false; }
    /// Links from the root to a node, where a single tree is all that matters.
    virtual std::optional<unsigned> level_of(NodeId) const { return std::nullopt; }

    // In words.
    virtual std::string title() const { return std::string(kind().name); }
    /// The table's second line: over which structure, and how much. Empty: none.
    virtual std::string subject() const;
    /// Fills in those of the report's first keys that it knows; all of them are there.
    virtual void describe(Figures& head) const;

protected:
    virtual void fill(wire::Job&, NodeId) const {}
    /// Most bytes of a message or block, `most` at most, for which a node's workspace is enough, in
    /// packets as planned (ops/room.hpp). UsageError: not even an empty one has what it needs.
    std::uint32_t most_bytes(std::uint64_t most) const;
    /// Words for the program of a node, NUL-terminated.
    virtual std::vector<std::byte> words(NodeId) const { return {}; }
    /// The right report of each node.
    virtual std::vector<Expectation> answers() const = 0;
    const Expectation& expected(NodeId node) const;
    /// True if the report shows what the node must have.
    bool matches(NodeId node, const wire::NodeReport& report) const;
    virtual bool right(NodeId node, const Outcome& outcome) const;
    /// The node whose data --output is, where one pushes: the last one that is not the root.
    virtual NodeId source_of_output() const;
    /// "4096 bytes each, 4 packets of at most 1024 bytes".
    std::string describe_size(std::string_view each) const;

private:
    wire::Job job(NodeId node) const;

    const OpKind& kind_;
    RunPlan run_;
    mutable std::vector<Expectation> answers_; // from the first call of expected() on
};

/// All kinds that --op can name, in the order of the families.
const std::vector<OpKind>& op_kinds();
/// The kind that was asked for, by --op, or by --app with the program of an op. Options that only
/// other kinds read are refused. UsageError.
const OpKind& kind_of(const RunArguments& arguments);

} // namespace mesh::host
