// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PlanLeg} from "../../lens/PlanTypes.sol";

/// The swaps of one family of pools, for a delegatecall by the executor. An implementation uses no storage, no transient
/// storage and no constructor.
interface IFamily {
    /// Swaps `amount` of the leg's tokenIn, which the executor holds.
    /// @param receiver receives the leg's tokenOut from the pool
    /// @return sent tokenOut sent, as the pool reports it
    function swapHeld(PlanLeg calldata leg, uint256 amount, address receiver) external returns (uint256 sent);
}
