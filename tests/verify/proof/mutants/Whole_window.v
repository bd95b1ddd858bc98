(* A node has got one packet, of a window of one, and taken none. *)
From Proof Require Import Chain Windows.

Theorem found : ~ window_is_kept node same a child 1 9 0.
Proof.
  intro T. flow_begins 1 9 0. send. come b.
  match goal with R : reachable _ _ _ _ _ _ _ ?f |- _ =>
    specialize (T ltac:(lia) f b b R ab b_below) end.
  vm_compute in T. lia.
Qed.
