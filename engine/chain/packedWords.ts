import { type Hex, toFunctionSelector } from 'viem';

// Packed words: for each 32-byte word the number of its significant bytes (one byte), then these bytes. In a call, the byte
// 32 + n stands for the word that precedes this one by n words: the legs of plans name the same addresses again and again.
// The lenses have the same functions in contracts/lens/Packing.sol.

export const packedSelector = toFunctionSelector('function packed()');
const wordChars = 64;
const wordBytes = 32;
/** The furthest word that one byte can refer to. */
const maxDistance = 255 - wordBytes;
const selectorChars = 8;
const zeroChar = '0'.charCodeAt(0);

/** Far more than an honest answer has. A packed word can have one byte, so that a reply may expand 32 times. */
const maxWords = 200_000;

/** The numbers of a byte as two hex digits. */
const bytes = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));

/**
 * The same call with its words packed.
 * @param data ABI-encoded calldata, in lower case
 */
export function packCall(data: Hex): Hex {
  const parts = [packedSelector, data.slice(2, 2 + selectorChars)];
  const lastIndex = new Map<string, number>();
  for (let at = 2 + selectorChars, index = 0; at < data.length; at += wordChars, index += 1) {
    let from = at;
    while (from < at + wordChars && data.charCodeAt(from) === zeroChar) from += 1;
    from -= (from - at) & 1;
    const word = data.slice(from, at + wordChars);
    const distance = index - (lastIndex.get(word) ?? Number.NEGATIVE_INFINITY);
    lastIndex.set(word, index);
    if (word !== '' && distance <= maxDistance) parts.push(bytes[wordBytes + distance] ?? '');
    else parts.push(bytes[word.length / 2] ?? '', word);
  }
  return parts.join('') as Hex;
}

/** The call that `packCall` packed; any other call unchanged. */
export function unpackCall(data: Hex): Hex {
  if (!data.startsWith(packedSelector)) return data;
  const at = packedSelector.length;
  return `0x${data.slice(at, at + selectorChars)}${unpack(data, at + selectorChars, { repeats: true }) ?? ''}`;
}

/** The first word of a packed answer is its layout version, one byte long. No unpacked answer begins with this byte. */
const packedMark = '0x01';

/** The words of an answer, which may be packed; undefined if the bytes are neither, or expand too far. */
export function unpackWords(answer: Hex): Hex | undefined {
  if (!answer.startsWith(packedMark)) return answer;
  const words = unpack(answer, 2);
  return words === undefined ? undefined : `0x${words}`;
}

/** `repeats`: a first byte may refer to an earlier word. */
function unpack(packed: string, start: number, { repeats = false } = {}): string | undefined {
  const words: string[] = [];
  let at = start;
  while (at < packed.length) {
    const head = Number.parseInt(packed.slice(at, at + 2), 16);
    const earlier = repeats && head > wordBytes ? words[words.length - (head - wordBytes)] : undefined;
    if (earlier !== undefined) {
      words.push(earlier);
      at += 2;
      continue;
    }
    const end = at + 2 + 2 * head;
    if (!(end <= packed.length && end - at <= 2 + wordChars) || words.length >= maxWords) return undefined;
    words.push(packed.slice(at + 2, end).padStart(wordChars, '0'));
    at = end;
  }
  return words.join('');
}
