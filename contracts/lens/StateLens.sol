// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Discovery.sol";

interface IArbSysBlock {
    function arbBlockNumber() external view returns (uint256);
    function arbBlockHash(uint256 number) external view returns (bytes32);
}

// How the swaps of a pool are computed. `engine/pools/decodeStates.ts` has the same numbers.
uint256 constant FORM_NONE = 0; // no state was read
uint256 constant FORM_V2 = 1;
uint256 constant FORM_CAMELOT = 2;
uint256 constant FORM_SOLIDLY = 3;
uint256 constant FORM_CAMELOT_STABLE = 4;
uint256 constant FORM_SOLIDLY_STABLE = 5;
uint256 constant FORM_V3 = 6;
uint256 constant FORM_V4 = 7;
uint256 constant FORM_ALGEBRA_V1 = 8; // one fee, bitmap of compressed ticks
uint256 constant FORM_ALGEBRA_V19 = 9; // one fee for each direction, bitmap of plain ticks
uint256 constant FORM_ALGEBRA_INTEGRAL = 10; // initialised ticks form a linked list
uint256 constant FORM_HOOK = 11;
uint256 constant FORM_PLUGIN = 12;
uint256 constant FORM_UNKNOWN = 13;

/// A token of the question, and what the order is worth in it; 0 if unknown.
struct TokenAsk {
    address token;
    uint256 worth;
}

/// A pool that no row finds. `pair` has the form of a pair; `ticks` caps its ticks in each direction, 0 = the default.
struct PoolAsk {
    uint256 pair;
    uint256 kind;
    address pool;
    address factory;
    uint256 fee;
    int256 spacing;
    address hooks;
    uint256 ticks;
}

/// A pool's entry in the answer.
struct PoolEntry {
    uint256 place; // form, status, directions, kind, slot, pair, from the lowest byte; see `_newEntry`
    uint256 id;
    uint256 first; // sqrtPriceX96 or reserve0
    uint256 second; // liquidity or reserve1
    uint256 shape; // fee0, fee1 (32 bits each), tick, spacing (24 each)
    uint256 third; // balance0 + 1 or 10^decimals of token0; 0 = not read
    uint256 fourth;
}

/// Where the answer is under way. Entries are written in place, above a region that calls may use as scratch.
struct Answer {
    uint256 start;
    uint256 end; // of what has been written
    uint256 limit;
    uint256 statuses; // of the first pair
    uint256 statusBytes; // of a pair
    uint256 entries;
    uint256 count;
    uint256[] live; // what is known of each factory
}

/// A pool to read, and for whom.
struct Look {
    Leg leg;
    address factory;
    uint256 pair; // index, or NO_PAIR
    uint256 slot; // index of the row's slot, or of the known pool
    uint256 asked; // the pair as the question has it
}

/// A walk over the initialised ticks of a pool, in one direction.
struct Walk {
    uint256 form;
    uint256 id;
    address manager;
    bool down; // token0 is sold
    int256 start; // tick of the pool
    int256 spacing;
    uint256 price;
    uint256 liquidity;
    uint256 taken; // of the token sold, without the fee
    uint256 enough; // of it; 0 = unknown
    uint256 most; // ticks
    uint256 count;
    uint256 gasEnd; // stop below this
    int256 known; // the last tick that the walk covers
}

