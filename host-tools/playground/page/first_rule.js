// The binomial tree: a node sends on over the zeroes before its first one.
function children(node, source, n) {
  const relative = node ^ source, list = [];
  for (let bit = 0; bit < n; ++bit)
    if (relative >> bit === 0) list.push(node ^ 1 << bit);
  return list;
}
