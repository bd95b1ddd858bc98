#include "node_waits.hpp"

#include "collectives/barrier.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "kernel/api/channel.hpp"
#include "kernel/base/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace mesh::host {

// The linker knows where a section begins and ends.
extern const WaitOffsets kWaitsBegin[] asm("__start_mesh_waits");
extern const WaitOffsets kWaitsEnd[] asm("__stop_mesh_waits");

namespace {

constexpr std::string_view kAsk = "::ask(";
constexpr std::string_view kAwaiter = "mesh::detail::Awaiter<";

/// Reads one node. A wait whose bytes do not look as they should counts as one that is not known.
class Reader {
public:
    explicit Reader(ProcessMemory& memory)
        : memory_(memory),
          slot_(offsets_of(WaitKind::slot)),
          waiting_(offsets_of(WaitKind::waiting)) {}

    std::vector<WaitsFor> all() {
        std::vector<WaitsFor> found;
        if (slot_ == nullptr || waiting_ == nullptr)
            return found;
        const auto slots = std::min<std::uint64_t>(memory_.slot_count, limits::kProcessesMax);
        for (unsigned number = 0; number < slots; ++number)
            if (const auto waiting = one(number))
                found.push_back(*waiting);
        return found;
    }

    /// The wait of the process in a slot; nothing if it does not wait, or there is none.
    std::optional<WaitsFor> one(unsigned number) {
        const std::uint64_t slot = memory_.slots + std::uint64_t{number} * slot_->at[2];
        const auto root = pointer(slot + slot_->at[0]);
        const auto object = pointer(slot + slot_->at[1]);
        if (root.value_or(0) == 0 || object.value_or(0) == 0)
            return std::nullopt;
        WaitsFor waiting = at(*object);
        waiting.process = static_cast<std::uint8_t>(number);
        // What goes on then is the field behind the root; a frame begins with its function.
        const auto frame = pointer(slot + slot_->at[0] + memory_.pointer_bytes);
        if (frame.value_or(0) != 0)
            waiting.resumes = memory_.code_place(pointer(*frame).value_or(0));
        return waiting;
    }

    /// The wait of a process for the object at this address.
    WaitsFor at(std::uint64_t object) {
        WaitsFor waiting;
        if (waiting_ == nullptr)
            return waiting;
        const auto ask = pointer(object + waiting_->at[0]);
        waiting.wake = value<std::uint64_t>(object + waiting_->at[2]).value_or(0);
        const WaitOffsets* const offsets = offsets_of(memory_.function_at(ask.value_or(0)));
        if (offsets == nullptr)
            return waiting;
        const auto first = object + offsets->at[0];
        const auto second = object + offsets->at[1];
        waiting.kind = offsets->kind;
        if (offsets->kind == WaitKind::mail) {
            static_assert(sizeof(Match) == 16, "the same on every engine");
            if (offsets->at[1] != 0 && value<std::uint8_t>(second).value_or(0) != 1)
                waiting.kind = static_cast<WaitKind>(offsets->at[2]);
            waiting.match = value<Match>(first).value_or(Match{});
        } else if (offsets->kind == WaitKind::process || offsets->kind == WaitKind::channel) {
            waiting.other = value<std::uint8_t>(first).value_or(0);
        } else if (offsets->kind == WaitKind::taking) {
            waiting.to = value<NodeId>(first).value_or(kNoNode);
            waiting.tag = value<Tag>(second).value_or(0);
        }
        return waiting;
    }

private:
    const WaitOffsets* offsets_of(WaitKind kind) const {
        const auto found = std::ranges::find_if(memory_.offsets,
                                                [&](const auto& one) { return one.kind == kind; });
        return found == memory_.offsets.end() ? nullptr : &*found;
    }

    /// The offsets of the class that a function `ask` belongs to; of an Awaiter, those of the
    /// class that is its first argument.
    const WaitOffsets* offsets_of(std::string_view function) const {
        std::string_view name = function.substr(0, std::min(function.rfind(kAsk), function.size()));
        if (name.starts_with(kAwaiter)) {
            name.remove_prefix(kAwaiter.size());
            name = name.substr(0, name.find_first_of(",<>("));
        }
        const auto found = std::ranges::find_if(memory_.offsets, [&](const WaitOffsets& one) {
            return name ==
                   std::string_view(one.name.data(), strnlen(one.name.data(), one.name.size()));
        });
        return found == memory_.offsets.end() ? nullptr : &*found;
    }

    template <class T>
    std::optional<T> value(std::uint64_t address) {
        std::array<std::byte, sizeof(T)> bytes{};
        if (!memory_.read(address, bytes))
            return std::nullopt;
        T read;
        std::memcpy(&read, bytes.data(), sizeof read);
        return read;
    }

    std::optional<std::uint64_t> pointer(std::uint64_t address) {
        if (memory_.pointer_bytes == sizeof(std::uint64_t))
            return value<std::uint64_t>(address);
        return value<std::uint32_t>(address);
    }

    ProcessMemory& memory_;
    const WaitOffsets* slot_;
    const WaitOffsets* waiting_;
};

/// "a message with tag 3 from node 1".
std::string describe(const Match& match) {
    std::string text = match.service == Service::message    ? "a message"
                       : match.service == Service::fragment ? "the rest of a message"
                                                            : "a packet";
    if (match.tag != kAnyTag)
        text += tag_words(match.tag);
    return text + (match.source == kAnySource ? std::string(" from any node")
                                              : fmt::format(" from node {}", index(match.source)));
}

} // namespace

std::string tag_words(Tag tag) {
    if (tag >= channel_tag(ChannelNumber{0}))
        return fmt::format(" on channel {}", tag - channel_tag(ChannelNumber{0}));
    return fmt::format(" with tag {}{}", tag, tag == kBarrierTag ? ", of a barrier" : "");
}

std::string describe(const WaitsFor& waiting) {
    switch (waiting.kind) {
    case WaitKind::mail: return describe(waiting.match);
    case WaitKind::process: return fmt::format("the end of its process {}", waiting.other);
    case WaitKind::taking:
        return fmt::format("its message{} to be taken by node {}", tag_words(waiting.tag),
                           index(waiting.to));
    case WaitKind::buffer: return "a buffer for a packet";
    case WaitKind::time: return waiting.for_ever() ? "a time that never comes" : "a time";
    case WaitKind::turn: return "its next turn";
    case WaitKind::channel:
        return waiting.other == 1 ? "somebody to write to a channel of its node"
                                  : "somebody to read a channel of its node";
    case WaitKind::children: return "nodes below it in a tree to take packets";
    case WaitKind::condition:
    case WaitKind::slot:
    case WaitKind::waiting: break;
    }
    return "a condition of its own";
}

std::vector<WaitsFor> waits_in(ProcessMemory& memory) { return Reader(memory).all(); }

WaitsFor wait_in(ProcessMemory& memory, unsigned slot) {
    promise(!memory.offsets.empty(), "nothing says where processes keep what they wait for");
    return Reader(memory).one(slot).value_or(WaitsFor{});
}

WaitsFor wait_at(ProcessMemory& memory, std::uint64_t object) { return Reader(memory).at(object); }

std::span<const WaitOffsets> own_wait_offsets() { return {kWaitsBegin, kWaitsEnd}; }

} // namespace mesh::host
