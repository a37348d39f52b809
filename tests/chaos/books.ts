import { executeRoute, toExecutableLegs, withSnapshot } from '../../sandbox/index.ts';
import { readTransfers, type Transfer, usdcWeHold } from './chainBook.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import { readLedger } from './ledgerBook.ts';
import { networkOf, type PayChain, type Payment } from './payments.ts';
import { weighPayments } from './weighPayments.ts';

interface Verdicts {
  token: string;
  verdict: string;
  triggers: string[];
}

interface QuoteTold {
  amountIn: string;
  amountOut: string;
  route: { legs: Parameters<typeof toExecutableLegs>[0] };
}

/** What the run came to; `faults` is empty when the books balance. */
export interface Balance {
  faults: string[];
  figures: Record<string, number>;
  /** What was said last to those who were refused, how often. */
  refusals: Record<string, number>;
}

/** Everything that moved to us, by the payment's key; and by chain how often. */
async function readMoved(world: ChaosWorld, opened: Record<PayChain, bigint>, faults: string[]) {
  const moved = new Map<string, Transfer>();
  const movedOn = { base: 0, polygon: 0, solana: 0 };
  for (const chain of Object.keys(networkOf) as PayChain[]) {
    const transfers = await readTransfers(world, chain);
    movedOn[chain] = transfers.length;
    for (const transfer of transfers) {
      if (moved.has(transfer.key)) faults.push(`${transfer.key} moved USDC twice`);
      moved.set(transfer.key, transfer);
    }
    const came = (await usdcWeHold(world, chain)) - opened[chain];
    const told = transfers.reduce((sum, { value }) => sum + value, 0n);
    if (came !== told) faults.push(`${chain}: ${came} units came, and the logs tell of ${told}`);
  }
  return { moved, movedOn };
}

/**
 * Holds every payment that clients signed against the ledger and against the chains' own logs and balances, and what
 * was sold against the truth.
 *
 * @param opened what payTo held before, by chain
 * @param reorged transactions that were taken off the chain
 */
export async function balanceBooks(
  world: ChaosWorld,
  payments: readonly Payment[],
  opened: Record<PayChain, bigint>,
  reorged: ReadonlySet<string>,
): Promise<Balance> {
  const faults: string[] = [];
  const ledger = await readLedger(world.postgres.url);
  const { moved, movedOn } = await readMoved(world, opened, faults);
  const weighed = weighPayments({ payments, ledger, moved, reorged });
  faults.push(...weighed.faults);
  const { checks, avoids } = judgeVerdicts(world, payments, faults);
  const quotesExecuted = await executeSample(world, payments, faults);
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

/** No avoid but where the truth by hand says so. */
function judgeVerdicts(world: ChaosWorld, payments: readonly Payment[], faults: string[]) {
  const truths = new Map((world.sandbox.zoo?.animals ?? []).map((animal) => [animal.address.toLowerCase(), animal]));
  let [checks, avoids] = [0, 0];
  for (const { path, told } of payments) {
    if (path.endsWith('quote')) continue;
    for (const { body } of told.filter(({ status }) => status === 200)) {
      const { token, verdict, triggers } = JSON.parse(body) as Verdicts;
      checks += 1;
      if (verdict !== 'avoid') continue;
      avoids += 1;
      const animal = truths.get(token.toLowerCase());
      const right = animal ? [animal.truth.triggers, ...(animal.truth.alsoRight ?? [])] : [];
      if (
        animal?.truth.verdict !== 'avoid' ||
        !triggers.every((trigger) => right.some((list) => (list as readonly string[]).includes(trigger)))
      )
        faults.push(`${animal?.symbol ?? token} was called avoid for ${triggers.join()}`);
    }
  }
  return { checks, avoids };
}

const sampleSize = 40;

/** The market stands still, so that a quote of any block is a quote of now: real swaps of a sample, to the wei. */
async function executeSample(
  { chains, node, walletOf }: ChaosWorld,
  payments: readonly Payment[],
  faults: string[],
): Promise<number> {
  const wallet = walletOf('trader') as Parameters<typeof executeRoute>[1]['wallet'];
  // Each execution would wait for the next block otherwise.
  await node(chains.base, 'evm_setAutomine', [true]);
  const bodies = new Set(
    payments.flatMap(({ path, told }) =>
      path.endsWith('quote')
        ? told.filter(({ status, conflicting }) => status === 200 && !conflicting).map(({ body }) => body)
        : [],
    ),
  );
  let executed = 0;
  for (const body of bodies) {
    if (executed === sampleSize) break;
    const { amountIn, amountOut, route } = JSON.parse(body) as QuoteTold;
    if (amountOut === '0') continue;
    const { received } = await withSnapshot(chains.base, () =>
      executeRoute(chains.base, { legs: toExecutableLegs(route.legs), amountIn: BigInt(amountIn), wallet }),
    );
    executed += 1;
    if (received !== BigInt(amountOut)) faults.push(`a quote promised ${amountOut}, and a swap paid ${received}`);
  }
  return executed;
}
