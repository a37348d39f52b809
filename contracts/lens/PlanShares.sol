// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PlanTypes.sol";

error BadShares();

/// The amount that a leg sells: its share of `total`, or the rest if no later leg sells the same token.
/// @param total amount of the leg's tokenIn that the plan had before its first sale of that token
/// @param sold amount that earlier legs sold
/// @dev Reverts if earlier legs sold more than the total: shares above 10000 would otherwise charge the payer more than
/// the plan's amountIn.
function amountSold(PlanLeg[] calldata legs, uint256 index, uint256 total, uint256 sold) pure returns (uint256 amount) {
    if (sold > total) revert BadShares();
    unchecked {
        uint256 rest = total - sold;
        address token = legs[index].tokenIn;
        for (uint256 i = index + 1; i < legs.length; i++) {
            if (legs[i].tokenIn != token) continue;
            uint256 share = legs[index].shareBps;
            if (share > 10_000) revert BadShares();
            amount = total / 10_000 * share + total % 10_000 * share / 10_000;
            if (amount > rest) revert BadShares();
            return amount;
        }
        return rest;
    }
}
