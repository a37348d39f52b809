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

/** Tokens whose only pool is an Algebra Integral pool. */
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
    'Trap: the token refuses transfers to its only pool, on QuickSwap v4, except from the team.',
    saleBlocked(),
    { pools: [onlyPool], args: [algebraFactory, makerAddress] },
  ),
  describeToken(
    'ALGCUSTOM',
    plainTokenArtifact,
    "Honest: its only pool is a launchpad's custom pool of QuickSwap v4, which the factory does not return for the pair.",
    tradable(),
    { pools: [{ kind: 'custom-pool' }] },
  ),
  describeToken(
    'ALGREFUSE',
    plainTokenArtifact,
    'Its only pool is a custom pool of QuickSwap v4 whose plugin refuses sales. Another exit may exist, so the verdict is not avoid.',
    // The pool receives the token untaxed; its plugin refuses to pay for it.
    saleBlocked({ outcomes: ['sale-blocked', 'unknown'], sellTax: 0, exitLiquidityUsd: [0, 0], poolRefuses: true }),
    { pools: [{ kind: 'custom-pool', refusesSales: true }] },
  ),
];
