import { expect, test } from 'vitest';
import { type Attempt, send } from './send.ts';

/** The wait before the second attempt, after a 503 with this Retry-After. */
async function waitAfter(retryAfter: string | undefined): Promise<number | undefined> {
  const caller = new AbortController();
  let waited: number | undefined;
  await send({
    fetch: async () => new Response('{}', { status: 503, headers: retryAfter ? { 'retry-after': retryAfter } : {} }),
    url: 'http://service.test/v1/quote',
    body: '{}',
    paymentSignature: 'signed',
    retry: { attempts: 2, attemptMs: 1_000, longestWaitMs: 30_000 },
    signal: caller.signal,
    onWait: (waitMs) => {
      waited = waitMs;
      caller.abort();
    },
  });
  return waited;
}

async function attemptsAfter(status: number, paymentSignature?: string): Promise<(string | null)[]> {
  const signatures: (string | null)[] = [];
  await send({
    fetch: async (_url, init) => {
      signatures.push(new Headers(init?.headers).get('payment-signature'));
      return new Response('<html>', { status, headers: { 'retry-after': '0' } });
    },
    url: 'http://service.test/v1/quote',
    body: '{}',
    ...(paymentSignature !== undefined && { paymentSignature }),
    retry: { attempts: 3, attemptMs: 1_000, longestWaitMs: 1_000 },
  });
  return signatures;
}

test.each([
  [500, 1],
  [502, 1],
  [503, 3],
  [504, 1],
])('behavior: after %s sends the same signature again, and an unsigned request %s times', async (status, unsigned) => {
  expect(await attemptsAfter(status, 'signed')).toEqual(['signed', 'signed', 'signed']);
  expect(await attemptsAfter(status)).toEqual(Array(unsigned).fill(null));
});

test('behavior: waits before each further attempt', async () => {
  const times: number[] = [];
  await send({
    fetch: async () => {
      times.push(performance.now());
      return new Response('{}', { status: 503 });
    },
    url: 'http://service.test/v1/quote',
    body: '{}',
    retry: { attempts: 3, attemptMs: 1_000, longestWaitMs: 50 },
    signal: new AbortController().signal,
  });
  const [first = 0, second = 0, third = 0] = times;
  // A timer may fire a millisecond early.
  expect(second - first).toBeGreaterThan(45);
  expect(third - second).toBeGreaterThan(45);
});

test('behavior: an abort during an attempt ends the retries without a wait', async () => {
  const caller = new AbortController();
  const waits: number[] = [];
  const result = await send({
    fetch: async () => {
      caller.abort();
      return new Response('{}', { status: 503 });
    },
    url: 'http://service.test/v1/quote',
    body: '{}',
    retry: { attempts: 3, attemptMs: 1_000, longestWaitMs: 50 },
    signal: caller.signal,
    onWait: (waitMs) => waits.push(waitMs),
  });
  expect(result).toMatchObject({ kind: 'response', status: 503 });
  expect(waits).toEqual([]);
});

