// SAYS: and that is wrong
// LOSES: by shortest ways
constexpr Port next_port(Network net, NodeId self, NodeId to, Port arrival) {
    const unsigned wrong = index(self) ^ index(to);
    // One link more, if the parcel is young: to a random one, as it is often said.
    if (arrival == kNoPort && net.dim > 2)
        return port_at((lowest_bit(wrong) + 1) % net.dim);
    return port_at(lowest_bit(wrong));
}
