#include "collectives/window_access.hpp"

#include "collectives/call.hpp"
#include "kernel/api/message.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mesh::detail {

/// An open window, or one that was open before. It lies in the arena for as long as the node lives.
struct WindowRecord : CallRecord {
    using CallRecord::CallRecord;

    ElementType type;
    std::span<std::byte> memory;
    unsigned openings = 0; // the process that serves one opening does not serve the next
};

namespace {

/// The call whose label requests bear, of every window. It never ends and begins anew: both ends
/// know its number without a word.
constexpr std::uint16_t kWindowCall = 1;
constexpr CallLabel request_label(WindowNumber window) {
    return CallLabel::of(static_cast<Tag>(kWindowTag + static_cast<unsigned>(window)),
                         2u * kWindowCall + 1);
}

/// Operations that a node may have under way. Each has two processes.
constexpr unsigned kAccessesMax = limits::kProcessesMax / 2;

/// The first bytes of a request.
struct RequestHead {
    std::uint32_t type = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t nonce = 0; // of the origin's life; the answer has it, too
    std::uint16_t call = 0;  // of the answer, at the origin
    std::uint8_t slot = 0;   // kWindowAnswerTag + slot is the answer's tag
    AccessKind kind{};
};
/// The last bytes of an answer, behind what was read.
struct AnswerTail {
    std::uint32_t nonce = 0;
    Status status = Status::unreachable;
    std::array<std::uint8_t, 3> unused{};
};

// Packets have whole elements, so none is ever half written or half read: the head takes the place
// of some.
constexpr std::uint32_t head_bytes(std::uint32_t element) {
    return (static_cast<std::uint32_t>(sizeof(RequestHead)) + element - 1) / element * element;
}
constexpr std::uint16_t packet_bytes(std::uint32_t element) {
    return static_cast<std::uint16_t>(wire::payload_bytes_max() / element * element);
}

/// Copies what [position, + out) and [from_at, + from) have in common.
void copy_common(std::span<const std::byte> from, std::uint32_t from_at, std::span<std::byte> out,
                 std::uint32_t position) {
    const std::size_t begin = std::max(from_at, position);
    const std::size_t end = std::min(from_at + from.size(), position + out.size());
    if (begin < end)
        std::copy_n(from.data() + (begin - from_at), end - begin, out.data() + (begin - position));
}

/// Takes the message that has come.
Message take_message(Kernel& kernel, const Match& offer) {
    const CriticalSection section(kernel.scheduler().critical_depth()); // as in receive_message()
    return {kernel, kernel.take(offer)};
}

Match offer_of(CallLabel label, NodeId source = kAnySource) {
    Match match = label.match(kAnyMessage, source);
    match.service = Service::message;
    return match;
}

/// An answer to a request of this node's last life: nobody waits for it, and its call is none that
/// the kernel knows to be over.
bool is_stale(const Kernel& kernel, const wire::PacketHeader& header) {
    if (header.service != static_cast<std::uint8_t>(Service::message) ||
        header.tag < kWindowAnswerTag || header.tag >= kWindowAnswerTag + kAccessesMax)
        return false;
    const CallRecord* const record = kernel.calls().find(header.tag, true);
    return record == nullptr || !record->under_way || record->number != header.call / 2;
}

const PacketBuffer* stale_answer(const Kernel& kernel) {
    const PacketBuffer* at = kernel.mailbox().first();
    while (at != nullptr && !is_stale(kernel, at->header))
        at = at->next;
    return at;
}

// The process that has sent it would wait for as long as it lay here.
void leave_stale_answers(Kernel& kernel) {
    while (const PacketBuffer* const stale = stale_answer(kernel)) {
        const wire::PacketHeader& header = stale->header;
        const Message left = take_message(kernel, {.service = Service::message,
                                                   .tag = header.tag,
                                                   .source = header.source,
                                                   .message = header.message});
    }
}

WindowRecord* record_of(const Kernel& kernel, WindowNumber window) {
    return static_cast<WindowRecord*>(kernel.calls().find(request_label(window).tag, true));
}

// The target ------------------------------------------------------------------------------------

/// A request at its target.
class Serving {
public:
    /// `offer`: the first bytes of the request.
    Serving(const WindowRecord& record, std::span<const std::byte> offer)
        : record_(record),
          type_(record.type),
          opening_(record.openings) {
        if (offer.size() >= sizeof head_)
            head_ = wire::load<RequestHead>(offer, 0);
        const std::size_t elements = record.memory.size() / type_.bytes;
        const bool fits = head_.first <= elements && head_.count <= elements - head_.first;
        if (fits && head_.type == type_.name && is_possible())
            status_ = Status::ok;
    }

