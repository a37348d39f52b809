// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FillSwaps.sol";

/// Executes the legs of one fill in a call that always reverts, with the result. Called by `Filler`.
abstract contract Frames is IFrames, FillSwaps {
    /// @inheritdoc IFrames
    /// @dev Only the lens itself may call it, with a secret that pools must not know.
    function frame(uint256 secret, address native) external {
        unchecked {
            if (msg.sender != address(this)) revert OnlySelf();
            (_secret, _wrappedNative, _busy) = (secret, native, true);
            Plan memory plan = _copyPlan();
            _swap(plan);
        }
    }

    function _copyPlan() private pure returns (Plan memory plan) {
        assembly ("memory-safe") {
            plan := mload(0x40)
            let size := sub(calldatasize(), 68)
            calldatacopy(plan, 68, size)
            mstore(0x40, add(plan, size))
        }
    }

    /// Continues the plan with the amount received, not with the amount that the pool reported.
    function _next(Plan memory plan, uint256 used, uint256 nominal) internal override {
        Leg memory leg = plan.legAt(plan.at);
        uint256 received = tokenBalance(leg.tokenOut, _receiver(plan, leg)) - plan.before;
        // A token may credit a little more than was sent (a negative tax). Without a payment the excess is not proven,
        // so it does not count.
        if (received > nominal + nominal / BONUS_DIVISOR) revert ReceivesTooMuch();
        if (received > nominal && !_isPaid(plan)) received = nominal;
        if (received == 0 && nominal > 0) revert SendsNothing();
        bool partly = used < plan.amount && plan.priceLimited == 0;
        if (used > plan.amount) revert ChargesTooMuch();
        if (plan.at == 0) {
            plan.used = used;
            plan.nominal = nominal;
            plan.between = received;
        }
        if (partly || _isLast(plan)) return _report(plan, partly ? plan.at + 1 : 0, nominal, received);
        plan.at += 1;
        plan.amount = received;
        plan.paid = 1;
        if (received == 0) _report(plan, 0, 0, 0);
        _swap(plan);
    }
}
