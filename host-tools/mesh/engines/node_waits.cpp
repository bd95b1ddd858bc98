#include "node_waits.hpp"

#include "collectives/barrier.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "kernel/api/channel.hpp"
#include "kernel/base/limits.hpp"
#include "library/blocks.hpp"
#include "mpi/engine/awaited.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
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

/// The arguments of a template, as a demangler writes them: of "A<B, C<D, E> >" these are "B" and
/// "C<D, E>".
std::vector<std::string_view> arguments_of(std::string_view name) {
    std::vector<std::string_view> found;
    std::size_t begin = name.find('<');
    unsigned depth = 0;
    for (std::size_t at = begin; at < name.size(); ++at) {
        const char letter = name[at];
        depth += letter == '<' || letter == '(' ? 1 : 0;
        depth -= letter == '>' || letter == ')' ? 1 : 0;
        if (depth != 0 && (depth != 1 || letter != ','))
            continue;
        std::string_view one = name.substr(begin + 1, at - begin - 1);
        one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
        one = one.substr(0, one.find_last_not_of(' ') + 1);
        found.push_back(one);
        begin = at;
        if (depth == 0)
            break;
    }
    return found;
}

/// The class that a function `ask` belongs to; of an Awaiter, the class that is its first argument.
std::string_view class_of(std::string_view function) {
    const std::string_view name =
        function.substr(0, std::min(function.rfind(kAsk), function.size()));
    if (!name.starts_with(kAwaiter))
        return name;
    const auto arguments = arguments_of(name);
    return arguments.empty() ? std::string_view{} : arguments[0];
}

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
        // The coroutine that goes on then is in the field behind the root; a frame begins with its
        // function.
        const auto frame = pointer(slot + slot_->at[0] + memory_.pointer_bytes);
        if (frame.value_or(0) != 0)
            waiting.resumes = memory_.code_place(pointer(*frame).value_or(0));
        return waiting;
    }

    /// The wait of a process for the object at this address, which is inside so many attempts.
    WaitsFor at(std::uint64_t object, unsigned inside = 0) {
        WaitsFor waiting;
        if (waiting_ == nullptr)
            return waiting;
        const auto ask = pointer(object + waiting_->at[0]);
        waiting.wake = value<std::uint64_t>(object + waiting_->at[2]).value_or(0);
        const std::string function = memory_.function_at(ask.value_or(0));
        const std::string_view name = class_of(function);
        const WaitOffsets* const offsets = offsets_of(name);
        if (offsets == nullptr)
            return waiting;
        const auto first = object + offsets->at[0];
        const auto second = object + offsets->at[1];
        waiting.kind = offsets->kind;
        if (offsets->kind == WaitKind::attempt && inside < kInsideMax) {
            const std::uint64_t wake = waiting.wake;
            waiting = at(pointer(first).value_or(0), inside + 1);
            waiting.wake = wake;
        } else if (offsets->kind == WaitKind::alternative) {
            waiting.guards = guards_at(arguments_of(name), first);
        } else if (offsets->kind == WaitKind::row) {
            add_row(arguments_of(name), first, waiting);
        } else if (offsets->kind == WaitKind::mail || offsets->kind == WaitKind::begun) {
            static_assert(sizeof(Match) == 16, "the same on every engine");
            if (offsets->at[1] != 0 && value<std::uint8_t>(second).value_or(0) != 1)
                waiting.kind = static_cast<WaitKind>(offsets->at[2]);
            waiting.match = value<Match>(first).value_or(Match{});
        } else if (offsets->kind == WaitKind::process || offsets->kind == WaitKind::channel) {
            waiting.other = value<std::uint8_t>(first).value_or(0);
        } else if (offsets->kind == WaitKind::mpi) {
            waiting.to = value<NodeId>(first).value_or(kNoNode);
            waiting.mpi_tag = value<std::int32_t>(first + offsetof(mpi::Awaited, tag)).value_or(0);
            waiting.mpi_send =
                value<std::uint32_t>(first + offsetof(mpi::Awaited, is_send)).value_or(0) != 0;
            waiting.came_from =
                value<NodeId>(first + offsetof(mpi::Awaited, came_from)).value_or(kNoNode);
            waiting.came_tag =
                value<std::int32_t>(first + offsetof(mpi::Awaited, came_tag)).value_or(0);
        } else if (offsets->kind == WaitKind::taking) {
            waiting.to = value<NodeId>(first).value_or(kNoNode);
            waiting.tag = value<Tag>(second).value_or(0);
        }
        return waiting;
    }

