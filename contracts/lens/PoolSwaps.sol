// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./BoundedReads.sol";
import "./PoolCalls.sol";
import "./PlanTypes.sol";
import "./TokenCalls.sol";

// The swaps of the executor. Each family is a contract of its own, so that a stand-in of the check contains one family only.

/// Pays for a swap as a router does, and calls pools.
abstract contract PoolSwaps {
    error ChargesTooMuch();
    error PaysNothing();
    error TooLarge();
    error TransferFailed();

    address internal transient _native;
    /// Allows one callback: the pool's address, with `ZERO_FOR_ONE` if it sells token0, or the hash of the data that a v4
    /// manager passes back. 0 = none.
    uint256 internal transient _expected;
    /// The values that the callback of the current leg uses. Stored as whole words: before it writes a transient address,
    /// Solidity loads the slot to keep its other bytes.
    uint256 private transient _tokenInWord;
    uint256 private transient _payerWord;
    /// The unpaid part of the leg's amount. The callback subtracts its payment.
    uint256 internal transient _unpaid;

    uint256 internal constant ZERO_FOR_ONE = 1 << 160;

    /// Calls a contract, and reverts if the call fails.
    /// @return first the first word returned; 0 if missing
    /// @return second the second word returned; 0 if missing
    function _call(address target, uint256 value, bytes memory data)
        internal
        virtual
        returns (uint256 first, uint256 second);

    /// Pays by transferFrom, or by transfer if `payer` is this contract.
    function _pay(address token, address payer, address to, uint256 amount) internal virtual;

    /// Prepares the swap of a leg.
    function _startLeg(PlanLeg memory leg, uint256 amount, address payer) internal {
        (_tokenInWord, _payerWord, _unpaid) = (uint160(leg.tokenIn), uint160(payer), amount);
    }

    function _tokenIn() internal view returns (address) {
        return address(uint160(_tokenInWord));
    }

    function _payer() internal view returns (address) {
        return address(uint160(_payerWord));
    }
}

/// Pools that call back for their payment: Uniswap v3 and its forks, Slipstream, Algebra.
abstract contract ConcentratedSwaps is PoolSwaps {
    function _swapConcentrated(PlanLeg memory leg, uint256 amount, address receiver)
        internal
        returns (uint256 nominal)
    {
        if (amount > uint256(type(int256).max)) revert TooLarge();
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        _expected = zeroForOne ? uint160(leg.pool) | ZERO_FOR_ONE : uint160(leg.pool);
        (uint256 delta0, uint256 delta1) = _call(
            leg.pool,
            0,
            abi.encodeCall(
                IConcentratedPool.swap, (receiver, zeroForOne, int256(amount), uint160(endOfRange(zeroForOne)), "")
            )
        );
        int256 sent = int256(zeroForOne ? delta1 : delta0);
        if (sent < 0 && sent != type(int256).min) nominal = uint256(-sent);
    }

    /// Answers the callback of concentrated pools, which has many names and the arguments (int256, int256, bytes). Pays
    /// only the current pool, once, and at most the amount sold.
    /// @return whether the caller is the current pool
    function _answerPool() internal returns (bool) {
        // 0 or ZERO_FOR_ONE, if this pool is expected.
        uint256 direction = _expected ^ uint160(msg.sender);
        if (direction & ~ZERO_FOR_ONE != 0 || msg.data.length < 68) return false;
        _expected = 0;
        (uint256 owed0, uint256 owed1) = abi.decode(msg.data[4:68], (uint256, uint256));
        uint256 owed = direction == 0 ? owed1 : owed0;
        uint256 unpaid = _unpaid;
        if (owed > unpaid) revert ChargesTooMuch();
        _unpaid = unpaid - owed;
        _pay(_tokenIn(), _payer(), msg.sender, owed);
        return true;
    }
}

