// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// Kinds of slots. A kind is how a pool is looked up and swapped through; `engine/venues` holds the same numbers.
// Pools of Balancer's vault, found by logs only. Below `KIND_V4`, because from there on all kinds are concentrated
// singletons.
uint256 constant KIND_WEIGHTED = 0;
uint256 constant KIND_V2 = 1; // getPair(a,b); x*y=k with the row's fee
uint256 constant KIND_V3 = 2; // getPool(a,b,uint24 fee); swap with callback
uint256 constant KIND_SLIPSTREAM = 3; // getPool(a,b,int24 spacing); swap with callback
uint256 constant KIND_ALGEBRA = 4; // poolByPair(a,b); swap with callback
uint256 constant KIND_SOLIDLY = 5; // getPool(a,b,bool); the pool prices itself
uint256 constant KIND_SOLIDLY_PAIR = 6; // getPair(a,b,bool); the pool prices itself
uint256 constant KIND_SELF_PRICED_PAIR = 7; // getPair(a,b); the pool prices itself (Camelot v2)
uint256 constant KIND_V4 = 8; // singleton, both currencies are ERC-20
uint256 constant KIND_V4_NATIVE = 9; // singleton, the wrapped native token stands for currency 0x0

// Result of reading one slot. `not found` (1, 2), `read failed` (7) and `not requested` (0) stay apart.
uint256 constant NOT_ASKED = 0;
uint256 constant NO_FACTORY = 1;
uint256 constant NO_POOL = 2;
uint256 constant EMPTY = 3;
uint256 constant FILLED = 4;
uint256 constant PARTIAL = 5;
uint256 constant REJECTED = 6;
uint256 constant UNREAD = 7;
uint256 constant OUTBID = 8; // its own price before any slippage is below what others really pay: not swapped through
uint256 constant THIN = 9; // too little liquidity to matter: not swapped through

// sqrt(0.99) * 1e15: the square root of the price after a fall of 1 %.
uint256 constant SQRT_ONE_PERCENT_LOWER = 994987437106620;

uint256 constant MIN_SQRT = 4295128739;
uint256 constant MAX_SQRT = 1461446703485210103287273052203988822378723970342;

/// An account without code that approved the lens, and how much of tokenIn it holds at least. Ordered by amount.
struct Payer {
    address account;
    uint256 amount;
}

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

/// How a series of legs filled.
struct Fill {
    uint256 status;
    uint256 used;
    uint256 nominal; // as the first leg's pool reports
    uint256 between; // what the first leg's receiver got
    uint256 arrived; // what the first leg's pool got, where it was paid
    uint256 nominalLast;
    uint256 received; // what the last leg's receiver got
    bytes4 reason; // first bytes of a rejection
    uint256 gas; // that the frame took
}

/// An existing pool: its state, its fill of the size and, where requested, its price band.
struct Found {
    uint256 pair;
    uint256 slot;
    address factory;
    bytes32 id;
    Leg leg;
    Fill fill;
    // These five are written to the answer in this order.
    uint256 price; // sqrtPriceX96, or the reserve of tokenIn
    uint256 reserveOut;
    uint256 bandIn;
    uint256 bandOut;
    uint256 feePips; // as the pool reports; 0 = not requested
    uint256 liquidity; // in range, of concentrated pools
    uint256 edge; // price up to which liquidity is constant in the direction of the sale; 0 = not read
    int256 tick;
    uint256 bound; // no fill of the asked size can fetch more
    uint256 bandStatus;
    uint256 held; // tokenOut that the pool holds + 1; 0 = not read
    uint256 thin; // 1: takes less than a thirty-second of the order near its price
    uint256 cut; // 1: the first, cheap fill ran out of gas
    uint256 bandCut; // how often the price band ran out of gas
    Reach reach;
}

/// How far a concentrated pool's ticks were read, from its price in the direction of the sale. Amounts are upper bounds
/// of what the pool pays and lower bounds of what it takes, without the fee.
struct Reach {
    uint256 taken; // of tokenIn, down to `price`
    uint256 sent; // of tokenOut
    uint256 price; // of the last tick crossed
    uint256 edge; // price of the next tick
    uint256 liquidity; // between the two
    int256 index; // of the next tick, in tick spacings
    uint256 inUse; // 1: liquidity changes at that tick; 0: it is only the end of a bitmap word
    int256 spacing;
    int256 wordIndex;
    uint256 word; // of the bitmap
    uint256 crossed; // ticks and ends of words
    uint256 ended; // 1: the end of all prices, 2: the pool does not tell its ticks
}

/// A pair of tokens that was looked up in every slot. Its pools are contiguous in the book. The answer has its first words.
struct Pair {
    address a;
    address b;
    uint256 amountIn;
    uint256 first; // index of its first pool
    uint256 end; // index behind its last pool
    uint256 best; // index of the best fill + 1
    uint256 bestReceived;
    uint256[] statuses; // four bits a slot
    uint256 whole; // the part of the whole order that reaches this pair
}

/// A route from tokenIn to tokenOut; `second` is set if `legs` is 2. The answer has its words in this order.
struct Candidate {
    uint256 legs;
    uint256 first; // indices into the found pools
    uint256 second;
    uint256 received;
    uint256 gas; // of the whole quoted route; 0 = not executed
}

function isConcentrated(uint256 kind) pure returns (bool) {
    return (kind >= KIND_V3 && kind <= KIND_ALGEBRA) || kind >= KIND_V4;
}

function copyOf(Candidate memory candidate) pure returns (Candidate memory copy) {
    assembly ("memory-safe") {
        // The copy lies where the compiler laid a blank one.
        mcopy(copy, candidate, 160)
    }
}

using {copyOf} for Candidate global;
