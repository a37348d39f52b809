// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Bounds.sol";
import "./Filler.sol";

/// Measures the price band of pools: the amounts of a sale that moves the price by 1 %.
abstract contract Bands is Filler, Bounds {
    /// Gas limit of a swap that moves the price by 1 %, and of its retry after it ran out of gas.
    uint256 private constant CHEAP_BAND_GAS = 450_000;
    uint256 private constant BAND_GAS = 1_000_000;
    /// Maximum number of measurements per pass once a pool was measured. Before that, only gas limits them.
    uint256 private constant MAX_BANDS = 4;

    /// Measures the deepest pools of a token pair; the mid price of the deepest one is used. Estimates from the
    /// liquidity in range rank the pools. A swap that moves the price by 1 % measures them, because one thin tick can
    /// fake liquidity. The band of a pool with reserves is computed from them.
    function _measureDeepest(Book memory book, Pair memory pair) internal {
        unchecked {
            uint256 measured;
            // Pass 0: pools that filled the order. Pass 1: the others. Pass 2: pools whose first measurement ran out of
            // gas.
            for (uint256 pass; pass < 3; pass++) {
                for (uint256 tries; gasleft() > RESERVED_GAS / 2 && (measured == 0 || tries < MAX_BANDS); tries++) {
                    uint256 next = _nextBand(book, pair, measured, pass);
                    if (next == 0) break;
                    Found memory deepest = book.pools[next - 1];
                    _measureBand(deepest, pass == 2 ? BAND_GAS : CHEAP_BAND_GAS);
                    if (deepest.bandStatus == FILLED && deepest.bandOut > measured) measured = deepest.bandOut;
                }
            }
        }
    }

    /// @return next index + 1 of the pool of this pass with the highest estimate; 0 if none exceeds `least`. If `least`
    /// is 0, an estimate of 0 is sufficient.
    function _nextBand(Book memory book, Pair memory pair, uint256 least, uint256 pass) private view returns (uint256 next) {
        unchecked {
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                if (found.thin == 1 || !_hasPrice(found)) continue;
                if (pass == 2 ? found.bandCut != 1 : found.bandStatus != NOT_REQUESTED) continue;
                if (pass == 0 && found.fill.status != FILLED) continue;
                (, uint256 bandOut) = _estimateBand(found);
                if (bandOut > least || (next == 0 && least == 0)) (next, least) = (i + 1, bandOut);
            }
        }
    }

    /// A pool whose swap fails has no executable price.
    function _hasPrice(Found memory found) internal pure returns (bool) {
        return found.price != 0 && found.fill.status != UNREAD && found.fill.status != REJECTED;
    }

    /// Whether the pool can be part of a route.
    function _isUsable(Found memory found) internal pure returns (bool) {
        return found.thin == 0 && _hasPrice(found) && found.fill.status != EMPTY;
    }

    function _measureBand(Found memory found, uint256 gasCap) private {
        unchecked {
            Leg memory leg = found.leg;
            if (!isConcentrated(leg.kind)) {
                // A pool that reports a reserve above its balance has no valid band.
                (bool ok, uint256 holds) = readBalance(leg.tokenOut, leg.pool);
                found.bandStatus = ok && holds >= found.reserveOut ? FILLED : UNREAD;
                (found.bandIn, found.bandOut) = _estimateBand(found);
                return;
            }
            uint256 limit = leg.limit;
            leg.limit = _moved(leg, found.price, SQRT_ONE_PERCENT_LOWER, 1e15);
            Fill memory fill = _fillOne(leg, uint256(uint128(type(int128).max)) >> 1, TO_LIMIT, gasCap);
            leg.limit = limit;
            found.bandStatus = fill.status;
            found.bandCut = fill.status == UNREAD ? found.bandCut + 1 : 0;
            (found.bandIn, found.bandOut) = (fill.used, fill.received);
            // The amounts must be consistent with the reported price.
            uint256 bound = _boundOf(found, fill.used);
            if (leg.hooks == address(0) && (fill.received > bound || fill.received < bound / 2)) found.bandStatus = REJECTED;
        }
    }

    function _wrapped() internal view override returns (address) {
        return _native();
    }
}
