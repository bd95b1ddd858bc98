// Goes through the states of two ends of a cable (link_world.hpp), level by level: all that can
// come of at most so many events. A state that was seen before, but for numbers, is not gone into
// again; of each that is remembered, 64 bits are kept. From every state that is looked at the way
// without further faults must lead to rest, with every packet delivered.
//
//   explore_link [--states N] [--buffers N] [--window N] [--frames N] [--one-way] [--no-lives]
//                [--rest-of N]
//
// Prints what was seen; a broken promise with the events that lead to it. Exit status: 0 none was
// broken, 1 one was, 2 a bad argument.
#include "link_world.hpp"
#include "seen.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <memory>

namespace mesh::model {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::uint64_t hash(const std::vector<std::uint32_t>& words) {
    std::uint64_t sum = 0x9E37'79B9'7F4A'7C15;
    for (const std::uint32_t word : words) {
        sum = (sum ^ word) * 0xBF58'476D'1CE4'E5B9;
        sum ^= sum >> 29;
    }
    sum *= 0x94D0'49BB'1331'11EB;
    return sum ^ (sum >> 32);
}

/// The states of one level, in slabs that go when they have been gone into.
class Level {
public:
    explicit Level(std::size_t bytes) : bytes_(bytes) {}

    std::byte* add(std::uint32_t number) {
        if (numbers_.size() % kSlab == 0)
            slabs_.push_back(std::make_unique_for_overwrite<std::byte[]>(kSlab * bytes_));
        numbers_.push_back(number);
        return at(numbers_.size() - 1);
    }
    std::byte* at(std::size_t place) const {
        return slabs_[place / kSlab].get() + place % kSlab * bytes_;
    }
    std::uint32_t number(std::size_t place) const { return numbers_[place]; }
    std::size_t size() const { return numbers_.size(); }
    void done_with(std::size_t place) {
        if (place % kSlab == kSlab - 1)
            slabs_[place / kSlab].reset();
    }

private:
    static constexpr std::size_t kSlab = 1024;
    std::size_t bytes_;
    std::vector<std::unique_ptr<std::byte[]>> slabs_;
    std::vector<std::uint32_t> numbers_; // of the steps that led there
};

struct Options {
    Limits limits;
    std::size_t states = 300'000;
    unsigned rest_of = 16; // of so many states one is let come to rest
};

class Explorer {
public:
    explicit Explorer(const Options& options)
        : options_(options),
          world_(std::make_unique<LinkWorld>(options.limits)),
          seen_(options.states),
          bytes_(world_->snapshot_bytes()) {}

    /// True if no promise was broken.
    bool run() {
        Level level{bytes_};
        world_->save(level.add(0));
        seen_.add(hash(world_->state()));
        steps_.push_back({kNone, {}});
        unsigned depth = 0;
        bool whole = true;
        while (level.size() != 0 && whole) {
            Level next{bytes_};
            for (std::size_t at = 0; at < level.size() && whole; ++at) {
                if (!go_into(level.at(at), level.number(at), next))
                    return false;
                level.done_with(at);
                whole = steps_.size() < options_.states;
            }
            level = std::move(next);
            depth += whole && level.size() != 0 ? 1 : 0;
        }
        fmt::print("{} states, {} events, {} ways to rest; {} to depth {}\n", steps_.size(),
                   events_, rests_, whole ? "all there are," : "all", depth);
        return true;
    }

private:
    struct Step {
        std::uint32_t before;
        Action action;
    };

    bool go_into(const std::byte* from, std::uint32_t number, Level& next) {
        for (std::uint8_t end = 0; end < 2; ++end)
            for (unsigned kind = 0; kind < static_cast<unsigned>(Action::Kind::kCount); ++kind) {
                const Action action{static_cast<Action::Kind>(kind), end};
                world_->restore(from);
                if (!world_->possible(action))
                    continue;
                ++events_;
                if (const char* wrong = world_->act(action); wrong != nullptr)
                    return tell(wrong, number, action);
                const std::uint64_t key = hash(world_->state());
                if (!seen_.add(key))
                    continue;
                steps_.push_back({number, action});
                world_->save(next.add(static_cast<std::uint32_t>(steps_.size() - 1)));
                if ((key >> 8) % options_.rest_of != 0)
                    continue;
                ++rests_;
                if (const char* wrong = world_->come_to_rest(); wrong != nullptr)
                    return tell(wrong, number, action, "and without further faults:");
            }
        return true;
    }

    bool tell(const char* wrong, std::uint32_t number, const Action& last,
              const char* then = "") const {
        std::vector<Action> actions{last};
        for (; steps_[number].before != kNone; number = steps_[number].before)
            actions.push_back(steps_[number].action);
        std::reverse(actions.begin(), actions.end());
        fmt::print("BROKEN: {}\n", wrong);
        for (const Action& action : actions)
            fmt::print("  {}\n", words_of(action));
        fmt::print("  {} {}\n", then, wrong);
        return false;
    }

    Options options_;
    std::unique_ptr<LinkWorld> world_;
    Seen seen_;
    std::size_t bytes_;
    std::vector<Step> steps_;
    std::uint64_t events_ = 0, rests_ = 0;
};

} // namespace
} // namespace mesh::model

int main(int count, char** words) {
    using namespace mesh::model;
    CLI::App app{"Goes through the states of two ends of a cable."};
    Options options;
    bool no_lives = false;
    app.add_option("--states", options.states, "at most");
    app.add_option("--buffers", options.limits.buffers, "of each end")->check(CLI::Range(2u, 6u));
    app.add_option("--window", options.limits.window, "frames")->check(CLI::Range(1u, 3u));
    app.add_option("--frames", options.limits.frames, "on the cable")->check(CLI::Range(1u, 4u));
    app.add_flag("--one-way", options.limits.one_way, "one end only offers packets");
    app.add_flag("--no-lives", no_lives, "no link dies, no end begins anew");
    app.add_option("--rest-of", options.rest_of, "states of which one is let come to rest")
        ->check(CLI::PositiveNumber);
    try {
        app.parse(count, words);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    options.limits.lives = !no_lives;
    return Explorer{options}.run() ? 0 : 1;
}
