import { setTimeout as sleep } from 'node:timers/promises';
import { openBook } from '../../server/storage/index.ts';
import { type AuditResult, auditRun } from './auditRun.ts';
import { payToBalance } from './chainTransfers.ts';
import { type ChaosDatabase, type ChaosEnvironment, openChaosEnvironment } from './chaosEnvironment.ts';
import type { TypedCalls } from './clientScenario.ts';
import { clientScenarios } from './clients.ts';
import type { Tally } from './faultInjector.ts';
import { injectFaults } from './injectFaults.ts';
import { keyOf, type Payment } from './payments.ts';
import { createRandom } from './random.ts';
import { type RetryPolicy, sendWithRetries } from './send.ts';
import { type ClientWallet, openWalletPool } from './wallets.ts';

export interface ChaosReport extends AuditResult {
  seed: number;
  seconds: number;
  database: ChaosDatabase;
  skewsMs: number[];
  clients: Record<string, number>;
  /** What settled on Solana. */
  solanaSettler: string;
  /** Completed fault scenarios, by name. */
  disturbances: Tally;
  /** Faults injected into single requests, by name. */
  requestFaults: Tally;
  typed: TypedCalls;
  /** Payments without an answer at the end of the faults, and their outcome. */
  afterwards: Record<string, number>;
  /** Errors that replicas logged, by text. */
  logged: Tally;
  /** Errors that a client must never meet. */
  surprises: string[];
}

/** Clients that run concurrently. */
const concurrentClients = 16;
/** Deadline for open payments after the last fault. */
const settleMs = 120_000;

/**
 * Runs clients while faults are injected. Then removes the faults, retries unanswered payments and audits the run.
 */
export async function runChaos({
  seed,
  seconds,
  database,
}: {
  seed: number;
  seconds: number;
  database: ChaosDatabase;
}): Promise<ChaosReport> {
  const random = createRandom(seed);
  // A skew of a few seconds is normal; 45 s makes a replica's leases look expired.
  const skewsMs = [0, random.between(-8_000, 8_000), random.chance(0.5) ? 45_000 : random.between(-8_000, 8_000)];
  const solanaSettler = seed % 3 === 0 ? 'elsewhere' : 'own key';
  const environment = await openChaosEnvironment(database, skewsMs, solanaSettler);
  try {
    const wallets = await openWalletPool(environment);
    for (const chain of Object.values(environment.chains))
      for (const wallet of [environment.walletOf('stranger').address, environment.outsider.address])
        await environment.node(chain, 'anvil_setBalance', [wallet, `0x${(10n ** 20n).toString(16)}`]);
    const reusedWallets: ClientWallet[] = [];
    const fresh: ClientWallet[] = [];
    for (const [kind, many, few] of [
      [undefined, 8, 16],
      ['yes', 2, 4],
      ['intermittent', 2, 4],
    ] as const) {
      reusedWallets.push(...(await wallets.newWallets(many, 100_000_000n, kind)));
      fresh.push(...(await wallets.newWallets(few + Math.ceil((seconds * few) / 30), 200_000n, kind)));
    }
    const opened = {
      base: await payToBalance(environment, 'base'),
      polygon: await payToBalance(environment, 'polygon'),
      solana: await payToBalance(environment, 'solana'),
    };
    // Wait until the funding transfers are deeper than any reorganisation.
    await sleep(5_000);

    const { kinds, typed } = clientScenarios(environment, wallets, reusedWallets, fresh);
    const names = Object.keys(kinds);
    const clients: Record<string, number> = {};
    const surprises: string[] = [];
    const until = Date.now() + seconds * 1_000;
    const running = Array.from({ length: concurrentClients }, async (_, index) => {
      const own = createRandom(seed * 31 + index);
      while (Date.now() < until) {
        const name = own.pick(names);
        clients[name] = (clients[name] ?? 0) + 1;
        await kinds[name]?.(own).catch((error: Error) => surprises.push(`${name}: ${error.stack}`));
      }
    });
    const { scenarios: disturbances, requestFaults, reorged } = await injectFaults(environment, random, until);
    const quietAt = Date.now();
    await Promise.all(running);
    const finishedAt = Date.now();
    const unanswered = await retryUnanswered(environment, wallets.payments, { tries: 3, attemptMs: 20_000 });
    const retriedAt = Date.now();
    // Let the blockhashes of unsent Solana payments expire.
    environment.solana.skipSlots(300);
    await waitUntilSettled(environment);
    await retryUnanswered(environment, wallets.payments, { tries: 20, attemptMs: 45_000 });
    await waitUntilSettled(environment);
    await useCredits(environment, wallets.payments);
    // Wait for two rechecks of served payments, so that dropped blocks are noticed.
    await sleep(12_000);
    const afterwards = {
      unanswered: unanswered.length,
      secondsUntilClientsFinished: Math.round((finishedAt - quietAt) / 1_000),
      secondsToRetry: Math.round((retriedAt - finishedAt) / 1_000),
      secondsInAll: Math.round((Date.now() - quietAt) / 1_000),
      answeredThen: unanswered.filter(({ responses }) => responses.some(({ status }) => status === 200)).length,
    };
    const balance = await auditRun(environment, wallets.payments, opened, reorged, Math.max(...skewsMs));
    if (balance.faults.length > 0) console.info(environment.log.filter(isError).slice(-60).join('\n'));
    return {
      seed,
      seconds,
      database,
      skewsMs,
      solanaSettler,
      clients,
      disturbances,
      requestFaults,
      typed,
      afterwards,
      logged: tallyErrors(environment.log),
      surprises,
      ...balance,
    };
  } finally {
    await environment.close();
  }
}

