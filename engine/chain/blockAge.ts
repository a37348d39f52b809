/**
 * The age of the newest block that a node shows, in seconds, where it is too old to speak of now: the node stands still,
 * or the chain does. Undefined while it is not, or when nobody said what is old (local chains mine on demand).
 */
export function tooOldSeconds(timestamp: bigint, nowMs: number, oldBlockMs: number | undefined): number | undefined {
  const ageMs = nowMs - Number(timestamp) * 1000;
  return oldBlockMs !== undefined && ageMs > oldBlockMs ? Math.floor(ageMs / 1000) : undefined;
}
