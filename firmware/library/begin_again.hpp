// Programs that go on when their node is reset: by a watchdog, a dip of its supply, or themselves.
#pragma once

#include "hal/reset.hpp"
#include "kernel/node/kernel.hpp"

namespace mesh {

/// From now on, if this node is reset, its program begins again from its first line, with nothing
/// that it had; without this call a reset ends the run with an error. It holds to the end of the
/// run, also if the node is reset before the word has left. For programs whose nodes can do without
/// what this one knew: a worker that asks for work. A collective is not taken up again. Costs one
/// message to the host.
inline void may_begin_again(Kernel& node) {
    keep_may_begin_again();
    node.host_send(wire::HostTag::may_begin_again, {});
}

} // namespace mesh
