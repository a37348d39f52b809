import { chainFacts } from '../../chains/index.ts';
import { type CommandName, commandInfo, commands, type OptionName, options } from '../commands.ts';
import { listedTokens } from '../tokens.ts';

export const names = Object.keys(commands) as CommandName[];

export const optionNames = Object.keys(options) as OptionName[];

/** The options without a command. */
export const generalOptions = ['help', 'version'] as const satisfies OptionName[];

export const optionsOf = (name: CommandName): OptionName[] => [...commandInfo(name).options, 'help'];

const symbols = [
  ...new Set([
    ...Object.values(listedTokens).flatMap((list) => list.map(({ symbol }) => symbol)),
    ...Object.values(chainFacts).map(({ nativeSymbol }) => nativeSymbol),
  ]),
].sort();

/** The words that may follow a command, and whether files may follow them. */
export function operandsOf(name: CommandName): { words: readonly string[]; files: boolean } {
  const { completes } = commandInfo(name);
  if (completes === 'tokens') return { words: symbols, files: false };
  if (completes === 'files') return { words: [], files: true };
  if (name === 'help') return { words: names, files: false };
  return { words: completes ?? [], files: name === 'receipt' };
}
