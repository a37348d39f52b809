import type { Address, Hex } from 'viem';
import { type FundingCall, randomAddress, type StateOverride, toPlacedCode } from '../../chain/lensCall.ts';
import { packCall } from '../../chain/packedWords.ts';

/**
 * Packs a call of the executor, which accepts ABI-encoded calls only. A contract of 118 bytes at a random address unpacks it,
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
    '5b36811015604a57', // while position < calldatasize
    '80355f1a', // head = byte(0, calldataload(position))
    '80602010603a57', // if head > 32, go to `repeat`
    '8160010135', // raw = calldataload(position + 1)
    '8160031b610100031c', // word = raw >> (256 - 8 * head)
    '5b8352', // store: mstore(end, word)
    '01600101', // position += head + 1
    '9060200190600a56', // end += 32, next
    '5b6020900360051b820351', // repeat: word = mload(end - 32 * (head - 32))
    '5f90602b56', // head = 0, go to `store`
    `5b505f5f825f5f73${target.slice(2)}5af1`, // call(gas, target, 0, 0, end, 0, 0)
    '3d5f5f3e', // returndatacopy(0, 0, returndatasize)
    '6072573d5ffd5b3d5ff3', // return or revert with it
  ].join('')}`;
