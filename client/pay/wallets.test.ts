import { generateKeyPairSigner } from '@solana/kit';
import { createWalletClient, custom } from 'viem';
import { expect, test } from 'vitest';
import { account, base, encode, offerOf, polygon, sessionWith } from './fakeService.ts';
import { toOffer } from './offer.ts';
import { noPayments, sign } from './sign.ts';
import { assertWallets, createPayer, type Wallet } from './wallets.ts';

const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

test('default: finds the scheme of each network that a wallet can pay on', async () => {
  const signer = await generateKeyPairSigner();
  const evm = await createPayer({ wallet: account });
  expect(evm.findScheme(base)).toBeDefined();
  expect(evm.findScheme(polygon)).toBe(evm.findScheme(base));
  expect(evm.findScheme(solana)).toBeUndefined();
  const svm = await createPayer({ wallet: [signer], solanaRpcUrl: 'http://127.0.0.1:1' });
  expect(svm.findScheme(solana)).toBeDefined();
  expect(svm.findScheme(base)).toBeUndefined();
  const both = await createPayer({ wallet: [account, signer] });
  expect(both.findScheme(solana)).not.toBe(both.findScheme(base));
  expect((await createPayer({ wallet: [] })).findScheme(base)).toBeUndefined();
});

test('default: pays more than 1 USD, which the published client limits by default', async () => {
  const { session } = sessionWith(() => undefined, { spendLimit: { perCallUsd: 3 } });
  const accepts = offerOf([base]).accepts.map((option) => ({ ...option, amount: '3000000' }));
  const offer = toOffer(encode({ ...offerOf([]), accepts }));
  if (!offer) throw new Error('The offer cannot be decoded.');
  expect((await sign(session, offer, { firstCallFree: false, earlier: noPayments })).units).toBe(3_000_000);
});

test('default: a wallet client signs with its account', async () => {
  const requests: string[] = [];
  const transport = custom({
    request: async ({ method, params }: { method: string; params: [string, string] }) => {
      requests.push(`${method} ${params[0]}`);
      return account.signTypedData(JSON.parse(params[1]));
    },
  });
  const wallet = createWalletClient({ account: account.address, transport });
  const { session } = sessionWith(() => undefined, { wallet });
  const offer = toOffer(encode(offerOf([base])));
  if (!offer) throw new Error('The offer cannot be decoded.');
  await sign(session, offer, { firstCallFree: false, earlier: noPayments });
  expect(requests).toEqual([`eth_signTypedData_v4 ${account.address}`]);
});

test('error: TypeError for a wallet client without an account, and for a value that cannot sign', async () => {
  const wallet = createWalletClient({ transport: custom({ request: async () => null }) });
  await expect(createPayer({ wallet: wallet as Wallet })).rejects.toThrow('The wallet client has no account.');
  for (const [value, type] of [
    [null, 'null'],
    ['0xkey', 'string'],
    [undefined, 'undefined'],
    [[account, {}], 'object'],
    [() => undefined, 'function'],
  ] as const)
    expect(() => assertWallets(value)).toThrow(`signer of @solana/kit, got ${type}. From a private key`);
  for (const value of [account, [account], [], { signTransactions: () => undefined }]) assertWallets(value);
});
