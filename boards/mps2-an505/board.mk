# Arm MPS2+ AN505: Cortex-M33 with single-precision FPU.
CPU_FLAGS := -mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16
LDSCRIPT := linker/mps2-an505.ld
SHARED := boards/cortex-m
LOADER := lan9118
# Talked to by tests/mesh/boards/test_board.py and the benchmarks; those that count instructions.
PROBES := tests/target/board_probe tests/bench/bare_forwarder \
  tests/bench/instructions/forwarding tests/bench/instructions/processes \
  tests/bench/instructions/rules tests/bench/instructions/thread_metric \
  tests/bench/instructions/messages

# Budgets in bytes; the build fails beyond them. Flash: kernel, links, routing and messages with the
# board's node, at -Os; collectives: all of them; trees: the rules of all trees of the cube, in
# programs that use them; network: those of the UHC, and all of the star; MPI: what a program has of
# it that sends and receives (tests/bench/instructions/messages.cpp). RAM: static, without
# stacks and NodeMemory, which is as large as the board has it. Stack: any one function. 2.8 KB of
# the kernel are for what it promises of collectives in a row (packets/calls.cpp), of crowds
# (packets/intake.cpp), and of answers that take the buffer of their question. Trains have 0.5 KB of
# flash, and 1 KB of RAM, for the packets that came behind another one. 22 KB are 22528 bytes:
# gcc 14 kept them, gcc 12 was 250 beyond since answers get round dead nodes, calls push offers out,
# and a node whose power failed takes up its count. 0.5 KB beyond are for two priorities, and for
# processes that are asked when they are woken, no longer in each turn. Collectives: 0.3 KB are for
# calls that may be given up. MPI: 2.5 KB are for handles and blocks that are looked up, and for
# what is said of them; 0.1 KB for the failures that sessions and ULFM hook in, 0.1 KB with gcc 12
# for collectives whose three forms are one function, and 0.2 KB for what a rank leaves undone. 0.1
# KB of the kernel, with gcc 12, are for passwords of calls, so that lives need no order.
FLASH_BUDGET := 23424
RAM_BUDGET := 2560
COLLECTIVES_BUDGET := 36608
TREES_BUDGET := 4096
NETWORK_BUDGET := 2304
MPI_BUDGET := 13888
STACK_BUDGET := 512
