// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "../lens/PlanSwaps.sol";
import {FamilyCalls} from "./FamilyCalls.sol";
import "./IExecutor.sol";
import "./Payment.sol";

/// Executes plans of swaps with the caller's own tokens. It has no owner, storage, constructor arguments or immutables, and
/// makes no call that a caller can choose freely. Pools of further families are swapped by the contracts in
/// `FamilyTable.sol`. Not audited.
/// @dev A call holds tokens only between two legs. All state is transient. While a plan is executed, every external
/// function except pools' callbacks reverts.
contract Executor is IExecutor, PlanSwaps, Payment, FamilyCalls {
    /// Gas that a probe keeps for its answer.
    uint256 private constant ANSWER_GAS = 100_000;
    /// First word of a frame's result. Longer than any error that a frame can revert with: foreign errors have four
    /// bytes.
    uint256 private constant RESULT = uint256(keccak256("truefill.executor.result"));

    error Reentered();
    error Expired();
    error NoMinimum();
    error BadReceiver();
    error BadPlan();
    error BadShares();
    error BadValue();
    error NotThePool();
    error PartialFill();
    error BelowMinimum();
    error NativeUnpaid();
    error FrameReturned();

    bool private transient _entered;
    /// The account whose plan is executed; 0 = none.
    address private transient _trader;

    modifier nonReentrant() {
        if (_entered) revert Reentered();
        _entered = true;
        _;
        _entered = false;
    }

    // --- entry points ---

    /// @inheritdoc IExecutor
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
        (amountOut,) = _run(plan, msg.sender, to);
        if (amountOut < minAmountOut) revert BelowMinimum();
        _trader = address(0);
    }

    /// @inheritdoc IExecutor
    function probe(ExecutorPlan[] calldata plans, address[] calldata payers)
        external
        nonReentrant
        returns (ProbeFill[] memory fills)
    {
        if (plans.length != payers.length) revert BadPlan();
        fills = new ProbeFill[](plans.length);
        for (uint256 i; i < plans.length; i++) {
            fills[i] = _probe(plans[i], payers[i], plans.length - i);
        }
    }

    /// Executes a plan for a payer and always reverts, with the result as error data.
    /// @dev Only `probe` calls it. The payer is not the caller, so nothing may survive: see `_probe`.
    function frame(ExecutorPlan calldata plan, address payer) external {
        if (msg.sender != address(this) || !_entered || _trader != address(0)) revert OnlySelf();
        if (plan.payment == BY_NATIVE_COIN || plan.nativeOut || payer == address(0) || payer == address(this)) {
            revert BadPlan();
        }
        _trader = payer;
        (uint256 received, ExecutedLeg[] memory legs) = _run(plan, payer, payer);
        bytes memory result = abi.encode(RESULT, received, legs);
        assembly ("memory-safe") {
            revert(add(result, 32), mload(result))
        }
    }

    /// The account that trades, for hooks that ask the router; 0 outside of an execution.
    function msgSender() external view returns (address) {
        return _trader;
    }

    /// Accepts the native coin only while a plan is executed.
    receive() external payable {
        if (_trader == address(0)) revert NotThePool();
    }

    /// Pools' callbacks. Reverts for every caller but the pool that is being called.
    fallback() external {
        if (!_answerPool()) revert NotThePool();
    }

    // --- plans ---

    /// Executes all legs. Pays tokenOut to `to` and keeps nothing.
    function _run(ExecutorPlan calldata plan, address payer, address to)
        private
        returns (uint256 received, ExecutedLeg[] memory legs)
    {
        _assertPlan(plan);
        _native = plan.native;
        (address source, address target) = (payer, plan.nativeOut ? address(this) : to);
        uint256 paidBefore;
        if (plan.payment == BY_NATIVE_COIN) {
            source = address(this);
            paidBefore = tokenBalance(plan.tokenIn, address(this));
            callContract(plan.native, plan.amountIn, abi.encodeCall(IWrappedNative.deposit, ()));
            if (tokenBalance(plan.tokenIn, address(this)) - paidBefore != plan.amountIn) revert ArrivesShort();
        } else {
            _usePermit2(plan.payment == BY_PERMIT2);
            paidBefore = tokenBalance(plan.tokenIn, payer);
        }
        uint256[] memory floors;
        (legs, floors) = _runLegs(plan, source, target);
        _sweep(plan.legs, floors, to);
        if (plan.payment == BY_NATIVE_COIN) {
            if (tokenBalance(plan.tokenIn, address(this)) != paidBefore) revert PartialFill();
        } else if (tokenBalance(plan.tokenIn, payer) + plan.amountIn < paidBefore) {
            // A token may debit more than was sent.
            revert ChargesTooMuch();
        }
        // Counts what each last leg paid while it was executed, at most 1/20 more than its pool sent. The balance over the
        // whole plan would also count payments of other contracts that an earlier leg's hook or token can cause.
        for (uint256 i; i < legs.length; i++) {
            if (plan.legs[i].tokenOut == plan.tokenOut) received += legs[i].amountOut;
        }
        if (plan.nativeOut) _payNative(plan.native, to, received);
    }

    /// Rejects plans that could charge more than amountIn or leave tokens here.
    function _assertPlan(ExecutorPlan calldata plan) private view {
        uint256 count = plan.legs.length;
        if (count == 0 || plan.amountIn == 0 || plan.tokenIn == plan.tokenOut) revert BadPlan();
        if (plan.payment > BY_NATIVE_COIN || (plan.payment == BY_NATIVE_COIN && plan.tokenIn != plan.native)) {
            revert BadPlan();
        }
        if (plan.nativeOut && plan.tokenOut != plan.native) revert BadPlan();
        bool sells = false;
        for (uint256 i; i < count; i++) {
            PlanLeg calldata leg = plan.legs[i];
            if (leg.kind > KIND_V4_NATIVE || leg.pool == address(this) || leg.tokenIn == leg.tokenOut) revert BadPlan();
            // Sales of tokenOut would need tokens that the receiver already has; purchases of tokenIn would stay here.
            if (leg.tokenIn == plan.tokenOut || leg.tokenOut == plan.tokenIn) revert BadPlan();
            // The swap treats the leg's tokens as the native coin and one other.
            if (leg.kind == KIND_V4_NATIVE && leg.tokenIn != plan.native && leg.tokenOut != plan.native) revert BadPlan();
            if (leg.shareBps > 10_000) revert BadShares();
            sells = sells || leg.tokenIn == plan.tokenIn;
        }
        if (!sells) revert BadPlan();
    }

    /// @return fills amounts of each leg
    /// @return floors for the first leg that buys an intermediate token: its balance here before, plus 1; else 0
    function _runLegs(ExecutorPlan calldata plan, address source, address target)
        private
        returns (ExecutedLeg[] memory fills, uint256[] memory floors)
    {
        uint256 count = plan.legs.length;
        fills = new ExecutedLeg[](count);
        floors = new uint256[](count);
        for (uint256 i; i < count; i++) {
            PlanLeg calldata leg = plan.legs[i];
            bool buysOut = leg.tokenOut == plan.tokenOut;
            if (!buysOut && _isFirstPurchase(plan.legs, i)) {
                floors[i] = tokenBalance(leg.tokenOut, address(this)) + 1;
            }
            bool sellsIn = leg.tokenIn == plan.tokenIn;
            uint256 amount = _amountOf(plan.legs, i, sellsIn ? plan.amountIn : 0, fills);
            if (amount == 0) continue;
            (uint256 used, uint256 arrived, uint256 nominal, uint256 received) =
                _swap(leg, amount, sellsIn ? source : address(this), buysOut ? target : address(this), 0);
            if (used < amount) revert PartialFill();
            // The pool paid another token than the leg names, which would stay here.
            if (received == 0 && nominal > 0) revert PaysNothing();
            fills[i] = ExecutedLeg(used, arrived, nominal, received);
        }
    }

    /// The amount that a leg sells of what the plan has of its tokenIn: `total` at first, and what earlier legs bought.
    function _amountOf(PlanLeg[] calldata legs, uint256 index, uint256 total, ExecutedLeg[] memory fills)
        private
        pure
        returns (uint256)
    {
        address token = legs[index].tokenIn;
        uint256 sold = 0;
        for (uint256 i; i < index; i++) {
            if (legs[i].tokenIn == token) sold += fills[i].amountIn;
            if (legs[i].tokenOut == token) total += fills[i].amountOut;
        }
        // Shares that sell more than the total would charge the payer more than the plan's amountIn.
        if (sold > total) revert BadShares();
        for (uint256 i = index + 1; i < legs.length; i++) {
            if (legs[i].tokenIn != token) continue;
            uint256 share = legs[index].shareBps;
            uint256 amount = total / 10_000 * share + total % 10_000 * share / 10_000;
            if (amount > total - sold) revert BadShares();
            return amount;
        }
        return total - sold;
    }

    function _isFirstPurchase(PlanLeg[] calldata legs, uint256 index) private pure returns (bool) {
        for (uint256 i; i < index; i++) {
            if (legs[i].tokenOut == legs[index].tokenOut) return false;
        }
        return true;
    }

    /// Pays the receiver what is left of intermediate tokens: a plan may buy one and not sell it, and some tokens change
    /// balances by themselves.
    function _sweep(PlanLeg[] calldata legs, uint256[] memory floors, address to) private {
        for (uint256 i; i < legs.length; i++) {
            if (floors[i] == 0) continue;
            uint256 held = tokenBalance(legs[i].tokenOut, address(this));
            if (held >= floors[i]) _pay(legs[i].tokenOut, address(this), to, held - floors[i] + 1);
        }
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

    // --- probe ---

    /// Executes a plan in a frame.
    /// @param left number of plans left, including this one; each gets an equal share of the remaining gas
    function _probe(ExecutorPlan calldata plan, address payer, uint256 left) private returns (ProbeFill memory fill) {
        uint256 gasCap = gasleft();
        gasCap = gasCap > ANSWER_GAS * left ? (gasCap - ANSWER_GAS * left) / left : 0;
        uint256 startGas = gasleft();
        // Each plan has its own frame and its own share of the gas, so a failing plan does not affect the others.
        // slither-disable-next-line calls-loop
        try this.frame{gas: gasCap}(plan, payer) {
            // Unreachable: a frame that returned would have moved the payer's tokens.
            revert FrameReturned();
        } catch (bytes memory data) {
            fill.gas = startGas - gasleft();
            if (data.length > 68 && uint256(bytes32(data)) == RESULT) {
                (, fill.received, fill.legs) = abi.decode(data, (uint256, uint256, ExecutedLeg[]));
            } else {
                fill.legs = new ExecutedLeg[](0);
                fill.reason = bytes4(data);
            }
        }
    }

    // --- overrides ---

    function _swapHeld(PlanLeg calldata leg, uint256 amount, address receiver) internal override returns (uint256) {
        return _swapByFamily(leg, amount, receiver);
    }

    function _pay(address token, address payer, address to, uint256 amount) internal override {
        if (payer == address(this) || !_pullByPermit2(token, payer, to, amount)) super._pay(token, payer, to, amount);
    }
}
