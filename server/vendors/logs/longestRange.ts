/** The longest range of blocks that the nodes accept. */
export interface LongestRange {
  /** Undefined: no limit was reached yet. */
  blocks(): number | undefined;
  /** @param size of an accepted range, or after a rejection the size that is tried next */
  note(size: number, accepted: boolean): void;
}

export function createLongestRange(): LongestRange {
  let longest: number | undefined;
  return {
    blocks: () => longest,
    note(size, accepted) {
      if (!accepted || (longest !== undefined && size > longest)) longest = size;
    },
  };
}
