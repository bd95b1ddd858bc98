#include "grade.hpp"

#include "grade_rules.hpp"
#include "gradescope.hpp"
#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/common/text_file.hpp"
#include "host-tools/mesh/common/wrap.hpp"
#include "host-tools/mesh/programs/build_command.hpp"
#include "host-tools/mesh/programs/compiler_help.hpp"
#include "host-tools/mesh/reports/junit.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "host-tools/mesh/rig/run_plan.hpp"
#include "host-tools/mesh/series/crew.hpp"
#include "host-tools/mesh/series/orders.hpp"
#include "labs.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string_view>
#include <utility>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

void write_json(const std::string& path, const Json& whole, std::string_view option) {
    const std::string text = whole.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    write_whole(path, std::as_bytes(std::span(text)), option);
}

/// Writes the files that were asked for.
void write_grade(const GradeArguments& arguments, const Json& whole, const std::string& suite,
                 std::span<const CaseResult> cases) {
    if (!arguments.json.empty())
        write_json(arguments.json, whole, "--json");
    if (!arguments.gradescope.empty())
        write_json(arguments.gradescope, gradescope_of(whole), "--gradescope");
    if (!arguments.junit.empty())
        write_junit(arguments.junit, suite, cases, whole.at("seconds").get<double>());
}

/// The outcome of a check.
struct Mark {
    const Check& check;
    bool good = true;
    double seconds = 0;
    std::string reason{}; // one sentence; of a good check none
    std::string repeat{}; // the command of the run that failed
    std::string page{};   // the file that shows it
    std::string hint{};
    std::string shape{}; // of the failure, if it may be told again
    std::string said{};  // by the compiler
};

/// The checks of a lab on the files of a folder.
class Grade {
public:
    Grade(const GradeArguments& arguments, const Lab& lab)
        : arguments_(arguments),
          lab_(lab),
          language_(language_of(lab, arguments.folder)),
          folder_(folder_word(arguments.folder)),
          variant_(arguments.variant.empty() ? drawn_variant() : arguments.variant),
          checks_(read_checks((lab.folder / "check.toml").string(), language_)) {
        draw_secrets(checks_, variant_of(variant_));
        for (const Check& check : checks_)
            name_width_ = std::max(name_width_, check.name.size());
    }

    void run();
    unsigned points() const;
    unsigned points_max() const;
    void write() const;

private:
    static std::string folder_word(const std::string& folder);
    static std::string drawn_variant();
    static std::uint32_t variant_of(const std::string& id);
    std::string program_of(const std::string& word) const;
    std::vector<std::string> words_of(const MatrixCase& made) const;
    static std::vector<std::string> calls_in(const std::vector<std::string>& words);
    Mark mark_of(const Check& check);
    bool try_case(const MatrixCase& made, unsigned orders, Mark& mark);
    bool try_run(const MatrixCase& made, const std::string& order, Mark& mark);
    void explain(const MatrixCase& made, const std::string& order, CaseResult result, Mark& mark);
    std::string page_of(const CaseResult& result);
    void print(const Mark& mark) const;
    void warn(const std::string& said);

    const GradeArguments& arguments_;
    const Lab& lab_;
    Language language_;
    std::string folder_;
    std::string variant_;
    std::vector<Check> checks_;
    std::vector<Mark> marks_;
    std::size_t name_width_ = 0;
    Crew crew_;
    std::vector<std::string> warnings_; // of the compiler, each once
    std::string not_tried_;             // why no further check is; "": they are
    bool has_page_ = false;
};

/// A path that --app takes for one.
std::string Grade::folder_word(const std::string& folder) {
    const bool plain = !folder.starts_with('/') && !folder.starts_with('.');
    return (plain ? "./" : "") + folder;
}

/// A new one each time, so that nothing is to be learned from the last grade.
std::string Grade::drawn_variant() { return fmt::format("{:08x}", std::random_device{}()); }

/// The number of a variant, whatever is its name: FNV-1a.
std::uint32_t Grade::variant_of(const std::string& id) {
    std::uint32_t number = 2166136261u;
    for (const char letter : id)
        number = (number ^ static_cast<unsigned char>(letter)) * 16777619u;
    return number;
}

/// The program of a check, PROGRAM or PROGRAM@NODES, in the student's language.
std::string Grade::program_of(const std::string& word) const {
    if (language_ == Language::cpp)
        return word;
    const std::size_t nodes = std::min(word.find('@'), word.size());
    return fs::path(word.substr(0, nodes)).replace_extension(".c").string() + word.substr(nodes);
}

/// Files that the checks name, where they are.
std::vector<std::string> Grade::words_of(const MatrixCase& made) const {
    std::vector<std::string> words{arguments_.program, "run"};
    for (const std::string& option : made.options) {
        const std::size_t is = std::min(option.find('='), option.size());
        const std::string name = option.substr(0, is);
        const std::string value = option.substr(std::min(is + 1, option.size()));
        if ((name == "--app" || name == "--tree") && value.find('.') != std::string::npos)
            words.push_back(fmt::format("{}={}/{}", name, folder_,
                                        name == "--app" ? program_of(value) : value));
        else if (name == "--expect" || name == "--input" || name == "--files")
            words.push_back(fmt::format("{}={}", name, (lab_.folder / value).string()));
        else
            words.push_back(option);
    }
    return words;
}

