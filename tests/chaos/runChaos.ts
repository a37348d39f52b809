import { setTimeout as sleep } from 'node:timers/promises';
import { openBook } from '../../server/storage/index.ts';
import { type AuditResult, auditRun } from './auditRun.ts';
import { payToBalance } from './chainTransfers.ts';
import { type ChaosDatabase, type ChaosEnvironment, openChaosEnvironment } from './chaosEnvironment.ts';
import type { ClientScenario, TypedCalls } from './clientScenario.ts';
import { clientScenarios } from './clients.ts';
import type { Tally } from './faultInjector.ts';
import { injectFaults } from './injectFaults.ts';
import { keyOf, type Payment } from './payments.ts';
import { createRandom } from './random.ts';
import { type RetryPolicy, sendWithRetries } from './send.ts';
import { type ClientWallet, openWalletPool, type WalletPool } from './wallets.ts';

export interface ChaosReport extends AuditResult {
  seed: number;
  seconds: number;
  database: ChaosDatabase;
  skewsMs: number[];
  clients: Record<string, number>;
  /** Settles on Solana. */
  solanaSettler: 'own key' | 'remote facilitator';
  /** Completed fault scenarios, by name. */
  faultScenarios: Tally;
  /** Faults injected into single requests, by name. */
  requestFaults: Tally;
  typedClient: TypedCalls;
  /** Payments without an answer at the end of the faults, their outcome, and durations in seconds. */
  afterFaults: Record<string, number>;
  /** Numbers of errors that replicas logged, by text. */
  logged: Tally;
  /** Exceptions of clients, which no fault may cause. */
  unexpectedErrors: string[];
}

/** Number of concurrent clients. */
const concurrentClients = 16;
/** Timeout of the wait for open payments after the last fault. */
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
  // A skew of a few seconds is normal. With 45 s, a replica considers the leases of others expired.
  const skewsMs = [0, random.between(-8_000, 8_000), random.chance(0.5) ? 45_000 : random.between(-8_000, 8_000)];
  const solanaSettler = seed % 3 === 0 ? 'remote facilitator' : 'own key';
  const environment = await openChaosEnvironment(database, skewsMs, solanaSettler);
  try {
    const wallets = await openWalletPool(environment);
    for (const chain of Object.values(environment.chains))
      for (const wallet of [environment.walletOf('stranger').address, environment.outsider.address])
        await environment.node(chain, 'anvil_setBalance', [wallet, `0x${(10n ** 20n).toString(16)}`]);
    const { reusedWallets, fresh } = await createWallets(wallets, seconds);
    const balanceBefore = {
      base: await payToBalance(environment, 'base'),
      polygon: await payToBalance(environment, 'polygon'),
      solana: await payToBalance(environment, 'solana'),
    };
    // Wait until the funding transfers are deeper than any reorganisation.
    await sleep(5_000);

    const { kinds, typedClient } = clientScenarios(environment, wallets, reusedWallets, fresh);
    const until = Date.now() + seconds * 1_000;
    const running = runClients(kinds, seed, until);
    const { scenarios: faultScenarios, requestFaults, reorged } = await injectFaults(environment, random, until);
    const faultsEndedAt = Date.now();
    const { clients, unexpectedErrors } = await running;
    const finishedAt = Date.now();
    const unanswered = await retryUnanswered(environment, wallets.payments, { tries: 3, attemptMs: 20_000 });
    const retriedAt = Date.now();
    // The blockhashes of unsent Solana payments expire.
    environment.solana.skipSlots(300);
    await waitUntilSettled(environment);
    await retryUnanswered(environment, wallets.payments, { tries: 20, attemptMs: 45_000 });
    await waitUntilSettled(environment);
    await useCredits(environment, wallets.payments);
    // Wait for two rechecks of served payments, which detect dropped blocks.
    await sleep(12_000);
    const afterFaults = {
      unanswered: unanswered.length,
      secondsUntilClientsFinished: Math.round((finishedAt - faultsEndedAt) / 1_000),
      secondsToRetry: Math.round((retriedAt - finishedAt) / 1_000),
      totalSeconds: Math.round((Date.now() - faultsEndedAt) / 1_000),
      answeredLater: unanswered.filter(({ responses }) => responses.some(({ status }) => status === 200)).length,
    };
    const audit = await auditRun(environment, wallets.payments, balanceBefore, reorged, Math.max(...skewsMs));
    if (audit.faults.length > 0) console.info(environment.log.filter(isError).slice(-60).join('\n'));
    return {
      seed,
      seconds,
      database,
      skewsMs,
      solanaSettler,
      clients,
      faultScenarios,
      requestFaults,
      typedClient,
      afterFaults,
      logged: tallyErrors(environment.log),
      unexpectedErrors,
      ...audit,
    };
  } finally {
    await environment.close();
  }
}

/** Creates wallets with funds for many payments, and fresh ones for a single scenario each. */
async function createWallets(wallets: WalletPool, seconds: number) {
  const reusedWallets: ClientWallet[] = [];
  const fresh: ClientWallet[] = [];
  for (const [kind, reusedCount, freshCount] of [
    [undefined, 8, 16],
    ['alwaysValid', 2, 4],
    ['intermittent', 2, 4],
  ] as const) {
    reusedWallets.push(...(await wallets.newWallets(reusedCount, 100_000_000n, kind)));
    fresh.push(...(await wallets.newWallets(freshCount + Math.ceil((seconds * freshCount) / 30), 200_000n, kind)));
  }
  return { reusedWallets, fresh };
}

/** Runs random scenarios in concurrent clients until `until`, in epoch milliseconds. Counts them by name. */
async function runClients(scenarios: Record<string, ClientScenario>, seed: number, until: number) {
  const names = Object.keys(scenarios);
  const clients: Record<string, number> = {};
  const unexpectedErrors: string[] = [];
  const runClient = async (_: unknown, index: number) => {
    const random = createRandom(seed * 31 + index);
    while (Date.now() < until) {
      const name = random.pick(names);
      clients[name] = (clients[name] ?? 0) + 1;
      await scenarios[name]?.(random).catch((error: Error) => unexpectedErrors.push(`${name}: ${error.stack}`));
    }
  };
  await Promise.all(Array.from({ length: concurrentClients }, runClient));
  return { clients, unexpectedErrors };
}

/** Counts the errors in the replicas' output by text, lines without JSON included. */
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

const isError = (line: string): boolean => line.includes('"level":50') || !/^$|^{|^ {2}\S| answers on http/.test(line);

/** Waits until no payment is open: leases of killed replicas expire and transactions settle. */
async function waitUntilSettled(environment: ChaosEnvironment): Promise<void> {
  const { book, close } = await openBook(environment.location);
  const deadline = Date.now() + settleMs;
  while ((await book.unfinished()).length > 0 && Date.now() < deadline) await sleep(1_000);
  await close();
}

/** Retries each payment with a credit. */
async function useCredits(environment: ChaosEnvironment, payments: readonly Payment[]): Promise<void> {
  const { book, close } = await openBook(environment.location);
  const creditKeys = new Set((await book.credits()).map(({ key }) => key));
  await close();
  for (const payment of payments.filter((each) => creditKeys.has(keyOf(each))))
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
