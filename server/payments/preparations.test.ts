import { expect, test } from 'vitest';
import type { NetworkPayment } from './paymentNetwork.ts';
import { createPreparations } from './preparations.ts';

type Task = Parameters<NetworkPayment['settle']>[0];
type Shortage = Awaited<ReturnType<Task['checkFunds']>>;

/** A payment whose settlement only checks the funds. */
const payment = {
  settle: async ({ checkFunds }: Task) => {
    await checkFunds();
    return { kind: 'unknown' };
  },
} as unknown as NetworkPayment;

function opened(paying: readonly string[]) {
  const preparations = createPreparations({
    has: async (wallet) => paying.includes(wallet),
    add: () => undefined,
  });
  /** Settles one payment of the wallet. Returns how often it prepared. */
  const settle = async (wallet: string, shortage?: Shortage) => {
    let prepared = 0;
    const beside = preparations.beside(payment, wallet, () => {
      prepared += 1;
    });
    await beside.settle({ checkFunds: async () => shortage } as Task);
    await new Promise((resolve) => setImmediate(resolve));
    return prepared;
  };
  return { preparations, settle };
}

test('a paying wallet with the funds prepares once', async () => {
  const { settle } = opened(['a']);
  expect(await settle('a')).toBe(1);
});

test('a wallet without a settled payment prepares nothing', async () => {
  const { settle } = opened([]);
  expect(await settle('a')).toBe(0);
});

test('a payment without the funds prepares nothing', async () => {
  const { settle } = opened(['a']);
  const shortage = { kind: 'refused', reason: 'insufficient_funds', detail: '' } as Shortage;
  expect(await settle('a', shortage)).toBe(0);
});

test('a wallet whose payments fail prepares once for each payment that settled', async () => {
  const { preparations, settle } = opened(['a', 'b']);
  const counts: number[] = [];
  for (let failed = 0; failed < 20; failed += 1) counts.push(await settle('a'));
  expect(counts).toEqual([1, ...Array.from({ length: 19 }, () => 0)]);
  expect(await settle('b')).toBe(1);
  preparations.settled('a');
  expect(await settle('a')).toBe(1);
  expect(await settle('a')).toBe(0);
});
