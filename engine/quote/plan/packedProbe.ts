import type { Address, Hex } from 'viem';
import { type FundingCall, randomAddress, type StateOverride, toPlacedCode } from '../../chain/lensCall.ts';
import { packCall } from '../../chain/packedWords.ts';

/**
 * Packs a call of the executor, which accepts ABI-encoded calls only. A contract of 94 bytes at a random address unpacks it,
 * as `packed` of contracts/lens/Packing.sol does, and calls the executor. Tokens see the executor as in any other call.
 */
export function packedThrough(executor: Address): { accounts: StateOverride; funder: FundingCall } {
  const address = randomAddress();
  const code = toPlacedCode({ runtime: unpackerOf(executor) });
  return { accounts: { [address]: { code } }, funder: { address, wrap: packCall } };
}

/** Instructions in the order in which they run. The stack holds the end of the written memory and the position in calldata. */
const unpackerOf = (target: Address): Hex =>
  `0x${[
    '600460045f37', // calldatacopy(0, 4, 4): the selector
    '60046008', // end = 4, position = 8
    '5b36811015603257', // while position < calldatasize
    '80355f1a', // length = byte(0, calldataload(position))
    '81600101358160031b610100031c', // word = calldataload(position + 1) >> (256 - 8 * length)
    '8352', // mstore(end, word)
    '016001019060200190', // position += length + 1, end += 32
    '600a56',
    `5b505f5f825f5f73${target.slice(2)}5af1`, // call(gas, target, 0, 0, end, 0, 0)
    '3d5f5f3e', // returndatacopy(0, 0, returndatasize)
    '605a573d5ffd5b3d5ff3', // return or revert with it
  ].join('')}`;
