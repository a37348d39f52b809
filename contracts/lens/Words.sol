// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An answer under way: plain 32-byte words, cheap to write here and to cut apart in TypeScript.
struct Words {
    uint256[] list;
    uint256 length;
}

function newWords(uint256 capacity) pure returns (Words memory words) {
    words.list = new uint256[](capacity);
}

/// A full list drops words and counts on; the reader sees that the length exceeds what came.
function push(Words memory words, uint256 value) pure {
    uint256 at = words.length++;
    if (at < words.list.length) words.list[at] = value;
}

using {push} for Words global;

/// Ends the call with exactly the words written.
function returnWords(Words memory words) pure {
    uint256[] memory list = words.list;
    uint256 length = words.length < list.length ? words.length : list.length;
    assembly ("memory-safe") {
        return(add(list, 32), shl(5, length))
    }
}
