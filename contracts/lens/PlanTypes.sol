// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// The question of `PlanLens`. `engine/quote/proof/encodeProof.ts` encodes it.

struct ProofQuestion {
    address native; // the wrapped native token
    bool arbitrum;
    uint256 salt; // random; contracts on chain cannot know it
}

/// A plan. Its legs are the next `legs` entries of the list of legs.
struct PlanOrder {
    uint256 legs;
    uint256 gasCap;
    address tokenIn;
    address tokenOut;
    uint256 amountIn;
    address payer; // holds amountIn, approved the lens, and receives tokenOut
    address secondPayer; // executes the plan again behind the first one; 0 = executed once
}

struct PlanLeg {
    uint256 kind;
    address pool; // or the manager of a singleton
    address tokenIn;
    address tokenOut;
    uint256 fee;
    int256 spacing;
    address hooks;
    uint256 shareBps; // of all that the plan sells of tokenIn; the last leg of a token sells the rest
}

interface IPlanLens {
    function prove(ProofQuestion calldata question, PlanOrder[] calldata orders, PlanLeg[] calldata legs) external;
}
