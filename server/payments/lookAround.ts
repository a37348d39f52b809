import type { Desk } from './desk.ts';
import { waitFor } from './flight.ts';
import { lookAtRefused } from './lookAtRefused.ts';
import { letGoOfCredits } from './takeOff.ts';
import { takeUpUnfinished } from './takeUpUnfinished.ts';

/**
 * Looks after what nobody waits for, again and again: replicas die at any time, an outcome that was unknown becomes known,
 * and one that was known changes. A node that hangs in one look holds up no other one.
 */
export function lookAround(desk: Desk): { close(): Promise<void> } {
  const { lookAroundMs, closeGraceMs } = desk.timings;
  const looks = [
    repeat(desk, takeUpUnfinished, 'Unfinished payments could not be looked for'),
    repeat(desk, letGoOfCredits, 'Credits could not be let go'),
    repeat(desk, lookAtRefused, 'Refused payments could not be looked at'),
  ];
  const timer = setInterval(() => {
    for (const look of looks) look.begin();
  }, lookAroundMs).unref();
  return {
    async close() {
      clearInterval(timer);
      await waitFor(Promise.all(looks.map((look) => look.ended())), closeGraceMs);
    },
  };
}

/** One of a kind at a time. */
function repeat(desk: Desk, work: (desk: Desk) => Promise<void>, fault: string) {
  let looking: Promise<void> | undefined;
  return {
    begin() {
      looking ??= work(desk)
        .catch((err) => desk.logger.error({ err }, fault))
        .finally(() => {
          looking = undefined;
        });
    },
    ended: async () => looking,
  };
}
