import { type CommandName, commandInfo, isSwitch, type OptionName, optionInfo } from '../commands.ts';
import { generalOptions, names, operandsOf, optionsOf } from './completed.ts';

/** The script can be sourced, also before `compinit`, or installed as `_truefill` in a folder of `fpath`. */
export function zshScript(): string {
  return `#compdef truefill
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
_truefill() {
  if (( CURRENT == 2 )); then
    local -a names=(${names.map((name) => quote(`${name}:${commandInfo(name).about}`)).join(' ')})
    _describe command names
    _arguments ${generalOptions.map(option).join(' ')}
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
${names.map((name) => `    ${name}) _arguments ${[...optionsOf(name).map(option), ...operands(name)].join(' ')} ;;`).join('\n')}
  esac
}
if [[ $funcstack[1] == _truefill ]]; then _truefill "$@"; else compdef _truefill truefill; fi`;
}

const list = (words: readonly string[]) => `(${words.map((word) => word.replaceAll(':', '\\:')).join(' ')})`;

function option(name: OptionName): string {
  const { about, value, words, files } = optionInfo(name);
  const text = `[${about.replaceAll(/[[\]:]/g, '\\$&')}]`;
  if (isSwitch(name)) return quote(`--${name}${text}`);
  return quote(`--${name}=${text}:${value}:${words ? list(words) : files ? '_files' : ' '}`);
}

function operands(name: CommandName): string[] {
  const { words, files } = operandsOf(name);
  if (words.length === 0) return files ? [quote('*:file:_files')] : [];
  if (files) return [quote(`1:action:${list(words)}`), quote('*:file:_files')];
  return [
    quote(
      `*:${commandInfo(name)
        .operands.replaceAll(/[<>[\]|]/g, ' ')
        .trim()}:${list(words)}`,
    ),
  ];
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
