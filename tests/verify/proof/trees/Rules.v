(* The rules of the trees as functions that Coq can run: what `trees/` proves its theorems about.

   A node is its address as seen from the root [Relative], bit by bit; the root has no bit set. A
   rule names dimensions, as the code does; the name of its function in firmware/core stands beside
   it. Tests compare tables of these functions with those of the code, in all cubes of up to ten
   dimensions, see README.md. *)
Require Import Bool List Arith.
Import ListNotations.

Definition node := nat -> bool.
Definition flip (y : node) q : node := fun k => if k =? q then negb (y k) else y k.

(* Dimensions 0 .. n-1 that are set, upward; how many; the lowest [lowest_bit]. *)
Definition ones n (y : node) := filter y (seq 0 n).
Definition weight n y := length (ones n y).
Definition lowest n y := hd 0 (ones n y).

(* The highest set dimension below n [highest_bit]; 0 if there is none. *)
Fixpoint highest n (y : node) :=
  match n with 0 => 0 | S k => if y k then k else highest k y end.

(* The zeroes above all ones [bits_above], upward from dimension [from]. *)
Definition zeroes_above n (y : node) from :=
  filter (fun k => forallb (fun i => negb (y i)) (seq k (n - k))) (seq from (n - from)).

(* An address rotated right by j [rotate_right]; a dimension of that turned back [rotate_left]. *)
Definition wrap n k := if k <? n then k else k - n.
Definition turn n (y : node) j : node := fun k => y (wrap n (k + j)).
Definition back n j k := wrap n (k + j).

(* sbt, bs [cube/simple_trees.hpp]. A node of `bs` knows the port that a packet came by, if any. *)
Definition sbt_parent n (y : node) := highest n y.
Definition sbt_children n (y : node) := zeroes_above n y 0.
Definition sbt_height (n : nat) := n.
Definition bs_children n arrival :=
  match arrival with None => seq 0 n | Some q => seq (S q) (n - S q) end.

(* msbt, tree j [cube/msbt.hpp]. *)
Definition msbt_parent n j (y : node) :=
  if turn n y j 0 then back n j (highest n (turn n y j)) else j.
Definition msbt_children n j (y : node) :=
  let turned := turn n y j in
  if weight n turned =? 0 then [j]
  else if negb (turned 0) then []
  else map (back n j) (zeroes_above n turned 1 ++ if weight n turned =? 1 then [] else [0]).
