import { getBase64Decoder, getTransactionEncoder } from '@solana/kit';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  atSlot,
  openSolanaParties,
  rpcOf,
  type SolanaParties,
  solanaNode,
  solanaPayment,
} from '../../../../tests/support/solanaPayments.ts';
import { useVirtualTime } from '../../../../tests/support/virtualTime.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import { defaultTimings } from '../../paymentConfig.ts';
import type { SvmTransaction } from '../svm/svmTransaction.ts';
import { createSvmVerifier, expiredOutcome } from '../svm/svmVerifier.ts';
import { createRemoteFacilitator } from './remoteFacilitator.ts';

// The facilitator over a replaced `fetch`, and a Solana node over a replaced transport.

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const hash = 's'.repeat(80);
const settledHere = { kind: 'settled', transaction: hash };
const insufficient = { isValid: false, invalidReason: 'insufficient_funds' };
const shortage = { kind: 'refused' as const, reason: 'insufficient_funds', detail: 'Open payments.' };

let parties: SolanaParties;
let payment: SvmTransaction;
let time: ReturnType<typeof useVirtualTime>;
beforeAll(async () => {
  parties = await openSolanaParties();
  payment = await solanaPayment(parties);
  time = useVirtualTime(1_800_000_000_000);
});
afterAll(() => time.restore());
afterEach(() => vi.unstubAllGlobals());

type Answer = object | Error | 'hang';
interface Script {
  verify?: Answer;
  settle?: Answer;
  /** Status reads after which the chain returns the payment as paid; absent: never. */
  paidAfterReads?: number;
  /** The nodes do not respond. */
  isDown?: boolean;
  /** The blockhash has expired. */
  isExpired?: boolean;
  /** The payee has no token account. */
  hasNoPayee?: boolean;
}

async function open(script: Script) {
  const events: string[] = [];
  let reads = 0;
  const { terms, payTo, mint } = parties;
  const node = solanaNode({
    getSlot: ([options]) => {
      if (script.isDown) return undefined;
      return script.isExpired && JSON.stringify(options).includes('finalized') ? 2_000 : 1_000;
    },
    getAccountInfo: () => atSlot(1, script.hasNoPayee ? null : { owner: tokenProgram }),
    isBlockhashValid: () => atSlot(2_000, !script.isExpired),
    getSignaturesForAddress: () => {
      reads += 1;
      events.push('read');
      return reads > (script.paidAfterReads ?? Infinity) ? [{ signature: hash, slot: 1_000, err: null }] : [];
    },
    getTransaction: () => ({
      transaction: [getBase64Decoder().decode(getTransactionEncoder().encode(payment.transaction)), 'base64'],
    }),
  });
  vi.stubGlobal('fetch', async ({ pathname }: URL, { signal }: RequestInit) => {
    events.push(pathname.slice(1));
    const answer =
      pathname === '/verify' ? (script.verify ?? { isValid: true }) : (script.settle ?? new Error('closed'));
    if (answer === 'hang') {
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    }
    if (answer instanceof Error) throw new TypeError('fetch failed', { cause: answer });
    return new Response(JSON.stringify(answer));
  });
  const verifier = createSvmVerifier(
    { network: terms.network, payTo, asset: mint, facilitatorKey: '', ...rpcOf(node) },
    defaultTimings,
  );
  // Node's crypto runs in other threads, for which the virtual time does not wait.
  await verifier.destination;
  const facilitator = createRemoteFacilitator<SvmTransaction>(
    { network: terms.network, remote: { url: 'https://facilitator.test' } },
    {
      verifier,
      payerOf: ({ transfer }) => transfer?.authority ?? '',
      sameWallet: (left, right) => left === right,
      transactionPattern: /^[a-z]{80}$/,
      needsFeePayer: true,
      readTokenObstacle: async () => undefined,
    },
    { ...defaultTimings, facilitatorTimeoutMs: 900 },
    silent,
  );
  return { facilitator, events };
}

const success = () => ({
  success: true,
  payer: parties.payer.address,
  network: parties.terms.network,
  transaction: hash,
});
const refused = (errorReason: string) => ({ success: false, errorReason });
const refusedConnection = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
const earlier: JournaledTransaction = { hash: '', raw: '', nonce: 0, fromBlock: 900n };

