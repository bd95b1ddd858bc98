(* An answer comes before anything else has. *)
From Proof Require Import Try.

Theorem found : lost alike 0.
Proof.
  begin alike. offer. take (@nil nat) 0 (@nil nat). acknowledge. hear 0.
  there. split; [lia|]. simpl. tauto.
Qed.