/// Reads raw states of pools at one block; judges nothing, and reports instead of reverting. Each read is bounded in gas
/// and return data, so a hostile pool, token or factory affects only its own entry.
/// `engine/pools/decodeStates.ts` decodes the answer.
contract StateLens is Discovery {
    uint256 private constant LAYOUT = 1;
    uint256 private constant ENTRY_BYTES = 224;
    uint256 private constant SCRATCH_BYTES = 0x8000;
    uint256 private constant ANSWER_BYTES = 0x80000;
    uint256 private constant MOST_ENTRIES = 600;
    uint256 private constant NO_PAIR = 0xffff;
    /// An order gains less than a basis point from a pool that holds less than this part of its worth.
    uint256 private constant DUST = 512;
    /// A walk covers this many ticks (2.5 %) at least, so that depth and mid are known too.
    int256 private constant NEAR = 250;
    /// A price fall of a half ends every walk, unless a known order needs more.
    int256 private constant FAR = 6932;
    uint256 private constant MOST_WORDS = 30;
    /// A walk takes no more gas than this, and no more than its share of what is left.
    uint256 private constant WALK_GAS = 2_500_000;
    uint256 private constant LAST_GAS = 500_000;
    /// The order is to fit this often into the ticks read: a second order and the depth are computed from them.
    uint256 private constant TIMES = 4;
    /// After so many ticks a pool that has taken no more than dust is left: it costs more to read than it can pay.
    uint256 private constant DUST_TICKS = 16;
    /// Of v4 hooks: before and after a swap, and their changes of the amounts.
    uint160 private constant SWAP_HOOKS = 0xcc;
    uint256 private constant BEFORE_SWAP = 1; // of an Algebra plugin
    uint256 private constant DYNAMIC_FEE = 128;

    address private transient _native;

    error AlreadyAsked();

    /// @param world rows of the chain, as `encodeWorld` packs them
    /// @param tokens sold, bought, then the others that pairs name
    /// @param pairs token a, token b, directions (1: a is sold, 2: b is sold), a byte each from the lowest
    /// @param known pools that no row finds
    /// @param feeds USD feeds to read
    /// @param ticks the most initialised ticks to read of a pool in one direction
    function ask(
        bytes calldata world,
        TokenAsk[] calldata tokens,
        uint256[] calldata pairs,
        PoolAsk[] calldata known,
        address[] calldata feeds,
        uint256 ticks
    ) external {
        if (_native != address(0)) revert AlreadyAsked();
        uint256 startGas = gasleft();
        World memory w = readWorld(world);
        _native = w.native;
        Answer memory answer = _open(world, w);
        _writeHead(answer, w);
        _writeTokens(answer, tokens, feeds);
        _writePairs(answer, w.slots, pairs.length);
        unchecked {
            for (uint256 i; i < pairs.length; i++) _findPair(answer, world, tokens, pairs[i], i);
            for (uint256 i; i < known.length; i++) _readKnown(answer, tokens, known[i], i);
        }
        _store(answer.entries - 32, answer.count);
        _walkAll(answer, tokens, pairs, known, ticks);
        _push(answer, startGas - gasleft());
        (uint256 start, uint256 end) = (answer.start, answer.end);
        assembly ("memory-safe") {
            return(start, sub(end, start))
        }
    }

    /// Pools of Algebra call back within a swap: reverts with what the pool reports at that moment (`_readAlgebraV1`).
    fallback() external {
        assembly ("memory-safe") {
            mstore(0, shl(224, 0xe76c01e4)) // globalState()
            pop(staticcall(100000, caller(), 0, 4, 0, 128))
            revert(0, 128)
        }
    }

    // --- the answer ---

    function _open(bytes calldata world, World memory w) private view returns (Answer memory answer) {
        unchecked {
            answer.live = new uint256[](w.groups);
            answer.statusBytes = ((w.slots + 63) >> 6) << 5;
            uint256 at = HEADER_BYTES + w.bases * BASE_BYTES;
            uint256 mark = _mark();
            for (uint256 i; i < w.groups; i++) {
                Group memory group = readGroup(world, at, 0);
                answer.live[i] = group.factory.code.length > 0 ? FILLED : NO_FACTORY;
                at = group.end;
            }
            _release(mark);
            answer.start = mark + SCRATCH_BYTES;
            answer.end = answer.start;
            answer.limit = answer.start + ANSWER_BYTES;
        }
    }

    function _writeHead(Answer memory answer, World memory w) private view {
        unchecked {
            _push(answer, LAYOUT);
            _push(answer, 0);
            uint256 number = block.number;
            uint256 parent = uint256(blockhash(number - 1));
            if (w.arbitrum) {
                // block.number is the parent chain's; ArbSys (0x64) has the chain's own.
                bool ok;
                (ok, number) = readWord(address(0x64), IArbSysBlock.arbBlockNumber.selector, 0, 0);
                parent = 0;
                if (ok) (ok, parent) = readWord(address(0x64), IArbSysBlock.arbBlockHash.selector, number - 1, 0);
                else number = 0;
                if (!ok) parent = 0;
            }
            _push(answer, number);
            _push(answer, block.timestamp);
            _push(answer, parent);
            _push(answer, block.basefee);
            _push(answer, readSequencer(w.sequencer));
        }
    }

    function _writeTokens(Answer memory answer, TokenAsk[] calldata tokens, address[] calldata feeds) private view {
        unchecked {
            _push(answer, tokens.length);
            for (uint256 i; i < tokens.length; i++) {
                address token = tokens[i].token;
                (bool hasCode, bool ok, uint256 decimals) = readDecimals(token);
                _push(answer, (hasCode ? 1 : 0) | (ok ? 2 : 0) | decimals << 8);
                uint256 supply;
                if (i < 2) (, supply) = readWord(token, 0x18160ddd, 0, 0); // totalSupply()
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

    /// Statuses of all slots for each pair, NO_POOL at first, then room for the number of entries.
    function _writePairs(Answer memory answer, uint256 slots, uint256 count) private pure {
        unchecked {
            _push(answer, count);
            _push(answer, slots);
            answer.statuses = answer.end;
            for (uint256 left = count * (answer.statusBytes >> 5); left > 0; left--) {
                _push(answer, 0x2222222222222222222222222222222222222222222222222222222222222222);
            }
            _push(answer, 0);
            answer.entries = answer.end;
        }
    }

    function _note(Answer memory answer, uint256 pair, uint256 slot, uint256 status) private pure {
        unchecked {
            uint256 at = answer.statuses + pair * answer.statusBytes + ((slot >> 6) << 5);
            uint256 shift = (slot & 63) << 2;
            assembly ("memory-safe") {
                mstore(at, or(and(mload(at), not(shl(shift, 15))), shl(shift, status)))
            }
        }
    }

    function _store(uint256 at, uint256 value) private pure {
        assembly ("memory-safe") {
            mstore(at, value)
        }
    }

    function _push(Answer memory answer, uint256 value) private pure {
        unchecked {
            _store(answer.end, value);
            answer.end += 32;
        }
    }

    function _mark() private pure returns (uint256 mark) {
        assembly ("memory-safe") {
            mark := mload(0x40)
        }
    }

    /// Frees what was allocated since, so that it never grows into the answer.
    function _release(uint256 mark) private pure {
        assembly ("memory-safe") {
            mstore(0x40, mark)
        }
    }

    // --- which pools there are ---

    function _findPair(
        Answer memory answer,
        bytes calldata world,
        TokenAsk[] calldata tokens,
        uint256 asked,
        uint256 index
    ) private {
        unchecked {
            uint256 mark = _mark();
            Pair memory pair;
            (pair.a, pair.b, pair.first) = (tokens[uint8(asked)].token, tokens[uint8(asked >> 8)].token, index);
            uint256 call_ = _layCall(pair.a, pair.b);
            uint256 at = HEADER_BYTES + readWorld(world).bases * BASE_BYTES;
            uint256 slot;
            uint256 inner = _mark();
            for (uint256 i; i < answer.live.length; i++) {
                Group memory group = readGroup(world, at, slot);
                (at, slot) = (group.end, slot + group.count);
                uint256 status = answer.live[i];
                uint256 read;
                // A factory that burns its gas or returns garbage is not asked again.
                if (status == FILLED) {
                    read = group.kind < KIND_V4
                        ? _findGroup(answer, world, tokens, pair, group, call_, asked)
                        : _findSingleton(answer, world, tokens, pair, group, asked);
                    if (read < group.count) (answer.live[i], status) = (UNREAD, UNREAD);
                }
                for (; read < group.count; read++) _note(answer, index, group.slot + read, status);
                _release(inner);
            }
            _release(mark);
        }
    }

    /// @return read the number of slots that the factory returned an answer for
    function _findGroup(
        Answer memory answer,
        bytes calldata world,
        TokenAsk[] calldata tokens,
        Pair memory pair,
        Group memory group,
        uint256 call_,
        uint256 asked
    ) private returns (uint256 read) {
        unchecked {
            (bytes4 selector, uint256 third) = _selectorOf(group.kind);
            _store(call_, uint32(selector));
            for (;; read++) {
                address pool;
                bool ok;
                (ok, read, pool) = _nextPool(world, group, call_, third, read);
                if (!ok || read == group.count) return read;
                (uint256 fee, int256 spacing) = readSlot(world, group.at + read * SLOT_BYTES);
                Look memory look;
                look.leg = Leg(group.kind, pool, pair.a, pair.b, fee, spacing, address(0), 0);
                (look.factory, look.pair, look.slot, look.asked) = (group.factory, pair.first, group.slot + read, asked);
                _note(answer, pair.first, look.slot, _read(answer, tokens, look));
            }
        }
    }

    /// The slots of a singleton, in one call. Native slots are left out for pairs without the native token.
    /// @return read the number of slots, or 0 if none could be read
    function _findSingleton(
        Answer memory answer,
        bytes calldata world,
        TokenAsk[] calldata tokens,
        Pair memory pair,
        Group memory group,
        uint256 asked
    ) private returns (uint256 read) {
        unchecked {
            bool native = pair.a == _native || pair.b == _native;
            uint256[] memory words = _hashKeys(world, pair, group, native);
            if (gasleft() < RESERVED_GAS + 1_000_000 || !_readSlots(group.factory, words)) return 0;
            uint256 looked;
            for (;; read++) {
                (read, looked) = _nextWord(world, group, words, native, read, looked);
                if (read == group.count) return read;
                Look memory look;
                (uint256 kind, uint256 fee, int256 spacing, address hooks) =
                    readSingletonSlot(world, group.at + read * SINGLETON_SLOT_BYTES);
                look.leg = Leg(kind, group.factory, pair.a, pair.b, fee, spacing, hooks, 0);
                (look.factory, look.pair, look.slot, look.asked) = (group.factory, pair.first, group.slot + read, asked);
                _note(answer, pair.first, look.slot, _read(answer, tokens, look));
            }
        }
    }

    function _readKnown(Answer memory answer, TokenAsk[] calldata tokens, PoolAsk calldata known, uint256 index)
        private
    {
        uint256 mark = _mark();
        Look memory look;
        address a = tokens[uint8(known.pair)].token;
        address b = tokens[uint8(known.pair >> 8)].token;
        look.leg = Leg(known.kind, known.pool, a, b, known.fee, known.spacing, known.hooks, 0);
        (look.factory, look.pair, look.slot, look.asked) = (known.factory, NO_PAIR, index, known.pair);
        _read(answer, tokens, look);
        _release(mark);
    }

    // --- the state of one pool ---

    /// Adds the pool's entry. Of pools that a row found, those that are empty or too thin to matter get a status only.
    function _read(Answer memory answer, TokenAsk[] calldata tokens, Look memory look)
        private
        returns (uint256 status)
    {
        unchecked {
            if (answer.count == MOST_ENTRIES || gasleft() < RESERVED_GAS + 600_000) return UNREAD;
            uint256 mark = _mark();
            PoolEntry memory entry;
            Leg memory leg = look.leg;
            entry.id = uint256(leg.kind < KIND_V4 ? bytes32(uint256(uint160(leg.pool))) : _poolId(leg));
            bool aIsFirst = leg.kind == KIND_V4_NATIVE ? leg.tokenIn == _native : leg.tokenIn < leg.tokenOut;
            uint256 asked = uint8(look.asked >> 16);
            uint256 directions = aIsFirst ? asked & 3 : (asked & 1) << 1 | (asked >> 1) & 1;
            uint256 form;
            if (leg.pool.code.length == 0) {
                status = REJECTED;
            } else {
                form = isConcentrated(leg.kind) ? _readConcentrated(entry, leg, directions) : _readReserves(entry, look);
                if (form == FORM_NONE) status = UNREAD;
                else if (entry.first == 0 || (form < FORM_V3 && entry.second == 0)) status = EMPTY;
                else status = FILLED;
                if (status == FILLED && form < FORM_HOOK) {
                    uint256 worthA = tokens[uint8(look.asked)].worth;
                    uint256 worthB = tokens[uint8(look.asked >> 8)].worth;
                    directions = aIsFirst
                        ? _worthwhile(entry, form, directions, worthA, worthB)
                        : _worthwhile(entry, form, directions, worthB, worthA);
                    if (directions == 0) status = THIN;
                }
            }
            if (look.pair == NO_PAIR || (status != EMPTY && status != THIN)) {
                entry.place =
                    form | status << 8 | directions << 16 | leg.kind << 24 | look.slot << 32 | look.pair << 48;
                uint256 end = answer.end;
                assembly ("memory-safe") {
                    mcopy(end, entry, ENTRY_BYTES)
                }
                answer.end = end + ENTRY_BYTES;
                answer.count++;
            }
            _release(mark);
        }
    }

    /// The directions in which the pool holds enough to matter.
    function _worthwhile(PoolEntry memory entry, uint256 form, uint256 directions, uint256 worth0, uint256 worth1)
        private
        pure
        returns (uint256 kept)
    {
        unchecked {
            // A singleton's balance bounds nothing.
            if (form == FORM_V4) return directions;
            (uint256 held0, uint256 held1) =
                form < FORM_V3 ? (entry.first, entry.second) : (entry.third - 1, entry.fourth - 1);
            kept = directions;
            if (held1 <= worth1 / DUST) kept &= 2;
            if (held0 <= worth0 / DUST) kept &= 1;
        }
    }

    function _readReserves(PoolEntry memory entry, Look memory look) private view returns (uint256 form) {
        unchecked {
            Leg memory leg = look.leg;
            bool ok;
            uint256 size;
            uint256[8] memory words;
            if (leg.kind == KIND_SOLIDLY || leg.kind == KIND_SOLIDLY_PAIR) {
                (ok, size, words) = _readMany(leg.pool, 0x392f37e9); // metadata()
                if (ok && size > 6) {
                    (entry.first, entry.second) = (words[2], words[3]);
                    (entry.third, entry.fourth) = (words[0], words[1]);
                    uint256 fee;
                    (ok, fee) = readWord(look.factory, 0xcc56b2c5, uint256(uint160(leg.pool)), words[4]); // getFee(pool, stable)
                    if (!ok || fee > 10_000) return FORM_UNKNOWN;
                    entry.shape = _fees(fee * 100, fee * 100);
                    if (!_isCovered(entry, leg)) return FORM_UNKNOWN;
                    return words[4] == 0 ? FORM_SOLIDLY : FORM_SOLIDLY_STABLE;
                }
            }
            (ok, size, words) = _readMany(leg.pool, 0x0902f1ac); // getReserves()
            if (!ok || size < 2) return FORM_NONE;
            (entry.first, entry.second) = (words[0], words[1]);
            if (!_isCovered(entry, leg)) return FORM_UNKNOWN;
            if (leg.kind == KIND_V2) {
                entry.shape = _fees(leg.fee, leg.fee);
                return FORM_V2;
            }
            if (leg.kind != KIND_SELF_PRICED_PAIR || size < 4 || words[2] > 1e5 || words[3] > 1e5) return FORM_UNKNOWN;
            entry.shape = _fees(words[2] * 10, words[3] * 10); // of 100,000
            uint256 stable;
            (ok, stable) = readWord(leg.pool, 0x9e548b7f, 0, 0); // stableSwap()
            if (!ok) return FORM_UNKNOWN;
            if (stable == 0) return FORM_CAMELOT;
            (ok, entry.third) = readWord(leg.pool, 0x3b9f1dc0, 0, 0); // precisionMultiplier0()
            if (ok) (ok, entry.fourth) = readWord(leg.pool, 0x288e5d02, 0, 0); // precisionMultiplier1()
            return ok ? FORM_CAMELOT_STABLE : FORM_UNKNOWN;
        }
    }

    /// Whether a pair holds the reserves that it reports. If not, the entry gets the balances, which bound its output, and
    /// only an execution shows what the pair pays.
    function _isCovered(PoolEntry memory entry, Leg memory leg) private view returns (bool) {
        (address token0, address token1) =
            leg.tokenIn < leg.tokenOut ? (leg.tokenIn, leg.tokenOut) : (leg.tokenOut, leg.tokenIn);
        (, uint256 held0) = readBalance(token0, leg.pool);
        (, uint256 held1) = readBalance(token1, leg.pool);
        if (held0 >= entry.first && held1 >= entry.second) return true;
        (entry.first, entry.second) = (held0, held1);
        return false;
    }

    function _readConcentrated(PoolEntry memory entry, Leg memory leg, uint256 directions)
        private
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
            (address token0, address token1) =
                leg.tokenIn < leg.tokenOut ? (leg.tokenIn, leg.tokenOut) : (leg.tokenOut, leg.tokenIn);
            if (directions & 2 != 0) (ok, entry.third) = readBalance(token0, leg.pool);
            else ok = true;
            if (ok && directions & 1 != 0) (ok, entry.fourth) = readBalance(token1, leg.pool);
            entry.third += 1;
            entry.fourth += 1;
            return ok ? form : FORM_NONE;
        }
    }

    function _readSingleton(PoolEntry memory entry, Leg memory leg) private view returns (uint256) {
        unchecked {
            uint256 at = _slotOf(bytes32(entry.id));
            (bool ok, uint256 word) = readWord(leg.pool, 0x1e2eaeaf, at, 0); // extsload(bytes32)
            if (ok) (ok, entry.second) = readWord(leg.pool, 0x1e2eaeaf, at + 3, 0);
            if (!ok) return FORM_NONE;
            entry.first = uint160(word);
            entry.second = uint128(entry.second);
            entry.third = uint256(uint160(leg.pool)); // for the walk
            (uint256 fee, uint256 protocol) = ((word >> 208) & 0xffffff, (word >> 184) & 0xffffff);
            (uint256 down, uint256 up) = (protocol & 0xfff, protocol >> 12);
            entry.shape = _fees(down + fee - down * fee / 1e6, up + fee - up * fee / 1e6)
                | ((word >> 160) & 0xffffff) << 64 | uint256(uint24(int24(leg.spacing))) << 88;
            return uint160(leg.hooks) & SWAP_HOOKS == 0 ? FORM_V4 : FORM_HOOK;
        }
    }

    function _readV3(PoolEntry memory entry, Leg memory leg) private view returns (uint256) {
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

    /// The releases differ in the words of globalState, and in how they keep ticks.
    function _readAlgebra(PoolEntry memory entry, Leg memory leg) private returns (uint256 form) {
        unchecked {
            (bool ok, uint256 size, uint256[8] memory words) = _readMany(leg.pool, 0xe76c01e4); // globalState()
            if (!ok || size < 2) return FORM_NONE;
            entry.first = uint160(words[0]);
            entry.shape = uint256(uint24(words[1])) << 64;
            if (entry.first == 0) return FORM_UNKNOWN;
            uint256 spacing = 60;
            (ok, spacing) = readWord(leg.pool, 0xd0c93a7c, 0, 0); // tickSpacing(); v1 may have none
            if (!ok && size == 7) (ok, spacing) = (true, 60);
            if (!ok || spacing == 0 || spacing > 32767) return FORM_UNKNOWN;
            entry.shape |= spacing << 88;
            uint256 fee0 = words[2];
            uint256 fee1 = words[2];
            if (size == 6) {
                form = FORM_ALGEBRA_INTEGRAL;
                if (words[3] & BEFORE_SWAP != 0) {
                    // Before a swap the plugin sets a fee that can differ from `fee()`: only an execution shows it.
                    form = FORM_PLUGIN;
                    if (words[3] & DYNAMIC_FEE != 0) (ok, fee0) = readWord(leg.pool, 0xddca3f43, 0, 0); // fee()
                    if (!ok) fee0 = words[2];
                    fee1 = fee0;
                }
            } else if (size == 7 || size == 8) {
                form = size == 7 ? FORM_ALGEBRA_V1 : FORM_ALGEBRA_V19;
                (ok, fee0, fee1) = _probeFees(leg.pool, entry.first);
                if (!ok) return FORM_PLUGIN;
                if (size == 7) fee1 = fee0;
            } else {
                return FORM_UNKNOWN;
            }
            if (fee0 > 1e6 || fee1 > 1e6) return FORM_PLUGIN;
            entry.shape |= _fees(fee0, fee1);
        }
    }

    /// The first swap of a block sets the fee, so globalState may have an old one. A swap of one unit shows the new one in
    /// its callback, where it ends.
    function _probeFees(address pool, uint256 price) private returns (bool ok, uint256 fee0, uint256 fee1) {
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0x128acb08)) // swap(address,bool,int256,uint160,bytes)
            mstore(add(at, 4), address())
            mstore(add(at, 36), 1)
            mstore(add(at, 68), 1)
            mstore(add(at, 100), sub(price, 1))
            mstore(add(at, 132), 160)
            mstore(add(at, 164), 0)
            ok := call(500000, pool, 0, at, 196, at, 128)
            ok := and(iszero(ok), eq(returndatasize(), 128))
            fee0 := mload(add(at, 64))
            fee1 := mload(add(at, 96))
        }
    }

    function _fees(uint256 fee0, uint256 fee1) private pure returns (uint256) {
        return fee0 | fee1 << 32;
    }

    /// Up to eight words; `size` is the number of whole words returned.
    function _readMany(address target, bytes4 selector)
        private
        view
        returns (bool ok, uint256 size, uint256[8] memory words)
    {
        assembly ("memory-safe") {
            mstore(0, selector)
            ok := staticcall(READ_GAS, target, 0, 4, words, 256)
            size := shr(5, returndatasize())
        }
    }

    // --- ticks ---

    /// Walks in a second pass, so that running out of gas costs ticks, never a pool.
    function _walkAll(
        Answer memory answer,
        TokenAsk[] calldata tokens,
        uint256[] calldata pairs,
        PoolAsk[] calldata known,
        uint256 ticks
    ) private view {
        unchecked {
            uint256 left;
            for (uint256 i; i < answer.count; i++) left += _walksOf(_placeAt(answer, i));
            _push(answer, left);
            uint256 mark = _mark();
            for (uint256 i; i < answer.count; i++) {
                uint256 place = _placeAt(answer, i);
                if (_walksOf(place) == 0) continue;
                uint256 pair = uint16(place >> 48);
                uint256 slot = uint16(place >> 32);
                uint256 asked = pair == NO_PAIR ? known[slot].pair : pairs[pair];
                uint256 most = pair == NO_PAIR && known[slot].ticks != 0 ? known[slot].ticks : ticks;
                for (uint256 direction = 1; direction < 3; direction++) {
                    if ((place >> 16) & direction == 0) continue;
                    Walk memory walk;
                    walk.most = most;
                    walk.enough = _worthOf(tokens, asked, uint8(place >> 24), direction == 1);
                    _setGasEnd(walk, left--);
                    _walk(answer, walk, i, direction == 1);
                    _release(mark);
                }
            }
        }
    }

    /// The first word of an entry.
    function _placeAt(Answer memory answer, uint256 index) private pure returns (uint256 place) {
        unchecked {
            uint256 at = answer.entries + index * ENTRY_BYTES;
            assembly ("memory-safe") {
                place := mload(at)
            }
        }
    }

    function _walksOf(uint256 place) private pure returns (uint256) {
        unchecked {
            uint256 form = uint8(place);
            if (form < FORM_V3 || form >= FORM_HOOK || uint8(place >> 8) != FILLED) return 0;
            return ((place >> 16) & 1) + ((place >> 17) & 1);
        }
    }

    /// What has to fit into the ticks: the order, in the token sold, some times over.
    function _worthOf(TokenAsk[] calldata tokens, uint256 asked, uint256 kind, bool down)
        private
        view
        returns (uint256)
    {
        unchecked {
            TokenAsk calldata a = tokens[uint8(asked)];
            TokenAsk calldata b = tokens[uint8(asked >> 8)];
            bool aIsFirst = kind == KIND_V4_NATIVE ? a.token == _native : a.token < b.token;
            uint256 worth = aIsFirst == down ? a.worth : b.worth;
            return worth > type(uint256).max / TIMES ? type(uint256).max : worth * TIMES;
        }
    }

    function _setGasEnd(Walk memory walk, uint256 left) private view {
        unchecked {
            uint256 gas_ = gasleft();
            uint256 share = gas_ > LAST_GAS ? (gas_ - LAST_GAS) / left : 0;
            walk.gasEnd = gas_ - (share > WALK_GAS ? WALK_GAS : share);
        }
    }

    /// Writes a head (entry, number of ticks, last tick covered, direction), then the ticks as they are met.
    function _walk(Answer memory answer, Walk memory walk, uint256 index, bool down) private view {
        unchecked {
            uint256 head = answer.end;
            answer.end = head + 32;
            PoolEntry memory entry;
            uint256 at = answer.entries + index * ENTRY_BYTES;
            assembly ("memory-safe") {
                mcopy(entry, at, ENTRY_BYTES)
            }
            walk.form = uint8(entry.place);
            (walk.id, walk.price, walk.liquidity) = (entry.id, entry.first, entry.second);
            walk.manager = address(uint160(walk.form == FORM_V4 ? entry.third : entry.id));
            walk.start = int24(uint24(entry.shape >> 64));
            walk.spacing = int24(uint24(entry.shape >> 88));
            walk.down = down;
            walk.known = down ? walk.start + 1 : walk.start;
            if (walk.start <= MAX_TICK && walk.start >= -MAX_TICK && walk.spacing > 0) {
                if (walk.form == FORM_ALGEBRA_INTEGRAL) _walkList(answer, walk);
                else _walkBitmap(answer, walk);
            }
            _store(
                head,
                index | walk.count << 16 | uint256(uint24(int24(walk.known))) << 32 | (down ? uint256(1) << 56 : 0)
            );
        }
    }

    function _walkBitmap(Answer memory answer, Walk memory walk) private view {
        unchecked {
            int256 step = walk.form == FORM_ALGEBRA_V19 ? int256(1) : walk.spacing;
            int256 index = walk.start / step;
            if (walk.start < 0 && walk.start % step != 0) index--;
            if (!walk.down) index++;
            for (uint256 i; i < MOST_WORDS; i++) {
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

    function _walkList(Answer memory answer, Walk memory walk) private view {
        unchecked {
            // prevTickGlobal(), nextTickGlobal()
            (bool ok, uint256 word) = readWord(walk.manager, walk.down ? bytes4(0x050a4d21) : bytes4(0xd5c35a7e), 0, 0);
            for (uint256 i; ok && i < walk.most; i++) {
                int256 tick = int24(uint24(word));
                if (tick <= -MAX_TICK || tick >= MAX_TICK) {
                    walk.known = walk.down ? -MAX_TICK : MAX_TICK;
                    return;
                }
                // A list that does not move on is no list.
                if (walk.down ? tick >= walk.known : tick <= walk.known) return;
                if (!_addTick(answer, walk, tick)) return;
                (ok, word) = _readTickWord(walk, tick, walk.down ? 2 : 3);
            }
        }
    }

    /// @return go the walk goes on
    function _addTick(Answer memory answer, Walk memory walk, int256 tick) private view returns (bool go) {
        unchecked {
            if (walk.count >= walk.most || answer.end > answer.limit || tick > MAX_TICK || tick < -MAX_TICK) {
                return false;
            }
            (bool ok, int256 net) = _readNet(walk, tick);
            if (!ok) return false;
            _push(answer, uint256(uint128(int128(net))) << 32 | uint256(uint24(int24(tick))));
            walk.count++;
            walk.known = tick;
            bool enough = _reach(walk, tick);
            walk.liquidity = uint128(uint256(int256(walk.liquidity) + (walk.down ? -net : net)));
            return !enough;
        }
    }

    /// Moves the walk's price to a tick.
    /// @return enough the ticks read are all that a plan may need
    function _reach(Walk memory walk, int256 tick) private view returns (bool enough) {
        unchecked {
            int256 moved = walk.down ? walk.start - tick : tick - walk.start;
            uint256 price = sqrtPriceAt(tick);
            if (walk.down ? price < walk.price : price > walk.price) {
                (uint256 taken,) = _between(walk.down, walk.price, price, walk.liquidity);
                walk.taken = walk.taken + taken < taken ? type(uint256).max : walk.taken + taken;
                walk.price = price;
            }
            if (gasleft() < walk.gasEnd) return true;
            bool isDust = walk.taken < walk.enough / (TIMES * DUST);
            if (isDust && walk.count >= DUST_TICKS) return true;
            // Beyond FAR only a known order that has not been filled yet needs more.
            if (moved >= FAR && (isDust || walk.taken >= walk.enough)) return true;
            return walk.enough != 0 && moved >= NEAR && walk.taken >= walk.enough;
        }
    }

    function _readBitmap(Walk memory walk, int256 index) private view returns (bool, uint256) {
        if (walk.form == FORM_V4) return _readOfPool(walk, 5, index);
        // tickTable(int16), tickBitmap(int16)
        bytes4 selector = walk.form == FORM_V3 ? bytes4(0x5339c296) : bytes4(0xc677e3e0);
        return readWord(walk.manager, selector, uint256(index), 0);
    }

    /// What liquidity grows by when the price rises through a tick.
    function _readNet(Walk memory walk, int256 tick) private view returns (bool ok, int256 net) {
        uint256 word;
        if (walk.form == FORM_V4) {
            (ok, word) = _readOfPool(walk, 4, tick);
            return (ok, int256(word) >> 128);
        }
        (ok, word) = _readTickWord(walk, tick, 1);
        return (ok, int128(int256(word)));
    }

    /// A word of ticks(int24).
    function _readTickWord(Walk memory walk, int256 tick, uint256 index) private view returns (bool ok, uint256 word) {
        address pool = walk.manager;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0xf30dba93))
            mstore(add(at, 4), tick)
            ok := staticcall(READ_GAS, pool, at, 36, at, 128)
            ok := and(ok, gt(returndatasize(), 127))
            word := mload(add(at, shl(5, index)))
        }
    }

    /// An entry of one of the mappings that a singleton keeps for a pool: 4 its ticks, 5 its bitmap.
    function _readOfPool(Walk memory walk, uint256 mapping_, int256 key) private view returns (bool, uint256) {
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

    function _wrapped() internal view override returns (address) {
        return _native;
    }
}
