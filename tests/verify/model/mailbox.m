-- Offers, calls and pulls between one sender and one receiver (firmware/kernel/packets/intake.hpp and
-- messages.hpp), for rumur.
--
-- The sender sends MESSAGES messages of two tags, all of them at any moments: none waits until the
-- one before is taken. The receiver has ROOM places for messages that nobody takes yet, and the
-- overflow slot; its process receives the messages by their tags in any order that `wants` may be.
-- What is on its way arrives in any order: links overtake each other, and refuse and repeat.
--
-- Now and then the receiver calls again before the answer is there, as it does when the sender asks,
-- and a call is lost: AGAIN times, LOSSES times. So calls overtake each other, too. BACKS times packets
-- of calls need the place of the message that came last, which goes back to its sender.
--
-- Numbers go round, here modulo NUMBERS; no frame outlives so many others (tests/PROVED.md).
-- A state from which no rule leads must be one in which all is taken: so no wake-up is ever lost.

const
  MESSAGES: 3;
  ROOM: 1;
  NUMBERS: 16;
  ROUNDS: 7;
  AGAIN: 1;
  LOSSES: 1;
  BACKS: 1;

type
  message: 1 .. MESSAGES;
  number: 0 .. NUMBERS - 1;
  round: 0 .. ROUNDS; -- 0: none
  tag: 1 .. 2;
  state: enum { unborn, fresh, held, chosen, offered, done };

var
  -- the program
  tag_of: array [message] of tag;
  wants: array [message] of tag;  -- of its receives, in their order
  received: 0 .. MESSAGES;
  taken: array [message] of 0 .. 2; -- how often
  last_taken: array [tag] of 0 .. MESSAGES;
  -- the sender
  is: array [message] of state;
  number_of: array [message] of number;
  answers: array [message] of round;
  row: number;
  crowded: boolean; -- the last call found nothing that it was for, but others
  heard: round;     -- of the last call
  -- the receiver
  last: number;
  more, unasked, called, pulls, lost: boolean;
  again: 0 .. AGAIN;
  losses: 0 .. LOSSES;
  backs: 0 .. BACKS;
  asked_round: round;
  in_box: array [message] of boolean;
  in_overflow: 0 .. MESSAGES;
  -- on their way
  copy_of: array [number] of 0 .. MESSAGES; -- an offer of this number
  copy_round: array [number] of round;
  copy_more: array [number] of boolean;
  call_there, call_lists: array [round] of boolean;
  call_last: array [round] of number;
  call_tag: array [round] of tag;
  nothing_there, nothing_more: array [round] of boolean;
  hints: 0 .. MESSAGES;

function next(n: number): number; begin return (n + 1) % NUMBERS; end;
-- After the last one, by less than half of all numbers.
function is_behind(n: number; than: number): boolean;
begin return n != than & (n + NUMBERS - than) % NUMBERS <= NUMBERS / 2; end;
function is_later(r: round; than: round): boolean;
begin return than = 0 | (r != than & (r + ROUNDS - than) % ROUNDS <= ROUNDS / 2); end;
function in_room(): 0 .. MESSAGES;
var count: 0 .. MESSAGES;
begin
  count := 0;
  for m: message do if in_box[m] then count := count + 1; end; end;
  return count;
end;
function reserved(): 0 .. MESSAGES + 1;
begin if called & !pulls then return in_room() + 1; end; return in_room(); end;
function waits_here(m: message): boolean;
begin return is[m] = fresh | is[m] = held | is[m] = chosen; end;
function holds_but(m: message): boolean;
begin return exists o: message do o != m & waits_here(o) end; end;
function in_turn(m: message): boolean;
begin return is[m] = fresh & !crowded & !exists o: message do o < m & waits_here(o) end; end;
function wanted(): tag;
begin return wants[received + 1]; end;

procedure note(); begin more := true; unasked := true; end;
procedure take(m: message);
begin
  taken[m] := taken[m] + 1;
  assert "no message is taken twice" taken[m] = 1;
  assert "messages of one tag come in their order" last_taken[tag_of[m]] < m;
  last_taken[tag_of[m]] := m;
  received := received + 1;
