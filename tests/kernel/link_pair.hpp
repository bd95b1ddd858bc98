// Two links joined by a cable that a test controls: headers and packet numbers fly, no bytes. Each
// end has a pool that its own packets and the received ones share, and consumes as the test says.
#pragma once

#include "kernel/links/link.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace mesh::test {

/// Chances per frame, 0..1; `burst`: chance per frame that the next 1..40 frames are all lost.
struct CableFaults {
    double drop = 0, twice = 0, swap = 0, burst = 0;
};

struct LinkFrame {
    wire::LinkHeader header;
    std::uint32_t number = 0; // of the packet, for data
    std::uint16_t remaining = 0;
};

/// One end: a link, its pool, and a receiver that holds what it accepted until told to let go.
class LinkEnd {
public:
    LinkEnd(std::size_t buffer_count, bool lockstep, std::size_t window_bytes)
        : buffers_(buffer_count),
          slots_(buffer_count),
          context{.pool{buffers_, slots_, 1}, .cables{window_bytes}} {
        if (lockstep)
            context.time.begin_lockstep();
        start(0);
    }

    /// The node begins anew, having been started so often before: nothing of its link is left.
    void start(unsigned starts) {
        while (PacketBuffer* buffer = link.take_undeliverable(context))
            context.pool.release(buffer);
        link = Link{};
        link.attach(context, 0, starts);
    }
    /// Begins a session with a peer in its first life, as after the self-check at boot.
    void meet() {
        link.on_hello(context, {.kind = wire::Kind::hello, .free_buffers = wire::kNoNumber});
        LinkFrame answer;
        next(answer);
    }

    /// Queues packet `number`, which may cross `remaining` links from here. False: no buffer.
    bool offer(std::uint32_t number, std::uint16_t remaining = 1, std::uint16_t bytes = 16,
               wire::ModelTime arrival = 0) {
        PacketBuffer* buffer = context.pool.allocate();
        if (buffer == nullptr)
            return false;
        buffer->header = {.payload_bytes = bytes, .message = number};
        buffer->remaining = remaining;
        link.enqueue(context, buffer, arrival);
        return true;
    }

    bool next(LinkFrame& frame) {
        PacketBuffer* packet = nullptr;
        if (!link.next_frame(context, frame.header, packet))
            return false;
        frame.number = packet != nullptr ? packet->header.message : 0;
        frame.remaining = packet != nullptr ? packet->remaining : std::uint16_t{0};
        return true;
    }

    void take(const LinkFrame& frame) {
        const wire::Kind kind = frame.header.kind;
        if (kind == wire::Kind::hello || kind == wire::Kind::hello_answer) {
            link.on_hello(context, frame.header);
            return;
        }
        const bool data = kind == wire::Kind::data;
        if (!link.is_current(data ? frame.header.flags : frame.header.sequence)) {
            if (data)
                link.on_old_session(context);
            return;
        }
        link.on_acknowledgement(context, frame.header);
        if (!data)
            return;
        const auto remaining = static_cast<std::uint16_t>(frame.remaining - 1);
        const bool has_buffer = context.pool.free() > remaining;
        if (link.on_data(context, frame.header, has_buffer, remaining) != Link::Verdict::accept)
            return;
        got.push_back({frame.number, frame.remaining});
        PacketBuffer* buffer = context.pool.allocate();
        buffer->header.message = frame.number;
        held_.push_back(buffer);
    }

    /// The receiver is done with its oldest packet.
    void consume() {
        if (held_.empty())
            return;
        context.pool.release(held_.front());
        held_.pop_front();
    }
    /// Does the work of a node that comes to rest.
    void rest() {
        link.on_buffers_free(context.pool.free());
        link.flush_acknowledgement();
    }
    /// Takes all free buffers away, so that everything is refused; open() gives them back.
    void close() {
        while (PacketBuffer* buffer = context.pool.allocate())
            hoard_.push_back(buffer);
    }
    void open() {
        for (PacketBuffer* buffer : hoard_)
            context.pool.release(buffer);
        hoard_.clear();
    }
    std::size_t held() const { return held_.size(); }
    PacketPool& pool() { return context.pool; }

    struct Got {
        std::uint32_t number;
        std::uint16_t remaining;
    };
    std::vector<Got> got;

private:
    std::vector<PacketBuffer> buffers_;
    std::vector<PortSlot> slots_;
    std::deque<PacketBuffer*> held_;
    std::vector<PacketBuffer*> hoard_;

public:
    LinkContext context;
    Link link;
};

/// A cable: two directions of frames on their way.
class LinkPair {
public:
    explicit LinkPair(unsigned seed, std::size_t buffer_count = 48, bool lockstep = false,
                      std::size_t window_bytes = 4000)
        : random(seed),
          ends{LinkEnd{buffer_count, lockstep, window_bytes},
               LinkEnd{buffer_count, lockstep, window_bytes}} {
        for (LinkEnd& end : ends)
            end.meet();
    }

    bool chance(double p) { return std::uniform_real_distribution<>{}(random) < p; }
    unsigned below(unsigned limit) { return static_cast<unsigned>(random() % limit); }

    /// Puts the frames that `from` wants to send on the cable, up to `limit` of them.
    void send(unsigned from, unsigned limit = 1000) {
        LinkFrame frame;
        while (limit-- != 0 && ends[from].next(frame))
            put(1 - from, frame);
    }
    /// The next frame to `to` arrives. False if there is none.
    bool arrive(unsigned to) {
        if (flying[to].empty())
            return false;
        const LinkFrame frame = flying[to].front();
        flying[to].pop_front();
        ends[to].take(frame);
        return true;
    }
    /// Sends and delivers until both ends are quiet.
    void settle() {
        for (bool moved = true; moved;) {
            moved = false;
            for (unsigned end = 0; end < 2; ++end) {
                send(end);
                while (arrive(1 - end)) {
                    moved = true;
                    send(1 - end);
                }
            }
            if (!moved)
                for (LinkEnd& end : ends)
                    end.rest();
            for (unsigned end = 0; end < 2; ++end) {
                send(end);
                moved = moved || !flying[1 - end].empty();
            }
        }
    }
    /// Lets time pass to the earlier of both timers. False if none is set.
    bool pass_time() {
        const std::uint64_t next = std::min(ends[0].link.deadline(), ends[1].link.deadline());
        if (next == wire::kNever)
            return false;
        set_time(std::max(next, ends[0].context.time.now()));
        return true;
    }
    void set_time(std::uint64_t now) {
        for (LinkEnd& end : ends) {
            end.context.time.set_clock(now);
            end.context.time.come_to(now);
            end.link.on_timer(end.context);
        }
    }

    std::mt19937 random;
    LinkEnd ends[2];
    std::deque<LinkFrame> flying[2]; // by receiver
    CableFaults faults;
    bool cut[2] = {false, false}; // by receiver
    std::uint64_t lost = 0;

private:
    void put(unsigned to, const LinkFrame& frame) {
        if (chance(faults.burst))
            burst_ = 1 + below(40);
        const bool in_burst = burst_ != 0;
        burst_ -= in_burst ? 1 : 0;
        if (in_burst || cut[to] || chance(faults.drop)) {
            ++lost;
            return;
        }
        auto& queue = flying[to];
        const bool swap = chance(faults.swap) && !queue.empty();
        const auto place =
            swap ? queue.end() - 1 -
                       below(static_cast<unsigned>(std::min<std::size_t>(queue.size(), 4)))
                 : queue.end();
        queue.insert(place, frame);
        if (chance(faults.twice))
            queue.push_back(frame);
    }
    unsigned burst_ = 0;
};

} // namespace mesh::test
