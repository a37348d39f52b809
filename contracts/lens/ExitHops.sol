// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Discovery.sol";
import "./ExitSales.sol";
import "./Relay.sol";

/// The second part of ExitLens: measures second hops, from counter-assets to base assets.
contract ExitHops is Discovery, ExitSales, Relay {
    /// Gas of the first sale in a pool, enough for about 20 ticks.
    uint256 private constant CHEAP_HOP_GAS = 600_000;
    /// Gas of its repetition, enough down to 1/100 of the price with a tick spacing of 1.
    uint256 private constant HOP_GAS = 2_200_000;
    /// Gas of a sale beyond it. With a tick spacing of 1 it reaches a ten-millionth of the price.
    uint256 private constant DEEP_HOP_GAS = 5_000_000;
    /// Gas of sales that failed, or that cost more than the first one and did not win. After it each pool gets only the first
    /// sale. Anyone can open pools that burn gas; they must not prevent the sales in others.
    uint256 private constant MAX_WASTED = 3_000_000;

    uint256 private transient _wasted;

    /// Continues `ExitLens.query` with the memory of the first part.
    function query(
        bytes calldata config,
        address token,
        KnownPool[] calldata,
        address[] calldata,
        bytes4[] calldata,
        uint256,
        bool
    ) external {
        (Handover memory handover,) = _continuePart();
        Notes memory words;
        Book memory book;
        Exit[] memory exits;
        assembly ("memory-safe") {
            words := mload(add(handover, 96))
            book := mload(add(handover, 128))
            exits := mload(add(handover, 160))
        }
        _writeSecondHops(words, book, config, exits, handover.count, token);
        words.finish();
    }

    /// If a pool pays in an asset without a price, sells the whole output for every base asset and writes the output
    /// and pool of each sale. Then, for each base asset in which pools pay, finds the pool against the native token: a
    /// simulated purchase can buy that asset there, and does not have to use the traded pool.
    function _writeSecondHops(
        Notes memory words,
        Book memory book,
        bytes calldata config,
        Exit[] memory exits,
        uint256 count,
        address token
    ) private {
        uint256 countAt = words.length;
        words.push(0);
        uint256 hops;
        // Values before funders, so that sales for funders do not use up the gas.
        for (uint256 turn; turn < 2 * count; turn++) {
            uint256 i = turn % count;
            if (exits[i].drawn == 0) continue;
            address counter = exits[i].found.leg.tokenOut;
            bool isBase = _isBase(book, config, counter);
            if (isBase != (turn >= count)) continue;
            if (
                isBase
                    ? counter == book.config.native || _seenBefore(exits, i)
                    : exits[i].found.candidatePool != NO_CANDIDATE_POOL
            ) continue;
            for (uint256 j; j < book.config.bases; j++) {
                (address base,) = readBase(config, j);
                if (base == token || base.code.length == 0 || (isBase && base != book.config.native)) continue;
                if (book.pairCount == MAX_PAIRS || gasleft() < RESERVED_GAS + HOP_GAS) break;
                words.push(i);
                words.push(j);
                _writeHop(words, book, exits[i].drawn, _discover(book, config, counter, base));
                hops++;
            }
        }
        if (countAt < words.list.length) words.list[countAt] = hops;
    }

    /// Sells the amount in the pools of the pair, and writes the highest output and its pool; 0 if none pays. A pool pays at
    /// most its balance, so those that hold most come first, and those that hold less than the best output are left out. A
    /// singleton's balance is no bound: its pools come last.
    function _writeHop(Notes memory words, Book memory book, uint256 amount, Pair memory pair) private {
        uint256[] memory most = new uint256[](pair.end - pair.first);
        for (uint256 i; i < most.length; i++) most[i] = _mostOf(book.pools[pair.first + i]);
        uint256 best;
        address bestPool;
        while (true) {
            uint256 next;
            for (uint256 i; i < most.length; i++) {
                if (most[i] > most[next]) next = i;
            }
            if (most.length == 0 || most[next] == 0) break;
            Found memory found = book.pools[pair.first + next];
            bool isBounded = found.leg.kind < KIND_V4;
            if (!isBounded || most[next] > best) {
                uint256 received = _sellIn(found, amount, best);
                if (received > best) (best, bestPool) = (received, found.leg.pool);
            }
            most[next] = 0;
        }
        words.push(best);
        words.push(uint256(uint160(bestPool)));
    }

    /// Upper bound of the pool's output; 1 for a pool of a singleton, 0 for a pool that cannot be sold in.
    function _mostOf(Found memory found) private view returns (uint256 most) {
        if (found.fill.status != NOT_REQUESTED || found.price == 0) return 0;
        if (found.leg.kind >= KIND_V4) return 1;
        (, most) = readBalance(found.leg.tokenOut, found.leg.pool);
    }

    /// Sells the amount in one pool, at first with little gas and a price limit: each tick, and each bitmap word of an empty
    /// range, costs gas.
    /// @param best highest output of the other pools. Beyond the limit a pool pays little more, so it is sold there only if no
    /// other pool paid.
    /// @return received output for the whole amount; 0 if the pool does not take all of it, or the gas is used up
    function _sellIn(Found memory found, uint256 amount, uint256 best) private returns (uint256 received) {
        Leg memory leg = found.leg;
        bool isLimited = isConcentrated(leg.kind);
        if (isLimited) leg.limit = _moved(leg, found.price, 1, 10);
        Fill memory fill = _trySale(leg, amount, CHEAP_HOP_GAS, best);
        if (fill.status != FILLED && fill.gas > CHEAP_HOP_GAS / 2 && _wasted <= MAX_WASTED) {
            fill = _trySale(leg, amount, HOP_GAS, best);
        }
        bool isBeyond = fill.status == PARTIAL || fill.status == UNREAD || fill.status == EMPTY;
        if (isLimited && isBeyond && best == 0 && _wasted <= MAX_WASTED) {
            leg.limit = 0;
            fill = _trySale(leg, amount, DEEP_HOP_GAS, best);
        }
        return fill.status == FILLED ? fill.received : 0;
    }

    /// @return fill UNREAD if the gas is used up
    function _trySale(Leg memory leg, uint256 amount, uint256 gasCap, uint256 best) private returns (Fill memory fill) {
        if (gasleft() < RESERVED_GAS + gasCap) {
            fill.status = UNREAD;
            return fill;
        }
        fill = _fillOne(leg, amount, ABANDON, gasCap);
        bool isCostly = gasCap > CHEAP_HOP_GAS && fill.received <= best;
        if (fill.status != FILLED || isCostly) _wasted += fill.gas;
    }

    /// Whether an earlier pool pays in the same asset.
    function _seenBefore(Exit[] memory exits, uint256 index) private pure returns (bool) {
        for (uint256 i; i < index; i++) {
            if (exits[i].drawn > 0 && exits[i].found.leg.tokenOut == exits[index].found.leg.tokenOut) return true;
        }
        return false;
    }

    function _isBase(Book memory book, bytes calldata config, address asset) private pure returns (bool) {
        for (uint256 i; i < book.config.bases; i++) {
            (address base,) = readBase(config, i);
            if (base == asset) return true;
        }
        return false;
    }
}
