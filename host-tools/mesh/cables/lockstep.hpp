// Lockstep: the order in which held frames go out, as a function of model time alone.
//
// A node with nothing left to do says how many frames it has consumed and when its earliest timer
// is due. When all nodes are idle and every frame sent to them is accounted for, the next group
// goes out: link control first (it takes no model time), then the data frames of the earliest model
// time, then the timers. A group is sorted by destination, in-port and order on its wire, so what a
// node gets, and in which order, depends on nothing but the seed.
//
// Behind all times come two orders that take no time: processes that gave way have their next turn
// (wire::kNextTurn) when nothing else can move, and questions after silent nodes leave when nothing
// can move at all (wire::kAtRest), or after kTurnsOfRest turns, so that a process that only polls
// holds up no question for ever. Nor does one that has a heartbeat: questions also leave when
// timers have moved model time by kSpanOfRest since a node or a cable failed, or since questions
// last left. While nothing has failed, questions could only find a program that has ended, and they
// leave after kCalmSpanOfRest.
//
// A node gets a group in batches that its receive FIFO holds, each in one go and only while it is
// idle: how fast the host moves bytes cannot change what the node sees.
#pragma once

#include "core/base/types.hpp"
#include "host-tools/mesh/common/bytes.hpp"
#include "kernel/base/limits.hpp"
#include "wire/frame.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

/// Bytes of frames that a node may have received and not consumed; its FIFO holds 10.5 kB and the
/// status words of 176 frames. Ethernet pads short frames and adds a checksum.
inline constexpr std::size_t kBatchBytesMax = 8192;
inline constexpr std::size_t kShortFrameBytes = 60;
inline constexpr std::size_t kFifoHeadBytes = 4;
static_assert(kBatchBytesMax / (kShortFrameBytes + kFifoHeadBytes) < 176);

/// A frame on its way.
struct Held {
    std::uint32_t wire = 0;  // number of the wire in the loom
    std::uint64_t place = 0; // destination and in-port, in the order of delivery
    std::uint64_t arrival = 0;
    Bytes frame;
};

class OrderedFrames;
class Turns;

class Lockstep {
public:
    /// `pass` takes a released frame through the faults of its wire, `deliver` hands bytes to a
    /// node.
    struct Outlet {
        std::function<void(Held&)> pass;
        std::function<void(NodeId, std::span<const std::byte>)> deliver;
        /// Enqueues a grant of `time` for a node.
        std::function<void(NodeId, wire::ModelTime)> grant;
        /// Puts frames that faults kept back on their way; true if there were any.
        std::function<bool()> flush;
    };

    Lockstep(std::uint32_t nodes, Outlet outlet);

    /// Each batch is one frame: for nodes whose ports have lines of their own, on which frames of
    /// one batch would come in any order.
    void send_one_at_a_time() { batch_bytes_max_ = 0; }
    /// Packets go out one by one, in the order of `frames`, which outlives this.
    void follow(OrderedFrames& frames) { ordered_ = &frames; }
    /// The processes that `turns` holds back go on when no packet is on its way, before the next
    /// timer. Those that gave way, or wait for no more than kOvertakenTicks, have one more turn
    /// before the others whenever one of these has gone on. `turns` outlives this.
    void give_turns(Turns& turns) { by_turns_ = &turns; }
    /// The node is to look once more at what it can do: it is told the time that it knows.
    void remind(NodeId node) { outlet_.grant(node, nodes_[index(node)].granted); }
    /// Frames count from reset, also before lockstep begins; from now on they are also held.
    void begin();
    bool on() const { return on_; }

    /// Delivers at once, outside lockstep.
    void deliver_now(NodeId to, std::span<const std::byte> frame);
    /// Appends a frame to the queue of `to`, which gets it as soon as it is idle.
    void enqueue(NodeId to, std::span<const std::byte> frame) { enqueue(to, copy_of(frame)); }
    void enqueue(NodeId to, Bytes&& frame);
    /// Holds a frame until its group is due: `time` 0 for link control. `place` orders a group.
    void hold(std::uint32_t wire, std::uint64_t place, wire::ModelTime time,
              std::span<const std::byte> frame);

    /// A node reports the frames consumed since its reset and its earliest timer. Returns what is
    /// wrong with an impossible report, which changes nothing; "" for a good one. Model time does
    /// not go back: a timer lies behind the last time that the node was granted. The two orders
    /// behind all times are always right.
    [[nodiscard]] std::string_view idle(NodeId node, std::uint32_t consumed, wire::ModelTime timer);
    /// Takes the node out of lockstep: it owes nothing and gets nothing.
    void exclude(NodeId node);
    /// The node begins anew, also if it was excluded: all wait for its first report.
    void restart(NodeId node);
    /// A node or a cable has failed.
    void on_failure();
    /// A report of the node has come since it began.
    bool reported(NodeId node) const { return nodes_[index(node)].reported; }
    /// The latest model time that anything was released for.
    wire::ModelTime now() const { return now_; }

