#include "build_command.hpp"

#include "compiler_help.hpp"
#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/own_folder.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/common/tables.hpp"
#include "image_symbols.hpp"
#include "kept_files.hpp"
#include "link_words.hpp"
#include "main_program.hpp"
#include "memory_use.hpp"
#include "never_awaited.hpp"
#include "node_lacks.hpp"
#include "program_file.hpp"
#include "read_headers.hpp"
#include "tool_process.hpp"
#include "toolkit.hpp"
#include "waiting_branches.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::string_view kHost = "host";

bool is_c(std::string_view file) { return file.ends_with(".c"); }

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

void append(Words& words, std::string_view prefix, const Words& more) {
    for (const std::string& word : more)
        words.push_back(fmt::format("{}{}", prefix, word));
}

[[noreturn]] void explain(const std::string& said) {
    throw UsageError(first_error(said), Refusal::build, said);
}

/// The place that a program is made for: a board, or a folder of the board's images.
std::string image_place(const BuildArguments& arguments) {
    return arguments.kind.empty() ? arguments.board
                                  : fmt::format("{}/{}", arguments.board, arguments.kind);
}

/// The program for one place: a board, or the simulation.
class Half {
public:
    Half(const BuildArguments& arguments, std::string place, const TemporaryFolder& work)
        : arguments_(arguments),
          place_(std::move(place)),
          work_(work),
          compiler_(compiler_for(place_)) {
        program_.has_cxx = !std::ranges::all_of(arguments.files, is_c);
        program_.on_board = place_ != kHost;
    }

    /// Sets the compilers to work.
    void begin() {
        const bool reads_headers = std::ranges::any_of(arguments_.files, [](const auto& file) {
            return !is_c(file) && includes_the_library(file);
        });
        const std::string headers =
            reads_headers ? folder_of_read_headers(with_options(compiler_.cxx)) : std::string{};
        for (std::size_t at = 0; at < arguments_.files.size(); ++at) {
            const std::string& file = arguments_.files[at];
            const std::string object =
                work_ / fmt::format("{}-{}.o", place_ == kHost ? kHost : "board", at);
            Words words = with_options(is_c(file) ? compiler_.cc : compiler_.cxx);
            append(words, "-I", arguments_.includes);
            if (!headers.empty() && !is_c(file))
                append(words, {"-fpch-deps", "-I", headers});
            append(words, "-D", arguments_.defines);
            if (!is_c(file) && includes_the_library(file))
                append(words, includes_of_before(file));
            else if (!is_c(file)) // as its author builds it elsewhere
                std::erase_if(words, [](const auto& word) { return word.starts_with("-Werror="); });
            if (arguments_.strict)
                words.emplace_back("-Werror");
            if (isatty(STDERR_FILENO) != 0)
                words.emplace_back("-fdiagnostics-color=always");
            if (is_watched())
                append(words, {"-fsanitize=thread", "-fno-partial-inlining"});
            if (place_ != kHost)
                words.emplace_back("-fstack-usage"); // writes OBJECT without .o, with .su
            append(words, {"-MD", "-MF", object + ".d", "-c", file, "-o", object});
            compiling_.emplace_back(words, work_.path().string());
            compiler_words_.push_back(words);
            objects_.push_back(object);
        }
    }

    /// Waits for the compilers, and shows their output; `quiet`: not that of files that went well,
    /// since the other half has shown it.
    void end(bool quiet) {
        std::string said;
        bool good = true;
        for (std::size_t at = 0; at < compiling_.size(); ++at) {
            ToolProcess& one = compiling_[at];
            const bool went_well = one.wait();
            if (!went_well && is_watched() && compiles_without_notes(at, said))
                continue;
            good = went_well && good;
            said += one.words();
        }
        if (!good)
            explain(with_help(said));
        check_awaited(said);
        warnings_ = warnings_in(said);
        if (!quiet)
            say("{}", said);
        for (const std::string& object : objects_)
            program_.own.merge(functions_in(run({compiler_.objdump, "--syms", object})));
        has_main_ = program_.own.contains(kMain);
    }

