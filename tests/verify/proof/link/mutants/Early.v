(* The next epoch begins while a frame of the last one is in flight: it goes again in the new one. *)
From Proof Require Import Try.

Theorem found : overtaken alike 1 0.
Proof.
  begin alike. offer. offer. take (@nil nat) 0 [1]. take (@nil nat) 1 (@nil nat).
  transmit 0 1. get 0 no. acknowledge. hear 0. transmit 0 1. get 0 yes.
  take (@nil nat) 0 (@nil nat). transmit 1 1. get 0 yes. there.
  exists [], [], []. split; [reflexivity|]. cbv. lia.
Qed.
