(* A node has one buffer, and a packet in it. *)
From Proof Require Import Three Theorems.

Definition size (_ : node) := 1.
Definition reserve (_ : node) := 0.

Theorem found : ~ buffers_suffice node same size reserve.
Proof.
  intro T. begin size reserve. start b nothing_left.
  match goal with R : reachable _ _ _ _ ?s |- _ =>
    specialize (T ltac:(intro; vm_compute; lia) s b R) end.
  vm_compute in T. lia.
Qed.
