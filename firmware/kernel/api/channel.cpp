#include "kernel/api/channel.hpp"

namespace mesh::detail {

bool ChannelWait::await_suspend(std::coroutine_handle<> caller) {
    if (ask(*this))
        return false;
    (wanted_ == ChannelState::taken ? ends_.writer : ends_.reader) = sleep(caller);
    return true;
}

bool ChannelWait::ask(Waiting& self) {
    const auto& wait = static_cast<const ChannelWait&>(self);
#if MESH_FILLS_FRAMES
    check_is_there(wait.ends_.state, wait.place_);
#endif
    return wait.ends_.state == wait.wanted_;
}

} // namespace mesh::detail
