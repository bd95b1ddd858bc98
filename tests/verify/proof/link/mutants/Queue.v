(* The second packet steps in front of the first one, which needs more buffers. *)
From Proof Require Import Try Order.

Theorem found : ~ like_packets_are_a_queue need 2.
Proof.
  intro T. begin need. offer. offer. take [0] 1 (@nil nat).
  match goal with R : in_session _ _ _ _ ?l |- _ => specialize (T ltac:(cbv; lia) 0 0 l R) end.
  discriminate.
Qed.
