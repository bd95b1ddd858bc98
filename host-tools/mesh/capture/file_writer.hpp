// Makes the bytes of a file and writes them in a thread of its own, so that who says what is to be
// there waits neither for that nor for the system, as long as both keep up on the whole.
#pragma once

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
    /// Makes the bytes of the file, which stay until its next call, of what was handed over.
    using Making = std::function<std::span<const std::byte>(std::span<const std::byte>)>;

    /// `file`: open for writing until this is gone, which waits for what is under way. `making` is
    /// called in the thread.
    FileWriter(int file, Making making);
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;
    ~FileWriter();

    /// Takes the first `used` bytes and gives another buffer of that size back; waits if too many
    /// are not yet written. After the first error nothing more is written.
    void hand_over(std::vector<std::byte>& buffer, std::size_t used);
    /// Waits until all is written.
    void wait();
    /// The first error as errno, as it was known at the last call of another function; or 0.
    int error() const { return error_; }

private:
    struct Piece {
        std::vector<std::byte> buffer;
        std::size_t used = 0;
    };

    void work();

    int file_;
    Making making_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Piece> pieces_; // the first is the thread's own
    std::vector<std::vector<std::byte>> spare_;
    bool over_ = false;
    int written_error_ = 0; // of the thread
    int error_ = 0;
    std::thread thread_;
};

} // namespace mesh::host
