// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PlanSwaps.sol";
import "./WeightedSwap.sol";

uint256 constant RUN_WORDS = 5;
uint256 constant LEG_WORDS = 4;
// Reserved in a frame to report its result after a leg used up its gas.
uint256 constant REPORT_GAS = 60_000;

// Status of a run. `engine/quote/execution/executionTypes.ts` has the same order.
uint256 constant NOT_RUN = 0; // no gas was left, or the run before it failed
uint256 constant RAN = 1;
uint256 constant RAN_PARTIALLY = 2; // a pool consumed less than the amount sold
uint256 constant REVERTED = 3;
uint256 constant OUT_OF_GAS = 4;
uint256 constant UNFUNDED = 5; // the payer does not hold the amount

/// Result of one leg. Written to the answer in this order.
struct LegFill {
    uint256 amountIn; // sent into the pool
    uint256 arrived; // received by the pool
    uint256 nominal; // sent by the pool, as it reports
    uint256 amountOut; // received by the lens or the receiver
}

/// Executes the legs of a plan one after the other.
abstract contract PlanRuns is PlanSwaps {
    /// Executes a plan and writes at memory address `words`: status, index of the leg at which it ended, error
    /// selector, tokenOut received, gas used; then a LegFill for each leg.
    /// @return whether all legs ran in full
    function _run(PlanOrder calldata order, PlanLeg[] calldata legs, address payer, uint256 words) internal returns (bool) {
        unchecked {
            uint256 startGas = gasleft();
            (uint256 status, uint256 index, uint256 reason) = (UNFUNDED, 0, 0);
            uint256 held = tokenBalance(order.tokenIn, payer);
            uint256 before = tokenBalance(order.tokenOut, payer);
            if (held >= order.amountIn) {
                status = RAN;
                uint256[] memory surpluses = _surpluses(legs);
                for (; index < legs.length; index++) {
                    (status, reason) = _runLeg(order, legs, index, payer, surpluses[index], words);
                    if (status != RAN) break;
                }
                // A trader who holds exactly the size cannot sell a token that debits more than was sent.
                if (status == RAN && tokenBalance(order.tokenIn, payer) + order.amountIn < held) {
                    (status, reason) = (REVERTED, uint256(uint32(ChargesTooMuch.selector)));
                }
            }
            uint256 received = tokenBalance(order.tokenOut, payer);
            received = received > before ? received - before : 0;
            assembly ("memory-safe") {
                mstore(words, status)
                mstore(add(words, 32), index)
                mstore(add(words, 64), reason)
                mstore(add(words, 96), received)
                mstore(add(words, 128), sub(startGas, gas()))
            }
            return status == RAN;
        }
    }

    /// Executes one leg in its own call, so that a revert keeps the results of earlier legs and identifies the leg.
    function _runLeg(
        PlanOrder calldata order,
        PlanLeg[] calldata legs,
        uint256 index,
        address payer,
        uint256 surplus,
        uint256 words
    ) private returns (uint256 status, uint256 reason) {
        unchecked {
            PlanLeg calldata leg = legs[index];
            LegFill memory fill;
            fill.amountIn = _amountOf(order, legs, index, words);
            // The leg's share rounds down to 0.
            if (fill.amountIn == 0) return (RAN, 0);
            uint256 gasCap = gasleft();
            if (gasCap < REPORT_GAS * 2) return (OUT_OF_GAS, 0);
            gasCap = (gasCap - REPORT_GAS) * 63 / 64;
            uint256 startGas = gasleft();
            try this.swap{gas: gasCap}(
                leg,
                fill.amountIn,
                leg.tokenIn == order.tokenIn ? payer : address(this),
                leg.tokenOut == order.tokenOut ? payer : address(this),
                surplus
            ) returns (uint256 used, uint256 arrived, uint256 nominal, uint256 received) {
                status = used < fill.amountIn ? RAN_PARTIALLY : RAN;
                (fill.amountIn, fill.arrived, fill.nominal, fill.amountOut) = (used, arrived, nominal, received);
                uint256 pointer = _legWords(words, index);
                assembly ("memory-safe") {
                    mcopy(pointer, fill, 128)
                }
            } catch (bytes memory data) {
                // `swap` forwards four bytes of another contract's error, so `data` is short. A leg that used over 7/8
                // of its gas counts as out of gas, because failing inner calls keep 1/64 each.
                status = startGas - gasleft() > gasCap - gasCap / 8 ? OUT_OF_GAS : REVERTED;
                reason = data.length < 4 ? 0 : uint256(uint32(bytes4(data)));
            }
        }
    }

    /// See `PlanSwaps._swap`. A call of its own, so that `_runLeg` can catch a revert.
    /// @dev Only the lens itself may call it.
    function swap(PlanLeg calldata leg, uint256 amount, address payer, address receiver, uint256 surplus)
        external
        returns (uint256 used, uint256 arrived, uint256 nominal, uint256 received)
    {
        if (msg.sender != address(this)) revert OnlySelf();
        return _swap(leg, amount, payer, receiver, surplus);
    }

    function _swapHeld(PlanLeg calldata leg, uint256 amount, address receiver) internal override returns (uint256) {
        return swapWeighted(leg, amount, receiver);
    }

    receive() external payable {}

    /// Pools' callbacks. Returns for all other callers, because tokens may notify receivers.
    fallback() external payable {
        _answerPool();
    }

    /// Called by hooks that need the trader's address.
    function msgSender() external view returns (address) {
        return tx.origin;
    }

    /// Tokens that each pair holds above its reserves before the plan. They are not counted, because anyone can
    /// withdraw them (`skim`). A surplus from the plan's own legs counts: a token may distribute a part of each
    /// transfer.
    function _surpluses(PlanLeg[] calldata legs) private view returns (uint256[] memory surpluses) {
        unchecked {
            surpluses = new uint256[](legs.length);
            for (uint256 i; i < legs.length; i++) {
                if (isConcentrated(legs[i].kind)) continue;
                (bool ok, uint256 size, uint256[5] memory words) = readWords(legs[i].pool, 0x0902f1ac); // getReserves()
                if (!ok || size < 2) continue;
                uint256 balance;
                (ok, balance) = readBalance(legs[i].tokenIn, legs[i].pool);
                uint256 reserve = words[legs[i].tokenIn < legs[i].tokenOut ? 0 : 1];
                if (ok && balance > reserve) surpluses[i] = balance - reserve;
            }
        }
    }

    function _legWords(uint256 words, uint256 index) private pure returns (uint256) {
        unchecked {
            return words + (RUN_WORDS + index * LEG_WORDS) * 32;
        }
    }

    /// The amount that a leg sells: its share of the plan's total of tokenIn, or the rest for the last leg of that
    /// token.
    function _amountOf(PlanOrder calldata order, PlanLeg[] calldata legs, uint256 index, uint256 words)
        private
        pure
        returns (uint256)
    {
        unchecked {
            address token = legs[index].tokenIn;
            uint256 total = token == order.tokenIn ? order.amountIn : 0;
            uint256 sold;
            for (uint256 i; i < index; i++) {
                uint256 pointer = _legWords(words, i);
                uint256 amountIn;
                uint256 amountOut;
                assembly ("memory-safe") {
                    amountIn := mload(pointer)
                    amountOut := mload(add(pointer, 96))
                }
                if (legs[i].tokenIn == token) sold += amountIn;
                if (legs[i].tokenOut == token) total += amountOut;
            }
            for (uint256 i = index + 1; i < legs.length; i++) {
                if (legs[i].tokenIn != token) continue;
                uint256 share = legs[index].shareBps;
                return total / 10_000 * share + total % 10_000 * share / 10_000;
            }
            return total - sold;
        }
    }
}
