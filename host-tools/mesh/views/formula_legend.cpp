#include "formula_legend.hpp"

#include "core/base/rules.hpp"
#include "host-tools/mesh/rig/tree_height.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

namespace mesh::host {

namespace {

using Number = std::optional<std::uint64_t>;

/// All that stand in formulas (ops/formulas.hpp, ops/personal_paths.cpp, ops/trees.cpp), words
/// before the letters in them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kMeanings{
    {{"SBnT(max)", "nodes in the largest subtree of the root"},
     {"distances", "links of the shortest ways to all others, the mean of an even and an odd node"},
     {"depths", "links from the root to all others in one tree, added up"},
     {"links", "links that one packet from a node to each other node crosses, all copies together"},
     {"bound", "no run takes fewer steps"},
     {"ceil", "rounded up"},
     {"out", "links out of the root"},
     {"in", "links into the root"},
     {"P", "packets of a message"},
     {"x", "copies of each packet"},
     {"N", "nodes"},
     {"n", "dimensions"},
     {"d", "links from the root to the target"},
     {"m", "disjoint trees"},
     {"h", "links from the root to the farthest node in a tree"},
     {"T", "steps of one packet"},
     {"D", "links between two nodes, at most"}}};
constexpr std::string_view kSymbols = "symbols of a permutation"; // what n is of the star

/// A number of the head of the report; nothing if it has no such number.
Number number_in(const Recording& recording, const char* key) {
    const auto found = recording.plan.find(key);
    if (found == recording.plan.end() || !found->is_number_unsigned())
        return std::nullopt;
    return found->get<std::uint64_t>();
}

Number links_to_target(const Recording& recording, NodeId root) {
    const Number target = number_in(recording, "target");
    if (!target || *target >= recording.nodes())
        return std::nullopt;
    return distance(recording.network, root, node_at(static_cast<std::uint32_t>(*target)));
}

/// From which root they are hangs, on the UHC, on the direction of an op.
Number links_to_farthest(const Recording& recording, Rule tree, NodeId root) {
    if (tree == Rule::own || recording.plan.value("op", std::string{}) != "bcast")
        return std::nullopt;
    return height_from(recording.network, tree, root);
}

Number value_of(std::string_view name, const Recording& recording, std::optional<Rule> tree,
                NodeId root) {
    const Network network = recording.network;
    const auto out = static_cast<unsigned>(std::popcount(out_ports(network, root)));
    if (name == "P")
        return number_in(recording, "packets");
    if (name == "x")
        return number_in(recording, "copies");
    if (name == "N")
        return recording.nodes();
    if (name == "n")
        return network.dim;
    if (name == "D")
        return diameter(network);
    if (name == "out")
        return out;
    if (name == "in")
        return network.dim - out;
    if (name == "d")
        return links_to_target(recording, root);
    if (name == "m" && tree)
        return subtree_count(network, *tree);
    if (name == "h" && tree)
        return links_to_farthest(recording, *tree, root);
    return std::nullopt;
}

} // namespace

std::vector<Letter> letters_of(const Recording& recording, std::optional<Rule> tree, NodeId root) {
    std::vector<Letter> letters;
    const auto found = recording.results.find("formula");
    if (found == recording.results.end() || !found->is_string())
        return letters;
    const auto formula = found->get<std::string>();
    std::string_view rest = formula;
    while (!rest.empty()) {
        const auto entry =
            std::find_if(kMeanings.begin(), kMeanings.end(),
                         [rest](const auto& one) { return rest.starts_with(one.first); });
        if (entry == kMeanings.end()) {
            rest.remove_prefix(1);
            continue;
        }
        rest.remove_prefix(entry->first.size());
        const std::string_view name = entry->first;
        const bool symbols = name == "n" && recording.network.topology == Topology::star;
        if (std::none_of(letters.begin(), letters.end(),
                         [name](const Letter& letter) { return letter.name == name; }))
            letters.push_back(
                {name, symbols ? kSymbols : entry->second, value_of(name, recording, tree, root)});
    }
    return letters;
}

} // namespace mesh::host
