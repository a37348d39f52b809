// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PlanLeg} from "../lens/PlanTypes.sol";

// How the caller pays tokenIn.
uint256 constant BY_ALLOWANCE = 0; // the caller approved the executor
uint256 constant BY_PERMIT2 = 1; // the caller approved Permit2, and Permit2's allowance names the executor
uint256 constant BY_NATIVE_COIN = 2; // the transaction's value, wrapped by the executor

/// Legs in an executable order: every leg that buys a token comes before the first one that sells it. A leg sells
/// floor(total * shareBps / 10000) of what the plan has of its tokenIn; the last leg of a token sells the rest.
struct ExecutorPlan {
    address tokenIn;
    address tokenOut;
    uint256 amountIn;
    address native; // the chain's wrapped native token
    uint256 payment; // BY_ALLOWANCE and so on
    bool nativeOut; // tokenOut is `native`, and the receiver gets the native coin
    bytes permit; // a signed allowance, executed first; empty: none. See `Executor._permit`
    PlanLeg[] legs;
}
