/**
 * A payment service in a separate process. It stops at one step, notifies its parent, and waits to be killed.
 * The parent sends it one `CrashTask`.
 */
import { once } from 'node:events';
import {
  createPaymentService,
  type PaymentAttempt,
  type PaymentConfig,
  type PaymentLedger,
} from '../../server/payments/index.ts';
import { type DatabaseLocation, openStores } from '../../server/storage/index.ts';

/** Steps of a paid call up to `answered`, in this order; then the steps of a free call. */
export type CrashPoint =
  | 'looked up'
  | 'reserved'
  | 'claimed'
  | 'signed'
  | 'journaled'
  | 'mined'
  | 'settled'
  | 'answer computed'
  | 'answered'
  | 'verified'
  | 'free call taken'
  /** Does not stop: the parent kills the process at a random time after the payments began. */
  | 'payments begun';

export interface CrashTask {
  location: DatabaseLocation;
  networks: PaymentConfig['networks'];
  offers: PaymentConfig['offers'];
  attempt: PaymentAttempt;
  /** Payments that arrive at the same time and share its transaction. */
  concurrent?: PaymentAttempt[];
  stopAt: CrashPoint;
  /** Name of the step for the report, if it differs from `stopAt`. */
  step?: string;
}

// Exit with the parent.
process.on('disconnect', () => process.exit());
const [task] = (await once(process, 'message')) as [CrashTask];
const stop = (): Promise<never> => {
  process.send?.(task.stopAt);
  return new Promise(() => undefined);
};

const { ledger: real } = await openStores(task.location, Date.now, { leaseMs: 1_000 });
const steps: Record<CrashPoint, Partial<PaymentLedger>> = {
  'looked up': { claim: stop },
  'payments begun': {},
  reserved: { reserve: (claim) => real.reserve(claim).then(stop) },
  claimed: { claim: (facts) => real.claim(facts).then(stop) },
  // Solana has no account nonces, so its transactions use `journal`.
  signed: { journal: stop, journalNext: stop },
  journaled: {
    journal: (...step) => real.journal(...step).then(stop),
    journalNext: (...step) => real.journalNext(...step).then(stop),
  },
  mined: { settled: stop },
  settled: { settled: (key, response) => real.settled(key, response).then(stop) },
  'answer computed': { answered: stop },
  answered: { answered: (key, answer) => real.answered(key, answer).then(stop) },
  verified: { claimTrial: stop },
  'free call taken': { claimTrial: (claim) => real.claimTrial(claim).then(stop) },
};
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const paymentService = await createPaymentService({
  networks: task.networks,
  offers: task.offers,
  ledger: { ...real, ...steps[task.stopAt] },
  now: Date.now,
  logger: silent,
  timings: { receiptPollMs: 50 },
});
const keepAlive = setInterval(() => undefined, 1_000);
if (task.stopAt === 'payments begun') process.send?.(task.stopAt);
await Promise.all(
  [task.attempt, ...(task.concurrent ?? [])].map(async (attempt) => {
    const decision = await paymentService.decide(attempt);
    if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
    await decision.complete({ status: 200, contentType: 'application/json', body: '{"from":"the killed process"}' });
  }),
);
clearInterval(keepAlive);
