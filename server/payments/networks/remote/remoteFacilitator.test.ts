import { getBase64Decoder, getTransactionEncoder } from '@solana/kit';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  atSlot,
  openSolanaParties,
  rpcOf,
  type SolanaMethods,
  type SolanaParties,
  solanaNode,
  solanaPayment,
} from '../../../../tests/support/solanaPayments.ts';
import type { Facilitator, SettleTask } from '../../facilitator.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import { defaultTimings } from '../../paymentConfig.ts';
import type { PaidOnChain } from '../../recheck.ts';
import type { SvmTransaction } from '../svm/svmTransaction.ts';
import { createSvmVerifier } from '../svm/svmVerifier.ts';
import { createRemoteFacilitator, type RemoteFamily } from './remoteFacilitator.ts';

// The facilitator over a replaced `fetch`, and a Solana node over a replaced transport.

const hash = 's'.repeat(80);
const sentAt = (fromBlock: bigint): JournaledTransaction => ({ hash: '', raw: '', nonce: 0, fromBlock });

let parties: SolanaParties;
let payment: SvmTransaction;
beforeAll(async () => {
  parties = await openSolanaParties();
  payment = await solanaPayment(parties);
});
let facilitator: Facilitator<SvmTransaction> | undefined;
afterEach(() => {
  facilitator?.close();
  vi.unstubAllGlobals();
});

const kindOf = (extra: unknown, network: string = parties.terms.network) => ({
  kinds: [{ x402Version: 2, scheme: 'exact', network, extra }],
});

/** @param reply of the facilitator; undefined: no connection */
function open(
  reply: (path: string) => unknown,
  methods: SolanaMethods = {},
  family: Partial<RemoteFamily<SvmTransaction>> = {},
) {
  const requests: string[] = [];
  vi.stubGlobal('fetch', async ({ pathname }: URL) => {
    requests.push(pathname.slice(1));
    const body = reply(pathname.slice(1));
    if (body === undefined) throw new TypeError('fetch failed', { cause: new Error('closed') });
    return new Response(JSON.stringify(body));
  });
  const node = solanaNode({
    getSlot: () => 1_000,
    getAccountInfo: () => atSlot(1, { owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }),
    isBlockhashValid: () => atSlot(2_000, true),
    getSignaturesForAddress: () => [],
    ...methods,
  });
  const { terms, payTo, mint } = parties;
  const config = { network: terms.network, payTo, asset: mint, facilitatorKey: '', ...rpcOf(node) };
  const warnings: unknown[] = [];
  const watched: PaidOnChain[] = [];
  const opened = createRemoteFacilitator<SvmTransaction>(
    { network: terms.network, remote: { url: 'https://facilitator.test' } },
    {
      verifier: createSvmVerifier(config, defaultTimings),
      payerOf: ({ transfer }) => transfer?.authority ?? '',
      sameWallet: (left, right) => left.toLowerCase() === right.toLowerCase(),
      transactionPattern: /^[a-z]{80}$/,
      needsFeePayer: true,
      readTokenObstacle: async () => 'token_paused',
      openRecheck: () => ({ add: (paid) => void watched.push(paid) }),
      ...family,
    },
    defaultTimings,
    {
      info: () => undefined,
      warn: (facts: object) => void warnings.push(facts),
      error: () => undefined,
    },
  );
  facilitator = opened;
  return { opened, requests, warnings, watched, methods: () => node.calls.map(({ method }) => method) };
}

const taskOf = (change: Partial<SettleTask<SvmTransaction>> = {}) =>
  ({
    key: 'k',
    payment,
    envelope: { canonicalPayload: '{}' },
    terms: parties.terms,
    sent: [],
    wasRefused: false,
    checkFunds: async () => undefined,
    journal: async () => undefined,
    ...change,
  }) as unknown as SettleTask<SvmTransaction>;

const success = () => ({
  success: true,
  isValid: true,
  payer: parties.payer.address,
  network: parties.terms.network,
  transaction: hash,
});

