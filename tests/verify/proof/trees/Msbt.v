(* The n trees of `msbt` of the n-cube, for every n: each spans, none is higher than n+1 links, no
   link is in two of them, and with one port per node no two packets want the same link at once.
   [firmware/core/cube/msbt.hpp; ho-johnsson-1986, 3.2 and label f] *)
Require Import Bool List Arith Lia.
From Proof Require Import Rules Cube.
Import ListNotations.

Section Msbt.
Variable n : nat.

Local Notation wrap := (wrap n).
Local Notation turn := (turn n).
Local Notation back := (back n).
Local Notation msbt_parent := (msbt_parent n).
Local Notation msbt_children := (msbt_children n).
Local Notation msbt_height := (msbt_height n).
Local Notation label := (label n).
Local Notation rot_parent := (rot_parent n).
Local Notation rot_children := (rot_children n).

(* A node with bit j is inner: its way is that of the binomial tree, rotated. *)
Lemma inner_leads j y : j < n -> turn y j 0 = true ->
  leads n (msbt_parent j) (map (back j) (rev (ones n (turn y j)))) y.
Proof.
  intro J. remember (weight n (turn y j)) as w eqn:W. revert y W.
  induction w as [|w IH]; intros y W T.
  { assert (R : is_root n (turn y j)) by (now apply weight_zero). rewrite root_iff in R.
    rewrite R in T by lia. discriminate. }
  assert (L := highest_lt _ n 0 ltac:(lia) T). assert (S := highest_set _ n 0 ltac:(lia) T).
  assert (P : msbt_parent j y = back j (highest n (turn y j))) by (unfold Rules.msbt_parent;
    now rewrite T).
  assert (Y : ~ is_root n y) by (rewrite <- (turn_root n y j J); now apply not_root with 0; [lia|]).
  assert (V := weight_clear n _ _ L S).
  assert (F := turn_flip n y j _ J L).
  rewrite (ones_highest n _ 0 ltac:(lia) T), rev_app_distr. simpl. rewrite <- P at 1.
  apply up; [exact Y|rewrite P; now apply back_lt|]. rewrite P, <- (ones_ext n _ _ F).
  destruct (Nat.eq_dec (highest n (turn y j)) 0) as [Z|Z].
  - assert (R : is_root n (turn (flip y (back j (highest n (turn y j)))) j)).
    { apply root_iff. intros k K. rewrite F by exact K. rewrite Z.
      destruct k; [now rewrite flip_same, T|]. rewrite flip_other by lia.
      apply (highest_above _ n). lia. }
    assert (E := R). unfold is_root in E. rewrite E. apply here. now apply turn_root in R.
  - apply IH; [|rewrite F by lia; now rewrite flip_other by lia].
    unfold weight in *. rewrite (ones_ext n _ _ F). lia.
Qed.

(* Every other node is a leaf: it hangs on the node that has bit j besides. *)
Theorem msbt_spans j : j < n -> spans n (msbt_parent j) msbt_height.
Proof.
  intros J y. unfold Rules.msbt_height. destruct (root_or n y) as [R|(b & B & Tb)].
  { exists []. split; [now apply here|]. simpl. lia. }
  assert (R := not_root n y b B Tb). destruct (turn y j 0) eqn:T.
  - exists (map (back j) (rev (ones n (turn y j)))). split; [now apply inner_leads|].
    rewrite map_length, rev_length. assert (M := weight_most n (turn y j)). unfold weight in M.
    destruct (Nat.eqb_spec n 1); lia.
  - assert (P : msbt_parent j y = j) by (unfold Rules.msbt_parent; now rewrite T).
    assert (N : n <> 1). { intro. assert (E : y 0 = true) by (now replace 0 with b by lia).
      unfold Rules.turn, Rules.wrap in T. replace j with 0 in T by lia. simpl in T.
      destruct (Nat.ltb_spec 0 n); [congruence|lia]. }
    destruct (Nat.eqb_spec n 1) as [|_]; [contradiction|].
    assert (F := turn_flip n y j 0 J ltac:(lia)). rewrite back_zero in F by exact J.
    exists (j :: map (back j) (rev (ones n (turn (flip y j) j)))). split.
    + rewrite <- P at 2. apply up; rewrite ?P; [exact R|exact J|]. apply inner_leads; [exact J|].
      rewrite F by lia. now rewrite flip_same, T.
    + simpl. rewrite map_length, rev_length. assert (M := weight_most n (turn (flip y j) j)).
      unfold weight in M. lia.