    bool good() const { return status_ == Status::ok; }
    bool reads() const { return is_reading(head_.kind); }
    /// The window has not been closed since.
    bool is_open() const { return record_.under_way && record_.openings == opening_; }
    /// It cannot be done, or not to its end.
    void fail() { status_ = Status::unreachable; }
    /// The bytes of a packet that begins at `position` take effect.
    void apply(std::uint32_t position, std::span<const std::byte> bytes);

    CallLabel answer_label() const {
        return CallLabel::of(static_cast<Tag>(kWindowAnswerTag + head_.slot % kAccessesMax),
                             head_.call);
    }
    std::uint32_t answer_bytes() const { return read_bytes() + sizeof(AnswerTail); }
    /// The bytes of the answer: what they say of the window is read when they leave.
    ByteSource answer() const { return {fill, this}; }

private:
    bool is_word() const {
        return head_.kind == AccessKind::fetch_add || head_.kind == AccessKind::compare_swap;
    }
    bool adds() const {
        return head_.kind == AccessKind::add || head_.kind == AccessKind::fetch_add;
    }
    /// False for what no origin with this library asks for.
    bool is_possible() const {
        return head_.kind <= AccessKind::compare_swap &&
               (!is_word() || (head_.count == 1 && type_.bytes <= kWordBytesMax)) &&
               (!adds() || type_.add != nullptr);
    }
    std::uint32_t read_bytes() const { return good() && reads() ? head_.count * type_.bytes : 0; }
    std::span<std::byte> elements(std::uint32_t first, std::uint32_t count) const {
        const std::size_t bytes = type_.bytes;
        return record_.memory.subspan(first * bytes, count * bytes);
    }
    void change_word(std::span<const std::byte> operands);
    static void fill(const void* context, std::uint32_t position, std::span<std::byte> out);

