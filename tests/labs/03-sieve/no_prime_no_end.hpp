// SAYS: waits for somebody to write to a channel
// LOSES: a stage that gets no number
Process filter(Kernel&, Channel<int>& in, Channel<int>& out) {
    int prime = 0;
    for (int number = co_await in.read(); number != kEnd; number = co_await in.read()) {
        if (prime == 0) {
            prime = number;
            print("prime {}\n", prime);
        } else if (number % prime != 0) {
            co_await out.write(number);
        }
    }
    if (prime != 0)
        co_await out.write(kEnd);
    co_return Status::ok;
}
