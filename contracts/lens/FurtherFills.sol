// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Bounds.sol";
import "./Filler.sol";

/// Fills pools beyond the price limit of their first fill.
abstract contract FurtherFills is Filler, Bounds {
    /// Gas of one fill beyond the price limit. With a tick spacing of 1 it reaches a ten-millionth of the price.
    uint256 internal constant DEEP_FILL_GAS = 5_000_000;
    /// Gas of retries and fills beyond the price limit after which no further one starts, so that pools that burn gas do not
    /// prevent the fills of others.
    uint256 internal constant MAX_WALKED = 5_000_000;

    /// Gas used by retries and fills beyond the price limit.
    uint256 internal transient _walked;

    /// Whether the pool can be filled. A pool whose swap failed has no executable price.
    function _isUsable(Found memory found) internal pure returns (bool) {
        uint256 status = found.fill.status;
        return found.thin == 0 && found.price != 0 && status != UNREAD && status != REJECTED && status != EMPTY;
    }

    function _wrapped() internal view override returns (address) {
        return _native();
    }

    /// Fills pools without a price limit if they stopped at it, found no liquidity near their price or ran out
    /// of gas, and their bound exceeds the best fill. A pool for which no gas is left becomes UNREAD.
    function _fillBeyondLimit(Book memory book, Pair memory pair, uint256 best) internal {
        unchecked {
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                Fill memory short = found.fill;
                bool incomplete = short.status == PARTIAL || short.status == EMPTY || short.status == UNREAD;
                if (found.leg.limit == 0 || !incomplete) continue;
                // If another pool fills, skip a pool without liquidity near its price: anyone can open one at any
                // price.
                if (short.status == EMPTY && best > 0) continue;
                if (_boundBeyondLimit(found, pair.amountIn) <= best) continue;
                uint256 before = gasleft();
                if (_walked > MAX_WALKED || before < RESERVED_GAS + DEEP_FILL_GAS + 200_000) {
                    book.setStatus(found, UNREAD);
                    continue;
                }
                found.leg.limit = 0;
                Fill memory deep = _fillOne(found.leg, pair.amountIn, ABANDON, DEEP_FILL_GAS);
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

    /// Upper bound of the output without the price limit. Beyond the limit the price is worse than the limit's, and a
    /// pool that is a contract of its own pays at most its balance.
    function _boundBeyondLimit(Found memory found, uint256 amountIn) private view returns (uint256 bound) {
        unchecked {
            Fill memory short = found.fill;
            Leg memory leg = found.leg;
            bound = found.bound;
            if (short.status != UNREAD && leg.hooks == address(0)) {
                bound = _valueAt(leg, amountIn - short.used, leg.limit);
                bound = bound + short.received < bound ? bound : bound + short.received;
            }
            if (leg.kind < KIND_V4) {
                (bool ok, uint256 holds) = readBalance(leg.tokenOut, leg.pool);
                if (ok && holds < bound) bound = holds;
            }
        }
    }
}
