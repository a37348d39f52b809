import { RpcTransportError } from '../../engine/index.ts';

/**
 * Reads a body of at most `maxBytes` as text.
 *
 * @param body a stream of Node or of `fetch`; leaving the loop early destroys it
 * @throws {RpcTransportError} when the body is longer or incomplete
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
    throw new RpcTransportError(`${label} closed the connection in the middle of its response.`, { cause });
  }
  if (bytes > maxBytes) {
    throw new RpcTransportError(`${label} returned more than ${maxBytes} bytes.`, { tooLarge: true });
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
