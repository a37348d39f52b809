// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FurtherFills.sol";

/// Fills the asked size at the pools that could win, best promise first, and leaves those that cannot.
abstract contract Market is FurtherFills {
    /// Gas of the first fill at a pool: enough for some twenty ticks. A pool that needs more is filled again, if it can
    /// win.
    uint256 internal constant CHEAP_FILL_GAS = 600_000;
    /// Gas of the second one. A tick spacing of 1 takes 1.4M down to the floor.
    uint256 internal constant FILL_GAS = 2_200_000;
    /// What reading ticks may take in all before each further pool gets `LEAST_CROSSED` only.
    uint256 private constant MAX_READ = 700_000;
    /// And what it may take at most.
    uint256 private constant MOST_READ = 3_000_000;
    /// A pool that is thin over so many ticks from its price counts as thin when the gas for reading is used up.
    uint256 private constant LEAST_CROSSED = 8;
    /// Ticks that are read at once.
    uint256 private constant CROSSED_AT_ONCE = 16;
    /// A bound below this part of the best fill is too thin to matter: 5 basis points.
    uint256 private constant MATTERS = 2_000;
    uint256 private constant CUT_PASS = 3;
    /// The number of routes that are always kept: the best one and one to compare it with.
    uint256 internal constant KEPT = 2;

    uint256 private transient _ticksRead; // in gas

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
                if (pair.end - pair.first > KEPT && found.edge == 0 && _hasSteadyFee(found.leg)) _beginReach(found);
                if (again) found.bound = _boundOf(found, amountIn);
                uint256 bound = _capped(found);
                if (bound > most) most = bound;
            }
            if (again) (pair.best, pair.bestReceived) = (0, 0);
        }
    }

    /// No pair pays more than its reserve, whatever its curve is.
    function _capped(Found memory found) internal pure returns (uint256) {
        bool beyond = !isConcentrated(found.leg.kind) && found.bound > found.reserveOut;
        return beyond ? found.reserveOut : found.bound;
    }

    /// Fills at one pool after the other, best promise first, until `keep` fills beat what any other pool could fetch.
    /// A pool with next to nothing near its price is read tick by tick first: anyone can open one at the best price.
    /// @param others the best fills elsewhere, which those of this pair have to beat
    /// @param last false when this pair is looked at again later: what only time or gas decides stays open
    function _fillBest(Book memory book, Pair memory pair, uint256 keep, uint256[KEPT] memory others, bool last)
        internal
    {
        unchecked {
            uint256[KEPT] memory top = [others[0], others[1]];
            (pair.best, pair.bestReceived) = (0, 0);
            pair.whole = pair.amountIn;
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                if (found.fill.status == FILLED) _keep(pair, top, i, found.fill.received);
                if (!_isOpen(found)) continue;
                if (_hasSteadyFee(found.leg) ? found.edge == 0 : found.leg.kind == KIND_ALGEBRA && found.held == 0) {
                    _readOn(found, pair.amountIn, 0);
                }
            }
            // While nothing is filled: those that take the whole order before their next tick, those that take a part
            // of it, then all. Last those whose first fill ran out of gas.
            for (uint256 pass; pass <= (last ? CUT_PASS : CUT_PASS - 1);) {
                // What pays less than half of the best neither wins nor confirms it.
                uint256 least = top[keep - 1] > top[0] / 2 ? top[keep - 1] : top[0] / 2;
                if (pass == CUT_PASS - 1 && top[0] == 0 && !last) break;
                uint256 next = _nextOpen(book, pair, least, pass, top[0]);
                if (next == 0) {
                    pass++;
                    continue;
                }
                Found memory found = book.pools[next - 1];
                if (_decide(book, pair, found, least, pass, top[0])) _keep(pair, top, next - 1, found.fill.received);
            }
            if (!last) return;
            _outbid(book, pair, top[0]);
            _walkOn(book, pair, top[0]);
        }
    }

    /// @param best what a thin pool has to beat once its next ticks are read: as a runner-up it is worth no more of them
    /// @return next index + 1 of the pool whose bound is largest among those of one pass; 0 when none is above `least`
    function _nextOpen(Book memory book, Pair memory pair, uint256 least, uint256 pass, uint256 best)
        private
        view
        returns (uint256 next)
    {
        unchecked {
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory other = book.pools[i];
                if (!_isOpen(other) || _capped(other) <= least || (pass == CUT_PASS) != (other.cut == 1)) continue;
                uint256 part = pass == 0 ? pair.amountIn * 32 : pair.amountIn;
                if (pass < 2 && best == 0 && !_takesPart(other, part)) continue;
                bool isRead = other.reach.crossed >= LEAST_CROSSED && other.bound <= best;
                if (isRead && !_takesPart(other, pair.amountIn)) continue;
                (next, least) = (i + 1, _capped(other));
            }
        }
    }

    /// Works out a pool's bound closer, or fills it where nothing more is to be learnt without a swap.
    /// @return filled the pool took the whole amount
    function _decide(
        Book memory book,
        Pair memory pair,
        Found memory found,
        uint256 least,
        uint256 pass,
        uint256 best
    ) private returns (bool filled) {
        unchecked {
            if ((best > 0 || pass > 1) && _readOn(found, pair.amountIn, least)) return false;
            if (best > 0 && !_isWorthASwap(found, pair.amountIn, best)) {
                _leaveOut(book, found);
                return false;
            }
            uint256 gasCap = pass == CUT_PASS ? FILL_GAS : CHEAP_FILL_GAS;
            if (pass == CUT_PASS) found.cut = 0;
            Fill memory fill;
            fill.status = UNREAD;
            if (pass < CUT_PASS || _walked <= MAX_WALKED) fill = _fillFound(found, pair.amountIn, gasCap);
            if (pass == CUT_PASS) _walked += fill.gas;
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

    /// Whether a pool whose ticks were read as far as the gas went takes an eighth of the order up to there, or pays a
    /// quarter of the best fill. Otherwise nearly all of its liquidity would have to lie behind dust, at better prices
    /// than others'.
    function _isWorthASwap(Found memory found, uint256 amountIn, uint256 best) private view returns (bool) {
        return !_hasSteadyFee(found.leg) || _sentToEdge(found) >= best / 4 || _takesPart(found, amountIn / 8 * 32);
    }

    /// Learns more of what a pool can pay: its next tick, what it holds, then the ticks behind, until its bound is not
    /// above `least` any more.
    /// @return more false when nothing more is to be learnt for this amount
    function _readOn(Found memory found, uint256 amountIn, uint256 least) internal returns (bool more) {
        unchecked {
            Reach memory reach = found.reach;
            uint256 before = gasleft();
            bool hasTicks = _hasSteadyFee(found.leg);
            if (hasTicks && found.edge == 0) {
                _beginReach(found);
            } else if (reach.ended == 1 || (hasTicks && _takesAll(found, amountIn))) {
                return false;
            } else if (isConcentrated(found.leg.kind) && found.leg.kind < KIND_V4 && found.held == 0) {
                (bool ok, uint256 held) = readBalance(found.leg.tokenOut, found.leg.pool);
                found.held = ok && held < type(uint256).max ? held + 1 : type(uint256).max;
            } else {
                if (!hasTicks || reach.ended != 0 || before < RESERVED_GAS + 500_000) return false;
                if (_ticksRead > (reach.crossed < LEAST_CROSSED ? MOST_READ : MAX_READ)) return false;
                for (uint256 i; i < CROSSED_AT_ONCE && reach.ended == 0 && !_takesAll(found, amountIn); i++) {
                    _cross(found);
                    if (_boundOf(found, amountIn) <= least) break;
                }
                _ticksRead += before - gasleft();
            }
            found.bound = _boundOf(found, amountIn);
            return true;
        }
    }

    /// The best bound of a pair, once the pool that has it is known to take a part of the order: a pool with next to
    /// nothing near its price is read on, until its bound falls behind or nothing more is to be learnt.
    /// @param unknownLast pools of which nothing is known come last, not first
    /// @return next index + 1 of that pool; 0 where there is none
    function _settle(Book memory book, Pair memory pair, bool unknownLast)
        internal
        returns (uint256 next)
    {
        unchecked {
            while (true) {
                next = _mostPromising(book, pair, unknownLast);
                if (next == 0) return 0;
                Found memory found = book.pools[next - 1];
                // For a swap of the whole order an eighth is wanted, as long as more can be read.
                if (_isPart(found, unknownLast ? pair.whole : pair.whole * 4)) return next;
                if (found.fill.used == 0 && _readOn(found, pair.amountIn, 0)) continue;
                if (_isPart(found, pair.whole)) return next;
                _leaveOut(book, found);
            }
        }
    }

    /// Whether a pool takes a thirty-second of what reaches its pair: by its fill, or by its ticks near the price.
    function _isPart(Found memory found, uint256 whole) internal view returns (bool) {
        uint256 used = found.fill.used;
        return used != 0 ? used >= whole / 32 : _takesPart(found, whole);
    }

    /// A pool that takes next to nothing as far as it was read.
    function _leaveOut(Book memory book, Found memory found) internal pure {
        found.thin = 1;
        if (found.fill.status != NOT_ASKED) return;
        bool known = found.reach.crossed >= LEAST_CROSSED || found.reach.ended == 1;
        book.setStatus(found, known ? THIN : UNREAD);
    }

    function _mostPromising(Book memory book, Pair memory pair, bool unknownLast)
        private
        pure
        returns (uint256 next)
    {
        unchecked {
            uint256 most;
            for (uint256 i = pair.first; i < pair.end; i++) {
                Found memory found = book.pools[i];
                uint256 score = unknownLast && found.bound == type(uint256).max ? 0 : _capped(found);
                if (_isUsable(found) && (next == 0 || score > most)) (next, most) = (i + 1, score);
            }
        }
    }

    function _isOpen(Found memory found) private pure returns (bool) {
        uint256 status = found.fill.status;
        return (status == NOT_ASKED || status == OUTBID || status == THIN) && found.thin == 0;
    }

    function _keep(Pair memory pair, uint256[KEPT] memory top, uint256 index, uint256 received) private pure {
        if (received > pair.bestReceived) (pair.bestReceived, pair.best) = (received, index + 1);
        rankIn(top, received);
    }

    /// Whatever was not filled could not have won.
    /// @param best what did; 0 where nothing was filled
    function _outbid(Book memory book, Pair memory pair, uint256 best) internal pure {
        for (uint256 i = pair.first; i < pair.end; i++) {
            Found memory found = book.pools[i];
            if (found.fill.status == NOT_ASKED) book.setStatus(found, found.bound < best / MATTERS ? THIN : OUTBID);
        }
    }

    function _fillFound(Found memory found, uint256 amountIn, uint256 gasCap) internal returns (Fill memory fill) {
        unchecked {
            if (gasleft() < RESERVED_GAS + gasCap + 100_000) {
                fill.status = UNREAD;
                return fill;
            }
            _floor(found);
            return _fillOne(found.leg, amountIn, _modeOf(found.leg), gasCap);
        }
    }

    /// Walking an empty range costs gas by the tick word: down to a hundredth of the price, where nothing is in range only
    /// to four ninths of it.
    function _floor(Found memory found) internal view {
        (uint256 part, uint256 whole) = found.liquidity == 0 ? (2, 3) : (1, 10);
        if (isConcentrated(found.leg.kind)) found.leg.limit = _moved(found.leg, found.price, part, whole);
    }

}

/// Puts a value into a list of the largest, best first.
function rankIn(uint256[2] memory top, uint256 value) pure {
    if (value > top[0]) (top[0], top[1]) = (value, top[0]);
    else if (value > top[1]) top[1] = value;
}
