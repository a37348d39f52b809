// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FurtherFills.sol";

/// Fills the size at the pools of a pair, highest bound first, until no other pool's bound exceeds the best fills.
abstract contract Market is FurtherFills {
    /// Gas of the first fill of a pool, enough for about 20 ticks. A pool that needs more is filled again if its
    /// bound still exceeds the best fills.
    uint256 internal constant CHEAP_FILL_GAS = 600_000;
    /// Gas of the second fill. With a tick spacing of 1, the swap down to the floor (`_setFloor`) uses 1.4M.
    uint256 internal constant FILL_GAS = 2_200_000;
    /// Gas for reading ticks of all pools. When it is used up, further pools get `MIN_CROSSED` ticks each.
    uint256 private constant TICK_GAS = 700_000;
    /// Gas for reading ticks, including these minimum reads. When it is used up, no tick is read.
    uint256 private constant MAX_TICK_GAS = 3_000_000;
    /// Number of ticks to read of a pool before its status may become THIN instead of UNREAD.
    uint256 private constant MIN_CROSSED = 8;
    /// Maximum number of ticks read between two comparisons of the pools.
    uint256 private constant TICKS_PER_READ = 16;
    /// A pool whose bound is below 1/2000 (5 basis points) of the best fill counts as thin.
    uint256 private constant THIN_DIVISOR = 2_000;
    /// The pass that repeats the fills which ran out of `CHEAP_FILL_GAS`.
    uint256 private constant RETRY_PASS = 3;
    /// The number of routes that are always kept: the best one and one to compare it with.
    uint256 internal constant KEPT = 2;

    uint256 private transient _tickGasUsed;

    /// Computes the bound of each pool of a pair for `amountIn`. Fills of another size become OUTBID.
    /// @return highest the highest bound; 0 if no pool can be filled
    function _setBounds(Book memory book, Pair memory pair, uint256 amountIn) internal view returns (uint256 highest) {
        unchecked {
            bool isNewAmount = pair.amountIn != amountIn;
            pair.amountIn = amountIn;
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                uint256 status = found.fill.status;
                if (isNewAmount && (status == FILLED || status == PARTIAL)) book.setStatus(found, OUTBID);
                if (!_isUsable(found)) continue;
                // With more than `KEPT` pools, tighter bounds save fills.
                if (pair.end - pair.first > KEPT && found.edge == 0 && _hasSteadyFee(found.leg)) _beginReach(found);
                if (isNewAmount) found.bound = _boundOf(found, amountIn);
                uint256 bound = _capped(found);
                if (bound > highest) highest = bound;
            }
            if (isNewAmount) (pair.best, pair.bestReceived) = (0, 0);
        }
    }

    /// The bound; for a pool that is not concentrated, at most its reserve, because no curve pays more.
    function _capped(Found memory found) internal pure returns (uint256) {
        bool beyond = !isConcentrated(found.leg.kind) && found.bound > found.reserveOut;
        return beyond ? found.reserveOut : found.bound;
    }

    /// Fills one pool after the other, highest bound first, until `keep` fills exceed the bounds of all other pools.
    /// Reads the ticks of a pool with little liquidity near its price first, because anyone can open such a pool at the
    /// best price.
    /// @param others the best fills of other routes, which the fills of this pair must exceed
    /// @param last false if this pair is filled again later: retries and fills beyond the floor then wait
    function _fillBest(Book memory book, Pair memory pair, uint256 keep, uint256[KEPT] memory others, bool last)
        internal
    {
        unchecked {
            uint256[KEPT] memory top = [others[0], others[1]];
            (pair.best, pair.bestReceived) = (0, 0);
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                if (found.fill.status == FILLED) _rankFill(pair, top, i, found.fill.received);
                if (!_isOpen(found)) continue;
                if (_hasSteadyFee(found.leg) ? found.edge == 0 : found.leg.kind == KIND_ALGEBRA && found.held == 0) {
                    _readMore(found, pair.amountIn, 0);
                }
            }
            // Passes 0 and 1, until a pool has filled: pools that absorb the whole order before the last tick read,
            // then pools that absorb a part. Pass 2: all pools. Pass 3: retries of fills that ran out of gas.
            for (uint256 pass; pass <= (last ? RETRY_PASS : RETRY_PASS - 1);) {
                // A fill below half of the best one neither wins nor confirms it.
                uint256 least = top[keep - 1] > top[0] / 2 ? top[keep - 1] : top[0] / 2;
                if (pass == RETRY_PASS - 1 && top[0] == 0 && !last) break;
                uint256 next = _nextOpen(book, pair, least, pass, top[0]);
                if (next == 0) {
                    pass++;
                    continue;
                }
                Found memory found = book.pools[next - 1];
                if (_decide(book, pair, found, least, pass, top[0])) _rankFill(pair, top, next - 1, found.fill.received);
            }
            if (!last) return;
            _markOutbid(book, pair, top[0]);
            _fillBeyondLimit(book, pair, top[0]);
        }
    }

    /// @param best output that a thin pool must exceed to have more of its ticks read
    /// @return next index + 1 of the pool with the highest bound in this pass; 0 if none exceeds `least`
    function _nextOpen(Book memory book, Pair memory pair, uint256 least, uint256 pass, uint256 best)
        private
        view
        returns (uint256 next)
    {
        unchecked {
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory other = book.pools[i];
                if (!_isOpen(other) || _capped(other) <= least || (pass == RETRY_PASS) != (other.cut == 1)) continue;
                uint256 part = pass == 0 ? pair.amountIn * 32 : pair.amountIn;
                if (pass < 2 && best == 0 && !_ticksAbsorbPart(other, part)) continue;
                bool isRead = other.reach.crossed >= MIN_CROSSED && other.bound <= best;
                if (isRead && !_ticksAbsorbPart(other, pair.amountIn)) continue;
                (next, least) = (i + 1, _capped(other));
            }
        }
    }

    /// Lowers a pool's bound by reading more of its state, or fills it if there is nothing more to read.
    /// @return filled whether the pool filled the whole amount
    function _decide(
        Book memory book,
        Pair memory pair,
        Found memory found,
        uint256 least,
        uint256 pass,
        uint256 best
    ) private returns (bool filled) {
        unchecked {
            if ((best > 0 || pass > 1) && _readMore(found, pair.amountIn, least)) return false;
            if (best > 0 && !_mayWin(found, pair.amountIn, best)) {
                _markThin(book, found);
                return false;
            }
            uint256 gasCap = pass == RETRY_PASS ? FILL_GAS : CHEAP_FILL_GAS;
            if (pass == RETRY_PASS) found.cut = 0;
            Fill memory fill;
            fill.status = UNREAD;
            if (pass < RETRY_PASS || _walked <= MAX_WALKED) fill = _fillFound(found, pair.amountIn, gasCap);
            if (pass == RETRY_PASS) _walked += fill.gas;
            bool failed = fill.status == UNREAD || fill.status == REJECTED;
            if (failed && gasCap == CHEAP_FILL_GAS && fill.gas > CHEAP_FILL_GAS / 2) {
                found.cut = 1;
                return false;
            }
            book.setStatus(found, fill.status);
            found.fill = fill;
            return fill.status == FILLED;
        }
    }

    /// Whether the ticks read of a pool absorb an eighth of the order or pay a quarter of the best fill. Otherwise the
    /// pool could win only with nearly all of its liquidity beyond these ticks and at better prices than other pools.
    function _mayWin(Found memory found, uint256 amountIn, uint256 best) private view returns (bool) {
        return !_hasSteadyFee(found.leg) || _sentToEdge(found) >= best / 4 || _ticksAbsorbPart(found, amountIn / 8 * 32);
    }

    /// Reads more of a pool's state and updates its bound: first the next tick, then its balance, then further ticks
    /// until the bound does not exceed `least`.
    /// @return more false if nothing was read, because the amount needs no more or the gas is used up
    function _readMore(Found memory found, uint256 amountIn, uint256 least) internal returns (bool more) {
        unchecked {
            Reach memory reach = found.reach;
            uint256 before = gasleft();
            bool hasTicks = _hasSteadyFee(found.leg);
            if (hasTicks && found.edge == 0) {
                _beginReach(found);
            } else if (reach.ended == 1 || (hasTicks && _ticksAbsorbAll(found, amountIn))) {
                return false;
            } else if (isConcentrated(found.leg.kind) && found.leg.kind < KIND_V4 && found.held == 0) {
                (bool ok, uint256 held) = readBalance(found.leg.tokenOut, found.leg.pool);
                found.held = ok && held < type(uint256).max ? held + 1 : type(uint256).max;
            } else {
                if (!hasTicks || reach.ended != 0 || before < RESERVED_GAS + 500_000) return false;
                if (_tickGasUsed > (reach.crossed < MIN_CROSSED ? MAX_TICK_GAS : TICK_GAS)) return false;
                for (uint256 i; i < TICKS_PER_READ && reach.ended == 0 && !_ticksAbsorbAll(found, amountIn); i++) {
                    _cross(found);
                    if (_boundOf(found, amountIn) <= least) break;
                }
                _tickGasUsed += before - gasleft();
            }
            found.bound = _boundOf(found, amountIn);
            return true;
        }
    }

    /// Excludes a pool that absorbs too little within the ticks read.
    function _markThin(Book memory book, Found memory found) internal pure {
        found.thin = 1;
        if (found.fill.status != NOT_REQUESTED) return;
        bool known = found.reach.crossed >= MIN_CROSSED || found.reach.ended == 1;
        book.setStatus(found, known ? THIN : UNREAD);
    }

    function _isOpen(Found memory found) private pure returns (bool) {
        uint256 status = found.fill.status;
        return (status == NOT_REQUESTED || status == OUTBID || status == THIN) && found.thin == 0;
    }

    function _rankFill(Pair memory pair, uint256[KEPT] memory top, uint256 index, uint256 received) private pure {
        if (received > pair.bestReceived) (pair.bestReceived, pair.best) = (received, index + 1);
        rankIn(top, received);
    }

    /// Sets the status of pools that were not filled, because their bounds do not exceed the best fill.
    /// @param best the best fill; 0 = none
    function _markOutbid(Book memory book, Pair memory pair, uint256 best) internal pure {
        for (uint256 i = pair.first; i < pair.end; i++) {
            Found memory found = book.pools[i];
            if (found.fill.status == NOT_REQUESTED) book.setStatus(found, found.bound < best / THIN_DIVISOR ? THIN : OUTBID);
        }
    }

    function _fillFound(Found memory found, uint256 amountIn, uint256 gasCap) internal returns (Fill memory fill) {
        unchecked {
            if (gasleft() < RESERVED_GAS + gasCap + 100_000) {
                fill.status = UNREAD;
                return fill;
            }
            _setFloor(found);
            return _fillOne(found.leg, amountIn, ABANDON, gasCap);
        }
    }

    /// Limits the fill of a concentrated pool, because crossing an empty range costs gas for each bitmap word. The
    /// limit is 1/100 of the price, or 4/9 if no liquidity is in range.
    function _setFloor(Found memory found) internal view {
        (uint256 part, uint256 whole) = found.liquidity == 0 ? (2, 3) : (1, 10);
        if (isConcentrated(found.leg.kind)) found.leg.limit = _moved(found.leg, found.price, part, whole);
    }
}

/// Inserts a value into a list of the two largest, largest first.
function rankIn(uint256[2] memory top, uint256 value) pure {
    if (value > top[0]) (top[0], top[1]) = (value, top[0]);
    else if (value > top[1]) top[1] = value;
}
