// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./KnownPools.sol";

/// KnownPoolsLens without the kinds of RarePoolStates: shorter code for the chains that do not have KnownPoolsLens.
contract CommonPoolsLens is KnownPools, PackedCalls {
    /// See `KnownPoolsLens.read`.
    function read(
        SeenBlock calldata seen,
        bytes calldata header,
        TokenInput[] calldata tokens,
        PoolInput[] calldata known,
        address[] calldata feeds,
        uint256 ticks
    ) external {
        _readPools(seen, header, tokens, known, feeds, ticks);
    }
}
