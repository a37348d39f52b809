// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";

// How the swaps of a pool are computed. `engine/pools/decodeStates.ts` has the same numbers.
uint256 constant FORM_NONE = 0; // no state could be read
uint256 constant FORM_V2 = 1;
uint256 constant FORM_CAMELOT = 2;
uint256 constant FORM_SOLIDLY = 3;
uint256 constant FORM_CAMELOT_STABLE = 4;
uint256 constant FORM_SOLIDLY_STABLE = 5;
uint256 constant FORM_WEIGHTED = 6;
uint256 constant FORM_V3 = 7;
uint256 constant FORM_V4 = 8;
uint256 constant FORM_ALGEBRA_V1 = 9; // one fee, bitmap of compressed ticks
uint256 constant FORM_ALGEBRA_V19 = 10; // one fee for each direction, bitmap of plain ticks
uint256 constant FORM_ALGEBRA_INTEGRAL = 11; // initialised ticks form a linked list
uint256 constant FORM_HOOK = 12;
uint256 constant FORM_PLUGIN = 13;
uint256 constant FORM_UNKNOWN = 14;

uint256 constant ENTRY_BYTES = 224;
// `PoolQuery.pair` of a pool that the question named.
uint256 constant NO_PAIR = 0xffff;
// A pool that holds less than 1/512 of the order's value improves it by less than a basis point.
uint256 constant DUST = 512;

/// A token of the question, and the order's value in its base units; 0 if unknown.
struct TokenInput {
    address token;
    uint256 worth;
}

/// A pool that is read without a look-up. `packed`, from the lowest byte: the pool or its manager (20 bytes), kind, fee
/// (3), spacing (3), token a, token b, directions, and the most ticks in each direction (2), 0 = the default.
struct PoolInput {
    uint256 packed;
    address other; // the hooks of a singleton's pool, the end of a weighted pool's id, else the factory
}

/// A pool's entry in the answer, as it is written there.
struct PoolEntry {
    uint256 place; // form, status, directions, kind, slot, pair, from the lowest byte; see `PoolStates`
    uint256 id;
    uint256 first; // sqrtPriceX96 or reserve0
    uint256 second; // liquidity or reserve1
    uint256 shape; // fee0, fee1 (32 bits each), tick, spacing (24 each)
    uint256 third; // balance0 + 1 or 10^decimals of token0; 0 = not read; see also `_readWeighted`
    uint256 fourth;
}

/// The answer while it is written. Entries are written at their final place, above a region that calls may use as scratch.
struct Answer {
    uint256 start;
    uint256 end; // the next free byte
    uint256 limit;
    uint256 statuses; // of the first pair
    uint256 statusBytes; // of a pair
    uint256 entries;
    uint256 count;
    uint256[] live; // status of each factory: FILLED, NO_FACTORY or UNREAD
    uint256 candidates; // memory address of the routes to try (`RouteTrials`); 0 = none
}

/// A pool to read, and the pair and slot that it answers.
struct PoolQuery {
    Leg leg;
    address factory;
    uint256 pair; // index, or NO_PAIR
    uint256 slot; // index of the row's slot, or of the known pool
    uint256 asked; // the pair as the question encodes it: token a, token b, directions
}

/// A walk over the initialised ticks of a pool, in one direction.
struct Walk {
    uint256 form;
    uint256 id;
    address manager;
    bool down; // token0 is sold
    int256 start; // tick of the pool
    int256 spacing;
    uint256 price;
    uint256 liquidity;
    uint256 taken; // the token sold that the walk has absorbed, without the fee
    uint256 enough; // `taken` at which the walk may end; 0 = unknown
    uint256 most; // largest number of ticks
    uint256 count;
    uint256 gasEnd; // the walk stops when less gas than this is left
    int256 known; // the last tick that the walk covers
}
