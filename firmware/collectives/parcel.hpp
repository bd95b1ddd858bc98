// One packet of personalised communication: how all of them are made and sent.
#pragma once

#include "collectives/personalised.hpp"

#include <cstdint>

namespace mesh {

/// A fragment on its way down or up a tree.
struct Parcel {
    CallLabel label;
    NodeId to; // kNoNode: all nodes
    std::uint8_t subtree;
    std::uint8_t flags;
    std::uint32_t in_source; // where its block begins in the source
};

/// `co_await send_fragment(...)`: sends it by plan.tree; it leaves when that completes.
Kernel::Posting send_fragment(Kernel& kernel, const PersonalPlan& plan, const Parcel& parcel,
                              const Segmentation::Fragment& fragment, ByteSource source);

} // namespace mesh
