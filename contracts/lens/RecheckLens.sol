// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./ExitSales.sol";

/// Measures a token whose pools and routes are known; it searches for none. Half the code of the exit lens, and it stands in
/// for the quote lens too.
contract RecheckLens is ExitSales {
    uint256 private constant MAX_WORDS = 2_500;
    /// Gas of one sale along a route.
    uint256 private constant ROUTE_GAS = 3_000_000;

    struct Base {
        address token;
        address feed;
    }

    /// A pool of the quote's routes, and how much is sold to it alone.
    struct RoutePool {
        KnownPool pool;
        address tokenIn;
        uint256 amount;
    }

    struct Recheck {
        address token;
        address native;
        address sequencer;
        Base[] bases;
        KnownPool[] known;
        address[] holders;
        bytes4[] getters;
        RoutePool[] routePools;
        uint256[] routeSales; // see `_sellAlong`
        uint256 salt; // random and new for each call: it marks results
    }

    /// Reports the block, the token, bases and pools as ExitLens does; pools and sales in the order of the question.
    function recheck(Recheck calldata question) external {
        if (_busy) revert AlreadyAsked();
        _busy = true;
        Notes memory words = newNotes(MAX_WORDS);
        address token = question.token;
        _writeBlock(words);
        _writeToken(words, token);
        _writeGettersAndBalances(words, token, question.getters, question.holders);
        _prepare(question.native, question.salt);
        words.push(readSequencer(question.sequencer));
        words.push(question.bases.length);
        for (uint256 i; i < question.bases.length; i++) {
            _writeBase(words, question.bases[i].token, question.bases[i].feed);
        }
        uint256 count = question.known.length;
        Exit[] memory exits = new Exit[](count);
        for (uint256 i; i < count; i++) exits[i].found = _fromKnown(token, question.known[i]);
        uint256[] memory order = _largestFirst(exits, count);
        for (uint256 i; i < count; i++) _measure(exits[order[i]], false);
        words.push(count);
        for (uint256 i; i < count; i++) _writeExit(words, exits[i]);
        _writeRoutes(words, question.routePools, question.routeSales);
        words.finish();
    }

    function _writeRoutes(Notes memory words, RoutePool[] calldata pools, uint256[] calldata sales) private {
        Leg[] memory legs = new Leg[](pools.length);
        words.push(pools.length);
        for (uint256 i; i < pools.length; i++) {
            Found memory found = _fromKnown(pools[i].tokenIn, pools[i].pool);
            legs[i] = found.leg;
            _writeRoutePool(words, found, pools[i].amount);
        }
        words.push(sales.length);
        for (uint256 i; i < sales.length; i++) {
            Fill memory fill = _sellAlong(legs, sales[i]);
            words.push(fill.status);
            words.push(fill.received);
            words.push(fill.gas);
        }
    }

    /// @param sale 8 bits: index of the first pool; 8 bits: index + 1 of the second, 0 for a single pool; 240: the amount
    function _sellAlong(Leg[] memory legs, uint256 sale) private returns (Fill memory) {
        Leg memory first = legs[sale >> 248];
        uint256 second = uint8(sale >> 240);
        uint256 amount = uint240(sale);
        if (second == 0) return _sale(first, first, 1, amount, ABANDON);
        return _sale(first, legs[second - 1], 2, amount, ABANDON);
    }

    /// State, a sale of the amount, and what a price fall of 1 % takes and yields.
    function _writeRoutePool(Notes memory words, Found memory found, uint256 amount) private {
        Leg memory leg = found.leg;
        Fill memory fill;
        Fill memory band;
        fill.status = found.fill.status;
        if (fill.status == NOT_ASKED) {
            fill = _sale(leg, leg, 1, amount, ABANDON);
            if (isConcentrated(leg.kind)) {
                leg.limit = _moved(leg, found.price, SQRT_ONE_PERCENT_LOWER, 1e15);
                band = _sale(leg, leg, 1, uint256(uint128(type(int128).max)) >> 1, TO_LIMIT);
                leg.limit = 0;
            } else {
                // Reserves above the balances are not believed.
                (bool ok, uint256 holds) = readBalance(leg.tokenOut, leg.pool);
                band.status = ok && holds >= found.reserveOut ? FILLED : UNREAD;
                // The curve for stables stays flat until a side is nearly gone.
                uint256 part = leg.kind != KIND_V2 && leg.fee == 1 ? 2 : 200;
                (band.used, band.received) = (found.price / part, found.reserveOut / part);
            }
        }
        words.push(fill.status);
        words.push(fill.used);
        words.push(fill.nominal);
        words.push(fill.received);
        words.push(fill.arrived);
        words.push(found.price);
        words.push(found.reserveOut);
        words.push(band.status);
        words.push(band.used);
        words.push(band.received);
    }

    /// Returns an empty fill (NOT_ASKED) if the remaining gas is needed to write the answer.
    function _sale(Leg memory first, Leg memory second, uint256 legs, uint256 amount, uint256 mode)
        private
        returns (Fill memory fill)
    {
        if (gasleft() < ANSWER_GAS + ROUTE_GAS) return fill;
        return _fill(first, second, legs, amount, mode, ROUTE_GAS);
    }

    function _wrapped() internal view override returns (address) {
        return _native();
    }
}
