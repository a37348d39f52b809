// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./ExitSales.sol";
import "./Frames.sol";

/// Measures a token's known pools and routes, without look-ups. With half the code of ExitLens it also replaces
/// QuoteLens for these routes. The query is packed, which keeps code and request short.
abstract contract Rechecks is ExitSales, Frames {
    uint256 private constant MAX_WORDS = 2_500;
    /// Gas of one sale along a route.
    uint256 private constant ROUTE_GAS = 3_000_000;

    /// Maximum number of pools of routes: `maxPools` of `engine/pretrade/exit/recheckRoutes.ts`.
    uint256 private constant MAX_ROUTE_POOLS = 8;

    /// Calldata position of the next value of the query.
    struct Cursor {
        uint256 at;
    }

    /// Callbacks of pools.
    fallback() external payable {
        _callBack();
    }

    /// Returns block, token and base assets as ExitLens does, then pools and sales in the order of the query.
    ///
    /// The query follows the selector (`engine/pretrade/exit/encodeRecheck.ts`): token, wrapped native token,
    /// sequencer feed, random salt of 16 bytes, then lists that start with their length in one byte: getters
    /// (selectors), holders (addresses), base assets (token and feed), pools (see `_nextLeg`, largest first), and pools
    /// of routes (sold token, amount of 32 bytes, pool). Then follow the number of sales (1 byte), the list of routes
    /// (see `_sellAlong`), and until there are as many sales: the number of routes, from the first on, that sell an
    /// amount (1 byte), and the amount (16).
    function recheck() external {
        unchecked {
        if (_busy) revert Reentered();
        _busy = true;
        Notes memory words = newNotes(MAX_WORDS);
        Cursor memory cursor = Cursor(4);
        address token = _nextAddress(cursor);
        address native = _nextAddress(cursor);
        address sequencer = _nextAddress(cursor);
        _prepare(native, _take(cursor, 16));
        _writeBlock(words);
        _writeToken(words, token);
        for (uint256 left = _nextCount(cursor, words); left > 0; left--) {
            _writeWord(words, token, bytes4(uint32(_take(cursor, 4))));
        }
        for (uint256 left = _nextCount(cursor, words); left > 0; left--) {
            _writeBalance(words, token, _nextAddress(cursor));
        }
        words.push(readSequencer(sequencer));
        for (uint256 left = _nextCount(cursor, words); left > 0; left--) {
            address base = _nextAddress(cursor);
            _writeBase(words, base, _nextAddress(cursor));
        }
        for (uint256 left = _nextCount(cursor, words); left > 0; left--) {
            // Not `Exit memory exit`, which would also allocate a `Found`.
            Exit memory exit = Exit(_readPool(_nextLeg(cursor, token)), 0, 0, 0);
            _measure(exit, false);
            _writeSale(words, exit);
        }
        _writeRoutes(words, cursor);
        words.finish();
        }
    }

    function _take(Cursor memory cursor, uint256 size) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            let at := mload(cursor)
            value := shr(sub(256, shl(3, size)), calldataload(at))
            mstore(cursor, add(at, size))
        }
    }

    function _nextAddress(Cursor memory cursor) private pure returns (address) {
        return address(uint160(_take(cursor, 20)));
    }

    /// Reads the length of a list, and also writes it to the answer.
    function _nextCount(Cursor memory cursor, Notes memory words) private pure returns (uint256 count) {
        count = _take(cursor, 1);
        words.push(count);
    }

    /// Reads kind (1 byte), fee (3), tick spacing (3), pool or manager, counter-asset, and for a singleton's pool
    /// hooks.
    function _nextLeg(Cursor memory cursor, address token) private pure returns (Leg memory leg) {
        leg.kind = _take(cursor, 1);
        leg.fee = _take(cursor, 3);
        leg.spacing = int24(uint24(_take(cursor, 3)));
        leg.pool = _nextAddress(cursor);
        leg.tokenIn = token;
        leg.tokenOut = _nextAddress(cursor);
        if (_hasSingletons() && leg.kind >= KIND_V4) leg.hooks = _nextAddress(cursor);
    }

    function _writeRoutes(Notes memory words, Cursor memory cursor) private {
        unchecked {
        uint256 legs; // memory address of a list of pointers. An array would check its bounds.
        assembly ("memory-safe") {
            legs := mload(0x40)
            mstore(0x40, add(legs, mul(32, MAX_ROUTE_POOLS)))
        }
        uint256 pools = _nextCount(cursor, words);
        for (uint256 i; i < pools; i++) {
            address tokenIn = _nextAddress(cursor);
            uint256 amount = _take(cursor, 32);
            Found memory found = _readPool(_nextLeg(cursor, tokenIn));
            Leg memory leg = found.leg;
            assembly ("memory-safe") {
                mstore(add(legs, shl(5, i)), leg)
            }
            _writeRoutePool(words, found, amount);
        }
        uint256 left = _nextCount(cursor, words);
        uint256 count = _take(cursor, 1);
        uint256 routes = cursor.at;
        cursor.at += 2 * count;
        while (left > 0) {
            count = _take(cursor, 1);
            left -= count;
            uint256 amount = _take(cursor, 16);
            uint256 at = routes;
            for (uint256 end = at + 2 * count; at < end; at += 2) _writeFill(words, _sellAlong(legs, at, amount));
        }
        }
    }

    /// Sells the amount along the route at this position of the calldata: the index of its first pool (1 byte), and
    /// index + 1 of its second pool or 0 (1).
    function _sellAlong(uint256 legs, uint256 at, uint256 amount) private returns (Fill memory) {
        unchecked {
        uint256 first;
        uint256 second;
        assembly ("memory-safe") {
            let route := calldataload(at)
            first := byte(0, route)
            second := byte(1, route)
        }
        // With one leg, the second is not read.
        return _sale(_legIn(legs, first), _legIn(legs, second - 1), second == 0 ? 1 : 2, amount, ABANDON);
        }
    }

    function _legIn(uint256 legs, uint256 index) private pure returns (Leg memory leg) {
        assembly ("memory-safe") {
            leg := mload(add(legs, shl(5, index)))
        }
    }

    /// Writes a sale of the amount, the pool's state, and its price band.
    function _writeRoutePool(Notes memory words, Found memory found, uint256 amount) private {
        unchecked {
        Leg memory leg = found.leg;
        Fill memory fill;
        Fill memory band;
        fill.status = found.fill.status;
        if (fill.status == NOT_REQUESTED) {
            fill = _sale(leg, leg, 1, amount, ABANDON);
            if (isConcentrated(leg.kind)) {
                leg.limit = _moved(leg, found.price, SQRT_ONE_PERCENT_LOWER, 1e15);
                band = _sale(leg, leg, 1, uint256(uint128(type(int128).max)) >> 1, TO_LIMIT);
                leg.limit = 0;
            } else {
                // A pool that reports a reserve above its balance has no valid band.
                (bool ok, uint256 holds) = readBalance(leg.tokenOut, leg.pool);
                band.status = ok && holds >= found.reserveOut ? FILLED : UNREAD;
                // The curve for stables stays flat until one reserve is nearly empty. Same rule as
                // `Bounds._estimateBand`.
                uint256 part = leg.kind != KIND_V2 && leg.fee == 1 ? 2 : 200;
                (band.used, band.received) = (found.price / part, found.reserveOut / part);
            }
        }
        _writeFill(words, fill);
        words.push(found.price);
        words.push(found.reserveOut);
        _writeFill(words, band);
        }
    }

    function _writeFill(Notes memory words, Fill memory fill) private pure {
        uint256 at;
        assembly ("memory-safe") {
            at := fill
        }
        words.pushFields(at, 9);
    }

    /// Returns an empty fill (NOT_REQUESTED) if the remaining gas is needed to write the answer.
    function _sale(Leg memory first, Leg memory second, uint256 legs, uint256 amount, uint256 mode)
        private
        returns (Fill memory fill)
    {
        if (gasleft() < ANSWER_GAS + ROUTE_GAS) return fill;
        return _fill(first, second, legs, amount, mode, ROUTE_GAS);
    }

    function _hasPayers() internal pure override returns (bool) {
        return false;
    }

    function _readsFees() internal pure override returns (bool) {
        return false;
    }

    function _wrapped() internal view override returns (address) {
        return _native();
    }
}

/// For pools of all kinds.
contract RecheckLens is Rechecks, HookCallee {}

/// For pairs and concentrated pools only.
contract PlainRecheckLens is Rechecks {
    function _hasSingletons() internal pure override returns (bool) {
        return false;
    }
}
