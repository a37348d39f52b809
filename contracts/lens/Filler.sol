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

/// A series of legs under way. It travels through the pools as callback data.
struct Plan {
    Leg[] legs;
    uint256 at; // the leg under way
    uint256 amount; // what this leg has to spend
    bool paid; // the lens holds `amount` and pays it; else the swap is abandoned in its callback
    bool priceLimited; // a leg may stop at its limit
    uint256 before; // balance of tokenOut before this leg
    uint256 used; // of the first leg
    uint256 nominal;
    uint256 between;
}

/// Executes swaps for real, inside frames that always revert. What a fill says is what the pools and the tokens did.
abstract contract Filler {
    error TransferFailed();
    error BalanceUnread();
    error AsksForMore();
    error TooLarge();

    /// Known only to this contract during one frame: a token cannot forge a fill by reverting with one.
    uint256 private transient _secret;
    address private transient _expected;
    uint8 private transient _expectedKind;
    bool private transient _unlocked;

    uint256 private constant RESULT_BYTES = 224;

    /// Runs `legs` in a frame of its own. A frame that ran out of gas is UNREAD, one that reverted is REJECTED.
    function _fill(Leg[] memory legs, uint256 amountIn, bool priceLimited, uint256 gasCap)
        internal
        returns (Fill memory fill)
    {
        if (gasleft() * 63 / 64 < gasCap + 20_000) {
            fill.status = UNREAD;
            return fill;
        }
        _secret = uint256(keccak256(abi.encode(_secret, gasleft(), block.prevrandao, amountIn)));
        bytes memory call_ = abi.encodeCall(this.frame, (legs, amountIn, priceLimited));
        uint256[7] memory words;
        uint256 size;
        uint256 spent = gasleft();
        assembly ("memory-safe") {
            pop(call(gasCap, address(), 0, add(call_, 32), mload(call_), words, RESULT_BYTES))
            size := returndatasize()
        }
        spent -= gasleft();
        if (size != RESULT_BYTES || words[0] != _secret) {
            fill.status = spent > gasCap - gasCap / 16 ? UNREAD : REJECTED;
            fill.reason = size >= 4 ? bytes4(bytes32(words[0])) : bytes4(0);
            return fill;
        }
        fill.used = words[2];
        fill.nominal = words[3];
        fill.between = words[4];
        fill.nominalLast = words[5];
        fill.received = words[6];
        if (words[1] != 0) fill.status = PARTIAL;
        else fill.status = fill.received == 0 ? EMPTY : FILLED;
        if (fill.status == PARTIAL && fill.used == 0) fill.status = EMPTY;
    }

    /// Always reverts: with a result of seven words under the secret, or with what went wrong.
    function frame(Leg[] memory legs, uint256 amountIn, bool priceLimited) external {
        Plan memory plan;
        plan.legs = legs;
        plan.amount = amountIn;
        plan.priceLimited = priceLimited;
        (bool ok, uint256 held) = readBalance(legs[0].tokenIn, address(this));
        // With a balance override for the lens the first leg is paid too, which shows taxes on the sale.
        plan.paid = ok && held >= amountIn && !priceLimited;
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
        bool partly = used < plan.amount && !plan.priceLimited;
        if (used > plan.amount) revert AsksForMore();
        if (plan.at == 0) {
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
        uint256 secret = _secret;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, secret)
            mstore(add(at, 32), flag)
            mstore(add(at, 64), mload(add(plan, 192)))
            mstore(add(at, 96), mload(add(plan, 224)))
            mstore(add(at, 128), mload(add(plan, 256)))
            mstore(add(at, 160), nominalLast)
            mstore(add(at, 192), received)
            revert(at, RESULT_BYTES)
        }
    }

    // --- concentrated pools: one swap function, a callback of any name ---

    function _swapConcentrated(Plan memory plan, Leg memory leg) private {
        if (plan.amount > uint256(type(int256).max)) revert TooLarge();
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        (int256 delta0, int256 delta1) = IConcentratedPool(leg.pool).swap(
            address(this), zeroForOne, int256(plan.amount), _limit(leg, zeroForOne), abi.encode(plan)
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

    function _swapPair(Plan memory plan, Leg memory leg) private {
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        uint256 amount = plan.amount;
        uint256 reserveIn;
        uint256 reserveOut;
        {
            (bool ok, uint256 size, uint256[5] memory words) = readWords(leg.pool, 0x0902f1ac);
            if (!ok || size < 2) revert BalanceUnread();
            (reserveIn, reserveOut) = zeroForOne ? (words[0], words[1]) : (words[1], words[0]);
        }
        if (plan.paid) {
            uint256 before = _balanceOf(leg.tokenIn, leg.pool);
            _transfer(leg.tokenIn, leg.pool, amount);
            amount = _balanceOf(leg.tokenIn, leg.pool) - before;
        }
        uint256 out;
        if (leg.kind == KIND_V2) {
            uint256 afterFee = amount * (1e6 - leg.fee);
            if (reserveIn > 0) out = afterFee * reserveOut / (reserveIn * 1e6 + afterFee);
        } else if (reserveIn > 0 && reserveOut > 0) {
            out = IPairPool(leg.pool).getAmountOut(amount, leg.tokenIn);
        }
        if (out == 0) _report(plan, plan.at + 1, 0, 0);
        IPairPool(leg.pool).swap(
            zeroForOne ? 0 : out, zeroForOne ? out : 0, address(this), plan.paid ? bytes("") : abi.encode(plan)
        );
        _next(plan, plan.amount, out);
    }

    // --- the singleton ---

    function _swapSingleton(Plan memory plan, Leg memory leg) private {
        if (_unlocked) {
            (uint256 used, uint256 sent) = _insideSingleton(plan, leg);
            return _next(plan, used, sent);
        }
        bytes memory answer = ISingleton(leg.pool).unlock(abi.encode(plan));
        (uint256 paid, uint256 nominal) = abi.decode(answer, (uint256, uint256));
        _unlocked = false;
        _next(plan, paid, nominal);
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != _expected) return "";
        _unlocked = true;
        Plan memory plan = abi.decode(data, (Plan));
        (uint256 used, uint256 sent) = _insideSingleton(plan, plan.legs[plan.at]);
        if (!plan.paid) _next(plan, used, sent);
        return abi.encode(used, sent);
    }

    function _insideSingleton(Plan memory plan, Leg memory leg) private returns (uint256 used, uint256 sent) {
        if (plan.amount > uint256(uint128(type(int128).max))) revert TooLarge();
        bool native = leg.kind == KIND_V4_NATIVE;
        (address currencyIn, address currencyOut) = (leg.tokenIn, leg.tokenOut);
        if (native) {
            if (currencyIn == _wrapped()) currencyIn = address(0);
            else currencyOut = address(0);
        }
        bool zeroForOne = currencyIn < currencyOut;
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
        if (sent == 0) return (used, 0);
        ISingleton(leg.pool).take(currencyOut, address(this), sent);
        if (currencyOut == address(0)) IWrappedNative(leg.tokenOut).deposit{value: sent}();
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
            Plan memory plan = abi.decode(data, (Plan));
            Leg memory leg = plan.legs[plan.at];
            bool zeroForOne = leg.tokenIn < leg.tokenOut;
            if (!plan.paid) _afterConcentrated(plan, zeroForOne, delta0, delta1);
            _transfer(leg.tokenIn, leg.pool, uint256(zeroForOne ? delta0 : delta1));
        } else {
            (, uint256 out0, uint256 out1, bytes memory data) =
                abi.decode(msg.data[4:], (address, uint256, uint256, bytes));
            Plan memory plan = abi.decode(data, (Plan));
            _next(plan, plan.amount, out0 + out1);
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

    function _wrapped() internal view virtual returns (address);
}
