// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensNumbers.sol";

/// Header of the chain configuration that `engine/venues/encodeChainConfig.ts` packs. The base assets follow, then the
/// candidate pools in groups of one factory each.
struct ChainConfig {
    address native; // the wrapped native token
    address sequencer; // Chainlink uptime feed; 0 = none
    bool arbitrum;
    uint256 bases; // number of base assets
    uint256 groups;
    uint256 candidatePools; // of all groups
}

/// Consecutive candidate pools of one factory or singleton. Each candidate pool of a singleton has its own kind.
struct Group {
    uint256 kind;
    address factory;
    uint256 count;
    uint256 at; // byte offset of its candidate pools in the configuration
    uint256 end; // byte offset after its candidate pools
    uint256 candidatePool; // index of its first candidate pool
    uint256 live; // NO_FACTORY without code, UNREAD after a failed look-up, otherwise FILLED
}

uint256 constant HEADER_BYTES = 45;
uint256 constant BASE_BYTES = 40;
uint256 constant GROUP_BYTES = 22;
uint256 constant CANDIDATE_POOL_BYTES = 6; // fee, spacing
uint256 constant SINGLETON_CANDIDATE_POOL_BYTES = 27; // kind, fee, spacing, hooks

/// The `bits` bits at byte offset `at`, as a number.
function _cut(bytes calldata config, uint256 at, uint256 bits) pure returns (uint256 value) {
    assembly ("memory-safe") {
        value := shr(sub(256, bits), calldataload(add(config.offset, at)))
    }
}

function readChainConfig(bytes calldata config) pure returns (ChainConfig memory chain) {
    chain.native = address(uint160(_cut(config, 0, 160)));
    chain.sequencer = address(uint160(_cut(config, 20, 160)));
    chain.arbitrum = _cut(config, 40, 8) == 1;
    chain.bases = _cut(config, 41, 8);
    chain.groups = _cut(config, 42, 8);
    chain.candidatePools = _cut(config, 43, 16);
}

function readBase(bytes calldata config, uint256 index) pure returns (address token, address feed) {
    uint256 at = HEADER_BYTES + index * BASE_BYTES;
    token = address(uint160(_cut(config, at, 160)));
    feed = address(uint160(_cut(config, at + 20, 160)));
}

/// @param start byte offset of the group: the end of the group before it, or of the base assets
/// @param candidatePool index of its first candidate pool
function readGroup(bytes calldata config, uint256 start, uint256 candidatePool) pure returns (Group memory group) {
    unchecked {
        uint256 head = _cut(config, start, 176);
        group.candidatePool = candidatePool;
        group.kind = uint8(head >> 168);
        group.factory = address(uint160(head >> 8));
        group.count = uint8(head);
        group.at = start + GROUP_BYTES;
        uint256 rowBytes = group.kind < KIND_V4 ? CANDIDATE_POOL_BYTES : SINGLETON_CANDIDATE_POOL_BYTES;
        group.end = group.at + group.count * rowBytes;
    }
}

function readCandidatePool(bytes calldata config, uint256 at) pure returns (uint256 fee, int256 spacing) {
    uint256 row = _cut(config, at, 48);
    return (uint24(row >> 24), int24(uint24(row)));
}

function readSingletonCandidatePool(bytes calldata config, uint256 at)
    pure
    returns (uint256 kind, uint256 fee, int256 spacing, address hooks)
{
    uint256 row = _cut(config, at, 216);
    return (uint8(row >> 208), uint24(row >> 184), int24(uint24(row >> 160)), address(uint160(row)));
}
