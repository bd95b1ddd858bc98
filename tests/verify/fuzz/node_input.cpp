// A run whose nodes send any bytes: whatever comes from a host port, the host tool counts it or
// answers it, and ends with a result or a RunError.
#include "frame_source.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/run/run.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace mesh;

constexpr Network kCube{Topology::cube, 2};
constexpr std::uint32_t kNodes = 4;
/// Of an input. Each byte may be a message of every node, and their checksums take the time: short
/// inputs are many, and a phase of a run is over after a few messages.
constexpr std::size_t kInputBytesMax = 96;

/// The input is used up; the run would wait for more in real time.
struct Exhausted {};

/// Four nodes that send the fuzzer's bytes, and now and then the message that the run waits for.
class Babel final : public host::Engine, private host::Cables {
public:
    explicit Babel(FuzzedDataProvider& input)
        : input_(input),
          patient_(input.ConsumeIntegralInRange(0, 255) == 7),
          loom_(kNodes, kCube.dim, host::wiring_of(kCube), {}, *this) {}

    void boot(host::Events& events) override { events_ = &events; }
    bool advance(std::chrono::milliseconds, host::Events& events) override {
        events_ = &events;
        if (input_.remaining_bytes() == 0 && !patient_)
            throw Exhausted{};
        if (input_.remaining_bytes() == 0)
            return false;
        switch (input_.ConsumeIntegralInRange(0, 5)) {
        case 0: all_say(wire::HostTag::ready, wire::bytes_of(wire::Ready{3, 0, 0, 0, 0, 0})); break;
        case 1: all_say(wire::HostTag::accepted, {}); break;
        case 2: all_say(wire::HostTag::report, wire::bytes_of(some_report())); break;
        case 3: one_says_a_message(); break;
        case 4: one_says(fuzz::next_frame(input_)); break;
        case 5:
            if (input_.ConsumeIntegralInRange(0, 20) == 0)
                one_ends();
            break;
        }
        for (const auto& [node, why] : std::exchange(expelled_, {}))
            events.ended(node, why);
        return true;
    }
    void kill(NodeId node) override { loom_.gone(node); }
    std::vector<host::WaitsFor> waiting(NodeId) override { return {}; } // it has no memory
    host::Loom& loom() override { return loom_; }
    bool real_time() const override { return false; }

private:
    bool deliver(NodeId, std::span<const std::byte>) override { return true; }
    void to_host(NodeId from, std::span<const std::byte> frame) override {
        events_->host_frame(from, frame);
    }
    void restart(NodeId, unsigned) override {}
    void expel(NodeId node, std::string_view why) override { expelled_.emplace_back(node, why); }
    std::uint64_t now_us() const override { return 0; }

    NodeId some_node() { return node_at(input_.ConsumeIntegralInRange(0u, kNodes - 1)); }

    void one_says(fuzz::Bytes frame) { loom_.frame_from(some_node(), frame); }

    void one_ends() {
        const NodeId node = some_node();
        if (std::as_const(loom_).gone(node))
            return;
        loom_.gone(node);
        events_->ended(node, "exit 1");
    }

    wire::NodeReport some_report() {
        wire::NodeReport report{};
        report.done = input_.ConsumeBool() ? 1 : 0;
        report.crc = input_.ConsumeIntegral<std::uint32_t>();
        report.unacknowledged = input_.ConsumeBool() ? 1 : 0;
        return report;
    }

    /// A well-formed message with any tag, and a payload that begins with small numbers.
    void one_says_a_message() {
        const auto tag = static_cast<wire::HostTag>(input_.ConsumeIntegralInRange(0, 14));
        fuzz::Bytes payload;
        for (unsigned word = input_.ConsumeIntegralInRange(0u, 6u); word > 0; --word) {
            const std::uint32_t value = input_.ConsumeBool()
                                            ? input_.ConsumeIntegralInRange(0u, 200u)
                                            : input_.ConsumeIntegral<std::uint32_t>();
            const auto bytes = wire::bytes_of(value);
            payload.insert(payload.end(), bytes.begin(), bytes.end());
        }
        const fuzz::Bytes rest = fuzz::bytes_from(input_, 300);
        payload.insert(payload.end(), rest.begin(), rest.end());
        one_says(host::make_host_frame(node_at(0), tag, payload));
    }

    void all_say(wire::HostTag tag, std::span<const std::byte> payload) {
        const fuzz::Bytes made = host::make_host_frame(node_at(0), tag, payload);
        for (std::uint32_t node = 0; node < kNodes; ++node) {
            fuzz::Bytes frame = made; // the loom writes into it
            loom_.frame_from(node_at(node), frame);
        }
    }

    FuzzedDataProvider& input_;
    const bool patient_;
    host::Loom loom_;
    host::Events* events_ = nullptr;
    std::vector<std::pair<NodeId, std::string>> expelled_;
};

std::unique_ptr<host::Operation> some_op(FuzzedDataProvider& input) {
    host::RunArguments arguments;
    arguments.work.op = "bcast";
    arguments.data.packet = "64";
    arguments.data.bytes = 150;
    host::RunPlan run(arguments, {});
    run.rig.network = kCube;
    run.rig.programs.emplace_back();
    const host::OpKind& kind = host::kind_of(arguments);
    auto op = kind.plan(kind, std::move(run));
    if (input.ConsumeBool())
        op->run().input = host::Bytes(op->run().bytes, std::byte{7});
    if (input.ConsumeBool())
        op->run().data.output = "copy";
    return op;
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    // The output of the nodes goes nowhere.
    return std::freopen("/dev/null", "w", stdout) != nullptr ? 0 : 1;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider input(data, std::min(size, kInputBytesMax));
    const auto op = some_op(input);
    host::Progress progress(true);
    Babel babel(input);
    try {
        host::Run(babel, *op, progress).execute();
    } catch (const Exhausted&) {
    } catch (const host::RunError&) { // it could not begin, or nobody moved any more
    }
    return 0;
}
