import type { Hex } from 'viem';
import type { Batch } from '../../chain/batch.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts } from './codeFacts.ts';
import { type CodeLensReading, fromCodeLensReplies, toCodeLensCalls } from './codeLens.ts';
import type { CodeMemory } from './codeMemory.ts';
import { type ProxyReading, readProxy } from './proxies.ts';

const transferSelector = '0xa9059cbb';
const facetAddressesSelector = '0x52ef6b2c';
/** The code lens reads at most this many facets (MAX_FACETS there). With as many, the list may be incomplete. */
const maxFacets = 24;

/** Analyses all code of a token, from the code lens's reading. */
export async function toCode(reading: CodeLensReading, codes: CodeMemory): Promise<CodeFacts> {
  const { own, proxySlots, target, behind, named } = reading;
  const proxy = readProxy(own, proxySlots);
  if (proxy.status === 'proxy' && proxy.kind !== 'minimal') {
    const implementation = isZeroAddress(target) ? null : target;
    return toCodeFacts(codes, own, { ...proxy, implementation }, implementation ? [behind] : []);
  }
  const [first] = named;
  if (proxy.status === 'proxy') {
    return toCodeFacts(codes, own, proxy, first?.target === proxy.implementation ? [first.code] : undefined);
  }
  const plain = await toCodeFacts(codes, own, proxy, []);
  // A contract with its own transfer() is not a proxy, even if implementation() returns an address.
  const transfers = plain.functions?.some(({ selector }) => selector === transferSelector) ?? true;
  return own === '0x' || transfers ? plain : toDelegating(codes, own, named);
}

/**
 * A token without proxy slots that delegates to contracts: those that `implementation()` or `facetAddresses()` returned. It is
 * a diamond if one of them has the function `facetAddresses()`, which EIP-2535 requires, or if there are several.
 */
async function toDelegating(codes: CodeMemory, own: Hex, named: CodeLensReading['named']): Promise<CodeFacts> {
  const [first] = named;
  if (!first || named.every(({ code }) => code === '0x')) return toCodeFacts(codes, own, { status: 'none' }, []);
  const behind = named.length < maxFacets ? named.map(({ code }) => code) : undefined;
  const seen = { status: 'proxy', kind: 'eip-897', implementation: first.target, beacon: null, admin: null } as const;
  const facts = await toCodeFacts(codes, own, seen, behind);
  const isDiamond = named.length > 1 || facts.functions?.some(({ selector }) => selector === facetAddressesSelector);
  return isDiamond ? { ...facts, proxy: { ...seen, kind: 'diamond', implementation: null } } : facts;
}

/** Adds the calls of the code lens to a batch. `accounts`: in the token's storage. Undefined: not read. */
export function addCode(
  batch: Batch,
  { token, block, codes }: { token: LowerAddress; block: Hex | 'latest'; codes: CodeMemory },
): () => Promise<{ code: CodeFacts | undefined; accounts: readonly LowerAddress[] | undefined }> {
  const replies = batch.add(...toCodeLensCalls(token, block));
  return async () => {
    const lens = fromCodeLensReplies(replies());
    return { code: lens && (await toCode(lens, codes)), accounts: lens?.accounts };
  };
}

/** `behind`: code that the token delegates to; undefined if it could not be read. */
async function toCodeFacts(
  codes: CodeMemory,
  code: Hex,
  proxy: ProxyReading,
  behind: readonly Hex[] | undefined,
): Promise<CodeFacts> {
  const hidden = proxy.status === 'proxy' && (behind?.length ?? 0) === 0;
  return { ...(await codes.analyse(code, behind, hidden)), proxy };
}

const isZeroAddress = (address: LowerAddress) => BigInt(address) === 0n;
