import type { Artifact, GroundTruth, PoolDefinition, TokenDefinition } from './testTokenTypes.ts';

/** A Uniswap v2 pair of 30 ether and 80 % of the supply. */
export const ownPair = {
  kind: 'router',
  counter: 'WETH',
  counterAmount: '30',
  tokenShare: 0.8,
} as const satisfies PoolDefinition;

type Extras = Partial<Pick<TokenDefinition, 'spelled' | 'name' | 'decimals' | 'pools'>> & {
  /** Constructor arguments after `TokenParams`. */
  args?: readonly unknown[];
};

/** A token whose constructor takes `TokenParams` and `args`. By default its only pool is `ownPair`. */
export function describeToken(
  symbol: string,
  artifact: Artifact,
  about: string,
  truth: GroundTruth,
  { args = [], pools = [ownPair], ...rest }: Extras = {},
): TokenDefinition {
  const withPair = pools.some(({ kind }) => kind === 'router');
  return {
    symbol,
    about,
    truth,
    pools,
    ...rest,
    abi: artifact.abi,
    deploy: ({ params, create }) => create(artifact, [params(withPair), ...args]),
  };
}
