import { expect, test } from 'vitest';
import { openTemporaryStores } from '../../../tests/support/temporaryStores.ts';

const account = { name: 'eip155:8453|0xfacilitator', from: 7 };
const factsOf = (key: string) => ({
  ...{ key, fingerprint: key, network: 'eip155:8453', payer: '0xPayer', paid: 'quote' },
  ...{ route: 'POST /v1/quote', canonicalInput: '{}', payload: '{}' },
});
const sign = (nonce: number) => ({ hash: `0x${nonce}`, raw: '0x01', nonce, account: account.name, fromBlock: 1n });

test('behavior: the nonce of a settled payment stays reserved while a node may lag', async () => {
  const { ledger, close } = await openTemporaryStores();
  for (const key of ['first', 'second', 'third']) await ledger.claim(factsOf(key));
  expect(await ledger.journalNext(['first'], account, sign)).toMatchObject({ nonce: 7 });
  await ledger.settled('first', 'RESPONSE');
  // A node that is behind still returns 7 as the account's transaction count.
  expect(await ledger.journalNext(['second'], account, sign)).toMatchObject({ nonce: 8 });
  await ledger.refused('second', 'failed');
  expect(await ledger.journalNext(['third'], account, sign)).toMatchObject({ nonce: 9 });
  await close();
});
