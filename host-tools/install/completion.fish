# Completion of `mesh` for fish: the tool itself says what may come; where it is silent, files may.
function __mesh_words
    set -l words (commandline -opc)
    $words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c mesh -k -a '(__mesh_words)'
