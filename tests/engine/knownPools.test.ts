import { type Hex, size, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { knownPoolsLensArtifact } from '../../contracts/artifacts/lens/KnownPoolsLens.ts';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import type { Engine, RpcEndpoint } from '../../engine/index.ts';
import { reopenChain, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { andPutBack, engineOver } from './market.ts';

/** What a market's next quote reads again, and what it does not. */

let sandbox: Sandbox;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

const selectorOf = ({ abi }: { abi: readonly { type: string; name?: string }[] }, name: string) =>
  toFunctionSelector(abi.find((entry) => entry.type === 'function' && entry.name === name) as never);
const lookUp = selectorOf(stateLensArtifact, 'ask');
const readKnown = selectorOf(knownPoolsLensArtifact, 'read');

/** An engine, the state lenses of its last quote with the words that each returned, and a clock that can be moved. */
function observed(on: SandboxChain) {
  const inner = loopbackEndpoint(on.rpcUrl);
  const heard: { lens: Hex; words: number }[] = [];
  const clock = { ahead: 0 };
  const endpoint: RpcEndpoint = {
    label: inner.label,
    async send(calls, options) {
      const replies = await inner.send(calls, options);
      for (const [index, { params }] of calls.entries()) {
        const lens = (params[0] as { data?: Hex } | undefined)?.data?.slice(0, 10) as Hex;
        const reply = replies[index];
        if (lens !== lookUp && lens !== readKnown) continue;
        heard.push({ lens, words: reply && 'result' in reply ? size(reply.result as Hex) / 32 : 0 });
      }
      return replies;
    },
  };
  const engine = engineOver(on, endpoint, [], { now: () => Date.now() + clock.ahead });
  return { engine, heard, clock };
}

async function quoteOf(engine: Engine, tokenIn = chain.wrappedNative, tokenOut = chain.usdc, amount = '1') {
  return engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: amount } });
}

const mine = () =>
  loopbackEndpoint(chain.rpcUrl).send([{ method: 'evm_mine', params: [] }], { signal: AbortSignal.timeout(5_000) });

test('looks pools up once, reads the known ones in a new block, and nothing twice in one block', async () => {
  const { engine, heard } = observed(chain);
  const first = await quoteOf(engine);
  expect(heard.splice(0).map(({ lens }) => lens)).toEqual([lookUp]);
  await mine();
  const second = await quoteOf(engine);
  expect(heard.map(({ lens }) => lens)).toEqual([readKnown]);
  expect(heard.splice(0)[0]?.words).toBeGreaterThan(100);
  const third = await quoteOf(engine);
  expect(heard).toEqual([{ lens: readKnown, words: 10 }]);
  for (const { amountOut, depthAtSize, spotPrice, venuesConsidered } of [second, third]) {
    expect({ amountOut, depthAtSize, spotPrice, venuesConsidered }).toEqual({
      amountOut: first.amountOut,
      depthAtSize: first.depthAtSize,
      spotPrice: first.spotPrice,
      venuesConsidered: first.venuesConsidered,
    });
  }
  expect(third.blockNumber).toBe(second.blockNumber);
});

test('finds a new pool after a minute', async () => {
  await andPutBack(chain, async () => {
    const { engine, heard, clock } = observed(chain);
    const before = await quoteOf(engine);
    await quoteOf(engine);
    const builder = await reopenChain(chain, sandbox.wallets);
    const pair = ['WETH', 'USDC'] as const;
    await builder.list({
      tokens: [],
      pools: [{ venue: 'sushiswap-v3', pair, tier: 100, spacing: 1, usd: 50_000_000, skewBps: 100 } as never],
    });
    clock.ahead += 61_000;
    heard.length = 0;
    const after = await quoteOf(engine);
    expect(heard.map(({ lens }) => lens)).toContain(lookUp);
    expect(after.amountOut).toBeGreaterThan(before.amountOut);
  });
});
