// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./BoundedReads.sol";

interface IConcentratedPool {
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

interface IPairPool {
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
}

interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface ISingleton {
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData) external returns (int256);
    function take(address currency, address to, uint256 amount) external;
    function sync(address currency) external;
    function settle() external payable returns (uint256);
}

// How a frame ends. A swap that is not paid is abandoned in its callback, after the pool has sent.
uint8 constant ABANDON = 0;
uint8 constant PAY = 1; // whoever runs the frame holds tokenIn and pays with it: taxes on the sale show
uint8 constant TO_LIMIT = 2; // abandoned, and a leg may stop at its price limit

/// A series of legs under way. It travels through the pools as callback data; they cannot change it unnoticed.
struct Plan {
    Leg[] legs;
    uint256 at; // the leg under way
    uint256 amount; // what this leg has to spend
    bool paid; // `amount` is held and gets paid; else the swap is abandoned in its callback
    bool priceLimited; // a leg may stop at its limit
    uint256 before; // balance of tokenOut before this leg
    uint256 used; // of the first leg
    uint256 nominal;
    uint256 between;
    uint256 arrived; // of what the first leg paid
}

/// Executes swaps for real, inside frames that always revert. What a fill says is what the pools and the tokens did.
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

    /// Known only to this contract during one frame: a token cannot forge a fill by reverting with one.
    uint256 private transient _secret;
    uint256 private transient _salt;
    address private transient _wrappedNative;
    /// Who holds tokenIn and runs the frames that pay: the lens itself, or one of the accounts behind it.
    address internal transient _payer;
    address private transient _expected;
    bytes32 private transient _expectedData;
    uint8 private transient _expectedKind;
    bool private transient _unlocked;
    uint256 private transient _heldIn;
    /// Nothing may ask this contract a question of its own while it works on one.
    bool internal transient _busy;

    uint256 private constant RESULT_BYTES = 256;
    /// Accounts of the addresses after the lens's may run its code too (`engine/quote/tokenFunding.ts`).
    uint256 internal constant MAX_PAYERS = 64;

    function _prepare(address native, uint256 salt) internal {
        (_wrappedNative, _salt, _payer) = (native, salt, address(this));
    }

    function _native() internal view returns (address) {
        return _wrappedNative;
    }

    /// Runs `legs` in a frame of its own. A frame that ran out of gas is UNREAD, one that reverted is REJECTED.
    function _fill(Leg[] memory legs, uint256 amountIn, uint8 mode, uint256 gasCap)
        internal
        returns (Fill memory fill)
    {
        if (gasleft() * 63 / 64 < gasCap + 20_000) {
            fill.status = UNREAD;
            return fill;
        }
        Plan memory plan;
        (plan.legs, plan.amount, plan.arrived) = (legs, amountIn, amountIn);
        (plan.paid, plan.priceLimited) = (mode == PAY, mode == TO_LIMIT);
        uint256 secret = uint256(keccak256(abi.encode(_salt, gasleft(), amountIn)));
        bytes memory call_ = abi.encodeCall(this.frame, (secret, _wrappedNative, abi.encode(plan)));
        address runner = mode == PAY ? _payer : address(this);
        uint256[8] memory words;
        uint256 size;
        uint256 spent = gasleft();
        assembly ("memory-safe") {
            pop(call(gasCap, runner, 0, add(call_, 32), mload(call_), words, RESULT_BYTES))
            size := returndatasize()
        }
        spent -= gasleft();
        if (size != RESULT_BYTES || words[0] != _mark(words, secret)) {
            fill.reason = size >= 4 ? bytes4(bytes32(words[0])) : bytes4(0);
            bool unread = spent > gasCap - gasCap / 8 || fill.reason == PoolUnread.selector
                || fill.reason == BalanceUnread.selector;
            fill.status = unread ? UNREAD : REJECTED;
            return fill;
        }
        fill.used = words[2];
        fill.nominal = words[3];
        fill.between = words[4];
        fill.arrived = words[5];
        fill.nominalLast = words[6];
        fill.received = words[7];
        if (words[1] != 0) fill.status = PARTIAL;
        else fill.status = fill.received == 0 ? EMPTY : FILLED;
        if (fill.status == PARTIAL && fill.used == 0) fill.status = EMPTY;
    }

    /// Always reverts: with a result of eight words, marked with the secret, or with what went wrong. Only the lens may ask:
    /// a pool that could would learn the secret from the answer.
    function frame(uint256 secret, address native, bytes memory data) external {
        if (uint160(address(this)) - uint160(msg.sender) > MAX_PAYERS) revert NotYours();
        (_secret, _wrappedNative, _busy) = (secret, native, true);
        Plan memory plan = abi.decode(data, (Plan));
        if (plan.paid) {
            _heldIn = _held(plan.legs[0].tokenIn);
            if (_heldIn < plan.amount) revert CannotPay();
        }
        _swap(plan);
    }

    function _swap(Plan memory plan) private {
        Leg memory leg = plan.legs[plan.at];
        plan.before = _held(leg.tokenOut);
        uint8 kind = leg.kind;
        _expected = leg.pool;
        _expectedKind = kind;
        if (kind >= KIND_V4) _swapSingleton(plan, leg);
        else if (kind == KIND_V3 || kind == KIND_SLIPSTREAM || kind == KIND_ALGEBRA) _swapConcentrated(plan, leg);
        else _swapPair(plan, leg);
    }

    /// After a leg: report, or go on with what was really received.
    function _next(Plan memory plan, uint256 used, uint256 nominal) private {
        Leg memory leg = plan.legs[plan.at];
        uint256 received = _held(leg.tokenOut) - plan.before;
        if (received > nominal) revert SendsMoreThanSaid();
        if (received == 0 && nominal > 0) revert SendsNothing();
        bool partly = used < plan.amount && !plan.priceLimited;
        if (used > plan.amount) revert AsksForMore();
        if (plan.at == 0) {
            // Nobody who holds just the size could pay a token that takes more from its sender than was sent.
            if (plan.paid && _held(leg.tokenIn) + used < _heldIn) revert AsksForMore();
            plan.used = used;
            plan.nominal = nominal;
            plan.between = received;
        }
        if (partly || plan.at + 1 == plan.legs.length) _report(plan, partly ? plan.at + 1 : 0, nominal, received);
        plan.at += 1;
        plan.amount = received;
        plan.paid = true;
        if (received == 0) _report(plan, 0, 0, 0);
        _swap(plan);
    }

    function _report(Plan memory plan, uint256 flag, uint256 nominalLast, uint256 received) private view {
        uint256[8] memory words =
            [_secret, flag, plan.used, plan.nominal, plan.between, plan.arrived, nominalLast, received];
        words[0] = _mark(words, words[0]);
        assembly ("memory-safe") {
            revert(words, RESULT_BYTES)
        }
    }

    /// A result travels back through the pool that it is about: the mark holds the words together, under the secret.
    function _mark(uint256[8] memory words, uint256 secret) private pure returns (uint256 mark) {
        uint256 first = words[0];
        words[0] = secret;
        mark = uint256(keccak256(abi.encode(words)));
        words[0] = first;
    }

    /// The plan as callback data, remembered by its hash.
    function _sealed(Plan memory plan) private returns (bytes memory data) {
        data = abi.encode(plan);
        _expectedData = keccak256(data);
    }

    /// The plan that was sent along. A pool may call back once.
    function _opened(bytes memory data) private returns (Plan memory) {
        if (keccak256(data) != _expectedData) revert NotYours();
        _expected = address(0);
        return abi.decode(data, (Plan));
    }

    // --- concentrated pools: one swap function, a callback of any name ---

    function _swapConcentrated(Plan memory plan, Leg memory leg) private {
        if (plan.amount > uint256(type(int256).max)) revert TooLarge();
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        (int256 delta0, int256 delta1) = IConcentratedPool(leg.pool).swap(
            address(this), zeroForOne, int256(plan.amount), _limit(leg, zeroForOne), _sealed(plan)
        );
        _afterConcentrated(plan, zeroForOne, delta0, delta1);
    }

    function _afterConcentrated(Plan memory plan, bool zeroForOne, int256 delta0, int256 delta1) private {
        (int256 paid, int256 sent) = zeroForOne ? (delta0, delta1) : (delta1, delta0);
        _next(plan, paid > 0 ? uint256(paid) : 0, sent < 0 ? uint256(-sent) : 0);
    }

    function _limit(Leg memory leg, bool zeroForOne) private pure returns (uint160) {
        if (leg.limit != 0) return leg.limit;
        return zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1;
    }

    // --- pairs: the amount out is worked out first, then taken ---

    /// As routers do it: the pair is paid, then asked what that which arrived is worth. A token may sell into the pair
    /// while it is transferred, so the reserves count that stand after the payment.
    function _swapPair(Plan memory plan, Leg memory leg) private {
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        uint256 amount = plan.amount;
        if (plan.paid) _transfer(leg.tokenIn, leg.pool, amount);
        (uint256 reserveIn, uint256 reserveOut) = _reservesOf(leg.pool, zeroForOne);
        if (plan.paid) {
            amount = _balanceOf(leg.tokenIn, leg.pool) - reserveIn;
            if (plan.at == 0) plan.arrived = amount;
        }
        uint256 out;
        if (leg.kind == KIND_V2) {
            uint256 afterFee = amount * (1e6 - leg.fee);
            if (reserveIn > 0) out = afterFee * reserveOut / (reserveIn * 1e6 + afterFee);
        } else if (reserveIn > 0 && reserveOut > 0 && amount > 0) {
            out = IPairPool(leg.pool).getAmountOut(amount, leg.tokenIn);
        }
        if (out == 0) _report(plan, plan.at + 1, 0, 0);
        bytes memory data = plan.paid ? bytes("") : _sealed(plan);
        IPairPool(leg.pool).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, address(this), data);
        _next(plan, plan.amount, out);
    }

    function _reservesOf(address pool, bool zeroForOne) private view returns (uint256, uint256) {
        (bool ok, uint256 size, uint256[5] memory words) = readWords(pool, 0x0902f1ac);
        if (!ok || size < 2) revert PoolUnread();
        return zeroForOne ? (words[0], words[1]) : (words[1], words[0]);
    }

    // --- the singleton ---

    function _swapSingleton(Plan memory plan, Leg memory leg) private {
        if (_unlocked) {
            (uint256 used, uint256 sent) = _insideSingleton(plan, leg);
            return _next(plan, used, sent);
        }
        bytes memory answer = ISingleton(leg.pool).unlock(_sealed(plan));
        (uint256 paid, uint256 nominal) = abi.decode(answer, (uint256, uint256));
        _unlocked = false;
        _next(plan, paid, nominal);
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != _expected) return "";
        Plan memory plan = _opened(data);
        _unlocked = true;
        (uint256 used, uint256 sent) = _insideSingleton(plan, plan.legs[plan.at]);
        if (!plan.paid) _next(plan, used, sent);
        return abi.encode(used, sent);
    }

    function _insideSingleton(Plan memory plan, Leg memory leg) private returns (uint256 used, uint256 sent) {
        if (plan.amount > uint256(uint128(type(int128).max))) revert TooLarge();
        bool native = leg.kind == KIND_V4_NATIVE;
        (address currencyIn, address currencyOut) = (leg.tokenIn, leg.tokenOut);
        if (native) {
            if (currencyIn == _wrappedNative) currencyIn = address(0);
            else currencyOut = address(0);
        }
        bool zeroForOne = currencyIn < currencyOut;
        uint256 debts = leg.hooks == address(0) ? 0 : _openDebts(leg.pool);
        {
            PoolKey memory key = zeroForOne
                ? PoolKey(currencyIn, currencyOut, leg.fee, leg.spacing, leg.hooks)
                : PoolKey(currencyOut, currencyIn, leg.fee, leg.spacing, leg.hooks);
            int256 delta = ISingleton(leg.pool).swap(
                key, SwapParams(zeroForOne, -int256(plan.amount), _limit(leg, zeroForOne)), ""
            );
            (int128 deltaIn, int128 deltaOut) =
                zeroForOne ? (int128(delta >> 128), int128(delta)) : (int128(delta), int128(delta >> 128));
            used = deltaIn < 0 ? uint256(-int256(deltaIn)) : 0;
            sent = deltaOut > 0 ? uint256(int256(deltaOut)) : 0;
        }
        if (plan.paid && used > 0) {
            if (currencyIn == address(0)) {
                IWrappedNative(leg.tokenIn).withdraw(used);
                ISingleton(leg.pool).settle{value: used}();
            } else {
                ISingleton(leg.pool).sync(currencyIn);
                _transfer(currencyIn, leg.pool, used);
                ISingleton(leg.pool).settle();
            }
        }
        if (sent > 0) {
            ISingleton(leg.pool).take(currencyOut, address(this), sent);
            if (currencyOut == address(0)) IWrappedNative(leg.tokenOut).deposit{value: sent}();
        }
        // A hook can promise anything as long as the lock is held. What is open now, but for our own unpaid input,
        // would make the manager refuse all of it in the end.
        if (leg.hooks != address(0) && _openDebts(leg.pool) != debts + (plan.paid || used == 0 ? 0 : 1)) {
            revert HookLeavesDebt();
        }
    }

    function _openDebts(address manager) private view returns (uint256 count) {
        bool ok;
        // exttload of PoolManager's count of non-zero deltas: keccak256("NonzeroDeltaCount") - 1.
        uint256 slot = 0x7d4b3164c6e45b97e7d87b7125a44c5828d005af88f9d751cfd78729c5d99a0b;
        (ok, count) = readWord(manager, 0xf135baaa, slot, 0, 0);
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
        uint8 kind = _expectedKind;
        if (kind == KIND_V3 || kind == KIND_SLIPSTREAM || kind == KIND_ALGEBRA) {
            (int256 delta0, int256 delta1, bytes memory data) = abi.decode(msg.data[4:], (int256, int256, bytes));
            Plan memory plan = _opened(data);
            Leg memory leg = plan.legs[plan.at];
            bool zeroForOne = leg.tokenIn < leg.tokenOut;
            if (!plan.paid) _afterConcentrated(plan, zeroForOne, delta0, delta1);
            uint256 owed = uint256(zeroForOne ? delta0 : delta1);
            if (owed > plan.amount) revert AsksForMore();
            _transfer(leg.tokenIn, leg.pool, owed);
        } else {
            (, uint256 out0, uint256 out1, bytes memory data) =
                abi.decode(msg.data[4:], (address, uint256, uint256, bytes));
            Plan memory plan = _opened(data);
            if (!plan.paid) _next(plan, plan.amount, out0 + out1);
        }
    }

    // --- tokens ---

    function _held(address token) private view returns (uint256) {
        return _balanceOf(token, address(this));
    }

    function _balanceOf(address token, address holder) private view returns (uint256) {
        (bool ok, uint256 balance) = readBalance(token, holder);
        if (!ok) revert BalanceUnread();
        return balance;
    }

    function _transfer(address token, address to, uint256 amount) private {
        bool ok;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0xa9059cbb))
            mstore(add(at, 4), to)
            mstore(add(at, 36), amount)
            ok := call(gas(), token, 0, at, 68, 0, 32)
            ok := and(ok, or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1))))
        }
        if (!ok) revert TransferFailed();
    }
}
