# Aspeed AST1030 evaluation board: Cortex-M4F with twelve serial lines to use.
CPU_FLAGS := -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16
LDSCRIPT := linker/ast1030-evb.ld
SHARED := boards/cortex-m boards/serial
LOADER := serial
# Others are made when they are asked for: make build/ast1030-evb/pi.elf
IMAGES := $(OPS) hello
SUITES := test_kernel app_windows app_crash app_uart alone/pi alone/hello loaded/alone_pi
