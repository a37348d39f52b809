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
            if iszero(word) {
                mstore8(to, 0)
                to := add(to, 1)
                continue
            }
            // The bits above the lowest byte, rounded down to whole bytes.
            let bits := shl(7, iszero(iszero(shr(128, word))))
            bits := or(bits, shl(6, iszero(iszero(shr(64, shr(bits, word))))))
            bits := or(bits, shl(5, iszero(iszero(shr(32, shr(bits, word))))))
            bits := or(bits, shl(4, iszero(iszero(shr(16, shr(bits, word))))))
            bits := or(bits, shl(3, iszero(iszero(shr(8, shr(bits, word))))))
            bits := add(bits, 8)
            mstore8(to, shr(3, bits))
            to := add(to, 1)
            mstore(to, shl(sub(256, bits), word))
            to := add(to, shr(3, bits))
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
                switch gt(head, 32)
                case 0 {
                    mstore(to, shr(sub(256, shl(3, head)), calldataload(at)))
                    at := add(at, head)
                }
                default { mstore(to, mload(sub(to, shl(5, sub(head, 32))))) }
            }
            let ok := delegatecall(gas(), address(), start, sub(to, start), 0, 0)
            returndatacopy(start, 0, returndatasize())
            if iszero(ok) { revert(start, returndatasize()) }
            return(start, returndatasize())
        }
    }
}
