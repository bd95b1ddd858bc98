(* Node c has taken nothing, and b says what b has taken. *)
From Proof Require Import Chain.

Definition kept window earlier := forall f, reachable node same a child window 9 earlier f ->
  come node f c + earlier - taken node f c <= window.

Theorem found : ~ kept 1 0 \/ ~ kept 1 1.
Proof.
  first [right; intro K; flow_begins 1 9 1; send; come c;
    match goal with R : reachable _ _ _ _ _ _ _ ?f |- _ => specialize (K f R) end;
    vm_compute in K; lia
  |left; intro K; flow_begins 1 9 0; send; come b; come c; take b; tell b 1; hear b 1; send; come c;
    match goal with R : reachable _ _ _ _ _ _ _ ?f |- _ => specialize (K f R) end;
    vm_compute in K; lia].
Qed.
