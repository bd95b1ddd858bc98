(* The second frame comes, the first one does not; the answer says that one has come. *)
From Proof Require Import Try.

Theorem found : lied alike 0.
Proof.
  begin alike. offer. offer. take (@nil nat) 0 [1]. take (@nil nat) 1 (@nil nat).
  transmit 1 1. get 0 yes. acknowledge. hear 0. there. split; [tauto|]. intros [|[]]. discriminate.
Qed.
