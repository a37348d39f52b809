// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An answer that is written while other things are still laid into memory; `Words` is cheaper where nothing is.
struct Notes {
    uint256[] list;
    uint256 length;
}

function newNotes(uint256 capacity) pure returns (Notes memory notes) {
    notes.list = new uint256[](capacity);
}

/// A full list drops words and counts on; the reader sees that the length exceeds what came.
function push(Notes memory notes, uint256 value) pure {
    uint256 at = notes.length++;
    if (at < notes.list.length) notes.list[at] = value;
}

function pushFlag(Notes memory notes, bool value) pure {
    uint256 word;
    assembly ("memory-safe") {
        word := value
    }
    notes.push(word);
}

/// As many words as lie in memory from there on: fields of a struct that follow one another.
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

/// Ends the call with exactly the words written.
function finish(Notes memory notes) pure {
    uint256[] memory list = notes.list;
    uint256 length = notes.length < list.length ? notes.length : list.length;
    assembly ("memory-safe") {
        return(add(list, 32), shl(5, length))
    }
}

using {push, pushFlag, pushFields, finish} for Notes global;
