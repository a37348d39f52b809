// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./ExecutorTypes.sol";

/// Executes plans of swaps with the caller's own tokens. `docs/design/executor.md` contains the threat model.
interface IExecutor {
    /// Sells exactly `plan.amountIn` of the caller's tokenIn and pays all of the output to `to`.
    /// @param plan the swaps, and how the caller pays
    /// @param minAmountOut least amount that the legs that buy tokenOut must pay in total; at least 1
    /// @param to receiver of tokenOut
    /// @param deadline unix seconds after which the call reverts
    /// @return amountOut tokenOut that these legs paid
    function execute(ExecutorPlan calldata plan, uint256 minAmountOut, address to, uint256 deadline)
        external
        payable
        returns (uint256 amountOut);
}
