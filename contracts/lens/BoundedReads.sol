// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// Reads of code that may be hostile: gas and returned bytes are bounded, a failure differs from every value.

uint256 constant READ_GAS = 300_000;

/// One word from a call with up to two argument words. `ok` is false on revert and on an answer shorter than a word.
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

/// The second word of an answer to one argument word.
function readSecondWord(address target, bytes4 selector, uint256 a) view returns (bool ok, uint256 word) {
    assembly ("memory-safe") {
        let at := mload(0x40)
        mstore(at, selector)
        mstore(add(at, 4), a)
        ok := staticcall(READ_GAS, target, at, 36, 0, 64)
        ok := and(ok, gt(returndatasize(), 63))
        if ok { word := mload(32) }
    }
}

/// Up to five words; words beyond what was returned stay zero. `size` is the number of whole words returned.
function readWords(address target, bytes4 selector) view returns (bool ok, uint256 size, uint256[5] memory words) {
    assembly ("memory-safe") {
        mstore(0, selector)
        ok := staticcall(READ_GAS, target, 0, 4, words, 160)
        size := shr(5, returndatasize())
    }
}

/// @dev A token without code or without a readable balance answers `ok = false`.
function readBalance(address token, address holder) view returns (bool ok, uint256 balance) {
    return readWord(token, 0x70a08231, uint256(uint160(holder)), 0);
}

/// Code first: a call to an address without code succeeds and returns nothing.
function readDecimals(address token) view returns (bool hasCode, bool ok, uint256 decimals) {
    hasCode = token.code.length > 0;
    if (!hasCode) return (false, false, 0);
    (ok, decimals) = readWord(token, 0x313ce567, 0, 0);
    if (decimals > 255) (ok, decimals) = (false, 0);
}
