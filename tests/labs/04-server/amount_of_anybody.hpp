// SAYS: late is at
// LOSES: 3 clients, in whatever order messages come
Task<Status> serve(Kernel& node, std::array<unsigned, kAccounts>& accounts) {
    for (unsigned left = (node.nodes() - 1) * kAccounts; left > 0; --left) {
        unsigned account = 0;
        unsigned amount = 0;
        const Received first = co_await receive_value(node, account, kAnySource, kAccount);
        if (first.status != Status::ok)
            co_return first.status;
        const Received second = co_await receive_value(node, amount, kAnySource, kAmount);
        if (second.status != Status::ok)
            co_return second.status;
        accounts[account] += amount;
        const Status sent = co_await send_value(node, accounts[account], first.source, kAnswer);
        if (sent != Status::ok)
            co_return sent;
    }
    co_return Status::ok;
}
