// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BoundedReads.sol";

// Calls of contracts that may be hostile.

error BalanceUnread();
error ArrivesShort();

/// The calling contract: `this` is not visible in free functions.
function thisContract() view returns (address self) {
    assembly ("memory-safe") {
        self := address()
    }
}

/// Calls a contract. If the call fails, reverts with only the first four bytes of its error, so that no contract can
/// imitate a result.
/// @return first the first word returned; 0 if missing
/// @return second the second word returned; 0 if missing
function callContract(address target, uint256 value, bytes memory data) returns (uint256 first, uint256 second) {
    assembly ("memory-safe") {
        let ok := call(gas(), target, value, add(data, 32), mload(data), 0, 64)
        let size := returndatasize()
        if iszero(ok) {
            if gt(size, 4) { size := 4 }
            returndatacopy(0, 0, size)
            revert(0, size)
        }
        if gt(size, 31) { first := mload(0) }
        if gt(size, 63) { second := mload(32) }
    }
}

function tokenBalance(address token, address holder) view returns (uint256) {
    (bool ok, uint256 balance) = readBalance(token, holder);
    if (!ok) revert BalanceUnread();
    return balance;
}

/// Pays by transferFrom, or by transfer if `payer` is the calling contract.
/// @return ok whether the token accepted it
/// @dev Returns instead of reverting: as a reverting free function it adds 390 bytes.
function payToken(address token, address payer, address to, uint256 amount) returns (bool ok) {
    assembly ("memory-safe") {
        let at := mload(0x40)
        let pulled := iszero(eq(payer, address()))
        let shift := mul(pulled, 32)
        mstore(at, shl(224, 0xa9059cbb)) // transfer(to, amount)
        if pulled {
            mstore(at, shl(224, 0x23b872dd)) // transferFrom(payer, to, amount)
            mstore(add(at, 4), payer)
        }
        mstore(add(add(at, shift), 4), to)
        mstore(add(add(at, shift), 36), amount)
        ok := call(gas(), token, 0, at, add(68, shift), 0, 32)
        ok := and(ok, or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1))))
    }
}
