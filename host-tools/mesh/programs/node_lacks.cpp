#include "node_lacks.hpp"

#include "main_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <span>
#include <sstream>
#include <string_view>

namespace mesh::host {

namespace {

/// A function and something that it refers to, and behind which line of the source, ":12" or "".
struct Reference {
    std::string from;
    std::string to;
    std::string line;
};

struct Lack {
    std::string_view why;
    std::vector<std::string_view> names; // those that do not end in a letter are beginnings
};

const std::array<Lack, 6> kLacks{
    {{"a node has no heap, so no new, malloc(), std::vector or std::string: use std::array, a "
      "static array, or Kernel::make()",
      {"operator new(", "operator new[](", "malloc", "calloc", "realloc", "strdup",
       "aligned_alloc"}},
     {"a node has no streams: write with print() or printf()",
      {"std::ios_base:", "std::cout", "std::cerr", "std::locale:"}},
     {"a node has no calendar: Kernel::now() gives model time, mesh::cycles() that of the "
      "processor",
      {"time", "clock", "gettimeofday", "clock_gettime", "std::chrono:"}},
     {"a node has no threads: its processes are begun by par() or Kernel::spawn()",
      {"std::thread:", "std::this_thread:", "pthread_", "sleep", "usleep", "nanosleep"}},
     {"a node has no files: read_line() and read_input() take what --input names, write_output() "
      "fills --output",
      {"fopen", "open", "std::basic_filebuf<", "scanf", "__isoc99_scanf", "__isoc23_scanf",
       "getchar", "fgets", "gets", "getline"}},
     {"a node has no chance: mesh::Random and std::mt19937 begin with a number that you give them",
      {"std::random_device:", "getentropy", "getrandom", "arc4random"}}}};

/// The functions that a program with a main() lacks: fewer of a library than other programs
/// lack, and those of a system of processes.
const std::array<Lack, 8> kLacksOfMain{
    {{"a node has no streams of files: fopen() and fscanf() read those of mesh run --files DIR",
      {"std::basic_filebuf<", "std::basic_ifstream<", "std::basic_ofstream<",
       "std::basic_fstream<"}},
     {"a node has no chance: srand() and std::mt19937 begin with a number that you give them",
      {"std::random_device:", "getentropy", "getrandom", "arc4random"}},
     {"a node runs this program and no other: what another one is to do goes to another rank, or "
      "is done before mesh run",
      {"system", "popen", "pclose", "fork", "vfork", "wait", "waitpid", "execl", "execlp", "execle",
       "execv", "execvp", "execve", "posix_spawn", "posix_spawnp"}},
     {"a rank has one thread: take more ranks, by --dim, or calls that do not wait, as MPI_Irecv() "
      "and MPI_Ibcast()",
      {"pthread_", "std::thread:", "std::this_thread:", "thrd_", "mtx_", "cnd_", "sem_init",
       "sem_wait", "sem_post", "sem_open", "omp_", "GOMP_"}},
     {"a node has no network but its links: MPI_Send() and MPI_Recv() reach the other ranks",
      {"socket", "connect", "bind", "listen", "accept", "recvfrom", "sendto", "getaddrinfo",
       "gethostbyname", "inet_"}},
     {"a node has no files but those of mesh run --files DIR, which fopen() reads",
      {"open",   "open64",  "openat",  "creat",  "close", "read",    "write",  "lseek",
       "pipe",   "dup",     "dup2",    "select", "poll",  "stat",    "fstat",  "access",
       "remove", "rename",  "unlink",  "mkdir",  "rmdir", "tmpfile", "tmpnam", "mkstemp",
       "fdopen", "opendir", "readdir", "chdir",  "getcwd"}},
     {"nodes share no memory, and a rank's own is that of malloc(): MPI_Win_create() lets others "
      "reach it",
      {"mmap", "munmap", "shm_open", "shmget", "shmat"}},
     {"a node sends no signals: MPI_Wtime() and sleep() know the time, MPI_Abort() ends all ranks",
      {"alarm", "setitimer", "kill", "pause", "sigaction"}}}};

/// Functions whose results differ in their last bits between the C libraries of boards and of this
/// machine; also with an f, for float.
constexpr std::array<std::string_view, 30> kOtherBits{
    "sin",   "cos",   "tan",   "asin",  "acos", "atan", "atan2",  "sinh",   "cosh",   "tanh",
    "exp",   "exp2",  "exp10", "expm1", "log",  "log2", "log10",  "log1p",  "pow",    "cbrt",
    "hypot", "asinh", "acosh", "atanh", "erf",  "erfc", "lgamma", "tgamma", "sincos", "j0"};

/// A symbol of C without its offset.
std::string_view c_name(std::string_view symbol) {
    return symbol.substr(0, symbol.find_first_of("+-@"));
}

/// The function of kOtherBits that a symbol of C is; "" if it is none.
std::string_view rounded_by(std::string_view symbol) {
    std::string_view name = c_name(symbol);
    const auto known = [](std::string_view function) {
        return std::ranges::find(kOtherBits, function) != kOtherBits.end();
    };
    if (known(name) || (name.ends_with('f') && known(name.substr(0, name.size() - 1))))
        return name;
    return {};
}

/// A name of C is followed by nothing but an offset. A name of C++ has its parameters, so a
/// function of the user's own that is called open() is not taken for the one of C.
bool names(std::string_view name, std::string_view symbol) {
    if (!symbol.starts_with(name))
        return false;
    const std::string_view rest = symbol.substr(name.size());
    return std::ispunct(static_cast<unsigned char>(name.back())) != 0 || rest.empty() ||
           std::string_view("+-@").find(rest[0]) != std::string_view::npos;
}

const Lack* lack_of(std::string_view symbol, std::span<const Lack> lacks) {
    const auto found = std::ranges::find_if(lacks, [symbol](const Lack& lack) {
        return std::ranges::any_of(lack.names, [symbol](auto name) { return names(name, symbol); });
    });
    return found == lacks.end() ? nullptr : &*found;
}

/// The function that begins in this line of a listing; "" if none does.
std::string function_at(std::string_view line) {
    const auto open = line.find(" <");
    if (!line.ends_with(">:") || open == std::string_view::npos)
        return {};
    return std::string(line.substr(open + 2, line.size() - open - 4));
}

/// ":12" of "FOLDER/a.c:12 (discriminator 1)", which tells a place in the source text, if that is
/// the file of this name; "" else.
std::string place_at(std::string_view line, const std::string& file) {
    line = line.substr(0, line.find(" (discriminator"));
    const auto colon = line.rfind(':');
    const bool is_place = colon != std::string_view::npos && colon + 1 < line.size() &&
                          line.find_first_not_of("0123456789", colon + 1) == line.npos &&
                          std::filesystem::path(line.substr(0, colon)).filename() == file;
    return is_place ? std::string(line.substr(colon)) : std::string{};
}

/// "0000 <f(int)>:" begins a function, "3a: R_ARM_ABS32  g()" is a reference of it.
std::vector<Reference> references_in(const std::string& source, const std::string& listing) {
    const std::string file = std::filesystem::path(source).filename().string();
    std::vector<Reference> all;
    std::string function, place;
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        if (std::string name = function_at(line); !name.empty()) {
            function = std::move(name);
            place.clear();
        }
        if (std::string here = place_at(line, file); !here.empty())
            place = std::move(here);
        const auto kind = line.find(": R_");
        const auto blank = kind == std::string::npos ? kind : line.find_first_of("\t ", kind + 2);
        const auto name = blank == std::string::npos ? blank : line.find_first_not_of("\t ", blank);
        if (name != std::string::npos)
            all.push_back({function, line.substr(name), place});
    }
    return all;
}

bool of_the_library(std::string_view function) {
    return function.starts_with("std::") || function.find(" std::") < function.find('(');
}

/// The user's function on whose behalf a function of the C++ library refers to something.
std::string user_of(const std::vector<Reference>& all, std::string function) {
    for (std::size_t step = 0; of_the_library(function) && step < all.size(); ++step) {
        const auto caller = std::ranges::find_if(all, [&function](const Reference& reference) {
            return reference.to.starts_with(function) && reference.from != function;
        });
        if (caller == all.end())
            break;
        function = caller->from;
    }
    return function;
}

/// "allreduce" of "mesh::Task<mesh::Status> mesh::allreduce<int>(int&)", without templates' values,
/// namespaces and what it returns.
std::string name_of_function(std::string_view symbol) {
    std::string name;
    unsigned depth = 0;
    for (const char letter : symbol.substr(0, symbol.find_first_of("(["))) {
        depth += letter == '<' ? 1 : 0;
        if (depth == 0)
            name += letter;
        depth -= letter == '>' && depth > 0 ? 1 : 0;
    }
    name = c_name(name);
    return name.substr(std::min(name.find_last_of(": .") + 1, name.size()));
}

/// "in f: ", as its author wrote it; nothing if it is none of his. A coroutine has several
/// functions of its name.
std::string place_words(std::string name) {
    if (of_the_library(name))
        return {};
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    for (auto at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed))
        name.erase(at, kUnnamed.size());
    if (name.starts_with("_GLOBAL__"))
        return "before app_main begins: ";
    return fmt::format("in {}: ", name.substr(0, name.find_first_of("([<")));
}

} // namespace

