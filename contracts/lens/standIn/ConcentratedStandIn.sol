// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StandIn.sol";

/// A stand-in for concentrated pools that are contracts of their own.
contract ConcentratedStandIn is StandIn, ConcentratedSwaps {
    function _swapBy(PlanLeg memory leg, uint256 amount, address)
        internal
        override
        returns (uint256, uint256, uint256)
    {
        uint256 nominal = _swapConcentrated(leg, amount, msg.sender);
        return (amount - _unpaid, _arrived, nominal);
    }

    /// A pool's callback, or a call of the router.
    fallback() external payable override {
        if (!_answerPool()) _runReplacedCode();
    }
}
