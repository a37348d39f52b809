import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { StoredAnswer } from '../payment/index.ts';

/**
 * A request and a response that no client is attached to. The surfaces' handlers run on these: the
 * client's spelling, headers and hanging up cannot reach a procedure that is paid for, and the answer's
 * bytes are in our hands before they leave.
 */
export function detachedExchange(path: string, body: unknown): { req: IncomingMessage; res: AnswerCapture } {
  const req = Object.assign(new IncomingMessage(new Socket()), {
    method: 'POST',
    url: path,
    headers: { host: 'localhost', 'content-type': 'application/json' },
    body,
  });
  return { req, res: new AnswerCapture(req) };
}

/** A response that keeps what is written to it. */
export class AnswerCapture extends ServerResponse {
  readonly #chunks: Buffer[] = [];
  #keep: (answer: StoredAnswer) => void = () => {};
  /** The answer, once the handler has ended it. */
  readonly answer = new Promise<StoredAnswer>((resolve) => {
    this.#keep = resolve;
  });

  override write(chunk: string | Uint8Array): boolean {
    this.#chunks.push(Buffer.from(chunk));
    return true;
  }

  override end(chunk?: unknown): this {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#chunks.push(Buffer.from(chunk));
    this.#keep({
      status: this.statusCode,
      contentType: String(this.getHeader('content-type') ?? 'application/json'),
      body: Buffer.concat(this.#chunks).toString('utf8'),
    });
    this.emit('finish'); // tRPC's handler waits for it
    return this;
  }
}
