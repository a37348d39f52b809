// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PoolCalls.sol";
import "./PlanTypes.sol";
import "./TokenCalls.sol";

/// Swaps `amount` that the calling contract holds, in a weighted pool of Balancer's vault. The vault pulls tokens from
/// its caller, and pays for the amount that it requested, not for the amount that arrived. A token that taxes transfers
/// is rejected, because the vault's other depositors would bear the tax.
/// @return sent tokenOut sent, as the vault reports it
function swapWeighted(PlanLeg calldata leg, uint256 amount, address receiver) returns (uint256 sent) {
    address token = leg.tokenIn;
    uint256 before = tokenBalance(token, BALANCER_VAULT);
    callContract(token, 0, abi.encodeCall(IApprovable.approve, (BALANCER_VAULT, amount)));
    bytes32 id = bytes32(weightedPoolId(leg.pool, leg.hooks));
    SingleSwap memory order = SingleSwap(id, 0, token, leg.tokenOut, amount, "");
    FundManagement memory funds = FundManagement(thisContract(), false, receiver, false);
    (sent,) = callContract(
        BALANCER_VAULT, 0, abi.encodeCall(IBalancerVault.swap, (order, funds, 0, type(uint256).max))
    );
    if (tokenBalance(token, BALANCER_VAULT) - before != amount) revert ArrivesShort();
}
