import { encodeFunctionData } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { trapTokenArtifact } from '../../contracts/artifacts/sandbox/TrapToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import type { Action, PoolPlan, SandboxChain } from '../../sandbox/index.ts';
import { traps } from '../support/hostileContracts.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf, withChainRestored } from './market.ts';
import { keyOf, openV4 } from './openV4Pool.ts';

// An attacker deploys tokens that no one else can transfer in full, and opens their pools with an honest token at a better
// price than the market. Each pool costs its creation and the locked tokens, which only the attacker can withdraw.

const honest = ledgerToken('HONEST', 2, taxedTokenArtifact, [[0, 0, 0]]);
const small = ledgerToken('SMALL', 2, taxedTokenArtifact, [[0, 0, 0]]);
const taxed = [1, 2, 3].map((at) => ledgerToken(`TAXED${at}`, 2, taxedTokenArtifact, [[0, 0, 9900]]));
const locked = [1, 2, 3].map((at) => ledgerToken(`LOCKED${at}`, 2, taxedTokenArtifact, [[0, 0, 0]]));
/** The other traps pay what the pools promise. */
const harmless: readonly string[] = ['NothingInTransfer', 'ReenterInTransfer'];
/** Their pools report more than they hold, so that only an execution measures them. */
const opaque = ['OPAQUE1', 'OPAQUE2', 'OPAQUE3'].map((symbol) =>
  ledgerToken(symbol, 2, trapTokenArtifact, [traps.indexOf('HalvedBalance')]),
);
const burns = ledgerToken('BURNS', 2, trapTokenArtifact, [traps.indexOf('BurnInBalance')]);
const oddKey = ledgerToken('ODDKEY', 2, taxedTokenArtifact, [[0, 0, 0]]);
const trapped = traps.map((trap, index) => ledgerToken(trap, 2, trapTokenArtifact, [index]));
const tokens = [honest, small, oddKey, burns, ...taxed, ...locked, ...opaque, ...trapped];
const deployed = tokens.map(({ placement: _, ...token }) => token);

const kinds: readonly Pick<PoolPlan, 'venue' | 'tier'>[] = [
  ...['uniswap-v2', 'pancakeswap-v2', 'sushiswap-v2', 'aerodrome'].map((venue) => ({ venue })),
  ...[500, 3000, 10_000].map((tier) => ({ venue: 'uniswap-v3', tier })),
  { venue: 'pancakeswap-v3', tier: 2500 },
  { venue: 'sushiswap-v3', tier: 3000 },
  ...[500, 3000, 10_000].map((tier) => ({ venue: 'uniswap-v4', tier })),
];

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({
    tokens,
    pools: [
      { venue: 'uniswap-v2', pair: ['HONEST', 'USDC'], usd: 200_000 },
      { venue: 'uniswap-v3', tier: 3000, pair: ['HONEST', 'WETH'], usd: 100_000 },
      { venue: 'uniswap-v2', pair: ['SMALL', 'USDC'], usd: 3_000 },
    ],
  });
  const pool = await openV4(opened.builder, oddKey.address, keyOf(chain, oddKey.address, 2500, 50), 500_000);
  chain = { ...chain, pools: [...chain.pools, pool] };
});

/** The attacker's pools; `skewBps` is by how much they value the honest token above the market. */
const attack = (symbols: readonly string[], skewBps: number, token = 'HONEST'): PoolPlan[] =>
  symbols.flatMap((symbol) =>
    kinds.flatMap((kind): PoolPlan[] => [
      { ...kind, pair: [symbol, token], usd: 20_000, skewBps: -skewBps },
      { ...kind, pair: [symbol, 'USDC'], usd: 20_000 },
    ]),
  );

const lock = (symbols: readonly string[]): Action[] =>
  symbols.map((symbol) => ({
    to: tokenOf(chain, symbol).address,
    data: symbol.startsWith('LOCKED')
      ? encodeFunctionData({ abi: taxedTokenArtifact.abi, functionName: 'limitTransaction', args: [0n] })
      : encodeFunctionData({ abi: trapTokenArtifact.abi, functionName: 'arm' }),
  }));

