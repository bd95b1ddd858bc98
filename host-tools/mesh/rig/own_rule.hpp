// The rule of a user's file as a tree of this process: compiled, loaded, checked, Rule::own.
//
// The file is what core/own_rule.hpp describes. A process has one such rule at a time: the tool and
// the nodes of a simulation ask its functions, and an image of a board gets the file linked in.
#pragma once

#include "core/network.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace mesh::host {

/// True for a word that names a file, not a tree: it has a dot or a slash.
bool is_rule_file(std::string_view word);

/// The roots whose trees a rule must have: of a run with one root, no other.
enum class RootsAsked : std::uint8_t { all, one };

/// Rule::own, which is the tree of this file from here on, if it is a tree: the root reaches each
/// other node once, by ports that it has, and parent() agrees. Of networks of up to
/// kAllRootsNodesMax nodes every root that is asked for is looked at, of larger ones this root; not
/// again if the file has been loaded for this root. UsageError: it is none, with file, line, nodes,
/// and what disagrees, or with what the compiler says.
Rule load_own_rule(Network network, const std::string& file, NodeId root,
                   RootsAsked asked = RootsAsked::all);
inline constexpr std::uint32_t kAllRootsNodesMax = 1024;

/// The facts about the loaded rule, with the root for which it was loaded.
struct OwnRuleFacts {
    std::string file;         // as it was named
    unsigned root_height = 0; // links from that root to its farthest node
    bool climbs = true;       // a node knows its parent, so packets can go up, and to one node
};
/// Only while there is a loaded rule.
const OwnRuleFacts& own_rule_facts();

/// "own", with the file, or the name of a tree of the firmware.
std::string tree_words(Rule rule);

/// The image of the ops' program with the loaded rule, for a board or a folder of its images.
/// UsageError.
std::filesystem::path own_rule_image(const std::string& place);

} // namespace mesh::host
