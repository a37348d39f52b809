// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Bands.sol";

/// Fills beyond the price at which a first fill stops.
abstract contract FurtherFills is Bands {
    /// Gas of one walk beyond the floor: a tick spacing of 1 comes to a ten-millionth of the price.
    uint256 internal constant DEEP_FILL_GAS = 5_000_000;
    /// What second fills and walks may take before no further one starts: pools that burn gas cost none of the others'
    /// fills.
    uint256 internal constant MAX_WALKED = 5_000_000;

    /// The token that the question sells, and how frames that sell it end.
    address private transient _sold;
    uint256 internal transient _saleMode;
    uint256 internal transient _walked;

    /// The token that is sold may be of any kind and is paid with; the base assets in the middle are not.
    function _modeOf(Leg memory leg) internal view returns (uint256) {
        return leg.tokenIn == _sold ? _saleMode : ABANDON;
    }

    function _sell(address token, uint256 mode) internal {
        (_sold, _saleMode) = (token, mode);
    }

    /// A pool that stopped at the floor, found nothing near its price or ran out of gas may still fill the whole size
    /// further on: walked to the end when that could win. What cannot be walked for want of gas is unread.
    function _walkOn(Book memory book, Pair memory pair, uint256 best) internal {
        unchecked {
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                Fill memory short = found.fill;
                bool asked = short.status == PARTIAL || short.status == EMPTY || short.status == UNREAD;
                if (found.leg.limit == 0 || !asked) continue;
                // Beside what fills, a pool with nothing near its price is left alone: anyone can open one at any price.
                if (short.status == EMPTY && best > 0) continue;
                if (_mostFurtherOn(found, pair.amountIn) <= best) continue;
                uint256 before = gasleft();
                if (_walked > MAX_WALKED || before < RESERVED_GAS + DEEP_FILL_GAS + 200_000) {
                    book.setStatus(found, UNREAD);
                    continue;
                }
                found.leg.limit = 0;
                Fill memory deep = _fillOne(found.leg, pair.amountIn, _modeOf(found.leg), DEEP_FILL_GAS);
                _walked += before - gasleft();
                book.setStatus(found, deep.status);
                found.fill = deep;
                if (deep.status == FILLED && deep.received > pair.bestReceived) {
                    (pair.bestReceived, pair.best) = (deep.received, i + 1);
                    if (deep.received > best) best = deep.received;
                }
            }
        }
    }

    /// Behind its limit a unit buys less than the limit's price; and no pool of its own address pays more than it holds.
    function _mostFurtherOn(Found memory found, uint256 amountIn) private view returns (uint256 most) {
        unchecked {
            Fill memory short = found.fill;
            Leg memory leg = found.leg;
            most = found.bound;
            if (short.status != UNREAD && leg.hooks == address(0)) {
                most = _timesOwnPrice(leg, amountIn - short.used, leg.limit);
                most = most + short.received < most ? most : most + short.received;
            }
            if (leg.kind < KIND_V4) {
                (bool ok, uint256 holds) = readBalance(leg.tokenOut, leg.pool);
                if (ok && holds < most) most = holds;
            }
        }
    }
}
