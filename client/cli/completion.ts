import { type CommandName, commandInfo, commands, isSwitch, type OptionName, optionInfo, options } from './commands.ts';
import { listedTokens, nativeSymbols } from './tokens.ts';
import { UsageError } from './usageError.ts';

const names = Object.keys(commands) as CommandName[];

const symbols = [
  ...new Set([
    ...Object.values(listedTokens).flatMap((list) => list.map(({ symbol }) => symbol)),
    ...Object.values(nativeSymbols),
  ]),
].sort();

/**
 * A completion script, generated from the table of commands.
 * @throws {UsageError}
 */
export function completionScript(shell: string): string {
  switch (shell) {
    case 'bash':
      return bash();
    case 'zsh':
      return `#compdef truefill\nautoload -U +X bashcompinit && bashcompinit\n${bash()}`;
    case 'fish':
      return fish();
    default:
      throw new UsageError('The shell must be bash, zsh or fish.');
  }
}

/** The words that may follow a command, and whether files may. */
function operandsOf(name: CommandName): { words: readonly string[]; files: boolean } {
  const { completes } = commandInfo(name);
  if (completes === 'tokens') return { words: symbols, files: false };
  if (completes === 'files') return { words: [], files: true };
  if (name === 'help') return { words: names, files: false };
  return { words: completes ?? [], files: name === 'receipt' };
}

const optionsOf = (name: CommandName): OptionName[] => [...commandInfo(name).options, 'help'];

const valuesOf = (name: OptionName): readonly string[] => optionInfo(name).words ?? [];

function bash(): string {
  const cases = names.map((name) => {
    const { words, files } = operandsOf(name);
    const all = [...words, ...optionsOf(name).map((option) => `--${option}`)].join(' ');
    return `    ${name}) COMPREPLY=($(compgen ${files ? '-f ' : ''}-W "${all}" -- "$cur")) ;;`;
  });
  const values = (Object.keys(options) as OptionName[]).flatMap((option) => {
    if (isSwitch(option)) return [];
    return [`    --${option}) COMPREPLY=($(compgen -f -W "${valuesOf(option).join(' ')}" -- "$cur")); return ;;`];
  });
  return `_truefill() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$prev" in
${values.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names.join(' ')} --help --version" -- "$cur")); return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
}
complete -F _truefill truefill`;
}

function fish(): string {
  const first = names.map(
    (name) => `complete -c truefill -n __fish_use_subcommand -a ${name} -d ${quote(commands[name].about)}`,
  );
  const rest = names.flatMap((name) => {
    const within = `complete -c truefill -n '__fish_seen_subcommand_from ${name}'`;
    const { words, files } = operandsOf(name);
    return [
      ...(words.length > 0 ? [`${within} -a ${quote(words.join(' '))}`] : []),
      ...(files ? [`${within} -F`] : []),
      ...optionsOf(name).map((option) => {
        const values = valuesOf(option);
        const taken = isSwitch(option) ? '' : values.length > 0 ? ` -x -a ${quote(values.join(' '))}` : ' -r';
        return `${within} -l ${option}${taken} -d ${quote(options[option].about)}`;
      }),
    ];
  });
  return ['complete -c truefill -f', ...first, ...rest].join('\n');
}

const quote = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
