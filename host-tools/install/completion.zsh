#compdef mesh
# Completion of `mesh` for zsh: the tool itself says what may come; where it is silent, files may.
_mesh() {
    local -a names
    names=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${names[*]}" ]]; then compadd -a names; else _files; fi
}
_mesh "$@"
