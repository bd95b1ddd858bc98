// std::cout, std::cin and their kin for a program with a main(): the console and the input of C, in
// the order of printf() and getchar(). `mesh build` gives the objects and functions of the C++
// library, which speak to files of their own, the prefix mesh_.
#include "hal/console.hpp"

#include <istream>
#include <ostream>
#include <span>
#include <streambuf>

extern "C" int mesh_getchar();

namespace {

using Traits = std::char_traits<char>;

/// Nothing is kept here: the console does.
class Console final : public std::streambuf {
    int_type overflow(int_type character) override {
        if (Traits::eq_int_type(character, Traits::eof()))
            return Traits::not_eof(character);
        const char text = Traits::to_char_type(character);
        mesh::console_write({&text, 1});
        return character;
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        mesh::console_write({text, static_cast<std::size_t>(count)});
        return count;
    }
    int sync() override {
        mesh::console_flush();
        return 0;
    }
};

/// Holds one character, so that what it has not given a program reads by the functions of C.
class Input final : public std::streambuf {
    int_type underflow() override {
        const int character = mesh_getchar();
        if (character < 0)
            return Traits::eof();
        held_ = static_cast<char>(character);
        setg(&held_, &held_, &held_ + 1);
        return Traits::to_int_type(held_);
    }
    char held_ = '\0';
};

Console console;
Input input;

} // namespace

extern std::ostream the_cout asm("mesh__ZSt4cout");
extern std::ostream the_cerr asm("mesh__ZSt4cerr");
extern std::ostream the_clog asm("mesh__ZSt4clog");
extern std::istream the_cin asm("mesh__ZSt3cin");
std::ostream the_cout(&console);
std::ostream the_cerr(&console);
std::ostream the_clog(&console);
std::istream the_cin(&input);
