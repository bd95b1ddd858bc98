#include "kernel/processes/arena.hpp"

#include "hal/check.hpp"

#include <new>
#include <utility>

namespace mesh {

void* Arena::allocate(std::size_t bytes) {
    const std::size_t size_class = (bytes + kHeaderBytes + kGrain - 1) / kGrain;
    if (size_class >= free_.size())
        return nullptr;
    std::byte* place = nullptr;
    if (Block* block = free_[size_class]; block != nullptr) {
        free_[size_class] = block->next;
        place = reinterpret_cast<std::byte*>(block);
    } else if (memory_.size() - taken_ >= size_class * kGrain) {
        place = memory_.data() + taken_;
        taken_ += size_class * kGrain;
    } else {
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
    block->next = owner->free_[size_class];
    owner->free_[size_class] = block;
}

} // namespace mesh
