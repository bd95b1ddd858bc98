(* The rules of `Rules.v` as tables, and whether the theorems hold in small cubes by trying all
   nodes. check_proof.py prints both: tables to compare them with the code, claims to find what is
   wrong with a mutant of a rule. *)
Require Import Bool List Arith NArith ZArith Uint63.
From Proof Require Import Rules.
Import ListNotations.

Definition bits (a : N) : node := fun k => N.testbit a (N.of_nat k).
Definition all n := map (fun a => bits (N.of_nat a)) (seq 0 (2 ^ n)).
Definition is_root_b n y := weight n y =? 0.

(* A tree: height first, then for each node the dimension to its parent (the root: n) and those to
   its children. *)
Definition row n (parent : node -> nat) (children : node -> list nat) y :=
  (if is_root_b n y then n else parent y) :: children y.
Definition table n parent children := map (row n parent children) (all n).
Definition sbt_table n := [[[sbt_height n]]; table n (sbt_parent n) (sbt_children n)].
Definition bs_table n := [[[sbt_height n]]; table n (sbt_parent n) (fun y =>
  bs_children n (if is_root_b n y then None else Some (sbt_parent n y)))].
Definition msbt_table n :=
  [[msbt_height n]] :: map (fun j => table n (msbt_parent n j) (msbt_children n j)) (seq 0 n).
Definition rot_table n := msbt_table n ++
  map (fun j => table n (rot_parent n j) (rot_children n j)) (seq 0 n).
Definition bts_table n := [[bts_height n]] ::
  map (fun o => table n (bts_parent n o) (bts_children n o)) [false; true].
Definition sbnt_table n := [[[n]]; table n (sbnt_parent n) (sbnt_children n)].

(* Trees of which one knows the way to a node only: the dimension to its parent in each tree. *)
Definition parents n (parent : node -> nat) :=
  map (fun y => [if is_root_b n y then n else parent y]) (all n).
Definition both_roots n (parent : bool -> node -> nat -> nat) := flat_map (fun o =>
  map (fun j => parents n (fun y => parent o y j)) (seq 0 (n / 2))) [false; true].
Definition bt1_table n := map (fun o => parents n (bt1_parent n o)) [false; true].
Definition adst_table n := both_roots n (adst_parent n).
Definition ist_table n := both_roots n (ist_parent n).

(* Paths: for each other node the ports of each path to it. *)
Definition path_ports n r k :=
  map (fun s => path_port n r (path_node n r k s) k) (seq 0 (path_length n r k)).
Definition path_table n := map (fun r => map (path_ports n r) (seq 0 n)) (tl (all n)).

(* The star: labels in the order of their numbers, and for each tree of `edt` the port to the parent
   of each node (the root: n-1). *)
Fixpoint labels count symbols := match count with
  | 0 => [[]]
  | S c => flat_map (fun s => map (cons s) (labels c (remove Nat.eq_dec s symbols))) symbols
  end.
Definition all_labels n := labels n (seq 1 n).
Definition at_place (l : list nat) place := nth (place - 1) l 0.
Fixpoint place_in (l : list nat) s :=
  match l with [] => 0 | t :: l => if t =? s then 1 else S (place_in l s) end.
Definition edt_dimension n v2 tree l := edt_parent n v2 (at_place l) (place_in l) tree.
Definition edt_table_of v2 n := map (fun tree => [n - 1] ::
  map (fun l => [edt_dimension n v2 tree l - 2]) (tl (all_labels n))) (seq 2 (n - 1)).
Definition spt_dimension n l := star_nearer n (at_place l) (place_in l).
Definition spt_table n :=
  [[n - 1] :: map (fun l => [spt_dimension n l - 2]) (tl (all_labels n))].
Definition edt_table := edt_table_of false.
Definition edt_v2_table := edt_table_of true.

