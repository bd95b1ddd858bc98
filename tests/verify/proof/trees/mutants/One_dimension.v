(* A UHC of one dimension has a link that goes one way only. *)
Require Import Lia.
From Proof Require Import Rules Cube Uhc.

Theorem found : ~ bts_crosses_links_the_right_way 1 true.
Proof. intro T. destruct (T (fun _ => true)) as [K _]; discriminate. Qed.
