// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./BoundedReads.sol";
import "./Plan.sol";
import "./PoolCalls.sol";

// How a frame ends. A swap that is not paid is abandoned in its callback, after the pool has sent.
uint256 constant ABANDON = 0;
uint256 constant PAY = 1; // a funded account pays the first leg by transferFrom: taxes on the sale show
uint256 constant TO_LIMIT = 2; // abandoned, and a leg may stop at its price limit

/// Executes swaps for real, inside frames that always revert. A fill reports what pools and tokens did.
/// The lens acts as the router that a trader approved: it pulls tokenIn from an account without code, which pays the first
/// pool, and pays later legs from its own balance. A token can tell neither account from a real trader by its address.
abstract contract Filler {
    error TransferFailed();
    error BalanceUnread();
    error PoolUnread();
    error AsksForMore();
    error SendsMoreThanSaid();
    error SendsNothing();
    error HookLeavesDebt();
    error CannotPay();
    error TooLarge();
    error NotYours();

    /// A twentieth: a token that credits more does not report reliable balances.
    uint256 private constant MOST_BONUS = 20;

    /// Known only to this contract during one frame: a token cannot forge a fill by reverting with one.
    uint256 private transient _secret;
    uint256 private transient _salt;
    address private transient _wrappedNative;
    /// The accounts that hold tokenIn and approved the lens, and the one that pays in the frame under way.
    uint256 private transient _payersAt;
    uint256 private transient _payersCount;
    address private transient _payer;
    address private transient _expected;
    bytes32 private transient _expectedData;
    uint256 private transient _expectedKind;
    bool private transient _unlocked;
    uint256 private transient _heldIn;
    uint256 private transient _usedInside;
    uint256 private transient _sentInside;
    /// Nothing may ask this contract a question of its own while it works on one.
    bool internal transient _busy;

    function _prepare(address native, uint256 salt) internal {
        (_wrappedNative, _salt) = (native, salt);
    }

    /// Remembers where the funded accounts lie in the calldata of the question.
    function _usePayers(Payer[] calldata payers) internal {
        uint256 at;
        assembly ("memory-safe") {
            at := payers.offset
        }
        (_payersAt, _payersCount) = (at, payers.length);
    }

    /// The first account that holds `amount`, so that a sale of the asked size empties its seller; 0 when none does.
    function _payerOf(uint256 amount) internal view returns (address payer) {
        unchecked {
            uint256 at = _payersAt;
            for (uint256 end = at + _payersCount * 64; at < end; at += 64) {
                uint256 holds;
                assembly ("memory-safe") {
                    payer := calldataload(at)
                    holds := calldataload(add(at, 32))
                }
                if (holds >= amount) return payer;
            }
            return address(0);
        }
    }

    function _native() internal view returns (address) {
        return _wrappedNative;
    }

    /// Runs one leg, or with `legs` 2 both, in a frame of its own. A frame that ran out of gas is UNREAD, one that reverted
    /// is REJECTED. The call is laid into free memory and forgotten.
    function _fill(Leg memory first, Leg memory second, uint256 legs, uint256 amountIn, uint256 mode, uint256 gasCap)
        internal
        returns (Fill memory fill)
    {
        unchecked {
            if (gasleft() * 63 / 64 < gasCap + 20_000) {
                fill.status = UNREAD;
                return fill;
            }
            uint256 salt = _salt;
            address native = _wrappedNative;
            _payer = mode == PAY ? _payerOf(amountIn) : address(0);
            bytes4 selector = this.frame.selector;
            uint256 words;
            bool whole;
            uint256 size;
            uint256 spent = gasleft();
            assembly ("memory-safe") {
                words := mload(0x40)
                mstore(0, salt)
                mstore(32, spent)
                let secret := keccak256(0, 64)
                let bytes_ := add(PLAN_BYTES, mul(legs, LEG_BYTES))
                mstore(words, selector)
                mstore(add(words, 4), secret)
                mstore(add(words, 36), native)
                mstore(add(words, 68), 96)
                mstore(add(words, 100), bytes_)
                let plan := add(words, 132)
                calldatacopy(plan, calldatasize(), PLAN_BYTES)
                mstore(add(plan, 32), amountIn)
                mstore(add(plan, 64), eq(mode, PAY))
                mstore(add(plan, 96), eq(mode, TO_LIMIT))
                mstore(add(plan, 256), amountIn)
                mstore(add(plan, 288), legs)
                mcopy(add(plan, PLAN_BYTES), first, LEG_BYTES)
                if eq(legs, 2) { mcopy(add(plan, add(PLAN_BYTES, LEG_BYTES)), second, LEG_BYTES) }
                pop(call(gasCap, address(), 0, words, add(132, bytes_), words, 256))
                size := returndatasize()
                spent := sub(spent, gas())
                mstore(add(fill, 256), spent)
                let mark := mload(words)
                mstore(words, secret)
                whole := and(eq(size, 256), eq(mark, keccak256(words, 256)))
                mstore(words, mark)
            }
            if (whole) _readFill(fill, words);
            else _readFailure(fill, words, size, spent > gasCap - gasCap / 8);
        }
    }

    function _readFill(Fill memory fill, uint256 words) private pure {
        uint256 flag;
        assembly ("memory-safe") {
            flag := mload(add(words, 32))
            // used, nominal, between, arrived, nominalLast, received
            mcopy(add(fill, 32), add(words, 64), 192)
        }
        if (flag != 0) fill.status = fill.used == 0 ? EMPTY : PARTIAL;
        else fill.status = fill.received == 0 ? EMPTY : FILLED;
    }

    function _readFailure(Fill memory fill, uint256 words, uint256 size, bool burnt) private pure {
        bytes4 reason;
        assembly ("memory-safe") {
            if gt(size, 3) { reason := and(mload(words), shl(224, 0xffffffff)) }
        }
        fill.reason = reason;
        bool unread = burnt || reason == PoolUnread.selector || reason == BalanceUnread.selector;
        fill.status = unread ? UNREAD : REJECTED;
    }

    function _fillOne(Leg memory leg, uint256 amountIn, uint256 mode, uint256 gasCap) internal returns (Fill memory) {
        return _fill(leg, leg, 1, amountIn, mode, gasCap);
    }

    /// Always reverts: with a result of eight words, marked with the secret, or with what went wrong. Only the lens may
    /// ask: a pool that could would learn the secret from the answer.
    function frame(uint256 secret, address native, bytes calldata data) external {
        unchecked {
            if (msg.sender != address(this)) revert NotYours();
            (_secret, _wrappedNative, _busy) = (secret, native, true);
            Plan memory plan = _layOut(data);
            if (plan.paid == 1) {
                if (_payer == address(0)) revert CannotPay();
                _heldIn = _balanceOf(plan.legAt(0).tokenIn, _payer);
                if (_heldIn < plan.amount) revert CannotPay();
            }
            _swap(plan);
        }
    }

    function _layOut(bytes calldata data) private pure returns (Plan memory plan) {
        assembly ("memory-safe") {
            plan := mload(0x40)
            calldatacopy(plan, data.offset, data.length)
            mstore(0x40, add(plan, data.length))
        }
    }

    function _swap(Plan memory plan) private {
        Leg memory leg = plan.legAt(plan.at);
        plan.before = _balanceOf(leg.tokenOut, _receiver(plan, leg));
        uint256 kind = leg.kind;
        (_expected, _expectedKind) = (leg.pool, kind);
        if (kind >= KIND_V4) _swapSingleton(plan, leg);
        else if (isConcentrated(kind)) _swapConcentrated(plan, leg);
        else _swapPair(plan, leg);
    }

    /// Who gets what the leg under way sends: from the last one an ordinary account, as with a trader, because tokens may
    /// treat contracts otherwise. The lens itself where it has to go on: to wrap, or to be called back by a pair.
    function _receiver(Plan memory plan, Leg memory leg) private view returns (address) {
        bool wraps = leg.kind == KIND_V4_NATIVE && leg.tokenOut == _wrappedNative;
        bool abandons = plan.paid == 0 && !isConcentrated(leg.kind);
        return plan.at + 1 < plan.legs || wraps || abandons ? address(this) : tx.origin;
    }

    /// After a leg: report, or go on with what was really received.
    function _next(Plan memory plan, uint256 used, uint256 nominal) private {
        Leg memory leg = plan.legAt(plan.at);
        uint256 received = _balanceOf(leg.tokenOut, _receiver(plan, leg)) - plan.before;
        // A token may credit a little more than was sent (a negative tax). Where nothing is paid yet, the excess is not proven.
        if (received > nominal + nominal / MOST_BONUS) revert SendsMoreThanSaid();
        if (received > nominal && plan.paid == 0) received = nominal;
        if (received == 0 && nominal > 0) revert SendsNothing();
        bool partly = used < plan.amount && plan.priceLimited == 0;
        if (used > plan.amount) revert AsksForMore();
        if (plan.at == 0) {
            // A seller who holds exactly the size cannot pay a token that takes more than was sent.
            if (plan.paid == 1 && _balanceOf(leg.tokenIn, _payer) + used < _heldIn) revert AsksForMore();
            plan.used = used;
            plan.nominal = nominal;
            plan.between = received;
        }
        if (partly || plan.at + 1 == plan.legs) _report(plan, partly ? plan.at + 1 : 0, nominal, received);
        plan.at += 1;
        plan.amount = received;
        plan.paid = 1;
        if (received == 0) _report(plan, 0, 0, 0);
        _swap(plan);
    }

    /// A result travels back through the pool that it is about: the mark holds the words together, under the secret.
    function _report(Plan memory plan, uint256 flag, uint256 nominalLast, uint256 received) private view {
        uint256 secret = _secret;
        assembly ("memory-safe") {
            let words := mload(0x40)
            mstore(words, secret)
            mstore(add(words, 32), flag)
            mcopy(add(words, 64), add(plan, 160), 128) // used, nominal, between, arrived
            mstore(add(words, 192), nominalLast)
            mstore(add(words, 224), received)
            mstore(words, keccak256(words, 256))
            revert(words, 256)
        }
    }

    /// The plan as callback data, remembered by its hash.
    function _sealed(Plan memory plan) private returns (bytes memory data) {
        bytes32 hash;
        assembly ("memory-safe") {
            let size := add(PLAN_BYTES, mul(mload(add(plan, 288)), LEG_BYTES))
            data := mload(0x40)
            mstore(data, size)
            mcopy(add(data, 32), plan, size)
            mstore(0x40, add(add(data, 32), size))
            hash := keccak256(plan, size)
        }
        _expectedData = hash;
    }

    /// The plan that was sent along, as the argument that starts at `at`. A pool may call back once.
    function _opened(uint256 at) private returns (Plan memory plan) {
        bytes32 hash;
        assembly ("memory-safe") {
            let from := add(4, calldataload(at))
            let size := calldataload(from)
            if lt(size, 833) {
                plan := mload(0x40)
                calldatacopy(plan, add(from, 32), size)
                mstore(0x40, add(plan, size))
                hash := keccak256(plan, size)
            }
        }
        if (hash != _expectedData) revert NotYours();
        _expected = address(0);
    }

    // --- concentrated pools: one swap function, a callback of any name ---

    function _swapConcentrated(Plan memory plan, Leg memory leg) private {
        if (plan.amount > uint256(type(int256).max)) revert TooLarge();
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        (uint256 delta0, uint256 delta1) = _do(
            leg.pool,
            0,
            abi.encodeCall(
                IConcentratedPool.swap,
                (_receiver(plan, leg), zeroForOne, int256(plan.amount), uint160(_limit(leg, zeroForOne)), _sealed(plan))
            )
        );
        _afterConcentrated(plan, zeroForOne, int256(delta0), int256(delta1));
    }

    function _afterConcentrated(Plan memory plan, bool zeroForOne, int256 delta0, int256 delta1) private {
        (int256 paid, int256 sent) = zeroForOne ? (delta0, delta1) : (delta1, delta0);
        _next(plan, paid > 0 ? uint256(paid) : 0, sent < 0 ? uint256(-sent) : 0);
    }

    function _limit(Leg memory leg, bool zeroForOne) private pure returns (uint256) {
        if (leg.limit != 0) return leg.limit;
        return zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1;
    }

    // --- pairs: the amount out is worked out first, then taken ---

    /// As routers do it: the pair is paid, then asked what that which arrived is worth. A token may sell into the pair
    /// while it is transferred, so the reserves count that stand after the payment. What lay beside them before is whose
    /// comes first (`skim`): it is promised to no seller, and hides no tax.
    function _swapPair(Plan memory plan, Leg memory leg) private {
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        uint256 amount = plan.amount;
        (uint256 reserveIn, uint256 reserveOut) = _reservesOf(leg.pool, zeroForOne);
        if (plan.paid == 1) {
            uint256 known = reserveIn;
            uint256 beside = _balanceOf(leg.tokenIn, leg.pool);
            beside = beside > known ? beside - known : 0;
            _pay(plan, leg.tokenIn, leg.pool, amount);
            (reserveIn, reserveOut) = _reservesOf(leg.pool, zeroForOne);
            amount = _balanceOf(leg.tokenIn, leg.pool) - reserveIn;
            // A pair that was brought up to date meanwhile counts it among its reserves.
            if (reserveIn == known) amount = amount > beside ? amount - beside : 0;
            if (plan.at == 0) plan.arrived = amount;
        }
        uint256 out;
        if (leg.kind == KIND_V2) {
            uint256 afterFee = amount * (1e6 - leg.fee);
            if (reserveIn > 0) out = afterFee * reserveOut / (reserveIn * 1e6 + afterFee);
        } else if (reserveIn > 0 && reserveOut > 0 && amount > 0) {
            (out,) = _do(leg.pool, 0, abi.encodeCall(IPairPool.getAmountOut, (amount, leg.tokenIn)));
        }
        if (out == 0) _report(plan, plan.at + 1, 0, 0);
        bytes memory data;
        if (plan.paid == 0) data = _sealed(plan);
        (uint256 out0, uint256 out1) = zeroForOne ? (uint256(0), out) : (out, uint256(0));
        _do(leg.pool, 0, abi.encodeCall(IPairPool.swap, (out0, out1, _receiver(plan, leg), data)));
        _next(plan, plan.amount, out);
    }

    function _reservesOf(address pool, bool zeroForOne) private view returns (uint256, uint256) {
        (bool ok, uint256 size, uint256[5] memory words) = readWords(pool, 0x0902f1ac);
        if (!ok || size < 2) revert PoolUnread();
        return zeroForOne ? (words[0], words[1]) : (words[1], words[0]);
    }

    // --- the singleton ---

    function _swapSingleton(Plan memory plan, Leg memory leg) private {
        if (!_unlocked) {
            _do(leg.pool, 0, abi.encodeCall(ISingleton.unlock, (_sealed(plan))));
            _unlocked = false;
            return _next(plan, _usedInside, _sentInside);
        }
        _insideSingleton(plan, leg);
        _next(plan, _usedInside, _sentInside);
    }

    function unlockCallback(bytes calldata) external returns (bytes memory) {
        if (msg.sender != _expected) return "";
        Plan memory plan = _opened(4);
        _unlocked = true;
        _insideSingleton(plan, plan.legAt(plan.at));
        if (plan.paid == 0) _next(plan, _usedInside, _sentInside);
        return "";
    }

    function _insideSingleton(Plan memory plan, Leg memory leg) private {
        unchecked {
            if (plan.amount > uint256(uint128(type(int128).max))) revert TooLarge();
            (address currencyIn, address currencyOut) = (leg.tokenIn, leg.tokenOut);
            if (leg.kind == KIND_V4_NATIVE) {
                if (currencyIn == _wrappedNative) currencyIn = address(0);
                else currencyOut = address(0);
            }
            uint256 debts = leg.hooks == address(0) ? 0 : _openDebts(leg.pool);
            (uint256 used, uint256 sent) = _swapInside(plan, leg, currencyIn, currencyOut);
            if (plan.paid == 1 && used > 0) {
                bool native = currencyIn == address(0);
                if (native) {
                    if (plan.at == 0) _pay(plan, leg.tokenIn, address(this), used);
                    _do(leg.tokenIn, 0, abi.encodeCall(IWrappedNative.withdraw, (used)));
                } else {
                    _do(leg.pool, 0, abi.encodeCall(ISingleton.sync, (currencyIn)));
                    _pay(plan, currencyIn, leg.pool, used);
                }
                _do(leg.pool, native ? used : 0, abi.encodeCall(ISingleton.settle, ()));
            }
            if (sent > 0) {
                _do(leg.pool, 0, abi.encodeCall(ISingleton.take, (currencyOut, _receiver(plan, leg), sent)));
                if (currencyOut == address(0)) _do(leg.tokenOut, sent, abi.encodeCall(IWrappedNative.deposit, ()));
            }
            // A hook can promise anything as long as the lock is held. What is open now, but for our own unpaid input,
            // would make the manager refuse all of it in the end.
            if (leg.hooks != address(0) && _openDebts(leg.pool) != debts + (plan.paid == 1 || used == 0 ? 0 : 1)) {
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
        if (!zeroForOne) (currencyIn, currencyOut) = (currencyOut, currencyIn);
        uint256 amount = plan.amount;
        uint256 limit = _limit(leg, zeroForOne);
        // ISingleton.swap of the leg's key, without data for the hook.
        bytes4 selector = ISingleton.swap.selector;
        bytes memory call_;
        assembly ("memory-safe") {
            call_ := mload(0x40)
            mstore(call_, 324)
            mstore(add(call_, 32), selector)
            mstore(add(call_, 36), currencyIn)
            mstore(add(call_, 68), currencyOut)
            mcopy(add(call_, 100), add(leg, 128), 96) // fee, spacing, hooks
            mstore(add(call_, 196), zeroForOne)
            mstore(add(call_, 228), sub(0, amount))
            mstore(add(call_, 260), limit)
            mstore(add(call_, 292), 288)
            mstore(add(call_, 324), 0)
            mstore(0x40, add(call_, 356))
        }
        (uint256 word,) = _do(leg.pool, 0, call_);
        int256 delta = int256(word);
        int128 deltaIn = int128(zeroForOne ? delta >> 128 : delta);
        int128 deltaOut = int128(zeroForOne ? delta : delta >> 128);
        used = deltaIn < 0 ? uint256(-int256(deltaIn)) : 0;
        sent = deltaOut > 0 ? uint256(int256(deltaOut)) : 0;
    }

    function _openDebts(address manager) private view returns (uint256 count) {
        bool ok;
        // exttload of PoolManager's count of non-zero deltas: keccak256("NonzeroDeltaCount") - 1.
        uint256 slot = 0x7d4b3164c6e45b97e7d87b7125a44c5828d005af88f9d751cfd78729c5d99a0b;
        (ok, count) = readWord(manager, 0xf135baaa, slot, 0);
        if (!ok) revert PoolUnread();
    }

    /// Hooks that ask their caller who is swapping.
    function msgSender() external view returns (address) {
        return tx.origin;
    }

    // --- callbacks of any name ---

    receive() external payable {}

    fallback() external payable {
        if (msg.sender != _expected) return;
        bool concentrated = isConcentrated(_expectedKind);
        // (int256, int256, bytes) of concentrated pools, (address, uint256, uint256, bytes) of pairs
        Plan memory plan = _opened(concentrated ? 68 : 100);
        uint256 first = _argument(4);
        uint256 second = _argument(36);
        if (!concentrated) {
            if (plan.paid == 0) _next(plan, plan.amount, second + _argument(68));
            return;
        }
        Leg memory leg = plan.legAt(plan.at);
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        if (plan.paid == 0) _afterConcentrated(plan, zeroForOne, int256(first), int256(second));
        uint256 owed = zeroForOne ? first : second;
        if (owed > plan.amount) revert AsksForMore();
        _pay(plan, leg.tokenIn, leg.pool, owed);
    }

    function _argument(uint256 at) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := calldataload(at)
        }
    }

    /// A call that has to succeed. Nothing is copied of what comes back beyond what a frame may say.
    /// @return first words of the answer; 0 where it is shorter
    function _do(address target, uint256 value, bytes memory data) private returns (uint256 first, uint256 second) {
        assembly ("memory-safe") {
            let ok := call(gas(), target, value, add(data, 32), mload(data), 0, 64)
            let size := returndatasize()
            if iszero(ok) {
                if gt(size, 256) { size := 256 }
                returndatacopy(data, 0, size)
                revert(data, size)
            }
            if gt(size, 31) { first := mload(0) }
            if gt(size, 63) { second := mload(32) }
        }
    }

    // --- tokens ---

    function _balanceOf(address token, address holder) private view returns (uint256) {
        (bool ok, uint256 balance) = readBalance(token, holder);
        if (!ok) revert BalanceUnread();
        return balance;
    }

    /// The first leg is paid from the trader's account, later ones from the router's own balance.
    function _pay(Plan memory plan, address token, address to, uint256 amount) private {
        bool ok;
        uint256 pulled = plan.at == 0 ? 32 : 0;
        address payer = _payer;
        assembly ("memory-safe") {
            let at := mload(0x40)
            // transferFrom(payer, to, amount) or transfer(to, amount)
            mstore(at, shl(224, 0xa9059cbb))
            if pulled {
                mstore(at, shl(224, 0x23b872dd))
                mstore(add(at, 4), payer)
            }
            mstore(add(add(at, pulled), 4), to)
            mstore(add(add(at, pulled), 36), amount)
            ok := call(gas(), token, 0, at, add(68, pulled), 0, 32)
            ok := and(ok, or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1))))
        }
        if (!ok) revert TransferFailed();
    }
}
