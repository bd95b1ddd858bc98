// Lab 11: what a node does for the picture. As it stands node 0 alone notes what it has.

struct Snapshot {
    unsigned noted = 0;     // what this node had when the picture was taken
    unsigned under_way = 0; // to this node, at that moment

    /// Node 0 wants a picture; it has `money`. tell_all(kMarker) puts a marker to each neighbour.
    template <class Tell>
    void begin(unsigned money, Tell tell_all) {
        noted = money;
    }

    /// A marker has come from a neighbour. This node has `money`.
    template <class Tell>
    void marker(NodeId from, unsigned money, Tell tell_all) {
        static_cast<void>(from);
    }

    /// Money has come from a neighbour; it is not yet in what this node has.
    void money(NodeId from, unsigned amount) { static_cast<void>(from); }
};
