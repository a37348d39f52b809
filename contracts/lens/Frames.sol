// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FillSwaps.sol";

/// Executes the swaps of one fill and reports what pools and tokens did. `Filler` asks for them.
abstract contract Frames is IFrames, FillSwaps {
    /// Only the lens may ask: a pool that could would learn the secret from the answer.
    /// @inheritdoc IFrames
    function frame(uint256 secret, address native, bytes calldata data) external {
        unchecked {
            if (msg.sender != address(this)) revert NotYours();
            (_secret, _wrappedNative, _busy) = (secret, native, true);
            Plan memory plan = _layOut(data);
            if (_hasPayers() && plan.paid == 1) {
                if (_payer == address(0)) revert CannotPay();
                _heldIn = _balanceOf(plan.legAt(0).tokenIn, _payer);
                if (_heldIn < plan.amount) revert CannotPay();
            }
            _swap(plan);
        }
    }

    function _layOut(bytes calldata data) private pure returns (Plan memory plan) {
        assembly ("memory-safe") {
            plan := mload(0x40)
            calldatacopy(plan, data.offset, data.length)
            mstore(0x40, add(plan, data.length))
        }
    }

    /// A plan continues with what was received, not with what a pool reports.
    function _next(Plan memory plan, uint256 used, uint256 nominal) internal override {
        Leg memory leg = plan.legAt(plan.at);
        uint256 received = _balanceOf(leg.tokenOut, _receiver(plan, leg)) - plan.before;
        // A token may credit a little more than was sent (a negative tax). Where nothing is paid yet, the excess is not
        // proven.
        if (received > nominal + nominal / MOST_BONUS) revert SendsMoreThanSaid();
        if (received > nominal && plan.paid == 0) received = nominal;
        if (received == 0 && nominal > 0) revert SendsNothing();
        bool partly = used < plan.amount && plan.priceLimited == 0;
        if (used > plan.amount) revert AsksForMore();
        if (plan.at == 0) {
            // A seller who holds exactly the size cannot pay a token that takes more than was sent.
            if (_hasPayers() && plan.paid == 1 && _balanceOf(leg.tokenIn, _payer) + used < _heldIn) revert AsksForMore();
            plan.used = used;
            plan.nominal = nominal;
            plan.between = received;
        }
        if (partly || plan.at + 1 == plan.legs) _report(plan, partly ? plan.at + 1 : 0, nominal, received);
        plan.at += 1;
        plan.amount = received;
        plan.paid = 1;
        if (received == 0) _report(plan, 0, 0, 0);
        _swap(plan);
    }
}
