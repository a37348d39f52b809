// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An answer while it is written: 32-byte words at the free memory pointer. Nothing else may be allocated between the
/// first word and the last.
type Words is uint256;

function startWords() pure returns (Words words) {
    assembly ("memory-safe") {
        words := mload(0x40)
    }
}

function push(Words, uint256 value) pure {
    assembly ("memory-safe") {
        let at := mload(0x40)
        mstore(at, value)
        mstore(0x40, add(at, 32))
    }
}

/// Copies `count` words from the memory address `from`, such as consecutive fields of a struct.
function pushFields(Words, uint256 from, uint256 count) pure {
    assembly ("memory-safe") {
        let at := mload(0x40)
        mcopy(at, from, mul(count, 32))
        mstore(0x40, add(at, mul(count, 32)))
    }
}

/// Ends the call and returns the words written.
function finish(Words words) pure {
    assembly ("memory-safe") {
        return(words, sub(mload(0x40), words))
    }
}

using {push, pushFields, finish} for Words global;
