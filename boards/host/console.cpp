#include "boards/host/console.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

thread_local mesh::Kernel* console = nullptr;

void write(std::string_view text) {
    if (console == nullptr)
        std::abort();
    for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(text.size(), 512)))
        console->host_send(mesh::wire::HostTag::console,
                           std::as_bytes(std::span{text.substr(0, 512)}));
}

} // namespace

void mesh::board::set_console(Kernel* kernel) { console = kernel; }

// Apps are built for the host with printf and puts renamed to these.
extern "C" {

[[gnu::format(printf, 1, 2)]] int mesh_app_printf(const char* format, ...);
int mesh_app_puts(const char* text);

int mesh_app_printf(const char* format, ...) {
    std::array<char, 1024> text{};
    std::va_list values;
    va_start(values, format);
    const int length = std::vsnprintf(text.data(), text.size(), format, values);
    va_end(values);
    write({text.data(), std::min(text.size() - 1, static_cast<std::size_t>(length))});
    return length;
}

int mesh_app_puts(const char* text) {
    write(text);
    write("\n");
    return 0;
}
}
