(* The one packet of a broadcast is sent. Node b has it, and tells so without its child c. *)
From Proof Require Import Chain Windows.

Theorem found : ~ gate_waits_for_all node same a child 1 1 0.
Proof.
  intro T. flow_begins 1 1 0. send. come b. take b. tell b 1. hear b 1.
  match goal with R : reachable _ _ _ _ _ _ _ ?f |- _ =>
    specialize (T ltac:(lia) f b c R ab c_below ltac:(vm_compute; lia)) end.
  vm_compute in T. lia.
Qed.