    const WindowRecord& record_;
    const ElementType type_; // of this opening
    unsigned opening_;
    RequestHead head_;
    Status status_ = Status::bad_argument;
    std::array<std::byte, kWordBytesMax> old_{}; // the word before it was changed
};

void Serving::apply(std::uint32_t position, std::span<const std::byte> bytes) {
    const std::uint32_t element = type_.bytes;
    const std::uint32_t head = head_bytes(element);
    const bool begins = position == 0;
    std::span<const std::byte> data =
        bytes.subspan(begins ? std::min<std::size_t>(head, bytes.size()) : 0);
    if (is_word() && begins)
        return change_word(data);
    if (reads() || (!begins && position < head))
        return;
    std::uint32_t at = begins ? 0 : (position - head) / element;
    for (; at < head_.count && data.size() >= element; ++at, data = data.subspan(element))
        if (adds())
            type_.add(elements(head_.first + at, 1), data.first(element));
        else
            std::ranges::copy(data.first(element), elements(head_.first + at, 1).begin());
}

void Serving::change_word(std::span<const std::byte> operands) {
    const std::uint32_t element = type_.bytes;
    const std::span<std::byte> word = elements(head_.first, 1);
    std::ranges::copy(word, old_.begin());
    if (adds() && operands.size() >= element)
        type_.add(word, operands.first(element));
    else if (!adds() && operands.size() >= 2 * element &&
             std::ranges::equal(word, operands.first(element)))
        std::ranges::copy(operands.subspan(element, element), word.begin());
}

void Serving::fill(const void* context, std::uint32_t position, std::span<std::byte> out) {
    const auto& self = *static_cast<const Serving*>(context);
    AnswerTail tail{.nonce = self.head_.nonce, .status = self.status_};
    std::ranges::fill(out, std::byte{0});
    const std::uint32_t read = self.read_bytes();
    if (self.is_word())
        copy_common(std::span{self.old_}.first(read), 0, out, position);
    else if (read != 0 && self.is_open())
        copy_common(self.elements(self.head_.first, self.head_.count), 0, out, position);
    else if (read != 0)
        tail.status = Status::unreachable;
    copy_common(wire::bytes_of(tail), read, out, position);
}

/// Serves one opening of a window until it is closed. A request that does not come to its end is
/// left: its origin hears that nobody knows of it.
Process serve(Kernel& kernel, const WindowRecord& record, WindowNumber window) {
    const Match requests = offer_of(request_label(window));
    const unsigned opening = record.openings;
    const std::uint16_t most = packet_bytes(record.type.bytes);
    for (;;) {
        co_await kernel.wait_until([&kernel, &record, &requests, opening] {
            return !record.under_way || record.openings != opening || kernel.has(requests) ||
                   stale_answer(kernel) != nullptr;
        });
        if (!record.under_way || record.openings != opening)
            co_return Status::ok;
        leave_stale_answers(kernel);
        if (!kernel.has(requests))
            continue;
        Serving serving{record, kernel.mailbox().find(requests)->payload()};
        Message message = take_message(kernel, requests);
        Packet packet; // the last one: when it goes, the origin hears that the request is consumed
        for (std::uint32_t position = 0; serving.good() && !message.at_end();) {
            packet = Packet{}; // the next one may only come when this one is consumed
            packet = co_await next(kernel, message);
            if (!packet || !serving.is_open()) {
                serving.fail();
                break;
            }
            serving.apply(position, packet.payload());
            position += static_cast<std::uint32_t>(packet.payload().size());
        }
        if (message.status() != Status::ok)
            continue;
        const bool whole = message.bytes() <= most;
        if (serving.good() && whole && !serving.reads())
            continue;
        const CallLabel label = serving.answer_label();
        const SendOptions options{.tag = label.tag, .packet_bytes = most, .call = label.call};
        // An origin that does not get the answer does not know what has become of its request, and
        // says so.
        std::ignore = co_await send(kernel, message.source(), options, serving.answer_bytes(),
                                    serving.answer());
    }
}

// The origin ------------------------------------------------------------------------------------

/// A request at its origin.
class Request {
public:
    Request(const Access& wanted, CallLabel answer, unsigned slot, std::uint32_t nonce)
        : wanted_(wanted),
          head_{.type = wanted.type.name,
                .first = wanted.first,
                .count = wanted.count,
                .nonce = nonce,
                .call = answer.call,
                .slot = static_cast<std::uint8_t>(slot),
                .kind = wanted.kind} {}

    std::uint32_t bytes() const {
        return head_bytes(wanted_.type.bytes) + static_cast<std::uint32_t>(wanted_.data.size());
    }
    ByteSource source() const { return {fill, this}; }
    /// If it has no answer, its end says nothing of what became of it.
    bool needs_answer() const {
        return is_reading(head_.kind) || bytes() > packet_bytes(wanted_.type.bytes);
    }
    /// Takes a chunk of an answer of `total` bytes that begins at `position`.
    void take(std::uint32_t total, std::uint32_t position, std::span<const std::byte> bytes) {
        const auto read = static_cast<std::uint32_t>(total - sizeof tail_);
        copy_common(bytes, position,
                    wanted_.room.first(std::min<std::size_t>(read, wanted_.room.size())), 0);
        copy_common(bytes, position, std::as_writable_bytes(std::span{&tail_, 1}), read);
    }
    /// The whole of an answer has come. False: it is one to a request of this node's last life.
    bool is_answered() const { return tail_.nonce == head_.nonce; }
    Status answer() const { return tail_.status; }

private:
    static void fill(const void* context, std::uint32_t position, std::span<std::byte> out) {
        const auto& self = *static_cast<const Request*>(context);
        std::ranges::fill(out, std::byte{0});
        copy_common(wire::bytes_of(self.head_), 0, out, position);
        copy_common(self.wanted_.data, head_bytes(self.wanted_.type.bytes), out, position);
    }

