import { plainTokenArtifact } from '../../contracts/artifacts/testTokens/PlainToken.ts';
import { tradingEnabledTokenArtifact } from '../../contracts/artifacts/testTokens/TradingEnabledToken.ts';
import { describeToken } from './describeToken.ts';
import type { TokenDefinition } from './testTokenTypes.ts';
import { frozen, saleBlocked, tradable, tradeBlocked } from './truths.ts';

const drained = { verdict: 'avoid', triggers: ['EXIT_LIQUIDITY_DRAINED'] } as const;
const plain = (symbol: string, about: string, truth: TokenDefinition['truth'], pools: TokenDefinition['pools']) =>
  describeToken(symbol, plainTokenArtifact, about, truth, { pools });

/** Tokens that differ in exit liquidity. Their code is honest, except that of NOPOOLGATE. */
export const exitTokens: readonly TokenDefinition[] = [
  plain(
    'DRAINED',
    'Trap: its pool holds 6 USD of ether.',
    // A sale of 6 USD fills; a sale of 1,000 USD does not.
    tradable({ ...drained, outcomes: ['tradable', 'size-limited'], exitLiquidityUsd: [3, 7] }),
    [{ kind: 'router', counter: 'WETH', counterAmount: '0.002', tokenShare: 0.001 }],
  ),
  plain(
    'THIN',
    'Its pool holds 240 USD: enough at the default size of 1,000 USD, drained at 10,000 USD.',
    tradable({ outcomes: ['tradable', 'size-limited'], exitLiquidityUsd: [200, 245] }),
    [{ kind: 'router', counter: 'WETH', counterAmount: '0.08', tokenShare: 0.001 }],
  ),
  plain(
    'ABOVE',
    'Trap: its v3 pool holds only the token and no ether, because all liquidity is above the current price.',
    // A purchase adds the ether that a later sale receives; at the checked block there is none.
    tradable({ ...drained, outcomes: ['tradable', 'unknown'], exitLiquidityUsd: [0, 0.01] }),
    [
      {
        kind: 'venue',
        venue: 'uniswap-v3',
        counter: 'WETH',
        counterAmount: '30',
        tokenShare: 0.5,
        tier: 10000,
        above: true,
      },
    ],
  ),
  plain(
    'NOPOOL',
    'Trap: it has no pool.',
    tradeBlocked({ verdict: 'avoid', triggers: ['NO_EXIT_VENUE'], outcomes: ['unknown'], exitLiquidityUsd: [0, 0] }),
    [],
  ),
  describeToken(
    'NOPOOLGATE',
    tradingEnabledTokenArtifact,
    'Two traps: it has no pool, and tradingEnabled() returns false.',
    frozen({
      verdict: 'avoid',
      triggers: ['NO_EXIT_VENUE', 'TRADING_DISABLED'],
      outcomes: ['unknown', 'purchase-blocked'],
      ownerRenounced: false,
      tradingGate: { getter: 'tradingEnabled', reads: false, ambiguous: false },
      exitLiquidityUsd: [0, 0],
    }),
    { args: [false], pools: [] },
  ),
  plain('V4ONLY', 'Honest: its only pool is on Uniswap v4, against native ether and without a hook.', tradable(), [
    {
      kind: 'venue',
      venue: 'uniswap-v4',
      counter: 'WETH',
      counterAmount: '30',
      tokenShare: 0.8,
      tier: 3000,
      native: true,
    },
  ]),
  plain(
    'V4HOOK',
    "Honest, with its only pool on Uniswap v4, whose hook takes 1.23 % of a swap's output.",
    tradable({ buyTax: 0.0123, sellTax: 0.0123 }),
    [
      {
        kind: 'venue',
        venue: 'uniswap-v4',
        counter: 'WETH',
        counterAmount: '30',
        tokenShare: 0.8,
        tier: 3000,
        hook: 'takes-fee',
      },
    ],
  ),
  plain(
    'V4REFUSE',
    'Its only pool is a v4 pool whose hook refuses sales. Another exit may exist, so the verdict is not avoid.',
    saleBlocked({ outcomes: ['sale-blocked', 'unknown'], exitLiquidityUsd: [0, 0], poolRefuses: true }),
    [{ kind: 'refusing-hook' }],
  ),
  plain(
    'VAULTED',
    "Honest: its only pool is in a singleton at the Balancer vault's address, which the service does not measure.",
    tradable({ outcomes: ['unknown'], unmeasuredVenue: 'balancer', canSellSameBlock: true }),
    [{ kind: 'vault' }],
  ),
  plain(
    'JUNK',
    // JUNKPAIR below creates this pool.
    'Worthless: its only pool is against a token that has no other pool.',
    tradeBlocked({
      ...drained,
      acceptedTriggers: [['NO_EXIT_VENUE']],
      outcomes: ['unknown', 'tradable'],
      exitLiquidityUsd: [0, 0],
    }),
    [],
  ),
  plain(
    'JUNKPAIR',
    'Trap: its only pool pays JUNK, which has no buyers.',
    tradable({
      ...drained,
      acceptedTriggers: [['NO_EXIT_VENUE']],
      outcomes: ['tradable', 'unknown'],
      exitLiquidityUsd: [0, 0],
    }),
    [{ kind: 'router', counter: 'JUNK', counterAmount: '400000', tokenShare: 0.4 }],
  ),
  plain('TWOHOP', 'Honest: its only pool is against AERO, which has pools against ether and USDC.', tradable(), [
    { kind: 'venue', venue: 'uniswap-v2', counter: 'AERO', counterAmount: '90000', tokenShare: 0.8 },
  ]),
  plain('FARHOP', 'Honest: its only pool is against PLAIN, a test token with a pool against ether.', tradable(), [
    { kind: 'router', counter: 'PLAIN', counterAmount: '60000', tokenShare: 0.5 },
  ]),
  plain('AEROONLY', 'Honest, with its only pool on Aerodrome (volatile).', tradable(), [
    { kind: 'venue', venue: 'aerodrome', counter: 'WETH', counterAmount: '30', tokenShare: 0.8 },
  ]),
  plain('SLIPONLY', 'Honest, with its only pool on Slipstream.', tradable(), [
    { kind: 'venue', venue: 'aerodrome-slipstream', counter: 'WETH', counterAmount: '30', tokenShare: 0.8, tier: 200 },
  ]),
  plain(
    'MICRO',
    'Honest, with a pool of 60 USD. A sale of 1,000 USD may empty it, which the check reports, but the verdict is not avoid.',
    tradable({
      outcomes: ['tradable', 'size-limited'],
      exitLiquidityUsd: [53.9, 61],
    }),
    [{ kind: 'router', counter: 'WETH', counterAmount: '0.02', tokenShare: 0.001 }],
  ),
];
