# Completion of `mesh` for bash: the tool itself says what may come; where it is silent, files may.
_mesh() {
    local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
    mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete -- "${words[@]}" 2>/dev/null)
}
complete -o default -F _mesh mesh
