// SAYS: said 'a parcel from 0 to 3 goes round and round'
// LOSES: all parcels come, 4 nodes
constexpr Port next_port(Network, NodeId, NodeId to, Port) {
    return port_at(index(to) == 0 ? 0 : lowest_bit(index(to)));
}
