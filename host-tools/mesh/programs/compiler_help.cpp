#include "compiler_help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

/// A line of GCC 12 to 14 that tells of an error, and what to do about it. A star in the pattern is
/// any text; before and behind the pattern there may be more.
struct Help {
    std::string_view pattern;
    std::string_view sentence;
};

constexpr std::string_view kAwait =
    "the value of a call that waits is there after co_await: co_await CALL";
constexpr std::string_view kCoReturn =
    "what returns a Process or a Task ends with co_return, not with return";
constexpr std::string_view kGuard =
    "alt() waits for guards: on(channel), on_message(tag), after(node, ticks)";
constexpr std::string_view kValue = "a message goes as its bytes: give a number, a struct or a "
                                    "std::array of them, no pointer and no string";

constexpr std::string_view kFills =
    "here a call fills a variable, which is given without &: receive_value(node, x), "
    "receive_within(node, x, ticks), sendrecv_value(node, mine, to, x)";

constexpr std::string_view kThreads =
    "a node has no threads: its processes are begun by par() or Kernel::spawn()";
constexpr std::string_view kLocks =
    "processes of a node take turns where they wait: what they share needs no lock";

constexpr std::string_view kNoCall =
    "it is not among the calls of MPI on a mesh: firmware/mpi/README.md lists them";
constexpr std::string_view kNoHeader =
    "without #include <mpi.h> nothing of MPI is known; what it does not declare is not there on a "
    "mesh: firmware/mpi/README.md lists the calls";

/// The first that fits is taken.
constexpr std::array kHelps = {
    Help{"no match for 'operator*operand types are 'mesh::NodeId'",
         "a NodeId is no number: mesh::index(id) gives its number, mesh::node_at(number) the id"},
    Help{"cannot convert 'mesh::NodeId' to",
         "a NodeId is no number: mesh::index(id) gives its number"},
    Help{"expects argument of type*has type 'mesh::NodeId'",
         "a NodeId is no number: print mesh::index(id), or write mesh::print(\"{}\", id)"},
    Help{"convert*from 'mesh::Status' to 'mesh::Process'", kCoReturn},
    Help{"convert*from 'mesh::Status' to 'mesh::Task<", kCoReturn},
    Help{"'return' statement is not allowed in coroutine", kCoReturn},
    Help{"could not convert*' to 'mesh::Task<", kCoReturn},
    Help{"could not convert*' to 'mesh::Process'", kCoReturn},
    Help{"cannot convert 'mesh::Task<*' to '", kAwait},
    Help{"cannot convert 'mesh::Process*' to '", kAwait},
    Help{"cannot convert 'mesh::detail::Awaiter<*' to '", kAwait},
    Help{"cannot convert 'mesh::Channel<*>::*' to '", kAwait},
    Help{"cannot convert 'mesh::Sending' to '", kAwait},
    Help{"cannot convert 'mesh::Receiving' to '", kAwait},
    Help{"conversion from 'mesh::Task<*' to non-scalar", kAwait},
    Help{"conversion from 'mesh::Receiving' to non-scalar", kAwait},
    Help{"no match for 'operator*operand types are 'mesh::Task<", kAwait},
    Help{"no match for 'operator*operand types are 'mesh::detail::Awaiter<", kAwait},
    Help{"no match for 'operator*operand types are 'mesh::Channel<", kAwait},
    Help{"no match for 'operator*operand types are 'mesh::Sending'", kAwait},
    Help{"no match for 'operator*operand types are 'mesh::Receiving'", kAwait},
    Help{"'class mesh::Task<*' has no member named", kAwait},
    Help{"'class mesh::Receiving' has no member named", kAwait},
    Help{"switch quantity not an integer",
         "if it is a call that waits, its value is there after co_await: switch (co_await CALL)"},
    Help{"ignoring return value of '*await_resume",
         "the value says whether the call went well: look at it, or write std::ignore = co_await "
         "CALL"},
    Help{"ignoring return value of '*mesh::Kernel::spawn",
         "false says that there was no room for the process: if (!node.spawn(...)) co_return "
         "mesh::Status::no_memory;"},
    Help{"exception handling disabled",
         "a node has no exceptions, and -fexceptions brings none: co_return a Status, or end the "
         "run by end_run(node, \"why\")"},
    Help{"not permitted with '-fno-rtti'",
         "a node has no types at run time: a virtual function does what dynamic_cast is for"},
    Help{"'thread' is not a member of 'std'", kThreads},
    Help{"'jthread' is not a member of 'std'", kThreads},
    Help{"std::thread", kThreads},
    Help{"'mutex' in namespace 'std'", kLocks},
    Help{"'mutex' is not a member of 'std'", kLocks},
    Help{"'lock_guard' is not a member of 'std'", kLocks},
    Help{"implicit declaration of function 'MPI_", kNoHeader},
    Help{"unknown type name 'MPI_", kNoHeader},
    Help{"'MPI_*' was not declared in this scope", kNoHeader},
    Help{"unable to find the promise type for this coroutine",
         "a function that waits returns a mesh::Process or a mesh::Task<T>, and its first "
         "parameter is mesh::Kernel&"},
    Help{"'co_await' cannot be used in a function with a deduced return type",
         "a lambda cannot wait: write a function that returns a mesh::Process or a mesh::Task<T>, "
         "and its first parameter is mesh::Kernel&"},
    Help{"kernel_waits.hpp:*expression cannot be used as a function",
         "wait_until() wants a function, which it asks again and again: "
         "co_await node.wait_until([&] { return x > 0; })"},
    Help{"use of deleted function 'mesh::Channel<*Channel(const",
         "a channel is not copied: a process takes a mesh::Channel<T>&, and alt() waits for "
         "on(channel)"},
    Help{"alt.hpp:*has no member named 'wake'", kGuard},
    Help{"guards.hpp:*has no member named 'ready'", kGuard},
    Help{"no member named 'return_void' in",
         "a Process ends with a Status: co_return mesh::Status::ok; end_run() gives none, and is "
         "a statement before that"},
    Help{"cannot convert*mesh::Received' to 'mesh::Status'",
         "a Received has a Status in it: (co_await CALL).status"},
    Help{"cannot convert 'bool' to 'mesh::Status'",
         "a verdict is a Status: co_return good ? mesh::Status::ok : mesh::Status::failed;"},
    Help{"cannot convert 'int' to 'mesh::Status'",
         "a verdict is a Status: co_return mesh::Status::ok;"},
    Help{"cannot convert 'int' to 'mesh::NodeId'",
         "a node is given as a NodeId: mesh::node_at(number)"},
    Help{"cannot convert 'int' to 'mesh::ProcessId'",
         "join() waits for what spawn() gave: auto child = node.spawn(...); ... "
         "co_await node.join(child)"},
    Help{"no matching function for call to 'mesh::Channel<*::read(",
         "read() of a channel inside a node gives the value: x = co_await channel.read()"},
    Help{"cannot bind non-const lvalue reference of type", kFills},
    Help{"no matching function for call to 'receive_value(", kFills},
    Help{"no matching function for call to 'receive_within(", kFills},
    Help{"no matching function for call to 'sendrecv_value(", kFills},
    Help{"'mesh' does not name a type",
         "#include \"meshputer.hpp\" stands at the top of a program"},
    Help{"no matching function for call to 'send_value(mesh::Kernel&, int",
         "a node is given as a NodeId: mesh::node_at(number)"},
    Help{"no matching function for call to 'send_value(*char*", kValue},
    Help{"no matching function for call to 'send_value(*string", kValue},
    Help{"print_has_more_values_than_braces", "mesh::print() writes a value for each {}, and "
                                              "knows no %d: mesh::print(\"{}\\n\", x)"},
    Help{"ambiguating new declaration of '*app_main(mesh::Kernel&)'",
         "the program is mesh::Process app_main(mesh::Kernel& node)"},
};

