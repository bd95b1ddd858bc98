// SAYS: right, but
// LOSES: in n(n+1)/2 steps
Task<Status> sort(Kernel& node, unsigned& key) {
    const unsigned me = index(node.id());
    for (unsigned round = 0; round < node.nodes(); ++round) {
        const bool left = me % 2 == round % 2;
        if (left ? me + 1 == node.nodes() : me == 0)
            continue;
        const NodeId partner = node_at(left ? me + 1 : me - 1);
        const unsigned mine = key;
        unsigned theirs = 0;
        const Received got = co_await sendrecv_value(node, mine, partner, theirs, partner, kTag);
        if (got.status != Status::ok)
            co_return got.status;
        key = left ? std::min(mine, theirs) : std::max(mine, theirs);
    }
    co_return Status::ok;
}