private:
    static constexpr unsigned kInsideMax = 8;

    const WaitOffsets* offsets_of(WaitKind kind) const {
        const auto found = std::ranges::find_if(memory_.offsets,
                                                [&](const auto& one) { return one.kind == kind; });
        return found == memory_.offsets.end() ? nullptr : &*found;
    }

    /// The offsets of a class, whatever its arguments are.
    const WaitOffsets* offsets_of(std::string_view name) const {
        name = name.substr(0, name.find_first_of(",<>("));
        const auto found = std::ranges::find_if(memory_.offsets, [&](const WaitOffsets& one) {
            return name ==
                   std::string_view(one.name.data(), strnlen(one.name.data(), one.name.size()));
        });
        return found == memory_.offsets.end() ? nullptr : &*found;
    }

    /// Bytes and alignment of a guard.
    struct Shape {
        std::uint64_t bytes;
        std::uint64_t alignment;
        std::uint64_t rounded(std::uint64_t size) const {
            return (size + alignment - 1) / alignment * alignment;
        }
    };

    /// Nothing for a class that is not known: where the guards behind it are is not, either.
    std::optional<Shape> shape_of(std::string_view guard) const {
        const WaitOffsets* const offsets = offsets_of(guard);
        if (offsets == nullptr)
            return std::nullopt;
        if (offsets->kind != WaitKind::conditional_guard)
            return Shape{offsets->at[1], std::max<std::uint64_t>(1, offsets->at[2])};
        const auto inner = arguments_of(guard);
        const auto shape = inner.empty() ? std::nullopt : shape_of(inner[0]);
        if (!shape)
            return std::nullopt;
        return Shape{shape->rounded(shape->bytes + 1), shape->alignment};
    }

    /// The thing that a guard waits for; nothing if it does not count.
    std::optional<WaitsFor> guard_at(std::string_view guard, std::uint64_t object) {
        const WaitOffsets& offsets = *offsets_of(guard);
        if (offsets.kind == WaitKind::conditional_guard) {
            const std::string_view inner = arguments_of(guard)[0];
            if (value<std::uint8_t>(object + shape_of(inner)->bytes).value_or(0) != 1)
                return std::nullopt;
            return guard_at(inner, object);
        }
        WaitsFor waiting;
        if (offsets.kind == WaitKind::mail_guard) {
            waiting.kind = WaitKind::mail;
            waiting.match = value<Match>(object + offsets.at[0]).value_or(Match{});
        } else if (offsets.kind == WaitKind::channel_guard) {
            waiting.kind = WaitKind::channel;
            waiting.other = 1;
        } else if (offsets.kind == WaitKind::time_guard) {
            waiting.kind = WaitKind::time;
        } else if (offsets.kind == WaitKind::link_guard) {
            waiting.kind = WaitKind::link_event;
        }
        return waiting;
    }

    /// The guards of these classes that count. Each begins where what is left of them can.
    std::vector<WaitsFor> guards_at(const std::vector<std::string_view>& classes,
                                    std::uint64_t object) {
        std::vector<Shape> shapes;
        for (const std::string_view one : classes)
            shapes.push_back(shape_of(one).value_or(Shape{0, 1}));
        std::vector<WaitsFor> found;
        for (std::size_t at = 0; at < classes.size() && shapes[at].bytes != 0; ++at) {
            if (const auto guard = guard_at(classes[at], object))
                found.push_back(*guard);
            Shape rest{0, 1};
            for (std::size_t behind = at + 1; behind < shapes.size(); ++behind)
                rest.alignment = std::max(rest.alignment, shapes[behind].alignment);
            object += rest.rounded(shapes[at].bytes);
        }
        return found;
    }

    /// The first guards of a span of one class, and how many there are beside them.
    void add_row(const std::vector<std::string_view>& classes, std::uint64_t span,
                 WaitsFor& waiting) {
        constexpr std::uint64_t kShown = 3;
        const auto shape = classes.empty() ? std::nullopt : shape_of(classes[0]);
        const auto first = pointer(span), count = pointer(span + memory_.pointer_bytes);
        if (!shape || !first || !count)
            return;
        for (std::uint64_t at = 0; at < std::min(*count, kShown); ++at)
            if (const auto guard = guard_at(classes[0], *first + at * shape->bytes))
                waiting.guards.push_back(*guard);
        waiting.more = *count - std::min(*count, kShown);
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

/// "the first of these: a message with tag 1 from any node; a time".
std::string describe_alternative(const WaitsFor& waiting) {
    std::vector<std::string> guards;
    for (const WaitsFor& guard : waiting.guards)
        guards.push_back(describe(guard));
    if (waiting.more != 0)
        guards.push_back(fmt::format("{} more", waiting.more));
    if (guards.empty())
        return "one of the guards of an alt()";
    return guards.size() == 1 ? guards[0]
                              : fmt::format("the first of these: {}", fmt::join(guards, "; "));
}

/// The wait of a program in a call of MPI, in words.
std::string describe_mpi(const WaitsFor& waiting) {
    using mpi::Awaited;
    const std::string node =
        waiting.to == kNoNode ? std::string("any node") : fmt::format("node {}", index(waiting.to));
    if (waiting.mpi_tag <= Awaited::kOfCollectives)
        return fmt::format("{} in {}", node,
                           mpi::calls_with(Awaited::kOfCollectives - waiting.mpi_tag));
    const std::string tag =
        waiting.mpi_tag < 0 ? std::string("any tag") : fmt::format("tag {}", waiting.mpi_tag);
    if (waiting.mpi_send)
        return fmt::format("its MPI message with {} to be received by {}", tag, node);
    const std::string came = waiting.came_from == kNoNode
                                 ? std::string()
                                 : fmt::format(" (what has come has tag {}, from node {})",
                                               waiting.came_tag, index(waiting.came_from));
    return fmt::format("an MPI message with {} from {}{}", tag, node, came);
}

/// The library's use of a tag, in words.
std::string_view use_of(Tag tag) {
    if (tag == kBarrierTag)
        return ", of a barrier";
    if (tag == mpi::kTreeTag)
        return ", of a collective of MPI";
    if (tag == kBlocksTag)
        return ", of a gather, a scatter or the like";
    return "";
}

} // namespace

