// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HookedKey, HookedSwap} from "./RefuseSalesHook.sol";

/// A v4 hook with the beforeSwap permission that changes nothing.
contract InertHook {
    function beforeSwap(address, HookedKey calldata, HookedSwap calldata, bytes calldata)
        external
        pure
        returns (bytes4, int256, uint24)
    {
        return (this.beforeSwap.selector, 0, 0);
    }
}
