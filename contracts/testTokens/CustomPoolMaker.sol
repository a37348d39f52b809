// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface ICustomPoolEntry {
    function createCustomPool(address deployer, address creator, address tokenA, address tokenB, bytes calldata data)
        external
        returns (address pool);
}

/// Makes pools of its own beside the one that Algebra Integral has for a pair, as launchpads do.
contract CustomPoolMaker {
    /// @param plugin asked around every swap; zero for none
    function create(ICustomPoolEntry entry, address tokenA, address tokenB, address plugin)
        external
        returns (address pool)
    {
        return entry.createCustomPool(address(this), msg.sender, tokenA, tokenB, abi.encode(plugin));
    }

    /// The entry's question for the new pool's plugin.
    function beforeCreatePoolHook(address, address, address, address, address, bytes calldata data)
        external
        pure
        returns (address plugin)
    {
        return abi.decode(data, (address));
    }

    function afterCreatePoolHook(address, address, address) external pure {}
}
