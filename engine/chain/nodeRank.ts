import { lackOf, type Product } from './capabilities.ts';
import type { ConfiguredNode } from './nodeAttempt.ts';

/**
 * Sorts nodes by lens support, then by whether the last request failed, then by score; leaves out open circuits, and nodes
 * that cannot answer `product` if others can.
 */
export function toRanked(
  all: readonly ConfiguredNode[],
  { product, now }: { product?: Product | undefined; now: number },
): ConfiguredNode[] {
  const leastAgeMs = Math.min(...all.map(({ health }) => health.headAgeMs() ?? Number.POSITIVE_INFINITY));
  const rank = ({ health, memory }: ConfiguredNode) => [
    memory.readMode === 'quoters' ? 1 : 0,
    health.circuit.failures() > 0 ? 1 : 0,
    health.score(leastAgeMs),
  ];
  const closed = all.filter(({ health }) => health.circuit.openMs() === 0);
  const able = closed.filter(({ memory }) => product === undefined || lackOf(memory, product, now) === undefined);
  return (able.length > 0 ? able : closed)
    .map((configured) => ({ configured, rank: rank(configured) }))
    .sort((a, b) => a.rank.map((value, at) => value - (b.rank[at] ?? 0)).find((by) => by !== 0) ?? 0)
    .map(({ configured }) => configured);
}

/** Whether a node responded recently, and has not failed since. */
export function wasReached(all: readonly ConfiguredNode[], withinMs: number, now: number): boolean {
  return all.some(({ health: { circuit, answeredAt } }) => {
    const at = answeredAt();
    return circuit.failures() === 0 && at !== undefined && now - at <= withinMs;
  });
}

/**
 * The second request starts after the first node's p95, each further one after a share of the deadline. A node that cannot
 * run the lens also waits for that share, so that it does not replace a slow node that can.
 */
export function hedgeDelay(
  configured: ConfiguredNode,
  next: ConfiguredNode | undefined,
  index: number,
  shareMs: number,
): number {
  const isFallback = next?.memory.readMode === 'quoters' && configured.memory.readMode !== 'quoters';
  return index === 0 && !isFallback ? Math.min(configured.health.hedgeAfterMs(), shareMs) : shareMs;
}
