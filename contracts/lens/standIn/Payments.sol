// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "../PoolSwaps.sol";

/// Payments and calls of a stand-in, and the error with the reason of a failed trade.
abstract contract Payments is PoolSwaps {
    /// @param stage 1 transferFrom reverted, 2 transferFrom returned false, 3 the pool reverted, 4 transfer failed,
    /// 5 unreadable balance, 6 less arrived than was owed, 7 the output is 0, 8 transferFrom returned a number above 1
    /// @param sent tokens debited from the wallet
    /// @param arrived tokens received by the pool
    /// @param size bytes of the other contract's error
    /// @param head first 32 bytes of that error, or of its text
    error Refused(uint256 stage, uint256 sent, uint256 arrived, uint256 size, bytes32 head);

    uint256 internal transient _held; // the wallet's balance before the sale
    uint256 internal transient _sold; // amount of the sale
    uint256 internal transient _arrived; // amount received by the pool

    /// Whether a pool reverts if less arrives than it is owed. Pairs pay for what arrived.
    function _needsAll() internal pure virtual returns (bool) {
        return true;
    }

    function _pay(address token, address payer, address to, uint256 amount) internal override {
        uint256 before = _needsAll() ? _balance(token, to) : 0;
        if (payer == address(this)) _transfer(token, to, amount);
        else _pullFrom(payer, token, to, amount);
        if (!_needsAll()) return;
        uint256 arrived = _increase(before, _balance(token, to));
        if (payer != address(this)) _arrived = arrived;
        if (arrived < amount) _revertWith(6, arrived);
    }

    /// Pays by transferFrom. Stand-ins for a singleton's router override it, because Permit2 pulls there.
    function _pullFrom(address from, address token, address to, uint256 amount) internal virtual {
        _pull(token, from, to, amount);
    }

    function _call(address target, uint256 value, bytes memory data)
        internal
        override
        returns (uint256 first, uint256 second)
    {
        bool ok;
        assembly ("memory-safe") {
            ok := call(gas(), target, value, add(data, 32), mload(data), 0, 64)
            if gt(returndatasize(), 31) { first := mload(0) }
            if gt(returndatasize(), 63) { second := mload(32) }
        }
        if (!ok) _revertWithLastError(3);
    }

    function _pull(address token, address from, address to, uint256 amount) internal {
        bool ok;
        bool accepted;
        bool isNumber;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0x23b872dd)) // transferFrom(address,address,uint256)
            mstore(add(at, 4), from)
            mstore(add(at, 36), to)
            mstore(add(at, 68), amount)
            ok := call(gas(), token, 0, at, 100, 0, 32)
            accepted := or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1)))
            isNumber := and(gt(returndatasize(), 31), gt(mload(0), 1))
        }
        if (!ok) _revertWithLastError(1);
        // Routers compiled with ABI coder v1 accept any number except 0 as true.
        if (!accepted) _revertWith(isNumber ? 8 : 2, 0);
    }

    function _transfer(address token, address to, uint256 amount) private {
        bool ok;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0xa9059cbb)) // transfer(address,uint256)
            mstore(add(at, 4), to)
            mstore(add(at, 36), amount)
            ok := call(gas(), token, 0, at, 68, 0, 32)
            ok := and(ok, or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1))))
        }
        if (!ok) _revertWithLastError(4);
    }

    /// Reverts with the error of the last call: passes on a `Refused` unchanged, and shortens any other error to one
    /// word.
    function _revertWithLastError(uint256 stage) internal view {
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
        revert Refused(stage, _sold, _arrived, size, head);
    }

    /// Reverts with a reason that is not another contract's error.
    function _revertWith(uint256 stage, uint256 arrived) internal view {
        uint256 sent = _sold;
        if (stage == 6 && _payer() != address(this)) {
            // A transfer that returns true may have debited less, or nothing.
            (bool ok, uint256 left) = readBalance(_tokenIn(), _payer());
            uint256 held = _held;
            if (ok) {
                unchecked {
                    uint256 debited = left < held ? held - left : 0;
                    if (debited < sent) sent = debited;
                }
            }
        }
        revert Refused(stage, sent, arrived, 0, 0);
    }

    function _balance(address token, address holder) internal view returns (uint256) {
        (bool ok, uint256 balance) = readBalance(token, holder);
        if (!ok) _revertWith(5, 0);
        return balance;
    }

    function _increase(uint256 before, uint256 later) internal pure returns (uint256) {
        unchecked {
            return later > before ? later - before : 0;
        }
    }
}
