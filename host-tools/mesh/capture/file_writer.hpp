// Makes the bytes of a file and writes them in a thread of its own, so that the caller waits
// neither for that nor for the system, as long as both keep up on the whole. A pipe that nobody
// reads keeps the caller waiting until a signal asks for the end, or the time is over.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace mesh::host {

class FileWriter {
public:
    /// Makes the bytes of the file from the bytes that were handed over; they stay until its next
    /// call.
    using Making = std::function<std::span<const std::byte>(std::span<const std::byte>)>;

    using Clock = std::chrono::steady_clock;

    /// `file`: open for writing until the destructor, which waits for writes under way, has
    /// returned; a pipe does not block. `making` is called in the thread. No wait goes beyond
    /// `until`.
    FileWriter(int file, Making making, Clock::time_point until);
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;
    ~FileWriter();

    /// Takes the first `used` bytes and gives another buffer of that size back; waits if too many
    /// are not yet written. After the first error nothing more is written.
    void hand_over(std::vector<std::byte>& buffer, std::size_t used);
    /// Waits until all is written.
    void wait();
    /// The first error as errno, as it was known at the last call of another function; or 0.
    /// EINTR: writing was given up for a signal that ends the run; ETIME: as the time was over.
    int error() const { return error_; }

private:
    struct Filled {
        std::vector<std::byte> buffer;
        std::size_t used = 0;
    };

    void work();
    int write(std::span<const std::byte> bytes) const;
    template <class Ready>
    void wait_for(std::unique_lock<std::mutex>& lock, Ready ready);
    void note_error();

    int file_;
    Making making_;
    Clock::time_point until_;
    bool hurried_ = false; // by a signal
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Filled> filled_; // the first is the thread's own
    std::vector<std::vector<std::byte>> spare_;
    bool over_ = false;
    std::atomic<int> given_up_ = 0; // why, as errno
    int written_error_ = 0;         // of the thread
    int error_ = 0;
    std::thread thread_;
};

} // namespace mesh::host
