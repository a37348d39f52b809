// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

struct HookedKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct HookedSwap {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

/// A v4 hook with the beforeSwap permission: it allows purchases with ether and refuses sales.
contract RefuseSalesHook {
    error SaleRefused();

    function beforeSwap(address, HookedKey calldata, HookedSwap calldata params, bytes calldata)
        external
        pure
        returns (bytes4, int256, uint24)
    {
        if (!params.zeroForOne) revert SaleRefused();
        return (this.beforeSwap.selector, 0, 0);
    }
}
