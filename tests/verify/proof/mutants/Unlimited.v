(* Offers that wait have all buffers of b, and one more. *)
From Proof Require Import Three.

Definition size (_ : node) := 2.
Definition reserve (_ : node) := 1.
Definition offer := Packet 0 [] (Some (patient, nothing_left)).

Theorem found : exists s, reachable node same size reserve s /\
  used node same b s + reserved node same b s > size b.
Proof.
  begin size reserve. start b offer. keep 0. start b offer. keep 0. start b offer. keep 0.
  match goal with R : reachable _ _ _ _ ?s |- _ => exists s; split; [exact R|vm_compute; lia] end.
Qed.
