// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BoundedReads.sol";

/// The chain's own block number and the parent block's hash. On Arbitrum `block.number` is the parent chain's, so both
/// come from ArbSys (0x64); a value that ArbSys does not return is 0.
function readBlock(bool arbitrum) view returns (uint256 number, bytes32 parent) {
    unchecked {
        if (!arbitrum) return (block.number, blockhash(block.number - 1));
        (bool ok, uint256 own) = readWord(address(0x64), 0xa3b1b31d, 0, 0); // arbBlockNumber()
        if (!ok) return (0, 0);
        (bool hashed, uint256 hash) = readWord(address(0x64), 0x2b407a82, own - 1, 0); // arbBlockHash(uint256)
        return (own, hashed ? bytes32(hash) : bytes32(0));
    }
}
