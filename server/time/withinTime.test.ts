import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withinTime } from './withinTime.ts';

const silent = createServer(() => undefined);
beforeAll(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});
const ask = (signal: AbortSignal) => fetch(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`, { signal });
const never = () => new AbortController().signal;

test('default: work that ends in time gives its result', async () => {
  expect(await withinTime(never(), 10_000, async () => 7)).toBe(7);
});

test('behavior: the outer signal ends the work, also when it had fired before', async () => {
  const outer = new AbortController();
  const waiting = withinTime(outer.signal, 10_000, ask);
  outer.abort(new Error('the caller left'));
  await expect(waiting).rejects.toThrow('the caller left');
  await expect(withinTime(outer.signal, 10_000, ask)).rejects.toThrow('the caller left');
});

test('error: TimeoutError: the limit comes also when memory is swept in between', async () => {
  setFlagsFromString('--expose-gc');
  const sweep = runInNewContext('gc') as () => void;
  const outcomes = Array.from({ length: 50 }, () =>
    withinTime(never(), 200, ask).then(
      () => 'answered',
      (error: Error) => error.name,
    ),
  );
  for (let turn = 0; turn < 10; turn += 1) {
    await sleep(10);
    sweep();
  }
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['TimeoutError']));
});