(* The checksum of a table, modulo 2^63: of its numbers, and of where lists end. *)
Definition mix (sum : int) (token : nat) := (sum * 1000003 + of_Z (Z.of_nat token))%uint63.
Definition checksum (t : list (list (list nat))) := fold_left (fun sum rows => mix (fold_left
  (fun sum numbers => mix (fold_left (fun sum k => mix sum (k + 2)) numbers sum) 1) rows sum) 0) t
  0%uint63.

(* What `trees/` proves for every n, tried for one. *)
Definition same_b n (y z : node) := forallb (fun k => Bool.eqb (y k) (z k)) (seq 0 n).
Fixpoint arrives_b n (parent : node -> nat) height y :=
  is_root_b n y || match height with
  | 0 => false
  | S fewer => (parent y <? n) && arrives_b n parent fewer (flip y (parent y))
  end.
Definition spans_b n parent height := forallb (arrives_b n parent height) (all n).
Definition agree_b n (parent : node -> nat) (children : node -> list nat) :=
  forallb (fun y => forallb (fun q => Bool.eqb (existsb (Nat.eqb q) (children y))
    (negb (is_root_b n (flip y q)) && (parent (flip y q) =? q))) (seq 0 n)) (all n).
Fixpoint differ_b (l : list nat) :=
  match l with [] => true | a :: l => negb (existsb (Nat.eqb a) l) && differ_b l end.
Definition apart_b n (parent : nat -> node -> nat) :=
  forallb (fun y => differ_b (map (fun j => parent j y) (seq 0 n))) (tl (all n)).
Definition one_port_b n := forallb (fun y => forallb (fun j =>
  ((j + label n j y) mod n =? msbt_parent n j y) && (label n j y <=? n) &&
  let above := flip y (msbt_parent n j y) in is_root_b n above || (label n j above <? label n j y))
  (seq 0 n)) (tl (all n)).
Definition subtree_b n := forallb (fun y =>
  if weight n y =? 1 then sbnt_parent n y =? base n y
  else base n (flip y (sbnt_parent n y)) =? base n y) (tl (all n)).
Definition bts_b n := forallb (fun o => forallb (fun y =>
  (weight n y =? 0) || (let q := bts_parent n o y in
    (q <? n) && negb (sends n o y q) &&
    (uhc_distance (weight n (foreign n o y)) (weight n (own n o y)) =?
     S (uhc_distance (weight n (foreign n o (flip y q))) (weight n (own n o (flip y q)))))))
  (all n)) [false; true].
Definition bts_agree_b n := forallb (fun o => forallb (fun y => forallb (fun q =>
  Bool.eqb (existsb (Nat.eqb q) (bts_children n o y)) (sends n o y q &&
    negb (is_root_b n (flip y q)) && (bts_parent n o (flip y q) =? q))) (seq 0 n)) (all n))
  [false; true].
Definition edt_b n := forallb (fun v2 => forallb (fun l =>
  let dimensions := map (fun tree => edt_dimension n v2 tree l) (seq 2 (n - 1)) in
  differ_b dimensions && forallb (fun d => (2 <=? d) && (d <=? n)) dimensions)
  (tl (all_labels n))) [false; true].
Definition no_link_twice_b n (parent : bool -> node -> nat -> nat) := forallb (fun o =>
  forallb (fun y => differ_b (map (parent o y) (seq 0 (n / 2)))) (tl (all n))) [false; true].
Fixpoint spt_arrives_b n height p place :=
  forallb (fun i => p i =? i) (seq 2 (n - 1)) || match height with
  | 0 => false
  | S fewer => let d := star_nearer n p place in (2 <=? d) && (d <=? n) &&
      spt_arrives_b n fewer (cross p d) (cross_places p place d)
  end.
Definition inside n r k := map (path_node n r k) (seq 1 (path_length n r k - 1)).
Definition paths_b n := forallb (fun r => forallb (fun k =>
  same_b n (path_node n r k (path_length n r k)) r &&
  negb (existsb (same_b n r) (inside n r k)) && (path_length n r k <=? n + 1)) (seq 0 n) &&
  forallb (fun l => forallb (fun k => negb (existsb (fun y => existsb (same_b n y) (inside n r l))
    (inside n r k))) (seq 0 l)) (seq 0 n)) (tl (all n)).

