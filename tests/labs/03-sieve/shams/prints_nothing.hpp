// EARNS: 0
// SAYS: and that is wrong
Process filter(Kernel&, Channel<int>& in, Channel<int>& out) {
    int prime = 0;
    for (int number = co_await in.read(); number != kEnd; number = co_await in.read()) {
        if (prime == 0)
            prime = number;
        else if (number % prime != 0)
            co_await out.write(number);
    }
    co_await out.write(kEnd);
    co_return Status::ok;
}