end;
procedure send(m: message; with: round; says_more: boolean);
begin
  row := next(row);
  is[m] := offered;
  number_of[m] := row;
  answers[m] := 0;
  copy_of[row] := m;
  copy_round[row] := with;
  copy_more[row] := says_more;
end;

ruleset a: tag; b: tag; c: tag; x: tag; y: tag; z: tag do
  startstate begin
    tag_of[1] := a; tag_of[2] := b; tag_of[3] := c;
    wants[1] := x; wants[2] := y; wants[3] := z;
    -- An order of receives that takes other tags than were sent waits for ever, by right.
    if x + y + z != a + b + c then
      wants[1] := a; wants[2] := b; wants[3] := c;
    end;
    received := 0;
    for t: tag do last_taken[t] := 0; end;
    for m: message do
      taken[m] := 0; is[m] := unborn; number_of[m] := 0; answers[m] := 0; in_box[m] := false;
    end;
    row := 0; crowded := false; heard := 0; hints := 0; last := 0; asked_round := 0; in_overflow := 0;
    more := false; unasked := false; called := false; pulls := false; lost := false;
    again := 0; losses := 0; backs := 0;
    for n: number do copy_of[n] := 0; copy_round[n] := 0; copy_more[n] := false; end;
    for r: round do
      call_there[r] := false; call_lists[r] := false; call_last[r] := 0; call_tag[r] := 1;
      nothing_there[r] := false; nothing_more[r] := false;
    end;
  end;
end;

procedure forget_call(r: round);
begin call_there[r] := false; call_lists[r] := false; call_last[r] := 0; call_tag[r] := 1; end;

-- The sender --------------------------------------------------------------------------------------

ruleset m: message do
  rule "begin to send" is[m] = unborn & forall o: message do o >= m | is[o] != unborn end ==>
  begin is[m] := fresh; end;

  -- The number is free: no copy of one that had it before is under way.
  rule "offer" in_turn(m) & copy_of[next(row)] = 0 ==>
  begin send(m, 0, false); end;

  rule "hint" is[m] = fresh & crowded ==>
  begin is[m] := held; hints := hints + 1; end;

  rule "answer a call" is[m] = chosen & copy_of[next(row)] = 0 ==>
  begin send(m, answers[m], holds_but(m)); end;

  rule "hear that it is taken" is[m] = offered & taken[m] > 0 ==>
  begin is[m] := done; number_of[m] := 0; end;
end;

ruleset r: round do
  rule "be called" call_there[r] ==>
  var first: 0 .. MESSAGES;
  begin
    if is_later(r, heard) then
      heard := r;
      first := 0;
      for m: message do
        if waits_here(m) | (is[m] = offered & is_behind(number_of[m], call_last[r])) then
          is[m] := held; number_of[m] := 0; answers[m] := 0;
          if first = 0 & (!call_lists[r] | tag_of[m] = call_tag[r]) then first := m; end;
        end;
      end;
      if first != 0 then
        is[first] := chosen; answers[first] := r; crowded := false;
      else
        nothing_there[r] := true;
        nothing_more[r] := exists m: message do waits_here(m) end;
        crowded := nothing_more[r];
      end;
    end;
    forget_call(r);
  end;

  rule "a call is lost" call_there[r] & losses < LOSSES ==>
  begin
    losses := losses + 1;
    if called & r = asked_round then called := false; pulls := false; lost := true; end;
    forget_call(r);
  end;
end;

-- The receiver ------------------------------------------------------------------------------------

procedure accept(m: message; n: number; says_more: boolean);
begin
  last := n;
  called := false; pulls := false;
  if says_more then note(); end;
end;

