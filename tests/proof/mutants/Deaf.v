(* Node c has taken nothing, and b says what b has taken. *)
Require Import Arith Lia.
From Proof Require Import Three Flow.

Inductive child : node -> node -> Prop := ab : child a b | bc : child b c.
Definition kept window earlier := forall f, reachable node same a child window 9 earlier f ->
  come node f c + earlier - taken node f c <= window.

(* There is one proof of `reachable` at a time. *)
Ltac flows tactic := match goal with R : reachable _ _ _ _ ?w ?t ?e ?f |- _ =>
  let S := fresh in eassert (step node same a child w t e f _) as S by tactic;
  apply (later _ _ _ _ _ _ _ _ _ R) in S; clear R; vm_compute in S end.
Ltac send := flows ltac:(apply sends; [lia|intros u I; inversion I; subst; vm_compute; lia]).
Ltac come v := flows ltac:(apply (comes _ _ _ _ _ _ _ _ _ _ _ _ v); vm_compute; lia).

Theorem found : ~ kept 1 0 \/ ~ kept 1 1.
Proof.
  first [right; intro K; pose proof (at_first node same a child 1 9 1) as R; send; come c;
    match goal with R : reachable _ _ _ _ _ _ _ ?f |- _ => specialize (K f R) end;
    vm_compute in K; lia
  |left; intro K; pose proof (at_first node same a child 1 9 0) as R; send; come b; come c;
    flows ltac:(apply (takes _ _ _ _ _ _ _ _ _ _ _ _ b); vm_compute; lia);
    flows ltac:(apply (tells _ _ _ _ _ _ _ _ _ _ _ _ b 1); [vm_compute; lia|]; exact I);
    flows ltac:(apply (hears _ _ _ _ _ _ _ _ _ _ _ _ b 1); vm_compute; lia); send; come c;
    match goal with R : reachable _ _ _ _ _ _ _ ?f |- _ => specialize (K f R) end;
    vm_compute in K; lia].
Qed.
