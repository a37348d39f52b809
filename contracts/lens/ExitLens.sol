// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./ExitSales.sol";
import "./Market.sol";

/// Reads what the pretrade check needs of one token at one block: its metadata, its pools, and what simulated sales draw
/// from each pool. A failed read is a status in the answer, never a revert.
contract ExitLens is Market, ExitSales {
    uint256 private constant MAX_WORDS = 6_000;
    /// @param whole sells to the end of a concentrated pool's price range instead of a hundredth of its price
    /// @param salt random and new for each call: it marks results
    function query(
        bytes calldata world,
        address token,
        KnownPool[] calldata known,
        address[] calldata holders,
        bytes4[] calldata getters,
        uint256 salt,
        bool whole
    ) external {
        if (_busy) revert AlreadyAsked();
        _busy = true;
        Notes memory words = newNotes(MAX_WORDS);
        _writeBlock(words);
        _writeToken(words, token);
        _writeGettersAndBalances(words, token, getters, holders);
        Book memory book = openBook(world);
        _prepare(book.world.native, salt);
        _writeBases(words, book, world);
        _writeMarket(words, book, world, token, known, whole);
        words.finish();
    }

    function _writeBases(Notes memory words, Book memory book, bytes calldata world) private view {
        words.push(readSequencer(book.world.sequencer));
        words.push(book.world.bases);
        for (uint256 i; i < book.world.bases; i++) {
            (address base, address feed) = readBase(world, i);
            _writeBase(words, base, feed);
        }
    }

    // --- the market ---

    function _writeMarket(
        Notes memory words,
        Book memory book,
        bytes calldata world,
        address token,
        KnownPool[] calldata known,
        bool whole
    ) private {
        for (uint256 i; i < book.world.bases; i++) {
            (address base,) = readBase(world, i);
            if (base != token && base.code.length > 0) _discover(book, world, token, base);
        }
        uint256 pairs = book.pairCount;
        Exit[] memory exits = new Exit[](book.foundCount + known.length);
        uint256 count = book.foundCount;
        for (uint256 i; i < count; i++) exits[i].found = book.pools[i];
        for (uint256 i; i < known.length; i++) {
            if (!_isFound(exits, count, known[i])) exits[count++].found = _fromKnown(token, known[i]);
        }
        // If the gas runs out, the pools left unmeasured are the smallest.
        uint256[] memory order = _largestFirst(exits, count);
        for (uint256 i; i < count; i++) _measure(exits[order[i]], whole);

        words.push(book.world.slots);
        words.push(pairs);
        for (uint256 i; i < pairs; i++) {
            words.push(uint256(uint160(book.pairs[i].b)));
            for (uint256 j; j < book.pairs[i].statuses.length; j++) words.push(book.pairs[i].statuses[j]);
        }
        words.push(count);
        for (uint256 i; i < count; i++) _writeExit(words, exits[i]);
        _writeSecondHops(words, book, world, exits, count, token);
    }

    function _isFound(Exit[] memory exits, uint256 count, KnownPool calldata known) private pure returns (bool) {
        Leg memory pool = _legOf(address(0), known);
        for (uint256 i; i < count; i++) {
            Leg memory leg = exits[i].found.leg;
            if (leg.pool != pool.pool || leg.tokenOut != pool.tokenOut) continue;
            if (pool.kind < KIND_V4) return true;
            if (
                leg.kind == pool.kind && leg.fee == pool.fee && leg.spacing == pool.spacing && leg.hooks == pool.hooks
            ) return true;
        }
        return false;
    }

    // --- second hops: from counter-assets to base assets ---

    /// Where a pool pays in an asset without a price, sells all that was drawn into every base asset: the result is what
    /// a second hop pays, and in which pool. For each base asset that pools pay in, finds the pool against the native
    /// token: a simulated purchase takes that asset from this pool, not from the traded one.
    function _writeSecondHops(
        Notes memory words,
        Book memory book,
        bytes calldata world,
        Exit[] memory exits,
        uint256 count,
        address token
    ) private {
        uint256 place = words.length;
        words.push(0);
        uint256 hops;
        for (uint256 i; i < count; i++) {
            if (exits[i].drawn == 0) continue;
            address counter = exits[i].found.leg.tokenOut;
            bool isBase = _isBase(book, world, counter);
            if (isBase ? counter == book.world.native || _seenBefore(exits, i) : exits[i].found.slot != NO_SLOT) continue;
            for (uint256 j; j < book.world.bases; j++) {
                (address base,) = readBase(world, j);
                if (base == token || base.code.length == 0 || (isBase && base != book.world.native)) continue;
                if (book.pairCount == MAX_PAIRS || gasleft() < RESERVED_GAS + FILL_GAS) break;
                Pair memory pair = _discover(book, world, counter, base);
                _bind(book, pair, exits[i].drawn);
                uint256[KEPT] memory none;
                _fillBest(book, pair, 1, none, true);
                words.push(i);
                words.push(j);
                words.push(pair.bestReceived);
                words.push(pair.best == 0 ? 0 : uint256(uint160(book.pools[pair.best - 1].leg.pool)));
                hops++;
            }
        }
        if (place < words.list.length) words.list[place] = hops;
    }

    function _seenBefore(Exit[] memory exits, uint256 index) private pure returns (bool) {
        for (uint256 i; i < index; i++) {
            if (exits[i].drawn > 0 && exits[i].found.leg.tokenOut == exits[index].found.leg.tokenOut) return true;
        }
        return false;
    }

    function _isBase(Book memory book, bytes calldata world, address asset) private pure returns (bool) {
        for (uint256 i; i < book.world.bases; i++) {
            (address base,) = readBase(world, i);
            if (base == asset) return true;
        }
        return false;
    }
}
