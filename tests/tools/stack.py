#!/usr/bin/python3
"""Shows that the interrupt stack of an image is deep enough for all code that can run on it.

    stack.py IMAGE...

That is the handler of the tick, in which the links work while a process computes (a preemptive
poll), down to the deepest chain of calls, and at the end of it any other interrupt: the frame that
the processor puts there, with the registers of the FPU, and the deepest chain of its handler. The
frame of the tick itself lies on the stack of the program. Frames and calls are read from the code
of the image, so the C library's count too; calls by pointers are named below, and one that is not
fails.
"""
import re
import struct
import subprocess
import sys

TICK, FIRST_OTHER = 15, 16  # places in the vector table
EXCEPTION_BYTES = 104 + 4  # with registers of the FPU, and what aligns it
NO_HANDLERS = ("fault_entry", "reset_handler")
# Whom functions call by pointers: by their names, those of the callees; None: nobody in an
# preemptive poll. A process and its program are not called there.
RULES = (r"mesh::(?:\(anonymous namespace\)::)?(?:node_count|out_ports|in_ports|neighbor|route|"
         r"height(?:_max)?|path_count|answer_way|appointment)(?:<(?!.*LinkedTrees).*>)?\(")
POINTERS = (
    (r"SysTick::on_interrupt\(|::tick_handler\(|::on_tick\(", r"Node<.*>::preemptive_poll\("),
    (r"(?:Node<.*>::preemptive_poll|NodeCore::begin_preemptive_poll)\(", r"TurnWatch::goes_on\("),
    (r"TurnWatch::", r"TurnWatch::print_late\("),
    (r"HostPort::", r"Node<.*>::transmit_to_host\("),
    (r"::~Task\(|coroutine_handle<.*>::destroy\(", None),
    (r"mesh::(?:Node<.*>::(?:poll|rest|send_report)|Here::|Admission::|Forwarder::|Messages::|"
     r"Kernel::|Links::|NodeCore::|NetworkRules::)",
     RULES),
    (r"LinkedTrees", RULES),
)
# Functions that no preemptive poll calls, though one may read the code so: processes run outside of
# them, and their divisors are never zero.
NEVER = re.compile(r"Scheduler::(?:take_turn<\w+>|spawn|join|end)\(|"
                   r"NodeCore::(?:on_start|on_job)\(|__aeabi_[il]div0")

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
TARGET = re.compile(r"[0-9a-f]+ <([^>]*(?:>[^>]*)*?)>$")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def registers(listed):
    """How many a list like {r4, r5-r7, lr} names."""
    count = 0
    for name in re.findall(r"[rsd]\d+-[rsd]\d+|\w+", listed):
        first, _, last = name.partition("-")
        count += int(last[1:]) - int(first[1:]) + 1 if last else 1
    return count


def pushed(operation, operands):
    """Bytes by which an instruction moves the stack down; None: nobody knows."""
    if (operation.startswith(("push", "vpush")) or
            re.match(r"v?stmdb.*sp!", f"{operation} {operands}")):
        listed = operands[operands.index("{"):]
        return registers(listed) * (8 if re.search(r"\bd\d", listed) else 4)
    if operation.startswith("str") and (match := re.search(r"\[sp, #-(\d+)\]!", operands)):
        return int(match[1])
    if operation.startswith("sub") and operands.startswith("sp"):
        match = re.search(r"#(\d+)", operands)
        return int(match[1]) if match else None
    return 0


class Image:
    """The functions of an ELF file: their frames, and whom they call."""

    def __init__(self, file):
        self.file = file
        self.frames, self.calls, self.by_pointer, self.known = {}, {}, set(), {}
        function = None
        for line in output("arm-none-eabi-objdump", "-dC", "--no-show-raw-insn", file).splitlines():
            if begin := FUNCTION.match(line):
                function = begin[1]
                self.frames.setdefault(function, 0)
                self.calls.setdefault(function, set())
            elif function and (parts := line.split("\t")) and len(parts) > 1:
                self.read(function, parts[1].strip(), parts[2].split("@")[0].split(";")[0].strip()
                          if len(parts) > 2 else "")

    def read(self, function, operation, operands):
        bytes_ = pushed(operation, operands)
        self.frames[function] = (float("inf") if bytes_ is None
                                 else self.frames[function] + bytes_)
        if operation in ("blx", "bx") and operands != "lr":
            self.by_pointer.add(function)
        elif operation.startswith("b") and (target := TARGET.search(operands)):
            callee = target[1]
            if not re.search(r"\+0x[0-9a-f]+$", callee) and (operation.startswith("bl")
                                                             or callee != function):
                self.calls[function].add(callee)

    def callees(self, function):
        found = {callee for callee in self.calls.get(function, ()) if not NEVER.search(callee)}
        if function in self.by_pointer:
            for caller, callee in POINTERS:
                if re.search(caller, function):
                    found |= {other for other in self.frames if callee and re.search(callee, other)}
                    break
            else:
                raise LookupError(f"{function} calls somebody by a pointer")
        return found

    def deepest(self, function, above=()):
        """(bytes, chain of functions) of the deepest way down from here."""
        if function in above:
            raise LookupError(" > ".join((*above, function)) + ": a circle")
        if function not in self.known:
            bytes_, chain = max((self.deepest(callee, (*above, function))
                                 for callee in self.callees(function)), default=(0, ()))
            self.known[function] = self.frames.get(function, 0) + bytes_, (function, *chain)
        return self.known[function]

    def handlers(self):
        """Functions of the vector table, by their places."""
        names = {}
        for address, name in re.findall(r"^([0-9a-f]+) [tTwW] (.+)$",
                                        output("arm-none-eabi-nm", "-C", self.file), re.M):
            names[int(address, 16)] = name
        data = output("arm-none-eabi-objdump", "-s", "-j", ".vectors", self.file)
        words = [struct.unpack("<I", bytes.fromhex(word))[0] for row in
                 re.findall(r"^ [0-9a-f]+ ((?:[0-9a-f]{8} ){1,4})", data, re.M)
                 for word in row.split()]
        return {place: names.get(word & ~1, "") for place, word in enumerate(words)}

    def stack_bytes(self):
        size = re.search(r"^\S+ (\S+) \S mesh::board::interrupt_stack$",
                         output("arm-none-eabi-nm", "-SC", self.file), re.M)
        return int(size[1], 16)


def check(file):
    """(holds, words) of one image."""
    image = Image(file)
    handlers = image.handlers()
    depth, chain = image.deepest(handlers[TICK])
    others = {name for place, name in handlers.items()
              if place >= FIRST_OTHER and name and name not in NO_HANDLERS}
    other_depth, other = max((image.deepest(name) for name in others), default=(0, ()))
    used = depth + (EXCEPTION_BYTES + other_depth if other else 0)
    room = image.stack_bytes()
    path = " > ".join(f"{name.split('(')[0]} {image.frames[name]}"
                      for name in (*chain, *other) if name in image.frames)
    return used <= room, f"interrupt stack of {file}: {used} of {room}: {path}"


def main():
    results = [check(file) for file in sys.argv[1:]]
    for good, words in results:
        print(f"{'ok  ' if good else 'FAIL'} {words}")
    return 0 if all(good for good, _ in results) else 1


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    sys.exit(main())
