// Why a node is fed and sends as it does: the arithmetic of its tree's rule, step by step and with
// its bits, for readers who learn the trees. The steps are worked out by the rules' own functions;
// what they come to is kept beside them, so that tests compare it with the rule.
//
// One file a family of rules: cube.cpp, balanced.cpp, uhc.cpp, star.cpp. The exchanges of pairs are
// in exchange.cpp, those of blocks in blocks.cpp and, of UHC and star, paths.cpp, the meetings of a
// barrier in barrier.cpp, messages in messages.cpp.
// `mesh tree --why` and the page of a run have the same words.
#pragma once

#include "core/network.hpp"
#include "core/schedules/schedule.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

/// Steps as whole sentences, and what they come to.
struct Reason {
    std::vector<std::string> steps;
    std::uint32_t parents = 0;  // in-ports, as bits; of `sbg` there may be several
    std::uint32_t children = 0; // out-ports, as bits

    template <class... Words>
    void add(fmt::format_string<Words...> text, Words&&... words) {
        steps.push_back(fmt::format(text, std::forward<Words>(words)...));
    }
};

/// The arithmetic for one node of one subtree. For a rule without a text of its own: no steps, and
/// the rule's own result. Precondition: the network has the rule.
Reason why(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node);

/// The steps, and behind them the parents and children with their ports, as the rule gives them.
std::vector<std::string> why_lines(Network network, Rule rule, unsigned subtree, NodeId root,
                                   NodeId node);

/// An op whose nodes exchange in steps, and what its steps depend on.
struct ExchangePlan {
    std::string_view op;
    Network network;
    PortModel ports = PortModel::all;
    Rule tree = Rule::sbt; // of allgather and alltoall, as the schedule
    Schedule schedule = Schedule::level;
    unsigned copies = 1;                         // of each block, on UHC and star
    Rule route = Rule::unicast;                  // of send, as all below
    NodeId root{0};                              // who sends to the target
    std::optional<NodeId> target = std::nullopt; // none: all send, to nodes that the seed draws
    unsigned messages = 1;                       // of a sender
    std::uint64_t seed = 1;

    bool moves_blocks() const { return op == "allgather" || op == "alltoall"; }
};

/// True for the ops whose exchanges why_exchange() tells: barrier, scan; send of few messages; on
/// cube and UHC ascend, descend, sort, fft; allgather and alltoall on the cube by trees and
/// schedules in cycles, on UHC and star by disjoint trees without acknowledgements.
bool has_exchange_words(const ExchangePlan& plan);
/// The work of a node in each step of such an op: its partner, and the value that it gives, gets or
/// keeps; where single packets go over disjoint trees, which of these it takes. Precondition:
/// has_exchange_words(plan).
std::vector<std::string> why_exchange(const ExchangePlan& plan, NodeId node);

/// Families of rules.
Reason why_on_cube(Hypercube cube, Rule rule, unsigned subtree, NodeId root, NodeId node);
Reason why_balanced(Hypercube cube, Rule rule, NodeId root, NodeId node);
Reason why_on_uhc(UniHypercube net, Rule rule, unsigned subtree, NodeId root, NodeId node);
Reason why_on_star(StarGraph net, Rule rule, unsigned subtree, NodeId root, NodeId node);

/// Families of exchanges.
Reason why_barrier(Network network, NodeId node);
Reason why_blocks(const ExchangePlan& plan, NodeId node);
bool has_path_words(const ExchangePlan& plan);
Reason why_paths(const ExchangePlan& plan, NodeId node);
Reason why_scan_by_messages(Network network, NodeId node);
bool has_send_words(const ExchangePlan& plan);
Reason why_send(const ExchangePlan& plan, NodeId node);

/// True for sbnt-minr and its kin.
constexpr bool is_balanced(Rule rule) { return rule >= Rule::sbnt_minr && rule <= Rule::alt; }

/// On larger networks what passes by a node is not told one by one.
constexpr std::uint32_t kNamedNodesMax = 32;

/// The traffic by each port, also of networks larger than any board's.
using PortCounts = std::array<unsigned, kDimMax>;
/// "2 across 0, 1 across 3".
std::string counts_text(const PortCounts& counts);

/// `width` binary figures.
inline std::string bits_text(std::uint32_t value, unsigned width) {
    return fmt::format("{:0{}b}", value, width);
}
/// "bit 2", "bits 0, 2 and 3", "no bit": of a set of numbers, with the word for one of them.
std::string many(std::string_view word, std::uint32_t set);
/// The same without the word.
std::string listed(std::uint32_t set);
/// "01*": the addresses that agree with a node's in the bits from `low` on.
std::string subcube_text(Network network, NodeId node, unsigned low);
/// "Relative address: 0110 xor 0101 = 0011."
void add_relative(Reason& reason, NodeId root, NodeId node, unsigned dim);

} // namespace mesh::host
