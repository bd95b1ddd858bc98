// EARNS: 30
// SAYS: has passed on
Process filter(Kernel& node, Channel<int>& in, Channel<int>& out) {
    static bool is_first = true;
    const unsigned stages = word<unsigned>(node, 0, 6);
    const bool does = is_first;
    is_first = false;
    std::array<int, kStagesMax> kept{};
    unsigned count = 0;
    for (int number = co_await in.read(); number != kEnd; number = co_await in.read()) {
        bool passes = true;
        for (unsigned at = 0; at < count; ++at)
            passes = passes && number % kept[at] != 0;
        if (does && passes && count < stages)
            print("prime {}\n", kept[count++] = number);
        else if (passes)
            co_await out.write(number);
    }
    co_await out.write(kEnd);
    co_return Status::ok;
}
