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

    address private transient _wrappedNative;

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
        bool[] live; // slots whose factory has code
        Pair[] pairs;
        uint256 pairCount;
        Found[] found;
        uint256 foundCount;
    }

    function _openBook(bytes calldata world) internal returns (Book memory book) {
        book.world = readWorld(world);
        _wrappedNative = book.world.native;
        book.live = new bool[](book.world.slots);
        book.pairs = new Pair[](MAX_PAIRS);
        book.found = new Found[](MAX_FOUND);
        address last;
        bool lastLive;
        for (uint256 i; i < book.live.length; i++) {
            (, address factory,,,) = readSlot(world, book.world.bases, i);
            if (factory != last) (last, lastLive) = (factory, factory.code.length > 0);
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
            uint8 status = NO_FACTORY;
            if (book.live[i]) status = _lookAtSlot(book, world, pairIndex, i);
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
        if (status != FILLED) return status;
        if (book.foundCount == MAX_FOUND) return UNREAD;
        Found memory found = book.found[book.foundCount++];
        (found.pair, found.slot, found.id) = (pairIndex, index, id);
        found.leg = Leg(kind, pool, pair.a, pair.b, fee, spacing, hooks, 0);
        if (pair.amountIn == 0) return NOT_ASKED;
        found.fill = _fillFound(found, pair.amountIn);
        if (found.fill.status == FILLED && found.fill.received > pair.bestReceived) {
            pair.bestReceived = found.fill.received;
            pair.best = book.foundCount;
        }
        return found.fill.status;
    }

    function _fillFound(Found memory found, uint256 amountIn) private returns (Fill memory fill) {
        if (gasleft() < RESERVED_GAS + FILL_GAS + 100_000) {
            fill.status = UNREAD;
            return fill;
        }
        if (_isConcentrated(found.leg.kind)) {
            uint128 liquidity;
            (found.price, liquidity) = _priceAndLiquidity(found);
            if (found.price == 0) {
                fill.status = EMPTY;
                return fill;
            }
            // Walking an empty range costs gas by the tick word: down to a hundredth of the price, where nothing is
            // in range only to four ninths of it.
            found.leg.limit = liquidity == 0
                ? _moved(found.leg, found.price, 2, 3)
                : _moved(found.leg, found.price, 1, 10);
        }
        return _fill(_one(found.leg), amountIn, false, FILL_GAS);
    }

    function _priceAndLiquidity(Found memory found) private view returns (uint256 price, uint128 liquidity) {
        return _range(found.leg, found.id);
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
            Fill memory deep = _fill(_one(found.leg), pair.amountIn, false, DEEP_FILL_GAS);
            if (deep.status != FILLED) {
                found.leg.limit = floor;
                continue;
            }
            found.fill = deep;
            uint256 shift = (found.slot & 63) << 2;
            pair.statuses[found.slot >> 6] ^= uint256(short.status ^ FILLED) << shift;
            if (deep.received > pair.bestReceived) (pair.bestReceived, pair.best) = (deep.received, i + 1);
        }
    }

    /// Below the floor a unit buys less than a tenth of the average so far: the floor's price is the average / 10.
    function _mostBelowFloor(Fill memory fill, uint256 amountIn) private pure returns (uint256) {
        if (amountIn > type(uint120).max || fill.received > type(uint120).max) return type(uint256).max;
        return fill.received + fill.received * (amountIn - fill.used) / fill.used / 10 + 1;
    }

    /// What a price fall of 1 % yields: the measure of depth. Pairs are worked out from their reserves by the reader.
    function _measureBand(Found memory found) internal {
        if (!_isConcentrated(found.leg.kind)) {
            bool ok;
            (ok, found.price, found.reserveOut) = _reserves(found.leg);
            found.bandStatus = ok ? FILLED : UNREAD;
            found.bandIn = found.price / 200;
            return;
        }
        if (found.price == 0) (found.price,) = _priceAndLiquidity(found);
        if (found.price == 0) {
            found.bandStatus = EMPTY;
            return;
        }
        Leg memory leg = found.leg;
        // sqrt(0.99) = 0.994987437106620
        leg = Leg(leg.kind, leg.pool, leg.tokenIn, leg.tokenOut, leg.fee, leg.spacing, leg.hooks, 0);
        leg.limit = _moved(leg, found.price, 994987437106620, 1e15);
        Fill memory fill = _fill(_one(leg), uint256(uint128(type(int128).max)) >> 1, true, 1_000_000);
        found.bandStatus = fill.status;
        (found.bandIn, found.bandOut) = (fill.used, fill.nominal);
    }

    /// The square-root price moved against the seller by part/whole.
    function _moved(Leg memory leg, uint256 price, uint256 part, uint256 whole) internal view returns (uint160) {
        address a = leg.tokenIn;
        address b = leg.tokenOut;
        if (leg.kind == KIND_V4_NATIVE) {
            if (a == _wrappedNative) a = address(0);
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

    function _native() internal view override returns (address) {
        return _wrappedNative;
    }

    function _wrapped() internal view override returns (address) {
        return _wrappedNative;
    }
}
