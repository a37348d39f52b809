import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  openScripted,
  refuseScripted,
  type Scripted,
  terms,
  transactionOf,
  undecodable,
} from '../../tests/support/scriptedNetwork.ts';
import { ChainUnreachableError } from './chainCall.ts';
import type { LateStatus } from './facilitator.ts';
import { recheckRefused } from './recheckRefused.ts';
import { settledResponse } from './refusals.ts';

let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
});
afterEach(() => opened.close());

const stateOf = async (key: string) => (await opened.ledger.load(key))?.state;
const levels = () => opened.lines.map(({ level }) => level);

const refuseSent = (key: string, changes = {}) => refuseScripted(opened, key, changes);

beforeEach(() => {
  opened.context.timings = { ...opened.context.timings, reconcileMs: 60_000 };
});
const statuses = (all: Record<string, LateStatus>) => {
  opened.network.readLateStatus = async (key) => all[key] ?? { kind: 'open' };
};
const isDue = async () => {
  await opened.stores.database.write((sql) =>
    sql.updateTable('payments').set({ look_at: 0 }).where('look_at', 'is not', null).execute(),
  );
  return (await opened.ledger.takeRefused(99, 0)).map(({ key }) => key).toSorted();
};

test('a payment that has paid becomes a credit and is watched; an expired one is done; an open one stays due', async () => {
  for (const key of ['paid', 'expired', 'open']) await refuseSent(key);
  statuses({ paid: { kind: 'settled', transaction: '0xlate' }, expired: { kind: 'expired' } });
  const sent: unknown[] = [];
  const { readLateStatus } = opened.network;
  opened.network.readLateStatus = (key, transactions) => {
    sent.push(...transactions);
    return readLateStatus(key, transactions);
  };
  await recheckRefused(opened.context);
  expect(sent).toHaveLength(3);
  expect(await opened.ledger.load('paid')).toMatchObject({
    state: 'settled',
    paymentResponse: settledResponse(terms.network, '0xlate', '0xPayer'),
  });
  expect(opened.network.watched).toEqual([
    { key: 'paid', paid: { transaction: '0xlate', sent: [transactionOf('paid')] } },
  ]);
  expect(levels()).toEqual(['warn']);
  expect(await isDue()).toEqual(['open']);
});

test('a payment that a client settles again in the meantime is not counted twice', async () => {
  await refuseSent('paid');
  opened.network.readLateStatus = async () => {
    await opened.claim('paid');
    return { kind: 'settled', transaction: '0xlate' };
  };
  await recheckRefused(opened.context);
  expect(await stateOf('paid')).toBe('refused');
  expect(opened.network.watched).toEqual([]);
  expect(levels()).toEqual([]);
});

test('a payment whose status cannot be read, or that cannot be decoded, stays due: it may have paid', async () => {
  await refuseSent('unread');
  await refuseSent('undecodable', undecodable);
  await refuseSent('elsewhere', { network: 'eip155:10' });
  opened.network.readLateStatus = () => Promise.reject(new ChainUnreachableError('No node answered.'));
  await recheckRefused(opened.context);
  expect(opened.lines.map(({ level, facts }) => [level, facts]).toSorted()).toEqual([
    ['error', expect.objectContaining({ payment: 'undecodable' })],
    ['warn', { network: terms.network, cause: 'No node answered.' }],
  ]);
  expect(await isDue()).toEqual(['elsewhere', 'undecodable', 'unread']);
});

test('one failure is thrown after all other payments were rechecked', async () => {
  for (const key of ['failing', 'expired']) await refuseSent(key);
  opened.network.readLateStatus = async (key) => {
    if (key === 'failing') throw new RangeError('of the code');
    await new Promise(setImmediate);
    return { kind: 'expired' };
  };
  await expect(recheckRefused(opened.context)).rejects.toThrow('of the code');
  expect(await isDue()).toEqual(['failing']);
});

test('rechecks at most 64 payments in a round, and ends early without more', async () => {
  for (let index = 0; index < 70; index += 1) await refuseSent(`key ${index}`);
  let reads = 0;
  opened.network.readLateStatus = async () => {
    reads += 1;
    return { kind: 'open' };
  };
  let taken = 0;
  const { takeRefused } = opened.ledger;
  opened.context.ledger.takeRefused = (most, pauseMs) => {
    taken += 1;
    return takeRefused(most, pauseMs);
  };
  await recheckRefused(opened.context);
  expect([reads, taken]).toEqual([64, 4]);
  await recheckRefused(opened.context);
  expect([reads, taken]).toEqual([70, 5]);
});
