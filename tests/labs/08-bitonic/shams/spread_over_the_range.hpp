// EARNS: 0
// SAYS: and that is wrong
Task<Status> sort(Kernel& node, unsigned& key) {
    co_await node.yield();
    key = 999 * index(node.id()) / (node.nodes() - 1); // a good guess of many drawn numbers
    co_return Status::ok;
}
