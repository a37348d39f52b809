// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The chain's data as `engine/venues/encodeWorld.ts` packs it: a header, the base assets, the slots in groups of one
/// factory each.
struct World {
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
    uint256 at; // where its slots start in the world's bytes
    uint256 end;
    uint256 slot; // the first of its slots among all
    uint256 live; // whether its factory has no code (NO_FACTORY), answers (FILLED), or failed to (UNREAD)
}

uint256 constant HEADER_BYTES = 45;
uint256 constant BASE_BYTES = 40;
uint256 constant GROUP_BYTES = 22;
uint256 constant SLOT_BYTES = 6; // fee, spacing
uint256 constant SINGLETON_SLOT_BYTES = 27; // kind, fee, spacing, hooks

function _cut(bytes calldata world, uint256 at, uint256 bits) pure returns (uint256 value) {
    assembly ("memory-safe") {
        value := shr(sub(256, bits), calldataload(add(world.offset, at)))
    }
}

function readWorld(bytes calldata world) pure returns (World memory w) {
    w.native = address(uint160(_cut(world, 0, 160)));
    w.sequencer = address(uint160(_cut(world, 20, 160)));
    w.arbitrum = _cut(world, 40, 8) == 1;
    w.bases = _cut(world, 41, 8);
    w.groups = _cut(world, 42, 8);
    w.slots = _cut(world, 43, 16);
}

function readBase(bytes calldata world, uint256 index) pure returns (address token, address feed) {
    uint256 at = HEADER_BYTES + index * BASE_BYTES;
    token = address(uint160(_cut(world, at, 160)));
    feed = address(uint160(_cut(world, at + 20, 160)));
}

/// Lays out the group that starts at `start`; before the first one that is the end of the bases.
function readGroup(bytes calldata world, uint256 start, uint256 slot) pure returns (Group memory group) {
    unchecked {
        uint256 head = _cut(world, start, 176);
        group.slot = slot;
        group.kind = uint8(head >> 168);
        group.factory = address(uint160(head >> 8));
        group.count = uint8(head);
        group.at = start + GROUP_BYTES;
        group.end = group.at + group.count * (group.kind < 8 ? SLOT_BYTES : SINGLETON_SLOT_BYTES);
    }
}

function readSlot(bytes calldata world, uint256 at) pure returns (uint256 fee, int256 spacing) {
    uint256 row = _cut(world, at, 48);
    return (uint24(row >> 24), int24(uint24(row)));
}

function readSingletonSlot(bytes calldata world, uint256 at)
    pure
    returns (uint256 kind, uint256 fee, int256 spacing, address hooks)
{
    uint256 row = _cut(world, at, 216);
    return (uint8(row >> 208), uint24(row >> 184), int24(uint24(row >> 160)), address(uint160(row)));
}
