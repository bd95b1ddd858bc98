"""Mutants that must be found: each is a name, the text that is changed, and the new text.

A text that is no longer there is a failure of the table, not of the protocol: the mutant is to
follow the code.
"""

# Of tests/model/admission.m: in which networks they must be found, see verify.py.
ADMISSION = {
    "admits one packet too many": ("free_here(n) > links + back",
                                   "free_here(n) > 0 & free_here(n) >= links + back"),
    "admits while there is a buffer": ("free_here(n) > links + back", "free_here(n) > 0"),
    "starts one packet too many": ("free_here(n) > longest",
                                   "free_here(n) > 0 & free_here(n) >= longest"),
    "starts while there is a buffer": ("free_here(n) > longest", "free_here(n) > 0"),
    "forgets to free a buffer": ("free[at(p)] := free[at(p)] + 1;", ""),
}
ADMISSION_QUESTIONS = {
    "does not count the way back": ("free_here(n) > links + back", "free_here(n) > links"),
    "an answer waits for a buffer of its own": (
        "waits(p) = for_kernel", "waits(p) = for_kernel & may_start(at(p), bound(next(p)))"),
}
ADMISSION_OFFERS = {
    "a process waits for the buffer of its word": (
        "waits(p) = for_prompt", "waits(p) = for_prompt & may_start(at(p), bound(next(p)))"),
    "admission is closed while words wait": ("free_here(n) > links + back",
                                             "free_here(n) > links + back & has_room(n)"),
    "any number of offers may wait": ("return reserved[n] < RESERVE", "return true"),
    "does not call whom it sent away": ("waits(p) = for_call & has_room(at(p)) &", "false &"),
}
ADMISSION_WAITING = {
    "offers that wait are used buffers like others": (
        "return free[n]", "return free[n] + RESERVE - reserved[n]"),
}
ADMISSION_WORDS = {
    "the word of an offer leaves the reserve": (
        "return is_reserved(p)", "return is_reserved(p) & waits(p) = for_process"),
}

# Of tests/model/mailbox.m: with so many places, the text, and what stands there instead.
MAILBOX = {
    "forgets what it has dropped": (
        1, "    else\n      note();\n    end;\n    if !stays", "    end;\n    if !stays"),
    "takes an offer in while it calls": (
        2, "n = next(last) & !called & !more", "n = next(last) & !more"),
    "takes in an offer behind one that was dropped": (1, "& n = next(last) &", "&"),
    "a call leaves old offers as they are": (
        1, "waits_here(m) | (is[m] = offered & is_behind(number_of[m], call_last[r]))",
        "waits_here(m)"),
    "heeds a call that is late": (1, "if is_later(r, heard) then", "if true then"),
    "takes an offer in though its last call is lost": (
        2, "!called & !more & !lost &", "!called & !more &"),
    "does not say that it holds others": (
        1, "send(m, answers[m], holds_but(m))", "send(m, answers[m], false)"),
    "sends away what it has said is here": (1, "= last & !called & backs", "= last & backs"),
    "sends away what is not the last": (2, "in_box[m] & number_of[m] = last", "in_box[m]"),
    "sends no hints": (0, "hints := hints + 1", "hints := hints"),
    "asks nobody for what its process waits for": (
        0, "more := true; unasked := true;", "more := true;"),
}

# Of firmware/kernel/links/link.cpp.
LINK = {
    "accepts a duplicate": ("return Verdict::duplicate;", "return Verdict::accept;"),
    "accepts behind a gap": ("return Verdict::gap;", "return Verdict::accept;"),
    "ignores the epoch": ("epoch == refusing_epoch_", "false"),
    "loses a refused packet": ("take_back(context, buffer);", "context.pool.release(buffer);"),
    "forgets to release a packet": ("context.pool.release(buffer);\n            probes_ = 0;",
                                    "probes_ = 0;"),
    "stays in its epoch": ("session_ ^= wire::link_flag::kEpochMask;", ""),
    "names a session by a sum": ("22 * sender + receiver", "sender + receiver"),
    "takes no next number": ("    ++mine_;\n", ""),
    "goes on counting in a new session": ("base_ = expected_ = 0;", "base_ = 0;"),
    "sends beyond the window": (
        "flight_bytes_ + frame_bytes(buffer) <= context.cables.window_bytes", "true"),
    "turns refused packets round": ("    taken_back_ = buffer;\n", ""),
    "sends on while packets come back": ("closed_ = kDraining;", ""),
    "acknowledges what it has not": ("header.acknowledged = expected_;",
                                     "header.acknowledged = static_cast<std::uint16_t>("
                                     "expected_ + 1);"),
    "never asks a peer without buffers": ("blocked_ = false; // the word", "// the word"),
    "sets no timer": ("context.time.retry_at(slot(context, flight(context, 0)).arrival,\n"
                      "                                          backed_off_us(context))",
                      "wire::kNever"),
    "sends nothing again": ("++resend_end_;", "break;"),
    "answers instead of asking": ("if (hello_ != Kind::hello)", "if (true)"),
}

