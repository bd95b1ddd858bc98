// Schedules of whole kernels without end: each has a seed, from which all of it follows.
//
//   soak [--seconds N] [--schedules N] [--from SEED] [--workers N] [--network NAME:DIM] [--keep
//   DIR] [--healthy] [--kind KIND] [--own-tags] [--failures N] [--whole]
//   soak --seed SEED [--kind KIND] [--only 0,3] [--senders N] [--messages N] [--packets N]
//   [--without 0,2] [--trace]
//   soak single NAME:DIM WORK [pairs | FRAME:KIND...]: see single.hpp
//
// Workers are processes, so a schedule that crashes, stops at a CHECK or never ends is a failure
// like another. What fails is shrunk to the fewest faults and the least work that still fail, and
// printed with the command that repeats it. Exit status: 0 nothing failed, 1 something did, 2 a bad
// argument.
#include "host-tools/mesh/common/shrink.hpp"
#include "network_words.hpp"
#include "schedule.hpp"
#include "single.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace mesh::soak {
namespace {

constexpr unsigned kWorkersMax = 64;
/// Of processor time, for one schedule.
constexpr unsigned kScheduleSeconds = 20;
constexpr std::size_t kWordsMax = 400;

constexpr std::array<std::string_view, 10> kKindWords{
    "mixed", "storm", "sequence", "ends", "flaps", "parts", "late", "resets", "bursts", "any"};

struct Options {
    std::uint64_t from = 0;
    std::uint64_t schedules = ~std::uint64_t{0};
    double seconds = 60;
    unsigned workers = 1;
    unsigned failures = 20; // after which it stops
    bool whole = false;     // what fails is not shrunk
    std::string network, keep, program;
    Kinds kinds = Kinds::any;
    std::uint64_t seed = 0;
    std::vector<unsigned> only, without;
    unsigned senders = 0, messages = 0, packets = 0; // 0: as the seed says
    bool trace = false;
    bool healthy = false;  // no faults
    bool own_tags = false; // of collectives in a row
};

/// The work that a worker has done; in memory that it shares with its parent.
struct Tally {
    std::uint64_t seed, schedules, cubes, hops, steps, sent, taken, links_dead;
    char failure[kWordsMax];

    void say(std::string_view words) {
        const std::size_t bytes = std::min(words.size(), kWordsMax - 1);
        std::memcpy(failure, words.data(), bytes);
        failure[bytes] = 0;
    }
};

Tally* shared_tallies() {
    void* const memory = mmap(nullptr, kWorkersMax * sizeof(Tally), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw std::runtime_error("no memory to share with workers");
    return static_cast<Tally*>(memory);
}

Schedule schedule_for(const Options& options, std::uint64_t seed) {
    std::optional<Network> network;
    if (Network given; read_network(options.network, given))
        network = given;
    Schedule schedule = schedule_of(seed, network, kinds_of(seed, options.kinds));
    if (options.healthy)
        schedule.faults.clear();
    if (options.own_tags)
        schedule.work.one_tag = false;
    return schedule;
}

/// The limit of one schedule's processor time: a schedule that never ends is killed.
void begin_schedule() {
    itimerval limit{};
    limit.it_value.tv_sec = kScheduleSeconds;
    setitimer(ITIMER_PROF, &limit, nullptr);
}

std::string words_of_death(int status) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        return fmt::format("it takes more than {} s", kScheduleSeconds);
    if (WIFSIGNALED(status))
        return fmt::format("it ends with signal {} ({})", WTERMSIG(status),
                           strsignal(WTERMSIG(status)));
    return fmt::format("it ends with exit status {}", WEXITSTATUS(status));
}

// Shrinking ---------------------------------------------------------------------------------------

/// Runs a schedule in a process of its own; what fails, or nothing.
std::string failure_of(const Schedule& schedule, Tally& room) {
    room.failure[0] = 0;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (std::freopen("/dev/null", "w", stderr) == nullptr)
            _exit(4);
        begin_schedule();
        room.say(run(schedule).failure);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? room.failure : words_of_death(status);
}

/// A schedule with the numbers that its faults have in that of the seed.
struct Shrunk {
    Schedule schedule;
    std::vector<unsigned> kept;
    std::string failure;

