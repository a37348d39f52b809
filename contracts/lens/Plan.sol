// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";

/// A series of legs during execution: these words, followed by the words of each leg. Pools pass it back as callback
/// data; a change by a pool is detected.
struct Plan {
    uint256 at; // the current leg
    uint256 amount; // what this leg has to spend
    uint256 paid; // 1: `amount` is held and gets paid; else the swap is abandoned in its callback
    uint256 priceLimited; // 1: a leg may stop at its limit
    uint256 before; // balance of tokenOut before this leg
    uint256 used; // of the first leg
    uint256 nominal;
    uint256 between;
    uint256 arrived; // of what the first leg paid
    uint256 legs; // how many
}

uint256 constant PLAN_BYTES = 320;
uint256 constant LEG_BYTES = 256;

function legAt(Plan memory plan, uint256 index) pure returns (Leg memory leg) {
    assembly ("memory-safe") {
        leg := add(add(plan, PLAN_BYTES), mul(index, LEG_BYTES))
    }
}

using {legAt} for Plan global;
