(* Two packets are refused, and two answers say so one by one. *)
From Proof Require Import Try.

Theorem found : overtaken alike 1 0.
Proof.
  begin alike. offer. offer. take (@nil nat) 0 [1]. take (@nil nat) 1 (@nil nat).
  transmit 0 1. transmit 1 1. get 1 no. acknowledge. get 0 no. acknowledge. hear 1. hear 0.
  take (@nil nat) 1 [0]. take (@nil nat) 0 (@nil nat). transmit 0 2. get 0 yes. there.
  exists [], [], []. split; [reflexivity|]. cbv. lia.
Qed.
