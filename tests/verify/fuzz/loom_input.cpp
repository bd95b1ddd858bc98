// The loom with nodes that send anything: no frame makes it crash, deliver to a node that is gone,
// or deliver a frame that no node sent.
#include "frame_source.hpp"
#include "host-tools/mesh/cables/loom.hpp"
#include "host-tools/mesh/plan/fault_plan.hpp"
#include "require.hpp"

#include <cstdint>
#include <utility>

namespace {

using namespace mesh;

constexpr Network kCube{Topology::cube, 2};
constexpr std::uint32_t kNodes = 4;
constexpr unsigned kPorts = 2;

class NullCables final : public host::Cables {
public:
    bool deliver(NodeId to, std::span<const std::byte> frame) override {
        require(index(to) < kNodes && (dead_ >> index(to) & 1u) == 0);
        require(frame.size() >= wire::kCableBytes);
        ++delivered_;
        return true;
    }
    void to_host(NodeId from, std::span<const std::byte>) override {
        require(index(from) < kNodes);
    }
    void kill(NodeId node) override { dead_ |= 1u << index(node); }
    void restart(NodeId, unsigned) override {}
    void expel(NodeId node, std::string_view) override { kill(node); }
    std::uint64_t now_us() const override { return now_us_; }

    void pass(std::uint32_t time_us) { now_us_ += time_us; }
    std::uint64_t delivered() const { return delivered_; }

private:
    std::uint64_t now_us_ = 0;
    std::uint64_t delivered_ = 0;
    unsigned dead_ = 0;
};

host::FaultPlan some_faults(FuzzedDataProvider& input) {
    constexpr std::string_view kSpecs[] = {"drop:0.2", "corrupt:0.5,dup:0.5", "reorder:0.5",
                                           "delay:50", "cut:0/1@3",           "kill:2@5"};
    const std::string_view spec = kSpecs[input.ConsumeIntegralInRange<std::size_t>(0, 5)];
    return plan_faults(host::parse_faults(spec, kCube), kCube, node_at(0), 100,
                       input.ConsumeIntegral<std::uint16_t>());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider input(data, size);
    NullCables cables;
    host::Loom loom(kNodes, kPorts, host::wiring_of(kCube), some_faults(input), cables);
    loom.arm_faults();
    if (input.ConsumeBool())
        loom.begin_lockstep();
    std::uint64_t sent = 0;
    while (input.remaining_bytes() > 0) {
        const NodeId from = node_at(input.ConsumeIntegralInRange(0u, kNodes - 1));
        fuzz::Bytes frame = fuzz::next_frame(input);
        sent += std::as_const(loom).gone(from) ? 0 : 1;
        loom.frame_from(from, frame);
        cables.pass(input.ConsumeIntegral<std::uint8_t>());
        if (!loom.in_lockstep())
            loom.tick();
    }
    require(loom.counts().frames == sent);
    require(loom.counts().packets <= sent + loom.counts().struck_by(*host::fault_named("dup")));
    return 0;
}
