// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PoolStates.sol";

/// The block of an earlier read.
struct SeenBlock {
    uint256 number;
    uint256 timestamp;
    bytes32 parent;
}

/// Reads the states of pools that an earlier read of the market found, without asking the factories for pools again.
/// The answer has the layout of `StateLens`; it is a head only if no block followed the earlier read.
contract KnownPoolsLens is PoolStates {
    /// @param header the first bytes of the chain's rows
    /// @param seen the block in which the same question was answered before; zero without one
    function read(
        SeenBlock calldata seen,
        bytes calldata header,
        TokenInput[] calldata tokens,
        PoolInput[] calldata known,
        address[] calldata feeds,
        uint256 ticks
    ) external {
        if (_native != address(0)) revert AlreadyAsked();
        uint256 startGas = gasleft();
        ChainConfig memory w = readChainConfig(header);
        _native = w.native;
        Answer memory answer = _open(header, w);
        if (_isSeen(seen, w.arbitrum)) {
            _writeUnchanged(answer, seen.number, seen.parent);
            _push(answer, startGas - gasleft());
            _finish(answer);
        }
        _writeHead(answer, w);
        _writeTokens(answer, tokens, feeds);
        _writePairs(answer, w.slots, 0);
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
