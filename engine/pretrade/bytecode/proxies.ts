import type { Hex } from 'viem';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';

/** Storage slots that contain the address of a proxy's code. */
export const proxySlots = {
  /** keccak256("eip1967.proxy.implementation") − 1 */
  implementation: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  /** keccak256("eip1967.proxy.beacon") − 1 */
  beacon: '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  /** keccak256("eip1967.proxy.admin") − 1 */
  admin: '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103',
  /** EIP-1822: keccak256("PROXIABLE") */
  proxiable: '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  /** ZeppelinOS before EIP-1967: keccak256("org.zeppelinos.proxy.implementation"); Circle's USDC uses it. */
  zeppelin: '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
} as const;

export const slotNames = Object.keys(proxySlots) as (keyof typeof proxySlots)[];

type ProxyKind = 'eip-1967' | 'beacon' | 'minimal' | 'eip-897' | 'zeppelinos' | 'eip-1822' | 'diamond';

/** Whether the token is a proxy, and where its code is. `unread`: the slots could not be read, so it may be a proxy. */
export type ProxyReading =
  | { status: 'none' }
  | {
      status: 'proxy';
      kind: ProxyKind;
      implementation: LowerAddress | null;
      beacon: LowerAddress | null;
      admin: LowerAddress | null;
    }
  | { status: 'unread' };

/** `code` is the token's own; `slotWords` are the words in its proxy slots. */
export function readProxy(code: Hex, slotWords: readonly unknown[]): ProxyReading {
  const minimal = minimalTarget(code);
  if (minimal) return { status: 'proxy', kind: 'minimal', implementation: minimal, beacon: null, admin: null };
  const words = slotNames.map((_, index) => toAddress(slotWords[index]));
  if (words.some((word) => word === undefined)) return { status: 'unread' };
  const [implementation, beacon, admin, proxiable, zeppelin] = words.map((word) => word ?? null);
  const at = { beacon: beacon ?? null, admin: admin ?? null };
  if (implementation) return { status: 'proxy', kind: 'eip-1967', implementation, ...at };
  if (beacon) return { status: 'proxy', kind: 'beacon', implementation: null, ...at };
  if (proxiable) return { status: 'proxy', kind: 'eip-1822', implementation: proxiable, ...at };
  if (zeppelin) return { status: 'proxy', kind: 'zeppelinos', implementation: zeppelin, ...at };
  return { status: 'none' };
}

/** EIP-1167 and similar minimal proxies, whose code contains the target. */
function minimalTarget(code: Hex): LowerAddress | undefined {
  const match =
    /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/i.exec(code) ??
    /^0x3d3d3d3d363d3d37363d73([0-9a-f]{40})5af43d3d93803e602a57fd5bf3/i.exec(code) ??
    /^0x365f5f375f5f365f73([0-9a-f]{40})5af43d5f5f3e5f3d91602a57fd5bf3/i.exec(code);
  return match?.[1] ? toLowerAddress(`0x${match[1]}`) : undefined;
}

/**
 * null: zero, or more than an address; undefined: not a word. Accepts words without leading zeros, as some nodes
 * return.
 */
function toAddress(word: unknown): LowerAddress | null | undefined {
  if (typeof word !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(word)) return undefined;
  const digits = word.slice(2).padStart(64, '0');
  return /^0{24}/.test(digits) && !/^0{64}$/.test(digits) ? toLowerAddress(`0x${digits.slice(24)}`) : null;
}
