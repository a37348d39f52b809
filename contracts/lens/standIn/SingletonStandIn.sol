// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StandIn.sol";

/// Swaps through pools of Uniswap v4's manager.
abstract contract SingletonSwaps is StandIn {
    address private transient _puller;

    function _readSingleton(Trade memory trade, uint256 row) internal pure virtual override {
        trade.counter = trade.leg.tokenIn;
        assembly ("memory-safe") {
            mstore(add(mload(trade), 192), shr(96, mload(add(row, 67)))) // hooks
            mstore(add(trade, 32), shr(96, mload(add(row, 87)))) // puller
        }
    }

    function _swapSingleton(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        returns (uint256 paid, uint256 nominal)
    {
        (_expected, _puller) = (leg.pool, trade.puller);
        try ISingleton(leg.pool).unlock(abi.encode(trade, amount)) returns (bytes memory answer) {
            _expected = address(0);
            return abi.decode(answer, (uint256, uint256));
        } catch {
            _revertWithLastError(3);
        }
    }

    /// Called by the manager while it is unlocked for this contract.
    /// @return the amounts paid and received, ABI-encoded
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != _expected) _runReplacedCode();
        (Trade memory trade, uint256 amount) = abi.decode(data, (Trade, uint256));
        Leg memory leg = trade.leg;
        (address currencyIn, address currencyOut) = (leg.tokenIn, leg.tokenOut);
        if (leg.kind == KIND_V4_NATIVE) {
            if (currencyIn == trade.counter) currencyIn = address(0);
            else currencyOut = address(0);
        }
        bool zeroForOne = currencyIn < currencyOut;
        int256 delta = ISingleton(leg.pool).swap(
            zeroForOne
                ? PoolKey(currencyIn, currencyOut, uint24(leg.fee), int24(leg.spacing), leg.hooks)
                : PoolKey(currencyOut, currencyIn, uint24(leg.fee), int24(leg.spacing), leg.hooks),
            SwapParams(zeroForOne, -int256(amount), uint160(zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1)),
            ""
        );
        (int128 deltaIn, int128 deltaOut) =
            zeroForOne ? (int128(delta >> 128), int128(delta)) : (int128(delta), int128(delta >> 128));
        uint256 owed = deltaIn < 0 ? uint256(-int256(deltaIn)) : 0;
        uint256 due = deltaOut > 0 ? uint256(int256(deltaOut)) : 0;
        if (currencyIn == address(0)) {
            IWrappedNative(trade.counter).withdraw(owed);
            ISingleton(leg.pool).settle{value: owed}();
        } else {
            ISingleton(leg.pool).sync(currencyIn);
            _pay(currencyIn, leg.pool, owed);
            _arrived = ISingleton(leg.pool).settle();
            if (_arrived < owed) _revertWith(6, _arrived);
        }
        ISingleton(leg.pool).take(currencyOut, trade.wallet, due);
        return abi.encode(owed, due);
    }

    function _pullFrom(address from, address token, address to, uint256 amount) internal virtual override {
        if (_puller == address(0)) return _pull(token, from, to, amount);
        try IPuller(_puller).pull(token, from, to, amount) {}
        catch {
            _revertWithLastError(1);
        }
    }

    /// A pool of native currency pays ether, so the wallet's balance of the wrapped token does not change.
    function _counterBalance(Leg memory leg, address wallet) internal view virtual override returns (uint256) {
        return leg.kind == KIND_V4_NATIVE ? wallet.balance : super._counterBalance(leg, wallet);
    }

    /// Called by hooks that need the trader's address.
    function msgSender() external view returns (address) {
        return tx.origin;
    }
}

/// A stand-in for singletons only.
contract SingletonStandIn is SingletonSwaps {
    function _swap(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        override
        returns (uint256 paid, uint256 nominal)
    {
        return _swapSingleton(trade, leg, amount);
    }
}

interface IPuller {
    function pull(address token, address from, address to, uint256 amount) external;
}

/// Placed at Permit2's address: pulls tokens for the contract that is placed at the router's address.
contract PullerStandIn is Payments {
    function pull(address token, address from, address to, uint256 amount) external {
        _pull(token, from, to, amount);
    }
}
