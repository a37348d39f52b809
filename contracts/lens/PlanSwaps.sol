// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PoolSwaps.sol";

/// Executes one swap of a plan with payment, and rejects tokens that report unreliable balances.
abstract contract PlanSwaps is ConcentratedSwaps, PairSwaps, SingletonSwaps {
    /// A receiver may get 1/20 more than the pool sent. A token that credits more reports unreliable balances.
    uint256 private constant BONUS_DIVISOR = 20;

    error OnlySelf();
    error ReceivesTooMuch();

    /// Swaps `amount` through a pool, paid by `payer`: an account that approved this contract, or this contract itself.
    /// @param surplus tokenIn above a pair's reserves before the plan, which does not count as paid
    /// @return used tokenIn charged by the pool
    /// @return arrived tokenIn received by the pool
    /// @return nominal tokenOut sent, as the pool reports it
    /// @return received tokenOut received by `receiver`
    function _swap(PlanLeg calldata source, uint256 amount, address payer, address receiver, uint256 surplus)
        internal
        returns (uint256 used, uint256 arrived, uint256 nominal, uint256 received)
    {
        PlanLeg memory leg = inMemory(source);
        uint256 before = tokenBalance(leg.tokenOut, receiver);
        _startLeg(leg, amount, payer);
        if (leg.kind >= KIND_V4) {
            _swapSingleton(leg, amount, receiver);
            (used, nominal) = (amount - _unpaid, _sent);
            arrived = used;
        } else if (leg.kind == KIND_WEIGHTED) {
            if (payer != address(this)) _collect(leg.tokenIn, payer, amount);
            nominal = _swapHeld(source, amount, receiver);
            (used, arrived) = (amount, amount);
        } else if (isConcentrated(leg.kind)) {
            nominal = _swapConcentrated(leg, amount, receiver);
            used = amount - _unpaid;
            arrived = used;
        } else {
            (arrived, nominal) = _swapPair(leg, amount, payer, receiver, surplus);
            used = amount;
        }
        _expected = 0;
        received = tokenBalance(leg.tokenOut, receiver) - before;
        if (received > nominal + nominal / BONUS_DIVISOR) revert ReceivesTooMuch();
        // The pool paid another token than the leg names.
        if (used == amount && received == 0 && nominal > 0) revert PaysNothing();
    }

    /// Moves the payer's tokens to this contract, for pools that pull from their caller.
    function _collect(address token, address payer, uint256 amount) private {
        uint256 held = tokenBalance(token, address(this));
        _pay(token, payer, address(this), amount);
        if (tokenBalance(token, address(this)) - held != amount) revert ArrivesShort();
    }

    /// Swaps tokens that this contract holds, in a pool that pulls them.
    /// @return sent tokenOut sent, as the pool reports it
    function _swapHeld(PlanLeg calldata leg, uint256 amount, address receiver) internal virtual returns (uint256 sent);

    /// Called by a v4 manager while it is unlocked for this contract.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        _answerManager(data);
        return "";
    }

    function _pay(address token, address payer, address to, uint256 amount) internal virtual override {
        if (!payToken(token, payer, to, amount)) revert TransferFailed();
    }

    /// Cuts the errors of other contracts to four bytes.
    function _call(address target, uint256 value, bytes memory data) internal override returns (uint256, uint256) {
        return callContract(target, value, data);
    }

    function _rejectArrived(uint256) internal pure override {
        revert PaysNothing();
    }
}
