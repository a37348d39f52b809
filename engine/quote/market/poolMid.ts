/** The mid and depth of a pool. All compared pools use the same units. */
export interface PoolMid {
  /** Price without the fee. */
  mid: number;
  /** Output until the price falls by 1 %, multiplied by `depthShare`. */
  depth: number;
}