    /// This one, of whose work as much is left as here, with these of the faults of `whole`.
    Shrunk with(const Schedule& whole, const std::vector<unsigned>& faults) const {
        Shrunk less = *this;
        less.kept = faults;
        less.schedule.faults.clear();
        for (const unsigned fault : faults)
            less.schedule.faults.push_back(whole.faults[fault]);
        return less;
    }
};

bool take_if_it_fails(Shrunk& best, Shrunk less, Tally& room) {
    less.failure = failure_of(less.schedule, room);
    if (less.failure.empty())
        return false;
    best = std::move(less);
    return true;
}

Shrunk as_it_is(const Schedule& schedule, const std::string& failure) {
    Shrunk whole{schedule, {}, failure};
    for (unsigned fault = 0; fault < schedule.faults.size(); ++fault)
        whole.kept.push_back(fault);
    return whole;
}

/// Of those that can be left out one by one; the last one is left out as a sender.
unsigned parts_max(const Work& work) { return work.kind == Work::Kind::parts ? work.senders : 0; }

Shrunk shrink(const Schedule& schedule, const std::string& failure, Tally& room) {
    Shrunk best = as_it_is(schedule, failure);
    for (bool smaller = true; smaller;) {
        smaller = false;
        host::shrink(best.kept, [&](const std::vector<unsigned>& faults) {
            const bool fails = take_if_it_fails(best, best.with(schedule, faults), room);
            smaller = smaller || fails;
            return fails;
        });
        for (const auto what : {&Work::senders, &Work::messages, &Work::packets})
            while (best.schedule.work.*what > 1) {
                Shrunk less = best;
                --(less.schedule.work.*what);
                if (!take_if_it_fails(best, less, room))
                    break;
                smaller = true;
            }
        for (unsigned part = 0; part + 1 < parts_max(best.schedule.work); ++part) {
            Shrunk less = best;
            less.schedule.work.left_out |= 1u << part;
            if (less.schedule.work.left_out != best.schedule.work.left_out)
                smaller = take_if_it_fails(best, less, room) || smaller;
        }
    }
    return best;
}

std::vector<unsigned> numbers_of(std::uint32_t set) {
    std::vector<unsigned> numbers;
    for (unsigned number = 0; number < 32; ++number)
        if ((set >> number & 1u) != 0)
            numbers.push_back(number);
    return numbers;
}

void tell_failure(const Options& options, const Shrunk& failed) {
    const Work& work = failed.schedule.work;
    std::string command = fmt::format("{} --seed {}", options.program, work.seed);
    const Kinds kinds = kinds_of(work.seed, options.kinds);
    if (kinds != Kinds::mixed)
        command += fmt::format(" --kind {}", kKindWords[static_cast<std::size_t>(kinds)]);
    if (options.own_tags)
        command += " --own-tags";
    if (!options.network.empty())
        command += " --network " + options.network;
    command +=
        fmt::format(" --only {} --senders {} --messages {} --packets {}",
                    failed.kept.empty() ? "none" : fmt::format("{}", fmt::join(failed.kept, ",")),
                    work.senders, work.messages, work.packets);
    if (work.left_out != 0)
        command += fmt::format(" --without {}", fmt::join(numbers_of(work.left_out), ","));
    const std::string text = fmt::format("FAILED: {}\n  {}\n  repeat: {}\n", failed.failure,
                                         words_of(failed.schedule), command);
    fmt::print("{}", text);
    std::fflush(stdout);
    if (options.keep.empty())
        return;
    std::filesystem::create_directories(options.keep);
    const std::string file = fmt::format("{}/{}.txt", options.keep, work.seed);
    std::ofstream{file} << text;
    fmt::print("  kept in {}\n", file);
}

// Workers -----------------------------------------------------------------------------------------

using Clock = std::chrono::steady_clock;

[[noreturn]] void work(const Options& options, Tally& tally, std::uint64_t first,
                       Clock::time_point end) {
    const std::uint64_t last = options.from + options.schedules;
    for (tally.seed = first; tally.seed - options.from < last - options.from && Clock::now() < end;
         tally.seed += options.workers) {
        const Schedule schedule = schedule_for(options, tally.seed);
        begin_schedule();
        const Outcome outcome = run(schedule);
        ++tally.schedules;
        tally.cubes += schedule.network == Network{Topology::cube, 3} ? 1 : 0;
        tally.hops += outcome.hops;
        tally.steps += outcome.steps;
        tally.sent += outcome.sent;
        tally.taken += outcome.taken;
        tally.links_dead += outcome.links_dead;
        tally.say(outcome.failure);
        if (!outcome.failure.empty())
            _exit(1);
    }
    _exit(0);
}

pid_t start_worker(const Options& options, Tally& tally, std::uint64_t first,
                   Clock::time_point end) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        work(options, tally, first, end);
    return child;
}

/// Until time or schedules are over. Gives the number of failures.
unsigned soak(const Options& options) {
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(options.seconds));
    Tally* const tallies = shared_tallies();
    Tally& room = tallies[kWorkersMax - 1];
    std::vector<pid_t> workers;
    for (unsigned worker = 0; worker < options.workers; ++worker)
        workers.push_back(start_worker(options, tallies[worker], options.from + worker, end));
    unsigned failures = 0;
    for (unsigned left = options.workers; left != 0;) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, 0);
        const auto which =
            static_cast<std::size_t>(std::ranges::find(workers, ended) - workers.begin());
        if (status == 0) {
            --left;
            continue;
        }
        Tally& tally = tallies[which];
        const Schedule schedule = schedule_for(options, tally.seed);
        const bool told = WIFEXITED(status) && WEXITSTATUS(status) == 1;
        const std::string failure = told ? tally.failure : words_of_death(status);
        tell_failure(options,
                     options.whole ? as_it_is(schedule, failure) : shrink(schedule, failure, room));
        if (++failures >= options.failures)
            break;
        workers[which] = start_worker(options, tally, tally.seed + options.workers, end);
    }
    for (const pid_t worker : workers)
        kill(worker, SIGKILL);
    Tally all{};
    for (unsigned worker = 0; worker < options.workers; ++worker) {
        all.schedules += tallies[worker].schedules;
        all.cubes += tallies[worker].cubes;
        all.hops += tallies[worker].hops;
        all.steps += tallies[worker].steps;
        all.sent += tallies[worker].sent;
        all.taken += tallies[worker].taken;
        all.links_dead += tallies[worker].links_dead;
    }
    fmt::print("soak from seed {}: {} schedules ({} of the 3-cube), {} hops, {} steps, {} messages "
               "sent, {} taken, {} sessions of links ended; {} failed\n",
               options.from, all.schedules, all.cubes, all.hops, all.steps, all.sent, all.taken,
               all.links_dead, failures);
    return failures;
}

