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
    patience: { attempts: 2, attemptMs: 1_000, longestWaitMs: 30_000 },
    signal: caller.signal,
    onWait: (waitMs) => {
      waited = waitMs;
      caller.abort();
    },
  });
  return waited;
}

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
