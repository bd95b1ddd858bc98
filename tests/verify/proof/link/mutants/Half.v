(* A frame of number 2^15 comes where 0 is expected. *)
From Proof Require Import Wrap.
Require Import ZArith Lia.

Theorem found : ~ difference_is_known.
Proof. intro T. specialize (T (2 ^ 15) 0 ltac:(lia))%Z. discriminate. Qed.