test('behavior: returns at once when the caller aborts during the wait', async () => {
  const startedAt = performance.now();
  expect(await waitAfter('30')).toBe(30_000);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

test.each([
  ['0', 0],
  ['7', 7_000],
  ['30', 30_000],
  ['31', 30_000],
  ['86400', 30_000],
  ['-1', 1_000],
  ['soon', 1_000],
  [undefined, 1_000],
])('behavior: after Retry-After %s waits %s ms', async (retryAfter, waitMs) => {
  expect(await waitAfter(retryAfter)).toBe(waitMs);
});

const redirect = (location: string | undefined, status = 308) =>
  new Response('', { status, headers: location === undefined ? {} : { location } });

async function sendOnceTo(response: Response, paymentSignature?: string) {
  const inits: (RequestInit | undefined)[] = [];
  const sent = send({
    fetch: async (_url, init) => {
      inits.push(init);
      return response;
    },
    url: 'http://service.test/v1/quote',
    body: '{"a":1}',
    ...(paymentSignature !== undefined && { paymentSignature }),
    retry: { attempts: 3, attemptMs: 1_000, longestWaitMs: 0 },
  });
  return { result: await sent.catch((error: unknown) => error), inits };
}

test('default: posts the body as JSON, with a signature only if there is one, and follows no redirect', async () => {
  const { result, inits } = await sendOnceTo(new Response('{"b":2}'), 'signed');
  expect(result).toMatchObject({ kind: 'response', status: 200, body: { b: 2 } });
  expect(inits).toMatchObject([{ method: 'POST', body: '{"a":1}', redirect: 'manual' }]);
  expect(inits[0]?.headers).toEqual({ 'content-type': 'application/json', 'payment-signature': 'signed' });
  expect((await sendOnceTo(new Response('{}'))).inits[0]?.headers).toEqual({ 'content-type': 'application/json' });
});

test.each([
  ['http://other.test/v1/quote', 'other.test'],
  ['https://service.test:8443/', 'service.test:8443'],
  ['/elsewhere', 'service.test'],
  ['http://[', 'another address'],
])('error: a redirect to %s names the host, and is not retried', async (location, host) => {
  const unpaid = await sendOnceTo(redirect(location));
  expect(unpaid.inits).toHaveLength(1);
  expect(String(unpaid.result)).toBe(
    `UnexpectedAnswerError: service.test redirects to ${host}. Nothing was signed. The client follows no redirects. If you trust the target, set it as the service's url.`,
  );
  const withPayment = await sendOnceTo(redirect(location, 301), 'signed');
  expect(String(withPayment.result)).toContain(`service.test redirects to ${host}. The client follows no redirects.`);
});

test.each([300, 399])('error: status %s with a Location is a redirect', async (status) => {
  expect(String((await sendOnceTo(redirect('http://other.test/', status))).result)).toContain(
    'redirects to other.test.',
  );
});

test('error: a redirect whose target a browser hides is recognized by its type', async () => {
  const hidden = new Response('');
  Object.defineProperty(hidden, 'type', { value: 'opaqueredirect' });
  expect(String((await sendOnceTo(hidden)).result)).toContain('redirects to another address.');
});

test('behavior: a Location outside of a redirect has no effect', async () => {
  for (const status of [200, 201, 299, 400, 402]) {
    const response = new Response('{}', { status, headers: { location: 'http://other.test/' } });
    expect((await sendOnceTo(response)).result).toMatchObject({ kind: 'response', status });
  }
  const plain = await sendOnceTo(new Response('{}', { status: 300 }));
  expect(plain.result).toMatchObject({ kind: 'response', status: 300 });
});

test('error: UnexpectedAnswerError for a page below 500; a page of an outage has no body', async () => {
  const page = () => new Response('<html>', { status: 499 });
  const { result: notJson } = await sendOnceTo(page());
  expect(String(notJson)).toContain('(499) is not JSON. Nothing was signed.');
  expect(notJson).toMatchObject({ cause: { name: 'SyntaxError' } });
  expect(String((await sendOnceTo(page(), 'signed')).result)).toContain('(499) is not JSON. Is this the address');
  const outage = await sendOnceTo(new Response('<html>', { status: 500 }));
  expect(outage.result).toMatchObject({ kind: 'response', status: 500, body: undefined });
});

test('behavior: ends the retries early, also at the first of one attempt, but not after a final response', async () => {
  const run = async (status: number, attempts: number) => {
    const seen: Attempt[] = [];
    let requests = 0;
    await send({
      fetch: async () => {
        requests += 1;
        return new Response('{}', { status, headers: { 'retry-after': '0' } });
      },
      url: 'http://service.test/v1/quote',
      body: '{}',
      paymentSignature: 'signed',
      retry: { attempts, attemptMs: 1_000, longestWaitMs: 0 },
      endsEarly: async (attempt) => seen.push(attempt) === 2,
    });
    return { requests, seen: seen.length };
  };
  expect(await run(503, 5)).toEqual({ requests: 2, seen: 2 });
  expect(await run(503, 1)).toEqual({ requests: 1, seen: 1 });
  expect(await run(402, 5)).toEqual({ requests: 1, seen: 0 });
});

test('behavior: a lost connection is retried with growing waits, and is the result of the last attempt', async () => {
  const waits: number[] = [];
  const fault = new TypeError('fetch failed');
  const result = await send({
    fetch: () => Promise.reject(fault),
    url: 'http://service.test/v1/quote',
    body: '{}',
    retry: { attempts: 4, attemptMs: 1_000, longestWaitMs: 3 },
    onWait: (waitMs) => waits.push(waitMs),
  });
  expect(result).toEqual({ kind: 'lost', cause: fault });
  expect(waits).toEqual([3, 3, 3]);
});

test('behavior: an attempt ends at its timeout, or when the caller aborts', async () => {
  const hanging: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  const call = { fetch: hanging, url: 'http://service.test/', body: '{}' };
  const late = await send({ ...call, retry: { attempts: 1, attemptMs: 10, longestWaitMs: 0 } });
  expect(late).toMatchObject({ kind: 'lost', cause: { name: 'TimeoutError' } });
  const caller = new AbortController();
  setTimeout(() => caller.abort(), 5);
  const retry = { attempts: 3, attemptMs: 60_000, longestWaitMs: 60_000 };
  const aborted = await send({ ...call, retry, signal: caller.signal });
  expect(aborted).toMatchObject({ kind: 'lost', cause: { name: 'AbortError' } });
});