void Grade::run() {
    std::error_code error;
    fs::remove(fs::path(arguments_.folder) / "failed.html", error);
    for (const Check& check : checks_) {
        marks_.push_back(mark_of(check));
        print(marks_.back());
    }
    fmt::print("variant {}: mesh grade --variant {} draws the same again\n", variant_,
               shell_line({variant_}));
    fmt::print("{}: {} of {} points\n", lab_.name, points(), points_max());
}

Mark Grade::mark_of(const Check& check) {
    Mark mark{.check = check};
    if (!not_tried_.empty()) {
        mark.good = false;
        mark.reason = "not tried, " + not_tried_;
        return mark;
    }
    for (const MatrixCase& made : check.cases)
        if (!try_case(made, check.orders, mark))
            break;
    return mark;
}

/// A case in each of its orders. False at the first run that is not good.
bool Grade::try_case(const MatrixCase& made, unsigned orders, Mark& mark) {
    if (orders == 0)
        return try_run(made, {}, mark);
    for (unsigned number = 1; number <= orders; ++number)
        if (!try_run(made, fmt::format("drawn:{}", number), mark))
            return false;
    return true;
}

bool Grade::try_run(const MatrixCase& made, const std::string& order, Mark& mark) {
    std::vector<std::string> words = words_of(made);
    if (!order.empty())
        words.insert(words.begin() + 2, fmt::format("--order={}", order));
    crew_.start({made.name, std::move(words)});
    CaseResult result = judged(made, crew_.wait());
    mark.seconds += result.seconds;
    if (result.said.find("error: ") == std::string::npos)
        warn(result.said);
    if (result.verdict != CaseVerdict::refused)
        mark.reason = forbidden_call(made, calls_in(result.work.words));
    if (result.verdict == CaseVerdict::verified && mark.reason.empty())
        return true;
    mark.good = false;
    if (!mark.reason.empty())
        return false;
    explain(made, order, std::move(result), mark);
    return false;
}

/// Tells of warnings, which cost nothing.
void Grade::warn(const std::string& said) {
    for (const std::string& line : warnings_in(said)) {
        if (std::ranges::find(warnings_, line) != warnings_.end())
            continue;
        say("{}\n", line);
        warnings_.push_back(line);
    }
}

/// The calls of the program of a run, which has been built.
std::vector<std::string> Grade::calls_in(const std::vector<std::string>& words) {
    constexpr std::string_view kApp = "--app=";
    for (const std::string& word : words)
        if (const std::string program =
                program_word(word.substr(std::min(kApp.size(), word.size())));
            word.starts_with(kApp) && is_source(program))
            return calls_of(program);
    return {};
}

/// Prints what a student is to know of a run that was not good.
void Grade::explain(const MatrixCase& made, const std::string& order, CaseResult result,
                    Mark& mark) {
    std::string late;
    if (result.verdict == CaseVerdict::refused &&
        result.said.find("error: ") != std::string::npos) {
        say("{}", result.said);
        not_tried_ = "since it does not compile";
        mark.said = result.said;
        mark.reason = "does not compile: " + first_error(result.said);
        return;
    }
    if (!order.empty() && result.verdict == CaseVerdict::failed && result.report != nullptr &&
        result.report->contains("order")) {
        SmallestOrder smallest = smallest_order(
            words_of(made), result, [&](CaseResult run) { return judged(made, std::move(run)); });
        late = smallest.words;
        result = std::move(smallest.result);
    }
    const FailureKind kind = kind_of(result);
    if (kind == FailureKind::endless)
        not_tried_ = fmt::format("since '{}' did not end", mark.check.name);
    if (kind == FailureKind::waits || kind == FailureKind::crash)
        mark.shape = shape_of(result);
    const auto same = std::ranges::find_if(marks_, [&](const Mark& other) {
        return !mark.shape.empty() && other.shape == mark.shape;
    });
    mark.reason = sentence_of(made, result, order.substr(order.find(':') + 1), late);
    if (same == marks_.end())
        mark.hint = hint_for(kind, mark.check);
    else
        mark.reason = fmt::format("the same as in '{}': {}", same->check.name, mark.reason);
    mark.repeat = result.repeat;
    if (!has_page_ && result.report != nullptr)
        mark.page = page_of(result);
    has_page_ = has_page_ || !mark.page.empty();
}

/// Makes the run once more, for its page. "" if there is none.
std::string Grade::page_of(const CaseResult& result) {
    Case again = result.work;
    again.page = folder_ + "/failed.html";
    const std::string page = again.page;
    crew_.start(std::move(again));
    static_cast<void>(crew_.wait());
    std::error_code error;
    return fs::exists(page, error) ? page : std::string{};
}

