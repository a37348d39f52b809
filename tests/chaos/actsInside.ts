import { isBroadcast } from './nodeFaults.ts';
import type { Seat } from './seat.ts';
import type { Acts, Stage } from './stage.ts';

/** So long a killer waits for its moment. */
const lurkMs = 6_000;

/** How replicas die. */
export function deaths({ world: { seats }, dice, spells, passing }: Stage): Acts {
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
    async 'all replicas are killed at once'() {
      await Promise.all(seats.map((seat) => seat.kill()));
      await Promise.all(seats.map((seat) => seat.start()));
    },
  };
}

/** Longer than a replica may be silent before the others take over what it holds. */
const beyondLeaseMs = [22_000, 27_000] as const;

/** What becomes of what replicas stand on. */
export function outages({ world: { seats, postgres }, dice, passing }: Stage): Acts {
  return {
    async 'a replica stands still for longer than its lease'() {
      const seat = dice.pick(seats);
      seat.freeze();
      await passing(dice.between(...beyondLeaseMs));
      seat.thaw();
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
