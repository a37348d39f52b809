// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FillFrames.sol";

/// Swaps one leg through a pool of any family, and handles the callbacks.
abstract contract FillSwaps is FillFrames {
    /// After a leg: reports the result, or executes the next leg with the amount received.
    function _next(Plan memory plan, uint256 used, uint256 nominal) internal virtual;

    function _swap(Plan memory plan) internal {
        Leg memory leg = plan.legAt(plan.at);
        plan.before = tokenBalance(leg.tokenOut, _receiver(plan, leg));
        uint256 kind = leg.kind;
        (_expected, _expectedKind) = (leg.pool, kind);
        if (_hasSingletons() && kind >= KIND_V4) _swapSingleton(plan, leg);
        else if (isConcentrated(kind)) _swapConcentrated(plan, leg);
        else _swapPair(plan, leg);
    }

    // --- concentrated pools: one swap function, callbacks of many names ---

    function _swapConcentrated(Plan memory plan, Leg memory leg) private {
        if (plan.amount > uint256(type(int256).max)) revert TooLarge();
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        (uint256 delta0, uint256 delta1) = _call(
            leg.pool,
            0,
            abi.encodeCall(
                IConcentratedPool.swap,
                (_receiver(plan, leg), zeroForOne, int256(plan.amount), uint160(_limit(leg, zeroForOne)), _planData(plan))
            )
        );
        _afterConcentrated(plan, zeroForOne, int256(delta0), int256(delta1));
    }

    function _afterConcentrated(Plan memory plan, bool zeroForOne, int256 delta0, int256 delta1) private {
        (int256 paid, int256 sent) = zeroForOne ? (delta0, delta1) : (delta1, delta0);
        _next(plan, paid > 0 ? uint256(paid) : 0, sent < 0 ? uint256(-sent) : 0);
    }

    function _limit(Leg memory leg, bool zeroForOne) private pure returns (uint256) {
        return leg.limit != 0 ? leg.limit : endOfRange(zeroForOne);
    }

    // --- pairs ---

    /// Pays the pair first and computes the output from the amount that arrived, as routers do. Uses the reserves after
    /// the payment, because a token may sell into the pair during its transfer. A surplus above the reserves before the
    /// payment does not count: anyone can withdraw it (`skim`), and it would hide a tax.
    function _swapPair(Plan memory plan, Leg memory leg) private {
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        uint256 amount = plan.amount;
        (uint256 reserveIn, uint256 reserveOut) = pairReserves(leg.pool, zeroForOne);
        if (_isPaid(plan)) {
            uint256 reserveBefore = reserveIn;
            uint256 surplus = tokenBalance(leg.tokenIn, leg.pool);
            surplus = surplus > reserveBefore ? surplus - reserveBefore : 0;
            _pay(leg.tokenIn, leg.pool, amount);
            (reserveIn, reserveOut) = pairReserves(leg.pool, zeroForOne);
            amount = tokenBalance(leg.tokenIn, leg.pool) - reserveIn;
            // A pair that was synced during the transfer has the surplus in its reserves.
            if (reserveIn == reserveBefore) amount = amount > surplus ? amount - surplus : 0;
            if (plan.at == 0) plan.arrived = amount;
        }
        uint256 out = pairOutput(leg, amount, reserveIn, reserveOut);
        if (out == 0) _report(plan, plan.at + 1, 0, 0);
        bytes memory data;
        if (!_isPaid(plan)) data = _planData(plan);
        (uint256 out0, uint256 out1) = zeroForOne ? (uint256(0), out) : (out, uint256(0));
        _call(leg.pool, 0, abi.encodeCall(IPairPool.swap, (out0, out1, _receiver(plan, leg), data)));
        _next(plan, plan.amount, out);
    }

    // --- singletons ---

    function _swapSingleton(Plan memory plan, Leg memory leg) private {
        if (_hasSecondLegs() && _unlocked) {
            _swapUnlocked(plan, leg);
        } else {
            _call(leg.pool, 0, abi.encodeCall(ISingleton.unlock, (_planData(plan))));
            _unlocked = false;
        }
        _next(plan, _usedInside, _sentInside);
    }

    /// The callback `unlockCallback(bytes)` of a singleton's manager.
    function _afterUnlock() private {
        Plan memory plan = _readPlan(4);
        _unlocked = true;
        _swapUnlocked(plan, plan.legAt(plan.at));
        if (!_isPaid(plan)) _next(plan, _usedInside, _sentInside);
        // ABI-encoded empty bytes: offset 32, length 0.
        assembly ("memory-safe") {
            mstore(0, 32)
            mstore(32, 0)
            return(0, 64)
        }
    }

    function _swapUnlocked(Plan memory plan, Leg memory leg) private {
        unchecked {
            if (plan.amount > uint256(uint128(type(int128).max))) revert TooLarge();
            (address currencyIn, address currencyOut) = currenciesOf(leg, _wrappedNative);
            uint256 debts = leg.hooks == address(0) ? 0 : _openDebts(leg.pool);
            (uint256 used, uint256 sent) = _swapInside(plan, leg, currencyIn, currencyOut);
            if (_isPaid(plan) && used > 0) {
                bool native = currencyIn == address(0);
                if (native) {
                    _call(leg.tokenIn, 0, abi.encodeCall(IWrappedNative.withdraw, (used)));
                } else {
                    _call(leg.pool, 0, abi.encodeCall(ISingleton.sync, (currencyIn)));
                    _pay(currencyIn, leg.pool, used);
                }
                _call(leg.pool, native ? used : 0, abi.encodeCall(ISingleton.settle, ()));
            }
            if (sent > 0) {
                _call(leg.pool, 0, abi.encodeCall(ISingleton.take, (currencyOut, _receiver(plan, leg), sent)));
                if (currencyOut == address(0)) _call(leg.tokenOut, sent, abi.encodeCall(IWrappedNative.deposit, ()));
            }
            // A hook may leave a debt that makes the manager revert when the lock ends. Only the lens's own unpaid
            // input may be open.
            if (leg.hooks != address(0) && _openDebts(leg.pool) != debts + (_isPaid(plan) || used == 0 ? 0 : 1)) {
                revert HookLeavesDebt();
            }
            (_usedInside, _sentInside) = (used, sent);
        }
    }

    function _swapInside(Plan memory plan, Leg memory leg, address currencyIn, address currencyOut)
        private
        returns (uint256 used, uint256 sent)
    {
        bool zeroForOne = currencyIn < currencyOut;
        uint256 limit = _limit(leg, zeroForOne);
        (uint256 word,) = _call(leg.pool, 0, encodeSwap(leg, currencyIn, currencyOut, plan.amount, limit));
        return swapDeltas(word, zeroForOne);
    }

    function _openDebts(address manager) private view returns (uint256 count) {
        bool ok;
        // PoolManager's count of non-zero deltas, in transient storage: keccak256("NonzeroDeltaCount") - 1.
        uint256 slot = 0x7d4b3164c6e45b97e7d87b7125a44c5828d005af88f9d751cfd78729c5d99a0b;
        (ok, count) = readWord(manager, 0xf135baaa, slot, 0); // exttload(bytes32)
        if (!ok) revert PoolUnread();
    }

    // --- callbacks ---

    receive() external payable {}

    function _callBack() internal {
        if (msg.sender != _expected) return;
        if (_hasSingletons() && _expectedKind >= KIND_V4) return _afterUnlock();
        bool concentrated = isConcentrated(_expectedKind);
        // (int256, int256, bytes) of concentrated pools, (address, uint256, uint256, bytes) of pairs
        Plan memory plan = _readPlan(concentrated ? 68 : 100);
        uint256 first = _argument(4);
        uint256 second = _argument(36);
        if (!concentrated) {
            if (!_isPaid(plan)) _next(plan, plan.amount, second + _argument(68));
            return;
        }
        Leg memory leg = plan.legAt(plan.at);
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        if (!_isPaid(plan)) return _afterConcentrated(plan, zeroForOne, int256(first), int256(second));
        uint256 owed = zeroForOne ? first : second;
        if (owed > plan.amount) revert ChargesTooMuch();
        _pay(leg.tokenIn, leg.pool, owed);
    }

    function _argument(uint256 at) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := calldataload(at)
        }
    }
}

/// For lenses that swap through singletons.
abstract contract HookCallee {
    /// Called by hooks that need the trader's address.
    function msgSender() external view returns (address) {
        return tx.origin;
    }
}
