// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StandIn.sol";

/// A stand-in for pairs.
contract PairStandIn is StandIn, PairSwaps {
    function _swapBy(PlanLeg memory leg, uint256 amount, address payer)
        internal
        override
        returns (uint256 paid, uint256 arrived, uint256 nominal)
    {
        paid = amount;
        (arrived, nominal) = _swapPair(leg, amount, payer, msg.sender, type(uint256).max);
    }

    function _outputBefore(PlanLeg memory leg, uint256 amount) internal override returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut) = pairReserves(leg.pool, leg.tokenIn < leg.tokenOut);
        return pairOutput(leg.asLeg(), amount, reserveIn, reserveOut);
    }

    function _needsAll() internal pure override returns (bool) {
        return false;
    }

    function _rejectArrived(uint256 arrived) internal view override {
        _revertWith(arrived == 0 ? 6 : 7, arrived);
    }
}
