// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An answer being written: plain 32-byte words at the end of memory, cheap to write here and to decode in TypeScript.
/// Nothing else may be allocated between the first word and the last.
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

/// As many words as lie in memory from there on: fields of a struct that follow one another.
function pushFields(Words, uint256 from, uint256 count) pure {
    assembly ("memory-safe") {
        let at := mload(0x40)
        mcopy(at, from, mul(count, 32))
        mstore(0x40, add(at, mul(count, 32)))
    }
}

/// Ends the call with exactly the words written.
function finish(Words words) pure {
    assembly ("memory-safe") {
        return(words, sub(mload(0x40), words))
    }
}

using {push, pushFields, finish} for Words global;
