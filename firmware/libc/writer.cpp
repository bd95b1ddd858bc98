#include "libc/writer.hpp"

namespace mesh::stdio {

void Writer::put(char character) {
    if (used_ == buffer_.size())
        flush();
    buffer_[used_++] = character;
    ++count_;
}

void Writer::put(std::string_view text) {
    for (const char character : text)
        put(character);
}

void Writer::fill(char character, int count) {
    for (; count > 0; --count)
        put(character);
}

void Writer::flush() {
    sink_.take(sink_.context, std::span{buffer_}.first(used_));
    used_ = 0;
}

void Writer::begin_field(const Spec& spec, std::string_view prefix, int characters) {
    const int rest = spec.width - static_cast<int>(prefix.size()) - characters;
    behind_ = spec.left ? rest : 0;
    if (!spec.left && !spec.zeros)
        fill(' ', rest);
    put(prefix);
    if (spec.zeros)
        fill('0', rest);
}

std::string_view sign_of(const Spec& spec, bool negative) {
    return negative ? "-" : spec.plus ? "+" : spec.blank ? " " : "";
}

} // namespace mesh::stdio
