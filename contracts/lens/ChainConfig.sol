// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The chain's data as `engine/venues/encodeChainConfig.ts` packs it: a header, the base assets, the slots in groups of one
/// factory each.
struct ChainConfig {
    address native;
    address sequencer; // Chainlink uptime feed, 0 without one
    bool arbitrum;
    uint256 bases;
    uint256 groups;
    uint256 slots;
}

/// Slots that follow one another and ask one factory. Those of a singleton say their kind themselves.
struct Group {
    uint256 kind;
    address factory;
    uint256 count;
    uint256 at; // where its slots start in the packed configuration
    uint256 end;
    uint256 slot; // the first of its slots among all
    uint256 live; // whether its factory has no code (NO_FACTORY), answers (FILLED), or failed to (UNREAD)
}

uint256 constant HEADER_BYTES = 45;
uint256 constant BASE_BYTES = 40;
uint256 constant GROUP_BYTES = 22;
uint256 constant SLOT_BYTES = 6; // fee, spacing
uint256 constant SINGLETON_SLOT_BYTES = 27; // kind, fee, spacing, hooks

function _cut(bytes calldata config, uint256 at, uint256 bits) pure returns (uint256 value) {
    assembly ("memory-safe") {
        value := shr(sub(256, bits), calldataload(add(config.offset, at)))
    }
}

function readChainConfig(bytes calldata config) pure returns (ChainConfig memory w) {
    w.native = address(uint160(_cut(config, 0, 160)));
    w.sequencer = address(uint160(_cut(config, 20, 160)));
    w.arbitrum = _cut(config, 40, 8) == 1;
    w.bases = _cut(config, 41, 8);
    w.groups = _cut(config, 42, 8);
    w.slots = _cut(config, 43, 16);
}

function readBase(bytes calldata config, uint256 index) pure returns (address token, address feed) {
    uint256 at = HEADER_BYTES + index * BASE_BYTES;
    token = address(uint160(_cut(config, at, 160)));
    feed = address(uint160(_cut(config, at + 20, 160)));
}

/// Lays out the group that starts at `start`; before the first one that is the end of the bases.
function readGroup(bytes calldata config, uint256 start, uint256 slot) pure returns (Group memory group) {
    unchecked {
        uint256 head = _cut(config, start, 176);
        group.slot = slot;
        group.kind = uint8(head >> 168);
        group.factory = address(uint160(head >> 8));
        group.count = uint8(head);
        group.at = start + GROUP_BYTES;
        group.end = group.at + group.count * (group.kind < 8 ? SLOT_BYTES : SINGLETON_SLOT_BYTES);
    }
}

function readSlot(bytes calldata config, uint256 at) pure returns (uint256 fee, int256 spacing) {
    uint256 row = _cut(config, at, 48);
    return (uint24(row >> 24), int24(uint24(row)));
}

function readSingletonSlot(bytes calldata config, uint256 at)
    pure
    returns (uint256 kind, uint256 fee, int256 spacing, address hooks)
{
    uint256 row = _cut(config, at, 216);
    return (uint8(row >> 208), uint24(row >> 184), int24(uint24(row >> 160)), address(uint160(row)));
}