/// One schedule, as far as the options leave it whole.
int repeat(const Options& options, bool all_faults) {
    Schedule schedule = schedule_for(options, options.seed);
    std::vector<Fault> kept;
    for (unsigned fault = 0; fault < schedule.faults.size(); ++fault)
        if (all_faults || std::ranges::find(options.only, fault) != options.only.end())
            kept.push_back(schedule.faults[fault]);
    schedule.faults = kept;
    const auto reduce = [](unsigned& number, unsigned to) { number = to != 0 ? to : number; };
    reduce(schedule.work.senders, options.senders);
    reduce(schedule.work.messages, options.messages);
    reduce(schedule.work.packets, options.packets);
    for (const unsigned part : options.without)
        schedule.work.left_out |= 1u << part;
    fmt::print("{}\n", words_of(schedule));
    std::fflush(stdout);
    begin_schedule();
    const Outcome outcome = run(schedule, options.trace);
    fmt::print("{} hops, {} steps, {} messages sent, {} taken: {}\n", outcome.hops, outcome.steps,
               outcome.sent, outcome.taken,
               outcome.failure.empty() ? "nothing failed" : "FAILED: " + outcome.failure);
    return outcome.failure.empty() ? 0 : 1;
}

} // namespace
} // namespace mesh::soak

int main(int count, char** words) {
    using namespace mesh::soak;
    if (count > 1 && std::string_view{words[1]} == "single")
        return single_faults(count - 1, words + 1);
    CLI::App app{
        "Runs schedules of whole kernels, each of a seed, and checks what became of them."};
    Options options;
    options.program = words[0];
    options.from = static_cast<std::uint64_t>(
                       std::chrono::system_clock::now().time_since_epoch().count() / 1000) %
                   1'000'000'000'000;
    std::vector<std::string> only;
    std::string_view kind_word = "any";
    std::string kind_given;
    app.add_option("--seconds", options.seconds, "how long, 60")->check(CLI::PositiveNumber);
    app.add_option("--schedules", options.schedules, "how many at most");
    app.add_option("--from", options.from, "first seed; a new one each time if it is not given");
    app.add_option("--workers", options.workers, "processes")
        ->check(CLI::Range(1u, kWorkersMax - 1));
    app.add_option("--network", options.network, "of all schedules; mostly the 3-cube if not given")
        ->check(CLI::IsMember(
            {"cube:2", "cube:3", "cube:4", "uhc:2", "uhc:3", "uhc:4", "star:3", "star:4"}));
    auto* const kind =
        app.add_option("--kind", kind_given, "of work; any, with --seed mixed, if not given")
            ->check(CLI::IsMember(kKindWords));
    app.add_option("--keep", options.keep, "folder for failures");
    auto* const seed = app.add_option("--seed", options.seed, "one schedule");
    app.add_option("--only", only, "of its faults, by number, or none")->delimiter(',');
    app.add_option("--without", options.without, "these parts, by number")
        ->delimiter(',')
        ->check(CLI::Range(0u, 31u));
    app.add_option("--senders", options.senders, "of a node, less than the seed says");
    app.add_option("--messages", options.messages, "of a sender");
    app.add_option("--packets", options.packets, "of a message");
    app.add_flag("--healthy", options.healthy, "without faults")->excludes(seed);
    app.add_option("--failures", options.failures, "after which it stops, 20")
        ->check(CLI::PositiveNumber);
    app.add_flag("--whole", options.whole, "do not shrink what fails");
    app.add_flag("--own-tags", options.own_tags, "collectives in a row have a tag each");
    app.add_flag("--trace", options.trace, "say all that happens");
    try {
        app.parse(count, words);
        for (const std::string& number : only)
            if (number != "none")
                options.only.push_back(static_cast<unsigned>(std::stoul(number)));
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception&) {
        fmt::print(stderr, "--only takes numbers of faults\n");
        return 2;
    }
    if (*kind)
        kind_word = kind_given;
    else if (*seed)
        kind_word = "mixed";
    options.kinds =
        static_cast<Kinds>(std::ranges::find(kKindWords, kind_word) - kKindWords.begin());
    if (*seed)
        return repeat(options, only.empty());
    return soak(options) == 0 ? 0 : 1;
}
