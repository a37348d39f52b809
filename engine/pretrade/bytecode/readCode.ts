import { decodeFunctionResult, encodeFunctionData, type Hex, isHex, numberToHex } from 'viem';
import { codeLensArtifact } from '../../../contracts/artifacts/lens/CodeLens.ts';
import { type Batch, resultOf } from '../../chain/batch.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { unlessMalformed } from '../../chain/words.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts, CodeMemory } from './codeMemory.ts';
import { type ProxyReading, proxySlots, readProxy, slotNames } from './proxies.ts';
import { isRoundNumber } from './readConstants.ts';

/** Code and storage of one token, as read by CodeLens.sol. */
interface CodeLensReading {
  own: Hex;
  /** Implementation, beacon, admin, EIP-1822, ZeppelinOS. */
  proxySlots: readonly Hex[];
  /** The address that the proxy slots lead to (through a beacon if there is one), and its code. */
  target: LowerAddress;
  behind: Hex;
  /** Addresses from a minimal proxy's code, `implementation()` or `facetAddresses()`, with their code. */
  named: readonly { target: LowerAddress; code: Hex }[];
  /** Accounts without code whose addresses are in the first storage slots. */
  accounts: LowerAddress[];
}

/** keccak256("truefill code lens"), last 20 bytes. */
const lensAddress = '0x60256d7c7F67f07e60272B815F3e381f0d571CDf';
const { abi } = codeLensArtifact;
const gas = numberToHex(12_000_000);

/** Three calls for a batch. The node must support state overrides. */
export function toCodeLensCalls(token: LowerAddress, block: Hex | 'latest'): RpcCall[] {
  const code = codeLensArtifact.runtime;
  const ownStorage = encodeFunctionData({ abi, functionName: 'readStorage' });
  const behind = encodeFunctionData({ abi, functionName: 'readBehind', args: [token] });
  return [
    { method: 'eth_getCode', params: [token, block] },
    { method: 'eth_call', params: [{ to: token, data: ownStorage, gas }, block, { [token]: { code } }] },
    { method: 'eth_call', params: [{ to: lensAddress, data: behind, gas }, block, { [lensAddress]: { code } }] },
  ];
}

/** Undefined when the node did not run the lens. */
export function fromCodeLensReplies(replies: readonly (RpcReply | undefined)[]): CodeLensReading | undefined {
  const [own, storage, behind] = replies.map(resultOf);
  if (!isHex(own) || !isHex(storage) || !isHex(behind) || storage.length < 66 || behind.length < 66) return undefined;
  const read = unlessMalformed(
    () =>
      [
        decodeFunctionResult({ abi, functionName: 'readStorage', data: storage }),
        decodeFunctionResult({ abi, functionName: 'readBehind', data: behind }),
      ] as const,
  );
  if (!read) return undefined;
  const [[proxySlots, first, accountBits, target, code], [targets, codes]] = read;
  const accounts = first
    .map((word, index) => ((accountBits >> BigInt(index)) & 1n) === 1n && toAccount(word))
    .filter((address) => !!address);
  return {
    own,
    proxySlots,
    target: toLowerAddress(target),
    behind: code,
    named: targets.map((address, index) => ({ target: toLowerAddress(address), code: codes[index] ?? '0x' })),
    accounts: [...new Set(accounts)],
  };
}

/** An address alone in its slot, or packed with a few bytes of flags above it. */
function toAccount(word: Hex): LowerAddress | undefined {
  const text = word.slice(2);
  const address = text.slice(24);
  // Rejects amounts and counters: the address part of their word starts with zeros, or their higher bytes are not zero.
  if (/^0{16}/.test(address) || !/^0{18}/.test(text) || isRoundNumber(address)) return undefined;
  return toLowerAddress(`0x${address}`);
}

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

/** Addresses of the contracts that transfers call; zero if its storage slot is empty. Undefined: not all are known. */
export type CalledContracts = readonly LowerAddress[] | undefined;

/** Adds the reads of storage slots that contain called contracts to a batch, and returns a decoder of the replies. */
export function addCalledContracts(
  batch: Batch,
  token: LowerAddress,
  { calledContracts }: Pick<CodeFacts, 'calledContracts'>,
  block: Hex | 'latest',
): () => CalledContracts {
  const fixed = (calledContracts ?? []).filter((contract) => typeof contract === 'string');
  const stored = (calledContracts ?? []).filter((contract) => typeof contract !== 'string');
  const replies = batch.add(
    ...stored.map(({ slot }) => ({ method: 'eth_getStorageAt', params: [token, slot, block] })),
  );
  return () => {
    if (!calledContracts) return undefined;
    const words = replies().map(resultOf);
    const read = stored.flatMap(({ bits }, index) => {
      const word = words[index];
      return isHex(word) && word.length > 2 && word.length <= 66 ? [addressIn(word, bits)] : [];
    });
    return read.length === stored.length ? [...fixed, ...read] : undefined;
  };
}

/** The called contracts if all are constants. Undefined if storage slots contain some, or if not all are known. */
export const fixedContracts = (code: Pick<CodeFacts, 'calledContracts'> | undefined): CalledContracts => {
  const fixed = code?.calledContracts?.filter((contract) => typeof contract === 'string');
  return fixed?.length === code?.calledContracts?.length ? fixed : undefined;
};

const addressIn = (word: Hex, bits: number): LowerAddress =>
  toLowerAddress(`0x${(BigInt(word) >> BigInt(bits)).toString(16).padStart(40, '0').slice(-40)}`);

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
