import { type CommandName, isSwitch, type OptionName, optionInfo } from '../commands.ts';
import { generalOptions, names, operandsOf, optionNames, optionsOf } from './completed.ts';

/**
 * The script splits the line only at blanks, because bash also splits `--chain=p` and `eip155:4` at `=` and `:`. Readline
 * replaces only the part after the colon, so `_truefill_words` removes the prefix up to it from each word.
 */
export function bashScript(): string {
  return `_truefill_words() {
  local IFS=$' \\t\\n' before="\${cur%"\${cur##*:}"}"
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
  if [[ $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("\${COMPREPLY[@]#"$before"}"); fi
}
_truefill_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$cur"))
  compopt -o filenames 2>/dev/null
}
_truefill() {
  local line="\${COMP_LINE:0:COMP_POINT}" words cur prev
  read -ra words <<< "$line"
  if [[ $line == *[[:space:]] ]]; then words+=(""); fi
  local at=$((\${#words[@]} - 1))
  cur="\${words[at]}" prev="\${words[at-1]}" COMPREPLY=()
  if [[ $cur == --*=* ]]; then prev="\${cur%%=*}" cur="\${cur#*=}"; fi
  case "$prev" in
${optionNames
  .filter((name) => !isSwitch(name))
  .map(optionCase)
  .join('\n')}
  esac
  if [ "$at" -eq 1 ]; then _truefill_words "${names.join(' ')} ${dashed(generalOptions)}"; return; fi
  case "\${words[1]} $cur" in
${names.map((name) => `    "${name} -"*) _truefill_words "${dashed(optionsOf(name))}" ;;`).join('\n')}
${names.map(operandCase).join('\n')}
  esac
}
complete -F _truefill truefill`;
}

const dashed = (list: readonly OptionName[]) => list.map((name) => `--${name}`).join(' ');

function optionCase(name: OptionName): string {
  const { words, files } = optionInfo(name);
  const values = words ? `_truefill_words "${words.join(' ')}"; ` : files ? '_truefill_files; ' : '';
  return `    --${name}) ${values}return ;;`;
}

function operandCase(name: CommandName): string {
  const { words, files } = operandsOf(name);
  const list = `_truefill_words "${(words.length > 0 ? words : [dashed(optionsOf(name))]).join(' ')}"`;
  if (!files) return `    "${name} "*) ${list} ;;`;
  if (words.length === 0) return `    "${name} "*) _truefill_files ;;`;
  return `    "${name} "*) if [ "$at" -eq 2 ]; then ${list}; else _truefill_files; fi ;;`;
}
