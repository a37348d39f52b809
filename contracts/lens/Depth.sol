// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Router.sol";

/// Measures around the winner how much more the market takes.
abstract contract Depth is Router {
    uint256 private constant ONE = 1e18;
    /// 1 / 0.99: how much dearer a unit of tokenOut may get.
    uint256 private constant DEAREST = 1010101010101010101;
    uint256 private constant MAX_PROBES = 8;
    /// How many routes may fill less than they promise before no other route is probed for depth.
    uint256 private constant MAX_MISSES = 3;

    /// A size, and what a unit of tokenOut costs there beside what it costs in the quote (1e18 = the same).
    struct Point {
        uint256 size;
        uint256 cost;
    }

    /// The largest size found that one route still fills at 99 % of the winner's price: a lower bound. A route that
    /// loses by its fee at this size may be the deepest, so every route whose state could take more is probed.
    /// @param twice what the winner pays for twice the size; 0 = not fillable
    /// @return depth in base units of tokenIn
    /// @return open the search ended while sizes still passed, or for want of gas
    function _searchDepth(Book memory book, Ranking memory ranking, uint256 twice)
        internal
        returns (uint256 depth, bool open)
    {
        unchecked {
            uint256 size = ranking.amountIn;
            Point memory known = Point(size * 2, _costOf(ranking, size * 2, twice));
            (depth, open) = _searchAlong(book, ranking, ranking.list[0], known);
            // Which pools of a chain promise most changes with the size.
            uint256 misses;
            uint256 asked;
            for (uint256 start; start < depth;) {
                start = depth;
                Ranking memory rivals = _rivals(book, ranking, depth + depth / 32 + 1);
                for (uint256 i; i < rivals.length && misses < MAX_MISSES; i++) {
                    Candidate memory candidate = rivals.list[i];
                    known.size = depth + depth / 32 + 1;
                    if (_costOf(ranking, known.size, _promiseOf(book, ranking, candidate, known.size)) > DEAREST) continue;
                    // A route that did not take a size takes no larger one. Its last pool identifies it.
                    uint256 bit = 1 << (candidate.legs == 2 ? candidate.second : candidate.first);
                    if (asked & bit != 0) continue;
                    asked |= bit;
                    known.cost = _probe(book, ranking, candidate, known.size);
                    if (known.cost > DEAREST) {
                        misses++;
                        continue;
                    }
                    candidate.received = _promiseOf(book, ranking, candidate, size);
                    (depth, open) = _searchAlong(book, ranking, candidate, known);
                }
            }
        }
    }

    /// While liquidity stays the same, what a unit costs grows in a straight line with the size. Each probe gives the
    /// line that the next one follows to the size where a unit costs 1 % more.
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
                if (known.cost > DEAREST) {
                    if (failed == 0 || known.size < failed) failed = known.size;
                } else if (known.size > depth) {
                    depth = known.size;
                    // Near enough: within the last 3 % of the limit.
                    if (known.cost >= ONE + (DEAREST - ONE) * 97 / 100) return (depth, false);
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
            uint256 left = DEAREST > atStart ? DEAREST - atStart : 0;
            if (known.cost == type(uint256).max) next = depth + (known.size - depth) / 4;
            // A line through two close points is imprecise: the liquidity in range is better.
            else if (slope * 100 <= left && guess > known.size) next = guess;
            else next = slope * 64 <= left ? start + reach * 64 : start + reach * left / slope;
            // A little less, so that the probe passes, and in steps of the size, so that rounding does not move it.
            if (next > start) next = start + (next - start) * 127 / start * start / 128;
            if (next <= depth) next = failed == 0 ? depth * 2 : depth + (failed - depth) / 4;
            if (failed != 0 && next >= failed) next = depth + (failed - depth) / 2;
            if (next <= depth) next = depth + 1;
        }
    }

    /// Estimated from the liquidity in range: if the price falls by 2 % during a sale, its average is 1 % worse.
    function _guess(Book memory book, Candidate memory candidate, uint256 start) private view returns (uint256) {
        unchecked {
            (uint256 bandIn,) = _estimateBand(book.pools[candidate.first]);
            return bandIn >> 112 != 0 ? 0 : start + start / 99 + bandIn * 2;
        }
    }

    /// The routes that promise most for a size, each chain of pairs and each direct pool once. A route of unknown state
    /// promises half a percent less than the winner pays.
    function _rivals(Book memory book, Ranking memory ranking, uint256 amountIn)
        internal
        returns (Ranking memory rivals)
    {
        unchecked {
            rivals.list = new Candidate[](MAX_CANDIDATES);
            for (uint256 p; p < book.pairCount; p += p == 0 ? 1 : 2) {
                Pair memory one = book.pairs[p];
                uint256 most = _bind(book, one, amountIn);
                if (most == 0) continue;
                if (p > 0) {
                    _offerChain(book, ranking, rivals, one, book.pairs[p + 1]);
                    continue;
                }
                for (uint256 first = one.first; first < one.end; first++) {
                    Found memory found = book.pools[first];
                    if (!_isUsable(found)) continue;
                    // A pool that takes next to nothing of the order must not take the place of one that does.
                    if (!_isPart(found, one.whole) && !_turnsOutPart(found, one, ranking)) found.thin = 1;
                    else _offer(book, ranking, rivals, Candidate(1, first, 0, 0, 0));
                }
            }
        }
    }

    /// Reads on at a pool that was not swapped through, if its price is near the winner's.
    function _turnsOutPart(Found memory found, Pair memory pair, Ranking memory ranking) private returns (bool) {
        unchecked {
            if (found.fill.used != 0) return false;
            bool near = found.bound >> 120 != 0
                || found.bound * ranking.amountIn >= ranking.list[0].received * pair.amountIn / 10 * 9;
            return near && _readOn(found, pair.amountIn, 0) && _isPart(found, pair.whole);
        }
    }

    function _offer(Book memory book, Ranking memory ranking, Ranking memory rivals, Candidate memory candidate) private {
        Candidate memory winner = ranking.list[0];
        // No second leg is 0: that is a pool of the direct pair, or of a first leg.
        if (candidate.first == winner.first && candidate.second == winner.second) return;
        // One that was never swapped through has no floor yet; one that was walked to its end shall go there again.
        for (uint256 i; i < candidate.legs; i++) {
            Found memory found = book.pools[i == 0 ? candidate.first : candidate.second];
            if (found.fill.used == 0) _floor(found);
        }
        candidate.received = _promiseOf(book, ranking, candidate, book.pairs[book.pools[candidate.first].pair].amountIn);
        _insert(rivals, candidate);
    }

    function _offerChain(Book memory book, Ranking memory ranking, Ranking memory rivals, Pair memory one, Pair memory two)
        private
    {
        uint256 first = _settle(book, one, true);
        if (first == 0 || _bind(book, two, book.pools[first - 1].bound) == 0) return;
        uint256 second = _settle(book, two, true);
        if (second != 0) _offer(book, ranking, rivals, Candidate(2, first - 1, second - 1, 0, 0));
    }

    function _promiseOf(Book memory book, Ranking memory ranking, Candidate memory candidate, uint256 amountIn)
        internal
        view
        returns (uint256 most)
    {
        unchecked {
            most = _boundOf(book.pools[candidate.first], amountIn);
            if (candidate.legs == 2) most = _boundOf(book.pools[candidate.second], most);
            if (most >> 120 != 0) most = ranking.list[0].received * 199 / 200 * amountIn / ranking.amountIn;
        }
    }

    function _probe(Book memory book, Ranking memory ranking, Candidate memory candidate, uint256 size)
        private
        returns (uint256)
    {
        if (size >> 120 != 0) return type(uint256).max;
        return _costOf(ranking, size, _wholeOf(_fillCandidate(book, ranking, candidate, size)));
    }

    /// @return received by a fill of the whole size; 0 for any other
    function _wholeOf(Fill memory fill) internal pure returns (uint256) {
        return fill.status == FILLED ? fill.received : 0;
    }

    /// Rounded up: never cheaper than it is.
    function _costOf(Ranking memory ranking, uint256 size, uint256 got) private pure returns (uint256) {
        unchecked {
            if (got >> 120 != 0) return type(uint256).max;
            uint256 paid = size;
            uint256 best = ranking.list[0].received;
            // 90 bits of each are plenty; what is cut makes the fill look dearer.
            while (best > 1 << 90) (best, got) = ((best >> 1) + 1, got >> 1);
            uint256 asked = ranking.amountIn;
            while (paid > 1 << 90) (paid, asked) = ((paid >> 1) + 1, asked >> 1);
            if (asked == 0 || got == 0) return type(uint256).max;
            uint256 dear = paid * best;
            return (dear / asked * ONE + dear % asked * ONE / asked) / got + 1;
        }
    }
}
