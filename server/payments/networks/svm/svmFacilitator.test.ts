import { getBase58Decoder, getBase64Encoder, getTransactionDecoder } from '@solana/kit';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  confirmed,
  type OwnParties,
  openOwnParties,
  openSvmFacilitator,
  ours,
  remote,
} from '../../../../tests/support/openSvmFacilitator.ts';
import { atSlot, type SolanaMethods } from '../../../../tests/support/solanaPayments.ts';
import { useVirtualTime } from '../../../../tests/support/virtualTime.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { SvmTransaction } from './svmTransaction.ts';
import { expiredOutcome, failedOutcome } from './svmVerifier.ts';

const failed = { ...confirmed, err: { InstructionError: [2, { Custom: 1 }] } };
const shortage = { kind: 'refused' as const, reason: 'insufficient_funds', detail: 'Open payments.' };

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
const simulating = (err: unknown): SolanaMethods => ({ simulateTransaction: () => atSlot(1_000, { err }) });
const reason = 'invalid_exact_svm_transaction_simulation_failed';

describe('a new payment', () => {
  test('is simulated, signed, journaled and then sent', async () => {
    const { settle, journaled, methods } = open({});
    const outcome = await settle();
    const [transaction] = journaled;
    expect(outcome).toEqual({ kind: 'settled', transaction: transaction?.hash });
    expect(transaction).toMatchObject({ nonce: 0, fromBlock: 1_000n });
    const names = methods();
    expect(names.indexOf('simulateTransaction')).toBeLessThan(names.indexOf('journal'));
    expect(names.indexOf('journal')).toBeLessThan(names.indexOf('sendTransaction'));
    const { signatures, messageBytes } = getTransactionDecoder().decode(
      getBase64Encoder().encode(transaction?.raw ?? ''),
    );
    expect(messageBytes).toEqual(own.payment.transaction.messageBytes);
    expect(signatures[own.parties.payer.address]).toEqual(
      own.payment.transaction.signatures[own.parties.payer.address],
    );
    const signature = signatures[own.parties.feePayer];
    expect(signature && getBase58Decoder().decode(signature)).toBe(transaction?.hash);
  });

  test('is simulated without our signature, with the blockhash of the payer', async () => {
    let simulated: readonly unknown[] = [];
    const { verify } = open({
      simulateTransaction: (params) => {
        simulated = params;
        return atSlot(1_000, { err: null });
      },
    });
    expect(await verify()).toEqual({ kind: 'valid' });
    const { signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(String(simulated[0])));
    expect(signatures[own.parties.feePayer]).toBeNull();
    expect(simulated[1]).toMatchObject({ sigVerify: false, replaceRecentBlockhash: false, commitment: 'confirmed' });
  });

  test.each([
    ['an empty fee payer', 'InsufficientFundsForFee', { kind: 'unavailable' }],
    ['a missing fee payer', 'AccountNotFound', { kind: 'unavailable' }],
    ['an old blockhash', 'BlockhashNotFound', { kind: 'refused', reason, mayHavePaid: true }],
    ['too small a balance', { InstructionError: [2, { Custom: 1 }] }, { detail: expect.stringContaining('less USDC') }],
    ['a frozen account', { InstructionError: [2, { Custom: 17 }] }, { detail: expect.stringContaining('rejects') }],
    ['a named error', { InstructionError: [2, 'InvalidAccountData'] }, { detail: expect.stringContaining('rejects') }],
    ['a failed guard', { InstructionError: [3, { Custom: 1 }] }, { detail: expect.stringContaining('guards') }],
    ['an unknown error', 'AccountInUse', { kind: 'refused', reason, detail: expect.stringContaining('guards') }],
  ])('is not sent after a simulation with %s', async (_, err, expected) => {
    const { settle, verify, methods } = open(simulating(err));
    const outcome = await settle();
    expect(outcome).toMatchObject(expected);
    expect(await verify()).toEqual(outcome);
    expect('mayHavePaid' in outcome).toBe(err === 'BlockhashNotFound');
    expect(methods()).not.toContain('journal');
    expect(methods()).not.toContain('sendTransaction');
  });

  test('that a block contains is journaled without a check of the funds, and settled by its status', async () => {
    const { settle, verify, journaled } = open(simulating('AlreadyProcessed'));
    expect(await settle({ checkFunds: async () => shortage })).toMatchObject({ kind: 'settled' });
    expect(journaled).toHaveLength(1);
    expect(await verify()).toEqual({ kind: 'used' });
  });

  test.each<[string, SolanaMethods, Partial<SettleTask<SvmTransaction>>, SettleOutcome]>([
    ['the funds are too small', {}, { checkFunds: async () => shortage }, shortage],
    [
      'the funds cannot be read',
      {},
      { checkFunds: () => Promise.reject(new ChainUnreachableError('down')) },
      { kind: 'unavailable' },
    ],
    ['there is no simulation', { simulateTransaction: () => undefined }, {}, { kind: 'unavailable' }],
    ['there is no height', { getBlockHeight: () => undefined }, {}, { kind: 'unavailable' }],
    ['the network cannot be checked', { getAccountInfo: () => undefined }, {}, { kind: 'unavailable' }],
  ])('is not journaled if %s', async (_, methods, change, expected) => {
    const opened = open(methods);
    expect(await opened.settle(change)).toEqual(expected);
    expect(opened.journaled).toEqual([]);
    expect(opened.methods()).not.toContain('sendTransaction');
  });

  test('is not sent if it cannot be journaled', async () => {
    const { settle, methods } = open({});
    await expect(settle({ journal: () => Promise.reject(new RangeError('disk')) })).rejects.toThrow(RangeError);
    expect(methods()).not.toContain('sendTransaction');
  });

  test('whose broadcast got no reply is settled by its status', async () => {
    expect(await open({ sendTransaction: () => undefined }).settle()).toMatchObject({ kind: 'settled' });
  });
});

