// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IPluggedPool {
    function token0() external view returns (address);
    function setPluginConfig(uint8 config) external;
}

/// A plugin of an Algebra Integral pool against wrapped ether: it allows purchases and refuses sales.
contract RefuseSalesPlugin {
    address private constant WETH = 0x4200000000000000000000000000000000000006;
    uint8 private constant BEFORE_SWAP = 1;

    error SaleRefused();

    function beforeInitialize(address, uint160) external returns (bytes4) {
        IPluggedPool(msg.sender).setPluginConfig(BEFORE_SWAP);
        return this.beforeInitialize.selector;
    }

    function beforeSwap(address, address, bool zeroForOne, int256, uint160, bool, bytes calldata)
        external
        view
        returns (bytes4, uint24 overrideFee, uint24 pluginFee)
    {
        bool etherIn = (IPluggedPool(msg.sender).token0() == WETH) == zeroForOne;
        if (!etherIn) revert SaleRefused();
        return (this.beforeSwap.selector, 0, 0);
    }
}
