#include "kernel/processes/arena.hpp"

#include "hal/check.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace mesh {

#if MESH_FILLS_FRAMES
namespace {
/// Compilers put the addresses of a coroutine's own functions, one to go on and one to destroy it,
/// at the start of its frame. They are left there, to name the coroutine.
constexpr std::size_t kFunctionsBytes = 2 * sizeof(void*);
} // namespace

std::span<std::byte> Arena::frame_of(Block& block, std::size_t size_class) {
    return {reinterpret_cast<std::byte*>(&block) + kHeaderBytes,
            size_class * kGrain - kHeaderBytes};
}

void Arena::fill(std::span<std::byte> frame) {
    std::ranges::fill(frame.subspan(kFunctionsBytes), detail::kFrameFill);
}

void Arena::check_filled(std::span<const std::byte> frame) {
    const auto variables = frame.subspan(kFunctionsBytes);
    // All bytes are as the next one. memcmp() compares many at a time, a loop that may end early
    // one by one.
    if (variables.front() == detail::kFrameFill &&
        std::memcmp(variables.data(), &variables[1], variables.size() - 1) == 0) [[likely]]
        return;
    const char* destroy = nullptr;
    std::memcpy(&destroy, frame.data() + sizeof(void*), sizeof destroy);
    check_failed(ProgramEnd::frame_written_after_end, destroy + 1);
}

void Arena::check_free_frames() const {
    for (std::size_t size_class = 0; size_class < free_.size(); ++size_class)
        for (Block* block = free_[size_class]; block != nullptr; block = block->next)
            check_filled(frame_of(*block, size_class));
}
#endif

void* Arena::allocate(std::size_t bytes) {
    const std::size_t size_class = (bytes + kHeaderBytes + kGrain - 1) / kGrain;
    std::byte* place = nullptr;
    if (size_class >= free_.size()) {
        refused_ = true;
        return nullptr;
    }
    if (Block* block = free_[size_class]; block != nullptr) {
        free_[size_class] = block->next;
#if MESH_FILLS_FRAMES
        check_filled(frame_of(*block, size_class));
#endif
        place = reinterpret_cast<std::byte*>(block);
    } else if (memory_.size() - taken_ >= size_class * kGrain) {
        place = memory_.data() + taken_;
        taken_ += size_class * kGrain;
#if MESH_FILLS_FRAMES
        std::fill_n(place, size_class * kGrain, detail::kFrameFill);
#endif
    } else {
        refused_ = true;
        return nullptr;
    }
    Block* block = new (place) Block;
    block->owner = this;
    block->size_class = size_class;
    return place + kHeaderBytes;
}

void Arena::release(void* memory) {
    Block* block = reinterpret_cast<Block*>(static_cast<std::byte*>(memory) - kHeaderBytes);
    const std::size_t size_class = block->size_class;
    Arena* owner = std::exchange(block->owner, nullptr);
    MESH_CHECK(owner != nullptr && size_class < std::tuple_size_v<decltype(free_)>, arena_bad_free);
#if MESH_FILLS_FRAMES
    fill(frame_of(*block, size_class));
#endif
    block->next = owner->free_[size_class];
    owner->free_[size_class] = block;
}

} // namespace mesh
