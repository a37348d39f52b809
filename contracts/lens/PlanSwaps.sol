// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./BoundedReads.sol";
import "./PoolCalls.sol";
import "./PlanTypes.sol";
import "./TokenCalls.sol";

/// Executes one swap of a plan with payment, as a router does.
abstract contract PlanSwaps {
    /// A receiver may get 1/20 more than the pool sent. A token that credits more reports unreliable balances.
    uint256 private constant BONUS_DIVISOR = 20;

    error OnlySelf();
    error PoolUnread();
    error ChargesTooMuch();
    error ReceivesTooMuch();
    error PaysNothing();
    error TooLarge();
    error TransferFailed();

    address internal transient _native;
    /// The current leg: the contract that may call back once, the hash of a v4 manager's callback data, the values that
    /// the callback uses, and the amounts that it paid and received.
    address private transient _expected;
    bytes32 private transient _expectedData;
    address private transient _tokenIn;
    address private transient _payer;
    bool private transient _zeroForOne;
    uint256 private transient _amount;
    uint256 private transient _paid;
    uint256 private transient _sent;

    /// Swaps `amount` through a pool, paid by `payer`: an account that approved this contract, or this contract itself.
    /// @param surplus tokenIn above a pair's reserves before the plan, which does not count as paid
    /// @return used tokenIn charged by the pool
    /// @return arrived tokenIn received by the pool
    /// @return nominal tokenOut sent, as the pool reports it
    /// @return received tokenOut received by `receiver`
    function _swap(PlanLeg calldata leg, uint256 amount, address payer, address receiver, uint256 surplus)
        internal
        returns (uint256 used, uint256 arrived, uint256 nominal, uint256 received)
    {
        uint256 before = tokenBalance(leg.tokenOut, receiver);
        (_tokenIn, _payer, _amount) = (leg.tokenIn, payer, amount);
        (_paid, _sent) = (0, 0);
        if (leg.kind >= KIND_V4) {
            bytes memory data = abi.encode(leg, amount, receiver);
            _expect(leg.pool, keccak256(data));
            callContract(leg.pool, 0, abi.encodeCall(ISingleton.unlock, (data)));
            (used, nominal) = (_paid, _sent);
            arrived = used;
        } else if (leg.kind == KIND_WEIGHTED) {
            if (payer != address(this)) _collect(leg.tokenIn, payer, amount);
            nominal = _swapHeld(leg, amount, receiver);
            (used, arrived) = (amount, amount);
        } else if (isConcentrated(leg.kind)) {
            nominal = _swapConcentrated(leg, amount, receiver);
            used = _paid;
            arrived = used;
        } else {
            (arrived, nominal) = _swapPair(leg, amount, payer, receiver, surplus);
            used = amount;
        }
        _expect(address(0), 0);
        received = tokenBalance(leg.tokenOut, receiver) - before;
        if (received > nominal + nominal / BONUS_DIVISOR) revert ReceivesTooMuch();
        // The pool paid another token than the leg names.
        if (used == amount && received == 0 && nominal > 0) revert PaysNothing();
    }

    /// Allows one callback of a contract.
    function _expect(address pool, bytes32 data) private {
        (_expected, _expectedData) = (pool, data);
    }

    function _swapConcentrated(PlanLeg calldata leg, uint256 amount, address receiver)
        private
        returns (uint256 nominal)
    {
        if (amount > uint256(type(int256).max)) revert TooLarge();
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        _expect(leg.pool, 0);
        _zeroForOne = zeroForOne;
        (uint256 delta0, uint256 delta1) = callContract(
            leg.pool,
            0,
            abi.encodeCall(
                IConcentratedPool.swap, (receiver, zeroForOne, int256(amount), uint160(_limit(zeroForOne)), "")
            )
        );
        int256 sent = int256(zeroForOne ? delta1 : delta0);
        if (sent < 0 && sent != type(int256).min) nominal = uint256(-sent);
    }

    function _limit(bool zeroForOne) private pure returns (uint256) {
        return zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1;
    }

    /// Pays the pair first and computes the output from the amount that arrived, as routers do. Uses the reserves after
    /// the payment, because a token may sell into the pair during its transfer.
    function _swapPair(PlanLeg calldata leg, uint256 amount, address payer, address receiver, uint256 surplus)
        private
        returns (uint256 arrived, uint256 out)
    {
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        uint256 reserveBefore = 0;
        if (surplus > 0) {
            (reserveBefore,) = _reservesOf(leg.pool, zeroForOne);
            uint256 currentSurplus = tokenBalance(leg.tokenIn, leg.pool);
            currentSurplus = currentSurplus > reserveBefore ? currentSurplus - reserveBefore : 0;
            if (currentSurplus < surplus) surplus = currentSurplus;
        }
        _pay(leg.tokenIn, payer, leg.pool, amount);
        (uint256 reserveIn, uint256 reserveOut) = _reservesOf(leg.pool, zeroForOne);
        arrived = tokenBalance(leg.tokenIn, leg.pool) - reserveIn;
        // A pair that was synced during the transfer has the surplus in its reserves.
        if (reserveIn == reserveBefore) arrived = arrived > surplus ? arrived - surplus : 0;
        if (leg.kind == KIND_V2) {
            uint256 afterFee = arrived * (1e6 - leg.fee);
            if (reserveIn > 0) out = afterFee * reserveOut / (reserveIn * 1e6 + afterFee);
        } else if (reserveIn > 0 && reserveOut > 0 && arrived > 0) {
            (out,) = callContract(leg.pool, 0, abi.encodeCall(IPairPool.getAmountOut, (arrived, leg.tokenIn)));
        }
        if (out == 0) revert PaysNothing();
        (uint256 out0, uint256 out1) = zeroForOne ? (uint256(0), out) : (out, uint256(0));
        callContract(leg.pool, 0, abi.encodeCall(IPairPool.swap, (out0, out1, receiver, "")));
    }

    /// Moves the payer's tokens to this contract, for pools that pull from their caller.
    function _collect(address token, address payer, uint256 amount) private {
        uint256 held = tokenBalance(token, address(this));
        _pay(token, payer, address(this), amount);
        if (tokenBalance(token, address(this)) - held != amount) revert ArrivesShort();
    }

    /// Swaps tokens that this contract holds, in a pool that pulls them.
    /// @return sent tokenOut sent, as the pool reports it
    function _swapHeld(PlanLeg calldata leg, uint256 amount, address receiver) internal virtual returns (uint256 sent);

    function _reservesOf(address pool, bool zeroForOne) private view returns (uint256, uint256) {
        (bool ok, uint256 size, uint256[5] memory words) = readWords(pool, 0x0902f1ac); // getReserves()
        if (!ok || size < 2) revert PoolUnread();
        return zeroForOne ? (words[0], words[1]) : (words[1], words[0]);
    }

    // --- callbacks ---

    /// Answers the callback of concentrated pools, which has many names and the arguments (int256, int256, bytes). Pays
    /// only the current pool, once, and at most the amount sold.
    /// @return whether the caller is the current pool
    function _answerPool() internal returns (bool) {
        if (msg.sender != _expected || msg.data.length < 68) return false;
        _expected = address(0);
        (uint256 owed0, uint256 owed1) = abi.decode(msg.data[4:68], (uint256, uint256));
        uint256 owed = _zeroForOne ? owed0 : owed1;
        if (owed > _amount) revert ChargesTooMuch();
        _paid = owed;
        _pay(_tokenIn, _payer, msg.sender, owed);
        return true;
    }

    /// Called by a v4 manager while it is unlocked for this contract.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != _expected || keccak256(data) != _expectedData) return "";
        _expected = address(0);
        (PlanLeg memory leg, uint256 amount, address receiver) = abi.decode(data, (PlanLeg, uint256, address));
        if (amount > uint256(uint128(type(int128).max))) revert TooLarge();
        (address currencyIn, address currencyOut) = (leg.tokenIn, leg.tokenOut);
        if (leg.kind == KIND_V4_NATIVE) {
            if (currencyIn == _native) currencyIn = address(0);
            else currencyOut = address(0);
        }
        (uint256 used, uint256 sent) = _swapInside(leg, amount, currencyIn, currencyOut);
        (_paid, _sent) = (used, sent);
        if (used > amount) revert ChargesTooMuch();
        if (used > 0) _settle(leg, currencyIn, used);
        if (sent > 0) _take(leg, currencyOut, sent, receiver);
        return "";
    }

    function _swapInside(PlanLeg memory leg, uint256 amount, address currencyIn, address currencyOut)
        private
        returns (uint256 used, uint256 sent)
    {
        bool zeroForOne = currencyIn < currencyOut;
        (address currency0, address currency1) = zeroForOne ? (currencyIn, currencyOut) : (currencyOut, currencyIn);
        PoolKey memory key = PoolKey(currency0, currency1, uint24(leg.fee), int24(leg.spacing), leg.hooks);
        SwapParams memory params = SwapParams(zeroForOne, -int256(amount), uint160(_limit(zeroForOne)));
        (uint256 word,) = callContract(leg.pool, 0, abi.encodeCall(ISingleton.swap, (key, params, "")));
        int256 delta = int256(word);
        int128 deltaIn = int128(zeroForOne ? delta >> 128 : delta);
        int128 deltaOut = int128(zeroForOne ? delta : delta >> 128);
        if (deltaIn < 0) used = uint256(-int256(deltaIn));
        if (deltaOut > 0) sent = uint256(int256(deltaOut));
    }

    function _settle(PlanLeg memory leg, address currencyIn, uint256 used) private {
        // For the native coin too: an earlier call of the transaction may have synced another currency.
        callContract(leg.pool, 0, abi.encodeCall(ISingleton.sync, (currencyIn)));
        uint256 value = 0;
        if (currencyIn == address(0)) {
            if (_payer != address(this)) _pay(leg.tokenIn, _payer, address(this), used);
            callContract(leg.tokenIn, 0, abi.encodeCall(IWrappedNative.withdraw, (used)));
            value = used;
        } else {
            _pay(currencyIn, _payer, leg.pool, used);
        }
        callContract(leg.pool, value, abi.encodeCall(ISingleton.settle, ()));
    }

    function _take(PlanLeg memory leg, address currencyOut, uint256 sent, address receiver) private {
        if (currencyOut != address(0)) {
            callContract(leg.pool, 0, abi.encodeCall(ISingleton.take, (currencyOut, receiver, sent)));
            return;
        }
        callContract(leg.pool, 0, abi.encodeCall(ISingleton.take, (currencyOut, address(this), sent)));
        callContract(leg.tokenOut, sent, abi.encodeCall(IWrappedNative.deposit, ()));
        if (receiver != address(this)) _pay(leg.tokenOut, address(this), receiver, sent);
    }

    /// Pays by transferFrom, or by transfer if `payer` is this contract.
    function _pay(address token, address payer, address to, uint256 amount) internal virtual {
        if (!payToken(token, payer, to, amount)) revert TransferFailed();
    }
}
