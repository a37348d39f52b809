import { type Hex, toFunctionSelector } from 'viem';

// Packed words: for each 32-byte word the number of its significant bytes (one byte), then these bytes. The lenses have the
// same functions in contracts/lens/Packing.sol.

export const packedSelector = toFunctionSelector('function packed()');
const wordChars = 64;
const selectorChars = 8;
const zeroChar = '0'.charCodeAt(0);

/** Far more than an honest answer has. A packed word can have one byte, so that a reply may expand 32 times. */
const maxWords = 200_000;

/** Lengths of 0 to 32 bytes as two hex digits. */
const lengths = Array.from({ length: 33 }, (_, length) => length.toString(16).padStart(2, '0'));

/**
 * The same call with its words packed.
 * @param data ABI-encoded calldata, in lower case
 */
export function packCall(data: Hex): Hex {
  const parts = [packedSelector, data.slice(2, 2 + selectorChars)];
  for (let at = 2 + selectorChars; at < data.length; at += wordChars) {
    let from = at;
    while (from < at + wordChars && data.charCodeAt(from) === zeroChar) from += 1;
    from -= (from - at) & 1;
    parts.push(lengths[(at + wordChars - from) / 2] ?? '', data.slice(from, at + wordChars));
  }
  return parts.join('') as Hex;
}

/** The call that `packCall` packed; any other call unchanged. */
export function unpackCall(data: Hex): Hex {
  if (!data.startsWith(packedSelector)) return data;
  const at = packedSelector.length;
  return `0x${data.slice(at, at + selectorChars)}${unpack(data, at + selectorChars) ?? ''}`;
}

/** The first word of a packed answer is its layout version, one byte long. No unpacked answer begins with this byte. */
const packedMark = '0x01';

/** The words of an answer, which may be packed; undefined if the bytes are neither, or expand too far. */
export function unpackWords(answer: Hex): Hex | undefined {
  if (!answer.startsWith(packedMark)) return answer;
  const words = unpack(answer, 2);
  return words === undefined ? undefined : `0x${words}`;
}

function unpack(packed: string, start: number): string | undefined {
  const words: string[] = [];
  let at = start;
  while (at < packed.length) {
    const end = at + 2 + 2 * Number.parseInt(packed.slice(at, at + 2), 16);
    if (!(end <= packed.length && end - at <= 2 + wordChars) || words.length >= maxWords) return undefined;
    words.push(packed.slice(at + 2, end).padStart(wordChars, '0'));
    at = end;
  }
  return words.join('');
}
