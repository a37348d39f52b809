// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Discovery.sol";
import "./ExitSales.sol";
import "./Relay.sol";

/// Reads the facts of one token for the pretrade check, at one block: metadata, pools, and the output of simulated
/// sales in each pool. A failed read is a status in the answer, never a revert. ExitHops is its next part.
contract ExitLens is Discovery, ExitSales, Relay {
    /// 160 found pools and 24 known ones use 2,576 words, and the rest below 400. No larger, because the next part also
    /// copies unused words.
    uint256 private constant MAX_WORDS = 3_200;

    /// @param config the chain configuration (see `ChainConfig`)
    /// @param known pools to measure besides the candidate pools
    /// @param holders accounts whose balances of the token are read
    /// @param getters selectors of the token's functions to read
    /// @param salt random and new for each call, so that a pool cannot forge a result
    /// @param whole whether to sell to the end of a concentrated pool's price range instead of 1/100 of its price
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

    // --- pools ---

    /// Finds and measures the pools. The next part adds the second hops.
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
        // Largest first, so that the smallest pools stay unmeasured if the gas runs out.
        uint256[] memory order = _largestFirst(exits, count);
        for (uint256 i; i < count; i++) _measure(exits[order[i]], whole);

        words.push(book.config.candidatePools);
        words.push(pairs);
        for (uint256 i; i < pairs; i++) {
            words.push(uint256(uint160(book.pairs[i].b)));
            for (uint256 j; j < book.pairs[i].statuses.length; j++) words.push(book.pairs[i].statuses[j]);
        }
        words.push(count);
        for (uint256 i; i < count; i++) _writeExit(words, exits[i]);
        if (whole) {
            // With `whole`, only upper bounds are needed, which do not use second hops.
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
}
