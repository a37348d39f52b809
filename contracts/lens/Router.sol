// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Market.sol";

/// Ranks the routes from tokenIn to tokenOut, and executes the best one.
abstract contract Router is Market {
    uint256 internal constant MAX_CANDIDATES = 8;
    /// Reserved for writing the answer.
    uint256 private constant ANSWER_GAS = 1_500_000;
    /// Reserved for the answer and one fill before it.
    uint256 internal constant STOP_GAS = ANSWER_GAS + FILL_GAS;
    /// Maximum number of rankings. A new one follows each time a route fails when it is executed as a whole.
    uint256 private constant MAX_ROUNDS = 6;

    struct Ranking {
        Candidate[] list; // best first
        uint256 length;
        uint256 amountIn;
        uint256 proof; // mode of the execution as a whole: PAY if an account can pay tokenIn, otherwise ABANDON
    }

    /// @param funded whether a funded account can pay the size, so that the best route is executed with payment
    /// @return ranking empty if no route could be executed
    function _rank(Book memory book, uint256 amountIn, bool funded) internal returns (Ranking memory ranking) {
        (ranking.amountIn, ranking.proof) = (amountIn, funded ? PAY : ABANDON);
        for (uint256 round; round < MAX_ROUNDS; round++) {
            ranking.list = new Candidate[](MAX_CANDIDATES);
            ranking.length = 0;
            _fillRoutes(book, ranking, funded);
            if (_prove(book, ranking)) return ranking;
        }
        ranking.length = 0;
    }

    /// Fills the direct pools, then each two-leg route that could be among the best. Then it fills the direct pools
    /// that are still open, if they could exceed the two-leg routes.
    function _fillRoutes(Book memory book, Ranking memory ranking, bool funded) private {
        unchecked {
            Pair memory direct = book.pairs[0];
            _setBounds(book, direct, ranking.amountIn);
            uint256[KEPT] memory twoLegs;
            _fillDirect(book, direct, twoLegs, funded, false);
            uint256[KEPT] memory top;
            for (uint256 i = direct.first; i < direct.end; i++) {
                if (book.pools[i].fill.status == FILLED) rankIn(top, book.pools[i].fill.received);
            }
            for (uint256 p = 1; p + 1 < book.pairCount; p += 2) {
                uint256 others = top[KEPT - 1] > top[0] / 2 ? top[KEPT - 1] : top[0] / 2;
                uint256 received = _fillHops(book, book.pairs[p], book.pairs[p + 1], ranking.amountIn, others);
                if (received == 0) continue;
                rankIn(top, received);
                rankIn(twoLegs, received);
                _insert(ranking, Candidate(2, book.pairs[p].best - 1, book.pairs[p + 1].best - 1, received, 0));
            }
            _fillDirect(book, direct, twoLegs, funded, true);
            for (uint256 i = direct.first; i < direct.end; i++) {
                Fill memory fill = book.pools[i].fill;
                if (fill.status == FILLED) _insert(ranking, Candidate(1, i, 0, fill.received, fill.gas));
            }
        }
    }

    /// Fills the direct pools with payment if possible, so that the best direct route needs no further execution.
    function _fillDirect(Book memory book, Pair memory direct, uint256[KEPT] memory others, bool funded, bool last) private {
        uint256 previousMode = _saleMode;
        if (funded) _saleMode = PAY;
        _fillBest(book, direct, KEPT, others, last);
        _saleMode = previousMode;
    }

    /// @return output of the best pool of each pair, one after the other; 0 if it cannot exceed `others`
    function _fillHops(Book memory book, Pair memory one, Pair memory two, uint256 amountIn, uint256 others)
        private
        returns (uint256)
    {
        uint256[KEPT] memory none;
        uint256 maxOutput = _setBounds(book, one, amountIn);
        one.whole = amountIn;
        bool open = maxOutput > 0 && _setBounds(book, two, maxOutput) > others && _canExceed(book, one, two, others);
        if (open) _fillBest(book, one, 1, none, true);
        else _markOutbid(book, one, 0);
        if (!open || one.best == 0 || _setBounds(book, two, one.bestReceived) <= others) {
            _markOutbid(book, two, 0);
            return 0;
        }
        _fillBest(book, two, 1, none, true);
        _fitSecond(book, one, two, others);
        return two.best == 0 ? 0 : two.bestReceived;
    }

    /// Whether the bounds of the two pairs still exceed `others` without thin pools.
    function _canExceed(Book memory book, Pair memory one, Pair memory two, uint256 others) private returns (bool) {
        uint256 next = _pickPool(book, one, false);
        if (next == 0) return false;
        uint256 maxOutput = book.pools[next - 1].bound;
        // A pool without a known state does not limit the input of the second pair.
        if (maxOutput >> 120 != 0) return true;
        two.whole = maxOutput;
        if (_setBounds(book, two, maxOutput) <= others) return false;
        next = _pickPool(book, two, false);
        return next != 0 && _capped(book.pools[next - 1]) > others;
    }

    /// Replaces the first leg if its output exceeds the capacity of a good second pool. A first leg with a lower output
    /// can then result in a higher output of the route.
    function _fitSecond(Book memory book, Pair memory one, Pair memory two, uint256 others) private {
        unchecked {
            for (uint256 i = two.first; i < two.end; i++) {
                Found memory second = book.pools[i];
                // For a smaller amount, a pool pays no more than the output of its partial fill.
                uint256 maxOutput = second.fill.status == PARTIAL ? second.fill.received : 0;
                if (maxOutput <= others || maxOutput <= two.bestReceived) continue;
                (uint256 first, uint256 between) = _bestWithin(book, one, second.fill.used);
                if (between == 0) continue;
                Fill memory fill = _fillFound(second, between, FILL_GAS);
                if (fill.status != FILLED || fill.received <= two.bestReceived) continue;
                book.setStatus(second, FILLED);
                second.fill = fill;
                (one.best, one.bestReceived) = (first + 1, between);
                (two.amountIn, two.best, two.bestReceived) = (between, i + 1, fill.received);
            }
        }
    }

    /// The pool of a pair with the highest output that does not exceed `limit`. Also fills pools that were OUTBID.
    function _bestWithin(Book memory book, Pair memory pair, uint256 limit)
        private
        returns (uint256 index, uint256 received)
    {
        for (uint256 i = pair.first; i < pair.end; i++) {
            Found memory found = book.pools[i];
            if (found.fill.status == OUTBID && _absorbsPart(found, pair.whole)) {
                found.fill = _fillFound(found, pair.amountIn, FILL_GAS);
                book.setStatus(found, found.fill.status);
            }
            uint256 own = found.fill.status == FILLED ? found.fill.received : 0;
            if (own > received && own <= limit) (index, received) = (i, own);
        }
    }

    function _insert(Ranking memory ranking, Candidate memory candidate) internal pure {
        unchecked {
            uint256 at = ranking.length;
            if (at == MAX_CANDIDATES) {
                if (ranking.list[at - 1].received >= candidate.received) return;
                at -= 1;
            } else {
                ranking.length += 1;
            }
            while (at > 0 && ranking.list[at - 1].received < candidate.received) {
                ranking.list[at] = ranking.list[at - 1];
                at -= 1;
            }
            ranking.list[at] = candidate;
        }
    }

    /// Executes the best route as a whole, with payment if possible, until the best route is an executed one. Two legs
    /// can share state that separate fills do not show, and a pool can pay less once it is paid.
    /// @return proven false if a route failed: routes that were OUTBID because of it must be filled again
    function _prove(Book memory book, Ranking memory ranking) private returns (bool proven) {
        unchecked {
            while (ranking.length > 0 && ranking.list[0].gas == 0) {
                Candidate memory leader = ranking.list[0];
                for (uint256 i = 1; i < ranking.length; i++) ranking.list[i - 1] = ranking.list[i];
                ranking.length -= 1;
                Fill memory fill = _run(book, leader, ranking.amountIn, ranking.proof);
                if (fill.status != FILLED) {
                    _excludeFailed(book, ranking, leader, fill);
                    return false;
                }
                (leader.gas, leader.received) = (fill.gas, fill.received);
                // Filled separately, a second pair paid the lens. Only this execution includes a tax on its output.
                if (leader.legs == 2) {
                    Fill memory second = book.pools[leader.second].fill;
                    (second.nominal, second.received) = (fill.nominalLast, fill.received);
                }
                _insert(ranking, leader);
            }
            return true;
        }
    }

    /// Finds the leg that failed and sets its status, which excludes its pool.
    function _excludeFailed(Book memory book, Ranking memory ranking, Candidate memory failed, Fill memory fill) private {
        Found memory found = book.pools[failed.first];
        if (failed.legs == 2) {
            fill = _fillOne(found.leg, ranking.amountIn, ranking.proof, _gasForRoute());
            if (fill.status == FILLED) {
                found = book.pools[failed.second];
                fill.status = REJECTED;
            }
        }
        if (fill.status == PARTIAL || fill.status == EMPTY) fill.status = REJECTED;
        book.setStatus(found, fill.status);
        found.fill.reason = fill.reason;
    }

    /// Executes a route at another size, in the mode of its first leg. A direct route through a pair is executed as in
    /// `_prove`: an unpaid pair would send to the lens instead of the trader, and sizes would not be comparable. UNREAD
    /// if the remaining gas is needed for the answer.
    function _fillCandidate(Book memory book, Ranking memory ranking, Candidate memory candidate, uint256 amountIn)
        internal
        returns (Fill memory fill)
    {
        fill.status = UNREAD;
        if (gasleft() < STOP_GAS) return fill;
        Leg memory first = book.pools[candidate.first].leg;
        bool endsAtPair = candidate.legs == 1 && !isConcentrated(first.kind);
        return _run(book, candidate, amountIn, endsAtPair ? ranking.proof : _modeOf(first));
    }

    function _run(Book memory book, Candidate memory candidate, uint256 amountIn, uint256 mode)
        private
        returns (Fill memory)
    {
        Leg memory first = book.pools[candidate.first].leg;
        Leg memory second = book.pools[candidate.second].leg;
        return _fill(first, second, candidate.legs, amountIn, mode, _gasForRoute());
    }

    /// Gas cap of a route, enough to cross the ticks of two pools. It leaves the gas for the answer. If less than that
    /// is left, the difference overflows, and `_fill` returns UNREAD.
    function _gasForRoute() private view returns (uint256 gasCap) {
        unchecked {
            gasCap = gasleft() - ANSWER_GAS;
            if (gasCap > FILL_GAS + DEEP_FILL_GAS) gasCap = FILL_GAS + DEEP_FILL_GAS;
        }
    }
}
