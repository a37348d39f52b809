// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./World.sol";

uint256 constant MAX_FOUND = 160;
uint256 constant MAX_PAIRS = 32;

/// All that one question finds out.
struct Book {
    World world;
    uint256[] live; // slots whose factory has no code (NO_FACTORY), answers (FILLED), or failed to (UNREAD)
    Pair[] pairs;
    uint256 pairCount;
    Found[] pools;
    uint256 foundCount;
}

function openBook(bytes calldata world) view returns (Book memory book) {
    book.world = readWorld(world);
    book.live = new uint256[](book.world.slots);
    // Lists with room only: `new` would lay every struct out in full before the first is known.
    Pair[] memory pairs;
    Found[] memory pools;
    assembly ("memory-safe") {
        pairs := mload(0x40)
        mstore(pairs, MAX_PAIRS)
        pools := add(pairs, mul(32, add(MAX_PAIRS, 1)))
        mstore(pools, MAX_FOUND)
        mstore(0x40, add(pools, mul(32, add(MAX_FOUND, 1))))
    }
    (book.pairs, book.pools) = (pairs, pools);
    address last;
    uint256 lastLive;
    for (uint256 i; i < book.live.length; i++) {
        address factory = factoryOf(world, book.world.bases, i);
        if (factory != last) (last, lastLive) = (factory, factory.code.length > 0 ? FILLED : NO_FACTORY);
        book.live[i] = lastLive;
    }
}

function addPair(Book memory book, address a, address b) pure returns (Pair memory pair) {
    (pair.a, pair.b) = (a, b);
    (pair.first, pair.end) = (book.foundCount, book.foundCount);
    book.pairs[book.pairCount++] = pair;
}

/// @dev The caller looks at MAX_FOUND first.
function addPool(Book memory book, Pair memory pair) pure returns (Found memory found) {
    found.pair = book.pairCount - 1;
    book.pools[book.foundCount++] = found;
    pair.end = book.foundCount;
}

function setStatus(Book memory book, Found memory found, uint8 status) pure {
    uint256[] memory statuses = book.pairs[found.pair].statuses;
    statuses[found.slot >> 6] ^= uint256(found.fill.status ^ status) << ((found.slot & 63) << 2);
    found.fill.status = status;
}

using {addPair, addPool, setStatus} for Book global;