/** Settles a payment; advances the time until the outcome is known, at most a minute. */
async function settle(script: Script, change: Partial<SettleTask<SvmTransaction>> = {}) {
  const { facilitator, events } = await open(script);
  const journaled: bigint[] = [];
  let outcome: SettleOutcome | Error | undefined;
  const task = {
    key: 'k',
    payment,
    envelope: { canonicalPayload: '{}' },
    terms: parties.terms,
    sent: [],
    wasRefused: false,
    checkFunds: async () => undefined,
    journal: async ({ fromBlock }: JournaledTransaction) => {
      events.push('journal');
      journaled.push(fromBlock);
    },
    ...change,
  } as unknown as SettleTask<SvmTransaction>;
  const settling = facilitator.settle(task).catch((error: Error) => error);
  void settling.then((ended) => {
    outcome = ended;
  });
  for (let second = 0; second < 60 && !outcome; second += 1) await time.advance(1_000);
  const ended = outcome ?? 'pending';
  facilitator.close();
  await time.advance(2_000);
  return { outcome: ended, last: outcome, events, journaled };
}

describe('before a settle request', () => {
  test('a refusal counts while the chain returns the payment as unused', async () => {
    const { outcome, events } = await settle({ verify: insufficient });
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'insufficient_funds' });
    expect(events).not.toContain('settle');
    expect(events).not.toContain('journal');
  });

  test('a refused payment that the chain contains is settled', async () => {
    expect((await settle({ verify: insufficient, paidAfterReads: 0 })).outcome).toEqual(settledHere);
    expect((await settle({ paidAfterReads: 0 }, { checkFunds: async () => shortage })).outcome).toEqual(settledHere);
  });

  test('a use that the chain does not return has an unknown outcome', async () => {
    const verify = { isValid: false, invalidReason: 'duplicate_settlement' };
    expect((await settle({ verify })).outcome).toEqual({ kind: 'unknown' });
  });

  test('a refusal whose status cannot be read has an unknown outcome', async () => {
    expect((await settle({ verify: insufficient, isDown: true })).outcome).toEqual({ kind: 'unknown' });
  });

  test.each<[string, Script, Partial<SettleTask<SvmTransaction>>]>([
    ['no verification', { verify: new Error('closed') }, {}],
    ['no verification and too small a balance', { verify: new Error('closed') }, { checkFunds: async () => shortage }],
    ['no verification in time', { verify: 'hang' }, {}],
    ['nodes that do not respond', { isDown: true }, {}],
    ['a balance that cannot be read', {}, { checkFunds: () => Promise.reject(new ChainUnreachableError('down')) }],
  ])('sends nothing after %s', async (_, script, change) => {
    const { outcome, events } = await settle(script, change);
    expect(outcome).toEqual({ kind: 'unavailable' });
    expect(events).not.toContain('settle');
    expect(events).not.toContain('journal');
  });

  test('returns a refusal of the wallet by the ledger, and sends nothing', async () => {
    const limited = { kind: 'limited' as const, detail: 'Paused.', retryAfterSeconds: 5 };
    const { outcome, events } = await settle({}, { checkFunds: async () => limited });
    expect(outcome).toEqual(limited);
    expect(events).not.toContain('settle');
    expect((await settle({}, { checkFunds: async () => shortage })).outcome).toEqual(shortage);
  });

  test('error: an unexpected error of the funds is not hidden', async () => {
    const checkFunds = () => Promise.reject(new RangeError('bug'));
    expect((await settle({}, { checkFunds })).outcome).toBeInstanceOf(RangeError);
  });
});

test('error: a payee without a token account is not hidden as an outage', async () => {
  const { outcome, events } = await settle({ hasNoPayee: true });
  expect(outcome).toBeInstanceOf(PaymentNetworkMismatchError);
  expect(events).toEqual(['verify']);
});

