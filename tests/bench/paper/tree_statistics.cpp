// Counts the trees of the cube by the node's own rule and prints what the papers' tables list.
//
//   tree_statistics TREE FIRST LAST     one JSON object a line, for each dimension FIRST..LAST
//
// The walk starts at the root and knows children() alone; every node must be reached once by each
// of its parents, or the program says so and fails. Nothing here knows a formula.
// (ho-johnsson-1986, table 5; ho-johnsson-1988, table 1, figures 5 and 6)
#include "core/base/bits.hpp"
#include "core/network.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint32_t kRootPattern = 0x2'D5A9; // cut to the cube: some root that is not 0

/// Fewest rotations that bring a word of `dim` bits back.
unsigned period(std::uint32_t word, unsigned dim) {
    unsigned steps = 1;
    while (mesh::rotate_right(word, steps, dim) != word)
        ++steps;
    return steps;
}

/// The counts of each level, of the whole tree or of one subtree.
struct Level {
    std::uint32_t nodes = 0;
    std::uint32_t cyclic = 0;
    std::uint32_t fanout_max = 0;
};

class Census {
public:
    Census(mesh::Network network, mesh::Rule rule)
        : network_(network),
          rule_(rule),
          root_(mesh::node_at(kRootPattern % mesh::node_count(network))),
          visits_(mesh::node_count(network)),
          levels_(network.dim + 1u),
          first_levels_(network.dim + 1u),
          sizes_(network.dim),
          load_(network.dim) {}

    /// Walks the tree. False if it is not one: a node too often or not at all.
    bool run() {
        std::vector<Visit> now{{root_, mesh::kNoPort}};
        for (unsigned level = 0; !now.empty(); ++level) {
            if (level > network_.dim)
                return false;
            std::vector<Visit> next;
            for (const Visit& visit : now)
                take(visit, level, next);
            now.swap(next);
        }
        for (std::uint32_t node = 0; node < visits_.size(); ++node)
            if (visits_[node] != feeders(mesh::node_at(node)))
                return false;
        return true;
    }

    Json report() const {
        Json json{{"dim", network_.dim},
                  {"tree", mesh::name(rule_)},
                  {"nodes", mesh::node_count(network_)},
                  {"subtree_sizes", sizes_},
                  {"root_load_times_dim", load_},
                  {"cyclic_nodes", cyclic_},
                  {"degenerate_necklaces", degenerate_}};
        json["levels"] = rows(levels_);
        json["first_subtree_levels"] = rows(first_levels_);
        return json;
    }

private:
    struct Visit {
        mesh::NodeId node;
        mesh::Port subtree; // the root's port that leads here
    };

    unsigned feeders(mesh::NodeId node) const {
        if (node == root_)
            return 1; // the walk's own start
        return static_cast<unsigned>(std::popcount(mesh::parents(network_, rule_, 0, root_, node)));
    }

    void take(const Visit& visit, unsigned level, std::vector<Visit>& next) {
        const bool first = ++visits_[mesh::index(visit.node)] == 1;
        const std::uint32_t address = mesh::index(mesh::relative_address(visit.node, root_));
        const unsigned turns = period(address, network_.dim);
        const bool cyclic = turns < network_.dim;
        if (visit.subtree != mesh::kNoPort) {
            ++sizes_[mesh::index(visit.subtree)];
            load_[mesh::index(visit.subtree)] += network_.dim / feeders(visit.node);
        }
        if (!first)
            return;
        if (cyclic)
            count_cyclic(address, turns);
        mesh::PortSequence out = mesh::children(network_, rule_, 0, root_, visit.node);
        count(levels_[level], cyclic, out.size());
        if (visit.subtree == mesh::port_at(0))
            count(first_levels_[level], cyclic, out.size());
        while (!out.empty()) {
            const mesh::Port port = out.pop();
            next.push_back({mesh::neighbor(network_, visit.node, port),
                            visit.subtree == mesh::kNoPort ? port : visit.subtree});
        }
    }

    /// The least word stands for its necklace.
    void count_cyclic(std::uint32_t address, unsigned turns) {
        ++cyclic_;
        std::uint32_t least = address;
        for (unsigned count = 1; count < turns; ++count)
            least = std::min(least, mesh::rotate_right(address, count, network_.dim));
        degenerate_ += least == address ? 1u : 0u;
    }

    static void count(Level& level, bool cyclic, unsigned fanout) {
        ++level.nodes;
        level.cyclic += cyclic ? 1u : 0u;
        level.fanout_max = std::max(level.fanout_max, fanout);
    }

    static Json rows(const std::vector<Level>& levels) {
        Json rows = Json::array();
        for (const Level& level : levels)
            rows.push_back({{"nodes", level.nodes},
                            {"cyclic", level.cyclic},
                            {"fanout_max", level.fanout_max}});
        return rows;
    }

    mesh::Network network_;
    mesh::Rule rule_;
    mesh::NodeId root_;
    std::vector<std::uint8_t> visits_;
    std::vector<Level> levels_;
    std::vector<Level> first_levels_;  // of the subtree on the root's port 0
    std::vector<std::uint32_t> sizes_; // by the root's port; a node of several counts in each
    std::vector<std::uint32_t> load_;  // the same, but such a node shared out; times dim
    std::uint32_t cyclic_ = 0;
    std::uint32_t degenerate_ = 0;
};

std::optional<unsigned> dimension(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = error == std::errc{} && end == text.data() + text.size();
    if (!good || value < 1 || value > mesh::kDimMax)
        return std::nullopt;
    return value;
}

} // namespace

int main(int count, char** words) {
    const std::vector<std::string_view> arguments(words + 1, words + count);
    if (arguments.size() != 3) {
        std::fputs("tree_statistics TREE FIRST LAST\n", stderr);
        return 2;
    }
    const auto rule = mesh::rule_by_name(mesh::Topology::cube, arguments[0]);
    const auto first = dimension(arguments[1]);
    const auto last = dimension(arguments[2]);
    if (!rule || !first || !last || *rule == mesh::Rule::msbt || *rule == mesh::Rule::hp) {
        std::fputs("tree_statistics: a tree of the cube as high as the cube, dimensions 1 to 20\n",
                   stderr);
        return 2;
    }
    for (unsigned dim = *first; dim <= *last; ++dim) {
        Census census({mesh::Topology::cube, static_cast<std::uint8_t>(dim)}, *rule);
        if (!census.run()) {
            std::fprintf(stderr,
                         "tree_statistics: dimension %u: not every node as often as it "
                         "has parents\n",
                         dim);
            return 1;
        }
        std::puts(census.report().dump().c_str());
    }
    return 0;
}
