// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PoolKey, SwapParams} from "../V4Types.sol";
import {HostileReplies} from "./HostileReplies.sol";

/// A v4 hook with the beforeSwap permission, in a pool with a dynamic fee and a price far above the market. It tries to
/// pay this price only to the swaps that sample the pool.
contract SampleHook {
    enum Lie {
        PaysSizes, // charges no fee for parts of one order, and reverts otherwise
        ChargesOtherSizes, // charges no fee for parts of one order, and 60 % otherwise
        SeesGas, // charges no fee for up to half of one order, and reverts if more gas is left than a sample has
        ChargesPlans, // the same, but charges 60 % if more gas is left
        BurnsGas
    }

    /// Replaces the pool's fee for one swap.
    uint24 private constant OVERRIDE = 0x400000;
    uint24 private constant HIGH_FEE = 600_000;
    uint256 private constant SAMPLE_GAS = 2_900_000;

    Lie private immutable lie;
    uint256 private immutable order;

    constructor(Lie lie_, uint256 order_) {
        (lie, order) = (lie_, order_);
    }

    function beforeSwap(address, PoolKey calldata, SwapParams calldata params, bytes calldata)
        external
        view
        returns (bytes4, int256, uint24)
    {
        if (lie == Lie.BurnsGas) HostileReplies.burn();
        uint256 amount = uint256(-params.amountSpecified);
        bool isSample = _isSample(amount);
        bool charges = lie == Lie.ChargesOtherSizes || (lie == Lie.ChargesPlans && amount <= order / 2);
        if (!isSample && !charges) revert HostileReplies.Refused();
        return (this.beforeSwap.selector, 0, OVERRIDE | (isSample ? 0 : HIGH_FEE));
    }

    function _isSample(uint256 amount) private view returns (bool) {
        if (lie == Lie.SeesGas || lie == Lie.ChargesPlans) return amount <= order / 2 && gasleft() < SAMPLE_GAS;
        return amount == order / 16 || amount == order / 4 || amount == order / 2;
    }
}
