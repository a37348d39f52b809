import type { Address } from 'viem';

/** An address in lower case, so that `===` and maps compare addresses. A literal with capitals does not compile. */
export type LowerAddress = `0x${Lowercase<string>}`;

/** The same data with addresses in any letter case, as it enters the process. */
export type AnyCase<T> = T extends LowerAddress ? Address : T extends object ? { [K in keyof T]: AnyCase<T[K]> } : T;

export const toLowerAddress = (address: Address): LowerAddress => address.toLowerCase() as LowerAddress;

const addressPattern = /^0x[0-9a-fA-F]{40}$/;

/** A copy of the data in which every address is lower case. */
export function lowerAddresses<T>(data: AnyCase<T>): T {
  const lower = (value: unknown): unknown => {
    if (typeof value === 'string') return addressPattern.test(value) ? value.toLowerCase() : value;
    if (Array.isArray(value)) return value.map(lower);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, lower(entry)]));
  };
  return lower(data) as T;
}