/// Pairs, also those that compute their own output.
abstract contract PairSwaps is PoolSwaps {
    /// Pays the pair first and computes the output from the amount that arrived, as routers do. Uses the reserves after
    /// the payment, because a token may sell into the pair during its transfer.
    /// @param surplus most tokenIn above the pair's reserves that does not count as paid
    function _swapPair(PlanLeg memory leg, uint256 amount, address payer, address receiver, uint256 surplus)
        internal
        returns (uint256 arrived, uint256 out)
    {
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        uint256 reserveBefore = 0;
        if (surplus > 0) {
            (reserveBefore,) = pairReserves(leg.pool, zeroForOne);
            uint256 currentSurplus = tokenBalance(leg.tokenIn, leg.pool);
            currentSurplus = currentSurplus > reserveBefore ? currentSurplus - reserveBefore : 0;
            if (currentSurplus < surplus) surplus = currentSurplus;
        }
        _pay(leg.tokenIn, payer, leg.pool, amount);
        (uint256 reserveIn, uint256 reserveOut) = pairReserves(leg.pool, zeroForOne);
        arrived = tokenBalance(leg.tokenIn, leg.pool) - reserveIn;
        // A pair that was synced during the transfer has the surplus in its reserves.
        if (reserveIn == reserveBefore) arrived = arrived > surplus ? arrived - surplus : 0;
        out = pairOutput(leg.asLeg(), arrived, reserveIn, reserveOut);
        if (out == 0) _rejectArrived(arrived);
        (uint256 out0, uint256 out1) = zeroForOne ? (uint256(0), out) : (out, uint256(0));
        _call(leg.pool, 0, abi.encodeCall(IPairPool.swap, (out0, out1, receiver, "")));
    }

    /// Reverts, because the pair pays nothing for the amount that arrived.
    function _rejectArrived(uint256 arrived) internal view virtual;
}

/// Pools of Uniswap v4's manager.
abstract contract SingletonSwaps is PoolSwaps {
    /// Amount of tokenOut that the manager sent in the current leg.
    uint256 internal transient _sent;

    function _swapSingleton(PlanLeg memory leg, uint256 amount, address receiver) internal {
        bytes memory data = abi.encode(leg, amount, receiver);
        (_expected, _sent) = (uint256(keccak256(data)), 0);
        _call(leg.pool, 0, abi.encodeCall(ISingleton.unlock, (data)));
    }

    /// Answers `unlockCallback`, which the manager calls while it is unlocked for this contract.
    /// @return whether the caller is the current manager, with unchanged data
    function _answerManager(bytes calldata data) internal returns (bool) {
        if (uint256(keccak256(data)) != _expected) return false;
        (PlanLeg memory leg, uint256 amount, address receiver) = abi.decode(data, (PlanLeg, uint256, address));
        if (msg.sender != leg.pool) return false;
        _expected = 0;
        if (amount > uint256(uint128(type(int128).max))) revert TooLarge();
        (address currencyIn, address currencyOut) = currenciesOf(leg.asLeg(), _native);
        (uint256 used, uint256 sent) = _swapInside(leg, amount, currencyIn, currencyOut);
        if (used > amount) revert ChargesTooMuch();
        (_unpaid, _sent) = (amount - used, sent);
        if (used > 0) _settle(leg, currencyIn, used);
        if (sent > 0) _take(leg, currencyOut, sent, receiver);
        return true;
    }

    function _swapInside(PlanLeg memory leg, uint256 amount, address currencyIn, address currencyOut)
        private
        returns (uint256 used, uint256 sent)
    {
        bool zeroForOne = currencyIn < currencyOut;
        bytes memory swap = encodeSwap(leg.asLeg(), currencyIn, currencyOut, amount, endOfRange(zeroForOne));
        (uint256 word,) = _call(leg.pool, 0, swap);
        return swapDeltas(word, zeroForOne);
    }

    function _settle(PlanLeg memory leg, address currencyIn, uint256 used) private {
        // For the native coin too: an earlier call of the transaction may have synced another currency.
        _call(leg.pool, 0, abi.encodeCall(ISingleton.sync, (currencyIn)));
        uint256 value = 0;
        if (currencyIn == address(0)) {
            if (_payer() != address(this)) _pay(leg.tokenIn, _payer(), address(this), used);
            _call(leg.tokenIn, 0, abi.encodeCall(IWrappedNative.withdraw, (used)));
            value = used;
        } else {
            _pay(currencyIn, _payer(), leg.pool, used);
        }
        _call(leg.pool, value, abi.encodeCall(ISingleton.settle, ()));
    }

    function _take(PlanLeg memory leg, address currencyOut, uint256 sent, address receiver) private {
        if (currencyOut != address(0)) {
            _call(leg.pool, 0, abi.encodeCall(ISingleton.take, (currencyOut, receiver, sent)));
            return;
        }
        _call(leg.pool, 0, abi.encodeCall(ISingleton.take, (currencyOut, address(this), sent)));
        _call(leg.tokenOut, sent, abi.encodeCall(IWrappedNative.deposit, ()));
        if (receiver != address(this)) _pay(leg.tokenOut, address(this), receiver, sent);
    }
}
