#include "kernel/base/packet_pool.hpp"

#include "hal/check.hpp"

namespace mesh {

PacketBuffer* PacketPool::allocate() {
    PacketBuffer* buffer = free_list_;
    if (buffer != nullptr) {
        free_list_ = buffer->next;
    } else if (touched_ < capacity()) {
        buffer = at(touched_);
        buffer->number = static_cast<std::uint16_t>(touched_++);
    } else {
        return nullptr;
    }
    ++used_;
    buffer->next = nullptr;
    buffer->references = 1;
    buffer->hops = 0;
    buffer->remaining = 0;
    buffer->ready = 0;
    buffer->acknowledges = false;
    buffer->waits = false;
    buffer->mark = {};
    return buffer;
}

void PacketPool::share(PacketBuffer* buffer) {
    MESH_CHECK(buffer->references != 0, pool_bad_buffer);
    ++buffer->references;
}

void PacketPool::release(PacketBuffer* buffer) {
    MESH_CHECK(buffer->references != 0, pool_double_free);
    if (--buffer->references != 0)
        return;
    MESH_EXPECT(buffer->mark.is_free());
    waiting_ -= buffer->waits ? 1 : 0;
    buffer->next = free_list_;
    free_list_ = buffer;
    --used_;
}

} // namespace mesh
