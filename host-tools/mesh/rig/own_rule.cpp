#include "own_rule.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "host-tools/mesh/programs/build_command.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "naming.hpp"

#include "boards/host/stop.hpp"
#include "hal/check.hpp"
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
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;

/// A file that asks for more than this for all roots has an endless loop.
constexpr unsigned kSecondsMax = 20;

/// The loaded rule; `rule` is what loaded_rule points to.
struct Loaded {
    Network network;
    NodeId root{0};
    OwnRule rule;
    OwnRuleFacts facts;
    std::vector<Port> fed_by; // by node, for that root
};
Loaded loaded;

/// The parent in a tree by arrival that does not know it, for the root that was asked for.
Port walked_parent(Network, NodeId self, NodeId root) {
    return root == loaded.root ? loaded.fed_by[index(self)] : kNoPort;
}

/// The question that is being put to the file, for those who find it unanswered.
struct Question {
    NodeId self;
    NodeId root;
    bool of_parent;
    wire::CrashRecord end; // if the file's code has ended in a way that a program is told of
};

/// One tree of the file, walked from its root on: how each node is reached, or what is wrong.
class Walk {
public:
    Walk(Network network, const OwnRule& rule, NodeId root, Question& question)
        : network_(network),
          rule_(rule),
          root_(root),
          question_(question),
          fed_by_(node_count(network), kNoPort),
          level_(node_count(network), 0) {}

    /// What is wrong; nothing: it is a tree.
    std::string fault(const std::string& file) {
        std::string words = reach_all();
        std::string_view function = "children";
        if (words.empty() && rule_.parent != nullptr) {
            words = compare_parents();
            function = "parent";
        }
        if (words.empty())
            return {};
        const std::string tree =
            index(root_) == 0 ? "" : fmt::format("the tree of root {}: ", bare(root_));
        return fmt::format("{}: {}{}", place_of(file, function), tree, words);
    }
    const std::vector<Port>& fed_by() const { return fed_by_; }
    unsigned height() const { return *std::ranges::max_element(level_); }

    /// FILE:LINE of the first line that has the function.
    static std::string place_of(const std::string& file, std::string_view function) {
        std::ifstream lines(file);
        unsigned number = 0;
        for (std::string line; std::getline(lines, line);) {
            ++number;
            const std::size_t comment = line.find("//");
            const std::size_t at = line.find(fmt::format("{}(", function));
            if (at < comment && at != std::string::npos)
                return fmt::format("{}:{}", file, number);
        }
        return file;
    }

private:
    void ask(NodeId node, bool of_parent) {
        question_.self = node;
        question_.root = root_;
        question_.of_parent = of_parent;
    }
    std::string bare(NodeId node) const {
        return fmt::format("{} ({})", index(node), label_of(network_, node));
    }
    std::string named(NodeId node) const { return "node " + bare(node); }
    bool has(std::uint32_t ports, Port port) const {
        return index(port) < kPortsMax * 2 && ((ports >> index(port)) & 1u) != 0;
    }
    static std::string list(std::uint32_t ports) {
        std::vector<unsigned> numbers;
        for (PortSequence left = PortSequence::ascending(ports); !left.empty();)
            numbers.push_back(index(left.pop()));
        return fmt::format("{}", fmt::join(numbers, ", "));
    }

    std::string reach_all() {
        std::vector<NodeId> order{root_};
        for (std::size_t at = 0; at < order.size(); ++at) {
            const NodeId node = order[at];
            ask(node, false);
            PortSequence ports = rule_.children(
                network_, {node, root_, fed_by_[index(node)], 0,
                           static_cast<std::uint8_t>(std::min(level_[index(node)], 0xFFu))});
            while (!ports.empty()) {
                const Port port = ports.pop();
                if (!has(out_ports(network_, node), port))
                    return fmt::format("{} sends by port {}; its out-ports are {}", named(node),
                                       index(port), list(out_ports(network_, node)));
                const NodeId child = neighbor(network_, node, port);
                if (child == root_)
                    return fmt::format("the root, {}, is fed by {}", named(child), named(node));
                Port& fed = fed_by_[index(child)];
                if (fed != kNoPort)
                    return fmt::format("{} is fed by {} and by {}", named(child),
                                       named(neighbor(network_, child, fed)), named(node));
                fed = port;
                level_[index(child)] = level_[index(node)] + 1;
                order.push_back(child);
            }
        }
        if (order.size() != fed_by_.size())
            return describe_unreached(fed_by_.size() - order.size());
        if (rule_.by_arrival && height() > kCountedLinksMax)
            return fmt::format("{} is {} links from the root; a packet counts {} of them",
                               named(order.back()), height(), kCountedLinksMax);
        return {};
    }

