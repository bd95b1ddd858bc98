// Personalised communication on the UHC and the star: single packets over disjoint trees, each over
// as many as there are copies. So the faults that leave a node a path leave it every block.
#include "personal.hpp"

#include "collectives/personalised.hpp"
#include "core/schedules/star_paths.hpp"
#include "core/schedules/uhc_paths.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "trees.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <bit>

namespace mesh::host {

namespace {

/// More dead nodes than this are not told apart: all sets of them are tried.
constexpr std::size_t kDeadMax = 12;

constexpr std::uint64_t divided(std::uint64_t work, std::uint64_t links) {
    return links == 0 ? 0 : (work + links - 1) / links;
}

class PathPersonal final : public Personal {
public:
    PathPersonal(const OpKind& kind, RunPlan plan) : Personal(kind, std::move(plan)) {
        run().copies = plan_copies(run());
        tree_ = plan_disjoint_trees();
        const auto names = schedules();
        if (names.empty())
            refuse(kCombination, "--ports {}: on a {} {} takes all ports; allowed: all",
                   run().model.ports, name(run().network().topology), kind.name);
        plan_schedule(names);
        if (schedule_ == Schedule::dfs_ack)
            use_all_trees();
        plan_packet(run(), {run().payload_bytes()});
        plan_sizes();
    }

    std::uint64_t expected_packets() const override;
    /// False with acknowledgements, whose number is not known, and in a uhc of odd dimension, whose
    /// nodes are not alike.
    bool knows_packets() const override {
        return schedule_ != Schedule::dfs_ack &&
               (is_star() || !pairs() || run().network().dim % 2 == 0);
    }
    std::optional<Formula> formula() const override {
        if (run().bytes == 0)
            return std::nullopt;
        return is_star() ? star_formula() : uhc_formula();
    }
    bool survives_faults() const override { return true; }
    Verdict judge(const Outcome& outcome) const override;

private:
    bool is_star() const { return run().network().topology == Topology::star; }
    std::uint64_t sent() const { return std::uint64_t{packets()} * run().copies; }

    Rule plan_disjoint_trees() const;
    void use_all_trees();
    bool fits(Schedule schedule) const override;
    Schedule best_schedule() const override;
    std::uint64_t links() const;
    std::uint64_t links_out() const {
        return static_cast<unsigned>(std::popcount(out_ports(run().network(), run().root)));
    }
    std::optional<Formula> star_formula() const;
    std::optional<Formula> uhc_formula() const;

