#include "collectives/agreement.hpp"

#include "collectives/await.hpp"
#include "kernel/api/waits.hpp"

namespace mesh {

namespace {
/// The number of the packets that say a plan; no other packet of a collective has it.
constexpr std::uint32_t kPlan = 0xFFFF'FFFD;
} // namespace

Agreement::Agreement(Kernel& kernel, CallLabel label, std::uint32_t word, Status so_far)
    : Waiting(kernel.scheduler(), ask),
      kernel_(kernel),
      header_{.tag = label.tag,
              .flags = wire::packet_flag::kTimeless,
              .message = kPlan,
              .total_bytes = word,
              .call = label.call},
      status_(so_far) {
    if (so_far != Status::ok)
        header_.flags |= wire::packet_flag::kPoisoned;
}

bool Agreement::go_on() { return tell() && hear(); }

// Sends this node's word to all neighbours. False if the pool cannot start one now.
bool Agreement::tell() {
    for (; told_ < kernel_.ports(); ++told_) {
        header_.destination = kernel_.neighbor(port_at(told_));
        if (!kernel_.try_post(header_, {}, 0, 0))
            return false;
    }
    return true;
}

// Takes the word of one neighbour after the other.
bool Agreement::hear() {
    while (heard_ < kernel_.ports()) {
        const Match word = CallLabel::of(header_.tag, header_.call)
                               .match(kPlan, kernel_.neighbor(port_at(heard_)));
        if (!wait_)
            wait_.emplace(kernel_, word.source, word);
        if (!wait_->over())
            return false;
        const bool there = wait_->status() == Status::ok;
        wait_.reset();
        if (there)
            judge(kernel_.take_control(word));
        else
            absent_ |= 1u << heard_;
        ++heard_;
    }
    return true;
}

void Agreement::judge(const Packet& word) {
    Status said = Status::ok;
    if ((word.header().flags & wire::packet_flag::kPoisoned) != 0)
        said = Status::unreachable;
    else if (word.header().total_bytes != header_.total_bytes)
        said = Status::bad_argument;
    if (said != Status::ok)
        absent_ |= 1u << heard_;
    status_ = first_failure(status_, said);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
/// A friend of Agreement: offsets of its private fields, for the table `mesh_waits`.
struct AgreementPlaces {
    static constexpr WaitOffsets kOffsets{"mesh::Agreement", WaitKind::begun,
                                          offsetof(Agreement, wait_) + SourceWait::match_offset(),
                                          offsetof(Agreement, wait_) + sizeof(SourceWait),
                                          static_cast<std::size_t>(WaitKind::buffer)};
};
#pragma GCC diagnostic pop

namespace {
MESH_WAIT_OFFSETS constinit const WaitOffsets kAgreementOffsets = AgreementPlaces::kOffsets;
}

} // namespace mesh
