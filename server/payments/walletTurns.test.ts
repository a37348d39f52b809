import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWalletTurns } from './walletTurns.ts';

const settle = async () => {
  for (let n = 0; n < 5; n += 1) await turn();
};

/** A wallet that may have `places` payments in flight; `end` ends one. */
function open({ timeoutMs = 60_000, pollMs = 60_000 } = {}) {
  const turns = createWalletTurns({ timeoutMs, pollMs });
  let [places, asked] = [1, 0];
  const granted: string[] = [];
  const reserve = (name: string, wallet = 'wallet') =>
    turns.reserve(wallet, async () => {
      asked += 1;
      if (places === 0) return { kind: 'full' };
      places -= 1;
      granted.push(name);
      return { kind: 'reserved' };
    });
  return {
    turns,
    reserve,
    granted,
    asked: () => asked,
    end(count = 1) {
      places += count;
      turns.ended('wallet');
    },
  };
}

test('payments of a wallet are reserved in their order, as others of it end', async () => {
  const { reserve, granted, end, asked } = open();
  const waiting = ['a', 'b', 'c', 'd'].map((name) => reserve(name));
  await settle();
  expect(granted).toEqual(['a']);
  end(2);
  await settle();
  expect(granted).toEqual(['a', 'b', 'c']);
  // Only the first that waits repeats its reservation.
  expect(asked()).toBeLessThanOrEqual(8);
  end();
  expect(await Promise.all(waiting)).toEqual(Array(4).fill({ kind: 'reserved' }));
  expect(granted).toEqual(['a', 'b', 'c', 'd']);
});

test('a payment does not overtake those that wait, and another wallet does not wait', async () => {
  const { reserve, granted, end, turns } = open();
  await reserve('a');
  const waiting = [reserve('b')];
  await settle();
  waiting.push(reserve('c'));
  expect(await turns.reserve('other', async () => ({ kind: 'reserved' }))).toEqual({ kind: 'reserved' });
  end();
  await settle();
  expect(granted).toEqual(['a', 'b']);
  end();
  await Promise.all(waiting);
  expect(granted).toEqual(['a', 'b', 'c']);
});

test('a payment that ends during a reservation is not missed', async () => {
  const { turns } = open();
  let attempts = 0;
  const claim = await turns.reserve('wallet', async () => {
    attempts += 1;
    await turn();
    // The second attempt is the first one of the wait.
    if (attempts === 2) turns.ended('wallet');
    return { kind: attempts > 2 ? 'reserved' : 'full' };
  });
  expect(claim).toEqual({ kind: 'reserved' });
});

test('a payment that ended in another replica is seen at the next poll', async () => {
  const { reserve, granted, turns } = open({ pollMs: 5 });
  await reserve('a');
  let isFull = true;
  const waiting = turns.reserve('wallet', async () => ({ kind: isFull ? 'full' : 'reserved' }));
  await settle();
  isFull = false;
  expect(await waiting).toEqual({ kind: 'reserved' });
  expect(granted).toEqual(['a']);
});

test('a wait ends after the patience, on close, and with the fault of a reservation; the next one is not affected', async () => {
  const impatient = open({ timeoutMs: 0 });
  await impatient.reserve('a');
  expect(await impatient.reserve('b')).toEqual({ kind: 'full' });
  impatient.end();
  expect(await impatient.reserve('c')).toEqual({ kind: 'reserved' });

  const closing = open();
  await closing.reserve('a');
  const waiting = [closing.reserve('b'), closing.reserve('c')];
  await settle();
  closing.turns.close();
  expect(await Promise.all(waiting)).toEqual([{ kind: 'full' }, { kind: 'full' }]);

  const failing = open();
  await failing.reserve('a');
  let attempts = 0;
  const faulty = failing.turns.reserve('wallet', async () => {
    attempts += 1;
    if (attempts > 1) throw new Error('no database');
    return { kind: 'full' };
  });
  const next = failing.reserve('b');
  await expect(faulty).rejects.toThrow('no database');
  failing.end();
  expect(await next).toEqual({ kind: 'reserved' });
});
