import { executeRoute, toExecutableLegs, withSnapshot } from '../../sandbox/index.ts';
import { auditPayments } from './auditPayments.ts';
import { payToBalance, readTransfers } from './chainTransfers.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import { readLedger } from './ledgerRows.ts';
import { networkOf, type PayChain, type Payment } from './payments.ts';
import type { Transfer } from './transfer.ts';

interface Verdicts {
  token: string;
  verdict: string;
  triggers: string[];
}

interface QuoteBody {
  amountIn: string;
  amountOut: string;
  route: { legs: Parameters<typeof toExecutableLegs>[0] };
}

/** Result of the audit; `faults` is empty when clients, ledger and chains agree. */
export interface AuditResult {
  faults: string[];
  figures: Record<string, number>;
  /** Last refusal of each refused client, counted by text. */
  refusals: Record<string, number>;
}

/** Reads every transfer to payTo, by payment key, and counts transfers by chain. */
async function readMoved(environment: ChaosEnvironment, opened: Record<PayChain, bigint>, faults: string[]) {
  const moved = new Map<string, Transfer>();
  const movedOn = { base: 0, polygon: 0, solana: 0 };
  for (const chain of Object.keys(networkOf) as PayChain[]) {
    const transfers = await readTransfers(environment, chain);
    movedOn[chain] = transfers.length;
    for (const transfer of transfers) {
      if (moved.has(transfer.key)) faults.push(`${transfer.key} moved USDC twice`);
      moved.set(transfer.key, transfer);
    }
    const received = (await payToBalance(environment, chain)) - opened[chain];
    const logged = transfers.reduce((sum, { value }) => sum + value, 0n);
    if (received !== logged)
      faults.push(`${chain}: balance grew by ${received} units, transfer logs add up to ${logged}`);
  }
  return { moved, movedOn };
}

/**
 * Compares every signed payment with the ledger, the chains' logs and balances. Compares verdicts with the fixtures'
 * ground truth and executes a sample of quotes.
 *
 * @param opened payTo's balance before the run, by chain
 * @param reorged transactions that reorganisations removed
 * @param clockLeadMs how far the fastest clock of a replica is ahead
 */
export async function auditRun(
  environment: ChaosEnvironment,
  payments: readonly Payment[],
  opened: Record<PayChain, bigint>,
  reorged: ReadonlySet<string>,
  clockLeadMs: number,
): Promise<AuditResult> {
  const faults: string[] = [];
  const ledger = await readLedger(environment.place);
  const { moved, movedOn } = await readMoved(environment, opened, faults);
  const weighed = auditPayments({ payments, ledger, moved, reorged, clockLeadMs });
  faults.push(...weighed.faults);
  const { checks, avoids } = judgeVerdicts(environment, payments, faults);
  const quotesExecuted = await executeSample(environment, payments, faults);
  const figures = {
    ...weighed.figures,
    moved: moved.size,
    movedOnBase: movedOn.base,
    movedOnPolygon: movedOn.polygon,
    movedOnSolana: movedOn.solana,
    checks,
    avoids,
    quotesExecuted,
  };
  return { faults, figures, refusals: weighed.refusals };
}

/** Reports each `avoid` verdict that the fixture's ground truth does not support. */
function judgeVerdicts(environment: ChaosEnvironment, payments: readonly Payment[], faults: string[]) {
  const truths = new Map(
    (environment.sandbox.testTokens?.tokens ?? []).map((fixture) => [fixture.address.toLowerCase(), fixture]),
  );
  let [checks, avoids] = [0, 0];
  for (const { path, responses } of payments) {
    if (path.endsWith('quote')) continue;
    for (const { body } of responses.filter(({ status }) => status === 200)) {
      const { token, verdict, triggers } = JSON.parse(body) as Verdicts;
      checks += 1;
      if (verdict !== 'avoid') continue;
      avoids += 1;
      const fixture = truths.get(token.toLowerCase());
      const right = fixture ? [fixture.truth.triggers, ...(fixture.truth.acceptedTriggers ?? [])] : [];
      if (
        fixture?.truth.verdict !== 'avoid' ||
        !triggers.every((trigger) => right.some((list) => (list as readonly string[]).includes(trigger)))
      )
        faults.push(`${fixture?.symbol ?? token}: unexpected avoid for ${triggers.join()}`);
    }
  }
  return { checks, avoids };
}

const sampleSize = 40;

/** Executes a sample of quotes as real swaps. Reserves do not change during a run, so every quote still holds exactly. */
async function executeSample(
  { chains, node, walletOf }: ChaosEnvironment,
  payments: readonly Payment[],
  faults: string[],
): Promise<number> {
  const wallet = walletOf('trader') as Parameters<typeof executeRoute>[1]['wallet'];
  // Each execution would wait for the next block otherwise.
  await node(chains.base, 'evm_setAutomine', [true]);
  const bodies = new Set(
    payments.flatMap(({ path, responses }) =>
      path.endsWith('quote')
        ? responses.filter(({ status, conflicting }) => status === 200 && !conflicting).map(({ body }) => body)
        : [],
    ),
  );
  let executed = 0;
  for (const body of bodies) {
    if (executed === sampleSize) break;
    const { amountIn, amountOut, route } = JSON.parse(body) as QuoteBody;
    if (amountOut === '0') continue;
    const { received } = await withSnapshot(chains.base, () =>
      executeRoute(chains.base, { legs: toExecutableLegs(route.legs), amountIn: BigInt(amountIn), wallet }),
    );
    executed += 1;
    if (received !== BigInt(amountOut)) faults.push(`quoted ${amountOut}, the swap returned ${received}`);
  }
  return executed;
}
