// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Market.sol";
import "./Sizes.sol";
import "./Notes.sol";

/// A pool that the factories' logs named: no slot finds it, because its counter-asset or its hook is in no list.
struct KnownPool {
    uint8 kind;
    address pool; // or the singleton's manager
    address counter; // the wrapped native token where the pool holds the native one
    uint24 fee;
    int24 spacing;
    address hooks;
}

/// What the pre-trade check needs to know of one token, read at one block: who it says it is, every pool that is there
/// for it, and what sales can really draw from each. It reports, it does not revert.
contract ExitLens is Market {
    /// Gas of one simulated sale down to a hundredth of the price.
    uint256 private constant POT_GAS = 2_200_000;
    /// Gas of one simulated sale over the whole price range, which reads every word of the tick bitmap.
    uint256 private constant WHOLE_GAS = 10_000_000;
    /// Kept back so that the answer can be written whatever came before.
    uint256 private constant ANSWER_GAS = 1_500_000;

    uint256 private constant MAX_WORDS = 6_000;
    uint256 private constant NO_SLOT = 0xffff;

    struct Exit {
        Found found; // leg: token -> counter
        uint256 status;
        uint256 used;
        uint256 pot;
        uint256 stockStatus; // singletons: a purchase of all that is there
        uint256 stock;
    }

    error AlreadyAsked();

    /// @param whole sells to the end of a concentrated pool's price range instead of a hundredth of its price
    /// @param salt random and new for every question: it marks results
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
        words.push(getters.length);
        for (uint256 i; i < getters.length; i++) _writeWord(words, token, getters[i]);
        words.push(holders.length);
        for (uint256 i; i < holders.length; i++) {
            (bool ok, uint256 balance) = readBalance(token, holders[i]);
            words.push(ok ? 1 : 0);
            words.push(balance);
        }
        Book memory book = openBook(world);
        _prepare(book.world.native, salt);
        _writeBases(words, book, world);
        _writeMarket(words, book, world, token, known, whole);
        words.finish();
    }

    // --- the block and the token ---

    function _writeBlock(Notes memory words) private view {
        words.push(block.number);
        words.push(block.timestamp);
        words.push(uint256(blockhash(block.number - 1)));
        words.push(block.basefee);
    }

    function _writeToken(Notes memory words, address token) private view {
        (bool hasCode, bool ok, uint256 decimals) = readDecimals(token);
        words.push(hasCode ? 1 : 0);
        words.push(uint256(token.codehash));
        words.push(ok ? 1 : 0);
        words.push(decimals);
        _writeWord(words, token, 0x18160ddd); // totalSupply()
        _writeWord(words, token, 0x8da5cb5b); // owner()
        _writeWord(words, token, 0x893d20e8); // getOwner()
        // No token has this function: one that answers it answers everything, and its getters say nothing.
        _writeWord(words, token, 0x5ec0de11);
        _writeText(words, token, 0x06fdde03); // name()
        _writeText(words, token, 0x95d89b41); // symbol()
    }

    function _writeWord(Notes memory words, address target, bytes4 selector) private view {
        (bool ok, uint256 word) = readWord(target, selector, 0, 0);
        words.push(ok && target.code.length > 0 ? 1 : 0);
        words.push(word);
    }

    /// The first five words of an answer, whether that is a string or, as in old tokens, 32 bytes.
    function _writeText(Notes memory words, address target, bytes4 selector) private view {
        (bool ok, uint256 size, uint256[5] memory text) = readWords(target, selector);
        words.push(ok ? 1 : 0);
        words.push(size);
        for (uint256 i; i < 5; i++) words.push(text[i]);
    }

    function _writeBases(Notes memory words, Book memory book, bytes calldata world) private view {
        words.push(readSequencer(book.world.sequencer));
        words.push(book.world.bases);
        for (uint256 i; i < book.world.bases; i++) {
            (address base, address feedAddress) = readBase(world, i);
            Feed memory feed = readFeed(feedAddress);
            (, bool ok, uint256 decimals) = readDecimals(base);
            words.push(uint256(uint160(base)));
            words.push(ok ? 1 : 0);
            words.push(decimals);
            words.push(feed.read ? 1 : 0);
            words.push(feed.answer);
            words.push(feed.updatedAt);
            words.push(feed.decimals);
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

    function _fromKnown(address token, KnownPool calldata pool) private view returns (Found memory found) {
        (found.pair, found.slot) = (NO_SLOT, NO_SLOT);
        found.leg = Leg(pool.kind, pool.pool, token, pool.counter, pool.fee, pool.spacing, pool.hooks, 0);
        found.id = pool.kind < KIND_V4 ? bytes32(uint256(uint160(pool.pool))) : _poolId(found.leg);
        if (gasleft() < ANSWER_GAS + POT_GAS) return found;
        found.fill.status = _judgeState(found, _readState(found));
    }

    function _isFound(Exit[] memory exits, uint256 count, KnownPool calldata pool) private pure returns (bool) {
        for (uint256 i; i < count; i++) {
            Leg memory leg = exits[i].found.leg;
            if (leg.pool != pool.pool || leg.tokenOut != pool.counter) continue;
            if (pool.kind < KIND_V4) return true;
            if (
                leg.kind == pool.kind && leg.fee == pool.fee && leg.spacing == pool.spacing && leg.hooks == pool.hooks
            ) return true;
        }
        return false;
    }

    /// Indices of the pools by how much of the token they trade at their price, largest first.
    function _largestFirst(Exit[] memory exits, uint256 count) private view returns (uint256[] memory order) {
        order = new uint256[](count);
        uint256[] memory sizes = new uint256[](count);
        for (uint256 i; i < count; i++) {
            uint256 size = _tokenReserve(exits[i].found);
            uint256 at = i;
            for (; at > 0 && sizes[at - 1] < size; at--) (sizes[at], order[at]) = (sizes[at - 1], order[at - 1]);
            (sizes[at], order[at]) = (size, i);
        }
    }

    /// The reserve of the token; of a concentrated pool the virtual one of its liquidity in range.
    function _tokenReserve(Found memory found) private view returns (uint256) {
        Leg memory leg = found.leg;
        if (!isConcentrated(leg.kind)) return found.price;
        if (found.price == 0) return 0;
        uint256 liquidity = uint128(found.liquidity);
        // currency0 is the token unless the counter-asset has the lower address or is the native one.
        if (_isUp(leg)) return (liquidity << 96) / found.price;
        return ((liquidity >> 32) * uint160(found.price)) >> 64;
    }

    /// Sells without end, down to a hundredth of the price, and takes the sale back. What came out is the pot.
    function _measure(Exit memory exit, bool whole) private {
        uint256 potGas = whole ? WHOLE_GAS : POT_GAS;
        // The work cap of one call: no outage, and asking again would end at the same pool.
        if (gasleft() < ANSWER_GAS + potGas) return;
        Found memory found = exit.found;
        if (found.fill.status != NOT_ASKED) {
            // Without code nothing was returned.
            exit.status = found.fill.status == EMPTY ? EMPTY : UNREAD;
            return;
        }
        Leg memory leg = found.leg;
        uint256 amount;
        if (isConcentrated(leg.kind)) {
            if (!whole) leg.limit = _moved(leg, found.price, 1, 10);
            amount = uint256(uint128(type(int128).max)) >> 1;
        } else {
            // Reserves above the balances are not believed.
            (bool ok, uint256 holds) = readBalance(leg.tokenOut, leg.pool);
            if (!ok || holds < found.reserveOut || found.price > type(uint128).max) {
                exit.status = UNREAD;
                return;
            }
            // x*y=k: ten times the reserve of the token is a hundredth of the price.
            amount = found.price * 9;
            if (amount == 0) {
                exit.status = EMPTY;
                return;
            }
        }
        Fill memory fill = _fillOne(leg, amount, TO_LIMIT, potGas);
        (exit.status, exit.used, exit.pot) = (fill.status, fill.used, fill.received);
        if (leg.kind >= KIND_V4 && !whole) _measureStock(exit);
        leg.limit = 0;
    }

    /// How much of the token the singleton holds for this pool: what a purchase without end brings out.
    function _measureStock(Exit memory exit) private {
        if (gasleft() < ANSWER_GAS + POT_GAS) {
            exit.stockStatus = UNREAD;
            return;
        }
        Leg memory leg = exit.found.leg;
        Leg memory back =
            Leg(leg.kind, leg.pool, leg.tokenOut, leg.tokenIn, leg.fee, leg.spacing, leg.hooks, 0);
        // Ten thousand times the price: spacing 1 would cost more gas than a node gives for the whole range.
        back.limit = _moved(back, exit.found.price, 1, 100);
        Fill memory fill = _fillOne(back, uint256(uint128(type(int128).max)) >> 1, TO_LIMIT, POT_GAS);
        (exit.stockStatus, exit.stock) = (fill.status, fill.nominal);
    }

    function _writeExit(Notes memory words, Exit memory exit) private view {
        Found memory found = exit.found;
        Leg memory leg = found.leg;
        words.push(found.pair);
        words.push(found.slot);
        words.push(uint256(found.id));
        words.push(leg.kind);
        words.push(uint256(uint160(leg.pool)));
        words.push(uint256(uint160(leg.tokenOut)));
        words.push(leg.fee);
        words.push(uint24(int24(leg.spacing)));
        words.push(uint256(uint160(leg.hooks)));
        words.push(_feePips(found));
        words.push(exit.status);
        words.push(exit.used);
        words.push(exit.pot);
        words.push(found.price);
        words.push(isConcentrated(leg.kind) ? found.liquidity : found.reserveOut);
        words.push(exit.stockStatus);
        words.push(exit.stock);
    }

    // --- where counter-assets are traded on ---

    /// Sells each pot that is paid in an asset without a price on, whole, into every base asset: what a second hop
    /// really pays for it, and where. Of each base asset paid in, the pool where it trades against the native token:
    /// who simulates a purchase needs somebody beside the traded pool to give him that asset.
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
            if (exits[i].pot == 0) continue;
            address counter = exits[i].found.leg.tokenOut;
            bool isBase = _isBase(book, world, counter);
            if (isBase ? counter == book.world.native || _seenBefore(exits, i) : exits[i].found.slot != NO_SLOT) continue;
            for (uint256 j; j < book.world.bases; j++) {
                (address base,) = readBase(world, j);
                if (base == token || base.code.length == 0 || (isBase && base != book.world.native)) continue;
                if (book.pairCount == MAX_PAIRS || gasleft() < RESERVED_GAS + FILL_GAS) break;
                Pair memory pair = _discover(book, world, counter, base);
                _bind(book, pair, exits[i].pot);
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
            if (exits[i].pot > 0 && exits[i].found.leg.tokenOut == exits[index].found.leg.tokenOut) return true;
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
