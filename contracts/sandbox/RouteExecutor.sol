// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBalancerPool, IBalancerVault} from "./BalancerTypes.sol";
import {Erc20Calls} from "./Erc20Calls.sol";
import {IV4PoolManager, PoolKey, SwapParams} from "./V4Types.sol";

interface IV2Pair {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 at);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

interface ISolidlyPool {
    function token0() external view returns (address);
    function getReserves() external view returns (uint256 reserve0, uint256 reserve1, uint256 at);
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

interface IConcentratedPool {
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// Swaps a route like a standard router and emits the amounts that moved. The first pool receives the trader's tokens
/// by transferFrom, and the last pool pays the receiver. Every leg takes its whole input, or the transaction reverts.
contract RouteExecutor {
    enum Kind {
        V2,
        Solidly,
        Concentrated,
        V4,
        BalancerV2
    }

    /// `pool` is the PoolManager for V4. `feePips` is used for V2 only, `key` for V4 only.
    struct Leg {
        Kind kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 feePips;
        PoolKey key;
    }

    event Executed(uint256 spent, uint256 received);

    error PartialFill(address pool, uint256 used, uint256 requested);
    error AmountsMissing();
    error NothingIn();
    error NotThePool();

    uint160 private constant LOWEST_PRICE = 4295128739 + 1;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970342 - 1;

    address public immutable wrappedNative;
    address private transient activePool;

    constructor(address wrappedNative_) {
        wrappedNative = wrappedNative_;
    }

    receive() external payable {}

    function execute(Leg[] calldata legs, uint256 amountIn, address receiver) external {
        address tokenIn = legs[0].tokenIn;
        address tokenOut = legs[legs.length - 1].tokenOut;
        uint256 payerBefore = Erc20Calls.balanceOf(tokenIn, msg.sender);
        uint256 receiverBefore = Erc20Calls.balanceOf(tokenOut, receiver);
        uint256 amount = amountIn;
        for (uint256 i = 0; i < legs.length; i++) {
            bool last = i == legs.length - 1;
            uint256 heldBefore = Erc20Calls.balanceOf(legs[i].tokenOut, address(this));
            _swap(legs[i], amount, i == 0 ? msg.sender : address(this), last ? receiver : address(this));
            if (!last) amount = Erc20Calls.balanceOf(legs[i].tokenOut, address(this)) - heldBefore;
        }
        emit Executed(
            payerBefore - Erc20Calls.balanceOf(tokenIn, msg.sender),
            Erc20Calls.balanceOf(tokenOut, receiver) - receiverBefore
        );
    }

    /// Swaps a split plan: each leg sells its own amount, in this order. Legs that sell the first tokenIn are paid by the
    /// trader; legs that buy the last tokenOut pay the receiver.
    function executePlan(Leg[] calldata legs, uint256[] calldata amounts, address receiver) external {
        if (amounts.length != legs.length) revert AmountsMissing();
        address tokenIn = legs[0].tokenIn;
        address tokenOut = legs[legs.length - 1].tokenOut;
        uint256 payerBefore = Erc20Calls.balanceOf(tokenIn, msg.sender);
        uint256 receiverBefore = Erc20Calls.balanceOf(tokenOut, receiver);
        for (uint256 i = 0; i < legs.length; i++) {
            if (amounts[i] == 0) continue;
            address payer = legs[i].tokenIn == tokenIn ? msg.sender : address(this);
            address to = legs[i].tokenOut == tokenOut ? receiver : address(this);
            _swap(legs[i], amounts[i], payer, to);
        }
        emit Executed(
            payerBefore - Erc20Calls.balanceOf(tokenIn, msg.sender),
            Erc20Calls.balanceOf(tokenOut, receiver) - receiverBefore
        );
    }

    /// Swaps a split plan by shares, for a market that moved since the amounts were computed. A leg's share is in basis
    /// points of the plan's balance of the token before the first leg that sells it. The last leg that sells a token
    /// sells the rest.
    function executeShares(Leg[] calldata legs, uint256 amountIn, uint256[] calldata shares, address receiver) external {
        if (shares.length != legs.length) revert AmountsMissing();
        address tokenIn = legs[0].tokenIn;
        address tokenOut = legs[legs.length - 1].tokenOut;
        uint256 payerBefore = Erc20Calls.balanceOf(tokenIn, msg.sender);
        uint256 receiverBefore = Erc20Calls.balanceOf(tokenOut, receiver);
        uint256[] memory totals = new uint256[](legs.length);
        for (uint256 i = 0; i < legs.length; i++) totals[i] = Erc20Calls.balanceOf(legs[i].tokenIn, address(this));
        uint256[] memory sold = new uint256[](legs.length);
        for (uint256 i = 0; i < legs.length; i++) {
            (uint256 first, bool last) = _sellersOfToken(legs, i);
            address sells = legs[i].tokenIn;
            if (first == i) {
                totals[i] = sells == tokenIn ? amountIn : Erc20Calls.balanceOf(sells, address(this)) - totals[i];
            }
            uint256 amount = last ? totals[first] - sold[first] : totals[first] * shares[i] / 10_000;
            sold[first] += amount;
            if (amount == 0) continue;
            address payer = sells == tokenIn ? msg.sender : address(this);
            _swap(legs[i], amount, payer, legs[i].tokenOut == tokenOut ? receiver : address(this));
        }
        emit Executed(
            payerBefore - Erc20Calls.balanceOf(tokenIn, msg.sender),
            Erc20Calls.balanceOf(tokenOut, receiver) - receiverBefore
        );
    }

    /// @return first index of the first leg that sells the same token
    /// @return last whether no later leg sells it
    function _sellersOfToken(Leg[] calldata legs, uint256 index) private pure returns (uint256 first, bool last) {
        while (legs[first].tokenIn != legs[index].tokenIn) first++;
        last = true;
        for (uint256 i = index + 1; i < legs.length; i++) {
            if (legs[i].tokenIn == legs[index].tokenIn) last = false;
        }
    }

    function _swap(Leg calldata leg, uint256 amount, address payer, address to) private {
        if (leg.kind == Kind.V2) _swapV2(leg, amount, payer, to);
        else if (leg.kind == Kind.Solidly) _swapSolidly(leg, amount, payer, to);
        else if (leg.kind == Kind.Concentrated) _swapConcentrated(leg, amount, payer, to);
        else if (leg.kind == Kind.V4) _swapV4(leg, amount, payer, to);
        else _swapBalancerV2(leg, amount, payer, to);
    }

    /// Pays the pair first, then swaps for the output of the amount that arrived.
    function _swapV2(Leg calldata leg, uint256 amount, address payer, address to) private {
        _pay(leg.tokenIn, payer, leg.pool, amount);
        bool zeroForOne = IV2Pair(leg.pool).token0() == leg.tokenIn;
        (uint256 reserve0, uint256 reserve1,) = IV2Pair(leg.pool).getReserves();
        (uint256 reserveIn, uint256 reserveOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        uint256 arrived = Erc20Calls.balanceOf(leg.tokenIn, leg.pool) - reserveIn;
        if (arrived == 0) revert NothingIn();
        uint256 afterFee = arrived * (1_000_000 - leg.feePips);
        uint256 out = afterFee * reserveOut / (reserveIn * 1_000_000 + afterFee);
        IV2Pair(leg.pool).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, to, "");
    }

    function _swapSolidly(Leg calldata leg, uint256 amount, address payer, address to) private {
        _pay(leg.tokenIn, payer, leg.pool, amount);
        bool zeroForOne = ISolidlyPool(leg.pool).token0() == leg.tokenIn;
        (uint256 reserve0, uint256 reserve1,) = ISolidlyPool(leg.pool).getReserves();
        uint256 arrived = Erc20Calls.balanceOf(leg.tokenIn, leg.pool) - (zeroForOne ? reserve0 : reserve1);
        if (arrived == 0) revert NothingIn();
        uint256 out = ISolidlyPool(leg.pool).getAmountOut(arrived, leg.tokenIn);
        ISolidlyPool(leg.pool).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, to, "");
    }

