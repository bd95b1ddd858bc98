(* A packet of an earlier call may still lie anywhere, and the window is none. *)
From Proof Require Import Chain Windows.

Theorem found : ~ window_is_kept node same a child 0 9 1.
Proof.
  intro T. flow_begins 0 9 1.
  match goal with R : reachable _ _ _ _ _ _ _ ?f |- _ => specialize (T f b b R ab b_below) end.
  vm_compute in T. lia.
Qed.
