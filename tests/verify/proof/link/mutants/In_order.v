(* The second packet steps in front of the first one, which needs more buffers, and is taken. *)
From Proof Require Import Try Order.

Theorem found : ~ taken_once_in_order need 2.
Proof.
  intro T. begin need. offer. offer. take [0] 1 (@nil nat). transmit 0 1. get 0 yes.
  match goal with R : in_session _ _ _ _ ?l |- _ => specialize (T ltac:(cbv; lia) 0 0 l R) end.
  destruct T as ((n & E) & _). destruct n; discriminate.
Qed.
