// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./FillMemory.sol";
import "./Plan.sol";
import "./PoolCalls.sol";

// How a frame ends. A swap that is not paid is abandoned in its callback, after the pool has sent.
uint256 constant ABANDON = 0;
uint256 constant PAY = 1; // a funded account pays the first leg by transferFrom: taxes on the sale show
uint256 constant TO_LIMIT = 2; // abandoned, and a leg may stop at its price limit

/// Executes swaps for real, inside frames that always revert. A fill reports what pools and tokens did.
/// The lens acts as the router that a trader approved: it pulls tokenIn from an account without code, which pays the first
/// pool, and pays later legs from its own balance. A token can tell neither account from a real trader by its address.
abstract contract Filler is FillMemory, Families {
    function _prepare(address native, uint256 salt) internal {
        (_wrappedNative, _salt) = (native, salt);
    }

    /// Remembers where the funded accounts lie in the calldata of the question.
    function _usePayers(Payer[] calldata payers) internal {
        uint256 at;
        assembly ("memory-safe") {
            at := payers.offset
        }
        (_payersAt, _payersCount) = (at, payers.length);
    }

    /// The first account that holds `amount`, so that a sale of the asked size empties its seller; 0 when none does.
    function _payerOf(uint256 amount) internal view returns (address payer) {
        unchecked {
            uint256 at = _payersAt;
            for (uint256 end = at + _payersCount * 64; at < end; at += 64) {
                uint256 holds;
                assembly ("memory-safe") {
                    payer := calldataload(at)
                    holds := calldataload(add(at, 32))
                }
                if (holds >= amount) return payer;
            }
            return address(0);
        }
    }

    function _native() internal view returns (address) {
        return _wrappedNative;
    }

    /// Runs one leg, or with `legs` 2 both, in a frame of its own. A frame that ran out of gas is UNREAD, one that reverted
    /// is REJECTED. The call is laid into free memory and forgotten.
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
            if (_hasPayers()) _payer = mode == PAY ? _payerOf(amountIn) : address(0);
            bytes4 selector = IFrames.frame.selector;
            uint256 words;
            bool whole;
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
                mstore(add(words, 68), 96)
                mstore(add(words, 100), bytes_)
                let plan := add(words, 132)
                calldatacopy(plan, calldatasize(), PLAN_BYTES)
                mstore(add(plan, 32), amountIn)
                mstore(add(plan, 64), eq(mode, PAY))
                mstore(add(plan, 96), eq(mode, TO_LIMIT))
                mstore(add(plan, 256), amountIn)
                mstore(add(plan, 288), legs)
                mcopy(add(plan, PLAN_BYTES), first, LEG_BYTES)
                if eq(legs, 2) { mcopy(add(plan, add(PLAN_BYTES, LEG_BYTES)), second, LEG_BYTES) }
                pop(call(gasCap, address(), 0, words, add(132, bytes_), words, 256))
                size := returndatasize()
                spent := sub(spent, gas())
                mstore(add(fill, 256), spent)
                let mark := mload(words)
                mstore(words, secret)
                whole := and(eq(size, 256), eq(mark, keccak256(words, 256)))
                mstore(words, mark)
            }
            if (whole) _readFill(fill, words);
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

    function _readFailure(Fill memory fill, uint256 words, uint256 size, bool burnt) private pure {
        bytes4 reason;
        assembly ("memory-safe") {
            if gt(size, 3) { reason := and(mload(words), shl(224, 0xffffffff)) }
        }
        fill.reason = reason;
        bool unread = burnt || reason == PoolUnread.selector || reason == BalanceUnread.selector;
        fill.status = unread ? UNREAD : REJECTED;
    }

    function _fillOne(Leg memory leg, uint256 amountIn, uint256 mode, uint256 gasCap) internal returns (Fill memory) {
        return _fill(leg, leg, 1, amountIn, mode, gasCap);
    }
}
