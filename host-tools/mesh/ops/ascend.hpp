// The ops that stand on ASCEND and DESCEND: ascend, descend, sort, fft. Their data is cut into one
// part for each node (ops/parts.hpp), with a table of the parts before it; ascend.cpp plans it,
// ascend_answers.cpp computes the right results, by the host's own means.
#pragma once

#include "operation.hpp"
#include "ops/room.hpp"

#include <functional>

namespace mesh::host {

class Ascending : public Operation {
public:
    /// Counted as if all values were of the largest size; with the receivers' answers.
    std::uint64_t expected_packets() const override;
    std::optional<Formula> formula() const override;
    bool all_push() const override { return true; }
    Verdict judge(const Outcome& outcome) const override;
    std::optional<Bytes> made_output(const Outcome& outcome) const override {
        return result_of(outcome);
    }
    std::string subject() const override;

protected:
    using Operation::Operation;
    using View = std::span<const std::byte>;

    /// The name of the records, for a person.
    virtual std::string_view records_name() const = 0;
    /// True if all values have the same number of packets.
    virtual bool alike() const { return true; }

    /// Checks that the network can do it, and takes input and packets. UsageError.
    void plan_common();
    /// Bytes of a value that a node has room for, beside the program's own data.
    std::uint64_t room_bytes() const;
    virtual std::size_t kept_bytes() const { return 0; }
    void refuse_bytes_of_input(std::string_view done) const;
    /// Bytes of a node's block that is made from the seed, at most `most`. UsageError.
    std::uint32_t block_bytes(std::uint32_t unit, std::uint64_t most) const;
    /// Words of the seed, so many bytes for each node.
    Bytes made_words(std::uint32_t bytes_each) const;
    /// Refuses data of which a node would hold more than its memory has room for.
    /// `bytes_with(nodes)`: the most that one of so many nodes may come to hold. UsageError.
    void check_room(const std::string& input,
                    const std::function<std::uint64_t(std::uint64_t nodes)>& bytes_with) const;
    /// Makes `data` the input: part `node` ends at `end_of(node)`.
    void set_parts(View data, const std::function<std::size_t(std::uint32_t node)>& end_of);
    /// The same in parts of run().bytes each.
    void set_equal_parts(View data);

    /// The data behind the table of parts.
    View data() const;
    /// The result that the nodes' parts make together, as the user wants it.
    virtual Bytes result_of(const Outcome& outcome) const;
    /// The bytes that a node pushed.
    View part_of(const Outcome& outcome, std::size_t node) const;
    void fill(wire::Job& job, NodeId node) const override;
    /// With --output the bytes that the node pushed must be right, too.
    bool right(NodeId node, const Outcome& outcome) const override;

    std::uint64_t records_ = 0; // in all parts

private:
    std::uint64_t messages_of_a_node() const;
};

/// ascend, descend: running sums.
class Prefix final : public Ascending {
public:
    Prefix(const OpKind& kind, RunPlan plan);
    /// Sums up to the node, and of all.
    std::uint32_t message_bytes() const override { return 2 * run().bytes; }

private:
    std::string_view records_name() const override { return "words"; }
    std::vector<Expectation> answers() const override;
};

/// sort: of numbers, or of the lines of a text.
class Sort final : public Ascending {
public:
    Sort(const OpKind& kind, RunPlan plan);
    Bytes result_of(const Outcome& outcome) const override;
    void describe(Figures& head) const override;

private:
    void plan_numbers();
    void plan_lines();
    std::string_view records_name() const override { return lines_ ? "lines" : "numbers"; }
    bool alike() const override { return !lines_ && records_ % run().nodes() == 0; }
    std::vector<std::byte> words(NodeId) const override { return words_; }
    std::vector<Expectation> answers() const override;

    bool lines_;
    Bytes words_;
};

/// fft: the discrete Fourier transform, compared with its definition.
class Fft final : public Ascending {
public:
    Fft(const OpKind& kind, RunPlan plan);
    Verdict judge(const Outcome& outcome) const override;
    Bytes result_of(const Outcome& outcome) const override;

private:
    std::size_t kept_bytes() const override { return kRootsBytes; }
    std::string_view records_name() const override { return "samples"; }
    std::size_t points() const;
    void fill(wire::Job& job, NodeId node) const override;
    std::vector<Expectation> answers() const override;
    bool right(NodeId node, const Outcome& outcome) const override;
};

} // namespace mesh::host
