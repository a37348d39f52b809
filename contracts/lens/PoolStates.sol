// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./TickWalks.sol";

/// Reads the state of a pool that was looked up or that the caller named.
abstract contract PoolStates is TickWalks {
    function _readKnown(Answer memory answer, TokenInput[] calldata tokens, PoolInput calldata known, uint256 index)
        internal
    {
        uint256 mark = _mark();
        PoolQuery memory query;
        uint256 packed = known.packed;
        (query.pair, query.candidatePool, query.encodedPair) = (NO_PAIR, index, uint24(packed >> 216));
        Leg memory leg = query.leg;
        (leg.kind, leg.pool) = (uint8(packed >> 160), address(uint160(packed)));
        (leg.fee, leg.spacing) = (uint24(packed >> 168), int24(uint24(packed >> 192)));
        leg.tokenIn = tokens[uint8(packed >> 216)].token;
        leg.tokenOut = tokens[uint8(packed >> 224)].token;
        // A kind uses only one of the two.
        (query.factory, leg.hooks) = (known.other, known.other);
        _read(answer, tokens, query);
        _release(mark);
    }

    // --- the state of one pool ---

    /// Reads a pool and writes its entry, also for empty and thin pools, so that later calls can name them.
    /// @return status of the candidate pool; UNREAD without an entry if entries or gas are used up
    function _read(Answer memory answer, TokenInput[] calldata tokens, PoolQuery memory query)
        internal
        returns (uint256 status)
    {
        unchecked {
            if (answer.count == MAX_ENTRIES || gasleft() < RESERVED_GAS + 600_000) return UNREAD;
            uint256 mark = _mark();
            PoolEntry memory entry;
            Leg memory leg = query.leg;
            entry.id = uint256(leg.kind < KIND_V4 ? bytes32(uint256(uint160(leg.pool))) : _poolId(leg));
            bool aIsFirst = leg.kind == KIND_V4_NATIVE ? leg.tokenIn == _native : leg.tokenIn < leg.tokenOut;
            uint256 requested = uint8(query.encodedPair >> 16);
            uint256 directions = aIsFirst ? requested & 3 : (requested & 1) << 1 | (requested >> 1) & 1;
            uint256 form;
            if (leg.pool.code.length == 0) {
                status = REJECTED;
            } else {
                form = isConcentrated(leg.kind) ? _readConcentrated(entry, leg, directions) : _readReserves(entry, query);
                if (form == FORM_NONE) status = UNREAD;
                else if (entry.first == 0 || (form < FORM_V3 && entry.second == 0)) status = EMPTY;
                else status = FILLED;
                if (status == FILLED && form < FORM_HOOK) {
                    uint256 worthA = tokens[uint8(query.encodedPair)].worth;
                    uint256 worthB = tokens[uint8(query.encodedPair >> 8)].worth;
                    directions = aIsFirst
                        ? _worthwhile(entry, form, directions, worthA, worthB)
                        : _worthwhile(entry, form, directions, worthB, worthA);
                    if (directions == 0) status = THIN;
                }
                if (status == FILLED && form <= FORM_HOOK && answer.candidates != 0) {
                    _consider(answer, entry, query, form, aIsFirst);
                }
            }
            entry.packed = form | status << 8 | directions << 16 | leg.kind << 24 | query.candidatePool << 32 | query.pair << 48;
            uint256 end = answer.end;
            assembly ("memory-safe") {
                mcopy(end, entry, 224) // ENTRY_BYTES
            }
            answer.end = end + ENTRY_BYTES;
            answer.count++;
            _release(mark);
        }
    }

    /// Called for each pool that was read and is neither empty nor thin.
    function _consider(Answer memory, PoolEntry memory, PoolQuery memory, uint256, bool) internal virtual {}

    /// The directions in which the pool is not thin.
    function _worthwhile(PoolEntry memory entry, uint256 form, uint256 directions, uint256 worth0, uint256 worth1)
        internal
        pure
        returns (uint256 kept)
    {
        unchecked {
            // A singleton holds the tokens of all its pools, so its balance is no bound.
            if (form == FORM_V4) return directions;
            (uint256 held0, uint256 held1) =
                form < FORM_V3 ? (entry.first, entry.second) : (entry.third - 1, entry.fourth - 1);
            kept = directions;
            if (held1 <= worth1 / DUST) kept &= 2;
            if (held0 <= worth0 / DUST) kept &= 1;
        }
    }

    function _readReserves(PoolEntry memory entry, PoolQuery memory query) internal view returns (uint256 form) {
        unchecked {
            Leg memory leg = query.leg;
            if (leg.kind == KIND_WEIGHTED) return _readWeighted(entry, leg);
            bool ok;
            uint256 size;
            uint256[8] memory words;
            (ok, size, words) = _readMany(leg.pool, 0x0902f1ac); // getReserves()
            if (!ok || size < 2) return FORM_NONE;
            (entry.first, entry.second) = (words[0], words[1]);
            if (!_isCovered(entry, leg)) return FORM_UNKNOWN;
            if (leg.kind == KIND_SOLIDLY || leg.kind == KIND_SOLIDLY_PAIR) {
                uint256 fee;
                (ok, fee) = readWord(query.factory, 0xcc56b2c5, uint256(uint160(leg.pool)), leg.fee); // getFee(pool, stable)
                if (!ok || fee > 10_000) return FORM_UNKNOWN;
                entry.shape = _fees(fee * 100, fee * 100);
                return leg.fee == 0 ? FORM_SOLIDLY : _readUnits(entry, leg);
            }
            if (leg.kind == KIND_V2) {
                entry.shape = _fees(leg.fee, leg.fee);
                return FORM_V2;
            }
            return leg.kind == KIND_SELF_PRICED_PAIR ? _readSelfPriced(entry, leg, size, words) : FORM_UNKNOWN;
        }
    }

    /// 10^decimals of the tokens of a stable pair. They never change, so the call contains the decimals that an earlier
    /// read returned. Otherwise metadata() returns them, which takes 15,000 gas.
    function _readUnits(PoolEntry memory entry, Leg memory leg) private view returns (uint256) {
        unchecked {
            uint256 decimals = uint256(leg.spacing);
            if (decimals != 0) {
                (entry.third, entry.fourth) = (10 ** (decimals & 0xff), 10 ** (decimals >> 8));
                return FORM_SOLIDLY_STABLE;
            }
            (bool ok, uint256 size, uint256[8] memory words) = _readMany(leg.pool, 0x392f37e9); // metadata()
            (entry.third, entry.fourth) = (words[0], words[1]);
            return ok && size > 6 ? FORM_SOLIDLY_STABLE : FORM_UNKNOWN;
        }
    }

    /// Whether a pair holds the reserves that it reports. If not, the entry gets the balances, which bound its output,
    /// and only an execution measures the output.
    function _isCovered(PoolEntry memory entry, Leg memory leg) internal view returns (bool) {
        (address token0, address token1) = _sorted(leg);
        (, uint256 held0) = readBalance(token0, leg.pool);
        (, uint256 held1) = readBalance(token1, leg.pool);
        if (held0 >= entry.first && held1 >= entry.second) return true;
        (entry.first, entry.second) = (held0, held1);
        return false;
    }

    // --- kinds that RarePoolStates reads ---

    function _readWeighted(PoolEntry memory, Leg memory) internal view virtual returns (uint256) {
        return FORM_NONE;
    }

    /// The last two parameters are the words that getReserves() returned, and their number.
    function _readSelfPriced(PoolEntry memory, Leg memory, uint256, uint256[8] memory)
        internal
        view
        virtual
        returns (uint256)
    {
        return FORM_NONE;
    }

    function _readAlgebra(PoolEntry memory, Leg memory) internal virtual returns (uint256) {
        return FORM_NONE;
    }

    // --- concentrated pools ---

    function _readConcentrated(PoolEntry memory entry, Leg memory leg, uint256 directions)
        internal
        returns (uint256 form)
    {
        unchecked {
            bool ok;
            if (leg.kind >= KIND_V4) {
                form = _readSingleton(entry, leg);
            } else {
                (ok, entry.second) = readWord(leg.pool, 0x1a686502, 0, 0); // liquidity()
                if (!ok || entry.second >> 128 != 0) return FORM_NONE;
                form = leg.kind == KIND_ALGEBRA ? _readAlgebra(entry, leg) : _readV3(entry, leg);
            }
            if (form == FORM_NONE || entry.first == 0) return form;
            if (entry.first < MIN_SQRT || entry.first > MAX_SQRT) return FORM_NONE;
            if (leg.kind >= KIND_V4) return form;
            (address token0, address token1) = _sorted(leg);
            if (directions & 2 != 0) (ok, entry.third) = readBalance(token0, leg.pool);
            else ok = true;
            if (ok && directions & 1 != 0) (ok, entry.fourth) = readBalance(token1, leg.pool);
            entry.third += 1;
            entry.fourth += 1;
            return ok ? form : FORM_NONE;
        }
    }

    function _readSingleton(PoolEntry memory entry, Leg memory leg) internal view returns (uint256) {
        unchecked {
            uint256 at = _slotOf(bytes32(entry.id));
            (bool ok, uint256 word) = readWord(leg.pool, 0x1e2eaeaf, at, 0); // extsload(bytes32)
            if (ok) (ok, entry.second) = readWord(leg.pool, 0x1e2eaeaf, at + 3, 0);
            if (!ok) return FORM_NONE;
            entry.first = uint160(word);
            entry.second = uint128(entry.second);
            entry.third = uint256(uint160(leg.pool)); // the manager, for TickWalks
            // The protocol fee of each direction is charged first, the pool's fee on the rest.
            (uint256 fee, uint256 protocol) = ((word >> 208) & 0xffffff, (word >> 184) & 0xffffff);
            (uint256 down, uint256 up) = (protocol & 0xfff, protocol >> 12);
            entry.shape = _fees(down + fee - down * fee / 1e6, up + fee - up * fee / 1e6)
                | ((word >> 160) & 0xffffff) << 64 | uint256(uint24(int24(leg.spacing))) << 88;
            return uint160(leg.hooks) & SWAP_HOOKS == 0 ? FORM_V4 : FORM_HOOK;
        }
    }

    function _readV3(PoolEntry memory entry, Leg memory leg) internal view returns (uint256) {
        unchecked {
            (bool ok, uint256 size, uint256[8] memory words) = _readMany(leg.pool, 0x3850c7bd); // slot0()
            if (!ok || size < 2) return FORM_NONE;
            entry.first = uint160(words[0]);
            (uint256 fee, uint256 spacing) = (leg.fee, uint256(leg.spacing));
            if (leg.kind == KIND_SLIPSTREAM) (ok, fee) = readWord(leg.pool, 0xddca3f43, 0, 0); // fee()
            if (ok && spacing == 0) (ok, spacing) = readWord(leg.pool, 0xd0c93a7c, 0, 0); // tickSpacing()
            if (!ok || fee > 1e6 || spacing > 32767 || spacing == 0) return FORM_NONE;
            entry.shape = _fees(fee, fee) | uint256(uint24(words[1])) << 64 | spacing << 88;
            return FORM_V3;
        }
    }

    function _sorted(Leg memory leg) internal pure returns (address, address) {
        return leg.tokenIn < leg.tokenOut ? (leg.tokenIn, leg.tokenOut) : (leg.tokenOut, leg.tokenIn);
    }

    function _fees(uint256 fee0, uint256 fee1) internal pure returns (uint256) {
        return fee0 | fee1 << 32;
    }

    /// The first eight words that a call returns; missing words are 0. `size` is the number of whole words returned.
    function _readMany(address target, bytes4 selector)
        internal
        view
        returns (bool ok, uint256 size, uint256[8] memory words)
    {
        assembly ("memory-safe") {
            mstore(0, selector)
            ok := staticcall(READ_GAS, target, 0, 4, words, 256)
            size := shr(5, returndatasize())
        }
    }
}
