// Multicast: one node's bytes to any set of nodes, each packet once over each link that it needs.
//
// Each packet says its members in its payload, one bit for each node of the network: 32 bytes of
// 1024 for 256 nodes. Kernels prune the tree by them (core/multicast.hpp), so a node that is no
// member passes packets on whatever its program does. It takes part in the call all the same, as
// nodes do in every collective: nodes count calls and packets alike, and so no late member is sent
// more than a window (collectives/call.hpp).
//
// On the simulated cube of 256 nodes, from node 0 to members drawn at random, and on the star of
// 120 (tests/mesh/collectives/test_multicast.py): packets on links, and steps, of one multicast of
// a value and of one group_broadcast (library/group.hpp).
//
//   network     | members | packets, group | here | steps, group | here
//   cube of 256 |       4 |             14 |   14 |           11 |    7
//   cube of 256 |      16 |             52 |   44 |           18 |    7
//   cube of 256 |      64 |            177 |  118 |           27 |    8
//   cube of 256 |     128 |            292 |  183 |           28 |    8
//   star of 120 |      16 |             54 |   35 |           16 |    5
//   star of 120 |      60 |            232 |   89 |           27 |    6
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <span>

namespace mesh {

/// The plan of a multicast, on which all nodes agree before it begins.
struct MulticastPlan {
    std::span<const NodeId> members{}; // in any order; they stay where they are until it is done
    NodeId root{0};                    // a member or not
    Tag tag = 0;
    Rule tree = kUsualTree; // on the UHC bts, adst or ist; sbg is none. Of several the first
};

/// Gives the bytes of the root to all members; all nodes call it, with as many bytes. Other
/// nodes keep their bytes. The root does not wait for its members. ok; bad_argument: no such
/// tree of this network, the root or a member is no node, or the root gives fewer bytes;
/// truncated: it gives more, and `bytes` has the first of them; unreachable: something is
/// missing; tag_in_use, as of broadcast(); no_memory: of the processes' arena or the pool.
/// Costs one packet for each kPayloadBytesMax less the set's bytes; from a quarter of the
/// pool's packets on, a barrier for each such part.
Task<Status> multicast(Kernel& kernel, MulticastPlan plan, std::span<std::byte> bytes);

} // namespace mesh
