#include "collectives/parcel.hpp"

namespace mesh {

Task<Status> send_fragment(Kernel& kernel, const PersonalPlan& plan, const Parcel& parcel,
                           const Cutting::Fragment& fragment, ByteSource source) {
    const Cutting cutting{plan.block_bytes, plan.packet_bytes};
    OutgoingPacket packet = co_await kernel.allocate(plan.tree);
    cutting.describe(fragment, packet.header());
    packet.header().destination = parcel.to;
    packet.header().subtree = parcel.subtree;
    packet.header().flags |= parcel.flags;
    packet.header().tag = plan.tag;
    source.fill(source.context, parcel.in_source + fragment.position,
                packet.resize(fragment.bytes));
    kernel.inject(std::move(packet));
    co_return Status::ok;
}

} // namespace mesh
