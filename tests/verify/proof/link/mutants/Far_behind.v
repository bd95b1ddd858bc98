(* An answer is 2^16 frames late: it is taken for one of now. *)
From Proof Require Import Wrap.
Require Import ZArith Lia.

Theorem found : ~ count_is_known.
Proof.
  intro T. destruct (T (- 2 ^ 16) 0 1 ltac:(lia) ltac:(lia))%Z as [[K _] _].
  specialize (K ltac:(easy)). lia.
Qed.
