import pg from 'pg';
import { executeRoute, withSnapshot } from '../../sandbox/index.ts';
import { openBook } from '../../server/stores/index.ts';
import { readTransfers, type Transfer, usdcWeHold } from './chainBook.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import { keyOf, networkOf, type PayChain, type Payment, walletOf } from './payments.ts';

interface Row {
  key: string;
  network: string;
  state: string;
  trialGroup: string | null;
  reason: string | null;
  transactions: string[];
}

/** Every payment that the ledger holds, with the transactions that it has journaled. */
async function readLedger(url: string): Promise<Map<string, Row>> {
  const { book, close } = await openBook({ url });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const journal = await client.query<{ payment_key: string; hash: string }>(
    'SELECT payment_key, hash FROM settlement_transactions',
  );
  await client.end();
  const rows = new Map<string, Row>();
  for await (const { key, network, state, trialGroup, reason } of book.entries())
    rows.set(key, { key, network, state, trialGroup, reason, transactions: [] });
  for (const { payment_key, hash } of journal.rows) rows.get(payment_key)?.transactions.push(hash);
  await close();
  return rows;
}

interface Verdicts {
  token: string;
  verdict: string;
  triggers: string[];
}

interface QuoteTold {
  amountIn: string;
  amountOut: string;
  route: { legs: Parameters<typeof executeRoute>[1]['legs'] };
}

/** What the run came to; `faults` is empty when the books balance. */
export interface Balance {
  faults: string[];
  figures: Record<string, number>;
  /** What was said last to those who were refused, how often. */
  refusals: Record<string, number>;
}

