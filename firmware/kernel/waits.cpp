#include "kernel/waits.hpp"

namespace mesh {

namespace {

/// The next message under way that is sent, not one that is only asked about.
const Outgoing* sent_from(const Outgoing* outgoing) {
    while (outgoing != nullptr && outgoing->question != Service::ask)
        outgoing = outgoing->next;
    return outgoing;
}

} // namespace

unsigned waiting_processes(Kernel& kernel, std::span<WaitsFor> out) {
    constexpr std::uint8_t kNone = ProcessId{}.slot;
    unsigned count = 0;
    const Outgoing* sent = sent_from(kernel.messages().first());
    kernel.mailbox().take_asked();
    kernel.scheduler().take_asked();
    kernel.scheduler().each_waiting([&](std::uint8_t process) {
        const Match* const match = kernel.mailbox().take_asked();
        const ProcessId joined = kernel.scheduler().take_asked();
        WaitsFor waiting;
        waiting.process = process;
        if (match != nullptr) {
            waiting.what = WaitsFor::What::mail;
            waiting.match = *match;
        } else if (joined.slot != kNone) {
            waiting.what = WaitsFor::What::process;
            waiting.joined = joined.slot;
        } else if (sent != nullptr) {
            waiting.what = WaitsFor::What::taking;
            waiting.to = sent->to;
            sent = sent_from(sent->next);
        }
        if (count < out.size())
            out[count++] = waiting;
    });
    return count;
}

} // namespace mesh
