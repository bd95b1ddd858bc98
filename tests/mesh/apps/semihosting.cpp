// Asks the host for two things that no node may do: to write the file that its first word names,
// and to run the command that its second word is.
#include "meshputer.hpp"

#include <array>
#include <cstdint>

namespace {

constexpr std::uint32_t kOpen = 0x01; // "Semihosting for AArch32 and AArch64", chapter 6
constexpr std::uint32_t kWrite = 0x05;
constexpr std::uint32_t kSystem = 0x12;
constexpr std::uint32_t kForWriting = 4;

std::uint32_t call(std::uint32_t operation, std::array<std::uint32_t, 3> parameters) {
    register std::uint32_t result asm("r0") = operation;
    register const void* arguments asm("r1") = parameters.data();
    asm volatile("bkpt 0xAB" : "+r"(result) : "r"(arguments) : "memory");
    return result;
}

std::uint32_t address(std::string_view text) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(text.data()));
}

std::uint32_t bytes(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const std::string_view file = node.arguments()[0];
    const std::string_view command = node.arguments()[1];
    const std::uint32_t handle = call(kOpen, {address(file), kForWriting, bytes(file)});
    call(kWrite, {handle, address(file), bytes(file)});
    call(kSystem, {address(command), bytes(command), 0});
    co_return mesh::Status::ok;
}
