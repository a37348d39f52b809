import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createScriptedNetwork,
  openScripted,
  type Scripted,
  sendScripted,
  transactionOf,
  undecodable,
} from '../../tests/support/scriptedNetwork.ts';
import { recoverUnfinished } from './recoverUnfinished.ts';
import { startSettlement } from './settlement.ts';

let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
});
afterEach(() => opened.close());

const stateOf = async (key: string) => (await opened.ledger.load(key))?.state;

const send = (key: string, changes = {}) => sendScripted(opened, key, changes);

test('refuses payments that were never sent, broadcasts the others again and settles them', async () => {
  await opened.claim('claimed');
  await send('sent');
  await recoverUnfinished(opened.context);
  expect(await stateOf('claimed')).toBe('refused');
  expect(opened.network.resent).toEqual([transactionOf('sent')]);
  await opened.context.settlements.get('sent')?.result;
  expect(await stateOf('sent')).toBe('settled');
  expect(opened.network.calls).toEqual(['settle']);
  expect(opened.lines).toContainEqual(
    expect.objectContaining({ message: 'Recovered unfinished payments', facts: { followed: 1 } }),
  );
});

test('without unfinished payments nothing is broadcast or logged', async () => {
  await recoverUnfinished(opened.context);
  expect(opened.network.resent).toEqual([]);
  expect(opened.lines).toEqual([]);
});

test('leaves payments that this process is settling', async () => {
  await opened.claim('claimed');
  await send('sent');
  for (const key of ['claimed', 'sent']) {
    opened.context.settlements.set(
      key,
      startSettlement('f', () => new Promise(() => undefined)),
    );
  }
  await recoverUnfinished(opened.context);
  expect([await stateOf('claimed'), await stateOf('sent')]).toEqual(['claimed', 'sent']);
  expect(opened.network.resent).toEqual([]);
});

test('leaves a payment whose settlement ended while the rows were read', async () => {
  await opened.claim('claimed');
  const { settlements, ledger } = opened.context;
  settlements.set(
    'claimed',
    startSettlement('f', () => new Promise(() => undefined)),
  );
  const { takeOverUnfinished } = ledger;
  ledger.takeOverUnfinished = async () => {
    const rows = await takeOverUnfinished();
    settlements.delete('claimed');
    return rows;
  };
  await recoverUnfinished(opened.context);
  expect(await stateOf('claimed')).toBe('claimed');
});

test('does not settle a payment twice that a client sent again during the broadcast', async () => {
  await send('sent');
  const settlement = startSettlement('f', () => new Promise(() => undefined));
  opened.network.resend = async () => void opened.context.settlements.set('sent', settlement);
  await recoverUnfinished(opened.context);
  expect(opened.context.settlements.get('sent')).toBe(settlement);
  expect(opened.network.calls).toEqual([]);
});

test('each network broadcasts its own transactions', async () => {
  const polygon = createScriptedNetwork('eip155:137');
  opened.context.paymentNetworks = new Map([...opened.context.paymentNetworks, ['eip155:137', polygon]]);
  await send('base');
  await send('polygon', { network: 'eip155:137' });
  await recoverUnfinished(opened.context);
  expect(opened.network.resent.map(({ hash }) => hash)).toEqual(['base']);
  expect(polygon.resent.map(({ hash }) => hash)).toEqual(['polygon']);
  await Promise.all([...opened.context.settlements.values()].map(({ result }) => result));
});

test.each([
  ['a network that is not configured', { network: 'eip155:10' }],
  ['a product that is not sold', { paid: 'pretrade' }],
  ['a payload that this version cannot decode', undecodable],
])('a payment with %s is logged and stays sent', async (_, changes) => {
  await send('left', changes);
  await send('next');
  await recoverUnfinished(opened.context);
  expect(opened.lines[0]).toMatchObject({ level: 'error', facts: { payment: 'left' } });
  expect(await stateOf('left')).toBe('sent');
  await opened.context.settlements.get('next')?.result;
  expect(await stateOf('next')).toBe('settled');
});

test('an error of the code is not taken for an undecodable payload', async () => {
  await send('sent');
  opened.network.read = () => {
    throw new RangeError('of the code');
  };
  await expect(recoverUnfinished(opened.context)).rejects.toThrow('of the code');
});

test('a payment that ended during the recovery is no error; an outage of the ledger is', async () => {
  await opened.claim('claimed');
  const { refused } = opened.ledger;
  opened.context.ledger.refused = async (key, reason) => {
    await opened.ledger.settled(key, 'RESPONSE');
    return refused(key, reason);
  };
  await recoverUnfinished(opened.context);
  expect(await stateOf('claimed')).toBe('settled');
  await opened.claim('next');
  opened.context.ledger.refused = () => Promise.reject(new Error('PostgreSQL does not answer.'));
  await expect(recoverUnfinished(opened.context)).rejects.toThrow('PostgreSQL does not answer.');
});
