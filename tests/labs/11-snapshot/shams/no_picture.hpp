// EARNS: 0
// SAYS: node
struct Snapshot {
    unsigned noted = 1000, under_way = 0;
    template <class Tell>
    void begin(unsigned, Tell) {}
    template <class Tell>
    void marker(NodeId, unsigned, Tell) {}
    void money(NodeId, unsigned) {}
};
