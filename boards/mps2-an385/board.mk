# Arm MPS2+ AN385: Cortex-M3 without FPU, five serial lines whose transmitters block.
CPU_FLAGS := -mcpu=cortex-m3 -mthumb
LDSCRIPT := linker/mps2-an385.ld
SHARED := boards/cortex-m boards/serial
# Others are made when they are asked for: make build/mps2-an385/pi.elf
IMAGES := $(OPS) hello
SUITES := test_interrupts app_windows app_crash pulse
