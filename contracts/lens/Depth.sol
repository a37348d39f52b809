// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Router.sol";

/// Measures the depth: the size up to which the price stays within 1 % of the quoted one.
abstract contract Depth is Router {
    uint256 private constant ONE = 1e18;
    /// Highest allowed cost of a unit of tokenOut: 1 / 0.99.
    uint256 private constant MAX_COST = 1010101010101010101;
    uint256 private constant MAX_PROBES = 8;
    /// Number of failed probes of other routes after which no other route is probed.
    uint256 private constant MAX_MISSES = 3;

    /// A size, and the cost of a unit of tokenOut there relative to the quote (1e18 = equal).
    struct Point {
        uint256 size;
        uint256 cost;
    }

    /// Searches for the largest size that a single route fills at 99 % of the winner's price. Also probes other routes
    /// whose bounds allow a larger size: a route with a higher fee may be deeper.
    /// @param twice the winner's output for twice the size; 0 = not fillable
    /// @return depth largest size found, in base units of tokenIn; a lower bound
    /// @return open whether the search ended without a size that fails, or because of the gas
    function _searchDepth(Book memory book, Ranking memory ranking, uint256 twice)
        internal
        returns (uint256 depth, bool open)
    {
        unchecked {
            uint256 size = ranking.amountIn;
            Point memory known = Point(size * 2, _costOf(ranking, size * 2, twice));
            (depth, open) = _searchAlong(book, ranking, ranking.list[0], known);
            // The pools with the highest bounds change with the size.
            uint256 misses;
            uint256 probed; // a bit for each last pool
            for (uint256 start; start < depth;) {
                start = depth;
                Ranking memory others = _otherRoutes(book, ranking, depth + depth / 32 + 1);
                for (uint256 i; i < others.length && misses < MAX_MISSES; i++) {
                    Candidate memory candidate = others.list[i];
                    known.size = depth + depth / 32 + 1;
                    if (_costOf(ranking, known.size, _expectedOutput(book, ranking, candidate, known.size)) > MAX_COST) continue;
                    // A route that failed at a size fails at every larger one. Its last pool identifies it.
                    uint256 bit = 1 << (candidate.legs == 2 ? candidate.second : candidate.first);
                    if (probed & bit != 0) continue;
                    probed |= bit;
                    known.cost = _probe(book, ranking, candidate, known.size);
                    if (known.cost > MAX_COST) {
                        misses++;
                        continue;
                    }
                    candidate.received = _expectedOutput(book, ranking, candidate, size);
                    (depth, open) = _searchAlong(book, ranking, candidate, known);
                }
            }
        }
    }

    /// With constant liquidity, the cost of a unit grows linearly with the size. Each probe gives the slope from which
    /// the next size is extrapolated, at which the cost is 1 % higher.
    function _searchAlong(Book memory book, Ranking memory ranking, Candidate memory candidate, Point memory known)
        private
        returns (uint256 depth, bool open)
    {
        unchecked {
            uint256 start = ranking.amountIn;
            uint256 atStart = ranking.list[0].received * ONE / candidate.received;
            depth = start;
            uint256 failed;
            for (uint256 i; i < MAX_PROBES; i++) {
                if (known.cost > MAX_COST) {
                    if (failed == 0 || known.size < failed) failed = known.size;
                } else if (known.size > depth) {
                    depth = known.size;
                    // Sufficient: within the last 3 % of the allowed cost.
                    if (known.cost >= ONE + (MAX_COST - ONE) * 97 / 100) return (depth, false);
                }
                if (failed != 0 && failed - depth <= depth / 32) return (depth, false);
                if (gasleft() < STOP_GAS || depth >> 112 != 0) return (depth, true);
                known.size = _nextSize(start, atStart, known, depth, failed, i == 0 ? _guess(book, candidate, start) : 0);
                known.cost = _probe(book, ranking, candidate, known.size);
            }
            return (depth, failed == 0);
        }
    }

    function _nextSize(
        uint256 start,
        uint256 atStart,
        Point memory known,
        uint256 depth,
        uint256 failed,
        uint256 guess
    ) private pure returns (uint256 next) {
        unchecked {
            uint256 reach = known.size - start;
            uint256 slope = known.cost > atStart ? known.cost - atStart : 0;
            uint256 left = MAX_COST > atStart ? MAX_COST - atStart : 0;
            if (known.cost == type(uint256).max) next = depth + (known.size - depth) / 4;
            // A slope from two close points is imprecise: use the estimate by the liquidity in range.
            else if (slope * 100 <= left && guess > known.size) next = guess;
            else next = slope * 64 <= left ? start + reach * 64 : start + reach * left / slope;
            // Slightly smaller, so that the probe passes, and in steps of 1/128 of the size, so that rounding has no
            // effect.
            if (next > start) next = start + (next - start) * 127 / start * start / 128;
            if (next <= depth) next = failed == 0 ? depth * 2 : depth + (failed - depth) / 4;
            if (failed != 0 && next >= failed) next = depth + (failed - depth) / 2;
            if (next <= depth) next = depth + 1;
        }
    }

    /// Estimates the depth from the liquidity in range: a sale that moves the price by 2 % has an average price 1 %
    /// worse.
    function _guess(Book memory book, Candidate memory candidate, uint256 start) private view returns (uint256) {
        unchecked {
            (uint256 bandIn,) = _estimateBand(book.pools[candidate.first]);
            return bandIn >> 112 != 0 ? 0 : start + start / 99 + bandIn * 2;
        }
    }

    /// Ranks other routes by their bounds for a size: each direct pool, and the best pools of each two-leg route. For a
    /// route without a known bound it assumes 0.5 % less than the winner's output.
    function _otherRoutes(Book memory book, Ranking memory ranking, uint256 amountIn)
        internal
        returns (Ranking memory others)
    {
        unchecked {
            others.list = new Candidate[](MAX_CANDIDATES);
            for (uint256 p; p < book.pairCount; p += p == 0 ? 1 : 2) {
                Pair memory one = book.pairs[p];
                uint256 maxOutput = _setBounds(book, one, amountIn);
                if (maxOutput == 0) continue;
                if (p > 0) {
                    _addTwoLegRoute(book, ranking, others, one, book.pairs[p + 1]);
                    continue;
                }
                for (uint256 first = one.first; first < one.end; first++) {
                    Found memory found = book.pools[first];
                    if (!_isUsable(found)) continue;
                    // A thin pool must not displace another one from the list.
                    if (!_absorbsPart(found, one.whole) && !_absorbsAfterRead(found, one, ranking)) found.thin = 1;
                    else _addRoute(book, ranking, others, Candidate(1, first, 0, 0, 0));
                }
            }
        }
    }

    /// Reads more ticks of a pool that was not filled, if its bound is near the winner's output.
    /// @return whether the pool then absorbs a part of the order
    function _absorbsAfterRead(Found memory found, Pair memory pair, Ranking memory ranking) private returns (bool) {
        unchecked {
            if (found.fill.used != 0) return false;
            bool near = found.bound >> 120 != 0
                || found.bound * ranking.amountIn >= ranking.list[0].received * pair.amountIn / 10 * 9;
            return near && _readMore(found, pair.amountIn, 0) && _absorbsPart(found, pair.whole);
        }
    }

    function _addRoute(Book memory book, Ranking memory ranking, Ranking memory others, Candidate memory candidate) private {
        Candidate memory winner = ranking.list[0];
        // Without a second leg, `second` is 0, and pool 0 is never the pool of a second leg.
        if (candidate.first == winner.first && candidate.second == winner.second) return;
        // A pool that was never filled has no price limit yet. One that was filled without a limit keeps none.
        for (uint256 i; i < candidate.legs; i++) {
            Found memory found = book.pools[i == 0 ? candidate.first : candidate.second];
            if (found.fill.used == 0) _setFloor(found);
        }
        candidate.received = _expectedOutput(book, ranking, candidate, book.pairs[book.pools[candidate.first].pair].amountIn);
        _insert(others, candidate);
    }

    function _addTwoLegRoute(Book memory book, Ranking memory ranking, Ranking memory others, Pair memory one, Pair memory two)
        private
    {
        uint256 first = _pickPool(book, one, true);
        if (first == 0 || _setBounds(book, two, book.pools[first - 1].bound) == 0) return;
        uint256 second = _pickPool(book, two, true);
        if (second != 0) _addRoute(book, ranking, others, Candidate(2, first - 1, second - 1, 0, 0));
    }

    /// Upper bound of a route's output, or the assumption of `_otherRoutes`.
    function _expectedOutput(Book memory book, Ranking memory ranking, Candidate memory candidate, uint256 amountIn)
        internal
        view
        returns (uint256 maxOutput)
    {
        unchecked {
            maxOutput = _boundOf(book.pools[candidate.first], amountIn);
            if (candidate.legs == 2) maxOutput = _boundOf(book.pools[candidate.second], maxOutput);
            if (maxOutput >> 120 != 0) maxOutput = ranking.list[0].received * 199 / 200 * amountIn / ranking.amountIn;
        }
    }

    /// Executes a route at a size. @return its cost, see `_costOf`; the maximum of uint256 if it does not fill
    function _probe(Book memory book, Ranking memory ranking, Candidate memory candidate, uint256 size)
        private
        returns (uint256)
    {
        if (size >> 120 != 0) return type(uint256).max;
        return _costOf(ranking, size, _outputIfFilled(_fillCandidate(book, ranking, candidate, size)));
    }

    /// @return the output of a fill of the whole size; 0 for any other fill
    function _outputIfFilled(Fill memory fill) internal pure returns (uint256) {
        return fill.status == FILLED ? fill.received : 0;
    }

    /// The cost of a unit of tokenOut for `got` at `size`, relative to the quote (1e18 = equal), rounded up.
    function _costOf(Ranking memory ranking, uint256 size, uint256 got) private pure returns (uint256) {
        unchecked {
            if (got >> 120 != 0) return type(uint256).max;
            uint256 paid = size;
            uint256 best = ranking.list[0].received;
            // 90 bits are precise enough. The rounding increases the cost.
            while (best > 1 << 90) (best, got) = ((best >> 1) + 1, got >> 1);
            uint256 quoted = ranking.amountIn;
            while (paid > 1 << 90) (paid, quoted) = ((paid >> 1) + 1, quoted >> 1);
            if (quoted == 0 || got == 0) return type(uint256).max;
            uint256 cost = paid * best;
            return (cost / quoted * ONE + cost % quoted * ONE / quoted) / got + 1;
        }
    }
}
