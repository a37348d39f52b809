import { setTimeout as sleep } from 'node:timers/promises';
import { openBook } from '../../server/storage/index.ts';
import { type Balance, balanceBooks } from './books.ts';
import { usdcWeHold } from './chainBook.ts';
import { type ChaosWorld, openChaosWorld } from './chaosWorld.ts';
import { createDice } from './dice.ts';
import { disturb } from './disturbances.ts';
import { inviteGuests, type TypedCalls } from './guests.ts';
import { keyOf, type Payment } from './payments.ts';
import { openPurses, type Purse } from './purses.ts';
import { type Patience, sendUntilTold } from './send.ts';
import type { Tally } from './spells.ts';

export interface ChaosReport extends Balance {
  seed: number;
  seconds: number;
  skewsMs: number[];
  guests: Record<string, number>;
  /** Who settled on Solana. */
  solanaSettler: string;
  /** What was done to the house, how often. */
  disturbances: Tally;
  /** Faults that single requests met with, how often. */
  thrown: Tally;
  typed: TypedCalls;
  /** Payments without an answer when all was quiet again, and what became of them. */
  afterwards: Record<string, number>;
  /** Errors in the logs of the replicas, how often. */
  logged: Tally;
  /** What guests ran into that is none of what a client must expect. */
  surprises: string[];
}

/** So many guests are in the house at once. */
const crowd = 16;
/** What is left to do when all is quiet again must be done by then. */
const settleMs = 120_000;

/**
 * One run: guests come and go while everything that can break does; then all is mended, what is owed is fetched, and
 * the books are held against the chain.
 */
export async function runChaos({ seed, seconds }: { seed: number; seconds: number }): Promise<ChaosReport> {
  const dice = createDice(seed);
  // Some seconds off, as machines are; on one of them now and then as far as to take the others for dead.
  const skewsMs = [0, dice.between(-8_000, 8_000), dice.chance(0.5) ? 45_000 : dice.between(-8_000, 8_000)];
  const solanaSettler = seed % 3 === 0 ? 'elsewhere' : 'own key';
  const world = await openChaosWorld(skewsMs, solanaSettler);
  try {
    const purses = await openPurses(world);
    for (const chain of Object.values(world.chains))
      for (const wallet of [world.walletOf('stranger').address, world.outsider.address])
        await world.node(chain, 'anvil_setBalance', [wallet, `0x${(10n ** 20n).toString(16)}`]);
    const regulars: Purse[] = [];
    const fresh: Purse[] = [];
    for (const [kind, many, few] of [
      [undefined, 8, 16],
      ['yes', 2, 4],
      ['moody', 2, 4],
    ] as const) {
      regulars.push(...(await purses.newPurses(many, 100_000_000n, kind)));
      fresh.push(...(await purses.newPurses(few + Math.ceil((seconds * few) / 30), 200_000n, kind)));
    }
    const opened = {
      base: await usdcWeHold(world, 'base'),
      polygon: await usdcWeHold(world, 'polygon'),
      solana: await usdcWeHold(world, 'solana'),
    };
    // Deeper than any reorganisation to come: nobody loses what he came with.
    await sleep(5_000);

    const { kinds, typed } = inviteGuests(world, purses, regulars, fresh);
    const names = Object.keys(kinds);
    const guests: Record<string, number> = {};
    const surprises: string[] = [];
    const until = Date.now() + seconds * 1_000;
    const hosting = Array.from({ length: crowd }, async (_, index) => {
      const own = createDice(seed * 31 + index);
      while (Date.now() < until) {
        const name = own.pick(names);
        guests[name] = (guests[name] ?? 0) + 1;
        await kinds[name]?.(own).catch((error: Error) => surprises.push(`${name}: ${error.stack}`));
      }
    });
    const { acts: disturbances, thrown, reorged } = await disturb(world, dice, until);
    const quietAt = Date.now();
    await Promise.all(hosting);
    const leftAt = Date.now();
    const owed = await fetchWhatIsOwed(world, purses.payments, { tries: 3, attemptMs: 20_000 });
    const fetchedAt = Date.now();
    // What can still land on Solana has landed; what cannot need not be waited for.
    world.solana.skipSlots(300);
    await untilQuiet(world);
    await fetchWhatIsOwed(world, purses.payments, { tries: 20, attemptMs: 45_000 });
    await untilQuiet(world);
    await useCredits(world, purses.payments);
    // Twice what served payments are looked for again in: blocks that were dropped have been seen.
    await sleep(12_000);
    const afterwards = {
      owed: owed.length,
      secondsUntilGuestsHadLeft: Math.round((leftAt - quietAt) / 1_000),
      secondsToFetch: Math.round((fetchedAt - leftAt) / 1_000),
      secondsInAll: Math.round((Date.now() - quietAt) / 1_000),
      answeredThen: owed.filter(({ told }) => told.some(({ status }) => status === 200)).length,
    };
    const balance = await balanceBooks(world, purses.payments, opened, reorged);
    if (balance.faults.length > 0) console.info(world.log.filter(isTelling).slice(-60).join('\n'));
    return {
      seed,
      seconds,
      skewsMs,
      solanaSettler,
      guests,
      disturbances,
      thrown,
      typed,
      afterwards,
      logged: tallyErrors(world.log),
      surprises,
      ...balance,
    };
  } finally {
    await world.close();
  }
}

