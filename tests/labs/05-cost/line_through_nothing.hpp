// SAYS: and that is wrong
// LOSES: tau, and hardly a tc
Task<Status> measure(Kernel& node, Cost& cost) {
    std::array<std::byte, 512> room{};
    std::array<double, 2> times{};
    const std::array<std::size_t, 2> sizes{64, 512};
    for (unsigned which = 0; which < sizes.size(); ++which) {
        const auto ball = std::span{room}.first(sizes[which]);
        const double begin = units_now(node);
        Status status = Status::ok;
        if (node.id() == kFirst) {
            status = co_await send(node, ball, kSecond, kTag);
            if (status == Status::ok)
                status = (co_await receive(node, ball, kSecond, kTag)).status;
        } else if (node.id() == kSecond) {
            status = (co_await receive(node, ball, kFirst, kTag)).status;
            if (status == Status::ok)
                status = co_await send(node, ball, kFirst, kTag);
        }
        if (status != Status::ok)
            co_return status;
        times[which] = (units_now(node) - begin) / 2;
    }
    cost.byte = times[1] / static_cast<double>(sizes[1]);
    cost.start = times[0] - cost.byte * static_cast<double>(sizes[0]);
    co_return Status::ok;
}
