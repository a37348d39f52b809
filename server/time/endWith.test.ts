import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { endWith } from './endWith.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('fires with the outer signal after garbage collection', async () => {
  const closing = new AbortController();
  const ended = new Promise((resolve) => {
    endWith(closing.signal).signal.addEventListener('abort', () => resolve('ended'));
  });
  for (let times = 0; times < 5; times += 1) {
    collectGarbage();
    await sleep(5);
  }
  closing.abort();
  expect(await Promise.race([ended, sleep(2_000, 'never')])).toBe('ended');
});

test('end aborts the signal and removes the listener from the outer signal', () => {
  const { signal: outer } = new AbortController();
  const scope = endWith(outer);
  scope.end();
  expect(scope.signal.aborted).toBe(true);
  expect(outer.aborted).toBe(false);
  expect(getEventListeners(outer, 'abort')).toEqual([]);
});

test('starts aborted when the outer signal is aborted', () => {
  expect(endWith(AbortSignal.abort()).signal.aborted).toBe(true);
});
