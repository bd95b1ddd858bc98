/* One cable whose first end sends data and whose second end answers: the protocol of
 * firmware/kernel/links/link.hpp, for Spin. explore_link goes through states of the code itself; this
 * model is the protocol alone, small enough that it is also shown to come to an end.
 *
 * Safety: a word is accepted at most once and, among those of one need, in order, over all
 * sessions; the sender takes for delivered only what was accepted; buffers and window are kept.
 * Liveness: faults stop (there are FAULTS of frames and LIVES of ends), and then every word has
 * been accepted or given up, and every buffer is free again.
 *
 * Words have numbers. Words 0 and 1 go further than word 2, so they need one more free buffer, and
 * word 2 may overtake them when buffers are short. OTHERS packets of other cables take a buffer.
 * Frame numbers count modulo 16: with so few frames on the cable no old one lives long enough to be taken for a new one. A cable drops,
 * doubles, delays and damages frames; a timer that goes off too early counts as a fault as well.
 */
#ifndef WORDS
#define WORDS 3 /* at most 3 */
#endif
#ifndef FAULTS
#define FAULTS 1
#endif
#ifndef LIVES
#define LIVES 1
#endif
#ifndef OTHERS
#define OTHERS 1
#endif
#define WINDOW 2
#define BUFFERS 2
#define FRAMES 3 /* on the cable, each way */
#define NONE 255
#define PER_START 4 /* by so much a node's number grows when it begins anew */
#define SENDER 0
#define RECEIVER 1

#define NUMBER(n) ((n) & 15)
#define BEHIND(n, m) (NUMBER((n) - (m)) >= 8)
#define REMAINING(word) ((word) < 2) /* links that it has to cross beyond the receiver */
#define FITS(place) (waiting > (place) && REMAINING(queue[place]) < peer_free)

mtype = { data, ack, hello, answer, nothing };

/* data: frame number, word, epoch, intact. ack: the number expected, refused bits, free, gap.
 * hello, answer: this end's number, the other end's as far as known. */
chan cable[2] = [FRAMES] of { mtype, byte, byte, byte, byte, bit };
byte faults = FAULTS;
byte lives = LIVES;
byte others = OTHERS;

/* Sessions, of each end. */
byte mine[2];
byte theirs[2] = NONE;
byte session[2] = NONE; /* as its own frames say it; the peer's say SESSION of that end */
byte expected_session[2] = NONE;
bool dead[2];
mtype to_say[2] = hello;
#define UP(end) (session[end] != NONE)
#define NAME(by, of) (16 * (by) + (of))

/* The sender. */
byte queue[3];
byte waiting;
byte flight[WINDOW];
byte in_flight;
byte base;
byte resend_next, resend_end;
byte taken_back;
byte peer_free = BUFFERS;
bit epoch;
bool draining, blocked;
byte offered;

/* The receiver. */
byte expected;
byte refused;        /* fate of the last WINDOW frames, one bit each */
byte refusing = NONE; /* an epoch */
byte free = BUFFERS;
byte wanted;
bool starved, owes, acknowledge_now, gap, gap_told;

/* What has become of the words, each a bit; and the last accepted of each need, plus one. */
byte accepted, given_up;
byte last[2];

#define ALL ((1 << WORDS) - 1)
#define QUIET (empty(cable[0]) && empty(cable[1]) && to_say[0] == nothing && \
               to_say[1] == nothing && resend_next == resend_end && !acknowledge_now && !owes)

inline forget_session(end) {
    session[end] = NONE;
    expected_session[end] = NONE;
    if
    :: end == SENDER ->
        base = 0; resend_next = 0; resend_end = 0; taken_back = 0;
        peer_free = BUFFERS; epoch = 0; draining = false; blocked = false
    :: else ->
        expected = 0; refused = 0; refusing = NONE;
        starved = false; owes = false; acknowledge_now = false; gap = false; gap_told = false
    fi
}

inline begin_session(end) {
    forget_session(end);
    dead[end] = false;
    session[end] = NAME(mine[end], theirs[end]);
    expected_session[end] = NAME(theirs[end], mine[end])
}

inline give_up_words() {
    do
    :: in_flight > 0 -> in_flight--; given_up = given_up | (1 << flight[in_flight])
    :: waiting > 0 -> waiting--; given_up = given_up | (1 << queue[waiting])
    :: in_flight == 0 && waiting == 0 -> break
    od;
    flight[0] = 0; flight[1] = 0;
    clear_queue()
}

inline clear_queue() { /* equal queues are to be one state */
    i = waiting;
    do
    :: i < 3 -> queue[i] = 0; i++
    :: else -> break
    od;
    i = 0
}

inline end_session(end) {
    forget_session(end);
    dead[end] = true;
    mine[end]++;
    if
    :: end == SENDER -> give_up_words()
    :: else
    fi
}

inline say_hello(end) { to_say[end] = hello }

