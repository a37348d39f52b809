// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// The query of PlanLens, encoded by `engine/quote/execution/encodeExecution.ts`.

struct ProofQuery {
    address native; // the wrapped native token
    bool arbitrum;
    uint256 salt; // random, so that contracts on chain cannot predict it
}

/// One plan to execute. Its legs are the next `legs` entries of the list of all legs.
struct PlanOrder {
    uint256 legs;
    uint256 gasCap; // for all of its runs
    address tokenIn;
    address tokenOut;
    uint256 amountIn;
    address payer; // holds amountIn, approved the lens, and receives tokenOut
    address secondPayer; // pays for a second run after the first one; 0 = one run
}

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

interface IPlanLens {
    /// See `PlanLens.prove`.
    function prove(ProofQuery calldata query, PlanOrder[] calldata orders, PlanLeg[] calldata legs) external;
}
