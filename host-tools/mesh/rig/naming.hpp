// The meaning of words and numbers of the command line: networks, nodes, cables, programs. All
// functions refuse other values and say which are allowed.
#pragma once

#include "core/network.hpp"
#include "host-tools/mesh/cables/wiring.hpp"
#include "host-tools/mesh/common/tables.hpp"
#include "own_rule.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

std::vector<std::string_view> topology_names();
/// The trees of a topology, whatever the dimension.
std::vector<std::string_view> tree_names(Topology topology);

/// A number between two others, both included. UsageError.
std::uint32_t in_range(std::int64_t value, std::int64_t low, std::int64_t high,
                       std::string_view option);
/// The network of a topology's name and a dimension. UsageError.
Network network_of(std::string_view topology, std::int64_t dim);
/// The one of this topology with the least dimension that has so many nodes.
Network least_network(std::string_view topology, std::int64_t nodes);
/// The tree with this name; Rule::own, loaded and checked, for the file of a rule
/// (own_rule.hpp), which must have a tree from each root that is `asked` for. UsageError.
Rule tree_of(Network network, std::string_view name, NodeId root,
             RootsAsked asked = RootsAsked::all);
/// Refuses a tree that is none of these, which are allowed here, with `why` before them.
/// UsageError.
[[noreturn]] void refuse_tree(std::string_view tree, const std::vector<std::string_view>& names,
                              std::string_view why);
/// The values of --ports.
std::vector<std::string_view> port_model_names();
/// The meaning of one of them. UsageError.
PortModel port_model_of(std::string_view name);
/// The address in binary, or the permutation.
std::string label_of(Network network, NodeId node);
/// "NODE/PORT", a port that sends. UsageError.
Far cable_end(Network network, const std::string& text, std::string_view option);
/// The node with this number; `option` is named in the error. UsageError.
NodeId node_of(Network network, std::int64_t number, std::string_view option);
/// Where the nodes begin in PROGRAM@NODES, or its end.
std::size_t nodes_in(std::string_view word);
/// The word of --app without the nodes that it may name.
std::string program_word(const std::string& word);

} // namespace mesh::host
