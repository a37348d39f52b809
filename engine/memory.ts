interface MemoryOptions<V> {
  maxEntries: number;
  /** Callers choose the keys, so entries of different sizes need a limit in bytes too. `bytesOf` estimates one entry. */
  maxBytes?: number;
  bytesOf?: (value: V) => number;
  /** How long an entry is valid, in milliseconds; by default without an end. */
  keptMs?: number | ((value: V) => number);
  /** Milliseconds; needed for `keptMs`. */
  now?: () => number;
}

interface Entry<V> {
  value: V;
  until: number;
  bytes: number;
}

/**
 * A bounded memory: it evicts the least recently used entry, and never returns an expired one. `get` and `set` count as use.
 *
 * @example const scans = new Memory<string, Scan>({ maxEntries: 5_000, keptMs: 600_000, now });
 */
export class Memory<K, V extends NonNullable<unknown>> {
  /** A Map keeps the order of insertion; each use inserts the entry again. */
  readonly #entries = new Map<K, Entry<V>>();
  readonly #options: MemoryOptions<V>;
  #bytes = 0;

  constructor(options: MemoryOptions<V>) {
    this.#options = options;
  }

  /** The valid value of a key. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (this.#isExpired(entry)) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** @param keptMs instead of that of the memory */
  set(key: K, value: V, keptMs = this.#keptMs(value)): void {
    const { maxEntries, maxBytes = Number.POSITIVE_INFINITY, bytesOf = () => 0, now = () => 0 } = this.#options;
    this.forget(key);
    const bytes = bytesOf(value);
    this.#bytes += bytes;
    this.#entries.set(key, { value, until: now() + keptMs, bytes });
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= maxEntries && this.#bytes <= maxBytes && !this.#isExpired(entry)) break;
      this.forget(oldest);
    }
  }

  forget(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(key);
  }

  #keptMs(value: V): number {
    const { keptMs = Number.POSITIVE_INFINITY } = this.#options;
    return typeof keptMs === 'number' ? keptMs : keptMs(value);
  }

  #isExpired({ until }: Entry<V>): boolean {
    return until !== Number.POSITIVE_INFINITY && (this.#options.now?.() ?? 0) >= until;
  }
}
