import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { ChaosWorld, Seat } from './chaosWorld.ts';
import type { Dice } from './dice.ts';
import { dropBlocks } from './dropBlocks.ts';
import { misbehaving } from './misdeeds.ts';
import { careless, dead, isBroadcast, lagging, nowAndThen, ofAnotherNetwork, slow, unconfirmed } from './nodeFaults.ts';
import type { PayChain } from './payments.ts';
import { type NodeSpell, openSpells, type Spells, type Tally } from './spells.ts';

type Acts = Record<string, () => Promise<void>>;

/** What every act is given. */
interface Stage {
  world: ChaosWorld;
  dice: Dice;
  spells: Spells;
  /** Waits so long, or to the end of the run. */
  passing(ms: number): Promise<void>;
}

/** What fails around the house. */
function actsAround({ world, dice, spells, passing }: Stage, reorged: Set<Hex>): Acts {
  const anyChain = () => dice.pick<PayChain>(['base', 'base', 'polygon', 'solana', 'solana']);
  async function cast(chain: PayChain, spell: NodeSpell, ms: number, which?: readonly number[]): Promise<void> {
    // Now and then one replica alone sees it so, and the others know better.
    const whose = dice.chance(0.25) ? [dice.pick(world.seats)] : world.seats;
    const lift = spells.castOnNodes(chain, spell, { whose, ...(which && { which }) });
    await passing(ms);
    lift();
  }
  let dropping: Promise<void> = Promise.resolve();
  return {
    async 'one of a chain’s nodes fails now and then'() {
      const chain = dice.pick<PayChain>(['base', 'solana']);
      await cast(chain, nowAndThen(dice, chain, 0.6), dice.between(2_000, 6_000), [dice.between(0, 1)]);
    },
    async 'all nodes of a chain fail now and then'() {
      const chain = anyChain();
      await cast(chain, nowAndThen(dice, chain, 0.25), dice.between(2_000, 6_000));
    },
    async 'no node of a chain answers'() {
      await cast(anyChain(), dead, dice.between(1_000, 4_000));
    },
    async 'the nodes of a chain are slow'() {
      await cast(anyChain(), slow(dice), dice.between(2_000, 6_000));
    },
    async 'nodes are careless with transactions'() {
      await cast(dice.pick<PayChain>(['base', 'solana']), careless(dice), dice.between(4_000, 9_000));
    },
    async 'nodes lag behind'() {
      await cast(anyChain(), lagging, dice.between(2_000, 7_000));
    },
    async 'Solana confirms late'() {
      await cast('solana', unconfirmed, dice.between(3_000, 9_000));
    },
    async 'a node becomes one of another network'() {
      await cast(anyChain(), ofAnotherNetwork, dice.between(2_000, 5_000), [0]);
    },
    async 'Solana runs ahead, and payments in hand grow too old'() {
      world.solana.skipSlots(200);
      await passing(1_000);
    },
    async 'the facilitator elsewhere misbehaves'() {
      const lift = spells.castOnStranger(misbehaving(dice, 0.6));
      await passing(dice.between(3_000, 7_000));
      lift();
    },
    async 'Base drops its last blocks'() {
      // Two at once would be one that nobody could tell from the outside.
      dropping = dropping.then(async () => {
        for (const hash of await dropBlocks(world, world.chains.base, dice)) reorged.add(hash);
      });
      await dropping;
      await passing(2_000);
    },
    async 'nothing happens'() {
      await passing(dice.between(1_000, 3_000));
    },
  };
}

/** Longer than a replica may be silent before the others take over what it holds. */
const beyondLeaseMs = [22_000, 27_000] as const;
/** So long a killer waits for its moment. */
const lurkMs = 6_000;

