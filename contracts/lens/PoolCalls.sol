// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BoundedReads.sol";
import "./LensTypes.sol";
import "./TokenCalls.sol";

// Interfaces of pools and of the wrapped native token. Callbacks have many names, so fallback functions handle them.

error PoolUnread();

interface IConcentratedPool {
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

interface IPairPool {
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
}

bytes4 constant GET_POOL_TOKEN_INFO = 0xb05f8e48; // getPoolTokenInfo(bytes32,address): the balance is its first word

/// The vault's id of a pool: its address, then 12 bytes, which a leg contains in its field `hooks`.
function weightedPoolId(address pool, address end) pure returns (uint256) {
    return uint256(uint160(pool)) << 96 | uint160(end);
}

struct SingleSwap {
    bytes32 poolId;
    uint8 kind; // 0: exact input
    address assetIn;
    address assetOut;
    uint256 amount;
    bytes userData;
}

struct FundManagement {
    address sender;
    bool fromInternalBalance;
    address recipient;
    bool toInternalBalance;
}

interface IBalancerVault {
    function swap(SingleSwap calldata order, FundManagement calldata funds, uint256 limit, uint256 deadline)
        external
        returns (uint256);
}

interface IApprovable {
    function approve(address spender, uint256 amount) external returns (bool);
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

/// The price limit at the end of a pool's range.
function endOfRange(bool zeroForOne) pure returns (uint256) {
    return zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1;
}

/// A pair's reserves, first the one of the token that is sold.
function pairReserves(address pool, bool zeroForOne) view returns (uint256, uint256) {
    (bool ok, uint256 size, uint256[5] memory words) = readWords(pool, 0x0902f1ac); // getReserves()
    if (!ok || size < 2) revert PoolUnread();
    return zeroForOne ? (words[0], words[1]) : (words[1], words[0]);
}

/// What a pair pays for an amount that arrived; 0 if it is empty.
function pairOutput(Leg memory leg, uint256 amount, uint256 reserveIn, uint256 reserveOut) returns (uint256 out) {
    if (leg.kind == KIND_V2) {
        uint256 afterFee = amount * (1e6 - leg.fee);
        if (reserveIn > 0) out = afterFee * reserveOut / (reserveIn * 1e6 + afterFee);
    } else if (reserveIn > 0 && reserveOut > 0 && amount > 0) {
        (out,) = callContract(leg.pool, 0, abi.encodeCall(IPairPool.getAmountOut, (amount, leg.tokenIn)));
    }
}

/// The currencies that a v4 manager swaps: a pool of the native coin has no wrapped token.
function currenciesOf(Leg memory leg, address native) pure returns (address currencyIn, address currencyOut) {
    (currencyIn, currencyOut) = (leg.tokenIn, leg.tokenOut);
    if (leg.kind == KIND_V4_NATIVE) {
        if (currencyIn == native) currencyIn = address(0);
        else currencyOut = address(0);
    }
}

/// Calldata of a v4 manager's swap in the leg's pool, without data for the hook.
function encodeSwap(Leg memory leg, address currencyIn, address currencyOut, uint256 amount, uint256 limit)
    pure
    returns (bytes memory data)
{
    bool zeroForOne = currencyIn < currencyOut;
    if (!zeroForOne) (currencyIn, currencyOut) = (currencyOut, currencyIn);
    bytes4 selector = ISingleton.swap.selector;
    assembly ("memory-safe") {
        data := mload(0x40)
        mstore(data, 324)
        mstore(add(data, 32), selector)
        mstore(add(data, 36), currencyIn)
        mstore(add(data, 68), currencyOut)
        mcopy(add(data, 100), add(leg, 128), 96) // fee, spacing, hooks
        mstore(add(data, 196), zeroForOne)
        mstore(add(data, 228), sub(0, amount))
        mstore(add(data, 260), limit)
        mstore(add(data, 292), 288)
        mstore(add(data, 324), 0)
        mstore(0x40, add(data, 356))
    }
}

/// The amounts in the word that a v4 manager's swap returns.
function swapDeltas(uint256 word, bool zeroForOne) pure returns (uint256 used, uint256 sent) {
    int256 delta = int256(word);
    int128 deltaIn = int128(zeroForOne ? delta >> 128 : delta);
    int128 deltaOut = int128(zeroForOne ? delta : delta >> 128);
    if (deltaIn < 0) used = uint256(-int256(deltaIn));
    if (deltaOut > 0) sent = uint256(int256(deltaOut));
}

/// Features of a lens. A lens that overrides one with false has shorter code.
abstract contract Families {
    /// Whether it swaps through singletons.
    function _hasSingletons() internal pure virtual returns (bool) {
        return true;
    }

    /// Whether it sells what one pool paid in a second pool, which it then pays.
    function _hasSecondLegs() internal pure virtual returns (bool) {
        return false;
    }
}