/// True if the parts of the pattern stand in the text, in this order.
bool fits(std::string_view pattern, std::string_view text) {
    for (;;) {
        const auto star = pattern.find('*');
        const std::string_view part = pattern.substr(0, star);
        const auto at = text.find(part);
        if (at == std::string_view::npos)
            return false;
        if (star == std::string_view::npos)
            return true;
        text.remove_prefix(at + part.size());
        pattern.remove_prefix(star + 1);
    }
}

/// A line without colours, and with the quotes of ASCII.
std::string plain(std::string_view line) {
    constexpr std::array<std::string_view, 2> kQuotes{"\u2018", "\u2019"};
    std::string text;
    while (!line.empty()) {
        if (line.starts_with("\x1b[")) {
            const auto end = line.find_first_of("mK", 2);
            line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
            continue;
        }
        const auto quote = std::ranges::find_if(
            kQuotes, [line](std::string_view mark) { return line.starts_with(mark); });
        text += quote == kQuotes.end() ? line.front() : '\'';
        line.remove_prefix(quote == kQuotes.end() ? 1 : quote->size());
    }
    return text;
}

/// True for what a compiler shows of the source text: "   12 | x = y;", or "      |   ^".
bool shows_source(std::string_view line) {
    const auto bar = line.find_first_not_of(" +0123456789");
    return bar != 0 && bar != std::string_view::npos && line[bar] == '|';
}

/// The sentence for such a line; "" if there is none.
std::string_view sentence_for(std::string_view line) {
    const auto found =
        std::ranges::find_if(kHelps, [line](const Help& help) { return fits(help.pattern, line); });
    return found == kHelps.end() ? std::string_view{} : found->sentence;
}

} // namespace

std::string_view words_of_missing(std::string_view function) {
    return function.starts_with("MPI_") || function.starts_with("PMPI_") ? kNoCall
                                                                         : std::string_view{};
}

std::string with_help(std::string_view said) {
    std::string all;
    std::string due;              // below the source text that comes now
    std::set<std::string> helped; // places: file and line
    while (!said.empty()) {
        const std::string line = plain(said.substr(0, said.find('\n')));
        if (!shows_source(line)) {
            all += std::exchange(due, {});
            const auto error = line.find(": error: ");
            const std::string place = line.substr(0, line.rfind(':', error - 1));
            const auto sentence =
                error == std::string::npos ? std::string_view{} : sentence_for(line);
            if (!sentence.empty() && helped.insert(place).second)
                due = fmt::format("help: {}\n", sentence);
        }
        const auto end = std::min(said.find('\n'), said.size() - 1) + 1;
        all += said.substr(0, end);
        said.remove_prefix(end);
    }
    return all + due;
}

std::vector<std::string> warnings_in(std::string_view said) {
    std::vector<std::string> all;
    for (std::size_t end = 0; !said.empty(); said.remove_prefix(end)) {
        end = std::min(said.find('\n'), said.size() - 1) + 1;
        std::string line = plain(said.substr(0, said.find('\n')));
        if (line.find(": warning: ") != line.npos && !shows_source(line))
            all.push_back(std::move(line));
    }
    return all;
}

} // namespace mesh::host
