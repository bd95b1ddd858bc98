// Lab 3: one stage of the sieve.

/// Its first number is a prime: the stage prints it, and keeps it. Of the others it passes on those
/// that its prime does not divide, and kEnd.
Process filter(Kernel&, Channel<int>& in, Channel<int>& out) {
    for (int number = co_await in.read(); number != kEnd; number = co_await in.read())
        co_await out.write(number); // all of them: that is no sieve yet
    co_await out.write(kEnd);
    co_return Status::ok;
}
