// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./ExecutorTypes.sol";

/// Executes plans of swaps with the caller's own tokens. `docs/design/executor.md` contains the threat model.
interface IExecutor {
    /// Sells exactly `plan.amountIn` of the caller's tokenIn and pays all of the output to `to`.
    /// @param plan the swaps, and how the caller pays
    /// @param minAmountOut least amount by which the receiver's balance must grow; at least 1
    /// @param to receiver of tokenOut
    /// @param deadline unix seconds after which the call reverts
    /// @return amountOut tokenOut that the receiver got
    function execute(ExecutorPlan calldata plan, uint256 minAmountOut, address to, uint256 deadline)
        external
        payable
        returns (uint256 amountOut);

    /// Executes each plan for its payer in a frame that always reverts, and returns the fills. Nothing that happens in
    /// a frame persists. For `eth_call`.
    /// @param payers accounts that hold and approved the plans' tokenIn, one for each plan; they receive tokenOut
    function probe(ExecutorPlan[] calldata plans, address[] calldata payers)
        external
        returns (ProbeFill[] memory fills);
}
