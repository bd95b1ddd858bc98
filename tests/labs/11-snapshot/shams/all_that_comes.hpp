// EARNS: 0
// SAYS: and that is wrong
struct Snapshot {
    unsigned noted = 0, under_way = 0;
    bool told = false;
    template <class Tell>
    void begin(unsigned money, Tell tell_all) {
        if (!told)
            noted = money;
        if (!told)
            tell_all(kMarker);
        told = true;
    }
    template <class Tell>
    void marker(NodeId, unsigned money, Tell tell_all) {
        begin(money, tell_all);
    }
    void money(NodeId, unsigned amount) { under_way += amount; }
};
