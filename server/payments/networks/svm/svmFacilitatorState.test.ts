import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { afterEach, beforeAll, expect, test } from 'vitest';
import {
  type OwnParties,
  openOwnParties,
  openSvmFacilitator,
  ours,
  remote,
} from '../../../../tests/support/openSvmFacilitator.ts';
import { atSlot, type SolanaMethods } from '../../../../tests/support/solanaPayments.ts';

// What `svmFacilitator.ts` does apart from settlements.

let own: OwnParties;
beforeAll(async () => {
  own = await openOwnParties();
});

let facilitator: ReturnType<typeof openSvmFacilitator> | undefined;
afterEach(() => facilitator?.close());

function open(methods: SolanaMethods, secretKey = own.secretKey) {
  facilitator = openSvmFacilitator({ ...own, secretKey }, methods);
  return facilitator;
}

test('resend sends a whole batch, and the rest after it', async () => {
  const { resend, methods } = open({ sendTransaction: () => undefined });
  await resend(Array.from({ length: 33 }, () => ours));
  expect(methods()).toHaveLength(32);
  await resend([remote, remote]);
  expect(methods()).toHaveLength(32);
});

test('readLateStatus of a remote transaction searches the chain from its slot', async () => {
  const expired = { isBlockhashValid: () => atSlot(2_000, false), getSignaturesForAddress: () => [] };
  expect(await open(expired).readLateStatus(own.payment, [remote])).toEqual({ kind: 'expired' });
  expect(await open(expired).readLateStatus(own.payment, [])).toEqual({ kind: 'expired' });
  // The blockhash of an attempt at slot 1,900 may still be valid at slot 2,000.
  expect(await open(expired).readLateStatus(own.payment, [{ ...remote, fromBlock: 1_900n }])).toEqual({ kind: 'open' });
});

test('start checks the node; without a reply the service starts, and the first payment checks it again', async () => {
  const up = open({});
  await up.start();
  expect(up.methods()).toEqual(['getAccountInfo']);
  await open({ getAccountInfo: () => undefined }).start();
});

test('error: start rejects a payee without a token account, and a key whose public key does not match', async () => {
  await expect(open({ getAccountInfo: () => atSlot(1, null) }).start()).rejects.toThrow('has no token account');
  const bytes = new Uint8Array(getBase58Encoder().encode(own.secretKey));
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await expect(open({}, getBase58Decoder().decode(bytes)).start()).rejects.toThrow();
});

test('the offer contains our fee payer, whose balance limits the settlements', async () => {
  const token = { owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', data: [account(1), 'base64'] };
  const opened = open({ getBalance: () => atSlot(1, 890_880 + 40_000), getAccountInfo: () => atSlot(1, token) });
  expect(await opened.offerExtra()).toEqual({ feePayer: own.parties.feePayer });
  expect(opened.account).toBe(own.parties.feePayer);
  expect(opened.spendsOurGas).toBe(true);
  expect(await opened.readSettlementState()).toEqual({ obstacle: undefined, settlements: 2n, gasCost: undefined });
  expect(opened.queue?.()).toEqual({ length: 0, oldestMs: 0 });
});

/** The data of a token account in this state. */
function account(state: number): string {
  const data = Buffer.alloc(165);
  data[108] = state;
  return data.toString('base64');
}

test('the payload is checked without a request, and the funds are read from the node', async () => {
  const opened = open({ getTokenAccountBalance: () => atSlot(1_000, { amount: '7' }) });
  expect(await opened.verifyPayload(own.payment, own.parties.terms, 0)).toEqual({ kind: 'valid' });
  expect(await opened.isSigned(own.payment, own.parties.terms, 0)).toBe(true);
  expect(await opened.isSigned(own.payment, { ...own.parties.terms, amount: '1' }, 0)).toBe(false);
  expect(opened.methods()).toEqual([]);
  expect(await opened.readFunds(own.payment, [])).toEqual({ balance: 7n, ended: new Set() });
});