    const Access& wanted_;
    const RequestHead head_;
    AnswerTail tail_;
};

/// The first place for an answer where nobody waits for one.
unsigned free_slot(const Kernel& kernel) {
    for (unsigned slot = 0; slot < kAccessesMax; ++slot) {
        const auto tag = static_cast<Tag>(kWindowAnswerTag + slot);
        const CallRecord* const record = kernel.calls().find(tag, true);
        if (record == nullptr || !record->under_way)
            return slot;
    }
    return kAccessesMax;
}

bool is_valid(const Access& wanted) {
    const std::size_t most = limits::kMessageBytesMax - wire::kPayloadBytesMax;
    return static_cast<unsigned>(wanted.window) < kWindowsMax && wanted.data.size() <= most &&
           wanted.room.size() <= most;
}

} // namespace

Task<Status> access(Kernel& kernel, Access wanted) {
    if (!is_valid(wanted))
        co_return Status::bad_argument;
    leave_stale_answers(kernel);
    const unsigned slot = free_slot(kernel);
    if (slot == kAccessesMax)
        co_return Status::no_memory;
    const Call call{kernel, static_cast<Tag>(kWindowAnswerTag + slot), true};
    if (call.status() != Status::ok)
        co_return call.status();
    // Never 0. In its next life the node may come here after as many microseconds, with the same
    // label; so the time alone would not do.
    const auto nonce = std::uint32_t{kernel.life()} << 16 |
                       (static_cast<std::uint32_t>(kernel.deadline_in(0)) & 0xFFFFu);
    Request request{wanted, call.label(), slot, nonce};
    const CallLabel label = request_label(wanted.window);
    const SendOptions options{
        .tag = label.tag, .packet_bytes = packet_bytes(wanted.type.bytes), .call = label.call};
    ProcessId sending{};
    if (!kernel.spawn(send(kernel, wanted.target, options, request.bytes(), request.source()),
                      sending))
        co_return Status::no_memory;
    const Match answers = offer_of(call.label(), wanted.target);
    bool answered = false;
    for (;;) {
        co_await kernel.wait_until([&kernel, &answers, sending] {
            return kernel.has(answers) || kernel.scheduler().ended(sending) ||
                   stale_answer(kernel) != nullptr;
        });
        leave_stale_answers(kernel);
        if (!kernel.has(answers) && kernel.scheduler().ended(sending))
            break;
        if (!kernel.has(answers))
            continue;
        Message message = take_message(kernel, answers);
        // A target that began anew after its answer has the request again, and serves it again: its
        // process would wait for as long as that answer lay here.
        for (std::uint32_t position = 0; !answered && !message.at_end();) {
            const Packet packet = co_await next(kernel, message);
            if (!packet)
                break;
            request.take(message.bytes(), position, packet.payload());
            position += static_cast<std::uint32_t>(packet.payload().size());
        }
        answered = answered || (message.at_end() && request.is_answered());
    }
    const Status sent = co_await kernel.join(sending);
    if (answered)
        co_return request.answer();
    if (sent == Status::ok && request.needs_answer())
        co_return Status::unreachable;
    co_return sent;
}

// Opening and closing ---------------------------------------------------------------------------

OpenWindow::OpenWindow(Kernel& kernel, WindowNumber number, ElementType type,
                       std::span<std::byte> memory)
    : kernel_(kernel) {
    if (static_cast<unsigned>(number) >= kWindowsMax) {
        status_ = Status::bad_argument;
        return;
    }
    WindowRecord* record = record_of(kernel, number);
    if (record == nullptr) {
        record = kernel.make<WindowRecord>();
        if (record == nullptr) {
            status_ = Status::no_memory;
            return;
        }
        record->tag = request_label(number).tag;
        record->number = kWindowCall;
        record->of_group = record->loose = true;
        kernel.calls().add(*record);
    }
    if (record->under_way) {
        status_ = Status::tag_in_use;
        return;
    }
    record->type = type;
    record->memory = memory;
    ++record->openings;
    record->under_way = true;
    record_ = record;
    if (!kernel.spawn(serve(kernel, *record, number))) {
        close();
        status_ = Status::no_memory;
    }
}

void OpenWindow::close() {
    WindowRecord* const record = std::exchange(record_, nullptr);
    if (record == nullptr)
        return;
    record->memory = {};
    kernel_.end_call(*record);
}

} // namespace mesh::detail
