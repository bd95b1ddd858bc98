// EARNS: 0
// SAYS: and that is wrong
Task<Status> sort(Kernel& node, unsigned& key) {
    co_await node.yield();
    key = index(node.id()) / 2; // as the pack has them
    co_return Status::ok;
}
