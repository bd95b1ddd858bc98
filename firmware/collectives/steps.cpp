#include "collectives/steps.hpp"

#include "kernel/api/waits.hpp"

namespace mesh {

wire::PacketHeader& Step::send(const wire::PacketHeader& header,
                               std::span<const std::byte> payload) {
    takes_ = false;
    header_ = header;
    header_.payload_bytes = static_cast<std::uint16_t>(payload.size());
    payload_ = payload;
    return header_;
}

wire::PacketHeader& Step::tell(Port port, std::uint32_t says, std::uint8_t flags,
                               std::span<const std::byte> payload) {
    return send({.destination = kernel_.neighbor(port),
                 .tag = label_.tag,
                 .flags = flags,
                 .message = says,
                 .call = label_.call},
                payload);
}

void Step::take(NodeId source, std::uint32_t says, Path path) {
    takes_ = true;
    match_ = label_.match(says, source);
    wait_.emplace(kernel_, source, match_, path);
}

Awaited Step::taken() {
    Awaited awaited = judged(wait_->take());
    wait_.reset();
    return awaited;
}

bool Step::ask(Waiting& self) {
    auto& step = static_cast<Step&>(self);
    if (step.takes_)
        return step.wait_->over();
    return step.kernel_.try_post(step.header_, bytes_in(step.payload_), 0, step.kernel_.now());
}

Task<Status> walk(Kernel& kernel, Tag tag, Walk steps) {
    Step step{kernel, kernel.calls().label(tag)};
    while (steps.next(kernel, step))
        co_await step;
    co_return step.status();
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
/// A friend of Step: offsets of its private fields, for the table `mesh_waits`.
struct StepPlaces {
    static constexpr WaitOffsets kOffsets{"mesh::Step", WaitKind::mail, offsetof(Step, match_),
                                          offsetof(Step, takes_),
                                          static_cast<std::size_t>(WaitKind::buffer)};
};
#pragma GCC diagnostic pop

namespace {
MESH_WAIT_OFFSETS constinit const WaitOffsets kStepOffsets = StepPlaces::kOffsets;
}

} // namespace mesh
