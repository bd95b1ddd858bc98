(* Counters of 16 bits: that the code's comparisons of them say what `Window.v`'s say, for frames
   that 2^15 others have not outlived. [Link::on_data, on_acknowledgement, is_later] *)
Require Import ZArith Lia.
Open Scope Z_scope.

Definition word n := n mod 2 ^ 16.                              (* std::uint16_t *)
Definition signed n := (n + 2 ^ 15) mod 2 ^ 16 - 2 ^ 15.        (* std::int16_t of it *)

(* A frame's number less the number that is expected: behind, the next one, or ahead. *)
Theorem difference_is_known number expected : - 2 ^ 15 <= number - expected < 2 ^ 15 ->
  signed (word number - word expected) = number - expected.
Proof.
  intro R. unfold signed, word.
  replace ((number mod 2 ^ 16 - expected mod 2 ^ 16 + 2 ^ 15) mod 2 ^ 16)
    with ((number - expected + 2 ^ 15) mod 2 ^ 16).
  - rewrite Z.mod_small by lia. lia.
  - rewrite <- Zplus_mod_idemp_l, Zminus_mod, Zplus_mod_idemp_l. reflexivity.
Qed.

(* An acknowledgement, which is behind or at most at the end of what is in flight: the count of
   frames that it settles, or one that is too large. *)
Theorem count_is_known upto base in_flight : 0 <= in_flight < 2 ^ 15 ->
  - 2 ^ 15 <= upto - base <= in_flight ->
  (word (word upto - word base) <= in_flight <-> base <= upto) /\
  (base <= upto -> word (word upto - word base) = upto - base).
Proof.
  intros F R. assert (E : word (word upto - word base) = word (upto - base)).
  { unfold word. symmetry. apply Zminus_mod. }
  rewrite E. unfold word. destruct (Z_lt_le_dec upto base) as [L|L].
  - replace ((upto - base) mod 2 ^ 16) with (upto - base + 2 ^ 16); [lia|].
    rewrite <- (Z.mod_small (upto - base + 2 ^ 16) (2 ^ 16)) by lia.
    rewrite <- (Z.mul_1_l (2 ^ 16)) at 1. apply Z_mod_plus_full.
  - rewrite Z.mod_small by lia. lia.
Qed.
