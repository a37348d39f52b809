// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// Reads of contracts that may be hostile. Gas and returned bytes are bounded, and `ok` is false for a failed read.

uint256 constant READ_GAS = 300_000;

/// The first word that a call with up to two argument words returns. `ok` is false if it reverts or returns less.
function readWord(address target, bytes4 selector, uint256 a, uint256 b) view returns (bool ok, uint256 word) {
    assembly ("memory-safe") {
        let at := mload(0x40)
        mstore(at, selector)
        mstore(add(at, 4), a)
        mstore(add(at, 36), b)
        ok := staticcall(READ_GAS, target, at, 68, 0, 32)
        ok := and(ok, gt(returndatasize(), 31))
        if ok { word := mload(0) }
    }
}

/// The first five words that a call returns; missing words are 0. `size` is the number of whole words returned. `ok` is
/// also true for an address without code, with a size of 0.
function readWords(address target, bytes4 selector) view returns (bool ok, uint256 size, uint256[5] memory words) {
    assembly ("memory-safe") {
        mstore(0, selector)
        ok := staticcall(READ_GAS, target, 0, 4, words, 160)
        size := shr(5, returndatasize())
    }
}

/// @return ok false if the token has no code or its balance cannot be read
function readBalance(address token, address holder) view returns (bool ok, uint256 balance) {
    return readWord(token, 0x70a08231, uint256(uint160(holder)), 0); // balanceOf(address)
}

/// @return hasCode whether the token has code
/// @return ok whether `decimals` was read and fits into a byte
/// @return decimals of the token
function readDecimals(address token) view returns (bool hasCode, bool ok, uint256 decimals) {
    hasCode = token.code.length > 0;
    if (!hasCode) return (false, false, 0);
    (ok, decimals) = readWord(token, 0x313ce567, 0, 0); // decimals()
    if (decimals > 255) (ok, decimals) = (false, 0);
}
