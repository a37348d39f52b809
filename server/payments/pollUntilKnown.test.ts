import { expect, test } from 'vitest';
import { ChainUnreachableError, JsonRpcError } from './chainCall.ts';
import { pollUntilKnown } from './pollUntilKnown.ts';

const network = 'eip155:8453';

/** Polls with these results, one after another. */
function poll(results: readonly (() => string | undefined)[], abort = new AbortController()) {
  const warnings: object[] = [];
  const logger = { info: () => {}, warn: (facts: object) => void warnings.push(facts), error: () => {} };
  let reads = 0;
  const read = async () => {
    const result = results[reads];
    reads += 1;
    return result?.();
  };
  const known = pollUntilKnown(read, { signal: abort.signal, logger, network });
  return { known, warnings, abort, count: () => reads };
}
const throws = (error: Error) => () => {
  throw error;
};

test('polls until the result is known, also through errors of the nodes', async () => {
  const { known, warnings, count } = poll([
    throws(new ChainUnreachableError('No node answered.')),
    throws(new JsonRpcError(-32_000, 'header not found', undefined)),
    () => undefined,
    () => 'settled',
  ]);
  expect(await known).toBe('settled');
  expect(count()).toBe(4);
  expect(warnings).toEqual([
    { network, cause: 'No node answered.' },
    { network, cause: 'The node returned JSON-RPC error -32000.' },
  ]);
});

test('pauses between polls, first for a block of the fastest chain and then longer', async () => {
  const begun = performance.now();
  expect(await poll([() => undefined, () => undefined, () => 'settled']).known).toBe('settled');
  expect(performance.now() - begun).toBeGreaterThan(590);
});

test('an error of the code ends the poll', async () => {
  const { known, warnings } = poll([throws(new RangeError('of the code'))]);
  await expect(known).rejects.toThrow('of the code');
  expect(warnings).toEqual([]);
});

test('is undefined when the service closes, before and during a read and in a pause', async () => {
  const closed = new AbortController();
  closed.abort();
  const before = poll([() => 'settled'], closed);
  expect(await before.known).toBeUndefined();
  expect(before.count()).toBe(0);

  const abort = new AbortController();
  const during = poll(
    [
      () => {
        abort.abort();
        throw new RangeError('the connection was closed');
      },
    ],
    abort,
  );
  expect(await during.known).toBeUndefined();
  expect(during.warnings).toEqual([]);

  const begun = performance.now();
  const pausing = poll([() => undefined, () => 'settled']);
  setImmediate(() => pausing.abort.abort());
  expect(await pausing.known).toBeUndefined();
  expect(pausing.count()).toBe(1);
  expect(performance.now() - begun).toBeLessThan(900);
});
