// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BlockWords.sol";
import "./Depth.sol";
import "./QuoteTypes.sol";
import "./Relay.sol";
import "./Words.sol";

/// The third part of QuoteLens: measures bands and depth for the best route, and writes the answer.
contract QuoteDepth is Depth, Relay {
    /// Continues `QuoteLens.quote` with the memory of the earlier parts.
    function quote(QuoteQuery calldata, bytes calldata, Payer[] calldata) external {
        (Handover memory handover, uint256 withheld) = _continuePart();
        Book memory book;
        QuoteState memory state;
        Ranking memory ranking;
        assembly ("memory-safe") {
            book := mload(add(handover, 96))
            state := mload(add(handover, 128))
            ranking := mload(add(handover, 160))
        }
        state.startGas -= withheld;
        if (ranking.length > 0) _measure(book, state, ranking);
        _write(book, state, ranking);
    }

    function _measure(Book memory book, QuoteState memory state, Ranking memory ranking) private {
        unchecked {
            Candidate memory winner = ranking.list[0];
            _measureDeepest(book, book.pairs[book.pools[winner.first].pair]);
            if (winner.legs == 2) _measureDeepest(book, book.pairs[book.pools[winner.second].pair]);

            bool beyond = (state.amountIn | winner.received) >> 112 != 0;
            Fill memory twice;
            if (state.amountIn >> 255 == 0) twice = _fillCandidate(book, ranking, winner, state.amountIn * 2);
            (state.twiceStatus, state.fillTwice) = (twice.status, twice.received);
            if (beyond || twice.status == UNREAD) {
                // Amounts above 112 bits, or no result for twice the size: no search, so the depth is at least the
                // size.
                (state.depth, state.flags) = (state.amountIn, state.flags | DEPTH_OPEN);
                return;
            }
            bool open;
            (state.depth, open) = _searchDepth(book, ranking, _outputIfFilled(twice));
            if (open) state.flags |= DEPTH_OPEN;
        }
    }

    // --- the answer ---

    function _write(Book memory book, QuoteState memory state, Ranking memory ranking) private {
        unchecked {
            _readFees(book, ranking);
            Words words = startWords();
            words.push(8); // layout version
            words.push(state.flags);
            _writeBlock(words, book.config.arbitrum);
            uint256 fields;
            assembly ("memory-safe") {
                fields := add(state, 64)
            }
            words.pushFields(fields, 8);
            _writePairs(words, book);
            _writeFound(words, book, ranking);
            _writeCandidates(words, ranking);
            words.push(state.startGas - gasleft());
            words.finish();
        }
    }

    function _writeBlock(Words words, bool arbitrum) private view {
        (uint256 number, bytes32 parent) = readBlock(arbitrum);
        words.push(number);
        words.push(block.timestamp);
        words.push(uint256(parent));
    }

    function _writePairs(Words words, Book memory book) private pure {
        words.push(book.pairCount);
        for (uint256 i; i < book.pairCount; i++) {
            Pair memory pair = book.pairs[i];
            uint256 fields;
            uint256[] memory statuses = pair.statuses;
            uint256 list;
            assembly ("memory-safe") {
                fields := pair
                list := statuses
            }
            words.pushFields(fields, 3);
            words.pushFields(list, statuses.length + 1);
        }
    }

    /// Writes the pools of the direct pair and of the candidates' pairs, each with its index, which candidates contain.
    function _writeFound(Words words, Book memory book, Ranking memory ranking) private pure {
        unchecked {
            uint256 shown = 1; // a bit for each pair; the direct one is pair 0
            for (uint256 i; i < ranking.length; i++) {
                shown |= 1 << book.pools[ranking.list[i].first].pair;
                if (ranking.list[i].legs == 2) shown |= 1 << book.pools[ranking.list[i].second].pair;
            }
            uint256 count;
            for (uint256 i; i < book.foundCount; i++) {
                if ((shown >> book.pools[i].pair) & 1 == 1) count += 1;
            }
            words.push(count);
            for (uint256 i; i < book.foundCount; i++) {
                Found memory found = book.pools[i];
                if ((shown >> found.pair) & 1 == 0) continue;
                words.push(i);
                words.push(found.pair << 32 | found.candidatePool << 16 | uint256(found.bandStatus) << 8 | found.fill.status);
                words.push(uint256(found.id));
                words.push(found.fill.used);
                words.push(found.fill.nominal);
                words.push(found.fill.received);
                words.push(found.fill.arrived);
                uint256 fields;
                assembly ("memory-safe") {
                    fields := add(found, 192)
                }
                words.pushFields(fields, 5);
                words.push(uint256(uint32(found.fill.reason)));
            }
        }
    }

    /// Updates the fees of the candidates' pools.
    function _readFees(Book memory book, Ranking memory ranking) private view {
        for (uint256 i; i < ranking.length; i++) {
            Candidate memory candidate = ranking.list[i];
            for (uint256 leg; leg < candidate.legs; leg++) {
                Found memory found = book.pools[leg == 0 ? candidate.first : candidate.second];
                found.feePips = _feePips(found);
            }
        }
    }

    function _writeCandidates(Words words, Ranking memory ranking) private pure {
        words.push(ranking.length);
        for (uint256 i; i < ranking.length; i++) {
            Candidate memory candidate = ranking.list[i];
            uint256 fields;
            assembly ("memory-safe") {
                fields := candidate
            }
            words.pushFields(fields, 5);
        }
    }
}
