// The results of a run: the sums, the JSON report, the table for a person, and the words for a
// failure.
#pragma once

#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/run/run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// Nodes at one distance from the root in the tree.
struct Level {
    std::uint32_t nodes = 0;
    std::uint64_t packets = 0; // received
    double model_time = 0;     // when the last of them had finished
};

/// The figures of a run, all derived.
struct Summary {
    std::vector<std::uint32_t> failed;
    std::vector<std::uint32_t> unreachable; // no way from the root over what is left of the mesh
    std::uint32_t verified = 0;
    std::uint32_t live = 0;    // with a part in the job, and not ended of themselves
    double model_time = 0;     // all nodes done and, with copies, the last of them come
    double complete_time = 0;  // all nodes done: with copies, one of every packet
    bool any_fault = false;    // the fault plan has done something for good, or a node began anew
    bool is_app = false;       // a program's verdict is its own
    std::uint64_t untaken = 0; // packets and messages that came to a node and nobody took
    std::uint64_t steps = 0;   // the same two in steps
    std::uint64_t complete_steps = 0;
    std::optional<Formula> formula;
    std::uint64_t disputed_packets = 0; // at all nodes: copies that were not alike
    std::uint64_t hops = 0;
    std::uint64_t max_link_load = 0;
    std::array<std::uint64_t, kCounterCount> counters{}; // sums; maxima for high-water marks
    std::array<std::uint64_t, kPortsMax> dma_transfers{};
    std::vector<Level> levels;   // of a single tree
    bool calls_differ = false;   // nodes have begun different collectives as one call
    std::optional<Far> against;  // a node sent against the direction of the link at this port
    Verdict verdict;             // of the op
    std::optional<Bytes> output; // for --output, if not the bytes that were pushed

    bool good() const { return failed.empty() && live != 0 && !against && !calls_differ; }
};

/// Why a run failed, in clauses; none of them if it did not.
struct Failure {
    std::vector<std::string> reasons;         // as describe_failure() has them, and what came later
    std::optional<ConsoleDifference> console; // what --expect has otherwise

    bool empty() const { return reasons.empty() && !console; }
    /// One line.
    std::string words() const;
};

Summary summarize(const Operation& op, const RunResult& result, const Loom& loom);

/// The head of the report, as JSON: the run that was asked for.
std::string head_as_json(const Operation& op);
/// The results that every lockstep run of the same seed has, on any engine: the report without its
/// head, without figures of this machine, and without the long tables that frames show too.
std::string results_as_json(const Operation& op, const RunResult& result, const Summary& summary,
                            const LoomCounts& loom);

/// Writes the report as JSON, also of a failed run. RunError if it cannot be written.
void write_report(const Operation& op, const RunResult& result, const Summary& summary,
                  const LoomCounts& loom, const Failure& failure);

/// The head of the table: the op, the network, the structure, and the amount of data.
std::string head_of_table(const Operation& op);

/// The table for a person, head first, in lines of at most 80 columns.
std::string table_of(const Operation& op, const RunResult& result, const Summary& summary,
                     const LoomCounts& loom);

/// The nodes and links concerned, and what was seen: clauses of one line.
std::vector<std::string> describe_failure(const RunResult& result, const Summary& summary);

} // namespace mesh::host
