/** A string of bytes, or a list of items. */
type Item = Uint8Array | readonly Item[];

const shortLimit = 55;
const stringOffset = 0x80;
const listOffset = 0xc0;

/** The bytes of an integer without leading zeros; zero has none. */
export function integerBytes(value: bigint | number): Uint8Array {
  if (BigInt(value) === 0n) return Buffer.alloc(0);
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

function header(offset: number, length: number): Uint8Array {
  if (length <= shortLimit) return Buffer.of(offset + length);
  const size = integerBytes(length);
  return Buffer.concat([Buffer.of(offset + shortLimit + size.length), size]);
}

/**
 * Recursive Length Prefix, the encoding of transactions. viem's works on hexadecimal digits, which takes 0.9 ms for a
 * group of 50 payments.
 */
export function encodeRlp(item: Item): Uint8Array {
  if (!(item instanceof Uint8Array)) {
    const content = Buffer.concat(item.map(encodeRlp));
    return Buffer.concat([header(listOffset, content.length), content]);
  }
  const isItself = item.length === 1 && (item[0] as number) < stringOffset;
  return isItself ? item : Buffer.concat([header(stringOffset, item.length), item]);
}
