#include "gdb_stub.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

[[noreturn]] void fail_socket(const std::string& what) {
    throw RunError(fmt::format("{}: {}", what, std::strerror(errno)));
}

/// The folder of this user's session may be another user's, as after `su`, or gone, or too long.
std::string make_folder() {
    static constexpr const char* kShared = "/tmp";
    constexpr std::size_t kBytesMax = sizeof(sockaddr_un::sun_path) - sizeof "/node-65535";
    for (const char* const place :
         std::array<const char*, 2>{std::getenv("XDG_RUNTIME_DIR"), kShared}) {
        std::string name = fmt::format("{}/mesh-XXXXXX", place != nullptr ? place : kShared);
        if (name.size() <= kBytesMax && mkdtemp(name.data()) != nullptr)
            return name;
    }
    fail_socket(kShared);
}

Fd listen_at(const std::string& path) {
    Fd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        throw RunError(fmt::format("{}: too long for a socket", path));
    std::copy(path.begin(), path.end(), address.sun_path);
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    if (bind(listener.get(), generic, sizeof address) != 0 || listen(listener.get(), 1) != 0)
        fail_socket(path);
    return listener;
}

} // namespace

GdbStubs::~GdbStubs() {
    for (const auto& [node, listener] : listeners_)
        unlink(path(node).c_str());
    if (!folder_.empty())
        rmdir(folder_.c_str());
}

void GdbStubs::open(std::span<const NodeId> nodes) {
    if (nodes.empty())
        return;
    folder_ = make_folder();
    for (const NodeId node : nodes)
        listeners_.emplace(node, listen_at(path(node)));
}

int GdbStubs::descriptor(NodeId node) const {
    const auto listener = listeners_.find(node);
    return listener == listeners_.end() ? -1 : listener->second.get();
}

std::string GdbStubs::path(NodeId node) const {
    return fmt::format("{}/node-{}", folder_, index(node));
}

} // namespace mesh::host
