// SAYS: right, but
// LOSES: in n steps: 16 and 64 nodes
Task<Status> total(Kernel& node, unsigned mine, unsigned& sum) {
    sum = mine;
    const NodeId root{0};
    for (unsigned from = 1; from < node.nodes() && node.id() == root; ++from) {
        unsigned theirs = 0;
        const Received got = co_await receive_value(node, theirs, kAnySource, kTag);
        if (got.status != Status::ok)
            co_return got.status;
        sum += theirs;
    }
    if (node.id() != root)
        if (const Status sent = co_await send_value(node, mine, root, kTag); sent != Status::ok)
            co_return sent;
    co_return co_await broadcast_value(node, sum);
}

Task<Status> running(Kernel& node, unsigned mine, unsigned& sum) {
    sum = mine;
    unsigned whole = mine;
    for (unsigned dim = 0; dim < node.ports(); ++dim) {
        const NodeId partner = node.neighbor(port_at(dim));
        const unsigned sent = whole;
        unsigned theirs = 0;
        const Received got = co_await sendrecv_value(node, sent, partner, theirs, partner, kTag);
        if (got.status != Status::ok)
            co_return got.status;
        whole += theirs;
        if (partner < node.id())
            sum += theirs;
    }
    co_return Status::ok;
}
