#include "naming.hpp"

#include "core/star/graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::array<std::pair<std::string_view, Topology>, 3> kTopologies{
    {{"cube", Topology::cube}, {"uhc", Topology::uhc}, {"star", Topology::star}}};

constexpr std::array<std::pair<std::string_view, PortModel>, 3> kPortModels{
    {{"all", PortModel::all}, {"duplex", PortModel::duplex}, {"half", PortModel::half}}};

std::vector<std::string_view> tree_names(Network network) {
    std::vector<std::string_view> names;
    for (unsigned rule = 1; rule < static_cast<unsigned>(Rule::kCount); ++rule)
        if (subtree_count(network, static_cast<Rule>(rule)) != 0)
            names.push_back(name(static_cast<Rule>(rule)));
    return names;
}

bool is_tree_somewhere(std::string_view tree) {
    return std::ranges::any_of(kTopologies, [&](const auto& topology) {
        return rule_by_name(topology.second, tree).has_value();
    });
}

} // namespace

std::vector<std::string_view> topology_names() { return names_of(kTopologies); }

std::vector<std::string_view> port_model_names() { return names_of(kPortModels); }

PortModel port_model_of(std::string_view name) { return look_up(kPortModels, name, "--ports"); }

std::vector<std::string_view> tree_names(Topology topology) {
    std::vector<std::string_view> names;
    for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number)
        if (const Rule rule = static_cast<Rule>(number); rule_by_name(topology, name(rule)) == rule)
            names.push_back(name(rule));
    return names;
}

std::uint32_t in_range(std::int64_t value, std::int64_t low, std::int64_t high,
                       std::string_view option) {
    if (value < low || value > high)
        refuse(value < low ? Refusal::value : kCombination, "{} {}: allowed: {} to {}", option,
               value, low, high);
    return static_cast<std::uint32_t>(value);
}

Network network_of(std::string_view topology, std::int64_t dim) {
    const Topology which = look_up(kTopologies, topology, "--topology");
    const Network network{which, static_cast<std::uint8_t>(std::clamp<std::int64_t>(dim, 0, 255))};
    if (valid(network))
        return network;
    unsigned low = 0;
    unsigned high = 0;
    for (unsigned candidate = 1; candidate <= kDimMax; ++candidate)
        if (valid({which, static_cast<std::uint8_t>(candidate)})) {
            low = low == 0 ? candidate : low;
            high = candidate;
        }
    refuse(dim < 1 || dim > kDimMax ? Refusal::value : kCombination,
           "--dim {}: a {} has dimension {} to {}", dim, topology, low, high);
}

Network least_network(std::string_view topology, std::int64_t nodes) {
    const Topology which = look_up(kTopologies, topology, "--topology");
    for (unsigned dim = 1; dim <= kDimMax; ++dim)
        if (const Network network{which, static_cast<std::uint8_t>(dim)};
            valid(network) && node_count(network) >= nodes)
            return network;
    refuse("{} nodes: no {} has so many", nodes, topology);
}

Rule tree_of(Network network, std::string_view tree, NodeId root, RootsAsked asked) {
    if (is_rule_file(tree))
        return load_own_rule(network, std::string(tree), root, asked);
    constexpr std::string_view kBalanced1986 = "bst"; // its name in ho-johnsson-1986
    const auto rule =
        rule_by_name(network.topology, tree == kBalanced1986 ? name(Rule::sbnt_minr) : tree);
    if (!rule || subtree_count(network, *rule) == 0)
        refuse_tree(tree, tree_names(network), rule ? "needs an even --dim; " : "");
    return *rule;
}

void refuse_tree(std::string_view tree, const std::vector<std::string_view>& names,
                 std::string_view why) {
    const bool known = is_tree_somewhere(tree);
    refuse(known ? kCombination : Refusal::value,
           "--tree '{}': {}{}allowed: {}, or the file of a rule: ./FILE.hpp", tree, why,
           known ? "" : did_you_mean(tree, names), fmt::join(names, ", "));
}

std::string label_of(Network network, NodeId node) {
    if (network.topology != Topology::star)
        return fmt::format("{:0{}b}", index(node), network.dim);
    const StarGraph star{network.dim};
    const Label label = star.unrank(node);
    std::string text;
    for (unsigned place = 1; place <= star.symbols; ++place)
        text += static_cast<char>('0' + label.at(place));
    return text;
}

Far cable_end(Network network, const std::string& text, std::string_view option) {
    std::uint32_t node = 0;
    unsigned port = 0;
    char slash = 0;
    std::istringstream words(text);
    if (!(words >> node >> slash >> port) || slash != '/' || !words.eof() ||
        node >= node_count(network) || port >= port_count(network) ||
        ((out_ports(network, node_at(node)) >> port) & 1u) == 0)
        refuse("{} '{}': give NODE/PORT: nodes 0 to {}, ports 0 to {}", option, text,
               node_count(network) - 1, port_count(network) - 1);
    return {node_at(node), port_at(port)};
}

NodeId node_of(Network network, std::int64_t number, std::string_view option) {
    return node_at(in_range(number, 0, node_count(network) - 1, option));
}

std::size_t nodes_in(std::string_view word) {
    const std::size_t at = word.rfind('@');
    const bool named = at != std::string_view::npos && at + 1 < word.size() &&
                       word.find_first_not_of("0123456789,-", at + 1) == std::string_view::npos;
    return named ? at : word.size();
}

std::string program_word(const std::string& word) { return word.substr(0, nodes_in(word)); }

} // namespace mesh::host
