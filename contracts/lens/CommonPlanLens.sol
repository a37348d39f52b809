// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Packing.sol";
import "./PlanProbes.sol";

/// PlanLens without weighted pools: shorter code, so that the request of a known pair takes two round trips.
contract CommonPlanLens is PlanProbes, PackedCalls {
    function _swapHeld(PlanLeg calldata, uint256, address) internal pure override returns (uint256) {
        revert BadPlan();
    }
}
