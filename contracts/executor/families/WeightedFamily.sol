// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "../../lens/WeightedSwap.sol";
import {IFamily} from "./IFamily.sol";

/// Weighted pools of Balancer v2's vault. The executor calls it by delegatecall. A direct call is harmless: the contract
/// holds no tokens, and no account approves it.
contract WeightedFamily is IFamily {
    /// @inheritdoc IFamily
    function swapHeld(PlanLeg calldata leg, uint256 amount, address receiver) external returns (uint256 sent) {
        return swapWeighted(leg, amount, receiver);
    }
}
