// SAYS: in the picture
// LOSES: 4 nodes, all money is in the picture
struct Snapshot {
    unsigned noted = 0;
    unsigned under_way = 0;
    bool has_noted = false;
    std::array<bool, kNodesMax> marked{}; // whose marker has come

    template <class Tell>
    void begin(unsigned money, Tell tell_all) {
        if (has_noted)
            return;
        has_noted = true;
        noted = money;
        tell_all(kMarker);
    }

    template <class Tell>
    void marker(NodeId from, unsigned money, Tell tell_all) {
        if (!has_noted)
            marked[index(from)] = true;
        begin(money, tell_all);
    }

    void money(NodeId from, unsigned amount) {
        if (has_noted && !marked[index(from)])
            under_way += amount;
    }
};