    /// Explains uses of functions that a node does not have, and tells of those that are not the
    /// same on both engines.
    void check_objects() {
        std::string said;
        std::string note;
        std::string said_of_branches;
        for (std::size_t at = 0; at < objects_.size(); ++at) {
            const std::string listing = run({compiler_.objdump, "--disassemble", "--reloc",
                                             "--line-numbers", "--demangle", objects_[at]});
            for (const std::string& words :
                 what_a_node_lacks(arguments_.files[at], listing, program_.own, has_main_))
                said += fmt::format("mesh: {}\n", words);
            append(calls_, library_calls(arguments_.files[at], listing));
            std::ifstream file(arguments_.files[at]);
            const std::string text{std::istreambuf_iterator<char>(file), {}};
            said_of_branches += branches_that_wait(arguments_.files[at], text);
            if (note.empty())
                note = what_engines_round(arguments_.files[at], listing);
        }
        if (!said.empty())
            explain(said);
        if (!note.empty())
            say("note: {}\n", note);
        say("{}", said_of_branches);
    }

    /// Explains coroutines that the compiler has translated wrongly.
    void check_frames() const {
        std::string said;
        for (std::size_t at = 0; at < objects_.size(); ++at) {
            std::ifstream object(objects_[at], std::ios::binary);
            if (!may_misplace_frames(std::string{std::istreambuf_iterator<char>(object), {}}))
                continue;
            for (const std::string& name :
                 misplaced_frames(run({compiler_.objdump, "--dwarf=info", objects_[at]})))
                said += fmt::format("mesh: {}: in {}: this GCC makes a coroutine that waits in a "
                                    "condition, and has no variable, jump nowhere: write const "
                                    "auto value = co_await CALL; and look at that\n",
                                    arguments_.files[at], name);
        }
        if (!said.empty())
            explain(said);
    }

    /// Links `into`; returns the linker's words.
    std::string link(const std::string& into) {
        for (const std::string& object : objects_) {
            if (has_main_)
                run(renaming_main(compiler_.add_section, object, program_));
            Words words = compiler_.objcopy;
            if (words.empty())
                continue;
            words.push_back(object);
            run(words);
        }
        Words words = compiler_.link;
        if (has_main_)
            link_with_main(words);
        append(words, objects_);
        append(words, "-L", arguments_.folders);
        append(words, "-l", arguments_.libraries);
        if (arguments_.trace)
            append(words, compiler_.traced);
        append(words,
               has_main_ ? libraries_for_main(compiler_.libraries, program_) : compiler_.libraries);
        append(words, {"-o", into});
        std::string said;
        if (!run_tool(words, said, work_.path().string())) {
            explain_link(said, arguments_.output, place_);
            explain(said);
        }
        return said;
    }

    /// How much of the board's memory the program takes, in words.
    std::string memory_use(const std::string& program, std::string_view linker_said) const {
        std::vector<FrameSize> frames;
        FrameSize on_stack;
        for (const std::string& object : objects_) {
            for (FrameSize& frame :
                 coroutine_frames(run({compiler_.objdump, "--dwarf=info", object})))
                frames.push_back(std::move(frame));
            std::ifstream usage(object.substr(0, object.size() - 2) + ".su");
            const FrameSize largest =
                largest_stack_frame({std::istreambuf_iterator<char>(usage), {}});
            if (largest.bytes > on_stack.bytes)
                on_stack = largest;
        }
        const ImageSymbols symbols(program);
        return memory_words(linker_said) +
               frame_words(symbols.label("stack_top") - symbols.label("stack_limit"), on_stack,
                           symbols.node_memory(), frames);
    }

    void add_section(std::string_view name, const std::string& from, const std::string& file) {
        run({compiler_.add_section, "--add-section", fmt::format("{}={}", name, from), file});
    }

    /// The functions of meshputer and MPI that it calls. Precondition: check_objects().
    const Words& calls() const { return calls_; }
    const Words& warnings() const { return warnings_; }
    /// The files that it was made of: sources, headers, libraries.
    Words sources() const {
        Words all;
        for (const Words* const words : {&compiler_.link, &compiler_.libraries})
            std::ranges::copy_if(*words, std::back_inserter(all),
                                 [](const std::string& word) { return word.ends_with(".a"); });
        for (const std::string& object : objects_)
            append(all, files_in_rule(object + ".d"));
        return all;
    }

private:
    bool is_watched() const { return arguments_.watched && place_ == kHost; }
    /// A macro of mpi_buffers.h may not fit: the program defines the call itself, or has a comma in
    /// an argument that no parentheses hold together.
    bool compiles_without_notes(std::size_t at, std::string& said) const {
        Words words = compiler_words_[at];
        words.emplace_back("-DMPI_NO_NOTES");
        std::string its;
        const bool good = run_tool(words, its, work_.path().string());
        if (good)
            said += its;
        return good;
    }
    /// The words for a compiler, with how far it is to optimise.
    Words with_options(Words words) const {
        if (arguments_.debug)
            append(words, {"-Og", "-g3"});
        if (!arguments_.optimise.empty())
            words.push_back("-O" + arguments_.optimise);
        return words;
    }

