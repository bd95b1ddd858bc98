#include "file_writer.hpp"

#include "host-tools/mesh/common/files.hpp"

#include <csignal>
#include <span>

namespace mesh::host {

/// Signals are the business of the thread that there was before.
FileWriter::FileWriter(int file) : file_(file) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { work(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

FileWriter::~FileWriter() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void FileWriter::hand_over(std::vector<std::byte>& buffer, std::size_t used) {
    wait();
    {
        const std::lock_guard lock(mutex_);
        buffer_.resize(buffer.size());
        buffer_.swap(buffer);
        used_ = error_ == 0 ? used : 0;
    }
    changed_.notify_all();
}

void FileWriter::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return used_ == 0; });
    error_ = written_error_;
}

void FileWriter::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return used_ != 0 || over_; });
        if (used_ == 0)
            return;
        lock.unlock(); // the buffer is this thread's until used_ is 0
        const int error = write_all(file_, std::span(buffer_).first(used_));
        lock.lock();
        written_error_ = error;
        used_ = 0;
        changed_.notify_all();
    }
}

} // namespace mesh::host