Definition msbt_height n := if n =? 1 then 1 else n + 1.
(* The step of the one-port schedule, counted from the packet's start, in which a node gets it. *)
Definition label n j (y : node) := if turn n y j 0 then highest n (turn n y j) else n.

(* msbt-rot, tree n+j: a binomial tree, rotated [MsbtRotTree]. *)
Definition rot_parent n j (y : node) := back n j (highest n (turn n y j)).
Definition rot_children n j (y : node) := map (back n j) (zeroes_above n (turn n y j) 0).

(* sbnt-minr [cube/balanced_trees.hpp: minr_parent, minr_fan]. The least rotation says where a node
   belongs: the number of steps to it, the fewest of several alike, names its subtree. The code
   finds it from the blocks of zeroes; here all are compared. *)
Fixpoint less n (y z : node) :=
  match n with 0 => false | S k => if eqb (y k) (z k) then less k y z else z k end.
Fixpoint least n y count := match count with
  | 0 => 0
  | S c => let best := least n y c in if less n (turn n y c) (turn n y best) then c else best
  end.
Definition base n y := least n y n.
Definition sbnt_parent n y := back n (base n y) (highest n (turn n y (base n y))).
Definition sbnt_children n y :=
  if weight n y =? 0 then seq 0 n
  else filter (fun q => base n (flip y q) =? base n y)
    (map (back n (base n y)) (zeroes_above n (turn n y (base n y)) 0)).

(* Disjoint path k between two nodes [cube/disjoint_paths.hpp: disjoint_port]: the port at node [c]
   on the way to [r], both as seen from the path's first node. *)
Definition next n set k := back n k (lowest n (turn n set k)).
Definition left (r c : node) : node := fun i => xorb (r i) (c i).
Definition between r c (k : nat) : node := fun i => left r c i && (r k || negb (i =? k)).
Definition path_port n (r c : node) k :=
  if negb (r k) && negb (left r c k) then k
  else next n (if weight n (between r c k) =? 0 then left r c else between r c k) k.
Fixpoint path_node n r k steps : node := match steps with
  | 0 => fun _ => false
  | S s => flip (path_node n r k s) (path_port n r (path_node n r k s) k)
  end.
Definition path_length n (r : node) k := if r k then weight n r else weight n r + 2.

(* The UHC: a node sends on the dimensions of its parity, of which the root's is a part since
   addresses are seen from the root [uhc/uni_hypercube.hpp, uhc/view.hpp]. *)
Definition sends n odd_root (y : node) d := eqb (Nat.odd d) (xorb odd_root (Nat.odd (weight n y))).
Definition own n odd_root (y : node) : node := fun d => y d && sends n odd_root y d.
Definition foreign n odd_root (y : node) : node := fun d => y d && negb (sends n odd_root y d).

(* bts [uhc/trees.hpp], and the distance from the root by the bits that differ, foreign and own. *)
Definition bts_parent n o (y : node) :=
  if weight n (foreign n o y) =? 0 then highest n (fun d => negb (sends n o y d))
  else lowest n (foreign n o y).
Definition bts_children n o (y : node) :=
  let stops := ones n (fun d => own n o y d && negb (d =? highest n (sends n o y))) in
  rev (filter (fun q => sends n o y q && negb (weight n (flip y q) =? 0) &&
    match stops with [] => true | stop :: _ => q <? stop end) (seq 0 n)).
Definition bts_height n := n + 1 + n mod 2.
Definition uhc_distance f o :=
  if Nat.even (f + o) then 2 * Nat.max f o else if o <? f then 2 * f - 1 else 2 * o + 1.

(* adst and ist [uhc/disjoint_trees.hpp]: the port of pair j by which a node receives; the next
   member of a set above i, cyclically, i itself coming last [next_above]; and the port by which a
   node gets tree j. *)
Definition in_port n o (y : node) j := if sends n o y (2 * j) then 2 * j + 1 else 2 * j.
Definition next_above m (set : node) i := hd i (filter set (seq (S i) (m - S i) ++ seq 0 (S i))).
Definition differs (y : node) j := y (2 * j) || y (2 * j + 1).
Definition adst_parent n o (y : node) j :=
  in_port n o y (if differs y j then next_above (n / 2) (differs y) j else j).
Definition ist_exchanged n o (y : node) j :=
  let x := highest n (foreign n o y) / 2 in let z := highest n (own n o y) / 2 in
  if (weight n (foreign n o y) =? 1) && (weight n (own n o y) =? 1) && (x <? n / 2) && (z <? n / 2)
  then if j =? x then z else if j =? z then x else j
  else j.
Definition ist_parent n o (y : node) j :=
  let i := in_port n o y (ist_exchanged n o y j) in
  if foreign n o y i then next_above n (foreign n o y) i else i.

(* bt1, for even n [uhc/trees.hpp]: by the port of the lowest pair that differs. *)
Definition bt1_parent n o (y : node) := in_port n o y (lowest n y / 2).
Definition bt1_height n := n / 2 * 3.

(* The star: a label is a permutation p of 1 .. n, with the place of each symbol [star/trees.hpp].
   First the place right of symbol 1, or from 2 on, whose symbol is not at home [first_misplaced];
   then the dimension to the parent in `spt` [nearer]; the neighbour over a dimension, where the first
   symbol and that one change places, and the places there [cross]; the trees of `edt` that are
   exceptions [EdtExits], the dimension to the parent in tree l of `edt`, and the tree of a
   dimension. *)
Definition star_first n (p : nat -> nat) k :=
  hd 0 (filter (fun i => negb (p i =? i)) (seq (S k) (n - k) ++ seq 2 (n - 1))).
Definition star_nearer n (p place : nat -> nat) :=
  if p 1 =? place 1 then star_first n p (place 1) else p 1.
Definition cross (p : nat -> nat) d : nat -> nat :=
  fun i => if i =? 1 then p d else if i =? d then p 1 else p i.
Definition cross_places (p place : nat -> nat) d : nat -> nat :=
  fun s => if s =? p 1 then d else if s =? p d then 1 else place s.
Definition spt_height n := 3 * (n - 1) / 2.
Definition edt_over_home n (v2 : bool) (p place : nat -> nat) :=
  let f := p 1 in let k := place 1 in let x := p (star_nearer n p place) in
  if f =? k then x else if x =? k then f
  else if v2 && (p (star_first n p k) =? k) then x else f.
Definition edt_over_displaced n (v2 : bool) (p place : nat -> nat) :=
  let f := p 1 in let k := place 1 in let x := p (star_nearer n p place) in
  if f =? k then 0 else if x =? k then 0
  else if v2 && (p (star_first n p k) =? k) then f else x.
Definition edt_parent n v2 (p place : nat -> nat) l :=
  if p 1 =? 1 then l
  else if l =? place 1 then star_nearer n p place
  else if l =? edt_over_home n v2 p place then place 1
  else place (if l =? edt_over_displaced n v2 p place then place 1 else l).
Definition edt_subtree n v2 (p place : nat -> nat) d :=
  if p 1 =? 1 then d
  else if d =? star_nearer n p place then place 1
  else if d =? place 1 then edt_over_home n v2 p place
  else if p d =? place 1 then edt_over_displaced n v2 p place else p d.
