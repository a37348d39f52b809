import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PoolState } from '../../engine/pools/poolTypes.ts';
import { readMarketStates } from '../../engine/pools/readPools.ts';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { tokenOf, tradedTokens } from './market.ts';
import { clientOf, readDirectly, stateReaderOn } from './readPlainStates.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox?.close());

const lower = (address: string) => address.toLowerCase() as Address;

/** Every pair that has a pool, once in each direction. */
function pairsOf(chain: SandboxChain): [Address, Address][] {
  const pairs = chain.pools.map((pool) => tradedTokens(chain, pool).map(lower).sort().join());
  return [...new Set(pairs)].flatMap((pair) => {
    const [a, b] = pair.split(',') as [Address, Address];
    return [[a, b] as [Address, Address], [b, a] as [Address, Address]];
  });
}

const familyOf = (state: PoolState) => (state.kind === 'opaque' ? state.reason : state.rule);

test.each(['base', 'polygon', 'arbitrum'] as const)(
  'returns what the pools themselves return on %s',
  async (name) => {
    const chain = sandbox.chains[name] as SandboxChain;
    const { source, node } = stateReaderOn(chain);
    const client = clientOf(chain);
    const seen = new Map<string, string>();
    for (const [tokenIn, tokenOut] of pairsOf(chain)) {
      const reading = await readMarketStates(source, { tokenIn, tokenOut, ticks: 400 }, node, 'latest');
      for (const pool of reading.pools) {
        const isDirect =
          [pool.ref.token0, pool.ref.token1].includes(tokenIn) && [pool.ref.token0, pool.ref.token1].includes(tokenOut);
        if (!isDirect) continue;
        expect(pool.state, `${pool.ref.slot.venue} ${pool.ref.id}`).toEqual(await readDirectly(chain, client, pool));
        seen.set(lower(pool.ref.id), familyOf(pool.state));
      }
    }
    const missing = chain.pools.filter(({ pool }) => !seen.has(lower(pool)));
    expect(missing.map(({ venue, pool }) => `${venue} ${pool}`)).toEqual([]);
    console.log(
      name,
      [...seen.values()].reduce<Record<string, number>>(
        (sum, family) => ({ ...sum, [family]: (sum[family] ?? 0) + 1 }),
        {},
      ),
    );
  },
  240_000,
);

test('measures a call', async () => {
  const chain = sandbox.chains.base as SandboxChain;
  const { source, node, endpoint } = stateReaderOn(chain);
  const [tokenIn, tokenOut] = [lower(chain.wrappedNative), lower(chain.usdc)];
  const worth = new Map([
    [tokenIn, 10n ** 19n],
    [tokenOut, 30_000_000_000n],
    [lower(tokenOf(chain, 'USDC').address), 30_000_000_000n],
  ]);
  for (const ask of [{ worth }, {}]) {
    const reading = await readMarketStates(source, { tokenIn, tokenOut, ...ask }, node, 'latest');
    const ticks = reading.pools.map(({ state }) => (state.kind === 'concentrated' ? state.ticks.length : 0));
    console.log(
      reading.pools.length,
      'pools',
      ticks.reduce((a, b) => a + b, 0),
      'ticks',
      reading.gasUsed,
      'gas',
      endpoint.lastBytes,
      reading.unread.map(({ ref, status }) => `${ref.slot.venue} ${status}`),
    );
  }
});
