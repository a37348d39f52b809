// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Discovery.sol";
import "./ExitSales.sol";
import "./Relay.sol";

/// Reads what the pretrade check needs of one token at one block: its metadata, its pools, and what simulated sales draw
/// from each pool. A failed read is a status in the answer, never a revert.
contract ExitLens is Discovery, ExitSales, Relay {
    /// 160 found pools and 24 known ones take 2,944 words, all else below 400. The next part copies unused words too.
    uint256 private constant MAX_WORDS = 3_600;

    /// @param whole sells to the end of a concentrated pool's price range instead of a hundredth of its price
    /// @param salt random and new for each call: it marks results
    function query(
        bytes calldata config,
        address token,
        KnownPool[] calldata known,
        address[] calldata holders,
        bytes4[] calldata getters,
        uint256 salt,
        bool whole
    ) external {
        Handover memory handover = _beginPart();
        Notes memory words = newNotes(MAX_WORDS);
        _writeBlock(words);
        _writeToken(words, token);
        _writeGettersAndBalances(words, token, getters, holders);
        Book memory book = openBook(config);
        _prepare(book.config.native, salt);
        _writeBases(words, book, config);
        _writeMarket(handover, words, book, config, token, known, whole);
    }

    function _writeBases(Notes memory words, Book memory book, bytes calldata config) private view {
        words.push(readSequencer(book.config.sequencer));
        words.push(book.config.bases);
        for (uint256 i; i < book.config.bases; i++) {
            (address base, address feed) = readBase(config, i);
            _writeBase(words, base, feed);
        }
    }

    // --- the market ---

    /// Leaves the second hops to the next part.
    function _writeMarket(
        Handover memory handover,
        Notes memory words,
        Book memory book,
        bytes calldata config,
        address token,
        KnownPool[] calldata known,
        bool whole
    ) private {
        for (uint256 i; i < book.config.bases; i++) {
            (address base,) = readBase(config, i);
            if (base != token && base.code.length > 0) _discover(book, config, token, base);
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

        words.push(book.config.slots);
        words.push(pairs);
        for (uint256 i; i < pairs; i++) {
            words.push(uint256(uint160(book.pairs[i].b)));
            for (uint256 j; j < book.pairs[i].statuses.length; j++) words.push(book.pairs[i].statuses[j]);
        }
        words.push(count);
        for (uint256 i; i < count; i++) _writeExit(words, exits[i]);
        if (whole) {
            // An upper bound of each pool needs no second hops.
            words.push(0);
            words.finish();
        }
        handover.count = count;
        assembly ("memory-safe") {
            mstore(add(handover, 96), words)
            mstore(add(handover, 128), book)
            mstore(add(handover, 160), exits)
        }
        _endPart(handover);
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

    function _wrapped() internal view override returns (address) {
        return _native();
    }
}
