import { RpcTransportError } from '../../engine/index.ts';

/**
 * A body as text, at most `maxBytes` of it.
 *
 * @param body a stream of Node's or of `fetch`; leaving it early ends it
 * @throws {RpcTransportError} when it is longer, or breaks off
 */
export async function readBounded(body: AsyncIterable<Uint8Array>, maxBytes: number, label: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new RpcTransportError(`${label} broke off in the middle of its answer.`, { cause });
  }
  if (bytes > maxBytes) throw new RpcTransportError(`${label} answered more than ${maxBytes} bytes.`);
  return new TextDecoder().decode(Buffer.concat(chunks));
}
