/** Nodes that were seen to have no `eth_simulateV1`, by label. */
export interface LackingNodes {
  has(label: string): boolean;
  add(label: string): void;
}

/** How long that is believed: a node is updated, and behind one URL several may answer. */
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
