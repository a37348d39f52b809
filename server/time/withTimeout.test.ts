import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withTimeout } from './withTimeout.ts';

const silent = createServer(() => undefined);
beforeAll(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});
const request = (signal: AbortSignal) =>
  fetch(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`, { signal });
const never = () => new AbortController().signal;

test('returns the result of work that ends before the timeout', async () => {
  expect(await withTimeout(never(), 10_000, async () => 7)).toBe(7);
});

test('rejects when the outer signal aborts or is already aborted', async () => {
  const outer = new AbortController();
  const waiting = withTimeout(outer.signal, 10_000, request);
  outer.abort(new Error('the caller disconnected'));
  await expect(waiting).rejects.toThrow('the caller disconnected');
  await expect(withTimeout(outer.signal, 10_000, request)).rejects.toThrow('the caller disconnected');
});

test('rejects with TimeoutError after garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const outcomes = Array.from({ length: 50 }, () =>
    withTimeout(never(), 200, request).then(
      () => 'answered',
      (error: Error) => error.name,
    ),
  );
  for (let turn = 0; turn < 10; turn += 1) {
    await sleep(10);
    collectGarbage();
  }
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['TimeoutError']));
});
