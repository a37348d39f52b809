// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Placed at a wallet to make it a contract: it makes the calls that it receives.
contract WalletStandIn {
    /// As a wallet that is a contract. Returned bytes are bounded: the target may be the token.
    function execute(address target, uint256 value, bytes calldata data) external payable returns (bytes memory out) {
        bool ok;
        assembly ("memory-safe") {
            let at := mload(0x40)
            calldatacopy(at, data.offset, data.length)
            ok := call(gas(), target, value, at, data.length, 0, 0)
            let size := returndatasize()
            if gt(size, 256) { size := 256 }
            out := mload(0x40)
            mstore(out, size)
            returndatacopy(add(out, 32), 0, size)
            mstore(0x40, add(add(out, 32), and(add(size, 31), not(31))))
            if iszero(ok) { revert(add(out, 32), size) }
        }
    }

    receive() external payable {}
}