/** What fails in it. */
function actsInside({ world, dice, spells, passing }: Stage): Acts {
  const { seats, postgres } = world;

  /** Kills whoever sends a payment to its chain or facilitator, at that moment: before the request has gone, or after. */
  async function killAtBroadcast(passOn: boolean): Promise<void> {
    let victim: Seat | undefined;
    const strike = (seat: Seat): boolean => {
      if (victim && victim !== seat) return false;
      victim = seat;
      void seat.kill();
      return true;
    };
    const name = passOn ? 'passes a payment on, and its sender dies' : 'drops a payment, and its sender dies';
    const lifts = (['base', 'solana'] as const).map((chain) =>
      spells.castOnNodes(chain, (calls, seat) =>
        isBroadcast(calls) && strike(seat) ? { name, fault: { kind: passOn ? 'loseReply' : 'drop' } } : undefined,
      ),
    );
    lifts.push(
      spells.castOnStranger((path, seat) =>
        path === '/settle' && strike(seat) ? { name, fault: { kind: 'drop', after: passOn } } : undefined,
      ),
    );
    for (let waited = 0; waited < lurkMs && !victim; waited += 100) await passing(100);
    for (const lift of lifts) lift();
    await passing(dice.between(300, 3_000));
    // Whoever has been killed is there again; nobody else notices.
    await Promise.all(seats.map((seat) => seat.start()));
  }

  return {
    async 'a replica is killed, and comes back'() {
      const seat = dice.pick(seats);
      await seat.kill();
      await passing(dice.between(500, 8_000));
      await seat.start();
    },
    'a replica is killed between journal and broadcast': () => killAtBroadcast(false),
    'a replica is killed right after the broadcast': () => killAtBroadcast(true),
    async 'a replica stands still for longer than its lease'() {
      const seat = dice.pick(seats);
      seat.freeze();
      await passing(dice.between(...beyondLeaseMs));
      seat.thaw();
    },
    async 'all replicas are killed at once'() {
      await Promise.all(seats.map((seat) => seat.kill()));
      await Promise.all(seats.map((seat) => seat.start()));
    },
    async 'the database loses its power'() {
      await postgres.crash();
      await passing(dice.between(200, 3_000));
      await postgres.restart();
    },
    async 'the database is gone for longer than a lease'() {
      await postgres.crash();
      await passing(dice.between(...beyondLeaseMs));
      await postgres.restart();
    },
    async 'the database loses its power while a replica dies'() {
      const seat = dice.pick(seats);
      await Promise.all([postgres.crash(), seat.kill()]);
      await passing(dice.between(200, 2_000));
      await postgres.restart();
      await seat.start();
    },
  };
}

/** What was done to the house in a run. */
export interface Damage {
  /** Acts, each some seconds long; two of them around the house and one inside go on side by side. */
  acts: Tally;
  /** Single requests that met with a fault. */
  thrown: Tally;
  /** Transactions that a reorganisation has taken off the chain. */
  reorged: Set<Hex>;
}

/** Hurts one thing after the other until `until`, by the dice. Everything is up and honest again when it resolves. */
export async function disturb(world: ChaosWorld, dice: Dice, until: number): Promise<Damage> {
  const damage: Damage = { acts: {}, thrown: {}, reorged: new Set() };
  const spells = openSpells(world, damage.thrown);
  const passing = (ms: number) => sleep(Math.max(0, Math.min(ms, until - Date.now())));
  const stage: Stage = { world, dice, spells, passing };

  async function goOn(acts: Acts): Promise<void> {
    // Each in turn before one comes again: rare ones come in short runs too.
    let left: string[] = [];
    while (Date.now() < until) {
      if (left.length === 0) left = Object.keys(acts);
      const name = dice.pick(left);
      left = left.filter((other) => other !== name);
      await acts[name]?.();
      damage.acts[name] = (damage.acts[name] ?? 0) + 1;
      await passing(dice.between(200, 1_500));
    }
  }
  const around = actsAround(stage, damage.reorged);
  await Promise.all([goOn(around), goOn(around), goOn(actsInside(stage))]);
  spells.lift();
  await Promise.all(world.seats.map((seat) => seat.start()));
  return damage;
}
