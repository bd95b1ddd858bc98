# SAYS: right, but
# LOSES: over a tree
s/node.id() == kRoot ? port == tree : tree_of(me, port, node.ports()) == tree/me >> port == 0/
s/const unsigned tree = .*//
s/status = outbox.try_put(/status = co_await send(node, /
/^constexpr unsigned tree_of/,/^}/d
