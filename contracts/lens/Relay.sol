// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// What a part of a lens passes to the next one.
struct Handover {
    uint256 from; // where the shared memory starts
    uint256 size; // bytes of the question and of the addresses of the parts that follow
    uint256 gasLeft;
    uint256 first; // three places in memory, and a number
    uint256 second;
    uint256 third;
    uint256 count;
}

/// Divides a lens into parts that run one after the other as the code of one address. A part ends by delegating to the
/// next, which continues with a copy of its memory, so that structs keep their places. The question ends with the
/// addresses of the parts that follow, the next one last. In the calldata of a later part the memory comes next, then
/// the handover.
abstract contract Relay {
    uint256 private constant ADDRESS_BYTES = 20;
    uint256 private constant HANDOVER_BYTES = 224;
    /// Below this each part keeps variables of its own in memory.
    uint256 private constant RELAYED_FROM = 0x400;

    error NoRoom();

    /// The first statement of the first part: leaves room for the question in front of the shared memory.
    function _beginPart() internal pure returns (Handover memory handover) {
        _assertRoom();
        assembly ("memory-safe") {
            handover := and(add(add(RELAYED_FROM, calldatasize()), 31), not(31))
            mstore(handover, handover)
            mstore(add(handover, 32), calldatasize())
            mstore(0x40, add(handover, HANDOVER_BYTES))
        }
    }

    /// Ends this part with the answer of the next.
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

    /// The first statement of a later part. `withheld` is the gas that the call to this part keeps back.
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
