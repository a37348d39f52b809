import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { exitSelector } from '../../engine/pretrade/exit/encodeExit.ts';
import { recheckSelector } from '../../engine/pretrade/exit/encodeRecheck.ts';
import type { ProxiedCall } from '../../sandbox/index.ts';
import { type Answer, type OutageEnvironment, openOutageEnvironment, type TestService } from './outageEnvironment.ts';

// Until `validUntil` equal requests get the same answer from one read.

let environment: OutageEnvironment;
let service: TestService;
beforeAll(async () => {
  environment = await openOutageEnvironment();
  service = await environment.open({ FRESHNESS_MS_BASE: '600000' });
});
beforeEach(() => environment.clearFaults());
afterAll(() => environment?.close());

const paths = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check', '/trpc/pretradeCheck'];
/** Counts reads: the first request of each read contains `latest`, later ones the block that it returned. */
const reads = () => environment.rpc.requests.filter(({ calls }) => isCheck(calls)).length;
const isCheck = (calls: ProxiedCall[]) =>
  calls.some(
    ({ method, params }) =>
      method === 'eth_call' &&
      params[1] === 'latest' &&
      [exitSelector, recheckSelector].some((selector) => (params[0] as { data?: string }).data?.startsWith(selector)),
  );
const answerOf = (path: string, text: string): Answer => {
  const body = JSON.parse(text) as Answer & { result?: { data: Answer } };
  return path.startsWith('/trpc') ? (body.result?.data ?? body) : body;
};

test('default: concurrent requests on all paths and in either letter case cause one read and get one answer', async () => {
  const token = environment.tokenOf('PLAIN');
  const queries = paths.flatMap((path) => [
    { path, token },
    { path, token: token.toLowerCase(), sizeUSD: '1000' },
    { path, token: `0x${token.slice(2).toUpperCase()}`, chain: 'eip155:8453' },
  ]);
  const signatures: string[] = [];
  for (const _ of queries) signatures.push(await service.sign());
  const bought = await Promise.all(
    queries.map(({ token: address, ...rest }, index) =>
      service.check(address, { ...rest, signature: signatures[index] ?? '' }),
    ),
  );
  expect(bought.map(({ status }) => status)).toEqual(queries.map(() => 200));
  expect(reads()).toBe(1);

  const rest = bought.filter((_, index) => !queries[index]?.path.startsWith('/trpc')).map(({ text }) => text);
  const trpc = bought.filter((_, index) => queries[index]?.path.startsWith('/trpc')).map(({ text }) => text);
  expect(new Set(rest).size).toBe(1);
  expect(new Set(trpc).size).toBe(1);
  const [first] = rest.map((text) => answerOf('', text));
  expect(answerOf('/trpc', trpc[0] ?? '')).toEqual(first);
  expect((first?.validUntil ?? 0) - (first?.ts ?? 0)).toBe(600_000);
});

test('behavior: later requests get the same bytes without a read, although blocks were mined', async () => {
  const token = environment.tokenOf('EIGHT');
  const first = await service.check(token);
  environment.rpc.requests.length = 0;
  environment.explorer.requests.length = 0;
  for (let n = 0; n < 3; n += 1) expect((await service.check(token)).text).toBe(first.text);
  expect(reads()).toBe(0);
  expect(environment.explorer.requests).toEqual([]);
});

test('behavior: a request with another size causes a read', async () => {
  const token = environment.tokenOf('EIGHT');
  const first = await service.check(token);
  const other = await service.check(token, { sizeUSD: '250' });
  expect(other.answer.sizeUSD).toBe('250');
  expect(other.text).not.toBe(first.text);
  expect(reads()).toBeGreaterThan(0);
});

test('behavior: every request causes a read if FRESHNESS_MS_BASE is 0', async () => {
  const own = await environment.open();
  const token = environment.tokenOf('SIX');
  const [first, second] = [await own.check(token), await own.check(token)];
  expect(second.answer.ts).toBeGreaterThanOrEqual(first.answer.validUntil);
  expect(second.answer.liquidityCoverage.asOfBlock).toBeGreaterThan(first.answer.liquidityCoverage.asOfBlock ?? 0);
  await own.close();
});
