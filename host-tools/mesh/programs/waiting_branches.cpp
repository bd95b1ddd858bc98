#include "waiting_branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

/// The mark at this place divides the digits of a number.
bool in_number(std::string_view text, std::size_t at) {
    return at != 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
}

/// The text with spaces in place of comments and of what is quoted.
std::string bare(std::string_view text) {
    std::string all(text);
    const auto blank = [&all](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < std::min(end, all.size()); ++at)
            all[at] = all[at] == '\n' ? '\n' : ' ';
        return end;
    };
    const auto behind = [text](std::size_t from, std::string_view end) {
        const std::size_t found = text.find(end, from);
        return found == std::string_view::npos ? text.size() : found + end.size();
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("//")) {
            at = blank(at, std::min(text.find('\n', at), text.size())) - 1;
        } else if (rest.starts_with("/*")) {
            at = blank(at, behind(at + 2, "*/")) - 1;
        } else if (rest.starts_with("R\"")) {
            const std::string_view mark = rest.substr(2, std::min(rest.find('('), rest.size()) - 2);
            at = blank(at, behind(at + 2, fmt::format("){}\"", mark))) - 1;
        } else if (rest.front() == '"' || (rest.front() == '\'' && !in_number(text, at))) {
            std::size_t end = at + 1;
            while (end < text.size() && text[end] != rest.front() && text[end] != '\n')
                end += text[end] == '\\' ? 2 : 1;
            at = blank(at, end + 1) - 1;
        }
    }
    return all;
}

/// A bracket that is open, or the statement around all of them.
struct Level {
    enum class Kind { statement, condition, loop, right, other };
    Kind kind;
    char operation = 0; // ?, & or |, since the last comma
};

class Finder {
public:
    explicit Finder(std::string_view text) : text_(text) {}

    /// The waits in a wrong place: where in the text, and whether in a co_return.
    std::vector<std::pair<std::size_t, bool>> all() {
        begin_statement(0);
        while (at_ < text_.size())
            step();
        return std::move(found_);
    }

private:
    static bool of_word(char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    }

    void begin_statement(std::size_t at) {
        levels_.assign(1, {Level::Kind::statement});
        begin_ = at;
        is_return_ = adds_ = false;
    }

    void step() {
        const char letter = text_[at_];
        if (of_word(letter)) {
            const std::size_t begin = at_;
            while (at_ < text_.size() && of_word(text_[at_]))
                ++at_;
            take_word(begin, text_.substr(begin, at_ - begin));
            return;
        }
        take_mark(letter);
        if (std::isspace(static_cast<unsigned char>(letter)) == 0) {
            before_ = letter;
            word_ = {};
        }
        ++at_;
    }

    void take_word(std::size_t at, std::string_view word) {
        is_return_ |= word == "co_return";
        if (word == "co_await" && is_wrong())
            found_.emplace_back(at, is_return_);
        word_ = word;
        before_ = 'a';
    }

    void take_mark(char letter) {
        const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
        Level& level = levels_.back();
        if (letter == '(' || letter == '[')
            levels_.push_back({kind_of_bracket()});
        else if ((letter == ')' || letter == ']') && levels_.size() > 1)
            levels_.pop_back();
        else if ((letter == ';' && levels_.size() == 1) || letter == '{' || letter == '}')
            begin_statement(at_ + 1);
        else if (letter == ';' || letter == ',')
            level.operation = 0;
        else if (letter == '?' || ((letter == '&' || letter == '|') && next == letter))
            level.operation = letter;
        else if (letter == '=' && std::string_view("+-*/%&|^").find(before_) != std::string::npos)
            adds_ = levels_.size() == 1;
        at_ += letter == next && (letter == '&' || letter == '|') ? 1 : 0;
    }

    Level::Kind kind_of_bracket() const {
        if (word_ == "if")
            return Level::Kind::condition;
        if (word_ == "while" || word_ == "for")
            return Level::Kind::loop;
        return before_ == '!' || word_ == "switch" ? Level::Kind::right : Level::Kind::other;
    }

    /// A wait here is in a branch, in a place that GCC translates wrongly.
    bool is_wrong() const {
        return std::ranges::any_of(levels_, [this](const Level& level) {
            switch (level.kind) {
            case Level::Kind::statement:
                return level.operation != 0 && (is_return_ || adds_ || ignores());
            case Level::Kind::condition: return level.operation == '?';
            case Level::Kind::loop:
            case Level::Kind::other: return level.operation != 0;
            case Level::Kind::right: break;
            }
            return false;
        });
    }
    bool ignores() const {
        const std::string_view statement = text_.substr(begin_, at_ - begin_);
        return statement.find("std::ignore") != std::string_view::npos;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;     // of the statement
    std::string_view word_;     // the last one, if nothing stands behind it
    char before_ = ' ';         // the last letter that is no space
    bool is_return_ = false;    // the statement is a co_return
    bool adds_ = false;         // it is one with += or the like
    std::vector<Level> levels_; // of the place
    std::vector<std::pair<std::size_t, bool>> found_;
};

} // namespace

std::string branches_that_wait(std::string_view file, std::string_view text) {
    const std::string without = bare(text);
    std::string all;
    std::ptrdiff_t last = 0;
    for (const auto& [at, is_return] : Finder(without).all()) {
        const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
        if (std::exchange(last, line) == line)
            continue;
        all +=
            fmt::format("note: {}:{}: GCC waits here whatever the condition says: {}\n", file, line,
                        is_return ? "write if (c) co_return co_await CALL;"
                                  : "give the value to a variable by a statement of its own");
    }
    return all;
}

} // namespace mesh::host
