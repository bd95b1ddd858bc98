# Completion of `mesh` for bash: commands and options from its help, names from `mesh list`.
_mesh() {
    local mesh=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} list="" names=""
    case $before in
        --op) list=ops ;;
        --tree) list=trees ;;
        --schedule) list=schedules ;;
        --topology) list=topologies ;;
        --app) list=apps ;;
        --board) list=boards ;;
        --faults) list=faults ;;
        --engine) names="qemu sim" ;;
        --boot) names="fork exec" ;;
        --ports) names="all duplex half" ;;
        lab) names="list start" ;;
        list) names="ops trees schedules topologies apps boards faults" ;;
        --input | --files | --output | --expect | --report | --junit | --log | --image)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
    esac
    if [ -n "$list" ]; then
        names=$("$mesh" list "$list" 2>/dev/null | awk '{ print $1 }')
    elif [ "$COMP_CWORD" = 1 ]; then
        names="$("$mesh" --help 2>/dev/null | awk '/^Subcommands:/ { on = 1; next } on { print $1 }') --help --version"
    elif [ -z "$names" ]; then
        names=$("$mesh" "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*')
    fi
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
}
complete -o default -F _mesh mesh