Qed.

(* No smaller height would do for n > 1: that of the node with all bits but j is n+1. *)
Theorem msbt_height_is_reached j : j < n -> 1 < n ->
  exists y path, leads n (msbt_parent j) path y /\ length path = msbt_height.
Proof.
  intros J N. pose (y := fun k => negb (k =? j)).
  assert (T : turn y j 0 = false).
  { unfold Rules.turn. fold (back j 0). rewrite back_zero by exact J. unfold y.
    now rewrite Nat.eqb_refl. }
  assert (P : msbt_parent j y = j) by (unfold Rules.msbt_parent; now rewrite T).
  assert (F := turn_flip n y j 0 J ltac:(lia)). rewrite back_zero in F by exact J.
  exists y, (j :: map (back j) (rev (ones n (turn (flip y j) j)))). split.
  - rewrite <- P at 2. apply up; rewrite ?P; [|exact J|].
    + destruct (Nat.eq_dec j 0); [apply not_root with 1|apply not_root with 0]; try lia; unfold y;
        apply negb_true_iff, Nat.eqb_neq; lia.
    + apply inner_leads; [exact J|]. rewrite F by lia. now rewrite flip_same, T.
  - simpl. rewrite map_length, rev_length. unfold Rules.msbt_height.
    destruct (Nat.eqb_spec n 1); [lia|]. assert (A : forall k, flip y j k = true).
    { intro k. unfold flip, y. destruct (k =? j); reflexivity. }
    assert (E : ones n (turn (flip y j) j) = seq 0 n).
    { unfold ones. apply filter_all, forallb_forall. intros k _. apply A. }
    rewrite E, seq_length. lia.
Qed.

