// The ring of mesh_post(): records that any task or interrupt puts in and the owner of the node
// takes out, without a lock.
//
// The ring is an array of cells of 8 bytes, a power of two of them. A record is some cells in a
// row; the first cell is its head: a state, and how many cells it has. Who posts moves `end_` on in
// one step, and then alone writes these cells; the record counts when its state is written. The
// owner reads records in their order, up to the first that does not count yet. A record is freed in
// any order, and its cells go back when all before it are free. Free cells have state 0 in their
// first word, so that no head is read before it was written.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::c {

class PostRing {
public:
    static constexpr std::size_t kCellBytes = 8;

    /// `memory`: the caller's, aligned to kCellBytes, for as long as the ring; what does not make a
    /// power of two of cells is not used.
    explicit PostRing(std::span<std::byte> memory);
    PostRing(const PostRing&) = delete;
    PostRing& operator=(const PostRing&) = delete;

    // --- For any task or interrupt ---
    /// False: there would be no room for a record of so many bytes if nothing else were there.
    bool fits(std::size_t bytes) const { return cells_of(bytes) <= cells_ / 2; }
    /// The room of a new record, aligned to kCellBytes; nullptr: there is none now. Precondition:
    /// fits(bytes).
    std::byte* reserve(std::size_t bytes);
    /// The record is whole: from now on it is the owner's.
    static void publish(std::byte* record) { set(head_of(record), kPublished); }

    // --- For the owner ---
    /// The next record; nullptr if none is whole.
    std::byte* next();
    /// True if next() has something to look at. (In a full ring the first record lies behind the
    /// last one.)
    bool any() const { return next_ != end_.load() && state(at(next_)).load(kAcquire) >= kSkipped; }
    /// A record that next() gave is not needed any more.
    void free(std::byte* record);

private:
    /// Of a record, in the first word of its head.
    enum State : std::uint32_t { kUnwritten, kFreed, kSkipped, kPublished };
    static constexpr auto kAcquire = std::memory_order_acquire;
    static constexpr std::uint32_t cells_of(std::size_t bytes) {
        return static_cast<std::uint32_t>((bytes + 2 * kCellBytes - 1) / kCellBytes);
    }
    static std::uint32_t* head_of(std::byte* record) {
        return reinterpret_cast<std::uint32_t*>(record - kCellBytes);
    }
    static std::atomic_ref<std::uint32_t> state(std::uint32_t* head) {
        return std::atomic_ref<std::uint32_t>{*head};
    }
    static void set(std::uint32_t* head, State what) {
        state(head).store(what, std::memory_order_release);
    }
    std::uint32_t* at(std::uint32_t cell) const { return first_ + (cell & (cells_ - 1)) * 2; }

    std::uint32_t* first_;
    std::uint32_t cells_; // a power of two, or 0
    // Cells since the beginning, modulo 2^32.
    std::atomic<std::uint32_t> end_ = 0;   // behind what is reserved
    std::atomic<std::uint32_t> begin_ = 0; // the first that is not free
    std::uint32_t next_ = 0;               // the first that the owner has not seen
};

} // namespace mesh::c
