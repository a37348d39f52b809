// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Book.sol";
import "./Feeds.sol";
import "./PoolFinder.sol";

/// Looks up every candidate pool of a token pair and reads the states of those that exist. Never swaps.
abstract contract Discovery is PoolFinder {
    using {note} for Pair;

    /// Reserved for the steps after discovery.
    uint256 internal constant RESERVED_GAS = 5_000_000;

    error NoCode();

    function _discover(Book memory book, bytes calldata config, address a, address b)
        internal
        view
        returns (Pair memory pair)
    {
        unchecked {
            pair = book.addPair(a, b);
            bool native = a == book.config.native || b == book.config.native;
            pair.statuses = blankStatuses(book.config.candidatePools);
            uint256 call_ = _prepareCall(a, b);
            for (uint256 i; i < book.groups.length; i++) {
                Group memory group = book.groups[i];
                uint256 end = group.candidatePool + group.count;
                // A factory that burns its gas or returns invalid data is not called again, so that it does not use up
                // the gas of the others.
                if (group.live == FILLED) {
                    uint256 read = group.kind < KIND_V4
                        ? _discoverGroup(book, config, pair, group, call_)
                        : _discoverSingleton(book, config, pair, group, native);
                    if (read < group.count) {
                        group.live = UNREAD;
                        _noteAll(pair, group.candidatePool + read, end, UNREAD);
                    }
                } else {
                    _noteAll(pair, group.candidatePool, end, group.live);
                }
            }
            for (uint256 i = pair.first; i < pair.end; i++) _readFoundPool(book, book.pools[i]);
        }
    }

    function _noteAll(Pair memory pair, uint256 from, uint256 end, uint256 status) private pure {
        for (; from < end; from++) pair.note(from, status);
    }

    /// Allocates a factory call: a word whose last four bytes are the selector, the two tokens, and a third argument.
    /// The caller sets selector and third argument.
    function _prepareCall(address a, address b) internal pure returns (uint256 call_) {
        assembly ("memory-safe") {
            call_ := mload(0x40)
            mstore(add(call_, 32), a)
            mstore(add(call_, 64), b)
            mstore(0x40, add(call_, 128))
        }
    }

    /// @return read the number of candidate pools for which the factory returned a result
    function _discoverGroup(
        Book memory book,
        bytes calldata config,
        Pair memory pair,
        Group memory group,
        uint256 call_
    ) private view returns (uint256 read) {
        unchecked {
            (bytes4 selector, uint256 third) = _selectorOf(group.kind);
            assembly ("memory-safe") {
                mstore(call_, shr(224, selector))
            }
            for (; read < group.count; read++) {
                address pool;
                bool ok;
                (ok, read, pool) = _nextPool(config, group, call_, third, read);
                if (!ok || read == group.count) break;
                uint256 candidatePool = group.candidatePool + read;
                (uint256 fee, int256 spacing) = readCandidatePool(config, group.at + read * CANDIDATE_POOL_BYTES);
                if (book.foundCount == MAX_FOUND) {
                    pair.note(candidatePool, UNREAD);
                    continue;
                }
                Leg memory leg = Leg(group.kind, pool, pair.a, pair.b, fee, spacing, address(0), 0);
                Found memory found = book.addPool(pair, candidatePool, leg);
                found.id = bytes32(uint256(uint160(pool)));
                if (pool.code.length > 0) continue;
                book.setStatus(found, REJECTED);
                found.fill.reason = NoCode.selector;
            }
        }
    }

    /// Looks up one candidate pool after the other until the factory returns a pool or fails. In assembly, because it
    /// runs about 500 times.
    /// @return ok false if the look-up of candidate pool `index` failed
    /// @return index of the first candidate pool that exists; the number of candidate pools if none does
    function _nextPool(bytes calldata config, Group memory group, uint256 call_, uint256 third, uint256 from)
        internal
        view
        returns (bool ok, uint256 index, address pool)
    {
        (address factory, uint256 count, uint256 at) = (group.factory, group.count, group.at);
        uint256 minGas = RESERVED_GAS + 400_000;
        assembly ("memory-safe") {
            ok := 1
            let row := add(add(config.offset, at), mul(from, CANDIDATE_POOL_BYTES))
            // The fee is the first three bytes of a row, and small enough that the sign extension does not change it.
            let shift := 208
            if eq(third, 1) { shift := 232 }
            let input := add(call_, 28)
            let argument := add(call_, 96)
            for { index := from } lt(index, count) { index := add(index, 1) } {
                mstore(argument, signextend(2, shr(shift, calldataload(row))))
                ok := and(gt(gas(), minGas), staticcall(READ_GAS, factory, input, 100, 0, 32))
                pool := mload(0)
                if or(or(iszero(ok), pool), lt(returndatasize(), 32)) {
                    ok := and(and(ok, gt(returndatasize(), 31)), iszero(shr(160, pool)))
                    break
                }
                row := add(row, CANDIDATE_POOL_BYTES)
            }
        }
    }

    /// Reads all candidate pools of a singleton in one call, without those of the native token if the pair lacks it.
    /// @return read the number of candidate pools; 0 if the call failed
    function _discoverSingleton(
        Book memory book,
        bytes calldata config,
        Pair memory pair,
        Group memory group,
        bool native
    ) private view returns (uint256 read) {
        unchecked {
            uint256[] memory words = _hashKeys(config, pair.a, pair.b, group, native);
            if (gasleft() < RESERVED_GAS + 1_000_000 || !_readSlots(group.factory, words)) return 0;
            uint256 compared;
            for (; read < group.count; read++) {
                (read, compared) = _nextWord(config, group, words, native, read, compared);
                if (read == group.count) break;
                if (book.foundCount == MAX_FOUND) {
                    pair.note(group.candidatePool + read, UNREAD);
                    continue;
                }
                (uint256 kind, uint256 fee, int256 spacing, address hooks) =
                    readSingletonCandidatePool(config, group.at + read * SINGLETON_CANDIDATE_POOL_BYTES);
                Leg memory leg = Leg(kind, group.factory, pair.a, pair.b, fee, spacing, hooks, 0);
                book.addPool(pair, group.candidatePool + read, leg).id = _poolId(leg);
            }
        }
    }

    /// @param compared number of words compared so far
    /// @return index of the next candidate pool whose word contains a price, or the number of candidate pools; and the
    /// new `compared`
    function _nextWord(
        bytes calldata config,
        Group memory group,
        uint256[] memory words,
        bool native,
        uint256 index,
        uint256 compared
    ) internal pure returns (uint256, uint256) {
        (uint256 count, uint256 at) = (group.count, group.at);
        assembly ("memory-safe") {
            let row := add(add(config.offset, at), mul(index, SINGLETON_CANDIDATE_POOL_BYTES))
            for {} lt(index, count) { index := add(index, 1) } {
                if or(native, lt(byte(0, calldataload(row)), KIND_V4_NATIVE)) {
                    compared := add(compared, 1)
                    if shl(96, mload(add(words, shl(5, compared)))) { break }
                }
                row := add(row, SINGLETON_CANDIDATE_POOL_BYTES)
            }
        }
        return (index, compared);
    }

    /// @return slots storage slots of the first word of each pool to read
    function _hashKeys(bytes calldata config, address a, address b, Group memory group, bool native)
        internal
        view
        returns (uint256[] memory slots)
    {
        if (b < a) (a, b) = (b, a);
        address other = a == _wrapped() ? b : a;
        (uint256 at, uint256 count) = (group.at, group.count);
        slots = new uint256[](count);
        assembly ("memory-safe") {
            let key := mload(0x40)
            let nativeKey := add(key, 160)
            mstore(key, a)
            mstore(add(key, 32), b)
            mstore(nativeKey, 0)
            mstore(add(nativeKey, 32), other)
            mstore(32, 6) // PoolManager keeps its pools in the mapping at slot 6
            let to := add(slots, 32)
            let row := add(config.offset, at)
            for { let end := add(row, mul(count, SINGLETON_CANDIDATE_POOL_BYTES)) } lt(row, end) {
                row := add(row, SINGLETON_CANDIDATE_POOL_BYTES)
            } {
                let word := calldataload(row)
                let from := key
                if eq(byte(0, word), KIND_V4_NATIVE) {
                    if iszero(native) { continue }
                    from := nativeKey
                }
                mstore(add(from, 64), and(shr(224, word), 0xffffff))
                mstore(add(from, 96), signextend(2, shr(200, word)))
                mstore(add(from, 128), and(shr(40, word), 0xffffffffffffffffffffffffffffffffffffffff))
                mstore(0, keccak256(from, 160))
                mstore(to, keccak256(0, 64))
                to := add(to, 32)
            }
            mstore(slots, shr(5, sub(sub(to, slots), 32)))
        }
    }

    function _readFoundPool(Book memory book, Found memory found) private view {
        if (found.fill.status != NOT_REQUESTED) return;
        bool ok = gasleft() > RESERVED_GAS + 100_000 && _readState(found);
        uint256 status = _statusAfterRead(found, ok);
        if (status != NOT_REQUESTED) book.setStatus(found, status);
    }
}
