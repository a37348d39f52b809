// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Frames.sol";

/// The address that tokens and pools see: it swaps, and pools call it back. What is asked, and what that takes, is in
/// another contract, which it runs as its own code. The address of that contract follows the question.
contract FillLens is Frames {
    uint256 private constant ADDRESS_BYTES = 20;

    fallback() external payable {
        if (_busy) _callBack();
        else _begin();
    }

    function _begin() private {
        _busy = true;
        assembly ("memory-safe") {
            let size := sub(calldatasize(), ADDRESS_BYTES)
            let part := shr(96, calldataload(size))
            let at := mload(0x40)
            calldatacopy(at, 0, size)
            let ok := delegatecall(gas(), part, at, size, 0, 0)
            returndatacopy(at, 0, returndatasize())
            if iszero(ok) { revert(at, returndatasize()) }
            return(at, returndatasize())
        }
    }
}
