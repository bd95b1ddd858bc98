#include "kernel/packets/mailbox.hpp"

#include "hal/check.hpp"

namespace mesh {

void Mailbox::put(PacketBuffer* buffer) {
    buffer->mark.pass(PacketOwner::code, PacketOwner::mailbox);
    buffer->next = nullptr;
    (last_ != nullptr ? last_->next : first_) = buffer;
    last_ = buffer;
}

PacketBuffer* Mailbox::find(const Match& match) const {
    PacketBuffer* buffer = first_;
    while (buffer != nullptr && !match(buffer->header))
        buffer = buffer->next;
    return buffer;
}

void Mailbox::remove(PacketBuffer* buffer) {
    PacketBuffer* before = nullptr;
    for (PacketBuffer* at = first_; at != buffer; at = at->next) {
        MESH_CHECK(at != nullptr, pool_bad_buffer);
        before = at;
    }
    buffer->mark.pass(PacketOwner::mailbox, PacketOwner::code);
    (before != nullptr ? before->next : first_) = buffer->next;
    if (last_ == buffer)
        last_ = before;
    buffer->next = nullptr;
}

} // namespace mesh
