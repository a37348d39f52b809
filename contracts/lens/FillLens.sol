// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Frames.sol";

/// The contract that tokens and pools interact with: it swaps and receives callbacks. It runs the code of ExitLens
/// by `delegatecall`. That contract's address is the last 20 bytes of the calldata.
contract FillLens is Frames, HookCallee {
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
