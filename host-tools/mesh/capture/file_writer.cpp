#include "file_writer.hpp"

#include "host-tools/mesh/common/files.hpp"

#include <csignal>
#include <utility>

namespace mesh::host {

namespace {
constexpr std::size_t kPiecesMax = 64; // a moment of the system's
}

/// Signals are the business of the thread that there was before.
FileWriter::FileWriter(int file, Making making) : file_(file), making_(std::move(making)) {
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
    std::vector<std::byte> next;
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return pieces_.size() < kPiecesMax; });
        error_ = written_error_;
        if (error_ != 0 || used == 0)
            return;
        if (!spare_.empty()) {
            next = std::move(spare_.back());
            spare_.pop_back();
        }
        next.resize(buffer.size());
        pieces_.push_back({std::exchange(buffer, std::move(next)), used});
    }
    changed_.notify_all();
}

void FileWriter::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return pieces_.empty(); });
    error_ = written_error_;
}

void FileWriter::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !pieces_.empty() || over_; });
        if (pieces_.empty())
            return;
        Piece& piece = pieces_.front(); // which stays where it is
        const int before = written_error_;
        lock.unlock();
        const auto handed_over = std::span(piece.buffer).first(piece.used);
        const int error = before != 0 ? before : write_all(file_, making_(handed_over));
        lock.lock();
        written_error_ = error;
        spare_.push_back(std::move(piece.buffer));
        pieces_.pop_front();
        changed_.notify_all();
    }
}

} // namespace mesh::host