    function _swapConcentrated(Leg calldata leg, uint256 amount, address payer, address to) private {
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        activePool = leg.pool;
        (int256 amount0, int256 amount1) = IConcentratedPool(leg.pool).swap(
            to, zeroForOne, int256(amount), zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE, abi.encode(leg.tokenIn, payer)
        );
        activePool = address(0);
        uint256 used = uint256(zeroForOne ? amount0 : amount1);
        if (used != amount) revert PartialFill(leg.pool, used, amount);
    }

    /// Swap callbacks of Uniswap v3 and its forks, Algebra included: (int256, int256, bytes).
    fallback() external {
        if (msg.sender != activePool) revert NotThePool();
        (int256 owed0, int256 owed1, bytes memory data) = abi.decode(msg.data[4:], (int256, int256, bytes));
        (address tokenIn, address payer) = abi.decode(data, (address, address));
        _pay(tokenIn, payer, msg.sender, uint256(owed0 > 0 ? owed0 : owed1));
    }

    /// The vault takes tokens from its caller only.
    function _swapBalancerV2(Leg calldata leg, uint256 amount, address payer, address to) private {
        _pay(leg.tokenIn, payer, address(this), amount);
        IBalancerVault vault = IBalancerVault(IBalancerPool(leg.pool).getVault());
        Erc20Calls.approve(leg.tokenIn, address(vault), amount);
        IBalancerVault.SingleSwap memory order =
            IBalancerVault.SingleSwap(IBalancerPool(leg.pool).getPoolId(), 0, leg.tokenIn, leg.tokenOut, amount, "");
        vault.swap(
            order, IBalancerVault.FundManagement(address(this), false, payable(to), false), 0, type(uint256).max
        );
    }

