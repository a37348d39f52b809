// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./World.sol";

uint256 constant MAX_FOUND = 160;
uint256 constant MAX_PAIRS = 32;

/// All that one question finds out.
struct Book {
    World world;
    uint256[] live; // groups whose factory has no code (NO_FACTORY), answers (FILLED), or failed to (UNREAD)
    uint256[] blank; // statuses before anything is found: NO_FACTORY, or NO_POOL
    uint256[] blankNative; // the same for pairs with the wrapped native token; in the others native slots are NOT_ASKED
    Pair[] pairs;
    uint256 pairCount;
    Found[] pools;
    uint256 foundCount;
}

function openBook(bytes calldata world) view returns (Book memory book) {
    book.world = readWorld(world);
    book.live = new uint256[](book.world.groups);
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
    _drawBlanks(book, world);
}

function _drawBlanks(Book memory book, bytes calldata world) view {
    uint256 length = (book.world.slots + 63) >> 6;
    (book.blank, book.blankNative) = (new uint256[](length), new uint256[](length));
    Group memory group;
    group.end = HEADER_BYTES + book.world.bases * BASE_BYTES;
    uint256 slot;
    for (uint256 i; i < book.live.length; i++) {
        nextGroup(world, group);
        bool live = group.factory.code.length > 0;
        book.live[i] = live ? FILLED : NO_FACTORY;
        for (uint256 k; k < group.count; k++) {
            uint256 status = (live ? NO_POOL : NO_FACTORY) << ((slot & 63) << 2);
            book.blankNative[slot >> 6] |= status;
            bool native = group.kind >= KIND_V4 && readSingletonKind(world, group.at + k * SINGLETON_SLOT_BYTES) == KIND_V4_NATIVE;
            if (!native || !live) book.blank[slot >> 6] |= status;
            slot += 1;
        }
    }
}

function addPair(Book memory book, address a, address b) pure returns (Pair memory pair) {
    (pair.a, pair.b) = (a, b);
    (pair.first, pair.end) = (book.foundCount, book.foundCount);
    book.pairs[book.pairCount++] = pair;
}

/// @dev The caller looks at MAX_FOUND first.
function addPool(Book memory book, Pair memory pair, uint256 slot, address factory, Leg memory leg)
    pure
    returns (Found memory found) {
    found.pair = book.pairCount - 1;
    (found.slot, found.factory, found.leg) = (slot, factory, leg);
    book.pools[book.foundCount++] = found;
    pair.end = book.foundCount;
    pair.note(slot, NOT_ASKED);
}

/// Sets four bits, whatever they were.
function note(Pair memory pair, uint256 slot, uint256 status) pure {
    uint256 shift = (slot & 63) << 2;
    uint256 word = pair.statuses[slot >> 6];
    pair.statuses[slot >> 6] = word & ~(15 << shift) | status << shift;
}

function setStatus(Book memory book, Found memory found, uint8 status) pure {
    book.pairs[found.pair].note(found.slot, status);
    found.fill.status = status;
}

using {addPair, addPool, setStatus} for Book global;
using {note} for Pair;