describe('the status of a sent payment', () => {
  let time: ReturnType<typeof useVirtualTime>;
  beforeEach(() => {
    time = useVirtualTime(1_800_000_000_000);
  });
  afterEach(() => time.restore());

  async function follow(methods: SolanaMethods, change: Partial<SettleTask<SvmTransaction>> = {}, seconds = 10) {
    const opened = open(methods);
    let outcome: SettleOutcome | undefined;
    const settling = opened.settle({ sent: [ours], ...change }).then((ended) => {
      outcome = ended;
    });
    await time.advance(seconds * 1_000);
    const ended = outcome ?? 'pending';
    opened.close();
    await time.advance(2_000);
    await settling;
    return { ended, last: outcome, methods: opened.methods() };
  }
  const unseen = { getSignatureStatuses: () => atSlot(2_000, [null]) };
  const old = { ...unseen, getBlockHeight: () => 1_215 };

  test('paid: is settled without a broadcast', async () => {
    const { ended, methods } = await follow({});
    expect(ended).toEqual({ kind: 'settled', transaction: ours.hash });
    expect(methods).not.toContain('sendTransaction');
  });

  test('failed: counts once', async () => {
    const onChain = { getSignatureStatuses: () => atSlot(2_000, [failed]) };
    expect((await follow(onChain)).ended).toEqual({ ...failedOutcome, failedOnChain: true });
    expect((await follow(onChain, { wasRefused: true })).ended).toEqual(failedOutcome);
  });

  test('absent: is sent again each second, until the service closes', async () => {
    const { ended, last, methods } = await follow(unseen);
    expect(ended).toBe('pending');
    expect(last).toEqual({ kind: 'unknown' });
    const sent = methods.filter((method) => method === 'sendTransaction').length;
    expect(sent).toBeGreaterThanOrEqual(6);
    expect(sent).toBeLessThanOrEqual(11);
  });

  test('absent and too old: expires after the third read', async () => {
    const { ended, methods } = await follow(old);
    expect(ended).toEqual(expiredOutcome);
    expect(methods.filter((method) => method === 'sendTransaction')).toHaveLength(2);
  });

  test('absent at a node behind the finalized slot: does not expire', async () => {
    const behind = { ...old, getSignatureStatuses: () => atSlot(1_999, [null]) };
    expect((await follow(behind)).ended).toBe('pending');
  });

  test('unconfirmed: neither expires nor is sent', async () => {
    const processed = {
      ...old,
      getSignatureStatuses: () => atSlot(2_000, [{ ...confirmed, confirmationStatus: 'processed' }]),
    };
    const { ended, methods } = await follow(processed);
    expect(ended).toBe('pending');
    expect(methods).not.toContain('sendTransaction');
  });

  test('of a remote facilitator: is searched on chain, and nothing is sent', async () => {
    const { ended, methods } = await follow(
      { isBlockhashValid: () => atSlot(2_000, false), getSignaturesForAddress: () => [] },
      { sent: [remote] },
    );
    expect(ended).toEqual(expiredOutcome);
    expect(methods).not.toContain('sendTransaction');
  });
});

test.each<[string, SolanaMethods, object]>([
  ['settled', {}, { kind: 'settled', transaction: ours.hash }],
  ['open', { getSignatureStatuses: () => atSlot(2_000, [null]) }, { kind: 'open' }],
  ['expired', { getSignatureStatuses: () => atSlot(2_000, [null]), getBlockHeight: () => 1_215 }, { kind: 'expired' }],
  ['open', { getSignatureStatuses: () => atSlot(1_999, [null]), getBlockHeight: () => 1_215 }, { kind: 'open' }],
  [
    'expired',
    { getSignatureStatuses: () => atSlot(2_000, [failed]), getBlockHeight: () => 1_215 },
    { kind: 'expired' },
  ],
])('readLateStatus returns %s (case %#)', async (_, methods, expected) => {
  expect(await open(methods).readLateStatus(own.payment, [remote, ours])).toEqual(expected);
});

test('resend sends our transactions, and stops after a batch without a reply', async () => {
  const many = Array.from({ length: 40 }, () => ours);
  const up = open({});
  await up.resend([remote, ...many]);
  expect(up.methods().filter((method) => method === 'sendTransaction')).toHaveLength(40);
  const down = open({ sendTransaction: () => undefined });
  await down.resend(many);
  expect(down.methods().filter((method) => method === 'sendTransaction')).toHaveLength(32);
});
