// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface ICustomPoolEntry {
    function createCustomPool(address deployer, address creator, address tokenA, address tokenB, bytes calldata data)
        external
        returns (address pool);
}

/// Makes pools of its own beside the one that Algebra Integral has for a pair, as launchpads do: without a plugin.
contract CustomPoolMaker {
    function create(ICustomPoolEntry entry, address tokenA, address tokenB) external returns (address pool) {
        return entry.createCustomPool(address(this), msg.sender, tokenA, tokenB, "");
    }

    /// The entry's question for the new pool's plugin.
    function beforeCreatePoolHook(address, address, address, address, address, bytes calldata)
        external
        pure
        returns (address plugin)
    {
        return address(0);
    }

    function afterCreatePoolHook(address, address, address) external pure {}
}
