// EARNS: 0
// SAYS: node
constexpr Port next_port(Network, NodeId self, NodeId to, Port) {
    constexpr std::array<unsigned, 8> kFirst{0, 0, 1, 0, 2, 0, 1, 0}; // of each difference
    return port_at(kFirst[(index(self) ^ index(to)) % 8]);
}
