import { ChainUnavailableError } from '../errors.ts';
import { capabilitiesMs, lackOf, type Product } from './capabilities.ts';
import type { ChainName } from './chains.ts';
import type { ConfiguredNode } from './nodeAttempt.ts';
import { toRanked } from './nodeRank.ts';

export const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** Why no node can answer this call, and when they are tested again; undefined if one can. */
export function unableOf(all: readonly ConfiguredNode[], product: Product, now: number) {
  const usable = all.filter(({ health }) => health.circuit.openMs() === 0);
  const reasons = usable.map(({ endpoint, memory }) => {
    const lack = lackOf(memory, product, now);
    return lack && `${endpoint.label} ${lack}`;
  });
  if (usable.length === 0 || reasons.some((reason) => reason === undefined)) return undefined;
  const testedAt = Math.min(...usable.map(({ memory }) => memory.probedAt ?? now));
  return { reason: `${reasons.join('; ')}.`, retryAfterSeconds: toSeconds(testedAt + capabilitiesMs - now) };
}

/**
 * Counts a call that is about to be charged.
 * @throws {ChainUnavailableError} no node can answer the call, or their budgets are used up
 */
export function admit(chain: ChainName, all: readonly ConfiguredNode[], product: Product, now: number): void {
  const unable = unableOf(all, product, now);
  if (unable) throw new ChainUnavailableError(chain, unable.retryAfterSeconds, { reason: unable.reason });
  const ranked = toRanked(all, { product, now });
  const waits = ranked.map(({ workload }) => workload.untilAdmitted(product));
  const shortest = Math.min(...waits);
  if (shortest > 0 && Number.isFinite(shortest)) {
    throw new ChainUnavailableError(chain, toSeconds(shortest), {
      reason: `The request budget of the RPC of ${chain} is used up.`,
    });
  }
  ranked[waits.indexOf(shortest)]?.workload.admit(product);
}
