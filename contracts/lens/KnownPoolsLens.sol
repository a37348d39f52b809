// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./RarePoolStates.sol";

/// Reads the states of pools that an earlier read found, without look-ups. The answer has the layout of StateLens, or
/// is only a head if no block followed the earlier read.
contract KnownPoolsLens is RarePoolStates, PackedCalls {
    /// @param seen the block at which the same call was answered before; 0 = none
    /// @param header the header of the chain configuration (see `ChainConfig`)
    /// @param tokens the sold token, the bought token, then the other tokens of `known`
    /// @param known pools to read
    /// @param feeds USD feeds to read
    /// @param ticks maximum number of initialised ticks to read of a pool in one direction
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
