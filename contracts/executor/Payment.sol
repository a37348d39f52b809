// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "../lens/TokenCalls.sol";
import "./ExecutorTypes.sol";

address constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

interface IPermit {
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external;
}

struct PermitDetails {
    address token;
    uint160 amount;
    uint48 expiration;
    uint48 nonce;
}

struct PermitSingle {
    PermitDetails details;
    address spender;
    uint256 sigDeadline;
}

interface IPermit2 {
    function permit(address owner, PermitSingle calldata permitSingle, bytes calldata signature) external;
    function transferFrom(address from, address to, uint160 amount, address token) external;
}

/// Takes tokenIn from the trader: by the token's allowance or by Permit2's.
abstract contract Payment {
    error AmountTooLarge();

    bool private transient _byPermit2;

    /// Selects Permit2 or the token's own allowance for `_pullByPermit2`.
    /// @dev Always written: an earlier call in the same transaction may have selected the other one.
    function _usePermit2(bool byPermit2) internal {
        _byPermit2 = byPermit2;
    }

    /// Executes the plan's signed allowance, which names this contract as spender. The data is
    /// (uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) of EIP-2612 with BY_ALLOWANCE, and
    /// (uint160 amount, uint48 expiration, uint48 nonce, uint256 sigDeadline, bytes signature) with BY_PERMIT2.
    /// Ignores a failure: another account may have submitted the signature before, and then the allowance exists. Without
    /// an allowance the payment fails. The owner is always the trader, so a foreign signature moves nothing.
    function _permit(ExecutorPlan calldata plan, address trader) internal {
        if (plan.permit.length == 0) return;
        (address target, bytes memory data) = (plan.tokenIn, bytes(""));
        if (plan.payment == BY_ALLOWANCE) {
            (uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) =
                abi.decode(plan.permit, (uint256, uint256, uint8, bytes32, bytes32));
            data = abi.encodeCall(IPermit.permit, (trader, address(this), value, deadline, v, r, s));
        } else if (plan.payment == BY_PERMIT2) {
            (uint160 amount, uint48 expiration, uint48 nonce, uint256 sigDeadline, bytes memory signature) =
                abi.decode(plan.permit, (uint160, uint48, uint48, uint256, bytes));
            PermitDetails memory details = PermitDetails(plan.tokenIn, amount, expiration, nonce);
            target = PERMIT2;
            data = abi.encodeCall(IPermit2.permit, (trader, PermitSingle(details, address(this), sigDeadline), signature));
        } else {
            return;
        }
        assembly ("memory-safe") {
            pop(call(gas(), target, 0, add(data, 32), mload(data), 0, 0))
        }
    }

    /// Moves the trader's tokens if the plan selects Permit2. Every caller passes the trader of the current execution.
    /// @return whether the plan selects Permit2
    function _pullByPermit2(address token, address payer, address to, uint256 amount) internal returns (bool) {
        if (!_byPermit2) return false;
        if (amount > type(uint160).max) revert AmountTooLarge();
        callContract(PERMIT2, 0, abi.encodeCall(IPermit2.transferFrom, (payer, to, uint160(amount), token)));
        return true;
    }
}