/**
 * Holds every payment that clients signed against the ledger and against the chain's own logs and balances.
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

  const figures = {
    payments: payments.length,
    answered: 0,
    free: 0,
    refusedForGood: 0,
    replays: 0,
    conflictsRefused: 0,
    moved: moved.size,
    movedOnBase: movedOn.base,
    movedOnPolygon: movedOn.polygon,
    movedOnSolana: movedOn.solana,
    names: 0,
    namesakesRefused: 0,
    rows: ledger.size,
    credits: 0,
    lostToReorgs: 0,
    usedElsewhere: 0,
    checks: 0,
    avoids: 0,
    quotesExecuted: 0,
  };

  for (const row of ledger.values()) {
    if (row.state === 'claimed' || row.state === 'sent') faults.push(`${row.key} is still ${row.state}`);
    if (row.state === 'settled') figures.credits += 1;
    const isPaid = (row.state === 'settled' || row.state === 'answered') && row.trialGroup === null;
    if (isPaid && !moved.has(row.key)) {
      // Served with its first receipt, which the chain then took back: the known price of not waiting for finality.
      if (row.transactions.some((hash) => reorged.has(hash))) figures.lostToReorgs += 1;
      else faults.push(`${row.key} is ${row.state}, and no USDC moved`);
    }
    if (!isPaid && moved.has(row.key)) faults.push(`${row.key} is ${row.state} (${row.reason}), and its USDC moved`);
  }
  const known = new Map(payments.map((payment) => [keyOf(payment), payment]));
  for (const key of moved.keys()) {
    if (ledger.has(key)) continue;
    const payment = known.get(key);
    // Used before we had it in hand: a signature that is public by then buys nothing, and says so.
    if (payment?.sentOutside && payment.told.every(({ status }) => status !== 200)) figures.usedElsewhere += 1;
    else faults.push(`${key} moved USDC, and the ledger does not know it`);
  }

  const refusals: Record<string, number> = {};
  const freeOf = new Map<string, Set<string>>();
  for (const payment of payments) {
    const key = keyOf(payment);
    const row = ledger.get(key);
    const answers = payment.told.filter(({ status, conflicting }) => status === 200 && !conflicting);
    figures.conflictsRefused += payment.told.filter(({ status, conflicting }) => conflicting && status === 409).length;
    figures.replays += answers.filter(({ replayed }) => replayed).length;
    if (payment.told.some(({ status }) => status === 402)) figures.refusedForGood += 1;
    if (payment.told.some(({ status }) => status === 500)) faults.push(`${key} was answered 500`);
    if (
      payment.told.some(
        ({ status, conflicting, body }) =>
          conflicting && status === 200 && !answers.some((answer) => answer.body === body),
      )
    )
      if (answers.length > 0) faults.push(`${key} bought two answers`);
    for (const { status, body } of payment.told.slice(-1))
      if (status === 402) {
        const { detail } = JSON.parse(body) as { detail: string };
        const why = detail.replace(/0x[0-9a-fA-F]+|\d+/g, '…').slice(0, 90);
        refusals[why] = (refusals[why] ?? 0) + 1;
        // Who is told 402 signs anew: this one must have stayed where it was.
        if (moved.has(key) && !payment.sentOutside) faults.push(`${key} was refused last, and its USDC moved`);
      }
    if (answers.length === 0) continue;
    figures.answered += 1;
    if (new Set(answers.map(({ body }) => body)).size > 1) faults.push(`${key} was answered in two ways`);
    if (!row) faults.push(`${key} was answered, and the ledger does not know it`);
    if (answers.some(({ free }) => free)) {
      figures.free += 1;
      const wallet = walletOf(payment);
      freeOf.set(wallet, (freeOf.get(wallet) ?? new Set()).add(key));
      if (moved.has(key)) faults.push(`${key} was free, and its USDC moved`);
    } else if (row?.trialGroup != null) faults.push(`${key} was answered as paid, and stands as free`);
  }
  for (const [wallet, keys] of freeOf) if (keys.size > 1) faults.push(`${wallet} had ${keys.size} free calls`);
  // What was paid has its answer, or a credit that was still open when its client had gone for good.
  for (const [key, payment] of known)
    if (moved.has(key) && payment.told.length > 0 && ledger.get(key)?.state === 'refused')
      faults.push(`${key} was paid and refused`);

  judgeNames(payments, moved, figures, faults);
  const { checks, avoids } = judgeVerdicts(world, payments, faults);
  figures.checks = checks;
  figures.avoids = avoids;
  figures.quotesExecuted = await executeSample(world, payments, faults);
  return { faults, figures, refusals };
}

/** Under one name a wallet has paid once at most, and has one answer at most. */
function judgeNames(
  payments: readonly Payment[],
  moved: ReadonlyMap<string, Transfer>,
  figures: { names: number; namesakesRefused: number },
  faults: string[],
): void {
  const namesakes = new Map<string, Payment[]>();
  for (const payment of payments) {
    if (payment.name === undefined) continue;
    const whose = `${walletOf(payment)} ${payment.name}`;
    namesakes.set(whose, [...(namesakes.get(whose) ?? []), payment]);
  }
  figures.names = namesakes.size;
  for (const [name, bearers] of namesakes) {
    const paid = bearers.filter((payment) => moved.has(keyOf(payment)));
    const answered = bearers.filter(({ told }) => told.some(({ status }) => status === 200));
    if (paid.length > 1) faults.push(`${name} was paid ${paid.length} times`);
    if (answered.length > 1) faults.push(`${name} was answered ${answered.length} times`);
    figures.namesakesRefused += bearers.filter(({ told }) => told.some(({ status }) => status === 409)).length;
  }
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
  { chains, walletOf }: ChaosWorld,
  payments: readonly Payment[],
  faults: string[],
): Promise<number> {
  const wallet = walletOf('trader') as Parameters<typeof executeRoute>[1]['wallet'];
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
      executeRoute(chains.base, { legs: route.legs, amountIn: BigInt(amountIn), wallet }),
    );
    executed += 1;
    if (received !== BigInt(amountOut)) faults.push(`a quote promised ${amountOut}, and a swap paid ${received}`);
  }
  return executed;
}
