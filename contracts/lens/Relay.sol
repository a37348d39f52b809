// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Data that one part of a lens passes to the next one.
struct Handover {
    uint256 from; // memory address at which the shared memory starts
    uint256 size; // bytes of the query and the addresses of the remaining parts
    uint256 gasLeft; // before the call of the next part
    uint256 first; // three memory addresses and a number, defined by the lens
    uint256 second;
    uint256 third;
    uint256 count;
}

/// Splits a lens into parts that run one after the other by `delegatecall`, as the code of one address. The next part
/// continues with a copy of the memory at the same addresses, so that memory references stay valid. The calldata of the
/// first part is the query and the addresses of the remaining parts, the next one last. The calldata of a later part
/// also contains the memory and the handover.
abstract contract Relay {
    uint256 private constant ADDRESS_BYTES = 20;
    uint256 private constant HANDOVER_BYTES = 224;
    /// Memory below this address is not shared: each part keeps its own variables there.
    uint256 private constant RELAYED_FROM = 0x400;

    /// A part allocated memory from `RELAYED_FROM` on before its first statement.
    error NoRoom();

    /// The first statement of the first part. Leaves room for the query before the shared memory.
    function _beginPart() internal pure returns (Handover memory handover) {
        _assertRoom();
        assembly ("memory-safe") {
            handover := and(add(add(RELAYED_FROM, calldatasize()), 31), not(31))
            mstore(handover, handover)
            mstore(add(handover, 32), calldatasize())
            mstore(0x40, add(handover, HANDOVER_BYTES))
        }
    }

    /// Runs the next part and ends the call with its return data or error.
    function _endPart(Handover memory handover) internal {
        assembly ("memory-safe") {
            let size := sub(mload(add(handover, 32)), ADDRESS_BYTES)
            let next := shr(96, calldataload(size))
            calldatacopy(RELAYED_FROM, 0, size)
            mstore(add(handover, 32), size)
            mstore(add(handover, 64), gas())
            let end := mload(0x40)
            mcopy(end, handover, HANDOVER_BYTES)
            let bytes_ := sub(add(end, HANDOVER_BYTES), RELAYED_FROM)
            let ok := delegatecall(gas(), next, RELAYED_FROM, bytes_, 0, 0)
            returndatacopy(RELAYED_FROM, 0, returndatasize())
            if iszero(ok) { revert(RELAYED_FROM, returndatasize()) }
            return(RELAYED_FROM, returndatasize())
        }
    }

    /// The first statement of a later part.
    /// @return handover a copy of the earlier part's handover
    /// @return withheld gas that `delegatecall` did not pass on (EIP-150), to be excluded from the gas used
    function _continuePart() internal view returns (Handover memory handover, uint256 withheld) {
        _assertRoom();
        assembly ("memory-safe") {
            let tail := sub(calldatasize(), HANDOVER_BYTES)
            let from := calldataload(tail)
            withheld := sub(calldataload(add(tail, 64)), gas())
            handover := add(tail, RELAYED_FROM)
            calldatacopy(from, sub(from, RELAYED_FROM), sub(add(handover, HANDOVER_BYTES), from))
            mstore(0x40, add(handover, HANDOVER_BYTES))
        }
    }

    function _assertRoom() private pure {
        uint256 free;
        assembly ("memory-safe") {
            free := mload(0x40)
        }
        if (free > RELAYED_FROM) revert NoRoom();
    }
}
