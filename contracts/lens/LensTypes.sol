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
    address factory; // or the manager of a singleton
    bytes32 id;
    Leg leg;
    Fill fill;
    uint256 price; // sqrtPriceX96; of a pair the reserve of tokenIn
    uint256 reserveOut; // of a pair
    uint256 feePips; // in millionths, as the pool reports it; 0 = not read
    uint256 liquidity; // in range; concentrated pools only
    uint256 edge; // sqrtPriceX96 of the first tick in the direction of the sale; 0 = not read
    int256 tick;
    uint256 bound; // upper bound of the output for the size
    uint256 held; // the pool's balance of tokenOut, plus 1; 0 = not read
    uint256 thin; // 1: absorbs less than 1/32 of the order near its price
    uint256 cut; // 1: the fill with CHEAP_FILL_GAS ran out of gas
    Reach reach;
}

/// The ticks read of a concentrated pool, from its price in the direction of the sale. `taken` is a lower bound of the
/// input and `sent` an upper bound of the output, both without the fee. Prices are sqrtPriceX96.
struct Reach {
    uint256 taken; // tokenIn absorbed between the pool's price and `price`
    uint256 sent; // tokenOut paid for it
    uint256 price; // of the last tick crossed
    uint256 edge; // of the next tick
    uint256 liquidity; // between `price` and `edge`
    int256 index; // of the next tick, in tick spacings
    uint256 inUse; // 1: the next tick is initialised; 0: it is the end of a bitmap word
    int256 spacing;
    int256 wordIndex; // of `word` in the bitmap
    uint256 word;
    uint256 crossed; // number of ticks and ends of bitmap words
    uint256 ended; // 1: at the end of the price range; 2: a tick could not be read
}

/// A token pair of which every candidate pool was looked up. Its pools are contiguous in the book.
struct Pair {
    address a;
    address b;
    uint256 amountIn; // to which the bounds of its pools apply
    uint256 first; // index of its first pool
    uint256 end; // index after its last pool
    uint256 best; // index of the pool with the best fill, plus 1; 0 = none
    uint256 bestReceived;
    uint256[] statuses; // four bits per candidate pool
}

function isConcentrated(uint256 kind) pure returns (bool) {
    return (kind >= KIND_V3 && kind <= KIND_ALGEBRA) || kind >= KIND_V4;
}
