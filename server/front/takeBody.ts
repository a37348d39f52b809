import type { IncomingMessage } from 'node:http';
import { maxBodyBytes } from '../http/readBody.ts';

/** A body of known, allowed length, as it is: all others are left to the reader that knows how to refuse them. */
export function isPlain({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return (
    length !== undefined &&
    /^\d{1,5}$/.test(length) &&
    Number(length) <= maxBodyBytes &&
    headers['transfer-encoding'] === undefined &&
    headers['content-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined
  );
}

/** The body of a plain request; undefined when the client broke off before its end. */
export function takeBody(req: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    // After an end these say nothing new.
    req.on('error', () => resolve(undefined));
    req.on('close', () => resolve(undefined));
  });
}
