// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./StateAnswer.sol";
import "./Ticks.sol";

/// Reads the initialised ticks of concentrated pools around their prices.
abstract contract TickWalks is StateAnswer {
    /// A walk covers at least this many ticks (2.5 %), from which depth and mid price are computed.
    int256 private constant NEAR = 250;
    /// A walk ends after this many ticks, at which the price has halved or doubled, unless a known order needs more.
    int256 private constant FAR = 6932;
    /// Maximum number of bitmap words per walk.
    uint256 private constant MAX_BITMAP_WORDS = 30;
    /// Gas limit of one walk, which is also limited to its share of the remaining gas.
    uint256 private constant WALK_GAS = 2_500_000;
    /// Reserved for the rest of the answer: packing a word takes 250 gas, reading a tick over 4,000.
    uint256 private constant LAST_GAS = 1_500_000;
    /// The ticks read absorb the order this many times, because a second order and the depth are computed from them.
    uint256 private constant TIMES = 6;
    /// A walk ends if this many ticks absorb less than 1/`DUST` of the order.
    uint256 private constant DUST_TICKS = 16;

    // --- ticks ---

    /// Walks all pools after all states were read, so that ticks are missing, not pools, if the gas runs out.
    function _walkAll(
        Answer memory answer,
        TokenInput[] calldata tokens,
        uint256[] memory pairs,
        PoolInput[] calldata known,
        uint256 ticks
    ) internal view {
        unchecked {
            uint256 left;
            for (uint256 i; i < answer.count; i++) left += _walksOf(_packedAt(answer, i));
            _push(answer, left);
            uint256 mark = _mark();
            for (uint256 i; i < answer.count; i++) {
                uint256 packed = _packedAt(answer, i);
                if (_walksOf(packed) == 0) continue;
                uint256 pair = uint16(packed >> 48);
                uint256 candidatePool = uint16(packed >> 32);
                uint256 encodedPair = pair == NO_PAIR ? uint24(known[candidatePool].packed >> 216) : pairs[pair];
                uint256 maxTicks = pair == NO_PAIR ? known[candidatePool].packed >> 240 : 0;
                if (maxTicks == 0) maxTicks = ticks;
                for (uint256 direction = 1; direction < 3; direction++) {
                    if ((packed >> 16) & direction == 0) continue;
                    Walk memory walk;
                    walk.maxTicks = maxTicks;
                    walk.enough = _worthOf(tokens, encodedPair, uint8(packed >> 24), direction == 1);
                    _setGasEnd(walk, left--);
                    _walk(answer, walk, i, direction == 1);
                    _release(mark);
                }
            }
        }
    }

    /// The first word (`PoolEntry.packed`) of an entry.
    function _packedAt(Answer memory answer, uint256 index) internal pure returns (uint256 packed) {
        unchecked {
            uint256 at = answer.entries + index * ENTRY_BYTES;
            assembly ("memory-safe") {
                packed := mload(at)
            }
        }
    }

    /// Number of walks of a pool: one for each direction, if it is concentrated.
    function _walksOf(uint256 packed) internal pure returns (uint256) {
        unchecked {
            uint256 form = uint8(packed);
            if (form < FORM_V3 || form >= FORM_HOOK || uint8(packed >> 8) != FILLED) return 0;
            return ((packed >> 16) & 1) + ((packed >> 17) & 1);
        }
    }

    /// The amount of the sold token that the ticks must absorb; 0 = unknown.
    function _worthOf(TokenInput[] calldata tokens, uint256 encodedPair, uint256 kind, bool down)
        internal
        view
        returns (uint256)
    {
        unchecked {
            TokenInput calldata a = tokens[uint8(encodedPair)];
            TokenInput calldata b = tokens[uint8(encodedPair >> 8)];
            bool aIsFirst = kind == KIND_V4_NATIVE ? a.token == _native : a.token < b.token;
            uint256 worth = aIsFirst == down ? a.worth : b.worth;
            return worth > type(uint256).max / TIMES ? type(uint256).max : worth * TIMES;
        }
    }

    /// @param left number of walks left, including this one
    function _setGasEnd(Walk memory walk, uint256 left) internal view {
        unchecked {
            uint256 gas_ = gasleft();
            uint256 share = gas_ > LAST_GAS ? (gas_ - LAST_GAS) / left : 0;
            walk.gasEnd = gas_ - (share > WALK_GAS ? WALK_GAS : share);
        }
    }

    /// Writes a head (entry, number of ticks, last tick covered, direction), then the ticks in the order of the walk.
    function _walk(Answer memory answer, Walk memory walk, uint256 index, bool down) internal view {
        unchecked {
            uint256 head = answer.end;
            answer.end = head + 32;
            PoolEntry memory entry;
            uint256 at = answer.entries + index * ENTRY_BYTES;
            assembly ("memory-safe") {
                mcopy(entry, at, 224) // ENTRY_BYTES
            }
            walk.form = uint8(entry.packed);
            (walk.id, walk.price, walk.liquidity) = (entry.id, entry.first, entry.second);
            walk.manager = address(uint160(walk.form == FORM_V4 ? entry.third : entry.id));
            walk.start = int24(uint24(entry.shape >> 64));
            walk.spacing = int24(uint24(entry.shape >> 88));
            walk.down = down;
            walk.known = down ? walk.start + 1 : walk.start;
            if (walk.start <= MAX_TICK && walk.start >= -MAX_TICK && walk.spacing > 0) {
                _walkTicks(answer, walk);
            }
            _store(
                head,
                index | walk.count << 16 | uint256(uint24(int24(walk.known))) << 32 | (down ? uint256(1) << 56 : 0)
            );
        }
    }

    function _walkTicks(Answer memory answer, Walk memory walk) internal view virtual {
        unchecked {
            int256 step = walk.form == FORM_ALGEBRA_V19 ? int256(1) : walk.spacing;
            int256 index = walk.start / step;
            if (walk.start < 0 && walk.start % step != 0) index--;
            if (!walk.down) index++;
            for (uint256 i; i < MAX_BITMAP_WORDS; i++) {
                int256 first = (index >> 8) << 8;
                (bool ok, uint256 word) = _readBitmap(walk, index >> 8);
                if (!ok) return;
                uint256 bit = uint256(index) & 255;
                word = walk.down ? word << (255 - bit) >> (255 - bit) : word >> bit << bit;
                while (word != 0) {
                    bit = highestBit(walk.down ? word : word & (~word + 1));
                    if (!_addTick(answer, walk, (first + int256(bit)) * step)) return;
                    word ^= 1 << bit;
                }
                int256 end = walk.down ? first * step : (first + 256) * step - 1;
                if (end <= -MAX_TICK || end >= MAX_TICK) {
                    walk.known = walk.down ? -MAX_TICK : MAX_TICK;
                    return;
                }
                walk.known = end;
                if (_reach(walk, end)) return;
                index = walk.down ? first - 1 : first + 256;
            }
        }
    }

    /// Writes an initialised tick and its change of liquidity.
    /// @return go whether the walk continues
    function _addTick(Answer memory answer, Walk memory walk, int256 tick) internal view returns (bool go) {
        unchecked {
            if (walk.count >= walk.maxTicks || answer.end > answer.limit || tick > MAX_TICK || tick < -MAX_TICK) {
                return false;
            }
            (bool ok, int256 net) = _readNet(walk, tick);
            if (!ok) return false;
            // The sign in the lowest bit keeps negative numbers short.
            uint256 size = net < 0 ? uint256(~net) << 1 | 1 : uint256(net) << 1;
            _push(answer, size << 24 | uint256(uint24(int24(tick))));
            walk.count++;
            walk.known = tick;
            bool enough = _reach(walk, tick);
            walk.liquidity = uint128(uint256(int256(walk.liquidity) + (walk.down ? -net : net)));
            return !enough;
        }
    }

    /// Moves the walk's price to a tick.
    /// @return enough whether the walk ends here
    function _reach(Walk memory walk, int256 tick) internal view returns (bool enough) {
        unchecked {
            int256 moved = walk.down ? walk.start - tick : tick - walk.start;
            uint256 price = sqrtPriceAt(tick);
            if (walk.down ? price < walk.price : price > walk.price) {
                uint256 taken = absorbedBetween(walk.down, walk.price, price, walk.liquidity);
                walk.taken = walk.taken + taken < taken ? type(uint256).max : walk.taken + taken;
                walk.price = price;
            }
            if (gasleft() < walk.gasEnd) return true;
            bool isDust = walk.taken < walk.enough / (TIMES * DUST);
            if (isDust && walk.count >= DUST_TICKS) return true;
            // Beyond FAR, the walk continues only while the ticks do not absorb a known order.
            if (moved >= FAR && (isDust || walk.taken >= walk.enough)) return true;
            return walk.enough != 0 && moved >= NEAR && walk.taken >= walk.enough;
        }
    }

    function _readBitmap(Walk memory walk, int256 index) internal view returns (bool, uint256) {
        if (walk.form == FORM_V4) return _readOfPool(walk, 5, index);
        // tickBitmap(int16), tickTable(int16)
        bytes4 selector = walk.form == FORM_V3 ? bytes4(0x5339c296) : bytes4(0xc677e3e0);
        return readWord(walk.manager, selector, uint256(index), 0);
    }

    /// The change of liquidity when the price rises through a tick.
    function _readNet(Walk memory walk, int256 tick) internal view returns (bool ok, int256 net) {
        uint256 word;
        if (walk.form == FORM_V4) {
            (ok, word) = _readOfPool(walk, 4, tick);
            return (ok, int256(word) >> 128);
        }
        (ok, word) = _readTickWord(walk, tick, 1);
        return (ok, int128(int256(word)));
    }

    /// The word with this index that ticks(int24) returns.
    function _readTickWord(Walk memory walk, int256 tick, uint256 index) internal view returns (bool ok, uint256 word) {
        address pool = walk.manager;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0xf30dba93)) // ticks(int24)
            mstore(add(at, 4), tick)
            ok := staticcall(READ_GAS, pool, at, 36, at, 128)
            ok := and(ok, gt(returndatasize(), 127))
            word := mload(add(at, shl(5, index)))
        }
    }

    /// Reads an entry of a singleton pool's mapping: 4 = ticks, 5 = tick bitmap.
    function _readOfPool(Walk memory walk, uint256 mapping_, int256 key) internal view returns (bool, uint256) {
        unchecked {
            uint256 base = _slotOf(bytes32(walk.id)) + mapping_;
            uint256 slot;
            assembly ("memory-safe") {
                mstore(0, key)
                mstore(32, base)
                slot := keccak256(0, 64)
            }
            return readWord(walk.manager, 0x1e2eaeaf, slot, 0); // extsload(bytes32)
        }
    }
}
