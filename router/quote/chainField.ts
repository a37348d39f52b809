import { z } from 'zod';
import { type ChainName, chainNames } from '../../engine/index.ts';

const chainByWord = {
  base: 'base',
  polygon: 'polygon',
  matic: 'polygon',
  arbitrum: 'arbitrum',
  'arbitrum-one': 'arbitrum',
  arb: 'arbitrum',
  'eip155:8453': 'base',
  'eip155:137': 'polygon',
  'eip155:42161': 'arbitrum',
} as const satisfies Record<string, ChainName>;

type ChainWord = keyof typeof chainByWord;

const words = Object.keys(chainByWord) as [ChainWord, ...ChainWord[]];

/** Every word a request may name a chain with; case-sensitive. */
export const chainWord = z.enum(words, `Must be one of: ${words.join(', ')}.`);

/** The chain behind a word; Base when none was given. */
export function toChainName(word: ChainWord | undefined): ChainName {
  return word === undefined ? 'base' : chainByWord[word];
}

/** The chain as it stands in answers. */
export const chainName = z.enum(chainNames);