test('start checks the nodes and the facilitator', async () => {
  const { opened, requests, warnings, methods } = open(() => kindOf({}));
  await opened.start();
  expect(methods()).toEqual(['getAccountInfo']);
  expect(requests).toEqual(['supported']);
  expect(warnings).toEqual([]);
});

test('start continues with a warning if the nodes or the facilitator do not reply', async () => {
  const withoutNode = open(() => kindOf({}), { getAccountInfo: () => undefined });
  await withoutNode.opened.start();
  const withoutFacilitator = open(() => undefined);
  await withoutFacilitator.opened.start();
  for (const { warnings } of [withoutNode, withoutFacilitator])
    expect(warnings).toEqual([expect.objectContaining({ network: parties.terms.network, cause: expect.any(String) })]);
});

test('error: start rejects if the facilitator does not support the network, or the payee has no token account', async () => {
  const foreign = open(() => kindOf({}, 'eip155:8453')).opened;
  await expect(foreign.start()).rejects.toThrow(PaymentNetworkMismatchError);
  const closed = open(() => kindOf({}), { getAccountInfo: () => atSlot(1, null) }).opened;
  await expect(closed.start()).rejects.toThrow(PaymentNetworkMismatchError);
});

test('the offer contains the fee payer of the facilitator, if it is an address', async () => {
  const { feePayer } = parties;
  expect(await open(() => kindOf({ feePayer, other: 1 })).opened.offerExtra()).toEqual({ feePayer });
  for (const extra of [{ feePayer: 'x' }, { feePayer: `${feePayer}\r\nx: y` }, { feePayer: [feePayer] }, {}, null])
    expect(await open(() => kindOf(extra)).opened.offerExtra()).toBeUndefined();
});

test('no offer without a reply of the facilitator, or without its support', async () => {
  expect(await open(() => undefined).opened.offerExtra()).toBeUndefined();
  expect(await open(() => kindOf({}, 'eip155:8453')).opened.offerExtra()).toBeUndefined();
  const { opened, requests } = open(() => undefined, {}, { needsFeePayer: false });
  expect(await opened.offerExtra()).toEqual({});
  expect(requests).toEqual([]);
});

test('the payload is checked and the funds are read on our node, never by the facilitator', async () => {
  const balance = { getTokenAccountBalance: () => atSlot(1_000, { amount: '7' }) };
  const { opened, requests } = open(() => undefined, balance);
  const { terms } = parties;
  expect(await opened.verifyPayload(payment, terms, 0)).toEqual({ kind: 'valid' });
  expect(await opened.isSigned(payment, terms, 0)).toBe(true);
  expect(await opened.isSigned(payment, { ...terms, amount: '1' }, 0)).toBe(false);
  expect(await opened.readFunds(payment, [])).toEqual({ balance: 7n, ended: new Set() });
  expect(requests).toEqual([]);
});

test('only obstacles of the token stop it: its gas is not ours, and it broadcasts its own transactions', async () => {
  const { opened, requests } = open(() => undefined);
  expect(await opened.readSettlementState()).toEqual({
    obstacle: 'token_paused',
    settlements: undefined,
    gasCost: undefined,
  });
  expect(opened.spendsOurGas).toBe(false);
  await opened.resend([sentAt(1n)]);
  expect(requests).toEqual([]);
});

const paidHere: SolanaMethods = {
  getSignaturesForAddress: () => [{ signature: hash, slot: 1_000, err: null }],
  getTransaction: () => ({
    transaction: [getBase64Decoder().decode(getTransactionEncoder().encode(payment.transaction)), 'base64'],
  }),
};

test('the late status is read from the slot of the first attempt, or from the start of the chain', async () => {
  const expired: SolanaMethods = { getSlot: () => 2_000, isBlockhashValid: () => atSlot(2_000, false) };
  expect(await open(() => undefined, expired).opened.readLateStatus(payment, [sentAt(900n)])).toEqual({
    kind: 'expired',
  });
  expect(await open(() => undefined, expired).opened.readLateStatus(payment, [])).toEqual({ kind: 'expired' });
  // The blockhash of an attempt at slot 1,900 may still be valid at slot 2,000.
  expect(await open(() => undefined, expired).opened.readLateStatus(payment, [sentAt(1_900n)])).toEqual({
    kind: 'open',
  });
  const paid = { kind: 'settled', transaction: hash };
  const late = { ...expired, ...paidHere };
  expect(await open(() => undefined, late).opened.readLateStatus(payment, [sentAt(900n)])).toEqual(paid);
});

