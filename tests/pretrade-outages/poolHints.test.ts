import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ProxiedCall } from '../../sandbox/index.ts';
import { postJson } from '../support/buyer.ts';
import { type OutageEnvironment, openOutageEnvironment, type TestService } from './outageEnvironment.ts';

// A service in live mode whose node refuses logs, and a market site that lists the token's pools.

let environment: OutageEnvironment;
let service: TestService;
beforeAll(async () => {
  environment = await openOutageEnvironment();
  service = await environment.open({ POOL_INDEX: 'off' });
});
afterEach(() => environment.clearFaults());
afterAll(() => environment?.close());

interface Reply {
  id: unknown;
}

function refuseLogs(): void {
  const refuse = (reply: Reply, calls: readonly ProxiedCall[]) =>
    calls.some(({ id, method }) => id === reply.id && method === 'eth_getLogs')
      ? { jsonrpc: '2.0', id: reply.id, error: { code: -32_005, message: 'limited to a 10 block range' } }
      : reply;
  environment.rpc.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_getLogs')
      ? {
          kind: 'rewrite',
          reply(text) {
            const parsed = JSON.parse(text) as Reply | Reply[];
            return JSON.stringify(
              Array.isArray(parsed) ? parsed.map((reply) => refuse(reply, calls)) : refuse(parsed, calls),
            );
          },
        }
      : undefined;
}

/** A test token and its pool, which pays in an asset that no list contains. */
function listJunkPair(): string {
  const found = environment.testTokens.find(({ symbol }) => symbol === 'JUNKPAIR');
  const pairAddress = found?.pools[0]?.pool;
  if (!found || !pairAddress) throw new TypeError('JUNKPAIR has no pool.');
  const side = (address: string) => ({ address });
  environment.market.falsify = () => [
    { chainId: 'base', pairAddress, baseToken: side(found.address), quoteToken: side(environment.chain.usdc) },
  ];
  return found.address;
}

test('asks no vendor before a payment is verified, and measures a listed pool after it', async () => {
  refuseLogs();
  const token = listJunkPair();
  const path = `${service.url}/v1/pretrade/check`;
  expect((await postJson(path, { token })).status).toBe(402);
  expect((await postJson(path, { token }, { 'payment-signature': 'e30=' })).status).toBe(400);
  expect(environment.market.requests).toEqual([]);
  const { answer } = await service.check(token);
  expect(answer.reasons.join(' ')).toContain('Of the pools that dexscreener lists, 1 more was confirmed on the chain.');
  expect(answer.liquidityCoverage.conclusive).toBe(false);
  // Once, for the hints and for the market data.
  expect(environment.market.requests).toEqual([`/token-pairs/v1/base/${token.toLowerCase()}`]);
});

test('asks for no pools if POOL_HINTS is off', async () => {
  refuseLogs();
  const token = listJunkPair();
  const quiet = await environment.open({ POOL_INDEX: 'off', POOL_HINTS: 'off' });
  const { answer } = await quiet.check(token);
  expect(answer.reasons.join(' ')).not.toContain('dexscreener');
  expect(environment.market.requests).toHaveLength(1);
});

test.each(['down', 'slow', 'flood', 'html', 'broken', 'error', 'busy'] as const)(
  'a site that is %s changes no verdict and delays no answer beyond its time',
  async (fault) => {
    refuseLogs();
    const own = await environment.open({ POOL_INDEX: 'off', VENDOR_TIMEOUT_MS: '800' });
    environment.market.fault = () => fault;
    const { status, answer } = await own.check(environment.tokenOf('BIRCH'));
    expect(status).toBe(200);
    expect(answer).toMatchObject({ verdict: 'clear', triggers: [] });
    await own.close();
  },
);