inline answer_hello(end) {
    if
    :: to_say[end] != hello -> to_say[end] = answer
    :: else
    fi
}

inline on_old_session(end) {
    if
    :: dead[end] -> say_hello(end)
    :: else -> answer_hello(end)
    fi
}

/* Link::on_hello and Link::meet: the peer's number is `number`, and it knows this end by `known`. */
inline on_hello(end, kind, number, known) {
    if
    :: theirs[end] != NONE && number < theirs[end]
    :: else ->
        forgotten = known != NONE && known > mine[end];
        anew = theirs[end] != number;
        theirs[end] = number;
        if
        :: forgotten -> mine[end] = known + 1
        :: else
        fi;
        if
        :: UP(end) && (anew || forgotten) -> end_session(end)
        :: else
        fi;
        if
        :: !dead[end] && !UP(end) && (known == mine[end] || kind == hello) -> begin_session(end)
        :: dead[end] && known == mine[end] -> begin_session(end)
        :: else
        fi;
        forgotten = false; anew = false
    fi;
    if
    :: known != mine[end] && (dead[end] || kind != hello) -> say_hello(end)
    :: (known == mine[end] || !dead[end]) && kind == hello -> answer_hello(end)
    :: else
    fi
}

inline say(end) {
    cable[end]!to_say[end], NONE, mine[end], theirs[end], 0, 0;
    to_say[end] = nothing
}

/* The sender ------------------------------------------------------------------------------------ */

/* The first word or, after a refusal, the first that the peer has buffers for. */
inline pick() {
    i = 0;
    do
    :: blocked && !FITS(i) -> i++
    :: else -> break
    od
}

inline take_from_queue(place) {
    word = queue[place];
    waiting--;
    do
    :: place < waiting -> queue[place] = queue[place + 1]; place++
    :: else -> break
    od;
    clear_queue()
}

inline take_back(w) {
    i = waiting;
    do
    :: i > taken_back -> queue[i] = queue[i - 1]; i--
    :: else -> break
    od;
    i = 0;
    queue[taken_back] = w;
    taken_back++;
    waiting++
}

inline resend() { resend_next = 0; resend_end = in_flight }

inline on_acknowledgement(number, bits, now_free, missing) {
    count = NUMBER(number - base);
    if
    :: count > in_flight
    :: else ->
        peer_free = now_free;
        place = 0;
        do
        :: place < count ->
            word = flight[place];
            if
            :: bits & (1 << (count - 1 - place)) ->
                take_back(word); blocked = true; draining = true
            :: else -> assert(accepted & (1 << word))
            fi;
            place++
        :: else -> break
        od;
        base = number;
        in_flight = in_flight - count;
        flight[0] = (count == 1 && in_flight == 1 -> flight[1] : (count == 0 -> flight[0] : 0));
        flight[1] = (count == 0 -> flight[1] : 0);
        resend_next = (resend_next > count -> resend_next - count : 0);
        resend_end = (resend_end > count -> resend_end - count : 0);
        if
        :: draining && in_flight == 0 -> draining = false; taken_back = 0; epoch = 1 - epoch
        :: else
        fi;
        if
        :: count == 0 && missing && resend_next == resend_end -> resend()
        :: else
        fi
    fi;
    count = 0; place = 0; word = 0
}

#define MAY_SEND (UP(SENDER) && !draining && in_flight < WINDOW && waiting > 0 && \
                  (!blocked || FITS(0) || FITS(1) || FITS(2)))

active proctype sender() {
    byte i, place, word, count, number, x, y;
    bit z;
    bool forgotten, anew;
    mtype kind;
    do
    :: d_step { to_say[SENDER] != nothing && nfull(cable[0]) -> say(SENDER) }
    :: d_step {
        resend_next < resend_end && nfull(cable[0]) ->
        cable[0]!data, session[0], NUMBER(base + resend_next), flight[resend_next], epoch, 1;
        resend_next++
       }
    :: d_step {
        MAY_SEND && resend_next == resend_end && nfull(cable[0]) ->
        pick();
        blocked = false;
        take_from_queue(i);
        flight[in_flight] = word;
        cable[0]!data, session[0], NUMBER(base + in_flight), word, epoch, 1;
        in_flight++;
        assert(in_flight <= WINDOW);
        i = 0; word = 0
       }
    :: d_step {
        nempty(cable[1]) ->
        cable[1]?kind, number, x, y, word, z;
        if
        :: kind == ack && number == expected_session[0] && UP(SENDER) ->
            on_acknowledgement(x, y, word, z)
        :: kind == hello || kind == answer -> on_hello(SENDER, kind, x, y)
        :: else
        fi;
        kind = 0; number = 0; x = 0; y = 0; z = 0; word = 0
       }
    :: d_step { /* the timer */
        UP(SENDER) && QUIET && (in_flight > 0 || (blocked && waiting > 0)) ->
        if
        :: in_flight > 0 -> resend()
        :: else -> blocked = false
        fi
       }
    :: d_step { UP(SENDER) && faults > 0 && in_flight > 0 && resend_next == resend_end ->
                faults--; resend() }
    :: d_step { UP(SENDER) && lives > 0 && in_flight > 0 -> lives--; end_session(SENDER);
                say_hello(SENDER) }
    :: d_step { !UP(SENDER) && QUIET -> say_hello(SENDER) }
    od
}

