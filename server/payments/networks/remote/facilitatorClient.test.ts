import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFacilitatorClient } from './facilitatorClient.ts';

const silent = createServer(() => undefined);
beforeAll(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});
const open = () =>
  createFacilitatorClient(
    { url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` },
    { facilitatorTimeoutMs: 200, facilitatorSettleTimeoutMs: 200 },
  );
const request = { x402Version: 2, paymentPayload: {}, paymentRequirements: {} } as const;
const nameOf = (error: Error) => error.name;

test('error: FacilitatorUnansweredError when a facilitator hangs, also with garbage collections meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { signal } = new AbortController();
  const client = open();
  const outcomes = Array.from({ length: 30 }, (_, n) =>
    (n % 2 === 0 ? client.verify(request, signal) : client.settle(request, signal)).then(() => 'answered', nameOf),
  );
  for (let turn = 0; turn < 10; turn += 1) {
    await sleep(10);
    collectGarbage();
  }
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['FacilitatorUnansweredError']));
});

test('behavior: an abort by the caller ends the request before the timeout', async () => {
  const caller = new AbortController();
  const outcome = open()
    .settle(request, caller.signal)
    .then(() => 'answered', nameOf);
  caller.abort();
  expect(await outcome).toBe('FacilitatorUnansweredError');
});
