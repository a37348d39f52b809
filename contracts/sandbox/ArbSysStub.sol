// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Stands at 0x64 on the sandbox's Arbitrum, where the precompile would answer. The local chain has one block number only.
contract ArbSysStub {
    function arbBlockNumber() external view returns (uint256) {
        return block.number;
    }
}
