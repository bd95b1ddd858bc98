// getopt() and getopt_long(), whose place among the words each node has for itself. As POSIX says,
// options end at the first word that is none.
#include <cstdio>
#include <cstring>
#include <getopt.h>
#include <utility>

extern "C" {
char* optarg = nullptr;
int optind = 1;
int opterr = 1;
int optopt = 0;
}

namespace {

const char* the_letters = ""; // of the word that is being read, those that are left

int complain(const char* const* words, const char* known, const char* what, int option) {
    optopt = option;
    if (opterr != 0 && *known != ':')
        printf("%s: %s -- '%c'\n", words[0], what, option);
    return '?';
}

/// The argument of an option: `rest` if that is not empty, or the next word; false: there is none.
bool take_argument(int count, char* const* words, char* rest) {
    optarg = *rest != '\0' ? rest : optind < count ? words[optind++] : nullptr;
    return optarg != nullptr;
}

/// The option whose name `word` has, up to an equals sign; nullptr: there is none.
const option* find_long(const char* word, const option* options) {
    const std::size_t length = std::strcspn(word, "=");
    for (; options->name != nullptr; ++options)
        if (std::strlen(options->name) == length && std::memcmp(options->name, word, length) == 0)
            return options;
    return nullptr;
}

int long_option(int count, char* const* words, const char* known, const option* options, int* at) {
    char* const word = words[optind++] + 2;
    const option* const found = find_long(word, options);
    if (found == nullptr) {
        optopt = 0;
        if (opterr != 0 && *known != ':')
            printf("%s: unrecognized option '--%s'\n", words[0], word);
        return '?';
    }
    char* const equals = std::strchr(word, '=');
    optarg = equals != nullptr ? equals + 1 : nullptr;
    char nothing = '\0';
    if (found->has_arg == required_argument && equals == nullptr &&
        !take_argument(count, words, &nothing)) {
        optopt = found->val;
        if (opterr != 0 && *known != ':')
            printf("%s: option '--%s' requires an argument\n", words[0], word);
        return *known == ':' ? ':' : '?';
    }
    if (at != nullptr)
        *at = static_cast<int>(found - options);
    if (found->flag == nullptr)
        return found->val;
    *found->flag = found->val;
    return 0;
}

} // namespace

extern "C" {

int getopt_long(int count, char* const* words, const char* known, const option* options, int* at) {
    optarg = nullptr;
    if (optind == 0) { // begin anew
        optind = 1;
        the_letters = "";
    }
    if (*the_letters == '\0') {
        if (optind >= count || words[optind][0] != '-' || words[optind][1] == '\0')
            return -1;
        if (words[optind][1] == '-') {
            if (words[optind][2] != '\0' && options != nullptr)
                return long_option(count, words, known, options, at);
            optind += words[optind][2] == '\0' ? 1 : 0;
            return -1;
        }
        the_letters = words[optind++] + 1;
    }
    const int letter = static_cast<unsigned char>(*the_letters++);
    const char* const found = letter == ':' ? nullptr : std::strchr(known, letter);
    if (found == nullptr)
        return complain(words, known, "invalid option", letter);
    if (found[1] != ':')
        return letter;
    char* const rest = const_cast<char*>(std::exchange(the_letters, ""));
    if (found[2] == ':') // an argument that may be left out
        optarg = *rest != '\0' ? rest : nullptr;
    else if (!take_argument(count, words, rest)) {
        complain(words, known, "option requires an argument", letter);
        return *known == ':' ? ':' : '?';
    }
    return letter;
}

int getopt(int count, char* const* words, const char* known) {
    return getopt_long(count, words, known, nullptr, nullptr);
}
}
