// EARNS: 0
// SAYS: node
Task<Status> serve(Kernel& node, std::array<unsigned, kAccounts>& accounts) {
    for (unsigned client = 1; client < node.nodes(); ++client)
        for (unsigned account = 0; account < kAccounts; ++account)
            std::ignore = co_await send_value(node, ~0u, node_at(client), kAnswer);
    accounts = {728, 1428, 2128};
    co_return Status::ok;
}
