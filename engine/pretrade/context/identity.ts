import { type Hex, hexToBytes } from 'viem';
import { ratio } from '../../quote/answer/ratio.ts';
import type { ExitReading, TextReading } from '../exit/exitTypes.ts';
import type { IdentityBlock, PretradeQuote, ValuationBlock } from '../pretradeTypes.ts';
import { sanitizeText, withoutStop } from './sentence.ts';

const maxNameLength = 64;
const maxSymbolLength = 32;

/** Name, symbol, decimals and supply at the block. Texts are sanitized, because the token chooses them. */
export function describeIdentity(reading: ExitReading): IdentityBlock {
  const { hasCode, decimals, totalSupply, name, symbol } = reading;
  const supply =
    totalSupply === undefined || decimals === undefined ? null : ratio(totalSupply, 10n ** BigInt(decimals));
  return {
    name: readText(name, maxNameLength),
    symbol: readText(symbol, maxSymbolLength),
    decimals: decimals ?? null,
    totalSupply: supply,
    totalSupplyRaw: totalSupply ?? null,
    note: hasCode
      ? 'Read from the token contract at this block. Name and symbol are the contract’s own claims, without control characters and truncated.'
      : 'There is no contract at this address.',
  };
}

/**
 * The text of an ABI-encoded string, or of the `bytes32` of an old token, with at most `most` characters. Otherwise
 * null.
 */
export function readText({ ok, size, words }: TextReading, most: number): string | null {
  if (!ok || size === 0) return null;
  const bytes = hexToBytes(words);
  if (size === 1) return decode(bytes.subarray(0, 32), most);
  const offset = wordAt(words, 0);
  if (offset !== 32n) return null;
  const length = wordAt(words, 1);
  return decode(bytes.subarray(64, 64 + Number(length > 96n ? 96n : length)), most);
}

const wordAt = (words: Hex, index: number) => BigInt(`0x${words.slice(2 + index * 64, 66 + index * 64)}`);

function decode(bytes: Uint8Array, most: number): string | null {
  const end = bytes.indexOf(0);
  const text = new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  return sanitizeText(text, most) || null;
}

const note =
  'Not a market cap: it uses the executable price, which is worse than spot in thin markets, and the supply on this chain only.';

/** Total supply times the executable price of a purchase with USDC at the requested size, in USD. */
export function describeValuation(
  { totalSupply, decimals }: ExitReading,
  quote: PretradeQuote | null,
  quoteGap: string | null,
): ValuationBlock {
  if (!quote || totalSupply === undefined || decimals === undefined) {
    const missing = quote ? 'totalSupply() cannot be read' : `no executable quote (${withoutStop(quoteGap ?? '')})`;
    return { fdvExecutableUsd: null, basis: null, note: `Not valued: ${missing}. ${note}` };
  }
  const supply = Number(totalSupply) / 10 ** decimals;
  return { fdvExecutableUsd: supply / quote.executablePrice, basis: 'totalSupply / quote.executablePrice', note };
}
