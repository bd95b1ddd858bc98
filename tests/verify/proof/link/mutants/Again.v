(* A frame comes twice. *)
From Proof Require Import Try.

Theorem found : twice alike.
Proof.
  begin alike. offer. take (@nil nat) 0 (@nil nat). transmit 0 1. get 0 yes. get 0 yes. there.
  intro N. inversion N. simpl in *. tauto.
Qed.
