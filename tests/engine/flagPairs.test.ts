import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Hex, hexToNumber } from 'viem';
import { expect, test } from 'vitest';
import type { Engine, FlagCode, QuoteAnswer, RpcEndpoint } from '../../engine/index.ts';
import { flagTable } from '../../engine/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { codesOf } from '../support/quoteAnswers.ts';
import { useBase } from '../support/useBase.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { toDecimal, withChainRestored } from './market.ts';
import { setFeed } from './setFeed.ts';

// Each flag has a chain that causes it, and one that just does not: here, or in the test that `elsewhere` names.

const base = useBase();
const { engineWith, queryOf } = base;
const endpoint = () => loopbackEndpoint(base.chain.rpcUrl);
const newEngine = (): Engine => engineWith([endpoint()]);

/** Flags that appear above a size. Sizes in whole tokens: the first without the flag, the second with it. */
const bySize = {
  NO_ROUTE: ['REED', 'USDC', 100, 1_000_000],
  HIGH_IMPACT: ['OAK', 'USDC', 10, 100_000],
  THIN_DEPTH: ['OAK', 'USDC', 10, 100_000],
  SPLIT_ROUTE: ['WETH', 'USDC', 0.01, 2_000],
  SINGLE_POOL: ['PALM', 'USDC', 100, 40_000],
  CONFIDENCE: ['OAK', 'USDC', 10, 100_000],
} as const satisfies Partial<Record<FlagCode, readonly [string, string, number, number]>>;

test.each(Object.entries(bySize))('%s begins at one size', async (code, [tokenIn, tokenOut, least, most]) => {
  const engine = newEngine();
  const codesAt = async (units: bigint) =>
    codesOf(await engine.quote(queryOf(tokenIn, tokenOut, toDecimal(units, 18))));
  let [without, withFlag] = [least, most].map((size) => BigInt(size * 1e6) * 10n ** 12n) as [bigint, bigint];
  expect(await codesAt(without)).not.toContain(code);
  expect(await codesAt(withFlag)).toContain(code);
  // Until both sizes are within a millionth.
  while ((withFlag - without) * 1_000_000n > without) {
    const middle = (without + withFlag) / 2n;
    if ((await codesAt(middle)).includes(code)) withFlag = middle;
    else without = middle;
  }
  expect(await codesAt(without)).not.toContain(code);
});

const nativeCoin = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const most = 2n ** 256n;

/** The query with the flag, and the nearest one without. */
const byQuery: Partial<Record<FlagCode, () => [Parameters<Engine['quote']>[0], Parameters<Engine['quote']>[0]]>> = {
  NATIVE_AS_WRAPPED: () => {
    const wrapped = queryOf('WETH', 'USDC', '1');
    return [{ ...wrapped, tokenIn: nativeCoin }, wrapped];
  },
  ROUTE_GAS: () => [queryOf('REED', 'USDC', '100'), queryOf('REED', 'USDC', '10000000')],
  HOOKED_POOL: () => [queryOf('LARCH', 'USDC', '10'), queryOf('ASH', 'WETH', '10')],
  V4_POOL_KEY: () => [queryOf('ASH', 'WETH', '10'), queryOf('ELM', 'WETH', '10')],
  NO_MID: () => [queryOf('USDC', 'DUST', '100'), queryOf('USDC', 'REED', '100')],
  SIZE_TRUNCATED: () => [queryOf('USDC', 'WETH', '1.2345678'), queryOf('USDC', 'WETH', '1.234567')],
  SIZE_TOO_LARGE: () => [
    queryOf('WETH', 'USDC', toDecimal(most, 18)),
    queryOf('WETH', 'USDC', toDecimal(most - 1n, 18)),
  ],
  USD_PRICE_SOURCE: () => {
    const query = queryOf('WETH', 'USDC', '1');
    return [{ ...query, size: { usd: '3000' } }, query];
  },
  NOT_A_TOKEN: () => [queryOf('NODEC', 'USDC', '1'), queryOf('OAK', 'USDC', '1')],
};

test.each(Object.entries(byQuery))('%s depends on the query', async (code, queries) => {
  const engine = newEngine();
  const [caused, not] = queries();
  expect(codesOf(await engine.quote(caused))).toContain(code);
  expect(codesOf(await engine.quote(not))).not.toContain(code);
});

const sellEther = (engine: Engine) => engine.quote(queryOf('WETH', 'USDC', '1'));

