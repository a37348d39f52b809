// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";

/// The state of an execution of one or two legs. In memory, the legs follow these words. Pools pass the plan back as
/// callback data; a hash detects changes to it.
struct Plan {
    uint256 at; // index of the current leg
    uint256 amount; // amount that the current leg sells
    uint256 paid; // 1: the payer holds `amount` and pays it; 0: the swap is abandoned in its callback
    uint256 priceLimited; // 1: a leg may stop at its limit
    uint256 before; // the receiver's balance of tokenOut before the current leg
    uint256 used; // for this and the next three fields, see Fill
    uint256 nominal;
    uint256 between;
    uint256 arrived;
    uint256 legs; // number of legs
}

uint256 constant PLAN_BYTES = 320;
uint256 constant LEG_BYTES = 256;

function legAt(Plan memory plan, uint256 index) pure returns (Leg memory leg) {
    assembly ("memory-safe") {
        leg := add(add(plan, PLAN_BYTES), mul(index, LEG_BYTES))
    }
}

using {legAt} for Plan global;
