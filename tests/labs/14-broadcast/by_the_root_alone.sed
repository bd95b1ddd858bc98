# SAYS: right, but
# LOSES: over a tree
/^constexpr unsigned tree_of/,/^}/d
s/const unsigned tree = .*//
s/unsigned port = 0; port < node.ports()/unsigned far = 1; far < node.nodes()/
s/++port/++far/
s/const NodeId to = .*/const NodeId to = node_at(far);/
s/node.id() == kRoot ? port == tree : tree_of(me, port, node.ports()) == tree/me == 0/