    /// Explains calls that wait and that nobody awaits. `said`: by the compilers.
    void check_awaited(const std::string& said) const {
        const auto unused = unused_variables(said);
        std::string errors;
        for (std::size_t at = 0; at < objects_.size() && !unused.empty(); ++at)
            if (!is_c(arguments_.files[at]))
                errors +=
                    never_awaited(unused, run({compiler_.objdump, "--dwarf=info", objects_[at]}));
        if (!errors.empty())
            explain(said + errors);
    }

    /// The output of the tool.
    std::string run(const Words& words) const {
        std::string said;
        if (!run_tool(words, said, work_.path().string()))
            explain(said);
        return said;
    }

    const BuildArguments& arguments_;
    std::string place_;
    const TemporaryFolder& work_;
    Compiler compiler_;
    Words objects_;
    MainProgram program_;   // known when the compilers are done
    bool has_main_ = false; // it is one
    Words calls_;
    Words warnings_;
    std::vector<ToolProcess> compiling_;
    std::vector<Words> compiler_words_; // of each of these
};

void check_kind(const BuildArguments& arguments) {
    constexpr std::string_view kLoaded = "loaded";
    if (arguments.kind.empty())
        return;
    if (arguments.kind != "relay" && arguments.kind != kLoaded)
        refuse("--as '{}': allowed: relay, for a mesh with one host cable; {}, for mesh load",
               arguments.kind, kLoaded);
    if (arguments.engine == "sim")
        refuse("--as {} goes without --engine sim, which has no cables", arguments.kind);
    if (!fs::is_regular_file(toolkit_folder() / image_place(arguments) / "program.json"))
        refuse("--as {}: {} has no loader", arguments.kind, arguments.board);
}

void check(const BuildArguments& arguments) {
    for (const std::string& file : arguments.files) {
        if (!is_source(file))
            refuse("'{}': allowed: files that end in .cpp, .cc or .c", file);
        if (!fs::is_regular_file(file))
            refuse(Refusal::file, "'{}': no such file", file);
    }
    if (!arguments.engine.empty() && arguments.engine != "qemu" && arguments.engine != "sim")
        refuse_name("--engine", arguments.engine, std::array{"qemu", "sim"});
    place_of(board_names(), arguments.board, "--board");
    check_kind(arguments);
}

std::string stamp_file(const TemporaryFolder& work, std::string_view place) {
    std::string path = work / "stamp";
    std::ofstream(path) << stamp_for(place) << '\n';
    return path;
}

