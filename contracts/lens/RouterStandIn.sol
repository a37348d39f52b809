// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Filler.sol";

/// Lies by state override over the router that a wallet would really use, in `eth_simulateV1` only, so that the token
/// sees the very addresses of a real trade (wallet, router, pool) while amounts follow what earlier steps really paid.
/// The same code also serves as the puller (Permit2) of singleton trades and as a wallet that is a contract.
contract RouterStandIn {
    /// stage: 1 pull reverted, 2 pull returned false, 3 pool refused, 4 payment failed, 5 unreadable balance,
    /// 6 arrived short, 7 too little to be worth one unit
    error Refused(uint256 stage, uint256 sent, uint256 arrived, uint256 size, bytes32 head);

    /// Where the simulation put a copy of the code that this one hides: what 0x…c10e5 created at nonce 1.
    /// A token that trades inside its own transfer calls the router too, and must find all of it.
    address private constant HIDDEN = 0xA4E14aBf27Bb0E15c6A0042fda30a3c65Be8A729;

    address private transient _expected;
    address private transient _token;
    address private transient _payer; // 0: the stand-in pays from what it holds
    address private transient _puller;
    uint256 private transient _held;
    uint256 private transient _sent;
    uint256 private transient _arrived;

    struct Trade {
        Leg leg;
        address wallet;
        address puller; // who the wallet approved; 0: this contract
        address wrapped;
    }

    // --- purchase: paid by the stand-in, delivered straight to the wallet ---

    /// @return paid counter-asset spent
    /// @return nominal what the pool says it sent
    /// @return received what the wallet has more
    function buy(Trade calldata trade, uint256 amount)
        external
        payable
        returns (uint256 paid, uint256 nominal, uint256 received)
    {
        Leg memory leg = trade.leg;
        _payer = address(0);
        if (msg.value > 0) IWrappedNative(trade.wrapped).deposit{value: msg.value}();
        uint256 before = _balance(leg.tokenOut, trade.wallet);
        (paid, nominal) = _swap(trade, leg, amount);
        received = _balance(leg.tokenOut, trade.wallet);
        received = received > before ? received - before : 0;
        _setCredit(trade.wallet, 1 + nominal);
    }

    // --- sale: pulled from the wallet, paid out to the wallet ---

    /// @return sent taken from the wallet by its own word
    /// @return arrived what the pool found to be its own
    /// @return quoted what the pool would have paid for `sent` just before
    /// @return received counter-asset that the wallet has more
    function sell(Trade calldata trade, uint256 bps)
        external
        returns (uint256 sent, uint256 arrived, uint256 quoted, uint256 received)
    {
        Leg memory leg = trade.leg;
        _held = _balance(leg.tokenIn, trade.wallet);
        uint256 credit = _credit(trade.wallet);
        // What the pool sent is believed before what the token says the wallet has.
        uint256 amount = (credit != 0 && credit - 1 < _held ? credit - 1 : _held) * bps / 10_000;
        if (amount == 0) return (0, 0, 0, 0);
        if (credit != 0) _setCredit(trade.wallet, credit > amount ? credit - amount : 1);
        _payer = trade.wallet;
        _puller = trade.puller;
        _sent = amount;
        bool native = leg.kind == KIND_V4_NATIVE;
        if (_isPair(leg.kind)) quoted = _priced(leg, amount);
        uint256 before = native ? trade.wallet.balance : _balance(leg.tokenOut, trade.wallet);
        (, uint256 nominal) = _swap(trade, leg, amount);
        uint256 later = native ? trade.wallet.balance : _balance(leg.tokenOut, trade.wallet);
        if (quoted == 0) quoted = nominal;
        return (amount, _arrived, quoted, later > before ? later - before : 0);
    }

    /// Where a node has no `eth_simulateV1`: purchase and sale in one call, by a wallet that is this contract. What works
    /// here works; what fails may still work for an ordinary wallet in another block.
    function roundTrip(Trade calldata buying, Trade calldata selling, uint256 amount)
        external
        payable
        returns (uint256 paid, uint256 nominal, uint256 received, bool sold, uint256[4] memory sale)
    {
        (paid, nominal, received) = this.buy{value: msg.value}(buying, amount);
        address token = selling.leg.tokenIn;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0x095ea7b3))
            mstore(add(at, 4), address())
            mstore(add(at, 36), not(0))
            pop(call(gas(), token, 0, at, 68, 0, 0))
        }
        try this.sell(selling, 10_000) returns (uint256 sent, uint256 arrived, uint256 quoted, uint256 proceeds) {
            (sold, sale) = (true, [sent, arrived, quoted, proceeds]);
        } catch {}
    }

    /// Of the token bought by a wallet, not yet sold; plus one. Kept in the storage of the router, which has none.
    function _credit(address wallet) private view returns (uint256 credit) {
        bytes32 slot = keccak256(abi.encode(wallet, "credit"));
        assembly ("memory-safe") {
            credit := sload(slot)
        }
    }

    function _setCredit(address wallet, uint256 credit) private {
        bytes32 slot = keccak256(abi.encode(wallet, "credit"));
        assembly ("memory-safe") {
            sstore(slot, credit)
        }
    }

    function balanceOf(address token, address holder) external view returns (uint256) {
        return _balance(token, holder);
    }

    /// As a puller: what Permit2 does for its router.
    function pull(address token, address from, address to, uint256 amount) external {
        _pullHere(token, from, to, amount);
    }

    /// As a wallet that is a contract. Returned bytes are bounded: the target may be the token.
    function execute(address target, uint256 value, bytes calldata data) external payable returns (bytes memory out) {
        bool ok;
        assembly ("memory-safe") {
            let at := mload(0x40)
            calldatacopy(at, data.offset, data.length)
            ok := call(gas(), target, value, at, data.length, 0, 0)
            let size := returndatasize()
            if gt(size, 256) { size := 256 }
            out := mload(0x40)
            mstore(out, size)
            returndatacopy(add(out, 32), 0, size)
            mstore(0x40, add(add(out, 32), and(add(size, 31), not(31))))
            if iszero(ok) { revert(add(out, 32), size) }
        }
    }

    // --- swaps ---

    function _swap(Trade calldata trade, Leg memory leg, uint256 amount) private returns (uint256 paid, uint256 nominal) {
        _token = leg.tokenIn;
        if (_isPair(leg.kind)) return (amount, _swapPair(trade, leg, amount));
        _expected = leg.pool;
        if (leg.kind >= KIND_V4) {
            try ISingleton(leg.pool).unlock(abi.encode(trade, amount)) returns (bytes memory answer) {
                _expected = address(0);
                return abi.decode(answer, (uint256, uint256));
            } catch {
                _refuse(3);
            }
        }
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        try IConcentratedPool(leg.pool).swap(
            trade.wallet, zeroForOne, int256(amount), zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1, ""
        ) returns (int256 delta0, int256 delta1) {
            _expected = address(0);
            (int256 inward, int256 outward) = zeroForOne ? (delta0, delta1) : (delta1, delta0);
            return (uint256(inward), uint256(-outward));
        } catch {
            _refuse(3);
        }
    }

    function _swapPair(Trade calldata trade, Leg memory leg, uint256 amount) private returns (uint256 out) {
        uint256 before = _balance(leg.tokenIn, leg.pool);
        (uint256 reserveBefore,) = _reserves(leg);
        _pay(leg.tokenIn, leg.pool, amount);
        // As the routers do it: reserves are read after the payment, because a token may trade inside its own transfer.
        (uint256 reserveIn,) = _reserves(leg);
        uint256 held = _balance(leg.tokenIn, leg.pool);
        uint256 arrived = held > reserveIn ? held - reserveIn : 0;
        // What grew in the pool since its last trade is no part of this payment.
        _arrived = reserveBefore == reserveIn && before > reserveIn && held >= before ? held - before : arrived;
        out = _priced(leg, arrived);
        if (out == 0) _refused(arrived == 0 ? 6 : 7, arrived);
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        try IPairPool(leg.pool).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, trade.wallet, "") {}
        catch {
            _refuse(3);
        }
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != _expected) _runHidden();
        (Trade memory trade, uint256 amount) = abi.decode(data, (Trade, uint256));
        Leg memory leg = trade.leg;
        (address currencyIn, address currencyOut) = (leg.tokenIn, leg.tokenOut);
        if (leg.kind == KIND_V4_NATIVE) {
            if (currencyIn == trade.wrapped) currencyIn = address(0);
            else currencyOut = address(0);
        }
        bool zeroForOne = currencyIn < currencyOut;
        int256 delta = ISingleton(leg.pool).swap(
            zeroForOne
                ? PoolKey(currencyIn, currencyOut, leg.fee, leg.spacing, leg.hooks)
                : PoolKey(currencyOut, currencyIn, leg.fee, leg.spacing, leg.hooks),
            SwapParams(zeroForOne, -int256(amount), zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1),
            ""
        );
        (int128 inward, int128 outward) =
            zeroForOne ? (int128(delta >> 128), int128(delta)) : (int128(delta), int128(delta >> 128));
        uint256 owed = inward < 0 ? uint256(-int256(inward)) : 0;
        uint256 due = outward > 0 ? uint256(int256(outward)) : 0;
        if (currencyIn == address(0)) {
            IWrappedNative(trade.wrapped).withdraw(owed);
            ISingleton(leg.pool).settle{value: owed}();
        } else {
            ISingleton(leg.pool).sync(currencyIn);
            _pay(currencyIn, leg.pool, owed);
            _arrived = ISingleton(leg.pool).settle();
            if (_arrived < owed) _refused(6, _arrived);
        }
        ISingleton(leg.pool).take(currencyOut, trade.wallet, due);
        return abi.encode(owed, due);
    }

    function msgSender() external view returns (address) {
        return tx.origin;
    }

    receive() external payable {}

    /// The callback of a concentrated pool, whatever its name: pays what is owed, and says when it arrived short.
    fallback() external payable {
        if (msg.sender != _expected) _runHidden();
        (int256 delta0, int256 delta1,) = abi.decode(msg.data[4:], (int256, int256, bytes));
        uint256 owed = uint256(delta0 > 0 ? delta0 : delta1);
        uint256 before = _balance(_token, msg.sender);
        _pay(_token, msg.sender, owed);
        uint256 later = _balance(_token, msg.sender);
        _arrived = later > before ? later - before : 0;
        if (_arrived < owed) _refused(6, _arrived);
    }

    /// Any other call goes on to the hidden code, in this address's name.
    function _runHidden() private {
        if (HIDDEN.code.length == 0) revert();
        address hidden = HIDDEN;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), hidden, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }

    // --- payment ---

    function _pay(address token, address to, uint256 amount) private {
        if (_payer == address(0)) return _transfer(token, to, amount);
        if (_puller == address(0)) return _pullHere(token, _payer, to, amount);
        try RouterStandIn(payable(_puller)).pull(token, _payer, to, amount) {}
        catch {
            _refuse(1);
        }
    }

    function _pullHere(address token, address from, address to, uint256 amount) private {
        bool ok;
        bool yes;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0x23b872dd))
            mstore(add(at, 4), from)
            mstore(add(at, 36), to)
            mstore(add(at, 68), amount)
            ok := call(gas(), token, 0, at, 100, 0, 32)
            yes := or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1)))
        }
        if (!ok) _refuse(1);
        if (!yes) _refused(2, 0);
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
        if (!ok) _refuse(4);
    }

    /// Ends the trade with the last call's reason: a refusal of our own goes up as it is, another's is cut to one word.
    function _refuse(uint256 stage) private view {
        uint256 size;
        uint256 selector;
        assembly ("memory-safe") {
            size := returndatasize()
            if gt(size, 3) {
                returndatacopy(0, 0, 4)
                selector := shr(224, mload(0))
            }
        }
        if (size == 164 && selector == uint32(Refused.selector)) {
            assembly ("memory-safe") {
                let at := mload(0x40)
                returndatacopy(at, 0, 164)
                revert(at, 164)
            }
        }
        bytes32 head;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, 0)
            // Error(string): the text begins at byte 68.
            let from := mul(and(eq(selector, 0x08c379a0), gt(size, 99)), 68)
            let part := sub(size, from)
            if gt(part, 32) { part := 32 }
            returndatacopy(at, from, part)
            head := mload(at)
        }
        revert Refused(stage, _sent, _arrived, size, head);
    }

    function _refused(uint256 stage, uint256 arrived) private view {
        uint256 sent = _sent;
        if (stage == 6 && _payer != address(0)) {
            // A transfer that answers true and moves nothing took nothing.
            (bool ok, uint256 left) = readBalance(_token, _payer);
            if (ok && left < _held && _held - left < sent) sent = _held - left;
            if (ok && left >= _held) sent = 0;
        }
        revert Refused(stage, sent, arrived, 0, 0);
    }

    // --- pairs ---

    function _isPair(uint8 kind) private pure returns (bool) {
        return kind == KIND_V2 || kind == KIND_SOLIDLY || kind == KIND_SOLIDLY_PAIR || kind == KIND_SELF_PRICED_PAIR;
    }

    function _reserves(Leg memory leg) private view returns (uint256 reserveIn, uint256 reserveOut) {
        (bool ok, uint256 size, uint256[5] memory words) = readWords(leg.pool, 0x0902f1ac);
        if (!ok || size < 2) _refused(5, 0);
        return leg.tokenIn < leg.tokenOut ? (words[0], words[1]) : (words[1], words[0]);
    }

    function _priced(Leg memory leg, uint256 amount) private view returns (uint256) {
        if (amount == 0) return 0;
        if (leg.kind != KIND_V2) return IPairPool(leg.pool).getAmountOut(amount, leg.tokenIn);
        (uint256 reserveIn, uint256 reserveOut) = _reserves(leg);
        uint256 afterFee = amount * (1e6 - leg.fee);
        return afterFee * reserveOut / (reserveIn * 1e6 + afterFee);
    }

    function _balance(address token, address holder) private view returns (uint256) {
        (bool ok, uint256 balance) = readBalance(token, holder);
        if (!ok) _refused(5, 0);
        return balance;
    }
}
