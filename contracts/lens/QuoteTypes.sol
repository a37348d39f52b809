// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// The question of the quote lens, and what its two parts know of it.

struct QuoteQuestion {
    address tokenIn;
    address tokenOut;
    uint256 mode;
    uint256 mantissa;
    uint256 scale;
    bool trusted; // tokenIn is known to arrive in full: only the winner is paid
    uint256 salt; // random: no contract can know it
}

struct QuoteState {
    uint256 startGas;
    uint256 flags;
    // These eight are written to the answer in this order.
    uint256 decimalsIn;
    uint256 decimalsOut;
    uint256 amountIn;
    uint256 holder; // 1: an account holds the size and approved the lens
    uint256 twiceStatus;
    uint256 fillTwice; // received for a second order of the same size just behind, cumulative
    uint256 depth;
    uint256 supply; // of tokenIn; 0 = unreadable
}

uint256 constant DEPTH_OPEN = 64; // one of the flags: the search for the depth ended early
