// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PoolCalls.sol";
import "./KnownPools.sol";

/// Reads pools that most markets do not have: Algebra's, Camelot's pairs, and Balancer v2's weighted pools.
abstract contract RarePoolStates is KnownPools {
    /// Bits of an Algebra Integral pool's plugin configuration.
    uint256 private constant BEFORE_SWAP = 1;
    uint256 private constant DYNAMIC_FEE = 128;

    /// Reads the vault's balances of the leg's two tokens, and the fee (1e18 = 100 %) into `third`. The weights are not
    /// read, because they never change. A pool counts as empty if it or the vault is paused.
    function _readWeighted(PoolEntry memory entry, Leg memory leg) internal view override returns (uint256) {
        unchecked {
            (address token0, address token1) = _sorted(leg);
            uint256 word = weightedPoolId(leg.pool, leg.hooks);
            bool ok;
            (, entry.first) = readWord(BALANCER_VAULT, GET_POOL_TOKEN_INFO, word, uint160(token0));
            (, entry.second) = readWord(BALANCER_VAULT, GET_POOL_TOKEN_INFO, word, uint160(token1));
            (ok, entry.third) = readWord(leg.pool, 0x55c67628, 0, 0); // getSwapFeePercentage()
            (, word) = readWord(leg.pool, 0x1c0de051, 0, 0); // getPausedState()
            (, uint256 paused) = readWord(BALANCER_VAULT, 0x1c0de051, 0, 0); // getPausedState()
            if (word | paused != 0) entry.first = 0;
            return ok ? FORM_WEIGHTED : FORM_NONE;
        }
    }

    function _readSelfPriced(PoolEntry memory entry, Leg memory leg, uint256 size, uint256[8] memory words)
        internal
        view
        override
        returns (uint256)
    {
        unchecked {
            if (size < 4 || words[2] > 1e5 || words[3] > 1e5) return FORM_UNKNOWN;
            entry.shape = _fees(words[2] * 10, words[3] * 10); // from units of 1/100,000
            (bool ok, uint256 stable) = readWord(leg.pool, 0x9e548b7f, 0, 0); // stableSwap()
            if (!ok) return FORM_UNKNOWN;
            if (stable == 0) return FORM_CAMELOT;
            (ok, entry.third) = readWord(leg.pool, 0x3b9f1dc0, 0, 0); // precisionMultiplier0()
            if (ok) (ok, entry.fourth) = readWord(leg.pool, 0x288e5d02, 0, 0); // precisionMultiplier1()
            return ok ? FORM_CAMELOT_STABLE : FORM_UNKNOWN;
        }
    }

    /// The number of words of globalState identifies the release: 6 = Integral, 7 = v1, 8 = Camelot's v1.9.
    function _readAlgebra(PoolEntry memory entry, Leg memory leg) internal override returns (uint256 form) {
        unchecked {
            (bool ok, uint256 size, uint256[8] memory words) = _readMany(leg.pool, 0xe76c01e4); // globalState()
            if (!ok || size < 2) return FORM_NONE;
            entry.first = uint160(words[0]);
            entry.shape = uint256(uint24(words[1])) << 64;
            if (entry.first == 0) return FORM_UNKNOWN;
            uint256 spacing;
            (ok, spacing) = readWord(leg.pool, 0xd0c93a7c, 0, 0); // tickSpacing(); v1 may lack it, and then uses 60
            if (!ok && size == 7) (ok, spacing) = (true, 60);
            if (!ok || spacing == 0 || spacing > 32767) return FORM_UNKNOWN;
            entry.shape |= spacing << 88;
            uint256 fee0 = words[2];
            uint256 fee1 = words[2];
            if (size == 6) {
                form = FORM_ALGEBRA_INTEGRAL;
                if (words[3] & BEFORE_SWAP != 0) {
                    // Before a swap the plugin sets a fee that can differ from `fee()`, so only an execution measures
                    // it.
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

    /// The first swap of a block sets the fee, so globalState may return an outdated one. A swap of one unit sets it;
    /// its callback (see `fallback`) reverts with the words of globalState.
    function _probeFees(address pool, uint256 price) internal returns (bool ok, uint256 fee0, uint256 fee1) {
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

    function _walkTicks(Answer memory answer, Walk memory walk) internal view override {
        if (walk.form == FORM_ALGEBRA_INTEGRAL) _walkList(answer, walk);
        else super._walkTicks(answer, walk);
    }

    function _walkList(Answer memory answer, Walk memory walk) private view {
        unchecked {
            // prevTickGlobal(), nextTickGlobal()
            (bool ok, uint256 word) = readWord(walk.manager, walk.down ? bytes4(0x050a4d21) : bytes4(0xd5c35a7e), 0, 0);
            for (uint256 i; ok && i < walk.maxTicks; i++) {
                int256 tick = int24(uint24(word));
                if (tick <= -MAX_TICK || tick >= MAX_TICK) {
                    walk.known = walk.down ? -MAX_TICK : MAX_TICK;
                    return;
                }
                // The pool repeats a tick: its list is invalid.
                if (walk.down ? tick >= walk.known : tick <= walk.known) return;
                if (!_addTick(answer, walk, tick)) return;
                (ok, word) = _readTickWord(walk, tick, walk.down ? 2 : 3);
            }
        }
    }

    /// The callback of an Algebra pool in `_probeFees`: reverts with the first four words of its globalState.
    fallback() external {
        assembly ("memory-safe") {
            mstore(0, shl(224, 0xe76c01e4)) // globalState()
            pop(staticcall(100000, caller(), 0, 4, 0, 128))
            revert(0, 128)
        }
    }
}
