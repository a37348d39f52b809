import { executeRoute, toExecutableLegs, withSnapshot } from '../../sandbox/index.ts';
import { auditPayments } from './auditPayments.ts';
import { payToBalance, readTransfers } from './chainTransfers.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import { readLedger } from './ledgerRows.ts';
import { networkOf, type PayChain, type Payment } from './payments.ts';
import type { Transfer } from './transfer.ts';

interface CheckBody {
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
  /** Refused payments, counted by the text of their last response. */
  refusals: Record<string, number>;
}

/** Reads the transfers to payTo by payment key and counts them by chain. Compares their sum with payTo's balance. */
async function readAllTransfers(
  environment: ChaosEnvironment,
  balanceBefore: Record<PayChain, bigint>,
  faults: string[],
) {
  const transfers = new Map<string, Transfer>();
  const movedOn = { base: 0, polygon: 0, solana: 0 };
  for (const chain of Object.keys(networkOf) as PayChain[]) {
    const onChain = await readTransfers(environment, chain);
    movedOn[chain] = onChain.length;
    for (const transfer of onChain) {
      if (transfers.has(transfer.key)) faults.push(`${transfer.key} moved USDC twice`);
      transfers.set(transfer.key, transfer);
    }
    const received = (await payToBalance(environment, chain)) - balanceBefore[chain];
    const logged = onChain.reduce((sum, { value }) => sum + value, 0n);
    if (received !== logged)
      faults.push(`${chain}: balance grew by ${received} units, transfer logs add up to ${logged}`);
  }
  return { transfers, movedOn };
}

/**
 * Compares every signed payment with the ledger and the chains' logs and balances, and verdicts with the test tokens'
 * ground truth. Executes a sample of quotes.
 *
 * @param balanceBefore payTo's balance before the run, by chain
 * @param reorged transactions that reorganisations removed
 * @param clockLeadMs lead of the fastest replica clock, in milliseconds
 */
export async function auditRun(
  environment: ChaosEnvironment,
  payments: readonly Payment[],
  balanceBefore: Record<PayChain, bigint>,
  reorged: ReadonlySet<string>,
  clockLeadMs: number,
): Promise<AuditResult> {
  const faults: string[] = [];
  const ledger = await readLedger(environment.location);
  const { transfers, movedOn } = await readAllTransfers(environment, balanceBefore, faults);
  const audited = auditPayments({ payments, ledger, transfers, reorged, clockLeadMs });
  faults.push(...audited.faults);
  const { checks, avoids } = auditVerdicts(environment, payments, faults);
  const quotesExecuted = await executeSample(environment, payments, faults);
  const figures = {
    ...audited.figures,
    transfers: transfers.size,
    movedOnBase: movedOn.base,
    movedOnPolygon: movedOn.polygon,
    movedOnSolana: movedOn.solana,
    checks,
    avoids,
    quotesExecuted,
  };
  return { faults, figures, refusals: audited.refusals };
}

/** Reports each `avoid` verdict that the test token's ground truth does not support. */
function auditVerdicts(environment: ChaosEnvironment, payments: readonly Payment[], faults: string[]) {
  const testTokenByAddress = new Map(
    (environment.sandbox.testTokens?.tokens ?? []).map((testToken) => [testToken.address.toLowerCase(), testToken]),
  );
  let [checks, avoids] = [0, 0];
  for (const { path, responses } of payments) {
    if (path.endsWith('quote')) continue;
    for (const { body } of responses.filter(({ status }) => status === 200)) {
      const { token, verdict, triggers } = JSON.parse(body) as CheckBody;
      checks += 1;
      if (verdict !== 'avoid') continue;
      avoids += 1;
      const testToken = testTokenByAddress.get(token.toLowerCase());
      const acceptedTriggers = testToken ? [testToken.truth.triggers, ...(testToken.truth.acceptedTriggers ?? [])] : [];
      if (
        testToken?.truth.verdict !== 'avoid' ||
        !triggers.every((trigger) => acceptedTriggers.some((list) => (list as readonly string[]).includes(trigger)))
      )
        faults.push(`${testToken?.symbol ?? token}: unexpected avoid for ${triggers.join()}`);
    }
  }
  return { checks, avoids };
}

const sampleSize = 40;

/** Executes a sample of quotes. Reserves do not change during a run, so each swap must pay the quoted amount. */
async function executeSample(
  { chains, node, sandbox, walletOf }: ChaosEnvironment,
  payments: readonly Payment[],
  faults: string[],
): Promise<number> {
  const wallet = walletOf('trader') as Parameters<typeof executeRoute>[1]['wallet'];
  await sandbox.mining.base?.pause();
  // Without automine each execution would wait for the next block.
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
