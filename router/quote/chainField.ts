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

/** Every accepted chain name; case-sensitive. */
export const chainWord = z.enum(words, `Must be one of: ${words.join(', ')}.`);

/** The chain of a name; Base when undefined. */
export function toChainName(word: ChainWord | undefined): ChainName {
  return word === undefined ? 'base' : chainByWord[word];
}

/** The chain's name in answers. */
export const chainName = z.enum(chainNames);