    function _swapV4(Leg calldata leg, uint256 amount, address payer, address to) private {
        activePool = leg.pool;
        IV4PoolManager(leg.pool).unlock(abi.encode(leg, amount, payer, to));
        activePool = address(0);
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != activePool) revert NotThePool();
        (Leg memory leg, uint256 amount, address payer, address to) =
            abi.decode(data, (Leg, uint256, address, address));
        bool nativeIn = leg.tokenIn == wrappedNative && leg.key.currency0 == address(0);
        bool nativeOut = leg.tokenOut == wrappedNative && leg.key.currency0 == address(0);
        bool zeroForOne = (nativeIn ? address(0) : leg.tokenIn) == leg.key.currency0;
        int256 delta = IV4PoolManager(msg.sender).swap(
            leg.key, SwapParams(zeroForOne, -int256(amount), zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE), ""
        );
        (int128 deltaIn, int128 deltaOut) =
            zeroForOne ? (int128(delta >> 128), int128(delta)) : (int128(delta), int128(delta >> 128));
        uint256 used = deltaIn < 0 ? uint256(uint128(-deltaIn)) : 0;
        if (used != amount) revert PartialFill(msg.sender, used, amount);
        _settleV4(leg.tokenIn, nativeIn, payer, amount);
        uint256 out = deltaOut > 0 ? uint256(uint128(deltaOut)) : 0;
        if (!nativeOut) {
            IV4PoolManager(msg.sender).take(leg.tokenOut, to, out);
            return "";
        }
        IV4PoolManager(msg.sender).take(address(0), address(this), out);
        IWrappedNative(wrappedNative).deposit{value: out}();
        if (to != address(this)) Erc20Calls.send(wrappedNative, to, out);
        return "";
    }

    function _settleV4(address tokenIn, bool native, address payer, uint256 amount) private {
        if (native) {
            _pay(wrappedNative, payer, address(this), amount);
            IWrappedNative(wrappedNative).withdraw(amount);
            IV4PoolManager(msg.sender).settle{value: amount}();
            return;
        }
        IV4PoolManager(msg.sender).sync(tokenIn);
        _pay(tokenIn, payer, msg.sender, amount);
        IV4PoolManager(msg.sender).settle();
    }

    function _pay(address token, address payer, address to, uint256 amount) private {
        if (payer != address(this)) Erc20Calls.pull(token, payer, to, amount);
        else if (to != address(this)) Erc20Calls.send(token, to, amount);
    }

    /// Returns the trader to hooks that call the router for it.
    function msgSender() external view returns (address) {
        return tx.origin;
    }
}
