// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PoolStates.sol";

/// The block of an earlier read.
struct SeenBlock {
    uint256 number;
    uint256 timestamp;
    bytes32 parent;
}

/// Reads the states of pools without look-ups.
abstract contract KnownPools is PoolStates {
    /// See `KnownPoolsLens.read`.
    function _readPools(
        SeenBlock calldata seen,
        bytes calldata header,
        TokenInput[] calldata tokens,
        PoolInput[] calldata known,
        address[] calldata feeds,
        uint256 ticks
    ) internal {
        if (_native != address(0)) revert Reentered();
        uint256 startGas = gasleft();
        ChainConfig memory chain = readChainConfig(header);
        _native = chain.native;
        Answer memory answer = _open(header, chain, PACKING_BYTES);
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