/** Counts errors in the replicas' output; lines that are not JSON count too. */
function tallyErrors(lines: readonly string[]): Tally {
  const tally: Tally = {};
  for (const line of lines.filter(isError)) {
    const { msg, err } = line.startsWith('{')
      ? (JSON.parse(line) as { msg?: string; err?: { type?: string; message?: string } })
      : { msg: line.slice(0, 120), err: undefined };
    const text = err ? `${msg}: ${err.type}: ${err.message?.slice(0, 90)}` : `${msg}`;
    const name = text.replace(/0x[0-9a-fA-F]{6,}|[0-9a-f]{32,}|[1-9A-HJ-NP-Za-km-z]{32,}|\d+/g, '…');
    tally[name] = (tally[name] ?? 0) + 1;
  }
  return tally;
}

const isError = (line: string): boolean => line.includes('"level":50') || !/^$|^{| answers on http/.test(line);

/** Waits until no payment is open: leases of killed replicas expire and sent transactions settle. */
async function waitUntilSettled(environment: ChaosEnvironment): Promise<void> {
  const { book, close } = await openBook(environment.place);
  const end = Date.now() + settleMs;
  while ((await book.unfinished()).length > 0 && Date.now() < end) await sleep(1_000);
  await close();
}

/** Retries each payment with an open credit: the credit must buy an answer. */
async function useCredits(environment: ChaosEnvironment, payments: readonly Payment[]): Promise<void> {
  const { book, close } = await openBook(environment.place);
  const open = new Set((await book.credits()).map(({ key }) => key));
  await close();
  for (const payment of payments.filter((each) => open.has(keyOf(each))))
    await sendWithRetries(environment.balancer.url, payment, { tries: 5, attemptMs: 45_000 });
}

/** Retries each payment that has neither an answer nor a refusal. @returns those payments */
async function retryUnanswered(
  environment: ChaosEnvironment,
  payments: readonly Payment[],
  retryPolicy: RetryPolicy,
): Promise<Payment[]> {
  const unanswered = payments.filter(
    ({ responses }) => !responses.some(({ status, conflicting }) => !conflicting && (status === 200 || status === 402)),
  );
  for (let from = 0; from < unanswered.length; from += 16)
    await Promise.all(
      unanswered
        .slice(from, from + 16)
        .map((payment) => sendWithRetries(environment.balancer.url, payment, retryPolicy)),
    );
  return unanswered;
}
