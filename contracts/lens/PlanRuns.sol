// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PlanSwaps.sol";

uint256 constant RUN_WORDS = 5;
uint256 constant LEG_WORDS = 4;
// Kept back in a frame to report its result after a leg used up its gas.
uint256 constant REPORT_GAS = 60_000;

// How a run of a plan ended.
uint256 constant NOT_RUN = 0; // no gas was left, or the run before it failed
uint256 constant RAN = 1;
uint256 constant TOOK_PART = 2; // a pool consumed less than it was sold
uint256 constant REVERTED = 3;
uint256 constant OUT_OF_GAS = 4;
uint256 constant UNFUNDED = 5; // the payer does not hold the amount or did not approve the lens

/// A leg's result. Written to the answer in this order.
struct LegFill {
    uint256 amountIn; // sent into the pool
    uint256 arrived; // received by the pool
    uint256 nominal; // sent by the pool, as it reports
    uint256 amountOut; // received by the lens or the receiver
}

/// One run of a plan, leg after leg.
abstract contract PlanRuns is PlanSwaps {
    /// One run of a plan. Words: status, leg at which it ended, reason, received, gas, then four words a leg.
    function _run(PlanOrder calldata order, PlanLeg[] calldata legs, address payer, uint256 words) internal returns (bool) {
        unchecked {
            uint256 spent = gasleft();
            (uint256 status, uint256 index, uint256 reason) = (UNFUNDED, 0, 0);
            uint256 held = _balanceOf(order.tokenIn, payer);
            uint256 before = _balanceOf(order.tokenOut, payer);
            if (held >= order.amountIn) {
                status = RAN;
                uint256[] memory surpluses = _surpluses(legs);
                for (; index < legs.length; index++) {
                    (status, reason) = _runLeg(order, legs, index, payer, surpluses[index], words);
                    if (status != RAN) break;
                }
                // A trader who holds just the size cannot pay a token that takes more from its sender than was sent.
                if (status == RAN && _balanceOf(order.tokenIn, payer) + order.amountIn < held) {
                    (status, reason) = (REVERTED, uint256(uint32(AsksForMore.selector)));
                }
            }
            uint256 received = _balanceOf(order.tokenOut, payer);
            received = received > before ? received - before : 0;
            assembly ("memory-safe") {
                mstore(words, status)
                mstore(add(words, 32), index)
                mstore(add(words, 64), reason)
                mstore(add(words, 96), received)
                mstore(add(words, 128), sub(spent, gas()))
            }
            return status == RAN;
        }
    }

    /// Executes one leg in a call of its own, so that its failure leaves the results before it and names the leg.
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
            // Less than one unit of a token: nothing to sell.
            if (fill.amountIn == 0) return (RAN, 0);
            uint256 gasCap = gasleft();
            if (gasCap < REPORT_GAS * 2) return (OUT_OF_GAS, 0);
            gasCap = (gasCap - REPORT_GAS) * 63 / 64;
            uint256 spent = gasleft();
            try this.swap{gas: gasCap}(
                leg,
                fill.amountIn,
                leg.tokenIn == order.tokenIn ? payer : address(this),
                leg.tokenOut == order.tokenOut ? payer : address(this),
                surplus
            ) returns (uint256 used, uint256 arrived, uint256 nominal, uint256 received) {
                status = used < fill.amountIn ? TOOK_PART : RAN;
                (fill.amountIn, fill.arrived, fill.nominal, fill.amountOut) = (used, arrived, nominal, received);
                uint256 place = _legWords(words, index);
                assembly ("memory-safe") {
                    mcopy(place, fill, 128)
                }
            } catch (bytes memory data) {
                // At most 36 bytes: `swap` passes on the first four of any error.
                status = spent - gasleft() > gasCap - gasCap / 8 ? OUT_OF_GAS : REVERTED;
                reason = data.length < 4 ? 0 : uint256(uint32(bytes4(data)));
            }
        }
    }

    /// What lies in each pair beside its reserves before the plan begins. Anyone can take it first (`skim`), so it is not
    /// counted. What the plan's own legs add counts: a token may pass a part of each transfer on to all holders.
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

    /// What a leg sells: its share of all that the plan bought of its token, or the rest for the last leg of a token.
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
                uint256 place = _legWords(words, i);
                uint256 amountIn;
                uint256 amountOut;
                assembly ("memory-safe") {
                    amountIn := mload(place)
                    amountOut := mload(add(place, 96))
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
