// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StandIn.sol";

/// Pairs, also those that price themselves.
abstract contract PairSwaps is StandIn {
    function _swapPair(Trade memory trade, Leg memory leg, uint256 amount) internal returns (uint256 out) {
        uint256 before = _balance(leg.tokenIn, leg.pool);
        (uint256 reserveBefore,) = _reserves(leg);
        _pay(leg.tokenIn, leg.pool, amount);
        // As the routers do it: reserves are read after the payment, because a token may trade inside its own transfer.
        (uint256 reserveIn,) = _reserves(leg);
        uint256 held = _balance(leg.tokenIn, leg.pool);
        uint256 arrived = held > reserveIn ? held - reserveIn : 0;
        // What grew in the pool since its last trade is no part of this payment.
        _arrived = reserveBefore == reserveIn && before > reserveIn && held >= before ? held - before : arrived;
        out = _priced(leg, arrived);
        if (out == 0) _refused(arrived == 0 ? 6 : 7, arrived);
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        try IPairPool(leg.pool).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, trade.wallet, "") {}
        catch {
            _refuse(3);
        }
    }

    function _reserves(Leg memory leg) internal view returns (uint256 reserveIn, uint256 reserveOut) {
        (bool ok, uint256 size, uint256[5] memory words) = readWords(leg.pool, 0x0902f1ac);
        if (!ok || size < 2) _refused(5, 0);
        return leg.tokenIn < leg.tokenOut ? (words[0], words[1]) : (words[1], words[0]);
    }

    function _priced(Leg memory leg, uint256 amount) internal view returns (uint256) {
        if (amount == 0) return 0;
        if (leg.kind != KIND_V2) return IPairPool(leg.pool).getAmountOut(amount, leg.tokenIn);
        (uint256 reserveIn, uint256 reserveOut) = _reserves(leg);
        uint256 afterFee = amount * (1e6 - leg.fee);
        return afterFee * reserveOut / (reserveIn * 1e6 + afterFee);
    }
}

contract PairStandIn is PairSwaps {
    function _swap(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        override
        returns (uint256 paid, uint256 nominal)
    {
        return (amount, _swapPair(trade, leg, amount));
    }

    function _quoted(Leg memory leg, uint256 amount) internal view override returns (uint256) {
        return _priced(leg, amount);
    }
}
