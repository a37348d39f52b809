import { decodePaymentResponseHeader } from '@x402/core/http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ProxiedCall } from '../../sandbox/index.ts';
import {
  type Bought,
  type OutageEnvironment,
  openOutageEnvironment,
  price,
  type TestService,
} from './outageEnvironment.ts';

// The free first call through the real server, on every path. USDC balances show which calls were free.

let environment: OutageEnvironment;
let service: TestService;
beforeAll(async () => {
  environment = await openOutageEnvironment();
  service = await environment.open({ FREE_TRIAL_GROUPS: 'pretrade', QUOTE_DEADLINE_MS: '6000' });
});
afterEach(() => environment.clearFaults());
afterAll(() => environment?.close());

const paths = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check', '/trpc/pretradeCheck'];
const token = () => environment.tokenOf('PLAIN');
const wasFree = ({ headers }: Bought): boolean =>
  decodePaymentResponseHeader(headers.get('payment-response') ?? '').transaction === '';
const isCheck = (calls: ProxiedCall[]) =>
  calls.length > 1 && calls.some(({ method, params }) => method === 'eth_call' && params.length > 2);

test.each(paths)('default: the first call on %s is free, and later calls on any path are charged', async (first) => {
  const payer = await environment.newPayer();
  const before = await environment.received();
  const bought = await service.check(token(), { path: first, signature: await service.sign(payer) });
  expect(bought.status, bought.text).toBe(200);
  expect(wasFree(bought)).toBe(true);
  expect(await environment.received()).toBe(before);
  for (const path of paths) {
    const next = await service.check(token(), { path, signature: await service.sign(payer) });
    expect(next.status).toBe(200);
    expect(wasFree(next), path).toBe(false);
  }
  expect((await environment.received()) - before).toBe(4n * price);
});

test('behavior: exactly one of concurrent first calls on all four paths is free', async () => {
  const payer = await environment.newPayer();
  const before = await environment.received();
  const signatures = await Promise.all(paths.map(() => service.sign(payer)));
  const bought = await Promise.all(
    paths.map((path, index) => service.check(token(), { path, signature: signatures[index] ?? '' })),
  );
  expect(bought.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(bought.filter(wasFree)).toHaveLength(1);
  expect((await environment.received()) - before).toBe(3n * price);
});

test.each(paths)('behavior: a free call on %s stays free after its answer failed', async (path) => {
  const payer = await environment.newPayer();
  const signature = await service.sign(payer);
  const before = await environment.received();
  environment.rpc.fault = (calls) => (isCheck(calls) ? { kind: 'html' } : undefined);
  const failed = await service.check(token(), { path, signature });
  expect(failed.status, failed.text).toBe(503);
  expect(failed.text).toMatch(/the wallet keeps its free call/);
  expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0);

  environment.clearFaults();
  await expect
    .poll(
      async () => {
        const again = await service.check(token(), { path, signature });
        return again.status === 200 && wasFree(again);
      },
      { interval: 200 },
    )
    .toBe(true);
  expect(await environment.received()).toBe(before);
  expect(wasFree(await service.check(token(), { signature: await service.sign(payer) }))).toBe(false);
});

test.each(paths)('error: UNSUPPORTED_CHAIN on %s uses no free call and charges nothing', async (path) => {
  const payer = await environment.newPayer();
  const signature = await service.sign(payer);
  const before = await environment.received();
  environment.rpc.requests.length = 0;
  for (const chain of ['polygon', 'eip155:42161']) {
    const refused = await service.check(token(), { path, chain, signature });
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/UNSUPPORTED_CHAIN/);
    expect(refused.headers.get('payment-response')).toBeNull();
  }
  // The service's background tasks call the node too, but not for this payer and token.
  const sent = JSON.stringify(environment.rpc.requests).toLowerCase();
  for (const address of [payer.address, token()]) expect(sent).not.toContain(address.slice(2).toLowerCase());
  expect(wasFree(await service.check(token(), { path, signature }))).toBe(true);
  expect(await environment.received()).toBe(before);
});

test('behavior: every alias replays the answer to a free call, byte for byte', async () => {
  const payer = await environment.newPayer();
  const signature = await service.sign(payer);
  const [canonical = '', ...aliases] = paths.slice(0, 3);
  const first = await service.check(token(), { path: canonical, signature });
  for (const path of aliases) {
    const again = await service.check(token(), { path, signature });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
  }
});