    bool right(NodeId node, const Outcome& outcome) const override;
    bool has_living_blocks(NodeId node, const Outcome& outcome) const;
    std::uint64_t missing_blocks(NodeId node, const Outcome& outcome) const;
};

Rule PathPersonal::plan_disjoint_trees() const {
    const Network network = run().network();
    std::vector<std::string_view> names;
    for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number) {
        const Rule rule = static_cast<Rule>(number);
        if (has_paths(network.topology, rule) && subtree_count(network, rule) >= run().copies)
            names.push_back(name(rule));
    }
    if (!run().work.avoid.empty())
        refuse(kCombination, "--avoid: on a uhc and a star no tree is known to do without a cable; "
                             "allowed: --copies 2");
    if (run().work.tree.empty())
        return usual_paths(network, pairs());
    if (std::find(names.begin(), names.end(), run().work.tree) == names.end())
        refuse_tree(run().work.tree, names,
                    fmt::format("{} of {} with --copies {} goes over others; ", kind().name,
                                name(network.topology), run().copies));
    return tree_of(network, run().work.tree, run().root);
}

void PathPersonal::use_all_trees() {
    const std::uint32_t trees = copies_max(run().network());
    if (run().copies != 1 && run().copies != trees)
        refuse(kCombination, "--copies {}: --schedule dfs-ack sends over all trees; allowed: {}",
               run().copies, trees);
    run().copies = trees;
}

bool PathPersonal::fits(Schedule schedule) const {
    const Exchange exchange = scatters() ? Exchange::scatter
                              : inward() ? Exchange::gather
                              : pairs()  ? Exchange::alltoall
                                         : Exchange::allgather;
    return !run().one_port() && has_packet_schedule(run().network(), tree_, schedule, exchange);
}

/// Rounds take no longer than everything at once only if all trees take part.
Schedule PathPersonal::best_schedule() const {
    if (!all_to_all())
        return Schedule::rbf;
    const bool rounds = pairs() && is_star() && run().copies == copies_max(run().network());
    return rounds ? Schedule::necklace : Schedule::queue;
}

/// Links that the packets of one root's blocks cross; for a gather, of those that come to it.
std::uint64_t PathPersonal::links() const {
    const auto crossed = [](const auto& choice) {
        std::uint64_t count = 0;
        for (std::uint32_t node = 1; node < choice.paths().nodes(); ++node) {
            const PathLook look = choice.paths().look(node);
            for (std::uint32_t left = choice.trees_to(node, look); left != 0; left &= left - 1)
                count += look.links[static_cast<unsigned>(std::countr_zero(left))];
        }
        return count;
    };
    const std::uint8_t dim = run().network().dim;
    if (is_star())
        return crossed(PathChoice<StarPaths>({StarGraph{dim}, tree_}, run().copies));
    return crossed(
        PathChoice<UhcPaths>({UniHypercube{dim}, tree_, run().root, inward()}, run().copies));
}

std::uint64_t PathPersonal::expected_packets() const {
    const std::uint64_t nodes = run().nodes();
    if (all_to_all() && !pairs())
        return sent() * nodes * (nodes - 1);
    const std::uint64_t once = packets() * links();
    return pairs() ? once * nodes : once;
}

std::optional<Formula> PathPersonal::star_formula() const {
    const std::uint64_t others = run().nodes() - 1;
    const std::uint64_t ports = port_count(run().network());
    if (!all_to_all())
        return Formula{"P*ceil(x(N-1)/(n-1))", packets() * divided(run().copies * others, ports)};
    if (schedule_ == Schedule::dfs_ack)
        return Formula{"(P+1)(N-1)", (packets() + std::uint64_t{1}) * others};
    if (!pairs())
        return Formula{sent() % ports == 0 ? "P*x(N-1)/(n-1)" : "bound ceil(P*x(N-1)/(n-1))",
                       divided(sent() * others, ports)};
    return Formula{run().copies == ports ? "P*depths" : "bound ceil(P*links/(n-1))",
                   divided(packets() * links(), ports)};
}

/// The paper gives no figures. This is a lower bound: the packets that the links must carry at
/// least.
std::optional<Formula> PathPersonal::uhc_formula() const {
    const Network network = run().network();
    const std::uint64_t others = run().nodes() - 1;
    if (scatters())
        return Formula{"bound ceil(P*x(N-1)/out)", divided(sent() * others, links_out())};
    if (inward())
        return Formula{"bound ceil(P*x(N-1)/in)",
                       divided(sent() * others, network.dim - links_out())};
    if (!pairs())
        return Formula{"bound ceil(P*x(N-1)/(n/2))", divided(sent() * others, network.dim / 2)};
    std::uint64_t distances = 0; // from an even node and an odd one
    for (std::uint32_t node = 0; node < run().nodes(); ++node)
        distances += distance(network, node_at(0), node_at(node)) +
                     distance(network, node_at(1), node_at(node));
    return Formula{"bound ceil(P*x*distances/(n/2))", divided(sent() * distances, network.dim)};
}

/// After faults all blocks of living nodes are enough, whether or not every copy came.
bool PathPersonal::right(NodeId node, const Outcome& outcome) const {
    const wire::NodeReport& report = outcome.reports[index(node)];
    const bool misses = report.status == static_cast<std::uint32_t>(Status::unreachable);
    if ((report.done == 0 && !outcome.any_fault) || (report.status != 0 && !misses))
        return false;
    const bool waits = report.done == 0 || (misses && outcome.any_fault);
    return (!misses && matches(node, report)) || (waits && has_living_blocks(node, outcome));
}

/// A node that still waits, or has learned that it waits in vain, reports how many blocks it has
/// and the sum of their checksums, the sender's number in front of each. Right is: all blocks of
/// living nodes, and with them blocks of some dead nodes, which may have sent before they died.
bool PathPersonal::has_living_blocks(NodeId node, const Outcome& outcome) const {
    const wire::NodeReport& report = outcome.reports[index(node)];
    const auto& killed = outcome.killed;
    if (!gathers(node) || killed.size() > kDeadMax ||
        report.received_bytes != report.received_messages * run().bytes)
        return false;
    std::vector<std::uint32_t> dead; // checksums
    std::uint32_t living = 0;
    std::uint32_t sum = 0;
    for (std::uint32_t from = 0; from < run().nodes(); ++from) {
        if (from == index(node))
            continue;
        const std::uint32_t one =
            check_crc32(joined(wire::bytes_of(from), block(node_at(from), node)));
        if (std::find(killed.begin(), killed.end(), node_at(from)) != killed.end()) {
            dead.push_back(one);
            continue;
        }
        ++living;
        sum += one;
    }
    for (std::uint32_t set = 0; set < 1u << dead.size(); ++set) {
        std::uint32_t with = sum;
        for (std::uint32_t left = set; left != 0; left &= left - 1)
            with += dead[static_cast<unsigned>(std::countr_zero(left))];
        if (with == report.crc &&
            living + static_cast<unsigned>(std::popcount(set)) == report.received_messages)
            return true;
    }
    return false;
}

/// Blocks of living nodes that a wrong node has not got, at least 1; exact if the dead were so from
/// the start.
std::uint64_t PathPersonal::missing_blocks(NodeId node, const Outcome& outcome) const {
    const auto dead = static_cast<std::uint32_t>(outcome.killed.size());
    const std::uint32_t due = gathers(node) ? run().nodes() - 1 - dead : 1;
    return std::max(1u, due - std::min(due, outcome.reports[index(node)].received_messages));
}

Verdict PathPersonal::judge(const Outcome& outcome) const {
    Verdict verdict = Personal::judge(outcome);
    const auto& killed = outcome.killed;
    for (std::uint32_t number = 0; number < run().nodes(); ++number) {
        const NodeId node = node_at(number);
        if (!verdict.right[number] && std::find(killed.begin(), killed.end(), node) == killed.end())
            verdict.missing_blocks += missing_blocks(node, outcome);
    }
    return verdict;
}

} // namespace

std::unique_ptr<Operation> plan_paths(const OpKind& kind, RunPlan run) {
    return plan_as<PathPersonal>(kind, std::move(run));
}

} // namespace mesh::host