ruleset n: number do
  rule "an offer comes" copy_of[n] != 0 & (in_overflow = 0 | copy_of[n] != in_overflow) ==>
  var m: message; stays: boolean;
  begin
    m := copy_of[n];
    stays := false;
    if !is_behind(n, last) then
      -- it has been here, or is void
    elsif copy_round[n] != 0 & called & copy_round[n] = asked_round then
      if !pulls | reserved() < ROOM then
        accept(m, n, copy_more[n]); in_box[m] := true;
      else
        in_overflow := m; stays := true;
      end;
    elsif copy_round[n] = 0 & n = next(last) & !called & !more & !lost & reserved() < ROOM then
      accept(m, n, false); in_box[m] := true;
    else
      note();
    end;
    if !stays then
      copy_of[n] := 0; copy_round[n] := 0; copy_more[n] := false;
    end;
  end;

  -- The process has its turn: it takes what is in the overflow slot, or that is sent away.
  rule "the overflow slot has its turn" in_overflow != 0 & copy_of[n] = in_overflow &
      copy_round[n] = asked_round ==>
  begin
    if received < MESSAGES & tag_of[in_overflow] = wanted() then
      accept(in_overflow, n, copy_more[n]);
      take(in_overflow);
      unasked := more;
    else
      called := false; pulls := false; note();
    end;
    in_overflow := 0;
    copy_of[n] := 0; copy_round[n] := 0; copy_more[n] := false;
  end;
end;

rule "a hint comes" hints > 0 ==>
begin hints := hints - 1; note(); end;

-- The next round: no call of it, nor an answer to one, is under way any more, and no call that would
-- count as later.
function is_free(r: round): boolean;
begin
  return !call_there[r] & !nothing_there[r] &
    !exists q: round do call_there[q] & !is_later(r, q) end &
    !exists n: number do copy_of[n] != 0 & copy_round[n] = r end;
end;
procedure call(lists: boolean);
begin
  more := false; unasked := false; called := true; pulls := lists; lost := false;
  asked_round := asked_round % ROUNDS + 1;
  call_there[asked_round] := true; call_last[asked_round] := last; call_lists[asked_round] := lists;
  if lists then call_tag[asked_round] := wanted(); end;
end;

rule "call" more & !called & reserved() < ROOM & is_free(asked_round % ROUNDS + 1) ==>
begin call(false); end;

rule "pull" more & unasked & !called & reserved() >= ROOM & in_overflow = 0 & received < MESSAGES &
    is_free(asked_round % ROUNDS + 1) & !exists m: message do in_box[m] & tag_of[m] = wanted() end ==>
begin call(true); end;

rule "be asked: call again" called & again < AGAIN & in_overflow = 0 ==>
begin again := again + 1; called := false; pulls := false; note(); end;

-- An answer that a lost call never had: the sender asks when it has waited for long.
rule "be asked after a loss" lost & !more & !called ==>
begin note(); end;

ruleset r: round do
  rule "nothing is held" nothing_there[r] ==>
  begin
    if called & r = asked_round then
      called := false; pulls := false;
      if nothing_more[r] then more := true; end;
    end;
    nothing_there[r] := false; nothing_more[r] := false;
  end;
end;

ruleset m: message do
  rule "receive" received < MESSAGES & in_box[m] & tag_of[m] = wanted() &
      !exists o: message do o < m & in_box[o] & tag_of[o] = tag_of[m] end ==>
  begin
    in_box[m] := false;
    take(m);
    unasked := more; -- another wait begins
  end;
end;

ruleset m: message do
  rule "go back" in_box[m] & number_of[m] = last & !called & backs < BACKS ==>
  begin
    backs := backs + 1;
    in_box[m] := false;
    last := (last + NUMBERS - 1) % NUMBERS;
    note();
  end;
end;

rule "all is taken" received = MESSAGES ==> begin end;

invariant "what was dropped is called again"
  forall m: message do
    is[m] = offered & taken[m] = 0 & !in_box[m] ->
      more | called | lost | exists n: number do copy_of[n] = m & number_of[m] = n end
  end;

cover "a message overtakes another one" exists m: message do exists o: message do
    m < o & taken[o] > 0 & taken[m] = 0 & is[m] != unborn end end;
cover "an offer is void" exists n: number do copy_of[n] != 0 & number_of[copy_of[n]] != n end;
