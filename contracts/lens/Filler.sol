// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FillMemory.sol";
import "./Plan.sol";
import "./PoolCalls.sol";

// Modes of a frame.
uint256 constant ABANDON = 0; // the first leg is not paid: the frame reverts in the pool's callback, after the pool sent
uint256 constant TO_LIMIT = 1; // as ABANDON, and a leg may stop at its price limit

/// Executes swaps in frames that always revert, and returns the amounts that moved. The first leg is not paid: each pool
/// sends its output before it requests the payment. The lens pays later legs from what it received.
abstract contract Filler is FillMemory, Families {
    function _prepare(address native, uint256 salt) internal {
        (_wrappedNative, _salt) = (native, salt);
    }

    /// Executes one leg, or both if `legs` is 2, in its own frame. The memory of the call is not kept.
    /// @return fill UNREAD if the frame ran out of gas (it used over 7/8 of `gasCap`) or could not read a pool or
    /// balance; REJECTED if it failed otherwise
    function _fill(Leg memory first, Leg memory second, uint256 legs, uint256 amountIn, uint256 mode, uint256 gasCap)
        internal
        returns (Fill memory fill)
    {
        unchecked {
            if (gasleft() * 63 / 64 < gasCap + 20_000) {
                fill.status = UNREAD;
                return fill;
            }
            uint256 salt = _salt;
            address native = _wrappedNative;
            bytes4 selector = IFrames.frame.selector;
            uint256 words;
            bool isAuthentic;
            uint256 size;
            uint256 spent = gasleft();
            assembly ("memory-safe") {
                words := mload(0x40)
                mstore(0, salt)
                mstore(32, spent)
                let secret := keccak256(0, 64)
                let bytes_ := add(PLAN_BYTES, mul(legs, LEG_BYTES))
                mstore(words, selector)
                mstore(add(words, 4), secret)
                mstore(add(words, 36), native)
                let plan := add(words, 68)
                calldatacopy(plan, calldatasize(), PLAN_BYTES)
                mstore(add(plan, 32), amountIn)
                mstore(add(plan, 96), eq(mode, TO_LIMIT))
                mstore(add(plan, 256), amountIn)
                mstore(add(plan, 288), legs)
                mcopy(add(plan, PLAN_BYTES), first, LEG_BYTES)
                if eq(legs, 2) { mcopy(add(plan, add(PLAN_BYTES, LEG_BYTES)), second, LEG_BYTES) }
                pop(call(gasCap, address(), 0, words, add(68, bytes_), words, 256))
                size := returndatasize()
                spent := sub(spent, gas())
                mstore(add(fill, 256), spent)
                let hash := mload(words)
                mstore(words, secret)
                isAuthentic := and(eq(size, 256), eq(hash, keccak256(words, 256)))
                mstore(words, hash)
            }
            if (isAuthentic) _readFill(fill, words);
            else _readFailure(fill, words, size, spent > gasCap - gasCap / 8);
        }
    }

    function _readFill(Fill memory fill, uint256 words) private pure {
        uint256 flag;
        assembly ("memory-safe") {
            flag := mload(add(words, 32))
            // used, nominal, between, arrived, nominalLast, received
            mcopy(add(fill, 32), add(words, 64), 192)
        }
        if (flag != 0) fill.status = fill.used == 0 ? EMPTY : PARTIAL;
        else fill.status = fill.received == 0 ? EMPTY : FILLED;
    }

    function _readFailure(Fill memory fill, uint256 words, uint256 size, bool outOfGas) private pure {
        bytes4 reason;
        assembly ("memory-safe") {
            if gt(size, 3) { reason := and(mload(words), shl(224, 0xffffffff)) }
        }
        fill.reason = reason;
        bool unread = outOfGas || reason == PoolUnread.selector || reason == BalanceUnread.selector;
        fill.status = unread ? UNREAD : REJECTED;
    }

    function _fillOne(Leg memory leg, uint256 amountIn, uint256 mode, uint256 gasCap) internal returns (Fill memory) {
        return _fill(leg, leg, 1, amountIn, mode, gasCap);
    }
}
