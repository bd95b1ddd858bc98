# SAYS: right, but
# LOSES: as fast as can be
/^constexpr unsigned tree_of/,/^}/c\
/// Binomial trees in the other bits, in the order of lab 1 and not taken round.\
constexpr bool sends(unsigned node, unsigned port, unsigned tree) {\
    const unsigned others = node & ~(1u << tree);\
    return (node >> tree & 1u) != 0 && (port == tree || others >> port == 0);\
}
s/tree_of(me, port, node.ports()) == tree/sends(me, port, tree)/