    /// Releases groups until some node has something to do, or nothing is left.
    void advance();

    /// True if all nodes are idle and nothing is held and no timer runs: nothing will ever happen.
    bool quiescent() const;
    /// Counts the groups and grants that went out. What nodes do between two of them depends on
    /// the seed alone.
    std::uint64_t rounds() const { return rounds_; }
    /// Counts the rounds that released packets or granted a time, not those of link control, turns
    /// and rests.
    std::uint64_t moves() const { return moves_; }
    /// True if `node` had the last turn of all.
    bool has_turn(NodeId node) const { return nodes_[index(node)].turn == turns_ && turns_ != 0; }
    /// Frames delivered to `node` so far.
    std::uint32_t delivered(NodeId node) const { return nodes_[index(node)].delivered; }
    /// True if `node` owes an idle report.
    bool awaited(NodeId node) const { return !idle(nodes_[index(node)]); }

    /// Turns after which questions leave all the same.
    static constexpr std::uint64_t kTurnsOfRest = 1024;
    /// The time that a node that runs free waits for the answer to a question.
    static constexpr wire::ModelTime kSpanOfRest =
        std::uint64_t{limits::kAskRtos} * limits::kRtoMinUs * limits::kTicksPerUs;
    static constexpr wire::ModelTime kCalmSpanOfRest = 100 * kSpanOfRest;

private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
    struct Member {
        std::uint32_t delivered = 0;
        std::uint32_t consumed = 0;
        wire::ModelTime timer = wire::kNever;
        wire::ModelTime noted = wire::kNever; // the earliest that timers_ has for it
        wire::ModelTime granted = 0;          // the last time that it was told
        unsigned stale_timers = 0;            // in a row, not behind that time
        std::uint64_t turn = 0;               // the last one that it had, of turns_
        bool reported = false;                // an idle report has come since lockstep began
        bool excluded = false;
        bool busy = true;            // as counted in busy_
        std::uint32_t first = kNone; // of the frames that wait for it, in queued_
        std::uint32_t last = kNone;
    };
    using Timer = std::pair<wire::ModelTime, std::uint32_t>; // and the node
    /// A frame that waits for a node. All nodes share the places.
    struct Queued {
        Bytes frame;
        std::uint32_t next;
    };
    /// Of a frame that goes out: keys are sorted in place of the frames, which are heavy.
    struct SortKey {
        std::uint64_t place; // as Held::place
        std::size_t number;  // in the group: frames came in the order of their arrivals
        auto operator<=>(const SortKey&) const = default;
    };
    Bytes take_first(Member& member);
    void drop_queue(Member& member);
    bool idle(const Member& member) const {
        return member.excluded ||
               (member.reported && member.delivered == member.consumed && member.first == kNone);
    }
    std::string_view complaint(Member& member, wire::ModelTime timer) const;
    void set_timer(NodeId node, wire::ModelTime time);
    void recount(Member& member);
    void send_batch(NodeId to);
    void send_batches();
    void release();
    bool release_next();
    void release_ordered();
    bool release_turn(wire::ModelTime timer);
    wire::ModelTime earliest_timer();
    void grant(wire::ModelTime time);
    void grant_turn(wire::ModelTime order);
    void grant_rest();
    void tell(wire::ModelTime timer, wire::ModelTime granted);
    Bytes copy_of(std::span<const std::byte> frame);

    Outlet outlet_;
    std::vector<Member> nodes_;
    std::vector<Queued> queued_;
    std::uint32_t free_ = kNone; // first place of those that are free
    std::vector<Held> control_;
    std::map<wire::ModelTime, std::vector<Held>> data_;
    std::vector<Held> group_; // the frames that go out now, as they came
    std::vector<SortKey> sort_keys_;
    Turns* by_turns_ = nullptr;
    bool has_looked_ = false; // a process that waits a moment, since another one has gone on
    OrderedFrames* ordered_ = nullptr; // has the data frames instead, if there is one
    // An entry for each node that has a timer, no later than that timer: most timers are put off
    // before they are due, and an entry that is too early is replaced when it comes first.
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
    std::uint32_t timers_set_ = 0;
    std::vector<std::uint32_t> to_send_; // nodes whose queue got something during a release
    std::vector<Bytes> spare_;
    wire::ModelTime now_ = 0;
    wire::ModelTime rest_at_ = kCalmSpanOfRest;
    wire::ModelTime span_of_rest_ = kCalmSpanOfRest;
    std::uint64_t arrivals_ = 0;
    std::uint64_t rounds_ = 0;
    std::uint64_t turns_ = 0; // and rests
    std::uint64_t moves_ = 0;
    std::int64_t busy_ = 0; // nodes that are not idle
    std::size_t batch_bytes_max_ = kBatchBytesMax;
    bool on_ = false;
    bool releasing_ = false;
};

} // namespace mesh::host
