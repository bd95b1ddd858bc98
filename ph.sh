M=build/host/mesh
for n in "--dim 2" "--dim 3" "--topology uhc --dim 2" "--topology uhc --dim 3" "--topology star --dim 3" "--topology star --dim 4"; do
 for e in sim qemu; do echo "== $e $n"; timeout 20 $M run $e $n --app phoenix 2>&1 | grep -v running | cut -c1-200; done; done
