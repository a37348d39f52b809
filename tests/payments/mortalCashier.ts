/**
 * A cashier in a process of its own that stops dead at one step, tells its parent, and waits to be killed.
 * Its parent sends it one `MortalOrder`.
 */
import { once } from 'node:events';
import {
  type CashierConfig,
  createCashier,
  type PaymentAttempt,
  type PaymentLedger,
} from '../../server/payments/index.ts';
import { type DatabasePlace, openStores } from '../../server/storage/index.ts';

/** Between reading the header and sending the answer, in this order; the last three belong to a free call. */
export type CrashPoint =
  | 'looked up'
  | 'claimed'
  | 'signed'
  | 'journaled'
  | 'mined'
  | 'settled'
  | 'made'
  | 'answered'
  | 'verified'
  | 'free call taken';

export interface MortalOrder {
  place: DatabasePlace;
  networks: CashierConfig['networks'];
  offers: CashierConfig['offers'];
  attempt: PaymentAttempt;
  /** Payments that come in the same moment, and share its transaction. */
  beside?: PaymentAttempt[];
  stopAt: CrashPoint;
  /** Where it is killed instead, in the words of its killer. */
  step?: string;
}

// Nobody is left to kill it.
process.on('disconnect', () => process.exit());
const [order] = (await once(process, 'message')) as [MortalOrder];
const stop = (): Promise<never> => {
  process.send?.(order.stopAt);
  return new Promise(() => undefined);
};

const { ledger: real } = await openStores(order.place, Date.now, { deathMs: 1_000 });
const steps: Record<CrashPoint, Partial<PaymentLedger>> = {
  'looked up': { claim: stop },
  claimed: { claim: (facts) => real.claim(facts).then(stop) },
  // Solana counts no nonces: its transactions are journaled by themselves.
  signed: { journal: stop, journalNext: stop },
  journaled: {
    journal: (...step) => real.journal(...step).then(stop),
    journalNext: (...step) => real.journalNext(...step).then(stop),
  },
  mined: { settled: stop },
  settled: { settled: (key, response) => real.settled(key, response).then(stop) },
  made: { answered: stop },
  answered: { answered: (key, answer) => real.answered(key, answer).then(stop) },
  verified: { claimTrial: stop },
  'free call taken': { claimTrial: (claim) => real.claimTrial(claim).then(stop) },
};
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const cashier = await createCashier({
  networks: order.networks,
  offers: order.offers,
  ledger: { ...real, ...steps[order.stopAt] },
  now: Date.now,
  logger: silent,
  timings: { receiptPollMs: 50 },
});
const keepAlive = setInterval(() => undefined, 1_000);
const [admission] = await Promise.all(
  [order.attempt, ...(order.beside ?? [])].map((attempt) => cashier.admit(attempt)),
);
if (admission?.kind !== 'serve') throw new Error(JSON.stringify(admission));
await admission.complete({ status: 200, contentType: 'application/json', body: '{"from":"the dead"}' });
clearInterval(keepAlive);
