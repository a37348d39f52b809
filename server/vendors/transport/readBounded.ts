/** The body went on after the agreed number of bytes. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  constructor(readonly maxBytes: number) {
    super(`The body is larger than ${maxBytes} bytes.`);
  }
}

/**
 * Reads a body as UTF-8 text and stops at a size counted on the stream itself, because a
 * content-length may lie and a compressed body unfolds after it was counted.
 *
 * @throws {BodyTooLargeError} after at most one chunk more than `maxBytes`; the rest is never fetched.
 * @throws the signal's reason, also when the body only trickles
 */
export async function readBounded(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (!response.body) return '';
  const reader = response.body.getReader();
  // Not awaited: a sender that ignores the hang-up must not hold us. A cancelled read ends as `done`.
  const hangUp = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', hangUp, { once: true });
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return Buffer.concat(chunks).toString('utf8');
      size += value.byteLength;
      if (size > maxBytes) {
        hangUp();
        throw new BodyTooLargeError(maxBytes);
      }
      chunks.push(value);
    }
  } finally {
    signal.removeEventListener('abort', hangUp);
  }
}
