import type { Hex } from 'viem';
import { type Batch, resultOf } from '../../chain/batch.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts } from './codeFacts.ts';
import { type ProxyReading, proxySlots, readProxy, slotNames } from './proxies.ts';

/** Kinds of proxies that store the implementation's address in a slot, with the slots that determine it or the admin. */
const slotsOfKind: Readonly<Record<string, typeof slotNames>> = {
  'eip-1967': ['implementation', 'admin'],
  'eip-1822': ['implementation', 'beacon', 'admin', 'proxiable'],
  zeppelinos: slotNames,
};

/**
 * Reuses analysed code while the token's code hash and, for a proxy, the implementation's address are unchanged. Adds the
 * reads of that address to a batch.
 *
 * @returns a function that takes the token's code hash and returns the analysed code, or undefined if the code has to
 * be read again. Undefined if only the code lens can find the code (diamonds, beacons).
 */
export function addRecalledCode(
  batch: Batch,
  token: LowerAddress,
  code: CodeFacts | undefined,
): ((codeHash: Hex) => CodeFacts | undefined) | undefined {
  // Code that could not be analysed may be an EIP-7702 delegation. Its target can change its behaviour.
  if (!code?.functions) return undefined;
  const { proxy } = code;
  const isSame = (codeHash: Hex) => (codeHash === code.codeHash ? code : undefined);
  if (proxy.status === 'none') return isSame;
  if (proxy.status !== 'proxy') return undefined;
  if (proxy.kind === 'minimal') return isSame;
  const names = slotsOfKind[proxy.kind];
  if (!names || proxy.implementation === null) return undefined;
  const replies = batch.add(
    ...names.map((name) => ({ method: 'eth_getStorageAt', params: [token, proxySlots[name], 'latest'] })),
  );
  return (codeHash) => {
    const read = replies().map(resultOf);
    // Other slots cannot change the kind.
    const words = slotNames.map((name) => (names.includes(name) ? read[names.indexOf(name)] : '0x0'));
    return isSameProxy(readProxy('0x', words), proxy) ? isSame(codeHash) : undefined;
  };
}

type Proxy = Extract<ProxyReading, { status: 'proxy' }>;

function isSameProxy(now: ProxyReading, before: Proxy): boolean {
  if (now.status !== 'proxy' || now.kind !== before.kind) return false;
  const fields = ['implementation', 'beacon', 'admin'] as const;
  return fields.every((field) => now[field] === before[field]);
}
