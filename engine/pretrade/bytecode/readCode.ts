import { type Hex, isHex, numberToHex } from 'viem';
import { type Batch, createBatch, resultOf } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts } from './codeFacts.ts';
import { type CodeLensReading, fromCodeLensReplies, toCodeLensCalls } from './codeLens.ts';
import type { CodeMemory } from './codeMemory.ts';
import { fromSlotReplies, type ProxyReading, readProxy, toSlotCalls } from './proxies.ts';
import { readFunctions } from './readFunctions.ts';

export interface CodeQuery {
  token: LowerAddress;
  block: Hex;
  codes: CodeMemory;
}

const transferSelector = '0xa9059cbb';
const implementationSelector = '0x5c60da1b';
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

/** Code of a token, and the accounts in its storage. Undefined: not read. */
export interface CodeReading {
  code: CodeFacts | undefined;
  accounts: readonly LowerAddress[] | undefined;
}

/** Adds the calls of the code lens to a batch. If the node does not run it, `addCode`'s requests follow. */
export function addLensCode(batch: Batch, query: CodeQuery): (node: Node) => Promise<CodeReading> {
  const replies = batch.add(...toCodeLensCalls(query.token, query.block));
  return async (node) => {
    const lens = fromCodeLensReplies(replies());
    if (lens) return { code: await toCode(lens, query.codes), accounts: lens.accounts };
    const further = createBatch();
    const read = addCode(further, query);
    await further.send(node);
    return read(node);
  };
}

/**
 * Fallback if the node did not run the code lens: adds the calls that read all code of a token to a batch. Proxies and
 * diamonds take one or two further requests.
 */
export function addCode(batch: Batch, { token, block, codes }: CodeQuery): (node: Node) => Promise<CodeReading> {
  const codeOf = (address: LowerAddress) => ({ method: 'eth_getCode', params: [address, block] });
  const ownReply = batch.add(codeOf(token));
  const slotReplies = batch.add(...toSlotCalls(token, block));

  const read = async (node: Node): Promise<CodeFacts | undefined> => {
    const code = resultOf(ownReply()[0]);
    if (!isHex(code)) return undefined;
    const proxy = readProxy(code, fromSlotReplies(slotReplies()));
    const functions = await readFunctions(code);
    const mayDelegate = functions !== undefined && !functions.some(({ selector }) => selector === transferSelector);
    if (code === '0x' || (proxy.status === 'none' && !mayDelegate)) return toCodeFacts(codes, code, proxy, []);
    return readFurther(node, { token, block, codes }, code, proxy);
  };
  return async (node) => ({ code: await read(node), accounts: undefined });
}

/** Reads the addresses of the implementation (from the beacon or the token itself) or the facets, then their code. */
async function readFurther(
  node: Node,
  { token, block, codes }: CodeQuery,
  code: Hex,
  proxy: ProxyReading,
): Promise<CodeFacts> {
  const callOf = (to: LowerAddress, data: Hex) => ({
    method: 'eth_call',
    params: [{ to, data, gas: numberToHex(1_000_000) }, block],
  });
  const beacon = proxy.status === 'proxy' ? proxy.beacon : null;
  const known = proxy.status === 'proxy' ? proxy.implementation : null;
  const lookUp = createBatch();
  const implementation = lookUp.add(callOf(beacon ?? token, implementationSelector));
  const facets = lookUp.add(callOf(token, facetAddressesSelector));
  if (!known) await lookUp.send(node);
  const single = known ?? toAddress(resultOf(implementation()[0]));
  // The storage slots of a proxy decide, even if it also has facets.
  const readsFacets = !single && proxy.status !== 'proxy';
  const targets = readsFacets ? toAddresses(resultOf(facets()[0])).slice(0, maxFacets) : single ? [single] : [];
  if (targets.length === 0) return toCodeFacts(codes, code, proxy, []);

  const read = createBatch();
  const readFacets = read.add(...targets.map((address) => ({ method: 'eth_getCode', params: [address, block] })));
  await read.send(node);
  const found = readFacets().map(resultOf);
  if (!found.every(isHexValue)) return toCodeFacts(codes, code, proxy, undefined);
  if (proxy.status === 'proxy') return toCodeFacts(codes, code, { ...proxy, implementation: single }, found);
  const named = targets.map((target, index) => ({ target, code: found[index] ?? '0x' }));
  const facts = await toDelegating(codes, code, named);
  return facts.proxy.status === 'none' ? { ...facts, proxy } : facts;
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
const isHexValue = (value: unknown): value is Hex => isHex(value);

function toAddress(word: unknown): LowerAddress | null {
  if (typeof word !== 'string' || !/^0x0{24}[0-9a-f]{40}$/i.test(word)) return null;
  const address = toLowerAddress(`0x${word.slice(26)}`);
  return /^0x0{40}$/.test(address) ? null : address;
}

/** The addresses of an ABI-encoded `address[]`; empty if the data is not one. */
function toAddresses(data: unknown): LowerAddress[] {
  if (!isHex(data) || data.length < 2 + 128) return [];
  const words = data.slice(2).match(/.{64}/g) ?? [];
  const count = Number(BigInt(`0x${words[1] ?? '0'}`));
  return words
    .slice(2, 2 + Math.min(count, words.length))
    .map((word) => toAddress(`0x${word}`))
    .filter((address) => address !== null);
}
