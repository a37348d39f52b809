// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// The query of QuoteLens, and the state that its three parts share.

struct QuoteQuery {
    address tokenIn;
    address tokenOut;
    uint256 mode; // unit of the size, see QuoteLens
    uint256 mantissa;
    uint256 scale;
    bool trusted; // tokenIn is known to arrive in full: only the best route is executed with payment
    uint256 salt; // random, so that contracts on chain cannot predict it
}

struct QuoteState {
    uint256 startGas;
    uint256 flags;
    // The next eight fields are written to the answer in this order.
    uint256 decimalsIn;
    uint256 decimalsOut;
    uint256 amountIn;
    uint256 funded; // 1: an account holds the size and approved the lens
    uint256 twiceStatus; // of a fill of twice the size
    uint256 fillTwice; // its output
    uint256 depth; // see Depth, in base units of tokenIn
    uint256 supply; // of tokenIn; 0 = unreadable
}

// Flag: `depth` is a lower bound, because the search ended early.
uint256 constant DEPTH_OPEN = 64;