describe('the settle request', () => {
  test('is sent after the journal has the slot', async () => {
    const { outcome, events, journaled } = await settle({ settle: success() });
    expect(outcome).toEqual(settledHere);
    expect(events).toEqual(['verify', 'journal', 'settle']);
    expect(journaled).toEqual([1_000n]);
  });

  test('that never arrived moved nothing', async () => {
    expect((await settle({ settle: refusedConnection })).outcome).toEqual({ kind: 'unavailable' });
  });

  test.each(['insufficient_funds', 'invalid_exact_svm_payload_amount_mismatch'])(
    'that is refused with %s counts after two seconds of reads',
    async (reason) => {
      const { outcome, events } = await settle({ settle: refused(reason) });
      expect(outcome).toMatchObject({ kind: 'refused', reason });
      expect(events.filter((event) => event === 'read')).toHaveLength(5);
      expect((await settle({ settle: refused(reason), paidAfterReads: 4 })).outcome).toEqual(settledHere);
    },
  );

  test.each([
    'duplicate_settlement',
    'invalid_exact_evm_nonce_already_used',
    'invalid_exact_svm_transaction_failed',
    'invalid_transaction_state',
    'settle_exact_svm_transaction_confirmation_timed_out',
    'not_insufficient_funds',
    'not_invalid_exact_svm_payload',
    'insufficient_funds_for_gas',
  ])('that is refused with %s may have paid', async (reason) => {
    expect((await settle({ settle: refused(reason) })).outcome).toBe('pending');
    expect((await settle({ settle: refused(reason), paidAfterReads: 5 })).outcome).toEqual(settledHere);
  });

  test('without a result is repeated after 1, 2, 4 and 8 polls until the chain returns the payment', async () => {
    const { outcome, events } = await settle({ settle: new Error('closed'), paidAfterReads: 12 });
    expect(outcome).toEqual(settledHere);
    const polls = events.flatMap((event, index) =>
      event === 'settle' ? [events.slice(0, index).filter((one) => one === 'read').length] : [],
    );
    expect(polls).toEqual([0, 1, 2, 4, 8]);
  });

  test('without a result ends when the payment expires', async () => {
    const { outcome } = await settle({ settle: new Error('closed'), isExpired: true });
    expect(outcome).toEqual(expiredOutcome);
  });

  test('that hangs does not hide the payment on chain', async () => {
    const { outcome, events } = await settle({ settle: 'hang', paidAfterReads: 1 });
    expect(outcome).toEqual(settledHere);
    expect(events).toEqual(['verify', 'journal', 'settle', 'read', 'read']);
  });

  test('has an unknown outcome if the service closes', async () => {
    const { last, outcome } = await settle({ settle: new Error('closed') });
    expect(outcome).toBe('pending');
    expect(last).toEqual({ kind: 'unknown' });
  });
});

describe('after an earlier attempt', () => {
  test('the chain is read before the request is repeated', async () => {
    const { outcome, events } = await settle({ settle: success() }, { sent: [earlier] });
    expect(outcome).toEqual(settledHere);
    expect(events).toEqual(['read', 'settle']);
  });

  test('a payment on chain needs no request', async () => {
    const { outcome, events } = await settle({ paidAfterReads: 0 }, { sent: [earlier] });
    expect(outcome).toEqual(settledHere);
    expect(events).toEqual(['read']);
  });

  test('an expired payment is refused, and not said to be of unknown age', async () => {
    const { outcome, events } = await settle({ isExpired: true }, { sent: [earlier] });
    expect(outcome).toEqual(expiredOutcome);
    expect(events).toEqual(['read']);
  });

  test('a refused payment is verified again, and the chain searched from its first slot', async () => {
    const { outcome, journaled } = await settle({ settle: success() }, { sent: [earlier], wasRefused: true });
    expect(outcome).toEqual(settledHere);
    expect(journaled).toEqual([900n]);
  });

  test('a second refusal counts after two seconds of reads', async () => {
    const again = { sent: [earlier], wasRefused: true };
    const { outcome, events } = await settle({ verify: insufficient }, again);
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'insufficient_funds' });
    expect(events.filter((event) => event === 'read')).toHaveLength(5);
    expect((await settle({ verify: insufficient, paidAfterReads: 4 }, again)).outcome).toEqual(settledHere);
  });
});
