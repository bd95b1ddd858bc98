// strtok(), whose place in the text each node has for itself.
#include <cstring>

namespace {
char* the_rest = nullptr;
} // namespace

extern "C" char* strtok(char* text, const char* separators) {
    char* const from = text != nullptr ? text : the_rest;
    the_rest = nullptr;
    if (from == nullptr)
        return nullptr;
    char* const token = from + std::strspn(from, separators);
    if (*token == '\0')
        return nullptr;
    char* const end = token + std::strcspn(token, separators);
    if (*end != '\0') {
        *end = '\0';
        the_rest = end + 1;
    }
    return token;
}