type Order = readonly [tokenIn: string, tokenOut: string, size: string];
interface Measured {
  order: string;
  answer: ReturnType<typeof priced>;
  /** Requests of the second quote of the market. */
  requests: number;
}

const priced = ({ amountOut, route, spotPrice, confidence, depthAtSize }: QuoteAnswer) => ({
  ...{ amountOut, route, spotPrice, confidence, depthAtSize },
});

async function quoteAll(on: SandboxChain, orders: readonly Order[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const [sold, bought, size] of orders) {
    const endpoint = loopbackEndpoint(on.rpcUrl);
    const engine = engineOver(on, endpoint);
    const [tokenIn, tokenOut] = [tokenOf(on, sold).address, tokenOf(on, bought).address];
    const quote = () => engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: size } });
    const first = await quote();
    const before = endpoint.requests;
    const answer = await quote();
    const requests = endpoint.requests - before;
    expect(priced(answer)).toEqual(priced(first));
    const paid = await executed(on, answer.route.legs, answer.amountIn, opened.trader);
    expect(paid?.received).toBe(answer.amountOut);
    measured.push({ order: [sold, bought, size].join(' '), answer: priced(answer), requests });
  }
  return measured;
}

const sales: Order[] = [
  ['HONEST', 'USDC', '50'],
  ['HONEST', 'USDC', '1000'],
  ['HONEST', 'WETH', '500'],
];
const purchases: Order[] = [
  ['USDC', 'HONEST', '100'],
  ['USDC', 'HONEST', '2000'],
  ['WETH', 'HONEST', '0.5'],
];

describe.each([
  ['a tax of 99 %', ['TAXED1']],
  ['taxes of 99 %', ['TAXED1', 'TAXED2', 'TAXED3']],
  ['a lock', ['LOCKED1']],
  ['locks', ['LOCKED1', 'LOCKED2', 'LOCKED3']],
  ...traps.filter((trap) => !harmless.includes(trap)).map((trap) => [trap, [trap]] as const),
  ['BurnInBalance, BurnInTransfer', ['BurnInBalance', 'BurnInTransfer']],
] as const)('counter-assets with %s', (_name, symbols) => {
  test.each([
    ['sale', sales, 2000],
    ['purchase', purchases, -2000],
  ] as const)(
    'change no %s of an honest token, and a known market takes one request',
    async (_side, orders, skewBps) => {
      await withChainRestored(chain, async () => {
        const clean = await quoteAll(chain, orders);
        const listed = await opened.builder.list({ tokens: deployed, pools: attack(symbols, skewBps) });
        await opened.builder.perform(lock(symbols.filter((symbol) => !symbol.startsWith('TAXED'))));
        const attacked = { ...listed, pools: [...chain.pools, ...listed.pools] };
        expect(await quoteAll(attacked, orders)).toEqual(clean);
      });
    },
    60_000,
  );
});

test('capital behind a locked counter-asset does not hide a small pool of an honest token', async () => {
  const order: Order[] = [['SMALL', 'USDC', '10']];
  await withChainRestored(chain, async () => {
    const clean = await quoteAll(chain, order);
    const listed = await opened.builder.list({
      tokens: deployed,
      pools: [
        { venue: 'uniswap-v2', pair: ['SMALL', 'LOCKED1'], usd: 20, skewBps: 10_000_000_000 },
        { venue: 'uniswap-v2', pair: ['LOCKED1', 'USDC'], usd: 3_000_000 },
      ],
    });
    await opened.builder.perform(lock(['LOCKED1']));
    const attacked = { ...listed, pools: [...chain.pools, ...listed.pools] };
    expect(await quoteAll(attacked, order)).toEqual(clean);
  });
});

