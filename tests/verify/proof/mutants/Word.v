(* The same with offers that have been taken: their words keep out what was on its way, and that
   keeps the words in. *)
From Proof Require Import Three.

Definition size (_ : node) := 5.
Definition reserve (_ : node) := 2.
Definition word v := Packet 1 [(v, nothing_left)] None.
Definition offer from to := Packet 2 [(to, Packet 1 [] (Some (patient, word from)))] None.
Definition packet to := Packet 2 [(to, Packet 1 [(a, nothing_left)] None)] None.

Theorem found : deadlock size reserve.
Proof.
  begin size reserve.
  start b (offer b c). cross 0. keep 0. finish 1. start b (offer b c). cross 0. keep 0. finish 1.
  start c (offer c b). cross 0. keep 0. finish 1. start c (offer c b). cross 0. keep 0. finish 1.
  start b (packet c). start c (packet b). turn 2. turn 3. turn 4. turn 5. stuck.
Qed.
