// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "../BoundedReads.sol";
import "../Plan.sol";
import "../PoolCalls.sol";

/// How a stand-in pays, and how it says why a trade did not work.
abstract contract Payments {
    /// stage: 1 pull reverted, 2 pull returned false, 3 pool refused, 4 payment failed, 5 unreadable balance,
    /// 6 arrived short, 7 too little to be worth one unit, 8 pull returned neither true nor false
    error Refused(uint256 stage, uint256 sent, uint256 arrived, uint256 size, bytes32 head);

    address internal transient _token;
    address internal transient _payer; // 0: the stand-in pays from what it holds
    uint256 internal transient _held;
    uint256 internal transient _sent;
    uint256 internal transient _arrived;

    function _pay(address token, address to, uint256 amount) internal {
        if (_payer == address(0)) return _transfer(token, to, amount);
        _pullFrom(_payer, token, to, amount);
    }

    /// Another contract pulls for the router of a singleton.
    function _pullFrom(address from, address token, address to, uint256 amount) internal virtual {
        _pull(token, from, to, amount);
    }

    function _pull(address token, address from, address to, uint256 amount) internal {
        bool ok;
        bool yes;
        bool odd;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0x23b872dd))
            mstore(add(at, 4), from)
            mstore(add(at, 36), to)
            mstore(add(at, 68), amount)
            ok := call(gas(), token, 0, at, 100, 0, 32)
            yes := or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1)))
            odd := and(gt(returndatasize(), 31), gt(mload(0), 1))
        }
        if (!ok) _refuse(1);
        // Routers compiled before ABI coder v2 take any number but 0 for true.
        if (!yes) _refused(odd ? 8 : 2, 0);
    }

    function _transfer(address token, address to, uint256 amount) private {
        bool ok;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0xa9059cbb))
            mstore(add(at, 4), to)
            mstore(add(at, 36), amount)
            ok := call(gas(), token, 0, at, 68, 0, 32)
            ok := and(ok, or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1))))
        }
        if (!ok) _refuse(4);
    }

    /// Ends the trade with the last call's reason: a refusal of our own goes up as it is, another's is cut to one word.
    function _refuse(uint256 stage) internal view {
        uint256 size;
        uint256 selector;
        assembly ("memory-safe") {
            size := returndatasize()
            if gt(size, 3) {
                returndatacopy(0, 0, 4)
                selector := shr(224, mload(0))
            }
        }
        if (size == 164 && selector == uint32(Refused.selector)) {
            assembly ("memory-safe") {
                let at := mload(0x40)
                returndatacopy(at, 0, 164)
                revert(at, 164)
            }
        }
        bytes32 head;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, 0)
            // Error(string): the text begins at byte 68.
            let from := mul(and(eq(selector, 0x08c379a0), gt(size, 99)), 68)
            let part := sub(size, from)
            if gt(part, 32) { part := 32 }
            returndatacopy(at, from, part)
            head := mload(at)
        }
        revert Refused(stage, _sent, _arrived, size, head);
    }

    function _refused(uint256 stage, uint256 arrived) internal view {
        uint256 sent = _sent;
        if (stage == 6 && _payer != address(0)) {
            // A transfer that answers true and moves nothing took nothing.
            (bool ok, uint256 left) = readBalance(_token, _payer);
            if (ok && left < _held && _held - left < sent) sent = _held - left;
            if (ok && left >= _held) sent = 0;
        }
        revert Refused(stage, sent, arrived, 0, 0);
    }

    function _balance(address token, address holder) internal view returns (uint256) {
        (bool ok, uint256 balance) = readBalance(token, holder);
        if (!ok) _refused(5, 0);
        return balance;
    }
}
