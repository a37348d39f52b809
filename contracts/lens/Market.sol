// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Filler.sol";
import "./PoolFinder.sol";
import "./World.sol";

/// Looks at every slot for a pair of tokens and fills what it finds.
abstract contract Market is Filler, PoolFinder {
    uint256 internal constant MAX_FOUND = 160;
    uint256 internal constant MAX_PAIRS = 32;
    /// Gas of one fill. A tick spacing of 1 takes 1.4M down to the floor; more means the pool is left unread.
    uint256 internal constant FILL_GAS = 2_200_000;
    uint256 internal constant DEEP_FILL_GAS = 5_000_000;
    /// Kept back for what follows the look at the market: check, 2x, depth, bands.
    uint256 internal constant RESERVED_GAS = 5_000_000;

    error NoCode();

    /// The token that the question sells, and how frames that sell it end.
    address private transient _sold;
    uint8 private transient _saleMode;

    struct Pair {
        address a;
        address b;
        uint256 amountIn;
        uint256 best; // index of the best fill + 1
        uint256 bestReceived;
        uint256[] statuses; // four bits a slot
    }

    struct Book {
        World world;
        uint8[] live; // slots whose factory has no code (NO_FACTORY), answers (FILLED), or failed to (UNREAD)
        Pair[] pairs;
        uint256 pairCount;
        Found[] found;
        uint256 foundCount;
    }

    function _openBook(bytes calldata world) internal view returns (Book memory book) {
        book.world = readWorld(world);
        book.live = new uint8[](book.world.slots);
        book.pairs = new Pair[](MAX_PAIRS);
        book.found = new Found[](MAX_FOUND);
        address last;
        uint8 lastLive;
        for (uint256 i; i < book.live.length; i++) {
            (, address factory,,,) = readSlot(world, book.world.bases, i);
            if (factory != last) (last, lastLive) = (factory, factory.code.length > 0 ? FILLED : NO_FACTORY);
            book.live[i] = lastLive;
        }
    }

    /// Asks every slot for a -> b. With `amountIn` 0 pools are found but not filled.
    function _lookAt(Book memory book, bytes calldata world, address a, address b, uint256 amountIn)
        internal
        returns (uint256 pairIndex)
    {
        pairIndex = book.pairCount++;
        Pair memory pair = book.pairs[pairIndex];
        (pair.a, pair.b, pair.amountIn) = (a, b, amountIn);
        pair.statuses = new uint256[]((book.live.length + 63) / 64);
        uint256 firstFound = book.foundCount;
        for (uint256 i; i < book.live.length; i++) {
            uint8 status = book.live[i];
            if (status == FILLED) status = _lookAtSlot(book, world, pairIndex, i);
            pair.statuses[i >> 6] |= uint256(status) << ((i & 63) << 2);
        }
        _retryShort(book, pair, firstFound);
    }

    function _lookAtSlot(Book memory book, bytes calldata world, uint256 pairIndex, uint256 index)
        private
        returns (uint8 status)
    {
        Pair memory pair = book.pairs[pairIndex];
        (uint8 kind, address factory, uint24 fee, int24 spacing, address hooks) =
            readSlot(world, book.world.bases, index);
        if (kind == KIND_V4_NATIVE && pair.a != book.world.native && pair.b != book.world.native) return NOT_ASKED;
        if (gasleft() < RESERVED_GAS + 100_000) return UNREAD;
        address pool;
        bytes32 id;
        (status, pool, id) = _find(kind, factory, fee, spacing, hooks, pair.a, pair.b);
        if (status == UNREAD) _giveUp(book, world, index, factory);
        if (status != FILLED) return status;
        if (book.foundCount == MAX_FOUND) return UNREAD;
        Found memory found = book.found[book.foundCount++];
        (found.pair, found.slot, found.id) = (pairIndex, index, id);
        found.leg = Leg(kind, pool, pair.a, pair.b, fee, spacing, hooks, 0);
        if (pool.code.length == 0) {
            (found.fill.status, found.fill.reason) = (REJECTED, NoCode.selector);
            return REJECTED;
        }
        if (pair.amountIn == 0) return NOT_ASKED;
        found.fill = _fillFound(found, pair.amountIn);
        if (found.fill.status == FILLED && found.fill.received > pair.bestReceived) {
            pair.bestReceived = found.fill.received;
            pair.best = book.foundCount;
        }
        return found.fill.status;
    }

    /// A factory that burns its gas or answers garbage is not asked again: a hundred such answers would cost the others'.
    function _giveUp(Book memory book, bytes calldata world, uint256 index, address failed) private pure {
        for (uint256 i = index + 1; i < book.live.length; i++) {
            (, address factory,,,) = readSlot(world, book.world.bases, i);
            if (factory == failed) book.live[i] = UNREAD;
        }
        book.live[index] = UNREAD;
    }

    function _fillFound(Found memory found, uint256 amountIn) private returns (Fill memory fill) {
        if (gasleft() < RESERVED_GAS + FILL_GAS + 100_000) {
            fill.status = UNREAD;
            return fill;
        }
        if (_isConcentrated(found.leg.kind)) {
            (bool ok, uint256 price, uint128 liquidity) = _range(found.leg, found.id);
            if (!ok || price == 0) {
                fill.status = ok ? EMPTY : UNREAD;
                return fill;
            }
            found.price = price;
            // Walking an empty range costs gas by the tick word: down to a hundredth of the price, where nothing is
            // in range only to four ninths of it.
            found.leg.limit = liquidity == 0
                ? _moved(found.leg, found.price, 2, 3)
                : _moved(found.leg, found.price, 1, 10);
        }
        return _fill(_one(found.leg), amountIn, _modeOf(found.leg), FILL_GAS);
    }

    /// The token that is sold may be of any kind and is paid with; the base assets in the middle are not.
    function _modeOf(Leg memory leg) internal view returns (uint8) {
        return leg.tokenIn == _sold ? _saleMode : ABANDON;
    }

    function _sell(address token, uint8 mode) internal {
        (_sold, _saleMode) = (token, mode);
    }

    /// A pool that stopped at the floor, or found nothing near its price, may still fill the whole size further on:
    /// asked when that could win. Not at a spacing of one tick, where the walk alone is beyond any gas limit.
    function _retryShort(Book memory book, Pair memory pair, uint256 firstFound) private {
        for (uint256 i = firstFound; i < book.foundCount; i++) {
            Found memory found = book.found[i];
            Fill memory short = found.fill;
            if (found.leg.limit == 0 || _isFine(found.leg)) continue;
            if (short.status != PARTIAL && short.status != EMPTY) continue;
            if (gasleft() < RESERVED_GAS + DEEP_FILL_GAS + 200_000) return;
            if (pair.bestReceived > 0) {
                if (short.used == 0 || _mostBelowFloor(short, pair.amountIn) <= pair.bestReceived) continue;
            }
            uint160 floor = found.leg.limit;
            found.leg.limit = 0;
            Fill memory deep = _fill(_one(found.leg), pair.amountIn, _modeOf(found.leg), DEEP_FILL_GAS);
            if (deep.status != FILLED) {
                found.leg.limit = floor;
                continue;
            }
            _setStatus(book, found, FILLED);
            found.fill = deep;
            if (deep.received > pair.bestReceived) (pair.bestReceived, pair.best) = (deep.received, i + 1);
        }
    }

    function _setStatus(Book memory book, Found memory found, uint8 status) internal pure {
        uint256[] memory statuses = book.pairs[found.pair].statuses;
        statuses[found.slot >> 6] ^= uint256(found.fill.status ^ status) << ((found.slot & 63) << 2);
        found.fill.status = status;
    }

    /// Below the floor a unit buys less than a tenth of the average so far: the floor's price is the average / 10.
    function _mostBelowFloor(Fill memory fill, uint256 amountIn) private pure returns (uint256) {
        if (amountIn > type(uint120).max || fill.received > type(uint120).max) return type(uint256).max;
        return fill.received + fill.received * (amountIn - fill.used) / fill.used / 10 + 1;
    }

    /// What a price fall of 1 % yields: the measure of depth. Pairs are worked out from their reserves by the reader.
    /// A pool whose swap fails has no price that anybody could get.
    function _measureBand(Found memory found) internal {
        if (found.fill.status == UNREAD || found.fill.status == REJECTED) {
            found.bandStatus = found.fill.status;
            return;
        }
        if (!_isConcentrated(found.leg.kind)) {
            bool ok;
            (ok, found.price, found.reserveOut) = _reserves(found.leg);
            found.bandStatus = ok ? FILLED : UNREAD;
            found.bandIn = found.price / 200;
            return;
        }
        if (found.price == 0) (, found.price,) = _range(found.leg, found.id);
        if (found.price == 0) {
            found.bandStatus = EMPTY;
            return;
        }
        Leg memory leg = found.leg;
        // sqrt(0.99) = 0.994987437106620
        leg = Leg(leg.kind, leg.pool, leg.tokenIn, leg.tokenOut, leg.fee, leg.spacing, leg.hooks, 0);
        leg.limit = _moved(leg, found.price, 994987437106620, 1e15);
        Fill memory fill = _fill(_one(leg), uint256(uint128(type(int128).max)) >> 1, TO_LIMIT, 1_000_000);
        found.bandStatus = fill.status;
        (found.bandIn, found.bandOut) = (fill.used, fill.received);
    }

    /// The square-root price moved against the seller by part/whole.
    function _moved(Leg memory leg, uint256 price, uint256 part, uint256 whole) internal view returns (uint160) {
        address a = leg.tokenIn;
        address b = leg.tokenOut;
        if (leg.kind == KIND_V4_NATIVE) {
            if (a == _native()) a = address(0);
            else b = address(0);
        }
        if (a < b) {
            price = price * part / whole;
            return price <= MIN_SQRT ? MIN_SQRT + 1 : uint160(price);
        }
        price = price * whole / part;
        return price >= MAX_SQRT ? MAX_SQRT - 1 : uint160(price);
    }

    function _isFine(Leg memory leg) private pure returns (bool) {
        return leg.spacing == 1 || (leg.kind == KIND_V3 && leg.fee <= 100);
    }

    function _isConcentrated(uint8 kind) internal pure returns (bool) {
        return kind == KIND_V3 || kind == KIND_SLIPSTREAM || kind == KIND_ALGEBRA || kind >= KIND_V4;
    }

    function _one(Leg memory leg) internal pure returns (Leg[] memory legs) {
        legs = new Leg[](1);
        legs[0] = leg;
    }

    function _two(Leg memory first, Leg memory second) internal pure returns (Leg[] memory legs) {
        legs = new Leg[](2);
        legs[0] = first;
        legs[1] = second;
    }

    function _wrapped() internal view override returns (address) {
        return _native();
    }
}
