// A program of the user's own on every node. Only the program knows the right answer: its status
// says whether it was right.
#include "app_files.hpp"
#include "data.hpp"
#include "families.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "host-tools/mesh/rig/own_rule.hpp"
#include "kernel/base/limits.hpp"
#include "ops/parameters.hpp"
#include "secrets.hpp"
#include "trees.hpp"
#include "wire/app_parameters.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace mesh::host {

namespace {

/// True if bytes come from standard input, a pipe, or if the pipe is at its end.
bool pipe_speaks() {
    constexpr int kTimeoutMs = 1000;
    pollfd standard_input{STDIN_FILENO, POLLIN, 0};
    if (poll(&standard_input, 1, kTimeoutMs) > 0)
        return true;
    say("standard input is a pipe from which nothing comes, so it is not read; "
        "--input - waits for it\n");
    return false;
}

/// The file of --input; if none is named, a file or a pipe at standard input, not a terminal.
std::string input_of(const RunPlan& run) {
    constexpr const char* kStandardInput = "/dev/stdin"; // a file is read from its beginning
    std::error_code error;
    if (!run.data.input.empty() || !run.alone)
        return run.data.input;
    const auto kind = std::filesystem::status(kStandardInput, error);
    if (is_regular_file(kind))
        return kStandardInput;
    return is_fifo(kind) && pipe_speaks() ? "-" : "";
}

class App final : public Operation {
public:
    App(const OpKind& kind, RunPlan plan)
        : Operation(kind, std::move(plan)),
          name_(program_word(run().work.app.front())) {
        secrets_ = run().work.secret;
        if (const std::size_t count = run().work.words.size() + secrets_;
            count > limits::kArgumentsMax)
            refuse("{} words for the app: at most {} are allowed", count, limits::kArgumentsMax);
        for (const std::string& word : run().work.words)
            add_word(words_, word);
        if (const auto most = limits::argument_bytes_max(run().payload_bytes()),
            bytes = words_.size() + secrets_ * kSecretBytesMax;
            bytes > most)
            refuse("the app's words take {} bytes: at most {} are allowed", bytes, most);
        if (run().work.ranks)
            parameters_.ranks = in_range(*run().work.ranks, 1, run().nodes(), "--ranks");
        if (!run().work.tree.empty())
            parameters_.tree = planned_tree();
        if (run().work.heap)
            run().rig.heap_bytes = planned_heap(*run().work.heap);
        if (run().work.strict && !run().rig.simulated())
            refuse(kCombination, "--strict: goes with --engine sim");
        run().rig.strict = run().work.strict;
        if (!run().data.files.empty()) {
            AppFiles files = read_app_files(run().data.files);
            files_.list_bytes = files.list_bytes;
            run().files = std::move(files.bytes);
        }
        plan_message(run(), input_of(run()), kInputBytesMax);
    }

    std::uint64_t expected_packets() const override { return run().nodes(); }
    bool knows_packets() const override { return false; }
    bool contends() const override { return false; }
    bool is_app() const override { return true; }
    bool all_push() const override { return true; }
    std::string title() const override { return name_; }
    std::string subject() const override { return {}; }
    void describe(Figures& head) const override {
        head.push_back({"app", name_});
        if (parameters_.tree != Rule::unicast)
            head.push_back({"tree", name(parameters_.tree)});
    }

private:
    static void add_word(Bytes& words, const std::string& word) {
        const auto bytes = std::as_bytes(std::span(word.c_str(), word.size() + 1));
        words.insert(words.end(), bytes.begin(), bytes.end());
    }
    std::size_t planned_heap(std::int64_t bytes) const {
        constexpr std::int64_t kLeast = 64 << 10;
        constexpr std::int64_t kMost = INT32_MAX;
        if (!run().rig.simulated())
            refuse(kCombination,
                   "--heap: goes with --engine sim; a node of {} has what its memory leaves",
                   run().rig.board.name);
        return in_range(bytes, kLeast, kMost, "--heap");
    }
    Rule planned_tree() const {
        if (is_rule_file(run().work.tree))
            refuse(kCombination, "--tree '{}': a program has the rules of meshputer alone",
                   run().work.tree);
        if (parameters_.ranks != 0 && parameters_.ranks != run().nodes())
            refuse(kCombination, "--tree: spans all nodes; goes without --ranks");
        const Rule tree = plan_tree(run(), false);
        if (tree == Rule::sbg)
            refuse(kCombination,
                   "--tree sbg: no tree, but a graph for scatter, gather and all-to-all");
        return tree;
    }
    void fill(wire::Job& job, NodeId) const override {
        set_parameters(job, parameters_);
        wire::FileParameters files = files_;
        files.unread_terminal = !run().input && isatty(STDIN_FILENO) != 0 ? 1 : 0;
        wire::store(job.parameters, sizeof parameters_, files);
    }
    std::vector<std::byte> words(NodeId node) const override {
        Bytes all = words_;
        for (const std::uint32_t secret : secrets_of(run().model.seed, index(node), secrets_))
            add_word(all, fmt::format("{}", secret));
        return all;
    }
    std::vector<Expectation> answers() const override { return {}; }
    bool right(NodeId node, const Outcome& outcome) const override {
        const wire::NodeReport& report = outcome.reports[index(node)];
        return report.done != 0 && report.status == 0;
    }

    std::string name_;
    Bytes words_; // of all nodes
    unsigned secrets_ = 0;
    wire::AppParameters parameters_;
    wire::FileParameters files_;
};

constexpr OpKind kKind{"app",
                       "a program of your own on every node",
                       wire::Op::app,
                       "",
                       "words --secret --ranks --heap --tree --bytes --input --files --output",
                       plan_as<App>};

} // namespace

const OpKind& app_op() { return kKind; }

} // namespace mesh::host
