// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./ChainConfig.sol";

uint256 constant MAX_FOUND = 160;
uint256 constant MAX_PAIRS = 32;

/// Pairs and pools found for one query.
struct Book {
    ChainConfig config;
    Group[] groups;
    Pair[] pairs;
    uint256 pairCount;
    Found[] pools;
    uint256 foundCount;
}

function openBook(bytes calldata config) view returns (Book memory book) {
    unchecked {
        book.config = readChainConfig(config);
        // Allocates the lists without elements: `new` would also allocate a struct for each.
        Group[] memory groups;
        Pair[] memory pairs;
        Found[] memory pools;
        uint256 count = book.config.groups;
        assembly ("memory-safe") {
            groups := mload(0x40)
            mstore(groups, count)
            pairs := add(groups, mul(32, add(count, 1)))
            mstore(pairs, MAX_PAIRS)
            pools := add(pairs, mul(32, add(MAX_PAIRS, 1)))
            mstore(pools, MAX_FOUND)
            mstore(0x40, add(pools, mul(32, add(MAX_FOUND, 1))))
        }
        (book.groups, book.pairs, book.pools) = (groups, pairs, pools);
        uint256 at = HEADER_BYTES + book.config.bases * BASE_BYTES;
        uint256 candidatePool;
        for (uint256 i; i < groups.length; i++) {
            Group memory group = readGroup(config, at, candidatePool);
            group.live = group.factory.code.length > 0 ? FILLED : NO_FACTORY;
            groups[i] = group;
            (at, candidatePool) = (group.end, candidatePool + group.count);
        }
    }
}

function addPair(Book memory book, address a, address b) pure returns (Pair memory pair) {
    unchecked {
        (pair.a, pair.b) = (a, b);
        (pair.first, pair.end) = (book.foundCount, book.foundCount);
        book.pairs[book.pairCount++] = pair;
    }
}

/// @dev The caller checks MAX_FOUND.
function addPool(Book memory book, Pair memory pair, uint256 candidatePool, Leg memory leg)
    pure
    returns (Found memory found) {
    unchecked {
        found.pair = book.pairCount - 1;
        (found.candidatePool, found.leg) = (candidatePool, leg);
        book.pools[book.foundCount++] = found;
        pair.end = book.foundCount;
        pair.note(candidatePool, NOT_REQUESTED);
    }
}

/// @return statuses of this many candidate pools, four bits each, all NO_POOL
function blankStatuses(uint256 candidatePools) pure returns (uint256[] memory statuses) {
    assembly ("memory-safe") {
        statuses := mload(0x40)
        let length := shr(6, add(candidatePools, 63))
        mstore(statuses, length)
        let at := add(statuses, 32)
        for { let end := add(at, shl(5, length)) } lt(at, end) { at := add(at, 32) } {
            mstore(at, 0x2222222222222222222222222222222222222222222222222222222222222222)
        }
        mstore(0x40, at)
    }
}

/// Sets the status of a candidate pool.
function note(Pair memory pair, uint256 candidatePool, uint256 status) pure {
    uint256 shift = (candidatePool & 63) << 2;
    uint256 word = pair.statuses[candidatePool >> 6];
    pair.statuses[candidatePool >> 6] = word & ~(15 << shift) | status << shift;
}

function setStatus(Book memory book, Found memory found, uint256 status) pure {
    book.pairs[found.pair].note(found.candidatePool, status);
    found.fill.status = status;
}

using {addPair, addPool, setStatus} for Book global;
using {note} for Pair;
