# Netduino Plus 2: STM32F405, Cortex-M4F with 128 KB of RAM, six serial lines to use.
CPU_FLAGS := -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16
LDSCRIPT := linker/netduinoplus2.ld
SHARED := boards/cortex-m boards/serial
BOARD_LDFLAGS := -Wl,--defsym=stack_bytes=6K
# Others are made when they are asked for: make build/netduinoplus2/pi.elf
IMAGES := $(OPS) hello
SUITES := app_windows app_crash app_storm
