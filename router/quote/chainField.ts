import { z } from 'zod';
import { type ChainName, type ChainWord, chainNames, deployments } from '../../engine/index.ts';

const chainByWord = new Map<string, ChainName>([
  ...chainNames.flatMap((chain) => [chain, ...deployments[chain].aliases].map((word) => [word, chain] as const)),
  ...chainNames.map((chain) => [`eip155:${deployments[chain].chainId}`, chain] as const),
]);

const words = [...chainByWord.keys()] as [ChainWord, ...ChainWord[]];

/** The chain names, aliases and CAIP-2 ids that requests may contain; case-sensitive. */
export const chainWord = z.enum(words, `Must be one of: ${words.join(', ')}.`);

/** Converts a name, alias or CAIP-2 id to the chain's name; Base if undefined. */
export function toChainName(word: ChainWord | undefined): ChainName {
  return chainByWord.get(word ?? 'base') ?? 'base';
}

/** The chain names that answers contain. */
export const chainName = z.enum(chainNames);
