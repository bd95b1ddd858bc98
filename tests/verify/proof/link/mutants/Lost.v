(* A packet is refused. *)
From Proof Require Import Try.

Theorem found : lost alike 0.
Proof.
  begin alike. offer. take (@nil nat) 0 (@nil nat). transmit 0 1. get 0 no. acknowledge. hear 0.
  there. split; [lia|]. simpl. tauto.
Qed.
