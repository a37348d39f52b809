import type { Admission, StoredAnswer } from './cashierTypes.ts';

/** How the settling of one payment ended; `free`: taken as the wallet's free call, nothing was settled. */
export type Settling =
  | { kind: 'settled'; paymentResponse: string; free: boolean }
  /** Another replica answered it meanwhile. */
  | { kind: 'answered'; paymentResponse: string; answer: StoredAnswer }
  | { kind: 'refuse'; refusal: Extract<Admission, { kind: 'refuse' }> };

/** How the serving of one settled payment ended. */
export type Landing = { kind: 'answered'; answer: StoredAnswer } | { kind: 'failed' };

/**
 * One payment being worked on in this process, for everybody who sends it at the same time.
 * The settling belongs to nobody: it goes on when every client has hung up.
 */
export interface Flight {
  fingerprint: string;
  settling: Promise<Settling>;
  /** Requests that wait for the settling; whoever finds `served` false afterwards serves. */
  waiting: number;
  served: boolean;
  landed: Promise<Landing>;
  land(landing: Landing): void;
}

/** @param settle begins at once. */
export function startFlight(fingerprint: string, settle: () => Promise<Settling>): Flight {
  let land: (landing: Landing) => void = () => undefined;
  const landed = new Promise<Landing>((resolve) => {
    land = resolve;
  });
  return { fingerprint, settling: settle(), waiting: 0, served: false, landed, land };
}

/** The value, or `late` when it takes longer than `ms`; the work itself goes on. */
export async function waitFor<T>(work: Promise<T>, ms: number): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
