import type { Bought } from './pay.ts';

/** An answer with its request, as a link carries it. */
export interface SharedAnswer extends Bought {
  request: { path: string; body: Record<string, unknown> };
}

const prefix = '#answer=';
/** Far above any answer; bounds what a forged link makes the page unpack. */
const maxBytes = 400_000;

/** The fragment of a link that carries an answer. Browsers do not send fragments, so no server sees or stores it. */
export async function toFragment(shared: SharedAnswer): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream('deflate-raw'));
  return prefix + toBase64Url(packed);
}

/** The answer in a fragment; undefined if there is none. @throws {Error} it is damaged */
export async function fromFragment(fragment: string): Promise<SharedAnswer | undefined> {
  if (!fragment.startsWith(prefix)) return undefined;
  const packed = fromBase64Url(fragment.slice(prefix.length));
  const text = new TextDecoder().decode(await through(packed, new DecompressionStream('deflate-raw')));
  const shared = JSON.parse(text) as SharedAnswer;
  if (typeof shared?.answer !== 'object' || typeof shared.request?.body !== 'object') {
    throw new TypeError('The link carries no answer.');
  }
  return shared;
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts: number[][] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > maxBytes) throw new RangeError('The link is too long.');
    parts.push([...next.value]);
  }
  return new Uint8Array(parts.flat());
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
