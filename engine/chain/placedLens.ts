import { type Address, concatHex, getCreate2Address, type Hex, numberToHex, padHex, size } from 'viem';
import { NodeRefusedError } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

/** Compiled code of a lens. */
export interface LensCode {
  bytecode: Hex;
  runtime: Hex;
  /** keccak256 of the two. */
  initCodeHash: Hex;
  runtimeHash: Hex;
}

/** Nothing answers where a lens should: the chain was seen to hold it, and whoever was asked now has none there. */
export class LensGoneError extends NodeRefusedError {
  override readonly name = 'LensGoneError';
}

/**
 * The deterministic deployment proxy: creates whatever stands behind a salt of 32 bytes, by CREATE2. At this address on
 * every chain where somebody has sent its one signed transaction (Arachnid/deterministic-deployment-proxy; RIP-7740 lists
 * it among the factories in use).
 */
export const deploymentProxy: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
export const deploymentSalt = padHex('0x', { size: 32 });

/**
 * Where a lens stands once anybody has placed it. The address follows from the code: what stands there can be nothing
 * else, whoever put it there.
 */
export function placeOf({ initCodeHash }: LensCode): Address {
  return getCreate2Address({ from: deploymentProxy, salt: deploymentSalt, bytecodeHash: initCodeHash });
}

/** ERC-1167: an account with this code runs another's, on its own balance. */
export function runnerOf(target: Address): Hex {
  return concatHex(['0x363d3d373d3d3d363d73', target, '0x5af43d82803e903d91602b57fd5bf3']);
}

/** Asks which of some lenses a chain has: the hashes of their code, by a few bytes laid over an account for the call. */
export function placedCall(lenses: readonly LensCode[], at: Address): RpcCall {
  const offsets = lenses.map((_, index) => numberToHex(index * 32, { size: 1 }));
  // push offset, calldataload, extcodehash, push offset, mstore
  const hashes = offsets.map((offset) => concatHex(['0x60', offset, '0x353f60', offset, '0x52']));
  const code = concatHex([...hashes, '0x60', numberToHex(lenses.length * 32, { size: 1 }), '0x5ff3']);
  const data = concatHex(lenses.map((lens) => padHex(placeOf(lens), { size: 32 })));
  return { method: 'eth_call', params: [{ to: at, gas: numberToHex(200_000), data }, 'latest', { [at]: { code } }] };
}

/** Those of the lenses that the chain has, by the reply to `placedCall`; none where a node does not tell. */
export function readPlaced(lenses: readonly LensCode[], reply: RpcReply | undefined): ReadonlySet<LensCode> {
  const told = reply && 'result' in reply ? reply.result : undefined;
  const hashes = typeof told === 'string' && size(told as Hex) === lenses.length * 32 ? told.toLowerCase() : '0x';
  return new Set(
    lenses.filter(({ runtimeHash }, index) => {
      return hashes.slice(2 + index * 64, 2 + (index + 1) * 64) === runtimeHash.slice(2);
    }),
  );
}