std::vector<std::string> what_a_node_lacks(const std::string& source, const std::string& listing,
                                           const std::set<std::string>& own, bool has_main) {
    const std::vector<Reference> all = references_in(source, listing);
    std::vector<std::string> words;
    std::set<std::pair<std::string, const Lack*>> told; // one thing has several functions in a line
    for (const auto& [from, to, line] : all) {
        const std::string name(c_name(to));
        if (own.contains(name) || (has_main && main_has(name)))
            continue;
        const Lack* const lack = has_main ? lack_of(to, kLacksOfMain) : lack_of(to, kLacks);
        if (lack != nullptr && has_main && told.emplace(line, lack).second)
            words.push_back(fmt::format("{}{}: {}(): {}", source, line,
                                        name.substr(0, name.find_first_of("(<")), lack->why));
        else if (lack != nullptr && !has_main)
            words.push_back(
                fmt::format("{}: {}{}", source, place_words(user_of(all, from)), lack->why));
    }
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

std::vector<std::string> library_calls(const std::string& source, const std::string& listing) {
    std::set<std::string> calls;
    for (const Reference& reference : references_in(source, listing)) {
        const std::string name = name_of_function(reference.to);
        if (reference.to.find("mesh::") != std::string::npos || name.starts_with("MPI_") ||
            name.starts_with("PMPI_"))
            calls.insert(name);
    }
    return {calls.begin(), calls.end()};
}

std::string what_engines_round(const std::string& source, const std::string& listing) {
    const std::vector<Reference> all = references_in(source, listing);
    const auto found = std::ranges::find_if(
        all, [](const Reference& reference) { return !rounded_by(reference.to).empty(); });
    if (found == all.end())
        return {};
    return fmt::format("{}: {}{}() is not the same in its last bits on a board and in a "
                       "simulation: compare within a tolerance",
                       source, place_words(user_of(all, found->from)), rounded_by(found->to));
}

} // namespace mesh::host
