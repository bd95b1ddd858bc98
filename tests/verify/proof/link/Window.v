(* One way of one cable within one session: window, refusal and epochs, as firmware/kernel/links has
   them, for any window and any cable.

   The cable is the worst that there may be: a frame that was sent once may come whenever and as
   often as it likes, or never. `Order.v` shows what follows.

   Packets are numbered here in the order in which they are offered, which no frame says. A frame
   carries packets that follow each other; one packet is a special case. Counters do not wrap here:
   the code's, of 16 bits, tell old from new as long as no frame outlives 2^15 others; see
   `Wrap.v`. *)
Require Import Bool List Arith.
Import ListNotations.

Section Window.
(* Links that a packet may still cross: more buffers must be free where it comes [remaining]. *)
Variable need : nat -> nat.
Variable window : nat.       (* most frames in flight [kWindowFrames] *)
Definition fates_told := 32. (* how many fates an acknowledgement tells [Link::refused_] *)

Record frame := Frame { first : nat; of_epoch : bool; packets : list nat }.
Record ack := Ack { upto : nat; refused : list bool }.  (* the newest fate in front *)

(* The sender. Packets that came back since nothing was in flight stand before those that wait. *)
Record sender := Sender {
  base : nat; flight : list nat; epoch : bool; draining : bool; back : list nat; rest : list nat;
  next : nat;              (* the number of the next packet to be offered *)
  told : list nat;         (* packets that were acknowledged as delivered, the first in front *)
  log : list (nat * bool)  (* each number's packet, and its epoch: for the proof alone *)
}.
(* The receiver: the fate of each number, true for refused ones; the epoch in which it refuses all
   that comes; and what it has taken, the first packet in front. *)
Record receiver := Receiver { fates : list bool; refusing : option bool; taken : list nat }.
Definition expected r := length (fates r).

(* [Link::enqueue, begin_session]: packets of numbers [from] .. [upto - 1] wait already. *)
Definition new_sender from upto :=
  Sender 0 [] false false [] (seq from (upto - from)) upto [] [].
Definition new_receiver := Receiver [] None [].
Definition enqueue s := Sender (base s) (flight s) (epoch s) (draining s) (back s)
  (rest s ++ [next s]) (S (next s)) (told s) (log s).

(* [Link::pick, window_open]: the first packet that fits into so many buffers. *)
Inductive picks : sender -> sender -> Prop :=
| pick b f e before p after n t l free :
    length f < window -> (forall q, In q before -> free < need q) -> need p <= free ->
    picks (Sender b f e false [] (before ++ p :: after) n t l)
          (Sender b (f ++ [p]) e false [] (before ++ after) n t (l ++ [(p, e)])).

(* [Link::next_frame]: [count] packets from place [place] of those in flight on, again or for the
   first time. *)
Definition sent s place count :=
  Frame (base s + place) (epoch s) (firstn count (skipn place (flight s))).

(* [Link::on_acknowledgement]. *)
Definition came_back (f : list nat) fates := map fst (filter snd (combine f fates)).
Definition arrived (f : list nat) fates :=
  map fst (filter (fun c => negb (snd c)) (combine f fates)).
Definition settle s := match flight s, draining s with
  | [], true => Sender (base s) [] (negb (epoch s)) false [] (back s ++ rest s) (next s) (told s)
      (log s)
  | _, _ => s
  end.
Definition on_ack s a :=
  let count := upto a - base s in
  if (upto a <? base s) || (length (flight s) <? count) then s
  else let now := rev (firstn count (refused a)) in
    settle (Sender (upto a) (skipn count (flight s)) (epoch s)
      (draining s || negb (length (came_back (flight s) now) =? 0))
      (back s ++ came_back (flight s) now) (rest s) (next s)
      (told s ++ arrived (flight s) now) (log s)).

(* [Link::on_data], for one packet: whether there are buffers for it is anybody's choice. *)
Definition on_packet r number e p (has_buffer : bool) :=
  if number =? expected r then
    let refuses := negb has_buffer ||
      match refusing r with Some e' => eqb e e' | None => false end in
    Receiver (fates r ++ [refuses]) (if refuses then Some e else None)
      (taken r ++ if refuses then [] else [p])
  else r.
(* A whole frame: one packet after the other. *)
Fixpoint on_packets r number e ps (has_buffer : nat -> bool) := match ps with
  | [] => r
  | p :: ps => on_packets (on_packet r number e p (has_buffer number)) (S number) e ps has_buffer
  end.
Definition on_frame r f has_buffer := on_packets r (first f) (of_epoch f) (packets f) has_buffer.
(* [Link::fill]. *)
Definition answer r := Ack (expected r) (firstn fates_told (rev (fates r))).

(* Both ends, and all frames that were ever sent. *)
Record line := Line { from : sender; to : receiver; data : list frame; acks : list ack }.

(* What the sender's node does, and what its link does there. *)
Inductive sends : line -> line -> Prop :=
| offers s r d a : sends (Line s r d a) (Line (enqueue s) r d a)
| takes_one s s' r d a : picks s s' -> sends (Line s r d a) (Line s' r d a)
| transmits s r d a place count : sends (Line s r d a) (Line s r (sent s place count :: d) a)
| hears s r d a k : In k a -> sends (Line s r d a) (Line (on_ack s k) r d a).
(* What the receiver does. *)
Inductive receives : line -> line -> Prop :=
| gets s r d a f has_buffer :
    In f d -> receives (Line s r d a) (Line s (on_frame r f has_buffer) d a)
| acknowledges s r d a : receives (Line s r d a) (Line s r d (answer r :: a)).

Inductive in_session (begin upto : nat) : line -> Prop :=
| begun : begin <= upto -> in_session begin upto (Line (new_sender begin upto) new_receiver [] [])
| then_sends l m : in_session begin upto l -> sends l m -> in_session begin upto m
| then_receives l m : in_session begin upto l -> receives l m -> in_session begin upto m.
End Window.
