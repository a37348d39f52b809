import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type OwnParties,
  openOwnParties,
  openSvmFacilitator,
  ours,
  remote,
} from '../../../../tests/support/openSvmFacilitator.ts';
import { atSlot, type SolanaMethods } from '../../../../tests/support/solanaPayments.ts';
import { useVirtualTime } from '../../../../tests/support/virtualTime.ts';
import type { SettleOutcome } from '../../facilitator.ts';

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

const optionsOf = (opened: ReturnType<typeof open>, method: string) =>
  opened.calls.filter((call) => call.method === method).map(({ params }) => params);

test('reads and broadcasts state their commitment; a broadcast has no preflight and no retries', async () => {
  const opened = open({});
  await opened.settle();
  const [transaction] = opened.journaled;
  expect(optionsOf(opened, 'getBlockHeight')).toEqual([[{ commitment: 'confirmed' }]]);
  expect(optionsOf(opened, 'sendTransaction')).toEqual([
    [transaction?.raw, { encoding: 'base64', skipPreflight: true, maxRetries: 0 }],
  ]);
  const searched = open({
    isBlockhashValid: () => atSlot(2_000, false),
    getSignaturesForAddress: () => [{ signature: 's'.repeat(70), slot: 1_000, err: null }],
    getTransaction: () => undefined,
  });
  await expect(searched.readLateStatus(own.payment, [remote])).rejects.toThrow();
  expect(optionsOf(searched, 'getSlot')[0]).toEqual([{ commitment: 'finalized' }]);
  expect(optionsOf(searched, 'isBlockhashValid')[0]?.[1]).toEqual({ commitment: 'finalized', minContextSlot: 2_000 });
  expect(optionsOf(searched, 'getSignaturesForAddress')[0]?.[1]).toMatchObject({
    commitment: 'confirmed',
    limit: 100,
    minContextSlot: 2_000,
  });
  expect(optionsOf(searched, 'getTransaction')[0]?.[1]).toEqual({
    encoding: 'base64',
    commitment: 'confirmed',
    maxSupportedTransactionVersion: 0,
  });
});

test('verify is unavailable without a node', async () => {
  expect(await open({ simulateTransaction: () => undefined }).verify()).toEqual({ kind: 'unavailable' });
});

describe('in virtual time', () => {
  let time: ReturnType<typeof useVirtualTime>;
  beforeEach(() => {
    time = useVirtualTime(1_800_000_000_000);
  });
  afterEach(() => time.restore());

  async function follow(methods: SolanaMethods, sent: (typeof ours)[], ms: number) {
    const opened = open(methods);
    let outcome: SettleOutcome | undefined;
    const settling = opened.settle({ sent }).then((ended) => {
      outcome = ended;
    });
    await time.advance(ms);
    const pending = outcome === undefined;
    const methodsThen = opened.methods();
    opened.close();
    await time.advance(3_000);
    await settling;
    return { pending, outcome, count: (method: string) => methodsThen.filter((one) => one === method).length };
  }
  const unseen: SolanaMethods = { getSignatureStatuses: () => atSlot(2_000, [null]) };

  test('a journaled transaction is sent at once, because its broadcast may have been lost', async () => {
    expect((await follow(unseen, [ours], 500)).count('sendTransaction')).toBe(1);
  });

  test('a transaction is polled often for five seconds, then each second', async () => {
    const early = (await follow(unseen, [ours], 5_000)).count('getSignatureStatuses');
    expect(early).toBeGreaterThanOrEqual(30);
    const late = (await follow(unseen, [ours], 15_000)).count('getSignatureStatuses');
    expect(late - early).toBeLessThanOrEqual(13);
    expect(late - early).toBeGreaterThanOrEqual(8);
  });

  test('a remote transaction is polled until the chain shows its end', async () => {
    const valid: SolanaMethods = { isBlockhashValid: () => atSlot(2_000, true), getSignaturesForAddress: () => [] };
    const { pending, outcome, count } = await follow(valid, [remote], 5_000);
    expect(pending).toBe(true);
    expect(outcome).toEqual({ kind: 'unknown' });
    expect(count('getSignaturesForAddress')).toBeGreaterThan(2);
    // The blockhash of an attempt at slot 1,900 may still be valid at slot 2,000.
    const recent = { ...valid, isBlockhashValid: () => atSlot(2_000, false) };
    expect((await follow(recent, [{ ...remote, fromBlock: 1_900n }], 5_000)).pending).toBe(true);
  });
});
