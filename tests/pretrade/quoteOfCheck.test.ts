import { type Hex, numberToHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unpackCall } from '../../engine/chain/packedWords.ts';
import type { RpcCall } from '../../engine/chain/rpcEndpoint.ts';
import { RpcTransportError } from '../../engine/errors.ts';
import { byChain, createEngine, type PretradeAnswer, type QuoteAnswer } from '../../engine/index.ts';
import { stateSelector } from '../../engine/pools/encodeStateCall.ts';
import { probeSelector } from '../../engine/quote/plan/encodeExecution.ts';
import { executeRoute } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { hookedShapes } from '../engine/market.ts';
import { addressIn, checkerOn, checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

let fixture: TestTokensOnBase;
beforeAll(async () => {
  fixture = await startTestTokens();
});
afterAll(() => fixture?.sandbox.close());

const addressOf = (symbol: string) => addressIn(fixture, symbol);

/** Check and quote of one order at one block, by engines without shared caches. */
async function checkAndQuote(symbol: string, sizeUsd: string) {
  const token = addressOf(symbol);
  const engine = createEngine({
    rpc: { base: [loopbackEndpoint(fixture.base.rpcUrl)] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
    extraV4Shapes: { base: hookedShapes(fixture.base) },
  });
  const check = await checkerOn(fixture.base).checker.check({ chain: 'base', token, sizeUsd });
  const quote = await engine.quote({
    chain: 'base',
    tokenIn: addressOf('USDC'),
    tokenOut: token,
    size: { tokenIn: sizeUsd },
  });
  expect(check.liquidityCoverage.asOfBlock).toBe(Number(quote.blockNumber));
  return { check, quote };
}

const figuresOf = ({ executablePrice, priceImpactBps, worstCaseSlippageBps, confidence }: QuoteAnswer) => ({
  ...{ executablePrice, priceImpactBps, worstCaseSlippageBps, confidence },
});

test.each([
  ['TWOHOP', '1000', 'its pool is against AERO'],
  ['FARHOP', '1000', 'its pool is against an unlisted token'],
  ['NOSMART', '1000', 'it refuses contracts other than its pair'],
  ['ALGCUSTOM', '1000', 'its pool belongs to a custom deployer'],
  ['TWOPOOLS', '20000', 'a split order pays more'],
  ['WETH', '2000000', 'a split order pays more'],
])('behavior: the quote of a check of %s over %s USD equals /v1/quote, because %s', async (symbol, sizeUsd) => {
  const { check, quote } = await checkAndQuote(symbol, sizeUsd);
  expect(quote.amountOut).toBeGreaterThan(0n);
  expect(check.quote).toMatchObject(figuresOf(quote));
  expect(check.reasons.join('\n')).not.toContain('no executable quote');
});

test('behavior: the quote of a check of a split order is what a real swap pays', async () => {
  const { check, quote } = await checkAndQuote('TWOPOOLS', '30000');
  const wallet = fixture.sandbox.wallets.find(({ role }) => role === 'trader');
  if (!wallet) throw new TypeError('The sandbox has no trader wallet.');
  expect(quote.route.legs.length).toBeGreaterThan(2);
  const legs = quote.route.legs.map((leg) => ({ ...leg, amountIn: BigInt(leg.amountIn) }));
  const { received } = await executeRoute(fixture.base, { legs, amountIn: quote.amountIn, wallet });
  const paid = Number(received) / 10 ** quote.decimals.out / 30_000;
  expect(Math.abs((check.quote?.executablePrice ?? 0) / paid - 1)).toBeLessThan(1e-12);
});

const refusal = { error: { code: -32000, message: 'execution timeout' } };

/** A check by a node that refuses to read states: at the latest block (the first read), at its number, or both. */
async function checkRefusing(symbol: string, refused: 'first' | 'later' | 'all'): Promise<PretradeAnswer> {
  const { endpoint } = checkerOn(fixture.base);
  const isRefused = (call: RpcCall | undefined) => {
    const [{ data } = {}, block] = (call?.params ?? []) as [{ data?: string }?, string?];
    const isFirst = block === 'latest';
    const isStates = call?.method === 'eth_call' && data?.startsWith(stateSelector) === true;
    return isStates && (refused === 'all' || isFirst === (refused === 'first'));
  };
  const checker = checkerOver(fixture.base, {
    label: endpoint.label,
    async send(calls, options) {
      const replies = await endpoint.send(calls, options);
      return replies.map((reply, index) => (isRefused(calls[index]) ? refusal : reply));
    },
  });
  return checker.check({ chain: 'base', token: addressOf(symbol) });
}

test('behavior: reads the market again if the first request did not return it', async () => {
  const { quote, sources } = await checkRefusing('PLAIN', 'first');
  expect(quote?.executablePrice).toBeGreaterThan(0);
  expect(sources['quote.executablePrice']).not.toContain('unavailable');
});

test.each([
  ['no states are read', 'PLAIN', 'all', 'the node did not return the market at this block'],
  ['pools of logs fail', 'FARHOP', 'later', 'the node did not return all pools, so a route may be missing'],
] as const)('behavior: sources.quote is "read failed" if %s', async (_, symbol, refused, gap) => {
  const { quote, reasons, sources } = await checkRefusing(symbol, refused);
  expect(quote).toBeNull();
  expect(sources.quote).toBe(`unavailable: read failed: ${gap}`);
  expect(reasons).toContain(`There is no executable quote from USDC. T${gap.slice(1)}.`);
});

test.each([
  ['NOPOOL', 'no measured pool trades the token'],
  ['HUGEDEC', 'decimals() cannot be read'],
  ['PAUSED', 'simulated purchases are refused'],
])('behavior: sources.quote of %s is "not found", with the cause', async (symbol, gap) => {
  const { quote, sources, valuation } = await checkerOn(fixture.base).checker.check({
    chain: 'base',
    token: addressOf(symbol),
  });
  expect(quote).toBeNull();
  expect(sources.quote).toBe(`unavailable: not found: ${gap}`);
  expect(valuation.note).toContain(gap);
});

const selectorOf = ({ params }: RpcCall) =>
  unpackCall((params[0] as { data?: Hex } | undefined)?.data ?? '0x').slice(0, 10);
const isPlan = (call: RpcCall) => call.method === 'eth_call' && selectorOf(call) === probeSelector;
/** The states of a market, at the number of the check's block. */
const isStates = (call: RpcCall) =>
  call.method === 'eth_call' && call.params[1] !== 'latest' && selectorOf(call) === stateSelector;
/** A request of the quote alone, after the reads of the check. */
const isOwn = (calls: readonly RpcCall[]) =>
  calls.length > 1 && calls.every((call) => call.method === 'eth_getBlockByNumber' || isPlan(call) || isStates(call));

/** A checker over a node whose requests `change` may replace; it sees them in order. */
function checkerWith(change: (calls: readonly RpcCall[]) => readonly RpcCall[] | Promise<readonly RpcCall[]>) {
  const { endpoint } = checkerOn(fixture.base);
  return checkerOver(fixture.base, {
    label: endpoint.label,
    send: async (calls, options) => endpoint.send(await change(calls), options),
  });
}

const ownReads = [
  ['the pools of logs', 'FARHOP'],
  ['the executions', 'PLAIN'],
] as const;

/** A check whose block is replaced right before the first, or each, request of its quote alone. */
async function checkReplaced(symbol: string, when: 'once' | 'always') {
  const node = createNodeClient(fixture.base.rpcUrl);
  let replaced = 0;
  const checker = checkerWith(async (calls) => {
    // The node executes no plan beside other reads, so the quote needs a request after the check's block was read.
    if (!isOwn(calls)) return calls.map((call) => (isPlan(call) ? { method: 'eth_unknown', params: [] } : call));
    if (when === 'once' && replaced > 0) return calls;
    replaced += 1;
    await node.call('anvil_reorg', [1, []]);
    return calls;
  });
  await node.call('anvil_mine', ['0x1']);
  const answer = await checker.check({ chain: 'base', token: addressOf(symbol) });
  return { answer, replaced, checker };
}

test.each(ownReads)(
  'behavior: a check starts again if a reorganisation precedes %s of its quote',
  async (_, symbol) => {
    const { answer, replaced, checker } = await checkReplaced(symbol, 'once');
    expect(replaced).toBe(1);
    expect(answer.quote?.executablePrice).toBeGreaterThan(0);
    expect(checker.nodeStates('base')[0]?.failuresInARow).toBe(0);
  },
);

test('error: if the node fails after a reorganisation, the check has the verdict of the replaced block and no quote', async () => {
  const node = createNodeClient(fixture.base.rpcUrl);
  let isReplaced = false;
  const checker = checkerWith(async (calls) => {
    if (isReplaced) throw new RpcTransportError('offline');
    if (!isOwn(calls)) return calls.map((call) => (isPlan(call) ? { method: 'eth_unknown', params: [] } : call));
    isReplaced = true;
    await node.call('anvil_reorg', [1, []]);
    return calls;
  });
  await node.call('anvil_mine', ['0x1']);
  const answer = await checker.check({ chain: 'base', token: addressOf('PLAIN') });
  expect([answer.verdict, answer.quote]).toEqual(['clear', null]);
});

test.each(ownReads)('behavior: a quote never mixes two forks that alternate: %s', async (_, symbol) => {
  const { answer, replaced } = await checkReplaced(symbol, 'always');
  // Once in each of two attempts. No read at a replaced block is retried.
  expect(replaced).toBe(2);
  expect(answer.quote).toBeNull();
  expect(answer.sources.quote).toContain('unavailable: read failed');
});

test('behavior: a second read with pools of logs does not replace a better quote', async () => {
  const [symbol, sizeUsd] = ['PLAIN', '60000'];
  const { check: expected, quote } = await checkAndQuote(symbol, sizeUsd);
  const pair = quote.route.legs.find(({ dex }) => dex === 'uniswap-v2')?.pool;
  if (!pair) throw new TypeError(`The route of ${symbol} has no pair.`);
  const slot = numberToHex(8, { size: 32 });
  const reserves = BigInt(
    await createNodeClient(fixture.base.rpcUrl).call<Hex>('eth_getStorageAt', [pair, slot, 'latest']),
  );
  // Both reserves are half of the real ones.
  const half = (shift: bigint) => (((reserves >> shift) & (2n ** 112n - 1n)) / 2n) << shift;
  const less = numberToHex(((reserves >> 224n) << 224n) | half(112n) | half(0n), { size: 32 });
  let changed = 0;
  const checker = checkerWith((calls) => {
    if (!isOwn(calls)) return calls;
    changed += 1;
    return calls.map((call) => {
      const [transaction, block, accounts] = call.params as [unknown, unknown, Record<string, object>?];
      const override = { ...accounts, [pair.toLowerCase()]: { stateDiff: { [slot]: less } } };
      return call.method === 'eth_call' ? { ...call, params: [transaction, block, override] } : call;
    });
  });
  const { quote: proven } = await checker.check({ chain: 'base', token: addressOf(symbol), sizeUsd });
  expect(changed).toBeGreaterThan(0);
  expect(proven).toMatchObject({ executablePrice: expected.quote?.executablePrice });
});

test('behavior: a market that the first request did not return is read beside the other reads', async () => {
  const requests: (readonly RpcCall[])[] = [];
  const checker = checkerWith((calls) => {
    requests.push(calls);
    return calls.map((call) =>
      selectorOf(call) === stateSelector && !isStates(call) ? { method: 'eth_unknown', params: [] } : call,
    );
  });
  const { quote } = await checker.check({ chain: 'base', token: addressOf('PLAIN') });
  expect(quote?.executablePrice).toBeGreaterThan(0);
  const [first] = requests.filter((calls) => calls.some(isStates));
  expect(first && !isOwn(first)).toBe(true);
});
