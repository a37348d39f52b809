// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Discovery.sol";

/// Computes an upper bound of a pool's output from its state, without a swap. A swap moves the price against its
/// sender, so no fill exceeds the output at the price before it. Nothing here reverts. An overflow affects only the
/// bound of the pool that reported a false state; that pool is then not filled, or its fill fails.
abstract contract Bounds is Discovery {
    /// @return bound upper bound of the output for `amountIn`; the maximum of uint256 if none is known
    function _boundOf(Found memory found, uint256 amountIn) internal view returns (uint256 bound) {
        unchecked {
            Leg memory leg = found.leg;
            bound = type(uint256).max;
            // No bound: a hook may pay more than the price, and the curves of stable and self-priced pairs are not used
            // here.
            bool unknown = leg.hooks != address(0) || leg.kind == KIND_SELF_PRICED_PAIR
                || (leg.fee == 1 && (leg.kind == KIND_SOLIDLY || leg.kind == KIND_SOLIDLY_PAIR));
            if (unknown || amountIn > type(uint120).max) return bound;
            if (isConcentrated(leg.kind)) {
                bound = _boundByTicks(found, _paidTo(found, amountIn));
                return found.held != 0 && found.held - 1 < bound ? found.held - 1 : bound;
            }
            if (found.price - 1 >= type(uint112).max || found.reserveOut > type(uint112).max) return bound;
            uint256 afterFee = amountIn * (leg.kind == KIND_V2 ? 1e6 - leg.fee : 1e6);
            return afterFee * found.reserveOut / (found.price * 1e6 + afterFee) + 1;
        }
    }

    /// `amountIn` without the fee, rounded up. Algebra's fee may change within the swap, so it counts as 0.
    function _paidTo(Found memory found, uint256 amountIn) private pure returns (uint256) {
        unchecked {
            uint256 fee = found.leg.kind == KIND_ALGEBRA ? 0 : found.feePips;
            return fee < 1e6 ? amountIn * (1e6 - fee) / 1e6 + 1 : 1;
        }
    }

    function _boundByTicks(Found memory found, uint256 paid) private view returns (uint256 bound) {
        unchecked {
            Reach memory reach = found.reach;
            bool down = _isZeroForOne(found.leg);
            if (paid <= reach.taken) {
                bound = _maxOutput(down, found.price, found.edge, found.liquidity, paid);
                return bound < reach.sent ? bound : reach.sent;
            }
            uint256 price = reach.price == 0 ? found.price : reach.price;
            bound = _maxOutput(down, price, reach.edge, reach.liquidity, paid - reach.taken);
            return bound + reach.sent < bound ? type(uint256).max : bound + reach.sent;
        }
    }

    /// Whether the reported fee and ticks apply to every swap.
    function _hasSteadyFee(Leg memory leg) internal pure returns (bool) {
        return isConcentrated(leg.kind) && leg.kind != KIND_ALGEBRA && leg.hooks == address(0);
    }

    /// Whether the ticks read so far absorb 1/32 of an amount. Also true for pairs, for pools whose ticks cannot be
    /// read, and for Algebra once its balance was read.
    function _ticksAbsorbPart(Found memory found, uint256 amountIn) internal view returns (bool) {
        unchecked {
            if (!_hasSteadyFee(found.leg)) return found.leg.kind != KIND_ALGEBRA || found.held != 0;
            return found.reach.ended == 2 || _takenToEdge(found) >= _paidTo(found, amountIn) / 32;
        }
    }

    function _ticksAbsorbAll(Found memory found, uint256 amountIn) internal view returns (bool) {
        return _takenToEdge(found) >= _paidTo(found, amountIn);
    }

    /// Lower bound of the input, without the fee, that the pool absorbs up to the last tick read; 0 = none read.
    function _takenToEdge(Found memory found) private view returns (uint256 taken) {
        unchecked {
            Reach memory reach = found.reach;
            if (reach.edge == 0) return 0;
            (taken,) = _between(_isZeroForOne(found.leg), reach.price, reach.edge, reach.liquidity);
            taken += reach.taken;
        }
    }

    /// Upper bound of the output that the pool pays up to the last tick read; 0 = none read.
    function _sentToEdge(Found memory found) internal view returns (uint256 sent) {
        unchecked {
            Reach memory reach = found.reach;
            if (reach.edge == 0) return 0;
            (, sent) = _between(_isZeroForOne(found.leg), reach.price, reach.edge, reach.liquidity);
            sent += reach.sent;
        }
    }

    /// Upper bound of the output for `paid` with constant liquidity up to the price `edge`, and unlimited liquidity
    /// there.
    function _maxOutput(bool down, uint256 price, uint256 edge, uint256 liquidity, uint256 paid)
        private
        pure
        returns (uint256)
    {
        return down ? _maxOutputDown(price, edge, liquidity, paid) : _maxOutputUp(price, edge, liquidity, paid);
    }

    /// Selling currency 0. Without an edge (0) all is paid at the current price.
    function _maxOutputDown(uint256 price, uint256 edge, uint256 liquidity, uint256 paid) private pure returns (uint256) {
        unchecked {
            if (edge == 0) return _timesPrice(_timesPrice(paid, price), price);
            uint256 toEdge = _subtractOrZero((liquidity << 96) / edge, (liquidity << 96) / price + 1);
            if (paid > toEdge) {
                uint256 rest = _timesPrice(_timesPrice(paid - toEdge, edge), edge);
                return rest == type(uint256).max ? rest : rest + _timesPrice(_timesPrice(toEdge, price), edge);
            }
            // price' = price * L / (L + paid * price)
            uint256 whole = liquidity + _subtractOrZero(_timesPrice(paid, price), 1);
            uint256 shift;
            while (whole >> shift > type(uint96).max) shift++;
            uint256 reached = price * ((liquidity >> shift) + 1) / (whole >> shift) + 1;
            return _timesPrice(_timesPrice(paid, price), reached < price ? reached : price);
        }
    }

    /// Selling currency 1.
    function _maxOutputUp(uint256 price, uint256 edge, uint256 liquidity, uint256 paid) private pure returns (uint256) {
        unchecked {
            if (edge == 0) return _perPrice(_perPrice(paid, price), price);
            uint256 toEdge = _subtractOrZero(_timesPrice(liquidity, edge - price), 2);
            if (paid > toEdge) {
                uint256 rest = _perPrice(_perPrice(paid - toEdge, edge), edge);
                return rest == type(uint256).max ? rest : rest + _perPrice(_perPrice(toEdge, price), edge);
            }
            // price' = price + paid / L
            uint256 reached = price + (paid << 96) / liquidity;
            return _perPrice(_perPrice(paid, price), reached > MAX_SQRT ? MAX_SQRT : reached);
        }
    }

    /// Upper bound of the value of `amount` of tokenIn in tokenOut at a square-root price.
    function _valueAt(Leg memory leg, uint256 amount, uint256 price) internal view returns (uint256) {
        return _isZeroForOne(leg)
            ? _timesPrice(_timesPrice(amount, price), price)
            : _perPrice(_perPrice(amount, price), price);
    }

    /// x * 2^96 / price, rounded up.
    function _perPrice(uint256 x, uint256 price) private pure returns (uint256) {
        return x > type(uint160).max ? type(uint256).max : (x << 96) / price + 1;
    }
}
