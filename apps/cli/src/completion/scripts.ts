const BASH = `# Completion of deckhand for bash. What it offers comes from the command itself.
_deckhand() {
  local IFS=$'\\n'
  COMPREPLY=($(deckhand complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
# Where it offers nothing, the shell completes names of files.
complete -o default -F _deckhand deckhand
`;

const ZSH = `#compdef deckhand
# Completion of deckhand for zsh. What it offers comes from the command itself.
_deckhand() {
  local line
  local -a offered
  for line in "\${(@f)$(deckhand complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && offered+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#offered )); then _describe deckhand offered; else _files; fi
}
if [[ $funcstack[1] == _deckhand ]]; then _deckhand "$@"; else compdef _deckhand deckhand; fi
`;

const FISH = `# Completion of deckhand for fish. What it offers comes from the command itself.
function __deckhand_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l offered (deckhand complete -- $words[2..-1] "$current" 2>/dev/null)
  if test (count $offered) -gt 0
    printf '%s\\n' $offered
  else
    __fish_complete_path "$current"
  end
end
complete -c deckhand -f -a '(__deckhand_complete)'
`;

/** The completion script of each shell. */
export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;

/** A shell that has completions. */
export type Shell = keyof typeof SCRIPTS;
