// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Erc20Calls} from "./Erc20Calls.sol";
import {IV4PoolManager, ModifyLiquidityParams, PoolKey} from "./V4Types.sol";

/// Owns the sandbox's liquidity and its stock of every token; executes many calls per transaction, so that the
/// market takes few blocks to build. Pays only pools that call back during its own transaction.
contract MarketMaker {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    error NotOwner();
    error NotPerforming();
    error CallFailed(uint256 index, bytes reason);

    address public immutable owner;
    bool private transient performing;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function perform(Call[] calldata calls) external payable {
        if (msg.sender != owner) revert NotOwner();
        performing = true;
        for (uint256 i = 0; i < calls.length; i++) {
            (bool ok, bytes memory answer) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!ok) revert CallFailed(i, answer);
        }
        performing = false;
    }

    /// Adds liquidity to a v4 pool in the manager's unlock callback.
    function addV4Liquidity(IV4PoolManager manager, PoolKey calldata key, ModifyLiquidityParams calldata params) external {
        if (msg.sender != address(this)) revert NotOwner();
        manager.unlock(abi.encode(key, params));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (!performing) revert NotPerforming();
        (PoolKey memory key, ModifyLiquidityParams memory params) = abi.decode(data, (PoolKey, ModifyLiquidityParams));
        (int256 delta,) = IV4PoolManager(msg.sender).modifyLiquidity(key, params, "");
        _settle(key.currency0, int128(delta >> 128));
        _settle(key.currency1, int128(delta));
        return "";
    }

    /// Mint callbacks of every concentrated-liquidity fork: (uint256 owed0, uint256 owed1, bytes tokens).
    fallback() external {
        if (!performing) revert NotPerforming();
        (uint256 owed0, uint256 owed1, bytes memory data) = abi.decode(msg.data[4:], (uint256, uint256, bytes));
        (address token0, address token1) = abi.decode(data, (address, address));
        if (owed0 > 0) Erc20Calls.send(token0, msg.sender, owed0);
        if (owed1 > 0) Erc20Calls.send(token1, msg.sender, owed1);
    }

    function _settle(address currency, int128 delta) private {
        if (delta >= 0) return;
        uint256 owed = uint256(uint128(-delta));
        if (currency == address(0)) {
            IV4PoolManager(msg.sender).settle{value: owed}();
            return;
        }
        IV4PoolManager(msg.sender).sync(currency);
        Erc20Calls.send(currency, msg.sender, owed);
        IV4PoolManager(msg.sender).settle();
    }
}
