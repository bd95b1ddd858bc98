#include "single.hpp"

#include "network_words.hpp"
#include "schedule.hpp"

#include <fmt/core.h>

#include <array>
#include <csignal>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace mesh::soak {

namespace {

constexpr std::array<std::string_view, 4> kKinds{"drop", "twice", "swap", "corrupt"};
constexpr unsigned kFailuresMax = 10;

/// The command that repeats the run that is under way, for one that ends the program.
char under_way[200];

void tell_command(int signal) {
    const ssize_t written = write(STDOUT_FILENO, under_way, std::strlen(under_way));
    _exit(written > 0 ? 1 : signal);
}

bool read_fault(std::string_view word, FrameFault& fault) {
    const std::size_t colon = word.find(':');
    unsigned frame = 0;
    if (colon == word.npos || !read_number(word.substr(0, colon), frame))
        return false;
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
        if (word.substr(colon + 1) == kKinds[kind]) {
            fault = {frame, static_cast<Harm>(kind)};
            return true;
        }
    return false;
}

class SingleFaults {
public:
    SingleFaults(std::string_view network, std::string_view work, const Schedule& schedule)
        : command_(fmt::format("soak single {} {}", network, work)),
          schedule_(schedule) {}

    /// False if it failed, which is told.
    bool run_with(std::vector<FrameFault> faults) {
        schedule_.frames = std::move(faults);
        std::string command = command_;
        for (const FrameFault& fault : schedule_.frames)
            command +=
                fmt::format(" {}:{}", fault.frame, kKinds[static_cast<std::size_t>(fault.how)]);
        const auto end =
            fmt::format_to_n(under_way, sizeof under_way - 1, "FAILED: repeat: {}\n", command);
        *end.out = 0;
        const Outcome outcome = run(schedule_);
        ++runs_;
        frames_ = outcome.frames;
        if (outcome.failure.empty())
            return true;
        ++failures_;
        fmt::print("FAILED: {}\n  repeat: {}\n", outcome.failure, command);
        return false;
    }

    void every_fault(bool pairs) {
        run_with({});
        const std::uint64_t faults = frames_ * kKinds.size();
        for (std::uint64_t first = 0; first < faults; ++first) {
            run_with({fault(first)});
            const std::uint64_t next_frame = (first / kKinds.size() + 1) * kKinds.size();
            for (std::uint64_t second = next_frame; pairs && second < faults; ++second)
                if (!run_with({fault(first), fault(second)}) && failures_ >= kFailuresMax)
                    return;
            if (failures_ >= kFailuresMax)
                return;
        }
    }

    int tell() const {
        fmt::print("{}: {} runs, {} failed\n", command_, runs_, failures_);
        return failures_ == 0 ? 0 : 1;
    }

private:
    static FrameFault fault(std::uint64_t number) {
        return {1 + number / kKinds.size(), static_cast<Harm>(number % kKinds.size())};
    }

    std::string command_;
    Schedule schedule_;
    std::uint64_t runs_ = 0, frames_ = 0;
    unsigned failures_ = 0;
};

} // namespace

int single_faults(int count, char** words) {
    Schedule schedule; // of the fair part only
    schedule.delay_ms = 50;
    const std::string_view work = count > 2 ? words[2] : "";
    bool good = count > 2 && read_network(words[1], schedule.network) &&
                (work == "collectives" || work == "messages");
    schedule.work = {.seed = 1,
                     .kind = work == "messages" ? Work::Kind::messages : Work::Kind::collectives,
                     .packets = 3};
    const bool pairs = count == 4 && std::string_view{words[3]} == "pairs";
    std::vector<FrameFault> faults;
    for (int word = 3; word < count && !pairs; ++word)
        good = read_fault(words[word], faults.emplace_back()) && good;
    if (!good) {
        fmt::print(stderr, "single NAME:DIM collectives|messages [pairs | FRAME:KIND...]\n");
        return 2;
    }
    for (const int signal : {SIGABRT, SIGSEGV})
        std::signal(signal, tell_command);
    SingleFaults single{words[1], work, schedule};
    if (faults.empty())
        single.every_fault(pairs);
    else
        single.run_with(faults);
    return single.tell();
}

} // namespace mesh::soak
