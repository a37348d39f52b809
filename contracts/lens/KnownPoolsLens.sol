// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PoolStates.sol";

/// The block of an earlier read.
struct SeenBlock {
    uint256 number;
    uint256 timestamp;
    bytes32 parent;
}

/// Reads the states of pools that an earlier read found, without look-ups. The answer has the layout of StateLens, or
/// is only a head if no block followed the earlier read.
contract KnownPoolsLens is PoolStates {
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
        if (_native != address(0)) revert Reentered();
        uint256 startGas = gasleft();
        ChainConfig memory chain = readChainConfig(header);
        _native = chain.native;
        Answer memory answer = _open(header, chain);
        if (_isSeen(seen, chain.arbitrum)) {
            _writeUnchanged(answer, seen.number, seen.parent);
            _push(answer, startGas - gasleft());
            _finish(answer);
        }
        _writeHead(answer, chain);
        _writeTokens(answer, tokens, feeds);
        _writePairs(answer, chain.candidatePools, 0);
        unchecked {
            for (uint256 i; i < known.length; i++) _readKnown(answer, tokens, known[i], i);
        }
        _store(answer.entries - 32, answer.count);
        _walkAll(answer, tokens, new uint256[](0), known, ticks);
        _push(answer, startGas - gasleft());
        _finish(answer);
    }

    function _isSeen(SeenBlock calldata seen, bool arbitrum) private view returns (bool) {
        (uint256 number, bytes32 parent) = readBlock(arbitrum);
        return parent != 0 && number == seen.number && parent == seen.parent && block.timestamp == seen.timestamp;
    }
}
