// EARNS: 0
// SAYS: and that is wrong
Process beat(Kernel& node) {
    co_await node.sleep(kPeriod);
    co_return Status::ok;
}
Process watch(Kernel& node, NodeId neighbor) {
    co_await node.sleep(kPeriod);
    if (neighbor == NodeId{2})
        suspect(neighbor);
    co_return Status::ok;
}
