import type { Readable } from 'node:stream';
import { RpcTransportError } from '../../engine/index.ts';

/**
 * A node's answer as text, at most `maxBytes` of it.
 * @throws {RpcTransportError} when it is longer, or breaks off
 */
export async function readText(body: Readable, maxBytes: number, label: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Leaving the loop ends the stream.
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new RpcTransportError(`${label} broke off in the middle of its answer.`, { cause });
  }
  if (bytes > maxBytes) throw new RpcTransportError(`${label} answered more than ${maxBytes} bytes.`);
  return Buffer.concat(chunks).toString('utf8');
}
