#include "main_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace mesh::host {

namespace {
constexpr std::string_view kRenamed =
    "exit atexit time clock gettimeofday clock_gettime sleep usleep nanosleep gethostname "
    "getrusage "
    "malloc calloc realloc free aligned_alloc posix_memalign strdup strndup asprintf vasprintf "
    "stdin fgetc getc getchar ungetc fgets fread getdelim getline scanf fscanf vscanf vfscanf "
    "feof ferror clearerr ftell ftello fseek fseeko rewind fopen freopen fclose "
    // names that headers of C libraries have for some of them
    "getc_unlocked fgetc_unlocked getchar_unlocked fgets_unlocked fread_unlocked feof_unlocked "
    "__uflow __getdelim __isoc99_scanf __isoc99_fscanf __isoc99_vscanf __isoc99_vfscanf "
    "__isoc23_scanf __isoc23_fscanf __isoc23_vscanf __isoc23_vfscanf "
    // clocks of std::chrono; std::cout, cerr, clog and cin, what makes them, sync_with_stdio()
    "_ZNSt6chrono3_V212steady_clock3nowEv _ZNSt6chrono3_V212system_clock3nowEv "
    "_ZSt4cout _ZSt4cerr _ZSt4clog _ZSt3cin _ZNSt8ios_base4InitC1Ev _ZNSt8ios_base4InitD1Ev "
    "_ZSt21ios_base_library_initv _ZNSt8ios_base15sync_with_stdioEb";

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream words{std::string(text)};
    return {std::istream_iterator<std::string>(words), {}};
}

bool has(std::string_view text, std::string_view word) {
    const std::vector<std::string> words = words_of(text);
    return std::ranges::find(words, word) != words.end();
}
constexpr std::string_view kScriptEnd = ".ld";
} // namespace

std::set<std::string> functions_in(const std::string& symbols) {
    // "00000000 g     F .text.startup	00000040 main"
    std::set<std::string> names;
    std::istringstream lines(symbols);
    for (std::string line; std::getline(lines, line);)
        if (line.find(" F ") != std::string::npos)
            names.insert(line.substr(line.find_last_of(" \t") + 1));
    return names;
}

bool main_has(std::string_view function) { return has(kRenamed, function); }

std::vector<std::string> renaming_main(const std::string& objcopy, const std::string& object,
                                       const MainProgram& program) {
    std::vector<std::string> words{objcopy, "--redefine-sym"};
    words.push_back(fmt::format("{}={}", kMain, program.has_cxx ? "mesh_cxx_main" : "mesh_main"));
    if (program.has_cxx)
        words.insert(words.end(), {"--rename-section", ".init_array=mesh_init_array"});
    for (const std::string& name : words_of(kRenamed)) {
        if (program.own.contains(name))
            continue;
        words.emplace_back("--redefine-sym");
        words.push_back(fmt::format("{0}=mesh_{0}", name));
    }
    words.push_back(object);
    return words;
}

std::vector<std::string> libraries_for_main(std::vector<std::string> words,
                                            const MainProgram& program) {
    if (program.on_board && program.has_cxx) {
        words.insert(words.begin(), "-Wl,--start-group");
        words.insert(words.end(), {"-lstdc++", "-Wl,--end-group"});
    }
    return words;
}

void link_with_main(std::vector<std::string>& words) {
    for (std::string& word : words) {
        if (!word.ends_with(kScriptEnd))
            continue;
        const std::string other =
            word.substr(0, word.size() - kScriptEnd.size()) + "-main" + std::string(kScriptEnd);
        if (std::filesystem::is_regular_file(other))
            word = other;
    }
    words.emplace_back("-Wl,-u,_Z8app_mainRN4mesh6KernelE"); // app_main(mesh::Kernel&)
}

} // namespace mesh::host
