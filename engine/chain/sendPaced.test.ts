import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RpcTransportError } from '../errors.ts';
import { createPace, unitsOf } from './pace.ts';
import type { RpcCall, RpcEndpoint, RpcReply } from './rpcEndpoint.ts';
import { isLimited, sendPaced, withPace } from './sendPaced.ts';

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

const limitedReply: RpcReply = { error: { code: 429, message: 'slow down' } };
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: RpcTransportError) => error,
  );

/** An endpoint that returns these in turn; the last one again and again. An error is thrown. */
function endpointOf(...answers: readonly (RpcReply | Error)[]) {
  const sent: (readonly RpcCall[])[] = [];
  const endpoint: RpcEndpoint = {
    label: 'base-1',
    pace: createPace(Date.now),
    async send(calls) {
      sent.push(calls);
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      return calls.map(() => answer ?? { result: null });
    },
  };
  return { endpoint, sent };
}

test.each([
  [{ error: { code: 429, message: '' } }, true],
  [{ error: { code: -32_005, message: 'Too many requests' } }, true],
  [{ error: { code: -32_000, message: 'exceeded 25 calls per second' } }, true],
  [{ error: { code: -32_000, message: 'execution reverted' } }, false],
  [{ result: 'rate limit' }, false],
  [undefined, false],
] as const)('%j shows that there were too many calls: %s', (reply, expected) => {
  expect(isLimited(reply)).toBe(expected);
});

test('an endpoint without a pace gets all calls at once, and its refusals are returned', async () => {
  const { endpoint, sent } = endpointOf(limitedReply);
  const { pace: _, ...unpaced } = endpoint;
  expect(await sendPaced(unpaced, callsOf(3), { signal, as: 'patient' })).toEqual(callsOf(3).map(() => limitedReply));
  expect(sent).toHaveLength(1);
});

test('a settlement is sent in one request, whatever the budget', async () => {
  const { endpoint, sent } = endpointOf({ result: '0x1' });
  const paced = { ...endpoint, pace: createPace(Date.now, { perSecond: 30, of: 'units' }) };
  await sendPaced(paced, callsOf(20), { signal, as: 'settlement' });
  expect(sent.map((calls) => calls.length)).toEqual([20]);
  expect(paced.pace.waitMs()).toBeGreaterThan(10_000);
});

test('a settlement waits for the pause that the endpoint asked for, and is not sent in it', async () => {
  const { endpoint, sent } = endpointOf({ result: '0x1' });
  endpoint.pace?.limited(3_000);
  const work = sendPaced(endpoint, callsOf(1), { signal, as: 'settlement' });
  await vi.advanceTimersByTimeAsync(2_999);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await work).toEqual([{ result: '0x1' }]);
});

test('a settlement fails if the endpoint asks for a pause of more than six seconds', async () => {
  const { endpoint, sent } = endpointOf({ result: '0x1' });
  endpoint.pace?.limited(6_001);
  const error = await errorOf(sendPaced(endpoint, callsOf(1), { signal, as: 'settlement' }));
  expect(error).toMatchObject({ limited: true, retryAfterMs: 6_001 });
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  await finish(sendPaced(endpoint, callsOf(1), { signal, as: 'settlement' }));
});

