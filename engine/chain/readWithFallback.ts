import { LensRefusedError } from './lensCall.ts';
import type { Node } from './node.ts';

interface Reads<L, Q> {
  lens: () => Promise<L>;
  quoters: () => Promise<Q>;
  now: () => number;
}

/** How long to use quoters at a node that did not run the lens, before the lens is tried again. */
const retryLensMs = 60_000;

/**
 * Reads a market with the lens, or with published quoters if the node does not run the lens.
 * @throws the errors of the read that was used
 */
export async function readWithFallback<L, Q>(
  node: Node,
  { lens, quoters, now }: Reads<L, Q>,
): Promise<{ value: L | Q; source: 'lens' | 'quoters' }> {
  const { memory } = node;
  if (memory.readMode !== 'quoters' || now() - memory.readModeSince >= retryLensMs) {
    try {
      return { value: await lens(), source: 'lens' };
    } catch (error) {
      if (!(error instanceof LensRefusedError)) throw error;
    }
  }
  const value = await quoters();
  if (memory.readMode !== 'quoters' || now() - memory.readModeSince >= retryLensMs) memory.readModeSince = now();
  memory.readMode = 'quoters';
  return { value, source: 'quoters' };
}