# Of whole kernels: a file of firmware/, the text, and what stands there instead. What admission
# must not do shows in pools that these few messages never fill: it is the model's and the proof's.
KERNELS = {
    "calls nobody": ("kernel/packets/intake.cpp",
                     "if (more_ == 0 || unexpected_ + called_ >= room_)", "if (true)"),
    "goes on where it was sent away": (
        "kernel/packets/messages.hpp", "message = 0;\n        sent_bytes = 0;", "message = 0;"),
}

# Of tests/model/link.pml. Those of sessions need ends that die, the others words that overtake.
PROTOCOL = {
    "accepts a duplicate": (":: BEHIND(number, expected) -> acknowledge_now = true\n",
                            ":: false -> acknowledge_now = true\n"),
    "accepts behind a gap": ("!BEHIND(number, expected) && number != expected", "false"),
    "ignores the epoch": ("its_epoch == refusing;", "false;"),
    "stays in its epoch": ("taken_back = 0; epoch = 1 - epoch", "taken_back = 0"),
    "loses a refused word": ("take_back(word); blocked", "blocked"),
    "forgets what it refused": ("refused = ((refused << 1) | refuses) & ((1 << WINDOW) - 1);",
                                "refused = 0;"),
    "turns refused words round": ("    taken_back++;\n", ""),
    "sends on while words come back": ("(UP(SENDER) && !draining &&", "(UP(SENDER) &&"),
    "acknowledges what it has not": ("session[1], expected, refused",
                                     "session[1], NUMBER(expected + 1), refused"),
    "never asks a peer without buffers": (":: else -> blocked = false\n", ":: else\n"),
    "sends nothing again": ("resend_end = in_flight }", "resend_end = 0 }"),
}
PROTOCOL_SESSIONS = {
    "takes answers of an old session": (
        "kind == ack && number == expected_session[0] && UP", "kind == ack && UP"),
    "takes data of an old session": (
        "kind == data && number == expected_session[1] && UP", "kind == data && UP"),
    "takes no next number": ("    mine[end]++;\n", ""),
}

# Mends of kernel and collectives, taken out: the kind of soak that must find it (../soak), a file
# of firmware/, the text, and what stands there instead.
SOAK = {
    "broadcasts send a late node whole windows": (
        "parts", "collectives/tree_flow.hpp",
        "begun ? half_window(kernel) : limits::early_half(buffers)", "half_window(kernel)"),
    "an offer that is dropped is not noted": (
        "storm", "kernel/packets/intake.cpp",
        "note(from);\n    return Verdict::drop;", "return Verdict::drop;"),
    "nobody is asked for what processes wait for": (
        "parts", "kernel/packets/answers.cpp",
        "if (wants.all().empty() || !admission_.may_ask())", "if (true)"),
    "offers keep the places that packets of calls need": (
        "parts", "kernel/packets/forwarder.cpp", "while (pool_.overdrawn()) {", "while (false) {"),
    "a message is taken though a process keeps its last packet": (
        "parts", "kernel/packets/forwarder.cpp",
        "if (is_kept(header.source, header.message))", "if (false)"),
    "a late call is heeded": (
        "mixed", "kernel/packets/intake.cpp", "if (!is_later_round(round, from.heard))",
        "if (false)"),
    "an offer is taken in though a call is lost": (
        "mixed", "kernel/packets/intake.cpp", "from.lost == 0 && next", "next"),
    "an offer to a life before is taken in": (
        "parts", "kernel/packets/forwarder.cpp",
        "return intake.judge(offer, wanted == life,", "return intake.judge(offer, wanted != 0,"),
    "a message has no second way": (
        "parts", "kernel/packets/messages.cpp", "outgoing.lose_way();", ";"),
    "an answer says that all came, though a session was lost": (
        "flaps", "kernel/packets/forwarder.cpp",
        "return service_of(header) == Service::here &&", "return false &&"),
    "who has lost a message of a call waits for the next one": (
        "flaps", "kernel/node/kernel.cpp", "calls().part(label, outgoing.to);", ";"),
    "silence counts while a link repeats": (
        "mixed", "kernel/node/kernel.cpp",
        "messages_.next_question(outgoing, !links_.retrying())",
        "messages_.next_question(outgoing, true)"),
    "a program's end leaves offers of calls waiting": (
        "parts", "kernel/packets/forwarder.cpp",
        "!(all && service_of(buffer->header) == Service::message)",
        "!(all && buffer->header.call == 0 && service_of(buffer->header) == Service::message)"),
    "who waits for its request to be taken takes no answer": (
        "parts", "collectives/window_access.cpp",
        "answered = answered || (message.at_end() && request.is_answered());",
        "answered = message.at_end() && request.is_answered();\n"
        "        if (answered)\n            break;"),
    "an answer to a request of a life before is taken": (
        "parts", "collectives/window_access.cpp",
        "std::uint32_t{kernel.life()} << 16 |\n                       "
        "(static_cast<std::uint32_t>(kernel.deadline_in(0)) & 0xFFFFu)", "1u"),
}
