import { type CommandName, commandInfo, isSwitch, type OptionName, optionInfo } from '../commands.ts';
import { generalOptions, names, operandsOf, optionsOf } from './completed.ts';

/** `__truefill_at` compares the words after `truefill`: `receipt verify` is not the command `verify`. */
export function fishScript(): string {
  return `function __truefill_at
  set -l words (commandline -opc)
  set -e words[1]
  string match -q -- "$argv *" "$words "
end
complete -c truefill -f
${[...names.map(command), ...generalOptions.map((name) => option('__fish_use_subcommand', name)), ...names.flatMap(commandLines)].join('\n')}`;
}

const command = (name: CommandName) =>
  `complete -c truefill -n __fish_use_subcommand -a ${name} -d ${quote(commandInfo(name).about)}`;

function commandLines(name: CommandName): string[] {
  const condition = `__truefill_at ${name}`;
  const { words, files } = operandsOf(name);
  const operand = (when: string, completions: string) => `complete -c truefill -n ${quote(when)} ${completions}`;
  const [first] = words;
  return [
    ...(words.length > 0 && !files ? [operand(condition, `-a ${quote(words.join(' '))}`)] : []),
    ...(words.length > 0 && files
      ? [operand(`${condition}; and not __truefill_at ${name} ${first}`, `-a ${first}`)]
      : []),
    ...(files ? [operand(first ? `${condition} ${first}` : condition, '-F')] : []),
    ...optionsOf(name).map((each) => option(condition, each)),
  ];
}

function option(condition: string, name: OptionName): string {
  const { about, words, files } = optionInfo(name);
  const value = words ? ` -x -a ${quote(words.join(' '))}` : files ? ' -r -F' : isSwitch(name) ? '' : ' -x';
  return `complete -c truefill -n ${quote(condition)} -l ${name}${value} -d ${quote(about)}`;
}

const quote = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
