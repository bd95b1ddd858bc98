#include "own_rule.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "host-tools/mesh/programs/build_command.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "naming.hpp"
#include "rule_walk.hpp"

#include "boards/host/check_words.hpp"
#include "boards/host/stop.hpp"
#include "wire/host_messages.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;

/// A file that asks for more than this for all roots has an endless loop.
constexpr unsigned kSecondsMax = 20;

/// A place that a child process shares with this one.
class SharedQuestion {
public:
    SharedQuestion()
        : question_(static_cast<Question*>(mmap(nullptr, sizeof(Question), PROT_READ | PROT_WRITE,
                                                MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
        if (question_ == MAP_FAILED)
            throw RunError("no memory for a page");
    }
    SharedQuestion(const SharedQuestion&) = delete;
    SharedQuestion& operator=(const SharedQuestion&) = delete;
    ~SharedQuestion() { munmap(question_, sizeof(Question)); }
    Question& operator*() const { return *question_; }

private:
    Question* question_;
};

/// Keeps how a checked program has ended (boards/host/stop.hpp), and ends the process.
void keep_end(void* question, const wire::CrashRecord& record) {
    static_cast<Question*>(question)->end = record;
    _exit(1);
}

/// How the file's code has ended, by what its process left behind.
std::string words_of_end(int ending, const wire::CrashRecord& record) {
    constexpr std::uint32_t kUnaligned = 1u << 24; // as boards/host/stop.cpp says it
    if (WIFSIGNALED(ending))
        return WTERMSIG(ending) == SIGALRM
                   ? "does not end"
                   : fmt::format("ended with: {}", strsignal(WTERMSIG(ending)));
    if (record.cause >= wire::kProcessorFault)
        return record.status == kUnaligned ? "ended with: unaligned access"
                                           : "ended with: division by zero";
    return fmt::format("ended with: {}", words_of(CheckId{record.cause}));
}

/// Asks the file all questions in a process that may crash or hang. UsageError: it does.
void check_answers(const OwnRule& rule, Network network, std::span<const NodeId> roots,
                   const std::string& file) {
    const SharedQuestion shared;
    const pid_t child = fork();
    if (child < 0)
        throw RunError(fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (child == 0) {
        alarm(kSecondsMax);
        board::set_stop(keep_end, &*shared);
        for (const NodeId from : roots)
            if (!RuleWalk(network, rule, from, *shared).fault(file).empty())
                break;
        _exit(0);
    }
    int ending = 0;
    while (waitpid(child, &ending, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(ending) && WEXITSTATUS(ending) == 0)
        return;
    const Question& asked = *shared;
    const std::string_view function = asked.of_parent ? "parent" : "children";
    refuse("{}: {}() of node {} ({}), root {}, {}", RuleWalk::place_of(file, function), function,
           index(asked.self), label_of(network, asked.self), index(asked.root),
           words_of_end(ending, asked.end));
}

const OwnRule& table_in(const fs::path& object, const std::string& file) {
    void* const library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        refuse("{}: cannot be loaded: {}", file, dlerror());
    const void* const table = dlsym(library, "mesh_own_rule");
    if (table == nullptr)
        refuse("{}: {} has no table of its functions", file, object.string());
    return *static_cast<const OwnRule*>(table);
}

/// The parts of a program that the file is one of.
std::string part_of_program(std::string_view name) {
    return (toolkit_folder() / "include" / "ops" / "own" / name).string();
}

std::string define_of(const std::string& file) {
    return fmt::format("MESH_RULE_FILE=\"{}\"", fs::canonical(file).string());
}

} // namespace

Rule load_own_rule(Network network, const std::string& file, NodeId root, RootsAsked asked) {
    if (is_own_rule(network, file, root))
        return Rule::own;
    if (!fs::is_regular_file(file))
        refuse(Refusal::file, "--tree '{}': no such file", file);
    loaded_rule = nullptr;
    const fs::path object = built_program(part_of_program("table.cpp"), "sim", default_board(),
                                          {.defines = {define_of(file)}});
    const OwnRule rule = table_in(object, file);
    const std::vector<NodeId> roots = roots_of(network, root, asked);
    check_answers(rule, network, roots, file);
    use_own_rule(network, rule, file, roots);
    return Rule::own;
}

fs::path own_rule_image(const std::string& place) {
    return built_program(part_of_program("image.cpp"), "qemu", place,
                         {.defines = {define_of(own_rule_facts().file),
                                      fmt::format("MESH_RULE_HEIGHT={}", loaded_rule->height)}});
}

} // namespace mesh::host
