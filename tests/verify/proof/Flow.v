(* Windows and gates of a tree, as firmware/collectives/tree_flow.hpp has them. `Windows.v` shows what
   follows.

   Packets and words may be late for as long as they like, and overtake each other. A node whose link
   to its parent has died counts no more, nor do those below it: nothing is claimed of them. *)
Require Import Arith.

Section Flow.
Variable node : Type.
Variable node_eq : forall a b : node, {a = b} + {a <> b}.
Variable root : node.
Variable child : node -> node -> Prop.  (* of a node, over a link that lives *)
Variable window : nat.                  (* [2 * half_window] *)
Variable total : nat.                   (* packets of the broadcast *)
Variable earlier : nat.                 (* packets of calls before it that may still lie anywhere *)

(* A node is below itself and below all nodes above it. *)
Inductive below : node -> node -> Prop :=
| itself v : below v v
| further v c u : child v c -> below c u -> below v u.

(* Packets that the root has sent; those that have come to a node, and those that it has taken; what
   it has told its parent, and what that has heard. *)
Record flow := Flow {
  sent : nat; come : node -> nat; taken : node -> nat; told : node -> nat; heard : node -> nat
}.
Definition set (f : node -> nat) v n : node -> nat := fun u => if node_eq u v then n else f u.

Inductive step : flow -> flow -> Prop :=
| sends s c t o h : s < total ->         (* [TreeFlow::open] *)
    (forall v, child root v -> s + earlier < h v + window) ->
    step (Flow s c t o h) (Flow (S s) c t o h)
| comes s c t o h v : c v < s -> step (Flow s c t o h) (Flow s (set c v (S (c v))) t o h)
| takes s c t o h v : t v < c v -> step (Flow s c t o h) (Flow s c (set t v (S (t v))) o h)
| tells s c t o h v n : n <= t v ->      (* [tell_parent]; [end]: a node that has all tells so *)
    t v = total \/ (forall w, child v w -> n <= h w) ->
    step (Flow s c t o h) (Flow s c t (set o v n) h)
| hears s c t o h v n : n <= o v -> step (Flow s c t o h) (Flow s c t o (set h v n)).

Inductive reachable : flow -> Prop :=
| at_first : reachable (Flow 0 (fun _ => 0) (fun _ => 0) (fun _ => 0) (fun _ => 0))
| later f g : reachable f -> step f g -> reachable g.
End Flow.
