// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";

uint256 constant ENTRY_BYTES = 224;
// A pool is thin if it holds less than this fraction of the order's value: it then improves the order by less than a
// basis point.
uint256 constant DUST = 512;

/// A token of the call, and the order's value in base units of this token; 0 = unknown.
struct TokenInput {
    address token;
    uint256 worth;
}

/// A pool that is read without a look-up. `packed`, from the lowest byte: the pool or its manager (20 bytes), kind, fee
/// (3), spacing (3), indices of token a and token b, directions, and the maximum number of ticks in each direction (2;
/// 0 = the default). For a stable pair, spacing contains the decimals:
/// token0 in its lowest byte, token1 in the next; 0 = unknown.
struct PoolInput {
    uint256 packed;
    // Hooks of a singleton's pool, last bytes of a weighted pool's id, factory of a pool of Solidly, otherwise 0.
    address other;
}

/// A pool's entry in the answer, in the order of its words.
struct PoolEntry {
    // From the lowest bit: form, status, directions, kind (8 bits each), candidate pool, pair (16 each).
    uint256 packed;
    uint256 id;
    uint256 first; // sqrtPriceX96 or reserve0
    uint256 second; // liquidity or reserve1
    uint256 shape; // from the lowest bit: fee0, fee1 in millionths (32 bits each), tick, spacing (24 each)
    uint256 third; // balance0 + 1, or 10^decimals of token0; 0 = not read; weighted pools: the fee
    uint256 fourth; // the same of token1
}

/// The answer while it is written: memory addresses and sizes in bytes. Its words are written at their final address,
/// above a region that calls may use as scratch memory.
struct Answer {
    uint256 start;
    uint256 end; // the next free byte
    uint256 limit; // no tick is written beyond it
    uint256 statuses; // address of the first pair's statuses
    uint256 statusBytes; // size of one pair's statuses
    uint256 entries; // address of the first entry
    uint256 count; // of entries
    uint256[] live; // status of each factory: FILLED, NO_FACTORY or UNREAD
    uint256 candidates; // memory address of the list of `RouteTrials`; 0 = no trial
}

/// A pair of tokens to look up.
struct TokenPair {
    address a;
    address b;
    uint256 index; // in the call
}

/// A pool to read, its pair and its index among the candidate pools.
struct PoolQuery {
    Leg leg;
    address factory;
    uint256 pair; // index, or NO_PAIR
    uint256 candidatePool; // index of the candidate pool, or of the known pool
    uint256 encodedPair; // the pair as the call encodes it: indices of token a and token b, directions
}

/// A walk over the initialised ticks of a pool in one direction. Prices are sqrtPriceX96.
struct Walk {
    uint256 form;
    uint256 id;
    address manager; // of a singleton; otherwise the pool
    bool down; // token0 is sold, so the price falls
    int256 start; // tick of the pool
    int256 spacing;
    uint256 price;
    uint256 liquidity;
    uint256 taken; // amount of the sold token that the ticks so far absorb, without the fee
    uint256 enough; // `taken` at which the walk may end; 0 = unknown
    uint256 maxTicks;
    uint256 count; // ticks written
    uint256 gasEnd; // the walk stops when less gas than this is left
    int256 known; // the last tick covered: all initialised ticks up to it are written
}
