import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateKeyAccount } from 'viem/accounts';
import { openBook } from '../../server/stores/index.ts';
import { type Balance, balanceBooks } from './books.ts';
import { type ChaosWorld, openChaosWorld } from './chaosWorld.ts';
import { inviteGuests, type TypedCalls } from './clients.ts';
import { createDice } from './dice.ts';
import { type Done, disturb } from './disturbances.ts';
import { openPurses, type Payment } from './purses.ts';
import { sendUntilTold } from './send.ts';

export interface ChaosReport extends Balance {
  seed: number;
  seconds: number;
  skewsMs: number[];
  guests: Record<string, number>;
  disturbances: Done;
  typed: TypedCalls;
  /** What guests ran into that is none of what a client must expect. */
  surprises: string[];
}

/** So many guests are in the house at once. */
const crowd = 8;
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
  const world = await openChaosWorld(skewsMs);
  try {
    const purses = await openPurses(world);
    for (const chain of Object.values(world.chains))
      for (const wallet of [world.walletOf('stranger').address, world.outsider.address])
        await world.node(chain, 'anvil_setBalance', [wallet, `0x${(10n ** 20n).toString(16)}`]);
    const regulars = await purses.newWallets(12, 100_000_000n);
    const fresh: PrivateKeyAccount[] = await purses.newWallets(20 + Math.ceil(seconds / 2), 200_000n);
    const opened = {
      base: await world.usdcOf(world.chains.base, world.payTo),
      polygon: await world.usdcOf(world.chains.polygon, world.payTo),
    };
    // Deeper than any reorganisation to come: nobody loses what he came with.
    await sleep(5_000);

    const { kinds, typed } = inviteGuests(world, purses, regulars, fresh);
    const names = Object.keys(kinds);
    const guests: Record<string, number> = {};
    const surprises: string[] = [];
    const disturbances: Done = {};
    const until = Date.now() + seconds * 1_000;
    const hosting = Array.from({ length: crowd }, async (_, index) => {
      const own = createDice(seed * 31 + index);
      while (Date.now() < until) {
        const name = own.pick(names);
        guests[name] = (guests[name] ?? 0) + 1;
        await kinds[name]?.(own).catch((error: Error) => surprises.push(`${name}: ${error.stack}`));
      }
    });
    const reorged = await disturb(world, dice, until, disturbances);
    await Promise.all(hosting);
    await untilQuiet(world);
    await fetchWhatIsOwed(world, purses.payments);
    await untilQuiet(world);
    // Twice what served payments are looked for again in: blocks that were dropped have been seen.
    await sleep(12_000);
    const balance = await balanceBooks(world, purses.payments, opened, reorged);
    if (balance.faults.length > 0) console.info(world.log.join('').split('\n').filter(isTelling).slice(-60).join('\n'));
    return { seed, seconds, skewsMs, guests, disturbances, typed, surprises, ...balance };
  } finally {
    await world.close();
  }
}

const isTelling = (line: string): boolean => line.includes('"level":50') || !line.startsWith('{');

/** Until no payment is open: what dead replicas held is taken over, what was sent is found. */
async function untilQuiet(world: ChaosWorld): Promise<void> {
  const { book, close } = await openBook({ url: world.postgres.url });
  const end = Date.now() + settleMs;
  while ((await book.unfinished()).length > 0 && Date.now() < end) await sleep(1_000);
  await close();
}

/** Every client that has heard of no end comes back once more: now there is an answer, or a refusal. */
async function fetchWhatIsOwed(world: ChaosWorld, payments: readonly Payment[]): Promise<void> {
  const owed = payments.filter(
    ({ told }) => !told.some(({ status, conflicting }) => !conflicting && (status === 200 || status === 402)),
  );
  for (let from = 0; from < owed.length; from += 8)
    await Promise.all(
      owed
        .slice(from, from + 8)
        .map((payment) => sendUntilTold(world.balancer.url, payment, { tries: 20, attemptMs: 45_000 })),
    );
}
