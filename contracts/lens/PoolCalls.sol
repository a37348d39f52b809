// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// What is called of pools and of the wrapped native token. Callbacks have many names: `Filler` takes any.

interface IConcentratedPool {
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

interface IPairPool {
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
}

interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface ISingleton {
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData) external returns (int256);
    function unlock(bytes calldata data) external returns (bytes memory);
    function take(address currency, address to, uint256 amount) external;
    function sync(address currency) external;
    function settle() external payable returns (uint256);
}

/// Which families of pools a lens trades in. One without singletons is a fifth shorter.
abstract contract Families {
    function _hasSingletons() internal pure virtual returns (bool) {
        return true;
    }
}
