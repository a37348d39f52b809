/**
 * The age of a node's latest block in seconds, if it exceeds `oldBlockMs`: the node or the chain has stopped. Undefined
 * below that age, and without a limit (local chains mine on demand).
 */
export function tooOldSeconds(timestamp: bigint, nowMs: number, oldBlockMs: number | undefined): number | undefined {
  const ageMs = nowMs - Number(timestamp) * 1000;
  return oldBlockMs !== undefined && ageMs > oldBlockMs ? Math.floor(ageMs / 1000) : undefined;
}
