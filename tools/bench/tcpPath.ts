import type { Socket } from 'node:net';

/** Payload of one segment on a path with an MTU of 1,500 bytes, with timestamps. */
const segmentBytes = 1_448;
/** Linux's initial window (RFC 6928). A window shrinks to it again while the sender is idle (RFC 2861). */
const initialBytes = 10 * segmentBytes;
/** Linux's shortest retransmission timeout; the round trip is added. */
const shortestTimeoutMs = 200;

/** Totals of all paths that share it. `waits`: times that data waited a round trip for acknowledgements. */
export interface PathTotals {
  waits: number;
}

/**
 * One direction of a TCP connection in slow start, without loss: a window of data may be unacknowledged, each acknowledgement
 * widens it, and it halves for each timeout that passes without data. Not modelled: bandwidth, and the receiver's window.
 */
export class TcpPath {
  #window = initialBytes;
  #inFlight = 0;
  #largestFlight = 0;
  #sentAt = Number.NEGATIVE_INFINITY;
  #isWaiting = false;
  readonly #queue: Buffer[] = [];

  /**
   * @param to receives the bytes half a round trip after they are sent
   * @param delayMs returns the current round trip in milliseconds; 0 forwards at once
   */
  constructor(
    readonly to: Pick<Socket, 'write'>,
    readonly delayMs: () => number,
    readonly totals: PathTotals,
  ) {}

  send(bytes: Buffer): void {
    if (this.delayMs() === 0 && this.#queue.length === 0 && this.#inFlight === 0) {
      this.#sentAt = performance.now();
      this.to.write(bytes);
      return;
    }
    this.#queue.push(bytes);
    this.#pump();
  }

  #pump(): void {
    if (this.#inFlight === 0) this.#shrinkAfterIdle();
    while (this.#queue.length > 0 && this.#inFlight < this.#window) {
      this.#transmit(this.#take(this.#window - this.#inFlight));
    }
    if (this.#queue.length > 0 && !this.#isWaiting) this.totals.waits += 1;
    this.#isWaiting = this.#queue.length > 0;
  }

  #shrinkAfterIdle(): void {
    const timeoutMs = shortestTimeoutMs + this.delayMs();
    const timeouts = Math.floor((performance.now() - this.#sentAt) / timeoutMs);
    this.#window = Math.max(initialBytes, Math.floor(this.#window / 2 ** Math.min(timeouts, 30)));
    if (timeouts > 0) this.#largestFlight = 0;
  }

  #take(limit: number): Buffer {
    const next = this.#queue.shift() ?? Buffer.alloc(0);
    if (next.length <= limit) return next;
    this.#queue.unshift(next.subarray(limit));
    return next.subarray(0, limit);
  }

  #transmit(part: Buffer): void {
    const delayMs = this.delayMs();
    this.#inFlight += part.length;
    this.#largestFlight = Math.max(this.#largestFlight, this.#inFlight);
    this.#sentAt = performance.now();
    setTimeout(() => this.to.write(part), delayMs / 2);
    setTimeout(() => this.#acknowledge(part.length), delayMs);
  }

  #acknowledge(bytes: number): void {
    this.#inFlight -= bytes;
    this.#isWaiting = false;
    // Linux widens a window only up to twice of what was in flight.
    this.#window = Math.max(this.#window, Math.min(this.#window + bytes, 2 * this.#largestFlight));
    this.#pump();
  }
}
