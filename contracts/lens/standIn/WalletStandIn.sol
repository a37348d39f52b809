// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Code placed at a wallet's address to make the wallet a contract. It forwards the calls that it receives.
contract WalletStandIn {
    /// Forwards a call. The selector is followed by the target (20 bytes) and its calldata. Received ether is
    /// forwarded. The returned bytes are bounded, because the target may be the token.
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
