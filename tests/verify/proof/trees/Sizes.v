(* How large the n subtrees of `sbnt-minr` are, for every n: none is larger than the one before it,
   and together they are all nodes but the root, so all are near 2^n / n: within 2 * 2^(n/2).
   [ho-johnsson-1988, theorem 1: O(2^n / n); its bounds for small n are in the tests of the code] *)
Require Import Bool List Arith Lia.
From Proof Require Import Rules Cube Sbnt.
Import ListNotations.

Section Sizes.
Variable n : nat.
Local Notation turn := (turn n).
Local Notation base := (base n).
Local Notation val := (val n).

(* All nodes but the root, by their addresses as numbers. *)
Definition address a : node := Nat.testbit a.
Definition nodes := seq 1 (2 ^ n - 1).
Definition subtree j := filter (fun a => base (address a) =? j) nodes.
Definition size j := length (subtree j).

Lemma val_address m a : Sbnt.val m (address a) = a mod 2 ^ m.
Proof.
  induction m as [|m IH]; [now rewrite Nat.mod_1_r|]. cbn [Sbnt.val]. rewrite IH. unfold address.
  assert (P : 2 ^ m <> 0) by (apply Nat.pow_nonzero; lia).
  change (2 ^ S m) with (2 * 2 ^ m). rewrite (Nat.mul_comm 2).
  rewrite Nat.mod_mul_r by lia.
  assert (T := Nat.testbit_spec' a m). rewrite <- T. destruct (Nat.testbit a m); simpl; lia.
Qed.
Lemma address_val y k : k < n -> address (val y) k = y k.
Proof.
  intro K. apply (val_inj n (address (val y)) y); [|exact K]. rewrite val_address.
  apply Nat.mod_small, val_lt.
Qed.
Lemma val_of_node a : In a nodes -> val (address a) = a.
Proof. intro I. apply in_seq in I. rewrite val_address. apply Nat.mod_small. lia. Qed.
Lemma node_val y : ~ is_root n y -> In (val y) nodes.
Proof.
  intro R. apply in_seq. assert (V := val_lt n y). destruct (root_or n y) as [Z|(k & K & T)].
  - contradiction.
  - assert (2 ^ k <= val y) by now apply val_at_least. assert (2 ^ k <> 0) by
      (apply Nat.pow_nonzero; lia). lia.
Qed.
Lemma node_not_root a : In a nodes -> ~ is_root n (address a).
Proof.
  intros I R. assert (E := val_of_node a I). apply in_seq in I.
  assert (val (address a) < 2 ^ 0).
  { apply val_below. intros k K. rewrite root_iff in R. apply R. lia. }
  simpl in *. lia.
Qed.

(* Rotations of rotations. *)
Lemma turn_turn y a b k : a < n -> b < n -> k < n ->
  turn (turn y a) b k = turn y (wrap n (a + b)) k.
Proof.
  intros A B K. unfold Rules.turn. f_equal. unfold wrap.
  repeat match goal with |- context [?u <? ?v] => destruct (Nat.ltb_spec u v) end; lia.
Qed.
Lemma turn_ext y z a : a < n -> same n y z -> same n (turn y a) (turn z a).
Proof. intros A E k K. apply E, back_lt; assumption. Qed.
Lemma base_ext y z : 0 < n -> same n y z -> base y = base z.
Proof.
  intros N E. apply base_unique with n z; [|now apply base_is].
  destruct (base_is n y N) as (B & L1 & L2).
  assert (X : forall c, c < n -> val (turn y c) = val (turn z c))
    by (intros c C; apply val_ext, turn_ext; assumption).
  repeat split; [exact B| |]; intros c C; rewrite <- !X by lia; [now apply L1|now apply L2].
Qed.
(* The rotation as a map of nodes. *)
Definition turned a j := val (turn (address a) j).
Lemma turned_node a j : j < n -> In a nodes -> In (turned a j) nodes.
Proof.
  intros J I. apply node_val. rewrite turn_root by exact J. now apply node_not_root.
Qed.
Lemma turned_inj a b j : j < n -> In a nodes -> In b nodes -> turned a j = turned b j -> a = b.
Proof.
  intros J A B E. rewrite <- (val_of_node a A), <- (val_of_node b B). apply val_ext. intros k K.
  destruct (back_some n j k J K) as (i & I & <-). exact (val_inj n _ _ E i I).
Qed.
Lemma turned_address a j : same n (address (turned a j)) (turn (address a) j).
Proof. intros k K. unfold turned. now apply address_val. Qed.

(* Turned one step, a node of subtree j+1 is in subtree j. *)
Lemma base_turned a j : S j < n -> base (address a) = S j -> base (address (turned a 1)) = j.
Proof.
  intros J E. assert (N : 0 < n) by lia. rewrite (base_ext _ _ N (turned_address a 1)).
  destruct (base_is n (address a) N) as (_ & L1 & L2). rewrite E in L1, L2.
  assert (X : forall c, c < n -> val (turn (turn (address a) 1) c) =
    val (turn (address a) (wrap n (1 + c)))).
  { intros c C. apply val_ext. intros k K. apply turn_turn; lia. }
  apply base_unique with n (turn (address a) 1); [now apply base_is|].
  assert (W : wrap n (1 + j) = S j) by (unfold wrap; destruct (Nat.ltb_spec (1 + j) n); lia).
  repeat split; [lia| |]; intros c C; rewrite !X, W by lia.
  - apply L1. unfold wrap. destruct (Nat.ltb_spec (1 + c) n); lia.
  - apply L2. unfold wrap. destruct (Nat.ltb_spec (1 + c) n); lia.
Qed.

Lemma subtree_in j a : In a (subtree j) <-> In a nodes /\ base (address a) = j.
Proof. unfold subtree. now rewrite filter_In, Nat.eqb_eq. Qed.
Lemma subtree_once j : NoDup (subtree j).
Proof. apply NoDup_filter, seq_NoDup. Qed.
Lemma map_once {T U} (f : T -> U) l : (forall a b, In a l -> In b l -> f a = f b -> a = b) ->
  NoDup l -> NoDup (map f l).
Proof.
  intros Inj D. induction D as [|a l I D IH]; [constructor|]. simpl. constructor.
  - intro J. apply in_map_iff in J as (b & E & J). apply Inj in E; [congruence|now right|now left].
  - apply IH. intros b c B C. apply Inj; now right.
Qed.

Theorem sizes_fall j : S j < n -> size (S j) <= size j.
Proof.
  intro J. unfold size. rewrite <- (map_length (fun a => turned a 1)).
  apply NoDup_incl_length.
  - apply map_once; [|apply subtree_once]. intros a b A B. apply subtree_in in A as [A _].
    apply subtree_in in B as [B _]. apply turned_inj; auto. lia.
  - intros b I. apply in_map_iff in I as (a & <- & I). apply subtree_in in I as [I E].
    apply subtree_in. split; [apply turned_node; [lia|exact I]|now apply base_turned].
Qed.

(* Each node is in one subtree. *)
Lemma sizes_of (l : list nat) (f : nat -> nat) m : (forall a, In a l -> f a < m) ->
  fold_right plus 0 (map (fun j => length (filter (fun a => f a =? j) l)) (seq 0 m)) = length l.
Proof.
  induction l as [|a l IH]; intro F; simpl.
  - induction (seq 0 m); simpl; auto.
  - rewrite <- IH by (intros b B; apply F; now right). specialize (F a (or_introl eq_refl)).
    clear IH.
    assert (H : forall k b, b <= f a < b + k -> fold_right plus 0 (map (fun j => length
      (if f a =? j then a :: filter (fun a => f a =? j) l else filter (fun a => f a =? j) l))
      (seq b k)) = S (fold_right plus 0 (map (fun j => length (filter (fun a => f a =? j) l))
      (seq b k)))).
    { induction k as [|k IH]; intros b K; [lia|]. simpl. destruct (Nat.eqb_spec (f a) b) as [E|E].
      - simpl. f_equal. f_equal. assert (G : forall k c, f a < c -> map (fun j => length
          (if f a =? j then a :: filter (fun a => f a =? j) l else filter (fun a => f a =? j) l))
          (seq c k) = map (fun j => length (filter (fun a => f a =? j) l)) (seq c k)).
        { clear. induction k as [|k IH]; intros c C; [reflexivity|]. simpl. rewrite IH by lia.
          destruct (Nat.eqb_spec (f a) c); [lia|reflexivity]. }
        now rewrite G by lia.
      - rewrite IH by lia. lia. }
    apply H. lia.
Qed.
Theorem sizes_add_up : 0 < n -> fold_right plus 0 (map size (seq 0 n)) = 2 ^ n - 1.
Proof.
  intro N. unfold size, subtree. rewrite (sizes_of nodes (fun a => base (address a)) n).
  - unfold nodes. apply seq_length.
  - intros a _. now apply base_is.
Qed.

(* Addresses with a period: the only ones that later subtrees may lack. There are few. *)
Definition periodic a := existsb (fun m => turned a m =? a) (seq 1 (n / 2)).

Lemma period_halves a p : 0 < p < n -> In a nodes -> turned a p = a -> periodic a = true.
Proof.
  intros P I E. apply existsb_exists. destruct (le_lt_dec p (n / 2)) as [L|L].
  - exists p. split; [apply in_seq; lia|now apply Nat.eqb_eq].
  - exists (n - p). assert (H := Nat.div_mod n 2 ltac:(lia)).
    assert (M := Nat.mod_upper_bound n 2 ltac:(lia)). split; [apply in_seq; lia|].
    apply Nat.eqb_eq. rewrite <- E at 1. unfold turned at 1.
    rewrite (val_ext n _ (address a)); [now apply val_of_node|]. intros k K.
    rewrite (turn_ext _ _ (n - p) ltac:(lia) (turned_address a p)) by exact K.
    rewrite turn_turn by lia. unfold Rules.turn. f_equal. unfold wrap.
    repeat match goal with |- context [?u <? ?v] => destruct (Nat.ltb_spec u v) end; lia.
Qed.

Lemma few_of_period m : 0 < m < n ->
  length (filter (fun a => turned a m =? a) nodes) <= 2 ^ m.
Proof.
  intro M. rewrite <- (map_length (fun a => a mod 2 ^ m)), <- (seq_length (2 ^ m) 0) at 1.
  apply NoDup_incl_length.
  - apply map_once; [|apply NoDup_filter, seq_NoDup]. intros a b A B E.
    apply filter_In in A as [A Pa]. apply filter_In in B as [B Pb]. apply Nat.eqb_eq in Pa, Pb.
    rewrite <- !val_address in E. apply val_inj in E.
    rewrite <- (val_of_node a A), <- (val_of_node b B). apply val_ext.
    assert (Back : forall c, In c nodes -> turned c m = c -> forall k, m <= k < n ->
      address c k = address c (k - m)).
    { intros c C P k K. assert (T := turned_address c m (k - m) ltac:(lia)). rewrite P in T.
      rewrite T. unfold Rules.turn, wrap. destruct (Nat.ltb_spec (k - m + m) n); [|lia].
      f_equal. lia. }
    intro k. induction k as [k IH] using lt_wf_ind. intro K.
    destruct (le_lt_dec m k) as [G|G]; [|now apply E]. rewrite (Back a A Pa k),
      (Back b B Pb k) by lia. apply IH; lia.
  - intros b I. apply in_map_iff in I as (a & <- & I). apply in_seq.
    assert (2 ^ m <> 0) by (apply Nat.pow_nonzero; lia).
    assert (X := Nat.mod_upper_bound a (2 ^ m) H). lia.
Qed.
Lemma union_most (P : nat -> nat -> bool) l ms :
  length (filter (fun a => existsb (fun m => P a m) ms) l) <=
  fold_right plus 0 (map (fun m => length (filter (fun a => P a m) l)) ms).
Proof.
  induction ms as [|m ms IH]; simpl.
  - induction l; simpl; auto.
  - transitivity (length (filter (fun a => P a m) l) +
      length (filter (fun a => existsb (fun m => P a m) ms) l)); [|lia].
    clear IH. induction l as [|a l IH]; simpl; [lia|].
    destruct (P a m), (existsb _ ms); simpl; lia.
Qed.
Lemma few_periodic : 1 < n -> length (filter periodic nodes) <= 2 ^ (n / 2 + 1).
Proof.
  intro N. unfold periodic. rewrite (union_most (fun a m => turned a m =? a)).
  assert (H : n / 2 < n) by (apply Nat.div_lt; lia). revert H. generalize (n / 2). intros h H.
  assert (G : fold_right plus 0 (map (fun m => length (filter (fun a => turned a m =? a) nodes))
    (seq 1 h)) <= 2 ^ (h + 1) - 2).
  { induction h as [|h IH]; [simpl; lia|]. rewrite seq_S, map_app, fold_right_app. simpl fold_right.
    assert (F := few_of_period (S h) ltac:(lia)). specialize (IH ltac:(lia)).
    assert (A : forall l x, fold_right plus x l = fold_right plus 0 l + x).
    { induction l as [|y l L]; intro x; simpl; [reflexivity|]. rewrite L. lia. }
    rewrite A, Nat.add_0_r. simpl Nat.add at 2.
    replace (S h + 1) with (S (h + 1)) by lia. rewrite Nat.add_1_r in *. simpl Nat.pow in *. lia. }
  lia.
Qed.

(* A node of subtree 0 without a period, turned back j steps, is in subtree j. *)
Lemma base_turned_back a j : 0 < j < n -> In a nodes -> base (address a) = 0 -> periodic a = false
  ->
  base (address (turned a (n - j))) = j.
Proof.
  intros J I E F. assert (N : 0 < n) by lia. rewrite (base_ext _ _ N (turned_address a (n - j))).
  destruct (base_is n (address a) N) as (_ & L & _). rewrite E in L.
  assert (X : forall c, c < n -> val (turn (turn (address a) (n - j)) c) =
    val (turn (address a) (wrap n (n - j + c)))).
  { intros c C. apply val_ext. intros k K. apply turn_turn; lia. }
  assert (Z : val (turn (address a) 0) = a).
  { rewrite (val_ext n _ (address a)); [now apply val_of_node|]. intros k K. unfold Rules.turn.
    f_equal. unfold wrap. destruct (Nat.ltb_spec (k + 0) n); lia. }
  assert (W : wrap n (n - j + j) = 0) by (unfold wrap; destruct (Nat.ltb_spec (n - j + j) n); lia).
  apply base_unique with n (turn (address a) (n - j)); [now apply base_is|].
  repeat split; [lia| |]; intros c C; rewrite !X, W by lia.
  - apply L. unfold wrap. destruct (Nat.ltb_spec (n - j + c) n); lia.
  - replace (wrap n (n - j + c)) with (n - j + c) by
      (unfold wrap; destruct (Nat.ltb_spec (n - j + c) n); lia).
    specialize (L (n - j + c) ltac:(lia)). destruct (Nat.eq_dec (turned a (n - j + c)) a) as [P|P].
    + rewrite (period_halves a (n - j + c)) in F by (auto; lia). discriminate.
    + unfold turned in P. rewrite Z in *. lia.
Qed.

Theorem sizes_differ_little j : j < n -> size j <= size 0 <= size j + 2 ^ (n / 2 + 1).
Proof.
  intro J. split.
  - induction j as [|j IH]; [lia|]. assert (F := sizes_fall j J). specialize (IH ltac:(lia)). lia.
  - destruct (Nat.eq_dec j 0) as [->|Nz]; [lia|]. assert (F := few_periodic ltac:(lia)).
    assert (S : size 0 = length (filter periodic (subtree 0)) +
      length (filter (fun a => negb (periodic a)) (subtree 0))).
    { unfold size. induction (subtree 0) as [|a l IH]; simpl; [reflexivity|]. rewrite IH.
      destruct (periodic a); simpl; lia. }
    assert (P : length (filter periodic (subtree 0)) <= length (filter periodic nodes)).
    { apply NoDup_incl_length; [apply NoDup_filter, subtree_once|]. intros a I.
      apply filter_In in I as [I P]. apply subtree_in in I as [I _]. now apply filter_In. }
    assert (Q : length (filter (fun a => negb (periodic a)) (subtree 0)) <= size j); [|lia].
    unfold size. rewrite <- (map_length (fun a => turned a (n - j))). apply NoDup_incl_length.
    + apply map_once; [|apply NoDup_filter, subtree_once]. intros a b A B.
      apply filter_In in A as [A _]. apply filter_In in B as [B _]. apply subtree_in in A as [A _].
      apply subtree_in in B as [B _]. apply turned_inj; auto. lia.
    + intros b I. apply in_map_iff in I as (a & <- & I). apply filter_In in I as [I Q].
      apply subtree_in in I as [I E]. apply negb_true_iff in Q. apply subtree_in.
      split; [apply turned_node; [lia|exact I]|]. apply base_turned_back; auto; lia.
Qed.
Theorem sizes_are_near_the_mean j : j < n ->
  n * size j <= 2 ^ n - 1 + n * 2 ^ (n / 2 + 1) /\ 2 ^ n - 1 <= n * size j + n * 2 ^ (n / 2 + 1).
Proof.
  intro J. rewrite <- sizes_add_up by lia. assert (H := sizes_differ_little). revert H.
  generalize (2 ^ (n / 2 + 1)). intros D H. assert (B : forall m b, b + m <= n ->
    m * size 0 <= fold_right plus 0 (map size (seq b m)) + m * D /\
    fold_right plus 0 (map size (seq b m)) <= m * size 0).
  { induction m as [|m IH]; intros b M; [cbn; lia|].
    change (fold_right plus 0 (map size (seq b (S m)))) with
      (size b + fold_right plus 0 (map size (seq (S b) m))). rewrite !Nat.mul_succ_l.
      specialize (IH (S b) ltac:(lia)).
    specialize (H b ltac:(lia)). lia. }
  specialize (B n 0 ltac:(lia)). specialize (H j J).
  assert (n * size j <= n * size 0) by (apply Nat.mul_le_mono_l; lia).
  assert (n * size 0 <= n * (size j + D)) by (apply Nat.mul_le_mono_l; lia).
  rewrite Nat.mul_add_distr_l in *. lia.
Qed.
End Sizes.
