// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Bounds.sol";
import "./Filler.sol";

/// Fills the asked size at the pools that could win, best promise first, and leaves those that cannot.
abstract contract Market is Filler, Bounds {
    /// Gas of one fill. A tick spacing of 1 takes 1.4M down to the floor.
    uint256 internal constant FILL_GAS = 2_200_000;
    /// Gas of one walk beyond the floor: a tick spacing of 1 comes to a ten-millionth of the price.
    uint256 internal constant DEEP_FILL_GAS = 5_000_000;
    /// What all such walks may take before no further one is begun: pools that burn gas cost none of the others' fills.
    uint256 private constant MAX_WALKED = 5_000_000;
    /// How many ways are wanted for sure: the winner, and one that confirms it or not.
    uint256 internal constant KEPT = 2;

    /// The token that the question sells, and how frames that sell it end.
    address private transient _sold;
    uint256 internal transient _saleMode;
    uint256 private transient _walked;

    /// The token that is sold may be of any kind and is paid with; the base assets in the middle are not.
    function _modeOf(Leg memory leg) internal view returns (uint256) {
        return leg.tokenIn == _sold ? _saleMode : ABANDON;
    }

    function _sell(address token, uint256 mode) internal {
        (_sold, _saleMode) = (token, mode);
    }

    /// Works out what each pool of a pair can fetch at most for `amountIn`. Fills of another size count no more.
    /// @return most the best promise; 0 when there is nothing to fill
    function _bind(Book memory book, Pair memory pair, uint256 amountIn) internal view returns (uint256 most) {
        unchecked {
            bool again = pair.amountIn != amountIn;
            pair.amountIn = amountIn;
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                uint256 status = found.fill.status;
                if (again && (status == FILLED || status == PARTIAL)) book.setStatus(found, OUTBID);
                if (!_isUsable(found)) continue;
                // With more pools than are wanted it pays to know better which of them can win.
                if (pair.end - pair.first > KEPT && found.edge == 0 && _hasSteadyFee(found.leg)) {
                    _readEdge(found, !_isUp(found.leg));
                }
                if (again) found.bound = _boundOf(found, amountIn);
                if (found.bound > most) most = found.bound;
            }
            if (again) (pair.best, pair.bestReceived) = (0, 0);
        }
    }

    /// Fills at one pool after the other, best promise first, until `keep` fills beat what any other pool could fetch.
    function _fillBest(Book memory book, Pair memory pair, uint256 keep) internal {
        unchecked {
            uint256[KEPT] memory top;
            (pair.best, pair.bestReceived) = (0, 0);
            for (uint256 i = pair.first; i < pair.end; i++) {
                if (book.pools[i].fill.status == FILLED) _keep(pair, top, i, book.pools[i].fill.received);
            }
            while (true) {
                uint256 next;
                uint256 most;
                for (uint256 i = pair.first; i < pair.end; i++) {
                    Found memory other = book.pools[i];
                    if (_isOpen(other) && other.bound > most) (next, most) = (i, other.bound);
                }
                if (most <= top[keep - 1]) break;
                Found memory found = book.pools[next];
                Fill memory fill = _fillFound(found, pair.amountIn);
                book.setStatus(found, fill.status);
                found.fill = fill;
                if (fill.status == FILLED) _keep(pair, top, next, fill.received);
            }
            _outbid(book, pair);
            _walkOn(book, pair);
        }
    }

    function _isOpen(Found memory found) private pure returns (bool) {
        return found.fill.status == NOT_ASKED || found.fill.status == OUTBID;
    }

    function _keep(Pair memory pair, uint256[KEPT] memory top, uint256 index, uint256 received) private pure {
        if (received > pair.bestReceived) (pair.bestReceived, pair.best) = (received, index + 1);
        rankIn(top, received);
    }

    /// Whatever was not filled could not have won.
    function _outbid(Book memory book, Pair memory pair) internal pure {
        for (uint256 i = pair.first; i < pair.end; i++) {
            Found memory found = book.pools[i];
            if (found.fill.status == NOT_ASKED) book.setStatus(found, OUTBID);
        }
    }

    function _fillFound(Found memory found, uint256 amountIn) internal returns (Fill memory fill) {
        unchecked {
            if (gasleft() < RESERVED_GAS + FILL_GAS + 100_000) {
                fill.status = UNREAD;
                return fill;
            }
            _floor(found);
            return _fillOne(found.leg, amountIn, _modeOf(found.leg), FILL_GAS);
        }
    }

    /// Walking an empty range costs gas by the tick word: down to a hundredth of the price, where nothing is in range only
    /// to four ninths of it.
    function _floor(Found memory found) internal view {
        (uint256 part, uint256 whole) = found.liquidity == 0 ? (2, 3) : (1, 10);
        if (isConcentrated(found.leg.kind)) found.leg.limit = _moved(found.leg, found.price, part, whole);
    }

    /// A pool that stopped at the floor, found nothing near its price or ran out of gas may still fill the whole size
    /// further on: walked to the end when that could win. What cannot be walked for want of gas is unread.
    function _walkOn(Book memory book, Pair memory pair) private {
        unchecked {
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                Fill memory short = found.fill;
                bool asked = short.status == PARTIAL || short.status == EMPTY || short.status == UNREAD;
                if (found.leg.limit == 0 || !asked) continue;
                // Beside what fills, a pool with nothing near its price is left alone: anyone can open one at any price.
                if (short.status == EMPTY && pair.bestReceived > 0) continue;
                if (_mostFurtherOn(found, pair.amountIn) <= pair.bestReceived) continue;
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

    /// The deepest pool of a pair is the one whose mid counts. What lies in range names the candidates; a swap down to a
    /// price 1 % lower shows whether it is really there, so that one thin tick cannot pretend. Pairs are worked out from
    /// their reserves by the reader.
    function _measureDeepest(Book memory book, Pair memory pair) internal {
        uint256 measured;
        while (gasleft() > RESERVED_GAS / 2) {
            Found memory deepest;
            uint256 promised;
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                if (found.bandStatus != NOT_ASKED || !_hasPrice(found)) continue;
                (, uint256 bandOut) = _estimateBand(found);
                if (bandOut >= promised) (deepest, promised) = (found, bandOut);
            }
            if (deepest.price == 0 || (promised <= measured && measured > 0)) return;
            _measureBand(deepest);
            if (deepest.bandStatus == FILLED && deepest.bandOut > measured) measured = deepest.bandOut;
        }
    }

    /// A pool whose swap fails has no price that anybody could get.
    function _hasPrice(Found memory found) internal pure returns (bool) {
        return found.price != 0 && found.fill.status != UNREAD && found.fill.status != REJECTED;
    }

    /// A pair without such a pool promises nothing.
    function _isUsable(Found memory found) internal pure returns (bool) {
        return _hasPrice(found) && found.fill.status != EMPTY;
    }

    function _measureBand(Found memory found) private {
        unchecked {
            Leg memory leg = found.leg;
            if (!isConcentrated(leg.kind)) {
                // A pair that says more than it holds has told nothing.
                (bool ok, uint256 holds) = readBalance(leg.tokenOut, leg.pool);
                found.bandStatus = ok && holds >= found.reserveOut ? FILLED : UNREAD;
                (found.bandIn, found.bandOut) = _estimateBand(found);
                return;
            }
            // sqrt(0.99) = 0.994987437106620
            uint256 limit = leg.limit;
            leg.limit = _moved(leg, found.price, 994987437106620, 1e15);
            Fill memory fill = _fillOne(leg, uint256(uint128(type(int128).max)) >> 1, TO_LIMIT, 1_000_000);
            leg.limit = limit;
            found.bandStatus = fill.status;
            (found.bandIn, found.bandOut) = (fill.used, fill.received);
            // What moved has to fit the price that is told.
            uint256 bound = _boundOf(found, fill.used);
            if (leg.hooks == address(0) && (fill.received > bound || fill.received < bound / 2)) found.bandStatus = REJECTED;
        }
    }

    /// The square-root price moved against the seller by part/whole.
    function _moved(Leg memory leg, uint256 price, uint256 part, uint256 whole) internal view returns (uint256) {
        unchecked {
            if (_isUp(leg)) {
                price = price * part / whole;
                return price <= MIN_SQRT ? MIN_SQRT + 1 : price;
            }
            price = price * whole / part;
            return price >= MAX_SQRT ? MAX_SQRT - 1 : price;
        }
    }

    function _wrapped() internal view override returns (address) {
        return _native();
    }
}

/// Puts a value into a list of the largest, best first.
function rankIn(uint256[2] memory top, uint256 value) pure {
    if (value > top[0]) (top[0], top[1]) = (value, top[0]);
    else if (value > top[1]) top[1] = value;
}
