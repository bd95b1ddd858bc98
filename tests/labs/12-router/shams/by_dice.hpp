// EARNS: 0
// SAYS: node
Port next_port(Network net, NodeId, NodeId, Port) {
    static std::uint32_t dice = 1;
    dice = dice * 1664525 + 1013904223;
    return port_at((dice >> 16) % net.dim);
}