test.each([
  ['of this attempt', {}],
  ['that was journaled first', { sent: [sentAt(900n)], wasRefused: true }],
])('a settled payment is watched from the slot %s', async (_, change) => {
  let isExpired = false;
  const { opened, watched } = open(success, {
    ...paidHere,
    getSlot: () => (isExpired ? 1_200 : 1_000),
    isBlockhashValid: () => atSlot(1_200, !isExpired),
  });
  expect(await opened.settle(taskOf(change))).toEqual({ kind: 'settled', transaction: hash });
  expect(watched).toMatchObject([{ hash, key: 'k', again: { id: hash } }]);
  // Without a slot, an expired payment is not searched.
  isExpired = true;
  expect(await watched[0]?.readStatus()).toEqual({ kind: 'settled', transaction: hash });
});

test('a paid payment is watched from the slot of its first attempt', async () => {
  const expired: SolanaMethods = { getSlot: () => 1_200, isBlockhashValid: () => atSlot(1_200, false) };
  for (const [slot, kind] of [
    [1_000n, 'expired'],
    [1_070n, 'open'],
  ] as const) {
    const { opened, watched } = open(success, expired);
    opened.watchPaid(taskOf(), { transaction: hash, sent: [sentAt(slot), sentAt(1_000n)] });
    expect(await watched[0]?.readStatus()).toEqual({ kind });
  }
});

test.each(['another payer', null])('a settlement by %s is not trusted: the chain is read', async (payer) => {
  const { opened } = open(() => ({ ...success(), payer, isValid: true, transaction: 'x'.repeat(80) }), paidHere);
  const change = { sent: [sentAt(900n)], wasRefused: true };
  // The facilitator's verification names the payer too.
  const outcome = await opened.settle(taskOf(change));
  expect(outcome).toEqual(payer === null ? { kind: 'settled', transaction: hash } : { kind: 'unavailable' });
});

test('error: a payment that did not settle is not watched', async () => {
  const { opened, watched } = open((path) => (path === 'verify' ? undefined : success()));
  expect(await opened.settle(taskOf())).toEqual({ kind: 'unavailable' });
  expect(watched).toEqual([]);
});

test('a payment that the chain dropped is requested again, at most 20 times', async () => {
  const { opened, requests, watched } = open(success);
  opened.watchPaid(taskOf(), { transaction: hash, sent: [] });
  const [paid] = watched;
  expect(paid).toMatchObject({ hash, key: 'k', again: { id: hash } });
  for (let times = 0; times < 20; times += 1) expect(await paid?.again.send()).toBe(true);
  expect(await paid?.again.send()).toBe(false);
  expect(requests).toEqual(Array(20).fill('settle'));
});

test('a chain without reorganisations is not watched', async () => {
  const { opened, watched } = open(success, {}, { openRecheck: undefined as never });
  opened.watchPaid(taskOf(), { transaction: hash, sent: [] });
  expect(await opened.settle(taskOf())).toEqual({ kind: 'settled', transaction: hash });
  expect(watched).toEqual([]);
});

const invalid = { isValid: false, invalidReason: 'insufficient_funds' };
test.each<[string, unknown, SolanaMethods, object]>([
  ['valid', { isValid: true }, {}, { kind: 'valid' }],
  ['refused, if our node confirms it', invalid, {}, { kind: 'refused', reason: 'insufficient_funds' }],
  ['used, if the chain contains the payment', invalid, paidHere, { kind: 'used' }],
  ['unavailable without our node', invalid, { getSlot: () => undefined }, { kind: 'unavailable' }],
  ['unavailable without the facilitator', undefined, {}, { kind: 'unavailable' }],
])('verify returns %s', async (_, reply, methods, expected) => {
  expect(await open(() => reply, methods).opened.verify(taskOf())).toMatchObject(expected);
});
