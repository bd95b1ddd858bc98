# The machine of lm3s6965evb with a Cortex-M0 in it: Armv6-M, as RP2040 and nRF51 have it.
CPU_FLAGS := -mcpu=cortex-m0 -mthumb -DMESH_PAYLOAD_MAX=256
LDSCRIPT := linker/lm3s6965evb.ld
SHARED := boards/lm3s6965evb boards/cortex-m boards/serial
BOARD_LDFLAGS := -Wl,--defsym=stack_bytes=6K
# Nothing is made of it but with BOARD=lm3s-m0.
MADE_BOARDS := $(if $(BOARD),$(BOARD),$(filter-out lm3s-m0,$(MADE_BOARDS)))
IMAGES := $(if $(BOARD),hello $(OPS))
SUITES := $(if $(BOARD),app_windows app_crash)
