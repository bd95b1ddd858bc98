#include "collectives/barrier.hpp"

#include "collectives/call.hpp"
#include "collectives/steps.hpp"

#include <algorithm>

namespace mesh {

namespace {

/// Ports that work in a round.
PortSequence ports_of(const Kernel& kernel, std::uint32_t ports, unsigned round) {
    const bool pairs = kernel.network().topology == Topology::cube;
    return PortSequence::ascending(pairs ? ports & (1u << round) : ports);
}

/// Model time of a round in which a node sends `out` packets and receives `in`.
wire::ModelTime round_time(const Kernel& kernel, unsigned out, unsigned in) {
    unsigned packets = 1;
    if (kernel.job().ports == PortModel::duplex)
        packets = std::max(out, in);
    else if (kernel.job().ports == PortModel::half)
        packets = out + in;
    return packets * kernel.link_time(0);
}

/// The rounds of a barrier at one node.
class Meeting {
public:
    explicit Meeting(Tag tag) : tag_(tag) {}

    bool next(Kernel& kernel, Step& step) {
        if (round_ == kNoRound)
            begin(kernel);
        else if (from_ != kNoPort)
            hear(step);
        for (;;) {
            if (!out_.empty()) {
                const std::uint8_t flags =
                    step.status() == Status::ok ? 0 : wire::packet_flag::kPoisoned;
                wire::PacketHeader& header = step.tell(out_.pop(), round_, flags);
                header.position = static_cast<std::uint32_t>(latest_);
                header.total_bytes = static_cast<std::uint32_t>(latest_ >> 32);
                return true;
            }
            from_ = kNoPort;
            if (!in_.empty()) {
                from_ = in_.pop();
                step.take_across(from_, round_);
                return true;
            }
            if (round_ != kNoRound)
                rounds_time_ += round_time(kernel, ports_of(kernel, out_set_, round_).size(),
                                           ports_of(kernel, in_set_, round_).size());
            if (++round_ == diameter(kernel.network()))
                break;
            out_ = ports_of(kernel, out_set_, round_);
            in_ = ports_of(kernel, in_set_, round_);
        }
        kernel.advance_clock(latest_ + rounds_time_);
        return false;
    }

private:
    static constexpr std::uint32_t kNoRound = ~0u;

    void begin(Kernel& kernel) {
        out_set_ = kernel.rules().out_ports(kernel.network(), kernel.id());
        in_set_ = kernel.rules().in_ports(kernel.network(), kernel.id());
        latest_ = kernel.now();
        kernel.calls().find(tag_)->meet();
    }
    void hear(Step& step) {
        const Awaited awaited = step.taken();
        step.fail(awaited.status);
        if (awaited.absent()) {
            in_set_ &= ~(1u << index(from_));
            return;
        }
        const wire::ModelTime high = awaited.packet.header().total_bytes;
        latest_ = std::max(latest_, high << 32 | awaited.packet.header().position);
    }

    wire::ModelTime latest_ = 0; // when the last node came, of those known to have come
    wire::ModelTime rounds_time_ = 0;
    std::uint32_t out_set_ = 0, in_set_ = 0; // ports
    std::uint32_t round_ = kNoRound;
    PortSequence out_, in_; // ports of this round that are still to be served
    Port from_ = kNoPort;   // by which a packet is waited for
    Tag tag_;
};

} // namespace

Task<Status> barrier(Kernel& kernel, Tag tag) {
    return as_call(detail::noted(kernel, {"barrier"}), tag, walk(kernel, tag, Meeting{tag}));
}

} // namespace mesh