Theorem msbt_agrees j : j < n -> agree n (msbt_parent j) (msbt_children j).
Proof.
  intros J y q.
  assert (E : q < n -> exists i, i < n /\ q = back j i /\ same n (turn (flip y q) j)
    (flip (turn y j) i) /\ (msbt_parent j (flip y q) = q <->
    if flip (turn y j) i 0 then highest n (flip (turn y j) i) = i else i = 0)).
  { intro Q. destruct (back_some n j q J Q) as (i & I & <-). exists i.
    assert (F := turn_flip n y j i J I). repeat split; auto; unfold Rules.msbt_parent;
      rewrite (F 0 ltac:(lia)); rewrite (highest_ext n _ _ F);
      destruct (flip (turn y j) i 0) eqn:U; intro H.
    - apply back_inj in H; auto. now apply (highest_lt _ n 0); [lia|].
    - rewrite <- (back_zero n j J) in H at 1. symmetry. apply back_inj in H; auto. lia.
    - now rewrite H.
    - now rewrite H, back_zero. }
  unfold Rules.msbt_children. cbv zeta. split.
  - intro I.
    destruct (Nat.eqb_spec (weight n (turn y j)) 0) as [W|W].
    + destruct I as [<-|[]]. destruct (E J) as (i & I & B & F & P). rewrite weight_zero in W.
      assert (i = 0) by (rewrite <- (back_zero n j J) in B at 1; apply back_inj in B; auto; lia).
      subst i. rewrite root_iff in W. assert (T : flip (turn y j) 0 0 = true)
        by (rewrite flip_same, W by lia; reflexivity).
      repeat split; [exact J| |].
      * rewrite <- (turn_root n _ j J). apply not_root with 0; [lia|]. now rewrite F by lia.
      * apply P. rewrite T. apply highest_is; [lia|exact T|]. intros k K. rewrite flip_other by lia.
        apply W. lia.
    + destruct (turn y j 0) eqn:T; [|contradiction]. simpl negb in I. cbv iota in I.
      apply in_map_iff in I as (i & <- & I). apply in_app_iff in I as [I|I].
      * apply zeroes_above_in in I as [I Z]. destruct (E (back_lt n j i J ltac:(lia)))
          as (i' & I' & B & F & P). apply back_inj in B; [subst i'|lia..].
        repeat split; [now apply back_lt| |].
        -- rewrite <- (turn_root n _ j J). apply not_root with 0; [lia|]. rewrite F by lia.
           now rewrite flip_other by lia.
        -- apply P. rewrite flip_other by lia. rewrite T. apply highest_is; [lia| |].
           ++ rewrite flip_same, Z by lia. reflexivity.
           ++ intros k K. rewrite flip_other by lia. apply Z. lia.
      * destruct (Nat.eqb_spec (weight n (turn y j)) 1) as [W1|W1]; [contradiction|].
        destruct I as [<-|[]]. destruct (E (back_lt n j 0 J ltac:(lia))) as (i & I & B & F & P).
        apply back_inj in B; [subst i|lia..]. repeat split; [apply back_lt; lia| |].
        -- rewrite <- (turn_root n _ j J). intro R. apply (root_ext n _ _ F) in R.
           apply weight_zero in R. assert (V := weight_clear n _ 0 ltac:(lia) T). lia.
        -- apply P. now rewrite flip_same, T.
  - intros (Q & R & H). destruct (E Q) as (i & I & -> & F & P). apply P in H. clear P E.
    destruct (flip (turn y j) i 0) eqn:U.
    + assert (S := highest_set _ n 0 ltac:(lia) U). rewrite H, flip_same in S.
      apply negb_true_iff in S. assert (A := highest_above (flip (turn y j) i) n). rewrite H in A.
      destruct (Nat.eq_dec i 0) as [->|N].
      * assert (Z : is_root n (turn y j)). { apply root_iff. intros k K. destruct k; [exact S|].
          rewrite <- (flip_other _ 0) by lia. apply A. lia. }
        apply weight_zero in Z. rewrite Z. simpl. left. now rewrite back_zero.
      * rewrite flip_other in U by lia.
        destruct (Nat.eqb_spec (weight n (turn y j)) 0) as [W|W].
        { apply weight_zero in W. rewrite root_iff in W. rewrite W in U by lia. discriminate. }
        rewrite U. simpl negb. cbv iota. apply in_map, in_app_iff. left. apply zeroes_above_in.
        split; [lia|]. intros k K. destruct (Nat.eq_dec k i) as [->|]; [exact S|].
        rewrite <- (flip_other _ i) by lia. apply A. lia.
    + subst i. rewrite flip_same in U. apply negb_false_iff in U.
      destruct (Nat.eqb_spec (weight n (turn y j)) 0) as [W|W].
      { apply weight_zero in W. rewrite root_iff in W. rewrite W in U by lia. discriminate. }
      rewrite U. simpl negb. cbv iota. apply in_map, in_app_iff. right.
      destruct (Nat.eqb_spec (weight n (turn y j)) 1) as [W1|W1]; [|now left].
      exfalso. apply R. apply (turn_root n _ j J). apply weight_zero. unfold weight.
      rewrite (ones_ext n _ _ F). assert (V := weight_clear n _ 0 ltac:(lia) U).
      unfold weight in V, W1.
      lia.
Qed.

(* The link into a node across a dimension belongs to one tree only. *)
Theorem msbt_trees_share_no_link i j y : i < n -> j < n -> ~ is_root n y ->
  msbt_parent i y = msbt_parent j y -> i = j.
Proof.
  (* Of two inner nodes, going up from the parent's dimension, j is the first that is set. *)
  assert (H : forall i j, i < n -> j < n -> turn y i 0 = true -> turn y j 0 = true ->
    msbt_parent i y = msbt_parent j y -> highest n (turn y i) <= highest n (turn y j)).
  { clear i j. intros i j I J Ti Tj. unfold Rules.msbt_parent. rewrite Ti, Tj. intro E.
    assert (Li := highest_lt _ n 0 ltac:(lia) Ti). assert (Lj := highest_lt _ n 0 ltac:(lia) Tj).
    assert (Ai := highest_above (turn y j) n (highest n (turn y j) + n - highest n (turn y i))).
    destruct (le_lt_dec (highest n (turn y i)) (highest n (turn y j))) as [|G]; [assumption|].
    exfalso. specialize (Ai ltac:(lia)). change (y (wrap (0 + i)) = true) in Ti.
    change (y (wrap (highest n (turn y j) + n - highest n (turn y i) + j)) = false) in Ai.
    replace (wrap (0 + i)) with
      (wrap (highest n (turn y j) + n - highest n (turn y i) + j)) in Ti by wraps. congruence. }
  intros I J R E.
  destruct (turn y i 0) eqn:Ti, (turn y j 0) eqn:Tj.
  - assert (A := H i j I J Ti Tj E). assert (B := H j i J I Tj Ti (eq_sym E)).
    unfold Rules.msbt_parent in E. rewrite Ti, Tj in E.
    assert (L := highest_lt _ n 0 ltac:(lia) Ti).
    replace (highest n (turn y j)) with (highest n (turn y i)) in E by lia. wraps.
  - unfold Rules.msbt_parent in E. rewrite Ti, Tj in E.
    assert (S := highest_set _ n 0 ltac:(lia) Ti).
    change (y (back i (highest n (turn y i))) = true) in S. rewrite E in S.
    change (y (back j 0) = false) in Tj. rewrite back_zero in Tj by exact J. congruence.
  - unfold Rules.msbt_parent in E. rewrite Ti, Tj in E.
    assert (S := highest_set _ n 0 ltac:(lia) Tj).
    change (y (back j (highest n (turn y j))) = true) in S. rewrite <- E in S.
    change (y (back i 0) = false) in Ti. rewrite back_zero in Ti by exact I. congruence.
  - unfold Rules.msbt_parent in E. now rewrite Ti, Tj in E.
Qed.

(* With one port: packet number j + r*n takes tree j and starts in the step of its number. In step t
   all that move cross dimension t mod n, later the further from the root, and no two packets want
   the same link in the same step. The last step of a packet is n after its start. *)
Theorem msbt_one_port j r y : j < n -> ~ is_root n y ->
  (j + r * n + label j y) mod n = msbt_parent j y.
Proof.
  intros J R. unfold Rules.label, Rules.msbt_parent. destruct (turn y j 0) eqn:T.
  - assert (L := highest_lt _ n 0 ltac:(lia) T).
    replace (j + r * n + highest n (turn y j)) with ((highest n (turn y j) + j) + r * n) by lia.
    rewrite Nat.mod_add by lia. unfold Rules.back, Rules.wrap.
    destruct (Nat.ltb_spec (highest n (turn y j) + j) n) as [H|H]; [now apply Nat.mod_small|].
    replace (highest n (turn y j) + j) with (highest n (turn y j) + j - n + 1 * n) at 1 by lia.
    rewrite Nat.mod_add by lia. apply Nat.mod_small. lia.
  - replace (j + r * n + n) with (j + (r + 1) * n) by lia. rewrite Nat.mod_add by lia.
    now apply Nat.mod_small.
Qed.
Theorem msbt_steps_rise j y : j < n -> ~ is_root n y -> label j y <= n /\
  (~ is_root n (flip y (msbt_parent j y)) -> label j (flip y (msbt_parent j y)) < label j y).
Proof.
  intros J R. destruct (turned_some n y j J R) as (k & K & Tk).
  assert (L := highest_lt _ n k K Tk). unfold Rules.label, Rules.msbt_parent.
  destruct (turn y j 0) eqn:T; split; try lia; intro N.
  - assert (F := turn_flip n y j _ J L). rewrite (highest_ext n _ _ F), F by lia.
    destruct (Nat.eq_dec (highest n (turn y j)) 0) as [Z|Z].
    + exfalso. apply N. apply (turn_root n _ j J). apply root_iff. intros i I. rewrite F by exact I.
      rewrite Z. destruct i; [now rewrite flip_same, T|]. rewrite flip_other by lia.
      apply (highest_above _ n). lia.
    + rewrite flip_other by lia. rewrite T. assert (S := highest_set _ n 0 ltac:(lia) T).
      assert (A := highest_above (turn y j) n). revert L S Z A F.
      generalize (highest n (turn y j)). intros h L S Z A _.
      assert (T0 : flip (turn y j) h 0 = true) by (now rewrite flip_other by lia).
      assert (S' := highest_set _ n 0 ltac:(lia) T0). assert (L' := highest_lt _ n 0 ltac:(lia) T0).
      destruct (lt_eq_lt_dec (highest n (flip (turn y j) h)) h) as [[H|H]|H]; [exact H| |].
      * rewrite H, flip_same, S in S'. discriminate.
      * rewrite flip_other, A in S' by lia. discriminate.
  - assert (F := turn_flip n y j 0 J ltac:(lia)). rewrite back_zero in F by exact J.
    rewrite (highest_ext n _ _ F), F by lia. rewrite flip_same, T. simpl.
    apply highest_lt with 0; [lia|]. now rewrite flip_same, T.
Qed.
Theorem msbt_packets_do_not_meet i r j s y : i < n -> j < n -> ~ is_root n y ->
  msbt_parent i y = msbt_parent j y -> i + r * n + label i y = j + s * n + label j y ->
  i = j /\ r = s.
Proof.
  intros I J R E T. assert (i = j) by (now apply msbt_trees_share_no_link with y). subst j.
  split; [reflexivity|]. apply Nat.mul_cancel_r with n; lia.
Qed.

(* The rotated binomial trees of `msbt-rot`. *)
Theorem rot_spans j : j < n -> spans n (rot_parent j) n.
Proof.
  intro J. apply clearing_height. intros y R. destruct (turned_some n y j J R) as (k & K & T).
  assert (L := highest_lt _ n k K T). split; [now apply back_lt|].
  exact (highest_set _ n k K T).
Qed.
Theorem rot_agrees j : j < n -> agree n (rot_parent j) (rot_children j).
Proof.
  intros J y q. unfold Rules.rot_children, Rules.rot_parent. rewrite in_map_iff. split.
  - intros (i & <- & I). apply zeroes_above_in in I as [I Z].
    assert (F := turn_flip n y j i J ltac:(lia)).
    assert (T : flip (turn y j) i i = true) by (rewrite flip_same, Z by lia; reflexivity).
    repeat split; [apply back_lt; lia| |].
    + rewrite <- (turn_root n _ j J). apply not_root with i; [lia|]. now rewrite F by lia.
    + f_equal. rewrite (highest_ext n _ _ F). apply highest_is; [lia|exact T|].
      intros k K. rewrite flip_other by lia. apply Z. lia.
  - intros (Q & R & P). destruct (back_some n j q J Q) as (i & I & <-). exists i. split;
      [reflexivity|].
    assert (F := turn_flip n y j i J I). rewrite (highest_ext n _ _ F) in P.
    rewrite <- (turn_root n _ j J) in R. destruct (root_or n (flip (turn y j) i)) as [Z|(k & K &
      T)].
    { exfalso. apply R. revert Z. apply root_ext. intros m M. symmetry. now apply F. }
    apply back_inj in P; [|exact J|now apply (highest_lt _ n k)|exact I].
    assert (S := highest_set _ n k K T). rewrite P, flip_same in S. apply negb_true_iff in S.
    apply zeroes_above_in. split; [lia|]. intros m M. destruct (Nat.eq_dec m i) as [->|];
      [exact S|].
    rewrite <- (flip_other _ i) by lia. apply (highest_above _ n). lia.
Qed.
(* In step t of its round packet j crosses dimension (j+t) mod n: in no step two cross the same. *)
Theorem rot_packets_do_not_meet i j step : i < n -> j < n -> step < n ->
  back i step = back j step -> i = j.
Proof. intros. wraps. Qed.
End Msbt.
