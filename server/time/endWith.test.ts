import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { endWith } from './endWith.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('default: it fires with its outer one, whatever was collected meanwhile', async () => {
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

test('behavior: ended by itself, it lets go of its outer one', () => {
  const { signal: outer } = new AbortController();
  const watching = endWith(outer);
  watching.end();
  expect(watching.signal.aborted).toBe(true);
  expect(outer.aborted).toBe(false);
  expect(getEventListeners(outer, 'abort')).toEqual([]);
});

test('behavior: with an outer one that has fired, it has fired', () => {
  expect(endWith(AbortSignal.abort()).signal.aborted).toBe(true);
});