test('a settlement is sent nine times at most', async () => {
  const { endpoint, sent } = endpointOf(limitedReply);
  const failure = errorOf(sendPaced(endpoint, callsOf(1), { signal, as: 'settlement' }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await failure).toMatchObject({ message: 'base-1 has used its budget.', limited: true });
  expect(sent).toHaveLength(9);
});

test('a read is refused more often than a settlement until its signal aborts', async () => {
  const { endpoint, sent } = endpointOf(...Array.from({ length: 20 }, () => limitedReply), { result: '0x1' });
  const work = sendPaced(endpoint, callsOf(1), { signal, as: 'patient' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await work).toEqual([{ result: '0x1' }]);
  expect(sent).toHaveLength(21);
});

test('only refused calls are sent again', async () => {
  const sent: unknown[][] = [];
  const endpoint: RpcEndpoint = {
    label: 'base-1',
    pace: createPace(Date.now),
    async send(calls) {
      sent.push(calls.map(({ params }) => params[0]));
      return calls.map(({ params }) => (sent.length === 1 && params[0] === 1 ? limitedReply : { result: params[0] }));
    },
  };
  const { value } = await finish(sendPaced(endpoint, callsOf(3), { signal, as: 'patient' }));
  expect(value).toEqual([0, 1, 2].map((result) => ({ result })));
  expect(sent).toEqual([[0, 1, 2], [1]]);
});

test('while other nodes can answer, a wait of 100 ms is accepted, and a longer one fails without a request', async () => {
  const { endpoint, sent } = endpointOf({ result: '0x1' });
  endpoint.pace?.limited(101);
  const error = await errorOf(sendPaced(endpoint, callsOf(1), { signal, as: 'impatient' }));
  expect(error).toMatchObject({ limited: true, retryAfterMs: 101 });
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  const work = sendPaced(endpoint, callsOf(1), { signal, as: 'impatient' });
  await vi.advanceTimersByTimeAsync(100);
  expect(await work).toEqual([{ result: '0x1' }]);
});

test('a patient read waits for a pause of six seconds, and fails at a longer one', async () => {
  const refusal = (retryAfterMs: number) => new RpcTransportError('HTTP 429.', { limited: true, retryAfterMs });
  const waits = endpointOf(refusal(6_000), { result: '0x1' });
  expect((await finish(sendPaced(waits.endpoint, callsOf(1), { signal, as: 'patient' }))).ms).toBe(6_000);
  const fails = endpointOf(refusal(6_001), { result: '0x1' });
  expect(await errorOf(sendPaced(fails.endpoint, callsOf(1), { signal, as: 'patient' }))).toBeInstanceOf(
    RpcTransportError,
  );
  expect(fails.sent).toHaveLength(1);
});

test.each([
  ['of the connection', new RpcTransportError('connection refused')],
  ['that is no transport error', new RangeError('wrong')],
])('another failure %s is thrown, and no pause begins', async (_, failure) => {
  const { endpoint } = endpointOf(failure);
  expect(await errorOf(sendPaced(endpoint, callsOf(1), { signal, as: 'patient' }))).toBe(failure);
  expect(endpoint.pace?.heldMs()).toBe(0);
});

test('refused calls do not count as accepted', async () => {
  const accepted: number[] = [];
  const { endpoint } = endpointOf(limitedReply, { result: '0x1' });
  const pace = createPace(Date.now);
  const counting = { ...endpoint, pace: { ...pace, accepted: (units: number) => accepted.push(units) } };
  await finish(sendPaced(counting, callsOf(2), { signal, as: 'patient' }));
  expect(accepted).toEqual([0, 52]);
});

test('an aborted wait for the budget reports that the calls were limited', async () => {
  const { endpoint } = endpointOf({ result: '0x1' });
  endpoint.pace?.limited(5_000);
  for (const as of ['patient', 'settlement'] as const) {
    const aborting = new AbortController();
    const failure = errorOf(sendPaced(endpoint, callsOf(1), { signal: aborting.signal, as }));
    await vi.advanceTimersByTimeAsync(100);
    aborting.abort('deadline');
    const error = await failure;
    expect(error).toMatchObject({ limited: true, message: 'base-1 did not accept the calls in time.' });
    expect(error?.cause).toMatchObject({ cause: 'deadline' });
  }
});

test('an endpoint with its pace sends like `sendPaced`, with the signal of the caller', async () => {
  const signals: AbortSignal[] = [];
  const { endpoint } = endpointOf({ result: '0x1' });
  const spied: RpcEndpoint = {
    ...endpoint,
    send(calls, options) {
      signals.push(options.signal);
      return endpoint.send(calls, options);
    },
  };
  const paced = withPace(spied, 'impatient');
  expect([paced.label, paced.pace]).toEqual(['base-1', undefined]);
  expect(await paced.send(callsOf(2), { signal })).toEqual([{ result: '0x1' }, { result: '0x1' }]);
  expect(signals).toEqual([signal]);
  spied.pace?.limited(1_000);
  await expect(paced.send(callsOf(1), { signal })).rejects.toThrow('has used its budget');
});