/// Writes the linked program where the user wants it, with its rights. RunError.
void put_program(const fs::path& program, const std::string& output) {
    std::ifstream file(program, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    write_whole(output, std::as_bytes(std::span(bytes)), "-o");
    std::error_code error;
    if (fs::is_regular_file(output, error)) // no pipe, no device
        fs::permissions(output, fs::status(program).permissions(), error);
}

/// The files that a program was made of, the functions that it calls, and the compiler's warnings.
struct Made {
    Words sources;
    Words calls;
    Words warnings;
};

/// Builds. `tells`: prints how much memory of a board it takes.
Made build(const BuildArguments& arguments, bool tells) {
    check(arguments);
    const HeldSignals held; // until the folder is gone
    const TemporaryFolder work("mesh-build");
    std::vector<Half> halves;
    if (arguments.engine != "sim")
        halves.emplace_back(arguments, image_place(arguments), work);
    if (arguments.engine != "qemu")
        halves.emplace_back(arguments, std::string(kHost), work);
    for (Half& half : halves)
        half.begin();
    for (Half& half : halves)
        half.end(&half != &halves.front());
    halves.front().check_objects();
    for (const Half& half : halves)
        half.check_frames();
    const std::string program = work / "program";
    const std::string linker_said = halves.front().link(program);
    std::string memory_use;
    if (tells && arguments.engine != "sim")
        memory_use = halves.front().memory_use(program, linker_said);
    halves.front().add_section(kStampSection,
                               stamp_file(work, arguments.engine == "sim" ? std::string(kSimulation)
                                                                          : image_place(arguments)),
                               program);
    if (halves.size() == 2) {
        halves.back().link(work / "simulated");
        halves.front().add_section(kSimulatedSection, work / "simulated", program);
    }
    put_program(program, arguments.output);
    fmt::print("{}", memory_use);
    const Half& first = halves.front();
    return {first.sources(), first.calls(), first.warnings()};
}

/// Where lists of a kept program's calls, and of the warnings about it, have their names from.
fs::path calls_beside(const fs::path& program) { return program.string() + ".calls"; }
fs::path warnings_beside(const fs::path& program) { return program.string() + ".warnings"; }

Words kept_list(const fs::path& made) {
    std::ifstream file(list_beside(made));
    Words all;
    for (std::string line; std::getline(file, line);)
        all.push_back(line);
    return all;
}

/// The program of one file, in the cache folder, whether it is there or not.
fs::path program_for(const std::string& source, const std::string& engine, const std::string& place,
                     const BuiltWith& with) {
    if (!fs::is_regular_file(source))
        refuse(Refusal::file, "'{}': no such file", source);
    const std::string what = fmt::format("{} {} {} {} {} {} {}", fs::canonical(source).string(),
                                         engine, place, kernel_stamp(), toolkit_folder().string(),
                                         fmt::join(with.defines, " "), with.watched);
    return cache_folder() / fmt::format("{}-{:016x}", fs::path(source).stem().string(),
                                        std::hash<std::string>{}(what));
}

/// The words of a board's compiler, for another build tool.
void show(const BuildArguments& arguments) {
    place_of(board_names(), arguments.board, "--board");
    check_kind(arguments);
    const Compiler compiler = compiler_for(image_place(arguments));
    const Words first(compiler.cxx.begin(), compiler.cxx.begin() + 1);
    const Words compile(compiler.cxx.begin() + 1, compiler.cxx.end());
    const Words link(compiler.link.begin() + 1, compiler.link.end());
    const std::array<std::pair<std::string_view, Words>, 4> kinds{
        {{"compiler", first},
         {"compile", compile},
         {"link", link},
         {"libraries", compiler.libraries}}};
    fmt::print("{}\n", shell_line(look_up(kinds, arguments.show, "--show")));
}

} // namespace

bool is_source(std::string_view file) {
    return file.ends_with(".cpp") || file.ends_with(".cc") || is_c(file);
}

void build_command(const BuildArguments& arguments) {
    if (!arguments.show.empty()) {
        show(arguments);
    } else if (arguments.files.empty() || arguments.output.empty()) {
        refuse("mesh build: give files and -o PROGRAM");
    } else {
        build(arguments, true);
    }
}

fs::path built_program(const std::string& source, const std::string& engine,
                       const std::string& place, const BuiltWith& with) {
    fs::path program = program_for(source, engine, place, with);
    static std::set<fs::path> warned; // of these the warnings have been told
    const bool first = warned.insert(program).second;
    if (is_fresh(program)) {
        for (const std::string& line : first ? kept_list(warnings_beside(program)) : Words{})
            say("{}\n", line);
        return program;
    }
    BuildArguments arguments;
    arguments.files = {source};
    arguments.defines = with.defines;
    arguments.watched = with.watched;
    arguments.engine = engine;
    const std::size_t slash = std::min(place.find('/'), place.size());
    arguments.board = place.substr(0, slash);
    arguments.kind = place.substr(std::min(slash + 1, place.size()));
    arguments.output = program.string();
    static std::map<fs::path, UsageError> broken; // several runs may ask for it
    if (const auto before = broken.find(program); before != broken.end())
        throw before->second;
    try {
        const Made made = build(arguments, false);
        keep_list(calls_beside(program), made.calls);
        keep_list(warnings_beside(program), made.warnings);
        keep_list(program, made.sources);
    } catch (const UsageError& error) {
        broken.emplace(program, error);
        throw;
    }
    return program;
}

std::vector<std::string> calls_of(const std::string& source) {
    const fs::path program = program_for(source, "sim", default_board(), {});
    if (!is_fresh(program))
        built_program(source, "sim", default_board());
    return kept_list(calls_beside(program));
}

} // namespace mesh::host
