(* The second of two packets goes first, though both need the same. *)
From Proof Require Import Try.

Theorem found : overtaken alike 1 0.
Proof.
  begin alike. offer. offer. take [0] 1 (@nil nat). transmit 0 1. get 0 yes.
  take (@nil nat) 0 (@nil nat). transmit 1 1. get 0 yes. there.
  exists [], [], []. split; [reflexivity|]. cbv. lia.
Qed.
