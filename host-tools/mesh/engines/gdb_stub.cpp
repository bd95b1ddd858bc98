#include "gdb_stub.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace mesh::host {

namespace {

/// The folder of this user's session may be another user's, as after `su`, or gone, or too long.
std::unique_ptr<TemporaryFolder> make_folder() {
    constexpr const char* kName = "mesh-gdb";
    constexpr std::size_t kBytesMax =
        sizeof(sockaddr_un::sun_path) - sizeof "/mesh-gdb-XXXXXX/node-65535";
    for (const char* const place : {std::getenv("XDG_RUNTIME_DIR"), std::getenv("TMPDIR")})
        if (place != nullptr && std::strlen(place) <= kBytesMax && access(place, W_OK | X_OK) == 0)
            return std::make_unique<TemporaryFolder>(kName, place);
    return std::make_unique<TemporaryFolder>(kName, "/tmp");
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
        throw RunError(fmt::format("{}: {}", path, std::strerror(errno)));
    return listener;
}

} // namespace

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
    return *folder_ / fmt::format("node-{}", index(node));
}

} // namespace mesh::host
