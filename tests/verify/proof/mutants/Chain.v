(* The root a, its child b, and c below that; and how a broadcast goes on there. *)
Require Export Arith Lia.
From Proof Require Export Three Flow.

Inductive child : node -> node -> Prop := ab : child a b | bc : child b c.
Definition b_below := itself node child b.
Definition c_below := further node child b c c bc (itself node child c).

(* There is one proof of `reachable` at a time; each of these goes one step further. *)
Ltac flow_begins window total earlier :=
  pose proof (at_first node same a child window total earlier).
Ltac flows tactic := match goal with R : reachable _ _ _ _ ?w ?t ?e ?f |- _ =>
  let S := fresh in eassert (step node same a child w t e f _) as S by tactic;
  apply (later _ _ _ _ _ _ _ _ _ R) in S; clear R; vm_compute in S end.
Ltac send := flows ltac:(apply sends; [lia|intros u I; inversion I; subst; vm_compute; lia]).
Ltac come v := flows ltac:(apply (comes _ _ _ _ _ _ _ _ _ _ _ _ v); vm_compute; lia).
Ltac take v := flows ltac:(apply (takes _ _ _ _ _ _ _ _ _ _ _ _ v); vm_compute; lia).
Ltac tell v n := flows ltac:(apply (tells _ _ _ _ _ _ _ _ _ _ _ _ v n); [vm_compute; lia|]; auto).
Ltac hear v n := flows ltac:(apply (hears _ _ _ _ _ _ _ _ _ _ _ _ v n); vm_compute; lia).
