// Writes a file in a thread of its own, so that who makes its bytes does not wait for the system.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mesh::host {

class FileWriter {
public:
    /// `file`: open for writing until this is gone, which waits for what is under way.
    explicit FileWriter(int file);
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;
    ~FileWriter();

    /// Takes the first `used` bytes and gives another buffer of that size back; waits for those
    /// that were given before. After the first error nothing more is written.
    void hand_over(std::vector<std::byte>& buffer, std::size_t used);
    /// Waits until all is written.
    void wait();
    /// The first error as errno, when what was handed over before the last time was written; or 0.
    int error() const { return error_; }

private:
    void work();

    int file_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::byte> buffer_;
    std::size_t used_ = 0; // not written
    bool over_ = false;
    int written_error_ = 0; // of the thread
    int error_ = 0;
    std::thread thread_;
};

} // namespace mesh::host
