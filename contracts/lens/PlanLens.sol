// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Packing.sol";
import "./PlanProbes.sol";
import "./WeightedSwap.sol";

/// The executor's probe without its payments, at a random address: for chains that do not have the executor.
contract PlanLens is PlanProbes, PackedCalls {
    function _swapHeld(PlanLeg calldata leg, uint256 amount, address receiver) internal override returns (uint256) {
        return swapWeighted(leg, amount, receiver);
    }
}
