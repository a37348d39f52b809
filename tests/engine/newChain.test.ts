import { createTestClient, http } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Deployment } from '../../engine/venues/venueTypes.ts';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';

// A chain is one data file. This test adds a fourth entry to the registry, which is the sandbox's Base under another id,
// and uses the modules that read the registry.

const { chainId } = vi.hoisted(() => ({ chainId: 10 }));
vi.mock(import('../../engine/venues/deployments/deployments.ts'), async (original) => {
  const { deployments } = await original();
  const optimism: Deployment = { ...deployments.base, label: 'Optimism', chainId, aliases: ['op'] };
  return { deployments: { ...deployments, optimism } };
});

let sandbox: Sandbox;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  await createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).request({
    method: 'anvil_setChainId' as never,
    params: [chainId] as never,
  });
});
afterAll(() => sandbox?.close());

const WETH = '0x4200000000000000000000000000000000000006';

test('a request can contain the new chain as its name, an alias or its CAIP-2 id', async () => {
  const { toChainName, chainWord } = await import('../../router/quote/chainField.ts');
  for (const word of ['optimism', 'op', 'eip155:10']) expect(toChainName(chainWord.parse(word))).toBe('optimism');
});

test('the OpenAPI document lists the new chain', async () => {
  const { buildDocument } = await import('../../router/index.ts');
  expect(JSON.stringify(buildDocument())).toContain('"optimism"');
});

test('RPC_URL_OPTIMISM configures the new chain, with payments in its USDC', async () => {
  const { readConfig } = await import('../../server/config/index.ts');
  const { evmPayments } = await import('../../server/payments/networkConfigs.ts');
  const config = readConfig({
    RPC_URL_OPTIMISM: chain.rpcUrl,
    PUBLIC_URL: 'https://truefill.example',
    PAY_TO_EVM: '0x00000000000000000000000000000000000000A1',
    FACILITATOR_KEY_EVM: `0x${'11'.repeat(32)}`,
    FRESHNESS_MS_OPTIMISM: '3000',
  });
  if (config.mode !== 'live') throw new Error(config.mode);
  expect(config.rpcUrls).toEqual({ optimism: [chain.rpcUrl] });
  expect(config.freshnessMs).toMatchObject({ base: 4000, optimism: 3000 });
  expect(
    evmPayments(config.rpcUrls, config.payToEvm, () => ({ facilitatorKey: `0x${'11'.repeat(32)}` })),
  ).toMatchObject([{ network: 'eip155:10', chainId, asset: chain.usdc }]);
});

test('the engine quotes on the new chain', async () => {
  const { createEngine, byChain } = await import('../../engine/index.ts');
  const engine = createEngine({
    rpc: { optimism: [loopbackEndpoint(chain.rpcUrl)] } as never,
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
  });
  const answer = await engine.quote({
    chain: 'optimism' as never,
    tokenIn: WETH,
    tokenOut: chain.usdc,
    size: { tokenIn: '1' },
  });
  expect(answer).toMatchObject({ chain: 'optimism' });
  expect(answer.amountOut).toBeGreaterThan(0n);
});
