(* b has more buffers than the way is long, c has not: what waits for c may be all there is. *)
From Proof Require Import Three.

Definition size v := match v with c => 1 | _ => 3 end.
Definition reserve (_ : node) := 0.

Theorem found : deadlock size reserve.
Proof.
  begin size reserve. start b (Packet 2 [(c, Packet 1 [(a, nothing_left)] None)] None). stuck.
Qed.
