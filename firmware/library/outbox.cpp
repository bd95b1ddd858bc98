#include "library/outbox.hpp"

#include "hal/notes.hpp"
#include "kernel/api/waits.hpp"

#include <algorithm>
#include <new>

// As in kernel/api/waits.cpp.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace mesh {

namespace {
constexpr std::size_t kAlign = 8;
constexpr std::size_t whole(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }
} // namespace

/// A message in the memory of the outbox; its bytes lie behind it.
class Outbox::Letter : public Sending {
public:
    Letter(Kernel& kernel, NodeId node, Tag its_tag, std::uint32_t bytes)
        : Sending(kernel, node, {.tag = its_tag}, bytes, bytes_in({data(), bytes})),
          clock(kernel.now()),
          end(data() + whole(bytes)),
          to(node),
          tag(its_tag) {}

    std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
    bool step() { return go_on(); }

    wire::ModelTime clock; // of the process that put it in
    Letter* next = nullptr;
    std::byte* const end;
    const NodeId to;
    const Tag tag;
};

Outbox::Outbox(Kernel& kernel, std::span<std::byte> memory)
    : kernel_(kernel),
      begin_(memory.data()),
      end_(memory.data() + memory.size()) {
    static_assert(alignof(Letter) <= kAlign && sizeof(Letter) % kAlign == 0 &&
                  sizeof(Letter) <= kOverheadBytes);
    const std::size_t odd = reinterpret_cast<std::uintptr_t>(begin_) % kAlign;
    begin_ += std::min(memory.size(), odd == 0 ? 0 : kAlign - odd);
}

Outbox::~Outbox() {
    if (tether_ != nullptr)
        tether_->cut(unsaid() ? Status::failed : Status::ok);
    [[maybe_unused]] unsigned given_up = 0;
    for (; first_ != nullptr; ++given_up)
        remove(&first_);
#if MESH_NOTES
    if (given_up != 0 && detail::notes() != nullptr)
        detail::notes()->gives_up(index(kernel_.id()), given_up);
#endif
}

// True if there is room for it when nothing else is there.
bool Outbox::fits(std::size_t bytes) const {
    const auto most = static_cast<std::size_t>(end_ - begin_);
    return most >= sizeof(Letter) && whole(bytes) <= most - sizeof(Letter);
}

// The first gap between letters that is large enough: its place, and the link to the letter behind
// it; nullptr if there is none. A gap needs no record, and two that meet are one.
Outbox::Letter** Outbox::find_room(std::size_t bytes, std::byte*& place) {
    const auto needed = static_cast<std::ptrdiff_t>(sizeof(Letter) + whole(bytes));
    Letter** link = &first_;
    place = begin_;
    while (*link != nullptr && reinterpret_cast<std::byte*>(*link) - place < needed) {
        place = (*link)->end;
        link = &(*link)->next;
    }
    return *link != nullptr || end_ - place >= needed ? link : nullptr;
}

void Outbox::remove(Letter** link) {
    Letter* const letter = *link;
    *link = letter->next;
    letter->~Letter();
}

// A message has its number, and with it its place behind those before it, from the first step on.
Status Outbox::try_put(std::span<const std::byte> data, NodeId to, Tag tag) {
    const CriticalSection section(kernel_.scheduler().critical_depth());
    if (!fits(data.size()))
        return Status::bad_argument;
    std::byte* place = nullptr;
    Letter** const link = find_room(data.size(), place);
    if (link == nullptr)
        return Status::no_memory;
    if (tether_ == nullptr && !kernel_.spawn(deliver(kernel_, detail::Tether{*this})))
        return Status::no_memory;
    const auto bytes = static_cast<std::uint32_t>(data.size());
    Letter* const letter = new (place) Letter(kernel_, to, tag, bytes);
    std::ranges::copy(data, letter->data());
    letter->next = std::exchange(*link, letter);
    if (!letter->step())
        return Status::ok;
    const Status status = letter->await_resume();
    remove(link);
    return status;
}

// Each letter makes its steps by the clock of the process that put it in.
bool Outbox::go_on() {
    wire::ModelTime& clock = kernel_.scheduler().clock();
    for (Letter** link = &first_; *link != nullptr;) {
        Letter& letter = **link;
        clock = letter.clock;
        if (!letter.step()) {
            link = &letter.next;
            continue;
        }
        if (failure_ == Status::ok) {
            failure_ = letter.await_resume();
            failed_to_ = letter.to;
            failed_tag_ = letter.tag;
        }
        taken_at_ = std::max(taken_at_, clock);
        remove(link);
        kernel_.scheduler().touch(); // for those that wait for room
    }
    clock = taken_at_;
    return !unsaid();
}

// Waits -------------------------------------------------------------------------------------------

// With nothing under way a process waits until somebody asks why a message could not arrive.
void Outbox::Watching::watch(const Outbox& outbox) {
    const Letter* const letter = outbox.first_;
    taker_ = letter != nullptr ? letter->to : outbox.failed_to_;
    taken_tag_ = letter != nullptr ? letter->tag : outbox.failed_tag_;
}

/// The wait of the process that delivers.
class Outbox::Delivery : public Outbox::Watching {
public:
    Delivery(Kernel& kernel, detail::Tether<Outbox>& tether)
        : Watching(kernel, ask),
          tether_(tether) {}
    Status await_resume() const { return tether_.verdict(); }

private:
    friend struct OutboxPlaces;
    static bool ask(Waiting& self) {
        auto& delivery = static_cast<Delivery&>(self);
        Outbox* const outbox = delivery.tether_.owner();
        if (outbox == nullptr || outbox->go_on())
            return true;
        delivery.watch(*outbox);
        return false;
    }

    detail::Tether<Outbox>& tether_;
};

Process Outbox::deliver(Kernel& kernel, detail::Tether<Outbox> outbox) {
    const Status status = co_await Delivery{kernel, outbox};
    co_return status;
}

bool Outbox::Putting::ask(Waiting& self) {
    auto& putting = static_cast<Putting&>(self);
    Outbox& outbox = putting.outbox_;
    putting.status_ = outbox.try_put(putting.data_, putting.to_, putting.tag_);
    putting.watch(outbox);
    std::byte* place = nullptr;
    return putting.status_ != Status::no_memory ||
           outbox.find_room(putting.data_.size(), place) != nullptr;
}

bool Outbox::Flushing::ask(Waiting& self) {
    auto& flushing = static_cast<Flushing&>(self);
    flushing.watch(flushing.outbox_);
    return flushing.outbox_.empty();
}

/// Tells a debugger of all three.
struct OutboxPlaces {
    static constexpr std::size_t kTo = offsetof(Outbox::Delivery, taker_);
    static constexpr std::size_t kTag = offsetof(Outbox::Delivery, taken_tag_);
    static constexpr std::array<WaitOffsets, 3> kOffsets{{
        {"mesh::Outbox::Delivery", WaitKind::taking, kTo, kTag},
        {"mesh::Outbox::Putting", WaitKind::taking, kTo, kTag},
        {"mesh::Outbox::Flushing", WaitKind::taking, kTo, kTag},
    }};
};
MESH_WAIT_OFFSETS constinit const std::array<WaitOffsets, 3> kOutboxWaitOffsets =
    OutboxPlaces::kOffsets;

} // namespace mesh
