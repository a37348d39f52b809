/**
 * A map with a limit: it evicts the least recently used entry. `get` and `set` count as use.
 *
 * @example const plans = new LruMap<string, Plan>(5_000);
 */
export class LruMap<K, V extends NonNullable<unknown>> {
  /** A Map keeps the order of insertion; each use inserts the entry again. */
  readonly #entries = new Map<K, V>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const { value: oldest, done } = this.#entries.keys().next();
    if (!done) this.#entries.delete(oldest);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
