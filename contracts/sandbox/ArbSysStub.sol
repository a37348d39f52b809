// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Replaces the precompile at 0x64 on the sandbox's Arbitrum. The local chain has one block number only.
contract ArbSysStub {
    function arbBlockNumber() external view returns (uint256) {
        return block.number;
    }
}
