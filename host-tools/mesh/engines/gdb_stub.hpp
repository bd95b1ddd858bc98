// The sockets by which debuggers come to nodes that wait for them.
#pragma once

#include "core/base/types.hpp"
#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/own_folder.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>

namespace mesh::host {

/// One listening socket for each of some nodes, in a folder of our own: no other user can connect,
/// and no other rig uses it. The destructor removes folder and sockets.
class GdbStubs {
public:
    GdbStubs() = default;
    GdbStubs(const GdbStubs&) = delete;
    GdbStubs& operator=(const GdbStubs&) = delete;

    /// They listen from now on, before the nodes exist. RunError.
    void open(std::span<const NodeId> nodes);
    /// The socket to give to this node; -1: none.
    int descriptor(NodeId node) const;
    /// Its name in the file system, for a debugger.
    std::string path(NodeId node) const;

private:
    std::unique_ptr<TemporaryFolder> folder_;
    std::map<NodeId, Fd> listeners_;
};

} // namespace mesh::host
