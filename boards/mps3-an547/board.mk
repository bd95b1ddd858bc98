# Arm MPS3 AN547: Cortex-M55, six serial lines whose transmitters block.
CPU_FLAGS := -mcpu=cortex-m55+nomve -mthumb -mfloat-abi=hard
LDSCRIPT := linker/mps3-an547.ld
SHARED := boards/cortex-m boards/serial
LOADER := serial
# Others are made with BOARD=, so that one board more does not cost every build and every test.
IMAGES := hello $(if $(BOARD),$(OPS))
SUITES := $(if $(BOARD),app_windows app_crash)
