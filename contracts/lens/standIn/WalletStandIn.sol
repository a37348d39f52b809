// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Placed at a wallet to make it a contract: it makes the calls that it receives.
contract WalletStandIn {
    /// Calls as a wallet that is a contract. After the selector follow 20 bytes of the target and the calldata; the
    /// ether received is passed on. Returned bytes are bounded: the target may be the token.
    function execute() external payable {
        assembly ("memory-safe") {
            let at := mload(0x40)
            let size := sub(calldatasize(), 24)
            calldatacopy(at, 24, size)
            let ok := call(gas(), shr(96, calldataload(4)), callvalue(), at, size, 0, 0)
            size := returndatasize()
            if gt(size, 256) { size := 256 }
            returndatacopy(at, 0, size)
            if iszero(ok) { revert(at, size) }
            return(at, size)
        }
    }

    receive() external payable {}
}
