// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The chain's data as `engine/venues/encodeWorld.ts` packs it: a header, the base assets, the slots.
struct World {
    address native;
    address sequencer; // Chainlink uptime feed, 0 without one
    bool arbitrum;
    uint256 bases;
    uint256 slots;
}



uint256 constant HEADER_BYTES = 44;
uint256 constant BASE_BYTES = 40;
uint256 constant SLOT_BYTES = 47;

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
    w.slots = _cut(world, 42, 16);
}

function readBase(bytes calldata world, uint256 index) pure returns (address token, address feed) {
    uint256 at = HEADER_BYTES + index * BASE_BYTES;
    token = address(uint160(_cut(world, at, 160)));
    feed = address(uint160(_cut(world, at + 20, 160)));
}

function readSlot(bytes calldata world, uint256 bases, uint256 index)
    pure
    returns (uint8 kind, address factory, uint24 fee, int24 spacing, address hooks)
{
    uint256 at = HEADER_BYTES + bases * BASE_BYTES + index * SLOT_BYTES;
    kind = uint8(_cut(world, at, 8));
    factory = address(uint160(_cut(world, at + 1, 160)));
    fee = uint24(_cut(world, at + 21, 24));
    spacing = int24(uint24(_cut(world, at + 24, 24)));
    hooks = address(uint160(_cut(world, at + 27, 160)));
}
