# Stellaris LM3S6965 evaluation kit: Cortex-M3 with 64 KB of RAM, three serial lines.
CPU_FLAGS := -mcpu=cortex-m3 -mthumb -DMESH_PAYLOAD_MAX=256
LDSCRIPT := linker/lm3s6965evb.ld
SHARED := boards/cortex-m boards/serial
BOARD_LDFLAGS := -Wl,--defsym=stack_bytes=6K
# Others are made with BOARD=, so that one board more does not cost every build and every test.
IMAGES := hello $(if $(BOARD),$(OPS))
SUITES := $(if $(BOARD),app_windows app_crash)
