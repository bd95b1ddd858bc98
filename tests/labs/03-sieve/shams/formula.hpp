// EARNS: 0
// SAYS: and that is wrong
constexpr bool is_prime(int number) {
    for (int by = 2; by * by <= number; ++by)
        if (number % by == 0)
            return false;
    return true;
}
Process filter(Kernel&, Channel<int>& in, Channel<int>& out) {
    const int prime = co_await in.read();
    if (prime == kEnd) {
        co_await out.write(kEnd);
        co_return Status::ok;
    }
    print("prime {}\n", prime);
    for (int number = co_await in.read(); number != kEnd; number = co_await in.read())
        if (is_prime(number)) // whatever this stage keeps
            co_await out.write(number);
    co_await out.write(kEnd);
    co_return Status::ok;
}
