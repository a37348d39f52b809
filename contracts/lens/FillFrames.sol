// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BoundedReads.sol";
import "./FillMemory.sol";
import "./Plan.sol";
import "./PoolCalls.sol";

/// Shared by the swaps of a frame: the plan as callback data, the result, and calls to pools and tokens.
abstract contract FillFrames is FillMemory, Families {
    /// A receiver may get 1/20 more than the pool sent. A token that credits more reports unreliable balances.
    uint256 internal constant BONUS_DIVISOR = 20;

    /// The receiver of the current leg. The last leg pays an account without code, as for a trader, because tokens may
    /// treat contracts differently. The lens receives amounts of other legs, amounts to wrap, and those of an unpaid
    /// pair, which calls its receiver back.
    function _receiver(Plan memory plan, Leg memory leg) internal view returns (address) {
        bool wraps = _hasSingletons() && leg.kind == KIND_V4_NATIVE && leg.tokenOut == _wrappedNative;
        bool abandons = !_isPaid(plan) && !isConcentrated(leg.kind);
        return !_isLast(plan) || wraps || abandons ? address(this) : tx.origin;
    }

    function _isPaid(Plan memory plan) internal pure returns (bool) {
        return _hasSecondLegs() && plan.paid == 1;
    }

    function _isLast(Plan memory plan) internal pure returns (bool) {
        return !_hasSecondLegs() || plan.at + 1 == plan.legs;
    }

    /// Reverts with the result. The pool passes it on and could change it, so the first word is a hash over the secret
    /// and the other words.
    /// @param flag index + 1 of a leg that was not filled in whole; 0 = none
    function _report(Plan memory plan, uint256 flag, uint256 nominalLast, uint256 received) internal view {
        uint256 secret = _secret;
        assembly ("memory-safe") {
            let words := mload(0x40)
            mstore(words, secret)
            mstore(add(words, 32), flag)
            mcopy(add(words, 64), add(plan, 160), 128) // used, nominal, between, arrived
            mstore(add(words, 192), nominalLast)
            mstore(add(words, 224), received)
            mstore(words, keccak256(words, 256))
            revert(words, 256)
        }
    }

    /// The plan as callback data. Stores its hash, so that a changed plan is rejected.
    function _planData(Plan memory plan) internal returns (bytes memory data) {
        bytes32 hash;
        assembly ("memory-safe") {
            let size := add(PLAN_BYTES, mul(mload(add(plan, 288)), LEG_BYTES))
            data := mload(0x40)
            mstore(data, size)
            mcopy(add(data, 32), plan, size)
            mstore(0x40, add(add(data, 32), size))
            hash := keccak256(plan, size)
        }
        _expectedData = hash;
    }

    /// Reads the plan from the callback's argument whose offset is at byte `at` of the calldata. A pool may call back
    /// once.
    function _readPlan(uint256 at) internal returns (Plan memory plan) {
        bytes32 hash;
        assembly ("memory-safe") {
            let from := add(4, calldataload(at))
            let size := calldataload(from)
            if lt(size, 833) {
                plan := mload(0x40)
                calldatacopy(plan, add(from, 32), size)
                mstore(0x40, add(plan, size))
                hash := keccak256(plan, size)
            }
        }
        if (hash != _expectedData) revert WrongCallbackData();
        _expected = address(0);
    }

    // --- calls ---

    /// Calls a contract. If the call fails, reverts with at most 256 bytes of its error: a result has 256 bytes and
    /// must pass through the pool.
    /// @return first the first two words returned; 0 for a missing word
    function _call(address target, uint256 value, bytes memory data) internal returns (uint256 first, uint256 second) {
        assembly ("memory-safe") {
            let ok := call(gas(), target, value, add(data, 32), mload(data), 0, 64)
            let size := returndatasize()
            if iszero(ok) {
                if gt(size, 256) { size := 256 }
                returndatacopy(data, 0, size)
                revert(data, size)
            }
            if gt(size, 31) { first := mload(0) }
            if gt(size, 63) { second := mload(32) }
        }
    }

    /// Pays a leg after the first one, from what the lens received.
    function _pay(address token, address to, uint256 amount) internal {
        if (!payToken(token, address(this), to, amount)) revert TransferFailed();
    }
}