test.each([
  ['one', ['OPAQUE1']],
  ['three', ['OPAQUE1', 'OPAQUE2', 'OPAQUE3']],
] as const)(
  '%s counter-assets with opaque pools do not displace the only pool of a token, a hooked one',
  async (_name, symbols) => {
    const orders: Order[] = [
      ['LARCH', 'USDC', '10'],
      ['LARCH', 'WETH', '100'],
    ];
    await withChainRestored(chain, async () => {
      const clean = await quoteAll(chain, orders);
      const listed = await opened.builder.list({ tokens: deployed, pools: attack(symbols, 2000, 'LARCH') });
      await opened.builder.perform(lock(symbols));
      const attacked = { ...listed, pools: [...chain.pools, ...listed.pools] };
      expect(await quoteAll(attacked, orders)).toEqual(clean);
    });
  },
);

/** Every tier of the sandbox's venues with pools of their own. */
const allKinds: readonly Pick<PoolPlan, 'venue' | 'tier' | 'generation'>[] = [
  ...['uniswap-v2', 'pancakeswap-v2', 'sushiswap-v2', 'aerodrome'].map((venue) => ({ venue })),
  ...['uniswap-v3', 'sushiswap-v3'].flatMap((venue) => [100, 500, 3000, 10_000].map((tier) => ({ venue, tier }))),
  ...[100, 500, 2500, 10_000].map((tier) => ({ venue: 'pancakeswap-v3', tier })),
  ...([1, 2, 3] as const).flatMap((generation) =>
    [1, 50, 100, 200, 2000].map((tier) => ({ venue: 'aerodrome-slipstream', tier, generation })),
  ),
];

test('reads of a hundred pools of counter-assets that burn their gas leave enough for the honest pools', async () => {
  const symbols = ['BurnInBalance', 'BURNS'];
  const orders: Order[] = [
    ['ODDKEY', 'USDC', '100'],
    ['HONEST', 'USDC', '100'],
    ['USDC', 'ODDKEY', '100'],
  ];
  await withChainRestored(chain, async () => {
    const clean = await quoteAll(chain, orders);
    const pools = symbols.flatMap((symbol) => [
      { venue: 'uniswap-v2', pair: [symbol, 'HONEST'] as const, usd: 100 },
      { venue: 'uniswap-v2', pair: [symbol, 'ODDKEY'] as const, usd: 100 },
      ...allKinds.flatMap((kind) => [
        { ...kind, pair: [symbol, 'USDC'] as const, usd: 100 },
        { ...kind, pair: [symbol, 'WETH'] as const, usd: 100 },
      ]),
    ]);
    const listed = await opened.builder.list({ tokens: deployed, pools });
    await opened.builder.perform(lock(symbols));
    const attacked = { ...listed, pools: [...chain.pools, ...listed.pools] };
    expect(await quoteAll(attacked, orders)).toEqual(clean);
  });
}, 120_000);

test('pools of a locked counter-asset do not deepen the market of an honest token', async () => {
  await withChainRestored(chain, async () => {
    const clean = await quoteAll(chain, sales);
    const pools: PoolPlan[] = [
      { venue: 'uniswap-v3', tier: 500, pair: ['LOCKED1', 'HONEST'], usd: 5_000_000, skewBps: 60 },
      { venue: 'uniswap-v3', tier: 500, pair: ['LOCKED1', 'USDC'], usd: 5_000_000 },
    ];
    const listed = await opened.builder.list({ tokens: deployed, pools });
    await opened.builder.perform(lock(['LOCKED1']));
    const attacked = { ...listed, pools: [...chain.pools, ...listed.pools] };
    const after = await quoteAll(attacked, sales);
    for (const [at, { answer }] of after.entries()) {
      const [expected, { depthAtSize }] = [clean[at] as Measured, answer];
      expect(answer.amountOut).toBe(expected.answer.amountOut);
      expect(depthAtSize).toBeLessThanOrEqual(expected.answer.depthAtSize * 1.001);
    }
  });
});
