// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface ICustomPoolEntry {
    function createCustomPool(address deployer, address creator, address tokenA, address tokenB, bytes calldata data)
        external
        returns (address pool);
}

/// Creates custom pools beside Algebra Integral's own pool of a pair, as launchpads do.
contract CustomPoolMaker {
    /// @param plugin called before and after every swap; zero for none
    function create(ICustomPoolEntry entry, address tokenA, address tokenB, address plugin)
        external
        returns (address pool)
    {
        return entry.createCustomPool(address(this), msg.sender, tokenA, tokenB, abi.encode(plugin));
    }

    /// Returns the plugin of the new pool to Algebra's factory.
    function beforeCreatePoolHook(address, address, address, address, address, bytes calldata data)
        external
        pure
        returns (address plugin)
    {
        return abi.decode(data, (address));
    }

    function afterCreatePoolHook(address, address, address) external pure {}
}
