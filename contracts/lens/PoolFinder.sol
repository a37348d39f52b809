// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./BoundedReads.sol";

/// Where the pool of a slot is, and what it says about itself. Never swaps.
abstract contract PoolFinder {
    /// @return status NO_POOL, UNREAD or, when the pool is there, FILLED (meaning: found)
    function _find(uint8 kind, address factory, uint24 fee, int24 spacing, address hooks, address a, address b)
        internal
        view
        returns (uint8 status, address pool, bytes32 id)
    {
        if (kind >= KIND_V4) {
            id = _poolId(kind, fee, spacing, hooks, a, b);
            (bool read, uint256 slot0) = _singletonWord(factory, id, 0);
            if (!read) return (UNREAD, factory, id);
            return (uint160(slot0) == 0 ? NO_POOL : FILLED, factory, id);
        }
        (bool ok, uint256 word) = _lookUp(kind, factory, fee, spacing, a, b);
        if (!ok || word >> 160 != 0) return (UNREAD, address(0), 0);
        pool = address(uint160(word));
        return (pool == address(0) ? NO_POOL : FILLED, pool, bytes32(word));
    }

    function _lookUp(uint8 kind, address factory, uint24 fee, int24 spacing, address a, address b)
        private
        view
        returns (bool, uint256)
    {
        uint256 x = uint256(uint160(a));
        uint256 y = uint256(uint160(b));
        if (kind == KIND_V3) return readWord(factory, 0x1698ee82, x, y, fee);
        if (kind == KIND_SLIPSTREAM) return readWord(factory, 0x28af8d0b, x, y, uint256(int256(spacing)));
        if (kind == KIND_ALGEBRA) return readWord(factory, 0xd9a641e1, x, y, 0);
        if (kind == KIND_SOLIDLY) return readWord(factory, 0x79bc57d5, x, y, fee);
        if (kind == KIND_SOLIDLY_PAIR) return readWord(factory, 0x6801cc30, x, y, fee);
        return readWord(factory, 0xe6a43905, x, y, 0);
    }

    /// @return ok the pool told both
    /// @return price sqrtPriceX96 of concentrated pools, 0 when there is none
    /// @return liquidity in-range liquidity
    function _range(Leg memory leg, bytes32 id) internal view returns (bool ok, uint160 price, uint128 liquidity) {
        uint256 word;
        if (leg.kind >= KIND_V4) {
            (ok, word) = _singletonWord(leg.pool, id, 0);
            price = uint160(word);
            if (ok) (ok, word) = _singletonWord(leg.pool, id, 3);
            return (ok, price, uint128(word));
        }
        (ok, word) = readWord(leg.pool, leg.kind == KIND_ALGEBRA ? bytes4(0xe76c01e4) : bytes4(0x3850c7bd), 0, 0, 0);
        price = uint160(word);
        if (ok) (ok, word) = readWord(leg.pool, 0x1a686502, 0, 0, 0);
        return (ok, price, uint128(word));
    }

    /// Reserves seen from tokenIn. A pair that says more than it holds has told nothing.
    function _reserves(Leg memory leg) internal view returns (bool ok, uint256 reserveIn, uint256 reserveOut) {
        uint256 size;
        uint256[5] memory words;
        (ok, size, words) = readWords(leg.pool, 0x0902f1ac);
        if (!ok || size < 2) return (false, 0, 0);
        (reserveIn, reserveOut) = leg.tokenIn < leg.tokenOut ? (words[0], words[1]) : (words[1], words[0]);
        uint256 holds;
        (ok, holds) = readBalance(leg.tokenOut, leg.pool);
        ok = ok && holds >= reserveOut;
    }

    /// The fee a reader would call the pool's, in millionths. What a swap really costs is in its fill.
    function _feePips(Leg memory leg, bytes32 id, address factory) internal view returns (uint256 pips) {
        uint8 kind = leg.kind;
        uint256 word;
        if (kind == KIND_V2 || kind == KIND_V3) return leg.fee;
        if (kind >= KIND_V4) {
            (, word) = _singletonWord(leg.pool, id, 0);
            return (word >> 208) & 0xffffff;
        }
        if (kind == KIND_SLIPSTREAM) {
            (, word) = readWord(leg.pool, 0xddca3f43, 0, 0, 0);
            return word > 1e6 ? 0 : word;
        }
        if (kind == KIND_ALGEBRA) {
            // Word 2 is the fee in v1 and Integral; Camelot's v1.9 has one fee a direction in words 2 and 3.
            (, uint256 size, uint256[5] memory state) = readWords(leg.pool, 0xe76c01e4);
            word = size == 8 && leg.tokenIn > leg.tokenOut ? state[3] : state[2];
            return word > 1e6 ? 0 : word;
        }
        if (kind == KIND_SELF_PRICED_PAIR) {
            (,, uint256[5] memory state) = readWords(leg.pool, 0x0902f1ac);
            word = leg.tokenIn < leg.tokenOut ? state[2] : state[3];
            return word > 1e5 ? 0 : word * 10; // Camelot: of 100,000
        }
        (, word) = readWord(factory, 0xcc56b2c5, uint256(uint160(leg.pool)), leg.fee, 0);
        return word > 1e4 ? 0 : word * 100; // getFee(pool, stable): basis points
    }

    function _singletonWord(address manager, bytes32 id, uint256 offset) private view returns (bool, uint256) {
        // PoolManager keeps its pools in the mapping at slot 6; slot0 is the first word, liquidity the fourth.
        uint256 slot = uint256(keccak256(abi.encode(id, uint256(6)))) + offset;
        return readWord(manager, 0x1e2eaeaf, slot, 0, 0);
    }

    function _poolId(uint8 kind, uint24 fee, int24 spacing, address hooks, address a, address b)
        private
        view
        returns (bytes32)
    {
        if (kind == KIND_V4_NATIVE) {
            if (a == _wrapped()) a = address(0);
            else b = address(0);
        }
        (address c0, address c1) = a < b ? (a, b) : (b, a);
        return keccak256(abi.encode(c0, c1, fee, spacing, hooks));
    }

    function _wrapped() internal view virtual returns (address);
}
