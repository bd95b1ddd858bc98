# SAYS: right, but
# LOSES: over several trees
s/node.id() == kRoot ? port == tree : tree_of(me, port, node.ports()) == tree/me >> port == 0/
s/const unsigned tree = .*//
/^constexpr unsigned tree_of/,/^}/d
