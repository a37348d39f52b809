// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Depth.sol";

/// Measures whether an order pays more when it is divided among ways that share no pool.
abstract contract Split is Depth {
    /// An order is dealt out in so many parts of one size.
    uint256 private constant UNITS = 32;
    /// Each deal rests on what the swaps of those before it paid.
    uint256 private constant MAX_DEALS = 10;
    uint256 private constant ONE = 1 << 40;

    /// What a way pays for u units, as a curve: rate * u / (1 + bend * u), which is how a pool pays as long as its
    /// liquidity stays the same. It is laid through two points: promises at first, then what the last swaps paid.
    struct Taker {
        uint256 next; // what one unit more than it was dealt would fetch
        Candidate way; // what it received is paid for B; its gas is 0 as long as that is a promise
        uint256 most; // units; it takes no more
        uint256 unitsA;
        uint256 paidA;
        uint256 unitsB;
        uint256 rate;
        uint256 bend; // 2^40 = 1
    }

    /// Deals the order out by the curves, swaps each share, and deals again with what that showed, for as long as a deal
    /// promises four basis points more than the best one paid.
    /// @param twice what the winner pays for twice the size; 0 = not fillable
    /// @return shares of the deal that pays most, each measured by itself; none where the winner alone pays more
    function _split(Book memory book, Ranking memory ranking, uint256 twice)
        internal
        returns (Candidate[] memory shares)
    {
        unchecked {
            uint256 unit = ranking.amountIn / UNITS;
            if (unit == 0) return shares;
            Taker[] memory takers = _takers(book, ranking, unit, twice);
            uint256 least = ranking.list[0].received / 2500;
            uint256 most = ranking.list[0].received;
            for (uint256 i; i < MAX_DEALS && _deal(takers, least / 8, 0) > most + least; i++) {
                uint256 paid = _swapShares(book, ranking, takers);
                if (paid > most) (most, shares) = (paid, _sharesOf(takers));
            }
        }
    }

    function _takers(Book memory book, Ranking memory ranking, uint256 unit, uint256 twice)
        private
        returns (Taker[] memory takers)
    {
        unchecked {
            Candidate memory winner = ranking.list[0];
            Ranking memory rivals = _rivals(book, ranking, unit);
            takers = new Taker[](MAX_CANDIDATES + 1);
            uint256 count;
            for (uint256 i; i <= rivals.length; i++) {
                Taker memory taker = takers[count];
                taker.way = i == 0 ? winner.copyOf() : rivals.list[i - 1];
                taker.most = UNITS;
                if (i == 0) {
                    (taker.unitsA, taker.paidA, taker.unitsB) = (UNITS * 2, twice, UNITS);
                    if (twice == 0) (taker.unitsA, taker.paidA) = (1, _promiseOf(book, ranking, winner, unit));
                } else {
                    // Two chains over one base asset share its pools.
                    if (taker.way.legs == 2 && book.pools[taker.way.first].pair == book.pools[winner.first].pair) continue;
                    (taker.unitsA, taker.unitsB) = (UNITS / 4, 1);
                    taker.paidA = _promiseOf(book, ranking, taker.way, unit * UNITS / 4);
                    // What it paid for the whole order, where it was asked.
                    Fill memory whole = book.pools[taker.way.first].fill;
                    if (taker.way.legs == 1 && whole.used == ranking.amountIn) {
                        (taker.unitsA, taker.paidA) = (UNITS, whole.received);
                    }
                }
                _bend(taker);
                count++;
            }
            assembly ("memory-safe") {
                mstore(takers, count)
            }
        }
    }

    /// Lays the curve through the two points: a straight line where more units do not pay less each.
    function _bend(Taker memory taker) private pure {
        unchecked {
            (uint256 unitsA, uint256 unitsB) = (taker.unitsA, taker.unitsB);
            (uint256 paidA, uint256 paidB) = (taker.paidA, taker.way.received);
            int256 over = int256(paidA * unitsB - paidB * unitsA);
            int256 under = int256(unitsA * unitsB * (paidB - paidA));
            uint256 bend = under == 0 || over ^ under < 0 ? 0 : uint256(over * int256(ONE) / under);
            // A token may pay any number: cut so that no bend makes the curve divide by zero.
            bend = bend << 64 >> 64;
            (taker.bend, taker.rate) = (bend, paidB * (ONE + bend * unitsB) / (unitsB * ONE));
        }
    }

    /// Each unit goes to who pays most for it. Who gains less by the little it got than a swap is worth gets none.
    /// @param out takers that get none, by bits; 0 = that is to be found out
    /// @return expected by the curves; 0 when nobody takes the last unit
    function _deal(Taker[] memory takers, uint256 least, uint256 out) private pure returns (uint256 expected) {
        unchecked {
            for (uint256 i; i < takers.length; i++) {
                takers[i].way.units = 0;
                _expect(takers[i]);
                if (out >> i & 1 == 1) takers[i].next = 0;
            }
            uint256 last;
            for (uint256 unit; unit < UNITS; unit++) {
                Taker memory best = takers[0];
                last = 0;
                // In assembly: this runs some five hundred times. `next` is a taker's first word.
                assembly ("memory-safe") {
                    let at := add(takers, 32)
                    for { let end := add(at, shl(5, mload(takers))) } lt(at, end) { at := add(at, 32) } {
                        let next := mload(mload(at))
                        if gt(next, last) {
                            last := next
                            best := mload(at)
                        }
                    }
                }
                if (last == 0) return 0;
                expected += last;
                best.way.units++;
                _expect(best);
            }
            if (out != 0) return expected;
            for (uint256 i; i < takers.length; i++) {
                uint256 units = takers[i].way.units;
                bool little = units > 0 && units <= UNITS / 16;
                if (little && _payOf(takers[i], units) <= units * last + least) out |= 1 << i;
            }
            if (out != 0) return _deal(takers, least, out);
        }
    }

    function _expect(Taker memory taker) private pure {
        unchecked {
            uint256 units = taker.way.units;
            taker.next = units < taker.most ? _payOf(taker, units + 1) - _payOf(taker, units) : 0;
        }
    }

    function _payOf(Taker memory taker, uint256 units) private pure returns (uint256) {
        unchecked {
            return taker.rate * units * ONE / (ONE + taker.bend * units);
        }
    }

    /// @return paid by all shares together; 0 when one was not taken
    function _swapShares(Book memory book, Ranking memory ranking, Taker[] memory takers)
        private
        returns (uint256 paid)
    {
        unchecked {
            bool whole = true;
            for (uint256 i; i < takers.length; i++) {
                Taker memory taker = takers[i];
                Candidate memory way = taker.way;
                if (way.units == 0) continue;
                if (way.units != taker.unitsB || way.gas == 0) {
                    Fill memory fill = _fillCandidate(book, ranking, way, ranking.amountIn * way.units / UNITS);
                    if (fill.status == UNREAD) ranking.splitOpen = true;
                    if (fill.status != FILLED) {
                        uint256 most = fill.used * UNITS / ranking.amountIn;
                        taker.most = most < way.units ? most : way.units / 2;
                        whole = false;
                        continue;
                    }
                    if (way.units != taker.unitsB) (taker.unitsA, taker.paidA) = (taker.unitsB, way.received);
                    (taker.unitsB, way.received, way.gas) = (way.units, fill.received, fill.gas);
                    _bend(taker);
                }
                paid += way.received;
            }
            if (!whole) paid = 0;
        }
    }

    function _sharesOf(Taker[] memory takers) private pure returns (Candidate[] memory shares) {
        unchecked {
            shares = new Candidate[](takers.length);
            uint256 count;
            for (uint256 i; i < takers.length; i++) {
                if (takers[i].way.units > 0) shares[count++] = takers[i].way.copyOf();
            }
            assembly ("memory-safe") {
                mstore(shares, count)
            }
        }
    }
}
