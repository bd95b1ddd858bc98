// EARNS: 0
// SAYS: and that is wrong
Task<Status> measure(Kernel& node, Cost& cost) {
    for (unsigned ball = 0; ball < 4; ++ball) {
        unsigned theirs = 0;
        if (node.id() == (ball % 2 == 0 ? kFirst : kSecond))
            std::ignore = co_await send_value(node, ball, ball % 2 == 0 ? kSecond : kFirst, kTag);
        else if (node.id() == kFirst || node.id() == kSecond)
            std::ignore = co_await receive_value(node, theirs, kAnySource, kTag);
    }
    cost = {0, 0};
    co_return Status::ok;
}
