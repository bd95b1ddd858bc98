(* There is no buffer for the first frame, but for the second one. *)
From Proof Require Import Try.

Theorem found : overtaken alike 1 0.
Proof.
  begin alike. offer. offer. take (@nil nat) 0 [1]. take (@nil nat) 1 (@nil nat).
  transmit 0 1. transmit 1 1. get 1 no. get 0 yes. acknowledge. hear 0.
  take (@nil nat) 0 (@nil nat). transmit 0 1. get 0 yes. there.
  exists [], [], []. split; [reflexivity|]. cbv. lia.
Qed.
