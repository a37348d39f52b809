import { authorizationTypes } from '@x402/evm';
import { encodeFunctionData, hashTypedData, pad, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { createScriptedChain, type ScriptedResult } from '../../../../tests/support/scriptedChain.ts';
import { domain, keyOf, payTo } from '../../../../tests/support/signedPayments.ts';
import { ChainUnreachableError, JsonRpcError } from '../../chainCall.ts';
import { domainSeparator, type SignedAuthorization } from './authorization.ts';
import { checkSignature, isSignedByKey } from './checkSignature.ts';

const account = privateKeyToAccount(keyOf(1));
const separator = domainSeparator(domain);
const message = {
  from: account.address,
  to: payTo,
  value: 20_000n,
  validAfter: 0n,
  validBefore: 1_900_000_000n,
  nonce: pad('0x7'),
};
const typedData = { domain, types: authorizationTypes, primaryType: 'TransferWithAuthorization', message } as const;
const sign = async (change: Partial<SignedAuthorization> = {}): Promise<SignedAuthorization> => ({
  ...message,
  signature: await account.signTypedData(typedData),
  ...change,
});
const magic = `0x1626ba7e${'0'.repeat(56)}`;
/** Checks a payment of a contract wallet, whose owner signed something that is no key's signature. */
async function checkWallet(results: Record<string, ScriptedResult>, change: Partial<SignedAuthorization> = {}) {
  const { chain, requests } = createScriptedChain({ eth_getCode: '0x6001', ...results });
  const payment = { ...message, signature: '0xabcd', ...change } as const;
  return { outcome: await checkSignature(chain.call, separator, payment), requests, payment };
}
const rejected = {
  kind: 'invalid',
  reason: 'invalid_exact_evm_signature',
  detail: `The contract wallet ${account.address} rejects the signature (ERC-1271). Sign the authorization again with its owner.`,
};

test("accepts the signature of the payer's key without a request", async () => {
  const { chain, requests } = createScriptedChain({});
  const payment = await sign();
  expect(await checkSignature(chain.call, separator, payment)).toEqual({ kind: 'valid' });
  expect(isSignedByKey(separator, payment)).toBe(true);
  expect(requests).toEqual([]);
});

test.each([
  ['another payer', { from: payTo }],
  ['another amount', { value: 20_001n }],
  ['another nonce', { nonce: pad('0x8') }],
])('a signature of a key is not valid for %s', async (_name, change) => {
  const payment = await sign(change);
  expect(isSignedByKey(separator, payment)).toBe(false);
  expect(isSignedByKey(separator, payment)).toBe(false);
  const { chain } = createScriptedChain({ eth_getCode: '0x' });
  expect(await checkSignature(chain.call, separator, payment)).toMatchObject({
    kind: 'invalid',
    reason: 'invalid_exact_evm_signature',
    detail: expect.stringContaining(`The signature is not by ${payment.from} for this authorization.`),
  });
});

test("a signature of a key is not valid for another token's domain", async () => {
  expect(isSignedByKey(domainSeparator({ ...domain, chainId: 137 }), await sign())).toBe(false);
});

test('a payer without code whose signature was for a wallet to deploy must deploy it', async () => {
  const { outcome } = await checkWallet({ eth_getCode: '0x' }, { wasWrapped: true });
  expect(outcome).toMatchObject({
    kind: 'invalid',
    detail: expect.stringContaining('is not deployed on this network'),
  });
});

test('a contract wallet verifies the digest and the signature, with limited gas', async () => {
  const { outcome, requests, payment } = await checkWallet({ eth_call: magic });
  expect(outcome).toEqual({ kind: 'valid' });
  const abi = parseAbi(['function isValidSignature(bytes32, bytes)']);
  const data = encodeFunctionData({ abi, args: [hashTypedData(typedData), payment.signature] });
  expect(requests.map(({ method, params }) => [method, params])).toEqual([
    ['eth_getCode', [payment.from, 'latest']],
    ['eth_call', [{ to: payment.from, data, gas: '0x493e0' }, 'latest']],
  ]);
});

test.each([
  ['another value', `0xffffffff${'0'.repeat(56)}`],
  ['nothing', '0x'],
  ['the value and more', `${magic}00`],
  ['the value alone', '0x1626ba7e'],
])('a contract wallet that returns %s rejects the signature', async (_name, eth_call) => {
  expect((await checkWallet({ eth_call })).outcome).toEqual(rejected);
});

test('a contract wallet that reverts rejects the signature', async () => {
  const revert = new JsonRpcError(3, 'execution reverted', '0x');
  expect((await checkWallet({ eth_call: revert })).outcome).toEqual(rejected);
});

test.each([
  ['cannot be reached', { eth_getCode: new ChainUnreachableError('down') }],
  ['cannot be reached for the call', { eth_call: new ChainUnreachableError('down') }],
  ['returns an error that is no revert', { eth_call: new JsonRpcError(-32000, 'header not found', undefined) }],
])('is unavailable if the node %s', async (_name, results) => {
  expect((await checkWallet(results)).outcome).toEqual({ kind: 'unavailable' });
});

test('error: a fault of our own is not taken for a rejection', async () => {
  await expect(checkWallet({ eth_call: new TypeError('a bug') })).rejects.toThrow('a bug');
});
