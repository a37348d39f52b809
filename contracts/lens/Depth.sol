// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Router.sol";

/// Measures around the winner: how much more the market takes, and whether dividing the order would pay more.
abstract contract Depth is Router {
    uint256 private constant STOP_GAS = 1_500_000 + FILL_GAS;
    uint256 private constant ONE = 1e18;
    /// 1 / 0.99: how much dearer a unit of tokenOut may get.
    uint256 private constant DEAREST = 1010101010101010101;
    uint256 private constant MAX_PROBES = 8;
    /// How many ways are looked at for depth and for a split.
    uint256 private constant WAYS = 3;

    /// A size, and what a unit of tokenOut costs there beside what it costs in the quote (1e18 = the same).
    struct Point {
        uint256 size;
        uint256 cost;
    }

    /// The largest size found that one of the best ways still fills at 99 % of the winner's price. Never above the truth.
    /// @param twice the winner's fill at twice the size
    /// @return depth in base units of tokenIn
    /// @return open the search ended while sizes still passed, or for want of gas
    function _searchDepth(Book memory book, Ranking memory ranking, Fill memory twice)
        internal
        returns (uint256 depth, bool open)
    {
        unchecked {
            uint256 size = ranking.amountIn;
            bool beyond = size > type(uint112).max || ranking.list[0].received > type(uint112).max;
            if (beyond || twice.status == UNREAD) return (size, true);
            Point memory known = Point(size * 2, _costOf(ranking, size * 2, twice));
            (depth, open) = _searchAlong(book, ranking, ranking.list[0], known);
            for (uint256 i = 1; i < WAYS && i < ranking.length; i++) {
                known.size = depth + depth / 32 + 1;
                if (_estimateCost(book, ranking, ranking.list[i], known.size) > DEAREST * 1003 / 1000) continue;
                known.cost = _probe(book, ranking, ranking.list[i], known.size);
                if (known.cost > DEAREST) continue;
                (depth, open) = _searchAlong(book, ranking, ranking.list[i], known);
            }
        }
    }

    /// While liquidity stays the same, what a unit costs grows in a straight line with the size. Each probe gives the
    /// line that the next one follows to the size where a unit costs 1 % more.
    function _searchAlong(Book memory book, Ranking memory ranking, Candidate memory way, Point memory known)
        private
        returns (uint256 depth, bool open)
    {
        unchecked {
            uint256 start = ranking.amountIn;
            uint256 atStart = ranking.list[0].received * ONE / way.received;
            depth = start;
            uint256 failed;
            for (uint256 i; i < MAX_PROBES; i++) {
                if (known.cost > DEAREST) {
                    if (failed == 0 || known.size < failed) failed = known.size;
                } else if (known.size > depth) {
                    depth = known.size;
                    // Near enough: the last 3 % of the way.
                    if (known.cost >= ONE + (DEAREST - ONE) * 97 / 100) return (depth, false);
                }
                if (failed != 0 && failed - depth <= depth / 32) return (depth, false);
                if (gasleft() < STOP_GAS || depth > type(uint112).max) return (depth, true);
                known.size = _nextSize(start, atStart, known, depth, failed, i == 0 ? _guess(book, way, start) : 0);
                known.cost = _probe(book, ranking, way, known.size);
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
            // A line through two points that are hardly apart says little: the liquidity in range says more.
            else if (slope * 100 <= left && guess > known.size) next = guess;
            else next = slope * 64 <= left ? start + reach * 64 : start + reach * left / slope;
            // A little less, so that the probe passes, and in steps of the size, so that rounding does not move it.
            if (next > start) next = start + (next - start) * 127 / start * start / 128;
            if (next <= depth) next = failed == 0 ? depth * 2 : depth + (failed - depth) / 4;
            if (failed != 0 && next >= failed) next = depth + (failed - depth) / 2;
            if (next <= depth) next = depth + 1;
        }
    }

    /// By the liquidity in range: a price that falls 2 % on the way is 1 % worse on average.
    function _guess(Book memory book, Candidate memory way, uint256 start) private view returns (uint256) {
        unchecked {
            (uint256 bandIn,) = _estimateBand(book.pools[way.first]);
            return bandIn > type(uint112).max ? 0 : start + start / 99 + bandIn * 2;
        }
    }

    /// What a unit would cost at another size if the liquidity stayed the same; what is too dear by a third of what may be is not probed.
    function _estimateCost(Book memory book, Ranking memory ranking, Candidate memory way, uint256 size)
        private
        view
        returns (uint256)
    {
        unchecked {
            (uint256 bandIn,) = _estimateBand(book.pools[way.first]);
            uint256 atStart = ranking.list[0].received * ONE / way.received;
            return bandIn == 0 ? atStart : atStart + (size - ranking.amountIn) * (ONE / 200) / bandIn;
        }
    }

    function _probe(Book memory book, Ranking memory ranking, Candidate memory way, uint256 size)
        private
        returns (uint256)
    {
        if (gasleft() < STOP_GAS || size > type(uint120).max) return type(uint256).max;
        return _costOf(ranking, size, _fillCandidate(book, way, size));
    }

    /// Rounded up: never cheaper than it is.
    function _costOf(Ranking memory ranking, uint256 size, Fill memory fill) private pure returns (uint256) {
        unchecked {
            if (fill.status != FILLED || fill.received > type(uint120).max) return type(uint256).max;
            uint256 paid = size;
            uint256 best = ranking.list[0].received;
            // 90 bits of each are plenty; what is cut makes the fill look dearer.
            uint256 got = fill.received;
            while (best > 1 << 90) (best, got) = ((best >> 1) + 1, got >> 1);
            uint256 asked = ranking.amountIn;
            while (paid > 1 << 90) (paid, asked) = ((paid >> 1) + 1, asked >> 1);
            if (asked == 0 || got == 0) return type(uint256).max;
            uint256 dear = paid * best;
            return (dear / asked * ONE + dear % asked * ONE / asked) / got + 1;
        }
    }

    /// What the best ways pay for a quarter, a half and three quarters, of which the reader works out what a split pays.
    /// Ways that lead in the ranking share no pool. What an order loses to its size is the most that a split could win;
    /// and what a quarter does not gain elsewhere a half does not either. The line through two sizes of each way tells
    /// which split is best; only its parts are measured. 0 = not asked, or not fillable.
    function _probeSplit(Book memory book, Ranking memory ranking, Fill memory twice)
        internal
        returns (uint256[3][] memory quarters)
    {
        unchecked {
            uint256 ways = ranking.length < WAYS ? ranking.length : WAYS;
            uint256 best = ranking.list[0].received;
            if (ways < 2 || ranking.amountIn < 4) return quarters;
            if (best > type(uint112).max || ranking.amountIn > type(uint112).max) {
                ranking.splitOpen = true;
                return quarters;
            }
            bool known = twice.status == FILLED && twice.received <= type(uint112).max;
            if (known && twice.received * 10_000 > best * 2 * 9_995) return quarters;
            uint256[3][] memory probed = new uint256[3][](ways);
            uint256[5][WAYS] memory guessed;
            if (!known) probed[0][2] = _part(book, ranking, 0, 3);
            guessed[0] = known ? _guessParts(best, best, twice.received, 8) : _guessParts(best, best, probed[0][2], 3);
            for (uint256 i = 1; i < ways; i++) {
                probed[i][0] = _part(book, ranking, i, 1);
                guessed[i] = _guessParts(best, ranking.list[i].received, probed[i][0], 1);
            }
            (uint256 paid, uint256[WAYS] memory shares) = _bestShares(guessed);
            // The guess may be a little off on either side of what is worth telling.
            if (paid * 10_000 < best * 10_003) return quarters;
            for (uint256 i; i < ways; i++) {
                uint256 part = shares[i];
                if (part > 0 && part < 4 && probed[i][part - 1] == 0) probed[i][part - 1] = _part(book, ranking, i, part);
            }
            return probed;
        }
    }

    /// What a unit costs grows in a straight line with the size: from the whole and one part to the other parts.
    function _guessParts(uint256 best, uint256 whole, uint256 part, uint256 quarters)
        private
        pure
        returns (uint256[5] memory paid)
    {
        unchecked {
            if (whole == 0 || part == 0 || part > type(uint112).max) return paid;
            // Cost of a unit where the winner's whole is 1e15.
            uint256 atWhole = best * 1e15 / whole;
            uint256 atPart = best * quarters * 1e15 / (part * 4);
            for (uint256 q = 1; q < 5; q++) {
                // The cost at q lies on the line through the whole (4 quarters) and the part (quarters).
                int256 cost = int256(atWhole)
                    + (int256(atPart) - int256(atWhole)) * (4 - int256(q)) / (4 - int256(quarters));
                if (cost > 0) paid[q] = best * q * 1e15 / (uint256(cost) * 4);
            }
        }
    }

    function _bestShares(uint256[5][WAYS] memory guessed)
        private
        pure
        returns (uint256 most, uint256[WAYS] memory shares)
    {
        unchecked {
            for (uint256 a; a < 5; a++) {
                for (uint256 b; a + b < 5; b++) {
                    uint256 c = 4 - a - b;
                    if ((a > 0 && guessed[0][a] == 0) || (b > 0 && guessed[1][b] == 0) || (c > 0 && guessed[2][c] == 0)) continue;
                    uint256 paid = guessed[0][a] + guessed[1][b] + guessed[2][c];
                    if (paid > most) (most, shares) = (paid, [a, b, c]);
                }
            }
        }
    }

    function _part(Book memory book, Ranking memory ranking, uint256 way, uint256 quarters) private returns (uint256) {
        Fill memory fill;
        fill.status = UNREAD;
        if (gasleft() > STOP_GAS) fill = _fillCandidate(book, ranking.list[way], ranking.amountIn * quarters / 4);
        if (fill.status == UNREAD) ranking.splitOpen = true;
        return fill.status == FILLED ? fill.received : 0;
    }
}
