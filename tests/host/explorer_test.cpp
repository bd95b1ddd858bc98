// The orders that are tried, against all interleavings of small programs: what nodes can tell apart
// is found, and no more is run than there are interleavings.
#include "host-tools/mesh/series/explorer.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace mesh::host {
namespace {

/// One step of a process: a message to a node, or the next one that has come.
struct Act {
    static constexpr std::uint32_t kTake = 99;
    std::uint32_t to;
};
/// The processes, one at each node.
using Work = std::vector<std::vector<Act>>;

/// A mesh in which what is sent has arrived at once. A turn ends with each act; a process that
/// takes, where nothing has come, is not ready.
class Model {
public:
    explicit Model(const Work& work)
        : work_(work),
          next_(work.size()),
          come_(work.size()),
          taken_(work.size()) {}

    std::vector<Turn> ready() const {
        std::vector<Turn> all;
        for (std::uint32_t node = 0; node < work_.size(); ++node)
            if (next_[node] < work_[node].size() &&
                (work_[node][next_[node]].to != Act::kTake || !come_[node].empty()))
                all.push_back({node_at(node), 0});
        return all;
    }
    /// Returns the node that the turn has reached beside its own, or its own.
    NodeId go(const Turn& turn) {
        const std::uint32_t node = index(turn.node);
        const Act act = work_[node][next_[node]++];
        if (act.to != Act::kTake) {
            come_[act.to].push_back(node);
            return node_at(act.to);
        }
        taken_[node] += static_cast<char>('0' + come_[node].front());
        come_[node].pop_front();
        return turn.node;
    }
    /// The senders whose messages each node has taken, in their order.
    std::string seen() const {
        std::string all;
        for (const std::string& one : taken_)
            all += one + " ";
        return all;
    }

private:
    const Work& work_;
    std::vector<std::size_t> next_;
    std::vector<std::deque<std::uint32_t>> come_;
    std::vector<std::string> taken_;
};

/// Every interleaving; returns their number.
std::uint64_t enumerate(const Model& model, std::set<std::string>& seen) {
    const std::vector<Turn> ready = model.ready();
    if (ready.empty()) {
        seen.insert(model.seen());
        return 1;
    }
    std::uint64_t runs = 0;
    for (const Turn& turn : ready) {
        Model next = model;
        next.go(turn);
        runs += enumerate(next, seen);
    }
    return runs;
}

/// What runs in other processes have seen.
class Seen {
public:
    Seen() : room_(std::construct_at(static_cast<Room*>(mapped()))) {}
    Seen(const Seen&) = delete;
    Seen& operator=(const Seen&) = delete;
    ~Seen() { munmap(room_, sizeof(Room)); }

    void add(const std::string& words) {
        const std::string line = words + "\n";
        ASSERT_LE(room_->used + line.size(), room_->text.size());
        std::ranges::copy(line, room_->text.begin() + static_cast<std::ptrdiff_t>(room_->used));
        room_->used += line.size();
    }
    std::vector<std::string> all() const {
        std::vector<std::string> lines;
        std::string line;
        for (const char letter : std::span(room_->text).first(room_->used))
            if (letter != '\n')
                line += letter;
            else
                lines.push_back(std::exchange(line, {}));
        return lines;
    }

private:
    struct Room {
        std::size_t used = 0;
        std::array<char, std::size_t{1} << 20> text{};
    };
    static void* mapped() {
        return mmap(nullptr, sizeof(Room), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                    0);
    }
    Room* room_;
};

Explorer::Found explored(const Work& work, Seen& seen, std::uint64_t most = 1'000'000,
                         const std::function<bool(const std::string&)>& is_right = nullptr) {
    Explorer explorer(most);
    return explorer.explore([&] {
        Model model(work);
        for (std::vector<Turn> ready = model.ready(); !ready.empty(); ready = model.ready())
            explorer.reached(model.go(ready[explorer.choose(ready)]));
        seen.add(model.seen());
        return !is_right || is_right(model.seen());
    });
}

constexpr Act kTake{Act::kTake};
/// Nodes 1 to 3 each send a number to node 0, which takes three.
const Work kArrivals{{kTake, kTake, kTake}, {{0}}, {{0}}, {{0}}};

TEST(Explorer, WhatNodesSeeInAllInterleavingsIsSeenInTheOrdersThatAreTried) {
    Rng dice(1, 1);
    for (unsigned number = 0; number < 24; ++number) {
        Work work(2 + dice.below(3));
        std::vector<std::uint32_t> sent(work.size());
        for (auto& process : work)
            for (std::uint64_t left = 1 + dice.below(2); left != 0; --left) {
                const auto to = static_cast<std::uint32_t>(dice.below(work.size()));
                process.push_back({to});
                ++sent[to];
            }
        for (std::size_t node = 0; node < work.size(); ++node)
            for (std::uint64_t left = dice.below(sent[node] + 1); left != 0; --left)
                work[node].insert(work[node].begin() + static_cast<std::ptrdiff_t>(
                                                           dice.below(work[node].size() + 1)),
                                  kTake);
        std::set<std::string> expected;
        const std::uint64_t interleavings = enumerate(Model(work), expected);
        if (interleavings > 1'000)
            continue;
        Seen seen;
        const Explorer::Found found = explored(work, seen);
        const std::vector<std::string> all = seen.all();
        EXPECT_EQ(std::set(all.begin(), all.end()), expected) << "work " << number;
        EXPECT_TRUE(found.all);
        EXPECT_EQ(found.runs, all.size());
        EXPECT_LE(found.runs, interleavings);
    }
}

TEST(Explorer, ProcessesThatNeverMeetHaveOneOrder) {
    Seen seen;
    const Work apart{{{0}, {0}, kTake, kTake}, {{1}, {1}, kTake}, {{2}, kTake}};
    std::set<std::string> expected;
    EXPECT_GT(enumerate(Model(apart), expected), 1000u);
    const Explorer::Found found = explored(apart, seen);
    EXPECT_EQ(found.runs, 1u);
    EXPECT_TRUE(found.all);
}

TEST(Explorer, ItEndsAtTheFirstFailureAndItsPutOffsRepeatIt) {
    Seen seen;
    const auto is_right = [](const std::string& what) { return !what.starts_with("312"); };
    const Explorer::Found found = explored(kArrivals, seen, 1'000'000, is_right);
    EXPECT_TRUE(found.failed);
    EXPECT_FALSE(found.all);
    EXPECT_EQ(seen.all().back().substr(0, 3), "312");
    Order order({.put_off = found.put_off, .drawn = {}, .seed = 1, .by_turns = true}, 4);
    order.begin();
    Model model(kArrivals);
    for (std::vector<Turn> ready = model.ready(); !ready.empty(); ready = model.ready())
        model.go(ready[order.next_of(ready)]);
    EXPECT_EQ(model.seen().substr(0, 3), "312");
}

TEST(Explorer, ALimitThatIsEnoughIsNoLimit) {
    Seen seen;
    const std::uint64_t runs = explored(kArrivals, seen).runs;
    EXPECT_GE(runs, 6u);
    EXPECT_TRUE(explored(kArrivals, seen, runs).all);
    const Explorer::Found cut = explored(kArrivals, seen, runs - 1);
    EXPECT_FALSE(cut.all);
    EXPECT_FALSE(cut.failed);
    EXPECT_EQ(cut.runs, runs - 1);
}

} // namespace
} // namespace mesh::host
