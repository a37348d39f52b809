/** Labels of nodes that rejected `eth_simulateV1` as unknown. */
export interface LackingNodes {
  has(label: string): boolean;
  add(label: string): void;
}

/** Milliseconds until a node is tried again: it may be updated, and one URL may serve several nodes. */
const rememberedMs = 60_000;

export function createLackingNodes(now: () => number): LackingNodes {
  const seenAt = new Map<string, number>();
  return {
    has(label) {
      const at = seenAt.get(label);
      return at !== undefined && now() - at < rememberedMs;
    },
    add: (label) => void seenAt.set(label, now()),
  };
}
