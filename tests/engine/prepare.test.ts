import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { engineOn } from './market.ts';

// A market that is read while a payment settles.

let sandbox: Sandbox;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

const queryOf = (tokenOut: Address) => ({
  chain: 'base' as const,
  tokenIn: chain.wrappedNative,
  tokenOut,
  size: { tokenIn: '1' },
});
const mine = () => createNodeClient(chain.rpcUrl).call('anvil_mine', ['0x1']);

test('the quote of a prepared market takes one request, at a later block', async () => {
  const { engine, endpoint } = engineOn(chain);
  const query = queryOf(chain.usdc);
  await engine.prepare(query);
  await mine();
  const [other, before] = [await engineOn(chain).engine.quote(query), endpoint.requests];
  const quote = await engine.quote(query);
  expect(endpoint.requests - before).toBe(1);
  expect(quote.amountOut).toBe(other.amountOut);
  expect(quote.blockNumber).toBe(other.blockNumber);
});

test('a quote waits for the running preparation; concurrent ones share it', async () => {
  const [{ engine, endpoint }, alone] = [engineOn(chain), engineOn(chain)];
  const query = queryOf(chain.usdc);
  await alone.engine.quote(query);
  for (let caller = 0; caller < 5; caller += 1) void engine.prepare({ ...query, size: { tokenIn: `1.${caller}` } });
  const quote = await engine.quote(query);
  expect(quote.amountOut).toBeGreaterThan(0n);
  // The requests of one first quote, and one more.
  expect(endpoint.requests).toBeLessThanOrEqual(alone.endpoint.requests + 1);
});

test('prepares nothing for a known market whose lenses are deployed', async () => {
  const { engine, endpoint } = engineOn(chain);
  await engine.refreshDeployments();
  const query = queryOf(chain.usdc);
  await engine.quote(query);
  const before = endpoint.requests;
  await engine.prepare(query);
  await mine();
  await engine.quote(query);
  expect(endpoint.requests - before).toBe(1);
});

test('a preparation that fails does not fail the quote', async () => {
  const { engine, endpoint } = engineOn(chain);
  const send = endpoint.send;
  endpoint.send = async () => {
    throw new TypeError('The node is gone.');
  };
  const query = queryOf(chain.usdc);
  await engine.prepare(query);
  endpoint.send = send;
  expect((await engine.quote(query)).amountOut).toBeGreaterThan(0n);
});
