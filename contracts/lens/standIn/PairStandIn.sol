// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StandIn.sol";

/// Swaps through pairs, also those that compute their own output.
abstract contract PairSwaps is StandIn {
    function _swapPair(Trade memory trade, Leg memory leg, uint256 amount) internal returns (uint256 out) {
        uint256 before = _balance(leg.tokenIn, leg.pool);
        (uint256 reserveBefore,) = _reserves(leg);
        _pay(leg.tokenIn, leg.pool, amount);
        // Routers also read the reserves after the payment, because a token may trade during its transfer.
        (uint256 reserveIn,) = _reserves(leg);
        uint256 held = _balance(leg.tokenIn, leg.pool);
        uint256 arrived = _increase(reserveIn, held);
        // A surplus above the reserves before the payment is no part of it.
        _arrived = reserveBefore == reserveIn && before > reserveIn && held >= before ? held - before : arrived;
        out = _outputOf(leg, arrived);
        if (out == 0) _revertWith(arrived == 0 ? 6 : 7, arrived);
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        try IPairPool(leg.pool).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, trade.wallet, "") {}
        catch {
            _revertWithLastError(3);
        }
    }

    function _reserves(Leg memory leg) internal view returns (uint256 reserveIn, uint256 reserveOut) {
        (bool ok, uint256 size, uint256[5] memory words) = readWords(leg.pool, 0x0902f1ac); // getReserves()
        if (!ok || size < 2) _revertWith(5, 0);
        return leg.tokenIn < leg.tokenOut ? (words[0], words[1]) : (words[1], words[0]);
    }

    /// Output of the pool for an amount that arrived.
    function _outputOf(Leg memory leg, uint256 amount) internal view returns (uint256) {
        if (amount == 0) return 0;
        if (leg.kind != KIND_V2) return IPairPool(leg.pool).getAmountOut(amount, leg.tokenIn);
        (uint256 reserveIn, uint256 reserveOut) = _reserves(leg);
        uint256 afterFee = amount * (1e6 - leg.fee);
        return afterFee * reserveOut / (reserveIn * 1e6 + afterFee);
    }
}

/// A stand-in for pairs only.
contract PairStandIn is PairSwaps {
    function _swap(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        override
        returns (uint256 paid, uint256 nominal)
    {
        return (amount, _swapPair(trade, leg, amount));
    }

    function _outputBefore(Leg memory leg, uint256 amount) internal view override returns (uint256) {
        return _outputOf(leg, amount);
    }
}
