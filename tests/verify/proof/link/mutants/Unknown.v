(* A packet is taken before the sender is told. *)
From Proof Require Import Try Order.

Theorem found : ~ told_was_taken alike 2.
Proof.
  intro T. begin alike. offer. take (@nil nat) 0 (@nil nat). transmit 0 1. get 0 yes.
  match goal with R : in_session _ _ _ _ ?l |- _ => specialize (T ltac:(cbv; lia) 0 0 l R) end.
  discriminate.
Qed.
