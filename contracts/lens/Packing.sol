// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// Packed words: for each 32-byte word the number of its significant bytes (one byte), then these bytes.
// `engine/chain/packedWords.ts` has the same functions.

/// Packs the words between two memory addresses. `to` must be below `from` by 64 bytes and one for each word.
/// @return packedEnd the address after the packed words
function packWords(uint256 from, uint256 end, uint256 to) pure returns (uint256 packedEnd) {
    assembly ("memory-safe") {
        for {} lt(from, end) { from := add(from, 32) } {
            let word := mload(from)
            // Whole groups of 8 bytes below the highest byte, then of 2 bytes, then the bytes that remain.
            let size := 0
            let rest := word
            if shr(64, word) {
                size := shl(3, add(add(1, iszero(iszero(shr(128, word)))), iszero(iszero(shr(192, word)))))
                rest := shr(shl(3, size), word)
            }
            let pairs := shl(1, add(add(gt(rest, 0xffff), gt(rest, 0xffffffff)), gt(rest, 0xffffffffffff)))
            rest := shr(shl(3, pairs), rest)
            size := add(add(size, pairs), add(iszero(iszero(rest)), gt(rest, 0xff)))
            mstore8(to, size)
            to := add(to, 1)
            mstore(to, shl(sub(256, shl(3, size)), word))
            to := add(to, size)
        }
        packedEnd := to
    }
}

/// Accepts calls whose words are packed.
abstract contract PackedCalls {
    /// Runs a call of this contract, and ends with its result. After the selector: the selector of the other function, and
    /// the packed words of its ABI encoding. A first byte of 32 + n stands for the word that precedes this one by n words.
    /// @dev Keeps `msg.sender`, so that it opens no function that only this contract may call.
    function packed() external {
        assembly ("memory-safe") {
            let start := mload(0x40)
            calldatacopy(start, 4, 4)
            let to := add(start, 4)
            for { let at := 8 } lt(at, calldatasize()) { to := add(to, 32) } {
                let head := byte(0, calldataload(at))
                at := add(at, 1)
                // 0 if the head refers to an earlier word: the shift is then over 255 bits.
                let word := shr(sub(256, shl(3, head)), calldataload(at))
                if gt(head, 32) {
                    word := mload(sub(to, shl(5, sub(head, 32))))
                    head := 0
                }
                mstore(to, word)
                at := add(at, head)
            }
            let ok := delegatecall(gas(), address(), start, sub(to, start), 0, 0)
            returndatacopy(start, 0, returndatasize())
            if iszero(ok) { revert(start, returndatasize()) }
            return(start, returndatasize())
        }
    }
}