/** What replicas logged as errors, how often; lines that are no log at all among them. */
function tallyErrors(lines: readonly string[]): Tally {
  const tally: Tally = {};
  for (const line of lines.filter(isTelling)) {
    const { msg, err } = line.startsWith('{')
      ? (JSON.parse(line) as { msg?: string; err?: { type?: string; message?: string } })
      : { msg: line.slice(0, 120), err: undefined };
    const told = err ? `${msg}: ${err.type}: ${err.message?.slice(0, 90)}` : `${msg}`;
    const name = told.replace(/0x[0-9a-fA-F]{6,}|[0-9a-f]{32,}|[1-9A-HJ-NP-Za-km-z]{32,}|\d+/g, '…');
    tally[name] = (tally[name] ?? 0) + 1;
  }
  return tally;
}

const isTelling = (line: string): boolean => line.includes('"level":50') || !/^$|^{| answers on http/.test(line);

/** Until no payment is open: what dead replicas held is taken over, what was sent is found. */
async function untilQuiet(world: ChaosWorld): Promise<void> {
  const { book, close } = await openBook({ url: world.postgres.url });
  const end = Date.now() + settleMs;
  while ((await book.unfinished()).length > 0 && Date.now() < end) await sleep(1_000);
  await close();
}

/** Who was refused once, tried again and went away comes back too, when there is a credit: it is good for an answer. */
async function useCredits(world: ChaosWorld, payments: readonly Payment[]): Promise<void> {
  const { book, close } = await openBook({ url: world.postgres.url });
  const open = new Set((await book.credits()).map(({ key }) => key));
  await close();
  for (const payment of payments.filter((each) => open.has(keyOf(each))))
    await sendUntilTold(world.balancer.url, payment, { tries: 5, attemptMs: 45_000 });
}

/** Every client that has heard of no end comes back once more: now there is an answer, or a refusal. */
async function fetchWhatIsOwed(
  world: ChaosWorld,
  payments: readonly Payment[],
  patience: Patience,
): Promise<Payment[]> {
  const owed = payments.filter(
    ({ told }) => !told.some(({ status, conflicting }) => !conflicting && (status === 200 || status === 402)),
  );
  for (let from = 0; from < owed.length; from += 16)
    await Promise.all(
      owed.slice(from, from + 16).map((payment) => sendUntilTold(world.balancer.url, payment, patience)),
    );
  return owed;
}
