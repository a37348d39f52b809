// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An answer in a list of fixed capacity. `Words` is cheaper, but allows no other allocation while it is written.
struct Notes {
    uint256[] list;
    uint256 length;
}

function newNotes(uint256 capacity) pure returns (Notes memory notes) {
    assembly ("memory-safe") {
        let list := mload(0x40)
        mstore(list, capacity)
        mstore(0x40, add(list, shl(5, add(capacity, 1))))
        mstore(notes, list)
    }
}

/// A full list drops further words; `finish` then returns fewer words than the decoder expects, and it throws.
function push(Notes memory notes, uint256 value) pure {
    assembly ("memory-safe") {
        let list := mload(notes)
        let length := add(mload(add(notes, 32)), 1)
        if iszero(gt(length, mload(list))) { mstore(add(list, shl(5, length)), value) }
        mstore(add(notes, 32), length)
    }
}

function pushFlag(Notes memory notes, bool value) pure {
    uint256 word;
    assembly ("memory-safe") {
        word := value
    }
    notes.push(word);
}

/// Copies `count` words from the memory address `from`, such as consecutive fields of a struct.
function pushFields(Notes memory notes, uint256 from, uint256 count) pure {
    unchecked {
        for (uint256 end = from + 32 * count; from < end; from += 32) {
            uint256 word;
            assembly ("memory-safe") {
                word := mload(from)
            }
            notes.push(word);
        }
    }
}

/// Ends the call and returns the words written.
function finish(Notes memory notes) pure {
    uint256[] memory list = notes.list;
    uint256 length = notes.length < list.length ? notes.length : list.length;
    assembly ("memory-safe") {
        return(add(list, 32), shl(5, length))
    }
}

using {push, pushFlag, pushFields, finish} for Notes global;
