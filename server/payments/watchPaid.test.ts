import { afterEach, beforeEach, expect, test } from 'vitest';
import { openScripted, type Scripted, terms } from '../../tests/support/scriptedNetwork.ts';
import { settledResponse } from './refusals.ts';
import { watchPaid } from './watchPaid.ts';

let opened: Scripted;
beforeEach(async () => {
  opened = await openScripted();
});
afterEach(() => opened.close());

const transactionOf = (hash: string) => ({ hash, raw: `raw of ${hash}`, nonce: 1, fromBlock: 1n });
const undecodable = { payload: '{"version":1}' };

/** Journals a transaction for a claimed payment. */
async function send(key: string, changes = {}): Promise<void> {
  await opened.claim(key, changes);
  await opened.ledger.journal(key, transactionOf(key));
}

test('watches the payments that were paid in the ten minutes before the start', async () => {
  const paid = async (key: string, changes = {}) => {
    await send(key, changes);
    await opened.ledger.settled(key, settledResponse(terms.network, `hash of ${key}`, '0xPayer'));
  };
  await paid('old');
  opened.clock.time += 1;
  await paid('recent');
  await paid('undecodable', undecodable);
  await paid('elsewhere', { network: 'eip155:10' });
  opened.clock.time += 599_999;
  await watchPaid(opened.context);
  expect(opened.network.watched).toEqual([
    { key: 'recent', paid: { transaction: 'hash of recent', sent: [transactionOf('recent')] } },
  ]);
  expect(opened.lines).toMatchObject([{ level: 'error', facts: { payment: 'undecodable' } }]);
});

test('an error of the code is not taken for an undecodable payload', async () => {
  await send('recent');
  await opened.ledger.settled('recent', settledResponse(terms.network, '0x01', '0xPayer'));
  opened.network.read = () => {
    throw new RangeError('of the code');
  };
  await expect(watchPaid(opened.context)).rejects.toThrow('of the code');
});
