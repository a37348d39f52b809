import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byChain, createEngine } from '../../engine/index.ts';
import { reopenChain, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { type DelayProxy, startDelayProxy } from '../../tools/bench/delayProxy.ts';

// After a pause TCP sends ten segments of 1,448 bytes in one round trip, in each direction. The bytes include HTTP headers.

/** One round trip. */
const most = 14_000;
/** A known pair with deployed contracts: packed calls of the executor send a third less than ABI-encoded ones. */
const mostDeployed = 6_500;
/** The code of a lens and of the proof included: two round trips take 43,440 bytes. */
const mostWithCode = 42_500;

let sandbox: Sandbox;
let chain: SandboxChain;
let proxy: DelayProxy;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  proxy = await startDelayProxy(chain.rpcUrl);
});
afterAll(async () => {
  await proxy?.close();
  await sandbox?.close();
});

const mine = () => createNodeClient(chain.rpcUrl).call('anvil_mine', ['0x1']);

/** The requests of the third quote of a pair, at a new block: their number and their bytes. */
async function measureKnownPair({ isDeployed, ...trade }: { isDeployed: boolean; tokenIn: Address; sizeIn: string }) {
  const engine = createEngine({
    rpc: { base: [createHttpRpcEndpoint({ url: proxy.url, label: 'counted', timeoutMs: 31_000 })] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 31_000,
  });
  await engine.start();
  if (isDeployed) await engine.refreshDeployments();
  const { tokenIn, sizeIn } = trade;
  const quote = () => engine.quote({ chain: 'base', tokenIn, tokenOut: chain.usdc, size: { tokenIn: sizeIn } });
  await quote();
  await mine();
  await quote();
  await mine();
  const before = proxy.seen;
  const { flags } = await quote();
  const after = proxy.seen;
  return {
    requests: after.requests - before.requests,
    sent: after.sentBytes - before.sentBytes,
    received: after.receivedBytes - before.receivedBytes,
    isSplit: flags.some(({ code }) => code === 'SPLIT_ROUTE'),
  };
}

/** A known pair with a single route. */
const measureSingle = (isDeployed: boolean) =>
  measureKnownPair({ isDeployed, tokenIn: chain.wrappedNative, sizeIn: '0.01' });

test('a known pair without deployed contracts sends two round trips and receives one', async () => {
  const { sent, received, ...facts } = await measureSingle(false);
  expect(facts).toEqual({ requests: 1, isSplit: false });
  expect(sent).toBeLessThanOrEqual(mostWithCode);
  expect(received).toBeLessThanOrEqual(most);
});

test('a known pair with the lenses and the executor deployed sends one round trip and receives one', async () => {
  const { sent, received, ...facts } = await measureSingle(true);
  expect(facts).toEqual({ requests: 1, isSplit: false });
  expect(sent).toBeLessThanOrEqual(mostDeployed);
  expect(received).toBeLessThanOrEqual(most);
});

test.each([
  [false, 96_000],
  [true, 16_000],
] as const)(
  'a known split over sampled pools takes two requests (deployed: %s) and at most %i bytes',
  async (isDeployed, bytes) => {
    const palm = chain.tokens.find(({ symbol }) => symbol === 'PALM')?.address as Address;
    const { sent, received, ...facts } = await measureKnownPair({ isDeployed, tokenIn: palm, sizeIn: '2786' });
    // The second request executes the plan in the next block.
    expect(facts).toEqual({ requests: 2, isSplit: true });
    expect(sent).toBeLessThanOrEqual(bytes);
    expect(received).toBeLessThanOrEqual(27_000);
  },
);

test('24 initialised ticks in each direction fit too', async () => {
  const builder = await reopenChain(chain, sandbox.wallets);
  const steps = Array.from({ length: 24 }, (_, step) => {
    const width = 0.002 * (step + 1);
    return { usd: 40_000 * (step + 1), range: [1 - width, 1 + width] as const };
  });
  const plan = { venue: 'uniswap-v3', pair: ['WETH', 'USDC'] as const, usd: 400_000, tier: 100, steps };
  chain = await builder.list({ tokens: [], pools: [plan] });
  const { sent, received, ...facts } = await measureSingle(true);
  expect(facts).toEqual({ requests: 1, isSplit: false });
  expect(sent).toBeLessThanOrEqual(most);
  expect(received).toBeLessThanOrEqual(most);
});
