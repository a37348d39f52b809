// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Leg} from "./LensTypes.sol";

struct PlanLeg {
    uint256 kind;
    address pool; // or the manager of a singleton
    address tokenIn;
    address tokenOut;
    uint256 fee;
    int256 spacing;
    address hooks;
    uint256 shareBps; // share of the plan's total of tokenIn; the last leg that sells tokenIn sells the rest
}

/// The same leg for functions that lenses share. Its `limit` has no meaning.
function asLeg(PlanLeg memory leg) pure returns (Leg memory same) {
    assembly ("memory-safe") {
        same := leg
    }
}

/// Copies a leg without the checks of a conversion: fields are cleaned when they are read.
function inMemory(PlanLeg calldata leg) pure returns (PlanLeg memory copy) {
    assembly ("memory-safe") {
        calldatacopy(copy, leg, 256)
    }
}

/// The tokens of a leg, without checks of bounds and addresses: `PlanRuns._assertPlan` has made them.
function tokensOf(PlanLeg[] calldata legs, uint256 index) pure returns (address tokenIn, address tokenOut) {
    assembly ("memory-safe") {
        let leg := add(legs.offset, shl(8, index))
        tokenIn := calldataload(add(leg, 64))
        tokenOut := calldataload(add(leg, 96))
    }
}

using {asLeg} for PlanLeg global;

// The query of a probe, encoded by `engine/quote/plan/encodeExecution.ts`.

struct ProbeQuery {
    address native; // the wrapped native token
    bool arbitrum;
}

/// One plan to execute. Its legs are the next `legs` entries of the list of all legs.
struct PlanOrder {
    uint256 legs;
    uint256 gasCap; // for all of its runs
    address tokenIn;
    address tokenOut;
    uint256 amountIn;
    address payer; // holds amountIn, approved the probing contract, and receives tokenOut
    address secondPayer; // pays for a second run after the first one; 0 = one run
}

interface IProbe {
    /// Executes each order in a frame that always reverts, and returns the words that `PlanProbes._write` describes.
    /// Nothing that happens in a frame persists. For `eth_call`.
    /// @param legs the legs of all orders, one order after the other
    function probe(ProbeQuery calldata query, PlanOrder[] calldata orders, PlanLeg[] calldata legs) external;
}

// Status of a run. `engine/quote/plan/executionTypes.ts` has the same order.
uint256 constant NOT_RUN = 0; // no gas was left, or the run before it failed
uint256 constant RAN = 1;
uint256 constant RAN_PARTIALLY = 2; // a pool consumed less than the amount sold
uint256 constant REVERTED = 3;
uint256 constant OUT_OF_GAS = 4;
uint256 constant UNFUNDED = 5; // the payer does not hold the amount

/// One execution of a plan. In memory, four words for each leg follow, all 0 if its share rounds down to 0: the amount sent
/// into the pool, what the pool received, what it sent as it reports, and what arrived from it. A probe returns these words
/// in this order.
struct Run {
    uint256 status;
    uint256 index; // of the leg at which it ended; the number of legs if all were executed
    uint256 reason; // selector of the error, if it failed
    uint256 received; // tokenOut that the payer received
    uint256 gas;
}

uint256 constant RUN_BYTES = 160;
uint256 constant FILL_BYTES = 128;

/// Allocates two runs with their legs, one after the other, all 0.
function newRuns(uint256 legs) pure returns (Run memory first, Run memory second) {
    assembly ("memory-safe") {
        first := mload(0x40)
        let size := add(RUN_BYTES, mul(legs, FILL_BYTES))
        second := add(first, size)
        calldatacopy(first, calldatasize(), mul(size, 2))
        mstore(0x40, add(second, size))
    }
}

function setLeg(Run memory run, uint256 index, uint256 used, uint256 arrived, uint256 nominal, uint256 received) pure {
    assembly ("memory-safe") {
        let at := add(add(run, RUN_BYTES), mul(index, FILL_BYTES))
        mstore(at, used)
        mstore(add(at, 32), arrived)
        mstore(add(at, 64), nominal)
        mstore(add(at, 96), received)
    }
}

/// @return amount sent into the leg's pool
function soldBy(Run memory run, uint256 index) pure returns (uint256 amount) {
    assembly ("memory-safe") {
        amount := mload(add(add(run, RUN_BYTES), mul(index, FILL_BYTES)))
    }
}

/// @return amount that arrived from the leg's pool
function boughtBy(Run memory run, uint256 index) pure returns (uint256 amount) {
    assembly ("memory-safe") {
        amount := mload(add(add(run, add(RUN_BYTES, 96)), mul(index, FILL_BYTES)))
    }
}

using {setLeg, soldBy, boughtBy} for Run global;
