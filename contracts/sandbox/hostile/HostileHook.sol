// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IV4PoolManager, PoolKey, SwapParams} from "../V4Types.sol";
import {HostileReplies} from "./HostileReplies.sol";

/// A v4 hook that attacks swaps. The low bits of its address determine its permissions.
contract HostileHook {
    enum Attack {
        Reverts,
        BurnsGas,
        AnswersHuge,
        Reenters,
        AddsUnpaidOutput, // increases what the swapper receives without paying for it
        EnlargesOrder // swaps ten times what the swapper pays, and leaves the rest unpaid
    }

    Attack private immutable attack;
    bool private transient inside;

    constructor(Attack attack_) {
        attack = attack_;
    }

    function beforeSwap(address sender, PoolKey calldata key, SwapParams calldata params, bytes calldata)
        external
        returns (bytes4, int256, uint24)
    {
        if (attack == Attack.Reverts) revert HostileReplies.Refused();
        if (attack == Attack.BurnsGas) HostileReplies.burn();
        if (attack == Attack.AnswersHuge) HostileReplies.answerHuge();
        if (attack == Attack.Reenters && !inside) _reenter(sender, key, params);
        // The specified delta is the upper half.
        int256 delta = attack == Attack.EnlargesOrder ? (params.amountSpecified * 9) << 128 : int256(0);
        return (this.beforeSwap.selector, delta, 0);
    }

    function afterSwap(address, PoolKey calldata, SwapParams calldata, int256, bytes calldata)
        external
        view
        returns (bytes4, int128)
    {
        return (this.afterSwap.selector, attack == Attack.AddsUnpaidOutput ? -int128(1e9) : int128(0));
    }

    function _reenter(address sender, PoolKey calldata key, SwapParams calldata params) private {
        inside = true;
        (bool ok,) = sender.call(abi.encodeWithSignature("unlockCallback(bytes)", abi.encode(key, params)));
        (ok,) = sender.call(abi.encodeWithSignature("uniswapV3SwapCallback(int256,int256,bytes)", 1, -1, ""));
        // Swaps in the same pool first, at the swapper's cost, and leaves the debt open.
        IV4PoolManager(msg.sender).swap(key, params, "");
        inside = false;
    }
}
