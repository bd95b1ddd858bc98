// EARNS: 0
// SAYS: and that is wrong
Process filter(Kernel&, Channel<int>& in, Channel<int>& out) {
    static unsigned stage = 0;
    constexpr std::array<int, 12> kPrimes{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    const int prime = kPrimes[stage++ % kPrimes.size()];
    print("prime {}\n", prime);
    for (int number = co_await in.read(); number != kEnd; number = co_await in.read())
        if (number % prime != 0)
            co_await out.write(number);
    co_await out.write(kEnd);
    co_return Status::ok;
}
