#include "file_writer.hpp"

#include "host-tools/mesh/common/signals.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::size_t kFilledMax = 64; // a moment of the system's
/// The time to write the rest when the run is to end: enough for a file.
constexpr std::chrono::milliseconds kLastTimeout{1000};
/// Between two looks whether to go on waiting.
constexpr std::chrono::milliseconds kLookEvery{100};

} // namespace

/// The new thread takes no signals: they are the business of the first thread.
FileWriter::FileWriter(int file, Making making, Clock::time_point until)
    : file_(file),
      making_(std::move(making)),
      until_(until) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { work(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

FileWriter::~FileWriter() {
    wait();
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void FileWriter::hand_over(std::vector<std::byte>& buffer, std::size_t used) {
    std::vector<std::byte> next;
    {
        std::unique_lock lock(mutex_);
        wait_for(lock, [this] { return filled_.size() < kFilledMax; });
        note_error();
        if (error_ != 0 || used == 0)
            return;
        if (!spare_.empty()) {
            next = std::move(spare_.back());
            spare_.pop_back();
        }
        next.resize(buffer.size());
        filled_.push_back({std::exchange(buffer, std::move(next)), used});
    }
    changed_.notify_all();
}

void FileWriter::wait() {
    std::unique_lock lock(mutex_);
    wait_for(lock, [this] { return filled_.empty(); });
    note_error();
}

template <class Ready>
void FileWriter::wait_for(std::unique_lock<std::mutex>& lock, Ready ready) {
    while (given_up_ == 0 && !changed_.wait_for(lock, kLookEvery, ready)) {
        const auto now = Clock::now();
        if (end_is_asked_for() && !std::exchange(hurried_, true))
            until_ = std::min(until_, now + kLastTimeout);
        if (now > until_)
            given_up_ = hurried_ ? EINTR : ETIME;
    }
}

void FileWriter::note_error() { error_ = written_error_ != 0 ? written_error_ : given_up_.load(); }

/// 0, or errno of what went wrong.
int FileWriter::write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file_, bytes.data(), bytes.size());
        if (given_up_ != 0)
            return given_up_;
        if (count == 0)
            return EIO;
        if (count < 0 && errno == EAGAIN) {
            pollfd room{file_, POLLOUT, 0};
            poll(&room, 1, static_cast<int>(kLookEvery.count()));
        } else if (count < 0 && errno != EINTR) {
            return errno;
        }
        bytes = bytes.subspan(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    return 0;
}

void FileWriter::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !filled_.empty() || over_; });
        if (filled_.empty())
            return;
        Filled& filled = filled_.front(); // which stays where it is
        const int before = written_error_;
        lock.unlock();
        const auto handed_over = std::span(filled.buffer).first(filled.used);
        const int error = before != 0 ? before : write(making_(handed_over));
        lock.lock();
        written_error_ = error;
        spare_.push_back(std::move(filled.buffer));
        filled_.pop_front();
        changed_.notify_all();
    }
}

} // namespace mesh::host
