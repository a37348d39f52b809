// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StandIn.sol";

/// Pools inside Uniswap v4's manager.
abstract contract SingletonSwaps is StandIn {
    address private transient _puller;

    function _swapSingleton(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        returns (uint256 paid, uint256 nominal)
    {
        (_expected, _puller) = (leg.pool, trade.puller);
        try ISingleton(leg.pool).unlock(abi.encode(trade, amount)) returns (bytes memory answer) {
            _expected = address(0);
            return abi.decode(answer, (uint256, uint256));
        } catch {
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
                ? PoolKey(currencyIn, currencyOut, uint24(leg.fee), int24(leg.spacing), leg.hooks)
                : PoolKey(currencyOut, currencyIn, uint24(leg.fee), int24(leg.spacing), leg.hooks),
            SwapParams(zeroForOne, -int256(amount), uint160(zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1)),
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

    function _pullFrom(address from, address token, address to, uint256 amount) internal virtual override {
        if (_puller == address(0)) return _pull(token, from, to, amount);
        try IPuller(_puller).pull(token, from, to, amount) {}
        catch {
            _refuse(1);
        }
    }

    /// Ether itself changes hands in a pool of it, so that the wrapped token of the wallet stays as it is.
    function _earned(Leg memory leg, address wallet) internal view virtual override returns (uint256) {
        return leg.kind == KIND_V4_NATIVE ? wallet.balance : super._earned(leg, wallet);
    }

    function msgSender() external view returns (address) {
        return tx.origin;
    }
}

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

/// Placed at the address of Permit2: pulls tokens for the contract placed at the router.
contract PullerStandIn is Payments {
    function pull(address token, address from, address to, uint256 amount) external {
        _pull(token, from, to, amount);
    }
}
