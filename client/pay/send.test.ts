import { expect, test } from 'vitest';
import { send } from './send.ts';

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
