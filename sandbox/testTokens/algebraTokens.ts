import { algebraSaleTrapTokenArtifact } from '../../contracts/artifacts/testTokens/AlgebraSaleTrapToken.ts';
import { plainTokenArtifact } from '../../contracts/artifacts/testTokens/PlainToken.ts';
import { makerAddress } from '../market/maker.ts';
import { algebraFactory } from './algebraPools.ts';
import { describeToken } from './describeToken.ts';
import type { PoolDefinition, TokenDefinition } from './testTokenTypes.ts';
import { saleBlocked, tradable } from './truths.ts';

const onlyPool: PoolDefinition = {
  kind: 'venue',
  venue: 'quickswap-v4',
  counter: 'WETH',
  counterAmount: '30',
  tokenShare: 0.8,
};

/** What is traded at Algebra Integral alone. */
export const algebraTokens: readonly TokenDefinition[] = [
  describeToken(
    'ALGEBRA',
    plainTokenArtifact,
    'Honest, with its only pool on QuickSwap v4 (Algebra Integral).',
    tradable(),
    { pools: [onlyPool] },
  ),
  describeToken(
    'ALGSHUT',
    algebraSaleTrapTokenArtifact,
    'Trap: its only pool is on QuickSwap v4, and accepts the token only from the team.',
    saleBlocked(),
    { pools: [onlyPool], args: [algebraFactory, makerAddress] },
  ),
  describeToken(
    'ALGCUSTOM',
    plainTokenArtifact,
    "Honest: its only pool is a launchpad's custom pool of QuickSwap v4, which the factory does not name for the pair.",
    tradable(),
    { pools: [{ kind: 'custom-pool' }] },
  ),
  describeToken(
    'ALGREFUSE',
    plainTokenArtifact,
    'Its only pool is a custom pool of QuickSwap v4 whose plugin refuses sales. Whether another exit exists is unknown: no verdict.',
    // The token itself arrives at the pool, and untaxed; it is the pool that pays nothing for it.
    saleBlocked({ outcomes: ['sale-blocked', 'unknown'], sellTax: 0, exitLiquidityUsd: [0, 0], poolRefuses: true }),
    { pools: [{ kind: 'custom-pool', refusesSales: true }] },
  ),
];
