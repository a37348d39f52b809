import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RpcTransportError } from '../errors.ts';
import { createPace, unitsOf } from './pace.ts';
import type { RpcCall, RpcEndpoint, RpcReply } from './rpcEndpoint.ts';
import { sendPaced } from './sendPaced.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

const callsOf = (count: number): RpcCall[] =>
  Array.from({ length: count }, (_, index) => ({ method: 'eth_call', params: [index] }));
const signal = new AbortController().signal;

/** An endpoint with a bucket of `perSecond` units, which refuses single calls as Alchemy does. */
function bucketEndpoint(perSecond: number, configured?: number) {
  let left = perSecond;
  let at = Date.now();
  const seen = { refused: 0, sent: 0 };
  const endpoint: RpcEndpoint = {
    label: 'base-1',
    pace: createPace(Date.now, configured === undefined ? undefined : { perSecond: configured, of: 'units' }),
    async send(calls) {
      left = Math.min(perSecond, left + ((Date.now() - at) * perSecond) / 1000);
      at = Date.now();
      return calls.map((call): RpcReply => {
        seen.sent += 1;
        const units = unitsOf([call]);
        if (units > left) {
          seen.refused += 1;
          return { error: { code: 429, message: 'Your app has exceeded its compute units per second capacity.' } };
        }
        left -= units;
        return { result: call.params[0] };
      });
    },
  };
  return { endpoint, seen };
}

async function finish<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const from = Date.now();
  let end = 0;
  const ended = work.then((value) => {
    end = Date.now();
    return value;
  });
  await vi.advanceTimersByTimeAsync(20_000);
  return { value: await ended, ms: end - from };
}

test('calls above the budget of an endpoint wait, and all are answered in order', async () => {
  const { endpoint } = bucketEndpoint(500);
  const calls = callsOf(80);
  const { value, ms } = await finish(sendPaced(endpoint, calls, { signal, as: 'patient' }));
  expect(value).toEqual(calls.map(({ params }) => ({ result: params[0] })));
  // 2,080 units, of which the first 500 need no wait.
  expect(ms).toBeGreaterThan(2_500);
  expect(ms).toBeLessThan(8_000);
});

test('with a configured budget no call is refused', async () => {
  const { endpoint, seen } = bucketEndpoint(500, 400);
  await finish(sendPaced(endpoint, callsOf(80), { signal, as: 'patient' }));
  expect(seen).toEqual({ refused: 0, sent: 80 });
});

test('a settlement does not wait for the calls that wait', async () => {
  const { endpoint } = bucketEndpoint(500, 400);
  const reads = sendPaced(endpoint, callsOf(80), { signal, as: 'patient' });
  await vi.advanceTimersByTimeAsync(1_000);
  const from = Date.now();
  await sendPaced(endpoint, callsOf(2), { signal, as: 'settlement' });
  expect(Date.now()).toBe(from);
  await finish(reads);
});

test('HTTP 429 is waited for as long as Retry-After states, and lowers no budget if the endpoint was hardly used', async () => {
  let sent = 0;
  const endpoint: RpcEndpoint = {
    label: 'base-1',
    pace: createPace(Date.now),
    async send(calls) {
      sent += 1;
      if (sent === 1) throw new RpcTransportError('base-1 returned HTTP 429.', { limited: true, retryAfterMs: 2_000 });
      return calls.map(() => ({ result: '0x1' }));
    },
  };
  const { value, ms } = await finish(sendPaced(endpoint, callsOf(1), { signal, as: 'patient' }));
  expect(value).toEqual([{ result: '0x1' }]);
  expect(ms).toBe(2_000);
  expect(endpoint.pace?.budget()).toBeUndefined();
});

test('while other nodes can answer, a refused request fails at once', async () => {
  const error = new RpcTransportError('base-1 returned HTTP 429.', { limited: true, retryAfterMs: 2_000 });
  const endpoint: RpcEndpoint = { label: 'base-1', pace: createPace(Date.now), send: () => Promise.reject(error) };
  await expect(sendPaced(endpoint, callsOf(1), { signal, as: 'impatient' })).rejects.toBe(error);
  await expect(sendPaced(endpoint, callsOf(1), { signal, as: 'impatient' })).rejects.toThrow('has used its budget');
});

test('a wait that is aborted fails as a request does', async () => {
  const { endpoint } = bucketEndpoint(500, 400);
  const aborting = new AbortController();
  const work = sendPaced(endpoint, callsOf(80), { signal: aborting.signal, as: 'patient' });
  const failure = expect(work).rejects.toThrow(RpcTransportError);
  await vi.advanceTimersByTimeAsync(500);
  aborting.abort();
  await failure;
});
