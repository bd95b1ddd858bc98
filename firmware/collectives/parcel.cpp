#include "collectives/parcel.hpp"

namespace mesh {

Kernel::Posting send_fragment(Kernel& kernel, const PersonalPlan& plan, const Parcel& parcel,
                              const Segmentation::Fragment& fragment, ByteSource source) {
    wire::PacketHeader header{.rule = plan.tree,
                              .subtree = parcel.subtree,
                              .payload_bytes = fragment.bytes,
                              .destination = parcel.to,
                              .tag = parcel.label.tag,
                              .call = parcel.label.call};
    Segmentation{plan.block_bytes, plan.packet_bytes}.describe(fragment, header);
    header.flags |= parcel.flags;
    return kernel.post(header, source, parcel.in_source + fragment.position);
}

} // namespace mesh
