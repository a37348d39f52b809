import { type Hex, numberToHex, size, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { knownPoolsLensArtifact } from '../../contracts/artifacts/lens/KnownPoolsLens.ts';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import { packedSelector, unpackWords } from '../../engine/chain/packedWords.ts';
import type { RpcCall } from '../../engine/chain/rpcEndpoint.ts';
import type { Engine, RpcEndpoint } from '../../engine/index.ts';
import { readStates } from '../../engine/pools/readPools.ts';
import { reopenChain, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { stateReaderOn } from './directPoolReads.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, withChainRestored } from './market.ts';
import { byId, lower } from './tenWeth.ts';

/** The data that the next quote of a market reads again. */

let sandbox: Sandbox;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

const selectorOf = ({ abi }: { abi: readonly { type: string; name?: string }[] }, name: string) =>
  toFunctionSelector(abi.find((entry) => entry.type === 'function' && entry.name === name) as never);
const lookUp = selectorOf(stateLensArtifact, 'read');
const readKnown = selectorOf(knownPoolsLensArtifact, 'read');

/** The selector of the function that a call runs, which may be packed. */
const calledFunction = (data: Hex = '0x'): Hex =>
  data.startsWith(packedSelector) ? `0x${data.slice(10, 18)}` : (data.slice(0, 10) as Hex);

/** An engine, the state lens calls of its last quote with their number of returned words, and an adjustable clock. */
function observed(on: SandboxChain) {
  const inner = loopbackEndpoint(on.rpcUrl);
  const lensCalls: { lens: Hex; words: number }[] = [];
  const clock = { ahead: 0 };
  const endpoint: RpcEndpoint = {
    label: inner.label,
    async send(calls, options) {
      const replies = await inner.send(calls, options);
      for (const [index, { params }] of calls.entries()) {
        const lens = calledFunction((params[0] as { data?: Hex } | undefined)?.data);
        const reply = replies[index];
        if (lens !== lookUp && lens !== readKnown) continue;
        const words = reply && 'result' in reply ? unpackWords(reply.result as Hex) : undefined;
        lensCalls.push({ lens, words: words ? size(words) / 32 : 0 });
      }
      return replies;
    },
  };
  const engine = engineOver(on, endpoint, [], { now: () => Date.now() + clock.ahead });
  return { engine, lensCalls, clock };
}

async function quoteOf(engine: Engine, tokenIn = chain.wrappedNative, tokenOut = chain.usdc, amount = '1') {
  return engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: amount } });
}

const mine = () =>
  loopbackEndpoint(chain.rpcUrl).send([{ method: 'evm_mine', params: [] }], { signal: AbortSignal.timeout(5_000) });

