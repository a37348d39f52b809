import { RpcTransportError } from '../../engine/index.ts';

/**
 * The body as text, at most `maxBytes` of it.
 * @throws {RpcTransportError} when it is longer, or breaks off
 */
export async function readBounded(response: Response, maxBytes: number, label: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) break;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (cause) {
    throw new RpcTransportError(`${label} broke off in the middle of its answer.`, { cause });
  }
  if (bytes > maxBytes) throw new RpcTransportError(`${label} answered more than ${maxBytes} bytes.`);
  return text + decoder.decode();
}
