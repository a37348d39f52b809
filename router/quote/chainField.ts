import { z } from 'zod';
import { type ChainName, chainNames, deployments } from '../../engine/index.ts';

const chainByWord = new Map<string, ChainName>([
  ...chainNames.flatMap((chain) => [chain, ...deployments[chain].aliases].map((word) => [word, chain] as const)),
  ...chainNames.map((chain) => [`eip155:${deployments[chain].chainId}`, chain] as const),
]);

const words = [...chainByWord.keys()];

/** Every word a request may name a chain with; case-sensitive. */
export const chainWord = z.enum(words, `Must be one of: ${words.join(', ')}.`);

/** The chain behind a word; Base when none was given. */
export function toChainName(word: string | undefined): ChainName {
  return chainByWord.get(word ?? 'base') ?? 'base';
}

/** The chain as it stands in answers. */
export const chainName = z.enum(chainNames);