Inductive claim := sbt_spans | sbt_agrees | bs_is_sbt | msbt_spans | msbt_agrees |
  msbt_trees_share_no_link | msbt_steps_rise | rot_spans | rot_agrees | sbnt_spans | sbnt_agrees |
  sbnt_parent_in_subtree | paths_are_disjoint | bts_spans | bts_path | bts_agrees |
  edt_trees_share_no_link | spt_spans | adst_trees_share_no_link | ist_trees_share_no_link |
  bt1_spans | bt1_crosses_links_the_right_way.
Definition all_trees n (holds : nat -> bool) := forallb holds (seq 0 n).
Definition holds n c := match c with
  | sbt_spans => spans_b n (sbt_parent n) (sbt_height n)
  | sbt_agrees => agree_b n (sbt_parent n) (sbt_children n)
  | bs_is_sbt => agree_b n (sbt_parent n) (fun y =>
    bs_children n (if is_root_b n y then None else Some (sbt_parent n y)))
  | msbt_spans => all_trees n (fun j => spans_b n (msbt_parent n j) (msbt_height n))
  | msbt_agrees => all_trees n (fun j => agree_b n (msbt_parent n j) (msbt_children n j))
  | msbt_trees_share_no_link => apart_b n (msbt_parent n)
  | msbt_steps_rise => one_port_b n
  | rot_spans => all_trees n (fun j => spans_b n (rot_parent n j) n)
  | rot_agrees => all_trees n (fun j => agree_b n (rot_parent n j) (rot_children n j))
  | sbnt_spans => spans_b n (sbnt_parent n) n
  | sbnt_agrees => agree_b n (sbnt_parent n) (sbnt_children n)
  | sbnt_parent_in_subtree => subtree_b n
  | paths_are_disjoint => paths_b n
  | bts_spans => (n =? 1) || forallb (fun o => spans_b n (bts_parent n o) (bts_height n)) [false;
    true]
  | bts_path => (n =? 1) || bts_b n
  | bts_agrees => (n =? 1) || bts_agree_b n
  | edt_trees_share_no_link => (n <? 3) || edt_b n
  | spt_spans => (n <? 3) || forallb (fun l =>
      spt_arrives_b n (spt_height n) (at_place l) (place_in l)) (all_labels n)
  | adst_trees_share_no_link => Nat.odd n || no_link_twice_b n (adst_parent n)
  | ist_trees_share_no_link => (n =? 1) || no_link_twice_b n (ist_parent n)
  | bt1_spans => Nat.odd n || forallb (fun o =>
      spans_b n (bt1_parent n o) (bt1_height n)) [false; true]
  | bt1_crosses_links_the_right_way => Nat.odd n || forallb (fun o => forallb (fun y =>
      negb (sends n o y (bt1_parent n o y))) (tl (all n))) [false; true]
  end.
Definition every_claim := [sbt_spans; sbt_agrees; bs_is_sbt; msbt_spans; msbt_agrees;
  msbt_trees_share_no_link; msbt_steps_rise; rot_spans; rot_agrees; sbnt_spans; sbnt_agrees;
  sbnt_parent_in_subtree; paths_are_disjoint; bts_spans; bts_path; bts_agrees;
  edt_trees_share_no_link; spt_spans; adst_trees_share_no_link; ist_trees_share_no_link;
  bt1_spans; bt1_crosses_links_the_right_way].
(* The smallest network in which one of these claims is wrong, of up to `most` dimensions, and which
   ones. *)
Definition refuted most these := find (fun c => negb (length (snd c) =? 0))
  (map (fun n => (n, filter (fun c => negb (holds n c)) these)) (seq 1 most)).
