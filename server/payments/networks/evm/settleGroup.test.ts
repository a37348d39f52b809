import { concat, numberToHex, pad } from 'viem';
import { expect, test } from 'vitest';
import { LedgerOrderError } from '../../ledger/ledgerOrderError.ts';
import { resultBytes } from './groupCall.ts';
import { createGroupSettlement, type Member } from './settleGroup.ts';

type GroupDependencies = Parameters<typeof createGroupSettlement>[0];

/** One call of a simulated group: success, 60,000 gas, size of the payer's code, nothing returned. */
const trialOf = (codeBytes: number) =>
  pad(concat([1, 60_000, codeBytes, 0].map((value) => numberToHex(value, { size: 32 }))), {
    size: resultBytes,
    dir: 'right',
  });

function memberOf(index: number): Member {
  const signature = `0x${'11'.repeat(65)}`;
  const account = pad(numberToHex(index), { size: 20 });
  const payment = {
    from: account,
    to: account,
    value: 1n,
    validAfter: 0n,
    validBefore: 1n,
    nonce: pad('0x1'),
    signature,
  };
  const task = { key: `payment ${index}`, payment, terms: { amount: '20000' }, checkFunds: async () => undefined };
  return { task, spending: { held: 0n, lost: new Map() } } as unknown as Member;
}

test('a payment that belongs to another replica rejects alone, and the others of its group resolve', async () => {
  const [contractWallet, eoa] = [memberOf(1), memberOf(2)];
  const refused = { kind: 'refused', reason: 'invalid_payload' } as const;
  const settle = createGroupSettlement({
    network: 'eip155:8453',
    node: {
      asset: pad('0x1', { size: 20 }),
      account: pad('0x2', { size: 20 }),
      chain: { callAllVerified: async () => [concat([trialOf(23), trialOf(0)])] },
    },
    verifier: { check: async () => undefined },
    costs: { read: async () => ({ kind: 'unreadable', what: 'the price' }) },
    sender: { readFees: async () => ({ timestamp: BigInt(Math.floor(Date.now() / 1000)) }) },
    sendAlone: async (member: Member) => {
      if (member === eoa) throw new LedgerOrderError('Payment 2 belongs to another replica.');
      return refused;
    },
  } as unknown as GroupDependencies);
  const { results } = await settle([contractWallet, eoa]);
  expect(await Promise.allSettled(results)).toEqual([
    { status: 'fulfilled', value: refused },
    { status: 'rejected', reason: expect.any(LedgerOrderError) },
  ]);
});

/** Settles a group of three plain keys. Returns its results, the keys of the sent group and the price that caps its gas. */
async function settleThree({ amounts, shortageOf }: { amounts: readonly string[]; shortageOf?: number }) {
  const shortage = { kind: 'refused', reason: 'insufficient_funds', detail: 'Too little.' } as const;
  const members = [1, 2, 3].map((index) => {
    const member = memberOf(index);
    const checkFunds = async () => (index === shortageOf ? shortage : undefined);
    return {
      ...member,
      task: { ...member.task, terms: { amount: amounts[index - 1] }, checkFunds },
    } as unknown as Member;
  });
  const prices: bigint[] = [];
  const sent: string[][] = [];
  const settle = createGroupSettlement({
    network: 'eip155:8453',
    node: {
      chainId: 8453,
      asset: pad('0x1', { size: 20 }),
      account: pad('0x2', { size: 20 }),
      chain: { callAllVerified: async () => [concat([trialOf(0), trialOf(0), trialOf(0)])] },
    },
    verifier: { check: async () => undefined },
    costs: { read: async () => ({ kind: 'read' }) },
    preparer: {
      limitCost: (_cost: unknown, { price }: { price: bigint }) => {
        prices.push(price);
        return { kind: 'fits', fees: {} };
      },
    },
    follower: { ended: async () => undefined },
    onEvent: () => undefined,
    sender: {
      readFees: async () => ({ timestamp: BigInt(Math.floor(Date.now() / 1000)) }),
      send: async (_call: unknown, keys: string[]) => {
        sent.push(keys);
        return { hash: '0x01' };
      },
    },
  } as unknown as GroupDependencies);
  const { results } = await settle(members);
  return { results: await Promise.all(results), sent, prices };
}

test('a payment of a wallet that cannot afford it is left out of the group', async () => {
  const { results, sent } = await settleThree({ amounts: ['20000', '20000', '20000'], shortageOf: 2 });
  expect(results[1]).toMatchObject({ reason: 'insufficient_funds' });
  expect(sent).toEqual([['payment 1', 'payment 3']]);
});

test('the cheapest call of a group limits the gas of each of its payments', async () => {
  expect((await settleThree({ amounts: ['50000', '20000', '90000'] })).prices).toEqual([60_000n]);
});
