#include "node_line.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace mesh::host {

bool NodeCable::send_waiting() {
    const auto rest = queue.waiting();
    const ssize_t sent = send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        return false; // it has closed: reading says so, after the last that it sent
    queue.pop(sent > 0 ? static_cast<std::size_t>(sent) : 0);
    return std::exchange(blocked, !queue.empty()) != blocked;
}

unsigned NodeLine::busiest_port() const {
    const auto fullest = std::ranges::max_element(
        cables, {}, [](const NodeCable& one) { return one.queue.held_bytes(); });
    return fullest->queue.busiest_port();
}

FarEnds connect_line(NodeLine& line, const RigPlan& plan) {
    FarEnds far;
    const StreamFormat format = plan.board.serial() ? StreamFormat::serial : StreamFormat::ethernet;
    for (unsigned count = plan.board.sockets(port_count(plan.network)); count != 0; --count) {
        auto [near_end, far_end] = socket_pair(SOCK_STREAM | SOCK_NONBLOCK);
        far.given.push_back(std::move(far_end));
        line.cables.push_back(
            {std::move(near_end), FrameReader(format), SendQueue(format, plan.board.serial_fill)});
    }
    auto [monitor, monitor_end] = socket_pair(SOCK_STREAM);
    line.monitor = std::move(monitor);
    far.given.push_back(std::move(monitor_end));
    int words[2];
    if (pipe2(words, O_CLOEXEC) != 0)
        throw RunError(fmt::format("pipe: {}", std::strerror(errno)));
    line.errors = Fd(words[0]);
    far.errors = Fd(words[1]);
    fcntl(line.errors.get(), F_SETFL, O_NONBLOCK);
    fcntl(line.errors.get(), F_SETPIPE_SZ, kErrorPipeBytes);
    return far;
}

} // namespace mesh::host
