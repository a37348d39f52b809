// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Market.sol";
import "./Sizes.sol";

/// Ranks the ways from tokenIn to tokenOut, proves the best one, and measures around it.
abstract contract Router is Market {
    uint256 internal constant MAX_CANDIDATES = 6;
    uint256 internal constant MAX_SPLIT_WAYS = 3;
    uint256 internal constant PROBES_STOP_GAS = 1_500_000;
    /// How often a leg that fails in the proof is replaced by the next best one.
    uint256 private constant MAX_REPLACEMENTS = 4;

    struct Ranking {
        Candidate[] list; // best first
        uint256 length;
        uint256 amountIn;
    }

    /// @dev Pair 0 is the direct one; the others come as hop 1, hop 2, hop 1, hop 2 …
    /// @param held the lens holds tokenIn, so that the winner is proven by a swap that is paid
    function _rank(Book memory book, uint256 amountIn, bool held) internal returns (Ranking memory ranking) {
        ranking.list = new Candidate[](MAX_CANDIDATES);
        ranking.amountIn = amountIn;
        for (uint256 i; i < book.foundCount; i++) {
            Found memory found = book.found[i];
            if (found.pair == 0 && found.fill.status == FILLED) {
                bool proven = !held || _modeOf(found.leg) == PAY;
                _insert(ranking, Candidate(1, i, 0, found.fill.received, proven));
            }
        }
        for (uint256 p = 1; p + 1 < book.pairCount; p += 2) {
            _insertHops(book, ranking, p);
        }
        _prove(book, ranking, held ? PAY : ABANDON);
    }

    function _insertHops(Book memory book, Ranking memory ranking, uint256 p) private pure {
        Pair memory second = book.pairs[p + 1];
        if (book.pairs[p].best == 0 || second.best == 0) return;
        _insert(ranking, Candidate(2, book.pairs[p].best - 1, second.best - 1, second.bestReceived, false));
    }

    function _insert(Ranking memory ranking, Candidate memory candidate) private pure {
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

    /// Two legs share state that two separate fills do not see, and a pool may go back on its word once it is to be
    /// paid: the leader runs as one, with real payments where they can be made, until it stays the leader.
    function _prove(Book memory book, Ranking memory ranking, uint8 mode) private {
        uint256 replaced;
        while (ranking.length > 0 && !ranking.list[0].verified) {
            Candidate memory leader = ranking.list[0];
            for (uint256 i = 1; i < ranking.length; i++) ranking.list[i - 1] = ranking.list[i];
            ranking.length -= 1;
            Fill memory fill = _run(book, leader, ranking.amountIn, mode, FILL_GAS + DEEP_FILL_GAS / 2);
            leader.verified = true;
            leader.received = fill.received;
            if (fill.status == FILLED) _insert(ranking, leader);
            else if (leader.legs == 1) _blame(book, leader.first, fill.status);
            else if (replaced++ < MAX_REPLACEMENTS) _replace(book, ranking, leader, mode);
        }
    }

    /// Finds out which leg failed, and lets the next best pool of its pair take the place.
    function _replace(Book memory book, Ranking memory ranking, Candidate memory failed, uint8 mode) private {
        uint256 first = book.found[failed.first].pair;
        uint8 status = _fill(_one(book.found[failed.first].leg), ranking.amountIn, mode, FILL_GAS).status;
        if (status == FILLED) {
            _blame(book, failed.second, REJECTED);
        } else {
            _blame(book, failed.first, status);
            if (book.pairs[first].best != 0) _refill(book, first + 1, book.pairs[first].bestReceived);
        }
        _insertHops(book, ranking, first);
    }

    function _blame(Book memory book, uint256 index, uint8 status) private pure {
        Found memory found = book.found[index];
        _setStatus(book, found, status);
        _pickBest(book, found.pair);
    }

    function _pickBest(Book memory book, uint256 pairIndex) private pure {
        Pair memory pair = book.pairs[pairIndex];
        (pair.best, pair.bestReceived) = (0, 0);
        for (uint256 i; i < book.foundCount; i++) {
            Found memory found = book.found[i];
            if (found.pair != pairIndex || found.fill.status != FILLED) continue;
            if (found.fill.received > pair.bestReceived) (pair.best, pair.bestReceived) = (i + 1, found.fill.received);
        }
    }

    function _refill(Book memory book, uint256 pairIndex, uint256 amountIn) private {
        book.pairs[pairIndex].amountIn = amountIn;
        for (uint256 i; i < book.foundCount; i++) {
            Found memory found = book.found[i];
            if (found.pair != pairIndex || gasleft() < RESERVED_GAS + FILL_GAS) continue;
            Fill memory fill = _fill(_one(found.leg), amountIn, ABANDON, FILL_GAS);
            _setStatus(book, found, fill.status);
            found.fill = fill;
        }
        _pickBest(book, pairIndex);
    }

    function _fillCandidate(Book memory book, Candidate memory candidate, uint256 amountIn, uint256 gasCap)
        internal
        returns (Fill memory)
    {
        return _run(book, candidate, amountIn, _modeOf(book.found[candidate.first].leg), gasCap);
    }

    function _run(Book memory book, Candidate memory candidate, uint256 amountIn, uint8 mode, uint256 gasCap)
        private
        returns (Fill memory)
    {
        Leg memory first = book.found[candidate.first].leg;
        if (candidate.legs == 1) return _fill(_one(first), amountIn, mode, gasCap);
        return _fill(_two(first, book.found[candidate.second].leg), amountIn, mode, gasCap);
    }

    /// The largest probed size that some candidate still fills at 99 % of the winner's price. Never above the truth.
    /// @return depth in base units of tokenIn
    /// @return open the search ended while sizes still passed, or for want of gas
    function _searchDepth(Book memory book, Ranking memory ranking) internal returns (uint256 depth, bool open) {
        depth = ranking.amountIn;
        uint256 size = depth + _bandOf(book, ranking.list[0]) * 2;
        if (size < depth * 2) size = depth * 2;
        uint256 failed = 0;
        for (uint256 i; i < 16; i++) {
            if (gasleft() < PROBES_STOP_GAS + FILL_GAS) return (depth, true);
            if (size <= depth || size > type(uint120).max) return (depth, failed == 0);
            if (_passes(book, ranking, size)) depth = size;
            else failed = size;
            // Near enough: 3 %.
            if (failed != 0 && failed - depth <= depth / 32) return (depth, false);
            if (failed == 0) size = depth * 2;
            else if (failed / 4 > depth) size = failed / 3;
            else size = depth + (failed - depth) / 2;
        }
        return (depth, failed == 0);
    }

    /// The best ways filled with a quarter, a half and three quarters: of these the reader works out what a split pays.
    /// Ways that lead in the ranking share no pool. An order far inside the band would gain nothing and is not asked.
    function _probeSplit(Book memory book, Ranking memory ranking) internal returns (uint256[3][] memory quarters) {
        uint256 ways = ranking.length < MAX_SPLIT_WAYS ? ranking.length : MAX_SPLIT_WAYS;
        if (ways < 2 || ranking.amountIn < _bandOf(book, ranking.list[0]) / 10) return quarters;
        if (ranking.amountIn > type(uint248).max) return quarters;
        uint256[3][] memory probed = new uint256[3][](ways);
        for (uint256 i; i < ways; i++) {
            for (uint256 part = 1; part < 4; part++) {
                if (gasleft() < PROBES_STOP_GAS + FILL_GAS) return quarters;
                Fill memory fill = _fillCandidate(book, ranking.list[i], ranking.amountIn * part / 4, FILL_GAS);
                probed[i][part - 1] = fill.status == FILLED ? fill.received : 0;
            }
        }
        return probed;
    }

    function _passes(Book memory book, Ranking memory ranking, uint256 size) private returns (bool) {
        uint256 tries = ranking.length < 3 ? ranking.length : 3;
        for (uint256 i; i < tries; i++) {
            if (gasleft() < PROBES_STOP_GAS + FILL_GAS) return false;
            Fill memory fill = _fillCandidate(book, ranking.list[i], size, FILL_GAS);
            if (fill.status != FILLED) continue;
            // out(size) / size >= 0.99 * out(amountIn) / amountIn
            if (fill.received > type(uint248).max || ranking.list[0].received > type(uint248).max) continue;
            if (productAtLeast(fill.received * 100, ranking.amountIn, ranking.list[0].received * 99, size)) return true;
        }
        return false;
    }

    function _bandOf(Book memory book, Candidate memory candidate) private pure returns (uint256) {
        uint256 band = book.found[candidate.first].bandIn;
        return band > type(uint120).max ? 0 : band;
    }
}
