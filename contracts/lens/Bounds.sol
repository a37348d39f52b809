// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Discovery.sol";

/// Nothing here may fail for any state: an overflow affects only the pool that reported a wrong value.
/// An upper bound of a pool's output, computed from its state without a swap. A swap moves the price against its sender,
/// so no fill beats the price before it. A pool with a wrong state is not filled, or its fill fails.
abstract contract Bounds is Discovery {
    /// @return bound most that `amountIn` can fetch; the largest number where nothing is known
    function _boundOf(Found memory found, uint256 amountIn) internal view returns (uint256 bound) {
        unchecked {
            Leg memory leg = found.leg;
            bound = type(uint256).max;
            // A hook may pay more than the price; an unknown curve may pay anything.
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

    /// What reaches the liquidity of `amountIn`. Algebra's fee may change within the swap, and counts as nothing here.
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
                bound = _most(down, found.price, found.edge, found.liquidity, paid);
                return bound < reach.sent ? bound : reach.sent;
            }
            uint256 price = reach.price == 0 ? found.price : reach.price;
            bound = _most(down, price, reach.edge, reach.liquidity, paid - reach.taken);
            return bound + reach.sent < bound ? type(uint256).max : bound + reach.sent;
        }
    }

    /// The fee and the liquidity that a pool shows are those that a swap meets.
    function _hasSteadyFee(Leg memory leg) internal pure returns (bool) {
        return isConcentrated(leg.kind) && leg.kind != KIND_ALGEBRA && leg.hooks == address(0);
    }

    /// Whether the ticks read so far take a thirty-second of an amount. Pairs and pools whose ticks cannot be read do.
    function _takesPart(Found memory found, uint256 amountIn) internal view returns (bool) {
        unchecked {
            if (!_hasSteadyFee(found.leg)) return found.leg.kind != KIND_ALGEBRA || found.held != 0;
            return found.reach.ended == 2 || _takenToEdge(found) >= _paidTo(found, amountIn) / 32;
        }
    }

    function _takesAll(Found memory found, uint256 amountIn) internal view returns (bool) {
        return _takenToEdge(found) >= _paidTo(found, amountIn);
    }

    /// What the pool takes at least, without the fee, up to the last tick that was read.
    function _takenToEdge(Found memory found) private view returns (uint256 taken) {
        unchecked {
            Reach memory reach = found.reach;
            if (reach.edge == 0) return 0;
            (taken,) = _between(_isZeroForOne(found.leg), reach.price, reach.edge, reach.liquidity);
            taken += reach.taken;
        }
    }

    /// What the pool pays at most up to the last tick that was read.
    function _sentToEdge(Found memory found) internal view returns (uint256 sent) {
        unchecked {
            Reach memory reach = found.reach;
            if (reach.edge == 0) return 0;
            (, sent) = _between(_isZeroForOne(found.leg), reach.price, reach.edge, reach.liquidity);
            sent += reach.sent;
        }
    }

    function _most(bool down, uint256 price, uint256 edge, uint256 liquidity, uint256 paid)
        private
        pure
        returns (uint256)
    {
        return down ? _mostDown(price, edge, liquidity, paid) : _mostUp(price, edge, liquidity, paid);
    }

    /// Selling currency 0: as far as the edge with the liquidity before it, and the rest at the edge's price.
    function _mostDown(uint256 price, uint256 edge, uint256 liquidity, uint256 paid) private pure returns (uint256) {
        unchecked {
            if (edge == 0) return _timesPrice(_timesPrice(paid, price), price);
            uint256 toEdge = _lessOrNone((liquidity << 96) / edge, (liquidity << 96) / price + 1);
            if (paid > toEdge) {
                uint256 rest = _timesPrice(_timesPrice(paid - toEdge, edge), edge);
                return rest == type(uint256).max ? rest : rest + _timesPrice(_timesPrice(toEdge, price), edge);
            }
            // price' = price * L / (L + paid * price)
            uint256 whole = liquidity + _lessOrNone(_timesPrice(paid, price), 1);
            uint256 shift;
            while (whole >> shift > type(uint96).max) shift++;
            uint256 reached = price * ((liquidity >> shift) + 1) / (whole >> shift) + 1;
            return _timesPrice(_timesPrice(paid, price), reached < price ? reached : price);
        }
    }

    /// Selling currency 1.
    function _mostUp(uint256 price, uint256 edge, uint256 liquidity, uint256 paid) private pure returns (uint256) {
        unchecked {
            if (edge == 0) return _perPrice(_perPrice(paid, price), price);
            uint256 toEdge = _lessOrNone(_timesPrice(liquidity, edge - price), 2);
            if (paid > toEdge) {
                uint256 rest = _perPrice(_perPrice(paid - toEdge, edge), edge);
                return rest == type(uint256).max ? rest : rest + _perPrice(_perPrice(toEdge, price), edge);
            }
            // price' = price + paid / L
            uint256 reached = price + (paid << 96) / liquidity;
            return _perPrice(_perPrice(paid, price), reached > MAX_SQRT ? MAX_SQRT : reached);
        }
    }

    /// What `amount` of tokenIn is worth at a price.
    function _timesOwnPrice(Leg memory leg, uint256 amount, uint256 price) internal view returns (uint256) {
        return _isZeroForOne(leg)
            ? _timesPrice(_timesPrice(amount, price), price)
            : _perPrice(_perPrice(amount, price), price);
    }

    /// What a price fall of 1 % would take and yield with the liquidity that is in range now.
    function _estimateBand(Found memory found) internal view returns (uint256 bandIn, uint256 bandOut) {
        unchecked {
            uint256 kind = found.leg.kind;
            if (kind == KIND_SELF_PRICED_PAIR) return (0, 0);
            if (!isConcentrated(kind)) {
                // The curve for stables stays flat until a side is nearly gone.
                uint256 part = kind != KIND_V2 && found.leg.fee == 1 ? 2 : 200;
                return (found.price / part, found.reserveOut / part);
            }
            uint256 of0 = (found.liquidity << 96) / found.price / 200;
            uint256 of1 = _timesPrice(found.liquidity, found.price) / 200;
            return _isZeroForOne(found.leg) ? (of0, of1) : (of1, of0);
        }
    }

    /// x * 2^96 / price, rounded up.
    function _perPrice(uint256 x, uint256 price) private pure returns (uint256) {
        return x > type(uint160).max ? type(uint256).max : (x << 96) / price + 1;
    }
}