void Grade::print(const Mark& mark) const {
    fmt::print("{:<{}} {:>3} of {:<3} {} ({:.1f} s)\n", mark.check.name, name_width_,
               mark.good ? mark.check.points : 0, mark.check.points, mark.good ? "OK" : "FAILED",
               mark.seconds);
    if (!mark.good) {
        fmt::print("    {}\n", mark.reason);
        if (!mark.hint.empty())
            fmt::print("    hint: {}\n", mark.hint);
        if (!mark.page.empty())
            fmt::print("    look: {}\n", mark.page);
        if (!mark.repeat.empty())
            fmt::print("    repeat: {}\n", mark.repeat);
    }
    std::fflush(stdout);
}

unsigned Grade::points() const {
    unsigned sum = 0;
    for (const Mark& mark : marks_)
        sum += mark.good ? mark.check.points : 0;
    return sum;
}

unsigned Grade::points_max() const {
    unsigned sum = 0;
    for (const Check& check : checks_)
        sum += check.points;
    return sum;
}

void Grade::write() const {
    Json checks = Json::array();
    std::vector<CaseResult> cases;
    double seconds = 0;
    for (const Mark& mark : marks_) {
        checks.push_back({{"name", mark.check.name},
                          {"points", mark.good ? mark.check.points : 0},
                          {"of", mark.check.points},
                          {"reason", or_null(mark.reason)},
                          {"repeat", or_null(mark.repeat)},
                          {"page", or_null(mark.page)},
                          {"hint", or_null(mark.hint)},
                          {"compiler", or_null(mark.said)},
                          {"seconds", mark.seconds}});
        CaseResult result;
        result.work.name = mark.check.name;
        result.verdict = mark.good ? CaseVerdict::verified : CaseVerdict::failed;
        result.reason = mark.reason;
        result.repeat = mark.repeat;
        result.seconds = mark.seconds;
        seconds += mark.seconds;
        cases.push_back(std::move(result));
    }
    write_grade(arguments_,
                {{"lab", lab_.name},
                 {"folder", arguments_.folder},
                 {"variant", variant_},
                 {"points", points()},
                 {"of", points_max()},
                 {"seconds", seconds},
                 {"warnings", warnings_},
                 {"checks", checks}},
                lab_.name, cases);
}

std::string text_in(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return plain_text(std::string{std::istreambuf_iterator<char>(file), {}});
}

/// Checks that the lab's own files are unchanged and that the files it asks for are there.
void check_files(const Lab& lab, const GradeArguments& arguments) {
    const Language language = language_of(lab, arguments.folder);
    for (const std::string& name : student_files(lab, language)) {
        const fs::path mine = fs::path(arguments.folder) / name;
        std::error_code error;
        if (is_answer(name) && !fs::exists(mine, error))
            refuse("'{}': no such file, and it is what is to be graded", mine.string());
        if (is_given(name) && text_in(mine) != text_in(lab.folder / name))
            refuse("'{}': is given, and not to be changed; copy it again from {}", mine.string(),
                   (lab.folder / name).string());
    }
}

void check_results(const GradeArguments& arguments) {
    for (const auto& [option, path] :
         {std::pair{"--json", arguments.json}, std::pair{"--gradescope", arguments.gradescope}}) {
        if (path == kStandardOutput)
            refuse("{} -: standard output has a line for each check; give a file", option);
        if (!path.empty())
            check_writable(path, option);
    }
    if (!arguments.junit.empty())
        check_writable(arguments.junit, "--junit");
}

/// A folder that cannot be graded has its files all the same, so that nobody is lost.
void write_refused(const GradeArguments& arguments, const std::string& why) {
    CaseResult result;
    result.work.name = arguments.folder;
    result.reason = why;
    write_grade(arguments,
                {{"lab", or_null(arguments.lab)},
                 {"folder", arguments.folder},
                 {"variant", or_null(arguments.variant)},
                 {"points", 0},
                 {"of", nullptr},
                 {"seconds", 0},
                 {"reason", why},
                 {"checks", Json::array()}},
                "grade", {&result, 1});
}

} // namespace

std::string describe_check_keys() {
    std::string text = "Keys of check.toml beside those of mesh matrix:\n";
    for (const MatrixKey& key : check_keys())
        text += in_columns(fmt::format("  {}", key.name), key.phrase);
    return text;
}

bool run_grade(const GradeArguments& arguments) {
    check_results(arguments);
    try {
        const Lab lab = arguments.lab.empty() ? lab_of(arguments.folder) : lab_named(arguments.lab);
        check_files(lab, arguments);
        Grade grade(arguments, lab);
        grade.run();
        grade.write();
        return grade.points() == grade.points_max();
    } catch (const UsageError& error) {
        write_refused(arguments, error.what());
        throw;
    }
}

} // namespace mesh::host
