// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Depth.sol";
import "./Words.sol";

interface IArbSys {
    function arbBlockNumber() external view returns (uint256);
    function arbBlockHash(uint256 number) external view returns (bytes32);
}

/// Answers one question about a pair in one eth_call: what the full size really fetches, by which route, and how deep
/// the market is around it. Runs as a `code` override, stores nothing, and reports instead of reverting.
/// `engine/quote/decodeReading.ts` decodes the answer.
contract QuoteLens is Depth {
    // How the size is given.
    uint256 private constant BY_TOKEN = 0; // mantissa / 10^scale whole tokens
    uint256 private constant BY_USD = 1; // mantissa / 10^scale USD, by tokenIn's feed
    uint256 private constant BY_UNITS = 2; // base units
    uint256 private constant SURVEY = 3; // no size: the price of tokenIn against the base assets

    uint256 private constant IN_HAS_CODE = 1;
    uint256 private constant IN_HAS_DECIMALS = 2;
    uint256 private constant OUT_HAS_CODE = 4;
    uint256 private constant OUT_HAS_DECIMALS = 8;
    uint256 private constant SIZE_CUT = 16;
    uint256 private constant SIZE_OVERFLOW = 32;
    uint256 private constant SURVEYED = 64;
    uint256 private constant DEPTH_OPEN = 128;

    struct Question {
        address tokenIn;
        address tokenOut;
        uint256 mode;
        uint256 mantissa;
        uint256 scale;
        address feed; // tokenIn's USD feed, 0 without one
        uint256 heartbeat;
        bool trusted; // tokenIn is known to arrive in full: only the winner is paid
        uint256 salt; // random: no contract can know it
    }

    struct State {
        uint256 startGas;
        uint256 flags;
        // These nine are written to the answer in this order.
        uint256 decimalsIn;
        uint256 decimalsOut;
        uint256 amountIn;
        uint256 sequencer;
        uint256 holder; // 1: an account holds the size and approved the lens
        uint256 twiceStatus;
        uint256 fillTwice; // received for a second order of the same size just behind, cumulative
        uint256 depth;
        uint256 supply; // of tokenIn; 0 = unreadable
        Feed feed;
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
        _size(question, book, state);
        Ranking memory ranking;
        if (state.flags & SURVEYED != 0) _survey(question, book, world);
        else if (state.amountIn > 0 && !_isBeyondSupply(question, book, state)) {
            _checkPayer(question, state);
            ranking = _explore(question, book, world, state);
        }
        _write(book, world, state, ranking);
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

    function _size(Question calldata question, Book memory book, State memory state) private view {
        unchecked {
            uint256 bothTokens = IN_HAS_DECIMALS | OUT_HAS_DECIMALS;
            if (state.flags & bothTokens != bothTokens) return;
            bool cut;
            bool overflow;
            if (question.mode == BY_TOKEN) {
                (state.amountIn, cut, overflow) = toBaseUnits(question.mantissa, question.scale, state.decimalsIn);
            } else if (question.mode == BY_UNITS) {
                state.amountIn = question.mantissa;
            } else if (question.mode == SURVEY) {
                state.flags |= SURVEYED;
            } else {
                state.feed = readFeed(question.feed);
                state.sequencer = readSequencer(book.world.sequencer);
                bool fresh = state.feed.read && state.feed.answer > 0 && state.sequencer < 2
                    && state.feed.updatedAt <= block.timestamp && block.timestamp - state.feed.updatedAt <= question.heartbeat;
                if (!fresh) state.flags |= SURVEYED;
                else (state.amountIn, overflow) =
                    usdToBaseUnits(question.mantissa, question.scale, state.decimalsIn, state.feed);
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

    /// Finds the pools of tokenIn with each base asset and measures the deepest; the reader makes a price of it.
    function _survey(Question calldata question, Book memory book, bytes calldata world) private {
        unchecked {
            for (uint256 i; i < book.world.bases && book.pairCount < MAX_PAIRS; i++) {
                (address base,) = readBase(world, i);
                if (base == question.tokenIn) continue;
                _measureDeepest(book, _discover(book, world, question.tokenIn, base));
            }
        }
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

    function _write(Book memory book, bytes calldata world, State memory state, Ranking memory ranking) private {
        unchecked {
            _readFees(book, ranking);
            BaseFeed[] memory feeds = _readFeeds(book, world, state);
            Words words = startWords();
            words.push(7); // layout version
            words.push(state.flags);
            _writeBlock(words, book.world.arbitrum);
            uint256 fields;
            assembly ("memory-safe") {
                fields := add(state, 64)
            }
            words.pushFields(fields, 9);
            _writeFeed(words, state.feed);
            _writePairs(words, book);
            _writeFound(words, book, state, ranking);
            _writeCandidates(words, ranking);
            words.push(feeds.length);
            for (uint256 i; i < feeds.length; i++) {
                words.push(uint256(uint160(feeds[i].base)));
                words.push(feeds[i].decimals);
                _writeFeed(words, feeds[i].feed);
            }
            words.push(state.startGas - gasleft());
            words.finish();
        }
    }

    function _writeBlock(Words words, bool arbitrum) private view {
        unchecked {
            uint256 number = block.number;
            bytes32 parent = blockhash(number - 1);
            if (arbitrum) {
                // block.number is the parent chain's; ArbSys (0x64) knows the chain's own.
                (bool ok, uint256 own) = readWord(address(0x64), IArbSys.arbBlockNumber.selector, 0, 0);
                number = ok ? own : 0;
                if (ok) {
                    (bool hashed, uint256 hash) = readWord(address(0x64), IArbSys.arbBlockHash.selector, own - 1, 0);
                    parent = hashed ? bytes32(hash) : bytes32(0);
                }
            }
            words.push(number);
            words.push(block.timestamp);
            words.push(uint256(parent));
        }
    }

    function _writeFeed(Words words, Feed memory feed) private pure {
        uint256 fields;
        assembly ("memory-safe") {
            fields := feed
        }
        words.pushFields(fields, 4);
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

    /// The pools of the pairs that matter to the reader: the direct one and those of the candidates, who are named by
    /// the index of their pools; in a survey all.
    function _writeFound(Words words, Book memory book, State memory state, Ranking memory ranking) private pure {
        unchecked {
            uint256 shown = state.flags & SURVEYED != 0 ? type(uint256).max : 1;
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

    struct BaseFeed {
        address base;
        uint256 decimals;
        Feed feed;
    }

    /// In a survey the base assets' feeds are read as well: they turn a mid into USD.
    function _readFeeds(Book memory book, bytes calldata world, State memory state)
        private
        view
        returns (BaseFeed[] memory feeds)
    {
        if (state.flags & SURVEYED == 0) return feeds;
        feeds = new BaseFeed[](book.world.bases);
        for (uint256 i; i < feeds.length; i++) {
            (address base, address feed) = readBase(world, i);
            (feeds[i].base, feeds[i].feed) = (base, readFeed(feed));
            (,, feeds[i].decimals) = readDecimals(base);
        }
    }
}
