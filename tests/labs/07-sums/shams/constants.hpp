// EARNS: 0
// SAYS: and that is wrong
Task<Status> total(Kernel& node, unsigned, unsigned& sum) {
    sum = node.nodes() == 8 ? 148 : 85408;
    co_await node.yield();
    co_return Status::ok;
}
Task<Status> running(Kernel& node, unsigned, unsigned& sum) {
    sum = std::array{1u, 3u, 8u, 18u, 35u, 61u, 98u, 148u}[index(node.id()) % 8];
    co_await node.yield();
    co_return Status::ok;
}
