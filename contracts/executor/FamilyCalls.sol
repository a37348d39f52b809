// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PlanLeg} from "../lens/PlanTypes.sol";
import "./FamilyTable.sol";
import {IFamily} from "./families/IFamily.sol";

/// Swaps through the contracts of further families. Their addresses and code hashes are constants.
abstract contract FamilyCalls {
    error FamilyMissing();

    /// @dev Checks the code hash before the delegatecall: no other code may run with the executor's allowances.
    function _swapByFamily(PlanLeg calldata leg, uint256 amount, address receiver) internal returns (uint256 sent) {
        // KIND_WEIGHTED is the only kind outside of the core.
        if (WEIGHTED_FAMILY.codehash != WEIGHTED_FAMILY_HASH) revert FamilyMissing();
        bytes memory data = abi.encodeCall(IFamily.swapHeld, (leg, amount, receiver));
        address family = WEIGHTED_FAMILY;
        assembly ("memory-safe") {
            let ok := delegatecall(gas(), family, add(data, 32), mload(data), 0, 32)
            let size := returndatasize()
            if or(iszero(ok), lt(size, 32)) {
                if gt(size, 4) { size := 4 }
                returndatacopy(0, 0, size)
                revert(0, size)
            }
            sent := mload(0)
        }
    }
}
