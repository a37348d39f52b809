import { afterAll, beforeAll, expect, test } from 'vitest';
import { byChain, createEngine } from '../../engine/index.ts';
import { reopenChain, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { type DelayProxy, startDelayProxy } from '../../tools/bench/delayProxy.ts';

// After a pause TCP sends ten segments of 1,448 bytes in one round trip, in each direction. The bytes include HTTP headers.

/** One round trip. */
const most = 14_000;
/** The code of a lens and of the proof included: three round trips, because two take 43,440 bytes. */
const mostWithCode = 46_000;

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

/** The bytes of the request of a known pair at a new block. */
async function bytesOfKnownPair({ isDeployed }: { isDeployed: boolean }) {
  const engine = createEngine({
    rpc: { base: [createHttpRpcEndpoint({ url: proxy.url, label: 'counted', timeoutMs: 30_000 })] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
  });
  await engine.start();
  if (isDeployed) await engine.refreshDeployments();
  const quote = () =>
    engine.quote({
      chain: 'base',
      tokenIn: chain.wrappedNative,
      tokenOut: chain.usdc,
      size: { tokenIn: '0.01' },
    });
  await quote();
  await mine();
  await quote();
  await mine();
  const before = proxy.seen;
  const { flags } = await quote();
  const after = proxy.seen;
  expect(after.requests - before.requests).toBe(1);
  expect(flags.map(({ code }) => code)).not.toContain('SPLIT_ROUTE');
  return { sent: after.sentBytes - before.sentBytes, received: after.receivedBytes - before.receivedBytes };
}

test('a known pair without deployed contracts sends at most 46 kB and receives one round trip', async () => {
  const { sent, received } = await bytesOfKnownPair({ isDeployed: false });
  expect(sent).toBeLessThanOrEqual(mostWithCode);
  expect(received).toBeLessThanOrEqual(most);
});

test('a known pair with the lenses and the executor deployed sends one round trip and receives one', async () => {
  const { sent, received } = await bytesOfKnownPair({ isDeployed: true });
  expect(sent).toBeLessThanOrEqual(most);
  expect(received).toBeLessThanOrEqual(most);
});

test('24 initialised ticks in each direction fit too', async () => {
  const builder = await reopenChain(chain, sandbox.wallets);
  const steps = Array.from({ length: 24 }, (_, step) => {
    const width = 0.002 * (step + 1);
    return { usd: 40_000 * (step + 1), range: [1 - width, 1 + width] as const };
  });
  const plan = { venue: 'uniswap-v3', pair: ['WETH', 'USDC'] as const, usd: 400_000, tier: 100, steps };
  chain = await builder.list({ tokens: [], pools: [plan] });
  const { sent, received } = await bytesOfKnownPair({ isDeployed: true });
  expect(sent).toBeLessThanOrEqual(most);
  expect(received).toBeLessThanOrEqual(most);
});
