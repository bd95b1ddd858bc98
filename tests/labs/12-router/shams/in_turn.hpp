// EARNS: 0
// SAYS: node
Port next_port(Network net, NodeId, NodeId, Port) {
    static unsigned turn = 0; // whatever comes, by one port after the other
    return port_at(turn++ % net.dim);
}
