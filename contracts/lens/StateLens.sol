// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./RouteTrials.sol";

/// Reads the states of pools at one block. A failed read is a status in the answer, never a revert. Each read is
/// bounded in gas and return data, so that a hostile pool, token or factory affects only its own entries.
/// `engine/pools/decodeStates.ts` decodes the answer.
contract StateLens is RouteTrials {
    /// Look-ups hash the keys of all candidate pools of a singleton.
    uint256 private constant SCRATCH_BYTES = 0x8000;

    /// Looks up all candidate pools of all pairs, and reads the states of those that exist.
    /// @param config the chain configuration (see `ChainConfig`); without pairs its header is sufficient
    /// @param tokens the sold token, the bought token, then the other tokens of `pairs` and `known`
    /// @param pairs indices of token a and token b, directions (1: a is sold, 2: b is sold), a byte each from the
    /// lowest
    /// @param known pools to read without a look-up
    /// @param feeds USD feeds to read
    /// @param ticks maximum number of initialised ticks to read of a pool in one direction
    /// @param trial a sale to execute on a few routes after all states were read
    function read(
        bytes calldata config,
        TokenInput[] calldata tokens,
        uint256[] calldata pairs,
        PoolInput[] calldata known,
        address[] calldata feeds,
        uint256 ticks,
        Trial calldata trial
    ) external {
        if (_native != address(0)) revert Reentered();
        uint256 startGas = gasleft();
        ChainConfig memory chain = readChainConfig(config);
        _native = chain.native;
        Answer memory answer = _open(config, chain, SCRATCH_BYTES);
        if (trial.lens != address(0)) _startCandidates(answer, tokens.length, trial.amount);
        _writeHead(answer, chain);
        _writeTokens(answer, tokens, feeds);
        _writePairs(answer, chain.candidatePools, pairs.length);
        unchecked {
            uint256 next;
            for (; next < known.length && next < trial.early; next++) _readKnown(answer, tokens, known[next], next);
            for (uint256 i; i < pairs.length; i++) _findPair(answer, config, tokens, pairs[i], i);
            for (; next < known.length; next++) _readKnown(answer, tokens, known[next], next);
        }
        _store(answer.entries - 32, answer.count);
        _walkAll(answer, tokens, pairs, known, ticks);
        _push(answer, startGas - gasleft());
        if (answer.candidates != 0) _tryCandidates(answer, trial, chain.arbitrum);
        _finish(answer);
    }

    // --- look-ups ---

    function _findPair(
        Answer memory answer,
        bytes calldata config,
        TokenInput[] calldata tokens,
        uint256 encodedPair,
        uint256 index
    ) private {
        unchecked {
            uint256 mark = _mark();
            TokenPair memory pair =
                TokenPair(tokens[uint8(encodedPair)].token, tokens[uint8(encodedPair >> 8)].token, index);
            uint256 call_ = _prepareCall(pair.a, pair.b);
            uint256 at = HEADER_BYTES + readChainConfig(config).bases * BASE_BYTES;
            uint256 candidatePool;
            uint256 inner = _mark();
            for (uint256 i; i < answer.live.length; i++) {
                Group memory group = readGroup(config, at, candidatePool);
                (at, candidatePool) = (group.end, candidatePool + group.count);
                uint256 status = answer.live[i];
                uint256 read;
                // A factory that burns its gas or returns invalid data is not called again.
                if (status == FILLED) {
                    read = group.kind < KIND_V4
                        ? _findGroup(answer, config, tokens, pair, group, call_, encodedPair)
                        : _findSingleton(answer, config, tokens, pair, group, encodedPair);
                    if (read < group.count) (answer.live[i], status) = (UNREAD, UNREAD);
                }
                for (; read < group.count; read++) _note(answer, index, group.candidatePool + read, status);
                _release(inner);
            }
            _release(mark);
        }
    }

    /// @return read the number of candidate pools for which the factory returned a result
    function _findGroup(
        Answer memory answer,
        bytes calldata config,
        TokenInput[] calldata tokens,
        TokenPair memory pair,
        Group memory group,
        uint256 call_,
        uint256 encodedPair
    ) private returns (uint256 read) {
        unchecked {
            (bytes4 selector, uint256 third) = _selectorOf(group.kind);
            _store(call_, uint32(selector));
            for (;; read++) {
                address pool;
                bool ok;
                (ok, read, pool) = _nextPool(config, group, call_, third, read);
                if (!ok || read == group.count) return read;
                (uint256 fee, int256 spacing) = readCandidatePool(config, group.at + read * CANDIDATE_POOL_BYTES);
                PoolQuery memory query;
                query.leg = Leg(group.kind, pool, pair.a, pair.b, fee, spacing, address(0), 0);
                query.factory = group.factory;
                query.pair = pair.index;
                query.candidatePool = group.candidatePool + read;
                query.encodedPair = encodedPair;
                _note(answer, pair.index, query.candidatePool, _read(answer, tokens, query));
            }
        }
    }

    /// Reads all candidate pools of a singleton in one call, without those of the native token if the pair lacks it.
    /// @return read the number of candidate pools; 0 if the call failed
    function _findSingleton(
        Answer memory answer,
        bytes calldata config,
        TokenInput[] calldata tokens,
        TokenPair memory pair,
        Group memory group,
        uint256 encodedPair
    ) private returns (uint256 read) {
        unchecked {
            bool native = pair.a == _native || pair.b == _native;
            uint256[] memory words = _hashKeys(config, pair.a, pair.b, group, native);
            if (gasleft() < RESERVED_GAS + 1_000_000 || !_readSlots(group.factory, words)) return 0;
            uint256 compared;
            for (;; read++) {
                (read, compared) = _nextWord(config, group, words, native, read, compared);
                if (read == group.count) return read;
                PoolQuery memory query;
                (uint256 kind, uint256 fee, int256 spacing, address hooks) =
                    readSingletonCandidatePool(config, group.at + read * SINGLETON_CANDIDATE_POOL_BYTES);
                query.leg = Leg(kind, group.factory, pair.a, pair.b, fee, spacing, hooks, 0);
                query.factory = group.factory;
                query.pair = pair.index;
                query.candidatePool = group.candidatePool + read;
                query.encodedPair = encodedPair;
                _note(answer, pair.index, query.candidatePool, _read(answer, tokens, query));
            }
        }
    }
}
