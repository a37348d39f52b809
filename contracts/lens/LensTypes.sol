// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensNumbers.sol";

/// One swap. `pool` is the pool, or the manager of a singleton.
struct Leg {
    uint256 kind;
    address pool;
    address tokenIn;
    address tokenOut;
    uint256 fee;
    int256 spacing;
    address hooks;
    uint256 limit; // price limit of concentrated pools; 0 = the end of the range
}

/// Result of executing one leg, or two legs one after the other.
struct Fill {
    uint256 status;
    uint256 used; // tokenIn charged by the first pool
    uint256 nominal; // output of the first leg as its pool reports it
    uint256 between; // output of the first leg that its receiver got
    uint256 arrived; // tokenIn that the first pool got, if it is a pair that was paid; else 0
    uint256 nominalLast; // output of the last leg as its pool reports it
    uint256 received; // output of the last leg that its receiver got
    bytes4 reason; // selector of the error, if rejected
    uint256 gas; // used by the frame
}

/// An existing pool: its state and its fill.
struct Found {
    uint256 pair;
    uint256 candidatePool;
    bytes32 id;
    Leg leg;
    Fill fill;
    uint256 price; // sqrtPriceX96; of a pair the reserve of tokenIn
    uint256 reserveOut; // of a pair
    uint256 liquidity; // in range; concentrated pools only
}

/// A token pair of which every candidate pool was looked up. Its pools are contiguous in the book.
struct Pair {
    address a;
    address b;
    uint256 first; // index of its first pool
    uint256 end; // index after its last pool
    uint256[] statuses; // four bits per candidate pool
}

function isConcentrated(uint256 kind) pure returns (bool) {
    return (kind >= KIND_V3 && kind <= KIND_ALGEBRA) || kind >= KIND_V4;
}