std::string tag_words(Tag tag) {
    if (tag >= channel_tag(ChannelNumber{0}))
        return fmt::format(" on channel {}", tag - channel_tag(ChannelNumber{0}));
    return fmt::format(" with tag {}{}", tag, use_of(tag));
}

std::string describe(const Match& match) {
    std::string text = match.service == Service::message    ? "a message"
                       : match.service == Service::fragment ? "the rest of a message"
                                                            : "a packet";
    if (match.tag != kAnyTag)
        text += tag_words(match.tag);
    return text + (match.source == kAnySource ? std::string(" from any node")
                                              : fmt::format(" from node {}", index(match.source)));
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
    case WaitKind::link_event: return "an event of one of its links";
    case WaitKind::request: return "the end of one of its requests";
    case WaitKind::begun:
        return fmt::format("node {} to begin the same collective{}", index(waiting.match.source),
                           tag_words(waiting.match.tag));
    case WaitKind::mpi: return describe_mpi(waiting);
    case WaitKind::alternative:
    case WaitKind::row: return describe_alternative(waiting);
    case WaitKind::condition:
    case WaitKind::slot:
    case WaitKind::waiting:
    case WaitKind::attempt:
    case WaitKind::mail_guard:
    case WaitKind::channel_guard:
    case WaitKind::time_guard:
    case WaitKind::link_guard:
    case WaitKind::conditional_guard: break;
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
