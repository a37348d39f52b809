import { readFileSync } from 'node:fs';
import { createPaymentService, type PaymentAttempt, type PaymentConfig } from '../../server/payments/index.ts';
import { type DatabaseLocation, openStores } from '../../server/storage/index.ts';

// One process of bench:settlement: the payment service without HTTP. The parent process sends it signed payments.

/** A command of the parent process, with exactly one of the fields. */
export interface ReplicaCommand {
  open?: { database: DatabaseLocation; networks: PaymentConfig['networks'] };
  /** The payments of each payer, in order. */
  load?: PaymentAttempt[][];
  run?: true;
}

/** The reply to a command. */
export interface ReplicaReport {
  /** PAYMENT-REQUIRED header of the quote. */
  challenge?: string;
  loaded?: true;
  /** `took`: milliseconds per payment. `waitedMs`: see `waitedForCore`. */
  ran?: { took: number[]; refused: string[]; cpuMs: number; waitedMs: number };
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const answer = { status: 200, contentType: 'application/json', body: JSON.stringify({ filler: 'x'.repeat(2_000) }) };
const report = (message: ReplicaReport): void => {
  process.send?.(message);
};

let service: Awaited<ReturnType<typeof open>> | undefined;
let attempts: PaymentAttempt[][] = [];

async function open({ database, networks }: NonNullable<ReplicaCommand['open']>) {
  const stores = await openStores(database, Date.now);
  const paymentService = await createPaymentService({
    networks,
    offers: [
      {
        paid: 'quote',
        priceUsd: '0.02',
        resource: { url: 'http://localhost/v1/quote', description: 'A quote', mimeType: 'application/json' },
      },
    ],
    ledger: stores.ledger,
    now: Date.now,
    logger: silent,
    timings: { settleDeadlineMs: 120_000, joinDeadlineMs: 120_000, turnDeadlineMs: 120_000 },
  });
  return { stores, paymentService };
}

/** Time in ms in which this process's main thread was ready to run and had no core; 0 outside Linux. */
function waitedForCore(): number {
  if (process.platform !== 'linux') return 0;
  return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1_000_000;
}

/** Runs the payments of each payer one after the other, and the payers concurrently. */
async function run() {
  const took: number[] = [];
  const refused: string[] = [];
  const [cpu, waited] = [process.cpuUsage(), waitedForCore()];
  await Promise.all(
    attempts.map(async (payerAttempts) => {
      for (const attempt of payerAttempts) {
        const startedAt = performance.now();
        const decision = await service?.paymentService.decide(attempt);
        if (decision?.kind === 'serve') await decision.complete(answer);
        else refused.push(decision?.kind === 'refuse' ? decision.detail : 'no service');
        took.push(performance.now() - startedAt);
      }
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { took, refused, cpuMs: (user + system) / 1_000, waitedMs: waitedForCore() - waited };
}

process.on('message', async (command: ReplicaCommand) => {
  if (command.open) {
    service = await open(command.open);
    report({ challenge: service.paymentService.challenge('quote').header });
  } else if (command.load) {
    attempts = command.load;
    report({ loaded: true });
  } else if (command.run) {
    report({ ran: await run() });
  }
});
process.on('disconnect', async () => {
  await service?.paymentService.close();
  await service?.stores.close();
  process.exit();
});
