// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "../lens/PlanProbes.sol";
import {FamilyCalls} from "./FamilyCalls.sol";
import "./IExecutor.sol";
import "./Payment.sol";

/// Executes plans of swaps with the caller's own tokens. It has no owner, storage, constructor arguments or immutables, and
/// makes no call that a caller can choose freely. Pools of further families are swapped by the contracts in
/// `FamilyTable.sol`. `probe` proves quotes in an eth_call. Not audited.
contract Executor is IExecutor, PlanProbes, Payment, FamilyCalls {
    error Expired();
    error NoMinimum();
    error BadReceiver();
    error BadValue();
    error BelowMinimum();
    error NativeUnpaid();

    // --- entry points ---

    /// @inheritdoc IExecutor
    // `nonReentrant` keeps other calls away until `_trader` is reset.
    // slither-disable-next-line reentrancy-benign
    function execute(ExecutorPlan calldata plan, uint256 minAmountOut, address to, uint256 deadline)
        external
        payable
        nonReentrant
        returns (uint256 amountOut)
    {
        // A validator can shift the timestamp by seconds, which does not matter for a deadline.
        // slither-disable-next-line timestamp
        if (block.timestamp > deadline) revert Expired();
        if (minAmountOut == 0) revert NoMinimum();
        if (to == address(0) || to == address(this)) revert BadReceiver();
        if (msg.value != (plan.payment == BY_NATIVE_COIN ? plan.amountIn : 0)) revert BadValue();
        _trader = msg.sender;
        _permit(plan, msg.sender);
        amountOut = _run(plan, to);
        if (amountOut < minAmountOut) revert BelowMinimum();
        _trader = address(0);
    }

    // --- plans ---

    /// Executes all legs. Pays tokenOut to `to` and keeps nothing.
    function _run(ExecutorPlan calldata plan, address to) private returns (uint256 received) {
        Trade memory trade = Trade(
            plan.tokenIn, plan.tokenOut, plan.amountIn, msg.sender, plan.nativeOut ? address(this) : to
        );
        _native = plan.native;
        _assertPlan(trade, plan.legs);
        if (plan.payment > BY_NATIVE_COIN || (plan.payment == BY_NATIVE_COIN && plan.tokenIn != plan.native)) {
            revert BadPlan();
        }
        if (plan.nativeOut && plan.tokenOut != plan.native) revert BadPlan();
        uint256 paidBefore;
        if (plan.payment == BY_NATIVE_COIN) {
            trade.source = address(this);
            paidBefore = tokenBalance(plan.tokenIn, address(this));
            callContract(plan.native, plan.amountIn, abi.encodeCall(IWrappedNative.deposit, ()));
            if (tokenBalance(plan.tokenIn, address(this)) - paidBefore != plan.amountIn) revert ArrivesShort();
        } else {
            _usePermit2(plan.payment == BY_PERMIT2);
            paidBefore = tokenBalance(plan.tokenIn, msg.sender);
        }
        (Run memory run,) = newRuns(plan.legs.length);
        _sweep(plan.legs, _runLegs(trade, plan.legs, new uint256[](0), run), to, false, run);
        if (plan.payment == BY_NATIVE_COIN) {
            if (tokenBalance(plan.tokenIn, address(this)) != paidBefore) revert PartialFill();
        } else if (tokenBalance(plan.tokenIn, msg.sender) + plan.amountIn < paidBefore) {
            // A token may debit more than was sent.
            revert ChargesTooMuch();
        }
        // Counts what each last leg paid while it was executed, at most 1/20 more than its pool sent. The balance over the
        // whole plan would also count payments of other contracts that an earlier leg's hook or token can cause.
        for (uint256 i; i < plan.legs.length; i++) {
            if (plan.legs[i].tokenOut == plan.tokenOut) received += run.boughtBy(i);
        }
        if (plan.nativeOut) _payNative(plan.native, to, received);
    }

    /// Unwraps and pays the native coin.
    function _payNative(address native, address to, uint256 amount) private {
        callContract(native, 0, abi.encodeCall(IWrappedNative.withdraw, (amount)));
        bool ok;
        assembly ("memory-safe") {
            ok := call(gas(), to, amount, 0, 0, 0, 0)
        }
        if (!ok) revert NativeUnpaid();
    }

    // --- overrides ---

    function _swapHeld(PlanLeg calldata leg, uint256 amount, address receiver) internal override returns (uint256) {
        return _swapByFamily(leg, amount, receiver);
    }

    function _pay(address token, address payer, address to, uint256 amount) internal override {
        if (payer == address(this) || !_pullByPermit2(token, payer, to, amount)) super._pay(token, payer, to, amount);
    }
}
