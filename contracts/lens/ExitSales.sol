// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Filler.sol";
import "./PoolFinder.sol";
import "./Feeds.sol";
import "./Notes.sol";

/// A pool from the factories' logs that is not a candidate pool, because its counter-asset or its hook is not configured.
struct KnownPool {
    uint256 packed; // from the highest bit: kind (8), fee (24), tick spacing (24), pool or singleton's manager (160)
    address counter; // counter-asset; the wrapped native token if the pool holds the native one
    address hooks;
}

/// Shared by ExitLens and RecheckLens: facts of the token, and the output of simulated sales.
abstract contract ExitSales is Filler, PoolFinder {
    /// Gas of one simulated sale down to 1/100 of the price.
    uint256 internal constant SALE_GAS = 2_200_000;
    /// Gas of one simulated sale over the whole price range, which reads every word of the tick bitmap.
    uint256 internal constant WHOLE_GAS = 10_000_000;
    /// Reserved for writing the answer.
    uint256 internal constant ANSWER_GAS = 1_500_000;

    uint256 internal constant NO_CANDIDATE_POOL = 0xffff;

    struct Exit {
        Found found; // leg: token -> counter
        uint256 status; // of the sale
        uint256 used; // amount of the token sold
        uint256 drawn; // amount of the counter-asset received
    }

    // --- the block and the token ---

    function _writeBlock(Notes memory words) internal view {
        words.push(block.number);
        words.push(block.timestamp);
        unchecked {
            words.push(uint256(blockhash(block.number - 1)));
        }
        words.push(block.basefee);
    }

    function _writeToken(Notes memory words, address token) internal view {
        (bool hasCode, bool ok, uint256 decimals) = readDecimals(token);
        words.pushFlag(hasCode);
        words.push(uint256(token.codehash));
        words.pushFlag(ok);
        words.push(decimals);
        _writeWord(words, token, 0x18160ddd); // totalSupply()
        _writeWord(words, token, 0x8da5cb5b); // owner()
        _writeWord(words, token, 0x893d20e8); // getOwner()
        // No token has this function. If a call succeeds, the token's fallback accepts every call, and its getters
        // prove nothing.
        _writeWord(words, token, 0x5ec0de11);
        _writeText(words, token, 0x06fdde03); // name()
        _writeText(words, token, 0x95d89b41); // symbol()
    }

    function _writeWord(Notes memory words, address target, bytes4 selector) internal view {
        (bool ok, uint256 word) = readWord(target, selector, 0, 0);
        words.pushFlag(ok && target.code.length > 0);
        words.push(word);
    }

    /// The first five words returned: a string, or 32 bytes as in old tokens.
    function _writeText(Notes memory words, address target, bytes4 selector) internal view {
        (bool ok, uint256 size, uint256[5] memory text) = readWords(target, selector);
        words.pushFlag(ok);
        words.push(size);
        uint256 at;
        assembly ("memory-safe") {
            at := text
        }
        words.pushFields(at, 5);
    }

    function _writeGettersAndBalances(
        Notes memory words,
        address token,
        bytes4[] calldata getters,
        address[] calldata holders
    ) internal view {
        words.push(getters.length);
        for (uint256 i; i < getters.length; i++) _writeWord(words, token, getters[i]);
        words.push(holders.length);
        for (uint256 i; i < holders.length; i++) _writeBalance(words, token, holders[i]);
    }

    function _writeBalance(Notes memory words, address token, address holder) internal view {
        (bool ok, uint256 balance) = readBalance(token, holder);
        words.pushFlag(ok);
        words.push(balance);
    }

    function _writeBase(Notes memory words, address base, address feedAddress) internal view {
        Feed memory feed = readFeed(feedAddress);
        (, bool ok, uint256 decimals) = readDecimals(base);
        words.push(uint256(uint160(base)));
        words.pushFlag(ok);
        words.push(decimals);
        uint256 at;
        assembly ("memory-safe") {
            at := feed
        }
        words.pushFields(at, 4);
    }

    // --- pools ---

    function _legOf(address token, KnownPool calldata pool) internal pure returns (Leg memory) {
        uint256 packed = pool.packed;
        return Leg(
            packed >> 208,
            address(uint160(packed)),
            token,
            pool.counter,
            uint24(packed >> 184),
            int24(uint24(packed >> 160)),
            pool.hooks,
            0
        );
    }

    function _fromKnown(address token, KnownPool calldata pool) internal view returns (Found memory) {
        return _readPool(_legOf(token, pool));
    }

    /// Reads the state of a pool that is not a candidate pool.
    function _readPool(Leg memory leg) internal view returns (Found memory found) {
        (found.pair, found.candidatePool) = (NO_CANDIDATE_POOL, NO_CANDIDATE_POOL);
        found.leg = leg;
        bool isSingleton = _hasSingletons() && leg.kind >= KIND_V4;
        found.id = isSingleton ? _poolId(leg) : bytes32(uint256(uint160(leg.pool)));
        if (gasleft() < ANSWER_GAS + SALE_GAS) return found;
        found.fill.status = _statusAfterRead(found, _readState(found));
    }

    /// Indices of the pools, ordered by their reserve of the token, largest first.
    function _largestFirst(Exit[] memory exits, uint256 count) internal view returns (uint256[] memory order) {
        order = new uint256[](count);
        uint256[] memory sizes = new uint256[](count);
        for (uint256 i; i < count; i++) {
            uint256 size = _tokenReserve(exits[i].found);
            uint256 at = i;
            for (; at > 0 && sizes[at - 1] < size; at--) (sizes[at], order[at]) = (sizes[at - 1], order[at - 1]);
            (sizes[at], order[at]) = (size, i);
        }
    }

    /// The pool's reserve of the token; for a concentrated pool the virtual reserve of its liquidity in range.
    function _tokenReserve(Found memory found) internal view returns (uint256) {
        Leg memory leg = found.leg;
        if (!isConcentrated(leg.kind)) return found.price;
        if (found.price == 0) return 0;
        uint256 liquidity = uint128(found.liquidity);
        if (_isZeroForOne(leg)) return (liquidity << 96) / found.price;
        return ((liquidity >> 32) * uint160(found.price)) >> 64;
    }

    /// Simulates a sale of an unlimited amount, and sets status, `used` and `drawn`. The sale ends at 1/100 of the price;
    /// with `whole` it covers the whole price range of a concentrated pool. Without enough gas the status stays
    /// NOT_REQUESTED. For pairs `found.price` is the reserve of the token.
    function _measure(Exit memory exit, bool whole) internal {
        uint256 saleGas = whole ? WHOLE_GAS : SALE_GAS;
        // Not UNREAD: a retry with the same gas would end at the same pool.
        if (gasleft() < ANSWER_GAS + saleGas) return;
        Found memory found = exit.found;
        if (found.fill.status != NOT_REQUESTED) {
            // The pool is empty, has no code, or could not be read.
            exit.status = found.fill.status == EMPTY ? EMPTY : UNREAD;
            return;
        }
        Leg memory leg = found.leg;
        uint256 amount;
        if (isConcentrated(leg.kind)) {
            if (!whole) leg.limit = _moved(leg, found.price, 1, 10);
            amount = uint256(uint128(type(int128).max)) >> 1;
        } else {
            // A pool that reports a reserve above its balance is not measured.
            (bool ok, uint256 holds) = readBalance(leg.tokenOut, leg.pool);
            if (!ok || holds < found.reserveOut || found.price > type(uint128).max) {
                exit.status = UNREAD;
                return;
            }
            // x*y=k: with ten times the reserve of the token, the price is 1/100.
            amount = found.price * 9;
            if (amount == 0) {
                exit.status = EMPTY;
                return;
            }
        }
        Fill memory fill = _fillOne(leg, amount, TO_LIMIT, saleGas);
        (exit.status, exit.used, exit.drawn) = (fill.status, fill.used, fill.received);
        leg.limit = 0;
    }

    function _writeExit(Notes memory words, Exit memory exit) internal view {
        Found memory found = exit.found;
        Leg memory leg = found.leg;
        words.push(found.pair);
        words.push(found.candidatePool);
        words.push(uint256(found.id));
        words.push(leg.kind);
        words.push(uint256(uint160(leg.pool)));
        words.push(uint256(uint160(leg.tokenOut)));
        words.push(leg.fee);
        words.push(uint24(int24(leg.spacing)));
        words.push(uint256(uint160(leg.hooks)));
        _writeSale(words, exit);
    }

    /// The results of the sale, and the pool's state.
    function _writeSale(Notes memory words, Exit memory exit) internal pure {
        Found memory found = exit.found;
        uint256 at;
        assembly ("memory-safe") {
            at := add(exit, 32) // status, used, drawn
        }
        words.pushFields(at, 3);
        words.push(found.price);
        words.push(isConcentrated(found.leg.kind) ? found.liquidity : found.reserveOut);
    }

    function _wrapped() internal view override returns (address) {
        return _wrappedNative;
    }
}
