// EARNS: 0
// SAYS: the nodes sent 0 messages
Process beat(Kernel& node) {
    co_await node.sleep(kPeriod);
    co_return Status::ok;
}
Process watch(Kernel& node, NodeId) {
    co_await node.sleep(kPeriod);
    co_return Status::ok;
}
