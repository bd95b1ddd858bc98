#include "rank_run.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/engines/engine.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/plan/plan.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

using namespace std::chrono_literals;

/// How long a rank may say nothing, in --timeout, so that the rank is named before its nodes are
/// given up; and in seconds at the least.
constexpr double kSilence = 0.5;
constexpr double kSilenceS = 5;
/// Between two looks for a message, each of which also sees whether a rank is gone.
constexpr std::chrono::milliseconds kAliveEvery = 500ms;

/// A check sum over the files that nodes run: ranks have the same ones if this is the same.
std::uint32_t digest_of(const RigPlan& plan) {
    std::vector<std::string> files{plan.loader};
    for (const RigProgram& program : plan.programs)
        files.push_back(program.image);
    std::string bytes;
    for (const std::string& name : files) {
        std::ifstream file(name, std::ios::binary);
        bytes.append(std::istreambuf_iterator<char>(file), {});
    }
    return check_crc32(std::as_bytes(std::span(bytes)));
}

/// The part of the command line on which the emulators of a part of the nodes depend. The rest is
/// rank 0's business: its files need not be on other machines.
void keep_what_nodes_need(RunArguments& arguments) {
    for (std::string* file :
         {&arguments.data.input, &arguments.data.files, &arguments.data.output,
          &arguments.results.report, &arguments.results.capture, &arguments.results.junit,
          &arguments.rig.log, &arguments.results.expect, &arguments.results.faults})
        file->clear();
    arguments.results.capture_bytes.reset();
    arguments.rig.live = false;
}

/// The next message of any rank, whenever it comes. RunError: a rank is gone.
Told next_of(Uplink& uplink) {
    for (;;) {
        if (const auto told = wait_for(uplink, kAliveEvery))
            return *told;
        uplink.flush(); // says that this rank lives
    }
}

void tell(Uplink& uplink, What what, std::string_view words) {
    try {
        uplink.send(0, what, NodeId{0}, std::as_bytes(std::span(words)));
        uplink.flush();
        for (;;) // what is sent would be lost with a socket that has unread bytes
            next_of(uplink);
    } catch (const RunError& end) {
        std::ignore = end; // rank 0 has ended, as it is to
    }
}

} // namespace

std::unique_ptr<Uplink> join_for(const RunArguments& arguments) {
    const auto launch = launch_from_environment();
    if (!launch)
        return nullptr;
    const double wanted_s = kSilence * arguments.rig.timeout_s; // not checked yet
    const std::chrono::duration<double> silence(wanted_s > kSilenceS && wanted_s < 1e6 ? wanted_s
                                                                                       : kSilenceS);
    return join_ranks(*launch, library_folder() / "libmesh-mpi.so",
                      std::chrono::duration_cast<std::chrono::milliseconds>(silence));
}

void serve(Uplink& uplink, RunArguments arguments, const std::string& command) {
    try {
        if (next_of(uplink).message.what != What::begin)
            return;
        keep_what_nodes_need(arguments);
        arguments.uplink = &uplink;
        const std::unique_ptr<Operation> op = plan_run(arguments, command);
        uplink.send(0, What::ready, NodeId{0}, wire::bytes_of(digest_of(op->run().rig)));
        uplink.flush();
        serve_rank(op->run().rig);
    } catch (const UsageError& error) {
        tell(uplink, What::refused, error.what());
    } catch (const RunError& error) { // most often: rank 0 is gone, and hears no more
        tell(uplink, What::failed, error.what());
    }
}

void await_ranks(Uplink& uplink, const RigPlan& plan) {
    for (unsigned rank = 1; rank < uplink.ranks(); ++rank)
        uplink.send(rank, What::begin);
    uplink.flush();
    const std::uint32_t digest = digest_of(plan);
    for (unsigned missing = uplink.ranks() - 1; missing != 0;) {
        const auto [from, message] = next_of(uplink);
        if (message.what == What::refused)
            refuse("{}: {}", uplink.name(from), text_of(message.bytes));
        if (message.what == What::failed)
            throw RunError(fmt::format("{}: {}", uplink.name(from), text_of(message.bytes)));
        if (message.what != What::ready)
            continue;
        if (message.bytes.size() != sizeof digest ||
            wire::load<std::uint32_t>(message.bytes, 0) != digest)
            refuse("{} has another program of this name than rank 0: all machines need the same "
                   "build and the same files",
                   uplink.name(from));
        --missing;
    }
}

void run_apart_by_shards(std::string_view shard) {
    const auto launch = launch_from_environment();
    if (!launch)
        return;
    if (shard.empty())
        refuse("{} of mesh were started, and each would do all of these runs: give each its part "
               "by --shard K/{}, or start one",
               launch->ranks, launch->ranks);
    run_apart();
}

bool another_rank_speaks() {
    try {
        return launch_from_environment().value_or(Launch{}).rank != 0;
    } catch (const UsageError&) {
        return false;
    }
}

} // namespace mesh::host
