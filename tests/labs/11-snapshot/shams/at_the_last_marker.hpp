// EARNS: 0
// SAYS: and that is wrong
struct Snapshot {
    unsigned noted = 0, under_way = 0;
    bool told = false;
    template <class Tell>
    void begin(unsigned money, Tell tell_all) {
        if (!told)
            tell_all(kMarker);
        told = true;
        noted = money;
    }
    template <class Tell>
    void marker(NodeId, unsigned money, Tell tell_all) {
        begin(money, tell_all);
        noted = money;
    }
    void money(NodeId, unsigned amount) { under_way = 0 * amount; }
};
