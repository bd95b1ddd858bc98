// Functions to which the compiler adds calls when it compiles at link time: too late for the linker
// to look for them, so it has to have met their names before. This list of them is in no image, and
// a function that nobody calls is not either.
asm(R"(
    .section .text.called_by_compiler, "ax"
    .word memchr, memcmp, memcpy, memmove, memset, strlen
    .word __aeabi_ldivmod, __aeabi_uldivmod, __popcountsi2
    .previous
)");