test('OLD_BLOCK begins ten minutes after the block', async () => {
  const block = await createNodeClient(base.chain.rpcUrl).call<{ timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  const codesAfter = async (seconds: number) => {
    const now = () => (hexToNumber(block.timestamp) + seconds) * 1_000;
    return codesOf(await sellEther(engineWith([endpoint()], { now, oldBlockMs: 600_000 })));
  };
  expect(await codesAfter(601)).toContain('OLD_BLOCK');
  expect(await codesAfter(599)).not.toContain('OLD_BLOCK');
});

test('QUOTERS_ONLY if the node ignores state overrides', async () => {
  const node = endpoint();
  const over = (parameters: number): RpcEndpoint => ({
    label: 'limited',
    send: (calls, options) =>
      node.send(
        calls.map(({ method, params }) => ({ method, params: params.slice(0, parameters) })),
        options,
      ),
  });
  const codesOver = async (parameters: number) => {
    const engine = engineWith([over(parameters)]);
    await engine.start();
    return codesOf(await sellEther(engine));
  };
  expect(await codesOver(2)).toContain('QUOTERS_ONLY');
  expect(await codesOver(3)).not.toContain('QUOTERS_ONLY');
});

test('STALE_ORACLE begins at the heartbeat of the feed', async () => {
  const ethUsd = '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70';
  const quoteAfter = (seconds: number): Promise<QuoteAnswer> =>
    withChainRestored(base.chain, async () => {
      const updatedAt = BigInt(Math.floor(Date.now() / 1_000) - seconds);
      await setFeed(base.chain, base.trader.address, ethUsd, [3_000_00000000n, 1n, updatedAt]);
      return newEngine().quote({ ...queryOf('WETH', 'USDC', '1'), size: { usd: '3000' } });
    });
  expect(codesOf(await quoteAfter(1_550))).toContain('STALE_ORACLE');
  expect(codesOf(await quoteAfter(1_450))).not.toContain('STALE_ORACLE');
});

const here: FlagCode[] = ['OLD_BLOCK', 'QUOTERS_ONLY', 'STALE_ORACLE'];

/** The file, and the names of the test with the flag and of the one without; one name if a test shows both. */
const elsewhere: Partial<Record<FlagCode, readonly [string, string, string?]>> = {
  TRANSFER_TAX: [
    'tests/engine/roundingTokens.test.ts',
    'a token that loses two wei of each transfer has TRANSFER_TAX',
    'a token that loses one wei of each transfer has no TRANSFER_TAX, and its depth is that of the pool',
  ],
  FEE_CHANGES: [
    'tests/engine/feeChanges.test.ts',
    'a trade of 60 USDC, over a few ticks, causes FEE_CHANGES, and one of 1 USDC within a tick does not',
  ],
  CUSTOM_POOL: [
    'tests/engine/discovery.test.ts',
    'with flags for the key of a v4 pool and for a pool of a custom deployer',
  ],
  VENUE_UNREAD: [
    'tests/engine/engineLimits.test.ts',
    'behavior: VENUE_UNREAD with low confidence if the ticks of a size need more gas than a read has',
  ],
  POOL_REJECTED: [
    'tests/engine/hostile.test.ts',
    'behavior: an answer reports a pool without code and does not change otherwise',
  ],
  NOT_COVERED: [
    'tests/engine/notCovered.test.ts',
    'an uncovered venue is named from 1 % of what the pool of the plan holds, and lowers the confidence above 10 %',
  ],
  ROUTER_DEPENDENT: [
    'tests/executor/provenAtExecutor.test.ts',
    'a token that refuses the executor fills at a random address, with the flag ROUTER_DEPENDENT',
  ],
  USD_PRICE_DISPUTED: [
    'tests/engine/quoteNodes.test.ts',
    'a feed over 3 % from the pools is disputed, and over 10 % lowers the confidence',
  ],
};

test('every flag has such a test', async () => {
  const covered = [...Object.keys(bySize), ...Object.keys(byQuery), ...here, ...Object.keys(elsewhere)];
  expect(covered.toSorted()).toEqual(Object.keys(flagTable).toSorted());
  for (const [code, [file, ...names]] of Object.entries(elsewhere)) {
    const source = await readFile(join(import.meta.dirname, '..', '..', file), 'utf8');
    expect(source).toContain(`'${code}'`);
    for (const name of names) expect(source).toContain(`test('${name}'`);
  }
});

test('the description of a flag has at most 40 words', () => {
  const long = Object.entries(flagTable).filter(([, { when }]) => when.split(/\s+/).length > 40);
  expect(long.map(([code]) => code)).toEqual([]);
});
