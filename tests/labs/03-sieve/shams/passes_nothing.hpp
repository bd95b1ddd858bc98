// EARNS: 0
// SAYS: and that is wrong
Process filter(Kernel&, Channel<int>& in, Channel<int>& out) {
    const int prime = co_await in.read();
    if (prime != kEnd)
        print("prime {}\n", prime);
    for (int number = prime; number != kEnd;)
        number = co_await in.read();
    co_await out.write(kEnd);
    co_return Status::ok;
}
