// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HookedKey, HookedSwap} from "./RefuseSalesHook.sol";

interface IManager {
    function take(address currency, address to, uint256 amount) external;
}

/// A v4 hook with the permissions afterSwap and afterSwapReturnDelta (the address ends with bits 6 and 2). It takes a
/// part of what a swap pays: of sales and purchases separately, from a block on.
contract TakingHook {
    IManager public immutable manager;
    /// The asset that sales pay.
    address public immutable counter;
    uint256 public immutable saleBps;
    uint256 public immutable purchaseBps;
    /// First block in which the hook takes anything.
    uint256 public immutable fromBlock;

    constructor(IManager manager_, address counter_, uint256 saleBps_, uint256 purchaseBps_, uint256 fromBlock_) {
        (manager, counter) = (manager_, counter_);
        (saleBps, purchaseBps, fromBlock) = (saleBps_, purchaseBps_, fromBlock_);
    }

    function afterSwap(address, HookedKey calldata key, HookedSwap calldata params, int256 delta, bytes calldata)
        external
        returns (bytes4, int128)
    {
        address out = params.zeroForOne ? key.currency1 : key.currency0;
        int128 paid = params.zeroForOne ? int128(delta) : int128(delta >> 128);
        uint256 bps = block.number < fromBlock ? 0 : out == counter ? saleBps : purchaseBps;
        if (paid <= 0 || bps == 0) return (this.afterSwap.selector, 0);
        uint256 part = uint256(uint128(paid)) * bps / 10_000;
        manager.take(out, address(this), part);
        return (this.afterSwap.selector, int128(uint128(part)));
    }

    receive() external payable {}
}

/// A v4 hook with the beforeSwap permission that sets the LP fee of a pool with a dynamic fee: high at the launch,
/// falling in a straight line, as Clanker's launch fee.
contract FallingFeeHook {
    /// Fees in pips.
    uint256 public immutable firstFee;
    uint256 public immutable lastFee;
    uint256 public immutable startsAt;
    uint256 public immutable fallSeconds;

    constructor(uint256 firstFee_, uint256 lastFee_, uint256 startsAt_, uint256 fallSeconds_) {
        (firstFee, lastFee, startsAt, fallSeconds) = (firstFee_, lastFee_, startsAt_, fallSeconds_);
    }

    function beforeSwap(address, HookedKey calldata, HookedSwap calldata, bytes calldata)
        external
        view
        returns (bytes4, int256, uint24)
    {
        uint256 passed = block.timestamp > startsAt ? block.timestamp - startsAt : 0;
        if (passed > fallSeconds) passed = fallSeconds;
        uint256 fee = firstFee - (firstFee - lastFee) * passed / fallSeconds;
        // Bit 22 replaces the pool's fee for this swap.
        return (this.beforeSwap.selector, 0, uint24(fee | 0x400000));
    }
}
