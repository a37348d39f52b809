import { decodeFunctionResult, encodeFunctionData, type Hex, isHex, numberToHex } from 'viem';
import { codeLensArtifact } from '../../../contracts/artifacts/lens/CodeLens.ts';
import { resultOf } from '../../chain/batch.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { unlessMalformed } from '../../chain/words.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import { isRoundNumber } from './isRoundNumber.ts';

/** Code and storage of one token, as read by CodeLens.sol. */
export interface CodeLensReading {
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
