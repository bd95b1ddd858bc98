(* Two neighbours have filled each other's pools with packets for each other. *)
From Proof Require Import Three.

Definition size (_ : node) := 2.
Definition reserve (_ : node) := 0.
Definition to v := Packet 1 [(v, nothing_left)] None.

Theorem found : deadlock size reserve.
Proof.
  begin size reserve. start b (to c). start b (to c). start c (to b). start c (to b). stuck.
Qed.
