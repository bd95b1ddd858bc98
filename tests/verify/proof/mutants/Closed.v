(* b and c have taken each other's offers; each must say so, and each has closed its admission until
   it has. *)
From Proof Require Import Three.

Definition size (_ : node) := 4.
Definition reserve (_ : node) := 1.
Definition word v := Packet 1 [(v, nothing_left)] None.
Definition offer from to := Packet 2 [(to, Packet 1 [] (Some (patient, word from)))] None.

Theorem found : deadlock size reserve.
Proof.
  begin size reserve. start b (offer b c). start c (offer c b). cross 1. cross 1.
  keep 0. keep 1. finish 2. finish 2. turn 0. turn 1. stuck.
Qed.
