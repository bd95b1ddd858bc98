// SAYS: says 'left: 3'
// LOSES: six stages
Process filter(Kernel&, Channel<int>& in, Channel<int>& out) {
    static int prime = 0; // one for all stages of a node
    for (int number = co_await in.read(); number != kEnd; number = co_await in.read()) {
        if (prime == 0) {
            prime = number;
            print("prime {}\n", prime);
        } else if (number % prime != 0) {
            co_await out.write(number);
        }
    }
    co_await out.write(kEnd);
    co_return Status::ok;
}
