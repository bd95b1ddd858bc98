(* The binomial tree of the n-cube, for every n: `sbt`, and `bs` which finds it from the arrival
   port. [firmware/core/cube/simple_trees.hpp; ho-johnsson-1986, 3.1; brandenburg-scott, 4] *)
Require Import Bool List Arith Lia.
From Proof Require Import Rules Cube.
Import ListNotations.

Section Sbt.
Variable n : nat.

Local Notation sbt_parent := (sbt_parent n).
Local Notation sbt_children := (sbt_children n).
Local Notation sbt_height := (sbt_height n).
Local Notation bs_children := (bs_children n).

Theorem sbt_clears : clears n sbt_parent.
Proof.
  intros y R. destruct (root_or n y) as [Z|(k & K & T)]; [contradiction|].
  split; [now apply highest_lt with k|now apply highest_set with k].
Qed.

(* The way from a node to the root crosses the bits that are set, and each once: downward. *)
Theorem sbt_path_is_the_set_bits y : leads n sbt_parent (rev (ones n y)) y.
Proof.
  remember (weight n y) as w eqn:W. revert y W. induction w as [|w IH]; intros y W.
  - assert (E : ones n y = []) by (unfold weight in W; now destruct (ones n y)).
    rewrite E. now apply here.
  - destruct (root_or n y) as [Z|(k & K & T)].
    + unfold is_root in Z. unfold weight in W. now rewrite Z in W.
    + assert (L := highest_lt y n k K T). assert (S := highest_set y n k K T).
      rewrite (ones_highest n y k K T), rev_app_distr. simpl. change (highest n y) with
      (sbt_parent y). apply up; [now apply not_root with k|exact L|].
      apply IH. assert (V := weight_clear n y _ L S). unfold Rules.sbt_parent. lia.
Qed.

Theorem sbt_spans : spans n sbt_parent sbt_height.
Proof. apply clearing_height, sbt_clears. Qed.

(* No smaller height would do: the node with all bits has n links to cross. *)
Theorem sbt_height_is_reached :
  exists y path, leads n sbt_parent path y /\ length path = sbt_height.
Proof.
  exists (fun _ => true), (rev (ones n (fun _ => true))). split; [apply sbt_path_is_the_set_bits|].
  rewrite rev_length. unfold ones, Rules.sbt_height. rewrite <- (seq_length n 0) at 2.
  induction (seq 0 n); simpl; congruence.
Qed.

Theorem sbt_agrees : agree n sbt_parent sbt_children.
Proof.
  intros y q. unfold Rules.sbt_children, Rules.sbt_parent. rewrite zeroes_above_in. split.
  - intros [Q Z]. assert (T : flip y q q = true) by (rewrite flip_same, Z by lia; reflexivity).
    repeat split; [lia|apply not_root with q; [lia|exact T]|].
    apply highest_is; [lia|exact T|]. intros i I. rewrite flip_other by lia. apply Z. lia.
  - intros (Q & R & P). split; [lia|]. destruct (root_or n (flip y q)) as [Z|(k & K & T)].
    + contradiction.
    + assert (S := highest_set _ _ _ K T). rewrite P, flip_same in S. intros i I.
      destruct (Nat.eq_dec i q) as [->|]; [now apply negb_true_iff|].
      rewrite <- (flip_other y q) by lia. apply (highest_above _ n). lia.
Qed.

(* From the port that a packet came by, a node finds the same children in the same order. *)
Theorem bs_is_sbt y : bs_children (if weight n y =? 0 then None else Some (sbt_parent y)) =
  sbt_children y.
Proof.
  unfold Rules.sbt_children, zeroes_above. rewrite Nat.sub_0_r.
  destruct (root_or n y) as [Z|(k & K & T)].
  - assert (E := Z). unfold is_root in E. unfold weight. rewrite E. simpl.
    symmetry. rewrite root_iff in Z. apply filter_all, forallb_forall. intros i I.
    apply forallb_forall. intros j J. apply in_seq in J. apply negb_true_iff, Z. lia.
  - assert (W : weight n y <> 0) by (unfold weight; assert (I : In k (ones n y)) by
      (now apply ones_in); destruct (ones n y); [contradiction|discriminate]).
    apply Nat.eqb_neq in W. rewrite W. unfold Rules.bs_children, Rules.sbt_parent.
    assert (L := highest_lt y n k K T). assert (S := highest_set y n k K T).
    replace n with (Datatypes.S (highest n y) + (n - Datatypes.S (highest n y))) at 4 by lia.
    rewrite seq_app, filter_app. simpl Nat.add. symmetry.
    match goal with |- ?a ++ ?b = _ => replace a with (@nil nat) end.
    + apply filter_all, forallb_forall. intros i I. apply in_seq in I.
      apply forallb_forall. intros j J. apply in_seq in J. apply negb_true_iff.
      apply (highest_above y n). lia.
    + symmetry. match goal with |- filter ?f _ = _ => assert (N : forall i, In i (seq 0
        (Datatypes.S (highest n y))) -> f i = false) end.
      * intros i I. apply in_seq in I. apply not_true_iff_false. rewrite forallb_forall. intro F.
        assert (H : negb (y (highest n y)) = true) by (apply F, in_seq; lia).
        rewrite S in H. discriminate.
      * induction (seq 0 (Datatypes.S (highest n y))) as [|a l IH]; [reflexivity|]. simpl.
        rewrite N by (now left). apply IH. intros i I. apply N. now right.
Qed.

(* A node has as many children as there are dimensions above its highest bit; the root has n. *)
Theorem sbt_children_count y : length (sbt_children y) =
  if weight n y =? 0 then n else n - S (sbt_parent y).
Proof.
  rewrite <- bs_is_sbt. destruct (weight n y =? 0); simpl; now rewrite seq_length.
Qed.
End Sbt.
