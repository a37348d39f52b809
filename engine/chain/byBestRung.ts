import { LensRefusedError } from './lensCall.ts';
import type { Node } from './node.ts';

/** The lens, and its fallback. */
interface Rungs<L, Q> {
  lens: () => Promise<L>;
  quoters: () => Promise<Q>;
  now: () => number;
}

/** How long a node that did not run the lens is read by quoters before the lens is tried again. */
const lensAgainMs = 60_000;

/**
 * By the lens where the node runs it, else by published quoters, the last resort.
 * @throws what the way that was taken throws; LensRefusedError when quoters do not answer either
 */
export async function byBestRung<L, Q>(
  node: Node,
  { lens, quoters, now }: Rungs<L, Q>,
): Promise<{ value: L | Q; rung: 'lens' | 'quoters' }> {
  const { memory } = node;
  if (memory.rung !== 'quoters' || now() - memory.rungSince >= lensAgainMs) {
    try {
      return { value: await lens(), rung: 'lens' };
    } catch (error) {
      if (!(error instanceof LensRefusedError)) throw error;
    }
  }
  const value = await quoters();
  if (memory.rung !== 'quoters' || now() - memory.rungSince >= lensAgainMs) memory.rungSince = now();
  memory.rung = 'quoters';
  return { value, rung: 'quoters' };
}
