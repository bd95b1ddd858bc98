// Apart from rule_set.cpp, so that the linker takes it only for programs that use trees.
#include "kernel/rule_set.hpp"

namespace mesh {

extern const TreeRules kTreeRules;
const TreeRules kTreeRules{route<KernelRules>, height<KernelRules>};

const TreeRules& tree_rules() { return kTreeRules; }

} // namespace mesh