active proctype offers() {
    do
    :: d_step {
        offered < WORDS ->
        if
        :: dead[SENDER] -> given_up = given_up | (1 << offered)
        :: else -> queue[waiting] = offered; waiting++
        fi;
        offered++
       }
    :: offered == WORDS -> break
    od
}

/* The receiver ---------------------------------------------------------------------------------- */

inline report_gap() {
    gap = gap || !gap_told;
    acknowledge_now = acknowledge_now || gap;
    gap_told = true
}

inline on_data(number, word, its_epoch, intact) {
    if
    :: !intact && !BEHIND(number, expected) -> report_gap()
    :: !intact && BEHIND(number, expected)
    :: else ->
        owes = true;
        if
        :: BEHIND(number, expected) -> acknowledge_now = true
        :: !BEHIND(number, expected) && number != expected -> report_gap()
        :: else ->
            refuses = free <= REMAINING(word) || its_epoch == refusing;
            refusing = (refuses -> its_epoch : NONE);
            expected = NUMBER(expected + 1);
            gap_told = false;
            refused = ((refused << 1) | refuses) & ((1 << WINDOW) - 1);
            if
            :: refuses ->
                wanted = (starved && wanted < REMAINING(word) -> wanted : REMAINING(word));
                starved = true;
                acknowledge_now = true
            :: else ->
                assert(!(accepted & (1 << word)));
                assert(last[REMAINING(word)] <= word);
                accepted = accepted | (1 << word);
                last[REMAINING(word)] = word + 1;
                free--
            fi;
            refuses = false
        fi
    fi
}

active proctype receiver() {
    byte number, x, y, word;
    bit z;
    bool forgotten, anew, refuses;
    byte i;
    mtype kind;
    do
    :: d_step { to_say[RECEIVER] != nothing && nfull(cable[1]) -> say(RECEIVER) }
    :: d_step {
        UP(RECEIVER) && (acknowledge_now || owes) && nfull(cable[1]) ->
        cable[1]!ack, session[1], expected, refused, free, gap;
        gap = false; owes = false; acknowledge_now = false
       }
    :: d_step {
        nempty(cable[0]) ->
        cable[0]?kind, number, x, word, y, z;
        if
        :: kind == data && number == expected_session[1] && UP(RECEIVER) -> on_data(x, word, y, z)
        :: kind == data && (number != expected_session[1] || !UP(RECEIVER)) ->
            on_old_session(RECEIVER)
        :: else -> on_hello(RECEIVER, kind, x, word)
        fi;
        kind = 0; number = 0; x = 0; y = 0; z = 0; word = 0
       }
    :: d_step { /* the node begins anew */
        UP(RECEIVER) && lives > 0 ->
        lives--;
        forget_session(RECEIVER);
        mine[RECEIVER] = PER_START * (mine[RECEIVER] / PER_START + 1);
        theirs[RECEIVER] = NONE;
        dead[RECEIVER] = false;
        free = BUFFERS;
        say_hello(RECEIVER)
       }
    :: d_step { !UP(RECEIVER) && QUIET -> say_hello(RECEIVER) }
    od
}

active proctype consumer() {
    do
    :: d_step { others > 0 && free > 0 -> others--; free-- }
    :: d_step {
        free < BUFFERS ->
        free++;
        if
        :: starved && free > wanted -> starved = false; owes = true; acknowledge_now = true
        :: else
        fi
       }
    od
}

/* The cable ------------------------------------------------------------------------------------- */

active proctype weather() {
    byte way, a, b, c, d;
    bit e;
    mtype kind;
    do
    :: atomic { /* d_step would always choose the first */
        faults > 0 && (nempty(cable[0]) || nempty(cable[1])) ->
        faults--;
        if
        :: nempty(cable[0]) -> way = 0
        :: nempty(cable[1]) -> way = 1
        fi;
        cable[way]?kind, a, b, c, d, e;
        if
        :: true                                                               /* lost */
        :: true -> cable[way]!kind, a, b, c, d, e                             /* late */
        :: len(cable[way]) + 2 <= FRAMES -> cable[way]!kind, a, b, c, d, e;   /* doubled */
                                            cable[way]!kind, a, b, c, d, e
        :: kind == data -> cable[way]!kind, a, b, c, d, 0                     /* damaged */
        fi;
        way = 0; a = 0; b = 0; c = 0; d = 0; e = 0; kind = 0
       }
    od
}

#define AT_REST (waiting == 0 && in_flight == 0 && free == BUFFERS && \
                 (accepted | given_up) == ALL)

ltl comes_to_rest { <> AT_REST }