test('looks up pools once, and reads the states of known pools once in each block', async () => {
  const { engine, lensCalls } = observed(chain);
  const first = await quoteOf(engine);
  expect(lensCalls.splice(0).map(({ lens }) => lens)).toEqual([lookUp]);
  await mine();
  const second = await quoteOf(engine);
  expect(lensCalls.map(({ lens }) => lens)).toEqual([readKnown]);
  expect(lensCalls.splice(0)[0]?.words).toBeGreaterThan(100);
  const third = await quoteOf(engine);
  expect(lensCalls).toEqual([{ lens: readKnown, words: 10 }]);
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

interface Trace {
  from: Hex;
  input: Hex;
  calls?: Trace[];
}

test('a call for known pools reads no tick spacing and no decimals of a pair again', async () => {
  const inner = loopbackEndpoint(chain.rpcUrl);
  const sent: RpcCall[] = [];
  const endpoint: RpcEndpoint = {
    label: inner.label,
    send(calls, options) {
      sent.push(...calls);
      return inner.send(calls, options);
    },
  };
  const engine = engineOver(chain, endpoint, []);
  const [metadata, tickSpacing, getReserves] = ['metadata()', 'tickSpacing()', 'getReserves()'].map((name) =>
    toFunctionSelector(`function ${name}`),
  );
  /** The functions that the state lens calls for the last quote. */
  async function selectorsOf(lens: Hex): Promise<Set<string>> {
    const call = sent.findLast(({ params }) => calledFunction((params[0] as { data?: Hex })?.data) === lens);
    const [tx, , stateOverrides] = call?.params ?? [];
    const options = { tracer: 'callTracer', stateOverrides };
    const [reply] = await inner.send([{ method: 'debug_traceCall', params: [tx, 'latest', options] }], {
      signal: AbortSignal.timeout(30_000),
    });
    const selectors = ({ from, input, calls = [] }: Trace): string[] => [
      ...(from === (tx as { to: Hex }).to ? [input.slice(0, 10)] : []),
      ...calls.flatMap(selectors),
    ];
    return new Set(selectors((reply as { result: Trace }).result));
  }
  const first = await quoteOf(engine);
  const lookedUp = await selectorsOf(lookUp);
  expect([metadata, tickSpacing, getReserves].map((name) => lookedUp.has(name ?? ''))).toEqual([true, true, true]);
  await mine();
  const second = await quoteOf(engine);
  const read = await selectorsOf(readKnown);
  expect([metadata, tickSpacing, getReserves].map((name) => read.has(name ?? ''))).toEqual([false, false, true]);
  expect(second.amountOut).toBe(first.amountOut);
});

test('a call for known pools returns the same states as the look-up', async () => {
  const { source, node } = stateReaderOn(chain);
  const query = { tokenIn: lower(chain.wrappedNative), tokenOut: lower(chain.usdc) };
  const { read: first } = await readStates(source, query, node, 'latest');
  const { read: second } = await readStates(source, query, node, 'latest', first);
  expect(byId(second.states.pools)).toEqual(byId(first.states.pools));
  const stable = second.states.pools.flatMap(({ state }) => (state.kind === 'stable' ? [state] : []));
  expect(stable.some(({ unit0, unit1 }) => unit0 !== unit1)).toBe(true);
});

/**
 * Reads a market in a block, replaces the last `depth` blocks by as many others with the same times, the last of which
 * contains a trade, and quotes again.
 */
async function quoteAfterReorganization(depth: number) {
  const { engine, lensCalls } = observed(chain);
  const call = (method: string, ...params: unknown[]) =>
    loopbackEndpoint(chain.rpcUrl)
      .send([{ method, params }], { signal: AbortSignal.timeout(5_000) })
      .then(([reply]) => (reply && 'result' in reply ? reply.result : undefined));
  const latest = async () => (await call('eth_getBlockByNumber', 'latest', false)) as { number: Hex; timestamp: Hex };
  const builder = await reopenChain(chain, sandbox.wallets);
  const actions = [{ to: chain.wrappedNative, value: 10n ** 18n, data: '0xd0e30db0' as Hex }];
  const snapshot = await call('evm_snapshot');
  const start = Number((await latest()).timestamp);
  const times = Array.from({ length: depth }, (_, at) => start + 2 * (at + 1));
  for (const time of times) {
    await call('evm_setNextBlockTimestamp', time);
    await call('evm_mine');
  }
  for (let round = 0; round < 3; round++) await quoteOf(engine);
  expect(lensCalls.splice(0).at(-1)).toEqual({ lens: readKnown, words: 10 });
  const before = await latest();
  await call('evm_revert', snapshot);
  for (const [at, time] of times.entries()) {
    await call('evm_setNextBlockTimestamp', time);
    if (at === depth - 1) await builder.perform(actions as never);
    else await call('anvil_setCoinbase', numberToHex(at + 1, { size: 20 })).then(() => call('evm_mine'));
  }
  expect(await latest()).toMatchObject({ number: before.number, timestamp: before.timestamp });
  const answer = await quoteOf(engine);
  return { answer, lensCalls, number: BigInt(before.number) };
}

test('reads the states again if another block replaced the last one', async () => {
  await withChainRestored(chain, async () => {
    const { answer, lensCalls, number } = await quoteAfterReorganization(1);
    // The parent and the time are the same, so only the block hash shows the replacement.
    expect(lensCalls[0]).toEqual({ lens: readKnown, words: 10 });
    expect(lensCalls.at(-1)?.words).toBeGreaterThan(100);
    expect(answer.blockNumber).toBe(number);
  });
});

test('reads the states again if several blocks were replaced', async () => {
  await withChainRestored(chain, async () => {
    const { lensCalls } = await quoteAfterReorganization(3);
    expect(lensCalls[0]?.words).toBeGreaterThan(100);
  });
});

test('finds a new pool after a minute', async () => {
  await withChainRestored(chain, async () => {
    const { engine, lensCalls, clock } = observed(chain);
    const before = await quoteOf(engine);
    await quoteOf(engine);
    const builder = await reopenChain(chain, sandbox.wallets);
    const pair = ['WETH', 'USDC'] as const;
    await builder.list({
      tokens: [],
      pools: [{ venue: 'sushiswap-v3', pair, tier: 100, spacing: 1, usd: 50_000_000, skewBps: 100 } as never],
    });
    clock.ahead += 61_000;
    lensCalls.length = 0;
    const after = await quoteOf(engine);
    expect(lensCalls.map(({ lens }) => lens)).toContain(lookUp);
    expect(after.amountOut).toBeGreaterThan(before.amountOut);
  });
});
