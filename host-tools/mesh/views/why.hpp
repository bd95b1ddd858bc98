// Why a node has these children: the rule's own arithmetic on its address, step by step and with
// its bits, for readers who learn the trees. Parent and children themselves come from the rule.
#pragma once

#include "core/network.hpp"

#include <string>

namespace mesh::host {

/// Sentences for one node of one subtree, "" for rules whose arithmetic is not told here.
std::string why(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node);

} // namespace mesh::host
