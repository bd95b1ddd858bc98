(* One way of one cable over all sessions: ends that die, begin anew and meet again, as
   firmware/kernel/links has them, on the cable of `Window.v`, which may bring any frame of any
   session at any time. `Sessions.v` shows what follows. The other way of the cable is another such
   thing with the same sessions. *)
Require Import Bool List Arith.
From Proof Require Import Window.
Import ListNotations.

Section Ends.
Variable need : nat -> nat.
Variable window : nat.
Variable only_receives : bool.  (* the receiver's end, on a cable that carries one way *)

(* An end: its number, the peer's as far as known, and whether there is a session [Link::up]. *)
Record link_end := End { mine : nat; theirs : option nat; up : bool }.

(* What may become of an end that has heard these numbers of its peer, but for the beginning of a
   session. A number that it knows, or an older one, changes nothing [Link::on_hello, meet]. *)
Inductive changes (one_way : bool) (heard : list nat) : link_end -> link_end -> Prop :=
| hears_first m n : In n heard -> changes one_way heard (End m None false) (End m (Some n) false)
| hears_later m t n : In n heard -> t <= n ->
    changes one_way heard (End m (Some t) false) (End m (Some n) false)
| hears_anew m m' t n : In n heard -> t < n -> m < m' ->
    changes one_way heard (End m (Some t) true) (End m' (Some n) false)
| hears_anew_one_way m t n : one_way = true -> In n heard -> t < n ->
    changes one_way heard (End m (Some t) true) (End m (Some n) false)
| gives_up m m' t u : m < m' ->  (* [Link::end_session]; also: the peer knows a later number *)
    changes one_way heard (End m t u) (End m' t false)
| begins_anew m m' t u : m < m' ->  (* the node starts: with a number that it has never had *)
    changes one_way heard (End m t u) (End m' None false).

(* A session's name is both numbers, and every frame has it; so there is a line of frames for each
   name. An end that begins a session resets what it has of the line: that no name begins twice is
   to be shown. *)
Definition lines_of := nat -> nat -> line.
Definition put (ls : lines_of) a b l : lines_of :=
  fun x y => if (x =? a) && (y =? b) then l else ls x y.
Record cable := Cable {
  s_end : link_end; r_end : link_end;
  s_said : list nat; r_said : list nat;   (* numbers in all hellos and answers to them *)
  waits_from : nat;                       (* packets from here on wait, or are in this session *)
  offered : nat;                          (* the number of the next packet *)
  lines : lines_of;
  s_begun : list (nat * nat); r_begun : list (nat * nat);  (* names, for the proof alone *)
  got : list (nat * nat * nat)            (* all that was taken, each with its session *)
}.

Definition took (l m : line) := skipn (length (taken (to l))) (taken (to m)).
Inductive step : cable -> cable -> Prop :=
| s_says s r hs hr w o ls bs br g :
    step (Cable s r hs hr w o ls bs br g) (Cable s r (mine s :: hs) hr w o ls bs br g)
| r_says s r hs hr w o ls bs br g :
    step (Cable s r hs hr w o ls bs br g) (Cable s r hs (mine r :: hr) w o ls bs br g)
| s_changes s s' r hs hr w w' o ls bs br g : changes false hr s s' ->
    w' = o \/ up s = false /\ w' = w ->  (* packets of a session that ends are given up *)
    step (Cable s r hs hr w o ls bs br g) (Cable s' r hs hr w' o ls bs br g)
| r_changes s r r' hs hr w o ls bs br g : changes only_receives hs r r' ->
    step (Cable s r hs hr w o ls bs br g) (Cable s r' hs hr w o ls bs br g)
| s_begins a b r hs hr w o ls bs br g :
    step (Cable (End a (Some b) false) r hs hr w o ls bs br g)
         (Cable (End a (Some b) true) r hs hr w o (put ls a b (Line (new_sender w o)
           (to (ls a b)) (data (ls a b)) (acks (ls a b)))) ((a, b) :: bs) br g)
| r_begins a b s hs hr w o ls bs br g :
    step (Cable s (End b (Some a) false) hs hr w o ls bs br g)
         (Cable s (End b (Some a) true) hs hr w o (put ls a b (Line (from (ls a b)) new_receiver
           (data (ls a b)) (acks (ls a b)))) bs ((a, b) :: br) g)
| offers_early s r hs hr w o ls bs br g : up s = false ->
    step (Cable s r hs hr w o ls bs br g) (Cable s r hs hr w (S o) ls bs br g)
| s_acts a b r hs hr w o ls bs br g l : sends need window (ls a b) l ->
    step (Cable (End a (Some b) true) r hs hr w o ls bs br g)
         (Cable (End a (Some b) true) r hs hr w (next (from l)) (put ls a b l) bs br g)
| r_acts a b s hs hr w o ls bs br g l : receives (ls a b) l ->
    step (Cable s (End b (Some a) true) hs hr w o ls bs br g)
         (Cable s (End b (Some a) true) hs hr w o (put ls a b l) bs br
           (g ++ map (fun p => (a, b, p)) (took (ls a b) l))).

Definition silent : lines_of := fun _ _ => Line (new_sender 0 0) new_receiver [] [].
Inductive reachable : cable -> Prop :=
| at_first a b :
    reachable (Cable (End a None false) (End b None false) [] [] 0 0 silent [] [] [])
| later c d : reachable c -> step c d -> reachable d.
End Ends.
