import { type Address, type Hex, stringToHex } from 'viem';
import type { Placement } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { published } from '../published/published.ts';

/** WETH9, which wraps native currency on every chain. */
export function placeWrappedNative(address: Address): Placement {
  return { address, creation: creationCode(published.weth9()) };
}

/** WETH9 with another name. Name and symbol are its first two storage words. */
export function placeRenamedWrappedNative(address: Address, name: string, symbol: string): Placement {
  const storage = { [slot(0)]: shortString(name), [slot(1)]: shortString(symbol) };
  return { ...placeWrappedNative(address), storage };
}

const slot = (index: number): Hex => `0x${index.toString(16).padStart(64, '0')}`;

/** Storage encoding of a string of up to 31 bytes: the text, and twice its length in the last byte. */
function shortString(text: string): Hex {
  return `${stringToHex(text, { size: 31 })}${(text.length * 2).toString(16).padStart(2, '0')}` as Hex;
}
