// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Discovery.sol";
import "./StateTypes.sol";
import "./BlockWords.sol";
import "./Packing.sol";

/// Writes the answer of StateLens and KnownPoolsLens, which `engine/pools/decodeStates.ts` decodes.
abstract contract StateAnswer is Discovery {
    uint256 private constant LAYOUT = 3;
    /// `packWords` needs one byte for each word of the largest answer (0x4000) and 64 bytes; the rest is reserve.
    uint256 internal constant PACKING_BYTES = 0x4800;
    uint256 private constant ANSWER_BYTES = 0x80000;

    /// The wrapped native token. Not 0 during a call.
    address internal transient _native;

    error Reentered();

    /// Allocates the answer, and checks which factories have code.
    /// @param scratchBytes memory for calls below the answer's words, at least PACKING_BYTES
    function _open(bytes calldata config, ChainConfig memory chain, uint256 scratchBytes)
        internal
        view
        returns (Answer memory answer)
    {
        unchecked {
            answer.live = new uint256[](chain.groups);
            answer.statusBytes = ((chain.candidatePools + 63) >> 6) << 5;
            uint256 at = HEADER_BYTES + chain.bases * BASE_BYTES;
            uint256 mark = _mark();
            for (uint256 i; i < chain.groups; i++) {
                Group memory group = readGroup(config, at, 0);
                answer.live[i] = group.factory.code.length > 0 ? FILLED : NO_FACTORY;
                at = group.end;
            }
            _release(mark);
            answer.start = mark + scratchBytes;
            answer.end = answer.start;
            answer.limit = answer.start + ANSWER_BYTES;
        }
    }

    /// Layout version, 0 (changed), block number, timestamp, parent hash, base fee, sequencer status.
    function _writeHead(Answer memory answer, ChainConfig memory chain) internal view {
        unchecked {
            _push(answer, LAYOUT);
            _push(answer, 0);
            (uint256 number, bytes32 parent) = readBlock(chain.arbitrum);
            _push(answer, number);
            _push(answer, block.timestamp);
            _push(answer, uint256(parent));
            _push(answer, block.basefee);
            _push(answer, readSequencer(chain.sequencer));
        }
    }

    /// The head of an answer without further content: nothing changed since the earlier read.
    function _writeUnchanged(Answer memory answer, uint256 number, bytes32 parent) internal view {
        _push(answer, LAYOUT);
        _push(answer, 1);
        _push(answer, number);
        _push(answer, block.timestamp);
        _push(answer, uint256(parent));
        for (uint256 i; i < 4; i++) _push(answer, 0);
    }

    function _writeTokens(Answer memory answer, TokenInput[] calldata tokens, address[] calldata feeds) internal view {
        unchecked {
            // The first two tokens are those of the trade. The others are routing assets, whose decimals are known.
            for (uint256 i; i < 2; i++) {
                address token = tokens[i].token;
                (bool hasCode, bool ok, uint256 decimals) = readDecimals(token);
                _push(answer, (hasCode ? 1 : 0) | (ok ? 2 : 0) | decimals << 8);
                (, uint256 supply) = readWord(token, 0x18160ddd, 0, 0); // totalSupply()
                _push(answer, supply);
            }
            _push(answer, feeds.length);
            uint256 mark = _mark();
            for (uint256 i; i < feeds.length; i++) {
                Feed memory feed = readFeed(feeds[i]);
                _push(answer, feed.read ? 1 : 0);
                _push(answer, feed.answer);
                _push(answer, feed.updatedAt);
                _push(answer, feed.decimals);
                _release(mark);
            }
        }
    }

    /// Writes the statuses of all candidate pools for each pair, initially NO_POOL, and a word for the number of entries.
    function _writePairs(Answer memory answer, uint256 candidatePools, uint256 count) internal pure {
        unchecked {
            _push(answer, count);
            _push(answer, candidatePools);
            answer.statuses = answer.end;
            for (uint256 left = count * (answer.statusBytes >> 5); left > 0; left--) {
                _push(answer, 0x2222222222222222222222222222222222222222222222222222222222222222);
            }
            _push(answer, 0);
            answer.entries = answer.end;
        }
    }

    /// Sets the status of a candidate pool for a pair.
    function _note(Answer memory answer, uint256 pair, uint256 candidatePool, uint256 status) internal pure {
        unchecked {
            uint256 at = answer.statuses + pair * answer.statusBytes + ((candidatePool >> 6) << 5);
            uint256 shift = (candidatePool & 63) << 2;
            assembly ("memory-safe") {
                mstore(at, or(and(mload(at), not(shl(shift, 15))), shl(shift, status)))
            }
        }
    }

    function _store(uint256 at, uint256 value) internal pure {
        assembly ("memory-safe") {
            mstore(at, value)
        }
    }

    function _push(Answer memory answer, uint256 value) internal pure {
        unchecked {
            _store(answer.end, value);
            answer.end += 32;
        }
    }

    /// The free memory pointer, for `_release`.
    function _mark() internal pure returns (uint256 mark) {
        assembly ("memory-safe") {
            mark := mload(0x40)
        }
    }

    /// Frees the memory allocated since `mark`, so that allocations do not reach the answer.
    function _release(uint256 mark) internal pure {
        assembly ("memory-safe") {
            mstore(0x40, mark)
        }
    }

    /// Ends the call and returns the answer, packed into the region below its words.
    function _finish(Answer memory answer) internal pure {
        uint256 start;
        unchecked {
            start = answer.start - PACKING_BYTES;
        }
        uint256 end = packWords(answer.start, answer.end, start);
        assembly ("memory-safe") {
            return(start, sub(end, start))
        }
    }

    function _wrapped() internal view override returns (address) {
        return _native;
    }
}
