// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Book.sol";
import "./PoolFinder.sol";

/// Looks at every slot for a pair of tokens, and reads the state of the pools that are there. Never swaps.
abstract contract Discovery is PoolFinder {
    /// Kept back for what follows the look at the market: check, 2x, depth, bands.
    uint256 internal constant RESERVED_GAS = 5_000_000;

    error NoCode();

    function _discover(Book memory book, bytes calldata world, address a, address b)
        internal
        view
        returns (Pair memory pair)
    {
        pair = book.addPair(a, b);
        uint256 slots = book.live.length;
        pair.statuses = new uint256[]((slots + 63) >> 6);
        for (uint256 i; i < slots;) {
            uint256 status = book.live[i];
            if (status == FILLED) {
                (uint8 kind, address factory, uint24 fee, int24 spacing,) = readSlot(world, book.world.bases, i);
                if (kind >= KIND_V4) {
                    i = _discoverRun(book, world, pair, i);
                    continue;
                }
                if (gasleft() < RESERVED_GAS + 100_000) status = UNREAD;
                else status = _discoverPool(book, world, pair, i, kind, factory, fee, spacing);
            }
            _note(pair, i, status);
            unchecked {
                i++;
            }
        }
        for (uint256 i = pair.first; i < pair.end; i++) _readState(book, book.pools[i]);
    }

    function _note(Pair memory pair, uint256 slot, uint256 status) private pure {
        pair.statuses[slot >> 6] |= status << ((slot & 63) << 2);
    }

    function _discoverPool(
        Book memory book,
        bytes calldata world,
        Pair memory pair,
        uint256 index,
        uint8 kind,
        address factory,
        uint24 fee,
        int24 spacing
    ) private view returns (uint256) {
        (uint8 status, address pool) = _find(kind, factory, fee, spacing, pair.a, pair.b);
        if (status == UNREAD) _giveUp(book, world, index, factory);
        if (status != FILLED) return status;
        if (book.foundCount == MAX_FOUND) return UNREAD;
        Found memory found = book.addPool(pair);
        (found.slot, found.id) = (index, bytes32(uint256(uint160(pool))));
        found.leg = Leg(kind, pool, pair.a, pair.b, fee, spacing, address(0), 0);
        if (pool.code.length > 0) return NOT_ASKED;
        (found.fill.status, found.fill.reason) = (REJECTED, NoCode.selector);
        return REJECTED;
    }

    /// The slots of one singleton that follow one another, read in one call.
    /// @return end the first slot behind them
    function _discoverRun(Book memory book, bytes calldata world, Pair memory pair, uint256 from)
        private
        view
        returns (uint256 end)
    {
        address manager = factoryOf(world, book.world.bases, from);
        bool native = pair.a == book.world.native || pair.b == book.world.native;
        for (end = from; end < book.live.length; end++) {
            (uint8 kind, address factory,,,) = readSlot(world, book.world.bases, end);
            if (kind < KIND_V4 || factory != manager) break;
        }
        uint256[] memory ids = new uint256[](end - from);
        uint256[] memory words = new uint256[](end - from);
        for (uint256 i = from; i < end; i++) {
            (uint8 kind,, uint24 fee, int24 spacing, address hooks) = readSlot(world, book.world.bases, i);
            if (kind == KIND_V4_NATIVE && !native) continue;
            bytes32 id = _poolId(kind, fee, spacing, hooks, pair.a, pair.b);
            (ids[i - from], words[i - from]) = (uint256(id), _slotOf(id));
        }
        bool read = gasleft() > RESERVED_GAS + 1_000_000 && _readSlots(manager, words);
        if (!read) _giveUp(book, world, from, manager);
        for (uint256 i = from; i < end; i++) {
            if (ids[i - from] == 0) continue;
            uint256 status = UNREAD;
            if (read) {
                if (uint160(words[i - from]) == 0) status = NO_POOL;
                else if (book.foundCount < MAX_FOUND) status = NOT_ASKED;
            }
            _note(pair, i, status);
            if (status != NOT_ASKED) continue;
            (uint8 kind,, uint24 fee, int24 spacing, address hooks) = readSlot(world, book.world.bases, i);
            Found memory found = book.addPool(pair);
            (found.slot, found.id) = (i, bytes32(ids[i - from]));
            found.leg = Leg(kind, manager, pair.a, pair.b, fee, spacing, hooks, 0);
        }
    }

    /// A factory that burns its gas or answers garbage is not asked again: a hundred such answers would cost the others'.
    function _giveUp(Book memory book, bytes calldata world, uint256 index, address failed) private pure {
        for (uint256 i = index; i < book.live.length; i++) {
            if (factoryOf(world, book.world.bases, i) == failed) book.live[i] = UNREAD;
        }
    }

    /// Price and liquidity, or reserves, as the pool says them.
    function _readState(Book memory book, Found memory found) private view {
        if (found.fill.status != NOT_ASKED) return;
        bool ok = gasleft() > RESERVED_GAS + 100_000;
        if (ok && isConcentrated(found.leg.kind)) {
            (ok, found.price, found.liquidity) = _range(found.leg, found.id);
            if (ok && found.price == 0) return book.setStatus(found, EMPTY);
            ok = ok && found.price >= MIN_SQRT && found.price <= MAX_SQRT;
        } else if (ok) {
            (ok, found.price, found.reserveOut) = _reserves(found.leg);
        }
        if (!ok) book.setStatus(found, UNREAD);
    }

    /// tokenIn is currency 0 of the pool.
    function _isUp(Leg memory leg) internal view returns (bool) {
        if (leg.kind == KIND_V4_NATIVE) return leg.tokenIn == _wrapped();
        return leg.tokenIn < leg.tokenOut;
    }
}