    std::string describe_unreached(std::size_t count) const {
        std::uint32_t first = 0;
        while (node_at(first) == root_ || fed_by_[first] != kNoPort)
            ++first;
        return fmt::format("{} is never fed{}", named(node_at(first)),
                           count > 1 ? fmt::format(", nor are {} others", count - 1) : "");
    }

    std::string compare_parents() {
        for (std::uint32_t number = 0; number < fed_by_.size(); ++number) {
            const NodeId node = node_at(number);
            if (node == root_)
                continue;
            ask(node, true);
            const Port port = rule_.parent(network_, node, root_);
            const Port fed = fed_by_[number];
            if (port == fed)
                continue;
            const std::string said =
                has(in_ports(network_, node), port)
                    ? fmt::format("{}, to {}", index(port), named(neighbor(network_, node, port)))
                    : fmt::format("{}, by which nothing comes in", index(port));
            return fmt::format("parent() of {} is port {}, but {} has it as a child, over port {}",
                               named(node), said, named(neighbor(network_, node, fed)), index(fed));
        }
        return {};
    }

    Network network_;
    const OwnRule& rule_;
    NodeId root_;
    Question& question_;
    std::vector<Port> fed_by_; // by node; kNoPort: not reached, or the root
    std::vector<unsigned> level_;
};

std::vector<NodeId> roots_of(Network network, NodeId first) {
    std::vector<NodeId> roots{first};
    if (const std::uint32_t nodes = node_count(network); nodes <= kAllRootsNodesMax)
        for (std::uint32_t number = 0; number < nodes; ++number)
            if (node_at(number) != first)
                roots.push_back(node_at(number));
    return roots;
}

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
    return fmt::format("ended with: {}", words_of(static_cast<CheckId>(record.cause)));
}

/// Asks the file all questions in a process that may crash or hang. UsageError: it does.
void check_answers(Network network, const OwnRule& rule, NodeId root, const std::string& file) {
    const SharedQuestion shared;
    const pid_t child = fork();
    if (child < 0)
        throw RunError(fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (child == 0) {
        alarm(kSecondsMax);
        board::set_stop(keep_end, &*shared);
        for (const NodeId from : roots_of(network, root))
            if (!Walk(network, rule, from, *shared).fault(file).empty())
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
    refuse("{}: {}() of node {} ({}), root {}, {}", Walk::place_of(file, function), function,
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

bool is_rule_file(std::string_view word) {
    return word.find_first_of("./") != std::string_view::npos;
}

Rule load_own_rule(Network network, const std::string& file, NodeId root) {
    if (loaded_rule != nullptr && loaded.facts.file == file && loaded.network == network &&
        loaded.root == root)
        return Rule::own;
    if (!fs::is_regular_file(file))
        refuse("--tree '{}': no such file", file);
    loaded_rule = nullptr;
    const fs::path object =
        built_program(part_of_program("table.cpp"), "sim", default_board(), {define_of(file)});
    OwnRule rule = table_in(object, file);
    check_answers(network, rule, root, file);
    Loaded next;
    next.network = network;
    next.root = root;
    next.rule = rule;
    next.facts.file = file;
    next.facts.climbs = !rule.by_arrival || rule.parent != nullptr;
    Question question{};
    for (const NodeId from : roots_of(network, root)) {
        Walk walk(network, rule, from, question);
        if (const std::string fault = walk.fault(file); !fault.empty())
            refuse("{}", fault);
        next.rule.height = std::max(next.rule.height, walk.height());
        if (from == root) {
            next.facts.root_height = walk.height();
            next.fed_by = walk.fed_by();
        }
    }
    if (!next.facts.climbs)
        next.rule.parent = walked_parent;
    loaded = std::move(next);
    loaded_rule = &loaded.rule;
    return Rule::own;
}

const OwnRuleFacts& own_rule_facts() {
    promise(loaded_rule != nullptr, "a rule is loaded");
    return loaded.facts;
}

std::string tree_words(Rule rule) {
    return rule == Rule::own ? fmt::format("own ({})", own_rule_facts().file)
                             : std::string(name(rule));
}

fs::path own_rule_image(const std::string& board) {
    return built_program(
        part_of_program("image.cpp"), "qemu", board,
        {define_of(own_rule_facts().file), fmt::format("MESH_RULE_HEIGHT={}", loaded.rule.height)});
}

} // namespace mesh::host
