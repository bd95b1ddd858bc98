// The common part of the conversions: the parsed directive, and the text on its way to a sink.
#pragma once

#include "libc/format.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace mesh::stdio {

/// %[flags][width][.precision][length]conversion.
struct Spec {
    bool left = false;
    bool plus = false;
    bool blank = false;
    bool alternate = false;
    bool zeros = false; // in front, to the width
    int width = 0;
    int precision = -1;           // none
    unsigned bytes = sizeof(int); // of an integer, as the length says
    char length = 0;              // the last letter of it; 0: none
    char conversion = 0;
};

class Writer {
public:
    explicit Writer(const Sink& sink) : sink_(sink) {}

    void put(char character);
    void put(std::string_view text);
    void fill(char character, int count);
    void flush();
    int count() const { return count_; }

    /// A field: what fills it up in front, and `prefix`. Then `characters` are to be put, and
    /// end_field() called.
    void begin_field(const Spec& spec, std::string_view prefix, int characters);
    void end_field() { fill(' ', behind_); }

private:
    Sink sink_;
    std::array<char, 64> buffer_;
    std::size_t used_ = 0;
    int count_ = 0;
    int behind_ = 0; // blanks that fill the field up
};

/// '-', or what the flags want in its place.
std::string_view sign_of(const Spec& spec, bool negative);

/// %f %F %e %E %g %G of `value`.
void write_floating(Writer& out, Spec spec, double value);

} // namespace mesh::stdio
