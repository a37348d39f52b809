// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StandIn.sol";

/// Swaps through pools that call back for their payment: Uniswap v3 and its forks, Slipstream, Algebra.
abstract contract ConcentratedSwaps is StandIn {
    function _swapConcentrated(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        returns (uint256 paid, uint256 nominal)
    {
        _expected = leg.pool;
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        try IConcentratedPool(leg.pool).swap(
            trade.wallet, zeroForOne, int256(amount), uint160(zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1), ""
        ) returns (int256 delta0, int256 delta1) {
            _expected = address(0);
            (int256 deltaIn, int256 deltaOut) = zeroForOne ? (delta0, delta1) : (delta1, delta0);
            return (uint256(deltaIn), uint256(-deltaOut));
        } catch {
            _revertWithLastError(3);
        }
    }

    /// A pool's callback, which has many names: pays the amount owed, and reverts if less arrives.
    fallback() external payable virtual override {
        _payPool();
    }

    function _payPool() internal {
        if (msg.sender != _expected) _runReplacedCode();
        int256 delta;
        assembly ("memory-safe") {
            // (int256 delta0, int256 delta1, bytes): the positive delta is owed
            delta := calldataload(4)
            if iszero(sgt(delta, 0)) { delta := calldataload(36) }
        }
        uint256 owed = uint256(delta);
        uint256 before = _balance(_token, msg.sender);
        _pay(_token, msg.sender, owed);
        _arrived = _increase(before, _balance(_token, msg.sender));
        if (_arrived < owed) _revertWith(6, _arrived);
    }
}

/// A stand-in for concentrated pools only.
contract ConcentratedStandIn is ConcentratedSwaps {
    function _swap(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        override
        returns (uint256 paid, uint256 nominal)
    {
        return _swapConcentrated(trade, leg, amount);
    }
}
