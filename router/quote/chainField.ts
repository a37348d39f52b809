import { z } from 'zod';
import { type ChainName, type ChainWord, chainNames, deployments } from '../../engine/index.ts';

const chainByWord = new Map<string, ChainName>([
  ...chainNames.flatMap((chain) => [chain, ...deployments[chain].aliases].map((word) => [word, chain] as const)),
  ...chainNames.map((chain) => [`eip155:${deployments[chain].chainId}`, chain] as const),
]);

const words = [...chainByWord.keys()] as [ChainWord, ...ChainWord[]];

/** Every accepted chain name; case-sensitive. */
export const chainWord = z.enum(words, `Must be one of: ${words.join(', ')}.`);

/** The chain of a name; Base when undefined. */
export function toChainName(word: ChainWord | undefined): ChainName {
  return chainByWord.get(word ?? 'base') ?? 'base';
}

/** The chain's name in answers. */
export const chainName = z.enum(chainNames);
