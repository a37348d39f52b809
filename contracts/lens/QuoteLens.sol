// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BlockWords.sol";
import "./Depth.sol";
import "./Words.sol";

/// Answers one question about a pair in one eth_call: what the full size really fetches, by which route, and how deep
/// the market is around it. Runs as a `code` override, stores nothing, and reports instead of reverting.
/// `engine/quote/decodeReading.ts` decodes the answer.
contract QuoteLens is Depth {
    // How the size is given.
    uint256 private constant BY_TOKEN = 0; // mantissa / 10^scale whole tokens
    uint256 private constant BY_UNITS = 1; // base units

    uint256 private constant IN_HAS_CODE = 1;
    uint256 private constant IN_HAS_DECIMALS = 2;
    uint256 private constant OUT_HAS_CODE = 4;
    uint256 private constant OUT_HAS_DECIMALS = 8;
    uint256 private constant SIZE_CUT = 16;
    uint256 private constant SIZE_OVERFLOW = 32;
    uint256 private constant DEPTH_OPEN = 64;

    struct Question {
        address tokenIn;
        address tokenOut;
        uint256 mode;
        uint256 mantissa;
        uint256 scale;
        bool trusted; // tokenIn is known to arrive in full: only the winner is paid
        uint256 salt; // random: no contract can know it
    }

    struct State {
        uint256 startGas;
        uint256 flags;
        // These eight are written to the answer in this order.
        uint256 decimalsIn;
        uint256 decimalsOut;
        uint256 amountIn;
        uint256 holder; // 1: an account holds the size and approved the lens
        uint256 twiceStatus;
        uint256 fillTwice; // received for a second order of the same size just behind, cumulative
        uint256 depth;
        uint256 supply; // of tokenIn; 0 = unreadable
    }

    error AlreadyAsked();

    function ask(Question calldata question, bytes calldata world, Payer[] calldata payers) external {
        if (_busy) revert AlreadyAsked();
        _busy = true;
        State memory state;
        state.startGas = gasleft();
        Book memory book = openBook(world);
        _prepare(book.world.native, question.salt);
        _usePayers(payers);
        _readTokens(question, state);
        _size(question, state);
        Ranking memory ranking;
        if (state.amountIn > 0 && !_isBeyondSupply(question, book, state)) {
            _checkPayer(question, state);
            ranking = _explore(question, book, world, state);
        }
        _write(book, state, ranking);
    }

    function _readTokens(Question calldata question, State memory state) private view {
        bool hasCode;
        bool ok;
        (hasCode, ok, state.decimalsIn) = readDecimals(question.tokenIn);
        if (hasCode) state.flags |= IN_HAS_CODE;
        if (ok) state.flags |= IN_HAS_DECIMALS;
        (hasCode, ok, state.decimalsOut) = readDecimals(question.tokenOut);
        if (hasCode) state.flags |= OUT_HAS_CODE;
        if (ok) state.flags |= OUT_HAS_DECIMALS;
    }

    function _size(Question calldata question, State memory state) private pure {
        unchecked {
            uint256 bothTokens = IN_HAS_DECIMALS | OUT_HAS_DECIMALS;
            if (state.flags & bothTokens != bothTokens) return;
            bool cut;
            bool overflow;
            if (question.mode == BY_TOKEN) {
                (state.amountIn, cut, overflow) = toBaseUnits(question.mantissa, question.scale, state.decimalsIn);
            } else {
                state.amountIn = question.mantissa;
            }
            if (cut) state.flags |= SIZE_CUT;
            if (overflow) {
                state.flags |= SIZE_OVERFLOW;
                state.amountIn = 0;
            }
        }
    }

    /// A sale cannot exceed the supply. Wrapped native currency is minted on deposit, so its supply is no limit.
    function _isBeyondSupply(Question calldata question, Book memory book, State memory state)
        private
        view
        returns (bool)
    {
        (, state.supply) = readWord(question.tokenIn, 0x18160ddd, 0, 0); // totalSupply()
        return state.supply != 0 && state.amountIn > state.supply && question.tokenIn != book.world.native;
    }

    /// Whether an account holds the size and approved the lens. A token whose balanceOf fails cannot be sold at all: the
    /// payment fails in every pool.
    function _checkPayer(Question calldata question, State memory state) private {
        address payer = _payerOf(state.amountIn);
        // balanceOf(0) reverts in some tokens.
        if (payer == address(0)) payer = tx.origin;
        (bool readable, uint256 balance) = readBalance(question.tokenIn, payer);
        if (readable && balance >= state.amountIn) {
            // allowance(address,address)
            (bool ok, uint256 allowed) =
                readWord(question.tokenIn, 0xdd62ed3e, uint256(uint160(payer)), uint256(uint160(address(this))));
            if (ok && allowed >= state.amountIn) state.holder = 1;
        }
        bool paid = !readable || (state.holder != 0 && !question.trusted);
        _sell(question.tokenIn, paid ? PAY : ABANDON);
    }

    function _explore(Question calldata question, Book memory book, bytes calldata world, State memory state)
        private
        returns (Ranking memory ranking)
    {
        unchecked {
            _discoverAll(book, world, question.tokenIn, question.tokenOut);
            ranking = _rank(book, state.amountIn, state.holder != 0);
            if (ranking.length == 0) return ranking;

            Candidate memory winner = ranking.list[0];
            _measureDeepest(book, book.pairs[book.pools[winner.first].pair]);
            if (winner.legs == 2) _measureDeepest(book, book.pairs[book.pools[winner.second].pair]);

            bool beyond = (state.amountIn | winner.received) >> 112 != 0;
            Fill memory twice;
            if (state.amountIn >> 255 == 0) twice = _fillCandidate(book, ranking, winner, state.amountIn * 2);
            (state.twiceStatus, state.fillTwice) = (twice.status, twice.received);
            if (beyond || twice.status == UNREAD) {
                // Depth was not searched.
                (state.depth, state.flags) = (state.amountIn, state.flags | DEPTH_OPEN);
                return ranking;
            }
            bool open;
            (state.depth, open) = _searchDepth(book, ranking, _wholeOf(twice));
            if (open) state.flags |= DEPTH_OPEN;
        }
    }

    // --- the answer ---

    function _write(Book memory book, State memory state, Ranking memory ranking) private {
        unchecked {
            _readFees(book, ranking);
            Words words = startWords();
            words.push(8); // layout version
            words.push(state.flags);
            _writeBlock(words, book.world.arbitrum);
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

    /// The pools of the pairs that matter to the reader: the direct one and those of the candidates, which name their pools
    /// by index.
    function _writeFound(Words words, Book memory book, Ranking memory ranking) private pure {
        unchecked {
            uint256 shown = 1;
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
                words.push(found.pair << 32 | found.slot << 16 | uint256(found.bandStatus) << 8 | found.fill.status);
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

    /// Fees of the pools that a way leads through, as a trader meets them.
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
